"""Memory as one thread sees it: objects at fixed addresses, and what the thread and its ancestors have written.

Every object of the unwound program has an address of its own, far from all others, so that pointers are plain numbers.
What a thread has written is a list; to read is to go through it backwards, to the first entry that certainly wrote
those bytes. Behind its own entries come those of its creator up to its creation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import gcd

from raceproof.bmc.events import Instance, Point
from raceproof.bmc.terms import (
    Term,
    Truth,
    Value,
    arithmetic,
    below,
    both,
    choose,
    concatenated,
    either,
    equal,
    mask,
    negate,
    part,
    variable,
)
from raceproof.core import LimitReached
from raceproof.ir import Address, GlobalVariable, Program

MOST_ALIGNED = 64
MAX_TABLE = 64
"""Elements of an initial value that are looked at for an index which is not known."""


@dataclass(slots=True, eq=False)
class Object:
    """`size` None: not known. `room`: bytes up to the next object. `fill`: what it holds at first where nothing else is
    said: None is anything."""

    name: str
    base: int
    room: int
    kind: str
    size: int | None
    variable: GlobalVariable | None = None
    fill: int | None = 0
    owner: Instance | None = None

    @property
    def is_literal(self) -> bool:
        return self.variable is not None and self.variable.is_constant and self.variable.text is not None


@dataclass(slots=True, eq=False)
class Entry:
    """`value` as bytes of memory. `is_block`: not one number, but bytes that may begin anywhere."""

    point: Point
    position: int
    address: Value
    size: int
    value: Value
    is_block: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """A part of a block of bytes."""

    offset: int
    size: int
    value: Value


@dataclass(slots=True, eq=False)
class _Log:
    """`by_object`: entries whose address is known; `wild`: the others. `start`: where the creator was."""

    entries: list[Entry] = field(default_factory=list)
    by_object: dict[Object, list[Entry]] = field(default_factory=dict)
    wild: list[Entry] = field(default_factory=list)
    start: tuple[Instance, int, Point] | None = None


class Memory:
    """`width` of pointers in bits. `heap_fill`: what fresh memory holds, None: anything."""

    def __init__(self, program: Program, heap_fill: int | None) -> None:
        self.width = 8 * program.pointer_size
        self._program = program
        # Objects lie far from each other, and where few numbers of a program do: each has one place or more.
        self._objects: list[Object] = []
        self._gap, self._start, self._unknown = (32, 0x1357 << 48, 0) if self.width == 64 else (18, 0x11 << 24, 1 << 22)
        self._heap_fill = heap_fill
        self._logs: dict[Instance, _Log] = {}
        self._symbols: dict[tuple[str, int], Object] = {}
        self._origins: dict[int, tuple[Term, frozenset[Object]]] = {}
        self._alignments: dict[int, tuple[Term, int]] = {}
        self._fresh = 0

    # -- objects

    def make(self, name: str, kind: str, size: int | None, fill: int | None = None) -> Object:
        places = 1 + ((self._unknown if size is None else size) >> self._gap)
        last = self._objects[-1] if self._objects else None
        base = last.base + last.room if last is not None else self._start + (1 << self._gap)
        if base + (places << self._gap) > mask(self.width):
            raise LimitReached("the objects of the unwound program do not fit into its memory")
        made = Object(name, base, places << self._gap, kind, size, fill=fill)
        self._objects.append(made)
        return made

    def heap(self, name: str, size: int | None, is_zero: bool) -> Object:
        return self.make(name, "heap", size, 0 if is_zero else self._heap_fill)

    def symbol(self, address: Address, thread: Instance) -> int:
        """Of a global variable or a function; each thread has its own copy of what is thread-local."""
        variable_ = self._program.globals.get(address.symbol)
        is_local = variable_ is not None and variable_.is_thread_local
        key = (address.symbol, thread.number if is_local else -1)
        if key not in self._symbols:
            size = variable_.type.size if variable_ is not None else 1
            made = self.make(address.symbol, "global" if variable_ is not None else "function", size, 0)
            made.variable = variable_
            if variable_ is not None and variable_.is_external:
                made.fill = None
            if is_local:
                made.owner = thread
            self._symbols[key] = made
        return (self._symbols[key].base + address.offset) & ((1 << self.width) - 1)

    def object_at(self, address: int) -> Object | None:
        number = bisect_right(self._objects, address, key=lambda obj: obj.base) - 1
        found = self._objects[number] if number >= 0 else None
        return found if found is not None and address < found.base + found.room else None

    def room(self, address: Value) -> int:
        """At most so many bytes come behind the beginning of what it points to."""
        return max((found.room for found in self.origin(address) or self._objects), default=1)

    # -- where pointers come from

    def origin(self, address: Value) -> frozenset[Object] | None:
        """Objects that the pointer may point into; None: not known."""
        if isinstance(address, int):
            found = self.object_at(address)
            return frozenset({found}) if found is not None else frozenset()
        known = self._origins.get(address.get_id())
        return known[1] if known is not None else None

    def same(self, a: Value, b: Value) -> Truth:
        """Whether two pointers are to the same place."""
        ours, theirs = self.origin(a), self.origin(b)
        if ours is not None and theirs is not None and not ours & theirs:
            return False
        return equal(a, b, self.width)

    def may_coincide(self, a: Value, b: Value) -> Truth:
        """Whether two pointers may be equal in the program although they are to different objects here: the end of
        one object may be the beginning of another, and literals may share their bytes."""
        ours, theirs = self.origin(a), self.origin(b)
        if not ours or not theirs or (len(ours) == 1 and ours == theirs):
            return False
        if all(found.is_literal for found in (*ours, *theirs)):
            return self.anything(1, "literals")
        meets = either(
            both(self._is_end(a, ours), self._is_start(b, theirs)),
            both(self._is_end(b, theirs), self._is_start(a, ours)),
        )
        return False if meets is False else both(meets, self.anything(1, "neighbours"))

    def _is_start(self, address: Value, objects: frozenset[Object]) -> Truth:
        return either(*(equal(address, found.base, self.width) for found in _in_order(objects)))

    def _is_end(self, address: Value, objects: frozenset[Object]) -> Truth:
        """Right behind the object; of one whose size is not known, anywhere but at its beginning."""
        ends: list[Truth] = []
        for found in _in_order(objects):
            if found.size is None:
                ends.append(negate(equal(address, found.base, self.width)))
            else:
                ends.append(equal(address, found.base + found.size, self.width))
        return either(*ends)

    def alignment(self, address: Value) -> int:
        """A power of two that divides it."""
        if isinstance(address, int):
            return min(address & -address or MOST_ALIGNED, MOST_ALIGNED)
        known = self._alignments.get(address.get_id())
        return known[1] if known is not None else 1

    def derive(self, address: Value, *sources: Value, offset: int = 0) -> Value:
        """Note that a pointer was made from others, and that it is some multiple of `offset` away from them."""
        if isinstance(address, int):
            return address
        aligned = min(self.alignment(part_) for part_ in (*sources, offset))
        self._alignments[address.get_id()] = (address, aligned)
        origins = [self.origin(source) for source in sources]
        if None not in origins:
            self._origins[address.get_id()] = (address, frozenset().union(*(o for o in origins if o is not None)))
        return address

    def choose(self, condition: Truth, a: Value, b: Value, width: int) -> Value:
        made = choose(condition, a, b, width)
        return self.derive(made, a, b) if width == self.width else made

    def anything(self, width: int, name: str = "any") -> Value:
        self._fresh += 1
        return variable(f"{name}!{self._fresh}", width)

    # -- writing and reading

    def begin(self, thread: Instance, parent: Instance | None, point: Point | None) -> None:
        log = _Log()
        if parent is not None and point is not None:
            log.start = (parent, len(self._logs[parent].entries), point)
        self._logs[thread] = log

    def write(
        self, thread: Instance, point: Point, address: Value, size: int, value: Value, is_block: bool = False
    ) -> None:
        log = self._logs[thread]
        entry = Entry(point, len(log.entries), address, size, value, is_block)
        log.entries.append(entry)
        found = self.object_at(address) if isinstance(address, int) else None
        if isinstance(address, int) and found is not None:
            log.by_object.setdefault(found, []).append(entry)
        else:
            log.wild.append(entry)

    def read(self, thread: Instance, point: Point, address: Value, size: int, is_block: bool = False) -> Value:
        """As bytes of memory."""
        chain: list[tuple[Truth, Value]] = []
        for entry, at in self._behind(thread, point, address):
            are_numbers = not (entry.is_block or is_block)
            step = self.common_part(entry.address, entry.size, address, size, are_numbers)
            if step < size:
                offsets = range(0, size, step)
                parts = [self.read(thread, point, self.at(address, offset), step, is_block) for offset in offsets]
                return concatenated([(value, step) for value in parts])
            condition, value = self.seen(entry.address, entry.size, entry.value, address, size, are_numbers)
            if condition is False:
                continue
            if condition is True and entry.point.dominates(at):
                return self._chained(chain, value, size)
            chain.append((both(entry.point.guard, condition), value))
        return self._chained(chain, self.initial(address, size), size)

    def _chained(self, chain: list[tuple[Truth, Value]], last: Value, size: int) -> Value:
        for condition, value in reversed(chain):
            last = self.choose(condition, value, last, 8 * size)
        return last

    def _behind(self, thread: Instance, point: Point, address: Value) -> Iterator[tuple[Entry, Point]]:
        """Entries that may concern the address, the latest first, each with the point from which it is seen."""
        limit: int | None = None
        place: tuple[Instance, int | None, Point] | None = (thread, None, point)
        origin = self.origin(address)
        while place is not None:
            who, limit, at = place
            log = self._logs[who]
            if origin is None:
                found = log.entries if limit is None else log.entries[:limit]
            else:
                lists = [log.by_object.get(o, []) for o in sorted(origin, key=lambda o: o.base)]
                found = [e for entries in (*lists, log.wild) for e in entries if limit is None or e.position < limit]
                found.sort(key=lambda e: e.position)
            for entry in reversed(found):
                yield entry, at
            place = log.start

    def read_words(self, thread: Instance, point: Point, address: Value, size: int) -> list[Word]:
        """A block of bytes, whatever is in it."""
        return [
            Word(offset, step, self.read(thread, point, self.at(address, offset), step, is_block=True))
            for offset, step in _steps(size)
        ]

    def at(self, address: Value, offset: int) -> Value:
        """So many bytes behind."""
        if isinstance(address, int):
            return (address + offset) & mask(self.width)
        moved = arithmetic("add", address, offset, self.width)
        return self.derive(moved, address, offset=offset)

    def moved(self, address: Value, source: Object, to: Object) -> Value:
        """At the same place of another object."""
        offset = (to.base - source.base) & mask(self.width)
        if isinstance(address, int):
            return (address + offset) & mask(self.width)
        return self.derive(arithmetic("add", address, offset, self.width), to.base, offset=self.alignment(address))

    def seen(
        self, to: Value, length: int, value: Value, address: Value, size: int, are_numbers: bool
    ) -> tuple[Truth, Value]:
        """When a write of `length` bytes to `to` is seen at `address`, and what that is: anything, if it is there in
        part. `are_numbers`: of one size they are at one place or have nothing in common, as C demands."""
        if not self.may_overlap(to, length, address, size):
            return False, 0
        if isinstance(to, int) and isinstance(address, int):
            offset = address - to
            return True, part(value, length, offset, size) if 0 <= offset <= length - size else self._torn(size)
        aligned = min(self.alignment(to), self.alignment(address))
        if length == size and (are_numbers or size <= aligned):
            return equal(to, address, self.width), value
        found = self._torn(size)
        steps = range(0, length - size + 1, size)
        for offset in steps if len(steps) <= MAX_TABLE else ():
            here = part(value, length, offset, size)
            found = choose(equal(self.at(to, offset), address, self.width), here, found, 8 * size)
        return self.overlap(to, length, address, size), found

    def common_part(self, to: Value, length: int, address: Value, size: int, are_numbers: bool) -> int:
        """Into parts of how many bytes to divide what is read, so that the write covers each of them or nothing of
        it; all of it, if it does so anyway."""
        if not self.may_overlap(to, length, address, size):
            return size
        if isinstance(to, int) and isinstance(address, int):
            return size if to <= address <= to + length - size else gcd(size, abs(address - to), length)
        return size if are_numbers else gcd(size, length, self.alignment(to), self.alignment(address))

    def _torn(self, size: int) -> Value:
        return self.anything(8 * size, "torn")

    def may_overlap(self, a: Value, a_size: int, b: Value, b_size: int) -> bool:
        """Can the two ranges have a byte in common?"""
        if isinstance(a, int) and isinstance(b, int):
            return a < b + b_size and b < a + a_size
        ours, theirs = self.origin(a), self.origin(b)
        return ours is None or theirs is None or bool(ours & theirs)

    def overlap(self, a: Value, a_size: int, b: Value, b_size: int) -> Truth:
        """Do the two ranges have a byte in common?"""
        if not self.may_overlap(a, a_size, b, b_size):
            return False
        if (isinstance(a, int) and isinstance(b, int)) or (a_size == b_size and a is b):
            return True
        return both(below(a, b + b_size, self.width), below(b, a + a_size, self.width))

    # -- what is there at first

    def initial(self, address: Value, size: int) -> Value:
        if isinstance(address, int):
            found = self.object_at(address)
            return self._initial_at(found, address - found.base, size) if found is not None else self._any(size)
        origin = self.origin(address)
        if origin is None:
            return self._any(size)
        result: Value = self._any(size)
        for found in sorted(origin, key=lambda o: o.base):
            is_long = found.size is None or found.size // size > MAX_TABLE
            if is_long and found.variable is not None and not _is_zero(found.variable):
                return self._any(size)
            inside = both(
                below(found.base - 1, address, self.width),
                below(address, found.base + found.room - 1, self.width),
            )
            result = choose(inside, self._initial_anywhere(found, address, size), result, 8 * size)
        return result

    def _initial_anywhere(self, found: Object, address: Value, size: int) -> Value:
        if found.variable is None or _is_zero(found.variable):
            return self._any(size) if found.fill is None else 0
        result: Value = self._any(size)  # of what lies across two elements
        for offset in range(0, (found.size or size) - size + 1, size):
            here = self._initial_at(found, offset, size)
            result = choose(equal(address, found.base + offset, self.width), here, result, 8 * size)
        return result

    def _initial_at(self, found: Object, offset: int, size: int) -> Value:
        if found.fill is None:
            return self._any(size)
        variable_ = found.variable
        if variable_ is None:
            return 0
        if variable_.text is not None:
            text = variable_.text.encode("utf-8", "surrogateescape")[offset : offset + size]
            return int.from_bytes(text, "little")
        result = 0
        for cell in variable_.initial:
            if cell.offset + cell.size <= offset or cell.offset >= offset + size:
                continue
            if isinstance(cell.value, Address):
                if cell.offset != offset or cell.size != size or not cell.is_exact:
                    return self._any(size)
                return self.symbol(cell.value, _NOBODY)
            shift = 8 * (cell.offset - offset)
            bits = cell.value.value & ((1 << 8 * cell.size) - 1)
            result |= bits << shift if shift >= 0 else bits >> -shift
        if not variable_.initial_complete:
            return self._any(size)
        return result & ((1 << 8 * size) - 1)

    def _any(self, size: int) -> Value:
        return self.anything(8 * size, "initial")


def _in_order(objects: Iterable[Object]) -> list[Object]:
    return sorted(objects, key=lambda found: found.base)


def _is_zero(variable_: GlobalVariable) -> bool:
    return variable_.initial_complete and not variable_.initial and not variable_.text


_NOBODY = Instance(-1, "", None, None, None, 0)  # type: ignore[arg-type]  # a constant is nobody's


def _steps(size: int) -> Iterator[tuple[int, int]]:
    offset = 0
    while offset < size:
        step = 8 if size - offset >= 8 else 4 if size - offset >= 4 else 1
        yield offset, step
        offset += step


def words_of(value: Value, size: int) -> list[Word]:
    """A block of bytes in words."""
    return [Word(offset, step, part(value, size, offset, step)) for offset, step in _steps(size)]


def combined(words: Sequence[Word]) -> Value:
    """The block that they make."""
    return concatenated([(word.value, word.size) for word in words])
