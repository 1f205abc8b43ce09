"""What to put into a program so that a runtime sees what it does: the input of `instrument`.

A hook stands for one access of the static facts: which memory, seen from the instruction that makes it.

    x = 1              AccessHook(7, "write")                                        the instruction's own address
    memcpy(d, s, n)    AccessHook(8, "write", 0, Product((2,))), AccessHook(9, "read", 1, Product((2,)))
    strcpy(d, s)       AccessHook(8, "write", 0, String(), behind=True), AccessHook(9, "read", 1, String())
    n = read(f, b, m)  AccessHook(8, "write", 1, Result(), behind=True)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Literal, final

from raceproof.ir import SiteId

HookKind = Literal["read", "write", "update", "free", "check", "set", "rest"]
NO_ACCESS = 0xFFFFFFFF
RESULT = -1
"""In place of an argument's index: what the call returns."""


@final
@dataclass(frozen=True, slots=True)
class Fixed:
    """A constant number of bytes."""

    count: int


@final
@dataclass(frozen=True, slots=True)
class Product:
    """`unit` times the values of these arguments, all of it."""

    arguments: tuple[int, ...]
    unit: int = 1


@final
@dataclass(frozen=True, slots=True)
class StringUpTo:
    """A string of bytes with its NUL, but no more than argument `limit` says; all of it, if that is negative and
    `is_signed` (a precision)."""

    limit: int
    is_signed: bool = False


@final
@dataclass(frozen=True, slots=True)
class StringWithin:
    """A string of bytes with its NUL, but no more than `limit` bytes."""

    limit: int


@final
@dataclass(frozen=True, slots=True)
class String:
    """A string of bytes up to and with its NUL."""


@unique
class Stop(Enum):
    """Where a function stops to read: `enum rp_stop` of the runtime."""

    INTEGER = 0
    FLOAT = 1
    TOKEN = 2
    CHARACTER = 3
    SPAN = 4
    COSPAN = 5
    SUBSTRING = 6
    DIFFERENCE = 7
    MEMORY = 8


@final
@dataclass(frozen=True, slots=True)
class Stopped:
    """What a function reads up to where it stops, for certain, and what of `whole` is behind that, perhaps. `other` and
    `number` are arguments that say where it stops; `number` is `constant` if it is none. `site`: of the call."""

    stop: Stop
    whole: Extent
    site: int
    other: int | None = None
    number: int | None = None
    constant: int = 0


@final
@dataclass(frozen=True, slots=True)
class StringAt:
    """A string whose address the call has stored where the argument points."""


@final
@dataclass(frozen=True, slots=True)
class Appended:
    """What the call puts behind the string that is there before it, up to and with the new NUL."""


@final
@dataclass(frozen=True, slots=True)
class Result:
    """What the call returns, if it is not negative: times argument `times`, or `plus` one but no more than argument
    `limit` says. Only behind the call."""

    times: int | None = None
    plus: int = 0
    limit: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Moved:
    """As many bytes as the block at argument `source` had before the call, but no more than the product of these
    arguments: what the call has copied from there."""

    source: int
    limit: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Block:
    """The whole block that the allocator gave out at this address."""


Extent = Fixed | Product | StringUpTo | StringWithin | String | Stopped | StringAt | Appended | Result | Moved | Block


@unique
class Guard(Enum):
    """What must hold of the call's result for the access to have happened."""

    ALWAYS = "always"
    NOT_NULL = "the result is not null"
    ZERO = "the result is 0"
    ABOVE = "the result is greater than a bound"


@dataclass(frozen=True, slots=True)
class AccessHook:
    """One access: through argument `argument` of a call, or at the address of a load, store or atomic if None.

    `behind`: to be told after the call, because only then it is known what was touched; `guard` may then rule
    it out (`bound` for ABOVE).

    The kinds `check`, `set` and `rest` are not accesses but ask and tell of memory that may never have been written
    (native/validity.c); their `access` is the site. With `rest` it is not known how much is written.
    """

    access: int
    kind: HookKind
    argument: int | None = None
    extent: Extent | None = None
    behind: bool = False
    guard: Guard = Guard.ALWAYS
    bound: int = 0


@unique
class Role(Enum):
    """What a function outside the program may do in a loop that only waits."""

    LOCK = "takes the lock of its first argument"
    UNLOCK = "gives it back"
    QUIET = "does nothing"  # yield, sleep


@dataclass(frozen=True, slots=True)
class HookPlan:
    """All that `instrument` needs to know besides the program.

    `accesses`: the hooks of each site. `replaced`: external function -> the runtime's function for it.
    `thread_api`: external functions whose callers belong into a call stack. `atomic_functions`: functions of
    the program that run as one step. `roles`: for loops that wait. `meetings`: functions whose result only says
    who came in which order. `tokens`: (global, offset) of locks. `memory`: by site, what may read memory that was
    never written, or write it; `variables`: such local variables, with their size; `copies`: calls that copy such
    memory as it is, to their first argument from their second.
    `outside`: calls by which a thread may tell others something outside of the program's memory (1), learn of it (2),
    or both (3). `tells_states`: functions say where they stand and what they still need (`live_frames`);
    `tells_idle`: and what nothing depends on, too (`idle_values`).
    """

    accesses: Mapping[SiteId, tuple[AccessHook, ...]]
    replaced: Mapping[str, str] = field(default_factory=dict)
    thread_api: frozenset[str] = frozenset()
    atomic_functions: frozenset[str] = frozenset()
    roles: Mapping[str, Role] = field(default_factory=dict)
    meetings: frozenset[str] = frozenset()
    tokens: tuple[tuple[str, int], ...] = ()
    memory: Mapping[SiteId, tuple[AccessHook, ...]] = field(default_factory=dict)
    variables: Mapping[SiteId, int | None] = field(default_factory=dict)
    copies: frozenset[SiteId] = frozenset()
    outside: Mapping[SiteId, int] = field(default_factory=dict)
    tells_states: bool = False
    tells_idle: bool = False
    tells_all: bool = False
