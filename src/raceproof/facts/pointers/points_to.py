"""Points-to: which objects each pointer may point to, and with it the call graph. For the whole program at once.

Follows [And94, ch. 4]: inclusion-based, flow-insensitive; solved as in [PB09] (see `propagation`).
Paper -> here: abstract locations -> pointer values (`objects`) and cells (`cells`); S(.) -> `targets`, `contents`.
Differs:
  * field-sensitive by byte offset, with the elements of an array sharing cells ([PKH07] has offsets too, but of
    fields, not bytes); constant indices are kept apart in `targets`;
  * the call graph is found while solving, from `main` on; functions that are never reached have no constraints;
  * allocation wrappers and small pointer helpers are analysed once per call site (`cloning`);
  * integers of pointer size carry pointers; threads' ids are pointers to thread objects;
  * library functions are described by tables, unknown ones by the outside world (`workspace`).

Everything here is a may-answer, an over-approximation, except where it says must.
The program is assumed not to make pointers out of nothing, to keep them within their objects, and to store them whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from raceproof.core import Budget
from raceproof.facts.library.process_state import declared_name
from raceproof.facts.library.sync_api import sync_op
from raceproof.facts.pointers.addressed_functions import addressed_functions
from raceproof.facts.pointers.calls import CallLinker, EntryKind
from raceproof.facts.pointers.constraints import ConstraintBuilder
from raceproof.facts.pointers.execution_counts import ExecutionCounts
from raceproof.facts.pointers.library_calls import LibraryCalls
from raceproof.facts.pointers.objects import AbstractObject, ObjectKey, Offsets
from raceproof.facts.pointers.propagation import members
from raceproof.facts.pointers.workspace import Workspace
from raceproof.ir import Address, Call, CompareExchange, Operand, Program, Reg, Rmw, SiteId, Store
from raceproof.model import MemLoc, MemObject, ObjectId, ObjectKind

_ENVIRONMENT_PARAMETER = 2
_CANCEL = "pthread_cancel"
"""Who is cancelled in an initialiser leaves it to others."""
_ONCE_SIZE = 4  # bytes, at least, of what tells whether something was done already


class PointsTo:
    """The result of `solve`; nothing in it changes any more."""

    def __init__(self, program: Program, builder: ConstraintBuilder, linker: CallLinker) -> None:
        self._program = program
        self._builder = builder
        self._work = builder.work
        self._found = linker.found
        self._instances: dict[str, list[int]] = {}
        self._by_number = list(builder.instances.values())
        for instance in self._by_number:
            self._instances.setdefault(instance.function.name, []).append(instance.number)
        self._decoded: dict[int, tuple[MemLoc, ...]] = {}
        self._united: dict[tuple[int, ...], tuple[MemLoc, ...]] = {}
        self._callees_of: dict[str, dict[str, None]] = {}
        self._index_calls()
        self.executions = ExecutionCounts(
            program,
            [i.function.name for i in self._by_number],
            {number: tuple(entries) for number, entries in self._found.entries.items()},
            self._once_controls(),
        )
        self.objects: Mapping[ObjectId, MemObject] = MappingProxyType(
            {ObjectId(o.number): self._describe(o) for o in self._work.values.objects}
        )
        self.unknown_calls: tuple[tuple[str, SiteId], ...] = tuple(sorted(self._found.unknown.items()))
        self.reached: frozenset[str] = frozenset(self._instances)
        """The functions of the program that may run."""
        self.filled_by_calls: frozenset[ObjectId] = frozenset(
            ObjectId(o.number) for o in self._work.values.objects if o.kind is ObjectKind.STACK and o.site is None
        )
        """Structs that are passed by value, and variadic arguments."""
        self.escaped_functions: frozenset[str] = frozenset(self._found.escaped_functions)
        self.escaped_objects: frozenset[ObjectId] = frozenset(ObjectId(n) for n in self._work.escaped)
        self.outside: ObjectId = ObjectId(self._work.outside.number)
        """Memory that code outside the program has made."""

    # Pointers.

    def targets(self, function: str, operand: Operand) -> tuple[MemLoc, ...]:
        """Where a pointer value may point; `size` is None.

        An offset of None is anywhere in the object; one outside the object (a list's head taken for an item) can
        be computed with but not accessed: it is given only if there is none inside, see `is_inside`. A location
        with a stride is any element of an array: `extent` says which bytes it ranges over. Empty for a null pointer,
        for a value that holds no pointer, and in functions that are never reached.
        """
        bits = 0
        for number in self._instances.get(function, ()):
            bits |= self._builder.bits(self._by_number[number], operand)
        return self._locations(bits)

    def contents(self, loc: MemLoc) -> tuple[MemLoc, ...]:
        """What the pointers stored in a location may point to; without a size it goes on to the end of the object."""
        return self._locations(self._contents(loc))

    def _contents(self, loc: MemLoc) -> int:
        obj = self._work.values.objects[loc.object]
        nodes = self._work.memory.nodes_at(obj, loc.offset, loc.size, loc.stride)
        bits = 0
        for node in nodes:
            bits |= self._work.graph.pts[self._work.graph.parent[node]]
        return bits

    def contents_of(self, places: Iterable[MemLoc]) -> tuple[MemLoc, ...]:
        """What the pointers stored in any of the places may point to."""
        different = dict.fromkeys(self._contents(place) for place in places)
        if len(different) == 1:
            return self._locations(*different)
        key = tuple(different)
        if key not in self._united:
            self._united[key] = tuple(dict.fromkeys(loc for bits in key for loc in self._locations(bits)))
        return self._united[key]

    def buffer_at(self, loc: MemLoc) -> MemLoc:
        """The array of characters or numbers within a struct that a location is in: who is given a pointer to it does
        not look around. The location itself, if there is no such array."""
        obj = self._work.values.objects[loc.object]
        array = self._work.values.plain_array(obj, loc.offset) if loc.offset is not None else None
        return loc if array is None else MemLoc(loc.object, array[0], array[2])

    def is_inside(self, loc: MemLoc) -> bool:
        """Whether a location lies in its object, so that a correct program may access it."""
        return loc.offset is None or self._work.values.objects[loc.object].contains(loc.offset)

    def _locations(self, bits: int) -> tuple[MemLoc, ...]:
        known = self._decoded.get(bits)
        if known is None:
            values = self._work.values
            found: dict[int, dict[Offsets, None]] = {}
            for value in members(bits):
                found.setdefault(values.object_of[value].number, {}).update(dict.fromkeys(values.addresses(value)))
            locations = [
                MemLoc(ObjectId(number), offset, None, stride, count)
                for number, addresses in found.items()
                for offset, stride, count in self._without_covered(number, addresses)
            ]
            locations.sort(key=lambda m: (m.object, m.offset is not None, m.offset or 0, m.stride or 0))
            known = self._decoded[bits] = tuple(locations)
        return known

    def _without_covered(self, number: int, addresses: Collection[Offsets]) -> list[Offsets]:
        """Leave out single offsets that are elements of an array which is there as a whole, and those outside the
        object, unless there is nothing else to show that it may be meant."""
        obj = self._work.values.objects[number]
        if not obj.has_contents:
            return [(0, None, None)]
        if (None, None, None) in addresses:
            return [(None, None, None)]
        ranges = [(start, stride, count) for start, stride, count in addresses if start is not None and stride]

        def is_covered(at: int | None) -> bool:
            return at is not None and any(
                (at - start) % stride == 0 and start <= at and (count is None or at < start + count * stride)
                for start, stride, count in ranges
            )

        kept = [address for address in addresses if address[1] is not None or not is_covered(address[0])]
        return [each for each in kept if each[0] is not None and obj.contains(each[0])] or kept

    def kept_by_unknown(self) -> tuple[MemLoc, ...]:
        """Memory of the program that unknown functions may have pointers to, directly or through other memory."""
        work = self._work
        found: dict[MemLoc, None] = {}
        for number in sorted(work.escaped):
            if number in work.opened and work.escaped[number].has_contents:
                found[MemLoc(ObjectId(number), None, None)] = None
        for value in members(work.graph.pts[work.graph.parent[work.outside_content]]):
            obj = work.values.object_of[value]
            if obj.number in work.escaped and obj.number not in work.opened:
                found[self._buffer(obj, value)] = None
        return tuple(found)

    def _buffer(self, obj: AbstractObject, value: int) -> MemLoc:
        """The array that a pointer to a buffer within a struct is about: code that is given it does not look around."""
        offset, dims = self._work.values.offset_of[value], self._work.values.dims_of[value]
        array = self._work.values.plain_array(obj, offset) if offset is not None else None
        if array is None or any((first, extent) != array[::2] for first, _, extent in dims):
            return MemLoc(ObjectId(obj.number), None, None)
        return MemLoc(ObjectId(obj.number), array[0], array[2])

    # Objects.

    def object_of_symbol(self, name: str) -> ObjectId:
        """The object of a global variable or function, by its name in the IR."""
        return ObjectId(self._work.symbols[name].number)

    def object_of_site(self, site: SiteId) -> tuple[ObjectId, ...]:
        """Objects made at an alloca, an allocating call or a thread creation; several where it was cloned."""
        return tuple(ObjectId(o.number) for o in self._builder.objects_of_site.get(site, ()))

    def made_at(self) -> dict[SiteId, tuple[tuple[ObjectId, tuple[SiteId, ...]], ...]]:
        """All objects by the instruction that makes them, each with the context of its function: the last calls."""
        sites = self._builder.objects_of_site
        return {site: tuple((ObjectId(o.number), o.context) for o in made) for site, made in sites.items()}

    def owner(self, identity: ObjectId) -> str | None:
        """The function whose local variable an object is."""
        obj = self._work.values.objects[identity]
        return obj.function if obj.kind is ObjectKind.STACK else None

    def static_location(self, name: str) -> tuple[MemLoc, ...]:
        """The library's own object of that name (`Effect.static_object`); empty if no call reaches it."""
        declared = declared_name(self._program, name)
        obj = self._work.symbols.get(declared) if declared is not None else self._work.statics.get(name)
        return () if obj is None else (MemLoc(ObjectId(obj.number), 0, None),)

    def _describe(self, obj: AbstractObject) -> MemObject:
        return MemObject(
            ObjectId(obj.number), obj.kind, obj.name, obj.source_type, obj.size, self._must_be_single(obj), obj.pos
        )

    def _must_be_single(self, obj: AbstractObject) -> bool:
        is_foreign = obj.kind is ObjectKind.UNKNOWN and obj is not self._work.arguments
        if is_foreign or obj.kind is ObjectKind.THREAD_LOCAL:
            return False
        if obj.function is None or obj.kind is ObjectKind.FUNCTION:
            return True
        instance = self._builder.instances[obj.function, obj.context].number
        if obj.site is None:
            return self.executions.instance_runs_once(instance)
        return self.executions.executes_once_in(instance, obj.site)

    def keys_of(self, objects: Iterable[ObjectId]) -> frozenset[ObjectKey]:
        """What the objects are called in other solutions of the program, too."""
        return frozenset(self._work.values.objects[number].key for number in objects)

    # Calls.

    def callees(self, site: SiteId) -> tuple[str, ...]:
        """Functions, of the program and external ones, that a call may reach."""
        return tuple(sorted(self._found.callees.get(site, ())))

    def call_sites(self, function: str) -> tuple[tuple[str, SiteId], ...]:
        """(caller, site) of the calls that may reach a function; what the library starts is not among them."""
        return tuple(sorted(self._found.call_sites.get(function, ()), key=lambda c: (c[1], c[0])))

    def thread_starts(self, site: SiteId) -> tuple[str, ...]:
        """Functions of the program that the library may run for a call: thread starts, once, callbacks."""
        return tuple(sorted(self._found.starts.get(site, ())))

    def foreign_starts(self, site: SiteId) -> tuple[str, ...]:
        """Functions outside the program that the library may run for a call: `bsearch` with `strcmp`."""
        return tuple(sorted(self._found.foreign.get(site, ())))

    def start_kind(self, site: SiteId) -> EntryKind | None:
        """How the functions in `thread_starts` are run: THREAD, ONCE or CALLBACK."""
        return self._found.start_kinds.get(site)

    def reachable_functions(self, root: str) -> frozenset[str]:
        """Functions of the program that may run in the same thread when `root` runs, itself included.

        Through calls, once-initialisers and callbacks; not through thread creation.
        """
        seen = {root}
        work = [root]
        while work:
            for callee in self._callees_of.get(work.pop(), ()):
                if callee not in seen:
                    seen.add(callee)
                    work.append(callee)
        return frozenset(seen)

    def _index_calls(self) -> None:
        for callee, sites in self._found.call_sites.items():
            for caller, _ in sites:
                self._callees_of.setdefault(caller, {})[callee] = None
        for number, entries in self._found.entries.items():
            for entry in entries:
                if entry.kind in (EntryKind.ONCE, EntryKind.CALLBACK) and entry.caller is not None:
                    caller = self._by_number[entry.caller].function.name
                    self._callees_of.setdefault(caller, {})[self._by_number[number].function.name] = None

    def _once_controls(self) -> dict[SiteId, tuple[int, int]]:
        """The control of each pthread_once call where that is one place in a global that nothing sets back."""
        result: dict[SiteId, tuple[int, int]] = {}
        sites = {site for site, kind in self._found.start_kinds.items() if kind is EntryKind.ONCE}
        if not sites or _CANCEL in self._program.externals:
            return result
        written = self._written()
        for function in self._program.functions.values():
            for instr in function.instructions():
                if isinstance(instr, Call) and instr.id in sites and isinstance(instr.callee, Address):
                    op = sync_op(instr.callee.symbol)
                    where = () if op is None or op.arg is None else self.targets(function.name, instr.args[op.arg])
                    if len(where) == 1 and where[0].offset is not None and where[0].stride is None:
                        obj = self._work.values.objects[where[0].object]
                        if obj.kind is ObjectKind.GLOBAL and not any(_is_part(place, where[0]) for place in written):
                            result[instr.id] = (obj.number, where[0].offset)
        return result

    def _written(self) -> list[MemLoc]:
        """Where instructions write, and what library functions get that are no thread operations."""
        found: list[MemLoc] = []
        for function in self._program.functions.values():
            for instr in function.instructions():
                match instr:
                    case Store() | Rmw() | CompareExchange():
                        places = self.targets(function.name, instr.address)
                        found += [replace(place, size=instr.type.size) for place in places]
                    case Call():
                        names = [n for n in self.callees(instr.id) if n not in self._program.functions]
                        if any(sync_op(name) is None for name in names):
                            found += [place for arg in instr.args for place in self.targets(function.name, arg)]
        return found


def _is_part(place: MemLoc, control: MemLoc) -> bool:
    """A write there may change the once-control."""
    if place.object != control.object or place.offset is None or place.stride is not None or control.offset is None:
        return place.object == control.object
    return place.offset < control.offset + _ONCE_SIZE and (
        place.size is None or control.offset < place.offset + place.size
    )


def solve(
    program: Program,
    budget: Budget,
    silent: Collection[str] = (),
    anywhere: Collection[tuple[str, Reg]] = (),
    into_data: Collection[tuple[str, Reg]] = (),
    rebuilt: Collection[tuple[str, Reg]] = (),
    sources: Collection[ObjectKey] = (),
) -> PointsTo:
    """Compute the points-to sets of the whole program. Raises `LimitReached` when the budget is used up.

    `silent`: functions outside the program that do nothing to memory. `anywhere`: registers, with their functions,
    that may point anywhere; `into_data`: such that may point to any object, but to no function; `rebuilt`: such that
    may point anywhere in the objects called `sources`.
    """
    work = Workspace(program)
    builder = ConstraintBuilder(work, {*anywhere, *into_data, *rebuilt})
    linker = CallLinker(builder)
    LibraryCalls(linker, silent)
    work.start()
    main = linker.enter_root(program.entry)
    arguments = work.graph.fixed(1 << work.values.base(work.arguments))
    for index, param in enumerate(main.function.params):
        if work.slots(param.type):
            given = work.environment() if index == _ENVIRONMENT_PARAMETER else arguments
            work.graph.copy(given, builder.node(main, Reg(param.name)))
    for name in program.listed_functions("llvm.global_dtors"):
        linker.enter_root(name)
    work.graph.solve(budget)
    known = 0
    with_address = addressed_functions(program) if anywhere else frozenset()
    while (anywhere or into_data or rebuilt) and known < len(work.values.objects):
        known = len(work.values.objects)
        functions, data = _anywhere(work, with_address)
        named = 0
        for obj in work.values.objects:
            if obj.key in sources:
                named |= 1 << work.values.anywhere(obj)
        for function, register in anywhere:
            builder.add_in_all(function, register, functions | data)
        for function, register in into_data:
            builder.add_in_all(function, register, data)
        for function, register in rebuilt:
            builder.add_in_all(function, register, named)
        work.graph.solve(budget)
    return PointsTo(program, builder, linker)


def _anywhere(work: Workspace, with_address: Collection[str]) -> tuple[int, int]:
    """As sets: the functions `with_address`, and all objects, with what is outside of the program."""
    functions = data = 0
    for obj in work.values.objects:
        if obj.kind is ObjectKind.FUNCTION and obj.name in with_address:
            functions |= 1 << work.values.anywhere(obj)
        elif obj.has_contents:
            data |= 1 << work.values.anywhere(obj)
    return functions, data
