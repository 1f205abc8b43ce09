"""What a function outside the program does: the vocabulary of the tables in `libc.py` and `sync_api.py`.

An external function that is in neither table, and that the user does not describe (`described.py`), may read, write
and keep everything it can reach from its arguments, or that such functions were given before, and may call every
function whose address it can reach; the report names it as an assumption.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final, final

from raceproof.model import LockModel

STATIC_ARG: Final = 1_000_000
"""Stands where an argument's index stands, for the address of `Effect.static_object`: a pointer that the library
passes to itself. So `strtok(s, d)` is told as `strtok_r(s, d, &static)`, and `localtime` writes its buffer."""

REACHED: Final = 1_000_001
"""Stands where an argument's index stands, for anything that the call can reach (`Effect.mixes`)."""


@final
@dataclass(frozen=True, slots=True)
class Bytes:
    """A constant number of bytes; `ilp32` instead where pointers and longs have 4 bytes (never more than `count`).

    Where machines and C libraries differ these are the most, for proofs; `sure` and `sure_ilp32` are the fewest, for
    races: what lies behind them may be another object.
    """

    count: int
    ilp32: int | None = None
    sure: int | None = None
    sure_ilp32: int | None = None

    def on(self, pointer_size: int) -> int:
        return self.ilp32 if self.ilp32 is not None and pointer_size == 4 else self.count

    def surely_on(self, pointer_size: int) -> int:
        """How many are touched whatever the library."""
        least = self.sure_ilp32 if pointer_size == 4 and self.sure_ilp32 is not None else self.sure
        return self.on(pointer_size) if least is None else min(least, self.on(pointer_size))


@final
@dataclass(frozen=True, slots=True)
class ArgBytes:
    """As many bytes as argument `arg` says, times argument `times` if given, times `unit`."""

    arg: int
    times: int | None = None
    unit: int = 1


@final
@dataclass(frozen=True, slots=True)
class CString:
    """A NUL-terminated string from the pointer on: length not known."""


@final
@dataclass(frozen=True, slots=True)
class WholeObject:
    """Some structure of the library's own (FILE, struct stat, struct tm, ...): everything from the pointer on."""


@final
@dataclass(frozen=True, slots=True)
class Reach:
    """Everything that can be reached from the pointer, through other pointers too."""


Extent = Bytes | ArgBytes | CString | WholeObject | Reach


@dataclass(frozen=True, slots=True)
class Touch:
    """Memory that the call reads or writes through argument `arg`.

    With `deref`, through every pointer stored in the object of `arg` instead (`*arg`, or each iov_base of writev); so
    often (each iov_base of sendmsg: 2).
    """

    arg: int
    extent: Extent
    deref: int = 0


@unique
class Returns(Enum):
    """Where the result may point."""

    NOTHING = "nothing"  # not a pointer
    ARG = "arg"  # exactly argument `returns_arg`
    INTO_ARG = "into-arg"  # somewhere into the object of argument `returns_arg`
    FRESH = "fresh"  # a new heap object
    STATIC = "static"  # the library's own static object named by `static_object`
    OPAQUE = "opaque"  # a handle that only the library looks into (FILE *, DIR *): a fresh object
    SYMBOL = "symbol"  # what the string in argument `returns_arg` names: any variable or function, if it is not known
    LOADED = "loaded"  # what *arg points to (getdelim style)
    REACHED = "reached"  # anything that the call can reach, or memory of the library's own


@dataclass(frozen=True, slots=True)
class Callback:
    """The call runs argument `function` with pointers into the objects of arguments `args` (None: unknown data).

    `deref`: the function is any pointer stored in the object of argument `function` (sigaction).
    `loads`: the arguments are what is stored in the objects of `args`, not pointers to them (pthread_key_create).
    `later`: it runs after the call returned, at a time and in a thread of the library's choice (signal, atexit).
    `same`: the parameters that get the argument itself.
    """

    function: int
    args: tuple[int | None, ...]
    deref: bool = False
    loads: bool = False
    later: bool = False
    same: tuple[int, ...] = ()


@unique
class Format(Enum):
    """How the variadic arguments are used."""

    NONE = "none"
    PRINTF = "printf"  # reads strings for %s, writes int for %n
    SCANF = "scanf"  # writes through every pointer


