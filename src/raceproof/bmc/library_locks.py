"""Calls that take locks and give them back, and what kind of lock it is.

The holder of a recursive mutex takes it again, and gives it back as often; one that checks for errors refuses. An
event LOCK whose condition does not hold has not taken anything, an event UNLOCK whose condition does not hold has not
given anything back.
"""

from __future__ import annotations

from typing import Final

from raceproof.bmc.events import Event, Kind, Point
from raceproof.bmc.library_call import LibraryCall, Outcome
from raceproof.bmc.mutexes import TYPED, MutexKind, initial_kind, kind_of_type
from raceproof.bmc.terms import Truth, Value, arithmetic, both, choose, either, equal, negate
from raceproof.facts import Sync, SyncOp, names_of
from raceproof.spec import Result

_TYPE_BYTES: Final = 4


def initialise_lock(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    address = call.argument(op.arg, call.width)
    end_lock(call, op, point)
    if "mtx" in call.name:
        type_ = call.argument(1, 32)
        if not isinstance(type_, int):
            return call.unsupported(point, "a lock whose kind is not known")
        call.unwinder.mutexes.made(address, MutexKind.RECURSIVE if type_ & 1 else MutexKind.NORMAL)
        return call.success(), point
    attributes = call.argument(1, call.width) if len(call.instr.args) > 1 and "spin" not in call.name else 0
    kind: MutexKind | None = MutexKind.NORMAL
    if not isinstance(attributes, int) or attributes != 0:
        if "mutex" not in call.name or not call.unwinder.accesses.is_own(call.frame.thread, attributes):
            return call.unsupported(point, "a lock with attributes")
        type_ = call.memory.read(call.frame.thread, point, attributes, _TYPE_BYTES)
        kind = kind_of_type(type_) if isinstance(type_, int) else None
        if kind is None:
            return call.unsupported(point, "a mutex whose kind is not known")
    if "mutex" in call.name and kind is not None:
        call.unwinder.mutexes.made(address, kind)
    return call.success(), point


def end_lock(call: LibraryCall, op: SyncOp, point: Point) -> None:
    """Whoever initialises or destroys a lock does not have it afterwards. That it was held is undefined: only a proof
    thinks of that."""
    if call.unwinder.mode.is_proof:
        call.event(point, Kind.UNLOCK, call.argument(op.arg, call.width))


def is_mutex_attribute(call: LibraryCall) -> bool:
    return bool(frozenset(names_of(call.name)) & (TYPED | {"pthread_mutexattr_init"}))


def set_mutex_attribute(call: LibraryCall, point: Point) -> Outcome:
    """The type is all that is kept of the attributes."""
    attributes = call.argument(0, call.width)
    if not call.unwinder.accesses.is_own(call.frame.thread, attributes):
        return call.unsupported(point, f"`{call.name}` on memory that threads may hand on")
    type_ = 0 if "init" in call.name else call.argument(1, 8 * _TYPE_BYTES)
    call.memory.write(call.frame.thread, point, attributes, _TYPE_BYTES, type_)
    return call.success(), point


# -- taking and giving back


def lock(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    address = call.argument(op.arg, call.width)
    kind = _kind(call, address)
    if isinstance(kind, str):
        return call.unsupported(point, kind)
    held = _held(call, kind, point, address)
    if held is None:
        return call.unsupported(point, f"{_article(kind)} mutex that may be one of several")
    may_own = op.refuses_owner and _may_write(call, address)
    made = _take(call, kind, point, address, held)
    made.shared = op.shared
    if may_own:
        made.condition, made.refuses = call.memory.anything(1, "taken"), True
    return choose(made.condition, call.result(0), call.code(Result.EDEADLK), 32), point


def unlock(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    address = call.argument(op.arg, call.width)
    kind = _kind(call, address)
    if isinstance(kind, str):
        return call.unsupported(point, kind)
    held = _held(call, kind, point, address)
    if held is None:
        return call.unsupported(point, f"{_article(kind)} mutex that may be one of several")
    _give_back(call, kind, point, address, held)
    if kind is MutexKind.NORMAL:
        return call.result(0), point
    return choose(equal(held, 0, 32), call.code(Result.EPERM), 0, 32), point


def try_lock(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    address = call.argument(op.arg, call.width)
    is_lock = op.kind is not Sync.SEM_TRYWAIT
    kind = _kind(call, address) if is_lock else MutexKind.NORMAL
    if isinstance(kind, str):
        return call.unsupported(point, kind)
    held = _held(call, kind, point, address)
    if held is None:
        return call.unsupported(point, f"{_article(kind)} mutex that may be one of several")
    made = call.event(point, Kind.TRY, address)
    made.shared, made.what = op.shared, "lock" if is_lock else "semaphore"
    is_free: Truth = equal(held, 0, 32)
    made.condition = call.memory.anything(1, "taken")
    if kind is MutexKind.RECURSIVE:
        made.condition, made.nests = either(negate(is_free), made.condition), True
    elif kind is MutexKind.CHECKING:
        made.condition = both(is_free, made.condition)
    if kind is not MutexKind.NORMAL:
        _keep(call, point, address, choose(made.condition, arithmetic("add", held, 1, 32), held, 32))
    code = Result.ETIMEDOUT if op.is_timed else Result.EBUSY
    is_open = is_lock and (op.is_timed or _is_stream(call))  # a time may be none; a stream is refused by what is not 0
    failure = call.failure(code) if is_open else call.code(code)
    if op.is_timed and kind is MutexKind.CHECKING and not call.unwinder.mode.is_proof:
        failure = choose(is_free, failure, call.code(Result.EDEADLK), 32)
    return choose(made.condition, 0, failure, 32), point


def wait(call: LibraryCall, op: SyncOp, point: Point) -> Outcome:
    condition, address = call.argument(op.arg, call.width), call.argument(op.lock_arg, call.width)
    kind = _kind(call, address)
    if isinstance(kind, str):
        return call.unsupported(point, kind)
    held = _held(call, kind, point, address)
    if kind is not MutexKind.NORMAL and not (isinstance(held, int) and held == 1):
        return call.unsupported(point, f"{_article(kind)} mutex in a wait, unless it is held once")
    waits = call.event(point, Kind.WAIT, condition)
    call.event(point, Kind.UNLOCK, address).what = "wait"
    wakes = call.event(point, Kind.WAKE, condition)
    wakes.partner = waits
    call.event(point, Kind.LOCK, address).what = "wait"
    if op.is_timed:
        wakes.condition = call.memory.anything(1, "signalled")
        return choose(wakes.condition, 0, call.failure(Result.ETIMEDOUT), 32), point
    return call.result(0), point


def _kind(call: LibraryCall, address: Value) -> MutexKind | str:
    """Only a mutex nests, and the lock of a stream; other locks are plain, or not supported."""
    if _is_stream(call):
        return MutexKind.RECURSIVE
    if "spin" not in call.name and not _is_rwlock(call):
        return call.unwinder.mutexes.kind(address)
    size = 4 if "spin" in call.name else 56
    for found in call.memory.origin(address) or ():
        if found.variable is not None:
            offset = address - found.base if isinstance(address, int) else None
            first = initial_kind(found.variable, offset, call.width, size)
            if first is not MutexKind.NORMAL:
                return f"`{found.variable.source_name}`, a lock that is not plain"
    return MutexKind.NORMAL


def _is_stream(call: LibraryCall) -> bool:
    return call.name.endswith("lockfile")


def _is_rwlock(call: LibraryCall) -> bool:
    return "rwlock" in call.name


def _may_write(call: LibraryCall, address: Value) -> bool:
    """Whether the thread may have locked the rwlock for writing before."""
    return any(
        call.memory.same(made.address, address) is not False
        for made in call.frame.thread.events
        if made.kind in (Kind.LOCK, Kind.TRY) and not made.shared
    )


def _held(call: LibraryCall, kind: MutexKind, point: Point, address: Value) -> Value | None:
    """How often this thread holds it; not counted for a plain one. None: not known which it is."""
    if kind is MutexKind.NORMAL:
        return 0
    place = call.unwinder.mutexes.depth_at(call.frame.thread, address)
    return None if place is None else call.memory.read(call.frame.thread, point, place, 4)


def _keep(call: LibraryCall, point: Point, address: Value, held: Value) -> None:
    place = call.unwinder.mutexes.depth_at(call.frame.thread, address)
    assert place is not None
    call.memory.write(call.frame.thread, point, place, 4, held)


def _take(call: LibraryCall, kind: MutexKind, point: Point, address: Value, held: Value) -> Event:
    made = call.event(point, Kind.LOCK, address)
    match kind:
        case MutexKind.RECURSIVE:
            made.nests = True
            _keep(call, point, address, arithmetic("add", held, 1, 32))
        case MutexKind.CHECKING:
            made.condition = equal(held, 0, 32)
            _keep(call, point, address, 1)
        case MutexKind.NORMAL:
            pass
    return made


def _give_back(call: LibraryCall, kind: MutexKind, point: Point, address: Value, held: Value) -> None:
    made = call.event(point, Kind.UNLOCK, address)
    if kind is not MutexKind.NORMAL:
        made.condition = equal(held, 1, 32)
        _keep(call, point, address, choose(equal(held, 0, 32), 0, arithmetic("sub", held, 1, 32), 32))


def _article(kind: MutexKind) -> str:
    return f"an {kind.value}" if kind is MutexKind.CHECKING else f"a {kind.value}"
