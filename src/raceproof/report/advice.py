"""What a reader can do: about a race (`fix`), and about a pair that no engine has decided (`advice`)."""

from __future__ import annotations

import re

from raceproof.model import SAMPLING, SHARED_MARK, AccessResult, CheckResult, EngineReport, PairResult, Scope, Verdict
from raceproof.report.locations import Location, without_mode
from raceproof.report.terminal import place

_TIME = ("time limit", "time was up", "share of the time")
_NO_JOIN = "no join that can be followed"
_UNKNOWN_FUNCTION = re.compile(r"(`[^`]+`) is not known: ")
_MOST_FUNCTIONS = 3
_WORD = 8  # bytes that one atomic access can have


def fix(location: Location, pair: PairResult) -> str:
    """How the two accesses can be kept apart, as the other accesses of the location suggest."""
    first, second = pair.accesses
    if first.of_object or second.of_object:
        return (
            f"initialise {location.name} before the threads that use it exist, and destroy, free or overwrite it only"
            " when they have ended"
        )
    common = {without_mode(lock) for lock in first.held} & {without_mode(lock) for lock in second.held}
    for access in pair.accesses:
        for lock in sorted(common):
            if access.kind.writes and lock + SHARED_MARK in access.held:
                return f"take {location.short(lock)} for writing at {_place(access)}: there it is held for reading only"
    usual = usual_lock(location)
    if usual is not None:
        return usual
    if common:
        called = ", ".join(sorted(map(location.short, common)))
        return f"use one and the same lock: both hold one called {called}, but not always the same one"
    if first.held and second.held:
        one, other = location.short(first.held[-1]), location.short(second.held[-1])
        return f"hold the same lock at both: one holds {one}, the other {other}"
    if first.held or second.held:
        bare, locked = (second, first) if first.held else (first, second)
        lock = location.short(locked.held[-1])
        if bare.pos == locked.pos and bare.call_stack:
            return f"hold {lock} around the call at {place(bare.call_stack[-1])}: others call it with {lock} held"
        return f"hold {lock} at {_place(bare)}, as the {locked.kind.value} at {_place(locked)} does"
    size = pair.pair.target.size
    atomic = ", or make it _Atomic" if size is not None and size <= _WORD and first.pos is not None else ""
    return f"hold one lock around both accesses{atomic}, or let one thread be joined before the other accesses it"


def usual_lock(location: Location) -> str | None:
    """The lock that most accesses hold, and where it is missing."""
    if location.usual_lock is None:
        return None
    lock, holding, all_places = location.usual_lock
    missing = [
        pos
        for c in location.classes
        if c.is_open and lock not in map(without_mode, c.locks)
        for pos, _ in c.sites
        if pos is not None
    ]
    where = f" at {place(missing[0])}" if missing else ""
    does = "does" if holding == 1 else "do"
    return f"hold {location.short(lock)}{where}, as {holding} of the {all_places} accesses {does}"


def _place(access: AccessResult) -> str:
    return place(access.pos) if access.pos is not None else f"`{access.function}`"


def advice(result: CheckResult, pair: PairResult) -> list[str]:
    """Sentences, the most promising first; none for a pair that is decided."""
    if pair.verdict is not Verdict.UNKNOWN:
        return []
    if pair.is_for_this_input:
        return ["Every schedule was tried with this input: if no other one matters, say --accept this-input."]
    return [*_unknown_code(pair), *_unknown_locks(result, pair), *_order(pair), *_search(result, pair), *_locks(pair)]


def _unknown_code(pair: PairResult) -> list[str]:
    if not any(access.note and not access.of_object for access in pair.accesses):
        return []
    return [
        "If the unknown functions touch or keep less than that, describe them under [[function]] in raceproof.toml;"
        " or give the files that define them."
    ]


def _unknown_locks(result: CheckResult, pair: PairResult) -> list[str]:
    """Two unknown functions or more may be a lock that nobody has described."""
    first, second = (set(map(without_mode, access.held)) for access in pair.accesses)
    found = [match for a in result.assumptions if (match := _UNKNOWN_FUNCTION.match(a.text))]
    names = list(dict.fromkeys(match[1] for match in found))
    if first & second or len(names) < 2:
        return []
    shown = ", ".join(names[:_MOST_FUNCTIONS]) + (", …" if len(names) > _MOST_FUNCTIONS else "")
    return [f"If unknown functions ({shown}) take and give back a lock, describe it under [[lock]] in raceproof.toml."]


def _order(pair: PairResult) -> list[str]:
    if not any(_NO_JOIN in text for text in pair.evidence):
        return []
    return [
        "If a join before that waits for the thread: joins are followed by the variable, or the element in a counted"
        " loop, that the creation stored the id in."
    ]


def _search(result: CheckResult, pair: PairResult) -> list[str]:
    runner = next((engine for engine in result.engines if "executions" in engine.stats), None)
    stopped = [engine.stopped for engine in result.engines if engine.stopped]
    texts = []
    if all(engine.name == SAMPLING for engine in result.engines):
        return ["More runs may execute it (--runs, --seed); `raceproof check` may prove that it cannot be."]
    if not result.goes_on and any(other.verdict is Verdict.RACE for other in result.pairs):
        texts.append("Repair the race that was found first, or look for all of them with --all.")
    elif any("not supported" in text for text in stopped):
        texts.append("See why the program could not be run: what locks and order do not decide needs a run.")
    elif advised := [text for text in stopped if ": give " in text]:
        what = advised[0].rpartition(": ")[2]
        texts.append(f"{what[0].upper()}{what[1:]}.")
    elif any(word in text for text in (*stopped, *pair.evidence) for word in _TIME):
        texts.append("Give more time (--time-limit), more processes (--jobs) or the program a smaller input.")
    if pair.scope is Scope.BOUNDED and runner is not None:
        texts += _about_bounds(runner)
    if runner is None and not stopped:
        texts.append("The program was not executed: let the explorer run it, --engines lockset,explore.")
    return texts


def _about_bounds(runner: EngineReport) -> list[str]:
    notes = " ".join(runner.notes)
    if "inputs" in notes:
        return ["A proof needs all values of each input: have fewer or narrower ones."]
    if any(word in notes for word in ("steps", "events", "did not end")):
        return ["Have the program end sooner: smaller arguments, or a higher --max-steps of `raceproof explore`."]
    if "weaker memory orders" in notes:
        return ["Use memory_order_seq_cst for the atomics there, if nothing else keeps the two apart."]
    return []


def _locks(pair: PairResult) -> list[str]:
    first, second = (set(map(without_mode, access.held)) for access in pair.accesses)
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
