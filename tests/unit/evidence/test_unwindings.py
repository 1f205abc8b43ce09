"""Proofs by unwinding: accepted as they are, refused however they are forged."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.bmc.c_programs import Analysed, analysed

from raceproof import bmc
from raceproof.bmc import Unanswered
from raceproof.bmc.solving import Answer as SolverAnswer
from raceproof.bmc.solving import Solved, Solver
from raceproof.core import Budget
from raceproof.evidence import CHECKERS, AccessClaim, Answer, Claim, Judgement, ReportClaims, Subject
from raceproof.model import AccessId, Finding, Scope, Unwinding, Verdict

NOBODY = AccessClaim(0, 0, "", "read", False)
NEVER = """int x, n; pthread_mutex_t m = MUTEX;
void *f(void *p) { lock(&m); int mine = n; unlock(&m); if (mine == 7) x = 1; return 0; }
void *g(void *p) { lock(&m); n = 2; x = 2; unlock(&m); return 0; }
int main(void) { BOTH(f, g) return 0; }
"""
LOOP = """int x; pthread_mutex_t m = MUTEX;
void *f(void *p) { for (int i = 0; i != ANY; i++) { lock(&m); x++; unlock(&m); } return 0; }
int main(void) { BOTH(f, f) return 0; }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return analysed(NEVER, tmp_path_factory.mktemp("unwindings"))


@pytest.fixture(scope="module")
def proof(program: Analysed) -> Finding:
    found = [f for f in program.run().findings if f.verdict is Verdict.RACE_FREE and program.variable(f.pair) == "x"]
    assert len(found) == 1
    return found[0]


def unwinding_of(finding: Finding) -> Unwinding:
    assert isinstance(finding.evidence, Unwinding)
    return finding.evidence


def claim_of(finding: Finding, unwinding: Unwinding | None, scope: Scope | None) -> Claim:
    key = (finding.pair.first, finding.pair.second)
    return Claim(1, key, Verdict.RACE_FREE, scope, "bmc", (NOBODY, NOBODY), (), unwinding=unwinding)


def judge(
    program: Analysed,
    finding: Finding,
    unwinding: Unwinding | None,
    scope: Scope | None = Scope.ALL_INPUTS,
    others: tuple[Verdict, Scope | None] = (Verdict.RACE_FREE, Scope.ALL_INPUTS),
) -> Judgement:
    """`others`: what the report says about all other pairs."""
    claim = claim_of(finding, unwinding, scope)
    rest = tuple(
        Claim(2 + number, (p.first, p.second), others[0], others[1], "lockset", (NOBODY, NOBODY), ())
        for number, p in enumerate(pair for pair in program.pairs if (pair.first, pair.second) != claim.key)
    )
    pairs = {(pair.first, pair.second): pair for pair in program.pairs}
    subject = Subject(program.cp, pairs, ReportClaims(Verdict.RACE_FREE, scope, (claim, *rest)))
    (judgement,) = CHECKERS["bmc"](subject, [claim], Budget.seconds(60))
    return judgement


def test_what_the_engine_found_is_accepted(program: Analysed, proof: Finding) -> None:
    judgement = judge(program, proof, unwinding_of(proof))
    assert judgement.answer is Answer.ACCEPTED, judgement.ruling.why


def test_two_claims_with_one_unwinding(program: Analysed, proof: Finding) -> None:
    claim = claim_of(proof, unwinding_of(proof), Scope.ALL_INPUTS)
    pairs = {(pair.first, pair.second): pair for pair in program.pairs}
    subject = Subject(program.cp, pairs, ReportClaims(Verdict.RACE_FREE, Scope.ALL_INPUTS, (claim,)))
    judgements = list(CHECKERS["bmc"](subject, [claim, replace(claim, id=2)], Budget.seconds(60)))
    assert [(j.id, j.answer) for j in judgements] == [(1, Answer.ACCEPTED), (2, Answer.ACCEPTED)]


def test_without_an_unwinding_or_with_one_of_other_pairs(program: Analysed, proof: Finding) -> None:
    found = unwinding_of(proof)
    key = (proof.pair.first, proof.pair.second)
    assert judge(program, proof, None).answer is Answer.REJECTED
    others = tuple(k for k in found.pairs if k != key)
    assert judge(program, proof, replace(found, pairs=others)).answer is Answer.REJECTED
    strange = (AccessId(900), AccessId(901))
    assert judge(program, proof, replace(found, pairs=(*found.pairs, strange))).answer is Answer.REJECTED
    assert judge(program, proof, replace(found, relies_on=(strange,))).answer is Answer.REJECTED


