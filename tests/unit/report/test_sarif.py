from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import attr
import jsonschema
import pytest
import sarif_om
from unit.handmade import RUN, access_result, check_result, pair_result, race_result
from unit.report.sarif_subset import OBJECTS, SCHEMA
from unit.report.traces import race, real, step, trace

from raceproof.core import SourcePos
from raceproof.model import (
    AccessKind,
    Assumption,
    CheckResult,
    EngineReport,
    IncidentResult,
    RepairResult,
    Scope,
    TextChange,
    Verdict,
)
from raceproof.report.sarif import MAX_RELATED, MAX_RESULTS, to_sarif
from raceproof.report.sarif_flows import MAX_FLOW_LOCATIONS, MAX_FLOW_LOCATIONS_IN_ALL
from raceproof.report.sarif_locations import Artifacts

HERE = Path.cwd()


def run_of(result: CheckResult, is_long: bool = False, **options: Any) -> dict[str, Any]:
    """The only run of the log, which is valid; as another program reads it. Of long ones it would take minutes to say
    so, and shorter ones have the same form."""
    data = json.loads(json.dumps(to_sarif(result, root=HERE, exit_code=1, **options)))
    if not is_long:
        jsonschema.validate(data, SCHEMA, format_checker=jsonschema.FormatChecker())
    [run] = data["runs"]
    return run  # type: ignore[no-any-return]


def incident(kind: str, pos: SourcePos | None = SourcePos("demo.c", 7, 3)) -> IncidentResult:  # noqa: B008
    return IncidentResult(1, kind, "all wait", pos, "worker", 2, RUN, race_result().threads)


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_the_schema_agrees_with_the_object_model_of_the_standard(name: str) -> None:
    fields = {f.metadata["schema_property_name"]: f for f in attr.fields(getattr(sarif_om, name))}
    assert set(OBJECTS[name]["properties"]) <= set(fields)
    assert {n for n, f in fields.items() if f.default is attr.NOTHING} <= set(OBJECTS[name]["required"])


def test_everything_at_once_is_valid() -> None:
    result = replace(
        check_result(race(1, trace()), race(2), pair_result(3), pair_result(4, Verdict.RACE_FREE)),
        other=(incident("deadlock"), incident("stack overflow", None)),
        engines=(EngineReport("explore", 0.5, 1, 1, 1, {}, "the time is up"),),
        assumptions=(Assumption("`x` does nothing", SourcePos("demo.c", 3)), Assumption("none")),
    )
    run = run_of(result, with_baseline=True)
    assert [found["ruleId"] for found in run["results"]] == [
        "data-race", "deadlock", "stack-overflow", "possible-data-race",
    ]  # fmt: skip
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[found["ruleIndex"]]["id"] == found["ruleId"] for found in run["results"])
    assert all(found["locations"] for found in run["results"])


