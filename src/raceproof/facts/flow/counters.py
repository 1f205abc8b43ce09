"""Which counters are counted down by threads so that main can tell when all have done so; from which numbers are drawn.

`counting` says what follows from such counters, and why. Here all writes to one are looked at together: each adds a
constant in one step, under a lock that all of them hold or as an atomic update, but for what main writes. The
threads that count down are all made by main, and each does so once at most; or others do it for them, once behind each
join. Where numbers are drawn, all count in one direction.
"""

from __future__ import annotations

from collections.abc import Mapping

from raceproof.facts.flow.contexts import SHARED, AccessKey, ThreadRecord
from raceproof.facts.flow.counts import MAX_STEP
from raceproof.facts.flow.flow_result import FlowResult
from raceproof.facts.flow.locations import is_apart, overlap
from raceproof.facts.flow.observations import Step
from raceproof.facts.flow.state import ATOMIC_SECTION
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.ir import Rmw, Store
from raceproof.model import MAIN, Base, CountDown, Linear, LockKind, LockMode, MemLoc, ObjectId, ThreadId, View

_WIDE_ENOUGH = 4  # bytes


def countdowns(world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]) -> dict[Linear, CountDown]:
    """Counters that keep to the rules, by address; without those that a second flow found others to be than a first."""
    if world.uses_setjmp or not _main_begins_the_program(world):
        return {}
    found: dict[Linear, CountDown] = {}
    sizes = {(step.address, step.size) for steps in flow.uses.steps.values() for step in steps if step.amount == -1}
    for address, size in sorted(sizes, key=str):
        counter = _count_down(world, flow, touched, address, size)
        is_whole = flow.uses.word_sizes.get(address, frozenset()) <= {size}
        if counter is not None and address not in flow.uses.repeated_counts and is_whole:
            found[address] = counter
    return {address: counter for address, counter in found.items() if _agrees(counter, flow.counters.get(address))}


def _main_begins_the_program(world: World) -> bool:
    """The entry is not called again: nothing counts before it."""
    entry = world.info(world.program.entry)
    first = entry.blocks[entry.order[0]]
    site = first.body[0].id if first.body else first.terminator.id
    return world.executes_once(site)


def _agrees(found: CountDown, relied_on: CountDown | None) -> bool:
    """What the flow relied on is still true: no more threads, no other lock."""
    if relied_on is None:
        return True
    if found.joiners != relied_on.joiners:
        return False
    if found.via is None or relied_on.via is None:
        return found.via is relied_on.via and found.threads <= relied_on.threads
    return found.threads <= relied_on.threads and relied_on.via <= found.via


def _count_down(
    world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch], address: Linear, size: int
) -> CountDown | None:
    writes = _writes(world, flow, touched, address, size)
    if writes is None:
        return None
    counting: set[ThreadId] = set()
    for key, view in writes:
        steps = _steps_at(flow, key, address)
        if view.thread == MAIN:
            continue
        if any(s.amount is None or not -1 <= s.amount <= MAX_STEP for s in steps):
            return None
        if any(s.amount == -1 for s in steps):
            counting.add(view.thread)
    records = {r.id: r for r in flow.records}
    joiners, joined = _joiners(world, flow, address, counting)
    threads = frozenset(counting) - joiners | joined
    if not threads or not all(_is_made_by_main(records[t]) for t in threads):
        return None
    beside_others = _beside_others(writes)
    instances = [records[t].instances for t in threads]
    most = None if None in instances else sum(i for i in instances if i is not None)
    locks = _common_mutexes(beside_others)
    if locks:
        return CountDown(address, locks, threads, most, joiners, joined)
    if all(_is_atomic_step(world, _steps_at(flow, key, address), key, touched) for key, _ in beside_others):
        return CountDown(address, None, threads, most, joiners, joined)
    return None


def _joiners(
    world: World, flow: FlowResult, address: Linear, counting: set[ThreadId]
) -> tuple[frozenset[ThreadId], frozenset[ThreadId]]:
    """Of the threads that count down: those that always do so for a thread that they have joined; and all such threads.

    Nobody if it is not clear which they are, or if one of them could be counted twice: by itself and by who joins it.
    """
    counted_for: dict[ThreadId, set[frozenset[ObjectId] | None]] = {}
    for thread in counting:
        notes = flow.uses.counted_for
        counted_for[thread] = {*notes.get((address, thread), ()), *notes.get((address, SHARED), ())}
    joiners = frozenset(t for t, joined in counted_for.items() if joined and None not in joined)
    objects = {o for joined in counted_for.values() for some in joined for o in some or ()}
    threads = [r for r in flow.records if r.site is not None and objects & set(world.points_to.object_of_site(r.site))]
    joined_threads = frozenset(r.id for r in threads)
    for_themselves = counting - joiners
    if any(counted_for[t] != {None} for t in for_themselves) or for_themselves & joined_threads:
        return frozenset(), frozenset()
    return (joiners, joined_threads) if all(map(_is_made_by_main, threads)) else (frozenset(), frozenset())


_Writes = list[tuple[AccessKey, View]]


