"""Which numbers are certainly not negative, so that an index leads forwards. Found once per function.

`end[-i]` starts at the end of an array, which may be the start of the next one in its struct: only where an index
cannot be negative is it certain which of the two arrays it stays in.

All answers are must-answers. A loop that counts up from 0 is one: a number counts as not negative as long as nothing
speaks against it (a greatest fixed point). Signed numbers do not overflow, and no counter of 64 bits wraps around.
"""

from __future__ import annotations

from raceproof.ir import Binary, Cast, Compute, Function, Instr, IntConst, Operand, Phi, Reg, Select

_BOTH = frozenset({"add", "mul", "or", "xor", "sdiv"})
_GROWING = frozenset({"add", "mul", "shl"})
_WIDE = 8  # bytes: unsigned numbers of fewer may wrap around and be negative then
_LEFT = frozenset({"shl", "ashr", "lshr", "srem", "udiv"})


def not_negative(function: Function) -> frozenset[str]:
    """The registers whose value, as a signed number, is at least 0."""
    made: dict[str, Instr] = {}
    users: dict[str, list[str]] = {}
    for block in function.blocks:
        for instr in block.body:
            sources = _sources(instr)
            if sources is None or not isinstance(instr, Binary | Cast | Compute | Phi | Select):
                continue
            made[instr.result.name] = instr
            for source in sources:
                if isinstance(source, Reg):
                    users.setdefault(source.name, []).append(instr.result.name)
    found = set(made)
    work = list(made)
    while work:
        name = work.pop()
        if name in found and not _holds(made[name], found):
            found.remove(name)
            work += users.get(name, ())
    return frozenset(found)


def _sources(instr: Instr) -> tuple[Operand, ...] | None:
    """What the sign of a result hangs on; None for what is not followed."""
    match instr:
        case Binary():
            return (instr.left, instr.right)
        case Cast(op="zext" | "sext"):
            return (instr.value,)
        case Compute(op="freeze", operands=operands):
            return operands
        case Phi():
            return tuple(value for value, _ in instr.incoming)
        case Select():
            return (instr.if_true, instr.if_false)
        case _:
            return None


def _holds(instr: Instr, found: set[str]) -> bool:
    def is_good(operand: Operand) -> bool:
        if isinstance(operand, IntConst):
            return operand.value >= 0
        return isinstance(operand, Reg) and operand.name in found

    if isinstance(instr, Cast) and instr.op == "zext":
        return True
    if isinstance(instr, Binary):
        left, right = is_good(instr.left), is_good(instr.right)
        if instr.op in _GROWING and not instr.nsw and instr.type.size < _WIDE:
            return False
        if instr.op in _BOTH:
            return left and right
        if instr.op in _LEFT:
            return left
        return (left or right) if instr.op == "and" else instr.op == "urem" and right
    return all(is_good(source) for source in _sources(instr) or ())
