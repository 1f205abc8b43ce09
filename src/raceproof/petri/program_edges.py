"""Control graphs of threads: what the program is before it becomes a net.

A node is a point where a thread can stand; an edge is a step, which may take and give tokens of things that threads
share. An edge without any is silent; one without a target ends the thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, final

from raceproof.core import SourcePos
from raceproof.ir import Program
from raceproof.model import AccessId
from raceproof.petri.program_joins import Variable
from raceproof.petri.program_locks import ATOMIC
from raceproof.petri.program_pointers import Arguments, Place


@dataclass(frozen=True, slots=True)
class ThreadCopy:
    """All threads that start in `function` with these arguments, and whose id goes to that variable, if it is plain."""

    function: str
    arguments: Arguments = ()
    id_in: Variable | None = None


@final
@dataclass(frozen=True, slots=True)
class Lock:
    """Tokens of a lock that nobody holds."""

    place: Place


@final
@dataclass(frozen=True, slots=True)
class Semaphore:
    """Its value, or more."""

    place: Place


@final
@dataclass(frozen=True, slots=True)
class Start:
    """Threads that are about to begin."""

    copy: ThreadCopy


@final
@dataclass(frozen=True, slots=True)
class Ended:
    """Threads that have ended and were not joined, of those whose id went to the variable."""

    variable: Variable


@final
@dataclass(frozen=True, slots=True)
class At:
    """Threads that stand before the access, and stay there."""

    access: AccessId


@final
@dataclass(frozen=True, slots=True)
class Value:
    """A flag has the value; of one that is not exact: had it, or can still be changed from it (`program_flags`)."""

    flag: Place
    value: int
    kind: Literal["is", "was", "next"]


@final
@dataclass(frozen=True, slots=True)
class Round:
    """Threads at a barrier, or the state of a once-object (`program_rounds`)."""

    place: Place
    part: Literal["free", "arrived", "leaving", "left", "new", "done"]


ANY_CONDITION: Final[Place] = ("", 0)
"""Where it is not certain which condition variable is signalled."""


@final
@dataclass(frozen=True, slots=True)
class Condition:
    """A wait at a condition variable, or a signal. `lock`: what a wait gives back, and has again afterwards."""

    what: Literal["wait", "signal", "broadcast"]
    place: Place
    lock: Place | None = None


Resource = Lock | Semaphore | Start | Ended | At | Value | Round
Tokens = tuple[tuple[Resource, int], ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """`what` and `pos` say to a reader what the step is. `condition`: it is that and nothing else (only drawn where the
    program is to be written down, `program_sml`)."""

    source: int
    target: int | None
    take: Tokens = ()
    give: Tokens = ()
    what: str = ""
    pos: SourcePos | None = None
    condition: Condition | None = None

    @property
    def is_silent(self) -> bool:
        return not self.take and not self.give and self.condition is None


@dataclass
class Graph:
    """All threads of the program. `entries`: node at which each copy begins; `unbounded`: copies that may run at any
    time, any number of them; `owners`: the copy that a node is of. `shared`: functions whose calls are not all
    inlined, which gives more runs than the program has."""

    edges: list[Edge] = field(default_factory=list)
    entries: dict[ThreadCopy, int] = field(default_factory=dict)
    unbounded: list[ThreadCopy] = field(default_factory=list)
    owners: list[ThreadCopy] = field(default_factory=list)
    shared: dict[str, None] = field(default_factory=dict)

    def node(self, copy: ThreadCopy) -> int:
        self.owners.append(copy)
        return len(self.owners) - 1


def name_of_place(program: Program, place: Place) -> str:
    """As the programmer knows it; with an offset inside a larger variable."""
    if place == ATOMIC:
        return "atomic section"
    variable = program.globals.get(place[0])
    name = variable.source_name if variable is not None else place[0]
    return f"{name}+{place[1]}" if place[1] else name
