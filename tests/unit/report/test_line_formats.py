"""A line for each finding."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from unit.handmade import access_result, check_result, pair_result

from raceproof.model import AccessKind, CheckResult, Verdict
from raceproof.report import LINE_FORMATS, write_lines


def lines(result: CheckResult, form: str) -> list[str]:
    stream = io.StringIO()
    write_lines(result, stream, form)
    return stream.getvalue().splitlines()


MIXED = check_result(
    pair_result(1, target="maybe"),
    pair_result(2, Verdict.RACE, target="surely"),
    pair_result(3, Verdict.RACE_FREE, target="never"),
)


def test_races_come_first_and_proofs_are_silent() -> None:
    first, second = lines(MIXED, "gcc")
    assert first.startswith(
        "demo.c:10:5: warning: data race: surely: write here, read at demo.c:22 in another thread; "
    )
    assert second.startswith("demo.c:10:5: note: possible data race: maybe: write here, ")
    assert second.endswith("not proved: no common lock, and nothing orders the two [raceproof]")


def test_the_line_is_where_a_lock_is_missing() -> None:
    read = access_result(22, AccessKind.READ, "main thread")
    pair = pair_result(1, Verdict.RACE, first=access_result(held=("m",)), second=read)
    (line,) = lines(check_result(pair), "gcc")
    assert line.startswith("demo.c:22:5: warning: data race: counter: read here, write at demo.c:10 in another thread;")


def test_an_access_against_itself() -> None:
    access = access_result()
    (line,) = lines(check_result(pair_result(1, Verdict.RACE, access, access)), "gcc")
    assert "write here, the same in another thread; " in line


def test_github_reads_levels_and_properties_of_its_own() -> None:
    first, second = lines(MIXED, "github")
    assert first.startswith("::error file=demo.c,line=10,col=5,title=data race::surely: write here, ")
    assert second.startswith("::notice file=demo.c,line=10,col=5,title=possible data race::maybe: ")
    odd = access_result(file="a,b:c%.c")
    (line,) = lines(check_result(pair_result(1, Verdict.RACE, odd, odd, target="100%")), "github")
    assert line.startswith("::error file=a%2Cb%3Ac%25.c,line=10,col=5,title=data race::100%25: ")


@pytest.mark.parametrize("form", LINE_FORMATS)
def test_code_without_a_line(form: str) -> None:
    nowhere = replace(access_result(), pos=None)
    (line,) = lines(check_result(pair_result(1, Verdict.RACE, nowhere, access_result(held=("m",)))), form)
    assert "data race" in line
    assert "None" not in line
