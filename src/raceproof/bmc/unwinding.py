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
from fractions import Fraction

from raceproof.bmc.accesses import Accesses
from raceproof.bmc.addresses import harmless_conversions
from raceproof.bmc.conflicts import Conflicts
from raceproof.bmc.evaluation import Evaluator, Registers, shown_width
from raceproof.bmc.events import MEMORY, Event, Instance, Kind, Point
from raceproof.bmc.frames import Arrival, Frame, Round, differ, leaves_something
from raceproof.bmc.instructions import ANYTHING, Held, width_of
from raceproof.bmc.interrupts import Watch
from raceproof.bmc.memory import Memory
from raceproof.bmc.mutexes import Mutexes
from raceproof.bmc.overwriting import Overwriting
from raceproof.bmc.paths import assume, joined_point, joined_registers, joined_values, split
from raceproof.bmc.settling import Settling
from raceproof.bmc.terms import Truth, Value, either, equal, is_known, negate, number, resize, variable
from raceproof.bmc.unrolling import Copy, Layout
from raceproof.bmc.unwound import Mode, Unwound
from raceproof.core import LimitReached, SourcePos
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

_FOLLOWED = MEMORY | {Kind.CUT}
"""Events of a call that touches what threads share: without one of them its pairs would be proved for nothing."""
FREE_ROUNDS = 16
"""Rounds of a loop for each of the bound, if nothing that is not known decides about them."""


