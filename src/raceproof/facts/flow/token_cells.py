"""In which cells threads leave tokens for others: checked over the whole program. `tokens` has the argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raceproof.facts.flow.contexts import SHARED, AccessKey, ThreadRecord
from raceproof.facts.flow.flow import FlowResult
from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.tokens import cell_object, empties
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.ir import Call, Store
from raceproof.model import (
    AccessKind,
    CountDown,
    DistinctArgument,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    ObjectId,
    StartArg,
    TokenCells,
    View,
    of_atom,
)

_ALLOCATES_ZEROS = "calloc"
_CANCELS = "pthread_cancel"


def token_objects(world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]) -> dict[ObjectId, int]:
    """Objects that may have such cells, and the size of a cell: to be followed by the next flow."""
    if world.uses_setjmp or _CANCELS in world.program.externals:
        return {}
    sizes: dict[ObjectId, set[int]] = {}
    distinct = {r.id for r in flow.records if _has_own_number(r)}
    for key, touch in touched.items():
        _, instr = world.instructions[key[0]]
        if isinstance(instr, Store) and not empties(instr) and any(v.thread in distinct for v in flow.views[key]):
            for target in touch.objects:
                sizes.setdefault(target, set()).add(instr.type.size)
    zeros = _zeros(world) if sizes else frozenset()
    return {target: min(sizes[target]) for target in sorted(sizes) if len(sizes[target]) == 1 and target in zeros}


def token_cells(
    world: World,
    flow: FlowResult,
    touched: Mapping[AccessKey, TargetedTouch],
    counters: Mapping[Linear, CountDown],
) -> tuple[TokenCells, ...]:
    found = []
    for target, size in sorted(flow.token_objects.items()):
        cells = _cells(world, flow, touched, target, size)
        if cells is not None:
            paid = frozenset(address for address, counter in counters.items() if _is_paid(flow, cells, counter))
            found.append(replace(cells, counters=paid))
    return tuple(found)


def _has_own_number(record: ThreadRecord) -> bool:
    argument = record.argument
    return isinstance(argument, DistinctArgument) and not argument.fresh and argument.stride != 0


def _zeros(world: World) -> frozenset[ObjectId]:
    """Objects of which there is one, and in which there is nothing but zero at first."""
    objects = world.points_to.objects
    found = set()
    for name, variable in world.program.globals.items():
        if not variable.is_external and variable.initial_complete and not variable.initial and variable.text is None:
            found.add(world.points_to.object_of_symbol(name))
    if _ALLOCATES_ZEROS in world.program.functions:
        return frozenset(o for o in found if objects[o].is_single)
    for site, (_, instr) in world.instructions.items():
        if isinstance(instr, Call) and world.callees(instr) == (_ALLOCATES_ZEROS,):
            found.update(world.points_to.object_of_site(site))
    return frozenset(o for o in found if objects[o].is_single)


def _cells(
    world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch], target: ObjectId, size: int
) -> TokenCells | None:
    """All that is ever written to the cells is zero, but for what the instances of one thread write."""
    writes = {k: t for k, t in touched.items() if t.touch.kind.writes and target in t.objects}
    others = {k: t for k, t in writes.items() if not _empties(world, k)}
    setting = [k for k in others if isinstance(world.instructions[k[0]][1], Store)]
    views = [v for k in setting for v in flow.views[k] if v.objects is None or target in v.objects]
    cells = {v.address for v in views}
    threads = {v.thread for v in views}
    if len(cells) != 1 or len(threads) != 1:
        return None
    (cell,), (thread,) = cells, threads
    start = of_atom(StartArg(thread))
    if cell is None or cell_object(cell) != target:
        return None
    factor = dict(cell.terms).get(StartArg(thread), 0)
    if abs(factor) < size or not cell.plus(start, -factor).is_absolute:
        return None
    places = [place for k in setting for place in writes[k].targets if place.object == target]
    if any(_changes(touch, places) for k, touch in others.items() if k not in setting):
        return None
    if any(world.may_change_unseen(place) for place in places):
        return None
    if any(touched[k].touch.size != size for k in setting) or not _has_own_number(flow.records[thread]):
        return None
    locks = frozenset.intersection(*(_locks(view) for view in views))
    return TokenCells(target, thread, cell, locks, frozenset(), _is_made_once(flow.records[thread])) if locks else None


def _empties(world: World, key: AccessKey) -> bool:
    _, instr = world.instructions[key[0]]
    return isinstance(instr, Store) and empties(instr)


def _changes(touch: TargetedTouch, places: list[MemLoc]) -> bool:
    """Nobody reads what was freed."""
    return touch.touch.kind is not AccessKind.FREE and any(overlap(p, t) for p in places for t in touch.targets)


def _locks(view: View) -> frozenset[Linear]:
    """Those that the argument of the thread tells, and nothing else of its own."""
    found = set()
    for held in view.held:
        times = dict(held.address.terms).get(StartArg(view.thread), 0)
        rest = held.address.plus(of_atom(StartArg(view.thread)), -times)
        if held.kind is LockKind.MUTEX and held.mode is LockMode.EXCLUSIVE and rest.is_absolute:
            found.add(held.address)
    return frozenset(found)


def _is_made_once(record: ThreadRecord) -> bool:
    """All instances are made by one loop, which is run once: no two of them have the same argument, ever."""
    return len(record.rounds) == 1 and None not in record.rounds


def _is_paid(flow: FlowResult, cells: TokenCells, counter: CountDown) -> bool:
    """Everybody who counts down for others does so for a token of these cells, once, and takes it out."""
    if not counter.joiners or cells.thread not in counter.joined or cells.object in flow.uses.second_tokens:
        return False
    for target, cell, locks in flow.uses.left_tokens:
        if target == cells.object and (
            cell is None or any(cells.argument((target, cell, lk)) is not None for lk in locks)
        ):
            return False
    payments = [
        tokens
        for thread in counter.joiners
        for user in (thread, SHARED)
        for tokens in flow.uses.payments.get((counter.address, user), ())
    ]
    return bool(payments) and all(any(cells.argument(t) is not None for t in tokens) for tokens in payments)
