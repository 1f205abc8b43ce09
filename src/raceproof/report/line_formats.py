"""Findings a line each, for editors, build logs and continuous integration.

gcc:    bank.c:37:38: warning: data race on account.balance: read here, write at bank.c:22; hold account.lock ...
github: ::error file=bank.c,line=37,col=38,title=data race::account.balance: read here, ...

A race is an error for GitHub and a warning for gcc's readers, as the compiler's warnings; what is open is a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from raceproof.core import SourcePos
from raceproof.model import CheckResult, Property, Verdict
from raceproof.report.advice import fix
from raceproof.report.deadlocks import explain_blocked
from raceproof.report.locations import Location, locations_of
from raceproof.report.terminal import place

LINE_FORMATS = ("gcc", "github")
_GITHUB_LEVELS = {"warning": "error", "note": "notice"}


@dataclass(frozen=True, slots=True)
class _Line:
    pos: SourcePos | None
    level: str
    title: str
    message: str


def write_lines(result: CheckResult, stream: TextIO, form: str) -> None:
    """All races and deadlocks, then what is open."""
    write = _github if form == "github" else _gcc
    for line in _lines(result):
        stream.write(write(line) + "\n")


def _lines(result: CheckResult) -> Iterator[_Line]:
    locations = locations_of(result) if Property.DATA_RACE in result.asked else ()
    for location in locations:
        if location.verdict is Verdict.RACE:
            yield _about(location, "warning", "data race")
    for deadlock in result.deadlocks:
        yield _Line(deadlock.pos, "warning", "deadlock", "; ".join(explain_blocked(deadlock)))
    for location in locations:
        if location.verdict is Verdict.UNKNOWN and location.undecided:
            yield _about(location, "note", "possible data race")


def _about(location: Location, level: str, title: str) -> _Line:
    """At the access that holds least, which is where most races are repaired."""
    pair = location.undecided[0]
    first, second = sorted(pair.accesses, key=lambda access: (access.pos is None, len(access.held)))
    other = place(second.pos) if second.pos is not None else f"`{second.function}`"
    with_other = "the same" if first.pos == second.pos else f"{second.kind.value} at {other}"
    advice = fix(location, pair) if location.verdict is Verdict.RACE else f"not proved: {location.cause}"
    message = f"{location.name}: {first.kind.value} here, {with_other} in another thread; {advice}"
    return _Line(first.pos, level, title, message)


def _gcc(line: _Line) -> str:
    where = f"{line.pos}: " if line.pos is not None else ""
    return f"{where}{line.level}: {line.title}: {line.message} [raceproof]"


def _github(line: _Line) -> str:
    at = f"file={_escaped(line.pos.file)},line={line.pos.line},col={line.pos.column}," if line.pos is not None else ""
    return f"::{_GITHUB_LEVELS[line.level]} {at}title={line.title}::{line.message.replace('%', '%25')}"


def _escaped(text: str) -> str:
    """As GitHub's workflow commands want properties."""
    return text.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
