"""Words that say whose turn it is: a thread that finds its own number there has a lock, until it writes the word.

    my = atomic_fetch_add(&next, 1); while (atomic_load(&serving) != my) ; ... serving++        a ticket lock
    while (atomic_load(&turn) != id) ; ... atomic_store(&turn, (id + 1) % n)                    threads in turn

If every write to the word is made by who has the turn, and no two threads have the same number, then two can never have
the turn at once: the second would have to find its number there, but since the first one found its own only that one
could have written. What is written does not matter. Reads acquire and writes release, or all are under one lock or in
atomic sections: so what the last one did happened before what the next one does.

A thread's number is its argument, if all instances get different ones, or was drawn from a counter; for one word all
come from the same source. What was read before the thread itself has written the word says nothing any more.

A first run of the flow finds words that are compared with something (`suggest`), the second follows them; what breaks
the rules is noted, and `signals.exclusive_locks` has the last word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from raceproof.facts.flow.state import ATOMIC_SECTION, Condition, State
from raceproof.ir import Address, Call, Gep, Instr, Load, MemoryOrder, Operand, Reg, Return, Rmw, Store
from raceproof.model import (
    MAIN,
    Atom,
    Base,
    DistinctArgument,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    Opaque,
    StartArg,
    ThreadId,
)

if TYPE_CHECKING:
    from raceproof.facts.flow.function_info import FunctionInfo
    from raceproof.facts.flow.walker import Walker

Source = Linear | ThreadId
"""The counter that numbers are drawn from, or the thread whose arguments they are."""
Via = Linear | None
"""The lock under which a word is read and written; None: the word is atomic."""


def suggest(w: Walker, condition: Condition, state: State) -> None:
    """For the next run: a word is compared with a number."""
    if len(condition.difference.terms) != 2:
        return
    for atom, _ in condition.difference.terms:
        register = atom.key.rpartition(":%")[2] if isinstance(atom, Opaque) else ""
        if atom != w.evaluator.opaque_name(register):
            continue
        for load, address in _read_by(w, w.info.definitions.get(register), state):
            if address.is_absolute and w.flow.initial.is_whole(address, load.type.size):
                w.flow.observed.note_turn_word(address)


def _read_by(w: Walker, definition: Instr | None, state: State) -> Iterator[tuple[Load, Linear]]:
    """The load that gave a value, or those of the functions that may have given it: for these, where it is plain."""
    if isinstance(definition, Load):
        yield definition, w.value(definition.address, state)
    elif isinstance(definition, Call):
        for name in w.world.callees(definition):
            if name in w.world.program.functions:
                args = dict(
                    zip((p.name for p in w.world.program.functions[name].params), definition.args, strict=False)
                )
                yield from _returned(w, w.world.info(name), args, state)


def _returned(
    w: Walker, callee: FunctionInfo, args: Mapping[str, Operand], state: State
) -> Iterator[tuple[Load, Linear]]:
    for block in callee.blocks.values():
        value = block.terminator.value if isinstance(block.terminator, Return) else None
        load = callee.definitions.get(value.name) if isinstance(value, Reg) else None
        if not isinstance(load, Load):
            continue
        address, offset = load.address, 0
        while isinstance(address, Reg) and isinstance(gep := callee.definitions.get(address.name), Gep):
            if gep.terms:
                break
            address, offset = gep.base, offset + gep.offset
        if isinstance(address, Reg) and address.name in args:
            yield load, w.value(args[address.name], state).shifted(offset)
        elif isinstance(address, Address):
            yield load, w.value(address, state).shifted(offset)


def read(w: Walker, register: str, address: Linear, order: MemoryOrder | None, state: State) -> None:
    if address in w.flow.turn_words:
        vias = _vias(order is not None and order.acquires, state)
        state.turns = {**state.turns, w.evaluator.opaque(register): (address, vias)}


def learn(w: Walker, condition: Condition, state: State) -> None:
    """Two values are equal: perhaps the thread has found its number."""
    match condition:
        case Condition(
            kind="eq", difference=Linear(constant=0, terms=((one, 1 | -1 as factor), (other, opposite)))
        ) if factor == -opposite:
            for word, number in ((one, other), (other, one)):
                if word in state.turns:
                    _find(w, *state.turns[word], number, state)


def _find(w: Walker, address: Linear, vias: frozenset[Via], number: Atom, state: State) -> None:
    sources: set[Source] = {counter for atom, counter in state.drawn if atom == number and counter in w.flow.drawn_from}
    match number:
        case StartArg(thread=thread):
            argument = w.evaluator.arguments.get(thread)
            if isinstance(argument, DistinctArgument) and not argument.fresh and argument.stride:
                sources.add(thread)
    if len(sources) == 1:
        if w.recording:
            w.flow.observed.note_turn(address, next(iter(sources)), vias)
        state.locks[_lock(address)] = 1


def write(w: Walker, instr: Store | Rmw, address: Linear, state: State) -> None:
    """Whoever writes the word has had its turn."""
    w.flow.observed.note_lock_operation(address, instr.id)
    has_turn = state.locks.pop(_lock(address), 0) > 0
    state.turns = {atom: read for atom, read in state.turns.items() if read[0] != address}
    if not w.recording or (w.context.thread == MAIN and not state.may_run):
        return
    if has_turn:
        is_atomic = instr.order is not None and instr.order.releases
        w.flow.observed.note_turn(address, None, _vias(is_atomic, state) - _shared(state))
    else:
        w.flow.observed.break_lock(address)


def come_back(inner: State, returned: Atom, result: Atom, state: State) -> None:
    """What the callee has read, and not written since, it may give back."""
    if returned in inner.turns:
        state.turns = {**state.turns, result: inner.turns[returned]}


def after_call(w: Walker, callee: str, state: State) -> None:
    """What was read before the callee may have written is old."""
    modified = w.world.may_modify[callee]
    state.turns = {
        atom: read
        for atom, read in state.turns.items()
        if not any(isinstance(a, Base) and modified >> a.object & 1 for a in read[0].atoms())
    }


def _vias(is_atomic: bool, state: State) -> frozenset[Via]:
    found: set[Via] = {h.address for h in state.locks if h.kind is LockKind.MUTEX and h.address.is_absolute}
    if ATOMIC_SECTION in state.locks:
        found.add(ATOMIC_SECTION.address)
    return frozenset(found | {None}) if is_atomic else frozenset(found)


def _shared(state: State) -> frozenset[Via]:
    """Locks that others may hold as well: what is written under them is not ordered before what they do."""
    return frozenset(h.address for h in state.locks if h.mode is LockMode.SHARED)


def _lock(address: Linear) -> HeldLock:
    return HeldLock(address, LockMode.EXCLUSIVE, LockKind.SPIN)
