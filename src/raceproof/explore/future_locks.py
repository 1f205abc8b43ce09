"""Locks by static name, and sets of them as numbers: the algebra behind `raceproof.explore.futures`.

A lock has one of three names:

    Static("m", 8)             the lock at byte 8 of the global variable m
    Whole("m")                 some lock in m; only ever released
    Formal("f", 0, 8, 17)      the lock 8 bytes behind f's parameter 0; 17 is the site that uses it

Number k stands for the k-th name; 0 is the atomic section, 1 any lock without a name of its own (on the heap, on a
stack, an element of an array), which is only ever released: the run knows such locks by their addresses. A must-set of
held locks has bit 2k for a lock that is held, shared at least, and bit 2k+1 if it is held exclusively, so that the
intersection of bits is the meet. A may-set of released locks has bit k; ALL is every lock. An `Effect` is such a pair:
what a piece of a path certainly takes and still holds at its end, and what it may have given back on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from raceproof.ir import Address, Cast, Function, Gep, Instr, Operand, Program, PtrType, Reg, SiteId

ALL: Final = -1
ATOMIC: Final = 0
UNNAMED: Final = 1
MAX_PLACES: Final = 32
MAX_FORMALS: Final = 24

Effect = tuple[int, int]
IDENTITY: Final[Effect] = (0, 0)


@final
@dataclass(frozen=True, slots=True)
class Static:
    symbol: str
    offset: int


@final
@dataclass(frozen=True, slots=True)
class Whole:
    symbol: str


@final
@dataclass(frozen=True, slots=True)
class Formal:
    function: str
    index: int
    offset: int
    site: SiteId


LockName = Static | Whole | Formal
Place = tuple[str | int, int]
"""A pointer as a global's name or a parameter's number, and an offset."""


def bits(number: int) -> Iterator[int]:
    """The positions of the ones."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


class LockTable:
    """Numbers the names of locks; knows which names may mean one lock. `places`: where the lock of a site may be."""

    def __init__(self, places: Callable[[SiteId], frozenset[str] | None]) -> None:
        self.names: list[LockName] = [Static("", 0), Whole("")]  # the atomic section; locks without names
        self._numbers: dict[LockName, int] = {}
        self._formals: dict[str, int] = {}
        self._formal_released = 0
        self._formal_held = 0
        self._places = places
        self._stripped: dict[Effect, int] = {}

    def number(self, name: LockName) -> int | None:
        """The number of a name; None where a function has too many of them already."""
        known = self._numbers.get(name)
        if known is not None:
            return known
        known = len(self.names)
        if isinstance(name, Formal):
            if self._formals.get(name.function, 0) >= MAX_FORMALS:  # a recursion that moves the pointer
                return None
            self._formals[name.function] = self._formals.get(name.function, 0) + 1
            self._formal_released |= 1 << known
            self._formal_held |= 3 << 2 * known
        self.names.append(name)
        self._numbers[name] = known
        return known

    def anything_in(self, places: frozenset[str] | None) -> int:
        """The may-set of all locks in these global variables, and of those that have no name."""
        if places is None or len(places) > MAX_PLACES:
            return ALL
        result = 1 << UNNAMED
        for symbol in sorted(places):
            number = self.number(Whole(symbol))
            result |= ALL if number is None else 1 << number
        return result

    # -- effects

    def take(self, effect: Effect, lock: int, shared: bool) -> Effect:
        """The effect after first taking `lock`: it counts unless it may be given back on the way."""
        held, released = effect
        return held | self._without((1 if shared else 3) << 2 * lock, released), released

    def then(self, first: Effect, second: Effect) -> Effect:
        """The effect of `first` and then `second`."""
        if first == IDENTITY:
            return second
        return second[0] | self._without(first[0], second[1]), first[1] | second[1]

    def _without(self, held: int, released: int) -> int:
        """What stays of a must-set when these may have been given back."""
        if not held or not released:
            return held
        if released == ALL:
            return 0
        key = (held, released)
        known = self._stripped.get(key)
        if known is None:
            known = held
            for number in {position >> 1 for position in bits(held)}:
                if any(self._may_be_same(number, other) for other in bits(released)):
                    known &= ~(3 << 2 * number)
            self._stripped[key] = known
        return known

    def _may_be_same(self, one: int, two: int) -> bool:
        if one == two:
            return True
        if ATOMIC in (one, two):
            return False
        a, b = self.names[one], self.names[two]
        if isinstance(a, Formal) and isinstance(b, Formal):
            if a.function == b.function and a.index == b.index:
                return a.offset == b.offset
            places_a, places_b = self._places(a.site), self._places(b.site)
            if places_a is None:
                return places_b is None or bool(places_b)
            return bool(places_a) if places_b is None else bool(places_a & places_b)
        if isinstance(a, Formal) or isinstance(b, Formal):
            formal, other = (a, b) if isinstance(a, Formal) else (b, a)
            assert isinstance(formal, Formal)
            assert not isinstance(other, Formal)
            places = self._places(formal.site)
            return places is None or other.symbol in places
        return a.symbol == b.symbol and (isinstance(a, Whole) or isinstance(b, Whole))

    # -- names of a callee in its caller

    def renamed(self, effect: Effect, names: Callable[[Formal], LockName | None]) -> Effect:
        """The effect with other names for parameters; a lock without a name counts as not taken, but given back."""
        held, released = effect
        formals = held & self._formal_held
        if formals:
            held &= ~formals
            for number in {position >> 1 for position in bits(formals)}:
                name = self._new_number(number, names)
                if name is not None:
                    held |= (formals >> 2 * number & 3) << 2 * name
        if released != ALL and released & self._formal_released:
            formals = released & self._formal_released
            released &= ~formals
            for number in bits(formals):
                name = self._new_number(number, names)
                formal = self.names[number]
                assert isinstance(formal, Formal)
                released |= self.anything_in(self._places(formal.site)) if name is None else 1 << name
        return held, released

    def _new_number(self, number: int, names: Callable[[Formal], LockName | None]) -> int | None:
        formal = self.names[number]
        assert isinstance(formal, Formal)
        name = names(formal)
        return None if name is None else self.number(name)


