"""`bmc` agrees with `dfs` on generated programs with small loops and inputs.

RACEPROOF_BMC_PROGRAMS is the number of programs (default: what fits a test run; `make soak` runs 5,000),
RACEPROOF_BMC_SEED the first seed.
"""

from __future__ import annotations

import collections
import os
from dataclasses import replace
from pathlib import Path

import pytest
from differential.preamble import as_preprocessed

from exploration import bmc_agreement
from exploration.bmc_agreement import (
    Agreement,
    Limits,
    compare_source,
    compare_text,
    disagreements,
    find_all_races,
)
from exploration.shrinker import shrink
from exploration.small_loops import MAX_EXECUTIONS, MODES, generate, input_ranges, mode_of, values
from exploration.syntax import Source, estimate, render, smaller
from raceproof import frontend, portfolio
from raceproof.core import Budget
from raceproof.model import EngineReport, Scope, Verdict

COUNT = int(os.environ.get("RACEPROOF_BMC_PROGRAMS", "12"))
FIRST = int(os.environ.get("RACEPROOF_BMC_SEED", "1"))
GROUP = 5
LIMITS = Limits(executions=60_000, seconds=20.0, solving=60.0)

needs_bmc = pytest.mark.skipif(not bmc_agreement.is_available(), reason="there is no engine bmc")


def _message(source: Source, found: Agreement) -> str:
    return f"seed {source.seed}, mode {source.mode}\n{found}\n{render(source)}"


@needs_bmc
@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, GROUP))
def test_bmc_agrees_with_dfs(first: int, tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(first, min(first + GROUP, FIRST + COUNT)):
        source = generate(seed, mode_of(seed))
        found = compare_source(source, LIMITS, tmp_path)
        assert not found.problems, _message(source, found)
        counts += found.counts
    assert counts["pairs"]  # else nothing was compared


@needs_bmc
@pytest.mark.parametrize(
    "seed",
    [
        504136,  # a thread takes an input behind its last step
        600019,  # two blocks of one size overlap in part
    ],
)
def test_bmc_agrees_where_it_once_did_not(seed: int, tmp_path: Path) -> None:
    source = generate(seed, mode_of(seed))
    found = compare_source(source, LIMITS, tmp_path)
    assert not found.problems, _message(source, found)


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


@needs_bmc
def test_race_of_one_input_is_known_to_both(tmp_path: Path) -> None:
    found = compare_text(WITH_INPUT, LIMITS, tmp_path)
    assert not found.problems, str(found)
    assert found.oracle is not None
    assert len(found.oracle.together) == 1
    assert found.counts["race, race"] == 1


@needs_bmc
def test_program_without_the_race_has_none(tmp_path: Path) -> None:
    found = compare_text(WITH_INPUT.replace("== 13", "== 14"), LIMITS, tmp_path)
    assert not found.problems, str(found)
    assert found.oracle is not None
    assert not found.oracle.races


# -- what the comparison must notice


def _forged(text: str, directory: Path, verdict: Verdict, scope: Scope | None, **stats: int) -> set[str]:
    """The kinds of problems if `bmc` said the same about every pair."""
    file = directory / "program.i"
    file.write_text(as_preprocessed(text), encoding="utf-8")
    request = frontend.from_files([file])
    program = frontend.load(request)
    oracle = find_all_races(program, request, LIMITS)
    checked = portfolio.check(program, ("petri",), Budget.unlimited(), portfolio.Settings(request=request))
    pairs = tuple(
        replace(p, verdict=verdict, scope=scope, certificate=None, evidence=("forged",)) for p in checked.pairs
    )
    report = EngineReport("bmc", 0.0, 0, 0, 0, stats)
    forged = replace(
        checked, verdict=verdict, scope=scope if verdict is Verdict.RACE_FREE else None, reason="forged", pairs=pairs,
        engines=(report,),
    )  # fmt: skip
    return {problem.kind for problem in disagreements(oracle, forged, collections.Counter())}


def test_a_proof_of_a_race_is_noticed(tmp_path: Path) -> None:
    assert _forged(WITH_INPUT, tmp_path, Verdict.RACE_FREE, Scope.ALL_INPUTS) == {"UNSOUND"}


@pytest.mark.parametrize("scope", [None, Scope.BOUNDED])
def test_a_missed_race_is_noticed(scope: Scope | None, tmp_path: Path) -> None:
    assert _forged(WITH_INPUT, tmp_path, Verdict.UNKNOWN, scope) == {"race missed"}


def test_a_proof_of_what_is_no_race_is_fine(tmp_path: Path) -> None:
    assert not _forged(WITH_INPUT.replace("== 13", "== 14"), tmp_path, Verdict.RACE_FREE, Scope.ALL_INPUTS)


def test_a_model_that_was_not_executed_is_noticed(tmp_path: Path) -> None:
    text = WITH_INPUT.replace("== 13", "== 14")
    assert _forged(text, tmp_path, Verdict.UNKNOWN, None, not_executed=1) == {"model not executed"}


def test_an_input_that_dfs_does_not_cover_is_refused(tmp_path: Path) -> None:
    found = compare_text(WITH_INPUT.replace("r0 <= 5", "r0 <= 9"), LIMITS, tmp_path)
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
    source = next(source for seed in range(50) if "nondet_int" in render(source := generate(seed)))
    small = shrink(source, lambda candidate: "nondet_int" in render(candidate))
    assert len(render(small).splitlines()) < len(render(source).splitlines())
