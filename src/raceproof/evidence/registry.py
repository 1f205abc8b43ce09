"""Which checker looks at which kind of evidence, and the check of a whole report.

A new engine registers one function in `CHECKERS`, under its name. It is given all claims of that kind at once, and
yields a judgement for each; what it leaves out when it stops is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePath

from raceproof.core import Budget, InputError, LimitReached, ToolMissing, Unsupported
from raceproof.evidence.claims import (
    Answer,
    Claim,
    Judgement,
    Ruling,
    Subject,
    accepted,
    not_checked,
    not_confirmed,
    rejected,
)
from raceproof.evidence.deadlocks import check_deadlocks
from raceproof.evidence.exhaustion import KIND as EXPLORED
from raceproof.evidence.exhaustion import check_exhaustion
from raceproof.evidence.heaps import check_heaps
from raceproof.evidence.incidents import check_incidents
from raceproof.evidence.invariants import check_invariants
from raceproof.evidence.nets import check_nets
from raceproof.evidence.schedules import check_races
from raceproof.evidence.second_opinion import SecondOpinion, interpret
from raceproof.evidence.static_proofs import check_static_proofs
from raceproof.evidence.unwindings import check_unwindings
from raceproof.model import Access, DeadlockVerdict, Property, Scope, Verdict

Checker = Callable[[Subject, Sequence[Claim], Budget], Iterator[Judgement]]

CHECKERS: dict[str, Checker] = {
    "race": check_races,
    "lockset": check_static_proofs,
    "shapes": check_heaps,
    "petri": check_nets,
    "transactions": check_invariants,
    "bmc": check_unwindings,
}
"""All but that of `explore`, which needs a second opinion."""


def check_evidence(subject: Subject, budget: Budget) -> tuple[Judgement, ...]:
    """A judgement for the verdict, for each pair that the report says anything definite about, for what it says about
    deadlocks, and for each other incident.

    Raises `InputError` if the report is about another program.
    """
    _check_same_program(subject)
    by_kind: dict[str, list[Claim]] = {}
    for claim in subject.report.pairs:
        if claim.kind is not None:
            by_kind.setdefault(claim.kind, []).append(claim)
    opinion = _second_opinion(subject, by_kind, budget)
    checkers: dict[str, Checker] = {**CHECKERS, EXPLORED: partial(check_exhaustion, opinion=opinion)}
    found = {0: Judgement(0, "verdict", _verdict(subject, opinion))}
    for kind in sorted(by_kind, key=[*checkers, *by_kind].index):  # the cheap checkers first
        for judgement in (*_judge(subject, kind, by_kind[kind], budget, checkers), *_refuted(by_kind[kind], opinion)):
            earlier = found.get(judgement.id)
            if earlier is None or judgement.answer is Answer.REJECTED:  # what another checker refutes is refuted
                found[judgement.id] = judgement
    pairs = [found[number] for number in sorted(found)]
    return (*pairs, *check_deadlocks(subject, budget, opinion), *check_incidents(subject, budget))


def _second_opinion(subject: Subject, by_kind: Mapping[str, Sequence[Claim]], budget: Budget) -> SecondOpinion:
    """Asked for only if something is claimed to be race-free, or deadlock-free."""
    report = subject.report
    is_free = report.deadlock is not None and report.deadlock.verdict is DeadlockVerdict.DEADLOCK_FREE
    if report.verdict is not Verdict.RACE_FREE and not is_free and all(kind == "race" for kind in by_kind):
        return SecondOpinion({}, (), ("nothing is claimed to be race-free",))
    subject.on_progress("interpreting the program")
    return interpret(subject, budget)


def _refuted(claims: Sequence[Claim], opinion: SecondOpinion) -> Iterator[Judgement]:
    """Proofs of pairs that the interpreter has seen racing, whoever made them."""
    for claim in claims:
        if claim.verdict is Verdict.RACE_FREE and claim.key in opinion.races:
            why = f"the interpreter finds this race: {opinion.races[claim.key]}"
            yield Judgement(claim.id, claim.kind or "?", rejected(why))


def _judge(
    subject: Subject, kind: str, claims: Sequence[Claim], budget: Budget, checkers: Mapping[str, Checker]
) -> Iterator[Judgement]:
    """What the checker says, and for each claim that it says nothing about, why."""
    subject.on_progress(f"checking {kind}")
    left = {claim.id for claim in claims}
    missing = f"there is no checker for proofs of `{kind}`"
    if kind in checkers:
        missing = "its checker says nothing about it"
        try:
            for judgement in checkers[kind](subject, claims, budget):
                left.discard(judgement.id)
                yield judgement
        except (LimitReached, Unsupported, ToolMissing) as stop:
            missing = str(stop)
    for number in sorted(left):
        yield Judgement(number, kind, not_checked(missing))


def _verdict(subject: Subject, opinion: SecondOpinion) -> Ruling:
    """Whether the verdict follows from those on the pairs, whatever they are worth, and the report fits the program."""
    if (why := _summary_problem(subject)) is not None:
        return rejected(why)
    ruling = _verdict_on_races(subject, opinion)
    if ruling.answer is Answer.ACCEPTED and not subject.is_identified:
        return not_confirmed("the report does not have the digest of its program: it may be about another one")
    return ruling


def _verdict_on_races(subject: Subject, opinion: SecondOpinion) -> Ruling:
    report = subject.report
    if Property.DATA_RACE not in report.asked:
        return accepted("it is that on deadlocks")
    verdicts = [claim.verdict for claim in report.pairs]
    if report.left_out and Verdict.RACE not in verdicts and report.verdict is not Verdict.RACE:
        if report.verdict is Verdict.UNKNOWN:
            return accepted("it claims nothing")
        return not_confirmed(
            f"the report leaves out {report.left_out} pairs and their proofs: write it with --pairs-detail"
        )
    if report.verdict is Verdict.UNKNOWN and subject.cp.program.obstacles and Verdict.RACE not in verdicts:
        return accepted("some of the source is not in the program that was checked")
    if Verdict.RACE in verdicts:
        follows, scope = Verdict.RACE, None
    elif Verdict.UNKNOWN in verdicts or (not verdicts and report.verdict is Verdict.UNKNOWN):
        follows, scope = Verdict.UNKNOWN, None
    else:
        follows = Verdict.RACE_FREE
        scopes = [claim.scope or Scope.BOUNDED for claim in report.pairs]
        scope = max(scopes, key=list(Scope).index, default=Scope.ALL_INPUTS)  # the weakest
    if report.verdict is Verdict.RACE_FREE and subject.cp.program.obstacles:
        return rejected(f"nothing is proved: {subject.cp.program.obstacles[0]}")
    if report.verdict is Verdict.RACE_FREE and opinion.unknown:
        return rejected(f"the interpreter finds a race that the report does not know: {opinion.unknown[0]}")
    if (report.verdict, report.scope) == (follows, scope):
        if scope is Scope.THIS_INPUT and not report.is_accepted and subject.cp.inputs != ():
            return rejected("it holds for one input, the program may be given others, and nobody has accepted that")
        return accepted("it follows from the verdicts on the pairs")
    claimed = report.verdict.value + (f", {report.scope.value}" if report.scope else "")
    return rejected(
        f"it says {claimed}, but from the pairs follows {follows.value}" + (f", {scope.value}" if scope else "")
    )


def _summary_problem(subject: Subject) -> str | None:
    """What the report says about the whole that its pairs, or the program, do not bear out."""
    report = subject.report
    if subject.problems:
        return "; ".join(subject.problems[:3])
    if report.reads == 0 and subject.cp.inputs != ():
        return "it says that the program has no input, which it may have"
    counted = {name: (proved, witnessed) for name, proved, witnessed in report.engines}
    for name in sorted({claim.engine or "?" for claim in report.pairs if claim.kind is not None}) if counted else ():
        mine = [claim for claim in report.pairs if claim.engine == name]
        proofs = sum(claim.verdict is Verdict.RACE_FREE for claim in mine)
        races = sum(claim.verdict is Verdict.RACE for claim in mine)
        if name not in counted:
            return f"it says that {name} has decided pairs, but not that it ran"
        if counted[name][0] < proofs or counted[name][1] < races:
            return f"{name} has {proofs} proofs and {races} races among the pairs, and has counted fewer"
    return None


def _check_same_program(subject: Subject) -> None:
    """The pairs of the report are those of the program, all of them, at the same places."""
    claims = subject.report.by_key()
    missing = subject.pairs.keys() - claims.keys()
    if (
        len(claims) != len(subject.report.pairs)
        or not claims.keys() <= subject.pairs.keys()
        or len(missing) != subject.report.left_out
    ):
        raise _changed("the pairs of accesses are not the same")
    for claim in subject.report.pairs:
        for number, told in zip(claim.key, claim.accesses, strict=True):
            access = subject.cp.accesses[number]
            pos = access.pos
            place = (pos.line, pos.column) if pos is not None else (0, 0)
            if (told.line, told.column) != place or (told.function, told.kind, told.is_atomic) != (
                _function(subject, access),
                access.kind.value,
                access.is_atomic,
            ):
                where = f"{PurePath(pos.file).name}:{pos.line}" if pos is not None else access.function
                raise _changed(f"pair {claim.id} is not what it was, at {where}")


def _function(subject: Subject, access: Access) -> str:
    function = subject.cp.program.functions.get(access.function)
    return function.source_name if function is not None else access.function


def _changed(what: str) -> InputError:
    return InputError(f"the program or raceproof has changed since the report was written ({what}): check it again")
