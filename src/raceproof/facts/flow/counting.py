"""Counting down: what stores, creations and tests do to what is known about counters.

Let u be the number of counted threads that were created and have not counted down, nor has anybody for them. Whatever
happens, main knows a lower bound of c - u, the tally:

    c starts at k, no threads        the bound is k
    main writes c += d               it moves by d
    main creates a counted thread    u grows: the bound sinks by one
    a counted thread writes c -= 1   c and u sink: nothing changes, as long as it does this only once
    who joined it writes c -= 1      the same, once for each join, if the thread does not count down itself
    anybody writes c += 1            c grows: the bound still holds
    main finds c >= n                if there are never more than m threads, c - u >= n - m
    main finds c <= n <= bound       u is 0: every thread that was created has counted down, or was joined before

No thread is joined twice, since that is undefined: so who counts down once behind each join does so once for each
thread, and everything that this thread did came before.

A number is *drawn* from a counter if it is read in one step with an update. If all updates add something, or all take
something off, no number is drawn twice.

Which counters keep to these rules, in the whole program, is checked by `counters`. Here only the flow is followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from raceproof.facts.flow import tokens
from raceproof.facts.flow.contexts import SHARED, ThreadRecord
from raceproof.facts.flow.counts import MAX_START, Tally
from raceproof.facts.flow.state import Condition, State
from raceproof.ir import (
    Binary,
    IntConst,
    Load,
    MemoryOrder,
    Operand,
    Reg,
    Rmw,
    Store,
)
from raceproof.model import MAIN, Atom, Base, CountDown, Derived, Linear, LockKind, ObjectKind

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker


def start_tallies(w: Walker, state: State) -> None:
    """At the beginning of main there are no threads."""
    for address, counter in w.flow.counters.items():
        initial = w.flow.initial.value(address)
        if initial is not None:
            state.counts = state.counts.changed(address, _assigned(w, counter, Linear(initial), state))


def write(w: Walker, instr: Store | Rmw, address: Linear, state: State) -> None:
    """A store or an atomic update: a step of a counter, an assignment, or nothing that concerns counters."""
    if not address.is_absolute:
        return
    amount = _step(w, instr, address, state)
    if w.recording:
        w.flow.observed.note_step(instr.id, address, instr.type.size, amount)
    joined = None
    if amount is not None and amount < 0 and w.context.thread != MAIN:
        joined = state.counts.to_count_for(address) if amount == -1 else None
        state.counts = state.counts.spent(address)
        tokens.pay(w, address, state)
        if w.recording:
            w.flow.observed.note_count(address, w.context.thread, joined)
    if amount and address in w.flow.drawn_from:
        drawn = {w.evaluator.opaque(r) for r in _drawn(w, instr, address, state) if r not in state.values}
        state.drawn |= {(atom, address) for atom in drawn}
    counter = w.flow.counters.get(address)
    if counter is None:
        return
    if w.context.thread == MAIN:
        tally = state.counts.tally(address)
        value = w.value(instr.value, state)
        new = tally.shifted(amount) if amount is not None else _assigned(w, counter, value, state)
        state.counts = state.counts.changed(address, new)
    elif amount is not None and amount < 0 and (joined is None or not _may_be_joiner(w, counter)):
        if w.recording and address in state.counts.may_counted:
            w.flow.observed.note_repeated_count(address)
        state.counts = state.counts.counted(address)


def _may_be_joiner(w: Walker, counter: CountDown) -> bool:
    """Whether this thread counts for others here; where it is not known which one it is, nobody who counts for itself
    comes here having joined somebody: `counters` sees to that."""
    return bool(counter.joiners) and w.context.thread in (*counter.joiners, SHARED)


def _assigned(w: Walker, counter: CountDown, value: Linear, state: State) -> Tally:
    """After `c = value` by main."""
    nobody = not counter.threads & state.may_run.keys()
    is_known = value.is_constant and abs(value.constant) <= MAX_START  # far from wrapping around
    tally = Tally(balance=value.constant if is_known and nobody else None)
    most = _most_threads(w, counter)
    spare = value.plus(most, -1) if most is not None else None
    return tally.at_least(spare.constant) if spare is not None and spare.is_constant else tally


def _step(w: Walker, instr: Store | Rmw, address: Linear, state: State) -> int | None:
    """d if the instruction adds the constant d to what is there, in one step as far as locks can tell."""
    if isinstance(instr, Rmw):
        sign = {"add": 1, "sub": -1}.get(instr.op)
        added = w.value(instr.value, state)
        return sign * added.constant if sign is not None and added.is_constant else None
    match w.info.definitions.get(instr.value.name) if isinstance(instr.value, Reg) else None:
        case Binary(op="add", left=Reg() as old, right=IntConst(value=amount)):
            pass
        case Binary(op="add", left=IntConst(value=amount), right=Reg() as old):
            pass
        case Binary(op="sub", left=Reg() as old, right=IntConst(value=minus)):
            amount = -minus
        case _:
            return None
    load = w.info.definitions.get(old.name)
    if not isinstance(load, Load) or load.type != instr.type or not w.info.must_just_read(load, instr, w.world.silent):
        return None
    return amount if w.value(load.address, state) == address else None


def _drawn(w: Walker, instr: Store | Rmw, address: Linear, state: State) -> list[str]:
    """Registers with the value that the counter had before this step, read under the same lock or by the step itself.

    Nobody else reads it together with a step: the counter has moved on by then, and never comes back.
    """
    if isinstance(instr, Rmw):
        return [instr.result.name]
    return [
        load.result.name
        for load in w.info.may_just_read(instr, w.world.silent)
        if load.type == instr.type
        and w.value(load.address, state) == address
        and w.info.must_just_read(load, instr, w.world.silent)
    ]


def read_back(w: Walker, instr: Load, address: Linear, state: State) -> None:
    """A load right behind a step of its own thread, with the lock that all who count have: it finds what was stored."""
    if w.context.thread == MAIN or address not in w.flow.drawn_from:
        return
    store = w.info.must_just_have_stored(instr, w.world.silent)
    if store is None or store.type != instr.type or w.value(store.address, state) != address:
        return
    value, drawn = w.value(store.value, state), {atom for atom, source in state.drawn if source == address}
    if _step(w, store, address, state) and value.mentions(drawn):
        state.values[instr.result.name] = value


def join(w: Walker, operand: Operand, state: State) -> None:
    """A thread other than main has joined the one with this id, and may count down for it, once.

    Nothing follows from ids of which it is not known where they come from.
    """
    if w.context.thread == MAIN:
        return
    targets = w.world.points_to.targets(w.function.name, operand)
    objects = frozenset(target.object for target in targets)
    if objects and all(w.world.points_to.objects[o].kind is ObjectKind.THREAD for o in objects):
        state.counts = state.counts.after_join(objects)


def create(w: Walker, record: ThreadRecord, state: State) -> None:
    """Main starts a thread: one more that will have to count down."""
    for address, counter in w.flow.counters.items():
        if record.id in counter.threads:
            tally = state.counts.tally(address).after_creation()
            state.counts = state.counts.changed(address, tally).refilled(address)


# -- main looks at the counter -----------------------------------------------------------------------


def read(w: Walker, register: str, address: Linear, order: MemoryOrder | None, state: State) -> None:
    """A load whose value, if it is small enough, shows that all counted threads have counted down."""
    counter = w.flow.counters.get(address)
    if counter is None or w.context.thread != MAIN:
        return
    if counter.via is None:
        sees_all = order is not None and order.acquires
    else:
        sees_all = any(h.kind is LockKind.MUTEX and h.address in counter.via for h in state.locks)
    if sees_all:
        state.counts = state.counts.with_read(w.evaluator.opaque(register), address)


def learn(w: Walker, condition: Condition, holds: bool, state: State) -> None:
    """A branch on a value that was read from a counter."""
    for atom, least, most in _bounds(condition, holds):
        known = state.counts.reads.get(atom)
        if known is None:
            continue
        if most is not None and most.is_constant and known.tally.is_at_least(most.constant):
            state.counts = state.counts.drained(known.address)
        threads = _most_threads(w, w.flow.counters[known.address]) if least is not None else None
        if least is not None and threads is not None:
            spare = least.plus(threads, -1)
            if spare.is_constant:
                tally = state.counts.tally(known.address)
                state.counts = state.counts.learned(known.address, tally.at_least(spare.constant))


def come_back(w: Walker, callee: str, state: State, inner: State, value: Atom | None, result: Atom | None) -> None:
    """Return from a function of the program, in the state `inner`, with `value` as the caller's `result`."""
    reads = {}
    if callee not in w.world.may_spawn:
        modified = w.world.may_modify[callee]
        for atom, known in state.counts.reads.items():
            if not any(isinstance(a, Base) and modified >> a.object & 1 for a in known.address.atoms()):
                reads[atom] = known
    if value is not None and result is not None and value in inner.counts.reads:
        reads[result] = inner.counts.reads[value]
    state.counts = inner.counts.with_reads(reads)


