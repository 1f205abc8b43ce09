"""Accesses to memory: whose is it, and what is there?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from raceproof.ir import CompareExchange, IntType, Load, PtrType, Rmw, SiteId, Store
from raceproof.model import MAIN, Access, AccessKind, MemLoc, ObjectKind
from raceproof.shapes.states import Since, State
from raceproof.shapes.surroundings import overlaps
from raceproof.shapes.symbolic_heap import ANYTHING, At, Cell, Local, Number, Origin, Place, Value
from raceproof.shapes.values import FIRST_PAGE, may_overlap

if TYPE_CHECKING:
    from raceproof.shapes.execution import Execution


def load(run: Execution, state: State, instr: Load) -> Iterator[State]:
    address = run.value(state, instr.address)
    is_pointer = isinstance(instr.type, PtrType) or (isinstance(instr.type, IntType) and instr.type.size == run.width)
    for after in touch_memory(run, state, instr.id, 0, address, instr.type.size):
        if after is None:
            yield run.done(state)
            continue
        value: Value = ANYTHING
        match address:
            case At(node=node, offset=offset) if is_pointer:
                cell = after.heap.parts[node]
                assert isinstance(cell, Cell)
                value = cell.value(offset, run.width)
                if value is not ANYTHING and offset is not None:
                    run.seen.relied_on.update((origin, offset) for origin in cell.origin)
            case Place() if is_pointer:
                value = after.roots[address] if address in after.roots else after.settled.get(address, ANYTHING)
            case Local() if is_pointer:
                value = after.variables.get(address) or ANYTHING
        yield run.done(after, value)


def store(run: Execution, state: State, instr: Store) -> Iterator[State]:
    address = run.value(state, instr.address)
    value = run.value(state, instr.value)
    if not isinstance(address, Local) or not isinstance(instr.type, PtrType):
        value = state.expose(value)
    value = value if isinstance(instr.type, PtrType) else ANYTHING
    yield from _write(run, state, instr.id, address, instr.type.size, value)


def update(run: Execution, state: State, instr: Rmw | CompareExchange) -> Iterator[State]:
    yield from _write(run, state, instr.id, run.value(state, instr.address), instr.type.size, ANYTHING)


def _write(run: Execution, state: State, site: SiteId, address: Value, size: int, value: Value) -> Iterator[State]:
    for after in touch_memory(run, state, site, 0, address, size):
        if after is None:
            yield run.done(state)
            continue
        put(run, after, address, size, value)
        yield run.done(after)


def put(run: Execution, state: State, address: Value, size: int | None, value: Value = ANYTHING) -> None:
    """Write to a node, or to a place, of the thread's own."""
    if isinstance(address, At):
        if isinstance(value, At) and address.offset is not None:
            run.seen.links.add(address.offset)
        state.heap.store(address.node, address.offset, size, value)
        if value is not ANYTHING and address.offset is not None:
            run.seen.relied_on.update((o, address.offset) for o in state.heap.parts[address.node].origin)
    elif isinstance(address, Place):
        for root in state.roots:
            if root.object == address.object and may_overlap(root, address, size, run.width):
                state.roots[root] = value if root == address and size == run.width else ANYTHING
        state.overwrite_settled([MemLoc(address.object, address.offset, size)], run.width)
        if run.thread == MAIN and size == run.width and isinstance(value, Place) and run.around.is_settled(address):
            state.settled[address] = value
            run.seen.settled.add(address)
    elif isinstance(address, Local) and state.variables.get(address) is not None:
        state.variables[address] = value if size == run.width else ANYTHING


def touch_memory(
    run: Execution, state: State, site: SiteId, index: int, address: Value, size: int | None
) -> Iterator[State | None]:
    """An access to memory: the states in which the thread owns what it touches, the node told apart; None if it
    may not. No state: the program does what C does not define."""
    accesses = [a for a in run.around.by_site.get(site, ()) if a.touch == index]
    match address:
        case At(node=node):
            run.seen.owned.update(access.id for access in accesses)
            _may_be_root(run, state, state.heap.parts[node].origin, accesses)
            for heap in state.heap.exposed(node):
                made = state.copy()
                made.heap = heap.copy()
                yield made
        case Number(value=number) if 0 <= number < FIRST_PAGE:
            return
        case Place(object=number):
            is_heap = run.around.cp.objects[number].kind is ObjectKind.HEAP
            (run.seen.others if is_heap else run.seen.placed).update(access.id for access in accesses)
            yield from _touch_place(run, state, accesses, address, size)
        case Local():
            run.seen.placed.update(access.id for access in accesses)
            yield state.copy()
        case _:
            go_anywhere(run, state, accesses)
            yield None


def _touch_place(
    run: Execution, state: State, accesses: list[Access], place: Place, size: int | None
) -> Iterator[State | None]:
    touched_roots = [
        root for root in run.lock_of if root.object == place.object and may_overlap(root, place, size, run.width)
    ]
    if run.is_scouting and size == run.width and place.offset is not None:
        held = run.seen.used.setdefault(place, set())
        if not _is_alone(run, accesses):
            held.add(state.held)
    missing = sorted({run.lock_of[root] for root in touched_roots} - state.owned.keys())
    if not missing:
        yield state.copy()
        return
    if _is_alone(run, accesses):
        run.ask(state, missing[0], Since.ALONE)
        return
    if any(access.kind.writes for access in accesses) or not accesses:
        run.seen.spoilt.update(root for root in touched_roots if run.lock_of[root] in missing)
    yield None


def _may_be_root(run: Execution, state: State, origin: Origin, accesses: list[Access]) -> None:
    """A node of which it is not known what it is may be an object with roots in it."""
    targets = [
        target
        for access in accesses
        if access.kind.writes
        for target in access.targets
        if run.around.cp.objects[target.object].kind is ObjectKind.HEAP and (target.object in origin or not origin)
    ]
    state.overwrite_settled(targets, run.width)
    for root in run.lock_of:
        if any(overlaps(target, root, run.width) for target in targets):
            run.seen.spoilt.add(root)


def _is_alone(run: Execution, accesses: list[Access]) -> bool:
    views = [view for access in accesses for view in access.views if view.thread == MAIN]
    return run.thread == MAIN and bool(views) and all(run.around.is_alone(view) for view in views)


def go_anywhere(run: Execution, state: State, accesses: Iterable[Access]) -> None:
    """The thread makes accesses of which it is not known where they go."""
    for access in accesses:
        note_unknown(run, access)
        if access.kind.writes:
            state.overwrite_settled(access.targets, run.width)


def note_unknown(run: Execution, access: Access) -> None:
    """Nothing is known of where the access goes but what the facts say."""
    run.seen.others.add(access.id)
    if access.kind.writes and access.kind is not AccessKind.FREE:
        run.seen.blind[access.id] = access
        for root in run.lock_of:
            if any(overlaps(target, root, run.width) for target in access.targets):
                run.seen.spoilt.add(root)
