"""The result as JSON. Other programs depend on these words: extend, never rename."""

from __future__ import annotations

import base64
from dataclasses import asdict

from raceproof.core import SourcePos
from raceproof.ir import FunctionModel, Result
from raceproof.model import (
    AccessResult,
    Assumption,
    BlockedThread,
    CertifiedNet,
    CheckResult,
    DeadlockAnswer,
    DeadlockResult,
    EngineReport,
    GivenInput,
    HeapMap,
    IncidentResult,
    InputResult,
    InvariantMap,
    Models,
    PairResult,
    Property,
    RaceResult,
    Run,
    RunSetup,
    RunStep,
    Sources,
    Surroundings,
    ThreadResult,
    TraceStep,
    Unwinding,
    Verdict,
    number_of,
)
from raceproof.report.json_heaps import heaps_to_json
from raceproof.report.json_invariants import invariants_to_json
from raceproof.report.json_locations import locations_to_json

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def to_json(result: CheckResult, with_all_pairs: bool = True) -> dict[str, Json]:
    """Everything in the result; where a place is not known, `file` is empty and `line` and `column` are 0.

    Without all pairs: only the races are spelled out, with the locations for the rest; their proofs are left out.
    """
    pairs = [p for p in result.pairs if with_all_pairs or p.verdict is Verdict.RACE]
    certificates = list(dict.fromkeys(p.certificate for p in pairs if p.certificate is not None))
    invariants = list(dict.fromkeys(p.invariants for p in pairs if p.invariants is not None))
    heaps = list(dict.fromkeys(p.heaps for p in pairs if p.heaps is not None))
    unwindings = list(dict.fromkeys(p.unwinding for p in pairs if p.unwinding is not None))
    explored = next((engine for engine in result.engines if "executions" in engine.stats), None)
    return {
        **_headline(result),
        "properties": _properties(result),
        "root": result.sources.root if result.sources is not None else None,
        "program": {"files": list(result.files)},
        "facts": result.facts.value if result.facts is not None else None,
        "locations": locations_to_json(result, with_all_pairs),
        "pairs": [_pair(pair, certificates, invariants, heaps, unwindings) for pair in pairs],
        "pairs_left_out": number_of(result.pairs) - len(pairs),
        "certificates": [_certificate(certificate) for certificate in certificates],
        "invariants": [invariants_to_json(found) for found in invariants],
        "heaps": [heaps_to_json(found) for found in heaps],
        "unwindings": [_unwinding(unwinding) for unwinding in unwindings],
        "engines": [_engine(engine) for engine in result.engines],
        "stats": dict(explored.stats) if explored is not None else {},
        "deadlocks": [deadlock_to_json(deadlock) for deadlock in result.deadlocks],
        "other": [incident_to_json(incident) for incident in result.other],
        "assumptions": [_assumption(a) for a in result.assumptions],
        "sources": _sources(result.sources) if result.sources is not None else None,
        "target": _target(result.sources),
        "replay": _replay(result.sources, result.setup),
        "notes": list(result.notes),
        "input": given_to_json(result.input) if result.input is not None else None,
        "obstacles": list(result.obstacles),
        "interrupted": result.interrupted,
        "seconds": round(result.seconds, 3),
        "version": result.version,
    }


def _headline(result: CheckResult) -> dict[str, Json]:
    """The verdict on data races, if they were asked about; else that on deadlocks."""
    if Property.DATA_RACE in result.asked or result.deadlock is None:
        scope = result.scope.value if result.scope is not None else None
        return {"verdict": result.verdict.value, "scope": scope, "reason": result.reason}
    return _answer(result.deadlock)


def _answer(answer: DeadlockAnswer) -> dict[str, Json]:
    scope = answer.scope.value if answer.scope is not None else None
    return {"verdict": answer.verdict.value, "scope": scope, "reason": answer.reason}


def _properties(result: CheckResult) -> list[Json]:
    """The answer on each property that was asked about."""
    found: list[Json] = []
    if Property.DATA_RACE in result.asked:
        found.append({"property": Property.DATA_RACE.value, **_headline(result), "engine": None, "evidence": []})
    if result.deadlock is not None:
        answer = result.deadlock
        evidence: list[Json] = list(answer.evidence)
        found.append(
            {
                "property": Property.DEADLOCK.value,
                **_answer(answer),
                "engine": answer.engine,
                "evidence": evidence,
            }
        )
    return found


