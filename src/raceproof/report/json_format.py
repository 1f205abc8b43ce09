"""The result as JSON. Other programs depend on these words: extend, never rename."""

from __future__ import annotations

from raceproof.model import AccessResult, Assumption, CheckResult, EngineReport, PairResult

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def to_json(result: CheckResult) -> dict[str, Json]:
    """Everything in the result; where a place is not known, `file` is empty and `line` and `column` are 0."""
    return {
        "verdict": result.verdict.value,
        "scope": result.scope.value if result.scope is not None else None,
        "reason": result.reason,
        "program": {"files": list(result.files)},
        "pairs": [_pair(pair) for pair in result.pairs],
        "engines": [_engine(engine) for engine in result.engines],
        "other": list(result.other),
        "assumptions": [_assumption(a) for a in result.assumptions],
        "interrupted": result.interrupted,
        "seconds": round(result.seconds, 3),
        "version": result.version,
    }


def _pair(pair: PairResult) -> dict[str, Json]:
    return {
        "id": pair.id,
        "verdict": pair.verdict.value,
        "scope": pair.scope.value if pair.scope is not None else None,
        "engine": pair.engine,
        "target": pair.target,
        "accesses": [_access(access) for access in pair.accesses],
        "evidence": list(pair.evidence),
    }


def _access(access: AccessResult) -> dict[str, Json]:
    return {
        "file": access.pos.file if access.pos is not None else "",
        "line": access.pos.line if access.pos is not None else 0,
        "column": access.pos.column if access.pos is not None else 0,
        "function": access.function,
        "kind": access.kind.value,
        "thread": access.thread,
        "atomic": access.is_atomic,
        "locks": list(access.held),
        "calls": [str(pos) for pos in access.call_stack],
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
    }


def _assumption(assumption: Assumption) -> dict[str, Json]:
    return {
        "text": assumption.text,
        "file": assumption.pos.file if assumption.pos is not None else "",
        "line": assumption.pos.line if assumption.pos is not None else 0,
    }
