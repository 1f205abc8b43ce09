"""Conversions of pointers to numbers that pass the pointer on, and nothing else.

The unwound program has other addresses than the real one, so that nothing may be proved of a program that computes with
them. An atomic pointer, however, is converted by the compiler itself, only to be stored, exchanged and converted back.
Errs on the side of fewer.
"""

from __future__ import annotations

from collections.abc import Iterator

from raceproof.ir import (
    Cast,
    Compare,
    CompareExchange,
    Extract,
    Function,
    Instr,
    IntType,
    Load,
    Phi,
    Reg,
    Rmw,
    Select,
    SiteId,
    Store,
    Terminator,
    operands,
)
from raceproof.model import ConcurrentProgram, ObjectId

Uses = dict[str, list[Instr | Terminator]]


def harmless_conversions(cp: ConcurrentProgram) -> frozenset[SiteId]:
    """Sites of conversions; none, if a number that may be an address is computed with anywhere."""
    found: set[SiteId] = set()
    stored: set[SiteId] = set()
    uses = {name: _uses(function) for name, function in cp.program.functions.items()}
    for name, function in cp.program.functions.items():
        for instr in _instructions(function):
            if isinstance(instr, Cast) and instr.op == "ptrtoint":
                kept = _passed_on(uses[name], instr.result.name, set())
                if kept is not None:
                    found.add(instr.id)
                    stored |= kept
    objects = _objects(cp, stored)
    if objects is None:
        return frozenset()
    for name, function in cp.program.functions.items():
        for instr in _instructions(function):
            if not isinstance(instr, Load | Rmw | CompareExchange) or not _may_bring_back(cp, instr, objects):
                continue
            if _passed_on(uses[name], instr.result.name, set()) is None:
                return frozenset()
    return frozenset(found)


def harmless_reads(cp: ConcurrentProgram) -> frozenset[SiteId]:
    """Reads of whole addresses as numbers, as the compiler makes them of atomic pointers: of those that there are."""
    found: set[SiteId] = set()
    for function in cp.program.functions.values():
        uses: Uses | None = None
        for instr in _instructions(function):
            if instr.id in cp.pointer_numbers and isinstance(instr, Load | Rmw | CompareExchange):
                uses = uses or _uses(function)
                if (
                    instr.type.size == cp.program.pointer_size
                    and _passed_on(uses, instr.result.name, set()) is not None
                ):
                    found.add(instr.id)
    return frozenset(found)


def _instructions(function: Function) -> Iterator[Instr]:
    for block in function.blocks:
        yield from block.body


def _uses(function: Function) -> Uses:
    found: Uses = {}
    for instr in function.instructions():
        for operand in operands(instr):
            if isinstance(operand, Reg):
                found.setdefault(operand.name, []).append(instr)
    return found


def _passed_on(uses: Uses, name: str, seen: set[str]) -> set[SiteId] | None:
    """Where the number is stored atomically, if that and converting it back is all that happens to it."""
    kept: set[SiteId] = set()
    if name in seen:
        return kept
    seen.add(name)
    for use in uses.get(name, ()):
        match use:
            case Store(order=order, value=Reg(stored)) if order is not None and stored == name:
                kept.add(use.id)
            case Rmw(op="xchg", value=Reg(stored)) if stored == name:
                kept.add(use.id)
            case CompareExchange(address=address) if address != Reg(name):
                kept.add(use.id)
            case Cast(op="inttoptr") | Compare(predicate="eq" | "ne"):
                pass
            case Phi() | Select() | Extract():
                inner = _passed_on(uses, use.result.name, seen)
                if inner is None:
                    return None
                kept |= inner
            case _:
                return None
    return kept


def _objects(cp: ConcurrentProgram, sites: set[SiteId]) -> frozenset[ObjectId] | None:
    """What the numbers may be stored in; None if that is not known."""
    found: set[ObjectId] = set()
    known: set[SiteId] = set()
    for access in cp.accesses.values():
        if access.site in sites:
            known.add(access.site)
            found |= {target.object for target in access.targets}
    return frozenset(found) if known == sites else None


def _may_bring_back(cp: ConcurrentProgram, instr: Load | Rmw | CompareExchange, objects: frozenset[ObjectId]) -> bool:
    """Does it read a number from where one of them may be?"""
    if not isinstance(instr.type, IntType) or instr.type.size != cp.program.pointer_size:
        return False
    touched = {t.object for access in cp.accesses.values() if access.site == instr.id for t in access.targets}
    return bool(touched & objects) or (not touched and isinstance(instr, Rmw | CompareExchange))
