"""Deadlocks: check the record of each that was executed and run it again; derive or repeat a proof that there is none.

A record is checked without the runtime that made it (`traces`): at its end each thread that has not ended stands in an
operation that has to wait. A proof by the order of locks is derived anew (`lock_order`); one by executions is repeated
by another algorithm, on the same runtime, and confirmed by the interpreter if that comes to the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raceproof import explore
from raceproof.core import Budget, LimitReached, ToolMissing, Unsupported
from raceproof.evidence.claims import (
    About,
    Answer,
    DeadlockClaim,
    ExecutedDeadlock,
    Judgement,
    Ruling,
    Subject,
    accepted,
    not_checked,
    not_confirmed,
    rejected,
)
from raceproof.evidence.control_flow import ControlFlow
from raceproof.evidence.exhaustion import watched_pairs
from raceproof.evidence.lock_order import check_lock_order
from raceproof.evidence.schedules import Repeater, record_difference
from raceproof.evidence.second_opinion import SecondOpinion
from raceproof.evidence.traces import check_record
from raceproof.model import DeadlockVerdict, Role, Scope, Verdict

KIND = "deadlock"
FREE = "deadlock-free"
_REACH = {"lockset": Scope.ALL_INPUTS, "explore": Scope.THIS_INPUT}


def check_deadlocks(subject: Subject, budget: Budget, opinion: SecondOpinion) -> Iterator[Judgement]:
    """A judgement on the verdict about deadlocks, if there is one, and on each that was executed."""
    claim = subject.report.deadlock
    if claim is not None:
        kind = FREE if claim.verdict is DeadlockVerdict.DEADLOCK_FREE else "deadlock verdict"
        yield Judgement(0, kind, _guarded_verdict(subject, claim, budget, opinion), About.DEADLOCK)
    if subject.report.deadlocks:
        subject.on_progress("checking deadlocks")
        yield from _executed(subject, budget)


# -- what was executed


def _executed(subject: Subject, budget: Budget) -> Iterator[Judgement]:
    left = {told.id for told in subject.report.deadlocks}
    why = "its checker says nothing about it"
    try:
        repeater = Repeater(subject, budget)
        flow = ControlFlow(subject.cp)
        for told in subject.report.deadlocks:
            budget.check()
            yield Judgement(told.id, KIND, _judge(subject, flow, repeater, told), About.DEADLOCK)
            left.discard(told.id)
    except (LimitReached, Unsupported, ToolMissing) as stop:
        why = str(stop)
    for number in sorted(left):
        yield Judgement(number, KIND, not_checked(why), About.DEADLOCK)


def _judge(subject: Subject, flow: ControlFlow, repeater: Repeater, told: ExecutedDeadlock) -> Ruling:
    deadlock = told.deadlock
    ruling = check_record(subject.cp, deadlock, deadlock.record, flow) if deadlock.record else None
    if ruling is not None and ruling.answer is Answer.REJECTED:
        return ruling
    replayed = repeater.repeat(deadlock.run)
    if not any(other.kind == KIND for other in replayed.others):
        problem = f" (the run failed: {replayed.problem})" if replayed.problem is not None else ""
        return rejected(f"its schedule does not end in a deadlock{problem}")
    if (why := record_difference(deadlock.record, replayed.record)) is not None:
        return rejected(why)
    blocked = tuple(replace(step, value="", stack=()) for step in replayed.record if step.role is Role.NEXT)
    if blocked != deadlock.blocked:
        return rejected("run again, other threads wait, or elsewhere")
    if (why := subject.wording(About.DEADLOCK, told.id, replayed)) is not None:
        return rejected(why)
    if ruling is not None:
        return ruling
    record = tuple(replace(step, value="", stack=()) for step in replayed.record)
    return check_record(subject.cp, deadlock, record, flow)  # of a long run there is no record in the report


# -- the verdict


def _guarded_verdict(subject: Subject, claim: DeadlockClaim, budget: Budget, opinion: SecondOpinion) -> Ruling:
    try:
        return _verdict(subject, claim, budget, opinion)
    except (LimitReached, Unsupported, ToolMissing) as stop:
        return not_checked(str(stop))


def _verdict(subject: Subject, claim: DeadlockClaim, budget: Budget, opinion: SecondOpinion) -> Ruling:
    executed = bool(subject.report.deadlocks)
    match claim.verdict:
        case DeadlockVerdict.DEADLOCK:
            if not executed or claim.scope is not None:
                return rejected("it says deadlock, but none that was executed")
            return accepted("it follows from the deadlocks that were executed")
        case DeadlockVerdict.UNKNOWN:
            if executed or claim.scope is not None:
                return rejected("it says unknown, but has a deadlock that was executed, or a proof")
            return accepted("nothing is claimed about deadlocks")
        case DeadlockVerdict.DEADLOCK_FREE:
            if (why := _no_proof(subject, claim)) is not None:
                return rejected(why)
            if opinion.deadlocks:
                return rejected(f"the interpreter finds a deadlock: {opinion.deadlocks[0]}")
            subject.on_progress("checking that there is no deadlock")
            if claim.engine == "lockset":
                return check_lock_order(subject.cp, budget)
            return _search_again(subject, budget, opinion)


def _no_proof(subject: Subject, claim: DeadlockClaim) -> str | None:
    """Why nothing in the report could prove it."""
    if subject.report.deadlocks:
        return "it says deadlock-free, but has a deadlock that was executed"
    if claim.scope is None or claim.scope is not _REACH.get(claim.engine or ""):
        scope = claim.scope.value if claim.scope is not None else "no scope"
        return f"engine {claim.engine} does not prove this for {scope}"
    if subject.cp.program.obstacles:
        return f"nothing is proved: {subject.cp.program.obstacles[0]}"
    if any(pair.verdict is Verdict.RACE for pair in subject.report.pairs):
        return "the program has a data race, behind which it may do anything"
    if claim.scope is Scope.THIS_INPUT and not subject.report.is_accepted and subject.cp.inputs != ():
        return "it holds for one input, the program may be given others, and nobody has accepted that"
    return None


def _search_again(subject: Subject, budget: Budget, opinion: SecondOpinion) -> Ruling:
    """Every schedule once more, by the other algorithm that leaves out no deadlock."""
    if subject.setup is None or subject.search is None:
        return rejected("the report does not say what was executed")
    algorithm = next(name for name in explore.FINDS_DEADLOCKS if name != subject.setup.algorithm)
    options = replace(
        subject.search, algorithm=algorithm, isolation="auto", deadlocks=True, on_progress=subject.on_progress
    )
    result = explore.run(subject.cp, watched_pairs(subject), options, budget)
    finding = result.deadlock
    if result.deadlocks:
        return rejected(f"{algorithm} finds a deadlock")
    if not opinion.gaps and not opinion.deadlock_gaps:
        return accepted(f"interpreted in {opinion.executions} executions, which are all: there is no deadlock")
    if finding is None or finding.verdict is not DeadlockVerdict.DEADLOCK_FREE or finding.scope is not Scope.THIS_INPUT:
        why = finding.evidence if finding is not None else result.stopped
        return not_checked(f"{algorithm} does not decide it: {why}")
    gaps = "; ".join((*opinion.gaps, *opinion.deadlock_gaps))
    return not_confirmed(
        f"{algorithm} runs all schedules and finds no deadlock either; not confirmed independently: {gaps}"
    )
