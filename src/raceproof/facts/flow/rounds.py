"""The rounds of a counted loop: what is the same in all of them, and what is another number in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raceproof.facts.flow.function_info import CountedLoop
from raceproof.facts.flow.state import State
from raceproof.ir import IntType, Phi, SiteId
from raceproof.model import Atom, Linear, Opaque, of_atom

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker

MAX_THREADS = 1 << 20  # in a loop with unknown bounds: fewer than it takes for what moves to wrap around


def ranges_of(w: Walker, site: SiteId, address: Linear, state: State) -> tuple[tuple[Atom, Linear, Linear], ...]:
    """The counters of loops around `site` that the address is made of: first value, and the one behind the last.

    As numbers of pointer size, which may wrap around: a counter is its first value and at most so much that it stays
    below the other one.
    """
    label = w.info.block_of[site]
    found = []
    for loop in w.info.counted.values():
        counter = w.evaluator.opaque_name(loop.counter.name)
        inside = label != loop.header and label in w.info.loops[loop.header]
        if inside and counter in address.atoms() and _counts_up(w, loop):
            first, bound = w.value(loop.first, state), w.value(loop.bound, state)
            found.append((counter, first, bound.shifted(int(loop.predicate == "sle"))))
    return tuple(found)


def _counts_up(w: Walker, loop: CountedLoop) -> bool:
    """From the first value to the bound, without wrapping around in between."""
    if loop.step <= 0 or loop.is_zero_extended(w.info.definitions):
        return False
    phi = w.info.definitions[loop.counter.name]
    bits = phi.type.bits if isinstance(phi, Phi) and isinstance(phi.type, IntType) else None
    if loop.predicate in ("slt", "sle"):
        return bits is not None and loop.wraps_at(loop.counter.name, w.info.definitions) is None
    return loop.predicate == "ult" and loop.step == 1 and bits == w.evaluator.pointer_bits


def moving_part(w: Walker, value: Linear, loop: CountedLoop) -> tuple[Atom, int] | None:
    """The one atom that each round moves on, and its factor, if all else in the value stays the same."""
    growth = {w.evaluator.opaque_name(name) for name in loop.moving}
    moving = [(atom, factor) for atom, factor in value.terms if atom in growth]
    others = [atom for atom, _ in value.terms if atom not in growth]
    if len(moving) == 1 and all(is_constant_in_frame(w, leaf) for o in others for leaf in of_atom(o).leaves()):
        return moving[0]
    return None


def growth_of(w: Walker, atom: Atom, loop: CountedLoop) -> int:
    """By how much each round moves it on."""
    return next(growth for name, growth in loop.moving.items() if w.evaluator.opaque_name(name) == atom)


def differs_by_round(w: Walker, value: Linear, bits: int, loop: CountedLoop, state: State) -> bool:
    """The value, kept in so many bits, is another number in each round."""
    moving, values = moving_part(w, value, loop), counter_values(w, loop, state)
    if moving is None or not are_distinct(w, loop, *moving, values):
        return False
    atom, factor = moving
    return abs(factor * growth_of(w, atom, loop)) * _rounds(values) <= 1 << bits


def are_distinct(w: Walker, loop: CountedLoop, atom: Atom, factor: int, values: range | None) -> bool:
    """`factor` times what moves is another number in each round, even if it wraps around."""
    for name, growth in loop.moving.items():
        if w.evaluator.opaque_name(name) == atom:
            bits = loop.wraps_at(name, w.info.definitions)
            is_within = bits is None or abs(growth) * _rounds(values) <= 1 << bits
            return is_within and abs(factor * growth) * _rounds(values) <= 1 << w.evaluator.pointer_bits
    return False


def _rounds(values: range | None) -> int:
    return len(values) if values is not None else MAX_THREADS


def counter_values(w: Walker, loop: CountedLoop, state: State) -> range | None:
    """The values of a loop's counter, if they are constant."""
    first, bound = w.value(loop.first, state), w.value(loop.bound, state)
    if first.is_constant and bound.is_constant:
        return loop.numbers_between(first.constant, bound.constant, w.info.definitions)
    return None


def is_constant_in_frame(w: Walker, atom: Atom) -> bool:
    """A value that is the same in all threads, a parameter, or a register that is set once per call."""
    prefix = f"{w.function.name}:"
    if not isinstance(atom, Opaque):
        return True
    if not atom.key.startswith(prefix):
        return False
    name = atom.key.removeprefix(prefix)
    if name.startswith("^"):
        return True
    definition = w.info.definitions.get(name.removeprefix("%"))
    return definition is None or w.info.block_of[definition.id] not in w.info.cyclic
