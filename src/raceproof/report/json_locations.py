"""Locations as JSON: what is accessed how, and which to look at first."""

from __future__ import annotations

from typing import Any

from raceproof.core import SourcePos
from raceproof.model import CheckResult, Verdict
from raceproof.report.advice import advice, fix
from raceproof.report.locations import AccessClass, Location, locations_of


def locations_to_json(result: CheckResult) -> list[Any]:
    """All locations, the one that most deserves a look first."""
    return [_location(result, location) for location in locations_of(result)]


def _location(result: CheckResult, location: Location) -> dict[str, Any]:
    counts = [sum(p.verdict is verdict for p in location.pairs) for verdict in Verdict]
    usual = location.usual_lock
    return {
        "name": location.name,
        "verdict": location.verdict.value,
        "rank": location.rank,
        "pairs": {verdict.value: count for verdict, count in zip(Verdict, counts, strict=True)},
        "classes": [_class(found) for found in location.classes],
        "usual_lock": {"lock": usual[0], "held": usual[1], "accesses": usual[2]} if usual is not None else None,
        "cause": location.cause,
        "advice": list(advice(result, location.undecided[0])) if location.undecided else [],
        "fix": fix(location, location.undecided[0]) if location.verdict is Verdict.RACE else None,
        "races": [p.id for p in location.pairs if p.verdict is Verdict.RACE],
    }


def _class(found: AccessClass) -> dict[str, Any]:
    return {
        "kind": found.kind.value,
        "atomic": found.is_atomic,
        "threads": [found.thread],
        "locks": list(found.locks),
        "note": found.note,
        "open": found.is_open,
        "sites": [{**_place(pos), "function": function} for pos, function in found.sites],
    }


def _place(pos: SourcePos | None) -> dict[str, str | int]:
    if pos is None:
        return {"file": "", "line": 0, "column": 0}
    return {"file": pos.file, "line": pos.line, "column": pos.column}
