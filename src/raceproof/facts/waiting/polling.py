"""Loops that may go round until another thread changes something.

A loop (or a function that calls itself) polls if what decides whether it ends may depend on memory, on a try of a lock,
or on code that nobody describes, unless one of its exits is *counted*: a value that every round moves by a constant is
compared with a bound in every round. Whatever else such a loop does, store, lock, or sleep: it may be that only another
thread can let it out. Over-approximates: loops over lists and queues are among them. A loop without an exit never gives
back what its thread holds. A loop whose exits depend on the thread's own numbers alone is taken to end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from raceproof.core import strongly_connected
from raceproof.facts.flow.function_info import FunctionInfo
from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Sync
from raceproof.facts.library.input_functions import input_kind
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import (
    Address,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    IndirectJump,
    Instr,
    IntConst,
    IntType,
    Load,
    Operand,
    Phi,
    PtrType,
    Reg,
    Rmw,
    Switch,
    Terminator,
    operands,
    successors,
)
from raceproof.model import CallGraph, Unaccounted

_WITH_EQUALITY: Final = ("sle", "ule", "sge", "uge")
"""Of these a bound must not be the last number of its type: then they hold for ever."""


class PollingLoops:
    """Finds them, function by function."""

    def __init__(self, world: World, calls: CallGraph) -> None:
        self._world = world
        self._calls = calls
        self._telling: dict[str, bool] = {}
        self._recursive = self._in_cycles()

    def in_function(self, name: str) -> Iterator[Unaccounted]:
        info = self._world.info(name)
        for body, header in _cycles(info):
            if header is not None and _is_counted(info, header, body):
                continue
            exits = [label for label in sorted(body) if any(s not in body for s in _ways(info, label))]
            if not exits:
                pos = next((i.pos for label in sorted(body) for i in _all(info, label) if i.pos is not None), None)
                yield Unaccounted("a loop without an end: who waits for this thread waits for ever", pos)
            elif self._is_decided_outside(info, body, exits):
                terminators = [info.blocks[label].terminator for label in (*exits, *sorted(body))]
                pos = next((each.pos for each in terminators if each.pos is not None), None)
                yield Unaccounted("a loop may wait until another thread changes what it reads", pos)
        if name in self._recursive and self._is_decided_outside(info, frozenset(info.order), info.order):
            yield Unaccounted(f"`{name}` may call itself until another thread changes what it reads", info.function.pos)

    def _in_cycles(self) -> frozenset[str]:
        """Functions that may call themselves, directly or not."""
        program = self._world.program
        callees: dict[str, list[str]] = {name: [] for name in program.functions}
        for name, function in program.functions.items():
            for instr in function.instructions():
                targets = self._calls.targets.get(instr.id) if isinstance(instr, Call) else None
                if targets is not None:
                    callees[name] += [n for n in (*targets.functions, *targets.callbacks) if n in callees]
        components = strongly_connected(list(callees), lambda name: callees[name])
        return frozenset(n for part in components for n in part if len(part) > 1 or n in callees[n])

    def _is_decided_outside(self, info: FunctionInfo, body: Collection[str], exits: Iterable[str]) -> bool:
        """Whether what the terminators of `exits` go by may depend on what the thread does not know by itself."""
        everywhere = [info.blocks[label].terminator for label in sorted(body)]
        work = _conditions(info.blocks[label].terminator for label in exits)
        seen: set[Operand] = set()
        while work:
            operand = work.pop()
            if operand in seen or not isinstance(operand, Reg):
                continue
            seen.add(operand)
            made = info.definitions.get(operand.name)
            if made is None or info.block_of[made.id] not in body:
                continue  # known before the loop, or a parameter
            if isinstance(made, Phi):
                work += _conditions(everywhere)  # which way was taken decides
            if isinstance(made, Load | Rmw | CompareExchange) or (isinstance(made, Call) and self._tells(made)):
                return True
            work += operands(made)
        return False

    def _tells(self, call: Call) -> bool:
        """Whether the result of a call may depend on what other threads do."""
        targets = self._calls.targets.get(call.id)
        if targets is None:
            return False
        if targets.is_unknown or any(map(self._may_tell, targets.functions)):
            return True
        return any(self._library_tells(call, name) for name in targets.externals)

    def _library_tells(self, call: Call, name: str) -> bool:
        operation = sync_op(name)
        if operation is not None:
            return operation.kind is not Sync.YIELD
        if input_kind(name, self._world.program) is not None:
            return False  # the outside world is taken to come to its end
        return effect_of(name, self._world.program) is None or any(
            isinstance(kind, PtrType) and not self._is_constant(argument)
            for argument, kind in zip(call.args, call.arg_types, strict=True)
        )

    def _is_constant(self, operand: Operand) -> bool:
        variable = self._world.program.globals.get(operand.symbol) if isinstance(operand, Address) else None
        return variable is not None and variable.is_constant

    def _may_tell(self, name: str) -> bool:
        """Whether a function of the program looks at memory, or asks somebody who may."""
        if name not in self._telling:
            self._telling[name] = False  # a recursive call says nothing new
            self._telling[name] = any(
                isinstance(i, Load | Rmw | CompareExchange) or (isinstance(i, Call) and self._tells(i))
                for i in self._world.program.functions[name].instructions()
            )
        return self._telling[name]


def _all(info: FunctionInfo, label: str) -> tuple[Instr | Terminator, ...]:
    return (*info.blocks[label].body, info.blocks[label].terminator)


def _ways(info: FunctionInfo, label: str) -> tuple[str, ...]:
    return tuple(successors(info.blocks[label].terminator))


def _cycles(info: FunctionInfo) -> Iterator[tuple[frozenset[str], str | None]]:
    """The natural loops with their headers, and what is left of cycles without their way back to the header."""
    for header, body in info.loops.items():
        yield body, header
    forward = {
        label: [s for s in _ways(info, label) if not (s in info.loops and label in info.loops[s])]
        for label in info.order
    }
    for component in strongly_connected(info.order, lambda label: forward[label]):
        if len(component) > 1 or component[0] in forward[component[0]]:
            yield frozenset(component), None


def _conditions(terminators: Iterable[Terminator]) -> list[Operand]:
    return [o for t in terminators if isinstance(t, Branch | Switch | IndirectJump) for o in operands(t)[:1]]


def _is_counted(info: FunctionInfo, header: str, body: frozenset[str]) -> bool:
    """Whether an exit that every round comes to compares a value that every round moves by a constant."""
    latches = [label for label in info.predecessors[header] if label in body]
    moving = _moving(info, header, body)
    for label in sorted(body):
        terminator = info.blocks[label].terminator
        leaves = any(s not in body for s in _ways(info, label))
        if not (leaves and isinstance(terminator, Branch) and all(info.dominates(label, latch) for latch in latches)):
            continue
        test = info.definitions.get(terminator.condition.name) if isinstance(terminator.condition, Reg) else None
        if isinstance(test, Compare) and info.runs_once_per_round(header, label):
            sides = ((test.left, test.right), (test.right, test.left))
            if any(_counts_to(info, body, moving, test.predicate, count, bound) for count, bound in sides):
                return True
    return False


def _counts_to(
    info: FunctionInfo,
    body: frozenset[str],
    moving: Mapping[str, int],
    predicate: str,
    count: Operand,
    bound: Operand,
) -> bool:
    register = _widened(info, count)
    if register is None or register.name not in moving:
        return False
    counter = info.definitions[register.name]
    bits = counter.type.bits if isinstance(counter, Phi | Binary) and isinstance(counter.type, IntType) else 0
    if register != count and not (isinstance(bound, IntConst) and abs(bound.value) < 2 ** (bits - 1) - 1):
        return False  # a short counter may never come as far
    if isinstance(bound, Reg):
        made = info.definitions.get(bound.name)
        if made is not None and info.block_of[made.id] in body:
            return False
    if predicate in ("eq", "ne"):  # it comes by every number
        return abs(moving[register.name]) == 1
    if predicate in _WITH_EQUALITY:
        return isinstance(bound, IntConst) and abs(bound.value) < 2**31 - 1 and bound.value != 0
    return predicate in ("slt", "ult", "sgt", "ugt")


def _widened(info: FunctionInfo, operand: Operand) -> Reg | None:
    while isinstance(operand, Reg):
        made = info.definitions.get(operand.name)
        if not isinstance(made, Cast) or made.op not in ("sext", "zext"):
            return operand
        operand = made.value
    return None


def _moving(info: FunctionInfo, header: str, body: frozenset[str]) -> Mapping[str, int]:
    """Numbers that every round moves by the same constant: of the header, and as they are when it was added."""
    found: dict[str, int] = {}
    for phi in info.blocks[header].body:
        if not isinstance(phi, Phi):
            continue
        back = {value for value, label in phi.incoming if label in body}
        value = next(iter(back)) if len(back) == 1 else None
        made = info.definitions.get(value.name) if isinstance(value, Reg) else None
        if isinstance(value, Reg) and isinstance(made, Binary) and (made.op, made.left) in _steps_of(phi):
            step = made.right.value if isinstance(made.right, IntConst) else 0
            if step:
                found[phi.result.name] = found[value.name] = step if made.op == "add" else -step
    return found


def _steps_of(phi: Phi) -> tuple[tuple[str, Operand], ...]:
    return (("add", phi.result), ("sub", phi.result))
