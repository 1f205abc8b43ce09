"""Symbolic addresses: linear expressions over atoms, for must-reasoning about "the same object".

    &accounts[i].lock   is   accounts + 0 + 48*i
    &accounts[i].money  is   accounts + 40 + 48*i

Two threads that hold `accounts + 48*i` and touch `accounts + 40 + 48*i`, each with an i of its own, hold the
same lock whenever they touch the same bytes: that is how `p->lock` protects `p->data`.

Which atoms two threads can compare is the point of their kinds:
  * `Base`      the address of one object that exists once; the same number in every thread;
  * `Stable`    the content of a location that nobody writes while threads run; the same in every thread;
  * `StartArg`  the argument a thread was started with: see `Thread.argument`;
  * `Self`      the thread's own id: different in every thread instance;
  * `Derived`   a pure function of other values (`hash % 16`): equal when its arguments are;
  * `Opaque`    some value; only equal to itself, within one thread, at one moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NewType, final

ObjectId = NewType("ObjectId", int)
ThreadId = NewType("ThreadId", int)


@final
@dataclass(frozen=True, slots=True)
class Base:
    object: ObjectId

    def __str__(self) -> str:
        return f"obj{self.object}"


@final
@dataclass(frozen=True, slots=True)
class Stable:
    location: Linear
    size: int  # in bytes: less of it is another number

    def __str__(self) -> str:
        return f"*{self.size}({self.location})"


@final
@dataclass(frozen=True, slots=True)
class StartArg:
    thread: ThreadId

    def __str__(self) -> str:
        return f"arg(T{self.thread})"


@final
@dataclass(frozen=True, slots=True)
class Self:
    thread: ThreadId

    def __str__(self) -> str:
        return f"self(T{self.thread})"


@final
@dataclass(frozen=True, slots=True)
class Opaque:
    key: str

    def __str__(self) -> str:
        return f"?{self.key}"


@final
@dataclass(frozen=True, slots=True)
class Derived:
    op: str
    args: tuple[Linear, ...]

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.args))})"


Atom = Base | Stable | StartArg | Self | Derived | Opaque


@final
class Linear:
    """constant + sum of coefficient * atom; `terms` sorted, without zero coefficients.

    Immutable. Not a data class because these values are keys everywhere: hash, depth and leaves are computed once.
    `depth` is the number of atoms, nested ones included, to keep expressions small.
    """

    __slots__ = ("_hash", "constant", "depth", "leaf_set", "terms")
    __match_args__ = ("constant", "terms")
    constant: int
    terms: tuple[tuple[Atom, int], ...]
    depth: int
    _hash: int
    leaf_set: frozenset[Atom] | None  # as soon as somebody has asked for all leaves

    def __init__(self, constant: int, terms: tuple[tuple[Atom, int], ...] = ()) -> None:
        self.constant = constant
        self.terms = terms
        depth = 0
        for atom, _ in terms:
            kind = type(atom)
            depth += _depth(atom) if kind is Derived or kind is Stable else 1
        self.depth = depth
        self._hash = hash((constant, terms))
        self.leaf_set = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Linear) or self._hash != other._hash:
            return False
        return self.constant == other.constant and self.terms == other.terms

    def __repr__(self) -> str:
        return f"Linear({self.constant}, {self.terms})"

    def __reduce__(self) -> tuple[type[Linear], tuple[int, tuple[tuple[Atom, int], ...]]]:
        return Linear, (self.constant, self.terms)  # string hashes differ between processes

    def __str__(self) -> str:
        parts = [str(a) if k == 1 else f"{k}*{a}" for a, k in self.terms]
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts)

    def atoms(self) -> tuple[Atom, ...]:
        return tuple(a for a, _ in self.terms)

    def factors(self) -> tuple[int, ...]:
        return tuple(k for _, k in self.terms)

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """self + factor * other."""
        if factor == 0:
            return self
        if not other.terms:
            return Linear(self.constant + factor * other.constant, self.terms) if other.constant else self
        if not self.terms and factor == 1:
            return Linear(self.constant + other.constant, other.terms) if self.constant else other
        sums: dict[Atom, int] = dict(self.terms)
        for atom, k in other.terms:
            sums[atom] = sums.get(atom, 0) + factor * k
        return Linear(self.constant + factor * other.constant, _sorted(sums))

    def shifted(self, offset: int) -> Linear:
        return Linear(self.constant + offset, self.terms) if offset else self

    def scaled(self, factor: int) -> Linear:
        return ZERO.plus(self, factor)

    @property
    def is_constant(self) -> bool:
        return not self.terms

    @property
    def is_absolute(self) -> bool:
        """The same number in every thread at every time while threads run."""
        return all(is_absolute(a) for a, _ in self.terms)

    @property
    def has_difference(self) -> bool:
        """Something is taken off: if that is a pointer, one that is added may be no more than a part of an index."""
        return -1 in self.factors()

    def replaced(self, old: Atom, new: Atom) -> Linear:
        """The same expression of another atom."""
        if old not in self.all_leaves():
            return self
        result = Linear(self.constant)
        for atom, factor in self.terms:
            if atom == old:
                atom = new
            elif isinstance(atom, Derived):
                atom = Derived(atom.op, tuple(arg.replaced(old, new) for arg in atom.args))
            result = result.plus(of_atom(atom), factor)
        return result

    def mentions(self, atoms: Set[Atom]) -> bool:
        """One of `atoms` is among the leaves."""
        return bool(self.terms) and not self.all_leaves().isdisjoint(atoms)

    def all_leaves(self) -> frozenset[Atom]:
        """As `leaves`, computed once."""
        found = self.leaf_set
        if found is None:
            found = self.leaf_set = frozenset(self.leaves())
        return found

    def distance(self, other: Linear) -> int | None:
        """self - other, if that is a constant."""
        return self.constant - other.constant if self.terms == other.terms else None

    def leaves(self) -> Iterator[Atom]:
        """All atoms, those inside `Derived` atoms too."""
        for atom, _ in self.terms:
            yield atom
            if isinstance(atom, Derived):
                for arg in atom.args:
                    yield from arg.leaves()


ZERO = Linear(0)


def is_absolute(atom: Atom) -> bool:
    """True for atoms that are the same number in every thread."""
    match atom:
        case Base() | Stable():
            return True
        case Derived(args=args):
            return all(arg.is_absolute for arg in args)
        case StartArg() | Self() | Opaque():
            return False


def _depth(atom: Atom) -> int:
    match atom:
        case Stable(location=location):
            return 1 + location.depth
        case Derived(args=args):
            return 1 + sum(arg.depth for arg in args)
        case Base() | StartArg() | Self() | Opaque():
            return 1


def _sorted(sums: dict[Atom, int]) -> tuple[tuple[Atom, int], ...]:
    items = [(a, k) for a, k in sums.items() if k]
    if len(items) > 1:
        items.sort(key=_sort_key)
    return tuple(items)


def _sort_key(item: tuple[Atom, int]) -> tuple[str, str]:
    return _key_of(item[0])


@lru_cache(maxsize=1 << 16)
def _key_of(atom: Atom) -> tuple[str, str]:
    return type(atom).__name__, str(atom)


@lru_cache(maxsize=1 << 12)
def number(value: int) -> Linear:
    """The constant, the same object for those that are asked for often."""
    return Linear(value)


def of_atom(atom: Atom) -> Linear:
    return Linear(0, ((atom, 1),))
