"""The truth comments of the programs in `tests/programs`: which line takes part in a race, which does not.

    x = 1;        // race
    y = 1;        // no-race
    z = 1;        // no-race alarm(lockset): why this engine may not see it
    w = 1;        // race missed(explore): why this engine, which looks for races, does not find it

Several engines are separated by `;`: `// no-race alarm(lockset): why; alarm(petri): why`. A comment that looks
like a mark and is not one is an error, so that a slip of the pen does not silently lose a truth.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

PROGRAMS = Path(__file__).resolve().parent / "programs"
ENGINES = ("lockset", "shapes", "petri", "transactions", "bmc", "explore")
FINDERS = ("bmc", "explore")
"""Engines that look for races. One that only proves must not miss any."""

_COMMENT = re.compile(r"""^(?P<code>(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|/(?!/)|[^"'/])*)//(?P<text>.*)$""")
_LOOKS_LIKE_MARK = re.compile(r"\s*(no[- _]?)?(race|alarm|missed)\b(?!-)", re.IGNORECASE)
_MARK = re.compile(r" (?P<truth>race|no-race)(?: (?P<known>(?:alarm|missed)\(.*))?")
_KNOWN = re.compile(r"(?P<what>alarm|missed)\((?P<engine>\w+)\): (?P<reason>\S.*)")


class MalformedTruth(Exception):
    """A truth comment that cannot be understood, with its file and line."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a line says, and why engines known to be too weak say something else.

    `alarms`: they do not prove it, only without a race; `missed`: they do not find it, only with a race.
    """

    race: bool
    alarms: Mapping[str, str]
    missed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Truth:
    """The marks of one program by line, counted from one. A line without a mark claims nothing."""

    path: Path
    lines: Mapping[int, Mark]

    @property
    def race_lines(self) -> frozenset[int]:
        return frozenset(line for line, mark in self.lines.items() if mark.race)

    @property
    def is_racy(self) -> bool:
        return any(mark.race for mark in self.lines.values())

    def announces(self, engine: str) -> bool:
        """Whether some line says that the engine is too weak for it."""
        return any(engine in mark.alarms or engine in mark.missed for mark in self.lines.values())


def all_programs() -> list[Path]:
    return sorted(PROGRAMS.rglob("*.c"))


def program_name(path: Path) -> str:
    return path.relative_to(PROGRAMS).with_suffix("").as_posix()


def number_of(name: str) -> int:
    """The same for a name wherever it stands in a list: a program more does not change which others are drawn."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4])


def sample(paths: Sequence[Path], every: int) -> list[Path]:
    """One in `every` of the programs, drawn by name."""
    return [path for path in paths if number_of(program_name(path)) % every == 0]


def read_truth(path: Path) -> Truth:
    return parse_truth(path, path.read_text(encoding="utf-8"))


def parse_truth(path: Path, text: str) -> Truth:
    """Parse the marks of `text`; raise MalformedTruth for one that is wrong, or if there is none."""
    lines: dict[int, Mark] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        comment = _COMMENT.match(line)
        if comment is None or not _LOOKS_LIKE_MARK.match(comment["text"]):
            continue
        where = f"{path}:{number}"
        if not comment["code"].strip():
            raise MalformedTruth(f"{where}: a mark on a line without code")
        lines[number] = _parse_mark(where, comment["text"].rstrip())
    if not lines:
        raise MalformedTruth(f"{path}: no line has a mark")
    return Truth(path, MappingProxyType(lines))


def _parse_mark(where: str, text: str) -> Mark:
    mark = _MARK.fullmatch(text)
    if mark is None:
        raise MalformedTruth(f"{where}: not a mark: //{text}")
    race = mark["truth"] == "race"
    word = "missed" if race else "alarm"
    known: dict[str, str] = {}
    for part in re.split(r"; (?=(?:alarm|missed)\()", mark["known"]) if mark["known"] is not None else ():
        found = _KNOWN.fullmatch(part)
        if found is None:
            raise MalformedTruth(f"{where}: not an alarm, nor a race that is missed: {part}")
        if found["what"] != word:
            raise MalformedTruth(f"{where}: an alarm on a race line is right, and what is no race cannot be missed")
        if found["engine"] not in ENGINES:
            raise MalformedTruth(f"{where}: no engine is called {found['engine']}")
        if race and found["engine"] not in FINDERS:
            raise MalformedTruth(f"{where}: {found['engine']} only proves: it must not miss a race")
        if found["engine"] in known:
            raise MalformedTruth(f"{where}: {found['engine']} twice")
        known[found["engine"]] = found["reason"]
    nothing: Mapping[str, str] = MappingProxyType({})
    weak = MappingProxyType(known)
    return Mark(race=True, alarms=nothing, missed=weak) if race else Mark(race=False, alarms=weak, missed=nothing)
