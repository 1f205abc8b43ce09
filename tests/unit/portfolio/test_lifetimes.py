"""Local variables that threads use when their function has returned: no proof, and no contradiction."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.core import Budget
from raceproof.model import CheckResult, Verdict
from raceproof.portfolio import check
from raceproof.portfolio.engines import Settings

START = """#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static pthread_t t[2]; static sem_t done;
static void *f(void *p) { (*(int *)p)++; sem_post(&done); return 0; }
static int other(void) { int mine[2] = {1, 2}, r = 0, *p = mine; for (int i = 0; i < 2; i++) r += p[i]; return r; }
"""
TWICE = """
static void start(int i) { int local = 0; pthread_create(&t[i], 0, f, &local); THEN; }
int main(void) { start(0); start(1); BETWEEN; pthread_join(t[0], 0); pthread_join(t[1], 0); return 0; }
"""
ONE = """
static void start(int i) { int local = 0; pthread_create(&t[i], 0, f, &local); THEN; }
int main(void) { start(0); BETWEEN; pthread_join(t[0], 0); return 0; }
"""
JOINED = """
static void start(int i) { int local = 0; pthread_create(&t[i], 0, f, &local); pthread_join(t[i], 0); THEN; }
int main(void) { start(0); BETWEEN; start(1); return 0; }
"""


def checked(tmp_path: Path, text: str, engines: str) -> CheckResult:
    path = tmp_path / "program.c"
    path.write_text(START + text, encoding="utf-8")
    request = frontend.from_files([path])
    return check(frontend.load(request), engines.split(), Budget.seconds(30), Settings(request=request))


@pytest.mark.parametrize("text", [TWICE, ONE])
def test_it_is_not_proved(text: str, tmp_path: Path) -> None:
    result = checked(tmp_path, text.replace("THEN", "").replace("BETWEEN", "other()"), "lockset petri transactions")
    assert result.verdict is Verdict.UNKNOWN
    assert any("when `start` has returned" in line for pair in result.pairs for line in pair.evidence)
    assert any("when `start` has returned" in assumption.text for assumption in result.assumptions)


@pytest.mark.parametrize("text", [TWICE, ONE])
@pytest.mark.parametrize("then", ["", "usleep(1)"])
def test_an_execution_proves_nothing_if_nobody_waits(text: str, then: str, tmp_path: Path) -> None:
    result = checked(tmp_path, text.replace("THEN", then).replace("BETWEEN", "other()"), "lockset explore")
    assert result.verdict is (Verdict.RACE if text is TWICE else Verdict.UNKNOWN)


@pytest.mark.parametrize("text", [TWICE, ONE])
@pytest.mark.parametrize("between", ["", "other()"])
def test_a_race_elsewhere_is_no_contradiction(text: str, between: str, tmp_path: Path) -> None:
    result = checked(tmp_path, text.replace("THEN", "local = 2").replace("BETWEEN", between), "lockset explore")
    assert result.verdict is Verdict.RACE


def test_who_is_joined_before_has_not_outlived_it(tmp_path: Path) -> None:
    result = checked(tmp_path, JOINED.replace("THEN", "local = 2").replace("BETWEEN", "other()"), "lockset")
    assert result.verdict is Verdict.RACE_FREE
    assert not any("has returned" in assumption.text for assumption in result.assumptions)


def test_who_has_told_that_it_is_done_may_be_believed(tmp_path: Path) -> None:
    text = ONE.replace("THEN", "sem_wait(&done); local = 2").replace("BETWEEN", "other()")
    assert checked(tmp_path, text, "lockset explore").verdict is Verdict.RACE_FREE
