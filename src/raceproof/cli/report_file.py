"""Read back what `--json` wrote: a race or another incident with everything needed to run it again, or all claims."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from raceproof import evidence, explore, facts, frontend
from raceproof.cli.report_heaps import heaps_of
from raceproof.cli.report_invariants import invariants_of
from raceproof.core import Budget, InputError, LimitReached, ToolMissing
from raceproof.ir import FunctionModel, Program, Result, SiteId
from raceproof.model import (
    AccessId,
    CertifiedNet,
    ConcurrentProgram,
    Deadlock,
    DeadlockVerdict,
    HeapMap,
    InvariantMap,
    LockAction,
    LockModel,
    Models,
    Property,
    Role,
    Run,
    RunSetup,
    RunStep,
    RunThread,
    SafeFunction,
    Schedule,
    Scope,
    Strength,
    Surroundings,
    TargetMachine,
    Unwinding,
    Verdict,
)

# Any: fields of a file; each is checked by the conversion of its reader, whose failure is one `InputError`.
T = TypeVar("T")
Fields = Mapping[str, Any]
_DEEPEST = 2000
_DAMAGED = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


@dataclass(frozen=True, slots=True)
class Reported:
    """One run of a report: a race has its `schedule`; a deadlock its kind, another incident also its thread.

    `is_violation`: of a property, not only an incident on the way. `target`: where it happened, if not on this machine.
    `facts`: the strength of those that its pairs are of.
    """

    id: int
    request: frontend.CompileRequest
    models: Models
    setup: RunSetup
    run: Run
    schedule: Schedule | None
    kind: str = ""
    thread: int | None = None
    is_violation: bool = False
    target: TargetMachine | None = None
    facts: Strength = Strength.FULL


@dataclass(frozen=True, slots=True)
class ReportedClaims:
    """All that a report claims; `setup` if something was executed for it. `fields`: the report as it stands. `facts`:
    the strength of those that it rests on."""

    request: frontend.CompileRequest
    models: Models
    setup: RunSetup | None
    digest: str
    claims: evidence.ReportClaims
    fields: Fields
    facts: Strength


def read_claims(path: Path, root: Path | None = None) -> ReportedClaims:
    """Everything that the report claims, with what to compile; `root` is where the program is now, if it was moved."""
    fields = _read(path)
    try:
        replay = fields["replay"]
        sources = replay or fields["sources"]
        if sources is None:
            raise InputError(f"{path}: does not say what was compiled: check the program again")
        certificates = [_certificate(certificate) for certificate in fields.get("certificates", [])]
        invariants = [invariants_of(found) for found in fields.get("invariants", [])]
        heaps = [heaps_of(found) for found in fields.get("heaps", [])]
        unwindings = [_unwinding(found) for found in fields.get("unwindings", [])]
        asked, on_races, on_deadlocks = _answers(fields)
        claims = evidence.ReportClaims(
            verdict=Verdict(on_races["verdict"]) if on_races is not None else Verdict.UNKNOWN,
            scope=_scope(on_races) if on_races is not None else None,
            pairs=tuple(_claim(pair, certificates, invariants, heaps, unwindings) for pair in fields["pairs"]),
            is_accepted=bool((fields.get("input") or {}).get("accepted", False)),
            reads=len(fields["input"]["reads"]) if fields.get("input") is not None else None,
            engines=tuple((str(e["name"]), int(e["proved"]), int(e["witnessed"])) for e in fields.get("engines", ())),
            assumptions=tuple(str(assumption["text"]) for assumption in fields.get("assumptions", ())),
            asked=asked,
            deadlock=_deadlock_claim(on_deadlocks) if on_deadlocks is not None else None,
            deadlocks=tuple(_deadlock(entry) for entry in fields.get("deadlocks", ())),
            incidents=tuple(_incident(entry) for entry in fields.get("other", ())),
            left_out=int(fields.get("pairs_left_out", 0)),
        )
        for what, entries in (("pairs", claims.pairs), ("deadlocks", claims.deadlocks), ("other", claims.incidents)):
            if len({entry.id for entry in entries if entry.id > 0}) != len(entries):
                raise ValueError(f"{what} need numbers of their own, from 1")
        setup = _setup(replay) if replay is not None else None
        digest = str(sources.get("digest", ""))
        models = _models(sources)
        request = _request(sources, root, models)
        return ReportedClaims(request, models, setup, digest, claims, fields, _strength(fields))
    except _DAMAGED as error:
        raise InputError(f"{path}: not a report of raceproof that can be checked ({_what(error)})") from None


def _answers(fields: Fields) -> tuple[tuple[Property, ...], Fields | None, Fields | None]:
    """The properties that the report answers, and the answers. Reports of earlier versions are about races only."""
    if "properties" not in fields:
        return (Property.DATA_RACE,), fields, None
    answers = {Property(entry["property"]): entry for entry in fields["properties"]}
    if not answers or len(answers) != len(fields["properties"]):
        raise ValueError("properties")
    return tuple(answers), answers.get(Property.DATA_RACE), answers.get(Property.DEADLOCK)


def _deadlock_claim(entry: Fields) -> evidence.DeadlockClaim:
    engine = str(entry["engine"]) if entry["engine"] is not None else None
    return evidence.DeadlockClaim(DeadlockVerdict(entry["verdict"]), _scope(entry), engine)


def _deadlock(entry: Fields) -> evidence.ExecutedDeadlock:
    fields = entry["schedule"]
    blocked = tuple(_step(line) for line in fields["blocked"])
    if not blocked:
        raise ValueError("a deadlock in which no thread waits")
    site = SiteId(int(fields["site"])) if fields["site"] is not None else None
    record = tuple(_step(line) for line in fields.get("record") or ())
    return evidence.ExecutedDeadlock(int(entry["id"]), Deadlock(_run(fields), site, blocked, record=record))


def _incident(entry: Fields) -> evidence.IncidentClaim:
    return evidence.IncidentClaim(
        id=int(entry["id"]),
        kind=str(entry["kind"]),
        message=str(entry["message"]),
        thread=int(entry["thread"]),
        run=_run(entry["schedule"]),
    )


def _claim(
    pair: Fields,
    certificates: list[CertifiedNet],
    invariants: list[InvariantMap],
    heaps: list[HeapMap],
    unwindings: list[Unwinding],
) -> evidence.Claim:
    first, second = (_access(access) for access in pair["accesses"])
    return evidence.Claim(
        id=int(pair["id"]),
        key=_ids(pair["access_ids"]),
        verdict=Verdict(pair["verdict"]),
        scope=_scope(pair),
        engine=str(pair["engine"]) if pair["engine"] is not None else None,
        accesses=(first, second),
        evidence=tuple(map(str, pair["evidence"])),
        schedule=_schedule(pair["schedule"]) if pair["schedule"] is not None else None,
        certificate=_numbered(certificates, pair.get("certificate"), "certificate"),
        invariants=_numbered(invariants, pair.get("invariants"), "map of invariants"),
        heaps=_numbered(heaps, pair.get("heaps"), "map of heaps"),
        unwinding=_numbered(unwindings, pair.get("unwinding"), "unwinding"),
    )


def _numbered(entries: Sequence[T], number: Any, what: str) -> T | None:
    if number is not None and not 0 <= int(number) < len(entries):
        raise ValueError(f"there is no {what} {number}")
    return entries[int(number)] if number is not None else None


def _certificate(fields: Fields) -> CertifiedNet:
    return CertifiedNet(
        pairs=tuple(_ids(pair) for pair in fields["pairs"]),
        places=int(fields["places"]),
        transitions=int(fields["transitions"]),
        digest=str(fields["digest"]),
        basis=tuple(_tokens(marking) for marking in fields["basis"]),
        invariants=tuple((_tokens(entry["weights"]), int(entry["bound"])) for entry in fields["invariants"]),
    )


def _unwinding(fields: Fields) -> Unwinding:
    return Unwinding(
        pairs=tuple(_ids(pair) for pair in fields["pairs"]),
        bound=int(fields["bound"]),
        events=int(fields["events"]),
        is_complete=bool(fields["complete"]),
        relies_on=tuple(_ids(pair) for pair in fields["relies_on"]),
        ends=tuple(map(str, fields["ends"])),
    )


def _tokens(marking: Any) -> tuple[tuple[int, int], ...]:
    return tuple((int(place), int(count)) for place, count in marking)


def _access(access: Fields) -> evidence.AccessClaim:
    return evidence.AccessClaim(
        line=int(access["line"]),
        column=int(access["column"]),
        function=str(access["function"]),
        kind=str(access["kind"]),
        is_atomic=bool(access["atomic"]),
    )


def _scope(fields: Fields) -> Scope | None:
    return Scope(fields["scope"]) if fields["scope"] is not None else None


@dataclass(frozen=True, slots=True)
class Choice:
    """Which run of a report, by its number; at most one is given."""

    race: int | None = None
    other: int | None = None
    deadlock: int | None = None


def read_report(path: Path, choice: Choice, root: Path | None = None) -> Reported:
    """The run that was chosen; else that of the first race, deadlock or other incident, in this order."""
    fields = _read(path)
    try:
        races = {int(pair["id"]): pair for pair in fields["pairs"] if pair.get("schedule")}
        others = {int(entry["id"]): entry for entry in fields.get("other", [])}
        deadlocks = {int(entry["id"]): entry for entry in fields.get("deadlocks", [])}
        chosen = _choose(path, races, deadlocks, others, choice)
        if fields.get("replay") is None:
            raise InputError(f"{path}: nothing was executed for this report")
        found = _reported(fields["replay"], chosen, root)
        return replace(found, target=_target(fields["replay"]), facts=_strength(fields))
    except _DAMAGED as error:
        raise InputError(f"{path}: not a report of raceproof that can be replayed ({_what(error)})") from None


def _read(path: Path) -> Fields:
    try:
        fields = _parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory, not a file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from None
    if not isinstance(fields, dict) or "verdict" not in fields:
        raise InputError(f"{path}: not a report of raceproof: write one with --json")
    return fields


def _parsed(text: str) -> Any:
    """The reader of JSON recurses in C: with the limit that an analysis sets it could end the process."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(min(before, _DEEPEST))
    try:
        return json.loads(text)
    finally:
        sys.setrecursionlimit(before)


