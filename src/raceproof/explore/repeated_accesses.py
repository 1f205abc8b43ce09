"""Accesses that need not be told because the same thread has told one like it, and has not synchronised since.

Whoever races with the later one races with the earlier one: between the two nothing has ordered either of them after
anything else. A write stands for reads and writes, a read for reads, of the same bytes at the same address.

    n = count;           told
    count = n + 1;       told: the first was a read
    if (count > 10)      not told
"""

from __future__ import annotations

from collections.abc import Iterator

from raceproof.ir import (
    Address,
    Block,
    Call,
    CompareExchange,
    Fence,
    Function,
    Instr,
    Load,
    Program,
    Reg,
    Rmw,
    SiteId,
    Store,
    Terminator,
    successors,
)

Told = dict[tuple[Address | Reg, int], bool]
"""(address, size) -> whether it was a write."""
_QUIET = ("llvm.lifetime", "llvm.dbg", "llvm.mem", "llvm.assume")
_MAX_BLOCKS = 4000


def repeated_accesses(program: Program) -> frozenset[SiteId]:
    """Plain loads and stores that can be left out."""
    found: set[SiteId] = set()
    for function in program.functions.values():
        if len(function.blocks) <= _MAX_BLOCKS:
            found.update(_repeated_in(function))
    return frozenset(found)


def _repeated_in(function: Function) -> Iterator[SiteId]:
    at_end: dict[str, Told] = {}
    before: dict[str, list[str]] = {block.label: [] for block in function.blocks}
    for block in function.blocks:
        for label in successors(block.terminator):
            before[label].append(block.label)
    first = function.blocks[0].label
    work = [block.label for block in reversed(function.blocks)]
    blocks = {block.label: block for block in function.blocks}
    waiting = set(work)
    while work:
        label = work.pop()
        waiting.discard(label)
        told = _end_of(blocks[label], _meet(before[label], at_end, label == first))
        if at_end.get(label) != told:
            at_end[label] = told
            for following in successors(blocks[label].terminator):
                if following not in waiting:
                    waiting.add(following)
                    work.append(following)
    for block in function.blocks:
        state = _meet(before[block.label], at_end, block.label == first)
        for instr in _instructions(block):
            key = _key(instr)
            if key is not None and key in state and state[key] >= isinstance(instr, Store):
                yield SiteId(instr.id)
            _step(state, instr)


def _meet(before: list[str], at_end: dict[str, Told], is_entry: bool) -> Told:
    """What all ways here have told; a way that was not looked at yet does not count."""
    known = [at_end[label] for label in before if label in at_end]
    if is_entry or not known:
        return {}
    result = dict(known[0])
    for other in known[1:]:
        result = {key: wrote and other[key] for key, wrote in result.items() if key in other}
    return result


def _end_of(block: Block, state: Told) -> Told:
    for instr in _instructions(block):
        _step(state, instr)
    return state


def _instructions(block: Block) -> Iterator[Instr | Terminator]:
    yield from block.body
    yield block.terminator


def _key(instr: Instr | Terminator) -> tuple[Address | Reg, int] | None:
    if isinstance(instr, Load | Store) and instr.order is None and isinstance(instr.address, Address | Reg):
        return instr.address, instr.type.size
    return None


def _step(state: Told, instr: Instr | Terminator) -> None:
    key = _key(instr)
    if key is not None:
        state[key] = state.get(key, False) or isinstance(instr, Store)
    elif isinstance(instr, Rmw | CompareExchange | Fence | Load | Store) or (
        isinstance(instr, Call) and not (isinstance(instr.callee, Address) and instr.callee.symbol.startswith(_QUIET))
    ):
        state.clear()
    result = getattr(instr, "result", None)
    if isinstance(result, Reg):  # in a loop it is another one from here on
        for old in [other for other in state if other[0] == result]:
            del state[old]
