"""Pointers that may have been put together again from numbers: from halves, from bytes, or from text.

Points-to follows pointers that are stored whole. It loses sight of one that is taken apart, and of what is made of the
parts, even where it knows of something else that the result may point to:

    int *p = &other;
    memcpy(&p, bytes, 8);           // bytes[i] was copied one by one from another pointer
    sscanf(text, "%p", &p);         // text was printed with %p
    p = (int *)((uintptr_t)hi << 32 | lo);

So, in a program that takes pointers apart, or prints them, whatever is used as a pointer and may come from such a
number is taken to point anywhere in any object whose address is taken apart or printed somewhere. Others are not: most
programs that look at parts of an address only hash it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NewType

from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.lost_pointers import used_pointers
from raceproof.facts.flow.pointer_numbers import addresses_at, may_hold_address
from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Effect, Format, Returns, Sync
from raceproof.facts.library.formats import initial_texts
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import (
    Binary,
    Call,
    Cast,
    CompareExchange,
    Compute,
    FloatType,
    Function,
    Gep,
    Instr,
    IntConst,
    IntType,
    IrType,
    Load,
    Operand,
    OtherConst,
    Phi,
    PtrType,
    Reg,
    Return,
    Rmw,
    Select,
    SiteId,
    Store,
    Terminator,
    operands,
)
from raceproof.model import MemLoc, ObjectId

Value = tuple[str, Operand]
"""In the function of that name."""
Spread = NewType("Spread", int)
"""Writes that may go anywhere in the same objects, all together: each of these objects has what one of them has."""
Cell = tuple[MemLoc | Spread, bool]
"""What is stored somewhere, read as a pointer, or else as a number."""
Place = Value | Cell
PartNode = Value | MemLoc | Spread
"""A value, or the contents of a cell, that may be a part of a pointer."""
Write = tuple[str, Instr, MemLoc]

_PRINTS_POINTER: Final = re.compile(r"%[-+ #0-9.*$']*p")
_JOINING: Final = frozenset({"or", "xor", "add"})
_FROM_TEXT: Final = re.compile(r"(__)?(str|wcs)to(u?l|u?ll|u?imax|u?max|u?q)(_internal|_l)?|ato(i|l|ll)")


@dataclass(frozen=True, slots=True)
class RebuiltPointers:
    """`registers`: (function, register) of what is used as a pointer and may be made of numbers that were another one;
    `sources`: the objects that such a pointer may point to. Both are over-approximations."""

    registers: frozenset[tuple[str, Reg]] = frozenset()
    sources: frozenset[ObjectId] = frozenset()


def rebuilt_pointers(world: World) -> RebuiltPointers:
    """What may be made of the parts or the text of pointers, and of which."""
    search = _Search(world)
    if not search.takes_apart and not search.prints:
        return RebuiltPointers()
    used = {(function.name, reg): None for function in search.functions for reg in used_pointers(world, function)}
    reached = search.made_of_numbers(list(used))
    registers = frozenset((name, reg) for name, reg in used if (name, reg) in reached)
    return RebuiltPointers(registers, search.sources() if registers else frozenset())


class _Search:
    def __init__(self, world: World) -> None:
        self.world = world
        self.functions = [f for name, f in world.program.functions.items() if name in world.points_to.reached]
        self._bad: set[Place] = set()
        self._holders: dict[MemLoc, bool] = {}
        self._addresses: dict[MemLoc, frozenset[ObjectId]] = {}
        self._parts: set[PartNode] = set()
        self._explored: set[PartNode] = set()
        self._users: dict[PartNode, list[PartNode]] = {}
        self._overlapping: dict[MemLoc, list[Write]] = {}
        self._known_effects: dict[SiteId, list[Effect]] = {}
        self._spreads: dict[tuple[MemLoc, ...], Spread] = {}
        self._spread_writes: list[list[Write]] = []

    # -- what the program does to pointers

    @cached_property
    def takes_apart(self) -> bool:
        """Some pointer is looked at in parts, or as a number that is no integer."""
        return any(self._is_part(f, instr) for f in self.functions for instr in f.instructions())

    def _is_part(self, function: Function, instr: object) -> bool:
        match instr:
            case Load() if not _is_whole(instr.type, self.world.program.pointer_size):
                (touch,) = self.world.touches(function, instr)
                return any(self._may_hold_address(target) for target in touch.targets)
            case Cast(op="ptrtoint" | "inttoptr" | "bitcast" | "addrspacecast"):
                return False
            case Cast(to_type=to_type) if not _is_whole(to_type, self.world.program.pointer_size):
                return bool(self.world.points_to.targets(function.name, instr.value))
        return False

    def _may_hold_address(self, place: MemLoc) -> bool:
        if place not in self._holders:
            self._holders[place] = may_hold_address(self.world, place)
        return self._holders[place]

    @cached_property
    def prints(self) -> bool:
        """Some pointer may become text."""
        texts = initial_texts(self.world.program.globals.values())
        if any(text is None or _PRINTS_POINTER.search(text) for text in texts):
            return True
        return any(
            isinstance(instr, Call) and self._prints_number(function, instr)
            for function in self.functions
            for instr in function.instructions()
        )

    def _prints_number(self, function: Function, call: Call) -> bool:
        formats = [e for e in self._effects(call) if e.format is Format.PRINTF]
        given = zip(call.args, call.arg_types, strict=False)
        return bool(formats) and any(
            isinstance(type_, IntType) and self.world.points_to.targets(function.name, arg) for arg, type_ in given
        )

    def _effects(self, call: Call) -> list[Effect]:
        if call.id not in self._known_effects:
            found = (effect_of(name, self.world.program) for name in self.world.callees(call))
            self._known_effects[call.id] = [effect for effect in found if effect is not None]
        return self._known_effects[call.id]

    def sources(self) -> frozenset[ObjectId]:
        """Objects whose addresses are taken apart, or printed, somewhere; unknown code may print what it gets."""
        points_to = self.world.points_to
        found: set[ObjectId] = set(points_to.escaped_objects) if self.prints and points_to.unknown_calls else set()
        for function in self.functions:
            for instr in function.instructions():
                self.world.budget.check()
                if self.takes_apart:
                    found |= self._taken_apart(function, instr)
                if self.prints and isinstance(instr, Call):
                    found |= self._printed(function, instr)
        return frozenset(found)

    def _taken_apart(self, function: Function, instr: Instr | Terminator) -> set[ObjectId]:
        points_to = self.world.points_to
        constants = [o for o in operands(instr) if isinstance(o, OtherConst) and o.addresses]
        found = {place.object for constant in constants for place in points_to.targets(function.name, constant)}
        match instr:
            case Load() if self._is_part(function, instr):
                (touch,) = self.world.touches(function, instr)
                for target in touch.targets:
                    if target not in self._addresses:
                        self._addresses[target] = frozenset(p.object for p in addresses_at(self.world, target))
                    found |= self._addresses[target]
            case Cast() if self._is_part(function, instr):
                for operand in self._computed_here(function, instr.value):
                    found |= {place.object for place in points_to.targets(function.name, operand)}
        return found

    def _computed_here(self, function: Function, operand: Operand) -> dict[Operand, None]:
        """The operand, and what the function computes it from."""
        definitions = self.world.info(function.name).definitions
        found = {operand: None}
        work = [operand]
        while work:
            last = work.pop()
            made = definitions.get(last.name) if isinstance(last, Reg) else None
            for source in _inputs(made) if made is not None else ():
                if source not in found:
                    found[source] = None
                    work.append(source)
        return found

    def _printed(self, function: Function, call: Call) -> set[ObjectId]:
        """What a call prints may be the address of; a function with a `v` in its name may get a list of arguments."""
        if all(effect.format is not Format.PRINTF for effect in self._effects(call)):
            return set()
        given = {place.object for arg in call.args for place in self.world.points_to.targets(function.name, arg)}
        has_list = any("v" in name for name in self.world.callees(call))
        return given | self.world.reachable(given) if has_list else given

    # -- what comes of it

    def made_of_numbers(self, start: list[tuple[str, Reg]]) -> set[Place]:
        """Those places, and all on the way to them, that numbers of this kind may reach."""
        users: dict[Place, list[Place]] = {}
        seen: dict[Place, None] = dict.fromkeys(start)
        work: list[Place] = [*seen]
        while work:
            self.world.budget.check()
            place = work.pop()
            for source in self._sources(place):
                users.setdefault(source, []).append(place)
                if source not in seen:
                    seen[source] = None
                    work.append(source)
        reached = set(self._bad)
        work = [*reached]
        while work:
            for user in users.get(work.pop(), ()):
                if user not in reached:
                    reached.add(user)
                    work.append(user)
        return reached

    def _sources(self, place: Place) -> Iterable[Place]:
        function, operand = place
        if not isinstance(function, str):
            return dict.fromkeys(self._stored_at((function, bool(operand))))
        if not isinstance(operand, Reg):
            return ()
        made = self.world.info(function).definitions.get(operand.name)
        if made is None:
            return dict.fromkeys(self._given(function, operand))
        return dict.fromkeys(self._operands((function, operand), function, made))

    def _operands(self, place: Place, function: str, made: Instr) -> Iterator[Place]:
        match made:
            case Phi():
                yield from ((function, value) for value, _ in made.incoming)
            case Select():
                yield from ((function, value) for value in (made.if_true, made.if_false))
            case Gep():
                is_number = isinstance(made.base, IntConst)
                yield from ((function, o) for o in ([t.index for t in made.terms] if is_number else [made.base]))
            case Cast():
                if isinstance(made.from_type, PtrType) or self._is_integer(made.from_type):
                    yield (function, made.value)
                else:
                    self._note(place, self.takes_apart and self._may_be_part(function, made.value))
            case Binary():
                pointers = [o for o in (made.left, made.right) if self._points(function, o)]
                if made.op in _JOINING and len(pointers) == 1:
                    (other,) = (o for o in (made.left, made.right) if o not in pointers)
                    self._note(place, self.takes_apart and self._may_be_part(function, other))
                yield from ((function, o) for o in pointers or (made.left, made.right))
            case Load():
                (touch,) = self.world.touches(self.world.program.functions[function], made)
                if isinstance(made.type, PtrType) or self._is_integer(made.type):
                    yield from ((target, isinstance(made.type, PtrType)) for target in touch.targets)
            case Rmw() | CompareExchange():
                (touch,) = self.world.touches(self.world.program.functions[function], made)
                yield from ((target, isinstance(made.type, PtrType)) for target in touch.targets)
            case Call():
                yield from self._results(place, function, made)
            case Compute():
                is_part = self.takes_apart and any(self._may_be_part(function, o) for o in made.operands)
                self._note(place, is_part)

    def _results(self, place: Place, function: str, call: Call) -> Iterator[Value]:
        for name in self.world.callees(call):
            if name in self.world.program.functions:
                for block in self.world.program.functions[name].blocks:
                    if isinstance(block.terminator, Return) and block.terminator.value is not None:
                        yield (name, block.terminator.value)
                continue
            if any(_FROM_TEXT.fullmatch(known) for known in names_of(name)):
                self._note(place, self.prints)
            effect = effect_of(name, self.world.program)
            if effect is not None and effect.returns in (Returns.ARG, Returns.INTO_ARG):
                index = effect.returns_arg
                if index is not None and index < len(call.args):
                    yield (function, call.args[index])

    def _given(self, function: str, parameter: Reg) -> Iterator[Value]:
        index = [param.name for param in self.world.program.functions[function].params].index(parameter.name)
        for caller, site in self.world.points_to.call_sites(function):
            call = self.world.instructions[site][1]
            if isinstance(call, Call) and index < len(call.args):
                yield (caller, call.args[index])
        for starter, call in self._starts.get(function, ()):
            for op in self.world.sync_ops(call):
                if op.kind is Sync.CREATE and op.start_arg is not None:
                    yield (starter, call.args[op.start_arg])

    @cached_property
    def _starts(self) -> dict[str, list[tuple[str, Call]]]:
        found: dict[str, list[tuple[str, Call]]] = {}
        for function in self.functions:
            for instr in function.instructions():
                if isinstance(instr, Call):
                    for start in self.world.points_to.thread_starts(instr.id):
                        found.setdefault(start, []).append((function.name, instr))
        return found

    def _stored_at(self, cell: Cell) -> Iterator[Place]:
        """What may be stored there: whole values, parts of such, or what the library puts there."""
        place, is_pointer = cell
        if isinstance(place, MemLoc):
            yield from ((spread, is_pointer) for spread in self._spread_over(place))
        for writer, instr, written in self._writes_at(place):
            self.world.budget.check()
            match instr:
                case Store() if not _is_whole(instr.type, self.world.program.pointer_size):
                    self._note(cell, self.takes_apart and self._may_be_part(writer, instr.value))
                case Store():
                    # A number that is read as a pointer: only where the two are surely meant to be one cell.
                    is_same = isinstance(place, MemLoc) and _is_same(place, written)
                    if isinstance(instr.type, PtrType) or not is_pointer or is_same:
                        yield (writer, instr.value)
                case Rmw():
                    yield (writer, instr.value)
                case CompareExchange():
                    yield (writer, instr.new)
                case Call():
                    is_large = written.size is None or written.size >= self.world.program.pointer_size
                    scans = any(effect.format is Format.SCANF for effect in self._effects(instr))
                    self._note(cell, is_large and self.prints and scans)
                    yield from ((source, is_pointer) for source in self._copied_from(writer, instr))

    def _copied_from(self, function: str, call: Call) -> Iterator[MemLoc]:
        for effect in self._effects(call):
            for _, source in effect.copies:
                if source < len(call.args):
                    yield from self.world.points_to.targets(function, call.args[source])

    def _writes_at(self, place: MemLoc | Spread) -> list[Write]:
        """Writes that may change the place, but for those that are spread over all of its object."""
        if not isinstance(place, MemLoc):
            return self._spread_writes[place]
        if place not in self._overlapping:
            writes = self._writes[0].get(place.object, ())
            self._overlapping[place] = [write for write in writes if overlap(place, write[2])]
        return self._overlapping[place]

    def _spread_over(self, place: MemLoc) -> Iterable[Spread]:
        return self._writes[1].get(place.object, ())

    @cached_property
    def _writes(self) -> tuple[dict[ObjectId, list[Write]], dict[ObjectId, dict[Spread, None]]]:
        """All writes by object: those to some place in it, and those that may go anywhere in it."""
        found: dict[ObjectId, list[Write]] = {}
        spread: dict[ObjectId, dict[Spread, None]] = {}
        for function in self.functions:
            info = self.world.info(function.name)
            for instr in (instr for label in info.order for instr in info.blocks[label].body):
                for touch in self.world.touches(function, instr):
                    if not touch.touch.kind.writes:
                        continue
                    wide = tuple(target for target in touch.targets if target.offset is None)
                    for target in touch.targets if len(wide) < len(touch.targets) else ():
                        if target.offset is not None:
                            found.setdefault(target.object, []).append((function.name, instr, target))
                    if wide:
                        number = self._spread(wide, spread)
                        self._spread_writes[number].append((function.name, instr, wide[0]))
        return found, spread

    def _spread(self, wide: tuple[MemLoc, ...], spread: dict[ObjectId, dict[Spread, None]]) -> Spread:
        number = self._spreads.get(wide)
        if number is None:
            number = self._spreads[wide] = Spread(len(self._spread_writes))
            self._spread_writes.append([])
            for target in wide:
                spread.setdefault(target.object, {})[number] = None
        return number

    def _may_be_part(self, function: str, operand: Operand) -> bool:
        """A part of a pointer, computed in this function or a caller, or read from where parts are kept."""
        self._explore((function, operand))
        return (function, operand) in self._parts

    def _explore(self, start: PartNode) -> None:
        """Find out which of all that `start` may come from are parts; each is looked at once for all questions."""
        work: list[PartNode] = [start]
        while work:
            node = work.pop()
            if node in self._explored:
                continue
            self.world.budget.check()
            self._explored.add(node)
            if not isinstance(node, tuple):
                sources: Iterable[PartNode] = self._written_at(node)
            elif self._is_part_itself(*node):
                self._mark_part(node)
                continue
            else:
                sources = self._computed_from(*node)
            for source in dict.fromkeys(sources):
                self._users.setdefault(source, []).append(node)
                if source in self._parts:
                    self._mark_part(node)
                work.append(source)

    def _mark_part(self, node: PartNode) -> None:
        work = [node]
        while work:
            each = work.pop()
            if each not in self._parts:
                self._parts.add(each)
                work += self._users.get(each, ())

    def _is_part_itself(self, function: str, operand: Operand) -> bool:
        if not isinstance(operand, Reg):
            return isinstance(operand, OtherConst) and bool(operand.addresses)
        made = self.world.info(function).definitions.get(operand.name)
        return made is not None and self._is_part(self.world.program.functions[function], made)

    def _computed_from(self, function: str, operand: Operand) -> Iterable[PartNode]:
        if not isinstance(operand, Reg):
            return ()
        made = self.world.info(function).definitions.get(operand.name)
        match made:
            case None:
                return self._given(function, operand)
            case Load():
                (touch,) = self.world.touches(self.world.program.functions[function], made)
                return touch.targets
            case Call():
                return self._results((function, operand), function, made)
        return [(function, each) for each in _inputs(made)]

    def _written_at(self, place: MemLoc | Spread) -> Iterator[PartNode]:
        """What is stored there, or where it was copied from, by itself."""
        if isinstance(place, MemLoc):
            yield from self._spread_over(place)
        for writer, instr, _ in self._writes_at(place):
            if isinstance(instr, Store):
                yield (writer, instr.value)
            elif isinstance(instr, Call):
                yield from self._copied_from(writer, instr)

    def _note(self, place: Place, is_bad: bool) -> None:
        if is_bad:
            self._bad.add(place)

    def _points(self, function: str, operand: Operand) -> bool:
        return bool(self.world.points_to.targets(function, operand))

    def _is_integer(self, type_: IrType) -> bool:
        return isinstance(type_, IntType) and type_.bits >= 8 * self.world.program.pointer_size


def _is_whole(type_: IrType, pointer_size: int) -> bool:
    """A value of this type can be a pointer that points-to follows."""
    match type_:
        case FloatType():
            return False
        case IntType(bits=bits):
            return bits >= 8 * pointer_size
    return True


def _is_same(a: MemLoc, b: MemLoc) -> bool:
    return a.offset is not None and (a.offset, a.stride) == (b.offset, b.stride)


def _inputs(made: Instr) -> list[Operand]:
    match made:
        case Cast(value=value):
            return [value]
        case Binary(left=left, right=right):
            return [left, right]
        case Phi(incoming=incoming):
            return [value for value, _ in incoming]
        case Select(if_true=a, if_false=b):
            return [a, b]
        case Compute(operands=rest):
            return list(rest)
    return []
