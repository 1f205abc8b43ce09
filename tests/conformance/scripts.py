"""Small programs over the thread API, as data: objects, and for each thread calls, accesses and tests of results.

A script has a meaning by the specification (`oracle`) and is a C program (`c_text`). Accesses are the probes: whether a
result can occur shows in a race of an access that is made only for that result, and whether two calls order anything
shows in accesses before and after them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from raceproof.spec import FUNCTIONS, ApiFunction, MutexState, ObjectState, ObjectType


@dataclass(frozen=True, slots=True)
class Object:
    """`type` tells spin locks and C11's objects from other locks. `is_given`: no variable of the program, but a stream
    of that name, or what atomic sections are about."""

    type: ObjectType
    state: ObjectState
    is_c11: bool = False
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """`routine` is run by a once control."""

    name: str
    objects: tuple[str, ...]
    routine: tuple[Item, ...] = ()

    @property
    def function(self) -> ApiFunction:
        return FUNCTIONS[self.name]


@dataclass(frozen=True, slots=True)
class Access:
    variable: str
    writes: bool
    line: int = 0


@dataclass(frozen=True, slots=True)
class When:
    """`items` are executed if the result of the last call of this thread is in `results`, as numbers, or is not."""

    results: tuple[int, ...]
    items: tuple[Item, ...]
    otherwise: tuple[Item, ...] = ()


Item = Call | Access | When


@dataclass(frozen=True, slots=True)
class Script:
    objects: Mapping[str, Object]
    threads: tuple[tuple[Item, ...], ...]
    variables: tuple[str, ...] = field(default=())


def numbered(script: Script) -> Script:
    """The same with a line for each access; variables as they are used."""
    count = 0
    variables: dict[str, None] = {}

    def number(items: tuple[Item, ...]) -> Iterator[Item]:
        nonlocal count
        for item in items:
            match item:
                case Access():
                    count += 1
                    variables[item.variable] = None
                    yield Access(item.variable, item.writes, count)
                case When():
                    yield When(item.results, tuple(number(item.items)), tuple(number(item.otherwise)))
                case Call():
                    yield Call(item.name, item.objects, tuple(number(item.routine)))

    threads = tuple(tuple(number(items)) for items in script.threads)
    return Script(script.objects, threads, tuple(variables))


def is_robust(made: Object) -> bool:
    return isinstance(made.state, MutexState) and made.state.robust
