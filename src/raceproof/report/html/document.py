"""The result as the data of the page: positions and accesses by number, since thousands of pairs share them.

The page's scripts are the only reader; `report.json_format` is the format for others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from raceproof.model import (
    AccessResult,
    CheckResult,
    EngineReport,
    IncidentResult,
    InputResult,
    ObjectId,
    PairResult,
    RaceResult,
    RepairResult,
    Run,
    ThreadResult,
    Trace,
    TraceStep,
    Verdict,
)
from raceproof.report.advice import advice, fix
from raceproof.report.html.drawing import draw, switches
from raceproof.report.html.sources import AROUND_PROOFS, AROUND_STEPS, Places
from raceproof.report.json_format import Json
from raceproof.report.locations import locations_of


@dataclass(frozen=True, slots=True)
class Commands:
    """How to go on from the page. `report`: the JSON report to replay from; `check`: what writes it, empty if that has
    been done."""

    report: str = "REPORT.json"
    check: str = ""


def document(result: CheckResult, commands: Commands) -> dict[str, Json]:
    """Everything that the page shows."""
    return {**_Document(result).data(), "report": commands.report, "check": commands.check}


class _Document:
    def __init__(self, result: CheckResult) -> None:
        self._result = result
        self._places = Places()
        self._accesses: dict[AccessResult, int] = {}
        self._access_data: list[Json] = []
        self._locations: dict[tuple[str, ObjectId], int] = {}
        self._fixes: dict[int, str] = {}
        for location in locations_of(result):
            if location.verdict is Verdict.RACE:
                self._fixes |= {pair.id: fix(location, pair) for pair in location.undecided}

    def data(self) -> dict[str, Json]:
        result = self._result
        data: dict[str, Json] = {
            "verdict": result.verdict.value,
            "scope": result.scope.value if result.scope is not None else None,
            "reason": result.reason,
            "notes": list(result.notes),
            "files": list(result.files),
            "seconds": result.seconds,
            "version": result.version,
            "interrupted": result.interrupted,
            "arguments": list(result.setup.arguments) if result.setup is not None else [],
            "input": result.input.described(most=20) if result.input is not None and result.setup is not None else None,
            "isForThisInput": result.is_for_this_input,
            "engines": [_engine(engine) for engine in result.engines],
            "assumptions": [{"text": a.text, "place": self._places.number(a.pos, 0)} for a in result.assumptions],
            "pairs": [self._pair(pair) for pair in result.pairs],
            "incidents": [self._incident(incident) for incident in result.other],
        }
        places, sources = self._places.read()
        data["locations"] = [name for name, _ in self._locations]
        data["accesses"] = self._access_data
        data["places"], data["sources"] = places, sources
        return data

    def _pair(self, pair: PairResult) -> Json:
        location = self._locations.setdefault((pair.target, pair.pair.target.object), len(self._locations))
        data: dict[str, Json] = {
            "id": pair.id,
            "verdict": pair.verdict.value,
            "scope": pair.scope.value if pair.scope is not None else None,
            "engine": pair.engine,
            "location": location,
            "accesses": [self._access(access, pair.verdict) for access in pair.accesses],
            "evidence": list(pair.evidence),
            "fingerprint": pair.fingerprint,
            "suppressed": pair.suppressed,
            "known": pair.is_known,
            "alike": pair.alike,
        }
        if pair.verdict is Verdict.UNKNOWN:
            data["advice"] = list(advice(self._result, pair))
        if pair.race is not None:
            data["race"] = self._race(pair, pair.race)
            data["fix"] = self._fixes.get(pair.id)
            repair = next((each for each in self._result.repairs if pair.id in each.pairs), None)
            data["repair"] = _repair(repair) if repair is not None else None
        return data

    def _access(self, access: AccessResult, verdict: Verdict) -> int:
        around = AROUND_PROOFS if verdict is Verdict.RACE_FREE else AROUND_STEPS
        place = self._places.number(access.pos, around)
        if access not in self._accesses:
            self._accesses[access] = len(self._accesses)
            self._access_data.append(
                {
                    "place": place,
                    "function": access.function,
                    "kind": access.kind.value,
                    "thread": access.thread,
                    "atomic": access.is_atomic,
                    "held": list(access.held),
                    "calls": [self._places.number(pos, AROUND_PROOFS) for pos in access.call_stack],
                    "note": access.note,
                }
            )
        return self._accesses[access]

    def _race(self, pair: PairResult, race: RaceResult) -> Json:
        """`racers` and `accesses` in the order of the pair's accesses."""
        schedule, trace = race.schedule, race.trace
        racers = schedule.racers if schedule.accesses[0] == pair.pair.first else schedule.racers[::-1]
        accesses = pair.accesses
        if trace is not None and len(trace.racing) == 2:  # it knows better: this is what was executed
            racers = (trace.racing[0][0], trace.racing[1][0])
            accesses = (trace.racing[0][1], trace.racing[1][1])
        return {
            "racers": list(racers),
            "accesses": [self._access(access, pair.verdict) for access in accesses],
            "together": schedule.together,
            **self._run(schedule.run, trace.threads if trace is not None else race.threads, race.inputs),
            "trace": self._trace(trace) if trace is not None else None,
        }

    def _run(self, run: Run, threads: tuple[ThreadResult, ...], inputs: tuple[InputResult, ...]) -> dict[str, Json]:
        return {
            "turns": [[thread, until] for thread, until in run.turns],
            "inputs": list(run.inputs),
            "inputPlaces": [self._places.number(taken.pos) for taken in inputs],
            "threads": [
                {"id": t.id, "parent": t.parent, "function": t.function, "created": self._places.number(t.created)}
                for t in threads
            ],
        }

    def _trace(self, trace: Trace) -> Json:
        drawing = draw(trace)
        return {
            "steps": [self._step(step) for step in trace.steps],
            "target": trace.target,
            "ended": list(trace.ended),
            "repeated": trace.repeated,
            "digest": trace.digest,
            "drawing": {
                "lanes": list(drawing.lanes),
                "rows": list(drawing.rows),
                "edges": [[e.source, e.target, e.kind.value, e.label] for e in drawing.edges],
                "racing": list(drawing.racing),
            },
            "switches": [[s.at, s.stopped, s.goes_on, s.before] for s in switches(trace)],
        }

    def _step(self, step: TraceStep) -> Json:
        return {
            "thread": step.thread,
            "number": step.number,
            "operation": step.operation,
            "address": step.address,
            "value": step.value,
            "held": list(step.held),
            "place": self._places.number(step.pos),
            "function": step.function,
            "calls": [self._places.number(pos, AROUND_PROOFS) for pos in step.calls],
        }

    def _incident(self, incident: IncidentResult) -> Json:
        return {
            "id": incident.id,
            "kind": incident.kind,
            "message": incident.message,
            "place": self._places.number(incident.pos),
            "function": incident.function,
            "thread": incident.thread,
            **self._run(incident.run, incident.threads, incident.inputs),
        }


def _repair(repair: RepairResult) -> Json:
    return {
        "title": repair.title,
        "isProved": repair.is_proved,
        "patch": repair.patch,
        "together": list(repair.with_titles),
    }


def _engine(engine: EngineReport) -> Json:
    return {
        "name": engine.name,
        "seconds": engine.seconds,
        "proved": engine.proved,
        "witnessed": engine.witnessed,
        "open": engine.open,
        "stopped": engine.stopped,
        "notes": list(engine.notes),
        "stats": {name: _number(value) for name, value in engine.stats.items()},
    }


def _number(value: int | float | str) -> int | float | str:
    """JSON has no infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
