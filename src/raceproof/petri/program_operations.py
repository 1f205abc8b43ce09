"""What operations on threads do to tokens: locks, conditions, semaphores, barriers, creation and join.

In doubt a thread takes less and gives more: see `program_locks`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from raceproof.core import InternalError, SourcePos
from raceproof.facts import RELEASING, Sync, SyncOp, installs_handlers, names_of, thread_operations
from raceproof.ir import Call, Function, IntType
from raceproof.petri.program_code import ANY_SEMAPHORE, Code
from raceproof.petri.program_edges import (
    ANY_CONDITION,
    Condition,
    Ended,
    Lock,
    Round,
    Semaphore,
    Start,
    ThreadCopy,
    Tokens,
    name_of_place,
)
from raceproof.petri.program_joins import Variable
from raceproof.petri.program_locks import ATOMIC, MAX_DEPTH, Held, Hold, Kinds, Mode, find, kept, with_hold, without
from raceproof.petri.program_pointers import Arguments, Place, unknown_arguments
from raceproof.petri.program_states import Move, Phase, State
from raceproof.petri.program_surroundings import initial_value
from raceproof.petri.program_values import Known, unsigned, with_known

_UNTIMED: Final = frozenset({"pthread_cond_wait", "__pthread_cond_wait", "cnd_wait"})


@dataclass(frozen=True, slots=True)
class Context:
    """A function, and what its parameters are."""

    function: Function
    arguments: Arguments


class Operations:
    """`shared`: the locks that were found to have a read side."""

    def __init__(self, code: Code, kinds: Kinds) -> None:
        self.shared: set[Place] = set()
        self._code = code
        self._around = code.around
        self._kinds = kinds

    def moves(self, state: State, context: Context, call: Call, op: SyncOp) -> Iterator[Move]:
        """What a call that is `op` may do; the end of the thread is not for here."""
        behind = replace(state, phase=Phase.BEHIND)
        place = self._place(context, call, op.arg)
        match op.kind:
            case Sync.LOCK | Sync.TRYLOCK:
                yield from self._lock(state, context, call, op, place)
            case Sync.ATOMIC_BEGIN:
                yield from self.take(state, ATOMIC, False, behind, call.pos)
            case Sync.ATOMIC_END:
                held, give = self.without(state.held, frozenset({ATOMIC[0]}))
                yield Move(replace(behind, held=held), give=give, what="ends its atomic section", pos=call.pos)
            case Sync.WAIT:
                lock = self._place(context, call, op.lock_arg)
                if lock is not None and find(state.held, lock) is None:
                    yield Move(behind)  # a mutex that knows its holder refuses the wait
                named = self._named_wait(state, call, place, lock)
                yield self._wait(state, call, lock) if named is None else Move(behind, pos=call.pos, condition=named)
            case Sync.SIGNAL | Sync.BROADCAST if self._code.has_conditions:
                what: Literal["signal", "broadcast"] = "signal" if op.kind is Sync.SIGNAL else "broadcast"
                yield Move(behind, pos=call.pos, condition=Condition(what, place or ANY_CONDITION))
            case kind if kind in RELEASING:
                yield self._unlock(state, call, place)
            case Sync.SEM_WAIT | Sync.SEM_TRYWAIT:
                yield from self._semaphore_wait(state, context, call, op, place)
            case Sync.SEM_POST:
                yield self._post(behind, place, 1, call)
            case Sync.SEM_INIT:
                yield self._post(behind, place, initial_value(call, op) or 0, call)
            case Sync.CREATE:
                behind = replace(behind, created=self._with_id(state, call))
                yield Move(behind)
                yield from self.create(context, call, behind)
            case Sync.JOIN:
                yield from self._join(state, call, op)
            case Sync.BARRIER_WAIT:
                yield from self._arrive(state, call, place)
            case _:
                yield Move(behind)

    def _place(self, context: Context, call: Call, index: int | None) -> Place | None:
        if index is None or index >= len(call.args):
            return None
        return self._around.pointers.place(context.function, call.args[index], context.arguments)

    def _result(self, state: State, context: Context, call: Call, op: SyncOp, is_success: bool) -> State:
        """Behind the call, with what its result tells."""
        behind = replace(state, phase=Phase.BEHIND)
        if call.result is None or call.result.name not in self._around.values(context.function).wanted:
            return behind
        bits = call.type.bits if isinstance(call.type, IntType) else 32
        known = Known(call.result.name, unsigned(op.success, bits), is_success)
        return replace(behind, known=with_known(state.known, known))

    def _lock(self, state: State, context: Context, call: Call, op: SyncOp, place: Place | None) -> Iterator[Move]:
        """With the lock, or without where the call may fail: the result tells which."""
        if place is None or not self._code.follows(place):
            yield Move(replace(state, phase=Phase.BEHIND, lost=True))
            return
        may_own = state.lost or find(state.held, place) is not None
        if op.may_fail or not self._around.counts(place[0]) or (op.refuses_owner and may_own):
            yield Move(self._result(state, context, call, op, False))
        if op.shared:
            self.shared.add(place)
        taken = self._result(state, context, call, op, True)
        yield from self.take(taken, place, op.shared, taken, call.pos)

    def take(self, state: State, lock: Place, shared: bool, to: State, pos: SourcePos | None) -> Iterator[Move]:
        if not self._code.follows(lock):
            yield Move(to)
            return
        name = name_of_place(self._around.program, lock)
        before = find(state.held, lock)
        if before is not None:
            yield self._again(state, before, shared, to, pos)
            return
        for mode in (Mode.MARKED, Mode.GHOST) if shared else (Mode.EXCLUSIVE,):
            hold = Hold(lock, mode)
            tokens = self._tokens((hold,))
            yield Move(replace(to, held=with_hold(to.held, hold)), take=tokens, what=f"locks {name}", pos=pos)

    def _again(self, state: State, before: Hold, shared: bool, to: State, pos: SourcePos | None) -> Move:
        """A lock that the thread holds already: a recursive mutex counts; of anything else nothing is certain."""
        is_counted = (
            not shared
            and before.mode is Mode.EXCLUSIVE
            and before.lock not in self._kinds.shared
            and before.lock != ATOMIC
            and before.depth < MAX_DEPTH
            and self._around.counts(before.lock[0])
        )
        if is_counted:
            return Move(replace(to, held=with_hold(to.held, replace(before, depth=before.depth + 1))))
        held, give = without(state.held, before.lock), self._tokens((before,))
        return Move(replace(to, held=held, lost=True), give=give, what="locks again", pos=pos)

    def _unlock(self, state: State, call: Call, place: Place | None) -> Move:
        behind = replace(state, phase=Phase.BEHIND)
        if place is None:
            return self.release(state, self._around.calls.targets[call.id].may_lock_in, behind, call)
        hold = find(state.held, place)
        name = name_of_place(self._around.program, place)
        if hold is None and (state.lost or not self._code.follows(place)):
            return Move(behind)
        if hold is None:  # undefined; as glibc does: whoever has it, it is free now
            give = self._tokens((Hold(place, Mode.EXCLUSIVE),))
            return Move(behind, give=give, what=f"unlocks {name}, not holding it", pos=call.pos)
        if hold.depth > 1:
            return Move(replace(behind, held=with_hold(state.held, replace(hold, depth=hold.depth - 1))))
        held = without(state.held, place)
        return Move(replace(behind, held=held), give=self._tokens((hold,)), what=f"unlocks {name}", pos=call.pos)

    def _wait(self, state: State, call: Call, lock: Place | None) -> Move:
        waiting = replace(state, phase=Phase.WAITING)
        if lock is None:
            return self.release(state, None, waiting, call)
        hold = find(state.held, lock)
        if hold is None:
            return Move(waiting)
        give = self._tokens((hold,))
        held = without(state.held, lock)
        name = name_of_place(self._around.program, lock)
        return Move(replace(waiting, held=held), give=give, what=f"waits without {name}", pos=call.pos)

    def _named_wait(self, state: State, call: Call, place: Place | None, lock: Place | None) -> Condition | None:
        """A wait that is told as such: at a known condition variable, with a lock that is certainly held, without a
        time limit."""
        if not self._code.has_conditions or place is None or lock is None:
            return None
        hold = find(state.held, lock)
        names = {name for symbol in self._around.calls.targets[call.id].externals for name in names_of(symbol)}
        if hold is None or hold != Hold(lock, Mode.EXCLUSIVE) or lock in self._kinds.shared or not names <= _UNTIMED:
            return None
        return Condition("wait", place, lock)

    def wake(self, state: State, context: Context, call: Call) -> Iterator[Move]:
        """The end of a wait at a condition: the lock is held again."""
        behind = replace(state, phase=Phase.BEHIND)
        possible = thread_operations(self._around.calls.targets[call.id])
        for op in (op for op in possible if op.kind is Sync.WAIT):
            lock = self._place(context, call, op.lock_arg)
            if lock is None:
                yield Move(behind)
                continue
            if self._around.fallible and not self._around.counts(lock[0]):
                yield Move(behind)
            yield from self.take(state, lock, False, behind, call.pos)

    def _semaphore_wait(
        self, state: State, context: Context, call: Call, op: SyncOp, place: Place | None
    ) -> Iterator[Move]:
        taken = self._result(state, context, call, op, True)
        is_counted = place is not None and self._around.is_counted(place)
        take: Tokens = ((Semaphore(place), 1),) if place is not None and is_counted else ()
        name = name_of_place(self._around.program, place) if place is not None else "a semaphore"
        yield Move(taken, take=take, what=f"takes {name}", pos=call.pos)
        if op.may_fail or installs_handlers(self._around.program):
            yield Move(self._result(state, context, call, op, False))

    def _post(self, behind: State, place: Place | None, count: int, call: Call) -> Move:
        if not count:
            return Move(behind)
        name = name_of_place(self._around.program, place) if place is not None else "a semaphore"
        tokens = ((Semaphore(place if place is not None else ANY_SEMAPHORE), count),)
        return Move(behind, give=tokens, what=f"posts {name}", pos=call.pos)

    def _with_id(self, state: State, call: Call) -> tuple[Variable, ...]:
        variable = self._around.ids.created.get(call.id)
        if variable is None or variable in state.created or variable not in self._around.ids.joined.values():
            return state.created
        return tuple(sorted((*state.created, variable)))

    def _join(self, state: State, call: Call, op: SyncOp) -> Iterator[Move]:
        """A join of what was never created, or by another thread, may fail at once."""
        behind = replace(state, phase=Phase.BEHIND)
        variable = self._around.ids.joined.get(call.id)
        if variable is not None:
            yield Move(behind, take=((Ended(variable), 1),), what="joins", pos=call.pos)
        if variable is None or variable not in state.created or op.may_fail or self._around.leaps.refused_joins:
            yield Move(behind)

    def _arrive(self, state: State, call: Call, place: Place | None) -> Iterator[Move]:
        """Take a seat and wait, or be the last to come."""
        behind = replace(state, phase=Phase.BEHIND)
        count = self._around.barriers.get(place, 1) if place is not None else 1
        if place is None or count == 1:
            yield Move(behind)
            return
        name = name_of_place(self._around.program, place)
        seat = (Round(place, "free"), 1)
        waiting = replace(state, phase=Phase.AT_BARRIER)
        yield Move(waiting, (seat,), ((Round(place, "arrived"), 1),), f"waits at {name}", call.pos)
        others = (Round(place, "arrived"), count - 1)
        yield Move(behind, (seat, others), ((Round(place, "leaving"), count - 1),), f"opens {name}", call.pos)

    def leave(self, state: State, context: Context, call: Call) -> Iterator[Move]:
        """Leave a barrier that is open; the last one makes all seats free."""
        behind = replace(state, phase=Phase.BEHIND)
        place = self._place(context, call, 0)
        if place is None:
            raise InternalError("a thread waits at a barrier that is not known")
        count = self._around.barriers[place]
        what = f"leaves {name_of_place(self._around.program, place)}"
        leaving = (Round(place, "leaving"), 1)
        if count > 2:
            yield Move(behind, (leaving,), ((Round(place, "left"), 1),), what, call.pos)
        before: Tokens = ((Round(place, "left"), count - 2),) if count > 2 else ()
        yield Move(behind, (leaving, *before), ((Round(place, "free"), count),), what, call.pos)

    def create(self, context: Context, call: Call, to: State) -> Iterator[Move]:
        targets = self._around.calls.targets[call.id]
        creating = [op for op in thread_operations(targets) if op.kind is Sync.CREATE]
        given: Place | None = None
        if len(creating) == 1:
            given = self._place(context, call, creating[0].start_arg)
        for name in targets.starts or ():
            function = self._around.program.functions[name]
            places = (given, *unknown_arguments(function)[1:]) if function.params else ()
            copy = ThreadCopy(name, places, self._around.ids.created.get(call.id))
            yield Move(to, give=((Start(copy), 1),), what=f"creates {function.source_name}", pos=call.pos)

    def release(self, state: State, released: frozenset[str] | None, to: State, call: Call) -> Move:
        held, give = self.without(state.held, released)
        what = "gives back what it holds" if give else ""
        return Move(replace(to, held=held, lost=True), give=give, what=what, pos=call.pos)

    def without(self, held: Held, released: frozenset[str] | None) -> tuple[Held, Tokens]:
        """What stays when these may have been given back, and the tokens of the rest."""
        left = kept(held, released)
        return left, self._tokens(tuple(hold for hold in held if hold not in left))

    def change(self, before: Held, after: Held, released: frozenset[str] | None) -> tuple[Tokens, Tokens]:
        """Tokens that are given, and then taken, by a call that may give back locks in these variables."""
        left = kept(before, released)
        old, new = dict(self._tokens(left)), dict(self._tokens(after))
        lost = tuple((lock, n - new.get(lock, 0)) for lock, n in old.items() if n > new.get(lock, 0))
        given = (*self._tokens(tuple(hold for hold in before if hold not in left)), *lost)
        taken = tuple((lock, n - old.get(lock, 0)) for lock, n in new.items() if n > old.get(lock, 0))
        return given, taken

    def _tokens(self, held: Held) -> Tokens:
        return tuple((Lock(place), count) for place, count in self._kinds.tokens(held))
