"""What a call does to the state: into functions of the program and back, library calls, and thread operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from raceproof.facts.flow import (
    counting,
    lending,
    memory_transfer,
    region_calls,
    regions,
    stale_names,
    sync_transfer,
    thread_transfer,
    tokens,
    turns,
)
from raceproof.facts.flow.contexts import (
    Exit,
    Renaming,
    is_frame_local,
    parameter_renaming,
    rename,
    rename_facts,
    rename_memory,
)
from raceproof.facts.flow.evaluate import MAX_DEPTH
from raceproof.facts.flow.sights import NO_SIGHTS, Sights
from raceproof.facts.flow.state import ATOMIC_SECTION, MANY, Condition, Known, State, join, merge
from raceproof.facts.library.effects import Effect, Returns, Sync, SyncOp
from raceproof.facts.library.libc import effect_of, is_assumption
from raceproof.facts.library.sync_api import GET_SPECIFIC, SET_SPECIFIC, is_atomic_function, sync_op
from raceproof.facts.pointers.execution_counts import RETURNS_TWICE
from raceproof.ir import Call, Operand, PtrType
from raceproof.model import (
    ZERO,
    Atom,
    Base,
    Derived,
    HeldLock,
    Linear,
    MemLoc,
    ObjectId,
    Opaque,
    Stable,
    of_atom,
)

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker

MAX_EXITS = 6
SPECIFIC = "thread-specific"
MAX_OBJECTS = 4
MAX_CALLBACK_ROUNDS = 4  # then all ways in which a library function may call back are one
enter_loop = thread_transfer.enter_loop
join_all = thread_transfer.join_all


def call(w: Walker, instr: Call, state: State) -> list[State]:
    """All states after the call; none if it does not return."""
    names = w.world.callees(instr)
    if len(names) > 1:
        exact = w.flow.function_at(w.value(instr.callee, state))
        names = (exact,) if exact in names else names
    results: list[State] = []
    for i, name in enumerate(names):
        current = state if i == len(names) - 1 else state.copy()
        operation = w.world.sync_op(instr, name) if name in w.world.known.locks else None
        if operation is not None:
            results += _modelled(w, instr, name, operation, current)
        elif name in w.world.program.functions:
            results += _defined(w, instr, name, list(instr.args), current)
        else:
            results += _external(w, instr, name, current)
    if not names:  # a pointer that points to no function we know: nothing can be said, and nothing returns
        w.flow.observed.assume("a call through a pointer with no known target does not return", instr.id)
    if len(results) <= 1 or (len(names) == 1 and names[0] not in w.world.program.functions):
        return results  # success and failure of a library call stay apart until the result has been looked at
    return merge(results, MAX_EXITS)


def _result(w: Walker, instr: Call, state: State, value: Linear | None = None) -> None:
    if instr.result is not None:
        w.define(instr.result.name, state)
        if value is not None:
            state.values[instr.result.name] = value


# -- functions of the program ---------------------------------------------------------------------


def _defined(w: Walker, instr: Call, name: str, args: list[Operand], state: State) -> list[State]:
    values = [w.value(arg, state) for arg in args]
    _touch(w, instr, name, state)
    if name not in w.world.relevant:
        _leave_out(w, name, values, state)
        _result(w, instr, state)
        _name_result(w, instr, name, args, state)
        return [state]
    atomic = is_atomic_function(name)
    if atomic:
        state.take(ATOMIC_SECTION)
    states = run_function(w, instr, name, values, state)
    if atomic:
        for after in states:
            after.release(ATOMIC_SECTION, lambda _: False)
            after.leave_section()
    for after in states:
        _name_result(w, instr, name, args, after)
    return states


def _name_result(w: Walker, instr: Call, name: str, args: list[Operand], state: State) -> None:
    """A number of which nothing is known but that only the arguments decide it is the same for the same arguments."""
    if name in w.world.pure and instr.result is not None and instr.result.name not in state.values:
        same = of_atom(Derived(f"@{name}", tuple(w.value(arg, state) for arg in args)))
        if same.depth <= MAX_DEPTH:
            state.values[instr.result.name] = same


def _leave_out(w: Walker, name: str, values: list[Linear], state: State) -> None:
    """What a function may do to memory that is not entered."""
    for value in values:
        state.publish(value)
    _find_hidden(w, name, state)
    modified = _objects(w.world.may_modify[name])
    places = [MemLoc(o, None, None) for o in modified]
    state.forget_memory(modified)
    stale_names.renounce_places(w, places, state)
    thread_transfer.lose_ids(w, places, None, None, state)
    if name in w.world.may_set_specific:
        forget_specific(state)


def _modelled(w: Walker, instr: Call, name: str, operation: SyncOp, state: State) -> list[State]:
    """A lock function as the user describes it: what else it does is done, but its accesses are not looked at."""
    w.flow.observed.assume(f"the user says that {operation.model}", instr.id)
    _touch(w, instr, name, state)
    if name in w.world.program.functions:
        _leave_out(w, name, [w.value(arg, state) for arg in instr.args], state)
    return sync_transfer.apply(w, instr, operation, state)


def run_function(w: Walker, instr: Call, name: str, values: list[Linear], state: State) -> list[State]:
    """Enter `name` in a context for this state; come back by each of its exits."""
    function = w.world.program.functions[name]
    copies = {i for i, p in enumerate(function.params) if p.by_value is not None}
    for i in copies & set(range(len(values))):
        memory_transfer.open_fresh(values[i], state)  # what is in the struct is in the copy, too
    values = [
        of_atom(w.flow.parameter_atom(name, function.params[i].name)) if i in copies else v
        for i, v in enumerate(values)
    ]  # a struct by value is the callee's own copy
    tokens.lose_sight(w, state)
    stale_names.renounce_frame(w, name, state)
    _find_hidden(w, name, state)
    wanted = _wanted_memory(w, name, state)
    contents = [known.value for (address, _), known in wanted.items() if rename(address, {}) is not None]
    for extra in values[len(function.params) :]:
        state.publish(extra)  # variadic: may come out of the va_list under another name
    passed = [*values[: len(function.params)], *contents]
    renaming = parameter_renaming(name, [*passed, *region_calls.elements(passed, state)])
    entry = _entry_state(w, instr, name, values, wanted, renaming, state)
    told = region_calls.enter(w, instr, name, values, renaming, state, entry)
    context = w.flow.enter(w.context, name, instr.id, entry)
    if w.recording:
        w.calls[context] = None
    back: dict[Atom, Linear] = {new.terms[0][0]: of_atom(old) for old, new in renaming.items()}
    for param, value in zip(function.params, values, strict=False):
        if param.by_value is None:
            back.setdefault(w.flow.parameter_atom(name, param.name), value)
    states = [_return_state(w, instr, name, e, back, renaming, state.copy()) for e in context.exits]
    for leave, after in zip(context.exits, states, strict=True):
        region_calls.come_back(w, instr, leave.state, told, back, after)
    return states


def _find_hidden(w: Walker, name: str, state: State) -> None:
    """A function that may look where fresh objects are hidden may find them."""
    if state.hidden:
        refers = w.world.may_refer[name]
        state.find(frozenset(o for places in state.hidden.values() for o in places if refers >> o & 1))


def _entry_state(
    w: Walker,
    instr: Call,
    name: str,
    values: list[Linear],
    wanted: Mapping[tuple[Linear, int], Known],
    renaming: dict[Atom, Linear],
    state: State,
) -> State:
    entry = State(
        locks=_renamed_locks(w, state.locks, renaming),
        may_run=dict(state.may_run),
        must_done=state.must_done,
        in_once=state.in_once,
        phases=dict(state.phases),
        may_sent=state.may_sent,
        must_received=state.must_received,
        may_handed=state.may_handed,
        must_returned=frozenset(
            (thread, renamed)
            for thread, pattern in state.must_returned
            if (renamed := rename(pattern, renaming)) is not None
        ),
        counts=state.counts.with_reads({}),
        sights=Sights(may_set=state.sights.may_set) if state.sights.may_set else NO_SIGHTS,
        drawn=frozenset((renaming[atom].terms[0][0], c) for atom, c in state.drawn if atom in renaming),
    )
    entry.memory = rename_memory(wanted, renaming)
    for atom, new in renaming.items():
        if atom in state.fresh:
            inner = state.fresh[atom]
            for hidden in [a for a in inner if a not in renaming]:
                state.publish(of_atom(hidden))  # the callee could find and publish it under another name
            entry.fresh[new.terms[0][0]] = frozenset(
                renaming[a].terms[0][0] for a in state.fresh.get(atom, ()) if a in renaming
            )
    for atom in _fresh_by_name(values, state):
        for hidden in [a for a in state.fresh.get(atom, ()) if not isinstance(a, Base) and a not in renaming]:
            state.publish(of_atom(hidden))  # as above
    for atom in _fresh_by_name(values, state):
        entry.fresh[atom] = frozenset(
            a if isinstance(a, Base) else renaming[a].terms[0][0]
            for a in state.fresh[atom]
            if isinstance(a, Base) or a in renaming
        )
    function = w.world.program.functions[name]
    for i, (param, value) in enumerate(zip(function.params, values, strict=False)):
        renamed = rename(value, renaming)
        if renamed is not None and param.by_value is None:
            entry.values[param.name] = renamed
        if isinstance(param.type, PtrType):
            _pass_objects(w, instr.args[i] if i < len(instr.args) else None, value, renaming, state, entry)
    passed = {leaf for known in entry.memory.values() for leaf in known.value.leaves()}
    passed |= {leaf for value in entry.values.values() for leaf in value.leaves()}
    for condition, holds in rename_facts(state.facts, renaming).items():
        if all(leaf in passed for leaf in condition.difference.leaves()):
            entry.facts[condition] = holds
    return entry


def _wanted_memory(w: Walker, name: str, state: State) -> dict[tuple[Linear, int], Known]:
    """Known contents that the callee may look at, in a fixed order."""
    refers = w.world.may_refer[name]
    found = [
        (key, known)
        for key, known in state.memory.items()
        if not known.objects or any(refers >> o & 1 for o in known.objects)
    ]
    return dict(sorted(found, key=lambda item: (str(item[0][0]), item[0][1])))


def _pass_objects(
    w: Walker, arg: Operand | None, value: Linear, renaming: dict[Atom, Linear], state: State, entry: State
) -> None:
    """Tell the callee which objects a pointer argument may point to, if they are few."""
    match value.terms:
        case ((atom, 1),) if atom in renaming:
            objects = state.objects.get(atom)
            if objects is None and arg is not None:
                objects = frozenset(t.object for t in w.world.points_to.targets(w.function.name, arg))
            if objects and len(objects) <= MAX_OBJECTS:
                entry.objects[renaming[atom].terms[0][0]] = objects


def _return_state(
    w: Walker,
    instr: Call,
    name: str,
    leave: Exit,
    back: dict[Atom, Linear],
    renaming: dict[Atom, Linear],
    state: State,
) -> State:
    """The caller's state after coming back by one exit of the callee."""
    inner = leave.state
    _result(w, instr, state)
    lending.after_call(w, name, state)
    turns.after_call(w, name, state)
    result_atom = w.evaluator.opaque(instr.result.name) if instr.result is not None else None
    value = leave.value
    new_atom = _sole_local_atom(value, back)
    old_names = {new.terms[0][0]: old for old, new in renaming.items()}
    if new_atom is not None and result_atom is not None:
        back = {**back, new_atom: of_atom(result_atom)}
        if new_atom in inner.fresh:
            state.fresh[result_atom] = _stored_in(new_atom, inner, old_names)
            state.hide(frozenset({result_atom}), inner.hidden.get(new_atom, frozenset()))
        if new_atom in inner.observed:
            state.observed[result_atom] = inner.observed[new_atom]
        state.drawn |= {(result_atom, counter) for atom, counter in inner.drawn if atom == new_atom}
        turns.come_back(inner, new_atom, result_atom, state)
    counting.come_back(w, name, state, inner, new_atom, result_atom)
    state.sights = tokens.returned(state.sights, inner.sights)
    kept = {h: n for h, n in state.locks.items() if rename(h.address, renaming) is None}
    released = w.world.may_unlock[name]
    kept = {
        h: n for h, n in kept.items() if not any(released >> o & 1 for o in w.flow.observed.lock_objects(h.address))
    }
    state.locks = {**kept, **_renamed_locks(w, inner.locks, back)}
    state.may_run = dict(inner.may_run)
    state.must_done, state.in_once = inner.must_done, inner.in_once
    state.phases = dict(inner.phases)
    state.may_sent, state.must_received = inner.may_sent, inner.must_received
    state.may_handed = inner.may_handed
    for atom in inner.fresh:
        outer = atom if isinstance(atom, Base) else old_names.get(atom)
        if outer is not None and (isinstance(atom, Base) or outer in state.fresh):
            state.fresh[outer] = state.fresh.get(outer, frozenset()) | _stored_in(atom, inner, old_names)
            state.hide(frozenset({outer}), inner.hidden.get(atom, frozenset()))
    for atom in [a for a in state.fresh if a in renaming and renaming[a].terms[0][0] not in inner.fresh]:
        state.publish(of_atom(atom))
    for atom in [a for a in _fresh_by_name(back.values(), state) if a not in inner.fresh]:
        state.publish(of_atom(atom))
    state.forget_memory(_objects(w.world.may_modify[name]))
    if name in w.world.may_set_specific:
        forget_specific(state)
    state.memory.update(rename_memory(inner.memory, back))
    for condition, holds in rename_facts(inner.facts, back).items():
        w.learn_of_truth(state, condition, holds)
    if instr.result is not None and value is not None:
        renamed = rename(value, back)
        if renamed is not None and renamed != w.evaluator.itself(instr.result.name):
            state.values[instr.result.name] = renamed
    if any(isinstance(leaf, Stable) for known in _all_known(state, inner, value) for leaf in known.leaves()):
        state.drop_where(lambda linear: w.flow.is_stale(w, instr.id, linear))
    return state