def _bounds(condition: Condition, holds: bool) -> Iterator[tuple[Atom, Linear | None, Linear | None]]:
    """(x, a, b) for each x that is at least a and at most b, as far as the condition says."""
    difference = condition.difference
    if condition.kind == "ult":
        yield from _unsigned_bounds(difference, holds)
        return
    for atom, factor in difference.terms:
        if factor not in (1, -1):
            continue
        rest = difference.plus(Linear(0, ((atom, 1),)), -factor).scaled(-factor)  # difference = factor * (atom - rest)
        match condition.kind, holds, factor:
            case "eq", True, _:
                yield atom, rest, rest
            case "slt", True, 1:
                yield atom, None, rest.shifted(-1)
            case "slt", True, -1:
                yield atom, rest.shifted(1), None
            case "slt", False, 1:
                yield atom, rest, None
            case "slt", False, -1:
                yield atom, None, rest


def _unsigned_bounds(difference: Linear, holds: bool) -> Iterator[tuple[Atom, Linear | None, Linear | None]]:
    """Only what means zero: a counter that went below it is a large number."""
    match difference.terms:
        case ((Derived(op="operands", args=(left, right)), 1),):
            if not holds and left == Linear(0) and right.constant == 0 and len(right.terms) == 1:
                yield right.terms[0][0], None, Linear(0)
            if holds and right == Linear(1) and left.constant == 0 and len(left.terms) == 1:
                yield left.terms[0][0], None, Linear(0)


def _most_threads(w: Walker, counter: CountDown) -> Linear | None:
    """How many counted threads there are in a run at most: a constant, or the range of the one loop that makes them.

    A range that is negative makes no thread at all: what is concluded about all threads holds then, too.
    """
    if counter.most is not None:
        return Linear(counter.most)
    if len(counter.threads) != 1:
        return None
    record = w.flow.records[next(iter(counter.threads))]
    record.dependents[w.context] = None
    (rounds,) = record.rounds if len(record.rounds) == 1 else (None,)
    return rounds[1] if rounds is not None and rounds[0] == w.function.name and not record.names_lost else None
