"""Which memory may be read before anything was written there.

Local variables that stay in memory, and blocks of the allocator that it does not clear, begin with any bytes. Which of
them are really read is asked when the program runs (explore/uninitialised.py); here it is found out where one has to
ask: at instructions that may read such an object, that may write it, and that may copy it, initialised or not, into
another one. An object that nobody reads needs no asking, and neither does one that is filled before all else, by one
write or by a loop over all its elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from raceproof.facts.flow.function_info import FunctionInfo, look_through_extensions
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.facts.library.effects import Sync
from raceproof.facts.library.libc import effect_of, known_effect
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import (
    Address,
    Alloca,
    Call,
    Function,
    Gep,
    Instr,
    IntConst,
    Load,
    Operand,
    Reg,
    SiteId,
    Store,
    Terminator,
    operands,
    value_bytes,
)
from raceproof.model import AccessKind, MemObject, ObjectId, ObjectKind, UninitialisedMemory

# What they read goes as it is to where they write.
_COPYING = frozenset(["memcpy", "memmove", "mempcpy", "llvm.memcpy", "llvm.memcpy.inline", "llvm.memmove"])


@dataclass
class _Touched:
    """All touches of one kind, by instruction, and the objects that they may go to."""

    numbers: dict[SiteId, dict[int, frozenset[ObjectId]]] = field(default_factory=dict)

    def add(self, site: SiteId, number: int, touch: TargetedTouch) -> None:
        self.numbers.setdefault(site, {})[number] = touch.objects

    def of(self, objects: set[ObjectId]) -> dict[SiteId, frozenset[int]]:
        found = ((site, frozenset(n for n, o in by.items() if o & objects)) for site, by in self.numbers.items())
        return {site: numbers for site, numbers in found if numbers}


def uninitialised_memory(world: World) -> UninitialisedMemory:
    """Where the run has to be asked whether a value was ever written."""
    made = world.points_to.made_at()
    begins_with_anything = set(_begins_with_anything(world, made))
    reads, writes = _Touched(), _Touched()
    copies: dict[SiteId, tuple[frozenset[ObjectId], frozenset[ObjectId]]] = {}
    moved: dict[SiteId, tuple[frozenset[ObjectId], frozenset[ObjectId]]] = {}
    for function in world.program.functions.values():
        used = _uses(function)
        for instr in function.instructions():
            touches = world.touches(function, instr)
            if isinstance(instr, Call) and _copies(instr) and [t.touch.kind for t in touches] in _READ_AND_WRITE:
                to, source = sorted(touches, key=lambda t: t.touch.kind is AccessKind.READ)
                copies[instr.id] = (to.objects, source.objects)
                continue
            if isinstance(instr, Call) and _moves_block(world, instr):
                freed = (t.objects for t in touches if t.touch.kind is AccessKind.FREE)
                moved[instr.id] = (frozenset(o for o, _ in made.get(instr.id, ())), frozenset().union(*freed))
            for number, touch in enumerate(touches):
                kind = touch.touch.kind
                if kind in (AccessKind.READ, AccessKind.UPDATE) and _matters(instr, used):
                    reads.add(instr.id, number, touch)
                if kind in (AccessKind.WRITE, AccessKind.UPDATE):
                    writes.add(instr.id, number, touch)
    all_copies = {**copies, **moved}
    may_hold = _forward(begins_with_anything, all_copies)
    read = {o for by in reads.numbers.values() for objects in by.values() for o in objects}
    asked = _backward(read & may_hold, may_hold, all_copies)
    objects = world.points_to.objects
    return UninitialisedMemory(
        variables={
            site: _size(objects, (o for o, _ in found))
            for site, found in made.items()
            if isinstance(world.instructions[site][1], Alloca) and any(o in asked for o, _ in found)
        },
        reads=reads.of(asked),
        writes=writes.of(asked),
        copies=frozenset(site for site, (to, source) in copies.items() if (to | source) & asked),
    )


_READ_AND_WRITE = ([AccessKind.READ, AccessKind.WRITE], [AccessKind.WRITE, AccessKind.READ])


def _begins_with_anything(
    world: World, made: Mapping[SiteId, tuple[tuple[ObjectId, tuple[SiteId, ...]], ...]]
) -> Iterator[ObjectId]:
    cleared = {o for site, found in made.items() if _clears(world.instructions[site][1]) for o, _ in found}
    filled = {site for function in world.program.functions.values() for site in _filled_first(function)}
    filled |= {site for name in world.program.functions for site in _filled_by_loop(world.info(name))}
    cleared |= {o for site in filled for o, _ in made.get(site, ())}
    for identity, obj in world.points_to.objects.items():
        if obj.kind in (ObjectKind.STACK, ObjectKind.HEAP) and identity not in cleared:
            yield identity


def _filled_first(function: Function) -> Iterator[SiteId]:
    """Variables of which the first use, in the block that the function begins with, writes all of them."""
    waiting: dict[Operand, tuple[SiteId, int]] = {}
    for instr in function.blocks[0].body:
        for operand in operands(instr):
            if operand in waiting:
                site, size = waiting.pop(operand)
                if _fills(instr, operand, size):
                    yield site
        if isinstance(instr, Alloca) and isinstance(instr.count, IntConst):
            waiting[instr.result] = (instr.id, instr.type.size * instr.count.value)


def _filled_by_loop(info: FunctionInfo) -> Iterator[SiteId]:
    """Arrays that a counted loop writes from the first element to the last before anything else uses them.

    The element is written in every round, because its block dominates the only way back to the header, and the loop is
    left only by its header, when all rounds are done. So behind the header and outside of the loop all is written.
    """
    uses = _uses(info.function)
    for alloca in info.function.blocks[0].body:
        if not isinstance(alloca, Alloca) or not isinstance(alloca.count, IntConst):
            continue
        size = alloca.type.size * alloca.count.value
        users = uses.get(alloca.result, [])
        for element in users:
            if not isinstance(element, Gep):
                continue
            loop = _writes_all_in(info, element, uses.get(element.result, []), size)
            others = (info.block_of[user.id] for user in users if user is not element)
            if loop is not None and all(
                label not in info.loops[loop] and label in info.idom and info.dominates(loop, label) for label in others
            ):
                yield alloca.id
                break


def _writes_all_in(info: FunctionInfo, element: Gep, users: list[Instr | Terminator], size: int) -> str | None:
    """The header of the loop in which all `size` bytes are written through `element`, one after the other."""
    match users, element.terms:
        case [Store(value=value, type=kind) as store], [term] if value != element.result:
            if value_bytes(kind) != ((0, term.scale),):
                return None
        case _:
            return None
    label = info.block_of[store.id]
    counter = look_through_extensions(term.index, info.definitions)
    for header, loop in info.counted.items():
        numbers = loop.numbers(info.definitions) if loop.counter == counter else None
        if not numbers or numbers.step != 1 or label == header or label not in info.loops[header]:
            continue
        back = [before for before in info.predecessors[header] if before in info.loops[header]]
        first, behind = (element.offset + term.scale * number for number in (numbers.start, numbers.stop))
        if (first, behind) == (0, size) and all(info.dominates(label, latch) for latch in back):
            return header
    return None


def _fills(instr: Instr | Terminator, variable: Operand, size: int) -> bool:
    match instr:
        case Store(address=address, value=value, type=type_):
            return address == variable and value != variable and value_bytes(type_) == ((0, size),)
        case Call(callee=Address(symbol=name), args=(address, _, IntConst(value=length), *_)):
            return name.startswith("llvm.memset") and address == variable and length == size
    return False


def _clears(instr: Instr | Terminator) -> bool:
    if not isinstance(instr, Call) or not isinstance(instr.callee, Address):
        return False
    effect = known_effect(instr.callee.symbol)
    return effect is not None and effect.zeroed


def _moves_block(world: World, call: Call) -> bool:
    """`realloc` and its like: the runtime moves what is known of the old block to the new one."""
    effects = (effect_of(name, world.program) for name in world.callees(call) if name not in world.program.functions)
    return any(effect is not None and effect.copies_to_result for effect in effects)


def _copies(call: Call) -> bool:
    return isinstance(call.callee, Address) and not _COPYING.isdisjoint(names_of(call.callee.symbol))


def _uses(function: Function) -> dict[Operand, list[Instr | Terminator]]:
    found: dict[Operand, list[Instr | Terminator]] = {}
    for instr in function.instructions():
        for operand in operands(instr):
            if isinstance(operand, Reg):
                found.setdefault(operand, []).append(instr)
    return found


def _matters(instr: Instr | Terminator, used: Mapping[Operand, list[Instr | Terminator]]) -> bool:
    """Whether anything may depend on what is read: not on a value that nobody uses, nor on what only calls look at that
    find out themselves whether it is in order."""
    match instr:
        case Load(result=result, volatile=volatile):
            uses = used.get(result, [])
            return volatile or not all(isinstance(use, Call) and _takes_id(use, result) for use in uses)
        case Call(callee=Address(symbol=name)):
            return sync_op(name) is None
        case _:
            return True


def _takes_id(call: Call, value: Reg) -> bool:
    """Whether the value is used as the id of a thread: one that is no thread's is found by the call."""
    op = sync_op(call.callee.symbol) if isinstance(call.callee, Address) else None
    return op is not None and op.kind in (Sync.JOIN, Sync.DETACH) and value not in call.args[1:]


Copies = Mapping[SiteId, tuple[frozenset[ObjectId], frozenset[ObjectId]]]


def _forward(objects: set[ObjectId], copies: Copies) -> set[ObjectId]:
    """These, and all into which they may be copied."""
    found, grows = set(objects), True
    while grows:
        before = len(found)
        for to, source in copies.values():
            if source & found:
                found |= to
        grows = len(found) > before
    return found


def _backward(objects: set[ObjectId], among: set[ObjectId], copies: Copies) -> set[ObjectId]:
    """These, and all from which they may be copied."""
    found, grows = set(objects), True
    while grows:
        before = len(found)
        for to, source in copies.values():
            if to & found:
                found |= (source | to) & among
        grows = len(found) > before
    return found


def _size(objects: Mapping[ObjectId, MemObject], identities: Iterator[ObjectId]) -> int | None:
    sizes = {objects[identity].size for identity in identities}
    return sizes.pop() if len(sizes) == 1 else None