def _all_known(state: State, inner: State, value: Linear | None) -> Iterator[Linear]:
    """What comes back from a callee, and the locks."""
    yield from (held.address for held in state.locks)
    yield from () if value is None else (value,)
    for (address, _), known in inner.memory.items():
        yield from (address, known.value)
    yield from (condition.difference for condition in inner.facts)


def _stored_in(atom: Atom, inner: State, old_names: Mapping[Atom, Atom]) -> frozenset[Atom]:
    """What is found through an object when the callee is left, also by way of objects that have no name any more."""
    return frozenset(old_names.get(a, a) for a in inner.stored_in(atom) if isinstance(a, Base) or a in old_names)


def lose_names(value: Linear | None, state: State) -> None:
    """The function ends. A new object that may be found all the same, where it is hidden or by what is returned, will
    have a name that tells nothing of it: so others may get what is stored in it."""
    returned = set(value.leaves()) if value is not None else set()
    for atom in [a for a in state.fresh if isinstance(a, Opaque) and ":%" in a.key]:
        if value != of_atom(atom) and (atom in returned or atom in state.hidden):
            state.publish(of_atom(atom))


def _renamed_locks(w: Walker, locks: Mapping[HeldLock, int], renaming: Renaming) -> dict[HeldLock, int]:
    """The locks that have a name on the other side of a call; the new name may mean the same objects."""
    result = {}
    for held, count in locks.items():
        address = rename(held.address, renaming)
        if address is not None:
            w.flow.observed.note_same_lock(address, held.address)
            result[HeldLock(address, held.mode, held.kind, held.pos)] = count
    return result


