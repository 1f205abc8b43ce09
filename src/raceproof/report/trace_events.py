"""The runs of all races as Chrome trace events, for ui.perfetto.dev and chrome://tracing.

One process for each race, one track for each thread. There is no time in these runs: `ts` is the number of the step.
Locks are bars below the threads; arrows lead from the creation of a thread to its first step, and from where a lock was
given up to where the next thread takes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from raceproof.model import AccessResult, CheckResult, PairResult, RaceResult, Trace, TraceStep, Verdict
from raceproof.report.json_format import Json
from raceproof.report.races import Hold, creations, holds, race_of, racing, steps_of, threads_of

_MIDDLE = 0.5  # of a step: arrows belong to the bar in which they begin or end


def to_trace_events(result: CheckResult) -> dict[str, Json]:
    """The JSON object format; races without a trace have their two accesses only."""
    races = [pair for pair in result.pairs if pair.verdict is Verdict.RACE]
    ids = count(1)  # of locks and arrows, for all processes: viewers match them without looking at the process
    return {
        "displayTimeUnit": "ns",
        "otherData": {"tool": "raceproof", "version": result.version, "ts": "number of the step, not time"},
        "traceEvents": [event for pair in races for event in _process(pair, ids)],
    }


def _process(pair: PairResult, ids: Iterator[int]) -> Iterator[dict[str, Json]]:
    race = race_of(pair)
    end = len(steps_of(race))
    yield _metadata(pair.id, 0, "process_name", {"name": f"pair {pair.id}: data race on {pair.target}"})
    for thread in threads_of(race):
        yield _metadata(pair.id, thread.id, "thread_name", {"name": str(thread)})
        yield _metadata(pair.id, thread.id, "thread_sort_index", {"sort_index": thread.id})
    for ts, step in enumerate(steps_of(race)):
        yield _step(pair.id, ts, step)
    for thread_id, access in racing(pair):
        yield _access(pair, thread_id, end, access)
    yield _race(pair, race, end)
    if race.trace is not None:
        yield from _locks(pair.id, race.trace, ids)
        for arrow in _arrows(race.trace, pair):
            yield from arrow.events(pair.id, next(ids))


def _metadata(pid: int, tid: int, name: str, args: dict[str, Json]) -> dict[str, Json]:
    return {"ph": "M", "pid": pid, "tid": tid, "name": name, "args": args}


def _step(pid: int, ts: int, step: TraceStep) -> dict[str, Json]:
    args: dict[str, Json] = {"step": f"{step.thread}.{step.number}", "locks held": list(step.held)}
    if step.value:
        args["value"] = step.value
    if step.pos is not None:
        args |= {"place": str(step.pos), "function": step.function}
    if step.calls:
        args["called from"] = [str(pos) for pos in step.calls]
    name = " ".join(word for word in (step.operation, step.address) if word)
    return {"ph": "X", "pid": pid, "tid": step.thread, "ts": ts, "dur": 1, "cat": "step", "name": name, "args": args}


def _access(pair: PairResult, tid: int, ts: int, access: AccessResult) -> dict[str, Json]:
    return {
        "ph": "X",
        "pid": pair.id,
        "tid": tid,
        "ts": ts,
        "dur": 1,
        "cat": "race",
        "name": f"{'atomic ' if access.is_atomic else ''}{access.kind.value} {pair.target}",
        "cname": "terrible",
        "args": {
            "place": str(access.pos) if access.pos is not None else "code without a line",
            "function": access.function,
            "locks held": list(access.held),
        },
    }


def _race(pair: PairResult, race: RaceResult, ts: int) -> dict[str, Json]:
    how = "both threads stand before their accesses" if race.schedule.together else "nothing orders the two accesses"
    return {
        "ph": "i",
        "pid": pair.id,
        "tid": racing(pair)[1][0],
        "ts": ts,
        "s": "p",
        "cat": "race",
        "name": f"data race on {pair.target}",
        "args": {"how": how},
    }


def _locks(pid: int, trace: Trace, ids: Iterator[int]) -> Iterator[dict[str, Json]]:
    """Asynchronous, because locks are not given up in the order that bars within bars would need."""
    for hold in sorted(holds(trace), key=lambda hold: (hold.start, hold.thread, hold.lock)):
        number = next(ids)
        end = len(trace.steps) + 1 if hold.end is None else hold.end
        for ph, ts in (("b", hold.start), ("e", end)):
            yield {
                "ph": ph,
                "pid": pid,
                "tid": hold.thread,
                "id": number,
                "ts": ts,
                "cat": "lock",
                "name": f"{hold.lock} held by thread {hold.thread}",
            }


@dataclass(frozen=True, slots=True)
class _Arrow:
    """From a step of one thread to a step of another, both by `ts`."""

    kind: str
    thread: int
    ts: int
    to_thread: int
    to_ts: int

    def events(self, pid: int, number: int) -> Iterator[dict[str, Json]]:
        both: dict[str, Json] = {"pid": pid, "id": number, "cat": "order", "name": self.kind}
        yield {"ph": "s", "tid": self.thread, "ts": self.ts + _MIDDLE, **both}
        yield {"ph": "f", "bp": "e", "tid": self.to_thread, "ts": self.to_ts + _MIDDLE, **both}


def _arrows(trace: Trace, pair: PairResult) -> Iterator[_Arrow]:
    first: dict[int, int] = {thread: len(trace.steps) for thread, _ in racing(pair)}
    for ts, step in reversed(list(enumerate(trace.steps))):
        first[step.thread] = ts
    for ts, thread in creations(trace):
        if thread in first:
            yield _Arrow("create", trace.steps[ts].thread, ts, thread, first[thread])
    yield from _hand_overs(trace)


def _hand_overs(trace: Trace) -> Iterator[_Arrow]:
    """From where a lock was given up last to where another thread takes it."""
    given_up: dict[str, Hold] = {}
    events = [(hold.start, hold) for hold in holds(trace)]
    events += [(hold.end, hold) for hold in holds(trace) if hold.end is not None]
    for ts, hold in sorted(events, key=lambda event: event[0]):
        last = given_up.get(hold.lock)
        if ts == hold.end:
            given_up[hold.lock] = hold
        elif last is not None and last.end is not None and last.thread != hold.thread:
            yield _Arrow(f"{hold.lock} given up and taken", last.thread, last.end, hold.thread, ts)
