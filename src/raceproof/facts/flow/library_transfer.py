"""What a call of a function outside the program does to the state: thread operations, the library, unknown code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from raceproof.facts.flow import (
    call_transfer,
    memory_transfer,
    regions,
    stale_names,
    sync_transfer,
    thread_transfer,
)
from raceproof.facts.flow.observations import unknown_code
from raceproof.facts.flow.state import MANY, Condition, Known, State, merge
from raceproof.facts.flow.touches import FILLED, SyncUse
from raceproof.facts.flow.world import TargetedTouch
from raceproof.facts.library.effects import Effect, Returns, Sync
from raceproof.facts.library.libc import effect_of, is_assumption
from raceproof.facts.library.sync_api import GET_SPECIFIC, SET_SPECIFIC, sync_op
from raceproof.facts.pointers.execution_counts import RETURNS_TWICE
from raceproof.ir import Call, IntConst, PtrType
from raceproof.model import MAIN, ZERO, Atom, Base, Derived, HeldLock, Linear, LockKind, LockMode, of_atom

if TYPE_CHECKING:
    from raceproof.facts.flow.contexts import ThreadRecord
    from raceproof.facts.flow.walker import Walker

SPECIFIC = "thread-specific"
MAX_CALLBACK_ROUNDS = 4  # then all ways in which a library function may call back are one


def call(w: Walker, instr: Call, name: str, state: State) -> list[State]:
    operation = sync_op(name)
    effect = effect_of(name, w.world.program)
    if operation is not None and operation.kind is Sync.CREATE:
        touch(w, instr, name, state)  # the id is stored before the new thread begins
        return sync_transfer.apply(w, instr, operation, state)
    is_alone = w.context.thread == MAIN and not state.may_run
    if operation is not None:
        _use_objects(w, instr, SyncUse.BEFORE, state)
        states = sync_transfer.apply(w, instr, operation, state)
        for after in states:
            _use_objects(w, instr, SyncUse.BEHIND, after)
            touch(w, instr, name, after)
            if name in SET_SPECIFIC or name in GET_SPECIFIC:
                _thread_specific(w, instr, name, after)
            if effect is not None and effect.calls:
                _callbacks(w, instr, effect, after)
                if _may_run_meanwhile(effect, is_alone):
                    touch(w, instr, name, after)
        return states
    if effect is None:
        w.flow.observed.assume(unknown_code(name), instr.id)
        return _unknown(w, instr, name, state)
    described = w.world.described(name)
    if described is not None:
        w.flow.observed.assume(f"the user says that {described}", instr.id)
    touch(w, instr, name, state)
    if instr.args and is_assumption(name):
        return [state] if w.assume(instr.args[0], state) else []
    if name in RETURNS_TWICE:
        return _set_jump(w, instr, state)
    if effect.given:
        _give_away(w, instr, w.world.callbacks.given_by(w.function, instr), state)
    if effect.noreturn:
        return []
    states = _callbacks(w, instr, effect, state)
    for after in states:
        if _may_run_meanwhile(effect, is_alone):
            touch(w, instr, name, after)
        _return_of_library(w, instr, effect, after)
        _fill(w, instr, after)
    return states


def _may_run_meanwhile(effect: Effect, is_alone: bool) -> bool:
    """Whether functions that the call gets may have run before it does its last access: qsort moves elements behind
    comparisons, and a destructor of another thread may see how its key is stored. `is_alone`: there is no other thread,
    so what runs later, in threads of the program, runs behind the call."""
    return bool(effect.given) or any(not (callback.later and is_alone) for callback in effect.calls)


def _thread_specific(w: Walker, instr: Call, name: str, state: State) -> None:
    """Thread-specific data: a location of this thread's own for every key."""
    place = of_atom(Derived(SPECIFIC, (w.value(instr.args[0], state),)))
    size = w.world.program.pointer_size
    if name in SET_SPECIFIC:
        forget_specific(state)  # another key may be the same one
        state.memory[(place, size)] = Known(w.value(instr.args[1], state), frozenset())
    elif instr.result is not None:
        known = state.memory.get((place, size))
        if known is not None:
            state.values[instr.result.name] = known.value
        else:
            state.memory[(place, size)] = Known(w.evaluator.itself(instr.result.name), frozenset())


def forget_specific(state: State) -> None:
    for key in [k for k in state.memory if any(isinstance(a, Derived) and a.op == SPECIFIC for a in k[0].atoms())]:
        del state.memory[key]


