"""Calls: of functions of the program, which are followed, and of the library, which is told by tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from raceproof.core import LimitReached
from raceproof.facts import (
    FILLED,
    MemoryTouch,
    Returns,
    Sync,
    SyncOp,
    effect_of,
    sync_op,
    thread_operations,
    touches_of,
)
from raceproof.ir import Call, SiteId
from raceproof.model import AccessKind
from raceproof.shapes.locks import scouted, synchronised
from raceproof.shapes.memory import go_anywhere, put, touch_memory
from raceproof.shapes.states import Frame, State
from raceproof.shapes.surroundings import SILENT
from raceproof.shapes.symbolic_heap import ANYTHING, NULL, At, Cell, Heap, NotZero, Place, Value
from raceproof.shapes.values import may_overlap

if TYPE_CHECKING:
    from raceproof.shapes.execution import Execution

MAX_DEPTH: Final = 24
_RESUMED: Final = frozenset({Sync.LOCK, Sync.TRYLOCK, Sync.WAIT})


def follow_call(run: Execution, state: State, call: Call) -> Iterator[State]:
    targets = run.around.calls.targets.get(call.id)
    if targets is None:
        raise LimitReached("a call of which nothing is known")
    if call.by_value:
        go_anywhere(run, state, run.around.by_site.get(call.id, ()))
    if call.id in run.around.leaps.leaving:
        _leave(run, state.copy())
    if call.id in run.around.leaps.doors:
        yield _again(run, state)
    ops = thread_operations(targets)
    is_once = len(ops) == 1 and ops[0].kind is Sync.ONCE and len(targets.externals) == 1
    if any(run.around.matters(name) for name in targets.callbacks) and not is_once:
        _pass(run, state, targets.callbacks)
    for name in targets.functions if not is_once else targets.callbacks:
        if not run.around.matters(name):
            yield run.done(_exposed(run, state.copy(), call))
            continue
        if len(state.frames) >= MAX_DEPTH or any(frame.function.name == name for frame in state.frames):
            made = _exposed(run, state.copy(), call)
            _pass(run, made, (name,))
            yield run.done(made)
        else:
            yield _entered(run, state.copy(), call, name, is_once)
    if targets.externals or not targets.functions:
        made = _exposed(run, state.copy(), call)
        if run.around.may_release_all(targets):
            for number in list(made.owned):
                run.give_back(made, number)
        if len(targets.externals) == 1 and not targets.is_unknown:
            yield from _external(run, made, call, targets.externals[0])
        else:
            yield from _any_external(run, made, call, targets.externals)


def _exposed(run: Execution, state: State, call: Call) -> State:
    """The arguments go where they are not followed."""
    for arg in call.args:
        state.expose(run.value(state, arg))
    return state


def _entered(run: Execution, state: State, call: Call, name: str, is_callback: bool) -> State:
    function = run.around.program.functions[name]
    given = () if is_callback else call.args
    copied = {index for index, _ in call.by_value}
    registers = {
        param.name: run.value(state, arg)
        for index, (param, arg) in enumerate(zip(function.params, given, strict=False))
        if index not in copied
    }
    state.frames.append(Frame(function, 0, 0, registers))
    return state


def _pass(run: Execution, state: State, names: tuple[str, ...]) -> None:
    """Functions that are not followed, in a recursion or called by the library: they make their accesses anywhere that
    the facts say, and give back what the thread owns if they may do anything with locks or threads."""
    code = run.around.code_below(names)
    for site in sorted(code):
        go_anywhere(run, state, run.around.by_site.get(site, ()))
    if run.around.may_order(code):
        _leave(run, state)
        state.held = frozenset()
    for thread in run.around.cp.threads.values():
        if thread.created_at in code and thread.parent == run.thread and thread.id not in run.around.outside:
            run.begin(thread.id, ANYTHING, {})


def _leave(run: Execution, state: State) -> None:
    """Whoever has the locks next finds everything as it is."""
    for number in list(state.owned):
        run.give_back(state, number)


def _again(run: Execution, state: State) -> State:
    """The second return of a call: nothing is owned, and nothing known of registers and variables."""
    frames = [Frame(frame.function, frame.block, frame.step, {}) for frame in state.frames]
    made = State(frames, Heap(run.layout), {}, {})
    made.variables = {name: None if inside is None else ANYTHING for name, inside in state.variables.items()}
    return run.done(made, NotZero())


def _any_external(run: Execution, state: State, call: Call, names: tuple[str, ...]) -> Iterator[State]:
    """One of several functions, or one that nobody knows: it may touch anything, and end the thread."""
    run.end_thread(state.copy())
    if any(op.kind not in SILENT for name in names for op in _operations_of(name)):
        for number in list(state.owned):
            run.give_back(state, number)
    go_anywhere(run, state, run.around.by_site.get(call.id, ()))
    yield run.done(state)


def _external(run: Execution, state: State, call: Call, name: str) -> Iterator[State]:
    ops = _operations_of(name)
    if ops and ops[0].kind in _RESUMED:
        go_anywhere(run, state, run.around.by_site.get(call.id, ()))  # times of waits, which nobody has in a list
        states = [state]
    else:
        states = _touches(run, state, call, name)
    for after in states:
        if ops and run.is_scouting:
            yield from scouted(run, after, call, ops[0])
        elif ops:
            yield from synchronised(run, after, call, ops[0])
        else:
            yield from _returned(run, after, call, name)


def _touches(run: Execution, state: State, call: Call, name: str) -> list[State]:
    """The accesses that a function of the library makes."""
    touches = touches_of(run.around.program, call, (name,))
    states = [state]
    others = [a for a in run.around.by_site.get(call.id, ()) if a.touch >= len(touches) and a.touch != FILLED]
    go_anywhere(run, state, others)
    for index, touch in enumerate(touches):
        following: list[State] = []
        for before in states:
            following += _touched(run, before, call, name, index, touch)
        states = following
    return states


def _touched(run: Execution, state: State, call: Call, name: str, index: int, touch: MemoryTouch) -> list[State]:
    if touch.deref or touch.reach or touch.static is not None:
        go_anywhere(run, state, (a for a in run.around.by_site.get(call.id, ()) if a.touch == index))
        return [state]
    address = run.value(state, touch.address)
    if touch.kind is AccessKind.FREE and address == NULL:
        return [state]
    found: list[State] = []
    for after in touch_memory(run, state, call.id, index, address, touch.size):
        if after is None:
            found.append(state)
            continue
        if touch.kind is AccessKind.FREE and isinstance(address, At):
            after.lose({address.node})
        elif touch.kind.writes:
            _overwrite(run, after, call, name, address, touch.size)
        found.append(after)
    return found


def _overwrite(run: Execution, state: State, call: Call, name: str, address: Value, size: int | None) -> None:
    """What a library function writes is not known, unless it is all zero."""
    is_zero = "memset" in name and len(call.args) > 1 and run.value(state, call.args[1]) == NULL
    if is_zero and isinstance(address, Place) and address.offset is not None and size is not None:
        for root in state.roots:
            if root.object == address.object and root.offset is not None:
                is_inside = address.offset <= root.offset and root.offset + run.width <= address.offset + size
                if is_inside:
                    state.roots[root] = NULL
                elif may_overlap(root, address, size, run.width):
                    state.roots[root] = ANYTHING
    elif is_zero and isinstance(address, At) and address.offset == 0 and _is_all(run, state, address.node, size):
        state.heap.clear(address.node)
    else:
        put(run, state, address, size)


def _is_all(run: Execution, state: State, node: int, size: int | None) -> bool:
    sizes = [run.around.cp.objects[origin].size for origin in state.heap.parts[node].origin]
    return size is not None and bool(sizes) and all(known is not None and known <= size for known in sizes)


def _returned(run: Execution, state: State, call: Call, name: str) -> Iterator[State]:
    effect = effect_of(name, run.around.program)
    if effect is None:
        yield run.done(state)
        return
    if effect.noreturn or call.noreturn:
        return
    value: Value = ANYTHING
    if effect.or_arg is not None or effect.returns is not Returns.FRESH:  # of some new objects nothing is known here
        go_anywhere(run, state, (a for a in run.around.by_site.get(call.id, ()) if a.touch == FILLED))
    if effect.or_arg is not None:
        pass  # an argument, or something new
    elif effect.returns is Returns.FRESH:
        filled = [a for a in run.around.by_site.get(call.id, ()) if a.touch == FILLED]
        yield run.done(state.copy(), NULL)
        once = made_once(run, state, call.id)
        value = once or At(state.heap.add(_new(run, state, call.id, effect.zeroed)))
        for root in state.roots:
            if once is not None and root.object == once.object:
                state.roots[root] = NULL if effect.zeroed else ANYTHING
        run.seen.owned.update(access.id for access in filled)  # nobody else has it yet
    elif effect.returns is Returns.ARG and effect.returns_arg is not None and effect.returns_arg < len(call.args):
        value = run.value(state, call.args[effect.returns_arg])
    yield run.done(state, value)


def _new(run: Execution, state: State, site: SiteId, is_zeroed: bool) -> Cell:
    """A new node, whose fields are followed if the facts tell all accesses to it."""
    origin = run.around.origin(site, state.call_stack())
    return Cell(origin if origin <= run.around.shared else frozenset(), is_zeroed=is_zeroed)


def made_once(run: Execution, state: State, site: SiteId) -> Place | None:
    """The object that an instruction makes, if there are locks or roots in it."""
    found = run.around.origin(site, state.call_stack())
    hosted = found & run.hosts
    if not hosted:
        return None
    return Place(next(iter(hosted)), 0) if len(found) == 1 else None


def _operations_of(name: str) -> list[SyncOp]:
    found = sync_op(name)
    return [] if found is None else [found]
