"""Numbers that a thread finds in what it was given: a different one in each instance.

    for (i = 0; i < n; i++) { jobs[i].id = i; pthread_create(&t[i], NULL, worker, &jobs[i]); }
    worker: data[job->id]++;

In each round the creator stores a number that no other round stores, at a place that only this round's thread is
given, and nobody writes there from then on. So the number counts as drawn (`State.drawn`), as if from a counter: what
it was drawn from is named after the place, in terms of the thread's argument. `at_creation` finds the stores,
`given_numbers` looks at all other writes once the flow is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from raceproof.facts.flow import thread_transfer
from raceproof.facts.flow.contexts import AccessKey, Given, ThreadRecord
from raceproof.facts.flow.flow_result import FlowResult
from raceproof.facts.flow.function_info import CountedLoop
from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.rounds import differs_by_round, growth_of, moving_part
from raceproof.facts.flow.state import State
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.ir import Call, Instr, IntType, Load, Operand, Store
from raceproof.model import AccessKind, Derived, DistinctArgument, GivenNumber, Linear, MemLoc, StartArg, View, of_atom

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker


def read(w: Walker, instr: Load, address: Linear, state: State) -> None:
    """A thread loads a number from what it was given; whether it is one of its own is found out later."""
    thread = w.context.thread
    is_given = address.plus(of_atom(StartArg(thread)), -1).is_constant and isinstance(instr.type, IntType)
    if is_given and w.flow.stability is not None and instr.result.name not in state.values:
        state.drawn |= {(w.evaluator.opaque(instr.result.name), _source(address, instr.type.size))}


def _source(place: Linear, size: int) -> Linear:
    """What the number at the place is drawn from."""
    return of_atom(Derived(f"given{size}", (place,)))


def at_creation(
    w: Walker, instr: Call, record: ThreadRecord, argument: Operand | None, loop: CountedLoop | None, state: State
) -> frozenset[Given]:
    """What this round has stored for the new thread, and nothing in the round has changed since."""
    if argument is None or loop is None or w.flow.stability is None:
        return frozenset()
    if record.overlapping or w.flow.creator_is_many(w.context):
        return frozenset()
    start = w.value(argument, state)
    found: set[Given] = set()
    for store in _stores_before(w, instr, loop):
        apart = w.value(store.address, state).plus(start, -1)
        value, size = w.value(store.value, state), store.type.size
        moving = moving_part(w, value, loop)
        if not apart.is_constant or moving is None or not differs_by_round(w, value, 8 * size, loop, state):
            continue
        if not _is_changed(w, store, _behind_in_round(w, store, loop)):
            number = GivenNumber(value, moving[0], growth_of(w, moving[0], loop))
            found.add(Given(apart.constant, size, number))
    return frozenset(found) | _from_loop_before(w, instr, start, loop, state)


def _stores_before(w: Walker, instr: Call, loop: CountedLoop) -> Iterator[Store]:
    """Stores of numbers that happen in each round in which the thread is created, before it is."""
    label = w.info.block_of[instr.id]
    for above in w.info.loops[loop.header]:
        if w.info.innermost_loop(above) == loop.header and w.info.dominates(above, label):
            for store in w.info.blocks[above].body:
                is_before = above != label or store.id < instr.id
                if is_before and isinstance(store, Store) and isinstance(store.type, IntType):
                    yield store


def _behind_in_round(w: Walker, store: Store, loop: CountedLoop) -> Iterator[Instr]:
    """What does not come before the store in each round."""
    label = w.info.block_of[store.id]
    for block in w.info.loops[loop.header]:
        if block == label:
            yield from (other for other in w.info.blocks[block].body if other.id > store.id)
        elif not w.info.dominates(block, label):
            yield from w.info.blocks[block].body


def _is_changed(w: Walker, store: Store, others: Iterable[Instr]) -> bool:
    """One of the others may write there, too."""
    (stored,) = w.world.touches(w.function, store)
    bits = sum(1 << target for target in stored.objects)
    for other in others:
        for touch in w.world.touches(w.function, other):
            if touch.touch.kind.writes and any(overlap(a, b) for a in touch.targets for b in stored.targets):
                return True
        if isinstance(other, Call) and any(w.world.may_modify[name] & bits for name in w.world.called_now(other)):
            return True
    return False


def _from_loop_before(w: Walker, instr: Call, start: Linear, loop: CountedLoop, state: State) -> frozenset[Given]:
    """What an earlier loop over the same numbers has stored, in its round of the same number."""
    creating = thread_transfer.loop_ids(w, loop, start, state)
    found: set[Given] = set()
    for earlier in w.info.counted.values() if creating is not None else ():
        is_entered_once = w.info.runs_once_per_round(earlier.header, earlier.header)
        if not is_entered_once or not w.info.dominates(earlier.exit, loop.header):
            continue
        for store in _stores_in_all_rounds(w, earlier):
            address = w.value(store.address, thread_transfer.in_round(w, earlier, store.address, state))
            filling = thread_transfer.loop_ids(w, earlier, address, state)
            if creating is None or filling is None or replace(filling, address=creating.address) != creating:
                continue
            apart = filling.address.plus(creating.address, -1)
            value, size = w.value(store.value, state), store.type.size
            counters = [w.evaluator.opaque_name(each.counter.name) for each in (earlier, loop)]
            moving = moving_part(w, value, earlier)
            if moving is None or moving[0] != counters[0] or not apart.is_constant:
                continue
            if differs_by_round(w, value, 8 * size, earlier, state) and not _is_changed(
                w, store, _behind_loop(w, instr, store, earlier)
            ):
                number = GivenNumber(value.replaced(counters[0], counters[1]), counters[1], loop.step)
                found.add(Given(apart.constant, size, number))
    return frozenset(found)


def _stores_in_all_rounds(w: Walker, loop: CountedLoop) -> Iterator[Store]:
    latches = [p for p in w.info.predecessors[loop.header] if p in w.info.loops[loop.header]]
    for label in w.info.loops[loop.header]:
        if w.info.innermost_loop(label) == loop.header and all(w.info.dominates(label, p) for p in latches):
            for store in w.info.blocks[label].body:
                if isinstance(store, Store) and isinstance(store.type, IntType):
                    yield store


def _behind_loop(w: Walker, instr: Call, store: Store, earlier: CountedLoop) -> Iterator[Instr]:
    """What comes, in a round of that loop, not before the store; and between the loop and the creation."""
    yield from _behind_in_round(w, store, earlier)
    created = w.info.block_of[instr.id]
    for label in w.info.order:
        is_before = w.info.dominates(label, earlier.header)
        if label not in w.info.loops[earlier.header] and not is_before and w.info.may_lead(label, created):
            yield from w.info.blocks[label].body


# -- all writes together ----------------------------------------------------------------------------


def given_numbers(
    world: World, flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch]
) -> dict[Linear, GivenNumber]:
    """By what they are drawn from: numbers that every instance finds in what it was given, each another one."""
    found: dict[Linear, GivenNumber] = {}
    for record in flow.records:
        if len(record.spawns) != 1 or not isinstance(record.argument, DistinctArgument):
            continue
        (spawn,) = record.spawns.values()
        for given in sorted(spawn.given, key=str):
            if _is_left_alone(world, flow, touched, record, record.argument, given):
                place = of_atom(StartArg(record.id)).shifted(given.offset)
                found[_source(place, given.size)] = given.number
    return found


def _is_left_alone(
    world: World,
    flow: FlowResult,
    touched: Mapping[AccessKey, TargetedTouch],
    record: ThreadRecord,
    argument: DistinctArgument,
    given: Given,
) -> bool:
    places = _read_places(flow, touched, record, given)
    if not places or any(map(world.may_change_unseen, places)):
        return False
    writes = ((key, touch) for key, touch in touched.items() if touch.touch.kind.writes)
    return all(
        _is_harmless(view, touch, record, argument, given)
        for key, touch in writes
        if any(overlap(a, b) for a in touch.targets for b in places)
        for view in flow.views[key]
    )


def _read_places(
    flow: FlowResult, touched: Mapping[AccessKey, TargetedTouch], record: ThreadRecord, given: Given
) -> set[MemLoc]:
    """Where the thread reads them."""
    place = of_atom(StartArg(record.id)).shifted(given.offset)
    return {
        target
        for key, touch in touched.items()
        if not touch.touch.kind.writes and touch.touch.size == given.size
        for view in flow.views[key]
        if view.thread == record.id and view.address == place
        for target in touch.targets
    }


def _is_harmless(
    view: View, touch: TargetedTouch, record: ThreadRecord, argument: DistinctArgument, given: Given
) -> bool:
    """A write to what no instance has yet, or has any more."""
    if view.private:
        return True
    if view.thread == record.id:
        return touch.touch.kind is AccessKind.FREE and argument.fresh
    if view.thread != record.parent:
        return False
    if record.id not in view.moment.may_run:
        return True
    if argument.fresh or record.id in view.moment.may_handed or view.address is None or touch.touch.size is None:
        return False
    apart = view.address.plus(argument.pattern, -1)
    width = max(given.size, touch.touch.size)
    return apart.is_constant and abs(apart.constant - given.offset) + width <= argument.stride
