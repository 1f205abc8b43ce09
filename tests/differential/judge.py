"""One program before both judges: does the static analysis prove a pair that the interpreter saw racing?"""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from pathlib import Path

from differential.preamble import compile_program
from raceproof.core import Budget, InputError, LimitReached, Unsupported
from raceproof.facts import analyse, race_pairs
from raceproof.interpreter import Exploration, NotSupported, RaceKey, explore
from raceproof.ir import Program
from raceproof.lockset import LocksetOptions, run
from raceproof.model import ConcurrentProgram, Verdict

ANALYSIS_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Unsound:
    """A race that was seen, and what the analysis says instead."""

    lines: tuple[int, int]
    kinds: tuple[str, str]
    object: str
    claim: str
    is_first: bool

    def __str__(self) -> str:
        first = "" if self.is_first else ", after another race"
        return (
            f"{self.kinds[0]} in line {self.lines[0]} and {self.kinds[1]} in line {self.lines[1]} of {self.object} "
            f"race{first}; the analysis says: {self.claim}"
        )


@dataclass(slots=True)
class Judgement:
    """`skipped` says why nothing was compared; `crash` what the analysis raised."""

    skipped: str | None = None
    crash: str | None = None
    unsound: list[Unsound] = field(default_factory=list)
    is_complete: bool = False
    is_racy: bool = False
    is_proved: bool = False
    open_lines: list[str] = field(default_factory=list)
    executions: int = 0


def judge(text: str, directory: Path, max_executions: int = 20_000, seconds: float = 20.0) -> Judgement:
    """Compile, analyse, explore, compare."""
    result = Judgement()
    try:
        program = compile_program(text, directory)
    except InputError as error:
        result.skipped = f"not C: {error}"
        return result
    except Unsupported as error:
        result.skipped = f"front end: {error}"
        return result
    proved = _analyse(program, result)
    if proved is None:
        return result
    try:
        seen = explore(program, max_executions, seconds)
    except NotSupported as error:
        result.skipped = f"interpreter: {error}"
        return result
    result.is_complete = seen.is_complete
    result.is_racy = bool(seen.races)
    result.executions = seen.executions
    _compare(program, seen, proved, result)
    return result


def _analyse(program: Program, result: Judgement) -> tuple[ConcurrentProgram, dict[RaceKey, str], set[RaceKey]] | None:
    """What is proved, with the reasons, and what stays open, by site and kind."""
    budget = Budget.seconds(ANALYSIS_SECONDS)
    try:
        cp = analyse(program, budget)
        pairs = race_pairs(cp)
        found = run(cp, pairs, LocksetOptions(), budget)
    except (Unsupported, LimitReached) as error:
        result.skipped = f"analysis: {error}"
        if isinstance(error, LimitReached):
            result.crash = f"analysis: {error}"
        return None
    except Exception:
        result.crash = traceback.format_exc()
        return None
    if found.stopped is not None:
        result.skipped = found.stopped
        result.crash = f"analysis: {found.stopped}"
        return None
    proved: dict[RaceKey, str] = {}
    left: set[RaceKey] = set()
    for finding in found.findings:
        a, b = cp.accesses[finding.pair.first], cp.accesses[finding.pair.second]
        ends = sorted([(int(a.site), a.kind.value), (int(b.site), b.kind.value)])
        key = (ends[0], ends[1])
        if finding.verdict is Verdict.RACE_FREE and isinstance(finding.evidence, tuple):
            proved[key] = "; ".join(map(str, finding.evidence))
        else:
            left.add(key)
            lines = [access.pos.line if access.pos is not None else 0 for access in (a, b)]
            result.open_lines.append(f"{lines[0]}-{lines[1]}: {finding.evidence}")
    result.is_proved = not left
    return cp, proved, left


def _compare(
    program: Program,
    seen: Exploration,
    static: tuple[ConcurrentProgram, dict[RaceKey, str], set[RaceKey]],
    result: Judgement,
) -> None:
    _, proved, left = static
    at = program.instructions_by_site()
    for key, race in sorted(seen.races.items()):
        if key in left:
            continue
        claim = proved.get(key, "no such pair: not shared, or never the same bytes")
        positions = [at[site][1].pos for site, _ in key]  # type: ignore[index]
        lines = [pos.line if pos is not None else 0 for pos in positions]
        result.unsound.append(Unsound((lines[0], lines[1]), (key[0][1], key[1][1]), race.object, claim, race.is_first))
