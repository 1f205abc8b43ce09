"""When names stop meaning what they meant: `*(place)` once the place is written, `f:%n` once `f` is entered again.

A stable value is named after its place, and a register after its function. Both names are good as long as nobody
can see two values under one of them. A thread may write a stable place while others run that do not look at it, but
were given what it held before; and a function may be entered again while threads run whose ids it knew as `t[0..n)`,
with another n. What a state says in such terms is dropped, and of a thread it is forgotten what it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from raceproof.facts.flow.contexts import ThreadRecord
from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.state import State
from raceproof.model import DistinctArgument, Linear, MemLoc, Opaque, SameArgument, Stable

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker


def renounce_places(w: Walker, written: Iterable[MemLoc], state: State) -> None:
    """A write by this thread: what was read there before is not what these names mean from now on."""
    stale = {
        address
        for target in written
        for address, places in w.flow.stable_places.get(target.object, {}).items()
        if any(overlap(place, target) for place in places)
    }
    if not stale:
        return
    state.drop_where(lambda linear: _mentions(linear, stale))
    for record in [w.flow.records[thread] for thread in state.may_run]:
        w.flow.watch(w.context, record)
        if not record.names_lost and any(_mentions(linear, stale) for linear in _names_of(record)):
            w.flow.lose_names(w.context, record)


def renounce_frame(w: Walker, function: str, state: State) -> None:
    """The function is entered: threads that run were not made in terms of this frame, but of an earlier one."""
    prefix = f"{function}:"
    for record in [w.flow.records[thread] for thread in state.may_run]:
        if not record.ids_lost and any(
            isinstance(leaf, Opaque) and leaf.key.startswith(prefix)
            for linear in _own_names(record)
            for leaf in linear.leaves()
        ):
            record.ids_lost = True
            w.flow.changed(record)
            w.flow.run_again(w.context)


def frames_of(record: ThreadRecord) -> Iterator[str]:
    """The functions in whose frames its creators know its ids and its argument."""
    for linear in _own_names(record):
        for leaf in linear.leaves():
            if isinstance(leaf, Opaque):
                yield leaf.key.partition(":")[0]


def _mentions(linear: Linear, addresses: set[Linear]) -> bool:
    return any(address in addresses for address in stable_parts(linear))


def stable_parts(linear: Linear) -> Iterator[Linear]:
    """The addresses of all stable values in it, of those that these are found through as well."""
    for leaf in linear.leaves():
        if isinstance(leaf, Stable):
            yield leaf.location
            yield from stable_parts(leaf.location)


def _own_names(record: ThreadRecord) -> Iterator[Linear]:
    """In what terms its creator knows its ids and its argument."""
    for ids in record.ids:
        if ids is not None:
            yield from (ids.address, ids.first, ids.bound)
    for spawn in record.spawns.values():
        match spawn.argument:
            case SameArgument(value=value):
                yield value
            case DistinctArgument(pattern=pattern):
                yield pattern


def _names_of(record: ThreadRecord) -> Iterator[Linear]:
    yield from _own_names(record)
    for spawn in record.spawns.values():
        for (address, _), known in spawn.entry.memory.items():
            yield from (address, known.value)