def deadlock_to_json(deadlock: DeadlockResult) -> dict[str, Json]:
    return {
        "id": deadlock.id,
        **_place(deadlock.pos),
        "function": deadlock.function,
        "threads": [_blocked(blocked) for blocked in deadlock.blocked],
        "schedule": {
            **_run(deadlock.deadlock.run, deadlock.threads, deadlock.inputs),
            "site": deadlock.deadlock.site,
            "trace": [_step(step) for step in deadlock.trace.steps],
            "record": [_record(step) for step in deadlock.deadlock.record] or None,
            "blocked": [_record(step) for step in deadlock.deadlock.blocked],
        },
    }


def _blocked(blocked: BlockedThread) -> dict[str, Json]:
    return {
        "thread": blocked.thread,
        "operation": blocked.operation,
        "waits_for": blocked.waits_for,
        "holders": list(blocked.holders),
        "holds": [{"lock": held.lock, **_place(held.pos)} for held in blocked.held],
        **_place(blocked.pos),
        "function": blocked.function,
    }


def _pair(
    pair: PairResult,
    certificates: list[CertifiedNet],
    invariants: list[InvariantMap],
    heaps: list[HeapMap],
    unwindings: list[Unwinding],
) -> dict[str, Json]:
    """`certificate`, `invariants`, `heaps`, `unwinding`: their numbers in the lists of all, from 0."""
    return {
        "id": pair.id,
        "verdict": pair.verdict.value,
        "scope": pair.scope.value if pair.scope is not None else None,
        "engine": pair.engine,
        "target": pair.target,
        "accesses": [access_to_json(access) for access in pair.accesses],
        "access_ids": [pair.pair.first, pair.pair.second],
        "evidence": list(pair.evidence),
        "fingerprint": pair.fingerprint,
        "suppressed": pair.suppressed,
        "known": pair.is_known,
        "schedule": race_to_json(pair.race) if pair.race is not None else None,
        "certificate": certificates.index(pair.certificate) if pair.certificate is not None else None,
        "invariants": invariants.index(pair.invariants) if pair.invariants is not None else None,
        "heaps": heaps.index(pair.heaps) if pair.heaps is not None else None,
        "unwinding": unwindings.index(pair.unwinding) if pair.unwinding is not None else None,
    }


def _certificate(certificate: CertifiedNet) -> dict[str, Json]:
    """Why no pair of its net can be covered; pairs by their accesses, places by number."""
    return {
        "pairs": [list(pair) for pair in certificate.pairs],
        "places": certificate.places,
        "transitions": certificate.transitions,
        "digest": certificate.digest,
        "basis": [_tokens(marking) for marking in certificate.basis],
        "invariants": [{"weights": _tokens(weights), "bound": bound} for weights, bound in certificate.invariants],
    }


def _unwinding(unwinding: Unwinding) -> dict[str, Json]:
    """Which pairs were proved together, how far the program was unwound, and what others have to have proved."""
    return {
        "pairs": [list(pair) for pair in unwinding.pairs],
        "bound": unwinding.bound,
        "events": unwinding.events,
        "complete": unwinding.is_complete,
        "relies_on": [list(pair) for pair in unwinding.relies_on],
        "ends": list(unwinding.ends),
    }


def _tokens(marking: tuple[tuple[int, int], ...]) -> list[Json]:
    return [[place, count] for place, count in marking]


def race_to_json(race: RaceResult) -> dict[str, Json]:
    schedule = race.schedule
    return {
        **_run(schedule.run, race.threads, race.inputs),
        "accesses": list(schedule.accesses),
        "racers": list(schedule.racers),
        "together": schedule.together,
        "trace": [_step(step) for step in race.trace.steps] if race.trace is not None else None,
        "record": [_record(step) for step in schedule.record] or None,
    }


def _record(step: RunStep) -> list[Json]:
    """One line of the account of a run, in the words of the runtime; short, for there may be thousands."""
    return [
        step.role.value,
        step.thread,
        step.number,
        step.operation,
        step.access,
        step.site,
        step.address,
        step.size,
        step.order,
        step.result,
        step.object,
        step.kind,
        list(step.held),
    ]


def _step(step: TraceStep) -> dict[str, Json]:
    return {
        "thread": step.thread,
        "number": step.number,
        "operation": step.operation,
        "address": step.address,
        "value": step.value,
        "locks": list(step.held),
        **_place(step.pos),
        "function": step.function,
    }