def _fresh_by_name(values: Iterable[Linear], state: State) -> dict[Atom, None]:
    """Fresh objects that have the same name in every function, in the values or stored in one of them."""
    found: dict[Atom, None] = {}
    work = [atom for value in values for atom in value.atoms()]
    while work:
        atom = work.pop()
        if isinstance(atom, Base) and atom in state.fresh and atom not in found:
            found[atom] = None
            work += sorted(state.fresh[atom], key=str)
    return found


def _sole_local_atom(value: Linear | None, back: dict[Atom, Linear]) -> Atom | None:
    """The callee's own atom that is the returned value, if it is just one."""
    match value:
        case Linear(constant=0, terms=((atom, 1),)) if is_frame_local(atom) and atom not in back:
            return atom
    return None


@lru_cache(maxsize=4096)
def _objects(bits: int) -> frozenset[ObjectId]:
    result = []
    while bits:
        low = bits & -bits
        result.append(ObjectId(low.bit_length() - 1))
        bits ^= low
    return frozenset(result)


def merge_exits(exits: list[Exit]) -> list[Exit]:
    """Join exits with the same property and the same constant result; then by property; then all."""

    def grouped(items: list[Exit], with_value: bool) -> list[Exit]:
        groups: dict[object, Exit] = {}
        for item in items:
            constant = item.value if with_value and item.value is not None and item.value.is_constant else None
            key = (item.state.property_key(), constant)
            if key in groups:
                other = groups[key]
                same = other.value if other.value == item.value else None
                joined = join(other.state, item.state)
                if same is None:
                    for value in (other.value, item.value):
                        joined.publish(value if value is not None else ZERO)
                groups[key] = Exit(joined, same)
            else:
                groups[key] = item
        return list(groups.values())

    for exit_ in exits:
        exit_.state.values = {}
    result = grouped(exits, with_value=True)
    if len(result) > MAX_EXITS:
        result = grouped(result, with_value=False)
    if len(result) > MAX_EXITS:
        state = result[0].state
        for other in result[1:]:
            state = join(state, other.state)
        for other in result:
            state.publish(other.value if other.value is not None else ZERO)
        result = [Exit(state, None)]
    return result


