"""Registers that have no value on some way: local variables that were read before anything was stored in them.

They begin as `freeze undef` (`unwritten_locals`). Where ways meet, a phi may have a value on one and none on the other;
whether the program ever goes that way and then uses it is asked when it runs. So each such phi gets a companion that
says whether it has a value, and the companion is looked at where the phi is used:

    %x = phi i32 [ 1, %a ], [ undef, %b ]
    %u = phi i1 [ false, %a ], [ true, %b ]        ->  rp_undefined(%u, site) before %x is used

Moving such a value about is no use: into another phi, out of a function whose result nobody looks at, or between the
parts of one register, as passing small structures does. Storing it is one: who reads it there is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from raceproof.ir import (
    Address,
    Binary,
    Call,
    Cast,
    Compute,
    Extract,
    Function,
    Instr,
    IntConst,
    IntType,
    Operand,
    OtherConst,
    Phi,
    Program,
    Reg,
    Return,
    Terminator,
    operands,
)

_EVERY = (1 << 64) - 1  # of a value that is not followed by bits
_NOTHING = frozenset(("undef", "poison"))
_ASSEMBLING = frozenset(("insertvalue", "insertelement", "shufflevector", "freeze"))  # what they begin with is replaced
_CREATES = {"pthread_create": 2, "thrd_create": 1}  # which argument the new thread runs
_JOINS = frozenset(("pthread_join", "thrd_join", "pthread_tryjoin_np", "pthread_timedjoin_np", "pthread_clockjoin_np"))


def is_nothing(operand: Operand) -> bool:
    """A value that was never given."""
    return isinstance(operand, OtherConst) and operand.text in _NOTHING


@dataclass(frozen=True, slots=True)
class UndefinedValues:
    """Of one function: registers some bits of which never have a value, and phis that have none on some ways."""

    never: frozenset[Reg] = frozenset()
    sometimes: frozenset[Reg] = frozenset()
    result_is_used: bool = True

    def __bool__(self) -> bool:
        return bool(self.never or self.sometimes)

    def asks_of(self, instr: Instr | Terminator) -> tuple[bool, tuple[Reg, ...]]:
        """Whether the instruction uses a value that was never given, and the phis that it uses."""
        used = _used(instr, self.result_is_used)
        if isinstance(instr, Extract):
            return False, ()
        never = not _moves(instr) and any(is_nothing(o) or o in self.never for o in used)
        return never, tuple(dict.fromkeys(o for o in used if isinstance(o, Reg) and o in self.sometimes))


NO_UNDEFINED = UndefinedValues()


def _used(instr: Instr | Terminator, result_is_used: bool) -> Iterable[Operand]:
    """Operands on whose value something depends."""
    match instr:
        case Phi():
            return ()
        case Return() if not result_is_used:
            return ()
        case Compute(op=op) if op in _ASSEMBLING:
            return [o for o in instr.operands if not is_nothing(o)]
        case Call(callee=Address(symbol=name)) if name.startswith("llvm."):
            return [o for o in instr.args if not is_nothing(o)]
        case _:
            return operands(instr)


def _moves(instr: Instr | Terminator) -> bool:
    """It only moves bits about: what has no value before has none afterwards, or is masked out."""
    match instr:
        case Binary(op="and" | "or"):
            return True
        case Binary(op="shl" | "lshr", right=IntConst()):
            return True
        case Cast(op="zext" | "trunc"):
            return True
    return False


def undefined_values(function: Function, result_is_used: bool) -> UndefinedValues:
    """Linear in the function, but for chains of phis."""
    bits: dict[Reg, int] = {}  # those that never have a value
    phis: list[Phi] = []
    for instr in function.instructions():
        match instr:
            case Phi():
                phis.append(instr)
            case Compute(op="freeze", operands=(operand,)) if is_nothing(operand):
                bits[instr.result] = _EVERY
            case Extract(result=result, aggregate=aggregate):
                if aggregate in bits:
                    bits[result] = _EVERY
            case Binary(result=result) | Cast(result=result):
                if _moves(instr) and (found := _bits(instr, bits)):
                    bits[result] = found
            case _:
                pass
    sometimes: set[Reg] = set()
    grows = True
    while grows:
        before = len(sometimes)
        for phi in phis:
            if any(is_nothing(v) or v in bits or v in sometimes for v, _ in phi.incoming):
                sometimes.add(phi.result)
        grows = len(sometimes) > before
    return UndefinedValues(frozenset(bits), frozenset(sometimes), result_is_used)


def _bits(instr: Binary | Cast, known: Mapping[Reg, int]) -> int:
    """The bits of the result that have no value, in a chain that begins with a variable that was never written.

    An `undef` among them is the space between the fields of a structure."""

    def of(operand: Operand, width: int) -> int:
        return known.get(operand, 0) & ((1 << width) - 1) if isinstance(operand, Reg) else 0

    if isinstance(instr, Cast):
        width = instr.from_type.bits if isinstance(instr.from_type, IntType) else 0
        to = instr.to_type.bits if isinstance(instr.to_type, IntType) else 0
        return of(instr.value, width) & ((1 << to) - 1)
    width = instr.type.bits if isinstance(instr.type, IntType) else 0
    left, right = of(instr.left, width), of(instr.right, width)
    constant = instr.right.value if isinstance(instr.right, IntConst) else None
    match instr.op:
        case "and":
            return left & constant & ((1 << width) - 1) if constant is not None else left | right
        case "shl" if constant is not None:
            return (left << constant) & ((1 << width) - 1)
        case "lshr" if constant is not None:
            return left >> constant
        case _:
            return left | right


@dataclass(slots=True)
class _Results:
    used: set[str] = field(default_factory=set)
    started: set[str] = field(default_factory=set)
    are_joined: bool = False


def used_results(program: Program) -> frozenset[str]:
    """Functions whose result somebody may look at: a caller, unknown code, or who joins the thread that it is."""
    found = _Results()
    for function in program.functions.values():
        registers = {o for i in function.instructions() for o in operands(i) if isinstance(o, Reg)}
        for instr in function.instructions():
            _note_results(instr, registers, found)
    for variable in program.globals.values():
        found.used.update(c.value.symbol for c in variable.initial if isinstance(c.value, Address))
    return frozenset(found.used | (found.started if found.are_joined else set()))


def _note_results(instr: Instr | Terminator, registers: set[Reg], found: _Results) -> None:
    values = operands(instr)
    if isinstance(instr, Call) and isinstance(instr.callee, Address):
        name = instr.callee.symbol
        if instr.result is not None and instr.result in registers:
            found.used.add(name)
        values = values[1:]
        if name in _CREATES:
            at = _CREATES[name]
            found.started.update(o.symbol for o in values[at : at + 1] if isinstance(o, Address))
            values = values[:at] + values[at + 1 :]
        elif name in _JOINS and len(instr.args) > 1 and not isinstance(instr.args[1], IntConst):
            found.are_joined = True
    found.used.update(o.symbol for o in values if isinstance(o, Address))
