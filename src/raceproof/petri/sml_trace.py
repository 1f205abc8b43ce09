"""A firing sequence of a program's net, told as what threads do in the source: tokens get names.

In the net as printed a thread that ends an access may go on behind another one of the same kind. A run in which one
does is none of the program's: there is no trace of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from raceproof.core import InternalError, SourcePos
from raceproof.petri.net import Unsafe
from raceproof.petri.sml_net import SmlNet, Step
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


def tell_sml(subject: SmlNet, unsafe: Unsafe) -> SmlTrace | None:
    """The firing sequence step by step; None if a thread goes on where another one was. It must be one of the net's,
    from its `start` to a target."""
    threads = _Threads(subject)
    moved = []
    for index in unsafe.firing:
        step = subject.steps[index]
        thread = threads.move(step)
        if thread is None and step.leaves is not None:
            return None
        moved.append(thread)
        if step.joins is not None:
            threads.take(step.joins, None)
    told = [
        Told(subject.net.transitions[index].name, threads.name(thread), step.text, step.pos, step.is_silent)
        for index, thread in zip(unsafe.firing, moved, strict=True)
        for step in (subject.steps[index],)
    ]
    return SmlTrace(tuple(told), threads.race())


_Thread = tuple[str, int]


class _Threads:
    """Which threads stand where, and at what access. One gets its number when it first moves; of those that are at one
    place and access, the first to come goes first."""

    def __init__(self, subject: SmlNet) -> None:
        self._subject = subject
        self._standing: defaultdict[int, list[tuple[_Thread, Action | None]]] = defaultdict(list)
        self._count: Counter[str] = Counter()

    def take(self, place: int, access: Action | None) -> _Thread | None:
        """A thread that leaves the place, where it is at `access`; None if all are at others."""
        standing = self._standing[place]
        for index, (thread, other) in enumerate(standing):
            if other is access:
                del standing[index]
                return thread
        if place not in self._subject.jobs:
            return None
        job = self._subject.jobs[place]
        self._count[job] += 1
        return job, self._count[job]

    def move(self, step: Step) -> _Thread | None:
        if step.leaves is None or step.enters is None:
            return None
        is_end = step.access is not None and step.is_silent
        thread = self.take(step.leaves, step.access if is_end else None)
        if thread is not None:
            self._standing[step.enters].append((thread, None if is_end else step.access))
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
            Racing(self.name(thread) or "", access)
            for place in sorted(self._standing)
            for thread, access in self._standing[place]
            if access is not None
        ]
        for index, first in enumerate(at):
            for second in at[index + 1 :]:
                is_same = first.action.operands[0].text == second.action.operands[0].text
                if is_same and Op.WRITE in (first.action.op, second.action.op):
                    return first, second
        raise InternalError("invariant broken: the last marking of an unsafe program is a race")
