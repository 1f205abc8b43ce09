"""Library functions of the interpreter: threads, locks, conditions, barriers, semaphores."""

from __future__ import annotations

from typing import Final

from raceproof.interpreter.calls import (
    AGAIN,
    ENTERED,
    NORMAL,
    Attribute,
    Barrier,
    ConditionVariable,
    LibraryCall,
    Mutex,
    Once,
    Outcome,
    Perform,
    Prepare,
    ReadWriteLock,
    Semaphore,
    nothing,
    zero,
)
from raceproof.interpreter.clocks import Clock, join_into, new_clock
from raceproof.interpreter.execution import Operation, RunningThread, Span, new_frame
from raceproof.interpreter.library_memory import MEMORY_FUNCTIONS, plain_operation
from raceproof.interpreter.library_output import OUTPUT_FUNCTIONS
from raceproof.interpreter.memory import MemoryObject, NotSupported, Pointer, UndefinedBehaviour
from raceproof.spec import SEM_VALUE_MAX

EAGAIN, EBUSY, EDEADLK, EPERM = 11, 16, 35, 1
KEYS_MAX = 1024  # PTHREAD_KEYS_MAX of Linux; no key is deleted here
RECURSIVE, ERROR_CHECKING, ADAPTIVE = 1, 2, 3
KIND_OFFSET = 16  # of glibc's pthread_mutex_t: where a static initialiser puts the type
NONDET_VALUES = (0, 1, 2, -1)
INT = (1 << 32) - 1
SERIAL = -1 & INT
STOPS = ("abort", "exit", "_exit", "_Exit", "__assert_fail")


# -- threads


def _prepare_create(call: LibraryCall) -> Operation | None:
    return plain_operation(call, [(call.pointer(0), 8, True)])


def _create(call: LibraryCall) -> Outcome:
    """The id is written before the new thread begins, as in glibc: docs/soundness.md says so."""
    start = call.pointer(2)
    if not start.object.is_function:
        raise UndefinedBehaviour("a thread that starts somewhere else than at a function")
    function = call.run.program.functions.get(str(start.object.name[1]))
    if function is None:
        raise NotSupported("a thread that starts in the library")
    call.touch(0, 8, "write")
    call.effect()
    child = call.run.start(call.thread, function, call.args[3])
    at = call.pointer(0)
    at.object.store(at.offset, 8, call.run.identity(child))
    return 0


def _joined(call: LibraryCall) -> RunningThread:
    target = call.run.by_id.get(call.number(0))
    if target is None or target.is_joined or target is call.thread:
        raise UndefinedBehaviour("join of no thread")
    return target


def _prepare_join(call: LibraryCall) -> Operation | None:
    target = _joined(call)
    spans: tuple[Span, ...] = ()
    if isinstance(call.args[1], Pointer) and call.run.is_racy(call.args[1], 8):
        at = call.args[1]
        spans = ((at.object.name, at.offset, at.offset + 8, True),)
    return Operation(call.name, spans=spans, ready=lambda: target.has_ended, is_eager=not spans)


def _join(call: LibraryCall) -> Outcome:
    target = _joined(call)
    target.is_joined = True
    call.acquire(target.clock.now)
    call.effect()
    if isinstance(call.args[1], Pointer):
        call.touch(1, 8, "write")
        call.args[1].object.store(call.args[1].offset, 8, target.returned)
    return 0


def _prepare_try_join(call: LibraryCall) -> Operation | None:
    _joined(call)
    return Operation(call.name, everything=True)  # the end of the other thread is no step of its own


def _try_join(call: LibraryCall) -> Outcome:
    """A thread that has done all it does may still not have ended."""
    return _join(call) if _joined(call).has_ended and call.run.choose("end", 2) == 0 else EBUSY


def _create_key(call: LibraryCall) -> Outcome:
    if isinstance(call.args[1], Pointer):
        raise NotSupported("destructors of thread-specific data")
    if call.run.keys == KEYS_MAX:
        return EAGAIN
    at = call.pointer(0)
    call.touch(0, 4, "write")
    call.run.keys += 1
    at.object.store(at.offset, 4, call.run.keys)
    return 0


def _set_specific(call: LibraryCall) -> Outcome:
    call.effect()
    call.thread.specific[call.number(0)] = call.args[1]
    return 0


def _get_specific(call: LibraryCall) -> Outcome:
    return call.thread.specific.get(call.number(0), 0)


