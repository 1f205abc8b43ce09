"""The engine `petri`: a pair is race-free, for any number of threads, if its net cannot be covered.

Pairs on one object share a net if none of them can be covered; otherwise each gets one of its own. A solution is
believed only when the independent checker accepts its certificate. A run that covers a pair is told as possible: the
net knows little of data, so it is never a race. A net that knows the values of flags comes only after one that does
not: it is larger.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raceproof.core import Budget, InternalError, LimitReached, ToolMissing
from raceproof.model import (
    CertifiedNet,
    ConcurrentProgram,
    EngineResult,
    Finding,
    ObjectId,
    RacePair,
    Reason,
    Scope,
    Verdict,
)
from raceproof.petri.checking import check_certificate, check_firing
from raceproof.petri.net import Net, NetCertificate, Safe, Solution, Undecided, Unsafe
from raceproof.petri.plain import solve_plainly
from raceproof.petri.program_net import Detail, ProgramNet, details, net_of, unreached
from raceproof.petri.program_surroundings import Surroundings
from raceproof.petri.program_trace import describe_run
from raceproof.petri.solver import solve

log = logging.getLogger(__name__)

NAME = "petri"
Solver = Callable[[Net, Budget], Solution]


@dataclass(frozen=True, slots=True)
class PetriOptions:
    """`seconds`: the most that one net may take, of what is left; `solver`: None is the native one."""

    seconds: float = 20.0
    solver: Solver | None = None


def run(cp: ConcurrentProgram, pairs: Sequence[RacePair], options: PetriOptions, budget: Budget) -> EngineResult:
    """Prove pairs with scope `any-threads`, or say how they could meet.

    Raises `Unsupported` if the program has something that no net follows.
    """
    start = time.monotonic()
    deciding = _Deciding(Surroundings(cp), options, budget)
    stopped: str | None = None
    groups = _groups(pairs)
    try:
        for number, group in enumerate(groups):
            deciding.share = budget.remaining() / (len(groups) - number)
            deciding.group(group)
    except LimitReached as limit:
        stopped = limit.message
    if stopped is None and any(finding.verdict is Verdict.UNKNOWN for finding in deciding.findings.values()):
        stopped = deciding.cut_short  # with more time there may be more to find
    return EngineResult(
        engine=NAME,
        findings=tuple(deciding.findings[pair] for pair in pairs if pair in deciding.findings),
        seconds=time.monotonic() - start,
        stats={"pairs": len(pairs), **dict(sorted(deciding.stats.items()))},
        stopped=stopped,
        notes=tuple(deciding.notes),
    )


def _groups(pairs: Sequence[RacePair]) -> list[list[RacePair]]:
    found: dict[ObjectId, list[RacePair]] = {}
    for pair in pairs:
        found.setdefault(pair.target.object, []).append(pair)
    return list(found.values())


class _Deciding:
    """`share`: seconds for the group of pairs that is being looked at. `cut_short`: the last of these limits that ended
    a part of the work early, if any did."""

    def __init__(self, around: Surroundings, options: PetriOptions, budget: Budget) -> None:
        self.findings: dict[RacePair, Finding] = {}
        self.notes: dict[str, None] = {}
        self.stats: Counter[str] = Counter(nets=0, places=0, transitions=0)
        self.share = 0.0
        self.cut_short: str | None = None
        self._around = around
        self._options = options
        self._budget = budget

    def group(self, pairs: list[RacePair]) -> None:
        """All in one net if that can be proved, else one by one."""
        if len(pairs) > 1 and self._decide(pairs, self._budget.part(self.share / 2)) is None:
            return
        end = time.monotonic() + self.share / (2 if len(pairs) > 1 else 1)
        for number, pair in enumerate(pairs):
            budget = self._budget.part(max(end - time.monotonic(), 0.0) / (len(pairs) - number))
            why = self._decide([pair], budget)
            if why is not None:
                self._leave_open(pair, why)

    def _decide(self, pairs: Sequence[RacePair], budget: Budget) -> str | None:
        """Prove them together, with as little detail as will do; or say why not."""
        why = ""
        for detail in details(self._around):
            made = self._net(pairs, detail, budget)
            if made is None:
                return why or "the net is too large for the time that is left"
            for pair in pairs:
                lost = unreached(self._around.cp, made, pair)
                if lost is not None:
                    return why or lost
            solution = self._solve(made, budget)
            if isinstance(solution, Safe):
                self._prove(made, pairs, solution.certificate)
                return None
            if isinstance(solution, Undecided):
                self._note_end_of(budget)
            why = _why(made, solution)
        return why

    def _net(self, pairs: Sequence[RacePair], detail: Detail, budget: Budget) -> ProgramNet | None:
        self._budget.check()
        try:
            made = net_of(self._around, pairs, budget, detail)
        except LimitReached as limit:
            log.info("no net for %d pairs: %s", len(pairs), limit)
            self._note_end_of(budget)
            return None
        self.stats["nets"] += 1
        self.stats["places"] = max(self.stats["places"], len(made.net.places))
        self.stats["transitions"] = max(self.stats["transitions"], len(made.net.transitions))
        self.notes.update(dict.fromkeys(made.notes))
        return made

    def _note_end_of(self, budget: Budget) -> None:
        if budget.remaining() <= 0:
            self.cut_short = budget.end

    def _solve(self, made: ProgramNet, budget: Budget) -> Solution:
        budget = budget.part(self._options.seconds)
        solver = self._options.solver or solve
        try:
            return solver(made.net, budget)
        except ToolMissing as missing:
            self.notes[f"solved without the native kernel: {missing}"] = None
            return solve_plainly(made.net, budget)

    def _prove(self, made: ProgramNet, pairs: Sequence[RacePair], certificate: NetCertificate) -> None:
        problem = check_certificate(made.net, certificate)
        if problem is not None:
            raise InternalError(f"the certificate for {len(pairs)} pairs is refused: {problem}")
        evidence = certified(made, pairs, certificate)
        for pair in pairs:
            self.findings[pair] = Finding(pair, Verdict.RACE_FREE, evidence, NAME, Scope.ANY_THREADS)

    def _leave_open(self, pair: RacePair, why: str) -> None:
        self.findings[pair] = Finding(pair, Verdict.UNKNOWN, Reason(why), NAME)


def certified(made: ProgramNet, pairs: Sequence[RacePair], certificate: NetCertificate) -> CertifiedNet:
    """The certificate as evidence: plain data that others can check."""
    return CertifiedNet(
        pairs=tuple((pair.first, pair.second) for pair in pairs),
        places=len(made.net.places),
        transitions=len(made.net.transitions),
        digest=made.digest,
        basis=certificate.basis,
        invariants=certificate.invariants,
    )


def _why(made: ProgramNet, solution: Solution) -> str:
    match solution:
        case Unsafe():
            problem = check_firing(made.net, solution)
            if problem is not None:
                raise InternalError(f"the run of the net is refused: {problem}")
            return f"possible: {describe_run(made, solution)}"
        case Undecided(reason=reason):
            return f"not decided: {reason}"
        case Safe():
            raise InternalError("a net that is safe leaves no pair open")
