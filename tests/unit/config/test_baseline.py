"""The baseline: written, read back, and what it says about the next run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from unit.handmade import check_result, pair_result

from raceproof.config import Known, apply_baseline, is_clean, read_baseline, write_baseline
from raceproof.core import InputError, InternalError
from raceproof.model import CheckResult, PairResult, Verdict


def pair(number: int, verdict: Verdict = Verdict.RACE, target: str = "counter") -> PairResult:
    return replace(pair_result(number, verdict, target=target), fingerprint=f"{number:016x}")


def known_of(path: Path, result: CheckResult) -> tuple[Known, ...]:
    write_baseline(path, result)
    return read_baseline(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "known.json"


def test_what_is_written_is_read(path: Path) -> None:
    result = check_result(pair(1), pair(2, Verdict.UNKNOWN, "é"), pair(3, Verdict.RACE_FREE))
    accesses = ("read in worker (demo.c)", "write in worker (demo.c)")
    assert known_of(path, result) == (
        Known("0000000000000001", Verdict.RACE, "counter", accesses),
        Known("0000000000000002", Verdict.UNKNOWN, "é", accesses),
    )


def test_the_file_has_a_line_for_each_and_does_not_depend_on_order_or_lines(path: Path) -> None:
    pairs = [pair(2, target="b"), pair(3, target="a (allocated at x.c:7)"), pair(1, target="b")]
    write_baseline(path, check_result(*pairs))
    text = path.read_text(encoding="utf-8")
    assert [json.loads(line.strip().rstrip(","))["fingerprint"][-1] for line in text.splitlines()[3:-2]] == [
        "3",
        "1",
        "2",
    ]
    assert "x.c:7" not in text
    moved = [replace(p, target=p.target.replace("7", "9")) for p in reversed(pairs)]
    write_baseline(path, check_result(*moved))
    assert path.read_text(encoding="utf-8") == text
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_baseline_of_nothing(path: Path) -> None:
    assert known_of(path, check_result(pair(1, Verdict.RACE_FREE))) == ()


def test_round_trip(path: Path) -> None:
    result = check_result(pair(1), pair(2, Verdict.UNKNOWN))
    after, gone = apply_baseline(result, known_of(path, result))
    assert gone == ()
    assert is_clean(after)
    assert not is_clean(result)
    assert after.verdict is Verdict.RACE
    assert [p.verdict for p in after.pairs] == [Verdict.RACE, Verdict.UNKNOWN]
    assert all(p.is_known for p in after.pairs)


def test_a_new_finding_is_not_known(path: Path) -> None:
    known = known_of(path, check_result(pair(1)))
    after, _ = apply_baseline(check_result(pair(1), pair(2, Verdict.UNKNOWN)), known)
    assert [p.is_known for p in after.pairs] == [True, False]
    assert not is_clean(after)


@pytest.mark.parametrize(
    ("before", "now", "is_known"),
    [
        (Verdict.UNKNOWN, Verdict.RACE, False),
        (Verdict.UNKNOWN, Verdict.UNKNOWN, True),
        (Verdict.RACE, Verdict.UNKNOWN, True),
        (Verdict.RACE, Verdict.RACE, True),
    ],
)
def test_an_open_pair_that_becomes_a_race_is_new(path: Path, before: Verdict, now: Verdict, is_known: bool) -> None:
    after, gone = apply_baseline(check_result(pair(1, now)), known_of(path, check_result(pair(1, before))))
    assert after.pairs[0].is_known is is_known
    assert is_clean(after) is is_known
    assert gone == ()


def test_what_is_no_longer_found_is_told(path: Path) -> None:
    known = known_of(path, check_result(pair(1), pair(2), pair(3)))
    after, gone = apply_baseline(check_result(pair(1), pair(2, Verdict.RACE_FREE)), known)
    assert [k.fingerprint[-1] for k in gone] == ["2", "3"]
    assert not after.pairs[1].is_known
    assert str(gone[0]) == ("race on counter: read in worker (demo.c) and write in worker (demo.c) [0000000000000002]")


def test_a_run_that_came_to_no_pairs_says_nothing(path: Path) -> None:
    known = known_of(path, check_result(pair(1)))
    stopped = replace(check_result(pair(1, Verdict.UNKNOWN)), pairs=(), reason="time limit")
    after, gone = apply_baseline(stopped, known)
    assert gone == ()
    assert not is_clean(after)


def test_a_program_without_pairs_is_clean(path: Path) -> None:
    known = known_of(path, check_result(pair(1)))
    after, gone = apply_baseline(check_result(), known)
    assert after.verdict is Verdict.RACE_FREE
    assert gone == known
    assert is_clean(after)


def test_suppressed_findings_are_clean_and_are_not_written(path: Path) -> None:
    suppressed = replace(pair(1), suppressed="why")
    assert is_clean(check_result(suppressed))
    assert not is_clean(check_result(suppressed, pair(2)))
    assert [k.fingerprint[-1] for k in known_of(path, check_result(suppressed, pair(2)))] == ["2"]


def test_findings_without_fingerprint_are_not_known_and_not_written(path: Path) -> None:
    nameless = replace(pair(1), fingerprint="")
    after, _ = apply_baseline(check_result(nameless), (Known("0" * 16, Verdict.RACE, "x", ()),))
    assert not after.pairs[0].is_known
    with pytest.raises(InternalError, match="no fingerprint"):
        write_baseline(path, check_result(nameless))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a baseline"),
        ("[]", "no list `findings`"),
        ('{"findings": {}}', "no list `findings`"),
        ('{"findings": []}', "a baseline of version None"),
        ('{"version": 2, "findings": []}', "a baseline of version 2"),
        ('{"version": 1, "findings": [{"fingerprint": 3, "verdict": "race"}]}', "finding 1 of the baseline needs"),
        ('{"version": 1, "findings": [{"fingerprint": "3", "verdict": "race-free"}]}', "finding 1"),
        ('{"version": 1, "findings": [3]}', "finding 1"),
    ],
)
def test_a_file_that_is_no_baseline(path: Path, text: str, message: str) -> None:
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_baseline(path)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot be written"):
        write_baseline(tmp_path / "none" / "known.json", check_result(pair(1)))
