"""The published schema describes what is written, all of it, and refuses what is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from unit.handmade import RUN, access_result, check_result, pair_result, race_result
from unit.report.traces import BANK, race, trace

from raceproof.core import SourcePos
from raceproof.model import (
    AccessId,
    AccessKind,
    Assumption,
    CheckResult,
    EngineReport,
    IncidentResult,
    LockAction,
    LockModel,
    Models,
    RunSetup,
    SafeFunction,
    SourceFile,
    Sources,
    Verdict,
)
from raceproof.report import to_json
from raceproof.report.schema import report_schema

SCHEMA: dict[str, Any] = report_schema()
MODELS = Models(locks=(LockModel("take", LockAction.TRY),), safe=(SafeFunction("log_hit", "only a statistic"),))


def everything() -> CheckResult:
    """A result in which every part of the report has something in it."""
    place = SourcePos("demo.c", 7, 3)
    nowhere = replace(access_result(kind=AccessKind.READ), pos=None, call_stack=(place,))
    return replace(
        check_result(
            race(1, trace()),
            pair_result(2, Verdict.RACE_FREE, evidence=("common-lock m",)),
            pair_result(3, first=nowhere),
        ),
        engines=(EngineReport("explore", 0.5, 1, 1, 1, {"executions": 3, "algorithm": "race"}, "time", ("note",)),),
        other=(IncidentResult(1, "deadlock", "all wait", place, "worker", 2, RUN, race_result().threads),),
        assumptions=(Assumption("`x` does nothing", place), Assumption("none")),
        setup=RunSetup("abc", "race", ((AccessId(1), AccessId(2)),), ("-n",), "fork", False, 100),
        sources=Sources((SourceFile("demo.c", ("-DX",), "/src"),), "LP64", "auto", None, "main", MODELS),
        notes=("a note",),
    )


def undescribed(value: object, schema: dict[str, Any], where: str) -> Iterator[str]:
    """Words in the value that the schema does not know, or does not describe."""
    schema = resolved(schema)
    for part in schema.get("anyOf", []):
        if resolved(part).get("type") != "null" and value is not None:
            yield from undescribed(value, part, where)
            return
    if isinstance(value, dict) and "properties" in schema:
        for word, part in value.items():
            known = schema["properties"].get(word)
            if known is None:
                yield f"{where}.{word} is not in report.schema.json"
            elif "description" not in {**resolved(known), **known}:
                yield f"{where}.{word} has no description"
            else:
                yield from undescribed(part, known, f"{where}.{word}")
    elif isinstance(value, list):
        for part in value:
            yield from undescribed(part, schema.get("items", {}), f"{where}[]")


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref")
    return SCHEMA["$defs"][name.removeprefix("#/$defs/")] if name else schema


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["additionalProperties"] is True


@pytest.mark.parametrize(
    "result",
    [
        everything(),
        check_result(),
        check_result(pair_result(1)),
        check_result(pair_result(1, Verdict.RACE_FREE)),
        replace(check_result(pair_result(1)), interrupted=True),
    ],
)
def test_results_conform_and_every_word_is_described(result: CheckResult) -> None:
    data = to_json(result)
    jsonschema.validate(data, SCHEMA)
    assert list(undescribed(data, SCHEMA, "report")) == []


def test_a_word_that_nobody_described_is_found() -> None:
    data: Any = to_json(everything())
    data["pairs"][0]["accesses"][0]["colour"] = "red"
    assert list(undescribed(data, SCHEMA, "report")) == [
        "report.pairs[].accesses[].colour is not in report.schema.json"
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdict",), "safe"),
        (("scope",), "everything"),
        (("seconds",), "1.5"),
        (("pairs", 0, "id"), 0),
        (("pairs", 0, "accesses"), []),
        (("pairs", 0, "schedule"), None),
        (("pairs", 1, "schedule"), {}),
        (("pairs", 0, "schedule", "steps", 0), [1]),
        (("pairs", 0, "accesses", 0, "kind"), "touch"),
        (("pairs", 0, "schedule", "trace", 0, "locks"), None),
        (("pairs", 0, "known"), "yes"),
        (("sources", "models", "locks", 0, "action"), "break"),
        (("replay", "data_model"), "16 bit"),
        (("other", 0, "schedule", "threads"), None),
    ],
)
def test_what_is_wrong_is_refused(path: tuple[str | int, ...], value: object) -> None:
    data: Any = deepcopy(to_json(everything()))
    part = data
    for key in path[:-1]:
        part = part[key]
    assert part[path[-1]] != value
    part[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, SCHEMA)


def test_what_the_command_writes_conforms(tmp_path: Path) -> None:
    written = tmp_path / "report.json"
    command = [sys.executable, "-m", "raceproof", "check", str(BANK), "--json", str(written)]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    data = json.loads(written.read_text(encoding="utf-8"))
    jsonschema.validate(data, SCHEMA)
    assert list(undescribed(data, SCHEMA, "report")) == []
