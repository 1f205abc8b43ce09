"""Follows every thread through all it may do, and notes which accesses go to nodes that the thread owns.

Follows [GBCS07]: a lock protects a piece of the heap, described by invariants. Who takes the lock owns the piece, who
gives it back must leave a piece that an invariant describes; the invariants are what is found to be given back.
Differs: a thread gives back what can be reached from the roots of the lock, and keeps the rest; main owns the roots
while it is alone; what is not understood is an access that the thread is not known to own, and no failure.

A step is always one of the program's, or one that has less to own. So where every execution of two accesses is found to
go to a node that the thread owns, they do not race: a node is owned by one thread at a time, and changes hands only
with a lock, or while main is alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from raceproof.core import Budget, LimitReached
from raceproof.ir import (
    Address,
    Alloca,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Gep,
    IndirectJump,
    Instr,
    IntConst,
    Jump,
    Load,
    Operand,
    Phi,
    PtrType,
    Reg,
    Return,
    Rmw,
    Select,
    Store,
    Switch,
    Unreachable,
    operands,
    result,
)
from raceproof.model import MAIN, Access, AccessId, ObjectId, ThreadId
from raceproof.shapes.calls import follow_call, made_once
from raceproof.shapes.certificates import Piece
from raceproof.shapes.memory import load, note_unknown, store, update
from raceproof.shapes.states import Frame, Key, Since, State
from raceproof.shapes.surroundings import Protected, Surroundings
from raceproof.shapes.symbolic_heap import ANYTHING, Heap, Layout, Local, Number, Place, Segment, Value, Written
from raceproof.shapes.values import compared, is_bit, moved, truth

MAX_STATES: Final = 20_000
MAX_INVARIANTS: Final = 60
_SAME: Final = frozenset({"bitcast", "ptrtoint", "inttoptr", "addrspacecast"})


@dataclass(slots=True)
class Observed:
    """What was seen: `owned`: accesses that went to a node of the thread; `placed`: to a variable; `others`: that may
    have gone elsewhere. `blind`: writes that may have gone anywhere that the facts say. `relied_on`: fields of nodes
    that had a value. `spoilt`: roots that somebody may have written without owning them. `used`: with which locks a
    place was used that may have a pointer in it, but for what main did alone; `locks`: all that were taken; `settled`:
    places into which main has put a pointer to another one, alone. `links`: offsets in nodes at which there was a
    pointer to another one."""

    owned: set[AccessId] = field(default_factory=set)
    placed: set[AccessId] = field(default_factory=set)
    others: set[AccessId] = field(default_factory=set)
    blind: dict[AccessId, Access] = field(default_factory=dict)
    relied_on: set[tuple[ObjectId, int]] = field(default_factory=set)
    spoilt: set[Place] = field(default_factory=set)
    used: dict[Place, set[frozenset[Place]]] = field(default_factory=dict)
    locks: set[Place] = field(default_factory=set)
    settled: set[Place] = field(default_factory=set)
    links: set[int] = field(default_factory=set)


class Execution:
    """All threads of a program, with what locks protect. With `given` pieces, nothing else may be given back: what
    is, is the `surprise`. Without `protected` locks, it is found out which may be.

    `hosts`: objects that may have locks and roots in them, and are no nodes.
    """

    def __init__(
        self,
        around: Surroundings,
        layout: Layout,
        protected: Sequence[Protected] | None,
        hosts: frozenset[ObjectId],
        budget: Budget,
        given: Sequence[Sequence[Piece]] | None = None,
    ) -> None:
        self.around = around
        self.layout = layout
        self.budget = budget
        self.width = around.program.pointer_size
        self.is_scouting = protected is None
        self.protected = protected = tuple(protected or ())
        self.lock_of = {root: number for number, group in enumerate(protected) for root in group.roots}
        self.locks = {group.lock: number for number, group in enumerate(protected)}
        self.hosts = hosts
        self.seen = Observed()
        self.surprise: int | None = None
        self.is_given = given is not None
        self.invariants: list[dict[Written, Piece]] = [
            {heap.written(values): (heap, values) for heap, values in pieces}
            for pieces in (given if given is not None else [()] * len(protected))
        ]
        self.waiting: list[list[tuple[State, Since, ThreadId]]] = [[] for _ in protected]
        self.known: set[tuple[ThreadId, Key]] = set()
        self.asked: set[tuple[ThreadId, int, Key]] = set()
        self.work: list[tuple[State, ThreadId]] = []
        self.thread = MAIN
        self.begun: set[ThreadId] = set()

    @property
    def count(self) -> int:
        """Of states that were followed."""
        return len(self.known)

    def run(self) -> None:
        """Raises `LimitReached` if there is too much to follow."""
        self.begin(MAIN, ANYTHING, self.around.settled_at_start())
        while self.work:
            self.budget.check()
            state, self.thread = self.work.pop()
            self.follow(state)
        for access in self.around.cp.accesses.values():
            if any(view.thread not in self.begun for view in access.views):
                note_unknown(self, access)

    def begin(self, thread: ThreadId, argument: Value, settled: dict[Place, Place]) -> None:
        """Follow a thread from its start on; of what it is given only places are known to it, and what is settled."""
        self.begun.add(thread)
        function = self.around.program.functions[self.around.cp.threads[thread].start]
        registers: dict[str, Value] = {}
        if thread != MAIN and function.params:
            registers[function.params[0].name] = argument if isinstance(argument, Place) else ANYTHING
        frame = Frame(function, 0, 0, registers)
        owned = dict.fromkeys(range(len(self.protected)), Since.ALONE) if thread == MAIN else {}
        initial = {root: self.around.initial(root) for root in self.lock_of} if thread == MAIN else {}
        state = State([frame], Heap(self.layout), owned, initial)
        state.settled = dict(settled)
        self.add(state, thread)

    def add(self, state: State, thread: ThreadId) -> None:
        """Go on from here, unless that was done."""
        key = (thread, state.forget(self.around))
        if key not in self.known:
            if len(self.known) >= MAX_STATES:
                raise LimitReached(f"more than {MAX_STATES:,} states of lists")
            self.known.add(key)
            self.work.append((state, thread))

    # -- steps

    def follow(self, state: State) -> None:
        """From here to the next blocks, or to where ways part."""
        while True:
            frame = state.top
            block = frame.function.blocks[frame.block]
            if frame.step == len(block.body):
                for after in self.leave(state):
                    self.add(after, self.thread)
                return
            after_step = list(self.step(state, block.body[frame.step]))
            if len(after_step) != 1:
                for after in after_step:
                    self.add(after, self.thread)
                return
            state = after_step[0]

    def leave(self, state: State) -> Iterator[State]:
        frame = state.top
        terminator = frame.function.blocks[frame.block].terminator
        match terminator:
            case Return(value=value):
                yield from self.leave_function(state, self.value(state, value) if value is not None else ANYTHING)
                return
            case Unreachable():
                return
            case Jump(target=target):
                labels = [target]
            case Branch(condition=condition, if_true=if_true, if_false=if_false):
                is_set = truth(self.value(state, condition))
                labels = [if_true] * (is_set is not False) + [if_false] * (is_set is not True)
            case Switch(value=value, default=default, cases=cases):
                known = self.value(state, value)
                labels = [label for number, label in cases if not isinstance(known, Number) or known.value == number]
                labels = labels or [default] if isinstance(known, Number) else [*labels, default]
            case IndirectJump(targets=targets):
                labels = list(targets)
        for label in dict.fromkeys(labels):
            yield self.enter_block(state.copy(), label)

    def enter_block(self, state: State, label: str) -> State:
        frame = state.top
        source = frame.function.blocks[frame.block].label
        number = next(i for i, block in enumerate(frame.function.blocks) if block.label == label)
        found: dict[str, Value] = {}
        phis = 0
        for instr in frame.function.blocks[number].body:
            if not isinstance(instr, Phi):
                break
            phis += 1
            found[instr.result.name] = self.value(state, next(v for v, where in instr.incoming if where == source))
        frame.registers.update(found)
        frame.block, frame.step = number, phis
        return state

    def leave_function(self, state: State, value: Value) -> Iterator[State]:
        if len(state.frames) == 1:
            if self.thread != MAIN:  # the program ends with main
                self.end_thread(state)
            return
        state.leave_call()
        is_gone = isinstance(value, Local) and value.depth > len(state.frames)
        yield self.done(state, ANYTHING if is_gone else value)

    def end_thread(self, state: State) -> None:
        """What it has locked belongs to nobody; if it was alone, nobody is left to find out."""
        for number, since in list(state.owned.items()):
            if since is Since.LOCKED:
                self.give_back(state, number)

    def done(self, state: State, value: Value = ANYTHING) -> State:
        """The instruction is over, with this result."""
        frame = state.top
        instr = frame.function.blocks[frame.block].body[frame.step]
        made = result(instr)
        if made is not None:
            frame.registers[made.name] = value
        frame.step += 1
        state.is_resumed = False
        return state

    def step(self, state: State, instr: Instr) -> Iterator[State]:
        match instr:
            case Load():
                yield from load(self, state, instr)
            case Store():
                yield from store(self, state, instr)
            case Rmw() | CompareExchange():
                yield from update(self, state, instr)
            case Call():
                yield from follow_call(self, state, instr)
            case Select(condition=condition, if_true=if_true, if_false=if_false):
                is_set = truth(self.value(state, condition))
                for choice, operand in ((True, if_true), (False, if_false)):
                    if is_set is not (not choice):
                        made = state.copy()
                        yield self.done(made, self.value(made, operand))
            case _:
                yield self.done(state, self.computed(state, instr))

    def computed(self, state: State, instr: Instr) -> Value:
        match instr:
            case Gep(base=base, offset=offset, terms=terms):
                return moved(state.expose(self.value(state, base)), None if terms else offset)
            case Cast(op=op, value=value, to_type=to_type):
                known = self.value(state, value)
                if op in _SAME:
                    return known if to_type.size == self.width else state.expose(known)
                if isinstance(known, Number) and op in ("zext", "sext", "trunc"):
                    return known if 0 <= known.value < 128 and not is_bit(to_type) else ANYTHING
                return ANYTHING
            case Compare(predicate=predicate, left=left, right=right):
                return compared(predicate, self.value(state, left), self.value(state, right))
            case Alloca():
                return made_once(self, state, instr.id) or self.variable(state, instr)
        for operand in operands(instr):
            state.expose(self.value(state, operand))
        return ANYTHING

    def variable(self, state: State, instr: Alloca) -> Value:
        """A variable that holds one pointer is followed; others are not."""
        if not isinstance(instr.type, PtrType) or not isinstance(instr.count, IntConst) or instr.count.value != 1:
            return ANYTHING
        made = Local(len(state.frames), instr.result.name)
        state.variables[made] = ANYTHING
        return made

    def value(self, state: State, operand: Operand) -> Value:
        match operand:
            case Reg(name=name):
                return state.top.registers.get(name, ANYTHING)
            case IntConst(value=value, bits=bits):
                return Number(value & 1 if bits == 1 else value)
            case Address(symbol=symbol, offset=offset):
                number = self.around.symbols.get(symbol)
                return ANYTHING if number is None else Place(number, offset)
        return ANYTHING

    # -- what locks protect

    def ask(self, state: State, number: int, since: Since) -> None:
        """Go on with this instruction once the thread has what the lock protects, whatever that may be."""
        asking = state.copy()
        key = (self.thread, number, asking.forget(self.around))
        if key in self.asked:
            return
        self.asked.add(key)
        self.waiting[number].append((asking, since, self.thread))
        for piece, values in list(self.invariants[number].values()):
            self.give(asking, number, since, piece, values, self.thread)

    def give(self, state: State, number: int, since: Since, piece: Heap, values: list[Value], thread: ThreadId) -> None:
        made = state.copy()
        made.owned[number] = since
        made.roots.update(zip(self.protected[number].roots, made.heap.join_in(piece, values), strict=True))
        made.is_resumed = True
        self.work.append((made, thread))

    def give_back(self, state: State, number: int) -> None:
        """What can be reached from the roots of a lock is the thread's no longer."""
        values = [state.roots.pop(root) for root in self.protected[number].roots]
        del state.owned[number]
        piece, named = state.heap.extracted(values)
        state.lose(set(state.heap.reachable(values)))
        piece.fold(named)
        self.rely_on(piece)
        piece, named = piece.extracted(named)
        key = piece.written(named)
        if key not in self.invariants[number]:
            if self.is_given:
                self.surprise = number
                return
            if len(self.invariants[number]) >= MAX_INVARIANTS:
                raise LimitReached(f"a lock protects more than {MAX_INVARIANTS} kinds of lists")
            self.invariants[number][key] = (piece, named)
            for waiting, since, thread in list(self.waiting[number]):
                self.give(waiting, number, since, piece, named, thread)

    def rely_on(self, piece: Heap) -> None:
        for part in piece.parts.values():
            if isinstance(part, Segment):
                offsets = [part.link, *(offset for offset, _ in part.owned)]
            else:
                offsets = list(part.fields)
            self.seen.relied_on.update((origin, offset) for origin in part.origin for offset in offsets)
