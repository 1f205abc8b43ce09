"""No engine proves a race away that only a weaker memory order than sequential consistency makes possible."""

from __future__ import annotations

import collections
from pathlib import Path

import pytest
from exploration.compare import compile_text

from raceproof import explore, portfolio
from raceproof.core import Budget
from raceproof.explore.protocol import BY_SCHEDULES
from raceproof.model import Scope, Verdict
from weaker.against_rc11 import ENGINES, checked_by, problems
from weaker.litmus import generate, render
from weaker.rc11 import TooManyGraphs
from weaker.test_rc11 import RACE_FREE, RACY

PROGRAMS = 12


def search_and_judge(first: int, count: int, directory: Path) -> collections.Counter[str]:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(first, first + count):
        try:
            assert not list(problems(generate(seed), ENGINES, directory, counts)), f"seed {seed}"
        except TooManyGraphs:
            counts["too many graphs"] += 1
    return counts


@pytest.mark.parametrize("first", range(0, 2 * PROGRAMS, PROGRAMS))
def test_generated_programs(first: int, tmp_path: Path) -> None:
    counts = search_and_judge(first, PROGRAMS, tmp_path)
    assert counts["explore: proved, no race"] > 0  # else nothing was compared
    assert counts["explore: open, race"] > 0  # a race that no order of steps shows


@pytest.mark.slow
def test_many_generated_programs(tmp_path: Path) -> None:
    counts = search_and_judge(1_000_000, 60 * PROGRAMS, tmp_path)
    assert counts["too many graphs"] < PROGRAMS


@pytest.mark.parametrize("name", RACY)
@pytest.mark.parametrize("engine", ENGINES)
def test_known_races(engine: str, name: str, tmp_path: Path) -> None:
    assert not list(problems(RACY[name], (engine,), tmp_path, collections.Counter()))


@pytest.mark.parametrize("name", RACE_FREE)
def test_the_explorer_proves_what_weaker_orders_do_not_break(name: str, tmp_path: Path) -> None:
    checked = checked_by("explore", compile_text(render(RACE_FREE[name]), tmp_path)[0])
    assert {(pair.verdict, pair.scope) for pair in checked.pairs} == {(Verdict.RACE_FREE, Scope.THIS_INPUT)}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("isolation", ["memory", "fork"])
@pytest.mark.parametrize("algorithm", BY_SCHEDULES)
def test_every_search_asks(algorithm: str, isolation: str, jobs: int, tmp_path: Path) -> None:
    compiled = compile_text(render(RACY["dekker, release and acquire"]), tmp_path)[0]
    search = explore.ExploreOptions(algorithm=algorithm, isolation=isolation, find_all=True)
    settings = portfolio.Settings(request=compiled.request, search=search, jobs=jobs, looks=False)
    checked = portfolio.check(compiled.program, ("explore",), Budget.seconds(20), settings)
    assert checked.verdict is Verdict.UNKNOWN
    reasons = {pair.evidence[0] for pair in checked.pairs}
    assert all("weaker memory orders" in reason and "program.c:" in reason for reason in reasons)