@dataclass(frozen=True, slots=True)
class Effect:
    """What a library function does to memory that the program can see.

    `copies` (to, from): what is stored behind `from` is afterwards also stored behind `to` (memcpy), as far from it;
      anywhere, if one of them is the library's own object.
    `elements` (to, from, size): any element, of that size, behind `from` may be copied to any one behind `to` (qsort).
    `stores` (value, to): the pointer argument `value`, or a pointer into its object, is stored at *to (strtol).
    `advances`: the pointer at *arg is moved on within its buffer (strsep, iconv).
    `fresh_into`: the function stores a new heap object at *arg (asprintf, getline, posix_memalign).
    `keeps`: argument kept by the library and read or written later (setvbuf, putenv).
    `format_arg` is the index of the format string; variadic arguments start after the declared ones.
    `va_list_arg`: what the format describes comes out of this va_list instead (vprintf).
    `or_arg`: the result may be this argument instead of what `returns` says (realpath, getcwd: if it is not null).
    `copies_to_result`: what is stored behind these arguments is afterwards stored in the FRESH result (realloc).
    `size` is of the FRESH result or of the `fresh_into` object; CString or WholeObject where no argument tells it.
    `parts_sent`, `parts_received` (argument, levels): what is stored behind the pointers found there, so many levels
      on, goes to a file or comes out of one (writev: 1, sendmsg: 2).
    `mapping_flags`: of the FRESH result, the argument that says whether it may be memory that another call maps too.
    `fills`: the library writes the FRESH, OPAQUE or `fresh_into` object before the program gets it: an access like any
      other, which whoever finds the object without order is in a race with (strdup, calloc, fopen; not malloc).
    `linked`: the FRESH, OPAQUE, `fresh_into` or static object holds pointers into itself (addrinfo, passwd).
    `static_object` names an object of the library's own, the same one in every Effect with that name; `STATIC_ARG`
      is its address. If the program declares an external variable of that name, it is that one (optarg).
    `static_is_thread_local`: every thread has its own (errno).
    `static_for_null`: where this argument is null, the function uses `static_object` in its place (mbrlen).
    `mixes`: every argument, and every pointer behind those that it reads or writes with extent `Reach`, may be stored
      behind those that it writes so. It may reach all these, and memory of its own: `fresh_own`, new at each call.
    `given`: arguments that it keeps so that unknown functions may find them, and what can be reached from them.
    """

    reads: tuple[Touch, ...] = ()
    writes: tuple[Touch, ...] = ()
    frees: tuple[int, ...] = ()
    copies: tuple[tuple[int, int], ...] = ()
    elements: tuple[tuple[int, int, Extent], ...] = ()
    stores: tuple[tuple[int, int], ...] = ()
    advances: tuple[int, ...] = ()
    fresh_into: tuple[int, ...] = ()
    keeps: tuple[int, ...] = ()
    returns: Returns = Returns.NOTHING
    returns_arg: int | None = None
    static_object: str | None = None
    size: Extent | None = None
    zeroed: bool = False
    fills: bool = False
    calls: tuple[Callback, ...] = ()
    format: Format = Format.NONE
    format_arg: int | None = None
    noreturn: bool = False
    va_list_arg: int | None = None
    or_arg: int | None = None
    copies_to_result: tuple[int, ...] = ()
    linked: bool = False
    static_is_thread_local: bool = False
    static_for_null: int | None = None
    parts_sent: tuple[tuple[int, int], ...] = ()
    parts_received: tuple[tuple[int, int], ...] = ()
    mapping_flags: int | None = None
    mixes: bool = False
    fresh_own: bool = False
    given: tuple[int, ...] = ()


@unique
class Sync(Enum):
    """Operations on threads and locks; `SyncOp.arg` is the object, other arguments as the comment says."""

    CREATE = "create"  # arg: where the id goes; start, start_arg
    JOIN = "join"  # arg: the id (by value); result: where the return value goes
    DETACH = "detach"
    EXIT = "exit"  # ends the calling thread; result: the value
    SELF = "self"
    LOCK = "lock"
    TRYLOCK = "trylock"  # held if the result is `success`
    UNLOCK = "unlock"
    LOCK_INIT = "lock-init"
    LOCK_DESTROY = "lock-destroy"
    WAIT = "wait"  # condition: releases and re-takes lock `lock_arg`
    SIGNAL = "signal"
    BROADCAST = "broadcast"
    CONDITION_INIT = "condition-init"
    ONCE = "once"  # runs `start` once
    BARRIER_INIT = "barrier-init"  # count
    BARRIER_WAIT = "barrier-wait"
    SEM_INIT = "sem-init"  # count: initial value
    SEM_WAIT = "sem-wait"
    SEM_TRYWAIT = "sem-trywait"
    SEM_POST = "sem-post"
    ATOMIC_BEGIN = "atomic-begin"  # one global lock
    ATOMIC_END = "atomic-end"
    ATTRIBUTE = "attribute"  # touches only its own attribute object
    YIELD = "yield"
    NONE = "none"  # a call of the thread API without effect on order


RELEASING: Final = frozenset({Sync.UNLOCK, Sync.LOCK_INIT, Sync.LOCK_DESTROY})
"""After these the lock that they are about is not held."""


@dataclass(frozen=True, slots=True)
class SyncOp:
    """A function of a thread API. Indices are of arguments; None where the operation has no such argument.

    `shared`: the read side of a rwlock. `success`: the result that means "lock taken" (pthread: 0).
    `may_fail`: the call can return without lock, semaphore or join (try and timed calls): done only if the result
      is `success`. A LOCK that fails because of the mutex's type (error-checking, robust) is not marked.
    `refuses_owner`: fails for the thread that holds it exclusively already (rwlocks); or gives such a lock back.
    `is_timed`: the call has a time limit.
    `tells`: the result depends on what other threads have done to the object, though nothing is ordered (sem_getvalue).
    `model`: the user describes a function so; then the lock is taken whatever it is made of.
    """

    kind: Sync
    arg: int | None = None
    start: int | None = None
    start_arg: int | None = None
    lock_arg: int | None = None
    count: int | None = None
    result: int | None = None
    shared: bool = False
    success: int = 0
    may_fail: bool = False
    refuses_owner: bool = False
    is_timed: bool = False
    tells: bool = False
    model: LockModel | None = None

    @property
    def arity(self) -> int:
        """How many arguments a call has, at least."""
        used = (self.arg, self.start, self.start_arg, self.lock_arg, self.count, self.result)
        return max((index + 1 for index in used if index is not None), default=0)
