"""What a reader can do about a pair that no engine has decided, from what the result says about it."""

from __future__ import annotations

from raceproof.model import CheckResult, EngineReport, PairResult, Scope, Verdict

_TIME = ("time limit", "time was up")
_ALONE = "ended before it created a thread"


def advice(result: CheckResult, pair: PairResult) -> list[str]:
    """Sentences, the most promising first; none for a pair that is decided."""
    if pair.verdict is not Verdict.UNKNOWN:
        return []
    if pair.is_for_this_input:
        return ["Every schedule was tried with this input: if no other one matters, say --accept this-input."]
    return [*_unknown_code(pair), *_search(result, pair), *_locks(pair)]


def _unknown_code(pair: PairResult) -> list[str]:
    if not any(access.note for access in pair.accesses):
        return []
    return [
        "If the unknown functions touch or keep less than that, describe them under [[function]] in raceproof.toml;"
        " or give the files that define them."
    ]


def _search(result: CheckResult, pair: PairResult) -> list[str]:
    runner = next((engine for engine in result.engines if "executions" in engine.stats), None)
    stopped = [engine.stopped for engine in result.engines if engine.stopped]
    texts = []
    if any(other.verdict is Verdict.RACE for other in result.pairs):
        texts.append("Repair the race that was found first, or look for all of them with --all.")
    elif any("not supported" in text for text in stopped):
        texts.append("See why the program could not be run: what locks and order do not decide needs a run.")
    elif any(_ALONE in text for text in stopped):
        texts.append("Give the program arguments with which it creates threads, behind `--`.")
    elif any(word in text for text in (*stopped, *pair.evidence) for word in _TIME):
        texts.append("Give more time (--time-limit), more processes (--jobs) or the program a smaller input.")
    if pair.scope is Scope.BOUNDED and runner is not None:
        texts.append(_about_bounds(runner))
    if runner is None and not stopped:
        texts.append("The program was not executed: let the explorer run it, --engines lockset,explore.")
    return texts


def _about_bounds(runner: EngineReport) -> str:
    notes = " ".join(runner.notes)
    if "inputs" in notes:
        return "A proof needs all values of each input: have fewer or narrower ones."
    if any(word in notes for word in ("steps", "events", "did not end")):
        return "Have the program end sooner: smaller arguments, or a higher --max-steps of `raceproof explore`."
    if "weaker memory orders" in notes:
        return "Use memory_order_seq_cst for the atomics there, if nothing else keeps the two apart."
    return "There is no race up to the bound that is named."


def _locks(pair: PairResult) -> list[str]:
    first, second = (set(access.held) for access in pair.accesses)
    if first & second:
        common = ", ".join(sorted(first & second))
        return [f"Both hold a lock called {common}, but it may be another one each time: use one lock for both."]
    if first and second:
        return ["The two hold different locks: hold one and the same around both accesses."]
    if first or second:
        lock = ", ".join(sorted(first | second))
        return [f"Only one of the two holds {lock}: if it is meant to protect this location, take it at the other too."]
    return [
        "Neither holds a lock: take the same one around both accesses, order them by creating and joining, or describe"
        " a lock of your own under [[lock]] in raceproof.toml."
    ]