def _choose(
    path: Path,
    races: dict[int, Fields],
    deadlocks: dict[int, Fields],
    others: dict[int, Fields],
    choice: Choice,
) -> Fields:
    if (other := choice.other) is not None:
        if other not in others:
            raise InputError(f"{path}: there is no entry {other} under `other`; there are: {_numbers(others)}")
        return others[other]
    if (race := choice.race) is not None:
        if race not in races:
            raise InputError(f"{path}: pair {race} is no race that was executed; there are: {_numbers(races)}")
        return races[race]
    if (deadlock := choice.deadlock) is not None:
        if deadlock not in deadlocks:
            raise InputError(f"{path}: there is no deadlock {deadlock}; there are: {_numbers(deadlocks)}")
        return deadlocks[deadlock]
    if not races and not deadlocks and not others:
        raise InputError(f"{path}: no race was found, there is nothing to replay")
    return next(iter((races or deadlocks or others).values()))


def _numbers(found: dict[int, Fields]) -> str:
    return ", ".join(map(str, found)) or "none"


def _reported(replay: Fields, chosen: Fields, root: Path | None) -> Reported:
    number, models = int(chosen["id"]), _models(replay)
    request = _request(replay, root, models)
    setup = _setup(replay)
    fields = chosen["schedule"]
    if "blocked" in fields:
        return Reported(number, request, models, setup, _run(fields), None, "deadlock", is_violation=True)
    if "accesses" not in fields:
        kind, thread = str(chosen["kind"]), int(chosen["thread"])
        return Reported(number, request, models, setup, _run(fields), None, kind, thread)
    schedule = _schedule(fields)
    return Reported(number, request, models, setup, schedule.run, schedule, is_violation=True)


