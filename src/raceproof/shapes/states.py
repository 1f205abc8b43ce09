"""A moment in the life of one thread: where it stands, what it has in registers, what it owns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, unique

from raceproof.ir import Function, SiteId
from raceproof.model import MemLoc
from raceproof.shapes.surroundings import Surroundings, overlaps
from raceproof.shapes.symbolic_heap import ANYTHING, Heap, Local, Place, Value, leads_to


@unique
class Since(Enum):
    """How the thread has come to own what a lock protects."""

    LOCKED = "locked"
    ALONE = "alone"  # main, while no other thread runs


@dataclass(slots=True)
class Frame:
    """A call under way: the instruction that comes next, or that waits for what it has called."""

    function: Function
    block: int
    step: int
    registers: dict[str, Value]

    def copy(self) -> Frame:
        return Frame(self.function, self.block, self.step, dict(self.registers))


Key = tuple[object, ...]


class State:
    """`owned`: the locks, by number, whose roots the thread owns, and what is in these. `settled`: places that only
    main writes, alone, and what is there; `variables`: of the calls under way, and what is in them; None if they are
    not followed any more, because pointers to them may be anywhere. `held`: locks that it certainly holds, where that
    is asked for. `is_resumed`: the instruction has given up what it must, and was given what it waited for."""

    __slots__ = ("frames", "heap", "held", "is_resumed", "owned", "roots", "settled", "variables")

    def __init__(
        self, frames: list[Frame], heap: Heap, owned: Mapping[int, Since], roots: Mapping[Place, Value]
    ) -> None:
        self.frames = frames
        self.heap = heap
        self.owned = dict(owned)
        self.roots = dict(roots)
        self.settled: dict[Place, Place] = {}
        self.variables: dict[Local, Value | None] = {}
        self.held: frozenset[Place] = frozenset()
        self.is_resumed = False

    @property
    def top(self) -> Frame:
        return self.frames[-1]

    def copy(self) -> State:
        made = State([frame.copy() for frame in self.frames], self.heap.copy(), self.owned, self.roots)
        made.settled = dict(self.settled)
        made.variables = dict(self.variables)
        made.held = self.held
        made.is_resumed = self.is_resumed
        return made

    def call_stack(self) -> tuple[SiteId, ...]:
        """The calls on the way here, outermost first."""
        return tuple(frame.function.blocks[frame.block].body[frame.step].id for frame in self.frames[:-1])

    def forget(self, around: Surroundings) -> Key:
        """Forget what cannot matter any more, and say what is left: states with the same key do the same."""
        for number, frame in enumerate(self.frames):
            is_top = number == len(self.frames) - 1
            live = around.live(frame.function, frame.block, frame.step if is_top else frame.step + 1)
            frame.registers = {
                name: value for name, value in sorted(frame.registers.items()) if name in live and value is not ANYTHING
            }
        self.roots = dict(sorted(self.roots.items(), key=lambda item: (item[0].object, item[0].offset or 0)))
        named = [value for frame in self.frames for value in frame.registers.values()]
        named += self.roots.values()
        self.variables = dict(sorted(self.variables.items(), key=lambda item: (item[0].depth, item[0].name)))
        named += (value for value in self.variables.values() if value is not None)
        self.heap.fold(named)
        where = tuple((frame.function.name, frame.block, frame.step, tuple(frame.registers)) for frame in self.frames)
        owned = tuple(sorted((number, since.value) for number, since in self.owned.items()))
        variables = tuple((variable, value is None) for variable, value in self.variables.items())
        settled = frozenset(self.settled.items())
        return where, owned, variables, settled, self.held, self.heap.written(named)

    def lose(self, nodes: set[int]) -> None:
        """Nodes are the thread's no longer: what points to them points to anything."""
        self.heap.without(nodes)
        for frame in self.frames:
            for name, value in frame.registers.items():
                if leads_to(value, nodes):
                    frame.registers[name] = ANYTHING
        for root, value in self.roots.items():
            if leads_to(value, nodes):
                self.roots[root] = ANYTHING
        for variable, inside in self.variables.items():
            if inside is not None and leads_to(inside, nodes):
                self.variables[variable] = ANYTHING

    def leave_call(self) -> None:
        """The innermost call is over, and its variables with it."""
        self.frames.pop()

        def is_gone(value: Value | None) -> bool:
            return isinstance(value, Local) and value.depth > len(self.frames)

        kept = {variable: inside for variable, inside in self.variables.items() if not is_gone(variable)}
        self.variables = {variable: ANYTHING if is_gone(inside) else inside for variable, inside in kept.items()}
        for frame in self.frames:
            frame.registers = {name: v for name, v in frame.registers.items() if not is_gone(v)}

    def expose(self, value: Value) -> Value:
        """A pointer goes where it is not followed: what it points to may be changed by anybody from now on."""
        if isinstance(value, Local):
            if value in self.variables:
                self.variables[value] = None
            return ANYTHING
        return value

    def overwrite_settled(self, targets: Iterable[MemLoc], width: int) -> None:
        """Something was written, to one of the targets."""
        for target in targets:
            for place in [place for place in self.settled if overlaps(target, place, width)]:
                del self.settled[place]