def _set_jump(w: Walker, instr: Call, state: State) -> list[State]:
    """setjmp: here with result 0, and again from any longjmp, about which little is certain."""
    call_transfer.set_result(w, instr, state)
    again = State(
        may_run={r.id: MANY for r in w.flow.records if w.flow.is_below(r, w.context.thread)},
        must_done=state.must_done,
        phases={barrier: (low, None) for barrier, (low, _) in state.phases.items()},
        may_sent=frozenset(w.flow.sent_addresses),
        must_received=state.must_received,
        may_handed=frozenset(r.id for r in w.flow.records),
    )
    state.fresh = {}
    if instr.result is not None:
        again.facts[Condition("eq", w.evaluator.itself(instr.result.name))] = False
        state.values[instr.result.name] = ZERO
    return [state, again]


def _use_objects(w: Walker, instr: Call, when: SyncUse, state: State) -> None:
    """Record what an operation on threads does to its own objects: who takes a lock does not hold it yet."""
    for index, touch in enumerate(w.world.touches(w.function, instr)):
        if touch.touch.use is when:
            w.record(instr.id, index, touch, w.value(touch.touch.address, state), state)


def touch(w: Walker, instr: Call, name: str, state: State) -> None:
    """Record what the call touches, but for the objects of an operation on threads; forget what it may have changed."""
    operation = sync_op(name)
    for index, touch in enumerate(w.world.touches(w.function, instr)):
        through = touch.touch
        if through.use is not None:
            continue
        indirect = through.deref or through.reach or through.kept or through.static is not None
        address = None if indirect else w.value(through.address, state)
        if through.locks_stream and address is not None:
            _use_stream(w, instr, index, touch, address, state)
            continue
        w.record(instr.id, index, touch, address, state)
        state.find(touch.objects)
        if touch.touch.kind.writes:
            if address is not None:
                memory_transfer.overwrite(w, touch, address, through.size, state)
                memory_transfer.send(w, address, None, state)
            else:
                state.forget_memory(touch.objects)
                stale_names.renounce_places(w, touch.targets, state)
            if operation is None or operation.kind is not Sync.CREATE:  # which says itself whose id it overwrites
                thread_transfer.lose_ids(w, touch.targets, address, through.size, state)
    regions.library_call(w, instr, name)
    effect = effect_of(name, w.world.program)
    if effect is None:
        return
    kept = [*effect.keeps, *effect.given, *(value for value, _ in effect.stores), *effect.frees]
    if effect.mixes and (effect.writes or effect.returns is Returns.REACHED):
        kept = [*range(len(instr.args))]  # stored anywhere, or given back under another name
    for arg in kept:
        if arg < len(instr.args):
            state.publish(w.value(instr.args[arg], state))
    for _, source in effect.copies:
        if source < len(instr.args):
            memory_transfer.open_fresh(w.value(instr.args[source], state), state)


def _fill(w: Walker, instr: Call, state: State) -> None:
    """The library has written the object that it has made, before it gave its address to the program."""
    filled = w.world.filled(instr)
    if filled is not None:
        is_returned = instr.result is not None and isinstance(instr.type, PtrType)
        address = w.value(filled.touch.address, state) if is_returned else None
        w.record(instr.id, FILLED, filled, address, state, is_private=True)


def _use_stream(w: Walker, instr: Call, index: int, touch: TargetedTouch, address: Linear, state: State) -> None:
    """The function takes the lock of the stream, which the program may take as well (`flockfile`), and gives it back.

    What it changes in the stream is nothing that the program can read."""
    lock = HeldLock(address, LockMode.EXCLUSIVE, LockKind.MUTEX, instr.pos)
    is_taken = lock not in state.locks
    if is_taken:
        w.flow.observed.note_lock_objects(address, touch.targets)
        state.take(lock)
    w.record(instr.id, index, touch, address, state)
    if is_taken:
        del state.locks[lock]
    state.find(touch.objects)


def _unknown(w: Walker, instr: Call, name: str, state: State) -> list[State]:
    for arg in instr.args:
        state.publish(w.value(arg, state))
    running = dict(state.may_run)
    callbacks = w.world.callbacks
    _give_away(w, instr, [s for s in callbacks.given_by(w.function, instr) if s not in callbacks.nested], state)
    nested = _call_within(w, instr, state)
    for index, touch in enumerate(w.world.touches(w.function, instr)):
        w.record(instr.id, index, touch, None, state)
        if touch.touch.use is not None:
            continue
        state.find(touch.objects)
        stale_names.renounce_places(w, touch.targets, state)
        thread_transfer.lose_ids(w, touch.targets, None, None, state)
        reached = touch.objects
        w.flow.observed.note_given_away(reached)
        for held in [h for h in state.locks if w.flow.observed.lock_objects(h.address) & reached]:
            del state.locks[held]
    for held in [h for h in state.locks if w.flow.observed.lock_objects(h.address) & w.world.unlocked_by_callbacks]:
        del state.locks[held]
    regions.library_call(w, instr, name)
    state.memory.clear()
    for record in nested:  # they are over by now, and start no threads
        if record.id not in running:
            state.may_run.pop(record.id, None)
    call_transfer.set_result(w, instr, state)
    return [] if instr.noreturn else [state]


