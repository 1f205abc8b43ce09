"""`raceproof tsan-ignorelist`: only functions all of whose accesses are proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof.cli import Exit, main

ROWS = Path(__file__).resolve().parents[3] / "bench" / "tsan" / "rows.c"


def listed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line.partition(":")[2] for line in capsys.readouterr().out.splitlines() if line.startswith("fun:")]


def test_the_function_with_the_race_is_watched(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tsan-ignorelist", str(ROWS), "--engines", "lockset"]) == Exit.RACE_FREE
    assert listed(capsys) == ["fill", "main", "mixed", "worker"]


def test_what_is_never_reached_is_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.c"
    file.write_text("int x; void unused(void) { x++; } int main(void) { x = 1; return x; }", encoding="utf-8")
    assert main(["tsan-ignorelist", str(file), "--engines", "lockset"]) == Exit.RACE_FREE
    assert listed(capsys) == ["main"]


def test_nothing_is_listed_where_code_was_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        "int x; int main(void) {\n#pragma omp parallel for\n for (int i = 0; i < 3; i++) x++; return x; }",
        encoding="utf-8",
    )
    assert main(["tsan-ignorelist", str(file), "--engines", "lockset"]) == Exit.UNKNOWN
    assert listed(capsys) == []
