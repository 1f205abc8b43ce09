"""Unwinds the program: every thread that may be created, calls inlined, loops up to a bound, into events with guards.

    main: n = input; create f; x = 1           thread f: if (n == 7) x = 2
    T0: [create T1] [write x := 1] [end]       T1: [start] [write x := 2, if input = 7] [end]

Threads are unwound one after the other, in the order of their creation. What a thread reads is known at once if only
the thread itself and its ancestors, before its creation, can have written it; otherwise it is a variable, which the
encoding connects with the writes that it may see. What was not followed (the rounds of a loop beyond the bound, a
construct that is not supported) ends the path with an event CUT: nothing is claimed about what comes behind it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from raceproof.bmc.addresses import harmless_conversions
from raceproof.bmc.evaluation import Evaluator, Registers, shown_width, updated
from raceproof.bmc.events import Event, Instance, Kind, Point, meeting
from raceproof.bmc.instructions import ANYTHING, Anything, Held, width_of
from raceproof.bmc.memory import Memory
from raceproof.bmc.settling import Settling
from raceproof.bmc.terms import (
    Truth,
    Value,
    arithmetic,
    as_bytes,
    both,
    either,
    equal,
    is_known,
    negate,
    number,
)
from raceproof.bmc.unrolling import Copy, Layout
from raceproof.bmc.unwound import Mode, Unwound
from raceproof.core import Budget, LimitReached, SourcePos
from raceproof.facts import is_atomic_function
from raceproof.ir import (
    Address,
    Alloca,
    Branch,
    Call,
    CompareExchange,
    Fence,
    IndirectJump,
    Instr,
    Jump,
    Load,
    MemoryOrder,
    Operand,
    Phi,
    Reg,
    Return,
    Rmw,
    SiteId,
    Store,
    Switch,
    Terminator,
    Unreachable,
)
from raceproof.model import AccessId, ConcurrentProgram

FREE_ROUNDS = 16
"""Rounds of a loop for each of the bound, if nothing that is not known decides about them."""


@dataclass(slots=True)
class _Arrival:
    """A way into a copy of a block. `charges`: rounds of the components around it that count."""

    point: Point
    registers: Registers
    source: str
    charges: tuple[int, ...]


@dataclass(slots=True)
class _Round:
    """Of a loop, at its beginning: how many events its thread had, and the registers."""

    events: int
    registers: Registers


@dataclass(slots=True)
class Frame:
    """A function that is being unwound; `stack`: those that called it, itself last."""

    thread: Instance
    layout: Layout
    registers: Registers
    stack: tuple[str, ...]
    calls: tuple[SiteId, ...] = ()


class Unwinder:
    """Makes an `Unwound`. `library` does what calls of functions outside the program do."""

    def __init__(
        self,
        cp: ConcurrentProgram,
        bound: int,
        mode: Mode,
        library: Callable[[Unwinder, Frame, Call, str, Point], tuple[Held, Point | None]],
        budget: Budget,
        max_events: int,
    ) -> None:
        self.cp = cp
        self.program = cp.program
        self.bound = bound
        self.mode = mode
        self.memory = Memory(cp.program, None if mode.is_proof else 0)
        self.threads: list[Instance] = []
        self.settling = Settling(cp, self.threads, self.memory, mode.uses_facts)
        self.accesses: dict[SiteId, tuple[AccessId, ...]] = {}
        for access in cp.accesses.values():
            self.accesses[access.site] = (*self.accesses.get(access.site, ()), access.id)
        self._ends: dict[str, None] = {}
        self._values = Evaluator(self.memory, harmless_conversions(cp))
        self._library = library
        self._budget = budget
        self._max_events = max_events
        self._events = 0
        self._layouts: dict[str, Layout] = {}
        self._exits: list[tuple[Point, Value]] = []

    # -- threads

    def run(self) -> Unwound:
        constructors = self.program.listed_functions("llvm.global_ctors")
        main = self.thread(self.program.entry, None, None, Point(True, None, Fraction(1)), 0)
        done = 0
        while done < len(self.threads):
            thread = self.threads[done]
            self._unwind(thread, constructors if thread is main else ())
            done += 1
        return Unwound(self.threads, self.memory, self.bound, self.mode, self._values.notes, self._ends)

    def thread(
        self, function: str, parent: Instance | None, created: Event | None, root: Point, argument: Value
    ) -> Instance:
        number_ = len(self.threads)
        made = Instance(number_, function, parent, created, root, number_ + 1, argument)
        self.threads.append(made)
        self.memory.begin(made, parent, created.point if created is not None else None)
        return made

    def _unwind(self, thread: Instance, constructors: Sequence[str]) -> None:
        function = self.program.functions[thread.function]
        point: Point | None = thread.root
        self._values.thread, self._exits = thread, []
        self.event(thread, thread.root, Kind.START, SiteId(-1), function.pos)
        for name in constructors:
            if point is not None:
                _, point = self.call(thread, name, (), point, (), ())
        if point is not None:
            count = len(function.params)
            arguments: tuple[Held, ...] = (thread.argument,) if thread.created is not None else ()
            if thread.created is None and self.mode.argc is not None:
                arguments = (self.mode.argc,)
            padded: list[Held] = [*arguments[:count], *(ANYTHING for _ in range(count - len(arguments)))]
            result, point = self.call(thread, thread.function, padded, point, (), ())
            if point is not None:
                width = self.memory.width
                self._exits.append((point, self.value(result, width) if thread.created is not None else 0))
        if self._exits and thread.created is not None:
            behind, thread.result = self.merged([p for p, _ in self._exits], [v for _, v in self._exits], width=None)
            thread.end = self.event(thread, behind, Kind.END, SiteId(-1), None)
        thread.is_finished = True

    def exit(self, point: Point, value: Value) -> None:
        """The current thread ends here."""
        self._exits.append((point, value))

    def event(self, thread: Instance, point: Point, kind: Kind, site: SiteId, pos: SourcePos | None) -> Event:
        self._events += 1
        if self._events > self._max_events:
            raise LimitReached(f"the unwound program has more than {self._max_events:,} events")
        made = Event(thread, len(thread.events), kind, point, site, pos)
        thread.events.append(made)
        return made

    def cut(self, frame: Frame, point: Point, site: SiteId, pos: SourcePos | None, what: str) -> None:
        """Nothing is known of what comes next."""
        made = self.event(frame.thread, point, Kind.CUT, site, pos)
        made.what = what
        made.is_final = what.startswith("not supported")
        if made.is_final:
            self._ends[f"{what} (line {pos.line})" if pos is not None else what] = None

    # -- functions

    def layout(self, name: str) -> Layout:
        if name not in self._layouts:
            self._layouts[name] = Layout(self.program.functions[name], self.memory.width)
        return self._layouts[name]

    def call(
        self,
        thread: Instance,
        name: str,
        arguments: Sequence[Held],
        point: Point,
        stack: tuple[str, ...],
        calls: tuple[SiteId, ...],
    ) -> tuple[Held, Point | None]:
        """What the function returns, and where it goes on behind it; None: it does not come back."""
        layout = self.layout(name)
        registers: Registers = {}
        for parameter, argument in zip(layout.function.params, arguments, strict=False):
            registers[parameter.name] = argument
        frame = Frame(thread, layout, registers, (*stack, name), calls)
        is_atomic = is_atomic_function(name)
        if is_atomic:
            self.event(thread, point, Kind.SECTION, SiteId(-1), layout.function.pos)
        returns = self._blocks(frame, point)
        if not returns:
            return ANYTHING, None
        width = width_of(layout.function.returns)
        behind, result = self.merged([p for p, _ in returns], [v for _, v in returns], width)
        if is_atomic:
            self.event(thread, behind, Kind.SECTION_END, SiteId(-1), layout.function.pos)
        return result, behind

    def _blocks(self, frame: Frame, start: Point) -> list[tuple[Point, Held]]:
        layout = frame.layout
        first = Copy(layout.entry, (0,) * len(layout.heads[layout.entry]))
        arrivals: dict[Copy, list[_Arrival]] = {
            first: [_Arrival(start, frame.registers, "", (0,) * len(first.counters))]
        }
        queue = [(layout.key(first), first.label, first)]
        masses: dict[Copy, Fraction] = {}
        rounds: dict[Copy, _Round] = {}
        returns: list[tuple[Point, Held]] = []
        while queue:
            self._budget.check()
            _, _, copy = heapq.heappop(queue)
            came = arrivals.pop(copy)
            point = self._joined([a.point for a in came])
            masses[copy] = point.mass
            charges = tuple(max(c) for c in zip(*(a.charges for a in came), strict=True))
            frame.registers = self._registers(layout, copy.label, came)
            if layout.heads[copy.label][-1:] == (copy.label,):
                rounds[copy] = _Round(len(frame.thread.events), dict(frame.registers))
            behind = self._body(frame, copy.label, point)
            if behind is None:
                continue
            terminator = layout.blocks[copy.label].terminator
            if isinstance(terminator, Return):
                value = self.operand(frame, terminator.value) if terminator.value is not None else ANYTHING
                returns.append((behind, value))
                continue
            is_over = layout.heads[copy.label][-1:] == (copy.label,) and charges[-1] > self.bound
            for label, where in self._edges(frame, terminator, behind):
                if is_over and copy.label in layout.heads[label]:
                    self._cut_loop(frame, layout, where, copy, rounds)
                    continue
                to, common, is_round = layout.step(copy, label)
                reached = [*charges[:common], *(0 for _ in to.counters[common:])]
                if is_round:
                    head = Copy(label, (*to.counters[:-1], to.counters[-1] - 1))
                    if layout.only_waits(label) and not layout.sleeps(label):
                        narrowed = self.assume(where, self._changes(frame, layout, rounds[head], copy.label, label))
                        if narrowed is None:
                            continue
                        where = narrowed
                    is_free = where.mass == masses.get(head) and to.counters[-1] <= FREE_ROUNDS * self.bound
                    reached[-1] += 0 if is_free and not layout.is_endless(label) else 1
                if to not in arrivals:
                    arrivals[to] = []
                    heapq.heappush(queue, (layout.key(to), to.label, to))
                arrivals[to].append(_Arrival(where, frame.registers, copy.label, tuple(reached)))
        return returns

    def _cut_loop(self, frame: Frame, layout: Layout, point: Point, head: Copy, rounds: dict[Copy, _Round]) -> None:
        """The rounds that are left out; nothing, if they could not make a difference."""
        terminator = layout.blocks[head.label].terminator
        where: Point | None = point
        before = rounds.get(Copy(head.label, (*head.counters[:-1], head.counters[-1] - 1)))
        if layout.only_waits(head.label) and before is not None:
            now = rounds[head]
            changes = self._updates(frame, before, now.events)
            for name in (i.result.name for i in layout.blocks[head.label].body if isinstance(i, Phi)):
                changes.append(self._differs(before.registers[name], now.registers[name], layout.widths.get(name)))
            where = self.assume(point, either(*changes))
        if where is not None:
            self.cut(frame, where, terminator.id, terminator.pos, f"more than {self.bound} rounds of a loop")

    def _changes(self, frame: Frame, layout: Layout, begun: _Round, source: str, head: str) -> Truth:
        """Has the round that ends with this block left anything behind?"""
        changes = self._updates(frame, begun, len(frame.thread.events))
        for phi in layout.blocks[head].body:
            if isinstance(phi, Phi):
                value = next(value for value, label in phi.incoming if label == source)
                after = self._values.operand(frame.registers, value)
                changes.append(self._differs(begun.registers[phi.result.name], after, width_of(phi.type)))
        return either(*changes)

    def _updates(self, frame: Frame, begun: _Round, until: int) -> list[Truth]:
        updates = [e for e in frame.thread.events[begun.events : until] if e.kind is Kind.UPDATE]
        return [both(e.guard, negate(equal(e.value, e.result, 8 * e.size))) for e in updates]

    def _differs(self, a: Held, b: Held, width: int | None) -> Truth:
        if width is None or isinstance(a, Anything | tuple) or isinstance(b, Anything | tuple):
            return True
        return negate(equal(a, b, width))

    def _joined(self, points: list[Point]) -> Point:
        if len(points) == 1:
            return points[0]
        above = meeting(points)
        mass = sum((p.mass for p in points), Fraction(0))
        if mass == above.mass:
            return above.below(above.guard, mass)
        return above.below(either(*(p.guard for p in points)), mass)

    def merged(self, points: list[Point], values: list[Held], width: int | None) -> tuple[Point, Held]:
        """Where paths come together, and what they bring."""
        behind = self._joined(points)
        result = values[-1]
        for point, value in zip(reversed(points[:-1]), reversed(values[:-1]), strict=True):
            result = self._values.either(point.guard, value, result, width if width is not None else self.memory.width)
        return behind, result

    def _registers(self, layout: Layout, label: str, came: list[_Arrival]) -> Registers:
        """What is live, and the phis, at the beginning of a block."""
        found: Registers = {}
        for name in sorted(layout.live[label]):
            values = [(a.point, a.registers[name]) for a in came if name in a.registers]
            if values:
                found[name] = self._together(values, layout.widths.get(name))
        for instr in layout.blocks[label].body:
            if not isinstance(instr, Phi):
                break
            incoming = {source: value for value, source in instr.incoming}
            frames = [(a.point, self._values.operand(a.registers, incoming[a.source])) for a in came]
            found[instr.result.name] = self._together(frames, width_of(instr.type))
        return found

    def _together(self, values: list[tuple[Point, Held]], width: int | None = None) -> Held:
        result = values[-1][1]
        for point, value in reversed(values[:-1]):
            result = self._values.either(point.guard, value, result, width)
        return result

    def _edges(self, frame: Frame, terminator: Terminator, point: Point) -> list[tuple[str, Point]]:
        match terminator:
            case Jump(target=target):
                return [(target, point)]
            case Branch(condition=condition, if_true=a, if_false=b):
                if a == b:
                    return [(a, point)]
                truth = self.value(self.operand(frame, condition), 1)
                return (
                    list(zip((a, b), self.split(point, [truth, negate(truth)]), strict=True))
                    if not is_known(truth)
                    else [(a if truth else b, point)]
                )
            case Switch(value=operand, default=default, cases=cases):
                return self._cases(frame, operand, default, cases, terminator, point)
            case IndirectJump():
                self.cut(frame, point, terminator.id, terminator.pos, "not supported: a computed goto")
                return []
            case Unreachable() | Return():
                return []

    def _cases(
        self,
        frame: Frame,
        operand: Operand,
        default: str,
        cases: tuple[tuple[int, str], ...],
        terminator: Terminator,
        point: Point,
    ) -> list[tuple[str, Point]]:
        held = self.operand(frame, operand)
        width = frame.layout.widths.get(operand.name, 32) if isinstance(operand, Reg) else 64
        width = shown_width(held) or width
        value = self.value(held, width)
        by_label: dict[str, list[Truth]] = {}
        for constant, label in cases:
            by_label.setdefault(label, []).append(equal(value, number(constant, width), width))
        others = negate(either(*(t for truths in by_label.values() for t in truths)))
        by_label.setdefault(default, []).append(others)
        ways = [(label, either(*truths)) for label, truths in by_label.items()]
        certain = [label for label, truth in ways if truth is True]
        if certain:
            return [(certain[0], point)]
        ways = [(label, truth) for label, truth in ways if truth is not False]
        return list(zip([label for label, _ in ways], self.split(point, [t for _, t in ways]), strict=True))

    def split(self, point: Point, truths: Sequence[Truth]) -> list[Point]:
        """One point for each way; they exclude one another, and one of them is taken."""
        mass = point.mass / len(truths)
        return [point.below(both(point.guard, truth), mass) for truth in truths]

    def assume(self, point: Point, truth: Truth) -> Point | None:
        """Where it goes on only if this holds."""
        if is_known(truth):
            return point if truth else None
        return point.below(both(point.guard, truth), point.mass / 2)

    # -- instructions

    def _body(self, frame: Frame, label: str, point: Point) -> Point | None:
        where: Point | None = point
        for instr in frame.layout.blocks[label].body:
            if isinstance(instr, Phi):
                continue
            if where is None:
                return None
            where = self._instr(frame, instr, where)
        return where

    def _instr(self, frame: Frame, instr: Instr, point: Point) -> Point | None:
        registers = frame.registers
        match instr:
            case Call():
                return self._call(frame, instr, point)
            case Load():
                registers[instr.result.name] = self._load(frame, instr, point)
            case Store():
                self._store(frame, instr, point)
            case Rmw():
                registers[instr.result.name] = self._update(frame, instr, point)
            case CompareExchange():
                registers[instr.result.name] = self._exchange(frame, instr, point)
            case Alloca():
                count = self.value(self.operand(frame, instr.count), 64)
                size = instr.type.size * count if isinstance(count, int) else None
                name = frame.layout.function.variables.get(instr.result.name)
                made = self.memory.make(name.name if name is not None else "local", "stack", size)
                made.owner = frame.thread
                registers[instr.result.name] = made.base
            case Fence() | Phi():
                pass
            case _:
                registers[instr.result.name] = self._values.compute(frame.layout, registers, instr)
        return point

    def operand(self, frame: Frame, operand: Operand) -> Held:
        return self._values.operand(frame.registers, operand)

    def value(self, held: Held, width: int) -> Value:
        return self._values.value(held, width)

    # -- memory

    def _load(self, frame: Frame, instr: Load, point: Point) -> Held:
        address = self.value(self.operand(frame, instr.address), self.memory.width)
        loaded = self.read(frame, instr.id, instr.pos, point, address, instr.type.size)
        if isinstance(loaded, Event):
            loaded.order = instr.order
            loaded = loaded.result
        return self._values.loaded(loaded, instr.type)

    def read(
        self, frame: Frame, site: SiteId, pos: SourcePos | None, point: Point, address: Value, size: int
    ) -> Value | Event:
        """What is read there; an event, if others may look on."""
        if self._is_own(frame.thread, site, address):
            return self.memory.read(frame.thread, point, address, size)
        made = self._memory_event(frame, Kind.READ, site, pos, point, address, size)
        self._fill_in(made)
        return made

    def _is_own(self, thread: Instance, site: SiteId, address: Value) -> bool:
        """Does no other thread ever see what happens there? What the facts call private may be handed on from one
        thread to the next of its kind, except for what lies on its stack."""
        if site in self.accesses:
            return False
        origin = self.memory.origin(address)
        is_on_stack = bool(origin) and all(found.owner is thread for found in origin or ())
        return is_on_stack or self.settling.is_single(thread)

    def _memory_event(
        self, frame: Frame, kind: Kind, site: SiteId, pos: SourcePos | None, point: Point, address: Value, size: int
    ) -> Event:
        made = self.event(frame.thread, point, kind, site, pos)
        made.accesses, made.address, made.size = self.accesses.get(site, ()), address, size
        return made

    def _fill_in(self, made: Event) -> None:
        """What it reads: known, or a variable."""
        if self.settling.is_settled(made):
            made.result = self.memory.read(made.thread, made.point, made.address, made.size)
            made.is_resolved = True
        else:
            made.result = self.memory.anything(8 * made.size, f"read_{made.thread.number}_{made.index}")

    def _store(self, frame: Frame, instr: Store, point: Point) -> None:
        address = self.value(self.operand(frame, instr.address), self.memory.width)
        value = self._values.stored(self.operand(frame, instr.value), instr.type)
        made = self.write(frame, instr.id, instr.pos, point, address, instr.type.size, value)
        if made is not None:
            made.order = instr.order

    def write(
        self, frame: Frame, site: SiteId, pos: SourcePos | None, point: Point, address: Value, size: int, value: Value
    ) -> Event | None:
        made: Event | None = None
        if not self._is_own(frame.thread, site, address):
            made = self._memory_event(frame, Kind.WRITE, site, pos, point, address, size)
            made.value = value
        self.memory.write(frame.thread, point, address, size, value, made)
        return made

    def _update(self, frame: Frame, instr: Rmw, point: Point) -> Held:
        width = width_of(instr.type)
        size = instr.type.size
        address = self.value(self.operand(frame, instr.address), self.memory.width)
        made = self._memory_event(frame, Kind.UPDATE, instr.id, instr.pos, point, address, size)
        made.order = instr.order
        self._fill_in(made)
        if width is None:
            made.value = self.memory.anything(8 * size)
            return ANYTHING
        old = self._values.shaped(made.result, instr.type, width)
        new = updated(instr.op, old, self.value(self.operand(frame, instr.value), width), width)
        made.value = as_bytes(new, width, size) if new is not None else self.memory.anything(8 * size)
        self.memory.write(frame.thread, point, address, size, made.value, made)
        return old

    def _exchange(self, frame: Frame, instr: CompareExchange, point: Point) -> Held:
        width = width_of(instr.type) or 8 * instr.type.size
        size = instr.type.size
        address = self.value(self.operand(frame, instr.address), self.memory.width)
        made = self._memory_event(frame, Kind.UPDATE, instr.id, instr.pos, point, address, size)
        made.order = instr.order
        if instr.order.acquires and not instr.failure_order.acquires:  # one that fails orders nothing
            made.order = MemoryOrder.RELEASE if instr.order.releases else MemoryOrder.RELAXED
        self._fill_in(made)
        old = self._values.shaped(made.result, instr.type, width)
        success = equal(old, self.value(self.operand(frame, instr.expected), width), width)
        if instr.weak and self.mode.is_proof:
            success = both(success, self.memory.anything(1, "weak"))
        new = self.value(self.operand(frame, instr.new), width)
        made.value = as_bytes(self.memory.choose(success, new, old, width), width, size)
        made.condition = success
        self.memory.write(frame.thread, point, address, size, made.value, made)
        return (old, success)

    # -- calls

    def _call(self, frame: Frame, instr: Call, point: Point) -> Point | None:
        """Each thing that the call may be, on its own path."""
        callee = self.operand(frame, instr.callee) if not isinstance(instr.callee, Address) else None
        targets = self.cp.calls.targets.get(instr.id) if self.cp.calls is not None else None
        names: tuple[str, ...]
        if isinstance(instr.callee, Address):
            names = (instr.callee.symbol,)
        elif targets is None:
            names = ()
        else:
            names = tuple(sorted((*targets.functions, *targets.externals)))
        if targets is not None and targets.is_unknown and not names:
            self.cut(frame, point, instr.id, instr.pos, "not supported: a call of code that is not known")
            return None
        ways: list[tuple[str, Truth]] = []
        for name in names:
            if callee is None:
                ways.append((name, True))
                continue
            address = self.memory.symbol(Address(name), frame.thread)
            is_it = equal(self.value(callee, self.memory.width), address, self.memory.width)
            if is_it is not False:
                ways.append((name, is_it))
        if targets is not None and targets.is_unknown and callee is not None:
            unknown = self.assume(point, negate(either(*(truth for _, truth in ways))))
            if unknown is not None:
                self.cut(frame, unknown, instr.id, instr.pos, "not supported: a call of code that is not known")
        if not ways:
            self.cut(frame, point, instr.id, instr.pos, "not supported: a call through a pointer that is not known")
            return None
        if len(ways) == 1:
            result, behind = self._run(frame, instr, ways[0][0], point)
            if instr.result is not None:
                frame.registers[instr.result.name] = result
            return behind
        registers = frame.registers
        ends: list[tuple[Point, Held]] = []
        for (name, _), where in zip(ways, self.split(point, [truth for _, truth in ways]), strict=True):
            result, behind = self._run(frame, instr, name, where)
            if behind is not None:
                ends.append((behind, result))
        frame.registers = registers
        if not ends:
            return None
        behind, result = self.merged([p for p, _ in ends], [v for _, v in ends], width_of(instr.type))
        if instr.result is not None:
            frame.registers[instr.result.name] = result
        return behind

    def _run(self, frame: Frame, instr: Call, name: str, point: Point) -> tuple[Held, Point | None]:
        if name not in self.program.functions:
            return self._library(self, frame, instr, name, point)
        if frame.stack.count(name) > self.bound:
            self.cut(frame, point, instr.id, instr.pos, f"a recursion of more than {self.bound} calls")
            return ANYTHING, None
        function = self.program.functions[name]
        if function.is_variadic:
            self.cut(frame, point, instr.id, instr.pos, f"not supported: `{function.source_name}`, which is variadic")
            return ANYTHING, None
        arguments = [self.operand(frame, argument) for argument in instr.args]
        if instr.by_value and (instr.id in self.accesses or not self.settling.is_single(frame.thread)):
            self.cut(frame, point, instr.id, instr.pos, "not supported: a struct that is shared, passed by value")
            return ANYTHING, None
        for index, size in instr.by_value:
            copy = self.memory.make("copy", "stack", size)
            copy.owner = frame.thread
            source = self.value(arguments[index], self.memory.width)
            self.copy(frame, instr.id, instr.pos, point, copy.base, source, size)
            arguments[index] = copy.base
        registers = frame.registers
        result, behind = self.call(frame.thread, name, arguments, point, frame.stack, (*frame.calls, instr.id))
        frame.registers = registers
        return result, behind

    def copy(
        self, frame: Frame, site: SiteId, pos: SourcePos | None, point: Point, to: Value, source: Value, size: int
    ) -> None:
        """Bytes from one place to another, in words."""
        width = self.memory.width
        words = []
        offset = 0
        while offset < size:
            step = 8 if size - offset >= 8 else 4 if size - offset >= 4 else 1
            address = arithmetic("add", source, offset, width)
            assert address is not None
            found = self.memory.read(frame.thread, point, self.memory.derive(address, source), step)
            words.append((offset, step, found))
            offset += step
        for offset, step, value in words:
            address = arithmetic("add", to, offset, width)
            assert address is not None
            self.memory.write(frame.thread, point, self.memory.derive(address, to), step, value, None)