def _call_within(w: Walker, instr: Call, state: State) -> list[ThreadRecord]:
    """What unknown code may call back before it returns, like threads that end with the call; these are returned."""
    starts = w.world.callbacks.run_within(instr)
    if not starts:
        return []
    records = w.flow.give_away(w.context, starts, instr.id, is_nested=True)
    state.may_run.update((record.id, MANY) for record in records)
    if w.recording:
        w.flow.start_callbacks(records, frozenset(state.may_run))
    return [record for record in records if record.is_nested]


def _give_away(w: Walker, instr: Call, starts: Sequence[str], state: State) -> None:
    """The outside world may call these from now on, at any time, on any thread: like threads that never end."""
    records = w.flow.give_away(w.context, starts, instr.id)
    state.may_run.update((record.id, MANY) for record in records)
    if w.recording:
        w.flow.start_callbacks(records, frozenset(state.may_run))


def _callbacks(w: Walker, instr: Call, effect: Effect, state: State) -> list[State]:
    """Functions that the library calls: during the call, any number of times, or later, like a thread."""
    if not effect.calls:
        return [state]
    starts = [f for f in w.world.points_to.thread_starts(instr.id) if f in w.world.program.functions]
    if any(callback.later for callback in effect.calls):
        _give_away(w, instr, starts, state)
        return [state]
    for arg in instr.args if starts else ():
        state.publish(w.value(arg, state))
    states = [state]
    rounds = 0
    while True:
        after = [s for one in states for start in starts for s in _call_back(w, instr, effect, start, one.copy())]
        for one in after:
            one.counts = one.counts.unless_changed(state.counts)
        merged = merge([*states, *after], call_transfer.MAX_EXITS if rounds < MAX_CALLBACK_ROUNDS else 0)
        if {one.full_key() for one in merged} == {one.full_key() for one in states}:
            return merged
        states = merged
        rounds += 1


def _call_back(w: Walker, instr: Call, effect: Effect, start: str, state: State) -> list[State]:
    """The library calls `start` once, with arguments of which nothing is known, but that some may be arguments of this
    call: not those of the call before."""
    function = w.world.program.functions[start]
    if start not in w.world.relevant:
        call_transfer.leave_out(w, start, [], state)
        return [state]
    unknown = [w.flow.parameter_atom(start, p.name) for p in function.params]
    for atom in unknown:
        state.forget(atom)
    given = [of_atom(atom) for atom in unknown]
    for position, index in _passed_on(effect):
        if position < len(given) and index < len(instr.args):
            given[position] = w.value(instr.args[index], state)
    return call_transfer.run_function(w, instr, start, given, state)


def _passed_on(effect: Effect) -> list[tuple[int, int]]:
    """Which parameters of a function that is called back get which argument itself, whichever function it is."""
    callbacks = [
        [(at, index) for at in callback.same if (index := callback.args[at]) is not None] for callback in effect.calls
    ]
    return callbacks[0] if callbacks and all(other == callbacks[0] for other in callbacks) else []


def _return_of_library(w: Walker, instr: Call, effect: Effect, state: State) -> None:
    call_transfer.set_result(w, instr, state)
    may_be_given = effect.or_arg is not None and not isinstance(instr.args[effect.or_arg], IntConst)
    if instr.result is None or may_be_given:  # of what may be one thing or another, nothing is known
        return
    name = instr.result.name
    source = effect.returns_arg
    match effect.returns:
        case Returns.ARG if source is not None and source < len(instr.args):
            state.values[name] = w.value(instr.args[source], state)
        case Returns.FRESH | Returns.OPAQUE:
            _fresh_object(w, instr, name, effect, state)
        case Returns.INTO_ARG | Returns.LOADED if source is not None and source < len(instr.args):
            state.publish(w.value(instr.args[source], state))


def _fresh_object(w: Walker, instr: Call, name: str, effect: Effect, state: State) -> None:
    objects = w.world.points_to.object_of_site(instr.id)
    atom: Atom = w.evaluator.opaque(name)
    if len(objects) == 1 and w.world.points_to.objects[objects[0]].is_single:
        atom = Base(objects[0])
        state.values[name] = of_atom(atom)
    if w.world.may_escape & frozenset(objects):
        state.fresh[atom] = frozenset()
    regions.allocated(w, instr, effect, atom, state)
