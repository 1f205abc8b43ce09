"""Draws the code of one thread as a graph: calls are inlined, recursive functions have one copy for each lock state.

Which points of the code can be reached is a question of context-free reachability [TX, Section 3]: calls and returns
must match. Inlined calls match by construction. A function that may call itself has one frame for each state of locks
(and constant arguments) with which it is entered. All calls that enter it so share the frame, and it returns to any of
them with the locks that it holds at the end: a summary of what it does to locks, in which all of its points are there.
What is lost is which of these calls it was, and the registers of a frame that may have been entered again meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from raceproof.core import Budget, LimitReached
from raceproof.domains import AnyValue, Binary, Const, Expr, Op, Variable
from raceproof.facts import RELEASING, Sync, SyncOp, is_assumption, is_atomic_function, thread_operations
from raceproof.ir import Block, Branch, Call, Cast, Compare, Instr, Phi, Reg, Return, Select, operands
from raceproof.model import MAIN, CallTargets, ThreadId
from raceproof.transactions.actions import (
    Action,
    Assign,
    Assume,
    Forget,
    converted,
    extended,
)
from raceproof.transactions.cells import type_of
from raceproof.transactions.expressions import OFFSET, Pointer, Values
from raceproof.transactions.lowering import Lowering, Resource, Touch
from raceproof.transactions.names import Register, Shared
from raceproof.transactions.program import Surroundings
from raceproof.transactions.rendezvous import (
    BARRIERS,
    SEMAPHORES,
    SIGNALS,
    Barrier,
    Condition,
    Object,
    Semaphore,
    arrived,
    broadcast,
    cells_of,
    initialised,
    is_untimed,
    last_arrived,
    left,
    posted,
    signalled,
    taken,
    unknown,
    waited,
    woken,
)
from raceproof.transactions.thread_graph import (
    ATOMIC,
    Creation,
    Edge,
    Hold,
    Kind,
    Node,
    Phase,
    Place,
    Point,
    ThreadGraph,
)

MAX_NODES: Final = 4_000
MAX_EDGES: Final = 20_000
MAX_STACK: Final = 16
_TEST: Final = 3
_FLAG_WAYS: Final = 16
_COPIES: Final = 12
"""Frames of one recursive function that are told apart by constant arguments."""
_OF_SIGNALS: Final = SEMAPHORES | BARRIERS | SIGNALS
_OF_LOCKS: Final = frozenset(
    {Sync.LOCK, Sync.TRYLOCK, Sync.UNLOCK, Sync.WAIT, Sync.ATOMIC_BEGIN, Sync.ATOMIC_END} | {Sync.LOCK_INIT}
)


@dataclass(frozen=True, slots=True)
class _Frame:
    parent: int
    function: str
    pointers: tuple[Pointer | None, ...]
    constants: tuple[Const | None, ...]
    call: tuple[int, int, Phase]
    depth: int
    entered: tuple[tuple[Hold, ...], tuple[Place, ...], bool] | None = None
    """Of a recursive function: the state of locks with which it is entered; it has no one parent then."""

    @property
    def is_shared(self) -> bool:
        return self.entered is not None


@dataclass(frozen=True, slots=True)
class _Way:
    """A path under way: where it is, what it has done, and what its first step was."""

    point: Point
    actions: tuple[Action, ...] = ()
    takes: Hold | None = None
    frees: frozenset[str] | None = frozenset()
    creates: Creation | None = None

    def then(self, point: Point, *actions: Action) -> _Way:
        done = list(self.actions)
        for action in actions:
            done += extended(done, action)
        return replace(self, point=point, actions=tuple(done))


class Walk:
    """Draws the graph of one thread. `keeps_history`: paths that meet stay apart until the next decision."""

    def __init__(self, around: Surroundings, thread: ThreadId, budget: Budget, keeps_history: bool = False) -> None:
        self._around = around
        self._thread = thread
        self._keeps_history = keeps_history
        self._budget = budget
        self._lowering = Lowering(around.cells)
        self._frames: list[_Frame] = []
        self._frame_ids: dict[_Frame, int] = {}
        self._values: list[Values] = []
        self._merges: list[frozenset[int]] = []
        self._returns: set[tuple[int, int, int]] = set()
        self._numbers: dict[Point, int] = {}
        self._nodes: list[Node] = []
        self._count = 0
        self._callers: dict[int, dict[tuple[int, int, int, Phase], None]] = {}
        self._exits: dict[int, dict[int, None]] = {}
        self._again: dict[int, None] = {}
        self._signals: set[Variable] = set()
        self._unguarded: set[Variable] = set()
        self._doors: dict[Point, Variable | None] = {}
        self._leaping: dict[int, None] = {}

    def run(self) -> ThreadGraph:
        start = self._around.cp.threads[self._thread].start
        function = self._around.program.functions[start]
        given = self._around.argument_of(self._thread) if self._thread != MAIN else None
        pointer = None if given is None else (given[0], Const(given[1], OFFSET))
        unknown: tuple[Pointer | None, ...] = (None,) * len(function.params)
        pointers = (pointer, *unknown[1:]) if unknown else ()
        first = self._enter(_Way(Point(0, 0, 0)), _Frame(-1, start, pointers, (), (0, 0, Phase.BEFORE), 0))
        entry = self._node(first.point)
        done = 0
        while done < len(self._nodes):
            self._budget.check()
            self._expand(done)
            done += 1
            while self._again:  # exits of recursive functions, for calls that were found later
                number = next(iter(self._again))
                del self._again[number]
                if number < done:
                    self._nodes[number].edges.clear()
                    self._expand(number)
        parameter = None
        if function.params and (of_type := type_of(function.params[0].type)) is not None:
            parameter = self._values[0].variable(function.params[0].name, of_type)
        graph = ThreadGraph(
            self._thread,
            self._nodes,
            entry,
            parameter,
            signals=frozenset(self._signals),
            unguarded=frozenset(self._unguarded),
        )
        graph.finish()
        return graph

    # -- nodes and edges

    def _node(self, point: Point) -> int:
        number = self._numbers.get(point)
        if number is None:
            if len(self._nodes) >= MAX_NODES:
                raise LimitReached(f"the code of a thread has more than {MAX_NODES:,} points")
            number = self._numbers[point] = len(self._nodes)
            self._nodes.append(self._describe(point))
            if point.phase is Phase.BEFORE and self._is_exit(point):
                self._exits.setdefault(point.frame, {})[number] = None
        return number

    def _describe(self, point: Point) -> Node:
        function = self._values[point.frame].body.function
        instr = self._instruction(point)
        gives_back = self._around.leaps.at_any_point and bool(point.held)  # whatever it does next
        if point.phase is Phase.ENTERING:
            return Node(point, Kind.LOCK, pos=function.pos)
        if instr is None or (point.phase is Phase.BEFORE and not self._around.is_visible(instr)):
            kind = Kind.OTHER if gives_back else Kind.LOCAL
            return Node(point, kind, blocks=instr is not None and self._around.may_stop(instr))
        touch = self._touch(point, instr)
        blocks = point.phase is Phase.WAITING or self._may_block(instr)
        kind = Kind.OTHER if gives_back else self._kind(instr, touch)
        return Node(point, kind, touch, instr.id, instr.pos, blocks=blocks)

    def _touch(self, point: Point, instr: Instr) -> Touch | None:
        """What the instruction does to shared objects, and to semaphores, barriers and conditions that are followed."""
        touch = self._lowering.touch(self._values[point.frame], instr) if point.phase is not Phase.WAITING else None
        objects = self._objects(point, instr) if isinstance(instr, Call) else []
        names = (variable.name for found in objects for variable in cells_of(found))
        mine = frozenset[Resource](name.cell for name in names if isinstance(name, Shared))
        if not mine:
            return touch
        if touch is None:
            return Touch((), mine, mine)
        return replace(touch, reads=touch.reads | mine, writes=touch.writes | mine)

    def _objects(self, point: Point, call: Call) -> list[Object]:
        """What the call may be about."""
        rendezvous = self._around.rendezvous
        found: dict[Object, None] = {}
        for op in thread_operations(self._around.calls.targets[call.id]):
            exact = rendezvous.at(self._place(point, call, op.arg), op)
            found.update(dict.fromkeys([exact] if exact is not None else rendezvous.about(call, op)))
        return list(found)

    def _may_block(self, instr: Instr) -> bool:
        if not isinstance(instr, Call):
            return False
        waits = (Sync.SEM_WAIT, Sync.BARRIER_WAIT)
        return any(op.kind in waits for op in thread_operations(self._around.calls.targets[instr.id]))

    def _kind(self, instr: Instr, touch: Touch | None) -> Kind:
        if not isinstance(instr, Call):
            return Kind.TOUCH
        targets = self._around.calls.targets[instr.id]
        kinds = {op.kind for op in thread_operations(targets)}
        is_known = not targets.functions and not targets.is_unknown and not targets.callbacks
        if touch is not None and kinds and kinds <= _OF_SIGNALS and is_known:
            return Kind.TOUCH
        if touch is None and kinds and kinds <= _OF_LOCKS and not targets.functions and not targets.is_unknown:
            return Kind.LOCK
        return Kind.OTHER

    def _instruction(self, point: Point) -> Instr | None:
        body = self._values[point.frame].body.function.blocks[point.block].body
        return body[point.step] if point.step < len(body) else None

    def _is_node(self, point: Point) -> bool:
        if point.phase is not Phase.BEFORE:
            return True
        if point.step == 0 and point.block in self._merges[point.frame]:
            return True
        if (point.frame, point.block, point.step) in self._returns or self._is_exit(point):
            return True
        if point.block == 0 and point.step == 0 and self._frames[point.frame].is_shared:
            return True  # or a recursion without anything visible would never end
        instr = self._instruction(point)
        return instr is not None and (self._around.is_visible(instr) or self._around.may_stop(instr))

    def _is_exit(self, point: Point) -> bool:
        """The end of a recursive function, where it may go on in several places."""
        block = self._values[point.frame].body.function.blocks[point.block]
        is_end = point.step == len(block.body) and isinstance(block.terminator, Return)
        return is_end and self._frames[point.frame].is_shared

    def _expand(self, number: int) -> None:
        """All ways from a node to the next ones. The first step is the node's own; after it, only what is local."""
        node = self._nodes[number]
        is_first = not self._is_seen(node.point)
        work = [_Way(node.point)] if is_first else list(self._visible(_Way(node.point)))
        work = [*self._leaps(number), *work]
        while work:
            way = work.pop()
            if way.point.frame < 0:
                self._add(node, Edge(None, way.actions, way.takes, way.frees, way.creates))
            elif not is_first and self._is_node(way.point):
                target = self._node(way.point)
                self._add(node, Edge(target, way.actions, way.takes, way.frees, way.creates))
            else:
                work.extend(reversed(list(self._local(way))))
            is_first = False
        node.edges.sort(key=lambda edge: -1 if edge.target is None else edge.target)

    def _is_seen(self, point: Point) -> bool:
        """Whether the first step from a node is one that other threads see."""
        instr = self._instruction(point)
        return point.phase is not Phase.BEFORE or (instr is not None and self._around.is_visible(instr))

    # -- leaps

    def _leaps(self, number: int) -> Iterator[_Way]:
        """Where the thread may go on from a node other than by its code: behind a door, holding nothing that could be
        relied on; of the registers of the function that has the door nothing is known."""
        node, leaps = self._nodes[number], self._around.leaps
        if node.site in leaps.doors and node.point.phase is Phase.BEFORE:
            self._open_door(node.point)
        if leaps.at_any_point:
            yield _Way(Point(-1, 0, 0))
        elif node.site not in leaps.leaving:
            return
        self._leaping[number] = None
        for door, result in self._doors.items():
            forgotten = (Forget(each) for each in self._values[door.frame].registers())
            again: list[Action] = [] if result is None else [Forget(result), _is_set(result, 1)]
            yield _Way(door).then(door, *forgotten, *again)

    def _open_door(self, point: Point) -> None:
        call = self._instruction(point)
        of_type = type_of(call.type) if isinstance(call, Call) and call.result is not None else None
        result = None
        if isinstance(call, Call) and call.result is not None and of_type is not None:
            result = self._values[point.frame].variable(call.result.name, of_type)
        flags = tuple(flag for flag in point.flags if flag[0] != point.frame)
        door = replace(_next(point), held=(), lost=True, history=None, flags=flags)
        if door not in self._doors:
            self._doors[door] = result
            self._again.update(self._leaping)

    def _add(self, node: Node, edge: Edge) -> None:
        self._count += 1
        if self._count > MAX_EDGES:
            raise LimitReached(f"the code of a thread has more than {MAX_EDGES:,} paths between its points")
        node.edges.append(edge)

    # -- local steps

    def _local(self, way: _Way) -> Iterator[_Way]:
        point = way.point
        values = self._values[point.frame]
        instr = self._instruction(point)
        if instr is None:
            yield from self._leave_block(way)
        elif isinstance(instr, Call):
            yield from self._call(way, instr)
        else:
            for actions in self._lowering.ways(values, instr):
                yield way.then(_next(point), *actions)

    def _leave_block(self, way: _Way) -> Iterator[_Way]:
        point = way.point
        values = self._values[point.frame]
        block = values.body.function.blocks[point.block]
        if isinstance(block.terminator, Return):
            if self._frames[point.frame].is_shared:
                yield from self._return_to_any(way, block.terminator)
            else:
                yield self._return(way, block.terminator)
            return
        for label, conditions in self._lowering.branches(values, block.terminator):
            number = values.body.blocks[label]
            phis = self._lowering.phis(values, values.body.function.blocks[number].body, block.label)
            history = point.history
            if number in values.body.heads:
                history = None
            elif self._keeps_history and conditions:
                history = (point.frame, point.block, number)
            there = replace(point, block=number, step=0, history=history)
            for flags, found, known in self._flags(point, values, number, block.label):
                yield way.then(replace(there, flags=flags), *conditions, *found, *phis, *known)

    def _flags(
        self, point: Point, values: Values, number: int, source: str
    ) -> Iterator[tuple[tuple[tuple[int, str, int], ...], list[Action], list[Action]]]:
        """Every way in which the flags may be set on entering a block: the flags, what that means, and their values."""
        body = values.body
        live = body.live_flags[number]
        before = {(frame, name): value for frame, name, value in point.flags}
        kept = {key: value for key, value in before.items() if key[0] != point.frame or key[1] in live}
        ways: list[tuple[dict[tuple[int, str], int], list[Action], list[Action]]] = [(kept, [], [])]
        if not self._keeps_history:
            yield (), [], []
            return
        for phi in body.function.blocks[number].body:
            if not isinstance(phi, Phi):
                break
            name, of_type = phi.result.name, type_of(phi.type)
            if name not in live or of_type is None:
                continue
            operand = next(value for value, label in phi.incoming if label == source)
            variable = values.variable(name, of_type)
            given = before.get((point.frame, operand.name)) if isinstance(operand, Reg) else None
            value = values.as_type(operand, of_type)
            if isinstance(value, Const):
                given = value.value
            choices = [(given, [])] if given is not None else [(n, [_is_set(value, n)]) for n in (0, 1)]
            ways = [
                ({**flags, (point.frame, name): n}, [*found, *more], [*known, Assign(variable, Const(n, of_type))])
                for flags, found, known in ways
                for n, more in choices
            ]
        for flags, found, known in ways[:_FLAG_WAYS]:
            yield tuple(sorted((frame, name, n) for (frame, name), n in flags.items())), found, known
        if len(ways) > _FLAG_WAYS:
            raise LimitReached("too many flags are set at once")

    def _return(self, way: _Way, terminator: Return) -> _Way:
        point = way.point
        frame = self._frames[point.frame]
        values = self._values[point.frame]
        held = point.held
        if is_atomic_function(frame.function):
            held = _without(held, ATOMIC)
        if frame.parent < 0:
            return way.then(Point(-1, 0, 0))
        block, step, phase = frame.call
        flags = tuple(flag for flag in point.flags if flag[0] != point.frame)
        behind = replace(point, frame=frame.parent, block=block, step=step, phase=phase, held=held, flags=flags)
        caller = self._values[frame.parent]
        call = caller.body.function.blocks[block].body[step]
        assert isinstance(call, Call)
        if phase is Phase.CALLBACKS:
            return way.then(behind)
        actions: list[Action] = []
        of_type = type_of(call.type)
        if call.result is not None and of_type is not None:
            result = caller.variable(call.result.name, of_type)
            value = values.of(terminator.value) if terminator.value is not None else None
            actions.append(Forget(result) if value is None else Assign(result, converted(value, of_type)))
        return way.then(_next(replace(behind, phase=Phase.BEFORE)), *actions)

    def _return_to_any(self, way: _Way, terminator: Return) -> Iterator[_Way]:
        """From a recursive function to every call that entered it with the same locks."""
        point = way.point
        values = self._values[point.frame]
        held = _without(point.held, ATOMIC) if is_atomic_function(self._frames[point.frame].function) else point.held
        for caller, block, step, phase in self._callers[point.frame]:
            there = self._values[caller]
            is_shared = self._frames[caller].is_shared
            flags = tuple(f for f in point.flags if f[0] != point.frame and not (is_shared and f[0] == caller))
            behind = replace(point, frame=caller, block=block, step=step, phase=phase, held=held, flags=flags)
            call = there.body.function.blocks[block].body[step]
            assert isinstance(call, Call)
            of_type = type_of(call.type) if call.result is not None and phase is not Phase.CALLBACKS else None
            actions: list[Action] = []
            kept: Variable | None = None
            if of_type is not None and terminator.value is not None:
                kept = Variable(Register(self._thread, point.frame, "returned"), of_type)
                value = values.of(terminator.value)
                actions.append(Forget(kept) if value is None else Assign(kept, converted(value, of_type)))
            if is_shared:  # it may have been entered again meanwhile
                actions += (Forget(variable) for variable in there.registers())
            if of_type is not None and call.result is not None:
                result = there.variable(call.result.name, of_type)
                actions.append(Forget(result) if kept is None else Assign(result, kept))
            onward = behind if phase is Phase.CALLBACKS else _next(replace(behind, phase=Phase.BEFORE))
            yield way.then(onward, *actions)

    # -- calls

    def _call(self, way: _Way, call: Call) -> Iterator[_Way]:
        """A call that no other thread can see, but for the functions that it runs."""
        targets = self._around.calls.targets[call.id]
        yield from self._externals(way, call, targets)
        yield from self._functions(way, call, targets.functions)

    def _externals(self, way: _Way, call: Call, targets: CallTargets) -> Iterator[_Way]:
        values = self._values[way.point.frame]
        if not targets.externals and not targets.is_unknown:
            return
        if not targets.may_return or len(targets.externals) > 1 or targets.is_unknown:
            yield way.then(Point(-1, 0, 0))
        if targets.may_return or targets.is_unknown:
            actions = self._lowering.of_call(values, call)
            if len(targets.externals) == 1 and is_assumption(targets.externals[0]) and call.args:
                tested = values.condition(call.args[0])
                actions += [] if tested is None else [Assume(tested)]
            point = way.point
            if self._around.may_release_all(targets):
                point = replace(point, held=(), lost=True)
                for found in self._around.rendezvous.objects.values():
                    actions += unknown(found)
                self._signals |= self._around.rendezvous.variables
                self._unguarded |= self._around.rendezvous.conditions
            yield way.then(_next(replace(point, phase=Phase.BEFORE)), *actions)

    def _functions(self, way: _Way, call: Call, names: tuple[str, ...], is_callback: bool = False) -> Iterator[_Way]:
        point = way.point
        values = self._values[point.frame]
        for name in names:
            function = self._around.program.functions[name]
            is_recursive = self._is_running(point.frame, name)
            if not self._around.matters(name) and (is_recursive or is_callback or not self._around.is_small(name)):
                behind = point if is_callback else _next(replace(point, phase=Phase.BEFORE))
                spoilt = (Assign(cell, AnyValue(cell.type)) for cell in self._around.spoilt_by(name))
                yield way.then(behind, *spoilt, *self._lowering.forget_result(values, call))
                continue
            depth = self._frames[point.frame].depth + 1
            if depth > MAX_STACK:
                raise LimitReached(f"calls are nested more than {MAX_STACK} deep")
            given: list[Pointer | None] = []
            constants: list[Const | None] = []
            actions: list[Action] = []
            for index, parameter in enumerate(function.params):
                is_known = not is_callback and parameter.by_value is None and index < len(call.args)
                given.append(values.pointer(call.args[index]) if is_known else None)
                of_type = type_of(parameter.type)
                value = values.as_type(call.args[index], of_type) if is_known and of_type is not None else None
                constants.append(value if isinstance(value, Const) else None)
            back = (point.block, point.step, Phase.CALLBACKS if is_callback else Phase.BEFORE)
            if self._around.is_recursive(name):
                frame = self._shared_frame(point, name, given, constants)
            else:
                frame = _Frame(point.frame, name, tuple(given), tuple(constants), back, depth)
            entered = self._enter(way, frame)
            if frame.is_shared:
                entered = self._called(entered, point, back)
            inner = self._values[entered.point.frame]
            copies: list[Action] = []
            for index, parameter in enumerate(function.params):
                of_type = type_of(parameter.type)
                if of_type is None:
                    continue
                variable = inner.variable(parameter.name, of_type)
                if not is_callback and index < len(call.args) and parameter.by_value is None:
                    value = values.as_type(call.args[index], of_type)
                    if frame.is_shared:  # the arguments may be made of the parameters that they replace
                        copy = Variable(Register(self._thread, entered.point.frame, f"given {index}"), of_type)
                        actions.append(Assign(copy, value))
                        value = copy
                    copies.append(Assign(variable, value))
                else:
                    copies.append(Forget(variable))
            yield entered.then(entered.point, *actions, *copies)

    def _shared_frame(
        self, point: Point, name: str, given: Sequence[Pointer | None], constants: Sequence[Const | None]
    ) -> _Frame:
        """The frame of a recursive function for the locks that are held now. Only so many have constant arguments."""
        entered = (point.held, point.unsure, point.lost)
        fixed = tuple(p if p is not None and isinstance(p[1], Const) else None for p in given)
        frame = _Frame(-1, name, fixed, tuple(constants), (0, 0, Phase.BEFORE), 1, entered)
        mine = [other for other in self._frames if other.function == name and other.is_shared]
        if frame in mine or len(mine) < _COPIES:
            return frame
        return replace(frame, pointers=(None,) * len(given), constants=(None,) * len(constants))

    def _called(self, way: _Way, caller: Point, back: tuple[int, int, Phase]) -> _Way:
        """The same, noting where the call is to return to."""
        number = way.point.frame
        callers = self._callers.setdefault(number, {})
        if (caller.frame, *back) not in callers:
            callers[caller.frame, *back] = None
            self._again.update(self._exits.get(number, {}))
        flags = tuple(f for f in way.point.flags if not self._frames[f[0]].is_shared)
        return replace(way, point=replace(way.point, history=None, flags=flags))

    def _enter(self, way: _Way, frame: _Frame) -> _Way:
        number = self._frame_ids.setdefault(frame, len(self._frames))
        if number == len(self._frames):
            self._frames.append(frame)
            body = self._around.body(frame.function)
            bits = 8 * self._around.program.pointer_size
            self._values.append(Values(body, number, frame.pointers, bits, frame.constants, self._thread))
            blocks = body.function.blocks
            entries: list[int] = []
            for block in blocks:
                entries += [
                    body.blocks[label] for label, _ in self._lowering.branches(self._values[-1], block.terminator)
                ]
            self._merges.append(
                frozenset(b for b in entries if entries.count(b) > 1 and (b in body.heads or not _is_test(blocks[b])))
            )
            if frame.parent >= 0 and sum(isinstance(b.terminator, Return) for b in blocks) > 1:
                self._returns.add((frame.parent, frame.call[0], frame.call[1] + 1))
        phase = Phase.ENTERING if is_atomic_function(frame.function) else Phase.BEFORE
        return replace(way, point=replace(way.point, frame=number, block=0, step=0, phase=phase))

    def _is_running(self, frame: int, name: str) -> bool:
        while frame >= 0:
            if self._frames[frame].function == name:
                return True
            frame = self._frames[frame].parent
        return False

    # -- what others can see

    def _visible(self, way: _Way) -> Iterator[_Way]:
        point = way.point
        if point.phase is Phase.ENTERING:
            yield self._take(way, Hold(ATOMIC), replace(point, phase=Phase.BEFORE))
            return
        instr = self._instruction(point)
        assert instr is not None
        if not isinstance(instr, Call):
            for actions in self._lowering.ways(self._values[point.frame], instr):
                yield way.then(_next(point), *actions)
            return
        targets = self._around.calls.targets[instr.id]
        if point.phase is Phase.WAITING:
            yield from self._wake(way, instr, targets)
            return
        if point.phase is Phase.CALLBACKS:
            actions = self._lowering.of_call(self._values[point.frame], instr)
            yield way.then(_next(replace(point, phase=Phase.BEFORE)), *actions)
            yield from self._functions(way, instr, targets.callbacks, is_callback=True)
            return
        possible = thread_operations(targets)
        for op in possible:
            yield from self._operation(way, instr, op)
        if len(targets.externals) > len(possible) or (targets.is_unknown and not targets.externals):
            yield from self._externals(way, instr, targets)
        if targets.callbacks:
            yield way.then(replace(point, phase=Phase.CALLBACKS))
        yield from self._functions(way, instr, targets.functions)

    def _operation(self, way: _Way, call: Call, op: SyncOp) -> Iterator[_Way]:
        point = way.point
        effects = self._lowering.of_call(self._values[point.frame], call)
        behind = _next(point)
        match op.kind:
            case Sync.EXIT:
                yield way.then(Point(-1, 0, 0), *effects)
            case Sync.LOCK | Sync.TRYLOCK:
                yield from self._lock(way, call, op)
            case Sync.ATOMIC_BEGIN:
                yield self._take(way.then(point, *effects), Hold(ATOMIC), behind)
            case Sync.ATOMIC_END:
                yield way.then(replace(behind, held=_without(point.held, ATOMIC)), *effects)
            case Sync.WAIT:
                lock = self._place(point, call, op.lock_arg)
                if all(hold.lock != lock for hold in point.held):  # a mutex that knows its holder refuses the wait
                    yield way.then(behind, *effects)
                held = _without(point.held, lock) if lock is not None else ()
                lost = point.lost or lock is None
                condition = self._condition(point, call, op)
                registered = waited(condition) if condition is not None else []
                yield way.then(replace(point, phase=Phase.WAITING, held=held, lost=lost), *effects, *registered)
            case kind if kind in _OF_SIGNALS and call.id in self._around.rendezvous.sites:
                yield from self._signal(way, call, op, effects)
            case kind if kind in RELEASING:
                yield self._unlock(way, call, op)
            case Sync.CREATE:
                yield from self._create(way, call, op)
            case _:
                yield way.then(behind, *effects)

    def _place(self, point: Point, call: Call, index: int | None) -> Place | None:
        if index is None or index >= len(call.args):
            return None
        found = self._values[point.frame].pointer(call.args[index])
        if found is None or not isinstance(found[1], Const):
            return None
        variable = self._around.program.globals.get(found[0])
        if variable is None or variable.is_thread_local or variable.is_external:
            return None
        return found[0], found[1].value

    def _lock(self, way: _Way, call: Call, op: SyncOp) -> Iterator[_Way]:
        point = way.point
        effects = self._lowering.of_call(self._values[point.frame], call)
        lock = self._place(point, call, op.arg)
        behind = _next(point)
        may_own = point.lost and lock is not None and self._around.may_refuse_owner(op, lock[0])
        if op.may_fail or may_own or (lock is not None and self._around.may_refuse(lock[0])):
            yield way.then(behind, *effects, *self._outcome(point, call, op, False))
        succeeded = (*effects, *self._outcome(point, call, op, True))
        if lock is None or lock in point.unsure or lock[0] in self._around.overwritten:
            is_lost = point.lost or lock is None or lock not in point.unsure
            yield way.then(replace(behind, lost=is_lost), *effects)
        elif any(hold.lock == lock for hold in point.held):  # again: of what this means nothing is certain
            unsure = tuple(sorted({*point.unsure, lock}))
            yield way.then(replace(behind, held=_without(point.held, lock), unsure=unsure), *effects)
        else:
            yield self._take(way.then(point, *succeeded), Hold(lock, op.shared), behind)

    def _take(self, way: _Way, hold: Hold, behind: Point) -> _Way:
        if any(held.lock == hold.lock for held in behind.held):
            return replace(way, point=behind)
        return replace(way, takes=hold, point=replace(behind, held=tuple(sorted((*behind.held, hold)))))

    def _outcome(self, point: Point, call: Call, op: SyncOp, success: bool) -> list[Action]:
        """What the result says about whether the lock was taken."""
        of_type = type_of(call.type)
        if call.result is None or of_type is None:
            return []
        result = self._values[point.frame].variable(call.result.name, of_type)
        expected = Const(of_type.wrap(op.success), of_type)
        if success:
            return [Assign(result, expected)]
        return [Assume(Binary(Op.NE, result, expected))]

    def _unlock(self, way: _Way, call: Call, op: SyncOp) -> _Way:
        point = way.point
        effects = self._lowering.of_call(self._values[point.frame], call)
        lock = self._place(point, call, op.arg)
        behind = _next(point)
        if lock is None:
            gone = self._around.calls.targets[call.id].may_lock_in
            held = () if gone is None else tuple(hold for hold in point.held if hold.lock[0] not in gone)
            lost = point.lost or held != point.held
            return replace(way.then(replace(behind, held=held, lost=lost), *effects), frees=gone)
        if lock in point.unsure or lock[0] in self._around.overwritten or any(hold.lock == lock for hold in point.held):
            return way.then(replace(behind, held=_without(point.held, lock)), *effects)
        return replace(way.then(behind, *effects), frees=frozenset({lock[0]}))

    def _wake(self, way: _Way, call: Call, targets: CallTargets) -> Iterator[_Way]:
        """The end of a wait at a condition: the lock is held again."""
        behind = _next(replace(way.point, phase=Phase.BEFORE))
        for op in (op for op in thread_operations(targets) if op.kind is Sync.WAIT):
            lock = self._place(way.point, call, op.lock_arg)
            condition = self._condition(way.point, call, op)
            signal = woken(condition) if condition is not None else []
            is_unsure = lock is None or lock in way.point.unsure or lock[0] in self._around.overwritten
            if lock is None or is_unsure or self._around.may_refuse(lock[0]):
                yield way.then(behind, *signal)
            if lock is not None and not is_unsure:
                yield self._take(way.then(way.point, *signal), Hold(lock), behind)
        for op in (op for op in thread_operations(targets) if op.kind is Sync.BARRIER_WAIT):
            found = self._around.rendezvous.at(self._place(way.point, call, op.arg), op)
            if isinstance(found, Barrier):
                yield way.then(behind, *left(found))

    # -- semaphores, barriers, conditions

    def _condition(self, point: Point, call: Call, op: SyncOp) -> Condition | None:
        """The condition whose signal a wait needs; None if it may end at any time."""
        found = self._around.rendezvous.at(self._place(point, call, op.arg), op)
        if not isinstance(found, Condition) or not is_untimed(self._around.calls.targets[call.id]):
            return None
        return found if self._place(point, call, op.lock_arg) == found.lock else None

    def _signal(self, way: _Way, call: Call, op: SyncOp, effects: list[Action]) -> Iterator[_Way]:
        """An operation on a semaphore, barrier or condition."""
        point, behind = way.point, _next(way.point)
        found = self._around.rendezvous.at(self._place(point, call, op.arg), op)
        self._note_signal(point, call, op, found)
        succeeded = (*effects, *self._outcome(point, call, op, True))
        match found:
            case None:
                spoilt = [action for each in self._around.rendezvous.about(call, op) for action in unknown(each)]
                only_takes = op.kind in (Sync.SEM_WAIT, Sync.SEM_TRYWAIT)
                yield way.then(behind, *effects, *([] if only_takes else spoilt))
            case Semaphore() | Barrier() if op.kind in (Sync.SEM_INIT, Sync.BARRIER_INIT):
                yield way.then(behind, *effects, *initialised(found, call, op))
            case Semaphore() if op.kind is Sync.SEM_POST:
                for actions in posted(found):
                    yield way.then(behind, *effects, *actions)
            case Semaphore():
                yield way.then(behind, *succeeded, *taken(found))
                if op.may_fail or self._around.has_handlers:
                    yield way.then(behind, *effects, *self._failure(point, call))
            case Barrier():
                yield way.then(behind, *effects, *last_arrived(found))
                if found.count > 1:
                    waiting = replace(point, phase=Phase.WAITING)
                    yield way.then(waiting, *effects, *arrived(found))
            case Condition():
                ways = [broadcast(found)] if op.kind is Sync.BROADCAST else signalled(found)
                for actions in ways:
                    yield way.then(behind, *effects, *actions)

    def _failure(self, point: Point, call: Call) -> list[Action]:
        """A wait for a semaphore that fails returns -1."""
        of_type = type_of(call.type)
        if call.result is None or of_type is None:
            return []
        return [Assign(self._values[point.frame].variable(call.result.name, of_type), Const(-1, of_type))]

    def _note_signal(self, point: Point, call: Call, op: SyncOp, found: Object | None) -> None:
        """What threads with other code must know of this one; taking only makes a semaphore smaller."""
        concerned = [found] if found is not None else list(self._around.rendezvous.about(call, op))
        for each in concerned:
            if op.kind not in (Sync.SEM_WAIT, Sync.SEM_TRYWAIT):
                self._signals.update(cells_of(each))
            if isinstance(each, Condition) and Hold(each.lock) not in point.held:
                self._unguarded.update(cells_of(each))

    def _create(self, way: _Way, call: Call, op: SyncOp) -> Iterator[_Way]:
        """The creation may fail; where nobody asks whether it did, it does not (see docs/soundness.md)."""
        point = way.point
        values = self._values[point.frame]
        effects = self._lowering.of_call(values, call)
        argument = values.of(call.args[op.start_arg]) if op.start_arg is not None else None
        if argument is None:
            created = replace(way, creates=Creation(call.id, None))
        else:  # kept: what it is made of may change before the next point
            given = Variable(Register(self._thread, point.frame, f"given at {call.id}"), argument.type)
            created = replace(way.then(point, Assign(given, argument)), creates=Creation(call.id, given))
        yield created.then(_next(point), *effects, *self._outcome(point, call, op, True))
        if call.result is not None and self._is_used(point, call.result.name):
            yield way.then(_next(point), *effects, *self._outcome(point, call, op, False))

    def _is_used(self, point: Point, register: str) -> bool:
        function = self._values[point.frame].body.function
        return any(Reg(register) in operands(instr) for instr in function.instructions())


def _is_set(value: Expr, number: int) -> Assume:
    return Assume(Binary(Op.NE, value, Const(0, value.type)), truth=number != 0)


def _is_test(block: Block) -> bool:
    """Only decides where to go on (`a && b`): each way to it is followed by itself, or what it knows would be lost."""
    is_short = len(block.body) <= _TEST and all(isinstance(i, Phi | Compare | Cast | Select) for i in block.body)
    return is_short and isinstance(block.terminator, Branch | Return)


def _next(point: Point) -> Point:
    return replace(point, step=point.step + 1)


def _without(held: tuple[Hold, ...], lock: Place) -> tuple[Hold, ...]:
    return tuple(hold for hold in held if hold.lock != lock)
