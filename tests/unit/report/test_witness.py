from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from unit.handmade import check_result, pair_result, race_result
from unit.report.traces import BANK, FIRST, SECOND, STEPS, race, real, step, trace

from raceproof.core import SourcePos
from raceproof.model import AccessResult, CheckResult, PairResult, SourceFile, Sources, TraceStep, Verdict
from raceproof.report.witness import to_witness

PROPERTY = "CHECK( init(main()), LTL(G ! data-race) )"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

PROGRAM = """\
#include <pthread.h>
int counter; /* what the threads
                share; */
pthread_mutex_t mutex;
void *
worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    counter = 1;
    pthread_mutex_unlock(&mutex);
    return (void *)(long)
        counter;
}
void two(void) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); }
int main(void)
{
    pthread_t a, b;
    const char *text = "(";
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    for (
        counter = 0;
        counter < 3;
        counter++) two();
    if (counter)
        counter = 2; // not certain
}
"""

# The format 2.2 of violation witnesses as far as it is used here, written after its description.
# 2.0 has everything but `thread_id`, and exactly one waypoint to follow in each segment.
TEXT = {"type": "string", "minLength": 1}
WAYPOINT = {
    "type": "object",
    "required": ["type", "action", "location"],
    "additionalProperties": False,
    "properties": {
        "type": {"enum": ["assumption", "target", "function_enter", "function_return", "branching"]},
        "action": {"enum": ["follow", "avoid"]},
        "thread_id": {"type": "integer", "minimum": 0},
        "location": {
            "type": "object",
            "required": ["file_name", "line"],
            "additionalProperties": False,
            "properties": {
                "file_name": TEXT,
                "line": {"type": "integer", "minimum": 1},
                "column": {"type": "integer", "minimum": 1},
                "function": TEXT,
            },
        },
        "constraint": {
            "type": "object",
            "required": ["value"],
            "additionalProperties": False,
            "properties": {"value": TEXT, "format": {"enum": ["c_expression", "acsl_expression"]}},
        },
    },
    "if": {"properties": {"type": {"enum": ["target", "function_enter"]}}},
    "then": {"not": {"required": ["constraint"]}},
    "else": {"required": ["constraint"]},
}
SCHEMA = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["entry_type", "metadata", "content"],
        "additionalProperties": False,
        "properties": {
            "entry_type": {"const": "violation_sequence"},
            "metadata": {
                "type": "object",
                "required": ["format_version", "uuid", "creation_time", "producer", "task"],
                "additionalProperties": False,
                "properties": {
                    "format_version": {"const": "2.2"},
                    "uuid": {"type": "string", "format": "uuid"},
                    "creation_time": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$"},
                    "producer": {
                        "type": "object",
                        "required": ["name", "version"],
                        "additionalProperties": False,
                        "properties": dict.fromkeys(
                            ("name", "version", "configuration", "command_line", "description"), TEXT
                        ),
                    },
                    "task": {
                        "type": "object",
                        "required": ["input_files", "input_file_hashes", "specification", "data_model", "language"],
                        "additionalProperties": False,
                        "properties": {
                            "input_files": {"type": "array", "items": TEXT, "minItems": 1},
                            "input_file_hashes": {
                                "type": "object",
                                "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                            },
                            "specification": TEXT,
                            "data_model": {"enum": ["ILP32", "LP64"]},
                            "language": {"const": "C"},
                        },
                    },
                },
            },
            "content": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["segment"],
                    "additionalProperties": False,
                    "properties": {
                        "segment": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "required": ["waypoint"],
                                "additionalProperties": False,
                                "properties": {"waypoint": WAYPOINT},
                            },
                        }
                    },
                },
            },
        },
    },
}


@pytest.fixture(autouse=True)
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "demo.c"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


def executed(*pairs: PairResult) -> CheckResult:
    sources = Sources((SourceFile("demo.c", (), "."),), "LP64", "auto", None, "main")
    return replace(check_result(*pairs), sources=sources)


def witness(result: CheckResult, command: tuple[str, ...] = ("raceproof", "check")) -> Any:
    text = to_witness(result, specification=PROPERTY, command=command, created=NOW)
    assert text is not None
    data = yaml.safe_load(text)
    jsonschema.validate(data, SCHEMA, format_checker=jsonschema.FormatChecker())
    [entry] = data
    return entry


Waypoint = tuple[str, int, int]


def segments(entry: Any) -> list[list[Waypoint]]:
    return [
        [
            (w["waypoint"]["type"], w["waypoint"]["thread_id"], w["waypoint"]["location"]["line"])
            for w in part["segment"]
        ]
        for part in entry["content"]
    ]


def lines_passed(
    *steps: TraceStep, racing: tuple[AccessResult, AccessResult] = (FIRST, SECOND)
) -> list[tuple[int, int]]:
    content = segments(witness(executed(race(1, trace(steps, racing)))))
    return [(thread, line) for [(_, thread, line)] in content[:-1]]


def test_the_threads_come_by_their_lines_and_then_both_race() -> None:
    assert segments(witness(executed(race(1, trace())))) == [
        [("assumption", 0, 20)],
        [("assumption", 1, 9)],
        [("assumption", 1, 10)],
        [("assumption", 1, 11)],
        [("assumption", 2, 9)],
        [("target", 1, 12), ("target", 2, 10)],
    ]


