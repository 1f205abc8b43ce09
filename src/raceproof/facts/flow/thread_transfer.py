"""Creation and joining of threads, one by one and in loops over their ids.

The state counts, per created thread, whether none, one or many instances may be running (`State.may_run`).
Joining is certain where the id can only belong to one running thread, or where a counted loop joins the ids
that another counted loop over the same range stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from raceproof.core import Unsupported
from raceproof.facts.flow import counting, given_numbers, lending, memory_transfer
from raceproof.facts.flow.contexts import COUNTER, MAX_ROUNDS, LoopIds, Spawn, ThreadRecord
from raceproof.facts.flow.function_info import DOWNWARDS, UPWARDS, CountedLoop
from raceproof.facts.flow.locations import overlap
from raceproof.facts.flow.rounds import (
    are_distinct,
    counter_values,
    growth_of,
    is_constant_in_frame,
    moving_part,
)
from raceproof.facts.flow.state import MANY, Condition, State
from raceproof.facts.library.effects import SyncOp
from raceproof.ir import Call, Cast, IntType, Load, Operand, Phi, Reg, SiteId, operands
from raceproof.model import (
    MAIN,
    AnyArgument,
    Argument,
    Atom,
    DistinctArgument,
    Linear,
    MemLoc,
    ObjectId,
    ObjectKind,
    Opaque,
    SameArgument,
    Stable,
    of_atom,
)

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker

MAX_STARTS = 4
MAX_VALUES = 16
MAX_LOADS = 4
THREAD_ID = "@thread:"
UNKNOWN_ROUNDS = Opaque("#rounds")


def create(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    """Start a thread; if it may be one of several functions, go on with each, or with all where that is too many.

    Where the result is looked at, failure is a way of its own.
    """
    failed: list[State] = []
    if instr.result is not None:
        w.define(instr.result.name, state)
        if instr.result.name in w.info.used:
            failed = [state.copy()]
            failed[0].facts[Condition("eq", w.evaluator.itself(instr.result.name))] = False
            state.values[instr.result.name] = Linear(0)
    return _start(w, instr, op, state) + failed


def _start(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    starts = start_functions(w, instr, op, state)
    if 1 < len(starts) <= MAX_STARTS and not w.cyclic:
        states = [state, *(state.copy() for _ in starts[1:])]
        for start, after in zip(starts, states, strict=True):
            _create(w, instr, op, [start], after)
        return states
    _create(w, instr, op, starts, state)
    return [state]


def start_functions(w: Walker, instr: Call, op: SyncOp, state: State) -> list[str]:
    """The functions that may be started: the one that the pointer is known to be, or all it may be.

    Raises `Unsupported` if it may be one whose code is not there: nothing would be known of what its thread touches.
    """
    possible = [s for s in w.world.points_to.thread_starts(instr.id) if s in w.world.program.functions]
    if op.start is not None:
        exact = w.flow.function_at(w.value(instr.args[op.start], state))
        if exact in possible:
            return [exact]
        objects = w.world.points_to.objects
        for target in w.world.points_to.targets(w.function.name, instr.args[op.start]):
            found = objects[target.object]
            if found.kind is ObjectKind.UNKNOWN:
                raise Unsupported("a thread that runs a function from outside the program", instr.pos)
            if found.kind is ObjectKind.FUNCTION and found.name not in possible:
                raise Unsupported(f"a thread that runs `{found.name}`, which is not part of the program", instr.pos)
    return possible


def _create(w: Walker, instr: Call, op: SyncOp, starts: list[str], state: State) -> None:
    id_places = frozenset(
        place for t in w.world.touches(w.function, instr) if t.touch.kind.writes for place in t.targets
    )
    for start in starts:
        record = w.flow.thread(w.context, start, instr.id)
        argument = instr.args[op.start_arg] if op.start_arg is not None else None
        running = state.may_run.get(record.id, 0)
        loop = _loop_of(w, instr.id)
        where = w.value(instr.args[op.arg], state) if op.arg is not None else None
        ids = _note_ids(w, record, loop, where, state)
        borrowed = lending.hand_over(w, argument, record.id, state) if len(starts) == 1 else frozenset()
        if w.recording:
            w.spawn(
                record,
                Spawn(
                    argument=_argument(w, record, argument, loop, state),
                    many=running > 0 or w.flow.creator_is_many(w.context),
                    instances=_instances(w, instr.id, loop, state),
                    may_run=frozenset(state.may_run),
                    entry=_child_state(state, w.world.may_escape, borrowed),
                    argument_objects=_argument_objects(w, argument),
                    given=given_numbers.at_creation(w, instr, record, argument, loop, state),
                ),
            )
        record.id_places |= id_places
        record.id_offsets.add(_offset_in_argument(w, argument, where, state))
        counting.create(w, record, state)
        lose_ids(w, id_places, where, w.world.program.pointer_size, state, record, ids)
        for other in [w.flow.records[t] for t in state.may_run]:
            if w.flow.is_below(other, record.id):  # left behind by an earlier instance, and made again by this one,
                w.flow.make_many(other)
                w.flow.make_many(record)  # which does not know that they run
        state.may_run[record.id] = MANY if running else 1
        argument_of = w.flow.arguments.get(record.id)
        if isinstance(argument_of, DistinctArgument) and not argument_of.fresh:
            state.may_handed |= {record.id}
    if op.start_arg is not None:
        memory_transfer.publish(w, w.value(instr.args[op.start_arg], state), state)
    if len(starts) == 1:
        _remember_id(w, instr, op, starts[0], state)


def _offset_in_argument(w: Walker, argument: Operand | None, where: Linear | None, state: State) -> int | None:
    """Where the id is stored in the new object that the thread gets."""
    if argument is None or where is None:
        return None
    value = w.value(argument, state)
    match value:
        case Linear(constant=0, terms=((Opaque() as atom, 1),)) if atom in state.fresh:
            distance = where.plus(value, -1)
            return distance.constant if distance.is_constant else None
    return None


def _note_ids(
    w: Walker, record: ThreadRecord, loop: CountedLoop | None, address: Linear | None, state: State
) -> LoopIds | None:
    ids = loop_ids(w, loop, address, state) if loop is not None and address is not None else None
    rounds = _rounds(w, record.site, loop, state)
    if ids not in record.ids or rounds not in record.rounds:
        record.ids.add(ids)
        record.rounds.add(rounds)
        w.flow.changed(record)
        w.flow.run_again(w.context)
    return ids


def lose_ids(
    w: Walker,
    written: Iterable[MemLoc],
    address: Linear | None,
    size: int | None,
    state: State,
    but: ThreadRecord | None = None,
    slots: LoopIds | None = None,
) -> None:
    """A write where ids of running threads are stored: loops over the ids may not find them all any more.

    `slots`: it is one of the writes of a loop over these.
    """
    for thread in state.may_run:
        record = w.flow.records[thread]
        if not record.id_places:
            w.flow.watch(w.context, record)
        if record.ids_lost or not record.id_places or (but is not None and record.site == but.site):
            continue  # one creation, one id
        if not any(overlap(place, target) for place in record.id_places for target in written):
            continue
        w.flow.watch(w.context, record)
        if slots is not None and all(ids is not None and ids.is_apart_from(slots) for ids in record.ids):
            continue
        if address is not None and size is not None and not record.may_be_id(address, size):
            continue
        record.ids_lost = True
        w.flow.changed(record)
        w.flow.run_again(w.context)


def _remember_id(w: Walker, instr: Call, op: SyncOp, start: str, state: State) -> None:
    """The id of the thread just created is known, where nobody else can change it."""
    touches = [t for t in w.world.touches(w.function, instr) if t.touch.kind.writes]
    if len(touches) != 1 or op.arg is None:
        return
    address = w.value(instr.args[op.arg], state)
    record = w.flow.thread(w.context, start, instr.id)
    created = of_atom(Opaque(f"{THREAD_ID}{record.id}"))
    found = memory_transfer.tracked(w, touches[0], address, created, state)
    if found is not None:
        size = touches[0].touch.size or w.world.program.pointer_size
        state.memory[(address, size)] = found


def _child_state(
    state: State, may_escape: frozenset[ObjectId], borrowed: frozenset[tuple[Atom, Linear]] = frozenset()
) -> State:
    """What a new thread inherits: all that happened before its creation happened before it; and what it `borrowed`.

    Contents that the creator knows and other threads could see are stable: nobody writes them while the new
    thread runs, so it knows them too. Not those of fresh objects: they are known only until others get the object.
    """
    stable = {
        key: known
        for key, known in state.memory.items()
        if key[0].is_absolute
        and not known.in_section
        and not known.is_seen
        and known.value.is_absolute
        and known.objects & may_escape
        and not any(atom in state.fresh for atom in key[0].atoms())
    }
    return State(must_done=state.must_done, must_received=state.must_received, memory=stable, drawn=borrowed)


def _argument_objects(w: Walker, argument: Operand | None) -> frozenset[ObjectId]:
    if argument is None:
        return frozenset()
    return frozenset(t.object for t in w.world.points_to.targets(w.function.name, argument))


def _loop_of(w: Walker, site: SiteId) -> CountedLoop | None:
    """The counted loop that runs `site` once per round and is itself entered once per call, if there is one."""
    label = w.info.block_of[site]
    around = [header for header, body in w.info.loops.items() if label in body]
    if len(around) != 1 or not w.info.runs_once_per_round(around[0], label):
        return None
    return w.info.counted.get(around[0])


def _upwards(w: Walker, loop: CountedLoop, state: State) -> tuple[Linear, Linear, str, int]:
    """First value, bound, predicate and step; of `for (i = n; i >= 0; i--)` those of a loop that counts up to n."""
    first, bound = w.value(loop.first, state), w.value(loop.bound, state)
    if loop.predicate in DOWNWARDS and loop.step == -1:
        return bound.shifted(int(loop.predicate == "sgt")), first.shifted(1), "slt", 1
    return first, bound, loop.predicate, loop.step


def _argument(
    w: Walker, record: ThreadRecord, operand: Operand | None, loop: CountedLoop | None, state: State
) -> Argument:
    if operand is None:
        return AnyArgument()
    value = w.value(operand, state)
    if value.is_absolute:
        return SameArgument(value)
    match value.terms:
        case ((Opaque() as atom, 1),) if atom in state.fresh:  # a new object, which nobody has seen yet
            return DistinctArgument(value, 0, fresh=True)
    if loop is not None and not record.overlapping and not w.flow.creator_is_many(w.context):
        moving = moving_part(w, value, loop)
        values = counter_values(w, loop, state)
        if moving is not None and are_distinct(w, loop, *moving, values):
            counter, factor = moving
            stride = abs(factor * growth_of(w, counter, loop))
            if counter != w.evaluator.opaque_name(loop.counter.name):
                return DistinctArgument(value, stride, False, _bits(w, operand))
            bits = _bits(w, operand)
            if bits is None and values and len(value.terms) == 1:
                bits = 1 + max(abs(value.constant + factor * values[end]).bit_length() for end in (0, -1))
            few = tuple(values) if values is not None and len(values) <= MAX_VALUES else None
            return DistinctArgument(value, stride, False, bits, counter, few)
    return AnyArgument()


def _bits(w: Walker, operand: Operand) -> int | None:
    """From how many bits the operand is sign-extended."""
    while isinstance(operand, Reg):
        definition = w.info.definitions.get(operand.name)
        if not isinstance(definition, Cast):
            return None
        if definition.op == "sext" and isinstance(definition.from_type, IntType):
            return definition.from_type.bits
        operand = definition.value
    return None


def _instances(w: Walker, site: SiteId, loop: CountedLoop | None, state: State) -> int | None:
    """How many times this creation happens in a run, at most."""
    if not w.flow.runs_once(w.context):
        return None
    if w.info.block_of[site] not in w.info.cyclic:
        return 1
    if loop is None:
        return None
    values = counter_values(w, loop, state)
    return len(values) if values is not None else None


def _rounds(w: Walker, site: SiteId | None, loop: CountedLoop | None, state: State) -> tuple[str, Linear] | None:
    """The same as an expression that means one value, wherever it stands in this function, which runs once."""
    if site is None or not w.flow.runs_once(w.context):
        return None
    if w.info.block_of[site] not in w.info.cyclic:
        return w.function.name, Linear(1)
    if loop is None:
        return None
    first, bound, predicate, step = _upwards(w, loop, state)
    if not first.is_constant or first.constant < 0 or predicate not in UPWARDS or (predicate == "ne" and step != 1):
        return None
    if not all(is_constant_in_frame(w, leaf) for leaf in bound.leaves()):
        return None
    if bound.is_constant:
        values = counter_values(w, loop, state)
        return (w.function.name, Linear(len(values))) if values is not None else None
    if predicate not in ("slt", "sle"):
        return w.function.name, of_atom(UNKNOWN_ROUNDS)  # as a signed number the bound may be less than there are
    return w.function.name, bound.plus(first, -1).shifted(int(predicate in ("sle", "ule")))


# -- joining ----------------------------------------------------------------------------------------


def join_one(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    """Wait for the thread whose id is given, if it is certain which one that is."""
    if instr.result is not None:
        w.define(instr.result.name, state)
    if op.arg is None:
        return [state]
    if op.may_fail or w.world.may_refuse_joins:
        return _try_join(w, instr, op, state)
    return _to_count_for(w, instr, instr.args[op.arg], state) if _wait_for(w, instr, instr.args[op.arg], state) else []


def _to_count_for(w: Walker, instr: Call, operand: Operand, state: State) -> list[State]:
    """Who has joined a thread may count down for it; not where the program looks at the result and sees an error."""
    states = [state]
    if instr.result is not None and instr.result.name in w.info.used and w.context.thread != MAIN:
        states.append(state.copy())
        states[1].facts[Condition("eq", w.evaluator.itself(instr.result.name))] = False
        state.values[instr.result.name] = Linear(0)
    counting.join(w, operand, state)
    return states


def _wait_for(w: Walker, instr: Call, operand: Operand, state: State) -> bool:
    """False if the thread never ends."""
    records = _known_record(w, w.value(operand, state)) or _records(w, operand)
    if records is None:
        return True
    running = [r for r in records if r.id in state.may_run]
    if len(running) == 1 and state.may_run[running[0].id] != 1:
        _return_round(w, instr, operand, running[0], state)
        _return_object(w, operand, running[0], state)
    if len(running) == 1 and state.may_run[running[0].id] == 1:
        return _end(w, running[0], state)
    return True


def _try_join(w: Walker, instr: Call, op: SyncOp, state: State) -> list[State]:
    """Two ways on: the thread has ended and the result is 0, or it has not."""
    if instr.result is None or op.arg is None:
        return [state]
    joined = state.copy()
    state.facts[Condition("eq", w.evaluator.itself(instr.result.name))] = False
    joined.values[instr.result.name] = Linear(0)
    counting.join(w, instr.args[op.arg], joined)
    records = _known_record(w, w.value(instr.args[op.arg], joined)) or _records(w, instr.args[op.arg]) or []
    running = [r for r in records if r.id in joined.may_run]
    if len(running) == 1 and joined.may_run[running[0].id] == 1 and not _end(w, running[0], joined):
        return [state]
    return [state, joined]


def _return_round(w: Walker, instr: Call, operand: Operand, record: ThreadRecord, state: State) -> None:
    """In a loop over the ids, the thread that was made in the round of the same number has ended."""
    loop = _loop_of(w, instr.id)
    argument = record.argument
    definition = w.info.definitions.get(operand.name) if isinstance(operand, Reg) else None
    if loop is None or not isinstance(definition, Load) or not isinstance(argument, DistinctArgument):
        return
    (touch,) = w.world.touches(w.function, definition)
    if not memory_transfer.is_tracked(w, touch, w.value(definition.address, state), state):
        return
    counter = w.evaluator.opaque(loop.counter.name)
    ids = loop_ids(w, loop, w.value(definition.address, state), state)
    (made,) = record.ids if len(record.ids) == 1 else (None,)
    if ids is None or argument.counter is None or record.ids_lost or made is None:
        return
    if made.address == ids.address and made.step == ids.step:
        factor = dict(argument.pattern.terms)[argument.counter]
        pattern = argument.pattern.plus(of_atom(argument.counter), -factor).plus(of_atom(counter), factor)
        state.must_returned |= {(record.id, pattern)}


def _return_object(w: Walker, operand: Operand, record: ThreadRecord, state: State) -> None:
    """The id was found in an object where only the creation stores one: the thread that got this object has ended."""
    definition = w.info.definitions.get(operand.name) if isinstance(operand, Reg) else None
    offset = w.flow.kept_ids.get(record.id)
    if offset is None or not isinstance(definition, Load) or record.parent != w.context.thread:
        return
    (touch,) = w.world.touches(w.function, definition)
    if any(place.offset != offset or place.stride is not None for place in touch.targets):
        return  # it may be kept elsewhere in the object: that of another thread
    state.must_returned |= {(record.id, w.value(definition.address, state).shifted(-offset))}


def _known_record(w: Walker, value: Linear) -> list[ThreadRecord] | None:
    match value:
        case Linear(constant=0, terms=((Opaque(key=key), 1),)) if key.startswith(THREAD_ID):
            return [w.flow.records[int(key.removeprefix(THREAD_ID))]]
    return None


def _records(w: Walker, operand: Operand) -> list[ThreadRecord] | None:
    """The threads that an id may belong to; None unless all of them were made by this thread."""
    sites = set()
    for target in w.world.points_to.targets(w.function.name, operand):
        if w.world.points_to.objects[target.object].kind is not ObjectKind.THREAD:
            return None
        sites.add(target.object)
    records = []
    for record in w.flow.records:
        if record.site is not None and sites & set(w.world.points_to.object_of_site(record.site)):
            if record.parent != w.context.thread or record.always_many:
                return None
            records.append(record)
    return records


def _end(w: Walker, record: ThreadRecord, state: State) -> bool:
    """The thread has ended: what it left running goes on, what it knew is known. False if it never ends."""
    record.dependents[w.context] = None
    if record.ended is None:
        return False
    if record.outlives:
        return True
    del state.may_run[record.id]
    for left, count in record.ended.may_run.items():
        state.may_run[left] = max(state.may_run.get(left, 0), count)
    state.must_done |= record.ended.must_done
    state.must_received |= record.ended.must_received
    return True


def loop_ids(w: Walker, loop: CountedLoop, address: Linear, state: State) -> LoopIds | None:
    """`address` in terms of the loop's counter, if it and the loop's range mean the same later on."""
    counter = w.evaluator.opaque_name(loop.counter.name)
    factor = dict(address.terms).get(counter)
    if factor is None:
        return None
    named = address.plus(of_atom(counter), -factor).plus(of_atom(COUNTER), factor)
    first, bound, predicate, step = _upwards(w, loop, state)
    if first.is_constant and bound.is_constant and counter_values(w, loop, state) is None:
        return None
    for part in (named, first, bound):
        for leaf in part.leaves():
            if leaf != COUNTER and not is_constant_in_frame(w, leaf):
                return None
    return LoopIds(named, first, bound, predicate, step)


def join_all(w: Walker, loop: CountedLoop, state: State) -> bool:
    """Leaving a counted loop: threads whose ids it joined, one per round, have all ended. False if one never does."""
    alive = True
    for site, operand in w.flow.joins_in(w.function.name):
        label = w.info.block_of[site]
        if w.info.innermost_loop(label) != loop.header or not _runs_every_round(w, loop, label):
            continue
        definition = w.info.definitions.get(operand.name) if isinstance(operand, Reg) else None
        if not isinstance(definition, Load) or w.info.block_of[definition.id] not in w.info.loops[loop.header]:
            continue
        address = w.value(definition.address, in_round(w, loop, definition.address, state))
        ids = loop_ids(w, loop, address, state)
        if ids is None:
            continue
        (touch,) = w.world.touches(w.function, definition)
        if not memory_transfer.is_tracked(w, touch, address, state):
            continue  # another thread could change the ids
        alive &= _join_known_slots(w, ids, definition.type.size, state)
        records = _records(w, operand)
        for record in records or ():
            if record.id in state.may_run and _are_all_in(record, ids):
                alive &= _end(w, record, state)
    return alive


def in_round(w: Walker, loop: CountedLoop, wanted: Operand, state: State) -> State:
    """The state behind a loop, with what the loads of each round have found on the way to `wanted`.

    Only where that is the same in all rounds and still is: nobody writes there meanwhile.
    """
    loads = _loads_behind(w, loop, wanted)
    if not loads or len(loads) > MAX_LOADS:
        return state
    state = state.copy()
    for load in reversed(loads):
        address, size = w.value(load.address, state), load.type.size
        (touch,) = w.world.touches(w.function, load)
        if not all(is_constant_in_frame(w, leaf) for leaf in address.leaves()):
            break
        if not memory_transfer.is_tracked(w, touch, address, state) or not w.flow.keeps_value(w, loop.header, touch):
            break
        known = state.memory.get((address, size))
        if known is not None and not known.in_section:
            state.values[load.result.name] = known.value
        elif address.is_absolute and w.flow.is_stable(w, load.id, address, size, touch):
            state.values[load.result.name] = of_atom(Stable(address, size))
    return state


def _loads_behind(w: Walker, loop: CountedLoop, wanted: Operand) -> list[Load]:
    """The loads of the same round that `wanted` is computed from, the last one first."""
    found: dict[str, Load | None] = {}
    work = [wanted]
    while work:
        operand = work.pop()
        definition = w.info.definitions.get(operand.name) if isinstance(operand, Reg) else None
        if definition is None or w.info.block_of[definition.id] not in w.info.loops[loop.header]:
            continue
        if not isinstance(operand, Reg) or operand.name in found or isinstance(definition, Phi):
            continue
        found[operand.name] = definition if isinstance(definition, Load) else None
        work += operands(definition)
    return [load for load in found.values() if load is not None]


def _are_all_in(record: ThreadRecord, ids: LoopIds) -> bool:
    """All instances were created by loops over these slots, and none of their ids was overwritten."""
    return not record.ids_lost and all(made is not None and ids.covers(made) for made in record.ids)


def _join_known_slots(w: Walker, ids: LoopIds, size: int, state: State) -> bool:
    """The slots of a loop with constant range, whose content is known one by one."""
    rounds = ids.rounds()
    if rounds is None or len(rounds) > MAX_ROUNDS:
        return True
    alive = True
    for i in rounds:
        known = state.memory.get((ids.slot(i), size))
        records = _known_record(w, known.value) if known is not None else None
        if records is not None and state.may_run.get(records[0].id) == 1:
            alive &= _end(w, records[0], state)
    return alive


def _runs_every_round(w: Walker, loop: CountedLoop, label: str) -> bool:
    latches = [p for p in w.info.predecessors[loop.header] if p in w.info.loops[loop.header]]
    return all(w.info.dominates(label, latch) for latch in latches)


def enter_loop(w: Walker, header: str, state: State) -> None:
    """Entering a loop that creates threads while some of them still run: their ids will be overwritten."""
    for record in w.flow.records:
        if (
            record.parent == w.context.thread
            and record.id in state.may_run
            and record.site is not None
            and w.info.block_of.get(record.site) in w.info.loops[header]
            and not record.overlapping
        ):
            record.overlapping = record.ids_lost = True
            w.flow.changed(record)
            w.flow.run_again(w.context)