# -- functions of the library ---------------------------------------------------------------------


def _external(w: Walker, instr: Call, name: str, state: State) -> list[State]:
    operation = sync_op(name)
    effect = effect_of(name)
    if operation is not None and operation.kind is Sync.CREATE:
        _touch(w, instr, name, state)  # the id is stored before the new thread begins
        return sync_transfer.apply(w, instr, operation, state)
    if operation is not None:
        states = sync_transfer.apply(w, instr, operation, state)
        for after in states:
            _touch(w, instr, name, after)
            if name in SET_SPECIFIC or name in GET_SPECIFIC:
                _thread_specific(w, instr, name, after)
            if effect is not None and effect.calls:
                _callbacks(w, instr, effect, after)
        return states
    if effect is None:
        w.flow.observed.assume(
            f"`{name}` is not known: it may touch, keep and call whatever it can reach, "
            "but takes, gives back or waits for no lock of the program's own",
            instr.id,
        )
        return _unknown(w, instr, name, state)
    _touch(w, instr, name, state)
    if instr.args and is_assumption(name):
        return [state] if w.assume(instr.args[0], state) else []
    if name in RETURNS_TWICE:
        return _set_jump(w, instr, state)
    if effect.noreturn:
        return []
    states = _callbacks(w, instr, effect, state)
    for after in states:
        _return_of_library(w, instr, effect, after)
    return states