def _writes(
    world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch], address: Linear, size: int
) -> _Writes | None:
    """All writes to the counter; None if some are not known to be of it alone and as a whole, or it is so narrow that
    it may well wrap around."""
    if size < _WIDE_ENOUGH:
        return None
    match address.terms:
        case ((Base(object=target), 1),):
            place = MemLoc(target, address.constant, size)
        case _:
            return None
    if world.may_change_unseen(place):
        return None
    writes = [
        (key, view)
        for key, touch in touched.items()
        if touch.touch.kind.writes and target in touch.objects and any(overlap(place, t) for t in touch.targets)
        for view in flow.views[key]
        if not is_apart(view.address, touch.touch.size, address, size)
    ]
    for key, view in writes:
        steps = _steps_at(flow, key, address)
        if view.address != address or any(s.size != size for s in steps) or not steps:
            return None
    return writes


def _steps_at(flow: FlowResult, key: AccessKey, address: Linear) -> frozenset[Step]:
    """What the instruction does to this counter; in other calls of its function it may go elsewhere."""
    return frozenset(s for s in flow.uses.steps.get(key[0], ()) if s.address == address)


def _beside_others(writes: _Writes) -> _Writes:
    """Without what main does while it is alone."""
    return [(key, view) for key, view in writes if view.thread != MAIN or view.moment.may_run]


def _common_mutexes(writes: _Writes) -> frozenset[Linear]:
    return frozenset.intersection(*(_mutexes(view) for _, view in writes)) if writes else frozenset()


def drawn_from(world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]) -> frozenset[Linear]:
    """Counters that only grow, or only shrink, one update at a time: what is read together with an update is read by
    nobody else.

    Main may set them while it is alone, unless it draws itself: who else has drawn before has ended.
    """
    moved = {(step.address, step.size) for steps in flow.uses.steps.values() for step in steps if step.amount}
    return frozenset(
        address
        for address, size in sorted(moved, key=str)
        if (writes := _writes(world, flow, touched, address, size)) is not None
        and any(_all_draw(world, flow, address, writes, sign) for sign in (1, -1))
    )


def _all_draw(world: World, flow: FlowResult, address: Linear, writes: _Writes, sign: int) -> bool:
    """Everybody moves the counter in the direction of `sign`, but for what main may do.

    That is to set it, not to count the other way: the number that it read then would seem to be drawn, too.
    """
    beside_others = _beside_others(writes)
    if any(s.amount is not None and sign * s.amount < 0 for key, _ in writes for s in _steps_at(flow, key, address)):
        return False
    if not beside_others or not all(_moves(flow, key, address, sign) for key, _ in beside_others):
        return False
    by_main = {key for key, view in writes if view.thread == MAIN}
    if len({_moves(flow, key, address, sign) for key in by_main}) == 2:
        return False
    is_locked = bool(_common_locks(beside_others))
    return is_locked or all(isinstance(world.instructions[key[0]][1], Rmw) for key, _ in beside_others)


def lenders(world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]) -> frozenset[Linear]:
    """Masks from which numbers are borrowed under a lock, see `lending`.

    Main may set them to anything while it is alone: nobody else has a number then, and its own are forgotten.
    """
    if world.uses_setjmp:
        return frozenset()
    found: set[Linear] = set()
    stored = {(step.address, step.size) for steps in flow.uses.steps.values() for step in steps if step.amount is None}
    for address, size in sorted(stored, key=str):
        writes = _writes(world, flow, touched, address, size)
        beside_others = _beside_others(writes) if writes is not None else []
        if any(key[0] in flow.uses.other_lendings for key, _ in beside_others):
            continue
        if all(isinstance(world.instructions[key[0]][1], Store) for key, _ in writes or ()) and _common_locks(
            beside_others
        ):
            found.add(address)
    return frozenset(found)


def _moves(flow: FlowResult, key: AccessKey, address: Linear, sign: int) -> bool:
    return all(s.amount is not None and 0 < sign * s.amount <= MAX_STEP for s in _steps_at(flow, key, address))


def _is_made_by_main(record: ThreadRecord) -> bool:
    """All instances, one by one."""
    return (
        record.parent == MAIN
        and record.site is not None
        and bool(record.spawns)
        and all(creator.thread == MAIN for creator in record.spawns)
        and not record.always_many
    )


def _common_locks(writes: _Writes) -> frozenset[Linear]:
    """Mutexes, and the lock of all atomic sections, that all writes hold."""
    in_sections = all(any(h.kind is LockKind.ATOMIC_SECTION for h in view.held) for _, view in writes)
    return _common_mutexes(writes) | (frozenset({ATOMIC_SECTION.address}) if writes and in_sections else frozenset())


def _mutexes(view: View) -> frozenset[Linear]:
    return frozenset(
        h.address
        for h in view.held
        if h.kind is LockKind.MUTEX and h.mode is LockMode.EXCLUSIVE and h.address.is_absolute
    )


def _is_atomic_step(
    world: World, steps: frozenset[Step], key: AccessKey, touched: Mapping[AccessKey, TargetedTouch]
) -> bool:
    """An update that passes on what its thread did before it; updates of others continue its release sequence."""
    _, instr = world.instructions[key[0]]
    order = touched[key].touch.order
    if not isinstance(instr, Rmw) or order is None:
        return False
    return order.releases or all(s.amount is not None and s.amount >= 0 for s in steps)
