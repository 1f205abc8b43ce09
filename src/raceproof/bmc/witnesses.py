"""From a model of the formula to what the explorer tries: inputs, and who does what in which order.

The clocks of a model are one order of many: what matters is the order of events that have to do with each other. Of all
orders that keep it, one with few switches between threads is told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import z3

from raceproof.bmc.encoding import Encoding
from raceproof.bmc.events import MEMORY, Event, Input, Instance, Kind
from raceproof.bmc.interrupts import Watch
from raceproof.bmc.terms import Term, Value, is_known, signed, term
from raceproof.core import SourcePos
from raceproof.model import AccessId, Guide, GuideStep, RacePair, RunThread

_OPERATIONS = {
    (Kind.UNLOCK, "wait"): "unlock to wait",
    (Kind.LOCK, "wait"): "lock again",
    (Kind.END, ""): "end of thread",
    (Kind.SECTION, ""): "atomic begin",
    (Kind.SECTION_END, ""): "atomic end",
}
_HIDDEN = frozenset(
    {Kind.START, Kind.JOIN, Kind.WAKE, Kind.LEAVE, Kind.ONCE_END, Kind.ONCE_PASS, Kind.INIT, Kind.STOP, Kind.CUT}
)
_SILENT = frozenset({Kind.INIT, Kind.STOP, Kind.CUT, Kind.ONCE_END})


def _is_silent(event: Event) -> bool:
    """No step at all, and nothing that a thread could wait for."""
    return event.kind in _SILENT or (event.kind in MEMORY and not event.accesses and event.order is None)


@dataclass(frozen=True, slots=True)
class Witness:
    """`events` in order, up to the moment at which `racers` stand before their accesses; `inputs` with their values."""

    pair: RacePair
    events: tuple[Event, ...]
    racers: tuple[Event, Event]
    inputs: tuple[tuple[Input, int], ...]
    guide: Guide

    @property
    def depth(self) -> int:
        """How many steps it takes: what was done before, and the two accesses ([TX, Table 2])."""
        return len(self.guide.steps) + 2

    def __str__(self) -> str:
        parts = []
        for taken, value in self.inputs:
            parts.append(f"{taken.name.removeprefix('__VERIFIER_nondet_')} input {_line(taken.pos)} is {value}")
        told: list[str] = []
        before: Instance | None = None
        for event in self.events:
            if event.kind in _HIDDEN:
                continue
            if event.thread is not before:
                told.append(f"thread {event.thread.number}:")
                before = event.thread
            told.append(f"{event.kind.value} {_line(event.pos)}")
        a, b = self.racers
        told.append(f"then threads {a.thread.number} and {b.thread.number} stand {_line(a.pos)} and {_line(b.pos)}")
        return "; ".join([*parts, " ".join(told)])


def _line(pos: SourcePos | None) -> str:
    return f"at line {pos.line}" if pos is not None else "in code of the compiler"


def read_witness(encoding: Encoding, model: Term, pair: RacePair, watch: Watch) -> Witness:
    """The execution that a model stands for."""

    def holds(truth: Value) -> bool:
        watch.check()
        return bool(z3.is_true(model.eval(term(truth, 1), model_completion=True)))

    happened = [
        event
        for event in encoding.events
        if holds(encoding.happened(event)) and (event.kind is not Kind.CREATE or holds(event.condition))
    ]
    racers = next((a, b) for a, b, meets in encoding.races(pair) if holds(meets))
    order = _order(encoding, happened, holds)
    numbers: dict[Instance, int] = {encoding.unwound.threads[0]: 0}
    for event in order:
        if event.kind is Kind.CREATE and event.child is not None:
            numbers[event.child] = len(numbers)
    inputs = _inputs(encoding, numbers, order, racers, holds, model)
    steps = _steps(order, numbers, inputs)
    threads = tuple(
        RunThread(
            number,
            -1 if thread.parent is None else numbers[thread.parent],
            thread.created.site if thread.created is not None else None,
        )
        for thread, number in numbers.items()
    )
    meant = (_racer(racers[0], numbers, pair.first), _racer(racers[1], numbers, pair.second))
    guide = Guide(threads, steps, meant, (pair.first, pair.second))
    return Witness(pair, tuple(order), racers, tuple(inputs), guide)


def _racer(event: Event, numbers: dict[Instance, int], access: AccessId) -> GuideStep:
    if event.order is not None:
        return GuideStep(numbers[event.thread], event.site)
    return GuideStep(numbers[event.thread], event.site, (access,))


def _order(encoding: Encoding, happened: list[Event], holds: Callable[[Value], bool]) -> list[Event]:
    """One order with few switches that agrees with the model wherever two events have to do with each other."""
    chains: dict[Instance, list[Event]] = {}
    for event in happened:
        chains.setdefault(event.thread, []).append(event)
    waits: dict[Event, list[Event]] = {event: [] for event in happened}
    for (a, b), is_before in encoding.ordered():
        if a in waits and b in waits and holds(is_before):
            waits[b].append(a)
    for thread, chain in chains.items():
        if thread.created is not None and thread.created in waits:
            waits[chain[0]].append(thread.created)
    done: set[Event] = set()
    result: list[Event] = []
    current = encoding.unwound.threads[0]
    place = dict.fromkeys(chains, 0)

    def may_run(thread: Instance) -> bool:
        at = place[thread]
        return at < len(chains[thread]) and all(w in done for w in waits[chains[thread][at]])

    while len(result) < len(happened):
        if current not in chains or not may_run(current):
            current = next(thread for thread in chains if may_run(thread))
        event = chains[current][place[current]]
        place[current] += 1
        done.add(event)
        result.append(event)
    return result


def _inputs(
    encoding: Encoding,
    numbers: dict[Instance, int],
    order: list[Event],
    racers: tuple[Event, Event],
    holds: Callable[[Value], bool],
    model: Term,
) -> list[tuple[Input, int]]:
    """Those that were taken: a thread goes on from its last step until it stands before another one."""
    last = {event.thread: event for event in order}
    until = {thread: _next_step(event, holds) for thread, event in last.items()}
    for racer in racers:
        until[racer.thread] = racer.index
    found = []
    for thread in encoding.unwound.threads:
        for taken in thread.inputs:
            if thread in numbers and taken.index <= until.get(thread, -1) and holds(taken.point.guard):
                value = taken.value
                known = value if is_known(value) else model.eval(value, model_completion=True)
                number = _number(known)
                found.append((taken, signed(number, taken.width) if taken.is_signed and taken.width > 1 else number))
    return found


def _next_step(event: Event, holds: Callable[[Value], bool]) -> int:
    """The index of what the thread does next; no event, if it only ends."""
    behind = event.thread.events[event.index + 1 :]
    return next((e.index for e in behind if not _is_silent(e) and holds(e.guard)), len(event.thread.events))


def _number(value: Value) -> int:
    if isinstance(value, int):
        return int(value)
    if z3.is_bool(value):
        return int(z3.is_true(value))
    return int(value.as_long())


def _steps(
    order: list[Event],
    numbers: dict[Instance, int],
    inputs: list[tuple[Input, int]],
) -> tuple[GuideStep, ...]:
    steps = []
    mine: dict[Instance, list[Event]] = {}
    for event in order:
        mine.setdefault(event.thread, []).append(event)
    after: dict[Event, list[int]] = {}
    for taken, value in inputs:
        before = [e for e in mine[taken.thread] if e.index < taken.index and not _is_silent(e)]
        after.setdefault(before[-1], []).append(value)
    for event in order:
        if _is_silent(event):
            continue
        is_atomic = event.kind in MEMORY and event.order is not None
        steps.append(
            GuideStep(
                thread=numbers[event.thread],
                site=event.site,
                accesses=() if is_atomic else event.accesses,
                operation=_OPERATIONS.get((event.kind, event.what), ""),
                is_shown=event.kind not in _HIDDEN,
                inputs=tuple(after.get(event, ())),
            )
        )
    return tuple(steps)
