"""Tokens in cells: who finds one, under the cell's lock, comes after the thread that put it there was created.

    worker i:   lock(l[i]); cell[i] = 1; unlock(l[i])
    cleaner:    lock(l[i]); if (cell[i]) { join(id[i]); alive--; cell[i] = 0; } unlock(l[i])

All cells are zero at first. Something else is put into cell i only by the worker that has i as its argument, under the
lock of i. So who finds cell i not zero, under that lock, comes after this worker's creation: what its creator did
before, as writing its id, is done. That is `Moment.must_seen`.

Let the alive workers be counted as in `counting`, by those who join them. If every worker puts a token there once at
most, if everybody who counts down does so once for each token that he sees, and empties the cell before he gives its
lock back, then there are never more countings than tokens, nor more tokens than workers that were created. As long as
somebody has a token in sight, not having given the lock back and not having counted down for it, the counter is not
where main waits for it to be: for each worker somebody has counted down, and for each time that was another token than
this one. So what he does then comes before what main does when it has seen that all are counted. More precisely, let
main's access not come after his. What happened before either of the two has the countings that main has seen, each
with a token, and one token more; each is put there by another worker; and main has made just as many workers as it has
seen countings. Of two who see the same token, one empties the cell, or has its lock until after the access.

Which cells keep to these rules, in the whole program, is checked by `token_cells`. Here only the flow is followed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from raceproof.facts.flow.sights import NO_SIGHTS, Debt, Sight, Sights
from raceproof.facts.flow.state import Condition, State
from raceproof.facts.flow.world import TargetedTouch
from raceproof.ir import IntConst, Store
from raceproof.model import Base, Linear, LockKind, LockMode, ObjectId, StartArg, is_absolute

if TYPE_CHECKING:
    from raceproof.facts.flow.walker import Walker


def empties(instr: Store) -> bool:
    return isinstance(instr.value, IntConst) and instr.value.value == 0


def cell_object(address: Linear) -> ObjectId | None:
    """The object that an address is in, if it says so."""
    bases = [atom.object for atom, factor in address.terms if isinstance(atom, Base) and factor == 1]
    return bases[0] if len(bases) == 1 and not address.has_difference else None


def read(w: Walker, register: str, address: Linear, state: State) -> None:
    """A load under a lock from what may be a cell."""
    target = cell_object(address) if w.flow.token_objects else None
    if target in w.flow.token_objects and target is not None:
        locks = _mutexes(state)
        if locks:
            state.sights = state.sights.with_read(w.evaluator.opaque(register), Sight(target, address, locks))


def learn(condition: Condition, holds: bool, state: State) -> None:
    """A branch on a value that was read from a cell: it may show that it is not zero."""
    match condition:
        case Condition(kind="eq", difference=Linear(constant=constant, terms=((atom, 1 | -1),))):
            if atom in state.sights.reads and (constant == 0) != holds:
                state.sights = state.sights.seen(atom)


def write(w: Walker, instr: Store, address: Linear, touch: TargetedTouch, state: State) -> None:
    """A cell is emptied, or gets a token."""
    objects = touch.objects & w.flow.token_objects
    if not objects:
        return
    sights = state.sights
    for target in sorted(objects):
        sights = sights.written(target)
    if empties(instr):
        sights = sights.emptied(address)
    elif all(isinstance(atom, StartArg) or is_absolute(atom) for atom in address.atoms()):
        if w.recording and address in sights.may_set:
            w.flow.observed.note_second_token(address)
        sights = replace(sights, may_set=sights.may_set | {address})
    state.sights = sights


def pay(w: Walker, counter: Linear, state: State) -> None:
    """This thread, which is not main, counts down."""
    if w.flow.token_objects:
        state.sights, by = state.sights.paid(counter)
        if w.recording:
            w.flow.observed.note_payment(counter, w.context.thread, by)


def check_locks(w: Walker, state: State) -> None:
    """Something was called that may have given locks back."""
    if state.sights is not NO_SIGHTS:
        state.sights, late = state.sights.under(_mutexes(state))
        _note(w, late)


def lose_sight(w: Walker, state: State) -> None:
    """Locks may be given back and taken again, or the function ends: nothing in sight is followed any further."""
    if state.sights is not NO_SIGHTS:
        state.sights, late = state.sights.under(frozenset())
        _note(w, late)


def returned(before: Sights, inner: Sights) -> Sights:
    """Back from a function, before which nothing was left in sight."""
    return replace(before, may_set=inner.may_set) if before.may_set != inner.may_set else before


def _note(w: Walker, late: frozenset[Debt]) -> None:
    if w.recording:
        for debt in late:
            w.flow.observed.note_left_token(debt)


def _mutexes(state: State) -> frozenset[Linear]:
    return frozenset(h.address for h in state.locks if h.kind is LockKind.MUTEX and h.mode is LockMode.EXCLUSIVE)
