"""Walks the program thread by thread and draws the control graph.

A state is a point in a function with its calling context and what the thread holds. Data are not followed: both sides
of a branch are, except where the few values that are known decide it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, assert_never

from raceproof.core import Budget, InternalError, LimitReached, SourcePos, Unsupported
from raceproof.facts import Sync, is_atomic_function, thread_operations
from raceproof.ir import Call, Function, Instr, Return
from raceproof.model import AccessId, CallTargets
from raceproof.petri.program_code import Code
from raceproof.petri.program_edges import At, Edge, Ended, Graph, Round, Start, ThreadCopy, Tokens
from raceproof.petri.program_flag_moves import flag_moves
from raceproof.petri.program_frames import MAX_COPIES, Frame, Frames, Kind, Returned
from raceproof.petri.program_locks import ATOMIC, Kinds, has_ghost
from raceproof.petri.program_operations import Context, Operations
from raceproof.petri.program_pointers import Arguments, Place, unknown_arguments
from raceproof.petri.program_states import Move, Phase, State
from raceproof.petri.program_surroundings import assumes
from raceproof.petri.program_values import Knowledge, Known, Values, with_known

MAX_NODES: Final = 60_000
MAX_INLINED_NODES: Final = 3_000
MAX_STACK: Final = 24

_BEGINNING: Final = State(0, 0, 0, Phase.BEFORE)


class Walk:
    """Draws all threads of the program into one graph, with `kinds` as far as they are known.

    Afterwards `shared` are the locks that were found to have a read side, `protecting` those held at some access or
    where a flag is used, `reached` the start functions of the threads in which each access was found; `is_cut`: it was
    too large to inline all calls.
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
        self._frames = Frames()
        self._nodes: dict[State, int] = {}
        self._work: list[State] = []
        self._copy = ThreadCopy("")
        self._leapt = 0

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
            self._draw(self._copies[done])
            done += 1
        return self.graph

    def _add(self, copy: ThreadCopy) -> None:
        if copy not in self.graph.entries:
            self.graph.entries[copy] = self.graph.node(copy)
            self._copies.append(copy)

    # -- one thread

    def _draw(self, copy: ThreadCopy) -> None:
        self._copy = copy
        self._nodes, self._frames, self._work = {}, Frames(), []
        if self._around.leaps.doors:
            self._leapt = self.graph.node(copy)  # on the way to any door that the thread has passed
        entry = self.graph.entries[copy]
        first = self._entry(Frame(Kind.THREAD, copy.function, copy.arguments))
        self.graph.edges.append(Edge(entry, self._node(first)))
        while self._work:
            self._budget.check()
            state = self._work.pop()
            for move in self._moves(state):
                self._edge(self._nodes[state], move)
            if self._around.leaps.at_any_point:
                self._edge(self._nodes[state], self._end(state, None))
                self._leap(state)

    def _edge(self, source: int, move: Move) -> None:
        for resource, _ in move.give:
            if isinstance(resource, Start):
                self._add(resource.copy)
        target = None if move.to is None else self._node(move.to)
        self.graph.edges.append(Edge(source, target, move.take, move.give, move.what, move.pos, move.condition))

    def _node(self, state: State) -> int:
        known = self._nodes.get(state)
        if known is None:
            if len(self.graph.owners) > MAX_NODES:
                raise LimitReached(f"the net has more than {MAX_NODES:,} places")
            known = self._nodes[state] = self.graph.node(self._copy)
            self._work.append(state)
        return known

    def _entry(self, frame: Frame, state: State = _BEGINNING) -> State:
        """The beginning of a function, with what the caller holds in `state`."""
        phase = Phase.ENTERING if is_atomic_function(frame.function) else Phase.BEFORE
        return replace(state, frame=self._frames.number(frame), block=0, step=0, phase=phase, known=())

    def _moves(self, state: State) -> Iterator[Move]:
        function = self._function(state)
        if state.phase is Phase.ENTERING:
            yield from self._operations.take(state, ATOMIC, False, replace(state, phase=Phase.BEFORE), function.pos)
            return
        steps = self._code.steps(function, state.block)
        if state.step == len(steps):
            yield from self._at_end_of_block(state, function)
            return
        instr = steps[state.step]
        behind = replace(state, step=state.step + 1, phase=Phase.BEFORE)
        if state.phase is Phase.BEFORE:
            yield from self._accesses(state, instr)
            if isinstance(instr, Call):
                yield from self._call(state, function, instr)
            elif (use := self._code.flags.get(instr.id)) is not None:
                self.protecting.update(hold.lock for hold in state.held)
                yield from flag_moves(self._around.program, use, state, self._values(function), behind)
            else:
                yield Move(behind)
        elif isinstance(instr, Call):
            yield from self._inside_call(state, function, instr, behind)
        else:
            raise InternalError("a thread is inside of an instruction that is no call")

    def _inside_call(self, state: State, function: Function, call: Call, behind: State) -> Iterator[Move]:
        targets = self._around.calls.targets[call.id]
        match state.phase:
            case Phase.WAITING:
                yield from self._operations.wake(state, self._context(state), call)
            case Phase.AT_BARRIER:
                yield from self._operations.leave(state, self._context(state), call)
            case Phase.CALLBACKS:
                yield from self._accesses(state, call)
                yield Move(replace(state, phase=Phase.BEHIND))
                yield from self._run(state, function, call, targets.callbacks, Phase.CALLBACKS)
            case Phase.IN_ONCE:
                if not self._around.runs_own(call):
                    yield Move(replace(state, phase=Phase.ONCE_DONE))
                yield from self._run(state, function, call, targets.callbacks, Phase.ONCE_DONE)
            case Phase.ONCE_DONE:
                done: Tokens = ((Round(self._once(call), "done"), 1),)
                yield Move(replace(state, phase=Phase.BEHIND), give=done, what="has done it once", pos=call.pos)
            case Phase.BEHIND:
                yield from self._accesses(state, call)
                yield Move(behind)
            case Phase.BEFORE | Phase.ENTERING:
                raise InternalError("a thread that has not begun a call is inside of it")
            case _:
                assert_never(state.phase)

    def _function(self, state: State) -> Function:
        return self._around.program.functions[self._frames[state.frame].function]

    def _context(self, state: State) -> Context:
        return Context(self._function(state), self._frames[state.frame].arguments)

    def _values(self, function: Function) -> Values:
        return self._around.values(function, self._code.is_detailed)

    def _accesses(self, state: State, instr: Instr) -> Iterator[Move]:
        """A thread may come to stand before these, and stay: with what it holds, but not as a ghost."""
        for access in self._code.accesses.get(instr.id, ()):
            self.protecting.update(hold.lock for hold in state.held)
            if not has_ghost(state.held):
                self.reached.setdefault(access, set()).add(self._copy.function)
                pos = self._around.cp.accesses[access].pos
                yield Move(None, give=((At(access), 1),), what="stands before its access", pos=pos)

    def _at_end_of_block(self, state: State, function: Function) -> Iterator[Move]:
        block = function.blocks[state.block]
        if isinstance(block.terminator, Return):
            yield from self._return(state, function, block.terminator)
            return
        values = self._values(function)
        for label in values.next_labels(block.terminator, state.known):
            number = self._around.block(function, label)
            known = values.entering(block, number, state.known)
            yield Move(replace(state, block=number, step=0, phase=Phase.BEFORE, known=known))

    # -- returns

    def _return(self, state: State, function: Function, instr: Return) -> Iterator[Move]:
        held = state.held
        give: Tokens = ()
        if is_atomic_function(function.name):
            held, give = self._operations.without(held, frozenset({ATOMIC[0]}))
        frame = self._frames[state.frame]
        value = None if instr.value is None else self._values(function).value(instr.value, state.known)
        returned = Returned(state, held, value, give, instr.pos)
        match frame.kind:
            case Kind.THREAD:
                yield self._end(replace(state, held=held), instr.pos, give)
            case Kind.INLINED:
                block, step, phase = frame.back
                caller = replace(state, frame=frame.parent, block=block, step=step, phase=phase, known=())
                yield self._going_on(caller, returned)
            case Kind.SUMMARISED | Kind.MERGED:
                shared = self._frames.shared(state.frame)
                shared.returns[returned] = None
                for before, behind in shared.callers:
                    self._link(frame.kind, before, behind, returned)

    def _going_on(self, caller: State, returned: Returned) -> Move:
        """From the return to its caller's next step; the result may tell something."""
        at = returned.at
        after = replace(caller, held=returned.held, lost=at.lost, created=at.created)
        after = replace(after, known=self._with_result(caller, returned.value))
        return Move(after, give=returned.give, what="leaves" if returned.give else "", pos=returned.pos)

    def _with_result(self, caller: State, value: int | None) -> Knowledge:
        function = self._function(caller)
        call = self._code.steps(function, caller.block)[caller.step]
        if not isinstance(call, Call) or call.result is None:
            return caller.known
        name = call.result.name
        if value is None or caller.phase is not Phase.BEHIND or name not in self._values(function).wanted:
            return tuple(known for known in caller.known if known.register != name)
        return with_known(caller.known, Known(name, value))

    def _end(self, state: State, pos: SourcePos | None, give: Tokens = ()) -> Move:
        """The end of the thread. What it still holds is given back: what runs at the end of threads might do that."""
        _, released = self._operations.without(state.held, None)
        ended: Tokens = ((Ended(self._copy.id_in), 1),) if self._copy.id_in is not None else ()
        return Move(None, give=(*give, *released, *ended), what="ends", pos=pos)

    # -- leaps

    def _leap(self, state: State) -> None:
        """From here behind any door, with nothing that it certainly holds."""
        if self._around.leaps.doors:
            _, released = self._operations.without(state.held, None)
            edge = Edge(self._nodes[state], self._leapt, give=released, what="leaves its functions" if released else "")
            self.graph.edges.append(edge)

    def _door(self, state: State, call: Call) -> None:
        """The second return of a call: the result is not zero, the registers are those of the first."""
        function = self._function(state)
        again = replace(state, phase=Phase.BEHIND, held=(), lost=True)
        if call.result is not None:
            name = call.result.name
            known = tuple(each for each in state.known if each.register != name)
            wanted = name in self._values(function).wanted
            again = replace(again, known=with_known(known, Known(name, 0, False)) if wanted else known)
        self._edge(self._leapt, Move(again))

    # -- calls

    def _call(self, state: State, function: Function, call: Call) -> Iterator[Move]:
        """One move for each thing that the call may be."""
        targets = self._around.calls.targets[call.id]
        possible = thread_operations(targets)
        if call.id in self._around.leaps.leaving:
            self._leap(state)
        if call.id in self._around.leaps.doors:
            self._door(state, call)
        place = self._code.once(call)
        if place is not None:
            yield Move(replace(state, phase=Phase.IN_ONCE), take=((Round(place, "new"), 1),), what="is first to come")
            done: Tokens = ((Round(place, "done"), 1),)
            yield Move(replace(state, phase=Phase.BEHIND), done, done, "finds it done once", call.pos)
            return
        for op in possible:
            if op.kind is Sync.EXIT:
                yield self._end(state, call.pos)
            else:
                yield from self._operations.moves(state, self._context(state), call, op)
        if targets.is_unknown:
            yield self._end(state, call.pos)
        if len(targets.externals) > len(possible):
            if not targets.may_return or len(targets.externals) > 1:
                yield self._end(state, call.pos)
            if targets.may_return and self._may_hold(state, function, call, targets):
                yield self._unknown(state, call, targets)
        elif targets.is_unknown:
            yield self._unknown(state, call, targets)
        if targets.callbacks:
            yield Move(replace(state, phase=Phase.CALLBACKS))
        yield from self._run(state, function, call, targets.functions, Phase.BEHIND)

    def _may_hold(self, state: State, function: Function, call: Call, targets: CallTargets) -> bool:
        """False only where something is assumed that is known not to hold: nobody goes on from there."""
        return not assumes(targets) or self._values(function).value(call.args[0], state.known) != 0

    def _once(self, call: Call) -> Place:
        place = self._code.once(call)
        if place is None:
            raise InternalError("a thread does once what is not followed")
        return place

    def _unknown(self, state: State, call: Call, targets: CallTargets) -> Move:
        behind = replace(state, phase=Phase.BEHIND)
        return (
            self._operations.release(state, None, behind, call)
            if self._around.may_release_all(targets)
            else Move(behind)
        )

    def _run(self, state: State, function: Function, call: Call, names: tuple[str, ...], back: Phase) -> Iterator[Move]:
        """Functions of the program that the call may run; afterwards the thread is in phase `back` of the call."""
        is_callback = back is not Phase.BEHIND
        arguments = self._frames[state.frame].arguments
        for name in names:
            callee = self._around.program.functions[name]
            if not self._code.matters(name):
                yield Move(replace(state, phase=back))
                continue
            passed = unknown_arguments(callee)
            if not is_callback:
                passed = self._around.pointers.passed(function, call, arguments, callee)
            kind = self._kind(state.frame, callee)
            if kind is Kind.INLINED:
                depth = self._frames[state.frame].depth + 1
                frame = Frame(kind, name, passed, state.frame, (state.block, state.step, back), depth)
                entry = self._entry(frame, state)
                yield Move(entry if is_callback else replace(entry, known=self._passed_values(state, call, callee)))
            else:
                yield self._share(kind, name, passed, state, replace(state, phase=back))

    def _passed_values(self, state: State, call: Call, callee: Function) -> Knowledge:
        """Parameters whose values are known. Not in a recursion, where they could go on for ever."""
        values, wanted = self._values(self._function(state)), self._values(callee).wanted
        found = [
            Known(parameter.name, value)
            for parameter, argument in zip(callee.params, call.args, strict=False)
            if parameter.name in wanted and (value := values.value(argument, state.known)) is not None
        ]
        return with_known((), *found)

    def _kind(self, caller: int, callee: Function) -> Kind:
        """How a call is drawn. Says so where that has more runs than the program."""
        name = callee.name
        is_running = self._frames.is_running(name, caller)
        is_large = len(self._nodes) > MAX_INLINED_NODES or self._frames[caller].depth >= MAX_STACK
        self.is_cut = self.is_cut or (is_large and not is_running)
        is_local = self._code.is_local(name)
        if not is_running and not is_large and not (is_local and self._frames.copies(name) >= MAX_COPIES):
            return Kind.INLINED
        if is_running or is_large or self._code.may_lock(name):
            self.graph.shared[callee.source_name] = None
        return Kind.SUMMARISED if is_local else Kind.MERGED

    def _share(self, kind: Kind, name: str, arguments: Arguments, state: State, behind: State) -> Move:
        """Into the copy that calls in this state share; past it or back from it, wherever it is known to return."""
        few = self._frames.few_arguments(name, arguments)
        entry = self._entry(Frame(kind, name, few, entry=(state.held, state.lost, state.created)), state)
        shared = self._frames.shared(entry.frame)
        if (state, behind) not in shared.callers:
            shared.callers[state, behind] = None
            for returned in list(shared.returns):
                self._link(kind, state, behind, returned)
        return Move(entry)

    def _link(self, kind: Kind, before: State, behind: State, returned: Returned) -> None:
        move = self._going_on(behind, returned)
        if kind is Kind.MERGED:
            self._edge(self._nodes[returned.at], move)
            return
        source = self._nodes[before]
        callee = self._frames[returned.at.frame].function
        give, take = self._operations.change(before.held, returned.held, self._code.released(callee))
        if give and take:  # what it gives back, if only for a while, others may need to go on: that comes first
            between = self.graph.node(self._copy)
            self.graph.edges.append(Edge(source, between, give=give))
            source, give = between, ()
        self._edge(source, Move(move.to, take, give, "has called" if take or give else "", returned.pos))
