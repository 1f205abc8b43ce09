"""In which cells threads leave tokens for others: checked over the whole program. `tokens` has the argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raceproof.facts.flow.contexts import SHARED, AccessKey, ThreadRecord
from raceproof.facts.flow.flow_result import FlowResult
from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.tokens import cell_object, empties
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.ir import Call, Load, Store
from raceproof.model import (
    AccessKind,
    CountDown,
    DistinctArgument,
    Linear,
    LockKind,
    LockMode,
    ObjectId,
    StartArg,
    TokenCells,
    View,
    of_atom,
)

_ALLOCATES_ZEROS = "calloc"


def token_objects(world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]) -> frozenset[ObjectId]:
    """Objects that may have such cells, to be followed by the next flow."""
    if world.uses_setjmp or world.cancels or world.may_call_unknown:
        return frozenset()
    distinct = {r.id for r in flow.records if _has_own_number(r)}
    found: set[ObjectId] = set()
    for key, touch in touched.items():
        if _sets(world, key) and any(view.thread in distinct for view in flow.views[key]):
            found |= touch.objects
    return frozenset(found & _zeros(world)) if found else frozenset()


def token_cells(
    world: World,
    flow: FlowResult,
    touched: Mapping[AccessKey, TargetedTouch],
    counters: Mapping[Linear, CountDown],
) -> tuple[TokenCells, ...]:
    candidates = {
        (cell_object(view.address), view.address, view.thread)
        for key in touched
        if flow.token_objects and _sets(world, key)
        for view in flow.views[key]
        if view.address is not None and cell_object(view.address) in flow.token_objects
    }
    found = []
    for target, address, thread in sorted(candidates, key=str):
        record = flow.records[thread]
        cells = _cells(world, flow, touched, target, address, record) if target is not None else None
        if cells is not None:
            paid = frozenset(counter.address for counter in counters.values() if _is_paid(flow, cells, counter))
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
    world: World,
    flow: FlowResult,
    touched: Mapping[AccessKey, TargetedTouch],
    target: ObjectId,
    cell: Linear,
    record: ThreadRecord,
) -> TokenCells | None:
    """All that is ever written to the cells is zero, but for what each instance of the thread writes in its own."""
    start = StartArg(record.id)
    factor = dict(cell.terms).get(start, 0)
    if factor == 0 or not cell.plus(of_atom(start), -factor).is_absolute or not _has_own_number(record):
        return None
    near = {key: touch for key, touch in touched.items() if target in touch.objects}
    setting = [k for k in near if _sets(world, k) and any(v.address == cell for v in flow.views[k])]
    places = [place for k in setting for place in near[k].targets if place.object == target]
    near = {k: t for k, t in near.items() if any(overlap(p, other) for p in places for other in t.targets)}
    sizes = {t.touch.size for k, t in near.items() if isinstance(world.instructions[k[0]][1], Load | Store)}
    if len(sizes) != 1 or not all(size is not None and size <= abs(factor) for size in sizes):
        return None
    if any(world.may_change_unseen(place) for place in places):
        return None
    views: list[View] = []
    for key, touch in near.items():
        if _sets(world, key):
            views += [v for v in flow.views[key] if v.objects is None or target in v.objects]
        elif touch.touch.kind.writes and not _empties(world, key) and touch.touch.kind is not AccessKind.FREE:
            return None
    if any(view.address != cell or view.thread != record.id for view in views):
        return None
    locks = frozenset.intersection(*(_locks(view) for view in views))
    return TokenCells(target, record.id, cell, locks, frozenset(), _is_made_once(record)) if locks else None


def _sets(world: World, key: AccessKey) -> bool:
    """A store of something that may not be zero."""
    _, instr = world.instructions[key[0]]
    return isinstance(instr, Store) and not empties(instr)


def _empties(world: World, key: AccessKey) -> bool:
    _, instr = world.instructions[key[0]]
    return isinstance(instr, Store) and empties(instr)


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
    if not counter.joiners or cells.thread not in counter.joined or cells.cell in flow.uses.second_tokens:
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
