from __future__ import annotations

import json
from dataclasses import replace

from unit.handmade import access_result, check_result, pair_result

from raceproof.core import SourcePos
from raceproof.model import AccessKind, AccessResult, Assumption, Verdict
from raceproof.report import to_json


def test_the_words_that_others_depend_on() -> None:
    data = to_json(check_result(pair_result(1, first=access_result(held=("mutex",)))))
    assert {"verdict", "scope", "reason", "pairs", "engines", "other", "seconds", "version"} <= set(data)
    assert data["program"] == {"files": ["demo.c"]}
    assert (data["verdict"], data["scope"], data["other"]) == ("unknown", None, [])
    [pair] = data["pairs"]  # type: ignore[misc]
    assert set(pair) == {"id", "verdict", "scope", "engine", "target", "accesses", "evidence"}
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
    }
    [engine] = data["engines"]  # type: ignore[misc]
    assert set(engine) >= {"name", "seconds", "proved", "witnessed", "open", "stats"}


def test_race_free_has_its_scope() -> None:
    data = to_json(check_result(pair_result(1, Verdict.RACE_FREE, evidence=("common-lock mutex",))))
    assert (data["verdict"], data["scope"], data["reason"]) == ("race-free", "all-inputs", None)
    assert data["pairs"][0]["evidence"] == ["common-lock mutex"]  # type: ignore[index,call-overload]


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
