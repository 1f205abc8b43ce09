"""Remarks in the source: what they are about, and that they go when the race does."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof.cli import Exit, main

PROGRAM = """#include <pthread.h>
struct stats {
    int hits;%s
};
struct other {
    int hits;
};
static struct stats stats;
static struct other other;
static int quiet;%s
static void *worker(void *arg) {
    stats.hits++;
    OTHER;
    quiet = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    stats.hits++;%s
    OTHER;
    pthread_join(t, NULL);
    return quiet;
}
"""
ROUGH = '  // raceproof: intended "a rough count"'


def checked(tmp_path: Path, remarks: tuple[str, str, str], other: str = "(void)0") -> Exit:
    file = tmp_path / "s.c"
    file.write_text(PROGRAM % remarks, encoding="utf-8")
    return Exit(main(["check", str(file), "--all", "--engines", "lockset,explore", f"--cflag=-DOTHER={other}"]))


@pytest.mark.parametrize("remarks", [(ROUGH, "", ""), ("", "", ROUGH)], ids=["member", "line"])
def test_a_remark_counts_for_the_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], remarks: tuple[str, str, str]
) -> None:
    assert checked(tmp_path, remarks) == Exit.RACE_FREE
    shown = capsys.readouterr().out
    assert "verdict: race" in shown
    assert "suppressed: a rough count" in shown


def test_it_is_about_its_own_structure_and_nothing_else(tmp_path: Path) -> None:
    assert checked(tmp_path, (ROUGH, "", ""), "other.hits++") == Exit.RACE


def test_one_that_fits_nothing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, (ROUGH, ' /* raceproof: intended "no longer" */', "")) == Exit.RACE_FREE
    shown = " ".join(capsys.readouterr().out.split())
    assert "nothing races there any more:" in shown
    assert 'intended "no longer"' in shown


def test_one_without_a_reason_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, ("  // raceproof: intended", "", "")) == Exit.BAD_INPUT
    assert 's.c:3: after `raceproof:` there must be: intended "REASON"' in capsys.readouterr().err
