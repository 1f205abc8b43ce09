"""Where paths part, and what they bring when they come together again."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from raceproof.bmc.evaluation import Evaluator, Registers
from raceproof.bmc.events import Point, meeting
from raceproof.bmc.frames import Arrival
from raceproof.bmc.instructions import Held, width_of
from raceproof.bmc.terms import Truth, both, either, is_known
from raceproof.bmc.unrolling import Layout
from raceproof.ir import Phi


def split(point: Point, truths: Sequence[Truth]) -> list[Point]:
    """One point for each way; they exclude one another, and one of them is taken."""
    mass = point.mass / len(truths)
    return [point.below(both(point.guard, truth), mass) for truth in truths]


def assume(point: Point, truth: Truth) -> Point | None:
    """Where it goes on only if this holds."""
    if is_known(truth):
        return point if truth else None
    return point.below(both(point.guard, truth), point.mass / 2)


def joined_point(points: Sequence[Point]) -> Point:
    """Where they all lead."""
    if len(points) == 1:
        return points[0]
    above = meeting(list(points))
    mass = sum((p.mass for p in points), Fraction(0))
    if mass == above.mass:
        return above.below(above.guard, mass)
    return above.below(either(*(p.guard for p in points)), mass)


def joined_values(values: Evaluator, brought: Sequence[tuple[Point, Held]], width: int | None) -> Held:
    """What there is behind, of which each path has brought one; `width` None: as they show it."""
    result = brought[-1][1]
    for point, value in reversed(brought[:-1]):
        result = values.either(point.guard, value, result, width)
    return result


def joined_registers(values: Evaluator, layout: Layout, label: str, came: Sequence[Arrival]) -> Registers:
    """What is live, and the phis, at the beginning of a block."""
    found: Registers = {}
    for name in sorted(layout.live[label]):
        brought = [(a.point, a.registers[name]) for a in came if name in a.registers]
        if brought:
            found[name] = joined_values(values, brought, layout.widths.get(name))
    for instr in layout.blocks[label].body:
        if not isinstance(instr, Phi):
            break
        incoming = {source: value for value, source in instr.incoming}
        brought = [(a.point, values.operand(a.registers, incoming[a.source])) for a in came]
        found[instr.result.name] = joined_values(values, brought, width_of(instr.type))
    return found
