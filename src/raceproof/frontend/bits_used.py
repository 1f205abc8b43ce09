"""Which bits of a loaded value anything depends on, and which ones a store only puts back.

A field of bits is read by loading the bytes around it and masking, and written by loading them, replacing some bits
and storing all of them:

    %v = load i8, ptr %p              kept: 0xF8, those bits are stored as they were
    %k = and i8 %v, -8
    %n = or i8 %k, %new
    store i8 %n, ptr %p
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from raceproof.ir import Binary, Function, Instr, IntConst, IntType, Load, Operand, Reg, Store, Terminator, operands

Uses = Mapping[Operand, list[Instr | Terminator]]


@dataclass(frozen=True, slots=True)
class BitsUsed:
    """`used`: by load, the bits that matter, where these are not all. `kept`: by store, those that are put back."""

    used: Mapping[Reg, int] = field(default_factory=dict)
    kept: Mapping[int, int] = field(default_factory=dict)


def bits_used(function: Function) -> BitsUsed:
    """For loads and stores of integers of at most 64 bits."""
    uses: dict[Operand, list[Instr | Terminator]] = {}
    for instr in function.instructions():
        for operand in operands(instr):
            if isinstance(operand, Reg):
                uses.setdefault(operand, []).append(instr)
    used: dict[Reg, int] = {}
    kept: dict[int, int] = {}
    for load in function.instructions():
        if not isinstance(load, Load) or not isinstance(load.type, IntType) or load.type.bits > 64:
            continue
        every = (1 << load.type.bits) - 1
        found = 0
        for use in uses.get(load.result, ()):
            store = _put_back(load, use, uses)
            if store is not None and isinstance(use, Binary) and isinstance(use.right, IntConst):
                kept[store.id] = use.right.value & every
            else:
                found |= _used_by(use, load.result, load.type.bits, uses)
        if found != every:
            used[load.result] = found
    return BitsUsed(used, kept)


def _put_back(load: Load, use: Instr | Terminator, uses: Uses) -> Store | None:
    """The store to the same place that some bits of the load go to, and nothing else."""
    if not isinstance(use, Binary) or use.op != "and" or not isinstance(use.right, IntConst):
        return None
    value = use.result
    merged = uses.get(value, [])
    if len(merged) == 1 and isinstance(merged[0], Binary) and merged[0].op == "or":
        value = merged[0].result
        merged = uses.get(value, [])
    if len(merged) != 1 or not isinstance(merged[0], Store):
        return None
    store = merged[0]
    is_same = store.value == value and store.address == load.address and store.type == load.type
    return store if is_same else None


def _used_by(use: Instr | Terminator, value: Reg, width: int, uses: Uses) -> int:
    every = (1 << width) - 1
    if not isinstance(use, Binary) or use.left != value or not isinstance(use.right, IntConst):
        return every
    amount = use.right.value
    if use.op == "and":
        return amount & every
    if use.op not in ("shl", "lshr", "ashr") or not 0 <= amount < width:
        return every
    next_uses = uses.get(use.result, [])
    if use.op == "shl":
        bits = every >> amount
        shifts = [
            n.right.value
            for n in next_uses
            if _is_shift_right(n, use.result) and isinstance(n, Binary) and isinstance(n.right, IntConst)
        ]
        if next_uses and len(shifts) == len(next_uses) and min(shifts) >= amount:
            bits &= ~((1 << (min(shifts) - amount)) - 1)
        return bits
    masks = [
        n.right.value
        for n in next_uses
        if isinstance(n, Binary) and n.op == "and" and n.left == use.result and isinstance(n.right, IntConst)
    ]
    if use.op == "lshr" and next_uses and len(masks) == len(next_uses):
        bits = 0
        for mask in masks:
            bits |= (mask << amount) & every
        return bits
    return every & ~((1 << amount) - 1)


def _is_shift_right(instr: Instr | Terminator, value: Reg) -> bool:
    return (
        isinstance(instr, Binary)
        and instr.op in ("lshr", "ashr")
        and instr.left == value
        and isinstance(instr.right, IntConst)
    )
