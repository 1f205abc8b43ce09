"""A firing sequence of a program's net, told as what threads do in the source: tokens get names."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from raceproof.core import InternalError, SourcePos
from raceproof.petri.net import Unsafe
from raceproof.petri.sml_net import SmlNet
from raceproof.petri.sml_syntax import Action, Op


@dataclass(frozen=True, slots=True)
class Told:
    """One firing. `thread`: None for a signal that is lost."""

    transition: str
    thread: str | None
    text: str
    pos: SourcePos
    is_silent: bool


@dataclass(frozen=True, slots=True)
class Racing:
    """A thread that is at an access."""

    thread: str
    action: Action


@dataclass(frozen=True, slots=True)
class SmlTrace:
    """`race`: the two threads that are at conflicting accesses in the end."""

    steps: tuple[Told, ...]
    race: tuple[Racing, Racing]


def tell_sml(subject: SmlNet, unsafe: Unsafe) -> SmlTrace:
    """The firing sequence step by step. It must be one of the net's, from its `start` to a target."""
    threads = _Threads(subject)
    moved = []
    for index in unsafe.firing:
        step = subject.steps[index]
        moved.append(threads.move(step.leaves, step.enters))
        if step.joins is not None:
            threads.take(step.joins)
    told = [
        Told(subject.net.transitions[index].name, threads.name(thread), step.text, step.pos, step.is_silent)
        for index, thread in zip(unsafe.firing, moved, strict=True)
        for step in (subject.steps[index],)
    ]
    return SmlTrace(tuple(told), threads.race())


_Thread = tuple[str, int]


class _Threads:
    """Which threads stand where. One gets its number when it first moves; in a place, the first to come goes first."""

    def __init__(self, subject: SmlNet) -> None:
        self._subject = subject
        self._standing: defaultdict[int, list[_Thread]] = defaultdict(list)
        self._count: Counter[str] = Counter()

    def take(self, place: int) -> _Thread:
        if self._standing[place]:
            return self._standing[place].pop(0)
        job = self._subject.jobs[place]
        self._count[job] += 1
        return job, self._count[job]

    def move(self, leaves: int | None, enters: int | None) -> _Thread | None:
        if leaves is None or enters is None:
            return None
        thread = self.take(leaves)
        self._standing[enters].append(thread)
        return thread

    def name(self, thread: _Thread | None) -> str | None:
        """`Worker 2`, or `Main` if no other of that type has moved."""
        if thread is None:
            return None
        job, number = thread
        return f"{job} {number}" if self._count[job] > 1 else job

    def race(self) -> tuple[Racing, Racing]:
        """Two threads at accesses to one variable, of which one writes."""
        at = [
            Racing(self.name(thread) or "", action)
            for place, action in self._subject.accesses.items()
            for thread in self._standing[place]
        ]
        for index, first in enumerate(at):
            for second in at[index + 1 :]:
                is_same = first.action.operands[0].text == second.action.operands[0].text
                if is_same and Op.WRITE in (first.action.op, second.action.op):
                    return first, second
        raise InternalError("invariant broken: the last marking of an unsafe program is a race")
