"""What a call does to the state: into functions of the program and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from raceproof.facts.flow import (
    counting,
    lending,
    library_transfer,
    memory_transfer,
    region_calls,
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
from raceproof.facts.flow.state import ATOMIC_SECTION, Known, State, join, merge
from raceproof.facts.library.effects import SyncOp
from raceproof.facts.library.sync_api import is_atomic_function
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
MAX_OBJECTS = 4
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
            results += library_transfer.call(w, instr, name, current)
    if not names:  # a pointer that points to no function we know: nothing can be said, and nothing returns
        w.flow.observed.assume("a call through a pointer with no known target does not return", instr.id)
    if len(results) <= 1 or (len(names) == 1 and names[0] not in w.world.program.functions):
        return results  # success and failure of a library call stay apart until the result has been looked at
    return merge(results, MAX_EXITS)


def set_result(w: Walker, instr: Call, state: State, value: Linear | None = None) -> None:
    if instr.result is not None:
        w.define(instr.result.name, state)
        if value is not None:
            state.values[instr.result.name] = value


# -- functions of the program ---------------------------------------------------------------------


def _defined(w: Walker, instr: Call, name: str, args: list[Operand], state: State) -> list[State]:
    values = [w.value(arg, state) for arg in args]
    library_transfer.touch(w, instr, name, state)
    if name not in w.world.relevant:
        leave_out(w, name, values, state)
        set_result(w, instr, state)
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


def leave_out(w: Walker, name: str, values: list[Linear], state: State) -> None:
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
        library_transfer.forget_specific(state)


def _modelled(w: Walker, instr: Call, name: str, operation: SyncOp, state: State) -> list[State]:
    """A lock function as the user describes it: what else it does is done, but its accesses are not looked at."""
    w.flow.observed.assume(f"the user says that {operation.model}", instr.id)
    library_transfer.touch(w, instr, name, state)
    if name in w.world.program.functions:
        leave_out(w, name, [w.value(arg, state) for arg in instr.args], state)
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
    """Known contents that the callee may look at, or forget because it leaves the atomic section, in a fixed order."""
    refers = w.world.may_refer[name]
    found = [
        (key, known)
        for key, known in state.memory.items()
        if known.in_section or not known.objects or any(refers >> o & 1 for o in known.objects)
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
    set_result(w, instr, state)
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
    state.leave_section()  # what still is known of words comes back with the callee's memory
    if name in w.world.may_set_specific:
        library_transfer.forget_specific(state)
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
