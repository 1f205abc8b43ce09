"""Points at which a thread of the net can be, and the moves between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from raceproof.core import SourcePos
from raceproof.petri.program_edges import Condition, Tokens
from raceproof.petri.program_joins import Variable
from raceproof.petri.program_locks import Held
from raceproof.petri.program_values import Knowledge


@unique
class Phase(Enum):
    """Where at its step a thread is."""

    BEFORE = "before"
    WAITING = "waiting"  # at a condition; takes the lock next
    CALLBACKS = "callbacks"  # the library runs functions of the program, as often as it likes
    AT_BARRIER = "at a barrier"
    IN_ONCE = "in once"  # about to run the function that is run once
    ONCE_DONE = "once done"  # behind it
    BEHIND = "behind"
    ENTERING = "entering"  # about to begin an atomic function


@dataclass(frozen=True, slots=True)
class State:
    """`lost`: the thread may hold more than `held` says, so that a lock call may be refused because it does.
    `created`: variables for thread ids that the thread has created a thread into, of those that are joined. `known`:
    values of registers of the function that runs."""

    frame: int
    block: int
    step: int
    phase: Phase
    held: Held = ()
    lost: bool = False
    created: tuple[Variable, ...] = ()
    known: Knowledge = ()


@dataclass(frozen=True, slots=True)
class Move:
    to: State | None
    take: Tokens = ()
    give: Tokens = ()
    what: str = ""
    pos: SourcePos | None = None
    condition: Condition | None = None
