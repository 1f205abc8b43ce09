from __future__ import annotations

import json
from dataclasses import replace

from unit.handmade import READ, RUN, WRITE, access_result, check_result, pair_result, race_result

from raceproof.core import SourcePos
from raceproof.model import (
    AccessId,
    AccessKind,
    AccessResult,
    Assumption,
    EngineReport,
    IncidentResult,
    RunSetup,
    SourceFile,
    Sources,
    Surroundings,
    Verdict,
)
from raceproof.report import to_json


def test_the_words_that_others_depend_on() -> None:
    data = to_json(check_result(pair_result(1, first=access_result(held=("mutex",)))))
    assert {"verdict", "scope", "reason", "pairs", "engines", "other", "seconds", "version"} <= set(data)
    assert data["program"] == {"files": ["demo.c"]}
    assert (data["verdict"], data["scope"], data["other"]) == ("unknown", None, [])
    [pair] = data["pairs"]  # type: ignore[misc]
    words = "id verdict scope engine target accesses access_ids evidence fingerprint suppressed known schedule"
    assert set(pair) == {*words.split(), "certificate", "invariants", "heaps", "unwinding"}
    assert pair["accesses"][0] == {
        "file": "demo.c",
        "line": 10,
        "column": 5,
        "function": "worker",
        "kind": "write",
        "thread": "thread `worker`, created at demo.c:20 (several at once)",
        "atomic": False,
        "locks": ["mutex"],
        "calls": [],
        "note": "",
    }
    [engine] = data["engines"]  # type: ignore[misc]
    assert set(engine) >= {"name", "seconds", "proved", "witnessed", "open", "stats"}


def test_race_free_has_its_scope() -> None:
    data = to_json(check_result(pair_result(1, Verdict.RACE_FREE, evidence=("common-lock mutex",))))
    assert (data["verdict"], data["scope"], data["reason"]) == ("race-free", "all-inputs", None)
    assert data["pairs"][0]["evidence"] == ["common-lock mutex"]  # type: ignore[index,call-overload]


def test_a_race_has_all_that_a_replay_needs() -> None:
    around = Surroundings(b"hi", (("LANG", "C"),), ("curl localhost",), ("serve",), "/data", ("libz.so.1",))
    setup = RunSetup("abc", "race", ((AccessId(1), AccessId(2)),), ("-n", "3"), "fork", False, 100, around)
    sources = Sources(
        (SourceFile("demo.c", ("-DX",), "/src"),), "LP64", "auto", None, "main", root="/work", digest="d1"
    )
    data = to_json(replace(check_result(pair_result(4, Verdict.RACE)), setup=setup, sources=sources))
    assert json.loads(json.dumps(data)) == data
    schedule = data["pairs"][0]["schedule"]  # type: ignore[index,call-overload]
    assert schedule["steps"] == [[0, 4], [1, 2], [2, 1]]
    assert (schedule["accesses"], schedule["racers"], schedule["together"]) == ([1, 2], [1, 2], True)
    assert schedule["threads"][2] == {
        "id": 2, "parent": 0, "function": "worker", "file": "demo.c", "line": 20, "column": 9, "site": 9,
    }  # fmt: skip
    assert data["replay"] == {
        "files": [{"file": "demo.c", "flags": ["-DX"], "directory": "/src"}],
        "data_model": "LP64",
        "headers": "auto",
        "compiler": None,
        "entry": "main",
        "root": "/work",
        "digest": "d1",
        "left_out": [],
        "target": None,
        "models": {"locks": [], "safe": [], "functions": []},
        "module": "abc",
        "algorithm": "race",
        "pairs": [[1, 2]],
        "arguments": ["-n", "3"],
        "isolation": "fork",
        "spurious": False,
        "max_steps": 100,
        "surroundings": {
            "stdin": "aGk=",
            "environment": [["LANG", "C"]],
            "clients": ["curl localhost"],
            "servers": ["serve"],
            "directory": "/data",
            "libraries": ["libz.so.1"],
        },
    }
    assert to_json(check_result(pair_result(1)))["replay"] is None


def test_a_proof_has_what_a_check_of_it_needs() -> None:
    sources = Sources((SourceFile("demo.c", ("-DX",), "/src"),), "ILP32", "bundled", None, "start")
    data = to_json(replace(check_result(pair_result(1)), sources=sources))
    assert data["replay"] is None
    told = data["sources"]
    assert isinstance(told, dict)
    assert told["files"] == [{"file": "demo.c", "flags": ["-DX"], "directory": "/src"}]
    assert [told[name] for name in ("data_model", "headers", "compiler", "entry")] == [
        "ILP32",
        "bundled",
        None,
        "start",
    ]
    assert data["pairs"][0]["access_ids"] == [READ, WRITE]  # type: ignore[index,call-overload]


def test_other_findings_and_the_statistics_of_the_search() -> None:
    explored = EngineReport("explore", 0.5, 1, 0, 0, {"algorithm": "race", "executions": 3}, notes=("bounded: x",))
    other = IncidentResult(
        1, "deadlock", "all wait", SourcePos("demo.c", 7, 3), "worker", 2, RUN, race_result().threads
    )
    data = to_json(replace(check_result(), engines=(explored,), other=(other,)))
    assert data["stats"] == {"algorithm": "race", "executions": 3}
    assert data["engines"][0]["notes"] == ["bounded: x"]  # type: ignore[index,call-overload]
    [found] = data["other"]  # type: ignore[misc]
    assert (found["kind"], found["message"], found["file"], found["line"]) == ("deadlock", "all wait", "demo.c", 7)
    assert (found["thread"], found["schedule"]["steps"][0]) == (2, [0, 4])


def test_unknown_positions_are_zero() -> None:
    access = AccessResult(None, "f", AccessKind.READ, "main thread", False, ())
    data = to_json(check_result(pair_result(1, first=access)))
    shown = data["pairs"][0]["accesses"][0]  # type: ignore[index,call-overload]
    assert (shown["file"], shown["line"], shown["column"]) == ("", 0, 0)


def test_it_is_json() -> None:
    assumptions = (Assumption("`x` does nothing", SourcePos("demo.c", 3)), Assumption("none"))
    data = to_json(replace(check_result(pair_result(1)), assumptions=assumptions))
    assert json.loads(json.dumps(data)) == data
    assert data["assumptions"] == [
        {"text": "`x` does nothing", "file": "demo.c", "line": 3},
        {"text": "none", "file": "", "line": 0},
    ]
