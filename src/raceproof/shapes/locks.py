"""Calls of the thread library: what a thread owns changes with the locks that it takes and gives back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from raceproof.facts import Sync, SyncOp
from raceproof.ir import Call
from raceproof.shapes.states import Since, State
from raceproof.shapes.surroundings import SILENT
from raceproof.shapes.symbolic_heap import ANYTHING, NULL, NotZero, Place, Value

if TYPE_CHECKING:
    from raceproof.shapes.execution import Execution


def synchronised(run: Execution, state: State, call: Call, op: SyncOp) -> Iterator[State]:
    number = _lock_number(run, state, call, op.lock_arg if op.kind is Sync.WAIT else op.arg)
    match op.kind:
        case Sync.LOCK if op.shared or op.refuses_owner or number is None:
            yield run.done(state)
        case Sync.LOCK if number is not None:
            yield from _locked(run, state, number)
        case Sync.TRYLOCK if op.shared or number is None:
            yield run.done(state)
        case Sync.TRYLOCK if number is not None:
            if not state.is_resumed:
                yield run.done(state.copy(), NotZero())
            yield from _locked(run, state, number)
        case Sync.UNLOCK:
            _unlocked(run, state, call, op.arg, number)
            yield run.done(state, ANYTHING if number is None else NULL)
        case Sync.WAIT:
            if not state.is_resumed:
                if number is not None and number not in state.owned:  # a mutex that knows its holder refuses the wait
                    yield run.done(state.copy(), NotZero())
                _unlocked(run, state, call, op.lock_arg, number)
            if number is None:
                yield run.done(state)
            else:
                yield from _locked(run, state, number, ANYTHING)
        case Sync.LOCK_INIT | Sync.LOCK_DESTROY:  # of one that is held: it is held no longer
            for held, since in list(state.owned.items()):
                if since is Since.LOCKED and number in (None, held):
                    run.give_back(state, held)
            yield run.done(state)
        case Sync.CREATE:
            _create(run, state, call, op)
            for held, since in list(state.owned.items()):
                if since is Since.ALONE:
                    run.give_back(state, held)
            yield run.done(state)
        case Sync.EXIT:
            run.end_thread(state)
        case Sync.ONCE:
            yield run.done(state, NULL)
        case kind if kind in SILENT:
            yield run.done(state)
        case _:
            for held in list(state.owned):
                run.give_back(state, held)
            yield run.done(state)


def _create(run: Execution, state: State, call: Call, op: SyncOp) -> None:
    given = _argument(run, state, call, op.start_arg)
    for thread in run.around.cp.threads.values():
        is_outside = thread.id in run.around.outside
        if thread.created_at == call.id and thread.parent == run.thread and not is_outside:
            run.begin(thread.id, ANYTHING if given is None else given, state.settled)


def _argument(run: Execution, state: State, call: Call, index: int | None) -> Value | None:
    return run.value(state, call.args[index]) if index is not None and index < len(call.args) else None


def _locked(run: Execution, state: State, number: int, value: Value = NULL) -> Iterator[State]:
    if number in state.owned:
        state.owned[number] = Since.LOCKED
        yield run.done(state, value)
    else:
        run.ask(state, number, Since.LOCKED)


def _unlocked(run: Execution, state: State, call: Call, argument: int | None, number: int | None) -> None:
    known = _argument(run, state, call, argument)
    is_other = isinstance(known, Place) and known.offset is not None and number is None
    for held in list(state.owned):
        if held == number or (number is None and not is_other):
            run.give_back(state, held)


def _lock_number(run: Execution, state: State, call: Call, argument: int | None) -> int | None:
    address = _argument(run, state, call, argument)
    return run.locks.get(address) if isinstance(address, Place) else None


def scouted(run: Execution, state: State, call: Call, op: SyncOp) -> Iterator[State]:
    """While it is found out what locks protect: nobody owns anything by them."""
    lock = _argument(run, state, call, op.lock_arg if op.kind is Sync.WAIT else op.arg)
    match op.kind:
        case Sync.LOCK | Sync.TRYLOCK | Sync.WAIT if isinstance(lock, Place):
            run.seen.locks.add(lock)
            if op.kind is Sync.TRYLOCK:
                yield run.done(state.copy(), NotZero())
            if not op.shared and not op.refuses_owner:
                state.held |= {lock}
            yield run.done(state, ANYTHING if op.kind is Sync.WAIT else NULL)
        case Sync.UNLOCK:
            state.held = state.held - {lock} if isinstance(lock, Place) else frozenset()
            yield run.done(state)
        case Sync.EXIT:
            return
        case Sync.CREATE:
            _create(run, state, call, op)
            yield run.done(state)
        case _:
            yield run.done(state)
