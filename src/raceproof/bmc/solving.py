"""Questions to the solver. That it has no answer, for want of time or memory, is an answer too."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique

import z3

from raceproof.bmc.terms import Term


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
    """One formula with several questions. Raises `KeyboardInterrupt` if the user stops it."""

    def __init__(self, constraints: Sequence[Term], memory: int) -> None:
        z3.set_param("memory_max_size", memory)
        self._solver = z3.Solver()
        self._solver.set("random_seed", 0)
        self._solver.set("ctrl_c", False)
        self.seconds = 0.0
        self.timeouts = 0
        self._broken = ""  # why it can answer nothing any more
        try:
            self._solver.add(*constraints)
        except z3.Z3Exception as problem:
            self._broken = str(problem)

    def ask(self, question: Sequence[Term], assumptions: Sequence[Term], seconds: float) -> Solved:
        """Is there a solution in which `question` holds, too?"""
        start = time.monotonic()
        reason, answer, found = self._broken, z3.unknown, None
        try:
            if not reason:
                self._solver.push()
                self._solver.set("timeout", max(1, int(seconds * 1000)))
                self._solver.add(*question)
                answer = self._check(assumptions)
                if answer == z3.sat:
                    found = self._solver.model()
                elif answer == z3.unknown:
                    reason = str(self._solver.reason_unknown())
                self._solver.pop()
        except z3.Z3Exception as problem:
            reason, answer = str(problem), z3.unknown
            self._broken = reason
        finally:
            self.seconds += time.monotonic() - start
        if answer == z3.unsat:
            return Solved(Answer.NO)
        if answer == z3.sat:
            return Solved(Answer.YES, found)
        self.timeouts += 1
        return Solved(Answer.UNKNOWN, reason=_told(reason, seconds))

    def _check(self, assumptions: Sequence[Term]) -> Term:
        """Beside the main thread: while the solver runs there, Python would not hear of Ctrl-C."""
        answers: list[Term] = []
        problems: list[z3.Z3Exception] = []

        def work() -> None:
            try:
                answers.append(self._solver.check(*assumptions))
            except z3.Z3Exception as problem:
                problems.append(problem)
            finally:
                is_over.set()

        is_over = threading.Event()
        threading.Thread(target=work, daemon=True).start()
        try:
            while not is_over.wait(0.5):
                pass
        except BaseException:  # nothing may touch the solver before it has stopped
            while not is_over.is_set():
                z3.main_ctx().interrupt()
                is_over.wait(0.1)
            raise
        if problems:
            raise problems[0]
        return answers[0]

    @property
    def megabytes(self) -> float:
        return next((float(v) for k, v in _pairs(self._solver.statistics()) if k == "max memory"), 0.0)

    def text(self, question: Sequence[Term]) -> str:
        """The formula and the question, in SMT-LIB 2."""
        self._solver.push()
        self._solver.add(*question)
        text = self._solver.to_smt2()
        self._solver.pop()
        return str(text)


def _pairs(statistics: Term) -> list[tuple[str, float]]:
    return [(statistics[i][0], statistics[i][1]) for i in range(len(statistics))]


def _told(reason: str, seconds: float) -> str:
    if "memory" in reason or "memout" in reason:
        return "the solver has run out of memory"
    if "timeout" in reason or "canceled" in reason:
        return f"the solver has not answered within {seconds:.0f} s"
    return f"the solver has no answer: {reason}"
