"""Questions to the solver. That it has no answer, for want of time or memory, is an answer too."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import TypeVar

import z3

from raceproof.bmc.interrupts import Watch
from raceproof.bmc.terms import Term
from raceproof.core import InternalError

T = TypeVar("T")
GRACE = 0.25
"""Seconds that the solver may take longer than it was given."""
PROBES = 20
LISTENING = 0.1
"""Seconds after which Ctrl-C is heard."""


@unique
class Answer(Enum):
    YES = "satisfiable"
    NO = "unsatisfiable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Solved:
    """`model` if the answer is yes; `reason` if there is none."""

    answer: Answer
    model: Term | None = None
    reason: str = ""


class Solver:
    """One formula with several questions. Raises `KeyboardInterrupt` if the user stops it, `LimitReached` if the time
    is up before the formula was read."""

    def __init__(self, constraints: Sequence[Term], memory: int, watch: Watch) -> None:
        z3.set_param("memory_max_size", memory)
        self._solver = z3.Solver()
        self._solver.set("random_seed", 0)
        self._solver.set("ctrl_c", False)
        self.seconds = 0.0
        self.timeouts = 0
        self._watch = watch
        self._broken = ""  # why it can answer nothing any more
        try:
            for constraint in constraints:
                watch.check()
                self._solver.add(constraint)
            start = time.monotonic()
            self._beside(self._read_formula)
            self.seconds = time.monotonic() - start
        except z3.Z3Exception as problem:
            self._broken = str(problem)

    def _read_formula(self) -> None:
        """Now, and not with the first question: it may take longer than that has."""
        self._solver.push()
        self._solver.pop()

    def ask(self, question: Sequence[Term], assumptions: Sequence[Term], seconds: float) -> Solved:
        """Is there a solution in which `question` holds, too?"""
        start = time.monotonic()
        reason = self._broken
        solved: Solved | None = None
        try:
            if not reason:
                solved = self._beside(lambda: self._check(question, assumptions, seconds))
        except z3.Z3Exception as problem:
            reason = self._broken = str(problem)
        finally:
            self.seconds += time.monotonic() - start
        if solved is None:
            solved = Solved(Answer.UNKNOWN, reason=_told(reason, seconds))
        self.timeouts += solved.answer is Answer.UNKNOWN
        return solved

    def _check(self, question: Sequence[Term], assumptions: Sequence[Term], seconds: float) -> Solved:
        self._solver.push()
        self._solver.set("timeout", max(1, int(seconds * 1000)))
        self._solver.add(*question)
        answer = self._solver.check(*assumptions)
        if answer == z3.unsat:
            solved = Solved(Answer.NO)
        elif answer == z3.sat:
            solved = Solved(Answer.YES, self._solver.model())
        else:
            solved = Solved(Answer.UNKNOWN, reason=_told(str(self._solver.reason_unknown()), seconds))
        self._solver.pop()
        return solved

    def _beside(self, work: Callable[[], T]) -> T:
        """Beside the main thread, which can stop it: some of its steps look at no clock, and none hears of Ctrl-C."""
        results: list[T] = []
        problems: list[z3.Z3Exception] = []

        def run() -> None:
            try:
                results.append(work())
            except z3.Z3Exception as problem:
                problems.append(problem)
            finally:
                is_over.set()

        is_over = threading.Event()
        threading.Thread(target=run, daemon=True).start()
        try:
            while not is_over.wait(LISTENING):
                if self._watch.is_interrupted or self._watch.remaining() < -GRACE:
                    stop(is_over)
                    self._watch.check()
        except KeyboardInterrupt:
            stop(is_over)  # nothing may touch the solver before
            raise
        if problems:
            raise problems[0]
        return results[0]

    @property
    def megabytes(self) -> float:
        return next((float(v) for k, v in _pairs(self._solver.statistics()) if k == "max memory"), 0.0)


def stop(is_over: threading.Event) -> None:
    """Interrupt the solver, for good. An interruption that finds it idle would spoil what it is asked next: z3 then
    answers `sat` whatever the question. So it gets questions whose answer is known, until it has forgotten."""
    while not is_over.is_set():
        z3.main_ctx().interrupt()
        is_over.wait(0.1)
    right = 0
    for _ in range(PROBES):
        right = right + 1 if _answers_rightly() else 0
        if right == PROBES // 4:
            return
    raise InternalError("the solver answers wrongly after it was interrupted")


def _answers_rightly() -> bool:
    solver, number = z3.Solver(), z3.Int("probe")
    solver.add(number > 3)
    first = solver.check()
    solver.push()
    solver.add(number < 2)
    return bool(first == z3.sat and solver.check() == z3.unsat)


def _pairs(statistics: Term) -> list[tuple[str, float]]:
    return [(statistics[i][0], statistics[i][1]) for i in range(len(statistics))]


def _told(reason: str, seconds: float) -> str:
    if "memory" in reason or "memout" in reason:
        return "the solver has run out of memory"
    if "timeout" in reason or "canceled" in reason:
        return f"the solver has not answered within {seconds:.0f} s"
    return f"the solver has no answer: {reason}"