@pytest.mark.parametrize(
    ("is_complete", "scope", "expected"),
    [
        (True, Scope.BOUNDED, Answer.REJECTED),
        (False, Scope.ALL_INPUTS, Answer.REJECTED),
        (False, Scope.BOUNDED, Answer.ACCEPTED),
        (True, Scope.ANY_THREADS, Answer.REJECTED),
        (True, None, Answer.REJECTED),
    ],
)
def test_the_scope_is_that_of_the_unwinding(
    program: Analysed, proof: Finding, is_complete: bool, scope: Scope | None, expected: Answer
) -> None:
    assert judge(program, proof, replace(unwinding_of(proof), is_complete=is_complete), scope).answer is expected


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ((Verdict.RACE_FREE, Scope.ALL_INPUTS), Answer.ACCEPTED),
        ((Verdict.RACE_FREE, Scope.ANY_THREADS), Answer.ACCEPTED),
        ((Verdict.RACE_FREE, Scope.BOUNDED), Answer.REJECTED),
        ((Verdict.RACE_FREE, Scope.THIS_INPUT), Answer.REJECTED),
        ((Verdict.UNKNOWN, None), Answer.REJECTED),
        ((Verdict.RACE, Scope.ALL_INPUTS), Answer.REJECTED),
    ],
)
def test_what_it_rests_on_is_proved_in_the_same_report(
    program: Analysed, proof: Finding, others: tuple[Verdict, Scope | None], expected: Answer
) -> None:
    key = (proof.pair.first, proof.pair.second)
    rest = tuple((p.first, p.second) for p in program.pairs if (p.first, p.second) != key)
    assert rest
    resting = replace(unwinding_of(proof), pairs=(key,), relies_on=rest)
    assert judge(program, proof, resting, others=others).answer is expected


def test_a_proof_needs_the_pairs_that_it_leaves_out(program: Analysed, proof: Finding) -> None:
    """`n` is read without being believed, if nobody proves that it does not race."""
    key = (proof.pair.first, proof.pair.second)
    alone = replace(unwinding_of(proof), pairs=(key,), relies_on=())
    judgement = judge(program, proof, alone)
    assert judgement.answer is Answer.REJECTED
    assert "both threads may come to" in judgement.ruling.why


def test_an_execution_that_goes_further(tmp_path_factory: pytest.TempPathFactory) -> None:
    program = analysed(LOOP, tmp_path_factory.mktemp("loop"))
    pair = program.pairs[0]
    keys = tuple((p.first, p.second) for p in program.pairs)
    claimed = Finding(pair, Verdict.RACE_FREE, Unwinding(keys, 2, 10, False), "bmc", Scope.BOUNDED)
    short = unwinding_of(claimed)
    assert judge(program, claimed, short, Scope.BOUNDED).answer is Answer.ACCEPTED
    assert judge(program, claimed, replace(short, is_complete=True)).answer is Answer.REJECTED


MAY_FAIL = """int x; pthread_mutex_t m = MUTEX;
void *f(void *p) { if (WORKS) { lock(&m); x++; unlock(&m); } else x++; return 0; }
int main(void) { BOTH(f, f) return 0; }
"""


@pytest.mark.parametrize(("works", "expected"), [("malloc(4)", Answer.REJECTED), ("1", Answer.ACCEPTED)])
def test_everything_that_may_fail_may_fail(
    tmp_path_factory: pytest.TempPathFactory, works: str, expected: Answer
) -> None:
    program = analysed(MAY_FAIL.replace("WORKS", works), tmp_path_factory.mktemp("fails"))
    keys = tuple((p.first, p.second) for p in program.pairs)
    claimed = Finding(program.pairs[0], Verdict.RACE_FREE, Unwinding(keys, 1, 10, True), "bmc", Scope.ALL_INPUTS)
    assert judge(program, claimed, unwinding_of(claimed)).answer is expected


def test_what_may_run_at_any_time_is_not_unwound(tmp_path_factory: pytest.TempPathFactory) -> None:
    """`late` runs at the end, which the unwound program does not have, and uses a lock."""
    text = MAY_FAIL.replace("WORKS", "1").replace("{ BOTH", "{ atexit(late); BOTH")
    late = "pthread_mutex_t n = MUTEX; void late(void) { lock(&n); unlock(&n); }\n"
    program = analysed(late + text, tmp_path_factory.mktemp("late"))
    keys = tuple((p.first, p.second) for p in program.pairs)
    claimed = Finding(program.pairs[0], Verdict.RACE_FREE, Unwinding(keys, 1, 10, True), "bmc", Scope.ALL_INPUTS)
    judgement = judge(program, claimed, unwinding_of(claimed))
    assert judgement.answer is Answer.REJECTED
    assert judgement.ruling.why.startswith("nothing can be proved: `late` may run at any time")


def test_a_solver_that_does_not_say(program: Analysed, proof: Finding, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_answer(*args: object, **kwargs: object) -> Solved:
        return Solved(SolverAnswer.UNKNOWN, reason="out of memory")

    monkeypatch.setattr(Solver, "ask", no_answer)
    found = unwinding_of(proof)
    assert bmc.check_unwinding(program.cp, program.pairs, found, Budget.seconds(60)) == Unanswered("out of memory")
    assert judge(program, proof, found).answer is Answer.NOT_CHECKED
