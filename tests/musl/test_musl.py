"""The tables of library functions against musl's sources: a sample in every run, all of them in `make soak`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from musl import comparison, sources, syscalls
from musl.comparison import Outcome, comparable, compare, justified, sample, summary, unused_lines
from raceproof.facts.library.effect_terms import both, n, rd, wr
from raceproof.facts.library.effects import Bytes, Effect, Returns
from raceproof.facts.library.libc import EFFECTS

SHARE = 7


def _all(names: tuple[str, ...]) -> list[Outcome]:
    outcomes = [compare(name) for name in names]
    wrong = [f"{outcome.name}: {text}" for outcome in outcomes for text in outcome.missing]
    assert not wrong, "\n".join(wrong)
    return outcomes


def test_a_sample_of_the_rows_says_all_that_musl_does() -> None:
    names = sample(SHARE)
    assert len(names) > len(comparable()) // (2 * SHARE)
    _all(names)


@pytest.mark.slow
def test_every_row_says_all_that_musl_does() -> None:
    outcomes = _all(comparable())
    assert not unused_lines(outcomes, justified())
    counts = summary(outcomes)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    assert counts["compared"] > 900


# A row that was spoiled, and what the comparison must say about it.
SPOILED = {
    "a write is missing": ("gmtime_r", lambda row: replace(row, writes=()), "writes arg 1"),
    "a read is missing": ("asctime_r", lambda row: replace(row, reads=()), "reads arg 0"),
    "a write is called a read": ("time", lambda row: Effect(reads=row.writes), "writes arg 0"),
    "a structure is too small": ("gettimeofday", lambda row: both(wr(0, Bytes(8)), wr(1, Bytes(8))), "writes arg 0"),
    "what a pointer in an argument leads to": ("strftime", lambda row: both(wr(0, n(1)), rd(2), rd(3)), "reads *arg 3"),
    "a system call writes": ("fstat", lambda row: Effect(), "writes arg 1"),
    "a system call writes two pointers away": ("readv", lambda row: rd(1, n(2, unit=16)), "writes *arg 1"),
    "a static buffer": ("inet_ntoa", lambda row: Effect(), "writes static inet_ntoa buffer"),
    "a static buffer that is returned": (
        "ptsname",
        lambda row: replace(row, returns=Returns.NOTHING),
        "returns static ptsname",
    ),
    "a static buffer of a function that it calls": ("ctime", lambda row: rd(0), "writes static time buffer"),
    "the environment": ("putenv", lambda row: rd(0), "writes static environ"),
    "memory is freed": ("closedir", lambda row: rd(0), "frees arg 0"),
    "the result is an argument": ("inet_ntop", lambda row: replace(row, returns=Returns.NOTHING), "returns arg 2"),
    "the result is new": ("tempnam", lambda row: replace(row, returns=Returns.NOTHING), "returns fresh"),
    "a pointer that is stored in an argument": (
        "getpwnam_r",
        lambda row: replace(row, stores=()),
        "stores arg 2 in arg 1",
    ),
    "an array of pointers in the buffer": (
        "getgrnam_r",
        lambda row: replace(row, stores=tuple(pair for pair in row.stores if pair != (2, 2))),
        "stores arg 2 in arg 2",
    ),
    "new memory that is stored in an argument": (
        "scandir",
        lambda row: replace(row, fresh_into=()),
        "stores fresh in arg 1",
    ),
    "a callback": ("scandir", lambda row: replace(row, calls=row.calls[:1]), "calls arg 3"),
    "a stream without its lock": ("fputc_unlocked", lambda row: Effect(), "writes arg 1"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_row_is_found(name: str) -> None:
    function, spoil, expected = SPOILED[name]
    assert not compare(function).missing
    assert expected in compare(function, spoil(EFFECTS[function])).missing


@pytest.mark.parametrize("function", ["fputs", "fseek", "fgetpos", "ftell"])
def test_what_a_stream_does_under_its_lock_needs_no_row(function: str) -> None:
    assert not compare(function).missing
    assert not {text for name, text in compare(function).used if name == function}


def test_a_line_that_nothing_needs_is_found() -> None:
    known = justified()
    stale = replace(known, functions={**known.functions, "time": {"writes arg 7": "no longer"}})
    assert "time: writes arg 7" in unused_lines([compare("time", known=stale)], stale)


def test_a_function_that_does_not_compile_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> tuple[frozenset[object], int]:
        raise comparison.InputError(f"{name}: no such header")

    monkeypatch.setattr(comparison, "body_of", broken)
    assert compare("time").missing


def test_the_sample_does_not_depend_on_positions() -> None:
    assert "time" in comparable()
    assert set(sample(SHARE)) < set(comparable())
    assert sample(SHARE) == tuple(sorted(sample(SHARE)))


def test_every_system_call_of_the_model_exists() -> None:
    assert syscalls.touches(0) == ((1, "write", 0),)  # read(fd, buffer, count)
    assert syscalls.touches(None) == syscalls.touches(999_999) != ()
    assert (sources.root() / "src").is_dir()
