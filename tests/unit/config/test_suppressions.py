"""Which pairs a suppression is about, and that it changes nothing but the reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from unit.handmade import check_result, pair_result

from raceproof.config import Suppression, apply_suppressions
from raceproof.core import SourcePos
from raceproof.model import AccessKind, AccessResult, PairResult, Verdict


def access(function: str, kind: AccessKind = AccessKind.READ, file: str = "/home/me/project/src/log.c") -> AccessResult:
    return AccessResult(SourcePos(file, 3, 1), function, kind, "main thread", False, ())


def pair(
    number: int = 1,
    verdict: Verdict = Verdict.RACE,
    target: str = "stats.hits",
    first: AccessResult | None = None,
    second: AccessResult | None = None,
) -> PairResult:
    writes = access("log_hit", AccessKind.WRITE)
    reads = access("report", file="/home/me/project/src/report.c")
    return replace(pair_result(number, verdict, first or writes, second or reads, target), fingerprint=f"{number:016x}")


def fits(suppression: Suppression, found: PairResult) -> bool:
    _, unused = apply_suppressions(check_result(found), [suppression])
    return not unused


@pytest.mark.parametrize(
    ("suppression", "expected"),
    [
        (Suppression("x", target="stats.hits"), True),
        (Suppression("x", target="stats.*"), True),
        (Suppression("x", target="stats"), False),
        (Suppression("x", target="*hits"), True),
        (Suppression("x", function="log_*"), True),
        (Suppression("x", function="report"), True),
        (Suppression("x", function="log"), False),
        (Suppression("x", functions=("report", "log_*")), True),
        (Suppression("x", functions=("log_*", "report")), True),
        (Suppression("x", functions=("log_*", "log_*")), False),
        (Suppression("x", file="src/log.c"), True),
        (Suppression("x", file="log.c"), True),
        (Suppression("x", file="src/*.c"), True),
        (Suppression("x", file="./src/log.c"), True),
        (Suppression("x", file="og.c"), False),
        (Suppression("x", file="/home/me/project/src/log.c"), True),
        (Suppression("x", fingerprint="0000000000000001"), True),
        (Suppression("x", fingerprint="0000000000000002"), False),
        (Suppression("x", function="log_*", kind=AccessKind.WRITE), True),
        (Suppression("x", function="log_*", kind=AccessKind.READ), False),  # of the same access
        (Suppression("x", function="log_*", file="src/report.c"), False),
        (Suppression("x", target="stats.hits", kind=AccessKind.FREE), False),
        (Suppression("x", target="stats.hits", only=(Verdict.RACE,)), True),
        (Suppression("x", target="stats.hits", only=(Verdict.UNKNOWN,)), False),
        (Suppression("x", target="stats.hits", function="nobody"), False),
    ],
)
def test_every_condition_must_hold(suppression: Suppression, expected: bool) -> None:
    assert fits(suppression, pair()) is expected


@pytest.mark.parametrize(
    ("pattern", "target", "expected"),
    [
        ("accounts[*].balance", "accounts[*].balance", True),
        ("accounts[*].balance", "accounts[3].balance", True),
        ("accounts[0].*", "accounts[1].balance", False),
        ("node.next", "node.next (allocated at /src/list.c:12)", True),
        ("node.next (allocated)", "node.next (allocated at /src/list.c:12)", True),
        ("node.next*", "node.next (allocated at /src/list.c:12)", True),
        ("x", "x (local variable, a.c:3)", True),
        ("node", "node.next (allocated at /src/list.c:12)", False),
    ],
)
def test_targets_are_matched_as_they_are_printed_and_without_places(pattern: str, target: str, expected: bool) -> None:
    assert fits(Suppression("x", target=pattern), pair(target=target)) is expected


def test_an_access_without_a_place_is_in_no_file() -> None:
    nowhere = replace(access("f"), pos=None)
    assert not fits(Suppression("x", file="*"), pair(first=nowhere, second=nowhere))


def test_a_suppressed_race_stays_in_the_result_with_its_verdict() -> None:
    before = check_result(pair(1), pair(2, Verdict.UNKNOWN), pair(3, target="other"))
    after, unused = apply_suppressions(before, [Suppression("rough count", target="stats.hits")])
    assert unused == ()
    assert after.verdict is Verdict.RACE
    assert [p.suppressed for p in after.pairs] == ["rough count", "rough count", None]
    assert replace(after, pairs=tuple(replace(p, suppressed=None) for p in after.pairs)) == before


def test_the_first_reason_counts_and_all_that_fit_are_used() -> None:
    one, two, three = (Suppression(r, target=t) for r, t in (("one", "stats.*"), ("two", "*"), ("three", "no")))
    after, unused = apply_suppressions(check_result(pair()), [one, two, three])
    assert after.pairs[0].suppressed == "one"
    assert unused == (three,)
    assert str(three) == "target no (three)"


def test_a_proof_needs_no_suppression() -> None:
    proved = check_result(pair(verdict=Verdict.RACE_FREE))
    suppression = Suppression("x", target="*")
    assert apply_suppressions(proved, [suppression]) == (proved, (suppression,))


def test_a_suppression_says_what_it_is_about() -> None:
    suppression = Suppression("why", function="f", functions=("a", "b"), kind=AccessKind.READ, only=(Verdict.RACE,))
    assert str(suppression) == "function f, functions a and b, kind read, only race (why)"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ('function = "wroker"', "the program has no function `wroker`; did you mean `worker`?"),
        ('functions = ["worker", "mian"]', "the program has no function `mian`; did you mean `main`?"),
        ('file = "src/demo.c"', "the program has no file `src/demo.c`"),
        ('target = "conter.*"', "the program has no variable or type `conter`; did you mean `counter`?"),
        ('target = "count*"', None),
        ('function = "work*"\ntarget = "counter"\nfile = "demo.c"', None),
        ('fingerprint = "0123456789abcdef"', None),
        ('function = "wroker"\noptional = true', None),
    ],
)
def test_a_suppression_that_names_nothing_is_an_error(
    names: str, message: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from raceproof.cli import main

    monkeypatch.chdir(tmp_path)
    Path("demo.c").write_text("int counter;\nstatic void worker(void) { counter++; }\nint main(void) { worker(); }\n")
    Path("raceproof.toml").write_text(f'[[suppress]]\nreason = "x"\n{names}\n')
    status = main(["check", "--engines", "lockset", "demo.c"])
    told = capsys.readouterr().err
    assert (status == 2) == (message is not None), told
    assert message is None or f"raceproof.toml: [[suppress]] number 1: {message}" in told
