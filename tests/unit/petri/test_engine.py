"""The engine: proofs with certificates that were checked, runs in the words of the program, limits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from unit.petri.c_programs import analysed

from raceproof.core import Budget, InternalError, LimitReached, ToolMissing
from raceproof.model import CertifiedNet, Finding, RacePair, Reason, Scope, Verdict
from raceproof.petri import Detail, PetriOptions, ProgramNet, program_net, run
from raceproof.petri import engine as engine_module
from raceproof.petri.net import Net, NetCertificate, Safe, Solution, Undecided, Unsafe
from raceproof.petri.program_surroundings import Surroundings

LOCKED = """pthread_mutex_t m = MUTEX; int x, y;
void *f(void *p) {
  lock(&m);
  x++;
  unlock(&m);
  y++;
  return 0;
}
int main(void) {
  MANY(f)
  return 0;
}
"""


def test_proofs_hold_for_any_threads_and_share_a_certificate(tmp_path: Path) -> None:
    program = analysed(LOCKED, tmp_path)
    found = [f for f in program.run().findings if program.variable(f.pair) == "x"]
    assert len(found) == 2
    assert all(f.verdict is Verdict.RACE_FREE and f.scope is Scope.ANY_THREADS for f in found)
    certificate = found[0].evidence
    assert isinstance(certificate, CertifiedNet)
    assert certificate is found[1].evidence
    assert set(certificate.pairs) == {(f.pair.first, f.pair.second) for f in found}
    assert str(certificate) == f"certificate {len(certificate.basis)} minimal markings over {certificate.places} places"


def test_a_run_is_told_by_lines_and_never_a_race(tmp_path: Path) -> None:
    program = analysed(LOCKED, tmp_path)
    found = [f for f in program.run().findings if program.variable(f.pair) == "y"]
    assert found
    assert all(f.verdict is Verdict.UNKNOWN and f.scope is None for f in found)
    created = "main:10 creates f 1; main:10 creates f 2"
    standing = "f 1 stands before line 6; f 2 stands before line 6"
    assert {str(f.evidence) for f in found} == {f"possible: {created}; {standing}"}


def test_a_run_tells_what_is_locked_and_left_again(tmp_path: Path) -> None:
    text = LOCKED.replace("y++;", "x--;")
    program = analysed(text, tmp_path)
    found = [f for f in program.run().findings if program.lines(f) in ((4, 6), (6, 4))]
    assert found
    assert all("locks m" in str(f.evidence) and "f 1:5 unlocks m" in str(f.evidence) for f in found)


def test_findings_come_in_the_order_of_pairs_and_for_all(tmp_path: Path) -> None:
    program = analysed(LOCKED, tmp_path)
    result = program.run()
    assert [f.pair for f in result.findings] == list(program.pairs)
    assert result.stopped is None
    assert result.stats["pairs"] == len(program.pairs)


def _solver(answer: Solution) -> PetriOptions:
    return PetriOptions(solver=lambda net, budget: answer)


def test_a_pair_whose_time_was_up_is_not_the_last_word(tmp_path: Path) -> None:
    def too_slow(_: Net, budget: Budget) -> Solution:
        while budget.remaining() > 0:
            time.sleep(0.01)
        return Undecided("too slow")

    program = analysed(LOCKED, tmp_path)
    result = run(program.cp, program.pairs, PetriOptions(solver=too_slow), Budget.seconds(1))
    assert result.stopped is not None


@pytest.mark.parametrize(
    ("answer", "message"),
    [(Safe(NetCertificate(())), "certificate .* refused"), (Unsafe((), ()), "run of the net is refused")],
    ids=["safe", "unsafe"],
)
def test_a_solver_is_not_believed(answer: Solution, message: str, tmp_path: Path) -> None:
    program = analysed(LOCKED, tmp_path)
    with pytest.raises(InternalError, match=message):
        run(program.cp, program.pairs, _solver(answer), Budget.seconds(60))


def test_what_is_not_decided_stays_open(tmp_path: Path) -> None:
    program = analysed(LOCKED, tmp_path)
    result = run(program.cp, program.pairs, _solver(Undecided("too hard")), Budget.seconds(60))
    assert {str(f.evidence) for f in result.findings} == {"not decided: too hard"}


def test_no_time_is_no_proof(tmp_path: Path) -> None:
    program = analysed(LOCKED, tmp_path)
    result = run(program.cp, program.pairs, PetriOptions(), Budget.seconds(-1))
    assert result.stopped is not None
    assert result.findings == ()


def test_without_the_kernel_the_plain_search_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(net: Net, budget: Budget) -> Solution:
        raise ToolMissing("no compiler")

    monkeypatch.setattr(engine_module, "solve", missing)
    program = analysed(LOCKED, tmp_path)
    result = run(program.cp, program.pairs, PetriOptions(), Budget.seconds(60))
    assert "without the native kernel" in result.notes[0]
    assert any(f.verdict is Verdict.RACE_FREE for f in result.findings)


@pytest.mark.parametrize("is_too_large", [False, True], ids=["together", "one by one"])
def test_an_access_that_the_net_lost_is_not_proved(
    is_too_large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The facts know in which threads an access happens: a net without it proves nothing."""
    program = analysed(LOCKED, tmp_path)
    made = program_net(program.cp, program.pairs, Budget.unlimited())

    def without_accesses(around: Surroundings, pairs: Sequence[RacePair], budget: Budget, detail: Detail) -> ProgramNet:
        if is_too_large and len(pairs) > 1:
            raise LimitReached("too many places")
        return replace(made, reached={})

    monkeypatch.setattr(engine_module, "net_of", without_accesses)
    result = run(program.cp, program.pairs, _solver(Safe(NetCertificate(()))), Budget.seconds(60))
    assert len(result.findings) == len(program.pairs)
    assert all(isinstance(f.evidence, Reason) and "does not come to" in str(f.evidence) for f in result.findings)


def test_evidence_must_be_about_the_pair(tmp_path: Path) -> None:
    program = analysed(LOCKED, tmp_path)
    found = program.run().findings
    proof = next(f for f in found if f.verdict is Verdict.RACE_FREE)
    other = next(f for f in found if f.verdict is Verdict.UNKNOWN)
    with pytest.raises(InternalError, match="wrong kind of evidence"):
        Finding(other.pair, Verdict.RACE_FREE, proof.evidence, "petri", Scope.ANY_THREADS)
    with pytest.raises(InternalError, match="wrong kind of evidence"):
        Finding(proof.pair, Verdict.RACE_FREE, proof.evidence, "petri", Scope.BOUNDED)
    with pytest.raises(InternalError, match="wrong kind of evidence"):
        Finding(proof.pair, Verdict.UNKNOWN, proof.evidence, "petri")
