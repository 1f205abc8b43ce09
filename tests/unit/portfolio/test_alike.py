"""Pairs that differ in the lines only are one entry of a large result; nothing is lost by that."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from raceproof import frontend, portfolio, report
from raceproof.core import Budget
from raceproof.model import CheckResult, Verdict, number_of

TEXT = """
#include <pthread.h>
int bare, locked; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void one(void) { BARE pthread_mutex_lock(&m); LOCKED pthread_mutex_unlock(&m); }
static void other(void) { bare = 1; }
static void *work(void *p) { one(); other(); return p; }
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
"""


def _check(directory: Path, times: int, pairs_detail: bool) -> CheckResult:
    path = directory / "program.c"
    path.write_text(TEXT.replace("BARE", "bare = 2;\n" * times).replace("LOCKED", "locked = 3;\n" * times))
    program = frontend.load(frontend.from_files([path], ()))
    settings = portfolio.Settings(pairs_detail=pairs_detail)
    return portfolio.check(program, ["lockset"], Budget.unlimited(), settings)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[CheckResult, CheckResult]:
    directory = tmp_path_factory.mktemp("alike")
    return _check(directory, 30, pairs_detail=False), _check(directory, 30, pairs_detail=True)


def test_entries_stand_for_all_pairs(results: tuple[CheckResult, CheckResult]) -> None:
    short, full = results
    assert len(full.pairs) == number_of(full.pairs) == number_of(short.pairs) == 31 * 32 // 2 + 30 * 31 // 2
    assert len(short.pairs) < 10
    assert (short.verdict, short.reason) == (full.verdict, full.reason)
    for result in results:
        told: Counter[tuple[str, Verdict]] = Counter()
        for pair in result.pairs:
            told[pair.target, pair.verdict] += pair.alike
        assert told == {("bare", Verdict.UNKNOWN): 31 * 32 // 2, ("locked", Verdict.RACE_FREE): 30 * 31 // 2}


def test_locations_have_all_sites(results: tuple[CheckResult, CheckResult]) -> None:
    short, full = (report.to_json(result, with_all_pairs=True)["locations"] for result in results)
    for location in (*short, *full):
        location.pop("advice")
    assert short == full


def test_a_large_report_lists_some_sites(results: tuple[CheckResult, CheckResult]) -> None:
    for location in report.to_json(results[0], with_all_pairs=False)["locations"]:
        for found in location["classes"]:
            assert len(found["sites"]) <= 20
    left = [c["sites_left_out"] for c in report.to_json(results[0], False)["locations"][0]["classes"]]
    assert sum(left) == 31 - 20


def test_a_small_result_tells_them_one_by_one(tmp_path: Path) -> None:
    result = _check(tmp_path, 10, pairs_detail=False)
    assert len(result.pairs) == number_of(result.pairs) <= portfolio.MAX_PAIRS