def _detach(call: LibraryCall) -> Outcome:
    target = call.run.by_id.get(call.number(0))
    if target is None or target.is_joined:
        raise UndefinedBehaviour("detach of no thread")
    target.is_joined = True
    return 0


def _exit_thread(call: LibraryCall) -> Outcome:
    call.thread.returned = call.args[0]
    for frame in reversed(call.thread.frames):
        if frame.at_exit is not None:
            frame.at_exit()
    call.thread.has_ended = True
    return None


def _self(call: LibraryCall) -> Outcome:
    return call.run.identity(call.thread)


def _equal(call: LibraryCall) -> Outcome:
    return int(call.args[0] == call.args[1])


def _stop(call: LibraryCall) -> Outcome:
    """The end of the program may come as late as one likes: what the others still do has been possible before."""
    raise UndefinedBehaviour(call.name)


def _assume(call: LibraryCall) -> Outcome:
    if call.number(0) & INT == 0:
        raise UndefinedBehaviour("assumption that does not hold")
    return None


def _nondet(call: LibraryCall) -> Outcome:
    return NONDET_VALUES[call.run.choose("input", len(NONDET_VALUES))] & INT


# -- mutexes, spin locks


def _mutex(call: LibraryCall, index: int = 0) -> Mutex:
    def make() -> Mutex:
        at = call.pointer(index)
        if at.object.default != 0 and not at.object.cells:
            raise UndefinedBehaviour("a mutex that was not initialised")
        kind = at.object.load(at.offset + KIND_OFFSET, 4) if at.object.size >= at.offset + KIND_OFFSET + 4 else 0
        return Mutex(_known_kind(kind) if isinstance(kind, int) else NORMAL)

    return call.state(index, Mutex, make)


def _known_kind(kind: int) -> int:
    """Mutexes that adapt to those who wait are normal ones; robust ones have other bits as well."""
    if kind not in (NORMAL, RECURSIVE, ERROR_CHECKING, ADAPTIVE):
        raise NotSupported(f"a mutex of kind {kind}")
    return NORMAL if kind == ADAPTIVE else kind


def _init_mutex(call: LibraryCall) -> Outcome:
    kind = NORMAL
    if call.name == "pthread_mutex_init" and isinstance(call.args[1], Pointer):
        kind = call.state(1, Attribute).kind
    call.initialise(Mutex(kind))
    return 0


def _destroy(call: LibraryCall) -> Outcome:
    old = call.run.sync.pop(call.key(0), None)
    if isinstance(old, Mutex) and old.owner is not None:
        raise UndefinedBehaviour("a held mutex is destroyed")
    return 0


def _init_attribute(call: LibraryCall) -> Outcome:
    call.run.sync[call.key(0)] = Attribute()
    return 0


def _set_type(call: LibraryCall) -> Outcome:
    call.state(0, Attribute).kind = _known_kind(call.number(1))
    return 0


def _prepare_lock(call: LibraryCall) -> Operation | None:
    mutex = _mutex(call)
    is_mine = mutex.owner is call.thread and mutex.kind != NORMAL
    return call.operation(0, ready=lambda: mutex.owner is None or is_mine, eager=is_mine)


def _lock(call: LibraryCall) -> Outcome:
    mutex = _mutex(call)
    if mutex.owner is call.thread:
        if mutex.kind == ERROR_CHECKING:
            return EDEADLK
        mutex.depth += 1
        return 0
    _take_mutex(call, mutex, 0)
    return 0


def _take_mutex(call: LibraryCall, mutex: Mutex, index: int) -> None:
    mutex.owner, mutex.depth = call.thread, 1
    call.change(index)
    call.acquire(mutex.clock)


def _give_back(call: LibraryCall, mutex: Mutex, index: int) -> None:
    """Once; one that was taken more often stays locked."""
    mutex.depth -= 1
    if mutex.depth == 0:
        mutex.owner = None
        mutex.clock = call.thread.clock.publish()
        call.change(index)


def _prepare_try_lock(call: LibraryCall) -> Operation | None:
    _mutex(call)
    call.run.found.tried.add(call.sync_name(0))
    return call.operation(0)


def _try_lock(call: LibraryCall) -> Outcome:
    mutex = _mutex(call)
    if mutex.owner is None or (mutex.owner is call.thread and mutex.kind == RECURSIVE):
        return _lock(call)
    call.thread.watched[call.sync_name(0)] = call.run.versions.get(call.sync_name(0), 0)
    return EBUSY