def test_rules_say_how_bad_it_is_and_what_to_do() -> None:
    rules = run_of(replace(check_result(), other=(incident("crash"),)))["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["data-race", "possible-data-race", "crash"]
    for rule in rules:
        assert 0 < float(rule["properties"]["security-severity"]) <= 10
        assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
        assert len(rule["properties"]["tags"]) <= 20
        assert "## What to do" in rule["help"]["markdown"]
    assert rules[0]["properties"]["security-severity"] > rules[1]["properties"]["security-severity"]


def test_a_race_is_an_error_with_both_places() -> None:
    [found] = run_of(check_result(race()))["results"]
    assert (found["ruleId"], found["level"]) == ("data-race", "error")
    [primary] = found["locations"]
    assert primary["physicalLocation"]["region"] == {"startLine": 12, "startColumn": 5}  # the one without a lock
    assert primary["logicalLocations"] == [{"name": "worker", "kind": "function"}]
    other, *created = found["relatedLocations"]
    assert (other["id"], other["physicalLocation"]["region"]["startLine"]) == (1, 10)
    assert [place["physicalLocation"]["region"]["startLine"] for place in created] == [20, 20]
    assert "[write of counter in `worker`](1)" in found["message"]["text"]
    assert found["partialFingerprints"] == {"primaryLocationLineHash": f"{1:016x}"}


def test_brackets_in_names_do_not_end_the_link() -> None:
    pair = replace(race(), target="slots[3]")
    assert "[write of slots\\[3\\] in `worker`](1)" in run_of(check_result(pair))["results"][0]["message"]["text"]


def test_open_pairs_are_warnings_and_bounded_proofs_notes() -> None:
    bounded = replace(pair_result(2, first=access_result(30)), scope=Scope.BOUNDED)
    found = run_of(check_result(pair_result(1), bounded))["results"]
    assert [(f["ruleId"], f["level"]) for f in found] == [
        ("possible-data-race", "warning"),
        ("possible-data-race", "note"),
    ]
    assert "Known: no common lock" in found[0]["message"]["text"]
    assert "codeFlows" not in found[0]


def flows_of(found: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    [flow] = found["codeFlows"]
    return {thread["id"]: thread["locations"] for thread in flow["threadFlows"]}


def test_the_run_has_a_flow_for_each_thread() -> None:
    flows = flows_of(run_of(check_result(race(1, trace())))["results"][0])
    assert {thread: [place["executionOrder"] for place in places] for thread, places in flows.items()} == {
        "0": [1, 2],
        "1": [3, 4, 5, 7],
        "2": [6, 7],  # both stand before their accesses: at the same time
    }
    assert [place.get("kinds") for place in flows["1"]] == [
        ["acquire", "lock"], None, ["release", "lock"], ["danger", "memory"],
    ]  # fmt: skip
    assert flows["1"][1]["location"]["message"]["text"] == "write counter = 1"
    assert flows["2"][-1]["state"] == {"locks held": {"text": "mutex"}}


def test_without_a_trace_the_two_accesses_are_the_run() -> None:
    flows = flows_of(run_of(check_result(race(together=False)))["results"][0])
    assert {thread: [place["executionOrder"] for place in places] for thread, places in flows.items()} == {
        "1": [1],
        "2": [2],
    }


def test_a_long_run_has_its_last_steps() -> None:
    steps = tuple(step(1 + i % 2, i, "write", 1 + i, "counter") for i in range(MAX_FLOW_LOCATIONS + 500))
    [found] = run_of(check_result(race(1, trace(steps))), is_long=True)["results"]
    flows = flows_of(found)
    assert sum(map(len, flows.values())) == MAX_FLOW_LOCATIONS
    assert flows["1"][-2]["executionOrder"] == MAX_FLOW_LOCATIONS + 499
    assert found["codeFlows"][0]["message"]["text"].endswith("The first 502 steps are left out.")


def test_many_long_runs_share_what_a_file_may_have() -> None:
    steps = tuple(step(1, i, "write", 1 + i, "counter") for i in range(9_000))
    pairs = [replace(race(i, trace(steps)), accesses=(access_result(i), access_result(i))) for i in range(1, 8)]
    found = run_of(check_result(*pairs), is_long=True)["results"]
    sizes = [sum(map(len, flows_of(f).values())) for f in found]
    assert sizes[:5] == [9_002] * 5
    assert sum(sizes) == MAX_FLOW_LOCATIONS_IN_ALL + 2 * len(pairs)


def test_pairs_on_the_same_two_lines_are_one_result() -> None:
    races = race(2), replace(race(1), target="other"), race(3, trace())
    found = run_of(check_result(*races, pair_result(4), pair_result(5, first=access_result(30))))["results"]
    assert [f["properties"]["pairs"] for f in found] == [[1, 2, 3], [4], [5]]
    assert found[0]["message"]["text"].startswith("Data race on counter, other: ")
    assert len(flows_of(found[0])) == 3  # of the pair that has a trace
    assert found[0]["partialFingerprints"] == {"primaryLocationLineHash": f"{1:016x}"}


def test_suppressed_pairs_are_marked_and_come_last() -> None:
    wanted = pair_result(2, first=access_result(30))
    hidden = replace(race(1), suppressed="only a statistic")
    first, second = run_of(check_result(hidden, wanted))["results"]
    assert (first["properties"]["pairs"], first["suppressions"]) == ([2], [])
    assert second["suppressions"] == [{"kind": "external", "justification": "only a statistic"}]


def test_the_state_against_the_baseline() -> None:
    result = check_result(replace(race(1), is_known=True), pair_result(2))
    assert all("baselineState" not in found for found in run_of(result)["results"])
    found = run_of(result, with_baseline=True)["results"]
    assert [(f["properties"]["pairs"], f["baselineState"]) for f in found] == [([2], "new"), ([1], "unchanged")]


def test_paths_are_relative_to_the_root(tmp_path: Path) -> None:
    inside, outside = tmp_path / "src" / "my file.c", Path("/usr/include/x.h")
    pair = pair_result(1, first=access_result(file=str(inside)), second=access_result(file=str(outside)))
    result = replace(check_result(pair), files=(str(inside),))
    run: Any = to_sarif(result, root=tmp_path, exit_code=3)["runs"][0]  # type: ignore[index,call-overload]
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == tmp_path.resolve().as_uri() + "/"
    [first, second] = [artifact["location"] for artifact in run["artifacts"]]
    assert first == {"uri": "src/my%20file.c", "uriBaseId": "%SRCROOT%"}
    assert second == {"uri": "file:///usr/include/x.h"}
    [found] = run["results"]
    assert found["locations"][0]["physicalLocation"]["artifactLocation"] == {**first, "index": 0}
    assert [artifact["roles"] for artifact in run["artifacts"]] == [["analysisTarget"], ["uncontrolledFile"]]


def test_code_without_a_line_has_a_place_all_the_same() -> None:
    nowhere = replace(access_result(), pos=None)
    first, second = run_of(check_result(pair_result(1, first=nowhere), pair_result(2, first=nowhere, second=nowhere)))[
        "results"
    ]
    assert first["locations"][0]["physicalLocation"]["region"]["startLine"] == 22
    assert second["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "demo.c", "uriBaseId": "%SRCROOT%", "index": 0},
        "region": {"startLine": 1},
    }
    assert "its line is not known" in second["locations"][0]["message"]["text"]


def test_the_invocation_says_what_the_verdict_rests_on() -> None:
    result = replace(
        check_result(pair_result(1)),
        engines=(EngineReport("explore", 0.5, 0, 0, 1, {}, "the time is up"),),
        assumptions=(Assumption("`x` does nothing", SourcePos("demo.c", 3)),),
        notes=("no suppression fits",),
    )
    [invocation] = run_of(result)["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 1)
    notices = invocation["toolExecutionNotifications"]
    assert [(n["descriptor"]["id"], n["level"]) for n in notices] == [
        ("assumption", "note"), ("note", "note"), ("not-decided", "warning"), ("engine-stopped", "warning"),
    ]  # fmt: skip
    assert notices[0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    assert not run_of(replace(result, interrupted=True))["invocations"][0]["executionSuccessful"]


def test_too_many_results_are_cut_where_they_matter_least() -> None:
    pairs = [
        replace(
            pair_result(i, first=access_result(i), second=access_result(2 * i, AccessKind.READ)),
            fingerprint=f"{i:016x}",
        )
        for i in range(1, MAX_RESULTS + 11)
    ]
    run = run_of(check_result(*pairs, race(MAX_RESULTS + 20, trace())))
    assert len(run["results"]) == MAX_RESULTS
    assert run["results"][0]["ruleId"] == "data-race"
    notice = run["invocations"][0]["toolExecutionNotifications"][-1]
    assert notice["descriptor"]["id"] == "results-left-out"
    assert notice["message"]["text"].startswith("11 more results")
    assert len(gzip.compress(json.dumps(run).encode())) < 10_000_000


def test_no_more_related_places_than_github_takes() -> None:
    thread = race_result().threads[1]
    many = replace(race(1), race=replace(race_result(), threads=tuple(replace(thread, id=i) for i in range(1, 1500))))
    [found] = run_of(check_result(many))["results"]
    assert len(found["relatedLocations"]) == MAX_RELATED


def test_a_place_ends_where_its_word_ends(tmp_path: Path) -> None:
    file = tmp_path / "demo.c"
    file.write_text("int \u00e4; /* \U0001f600 */ p->sum += counter;\n", encoding="utf-8")
    before = len("int \u00e4; /* \U0001f600 */ p->sum ".encode())
    pos = SourcePos(str(file), 1, before + 1)
    name = SourcePos(str(file), 1, before + len("+= ") + 1)
    beyond = SourcePos(str(file), 2, 7)
    regions = [Artifacts(tmp_path).physical(place)["region"] for place in (pos, name, beyond)]
    units = len("int \u00e4; /* \U0001f600 */ p->sum ".encode("utf-16-le")) // 2
    assert regions == [
        {"startLine": 1, "startColumn": units + 1, "endColumn": units + 3},
        {"startLine": 1, "startColumn": units + 4, "endColumn": units + 11},
        {"startLine": 2, "startColumn": 7},
    ]


def test_repairs_that_were_checked_are_fixes() -> None:
    change = TextChange("demo.c", 12, 1, 13, 1, "    lock();\n    counter++;\n")
    first = RepairResult("hold m at demo.c:12", frozenset({1}), True, (change,), "patch")
    second = RepairResult("make other _Atomic", frozenset({2}), False, (change,), "patch", (first.title,))
    other = replace(race(2), target="other", accesses=(access_result(30), access_result(31)))
    one, two, three = run_of(replace(check_result(race(1), other, pair_result(3)), repairs=(first, second)))["results"]
    [fixed] = one["fixes"]
    assert fixed["description"]["text"] == "hold m at demo.c:12 (checked: proved race-free then)"
    [changed] = fixed["artifactChanges"]
    assert changed["artifactLocation"]["uri"] == "demo.c"
    [replacement] = changed["replacements"]
    assert replacement["deletedRegion"] == {"startLine": 12, "startColumn": 1, "endLine": 13, "endColumn": 1}
    assert replacement["insertedContent"]["text"] == change.text
    assert two["fixes"][0]["description"]["text"].endswith("together with: hold m at demo.c:12")
    assert "fixes" not in three
    assert " To repair it, hold " in one["message"]["text"]
    assert "To repair it" not in three["message"]["text"]


def test_a_real_race() -> None:
    [found] = run_of(real())["results"]
    assert found["message"]["text"].startswith(
        "Data race on account.balance: read of account.balance in `print_report`"
    )
    assert set(flows_of(found)) == {"0", "2"}
    assert len(found["partialFingerprints"]["primaryLocationLineHash"]) == 16