def _thread_specific(w: Walker, instr: Call, name: str, state: State) -> None:
    """Thread-specific data: a location of this thread's own for every key."""
    place = of_atom(Derived(SPECIFIC, (w.value(instr.args[0], state),)))
    size = w.world.program.pointer_size
    if name in SET_SPECIFIC:
        forget_specific(state)  # another key may be the same one
        state.memory[(place, size)] = Known(w.value(instr.args[1], state), frozenset())
    elif instr.result is not None:
        known = state.memory.get((place, size))
        if known is not None:
            state.values[instr.result.name] = known.value
        else:
            state.memory[(place, size)] = Known(w.evaluator.itself(instr.result.name), frozenset())


def forget_specific(state: State) -> None:
    for key in [k for k in state.memory if any(isinstance(a, Derived) and a.op == SPECIFIC for a in k[0].atoms())]:
        del state.memory[key]


def _set_jump(w: Walker, instr: Call, state: State) -> list[State]:
    """setjmp: here with result 0, and again from any longjmp, about which little is certain."""
    _result(w, instr, state)
    again = State(
        may_run={r.id: MANY for r in w.flow.records if w.flow.is_below(r, w.context.thread)},
        must_done=state.must_done,
        phases={barrier: (low, None) for barrier, (low, _) in state.phases.items()},
        may_sent=frozenset(w.flow.sent_addresses),
        must_received=state.must_received,
        may_handed=frozenset(r.id for r in w.flow.records),
    )
    state.fresh = {}
    if instr.result is not None:
        again.facts[Condition("eq", w.evaluator.itself(instr.result.name))] = False
        state.values[instr.result.name] = ZERO
    return [state, again]


def _touch(w: Walker, instr: Call, name: str, state: State) -> None:
    """Record what the call touches; forget what it may have changed."""
    operation = sync_op(name)
    for index, touch in enumerate(w.world.touches(w.function, instr)):
        through = touch.touch
        indirect = through.deref or through.reach or through.static is not None
        address = None if indirect else w.value(through.address, state)
        w.record(instr.id, index, touch, address, state)
        state.find(touch.objects)
        if touch.touch.kind.writes:
            if address is not None:
                memory_transfer.overwrite(w, touch, address, through.size, state)
                memory_transfer.send(w, address, None, state)
            else:
                state.forget_memory(touch.objects)
                stale_names.renounce_places(w, touch.targets, state)
            if operation is None or operation.kind is not Sync.CREATE:  # which says itself whose id it overwrites
                thread_transfer.lose_ids(w, touch.targets, address, through.size, state)
    regions.library_call(w, instr, name)
    effect = effect_of(name)
    if effect is None:
        return
    kept = [*effect.keeps, *(value for value, _ in effect.stores), *effect.frees]
    for arg in kept:
        if arg < len(instr.args):
            state.publish(w.value(instr.args[arg], state))
    for _, source in effect.copies:
        if source < len(instr.args):
            memory_transfer.open_fresh(w.value(instr.args[source], state), state)


