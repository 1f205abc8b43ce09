"""Which joins wait for which threads: thread ids that live in variables of their own.

A variable for ids (local or global, one id or an array) is *plain* if nothing but `pthread_create` writes to it and its
address goes nowhere else. A join of what is loaded from it can only be of a thread that was created into it: the
join takes one token from a place into which each such thread puts one at its end. A thread is joined at most once (see
docs/soundness.md), so there are never fewer tokens than joins; which thread of the variable it was is not told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from raceproof.facts import Sync, sync_op
from raceproof.ir import (
    Address,
    Alloca,
    Call,
    Function,
    Gep,
    Instr,
    IntConst,
    Load,
    Operand,
    OtherConst,
    Program,
    Reg,
    SiteId,
    Store,
    Terminator,
    operands,
)
from raceproof.model import CallGraph

Variable = tuple[str, str]
"""A function and its stack slot, or "" and a global variable."""

_MARKERS = ("llvm.lifetime.start", "llvm.lifetime.end")


@dataclass
class ThreadIds:
    """`created`: create site -> the plain variable that gets the id; `joined`: join site -> that the id comes from."""

    created: dict[SiteId, Variable] = field(default_factory=dict)
    joined: dict[SiteId, Variable] = field(default_factory=dict)


def thread_ids(program: Program, calls: CallGraph) -> ThreadIds:
    """Find all plain variables for ids, and the calls that use them."""
    found = ThreadIds()
    spoilt: set[Variable] = {
        ("", cell.value.symbol)
        for variable in program.globals.values()
        for cell in variable.initial
        if isinstance(cell.value, Address)
    }
    spoilt.update(("", name) for name, variable in program.globals.items() if variable.is_external)
    for function in program.functions.values():
        _Uses(function, calls, found, spoilt).read()
    found.created = {site: v for site, v in found.created.items() if v not in spoilt}
    found.joined = {site: v for site, v in found.joined.items() if v not in spoilt}
    return found


class _Uses:
    """All uses of stack slots and globals in one function."""

    def __init__(self, function: Function, calls: CallGraph, found: ThreadIds, spoilt: set[Variable]) -> None:
        self._function = function
        self._calls = calls
        self._found = found
        self._spoilt = spoilt
        self._derived: dict[str, Variable] = {}
        self._loaded: dict[str, Variable] = {}

    def read(self) -> None:
        instructions = list(self._function.instructions())
        self._derive(instructions)
        for instr in instructions:
            if isinstance(instr, Load) and (variable := self._variable(instr.address)) is not None:
                self._loaded[instr.result.name] = variable
        for instr in instructions:
            self._use(instr)

    def _derive(self, instructions: list[Instr | Terminator]) -> None:
        """Pointers into a variable, whichever element of it; blocks may stand in any order."""
        for instr in instructions:
            if isinstance(instr, Alloca):
                self._derived[instr.result.name] = (self._function.name, instr.result.name)
        changed = True
        while changed:
            changed = False
            for instr in instructions:
                if isinstance(instr, Gep) and instr.result.name not in self._derived:
                    variable = self._variable(instr.base)
                    if variable is not None:
                        self._derived[instr.result.name] = variable
                        changed = True

    def _variable(self, operand: Operand) -> Variable | None:
        if isinstance(operand, Address):
            return "", operand.symbol
        return self._derived.get(operand.name) if isinstance(operand, Reg) else None

    def _use(self, instr: Instr | Terminator) -> None:
        match instr:
            case Load():
                return
            case Gep():
                self._spoil(term.index for term in instr.terms)
            case Store():
                self._spoil([instr.value])
                if not isinstance(instr.value, IntConst):
                    self._spoil([instr.address])
            case Call():
                self._call(instr)
            case _:
                self._spoil(operands(instr))

    def _call(self, call: Call) -> None:
        targets = self._calls.targets[call.id]
        if targets.externals and all(name.startswith(_MARKERS) for name in targets.externals) and not targets.functions:
            return
        ops = [sync_op(name) for name in targets.externals]
        is_one = len(ops) == 1 and not targets.functions and not targets.is_unknown
        op = ops[0] if is_one else None
        if op is not None and op.arg is not None and op.arg < len(call.args):
            object_ = call.args[op.arg]
            if op.kind is Sync.CREATE and (variable := self._variable(object_)) is not None:
                self._found.created[call.id] = variable
                self._spoil(a for i, a in enumerate(call.args) if i != op.arg)
                return
            if op.kind is Sync.JOIN and isinstance(object_, Reg) and object_.name in self._loaded:
                self._found.joined[call.id] = self._loaded[object_.name]
        self._spoil(call.args)

    def _spoil(self, used: Iterator[Operand] | tuple[Operand, ...] | list[Operand]) -> None:
        for operand in used:
            if isinstance(operand, OtherConst):
                self._spoilt.update(("", address.symbol) for address in operand.addresses)
            elif (variable := self._variable(operand)) is not None:
                self._spoilt.add(variable)
