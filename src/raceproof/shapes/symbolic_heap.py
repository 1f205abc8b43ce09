"""Pieces of the heap that somebody owns: nodes with their fields, and lists of nodes whose number is not known.

    head = a, a -> {next: b}, list(b by next, ends in null)

Follows [DOY06]: cells and list segments, joined by the separating conjunction: every two nodes are different objects.
Differs: segments have one node at least; a node of a segment may own further objects, one in each field of `owned`.

Every `At` in a piece, and in the values that go with it, is a node of that piece: a pointer to anything else is
`ANYTHING`. So two pointers are equal just if they are the same value, unless one of them is `ANYTHING`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, final

from raceproof.model import ObjectId


@final
@dataclass(frozen=True, slots=True)
class At:
    """A pointer into a node; `offset` is None where it is not known."""

    node: int
    offset: int | None = 0


@final
@dataclass(frozen=True, slots=True)
class Place:
    """A pointer into an object that exists once, and is no node."""

    object: ObjectId
    offset: int | None


@final
@dataclass(frozen=True, slots=True)
class Local:
    """A pointer to a variable of a call that is under way, by the number of calls around it, that holds a pointer."""

    depth: int
    name: str


@final
@dataclass(frozen=True, slots=True)
class Number:
    """A constant; the null pointer is 0."""

    value: int


@final
@dataclass(frozen=True, slots=True)
class NotZero:
    """Some number that is not 0."""


@final
@dataclass(frozen=True, slots=True)
class Anything:
    """A value of which nothing is known."""


Value = At | Place | Local | Number | NotZero | Anything
NULL: Final = Number(0)
ANYTHING: Final = Anything()

Origin = frozenset[ObjectId]
"""The abstract objects of the facts that a node may be; empty where they do not tell all accesses to it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One node. `fields`: pointers in it, by offset; what is not there is not known, or zero if it `is_zeroed`, but for
    the `spoilt` words."""

    origin: Origin
    fields: Mapping[int, Value] = field(default_factory=dict)
    is_zeroed: bool = False
    spoilt: frozenset[int] = frozenset()

    def value(self, offset: int | None, width: int) -> Value:
        """Of the pointer there, which has `width` bytes."""
        if offset is None or not self.origin:
            return ANYTHING
        is_zero = self.is_zeroed and self.spoilt.isdisjoint(_words(offset, width))
        return self.fields.get(offset, NULL if is_zero else ANYTHING)

    def nodes(self) -> tuple[int, ...]:
        return tuple(value.node for _, value in sorted(self.fields.items()) if isinstance(value, At))


@dataclass(frozen=True, slots=True)
class Segment:
    """A list of one node or more: each has the next one at `link`, the last one has `end` there. `owned`: fields in
    which each node has a pointer to an object of its own."""

    origin: Origin
    link: int
    end: Value
    owned: tuple[tuple[int, Origin], ...] = ()

    def nodes(self) -> tuple[int, ...]:
        return (self.end.node,) if isinstance(self.end, At) else ()


Written = tuple[tuple[object, ...], ...]
"""A piece and the values that go with it, told in a way that does not depend on the numbers of nodes."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`width`: bytes of a pointer. `families`: what objects have in common that are worth telling as one list. `link`:
    where nodes have the next one of their list; None: anywhere."""

    width: int
    families: Mapping[ObjectId, object]
    link: int | None = None

    def are_alike(self, first: Origin, second: Origin) -> bool:
        return {self.families[number] for number in first} == {self.families[number] for number in second}


class Heap:
    """The piece that one thread owns. Changed by its owner; `copy` is cheap."""

    __slots__ = ("_last", "layout", "parts")

    def __init__(self, layout: Layout, parts: Mapping[int, Cell | Segment] | None = None, last: int = 0) -> None:
        self.layout = layout
        self.parts: dict[int, Cell | Segment] = dict(parts or {})
        self._last = last

    def copy(self) -> Heap:
        return Heap(self.layout, self.parts, self._last)

    def add(self, part: Cell | Segment) -> int:
        self._last += 1
        self.parts[self._last] = part
        return self._last

    def reachable(self, values: Iterable[Value]) -> list[int]:
        """Nodes that the values lead to, in the order in which they are met."""
        found: dict[int, None] = {}
        work = [value.node for value in values if isinstance(value, At)][::-1]
        while work:
            node = work.pop()
            if node not in found:
                found[node] = None
                work.extend(reversed(self.parts[node].nodes()))
        return list(found)

    def exposed(self, node: int) -> list[Heap]:
        """All that the piece may be if the first node of a list is told apart: the only one of it, or not."""
        part = self.parts[node]
        if isinstance(part, Cell):
            return [self]
        alone, longer = self.copy(), self.copy()
        rest = longer.add(part)
        for heap, following in ((alone, part.end), (longer, At(rest))):
            fields: dict[int, Value] = {part.link: following}
            for offset, origin in part.owned:
                fields[offset] = At(heap.add(Cell(origin)))
            heap.parts[node] = Cell(part.origin, fields)
        return [alone, longer]

    def store(self, node: int, offset: int | None, size: int | None, value: Value = ANYTHING) -> None:
        """Write to a node that is told apart, a pointer if the value is one; without an offset or size, anywhere."""
        cell = self._cell(node)
        if offset is None or size is None:
            self.parts[node] = Cell(cell.origin)
            return
        fields = {at: v for at, v in cell.fields.items() if at + self.layout.width <= offset or at >= offset + size}
        if value is not ANYTHING and cell.origin:
            fields[offset] = value
        spoilt = cell.spoilt.union(_words(offset, size)) if cell.is_zeroed else cell.spoilt
        self.parts[node] = replace(cell, fields=fields, spoilt=spoilt)

    def clear(self, node: int) -> None:
        """All of the node becomes zero."""
        self.parts[node] = Cell(self._cell(node).origin, is_zeroed=True)

    def _cell(self, node: int) -> Cell:
        part = self.parts[node]
        assert isinstance(part, Cell)  # callers expose nodes first
        return part

    def without(self, gone: Iterable[int]) -> None:
        """Give nodes away: pointers to them, in what is left, may be anything."""
        lost = set(gone)
        for node in lost:
            del self.parts[node]
        for node, part in list(self.parts.items()):
            if not lost.isdisjoint(part.nodes()):
                if isinstance(part, Segment):
                    self.parts[node] = replace(part, end=ANYTHING)
                else:
                    kept = {o: v for o, v in part.fields.items() if not leads_to(v, lost)}
                    forgotten = part.fields.keys() - kept.keys() if part.is_zeroed else ()
                    words = [word for offset in forgotten for word in _words(offset, self.layout.width)]
                    self.parts[node] = replace(part, fields=kept, spoilt=part.spoilt.union(words))

    def fold(self, named: Sequence[Value]) -> None:
        """Forget what no named value leads to, and how many nodes a list has: [DOY06]'s abstraction."""
        kept = self.reachable(named)
        self.parts = {node: self.parts[node] for node in kept}
        uses = self._uses(named)
        work = kept[::-1]
        while work:
            node = work.pop()
            for link in self._links(node) if node in self.parts else ():
                joined = self._joined(node, link, uses)
                if joined is not None:
                    self.parts[node] = joined
                    left = set(self.reachable(named))
                    self.parts = {n: p for n, p in self.parts.items() if n in left}
                    uses = self._uses(named)
                    work.append(node)
                    break

    def _links(self, node: int) -> tuple[int, ...]:
        """Where the next node of a list may be."""
        part = self.parts[node]
        if isinstance(part, Segment):
            return (part.link,)
        wanted = self.layout.link
        return tuple(
            offset
            for offset, value in sorted(part.fields.items())
            if isinstance(value, At) and (wanted is None or offset == wanted)
        )

    def _uses(self, named: Sequence[Value]) -> Counter[int]:
        """How many pointers lead to each node."""
        uses = Counter(value.node for value in named if isinstance(value, At))
        for part in self.parts.values():
            uses.update(part.nodes())
        return uses

    def _joined(self, node: int, link: int, uses: Counter[int]) -> Segment | None:
        """The node and the one behind it as one list, if nobody else knows that one."""
        first = self.parts[node]
        following = first.end if isinstance(first, Segment) else first.fields[link]
        if (
            not isinstance(following, At)
            or following.offset != 0
            or following.node == node
            or uses[following.node] != 1
        ):
            return None
        second = self.parts[following.node]
        if isinstance(second, Segment):
            end, fits = second.end, second.link == link
        else:
            end = second.value(link, self.layout.width)
            fits = end is not ANYTHING
        if (
            not fits
            or not self.layout.are_alike(first.origin, second.origin)
            or (isinstance(end, At) and end.node == node)
        ):
            return None
        owned = dict(self._owned(first, link, uses))
        both = tuple((o, origin | owned[o]) for o, origin in self._owned(second, link, uses) if o in owned)
        return Segment(first.origin | second.origin, link, end, both)

    def _owned(self, part: Cell | Segment, link: int, uses: Counter[int]) -> tuple[tuple[int, Origin], ...]:
        """Fields, other than the link, with a node that nobody else knows, and that leads nowhere."""
        if isinstance(part, Segment):
            return part.owned
        found = []
        for offset, value in sorted(part.fields.items()):
            if offset != link and isinstance(value, At) and value.offset == 0 and uses[value.node] == 1:
                other = self.parts[value.node]
                if isinstance(other, Cell) and not other.nodes():
                    found.append((offset, other.origin))
        return tuple(found)

    def written(self, named: Sequence[Value]) -> Written:
        """What is left after `fold`, told by the order in which the named values lead to it."""
        order = self.reachable(named)
        number = {node: i for i, node in enumerate(order)}

        def told(value: Value) -> Value:
            return At(number[value.node], value.offset) if isinstance(value, At) else value

        rows: list[tuple[object, ...]] = [tuple(told(value) for value in named)]
        for node in order:
            part = self.parts[node]
            if isinstance(part, Segment):
                rows.append((part.origin, part.link, told(part.end), part.owned))
            else:
                fields = tuple((o, told(v)) for o, v in sorted(part.fields.items()))
                rows.append((part.origin, fields, part.is_zeroed, part.spoilt))
        return tuple(rows)

    def extracted(self, named: Sequence[Value]) -> tuple[Heap, list[Value]]:
        """The part that the values lead to, as a piece of its own, numbered from 1 in the order of `reachable`."""
        order = self.reachable(named)
        number = {node: i for i, node in enumerate(order, start=1)}
        parts = {number[n]: _renamed(self.parts[n], number) for n in order}
        return Heap(self.layout, parts, len(order)), [renamed(value, number) for value in named]

    def join_in(self, other: Heap, named: Sequence[Value]) -> list[Value]:
        """Become the owner of another piece, too; the values of it, as they are called here."""
        number = {node: self._last + i for i, node in enumerate(other.parts, start=1)}
        self._last += len(number)
        for node, part in other.parts.items():
            self.parts[number[node]] = _renamed(part, number)
        return [renamed(value, number) for value in named]


def _words(offset: int, size: int) -> range:
    """The four-byte words that some bytes are in."""
    return range(offset // 4, (offset + size + 3) // 4)


def leads_to(value: Value, nodes: set[int]) -> bool:
    return isinstance(value, At) and value.node in nodes


def renamed(value: Value, number: Mapping[int, int]) -> Value:
    return At(number[value.node], value.offset) if isinstance(value, At) else value


def _renamed(part: Cell | Segment, number: Mapping[int, int]) -> Cell | Segment:
    if isinstance(part, Segment):
        return replace(part, end=renamed(part.end, number))
    return replace(part, fields={o: renamed(v, number) for o, v in part.fields.items()})