def _prepare_unlock(call: LibraryCall) -> Operation | None:
    state = call.run.sync.get(call.key(0))
    eager = call.sync_name(0) not in call.run.visible.tried and not call.run.visible.everything
    if isinstance(state, Mutex) and state.depth > 1:
        eager = True
    return call.operation(0, eager=eager)


def _unlock(call: LibraryCall) -> Outcome:
    mutex = _mutex(call)
    if mutex.owner is not call.thread:
        if mutex.kind == NORMAL:
            raise UndefinedBehaviour("unlock of a mutex that another thread holds, or nobody")
        return EPERM
    _give_back(call, mutex, 0)
    return 0


# -- read-write locks


def _rwlock(call: LibraryCall) -> ReadWriteLock:
    return call.state(0, ReadWriteLock, ReadWriteLock)


def _init_rwlock(call: LibraryCall) -> Outcome:
    call.initialise(ReadWriteLock())
    return 0


def _prepare_read(call: LibraryCall) -> Operation | None:
    lock = _rwlock(call)
    return call.operation(0, ready=lambda: lock.writer is None or lock.writer is call.thread)


def _read_lock(call: LibraryCall) -> Outcome:
    lock = _rwlock(call)
    if lock.writer is call.thread:
        return EDEADLK
    lock.readers.append(call.thread)
    call.acquire(lock.write_clock)
    return 0


def _prepare_write(call: LibraryCall) -> Operation | None:
    lock = _rwlock(call)
    return call.operation(0, ready=lambda: lock.writer is call.thread or (lock.writer is None and not lock.readers))


def _write_lock(call: LibraryCall) -> Outcome:
    lock = _rwlock(call)
    if lock.writer is call.thread:
        return EDEADLK
    lock.writer = call.thread
    call.acquire(lock.write_clock)
    call.acquire(lock.read_clock)
    return 0


def _prepare_try_rw(call: LibraryCall) -> Operation | None:
    _rwlock(call)
    call.run.found.tried.add(call.sync_name(0))
    return call.operation(0)


def _try_read(call: LibraryCall) -> Outcome:
    call.effect()
    return _read_lock(call) if _rwlock(call).writer is None else EBUSY


def _try_write(call: LibraryCall) -> Outcome:
    call.effect()
    lock = _rwlock(call)
    return _write_lock(call) if lock.writer is None and not lock.readers else EBUSY


def _unlock_rw(call: LibraryCall) -> Outcome:
    lock = _rwlock(call)
    if lock.writer is call.thread:
        lock.writer = None
        call.release_to(lock.write_clock)
    elif call.thread in lock.readers:
        lock.readers.remove(call.thread)
        call.release_to(lock.read_clock)
    else:
        raise UndefinedBehaviour("unlock of a lock that the thread does not hold")
    return 0


# -- conditions


def _condition(call: LibraryCall) -> ConditionVariable:
    return call.state(0, ConditionVariable, ConditionVariable)


def _init_condition(call: LibraryCall) -> Outcome:
    call.initialise(ConditionVariable())
    return 0


def _prepare_wait(call: LibraryCall) -> Operation | None:
    condition, mutex = _condition(call), _mutex(call, 1)
    if call.thread.phase == 0:
        is_refused = mutex.owner is not call.thread and mutex.kind != NORMAL
        return call.operation(0, 1, eager=is_refused)
    run, thread, here = call.run, call.thread, call.thread.state()

    def is_ready() -> bool:
        if mutex.owner is not None and mutex.owner is not thread:
            return False
        if thread not in condition.waiters:
            return True
        return run.wakes_spuriously and (here not in thread.dozed or run.has_changed(thread.watched))

    return call.operation(*((0, 1) if run.wakes_spuriously else (1,)), ready=is_ready)


def _wait(call: LibraryCall) -> Outcome:
    """One who does not hold the mutex is told so, and does not wait, if the mutex knows. One that was locked more than
    once stays locked during the wait, as with glibc.

    A wait that ends without a signal does so again, with nothing done in between, only if what was read has changed:
    else the thread comes back to the same state."""
    condition, mutex = _condition(call), _mutex(call, 1)
    thread = call.thread
    if thread.phase == 0:
        if mutex.owner is not thread:
            if mutex.kind == NORMAL:
                raise UndefinedBehaviour("wait without the mutex")
            return EPERM
        thread.spun.clear()
        condition.waiters.append(thread)
        _give_back(call, mutex, 1)
        return AGAIN
    if thread in condition.waiters:
        condition.waiters.remove(thread)
        thread.dozed.add(thread.state())
        thread.spun.clear()
        thread.watched.clear()
    else:
        call.effect()
    if mutex.owner is thread:
        mutex.depth += 1
    else:
        _take_mutex(call, mutex, 1)
    return 0


