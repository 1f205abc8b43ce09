"""Hooks by which a run finds out whether it reads memory that was never written.

The facts say where one has to ask (facts/uninitialised.py), the tables of the library how much memory a call reads and
writes (explore/library_hooks.py). Where they cannot say how much is read, the first byte stands for all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raceproof.explore.library_hooks import hook_of
from raceproof.facts import MemoryTouch, touches_of
from raceproof.frontend import AccessHook, Fixed, HookKind
from raceproof.ir import Address, Call, Instr, SiteId, Terminator
from raceproof.model import ConcurrentProgram

# What they keep between calls, which the first one writes.
_FILLED_FIRST = [([name], 2) for name in ("strtok_r", "__strtok_r", "wcstok")]


def memory_hooks(cp: ConcurrentProgram) -> dict[SiteId, tuple[AccessHook, ...]]:
    """By instruction: before it reads what may never have been written, and when it writes there."""
    asked = cp.uninitialised
    instructions = cp.program.instructions_by_site()
    found: dict[SiteId, tuple[AccessHook, ...]] = {}
    for site in sorted({*asked.reads, *asked.writes}):
        hooks = tuple(_hooks(cp, instructions[site][1]))
        if hooks:
            found[site] = hooks
    return found


def _hooks(cp: ConcurrentProgram, instr: Instr | Terminator) -> Iterator[AccessHook]:
    kinds: tuple[tuple[HookKind, frozenset[int]], ...] = (
        ("check", cp.uninitialised.reads.get(instr.id, frozenset())),
        ("set", cp.uninitialised.writes.get(instr.id, frozenset())),
    )
    if not isinstance(instr, Call):
        yield from (AccessHook(instr.id, kind) for kind, numbers in kinds if numbers)
        return
    names = _externals(cp, instr)
    touches = touches_of(cp.program, instr, names)
    for kind, numbers in kinds:
        for number in sorted(numbers):
            if number < len(touches):
                yield from _of_call(cp, instr, names, touches[number], kind)


def _externals(cp: ConcurrentProgram, call: Call) -> list[str]:
    """All that the call may go to, in the order in which the facts number what they touch."""
    targets = cp.calls.targets.get(call.id) if cp.calls is not None else None
    if targets is not None:
        return sorted((*targets.functions, *targets.externals))
    return [call.callee.symbol] if isinstance(call.callee, Address) else []


def _of_call(
    cp: ConcurrentProgram, call: Call, names: list[str], touch: MemoryTouch, kind: HookKind
) -> Iterator[AccessHook]:
    if touch.arg is None or touch.deref or touch.static is not None:
        return  # through what the arguments point to: not told
    if kind == "check" and (names[:1], touch.arg) in _FILLED_FIRST:
        return
    by_value = dict(call.by_value)
    if kind == "check" and touch.arg in by_value:
        yield AccessHook(call.id, kind, touch.arg, Fixed(by_value[touch.arg]))
        return
    hook = hook_of(cp.program, call, names[0], touch, call.id) if len(names) == 1 else None
    if hook is not None:
        yield replace(hook, kind=kind)
    elif kind == "check":
        yield AccessHook(call.id, kind, touch.arg, Fixed(1))
    else:
        yield AccessHook(call.id, "rest", touch.arg, None, behind=True)