class Unwinder:
    """Makes an `Unwound`. `library` does what calls of functions outside the program do."""

    def __init__(
        self,
        conflicts: Conflicts,
        bound: int,
        mode: Mode,
        library: Callable[[Unwinder, Frame, Call, str, Point], tuple[Held, Point | None]],
        watch: Watch,
        max_events: int,
    ) -> None:
        self.cp = cp = conflicts.cp
        self.program = cp.program
        self.bound = bound
        self.mode = mode
        self.memory = Memory(cp.program, None if mode.is_proof else 0)
        self.threads: list[Instance] = []
        self._settling = Settling(conflicts, self.threads, self.memory, mode.uses_facts)
        self._ends: dict[str, None] = {}
        self._values = Evaluator(self.memory, harmless_conversions(cp))
        self.mutexes = Mutexes(cp.program, self.memory)
        self._overwriting = Overwriting(self.memory, self.mutexes, cp.overwriting)
        self.accesses = Accesses(cp, self.memory, self._values, self._settling, self._overwriting, mode, self.event)
        self._library = library
        self._watch = watch
        self._max_events = max_events
        self._events = 0
        self._layouts: dict[str, Layout] = {}
        self._exits: list[tuple[Point, Value]] = []

    # -- threads

    def run(self) -> Unwound:
        self.thread(self.program.entry, None, None, Point(True, None, Fraction(1)), 0)
        done = 0
        while done < len(self.threads):
            self._unwind(self.threads[done])
            done += 1
        if self.mutexes.is_mixed:
            self._values.notes["a mutex is initialised in different ways"] = None
        overwritten: list[tuple[Event, Truth]] = []
        for event, there, what in (
            self._overwriting.unaccounted(self.threads, self._watch) if self.mode.is_proof else ()
        ):
            if event is None or there is True:
                self._values.notes[what] = None
            else:
                overwritten.append((event, there))
        return Unwound(self.threads, self.memory, self.bound, self.mode, self._values.notes, self._ends, overwritten)

    def thread(
        self, function: str, parent: Instance | None, created: Event | None, root: Point, argument: Value
    ) -> Instance:
        number_ = len(self.threads)
        made = Instance(number_, function, parent, created, root, self.handle(number_), argument)
        self.threads.append(made)
        self.memory.begin(made, parent, created.point if created is not None else None)
        return made

    def handle(self, number_: int) -> Value:
        """The id of the thread with that number. A proof only knows that no two are the same: a program that looks
        closer, or computes with them, has other ids than ours."""
        return variable(f"id_{number_}", self.memory.width) if self.mode.is_proof else number_ + 1

    def _unwind(self, thread: Instance) -> None:
        function = self.program.functions[thread.function]
        self._values.thread, self._exits = thread, []
        self.event(thread, thread.root, Kind.START, SiteId(-1), function.pos)
        count = len(function.params)
        arguments: tuple[Held, ...] = (thread.argument,) if thread.created is not None else ()
        if thread.created is None and self.mode.argc is not None:
            arguments = (self.mode.argc,)
        padded: list[Held] = [*arguments[:count], *(ANYTHING for _ in range(count - len(arguments)))]
        result, point = self.call(thread, thread.function, padded, thread.root, (), ())
        if point is not None:
            before = width_of(function.returns) or self.memory.width
            told = resize(self.value(result, before), before, self.memory.width, True)
            self._exits.append((point, told if thread.created is not None else 0))
        if self._exits and thread.created is not None:
            behind, thread.result = self.merged(self._exits, self.memory.width)
            thread.end = self.event(thread, behind, Kind.END, SiteId(-1), None)
        thread.is_finished = True

    def exit(self, point: Point, value: Value) -> None:
        """The current thread ends here."""
        self._exits.append((point, value))

    def event(self, thread: Instance, point: Point, kind: Kind, site: SiteId, pos: SourcePos | None) -> Event:
        self._watch.check()
        self._events += 1
        if self._events > self._max_events:
            raise LimitReached(f"the unwound program has more than {self._max_events:,} events")
        made = Event(thread, len(thread.events), kind, point, site, pos)
        thread.events.append(made)
        thread.by_site.setdefault(site, []).append(made)
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
            self._layouts[name] = Layout(self.program.functions[name], self.memory.width, self.mutexes.may_nest)
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
        behind, result = self.merged(returns, width_of(layout.function.returns))
        if is_atomic:
            self.event(thread, behind, Kind.SECTION_END, SiteId(-1), layout.function.pos)
        return result, behind

    def _blocks(self, frame: Frame, start: Point) -> list[tuple[Point, Held]]:
        layout = frame.layout
        first = Copy(layout.entry, (0,) * len(layout.heads[layout.entry]))
        arrivals: dict[Copy, list[Arrival]] = {first: [Arrival(start, frame.registers, "", (0,) * len(first.counters))]}
        queue = [(layout.key(first), first.label, first)]
        masses: dict[Copy, Fraction] = {}
        rounds: dict[Copy, Round] = {}
        returns: list[tuple[Point, Held]] = []
        while queue:
            self._watch.check()
            _, _, copy = heapq.heappop(queue)
            came = arrivals.pop(copy)
            point = joined_point([a.point for a in came])
            masses[copy] = point.mass
            charges = tuple(max(c) for c in zip(*(a.charges for a in came), strict=True))
            frame.registers = joined_registers(self._values, layout, copy.label, came)
            if layout.heads[copy.label][-1:] == (copy.label,):
                rounds[copy] = Round(len(frame.thread.events), dict(frame.registers))
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
                        narrowed = assume(where, leaves_something(self._values, frame, rounds[head], copy.label, label))
                        if narrowed is None:
                            continue
                        where = narrowed
                    is_free = where.mass == masses.get(head) and to.counters[-1] <= FREE_ROUNDS * self.bound
                    reached[-1] += 0 if is_free and not layout.is_endless(label) else 1
                if to not in arrivals:
                    arrivals[to] = []
                    heapq.heappush(queue, (layout.key(to), to.label, to))
                arrivals[to].append(Arrival(where, frame.registers, copy.label, tuple(reached)))
        return returns

    def _cut_loop(self, frame: Frame, layout: Layout, point: Point, head: Copy, rounds: dict[Copy, Round]) -> None:
        """The rounds that are left out; nothing, if they could not make a difference."""
        terminator = layout.blocks[head.label].terminator
        where: Point | None = point
        before = rounds.get(Copy(head.label, (*head.counters[:-1], head.counters[-1] - 1)))
        if layout.only_waits(head.label) and before is not None:
            where = assume(point, differ(frame, before, rounds[head], head.label))
        if where is not None:
            self.cut(frame, where, terminator.id, terminator.pos, f"more than {self.bound} rounds of a loop")

    def merged(self, ends: Sequence[tuple[Point, Held]], width: int | None) -> tuple[Point, Held]:
        """Where paths come together, and what they bring."""
        brought = joined_values(self._values, ends, width or self.memory.width)
        return joined_point([point for point, _ in ends]), brought

    def _edges(self, frame: Frame, terminator: Terminator, point: Point) -> list[tuple[str, Point]]:
        match terminator:
            case Jump(target=target):
                return [(target, point)]
            case Branch(condition=condition, if_true=a, if_false=b):
                if a == b:
                    return [(a, point)]
                truth = self.value(self.operand(frame, condition), 1)
                return (
                    list(zip((a, b), split(point, [truth, negate(truth)]), strict=True))
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
        width = shown_width(held) or (frame.layout.widths.get(operand.name) if isinstance(operand, Reg) else 64)
        if width is None:  # what a negative number is depends on it
            width, held = self.memory.width, ANYTHING
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
        return list(zip([label for label, _ in ways], split(point, [t for _, t in ways]), strict=True))

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
                registers[instr.result.name] = self.accesses.load(frame, instr, point)
            case Store():
                self.accesses.store(frame, instr, point)
            case Rmw():
                registers[instr.result.name] = self.accesses.update(frame, instr, point)
            case CompareExchange():
                registers[instr.result.name] = self.accesses.exchange(frame, instr, point)
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
            unknown = assume(point, negate(either(*(truth for _, truth in ways))))
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
        for (name, _), where in zip(ways, split(point, [truth for _, truth in ways]), strict=True):
            result, behind = self._run(frame, instr, name, where)
            if behind is not None:
                ends.append((behind, result))
        frame.registers = registers
        if not ends:
            return None
        behind, result = self.merged(ends, width_of(instr.type))
        if instr.result is not None:
            frame.registers[instr.result.name] = result
        return behind

    def _run(self, frame: Frame, instr: Call, name: str, point: Point) -> tuple[Held, Point | None]:
        if name not in self.program.functions:
            before = len(frame.thread.events)
            outcome = self._library(self, frame, instr, name, point)
            if instr.id in self.accesses.by_site and not any(e.kind in _FOLLOWED for e in frame.thread.events[before:]):
                self._values.notes[f"what `{name}` touches is not followed"] = None
            return outcome
        if frame.stack.count(name) > self.bound:
            self.cut(frame, point, instr.id, instr.pos, f"a recursion of more than {self.bound} calls")
            return ANYTHING, None
        function = self.program.functions[name]
        if function.is_variadic:
            self.cut(frame, point, instr.id, instr.pos, f"not supported: `{function.source_name}`, which is variadic")
            return ANYTHING, None
        arguments = [self.operand(frame, argument) for argument in instr.args]
        if instr.by_value and instr.id in self.accesses.by_site and not isinstance(instr.callee, Address):
            what = "not supported: a struct that is shared, passed by value through a pointer"
            self.cut(frame, point, instr.id, instr.pos, what)
            return ANYTHING, None
        for index, size in instr.by_value:
            copy = self.memory.make("copy", "stack", size)
            copy.owner = frame.thread
            source = self.value(arguments[index], self.memory.width)
            self.accesses.copy(frame, instr, point, (copy.base, None), (source, index), size)
            arguments[index] = copy.base
        registers = frame.registers
        result, behind = self.call(frame.thread, name, arguments, point, frame.stack, (*frame.calls, instr.id))
        frame.registers = registers
        return result, behind
