"""A run, or two beside one another, as a page to look at: table, score over time, what each engine is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from raceproof.corpora.comparison import Comparison, Kind
from raceproof.corpora.results import Run, TaskResult
from raceproof.corpora.settings import Settings
from raceproof.corpora.tallies import Tally, by_category, by_engine, quantiles, tally
from raceproof.report import Json, to_corpus_html


def run_page(run: Run) -> str:
    data: dict[str, Json] = {
        "title": run.settings.corpus,
        "runs": [_run("", run.settings, run.results)],
        "categories": _categories(run.results),
        "programs": [_program(result, [result], None) for result in run.results],
        "comparison": None,
    }
    return to_corpus_html(f"raceproof bench: {run.settings.corpus}", run.settings.version, data)


def comparison_page(comparison: Comparison) -> str:
    """Of the programs that both runs have."""
    first, second = comparison.first.settings, comparison.second.settings
    before = [one for one, _ in comparison.common]
    after = [other for _, other in comparison.common]
    kinds = {change.name: change.kind.value for change in comparison.changes}
    data: dict[str, Json] = {
        "title": second.corpus,
        "runs": [_run("first run", first, before), _run("second run", second, after)],
        "categories": _categories(after),
        "programs": [_program(other, [one, other], kinds.get(other.name)) for one, other in comparison.common],
        "comparison": {
            "kinds": [kind.value for kind in Kind],
            "score": comparison.score,
            "ratio": comparison.ratio,
            "solved": len(comparison.solved),
            "onlyFirst": len(comparison.only_first),
            "onlySecond": len(comparison.only_second),
            "differences": list(first.differences(second)),
        },
    }
    return to_corpus_html(f"raceproof bench: comparison: {second.corpus}", second.version, data)


def _run(label: str, settings: Settings, results: Sequence[TaskResult]) -> Json:
    return {
        "label": label,
        "corpus": settings.corpus,
        "version": settings.version,
        "engines": list(settings.engines),
        "timeLimit": settings.time_limit,
        "jobs": settings.jobs,
        "planned": settings.programs,
        "tally": _tally(tally(results)),
        "start": sum(result.points for result in results if result.outcome.is_wrong),
        "curve": [[score, seconds] for score, seconds in quantiles(results)],
        "byEngine": [asdict(entry) for entry in by_engine(results, settings.engines)],
    }


def _categories(results: Sequence[TaskResult]) -> list[Json]:
    return [{"name": name, **_tally(entry)} for name, entry in by_category(results)]


def _tally(entry: Tally) -> dict[str, Json]:
    return asdict(entry)


def _program(program: TaskResult, results: Sequence[TaskResult], change: str | None) -> Json:
    return {
        "name": program.name,
        "category": program.category,
        "expected": program.expected.value,
        "change": change,
        "results": [_result(result) for result in results],
    }


def _result(result: TaskResult) -> Json:
    return {
        "verdict": result.verdict.value if result.verdict is not None else "error",
        "outcome": result.outcome.value,
        "points": result.points,
        "scope": result.scope,
        "detail": result.detail,
        "cpu": result.cpu,
        "wall": result.wall,
        "pairs": result.pairs,
        "by": list(result.decided_by),
        "report": result.report,
    }
