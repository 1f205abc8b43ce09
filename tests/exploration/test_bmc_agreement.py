"""`bmc` agrees with `dfs` on generated programs with small loops and inputs.

RACEPROOF_BMC_PROGRAMS is the number of programs (default: what fits a test run), RACEPROOF_BMC_SEED the first seed.
"""

from __future__ import annotations

import collections
import os
from dataclasses import replace
from pathlib import Path

import pytest

from exploration.bmc_agreement import disagreements
from exploration.compare import compile_text
from exploration.families import Specimen, specimen
from exploration.judging import Judged, Plan, judge
from exploration.searches import ORACLE, Limits, Outcome
from exploration.shrinker import shrink
from exploration.small_loops import MAX_EXECUTIONS, MODES, generate, input_ranges, mode_of, values
from exploration.syntax import estimate, render, smaller
from raceproof import portfolio
from raceproof.core import Budget
from raceproof.model import EngineReport, Scope, Verdict

COUNT = int(os.environ.get("RACEPROOF_BMC_PROGRAMS", "12"))
FIRST = int(os.environ.get("RACEPROOF_BMC_SEED", "1"))
GROUP = 5
LIMITS = Limits(executions=60_000, seconds=60.0)
PLAN = Plan(bmc=True)


def _message(whole: Specimen, found: Judged) -> str:
    return f"seed {whole.seed}\n{found}\n{whole.text}"


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, GROUP))
def test_bmc_agrees_with_dfs(first: int, tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(first, min(first + GROUP, FIRST + COUNT)):
        whole = specimen(seed, "loops")
        found = judge(whole, PLAN, tmp_path, LIMITS)
        assert not found.problems, _message(whole, found)
        counts += found.counts
    assert counts["bmc: pairs"]  # else nothing was compared


@pytest.mark.parametrize(
    "seed",
    [
        504136,  # a thread takes an input behind its last step
        600019,  # two blocks of one size overlap in part
    ],
)
def test_bmc_agrees_where_it_once_did_not(seed: int, tmp_path: Path) -> None:
    whole = specimen(seed, "loops")
    found = judge(whole, PLAN, tmp_path, LIMITS)
    assert not found.problems, _message(whole, found)


# Each claim of the comparison, on a program for which an engine that knows less would be wrong.

WITH_INPUT = """
static int x;
static void *t1(void *arg) {
  int r0 = __VERIFIER_nondet_int(); __VERIFIER_assume(r0 >= 2 && r0 <= 5);
  if (r0 * 3 + 1 == 13) x = 1;
  return arg;
}
int main(void) {
  pthread_t id;
  pthread_create(&id, 0, t1, 0);
  x = 2;
  pthread_join(id, 0);
  return x;
}
"""


def _judged(text: str, directory: Path) -> Judged:
    return judge(Specimen("loops", 0, text), PLAN, directory, LIMITS)


def test_race_of_one_input_is_known_to_both(tmp_path: Path) -> None:
    found = _judged(WITH_INPUT, tmp_path)
    assert not found.problems, str(found)
    assert len(found.outcomes[ORACLE].together) == 1
    assert found.counts["bmc: race, race"] == 1


def test_program_without_the_race_has_none(tmp_path: Path) -> None:
    found = _judged(WITH_INPUT.replace("== 13", "== 14"), tmp_path)
    assert not found.problems, str(found)
    assert not found.races


# -- what the comparison must notice


def _forged(text: str, directory: Path, verdict: Verdict, scope: Scope | None, **stats: int) -> set[str]:
    """The kinds of problems if `bmc` said the same about every pair."""
    compiled = compile_text(text, directory)[0]
    oracle: Outcome = judge(Specimen("loops", 0, text), Plan(), directory, LIMITS).outcomes[ORACLE]
    settings = portfolio.Settings(request=compiled.request)
    checked = portfolio.check(compiled.program, ("petri",), Budget.unlimited(), settings)
    pairs = tuple(
        replace(p, verdict=verdict, scope=scope, certificate=None, evidence=("forged",)) for p in checked.pairs
    )
    report = EngineReport("bmc", 0.0, 0, 0, 0, stats)
    forged = replace(
        checked, verdict=verdict, scope=scope if verdict is Verdict.RACE_FREE else None, reason="forged", pairs=pairs,
        engines=(report,),
    )  # fmt: skip
    asked = [pair.pair for pair in pairs]
    return {problem.kind for problem in disagreements(asked, oracle, forged, collections.Counter())}


@pytest.mark.parametrize("scope", [None, Scope.BOUNDED])
def test_a_missed_race_is_noticed(scope: Scope | None, tmp_path: Path) -> None:
    assert _forged(WITH_INPUT, tmp_path, Verdict.UNKNOWN, scope) == {"race missed"}


def test_a_proof_of_what_is_no_race_is_fine(tmp_path: Path) -> None:
    assert not _forged(WITH_INPUT.replace("== 13", "== 14"), tmp_path, Verdict.RACE_FREE, Scope.ALL_INPUTS)


def test_a_model_that_was_not_executed_is_noticed(tmp_path: Path) -> None:
    text = WITH_INPUT.replace("== 13", "== 14")
    assert _forged(text, tmp_path, Verdict.UNKNOWN, None, not_executed=1) == {"model not executed"}


def test_an_input_that_dfs_does_not_cover_is_refused(tmp_path: Path) -> None:
    found = _judged(WITH_INPUT.replace("r0 <= 5", "r0 <= 9"), tmp_path)
    assert found.kinds == {"inputs"}


# -- the generator


@pytest.mark.parametrize("mode", MODES)
def test_generator_is_deterministic_and_bounded(mode: str) -> None:
    for seed in range(40):
        source = generate(seed, mode)
        assert render(source) == render(generate(seed, mode))
        assert estimate(source).schedules * values(source) <= MAX_EXECUTIONS
        assert all(1 <= high - low <= 3 for low, high in input_ranges(render(source)))


def test_programs_have_what_they_are_for() -> None:
    texts = [render(generate(seed, mode_of(seed))) for seed in range(300)]
    for word in ("for (", "nondet_int", "nondet_bool", "nondet_uchar", "atomic_", "trylock", "cond_wait", "? &", "q0["):
        assert any(word in text for text in texts), word
    assert sum("nondet" in text for text in texts) > len(texts) // 2
    assert sum("for (" in text for text in texts) > len(texts) // 3


def test_smaller_programs_keep_their_inputs_restricted() -> None:
    """The shrinker drops an input only together with what restricts it."""
    for seed in range(20):
        for candidate in smaller(generate(seed)):
            text = render(candidate)
            unrestricted = text.count("__VERIFIER_nondet_") // 2 - text.count("nondet_bool") // 2
            assert len(input_ranges(text)) == unrestricted


def test_shrinker_works_on_them() -> None:
    whole = next(whole for seed in range(50) if "nondet_int" in (whole := specimen(seed, "loops")).text)
    small = shrink(whole, lambda candidate: "nondet_int" in candidate.text)
    assert len(small.text.splitlines()) < len(whole.text.splitlines())