def _prepare_signal(call: LibraryCall) -> Operation | None:
    _condition(call)
    return call.operation(0)


def _signal(call: LibraryCall) -> Outcome:
    """Wake one; no order follows from it, a wait may return without any signal."""
    waiters = _condition(call).waiters
    call.effect()
    if waiters:
        waiters.sort(key=lambda t: t.name)
        waiters.pop(call.run.choose("woken thread", len(waiters)) if len(waiters) > 1 else 0)
    return 0


def _broadcast(call: LibraryCall) -> Outcome:
    call.effect()
    _condition(call).waiters.clear()
    return 0


# -- semaphores


def _init_semaphore(call: LibraryCall) -> Outcome:
    call.initialise(Semaphore(call.number(2) & INT))
    return 0


def _prepare_post(call: LibraryCall) -> Operation | None:
    call.state(0, Semaphore)
    return call.operation(0)


def _post(call: LibraryCall) -> Outcome:
    semaphore = call.state(0, Semaphore)
    if semaphore.value >= SEM_VALUE_MAX:
        return -1 & INT
    call.effect()
    call.change(0)
    semaphore.value += 1
    call.release_to(semaphore.clock)
    return 0


def _prepare_take(call: LibraryCall) -> Operation | None:
    semaphore = call.state(0, Semaphore)
    return call.operation(0, ready=lambda: semaphore.value > 0)


def _take(call: LibraryCall) -> Outcome:
    semaphore = call.state(0, Semaphore)
    call.effect()
    semaphore.value -= 1
    call.acquire(semaphore.clock)
    return 0


def _try_take(call: LibraryCall) -> Outcome:
    if call.state(0, Semaphore).value > 0:
        return _take(call)
    call.thread.watched[call.sync_name(0)] = call.run.versions.get(call.sync_name(0), 0)
    return -1 & INT


# -- barriers, once


def _init_barrier(call: LibraryCall) -> Outcome:
    count = call.number(2) & INT
    if count == 0:
        raise UndefinedBehaviour("a barrier for nobody")
    call.initialise(Barrier(count))
    return 0


def _prepare_barrier(call: LibraryCall) -> Operation | None:
    barrier = call.state(0, Barrier)
    if call.thread.phase == 0:
        return call.operation(0)
    return Operation(call.name, ready=lambda: call.thread not in barrier.arrived, is_eager=True)


def _barrier(call: LibraryCall) -> Outcome:
    barrier = call.state(0, Barrier)
    call.effect()
    if call.thread.phase == 1:
        return call.thread.memo
    barrier.arrived.append(call.thread)
    call.thread.memo = 0
    if len(barrier.arrived) == barrier.count:
        call.thread.memo = SERIAL
        together = new_clock()
        for thread in barrier.arrived:
            join_into(together, thread.clock.now)
        for thread in barrier.arrived:
            join_into(thread.clock.now, together)
            thread.clock.tick()
        barrier.arrived = []
    return AGAIN


def _once_control(call: LibraryCall) -> Once:
    return call.state(0, Once, Once)


def _prepare_once(call: LibraryCall) -> Operation | None:
    once = _once_control(call)
    return call.operation(0, ready=lambda: once.state != "running")


def _once(call: LibraryCall) -> Outcome:
    once = _once_control(call)
    call.effect()
    if once.state == "done":
        call.acquire(once.clock)
        return 0
    once.state = "running"
    start = call.pointer(1)
    function = call.run.program.functions.get(str(start.object.name[1])) if start.object.is_function else None
    if function is None:
        raise UndefinedBehaviour("once of no function")

    def finish() -> None:
        once.state = "done"
        once.clock = call.thread.clock.publish()

    def leave() -> None:
        once.state = "new"  # POSIX says so of cancellation; glibc does it whenever the thread ends there

    frame = new_frame(function, [], None)
    frame.at_return, frame.at_exit = finish, leave
    call.thread.frames.append(frame)
    return ENTERED