def _request(sources: Fields, root: Path | None, models: Models) -> frontend.CompileRequest:
    """What to compile. Reports of earlier versions do not say what their root was: it is the current directory."""
    units = [frontend.Unit(Path(f["file"]), _texts(f["flags"]), Path(f["directory"])) for f in sources["files"]]
    if not units:
        raise ValueError("no files")
    old = str(sources.get("root") or "")
    if root is not None and old:
        units = [_moved(unit, old, str(root.resolve())) for unit in units]
    for unit in units:
        frontend.check_words((str(unit.file), str(unit.directory), *unit.flags), "the report")
    if sources["data_model"] not in ("LP64", "ILP32") or sources["headers"] not in ("auto", "system", "bundled"):
        raise ValueError("data_model or headers")
    target = _target(sources)
    return frontend.CompileRequest(
        machine=explore.machine_of(target.triple) if target is not None else None,
        units=tuple(units),
        data_model=cast(frontend.DataModel, sources["data_model"]),
        headers=cast(frontend.Headers, sources["headers"]),
        compiler=Path(sources["compiler"]) if sources["compiler"] is not None else None,
        entry=str(sources["entry"]),
        root=(root or Path(old or ".")).resolve(),
        prototypes=models.numbered(),
        left_out=_texts(sources.get("left_out", ())),
    )


def _target(sources: Fields) -> TargetMachine | None:
    """Where the program was run; reports of earlier versions know of this machine only."""
    fields = sources.get("target")
    return TargetMachine(str(fields["triple"]), _texts(fields["via"])) if fields is not None else None


def _strength(fields: Fields) -> Strength:
    """Reports of earlier versions rest on all that there is to know."""
    return Strength(fields.get("facts") or Strength.FULL.value)


def facts_again(
    program: Program, budget: Budget, models: Models, strength: Strength, with_waits: bool = False
) -> ConcurrentProgram:
    """Those that a report rests on; raises `LimitReached` if there is no time for them."""
    cp = facts.analyse(program, budget, models, with_waits=with_waits, strongest=strength)
    if cp.strength is not strength:
        raise LimitReached("the time limit is too short for the facts that the report rests on")
    return cp