def _unknown(w: Walker, instr: Call, name: str, state: State) -> list[State]:
    for arg in instr.args:
        state.publish(w.value(arg, state))
    for index, touch in enumerate(w.world.touches(w.function, instr)):
        w.record(instr.id, index, touch, None, state)
        state.find(touch.objects)
        stale_names.renounce_places(w, touch.targets, state)
        thread_transfer.lose_ids(w, touch.targets, None, None, state)
        reached = touch.objects
        for held in [h for h in state.locks if w.flow.observed.lock_objects(h.address) & reached]:
            del state.locks[held]
    regions.library_call(w, instr, name)
    state.memory.clear()
    _give_away(w, instr, w.world.callbacks_of_unknown(w.function, instr), state)
    _result(w, instr, state)
    return [] if instr.noreturn else [state]


def _give_away(w: Walker, instr: Call, starts: Sequence[str], state: State) -> None:
    """The outside world may call these from now on, at any time, on any thread: like threads that never end."""
    records = w.flow.give_away(w.context, starts, instr.id)
    state.may_run.update((record.id, MANY) for record in records)
    if w.recording:
        w.flow.start_callbacks(records, frozenset(state.may_run))


def _callbacks(w: Walker, instr: Call, effect: Effect, state: State) -> list[State]:
    """Functions that the library calls: during the call, any number of times, or later, like a thread."""
    if not effect.calls:
        return [state]
    starts = [f for f in w.world.points_to.thread_starts(instr.id) if f in w.world.program.functions]
    if any(callback.later for callback in effect.calls):
        _give_away(w, instr, starts, state)
        return [state]
    for arg in instr.args if starts else ():
        state.publish(w.value(arg, state))
    states = [state]
    rounds = 0
    while True:
        after = [s for one in states for start in starts for s in _call_back(w, instr, start, one.copy())]
        for one in after:
            one.counts = one.counts.unless_changed(state.counts)
        merged = merge([*states, *after], MAX_EXITS if rounds < MAX_CALLBACK_ROUNDS else 0)
        if {one.full_key() for one in merged} == {one.full_key() for one in states}:
            return merged
        states = merged
        rounds += 1


def _call_back(w: Walker, instr: Call, start: str, state: State) -> list[State]:
    """The library calls `start` once, with arguments of which nothing is known: not those of the call before."""
    function = w.world.program.functions[start]
    if start not in w.world.relevant:
        _leave_out(w, start, [], state)
        return [state]
    unknown = [w.flow.parameter_atom(start, p.name) for p in function.params]
    for atom in unknown:
        state.forget(atom)
    return run_function(w, instr, start, [of_atom(atom) for atom in unknown], state)


def _return_of_library(w: Walker, instr: Call, effect: Effect, state: State) -> None:
    _result(w, instr, state)
    if instr.result is None or effect.or_arg is not None:  # of what may be one thing or another, nothing is known
        return
    name = instr.result.name
    source = effect.returns_arg
    match effect.returns:
        case Returns.ARG if source is not None and source < len(instr.args):
            state.values[name] = w.value(instr.args[source], state)
        case Returns.FRESH | Returns.OPAQUE:
            _fresh_object(w, instr, name, effect, state)
        case Returns.INTO_ARG | Returns.LOADED if source is not None and source < len(instr.args):
            state.publish(w.value(instr.args[source], state))


def _fresh_object(w: Walker, instr: Call, name: str, effect: Effect, state: State) -> None:
    objects = w.world.points_to.object_of_site(instr.id)
    atom: Atom = w.evaluator.opaque(name)
    if len(objects) == 1 and w.world.points_to.objects[objects[0]].is_single:
        atom = Base(objects[0])
        state.values[name] = of_atom(atom)
    if w.world.may_escape & frozenset(objects):
        state.fresh[atom] = frozenset()
    regions.allocated(w, instr, effect, atom, state)
