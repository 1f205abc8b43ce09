"""How calls are drawn: functions in their calling contexts.

*Inlined*: a copy for this call; the return goes back to it. *Summarised*: calls in the same state share a copy that
does not return. A thread whose call never returns, in the run in question, goes there; one whose call returns goes past
it at once, giving back what the call may give back, if only for a while, and taking what it holds in the end: that it
took other locks on the way is forgotten. *Merged*: calls in the same state share a copy that returns to each of them,
whoever called.

The last two have more runs than the program, never fewer. Only calls that do nothing but use locks can be summarised.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Final

from raceproof.core import SourcePos
from raceproof.petri.program_edges import Tokens
from raceproof.petri.program_joins import Variable
from raceproof.petri.program_locks import Held
from raceproof.petri.program_pointers import Arguments
from raceproof.petri.program_states import Phase, State

MAX_COPIES: Final = 4
"""Of a function that can be summarised, or arguments of one whose copies are shared."""


@unique
class Kind(Enum):
    THREAD = "thread"
    INLINED = "inlined"
    SUMMARISED = "summarised"
    MERGED = "merged"


@dataclass(frozen=True, slots=True)
class Frame:
    """A function that runs. Of an inlined one `parent` is its caller's and `back` where that goes on; of a shared one
    `entry` is what its callers hold, may hold besides, and have created."""

    kind: Kind
    function: str
    arguments: Arguments
    parent: int = -1
    back: tuple[int, int, Phase] = (0, 0, Phase.BEFORE)
    depth: int = 0
    entry: tuple[Held, bool, tuple[Variable, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """A return from a shared frame: `at` is the point before it; what is held and given behind it, and the result."""

    at: State
    held: Held
    value: int | None
    give: Tokens
    pos: SourcePos | None


@dataclass
class Shared:
    """`callers`: where they stand before the call, and where behind it."""

    callers: dict[tuple[State, State], None] = field(default_factory=dict)
    returns: dict[Returned, None] = field(default_factory=dict)


class Frames:
    """All frames of one thread. Numbers stand for them."""

    def __init__(self) -> None:
        self._frames: list[Frame] = []
        self._numbers: dict[Frame, int] = {}
        self._copies: Counter[str] = Counter()
        self._arguments: dict[str, set[Arguments]] = {}
        self._shared: dict[int, Shared] = {}

    def __getitem__(self, number: int) -> Frame:
        return self._frames[number]

    def number(self, frame: Frame) -> int:
        known = self._numbers.get(frame)
        if known is None:
            known = self._numbers[frame] = len(self._frames)
            self._frames.append(frame)
            self._copies[frame.function] += frame.kind is Kind.INLINED
        return known

    def copies(self, function: str) -> int:
        return self._copies[function]

    def shared(self, number: int) -> Shared:
        return self._shared.setdefault(number, Shared())

    def is_running(self, function: str, number: int) -> bool:
        """Whether the frame, or one of those it was called from, is of the function; of a shared one only itself."""
        while number >= 0:
            if self._frames[number].function == function:
                return True
            number = self._frames[number].parent
        return False

    def few_arguments(self, function: str, arguments: Arguments) -> Arguments:
        """The arguments, or unknown ones if there were many: pointers that move on must not make copies for ever."""
        known = self._arguments.setdefault(function, set())
        if arguments in known or len(known) < MAX_COPIES:
            known.add(arguments)
            return arguments
        return (None,) * len(arguments)
