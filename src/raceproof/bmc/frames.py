"""Where the walk through a function is: its registers, the ways into its blocks, the rounds of its loops."""

from __future__ import annotations

from dataclasses import dataclass

from raceproof.bmc.evaluation import Evaluator, Registers
from raceproof.bmc.events import Instance, Kind, Point
from raceproof.bmc.instructions import Anything, Held, width_of
from raceproof.bmc.terms import Truth, both, either, equal, negate
from raceproof.bmc.unrolling import Layout
from raceproof.ir import Phi, SiteId


@dataclass(slots=True)
class Frame:
    """A function that is being unwound; `stack`: those that called it, itself last."""

    thread: Instance
    layout: Layout
    registers: Registers
    stack: tuple[str, ...]
    calls: tuple[SiteId, ...] = ()


@dataclass(slots=True)
class Arrival:
    """A way into a copy of a block. `charges`: rounds of the components around it that count."""

    point: Point
    registers: Registers
    source: str
    charges: tuple[int, ...]


@dataclass(slots=True)
class Round:
    """Of a loop, at its beginning: how many events its thread had, and the registers."""

    events: int
    registers: Registers


def leaves_something(values: Evaluator, frame: Frame, begun: Round, source: str, head: str) -> Truth:
    """Has the round that ends with the block `source` changed a register of the loop, or an atomic?"""
    changes = _updates(frame, begun, len(frame.thread.events))
    for phi in frame.layout.blocks[head].body:
        if isinstance(phi, Phi):
            value = next(value for value, label in phi.incoming if label == source)
            after = values.operand(frame.registers, value)
            changes.append(_differs(begun.registers[phi.result.name], after, width_of(phi.type)))
    return either(*changes)


def differ(frame: Frame, before: Round, now: Round, head: str) -> Truth:
    """Do two rounds begin differently, or has an atomic changed between them?"""
    changes = _updates(frame, before, now.events)
    for name in (i.result.name for i in frame.layout.blocks[head].body if isinstance(i, Phi)):
        changes.append(_differs(before.registers[name], now.registers[name], frame.layout.widths.get(name)))
    return either(*changes)


def _updates(frame: Frame, begun: Round, until: int) -> list[Truth]:
    updates = [e for e in frame.thread.events[begun.events : until] if e.kind is Kind.UPDATE]
    return [both(e.guard, negate(equal(e.value, e.result, 8 * e.size))) for e in updates]


def _differs(a: Held, b: Held, width: int | None) -> Truth:
    if width is None or isinstance(a, Anything | tuple) or isinstance(b, Anything | tuple):
        return True
    return negate(equal(a, b, width))