def _run(run: Run, threads: tuple[ThreadResult, ...], inputs: tuple[InputResult, ...]) -> dict[str, Json]:
    """`steps`: thread by thread, each runs until it has done so many steps in all."""
    sites = {thread.id: thread.created_at for thread in run.threads}
    return {
        "steps": [[thread, until] for thread, until in run.turns],
        "inputs": list(run.inputs),
        "input_places": [{**_place(taken.pos), "function": taken.function} for taken in inputs],
        "threads": [
            {
                "id": thread.id,
                "parent": thread.parent,
                "function": thread.function,
                **_place(thread.created),
                "site": sites.get(thread.id),
            }
            for thread in threads
        ],
    }


def incident_to_json(incident: IncidentResult) -> dict[str, Json]:
    return {
        "id": incident.id,
        "kind": incident.kind,
        "message": incident.message,
        **_place(incident.pos),
        "function": incident.function,
        "thread": incident.thread,
        "schedule": _run(incident.run, incident.threads, incident.inputs),
    }


def _place(pos: SourcePos | None) -> dict[str, Json]:
    if pos is None:
        return {"file": "", "line": 0, "column": 0}
    return {"file": pos.file, "line": pos.line, "column": pos.column}


def given_to_json(given: GivenInput) -> dict[str, Json]:
    """What the executed program is given, and where it may ask for it."""
    return {
        "arguments": list(given.arguments),
        "stdin": given.stdin,
        "environment": dict(given.environment),
        "clients": list(given.clients),
        "servers": list(given.servers),
        "directory": given.directory,
        "reads": [
            {"kind": read.kind.value, "what": read.what, "name": read.name, **_place(read.pos)} for read in given.reads
        ],
        "accepted": given.is_accepted,
    }


def _target(sources: Sources | None) -> dict[str, Json] | None:
    """Where the program was run, if that is not this machine."""
    if sources is None or sources.target is None:
        return None
    return {"triple": sources.target.triple, "via": list(sources.target.vias)}


def _sources(sources: Sources) -> dict[str, Json]:
    """What was compiled and how: enough to do it again."""
    return {
        "files": [{"file": f.file, "flags": list(f.flags), "directory": f.directory} for f in sources.files],
        "data_model": sources.data_model,
        "headers": sources.headers,
        "compiler": sources.compiler,
        "entry": sources.entry,
        "root": sources.root,
        "digest": sources.digest,
        "left_out": list(sources.left_out),
        "target": _target(sources),
        "models": _models(sources.models),
    }


def _models(models: Models) -> dict[str, Json]:
    """What the user says about functions."""
    return {
        "locks": [{**asdict(model), "action": model.action.value} for model in models.locks],
        "safe": [asdict(model) for model in models.safe],
        "functions": [_function_model(model) for model in models.functions],
    }


def _function_model(model: FunctionModel) -> dict[str, Json]:
    returns = model.returns.value if isinstance(model.returns, Result) else model.returns
    lists = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(model).items()}
    return {**lists, "returns": returns}


def _replay(sources: Sources | None, setup: RunSetup | None) -> dict[str, Json] | None:
    """What `raceproof replay` needs beside a schedule; null if nothing was executed."""
    if sources is None or setup is None:
        return None
    return {
        **_sources(sources),
        "module": setup.module,
        "algorithm": setup.algorithm,
        "pairs": [list(pair) for pair in setup.pairs],
        "arguments": list(setup.arguments),
        "isolation": setup.isolation,
        "spurious": setup.spurious,
        "max_steps": setup.max_steps,
        "surroundings": _surroundings(setup.surroundings),
    }


def _surroundings(around: Surroundings) -> dict[str, Json]:
    return {
        "stdin": base64.b64encode(around.stdin).decode("ascii"),
        "environment": [list(variable) for variable in around.environment],
        "clients": list(around.clients),
        "servers": list(around.servers),
        "directory": around.directory,
        "libraries": list(around.libraries),
    }


def access_to_json(access: AccessResult) -> dict[str, Json]:
    return {
        **_place(access.pos),
        "function": access.function,
        "kind": access.kind.value,
        "thread": access.thread,
        "atomic": access.is_atomic,
        "locks": list(access.held),
        "calls": [str(pos) for pos in access.call_stack],
        "note": access.note,
    }


def _engine(engine: EngineReport) -> dict[str, Json]:
    return {
        "name": engine.name,
        "seconds": round(engine.seconds, 3),
        "proved": engine.proved,
        "witnessed": engine.witnessed,
        "open": engine.open,
        "stats": dict(engine.stats),
        "stopped": engine.stopped,
        "notes": list(engine.notes),
    }


def _assumption(assumption: Assumption) -> dict[str, Json]:
    return {
        "text": assumption.text,
        "file": assumption.pos.file if assumption.pos is not None else "",
        "line": assumption.pos.line if assumption.pos is not None else 0,
    }
