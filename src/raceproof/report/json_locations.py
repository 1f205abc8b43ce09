"""Locations as JSON: what is accessed how, and which to look at first."""

from __future__ import annotations

from typing import Any

from raceproof.core import SourcePos
from raceproof.model import CheckResult, Verdict, number_of
from raceproof.report.advice import advice, fix
from raceproof.report.locations import AccessClass, Location, locations_of

MAX_SITES = 20
"""Of a class, in a large result."""


def locations_to_json(result: CheckResult, with_all_sites: bool = True) -> list[Any]:
    """All locations, the one that most deserves a look first."""
    most = None if with_all_sites else MAX_SITES
    return [_location(result, location, most) for location in locations_of(result)]


def _location(result: CheckResult, location: Location, most: int | None) -> dict[str, Any]:
    counts = [number_of(p for p in location.pairs if p.verdict is verdict) for verdict in Verdict]
    usual = location.usual_lock
    return {
        "name": location.name,
        "verdict": location.verdict.value,
        "rank": location.rank,
        "pairs": {verdict.value: count for verdict, count in zip(Verdict, counts, strict=True)},
        "classes": [_class(found, most) for found in location.classes],
        "usual_lock": {"lock": usual[0], "held": usual[1], "accesses": usual[2]} if usual is not None else None,
        "cause": location.cause,
        "advice": list(advice(result, location.undecided[0])) if location.undecided else [],
        "fix": fix(location, location.undecided[0]) if location.verdict is Verdict.RACE else None,
        "races": [p.id for p in location.pairs if p.verdict is Verdict.RACE],
    }


def _class(found: AccessClass, most: int | None) -> dict[str, Any]:
    sites = found.sites[:most]
    return {
        "kind": found.kind.value,
        "atomic": found.is_atomic,
        "threads": [found.thread],
        "locks": list(found.locks),
        "note": found.note,
        "open": found.is_open,
        "sites": [{**_place(pos), "function": function} for pos, function in sites],
        "sites_left_out": len(found.sites) - len(sites),
    }


def _place(pos: SourcePos | None) -> dict[str, str | int]:
    if pos is None:
        return {"file": "", "line": 0, "column": 0}
    return {"file": pos.file, "line": pos.line, "column": pos.column}