# -- atomic sections


def _prepare_begin(call: LibraryCall) -> Operation | None:
    return Operation(call.name, everything=True)


def begin_atomic(call: LibraryCall) -> Outcome:
    if call.run.atomic_owner is not None:
        raise UndefinedBehaviour("nested atomic sections")
    call.run.atomic_owner = call.thread
    call.acquire(_atomic_clock(call))
    return None


def end_atomic(call: LibraryCall) -> Outcome:
    if call.run.atomic_owner is not call.thread:
        raise UndefinedBehaviour("the end of no atomic section")
    call.run.atomic_owner = None
    call.release_to(_atomic_clock(call))
    return None


def _atomic_clock(call: LibraryCall) -> Clock:
    home = call.run.sync.setdefault((ATOMIC_HOME, 0), Mutex())
    assert isinstance(home, Mutex)
    return home.clock


ATOMIC_HOME: Final = MemoryObject(("atomic section",), 1, 0)

LIBRARY: Final[dict[str, tuple[Prepare, Perform]]] = {
    **MEMORY_FUNCTIONS,
    "pthread_create": (_prepare_create, _create),
    "pthread_join": (_prepare_join, _join),
    "pthread_tryjoin_np": (_prepare_try_join, _try_join),
    "pthread_key_create": (nothing, _create_key),
    "pthread_setspecific": (nothing, _set_specific),
    "pthread_getspecific": (nothing, _get_specific),
    "pthread_detach": (nothing, _detach),
    "pthread_exit": (nothing, _exit_thread),
    "pthread_self": (nothing, _self),
    "pthread_equal": (nothing, _equal),
    "pthread_mutexattr_init": (nothing, _init_attribute),
    "pthread_mutexattr_settype": (nothing, _set_type),
    "pthread_mutexattr_destroy": (nothing, _destroy),
    "pthread_mutex_init": (nothing, _init_mutex),
    "pthread_mutex_destroy": (nothing, _destroy),
    "pthread_mutex_lock": (_prepare_lock, _lock),
    "pthread_mutex_trylock": (_prepare_try_lock, _try_lock),
    "pthread_mutex_unlock": (_prepare_unlock, _unlock),
    "pthread_spin_init": (nothing, _init_mutex),
    "pthread_spin_destroy": (nothing, _destroy),
    "pthread_spin_lock": (_prepare_lock, _lock),
    "pthread_spin_trylock": (_prepare_try_lock, _try_lock),
    "pthread_spin_unlock": (_prepare_unlock, _unlock),
    "pthread_rwlock_init": (nothing, _init_rwlock),
    "pthread_rwlock_destroy": (nothing, _destroy),
    "pthread_rwlock_rdlock": (_prepare_read, _read_lock),
    "pthread_rwlock_wrlock": (_prepare_write, _write_lock),
    "pthread_rwlock_tryrdlock": (_prepare_try_rw, _try_read),
    "pthread_rwlock_trywrlock": (_prepare_try_rw, _try_write),
    "pthread_rwlock_unlock": (_prepare_unlock, _unlock_rw),
    "pthread_cond_init": (nothing, _init_condition),
    "pthread_cond_destroy": (nothing, _destroy),
    "pthread_cond_wait": (_prepare_wait, _wait),
    "pthread_cond_signal": (_prepare_signal, _signal),
    "pthread_cond_broadcast": (_prepare_signal, _broadcast),
    "sem_init": (nothing, _init_semaphore),
    "sem_destroy": (nothing, _destroy),
    "sem_post": (_prepare_post, _post),
    "sem_wait": (_prepare_take, _take),
    "sem_trywait": (_prepare_post, _try_take),
    "pthread_barrier_init": (nothing, _init_barrier),
    "pthread_barrier_destroy": (nothing, _destroy),
    "pthread_barrier_wait": (_prepare_barrier, _barrier),
    "pthread_once": (_prepare_once, _once),
    "__VERIFIER_atomic_begin": (_prepare_begin, begin_atomic),
    "__VERIFIER_atomic_end": (nothing, end_atomic),
    "__VERIFIER_nondet_int": (nothing, _nondet),
    "__VERIFIER_assume": (nothing, _assume),
    **dict.fromkeys(STOPS, (nothing, _stop)),
    **OUTPUT_FUNCTIONS,
    "sched_yield": (nothing, zero),
    "usleep": (nothing, zero),
}