def test_a_waypoint() -> None:
    entry = witness(executed(race(1, trace())))
    assert entry["content"][1]["segment"] == [
        {
            "waypoint": {
                "type": "assumption",
                "action": "follow",
                "thread_id": 1,
                "location": {"file_name": "demo.c", "line": 9, "function": "worker"},
                "constraint": {"value": "1", "format": "c_expression"},
            }
        }
    ]


def test_the_metadata_name_the_task(source: Path) -> None:
    metadata = witness(executed(race()), ("raceproof", "check", "my file.c"))["metadata"]
    assert metadata["creation_time"] == "2026-01-02T03:04:05+00:00"
    assert metadata["producer"] == {
        "name": "raceproof",
        "version": "0.1.0",
        "command_line": "raceproof check 'my file.c'",
    }
    assert metadata["task"] == {
        "input_files": ["demo.c"],
        "input_file_hashes": {"demo.c": hashlib.sha256(source.read_bytes()).hexdigest()},
        "specification": PROPERTY,
        "data_model": "LP64",
        "language": "C",
    }


def test_inputs_are_in_the_description() -> None:
    run = race_result()
    schedule = replace(run.schedule, run=replace(run.schedule.run, inputs=(7, -1)))
    pair = replace(race(), race=replace(run, schedule=schedule))
    assert witness(executed(pair))["metadata"]["producer"]["description"].endswith("7, -1")


def test_without_a_trace_there_is_the_target_alone() -> None:
    assert segments(witness(executed(race()))) == [[("target", 1, 12), ("target", 2, 10)]]


def test_lines_that_may_not_begin_a_statement_are_left_out() -> None:
    for line in (3, 6, 13, 23, 24, 25, 27):  # a comment, a declaration, parts of statements
        assert lines_passed(step(0, 1, "write", line)) == []
    for line in (9, 18, 20, 22, 26):
        assert lines_passed(step(0, 1, "write", line)) == [(0, line)]


def test_each_line_once_for_each_thread() -> None:
    assert lines_passed(
        step(1, 1, "write", 9), step(1, 2, "write", 9), step(2, 1, "write", 9), step(1, 3, "write", 11),
        step(1, 4, "write", 9),
    ) == [(1, 9), (2, 9), (1, 11)]  # fmt: skip


def test_a_line_within_whose_call_the_thread_was_is_left_out() -> None:
    inner = replace(step(1, 1, "write", 9), calls=(SourcePos("demo.c", 20, 3),))
    assert lines_passed(inner, step(1, 2, "write", 20), step(2, 1, "write", 20)) == [(1, 9), (2, 20)]


def test_the_line_of_the_race_is_passed_once_as_target() -> None:
    assert lines_passed(step(1, 1, "read", 12), step(2, 1, "read", 12), step(2, 2, "write", 10)) == [(2, 12)]


def test_places_elsewhere_are_left_out() -> None:
    assert lines_passed(step(1, 1, "write", 9, file="other.h"), replace(STEPS[0], pos=None)) == []


def test_files_are_named_as_they_were_given(source: Path) -> None:
    result = replace(executed(race(1, trace())), files=(str(source),))
    entry = witness(result)
    assert entry["metadata"]["task"]["input_files"] == [str(source)]
    assert {w["waypoint"]["location"]["file_name"] for part in entry["content"] for w in part["segment"]} == {
        str(source)
    }


def test_names_that_yaml_could_misread(tmp_path: Path) -> None:
    name = "a: #b'\"\\ é.c"
    (tmp_path / name).write_text(PROGRAM, encoding="utf-8")
    accesses = tuple(replace(access, pos=SourcePos(name, 10)) for access in (FIRST, SECOND))
    pair = replace(race(), accesses=accesses)
    entry = witness(replace(executed(pair), files=(name,)), ("raceproof", name, "- x: y\n"))
    assert list(entry["metadata"]["task"]["input_file_hashes"]) == [name]
    assert "- x: y\n" in entry["metadata"]["producer"]["command_line"]


def test_the_same_race_has_the_same_name_and_another_run_another() -> None:
    first, again = witness(executed(race(1, trace()))), witness(executed(race(1, trace())))
    assert first == again
    assert witness(executed(race()))["metadata"]["uuid"] != first["metadata"]["uuid"]


def test_a_race_that_is_wanted_comes_before_one_that_is_suppressed() -> None:
    assert segments(witness(executed(replace(race(1), suppressed="known"), race(2, trace()))))[0] == [
        ("assumption", 0, 20)
    ]


@pytest.mark.parametrize(
    "result",
    [
        check_result(race()),
        executed(pair_result(1)),
        executed(pair_result(1, Verdict.RACE_FREE)),
        executed(replace(race(), accesses=(replace(FIRST, pos=None), SECOND))),
        executed(replace(race(), accesses=(replace(FIRST, pos=SourcePos("list.h", 3)), SECOND))),
        replace(executed(race()), files=("gone.c",)),
    ],
    ids=["nothing executed", "unknown", "race-free", "no line", "in a header", "file is gone"],
)
def test_no_witness_without_a_race_in_the_sources(result: CheckResult) -> None:
    assert to_witness(result, specification=PROPERTY, command=(), created=NOW) is None


def test_a_real_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BANK.parents[1])  # as places may be relative to it
    content = segments(witness(replace(real(), files=(str(BANK),))))
    assert content == [[("assumption", 2, 21)], [("target", 0, 37), ("target", 2, 22)]]
