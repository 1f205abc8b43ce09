"""A run of the net told as a run of the program: who does what at which line.

    main:17 creates worker 1; worker 1:8 locks m; worker 1 stands before line 9, main before line 18

The run is possible as far as the net knows: data are abstracted, so the program need not have it.
"""

from __future__ import annotations

from collections import defaultdict

from raceproof.petri.net import Unsafe
from raceproof.petri.program_edges import At, Edge, Start, ThreadCopy
from raceproof.petri.program_net import ProgramNet

MAX_STEPS = 12
"""Of a longer run only the last are told."""


def describe_run(made: ProgramNet, unsafe: Unsafe) -> str:
    """Tell the run in one line; each token of control is a thread, which of several is as good as any other."""
    names = _Names()
    standing: dict[int, list[str]] = defaultdict(list)
    for place, count in unsafe.start:
        if place in made.owners:
            standing[place] += [names.new(made.owners[place]) for _ in range(count)]
    told: list[str] = []
    ends: list[str] = []
    entries = {copy: place for place, copy in made.entries.items()}
    for number in unsafe.firing:
        edge, goal = made.steps[number], made.goals[number]
        name = standing[made.sources[number]].pop(0)
        if goal is not None:
            standing[goal].append(name)
        for resource, count in edge.give:
            if isinstance(resource, Start):
                created = [names.new(resource.copy) for _ in range(count)]
                standing[entries[resource.copy]] += created
                told.append(f"{name}{_line(edge)} creates {', '.join(created)}")
            elif isinstance(resource, At):
                ends.append(f"{name} stands before{_line(edge).replace(':', ' line ')}")
        if edge.what and not any(isinstance(r, Start | At) for r, _ in edge.give):
            told.append(f"{name}{_line(edge)} {edge.what}")
    left_out = ["..."] if len(told) > MAX_STEPS else []
    return "; ".join([*left_out, *told[-MAX_STEPS:], *ends])


class _Names:
    """`worker 1`, `worker 2`, ..., but `main`."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = defaultdict(int)

    def new(self, copy: ThreadCopy) -> str:
        if copy.function == "main":
            return copy.function
        self._counts[copy.function] += 1
        return f"{copy.function} {self._counts[copy.function]}"


def _line(edge: Edge) -> str:
    return f":{edge.pos.line}" if edge.pos is not None else ""
