"""Walks the program thread by thread, calls inlined, and draws the control graph.

A state is a point in a function with its calling context and what the thread holds. Data are not followed: both sides
of a branch are, except right behind a call whose result tells whether it took the lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from raceproof.core import Budget, LimitReached, SourcePos, Unsupported
from raceproof.facts import Sync, is_atomic_function
from raceproof.ir import (
    Binary,
    Branch,
    Call,
    Compare,
    Function,
    Instr,
    IntConst,
    Operand,
    Reg,
    Return,
    successors,
)
from raceproof.model import AccessId, CallTargets
from raceproof.petri.program_code import Code
from raceproof.petri.program_edges import (
    At,
    Edge,
    Ended,
    Graph,
    Semaphore,
    Start,
    ThreadCopy,
    Tokens,
)
from raceproof.petri.program_locks import (
    ATOMIC,
    Held,
    Kinds,
    has_ghost,
)
from raceproof.petri.program_operations import Context, Operations
from raceproof.petri.program_pointers import Arguments, Place, unknown_arguments
from raceproof.petri.program_states import Move, Outcome, Phase, State
from raceproof.petri.program_surroundings import operations

MAX_NODES: Final = 60_000
MAX_INLINED_NODES: Final = 3_000
MAX_STACK: Final = 24


@dataclass(frozen=True, slots=True)
class Frame:
    """A function that runs; `back`: where the caller goes on."""

    parent: int
    function: str
    arguments: Arguments
    back: tuple[int, int, Phase]
    depth: int


_BEGINNING: Final = State(0, 0, 0, Phase.BEFORE)


class Walk:
    """Draws all threads of the program into one graph, with `kinds` as far as they are known.

    Afterwards `shared` are the locks that were found to have a read side, `protecting` those held at some access,
    `reached` the start functions of the threads in which each access was found; `is_cut`: it was too large to inline
    all calls.
    """

    def __init__(self, code: Code, kinds: Kinds, budget: Budget) -> None:
        self.graph = Graph()
        self.protecting: set[Place] = set()
        self.reached: dict[AccessId, set[str]] = {}
        self.is_cut = False
        self._code = code
        self._around = code.around
        self._operations = Operations(code, kinds)
        self._budget = budget
        self._copies: list[ThreadCopy] = []
        self._frames: list[Frame] = []
        self._frame_ids: dict[Frame, int] = {}
        self._nodes: dict[State, int] = {}
        self._work: list[State] = []
        self._copy = ThreadCopy("")

    @property
    def shared(self) -> set[Place]:
        return self._operations.shared

    def run(self) -> Graph:
        program = self._around.program
        main = ThreadCopy(program.entry, unknown_arguments(program.functions[program.entry]))
        self._add(main)
        for name in self._around.outside:
            outside = ThreadCopy(name, unknown_arguments(program.functions[name]))
            if outside == main:
                raise Unsupported("a main that may be called from outside")
            self._add(outside)
            self.graph.unbounded.append(outside)
        done = 0
        while done < len(self._copies):
            self._draw(self._copies[done], is_main=done == 0)
            done += 1
        return self.graph

    def _add(self, copy: ThreadCopy) -> None:
        if copy not in self.graph.entries:
            self.graph.entries[copy] = self.graph.node(copy)
            self._copies.append(copy)

    # -- one thread

    def _draw(self, copy: ThreadCopy, is_main: bool) -> None:
        """Main's thread runs the constructors first."""
        self._copy = copy
        self._nodes, self._frames, self._frame_ids, self._work = {}, [], {}, []
        entry = self.graph.entries[copy]
        first = self._entry(copy.function, copy.arguments, -1, (0, 0, Phase.BEFORE))
        self.graph.edges.append(Edge(entry, self._node(first)))
        constructors = self._around.program.listed_functions("llvm.global_ctors") if is_main else ()
        for name in constructors:
            function = self._around.program.functions[name]
            before = self._entry(name, unknown_arguments(function), -2, (0, 0, Phase.BEFORE))
            self.graph.edges.append(Edge(entry, self._node(before)))
        while self._work:
            self._budget.check()
            state = self._work.pop()
            source = self._nodes[state]
            for move in self._moves(state):
                for resource, _ in move.give:
                    if isinstance(resource, Start):
                        self._add(resource.copy)
                target = None if move.to is None else self._node(move.to)
                self.graph.edges.append(Edge(source, target, move.take, move.give, move.what, move.pos))

    def _node(self, state: State) -> int:
        known = self._nodes.get(state)
        if known is None:
            if len(self.graph.owners) > MAX_NODES:
                raise LimitReached(f"the net has more than {MAX_NODES:,} places")
            known = self._nodes[state] = self.graph.node(self._copy)
            self._work.append(state)
        return known

    def _entry(
        self, name: str, arguments: Arguments, parent: int, back: tuple[int, int, Phase], state: State = _BEGINNING
    ) -> State:
        """The beginning of a function, with what the caller holds and knows in `state`."""
        depth = self._frames[parent].depth + 1 if parent >= 0 else 0
        frame = Frame(parent, name, arguments, back, depth)
        number = self._frame_ids.setdefault(frame, len(self._frames))
        if number == len(self._frames):
            self._frames.append(frame)
        phase = Phase.ENTERING if is_atomic_function(name) else Phase.BEFORE
        return replace(state, frame=number, block=0, step=0, phase=phase, outcome=None)

    def _moves(self, state: State) -> Iterator[Move]:
        function = self._around.program.functions[self._frames[state.frame].function]
        if state.phase is Phase.ENTERING:
            yield from self._operations.take(state, ATOMIC, False, replace(state, phase=Phase.BEFORE), function.pos)
            return
        steps = self._code.steps(function, state.block)
        if state.step == len(steps):
            yield from self._at_end_of_block(state, function)
            return
        instr = steps[state.step]
        behind = replace(state, step=state.step + 1, phase=Phase.BEFORE)
        match state.phase:
            case Phase.BEFORE:
                yield from self._accesses(state, instr)
                if isinstance(instr, Call):
                    yield from self._call(state, function, instr)
                else:
                    yield Move(behind)
            case Phase.WAITING:
                assert isinstance(instr, Call)
                yield from self._operations.wake(state, self._context(state), instr)
            case Phase.CALLBACKS:
                assert isinstance(instr, Call)
                yield from self._accesses(state, instr)
                yield Move(replace(state, phase=Phase.BEHIND))
                yield from self._run(state, function, instr, self._around.calls.targets[instr.id].callbacks, True)
            case Phase.WORST:
                assert isinstance(instr, Call)
                yield Move(replace(state, phase=Phase.BEHIND))
                yield from self._anything(state, instr)
            case _:
                yield from self._accesses(state, instr)
                yield Move(behind)

    def _context(self, state: State) -> Context:
        frame = self._frames[state.frame]
        return Context(self._around.program.functions[frame.function], frame.arguments)

    def _accesses(self, state: State, instr: Instr) -> Iterator[Move]:
        return self._stand(state, self._code.accesses.get(instr.id, ()))

    def _stand(self, state: State, accesses: tuple[AccessId, ...]) -> Iterator[Move]:
        """A thread may come to stand before these, and stay: with what it holds, but not as a ghost."""
        for access in accesses:
            self.protecting.update(hold.lock for hold in state.held)
            if not has_ghost(state.held):
                self.reached.setdefault(access, set()).add(self._copy.function)
                pos = self._around.cp.accesses[access].pos
                yield Move(None, give=((At(access), 1),), what="stands before its access", pos=pos)

    def _at_end_of_block(self, state: State, function: Function) -> Iterator[Move]:
        terminator = function.blocks[state.block].terminator
        if isinstance(terminator, Return):
            yield from self._return(state, function, terminator.pos)
            return
        labels = successors(terminator)
        if isinstance(terminator, Branch) and state.outcome is not None:
            truth = self._truth(function, terminator.condition, state.outcome)
            if truth is not None:
                labels = (terminator.if_true if truth else terminator.if_false,)
        for label in labels:
            number = self._around.block(function, label)
            yield Move(replace(state, block=number, step=0, phase=Phase.BEFORE, outcome=None))

    def _truth(self, function: Function, condition: Operand, outcome: Outcome) -> bool | None:
        """What is known of a condition about the result of the call just made."""
        if not isinstance(condition, Reg):
            return None
        match self._around.pointers.definition(function, condition):
            case Compare(predicate="eq" | "ne" as predicate, left=Reg(name), right=IntConst(value=value)):
                if name != outcome.register or (not outcome.equal and value != outcome.value):
                    return None
                is_equal = outcome.equal and value == outcome.value
                return is_equal if predicate == "eq" else not is_equal
            case Binary(op="xor", left=inner, right=IntConst(bits=1)):
                truth = self._truth(function, inner, outcome)
                return None if truth is None else not truth
        return None

    def _return(self, state: State, function: Function, pos: SourcePos | None) -> Iterator[Move]:
        held: Held = state.held
        give: Tokens = ()
        if is_atomic_function(function.name):
            held, give = self._operations.without(held, frozenset({ATOMIC[0]}))
        frame = self._frames[state.frame]
        if frame.parent >= 0:
            block, step, phase = frame.back
            caller = replace(state, frame=frame.parent, block=block, step=step, phase=phase, held=held, outcome=None)
            yield Move(caller, give=give, what="leaves" if give else "", pos=pos)
        elif frame.parent == -2:  # a constructor: others may follow, then main
            program = self._around.program
            for name in (*program.listed_functions("llvm.global_ctors"), program.entry):
                parent = -1 if name == program.entry else -2
                arguments = unknown_arguments(program.functions[name])
                after = self._entry(name, arguments, parent, frame.back, replace(state, held=held))
                yield Move(after, give=give)
        else:
            yield self._end(replace(state, held=held), pos, give)

    def _end(self, state: State, pos: SourcePos | None, give: Tokens = ()) -> Move:
        """The end of the thread. What it still holds is given back: what runs at the end of threads might do that."""
        _, released = self._operations.without(state.held, None)
        ended: Tokens = ((Ended(self._copy.id_in), 1),) if self._copy.id_in is not None else ()
        return Move(None, give=(*give, *released, *ended), what="ends", pos=pos)

    # -- calls

    def _call(self, state: State, function: Function, call: Call) -> Iterator[Move]:
        """One move for each thing that the call may be."""
        targets = self._around.calls.targets[call.id]
        possible = operations(targets)
        for op in possible:
            if op.kind is Sync.EXIT:
                yield self._end(state, call.pos)
            else:
                yield from self._operations.moves(state, self._context(state), call, op)
        if len(targets.externals) > len(possible):
            if not targets.may_return or len(targets.externals) > 1:
                yield self._end(state, call.pos)
            if targets.may_return:
                yield self._unknown(state, call, targets)
        elif targets.is_unknown:
            yield self._unknown(state, call, targets)
        if targets.callbacks:
            yield Move(replace(state, phase=Phase.CALLBACKS))
        yield from self._run(state, function, call, targets.functions, False)

    def _unknown(self, state: State, call: Call, targets: CallTargets) -> Move:
        behind = replace(state, phase=Phase.BEHIND)
        return (
            self._operations.release(state, None, behind, call)
            if self._around.may_release_all(targets)
            else Move(behind)
        )

    def _run(
        self, state: State, function: Function, call: Call, names: tuple[str, ...], is_callback: bool
    ) -> Iterator[Move]:
        """Functions of the program that the call may run; back to here from a callback, else behind."""
        back = (state.block, state.step, Phase.CALLBACKS if is_callback else Phase.BEHIND)
        arguments = self._frames[state.frame].arguments
        for name in names:
            callee = self._around.program.functions[name]
            if not self._code.matters(name):
                yield Move(replace(state, phase=back[2]))
                continue
            if not self._may_inline(state.frame, name):
                self.graph.notes[f"calls of {callee.source_name} are over-approximated"] = None
                yield self._give_up(state, call)
                continue
            passed = unknown_arguments(callee)
            if not is_callback:
                passed = self._around.pointers.passed(function, call, arguments, callee)
            yield Move(self._entry(name, passed, state.frame, back, state))

    def _may_inline(self, frame: int, name: str) -> bool:
        if len(self._nodes) > MAX_INLINED_NODES or self._frames[frame].depth >= MAX_STACK:
            self.is_cut = True
            return False
        while frame >= 0:
            if self._frames[frame].function == name:
                return False
            frame = self._frames[frame].parent
        return True

    def _give_up(self, state: State, call: Call) -> Move:
        """To where anything may happen that the call could do, with only those locks that it cannot give back."""
        targets = self._around.calls.targets[call.id]
        released: frozenset[str] | None = frozenset()
        for name in (*targets.functions, *targets.callbacks):
            gone = self._code.worst(name).released
            released = None if released is None or gone is None else released | gone
        held, give = self._operations.without(state.held, released)
        inside = replace(state, phase=Phase.WORST, held=held, lost=True)
        return Move(inside, give=give, what="calls a function that is not followed" if give else "", pos=call.pos)

    def _anything(self, state: State, call: Call) -> Iterator[Move]:
        targets = self._around.calls.targets[call.id]
        for name in (*targets.functions, *targets.callbacks):
            worst = self._code.worst(name)
            yield from self._stand(state, worst.accesses)
            for place in worst.posted:
                yield Move(state, give=((Semaphore(place), 1),), what="posts", pos=call.pos)
            for creator, create in worst.creates:
                yield from self._operations.create(Context(creator, unknown_arguments(creator)), create, state)
            if worst.ends:
                yield self._end(state, call.pos)
