"""Global variables all of whose uses are seen: nobody has a pointer into them.

Such a variable is named only where it is read, written or handed to an operation on threads, always at a constant
place in it. Then whoever uses it is found by looking for its name: no other part of the program can touch it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from raceproof.facts import SyncOp, names_of, sync_op
from raceproof.ir import (
    Address,
    Call,
    CompareExchange,
    Function,
    Instr,
    Load,
    Operand,
    OtherConst,
    Program,
    Rmw,
    Store,
    Terminator,
    operands,
)
from raceproof.model import CallGraph
from raceproof.petri.program_pointers import Place

Memory = Load | Store | Rmw | CompareExchange
_ENDS_OBJECT = frozenset({"pthread_barrier_destroy"})


@dataclass(frozen=True, slots=True)
class Uses:
    """`memory`: what reads and writes each place; `operations`: calls that are one operation on it and nothing else."""

    memory: Mapping[Place, tuple[tuple[Function, Memory], ...]]
    operations: Mapping[Place, tuple[tuple[Call, SyncOp], ...]]


def direct_uses(program: Program, calls: CallGraph) -> Uses:
    """The uses of all global variables that have no others."""
    scan = _Scan(program, calls)
    return Uses(
        {place: tuple(found) for place, found in scan.memory.items() if place[0] not in scan.spoilt},
        {place: tuple(found) for place, found in scan.operations.items() if place[0] not in scan.spoilt},
    )


class _Scan:
    def __init__(self, program: Program, calls: CallGraph) -> None:
        self.memory: dict[Place, list[tuple[Function, Memory]]] = {}
        self.operations: dict[Place, list[tuple[Call, SyncOp]]] = {}
        self.spoilt: set[str] = set()
        self._calls = calls
        for name, variable in program.globals.items():
            if variable.is_external or variable.is_thread_local or not variable.initial_complete:
                self.spoilt.add(name)
            self._spoil(cell.value for cell in variable.initial if isinstance(cell.value, Address))
        for function in program.functions.values():
            for instr in function.instructions():
                self._use(function, instr)

    def _use(self, function: Function, instr: Instr | Terminator) -> None:
        match instr:
            case Load() | Store() | Rmw() | CompareExchange():
                if isinstance(instr.address, Address):
                    place = (instr.address.symbol, instr.address.offset)
                    self.memory.setdefault(place, []).append((function, instr))
                self._spoil(operand for operand in operands(instr) if operand is not instr.address)
            case Call():
                self._call(instr)
            case _:
                self._spoil(operands(instr))

    def _call(self, call: Call) -> None:
        targets = self._calls.targets[call.id]
        is_one = len(targets.externals) == 1 and not targets.functions and not targets.is_unknown
        op = sync_op(targets.externals[0]) if is_one else None
        if op is None:
            self._spoil(call.args)
            return
        is_end = not _ENDS_OBJECT.isdisjoint(names_of(targets.externals[0]))
        for index, argument in enumerate(call.args):
            if isinstance(argument, Address) and index == op.arg:
                self.operations.setdefault((argument.symbol, argument.offset), []).append((call, op))
            elif not (isinstance(argument, Address) and (index == op.lock_arg or (is_end and index == 0))):
                self._spoil([argument])

    def _spoil(self, used: Iterator[Operand] | tuple[Operand, ...] | list[Address] | list[Operand]) -> None:
        for operand in used:
            if isinstance(operand, Address):
                self.spoilt.add(operand.symbol)
            elif isinstance(operand, OtherConst):
                self.spoilt.update(address.symbol for address in operand.addresses)
