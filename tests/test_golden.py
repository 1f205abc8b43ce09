"""Golden tests: tests/golden/<stage>/*.c in, `raceproof dump <stage>` out, compared with the .txt beside it.

`pytest tests/test_golden.py --accept` rewrites the expected files; the review reads the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof.cli import Exit, main

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(GOLDEN.glob("*/*.c"))


@pytest.mark.parametrize("case", CASES, ids=[f"{case.parent.name}/{case.stem}" for case in CASES])
def test_dump_is_as_expected(
    case: Path, accept: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # From the directory of the case, so that no path of this machine gets into the text; with the bundled
    # headers, as types and constants of the system's differ from one machine to the next.
    monkeypatch.chdir(case.parent)
    status = main(["dump", case.parent.name, case.name, "--headers=bundled", "--data-model=LP64"])
    output = capsys.readouterr()
    assert (status, output.err) == (Exit.RACE_FREE, "")
    expected = case.with_suffix(".txt")
    if accept:
        expected.write_text(output.out, encoding="utf-8")
    assert expected.exists(), f"no {expected.name}: look at the output, then run pytest with --accept"
    assert output.out == expected.read_text(encoding="utf-8")


def test_every_expected_file_has_its_case() -> None:
    orphans = [path.name for path in GOLDEN.glob("*/*.txt") if not path.with_suffix(".c").exists()]
    assert orphans == []
