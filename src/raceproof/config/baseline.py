"""The baseline: findings that were there before, so that a run can tell what is new.

A JSON file with one finding on each line, sorted, so that its changes can be read in a review:

    {"fingerprint": "3f0c9a2be1d47756", "verdict": "race", "target": "hits", "accesses": ["read in f (a.c)", ...]}

A known finding stays in the result, with its verdict. One that was unknown and is now a race is new.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

from raceproof.core import InputError, InternalError
from raceproof.model import AccessResult, CheckResult, PairResult, Verdict, short_path, target_name

VERSION = 1


@dataclass(frozen=True, slots=True)
class Known:
    """A finding of an earlier run. All but fingerprint and verdict is for people."""

    fingerprint: str
    verdict: Verdict
    target: str
    accesses: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.verdict.value} on {self.target}: {' and '.join(self.accesses)} [{self.fingerprint}]"


def read_baseline(path: Path) -> tuple[Known, ...]:
    """Raises `InputError` if the file is not there, or is no baseline."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: the baseline cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not a baseline: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("findings"), list):
        raise InputError(f"{path}: not a baseline: it has no list `findings`")
    if data.get("version") != VERSION:
        raise InputError(f"{path}: a baseline of version {data.get('version')!r}, but this raceproof reads {VERSION}")
    return tuple(_known(path, number, entry) for number, entry in enumerate(data["findings"], start=1))


def write_baseline(path: Path, result: CheckResult) -> None:
    """Write the findings of `result` that are not suppressed. The old file stays if the new one cannot be written."""
    entries = sorted(
        map(_entry, _findings(result)), key=lambda known: (known.target, known.accesses, known.fingerprint)
    )
    lines = ",\n".join(f"    {json.dumps(_as_json(known), ensure_ascii=False)}" for known in entries)
    findings = f"[\n{lines}\n  ]" if entries else "[]"
    text = f'{{\n  "version": {VERSION},\n  "findings": {findings}\n}}\n'
    beside = path.with_name(f"{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8", errors="backslashreplace")
        os.replace(beside, path)
    except OSError as error:
        raise InputError(f"{path}: the baseline cannot be written: {error.strerror}") from error


def apply_baseline(result: CheckResult, baseline: tuple[Known, ...]) -> tuple[CheckResult, tuple[Known, ...]]:
    """The result with its known findings marked, and what the baseline has that is no longer found.

    A run that ended before there were any pairs says nothing about what is no longer found.
    """
    known = {entry.fingerprint: entry.verdict for entry in baseline}
    pairs = tuple(replace(pair, is_known=_is_known(pair, known)) for pair in result.pairs)
    found = {pair.fingerprint for pair in pairs if _is_finding(pair)}
    gone = tuple(entry for entry in baseline if entry.fingerprint not in found)
    is_empty_handed = not pairs and result.verdict is Verdict.UNKNOWN
    return replace(result, pairs=pairs), () if is_empty_handed else gone


def is_clean(result: CheckResult) -> bool:
    """Whether every race and every open pair is known or suppressed. A run that came to no pairs is not clean."""
    findings = [pair for pair in result.pairs if _is_finding(pair)]
    if result.verdict is Verdict.UNKNOWN and not findings:
        return False
    return all(pair.is_known or pair.suppressed is not None for pair in findings)


def _is_finding(pair: PairResult) -> bool:
    return pair.verdict is not Verdict.RACE_FREE


def _is_known(pair: PairResult, known: dict[str, Verdict]) -> bool:
    before = known.get(pair.fingerprint)
    is_worse = pair.verdict is Verdict.RACE and before is Verdict.UNKNOWN
    return _is_finding(pair) and before is not None and not is_worse


def _findings(result: CheckResult) -> list[PairResult]:
    return [pair for pair in result.pairs if _is_finding(pair) and pair.suppressed is None]


def _entry(pair: PairResult) -> Known:
    if not pair.fingerprint:
        raise InternalError(f"pair {pair.id} has no fingerprint")
    accesses = tuple(sorted(map(_describe, pair.accesses)))
    return Known(pair.fingerprint, pair.verdict, target_name(pair.target), accesses)


def _describe(access: AccessResult) -> str:
    file = f" ({short_path(access.pos.file)})" if access.pos is not None else ""
    return f"{access.kind.value} in {access.function}{file}"


def _as_json(known: Known) -> dict[str, object]:
    return {
        "fingerprint": known.fingerprint,
        "verdict": known.verdict.value,
        "target": known.target,
        "accesses": list(known.accesses),
    }


def _known(path: Path, number: int, entry: object) -> Known:
    match entry:
        case {"fingerprint": str(fingerprint), "verdict": "race" | "unknown" as verdict, **rest}:
            accesses = rest.get("accesses")
            shown = tuple(map(str, accesses)) if isinstance(accesses, list) else ()
            return Known(fingerprint, Verdict(verdict), str(rest.get("target", "")), shown)
    raise InputError(f"{path}: finding {number} of the baseline needs `fingerprint` and `verdict` (race or unknown)")
