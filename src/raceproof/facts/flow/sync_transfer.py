"""What thread operations do to the state: locks, conditions, once, barriers, semaphores, atomic sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raceproof.core import InternalError
from raceproof.facts.flow import call_transfer, thread_transfer, tokens
from raceproof.facts.flow.doubtful_mutexes import EOWNERDEAD, HELD_ANYWAY
from raceproof.facts.flow.state import ATOMIC_SECTION, PHASE_LIMIT, Condition, State, merge
from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.ir import Call
from raceproof.model import (
    MAIN,
    Base,
    Derived,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    ObjectId,
    Self,
    Signal,
    of_atom,
)

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker

ONCE_SIZE = 4  # bytes, at least, of what tells whether something was done already
WAITING = frozenset({Sync.LOCK, Sync.WAIT, Sync.SEM_WAIT, Sync.BARRIER_WAIT, Sync.ONCE, Sync.JOIN, Sync.ATOMIC_BEGIN})
WAITED = (0, 110, EOWNERDEAD)  # results of a wait that has its mutex again; 110 is ETIMEDOUT


def apply(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    """All states after the operation."""
    _record_wait(w, instr, op, state)
    match op.kind:
        case Sync.LOCK:
            return _lock(w, instr, op, state)
        case Sync.TRYLOCK:
            return _try_lock(w, instr, op, state, frozenset({op.success}))
        case Sync.UNLOCK:
            is_held = _unlock(w, instr, op, state, LockKind.MUTEX)
            if w.recording:
                w.flow.observed.note_release(instr.id, is_held)
        case Sync.WAIT:
            state.observed.clear()  # what was read before the wait says nothing about now
            state.counts = state.counts.with_reads({})
            tokens.lose_sight(w, state)
            return _lock_after_wait(w, instr, op, state)
        case Sync.SEM_WAIT:
            if w.world.may_interrupt_waits:
                return _try_semaphore(w, instr, op, state)
            _take_semaphore(w, instr, op, state)
        case Sync.SEM_TRYWAIT:
            return _try_semaphore(w, instr, op, state)
        case Sync.SEM_POST:
            _post(w, instr, op, state)
        case Sync.SEM_INIT:
            _make_semaphore(w, instr, op, state)
        case Sync.BARRIER_INIT:
            w.flow.observed.note_barrier(_address(w, instr, op, state), _constant(w, instr, op.count, state), instr.id)
        case Sync.BARRIER_WAIT:
            _barrier(w, instr, op, state)
        case Sync.ONCE:
            return _once(w, instr, op, state)
        case Sync.ATOMIC_BEGIN:
            state.take(ATOMIC_SECTION)
        case Sync.ATOMIC_END:
            state.locks.pop(ATOMIC_SECTION, None)
            state.leave_section()
        case Sync.CREATE:
            return thread_transfer.create(w, instr, op, state)
        case Sync.JOIN:
            return thread_transfer.join_one(w, instr, op, state)
        case Sync.EXIT:
            tokens.lose_sight(w, state)
            if w.recording:
                w.flow.thread_ends(w.context, state)
            return []
        case Sync.SELF:
            _define(w, instr, state)
            if instr.result is not None:
                state.values[instr.result.name] = of_atom(Self(w.context.thread))
            return [state]
        case Sync.LOCK_INIT | Sync.LOCK_DESTROY:  # undefined if it is held; but certainly it is not afterwards
            address = _address(w, instr, op, state)
            for held in [h for h in state.locks if h.address == address]:
                del state.locks[held]
        case Sync.DETACH | Sync.SIGNAL | Sync.BROADCAST | Sync.CONDITION_INIT | Sync.ATTRIBUTE | Sync.YIELD | Sync.NONE:
            pass
    _define(w, instr, state)
    return [state]


def _record_wait(w: Walker, instr: Call, op: SyncOp, state: State) -> None:
    """A wait at a condition gives its mutex back, and then waits for it."""
    if op.kind not in WAITING:
        return
    address, without = None, frozenset[ObjectId]()
    if op.kind is Sync.WAIT and op.lock_arg is not None and op.lock_arg < len(instr.args):
        without = frozenset(t.object for t in w.world.points_to.targets(w.function.name, instr.args[op.lock_arg]))
    elif op.kind in (Sync.LOCK, Sync.ONCE):
        address = _address(w, instr, op, state)
    w.record_wait(instr.id, address, without, state)


def _define(w: Walker, instr: Call, state: State) -> None:
    if instr.result is not None:
        w.define(instr.result.name, state)


def _address(w: Walker, instr: Call, op: SyncOp, state: State) -> Linear:
    if op.arg is None:
        if op.model is None:
            raise InternalError(f"thread operation {op.kind.value} has no object argument")
        only = of_atom(Derived(op.model.lock, ()))
        w.flow.observed.note_lock_objects(only, ())
        return only
    address = w.value(instr.args[op.arg], state)
    w.flow.observed.note_lock_objects(address, w.world.points_to.targets(w.function.name, instr.args[op.arg]))
    return address


def _constant(w: Walker, instr: Call, index: int | None, state: State) -> int | None:
    if index is None or index >= len(instr.args):
        return None
    value = w.value(instr.args[index], state)
    return value.constant if value.is_constant else None


def _held(w: Walker, instr: Call, op: SyncOp, state: State, kind: LockKind) -> HeldLock:
    mode = LockMode.SHARED if op.shared else LockMode.EXCLUSIVE
    return HeldLock(_address(w, instr, op, state), mode, kind, instr.pos)


def _lock(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    lock = _held(w, instr, op, state, LockKind.MUTEX)
    if op.model is not None:
        _define(w, instr, state)
        state.take(lock)
        return [state]
    doubtful = w.world.doubtful_mutexes
    results = [doubtful[o] for o in w.flow.observed.lock_objects(lock.address) if o in doubtful]
    if results:
        return _lock_or_error(w, instr, op, state, frozenset.union(*results))
    if op.refuses_owner:
        return _lock_or_refused(w, instr, op, state)
    _define(w, instr, state)
    state.take(lock)
    if instr.result is not None:
        state.values[instr.result.name] = Linear(op.success)
    return [state]


def _lock_or_refused(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    """A rwlock refuses the thread that writes it already, perhaps unknown to us: then it is held all the same."""
    lock = _held(w, instr, op, state, LockKind.MUTEX)
    is_owner = HeldLock(lock.address, LockMode.EXCLUSIVE, lock.kind) in state.locks
    refused, taken = _try_lock(w, instr, op, state, frozenset({op.success}))
    if is_owner:
        return [refused]
    refused.locks[lock] = 1  # one unlock gives it back
    for other in _exclusive_beside(w, lock, taken):
        truth = w.evaluator.decide(lock.address.plus(other.address, -1), "eq", False, taken)
        if not isinstance(truth, bool):
            taken.facts[truth[0]] = truth[1]  # it would have been refused
    return [refused, taken]


def _exclusive_beside(w: Walker, lock: HeldLock, state: State) -> list[HeldLock]:
    """Other names of locks that are held, one of the two exclusively, and may be the same lock."""
    objects = w.flow.observed.lock_objects(lock.address)
    return [
        other
        for other in state.locks
        if other.kind is lock.kind
        and other.address != lock.address
        and LockMode.EXCLUSIVE in (other.mode, lock.mode)
        and w.flow.observed.lock_objects(other.address) & objects
        and w.evaluator.decide(lock.address.plus(other.address, -1), "eq", True, state) is not False
    ]


def _lock_or_error(w: Walker, instr: Call, op: SyncOp, state: State, success: frozenset[int]) -> list[State]:
    """An error-checking mutex is held afterwards in any case: an error means that it was held before.

    A robust mutex is held unless the call fails with something else than EOWNERDEAD.
    """
    states = _try_lock(w, instr, op, state, success)
    lock = _held(w, instr, op, state, LockKind.MUTEX)
    for after in states if success == HELD_ANYWAY else states[1:]:
        after.locks[lock] = 1  # one unlock gives it back, however often it was locked
    return states


def _try_lock(w: Walker, instr: Call, op: SyncOp, state: State, success: frozenset[int]) -> list[State]:
    """Two ways on: with the lock and a result that means success, or without."""
    lock = _held(w, instr, op, state, LockKind.MUTEX)
    _define(w, instr, state)
    states = []
    for code in sorted(success):
        taken = state.copy()
        taken.take(lock)
        if instr.result is not None:
            taken.values[instr.result.name] = Linear(code)
        states.append(taken)
    if instr.result is not None and op.model is not None and op.model.failure is not None:
        state.values[instr.result.name] = Linear(op.model.failure)
    elif instr.result is not None:
        for code in success:
            result = w.evaluator.itself(instr.result.name).shifted(-code)
            state.facts[Condition("eq", result)] = False
    return [state, *states]


def _lock_after_wait(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    """A wait comes back with its mutex; also without, and says so, if that is one whose lock call may fail."""
    _define(w, instr, state)
    if op.lock_arg is None or op.lock_arg >= len(instr.args):
        return [state]
    objects = w.flow.observed.lock_objects(w.value(instr.args[op.lock_arg], state))
    if all(w.world.doubtful_mutexes.get(o, HELD_ANYWAY) == HELD_ANYWAY for o in objects):
        return [state]
    without = state.copy()
    for held in [h for h in without.locks if w.flow.observed.lock_objects(h.address) & objects]:
        del without.locks[held]
    if instr.result is not None:
        for code in WAITED:
            result = w.evaluator.itself(instr.result.name).shifted(-code)
            without.facts[Condition("eq", result)] = False
    return [state, without]


def _unlock(w: Walker, instr: Call, op: SyncOp, state: State, kind: LockKind) -> bool:
    """Give back the lock in whichever mode it is held; True if it was certainly held."""
    address = _address(w, instr, op, state)
    objects = w.flow.observed.lock_objects(address)
    exclusive = HeldLock(address, LockMode.EXCLUSIVE, kind)
    shared = HeldLock(address, LockMode.SHARED, kind)
    lock = shared if shared in state.locks and exclusive not in state.locks else exclusive
    if op.model is None and any(o in w.world.doubtful_mutexes for o in objects):
        held = lock in state.locks
        for other in [h for h in state.locks if w.flow.observed.lock_objects(h.address) & objects]:
            del state.locks[other]
        return held
    if op.refuses_owner:  # who has it exclusively was refused under the other name: this gives it back
        for other in _exclusive_beside(w, lock, state):
            del state.locks[other]
    return state.release(lock, lambda other: bool(w.flow.observed.lock_objects(other) & objects))


# -- semaphores -----------------------------------------------------------------------------------


def _make_semaphore(w: Walker, instr: Call, op: SyncOp, state: State) -> None:
    address = _address(w, instr, op, state)
    is_alone = w.context.thread == MAIN and not state.may_run
    is_new = any(atom in state.fresh and factor == 1 for atom, factor in address.terms)
    holds_none = not any(held.kind is LockKind.SEMAPHORE for held in state.locks)
    w.flow.observed.note_semaphore(
        address, _constant(w, instr, op.count, state), instr.id, (is_alone or is_new) and holds_none
    )


def _take_semaphore(w: Walker, instr: Call, op: SyncOp, state: State) -> None:
    lock = _held(w, instr, op, state, LockKind.SEMAPHORE)
    state.take(lock)
    w.receive(state, Signal(lock.address))


def _try_semaphore(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    lock = _held(w, instr, op, state, LockKind.SEMAPHORE)
    _define(w, instr, state)
    taken = state.copy()
    taken.take(lock)
    w.receive(taken, Signal(lock.address))
    if instr.result is not None:
        taken.values[instr.result.name] = Linear(0)
        state.facts[Condition("eq", w.evaluator.itself(instr.result.name))] = False
    return [state, taken]


def _post(w: Walker, instr: Call, op: SyncOp, state: State) -> None:
    address = _address(w, instr, op, state)
    if not _unlock(w, instr, op, state, LockKind.SEMAPHORE) and w.recording:
        w.flow.observed.break_lock(address)
    if w.recording:
        w.flow.observed.note_post(address, w.context.thread)
    if w.flow.is_sent(address):
        if w.recording:
            w.flow.observed.note_send(address, state.must_received)
        state.may_sent |= {address}


# -- once, barriers ---------------------------------------------------------------------------------


def _once(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    """The initialiser runs here or has run elsewhere; either way it is behind us. One in which its thread may end may
    run again."""
    control = _address(w, instr, op, state)
    counts = _is_only_once(w, control)
    _define(w, instr, state)
    results = []
    for start in w.world.points_to.thread_starts(instr.id):
        if start in w.world.relevant:
            entry = state.copy()
            if counts and start not in w.world.may_end_thread:
                entry.in_once |= {control}
            for after in call_transfer.run_function(w, instr, start, [], entry):
                after.in_once = state.in_once
                results.append(after)
    if counts:
        for after in (state, *results):
            after.must_done |= {control}
    return merge([state, *results], call_transfer.MAX_EXITS)


def _is_only_once(w: Walker, control: Linear) -> bool:
    """It is one object, which nobody sets back; a thread that is cancelled does, or that jumps out of the routine."""
    match control.terms:
        case ((Base(object=target), 1),) if not w.world.cancels and not w.world.uses_setjmp:
            return not w.world.may_be_written(MemLoc(target, control.constant, ONCE_SIZE))
    return False


def _barrier(w: Walker, instr: Call, op: SyncOp, state: State) -> None:
    barrier = _address(w, instr, op, state)
    if w.recording:
        w.flow.observed.note_barrier_wait(barrier, w.context.thread)
    if barrier.is_absolute:
        low, high = state.phases.get(barrier, (0, 0))
        high = None if high is None or high >= PHASE_LIMIT else high + 1
        state.phases[barrier] = (min(low + 1, PHASE_LIMIT), high)
