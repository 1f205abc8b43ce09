"""A timed wait may return 0 without a signal (spurious wakeup). The explorer's times out: what does that leave out?

Nothing, if the program tests something else before it goes on: it finds what it waits for, as if it had come later, or
waits again, and may time out there. It must not conclude from the result alone that it was woken.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from raceproof.facts import Sync, sync_op
from raceproof.ir import (
    Address,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    Function,
    Instr,
    IntConst,
    Operand,
    Phi,
    Program,
    Reg,
    Return,
    Rmw,
    Store,
    Terminator,
    operands,
    result,
    successors,
)

_COMPARES: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}


def telling_wakeups(program: Program) -> Iterator[Call]:
    """Timed waits that do something because the result is 0, without a test of anything else."""
    for function in program.functions.values():
        calls = [instr for instr in function.instructions() if isinstance(instr, Call) and _is_timed_wait(instr)]
        yield from (call for call in calls if not _Woken(function, call).tests_again())


def _is_timed_wait(call: Call) -> bool:
    if not isinstance(call.callee, Address) or call.result is None:
        return False
    op = sync_op(call.callee.symbol)
    return op is not None and op.kind is Sync.WAIT and op.is_timed


class _Woken:
    """What one wait does when its result is 0."""

    def __init__(self, function: Function, call: Call) -> None:
        assert call.result is not None
        self._call = call
        self._is_main = function.name == "main"  # whose result nobody sees
        self._blocks = {block.label: block for block in function.blocks}
        self._made = {made.name: instr for instr in function.instructions() if (made := result(instr)) is not None}
        self._home = next(block for block in function.blocks if call in block.body)
        self._values = self._derived(function, call.result.name)

    def tests_again(self) -> bool:
        if self._is_kept_elsewhere():
            return False
        work = self._ways_on(self._home, False)
        seen = set(work)
        while work:
            label, decided = work.pop()
            block = self._blocks[label]
            if decided and self._call in block.body:
                continue  # it waits again
            does_something = any(isinstance(instr, Store | Rmw | Call) for instr in block.body)
            if decided and (does_something or (isinstance(block.terminator, Return) and not self._is_main)):
                return False
            new = [way for way in self._ways_on(block, decided) if way not in seen]
            seen.update(new)
            work += new
        return True

    def _derived(self, function: Function, name: str) -> dict[str, int]:
        """Registers that the result decides, each with its value where the result is 0."""
        values = {name: 0}
        size = 0
        while size < len(values):
            size = len(values)
            for instr in function.instructions():
                made = result(instr)
                if made is not None and made.name not in values and (value := self._value(instr, values)) is not None:
                    values[made.name] = value
        return values

    @staticmethod
    def _value(instr: Instr | Terminator, values: dict[str, int]) -> int | None:
        def of(operand: Operand) -> int | None:
            return values.get(operand.name) if isinstance(operand, Reg) else None

        match instr:
            case Cast(value=value):
                return of(value)
            case Compare(predicate=predicate, left=left, right=IntConst(value=constant)):
                known = of(left)
                return (
                    int(_COMPARES[predicate](known, constant)) if known is not None and predicate in _COMPARES else None
                )
            case Phi(incoming=incoming):
                known_values = {of(operand) for operand, _ in incoming} - {None}
                return known_values.pop() if len(known_values) == 1 else None
        return None

    def _is_kept_elsewhere(self) -> bool:
        """The result, or what it decides, goes where it is not followed."""
        for block in self._blocks.values():
            for instr in block.body:
                made = result(instr)
                uses = any(isinstance(o, Reg) and o.name in self._values for o in operands(instr))
                if uses and instr is not self._call and (made is None or made.name not in self._values):
                    return True
            end = block.terminator
            uses = any(isinstance(o, Reg) and o.name in self._values for o in operands(end))
            if uses and not isinstance(end, Branch):
                return True
        return False

    def _ways_on(self, block: Block, decided: bool) -> list[tuple[str, bool]]:
        """Where the thread may go from a block; `decided`: it is where it is because the result is 0."""
        end = block.terminator
        if isinstance(end, Branch) and isinstance(end.condition, Reg) and end.condition.name in self._values:
            return [(end.if_true if self._values[end.condition.name] else end.if_false, True)]
        is_test = len(successors(end)) > 1
        return [] if decided and is_test else [(label, decided) for label in successors(end)]
