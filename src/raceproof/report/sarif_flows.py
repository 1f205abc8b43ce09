"""The run of a race as SARIF: one thread flow for each thread, `executionOrder` says who went when."""

from __future__ import annotations

from raceproof.core import SourcePos
from raceproof.model import AccessResult, PairResult, TraceStep
from raceproof.report.json_format import Json
from raceproof.report.races import race_of, racing, steps_of, threads_of
from raceproof.report.sarif_locations import Artifacts

MAX_FLOW_LOCATIONS = 10_000  # that GitHub takes for one result
MAX_FLOW_LOCATIONS_IN_ALL = 50_000  # keeps a file with many long runs below the 10 MB that GitHub takes


class FlowBudget:
    """What is left of the locations that the whole file may have; spent on the most important results."""

    def __init__(self, left: int = MAX_FLOW_LOCATIONS_IN_ALL) -> None:
        self._left = left

    def take(self, wanted: int) -> int:
        taken = min(wanted, self._left, MAX_FLOW_LOCATIONS - 2)  # the two accesses come on top
        self._left -= taken
        return taken


def code_flow(pair: PairResult, artifacts: Artifacts, budget: FlowBudget) -> dict[str, Json] | None:
    """The run up to the race, of a long one the last steps; None if no line in the source is known."""
    race = race_of(pair)
    steps = [(order, step, step.pos) for order, step in enumerate(steps_of(race), start=1) if step.pos is not None]
    shown = steps[len(steps) - budget.take(len(steps)) :]
    flows: dict[int, list[Json]] = {}
    held: dict[int, tuple[str, ...]] = {}
    for order, step, pos in shown:
        flows.setdefault(step.thread, []).append(_step(order, step, pos, held.get(step.thread, ()), artifacts))
        held[step.thread] = step.held
    end = len(steps_of(race)) + 1
    for i, (thread, access) in enumerate(racing(pair)):
        if access.pos is not None:
            order = end if race.schedule.together else end + i
            flows.setdefault(thread, []).append(_access(order, access, access.pos, pair.target, artifacts))
    if not flows:
        return None
    names = {thread.id: str(thread) for thread in threads_of(race)}
    how = "Both threads stand before their accesses." if race.schedule.together else "Nothing orders the two accesses."
    left_out = len(steps) - len(shown)
    return {
        "message": {"text": how + (f" The first {left_out} steps are left out." if left_out else "")},
        "threadFlows": [
            {"id": str(thread), "message": {"text": names.get(thread, f"thread {thread}")}, "locations": flows[thread]}
            for thread in sorted(flows)
        ],
    }


def _step(
    order: int, step: TraceStep, pos: SourcePos, before: tuple[str, ...], artifacts: Artifacts
) -> dict[str, Json]:
    text = " ".join(word for word in (step.operation, step.address) if word)
    result: dict[str, Json] = {
        "executionOrder": order,
        "nestingLevel": len(step.calls),
        "importance": "important",
        "location": artifacts.location(pos, text + (f" = {step.value}" if step.value else ""), step.function),
        "state": _locks(step.held),
    }
    if set(step.held) != set(before):
        result["kinds"] = ["acquire" if set(step.held) - set(before) else "release", "lock"]
    return result


def _access(order: int, access: AccessResult, pos: SourcePos, target: str, artifacts: Artifacts) -> dict[str, Json]:
    atomic = "atomic " if access.is_atomic else ""
    return {
        "executionOrder": order,
        "nestingLevel": len(access.call_stack),
        "importance": "essential",
        "kinds": ["danger", "memory"],
        "location": artifacts.location(pos, f"data race: {atomic}{access.kind.value} {target}", access.function),
        "state": _locks(access.held),
    }


def _locks(held: tuple[str, ...]) -> dict[str, Json]:
    return {"locks held": {"text": ", ".join(held) or "none"}}
