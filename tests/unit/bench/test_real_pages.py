"""Pages about real programs: what is proved, executed, unknown and why, from the reports and the judgements."""

from __future__ import annotations

from typing import Any

from bench.measure import Run
from bench.real.pages import Measurement, Subject, not_executed, page, proofs, reason_kind, reasons, table
from bench.real.recipes import Execution, Judgement, Provenance, Recipe, load_libraries, load_recipes

_RUN = Run(3, 12.5, 11.0, 300.0, "", "")


def _pair(verdict: str, target: str, *evidence: str, engine: str | None = "lockset") -> dict[str, Any]:
    accesses = [
        {"kind": kind, "function": "work", "file": "a.c", "line": line} for kind, line in (("read", 3), ("write", 7))
    ]
    return {"verdict": verdict, "target": target, "engine": engine, "evidence": list(evidence), "accesses": accesses}


def _report(verdict: str, *pairs: dict[str, Any], executions: int = 0) -> dict[str, Any]:
    name, notes = ("explore", ["a child process for each execution"]) if executions else ("lockset", [])
    engine = {"name": name, "seconds": 1.25, "proved": 2, "open": 1, "stopped": None, "notes": notes}
    stats = {"executions": executions, "complete": False} if executions else {}
    return {
        "verdict": verdict, "reason": "1 of 3 not decided", "pairs": list(pairs), "engines": [engine], "stats": stats,
        "other": [],
    }  # fmt: skip


_OPEN = _report(
    "unknown",
    _pair("race-free", "x", "ordered before the other"),
    _pair("race-free", "y", "certificate of the net", engine="petri"),
    _pair("unknown", "z", "neither holds a lock", "time limit of 17.2 s reached", engine=None),
)
_RACY = _report("race", _pair("race", "z", engine="explore"), executions=1234)
_RECIPE = Recipe(
    "tool", "tool", ("a.c",), notes="a tool", run=Execution(("-x",)), races=(Judgement("z", "Benign", "It is a flag."),)
)


def _subject(recipe: Recipe, static: dict[str, Any] | None, executed: dict[str, Any] | None) -> Subject:
    provenance = Provenance("tool", "stable", {"tool_1.0.orig.tar.gz": "SHA256:0"})
    ran = Measurement("raceproof explore", _RUN, executed) if executed is not None else None
    return Subject(recipe, provenance, 1, 1000, 5000, 0.5, Measurement("raceproof check", _RUN, static), ran)


def test_proofs_are_counted_by_engine_and_rule() -> None:
    assert proofs(_OPEN["pairs"]) == [("lockset", "ordered", 1), ("petri", "", 1)]


def test_reasons_lose_their_particulars_and_are_counted_once_a_pair() -> None:
    assert reason_kind("have no lock in common (a.lock / none)") == "have no lock in common"
    assert reason_kind("engine petri ended early: time limit of 3.25 s reached").endswith("time limit reached")
    assert reason_kind("possible: main:3 creates x 1; x stands before line 9").startswith("possible: there is a run")
    seen = "no race between these two in 1,028 executions; but what library code does at a.c:2, b.c:78 is not observed"
    assert (
        reason_kind(seen)
        == "no race between these two in the executions; but what library code does there is not observed"
    )
    pairs = [_pair("unknown", "a", "no lock (a / b)", "no lock (c / d)"), _pair("unknown", "b", "no lock (e / f)")]
    assert reasons(pairs) == [("no lock", 2)]


def test_a_page_has_everything() -> None:
    text = page(_subject(_RECIPE, _OPEN, _RACY))
    assert "# tool 1.0\n\nA tool. Debian source package `tool`:" in text
    assert "3 pairs of accesses that could race: 2 proved, 0 executed races, 1 unknown." in text
    assert "1,234 executions, not all schedules; verdict race: 1 pairs raced" in text
    assert "- a child process for each execution\n" in text
    assert "### `z`\n\n- read in `work`, a.c:3, and write in `work`, a.c:7\n\n**Benign.** It is a flag." in text
    assert "| neither holds a lock | 1 |" in text
    assert "| time limit reached | 1 |" in text


def test_what_was_not_executed_is_not_claimed() -> None:
    subject = _subject(_RECIPE, _OPEN, None)
    assert not_executed(subject) == ["z"]
    assert "It is a flag" not in page(subject)
    assert "## Races that were executed\n\nNone." in page(subject)
    raced = _subject(Recipe("tool", "tool", ("a.c",)), _OPEN, _RACY)
    assert "Nobody has judged it yet." in page(raced)


def test_a_program_without_facts_says_why() -> None:
    report = {**_report("unknown"), "engines": [], "reason": "no facts: time limit of 120 s reached"}
    text = page(_subject(_RECIPE, report, None))
    assert "No pairs of accesses: no facts: time limit of 120 s reached." in text
    assert "Everything, for the static engines: no facts" in text
    killed = Measurement("raceproof check", Run(-9, 180.0, 170.0, 900.0, "", ""), None)
    assert killed.verdict == "killed"
    assert killed.problem == "exit status -9"


def test_a_row_for_each_program() -> None:
    rows = table([_subject(_RECIPE, _OPEN, _RACY), _subject(_RECIPE, _OPEN, None)]).splitlines()[2:]
    assert rows[0].startswith("| [tool 1.0](real/tool.md) | 1,000 | 5,000 | 12.5 | 300 | 3 | 2 | 1 | unknown | 1,234 |")
    assert rows[0].endswith("| 1 | race |")
    assert rows[1].endswith("| not run |")


def test_every_program_is_run_or_says_why_not() -> None:
    recipes = load_recipes()
    assert all((recipe.run is None) == bool(recipe.not_run) for recipe in recipes.values())
    needed = {name for recipe in recipes.values() if recipe.run is not None for name in recipe.run.libraries}
    assert needed <= set(load_libraries())