# -- pointers


class Pointers:
    """Where pointers of the program certainly point: constants, also through parameters that are always the same."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._definitions: dict[str, dict[str, Instr]] = {}
        self._params: dict[str, dict[str, int]] = {}
        self.constant: dict[tuple[str, int], Place | None] = {}

    def place(self, function: Function, operand: Operand) -> Place | None:
        """The global or the parameter that `operand` points into, and at which offset; None if that is not certain."""
        found = self._raw_place(function, operand)
        if found is not None and isinstance(found[0], int):
            constant = self.constant.get((function.name, found[0]))
            if constant is not None:
                return constant[0], constant[1] + found[1]
        return found

    def _raw_place(self, function: Function, operand: Operand) -> Place | None:
        offset = 0
        for _ in range(64):
            if isinstance(operand, Address):
                variable = self._program.globals.get(operand.symbol)
                if variable is None or variable.is_thread_local or variable.is_external:
                    return None
                return operand.symbol, offset + operand.offset
            if not isinstance(operand, Reg):
                return None
            instr = self._definition(function, operand.name)
            if isinstance(instr, Gep) and not instr.terms:
                operand, offset = instr.base, offset + instr.offset
            elif isinstance(instr, Cast) and instr.op in ("bitcast", "addrspacecast"):
                operand = instr.value
            elif instr is None:
                index = self._params[function.name].get(operand.name)
                return None if index is None else (index, offset)
            else:
                return None
        return None

    def _definition(self, function: Function, register: str) -> Instr | None:
        known = self._definitions.get(function.name)
        if known is None:
            known = self._definitions[function.name] = {}
            for block in function.blocks:
                for instr in block.body:
                    result = getattr(instr, "result", None)
                    if result is not None:
                        known[result.name] = instr
            self._params[function.name] = {
                p.name: i for i, p in enumerate(function.params) if isinstance(p.type, PtrType) and p.by_value is None
            }
        return known.get(register)

    def find_constants(self, passed: Mapping[str, Sequence[tuple[Function, tuple[Operand, ...]] | None]]) -> None:
        """Find the parameters that always have one constant value. `passed` has all calls of each function: who calls
        and with which arguments; None where the arguments are not known.

        Optimistic: a parameter that is only passed on in a recursion has the value it came with.
        """
        unset: Place = (-1, 0)
        values: dict[tuple[str, int], Place | None] = {}
        calls: dict[str, list[tuple[Function, tuple[Place | None, ...]] | None]] = {}
        for name, callers in passed.items():
            count = len(self._program.functions[name].params)
            rows: list[tuple[Function, tuple[Place | None, ...]] | None] = []
            for entry in callers:
                if entry is None:
                    rows.append(None)
                else:
                    caller, args = entry
                    rows.append((caller, tuple(self._raw_place(caller, a) for a in args[:count])))
            calls[name] = rows
            values.update({(name, i): unset for i in range(count)})
        changed = True
        while changed:
            changed = False
            for name, rows in calls.items():
                for index in range(len(self._program.functions[name].params)):
                    before = values[name, index]
                    if before is None:
                        continue
                    after = self._meet(rows, index, before, values, unset)
                    if after != before:
                        values[name, index] = after
                        changed = True
        self.constant = {key: value for key, value in values.items() if value is not None and value != unset}

    @staticmethod
    def _meet(
        rows: list[tuple[Function, tuple[Place | None, ...]] | None],
        index: int,
        value: Place,
        values: Mapping[tuple[str, int], Place | None],
        unset: Place,
    ) -> Place | None:
        for row in rows:
            if row is None or index >= len(row[1]):
                return None
            given = row[1][index]
            if given is not None and isinstance(given[0], int):
                outer = values.get((row[0].name, given[0]))
                if outer == unset:
                    continue
                given = None if outer is None else (outer[0], outer[1] + given[1])
            if given is None or (value != unset and given != value):
                return None
            value = given
        return value