def load_again(request: frontend.CompileRequest, budget: Budget) -> Program:
    """The program of a report, compiled anew; what is missing is named."""
    try:
        return frontend.load(request, budget)
    except (InputError, ToolMissing):  # a compiler cannot be run in a directory that is gone
        gone = next((unit.path for unit in request.units if not unit.path.is_file()), None)
        if gone is None:
            raise
        hint = f"if the program has moved, say with --root where {request.root} is now"
        raise InputError(f"{gone}: no such file; {hint}") from None


def _moved(unit: frontend.Unit, old: str, new: str) -> frontend.Unit:
    """The same file below another root; flags that name directories below the old one move as well."""

    def moved(text: str) -> str:
        return text.replace(old, new) if old.strip("/") else text

    return frontend.Unit(Path(moved(str(unit.file))), tuple(map(moved, unit.flags)), Path(moved(str(unit.directory))))


def _texts(words: Any) -> tuple[str, ...]:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("a list of texts was expected")
    frontend.check_words(words, "the report")
    return tuple(words)


def _models(sources: Fields) -> Models:
    """What the user said about functions; reports of earlier versions have nothing of it."""
    models = sources.get("models", {"locks": [], "safe": []})
    return Models(
        locks=tuple(LockModel(**{**lock, "action": LockAction(lock["action"])}) for lock in models["locks"]),
        safe=tuple(SafeFunction(**safe) for safe in models["safe"]),
        functions=tuple(_function_model(function) for function in models.get("functions", ())),
    )


def _function_model(fields: Fields) -> FunctionModel:
    values: dict[str, Any] = {k: tuple(value) if isinstance(value, list) else value for k, value in fields.items()}
    if isinstance(values["returns"], str):
        values["returns"] = Result(values["returns"])
    return FunctionModel(**values)


def _setup(replay: Fields) -> RunSetup:
    setup = RunSetup(
        module=str(replay["module"]),
        algorithm=str(replay["algorithm"]),
        pairs=tuple(_ids(pair) for pair in replay["pairs"]),
        arguments=_texts(replay["arguments"]),
        isolation=str(replay["isolation"]),
        spurious=bool(replay["spurious"]),
        max_steps=int(replay["max_steps"]),
        surroundings=_surroundings(replay.get("surroundings", {})),
    )
    if setup.isolation not in explore.ISOLATIONS or setup.algorithm not in (*explore.ALGORITHMS, explore.SAMPLE):
        raise ValueError("isolation or algorithm")
    return setup


def _surroundings(fields: Fields) -> Surroundings:
    """Reports of earlier versions have nothing of it."""
    directory = fields.get("directory")
    environment = [_texts(variable) for variable in fields.get("environment", [])]
    return Surroundings(
        stdin=base64.b64decode(fields.get("stdin", ""), validate=True),
        environment=tuple((name, value) for name, value in environment),
        clients=_texts(fields.get("clients", [])),
        servers=_texts(fields.get("servers", [])),
        directory=str(directory) if directory is not None else None,
        libraries=_texts(fields.get("libraries", [])),
    )


def _schedule(fields: Fields) -> Schedule:
    first, second = fields["racers"]
    record = tuple(_step(line) for line in fields.get("record") or ())
    racers = (int(first), int(second))
    return Schedule(_run(fields), _ids(fields["accesses"]), racers, bool(fields["together"]), record=record)


def _step(line: Any) -> RunStep:
    role, thread, number, operation, access, site, address, size, order, result, object_, kind, held = line
    return RunStep(
        thread=int(thread),
        number=int(number),
        operation=str(operation),
        access=AccessId(int(access)) if access is not None else None,
        site=SiteId(int(site)) if site is not None else None,
        address=str(address),
        value="",
        held=tuple(map(str, held)),
        stack=(),
        size=int(size),
        order=int(order),
        result=int(result) if result is not None else None,
        object=int(object_) if object_ is not None else None,
        kind=int(kind),
        role=Role(role),
    )


def _run(fields: Fields) -> Run:
    return Run(
        turns=tuple((int(thread), int(until)) for thread, until in fields["steps"]),
        inputs=tuple(map(int, fields["inputs"])),
        threads=tuple(
            RunThread(int(t["id"]), int(t["parent"]), SiteId(int(t["site"])) if t["site"] is not None else None)
            for t in fields["threads"]
        ),
    )


def _ids(pair: Any) -> tuple[AccessId, AccessId]:
    first, second = pair
    return AccessId(int(first)), AccessId(int(second))


def _what(error: Exception) -> str:
    return f"no field {error}" if isinstance(error, KeyError) else str(error)
