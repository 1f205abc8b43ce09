"""Semaphores, barriers and conditions as cells: who waits at one goes on when the values in these cells allow it.

Follows [TX, Section 3: rendezvous and broadcasts are constraints of the transaction graph].
Paper -> here: pt_wait, pt_notify -> `Condition`; a rendezvous -> conditions on cells that both sides change.
Differs: the paper forbids nodes of the product, here the domains find out that they have no state. So a wait in a loop,
or under a condition, needs no rule of its own, and invariants may relate what a semaphore counts to other variables.

A semaphore is one cell, its value. A condition is two: how many threads have begun to wait and were not signalled, and
how many were signalled and have not gone on. These are at least what they are in the program (see docs/soundness.md),
and whoever waits asks only whether they are large enough: an operation that makes them smaller may be left out.
A barrier is two cells, how many threads have arrived in this round, and how many of them have yet to leave: the next
round begins when all have left, since to leave is nothing that others could see.

Example, `sem_t s` with `sem_init(&s, 0, 0)`:
    sem_post(&s)    s < LIMIT: s := s + 1    or    s >= LIMIT
    sem_wait(&s)    s >= 1: s := s - 1

The object is a global variable, or a part of one, at a constant place in the context of the call. Calls that may be
about such an object, but nobody knows which, make its cells unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from raceproof.domains import INT64, AnyValue, Binary, Const, Expr, Op, Variable
from raceproof.facts import Sync, SyncOp, names_of, sync_op
from raceproof.ir import Address, Call, IntConst, Program, SiteId
from raceproof.model import CallGraph, CallTargets
from raceproof.transactions.actions import Action, Assign, Assume
from raceproof.transactions.cells import Cells
from raceproof.transactions.names import Cell, Shared

Place = tuple[str, int]

SEMAPHORES: Final = frozenset({Sync.SEM_INIT, Sync.SEM_WAIT, Sync.SEM_TRYWAIT, Sync.SEM_POST})
BARRIERS: Final = frozenset({Sync.BARRIER_INIT, Sync.BARRIER_WAIT})
SIGNALS: Final = frozenset({Sync.SIGNAL, Sync.BROADCAST})
KINDS: Final = SEMAPHORES | BARRIERS | SIGNALS | {Sync.WAIT}

_LIMIT: Final = 2**31 - 1
"""The largest value of a semaphore, and more threads than there can be."""
_UNTIMED: Final = frozenset({"pthread_cond_wait", "cnd_wait"})


@dataclass(frozen=True, slots=True)
class Semaphore:
    value: Variable


@dataclass(frozen=True, slots=True)
class Barrier:
    count: int
    arrived: Variable
    leaving: Variable


@dataclass(frozen=True, slots=True)
class Condition:
    """`lock`: the mutex that every wait at it is made with."""

    lock: Place
    waiting: Variable
    woken: Variable


Object = Semaphore | Barrier | Condition


class Rendezvous:
    """The objects that are followed. `sites`: calls that may change them, but for waits at conditions. `is_left`:
    threads may leave a wait at a barrier for good: then barriers order nothing."""

    def __init__(self, program: Program, calls: CallGraph, cells: Cells, spurious: bool, is_left: bool = False) -> None:
        self.objects: dict[Place, Object] = {}
        self._program = program
        self._calls = calls
        self._cells = cells
        found = [(call, op) for call in _calls_in(program) for op in _operations(calls.targets[call.id])]
        self._find_semaphores([(c, op) for c, op in found if op.kind in SEMAPHORES])
        if not is_left:
            self._find_barriers([(c, op) for c, op in found if op.kind in BARRIERS])
        if not spurious:
            self._find_conditions([(c, op) for c, op in found if op.kind is Sync.WAIT])
        self.sites: frozenset[SiteId] = frozenset(
            call.id for call, op in found if op.kind is not Sync.WAIT and any(self.about(call, op))
        )

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(v for found in self.objects.values() for v in cells_of(found))

    @property
    def conditions(self) -> frozenset[Variable]:
        found = (o for o in self.objects.values() if isinstance(o, Condition))
        return frozenset(v for condition in found for v in cells_of(condition))

    def about(self, call: Call, op: SyncOp) -> Iterator[Object]:
        """The objects of the kind of the operation that the call may be about, whoever makes it."""
        names = self._calls.targets[call.id].may_signal_in
        for place, found in self.objects.items():
            if _is_of(found, op) and (names is None or place[0] in names):
                yield found

    def at(self, place: Place | None, op: SyncOp) -> Object | None:
        found = self.objects.get(place) if place is not None else None
        return found if found is not None and _is_of(found, op) else None

    # -- which objects are followed

    def _places(self, found: list[tuple[Call, SyncOp]]) -> dict[Place, None]:
        """Places in the variables that the operations may be about, as far as addresses of them are written down."""
        names = set[str]().union(*(self._calls.targets[call.id].may_signal_in or () for call, _ in found))
        places: dict[Place, None] = {}
        for call in _calls_in(self._program) if names else ():
            for argument in call.args:
                if isinstance(argument, Address) and argument.symbol in names:
                    places[argument.symbol, argument.offset] = None
        return {place: None for place in places if self._is_followed(place[0])}

    def _is_followed(self, name: str) -> bool:
        variable = self._program.globals.get(name)
        return (
            variable is not None
            and not variable.is_thread_local
            and not variable.is_external
            and self._cells.object_of(name) is not None
        )

    def _cell(self, place: Place, part: int, what: str, initial: int | None) -> Variable:
        number = self._cells.object_of(place[0])
        assert number is not None
        name = self._program.globals[place[0]].source_name + (f"+{place[1]}" if place[1] else "")
        variable = Variable(Shared(f"{what} {name}", Cell(number, place[1], 8, part)), INT64)
        self._cells.define(variable, initial)
        return variable

    def _find_semaphores(self, found: list[tuple[Call, SyncOp]]) -> None:
        for place in self._places(found):
            self.objects[place] = Semaphore(self._cell(place, 1, "value of", None))

    def _find_barriers(self, found: list[tuple[Call, SyncOp]]) -> None:
        inits = [(call, op) for call, op in found if op.kind is Sync.BARRIER_INIT]
        for place in self._places(found):
            if place in self.objects:
                del self.objects[place]  # two kinds in one place: not what it seems
                continue
            mine = [(c, op) for c, op in inits if self._may_be_in(c, place[0])]
            counts = {_constant(call, op.count) for call, op in mine}
            count = counts.pop() if len(counts) == 1 else None
            if count is not None and 0 < count < _LIMIT:
                arrived = self._cell(place, 2, "threads at", 0)
                self.objects[place] = Barrier(count, arrived, self._cell(place, 3, "threads leaving", 0))

    def _find_conditions(self, waits: list[tuple[Call, SyncOp]]) -> None:
        """Those of which every wait names the condition and the mutex, and it is always the same mutex."""
        for place in self._places(waits):
            locks: set[Place | None] = set()
            for call, op in waits:
                if self._may_be_in(call, place[0]):
                    direct, lock = _address(call, op.arg), _address(call, op.lock_arg)
                    if direct is None or lock is None:
                        locks.add(None)
                    elif direct == place:
                        locks.add(lock)
            lock = locks.pop() if len(locks) == 1 else None
            if place in self.objects:
                del self.objects[place]
            elif lock is not None and self._is_plain(lock[0]):
                waiting = self._cell(place, 4, "threads waiting for", 0)
                self.objects[place] = Condition(lock, waiting, self._cell(place, 5, "threads woken by", 0))

    def _is_plain(self, name: str) -> bool:
        variable = self._program.globals.get(name)
        return variable is not None and not variable.is_thread_local and not variable.is_external

    def _may_be_in(self, call: Call, name: str) -> bool:
        names = self._calls.targets[call.id].may_signal_in
        return names is None or name in names


def is_untimed(targets: CallTargets) -> bool:
    """Whether a wait at a condition ends only when it is signalled, if nothing is spurious."""
    return all(not _UNTIMED.isdisjoint(names_of(name)) for name in targets.externals)


def cells_of(found: Object) -> tuple[Variable, ...]:
    match found:
        case Semaphore(value=value):
            return (value,)
        case Barrier(arrived=arrived, leaving=leaving):
            return arrived, leaving
        case Condition(waiting=waiting, woken=woken):
            return waiting, woken


def unknown(found: Object) -> list[Action]:
    """Something was done to the object, nobody knows what."""
    return [Assign(cell, AnyValue(cell.type)) for cell in cells_of(found)]


def initialised(found: Semaphore | Barrier, call: Call, op: SyncOp) -> list[Action]:
    if isinstance(found, Barrier):
        return [Assign(found.arrived, _number(0)), Assign(found.leaving, _number(0))]
    value = _constant(call, op.count)
    return [Assign(found.value, AnyValue(INT64) if value is None else _number(value))]


def posted(found: Semaphore) -> list[list[Action]]:
    """A post of a semaphore that has its largest value fails."""
    is_less = Binary(Op.LT, found.value, _number(_LIMIT))
    return [[Assume(is_less), _add(found.value, 1)], [Assume(is_less, truth=False)]]


def taken(found: Semaphore) -> list[Action]:
    return [Assume(Binary(Op.GE, found.value, _number(1))), _add(found.value, -1)]


def last_arrived(found: Barrier) -> list[Action]:
    """The last thread of a round opens the barrier and goes on."""
    others = _number(found.count - 1)
    return [
        *_all_left(found),
        Assume(_is_last(found)),
        Assign(found.arrived, _number(0)),
        Assign(found.leaving, others),
    ]


def arrived(found: Barrier) -> list[Action]:
    """Another one waits for the end of the round."""
    return [*_all_left(found), Assume(_is_last(found), truth=False), _add(found.arrived, 1)]


def left(found: Barrier) -> list[Action]:
    return [Assume(Binary(Op.GE, found.leaving, _number(1))), _add(found.leaving, -1)]


def _all_left(found: Barrier) -> list[Action]:
    return [Assume(Binary(Op.EQ, found.leaving, _number(0)))]


def _is_last(found: Barrier) -> Expr:
    return Binary(Op.GE, found.arrived, _number(found.count - 1))


def waited(found: Condition) -> list[Action]:
    return [Assume(Binary(Op.LT, found.waiting, _number(_LIMIT))), _add(found.waiting, 1)]


def woken(found: Condition) -> list[Action]:
    return [Assume(Binary(Op.GE, found.woken, _number(1))), _add(found.woken, -1)]


def signalled(found: Condition) -> list[list[Action]]:
    """Wakes one of those that wait, or is lost."""
    has_waiting = Binary(Op.GE, found.waiting, _number(1))
    bound = Assume(Binary(Op.LT, found.woken, _number(_LIMIT)))
    return [
        [Assume(has_waiting), bound, _add(found.waiting, -1), _add(found.woken, 1)],
        [Assume(has_waiting, truth=False)],
    ]


def broadcast(found: Condition) -> list[Action]:
    total = Binary(Op.ADD, found.woken, found.waiting)
    return [
        Assume(Binary(Op.LT, found.woken, _number(_LIMIT))),
        Assume(Binary(Op.LT, found.waiting, _number(_LIMIT))),
        Assign(found.woken, total),
        Assign(found.waiting, _number(0)),
    ]


def _add(cell: Variable, number: int) -> Assign:
    op = Op.ADD if number >= 0 else Op.SUB
    return Assign(cell, Binary(op, cell, _number(abs(number))))


def _number(value: int) -> Const:
    return Const(value, INT64)


def _is_of(found: Object, op: SyncOp) -> bool:
    match found:
        case Semaphore():
            return op.kind in SEMAPHORES
        case Barrier():
            return op.kind in BARRIERS
        case Condition():
            return op.kind in SIGNALS or op.kind is Sync.WAIT


def _constant(call: Call, index: int | None) -> int | None:
    operand = call.args[index] if index is not None and index < len(call.args) else None
    return operand.value if isinstance(operand, IntConst) and 0 <= operand.value <= _LIMIT else None


def _address(call: Call, index: int | None) -> Place | None:
    operand = call.args[index] if index is not None and index < len(call.args) else None
    return (operand.symbol, operand.offset) if isinstance(operand, Address) else None


def _calls_in(program: Program) -> Iterator[Call]:
    for function in program.functions.values():
        for instr in function.instructions():
            if isinstance(instr, Call):
                yield instr


def _operations(targets: CallTargets) -> list[SyncOp]:
    found = (sync_op(name) for name in targets.externals)
    return [op for op in found if op is not None and op.kind in KINDS]
