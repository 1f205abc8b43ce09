"""Which functions of the library a thread may call while other threads run.

What the first thread does before it creates another one is in order with all that the others do. Errs on the side of
more: a call behind which the others were joined counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from raceproof.facts import names_of
from raceproof.ir import Call, Function, SiteId, successors
from raceproof.model import CallGraph, CallTargets, ConcurrentProgram, Thread

_RETURNS_TWICE: Final = ("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext")


def calls_beside_others(cp: ConcurrentProgram, thread: Thread) -> frozenset[str]:
    """The names, and what they are variants of, of library functions that `thread` may call beside other threads."""
    if cp.calls is None:
        return frozenset()
    walk = _Walk(cp, cp.calls)
    walk.enter(thread.start, beside=thread.parent is not None or walk.is_never_alone(thread))
    return frozenset(name for external in walk.run() for name in names_of(external))


class _Walk:
    """Goes through all that a thread may call, in up to two states: alone, or beside others."""

    def __init__(self, cp: ConcurrentProgram, calls: CallGraph) -> None:
        self._cp = cp
        self._functions = cp.program.functions
        self._calls = calls
        self._creating = frozenset(t.created_at for t in cp.threads.values() if t.created_at is not None)
        self._creators = self._find_creators()
        self._seen: set[tuple[str, bool]] = set()
        self._work: list[tuple[str, bool]] = []

    def is_never_alone(self, first: Thread) -> bool:
        """Whether others may run from the start (what constructors have given away), or it comes back to before."""
        if any(name in _RETURNS_TWICE for external in self._cp.program.externals for name in names_of(external)):
            return True
        own: set[SiteId] = set()
        seen, work = {first.start}, [first.start]
        while work:
            for instr in self._functions[work.pop()].instructions():
                if isinstance(instr, Call):
                    own.add(instr.id)
                    new = {n for n in _run_by(self._calls.targets[instr.id]) if n in self._functions} - seen
                    seen |= new
                    work += new
        return any(t.created_at not in own for t in self._cp.threads.values() if t.parent == first.id)

    def enter(self, function: str, beside: bool) -> None:
        # Whoever was here beside others has been where it could come alone.
        if function in self._functions and not {(function, beside), (function, True)} & self._seen:
            self._seen.add((function, beside))
            self._work.append((function, beside))

    def run(self) -> frozenset[str]:
        found: set[str] = set()
        while self._work:
            name, beside = self._work.pop()
            for call, is_beside in self._calls_of(self._functions[name], beside):
                targets = self._calls.targets[call.id]
                if is_beside:
                    found.update(targets.externals)
                for callee in _run_by(targets):
                    self.enter(callee, is_beside)
        return frozenset(found)

    def _calls_of(self, function: Function, beside: bool) -> Iterator[tuple[Call, bool]]:
        """Each call, and whether others may run by then; a call that creates them runs beside them."""
        blocks = {block.label: block for block in function.blocks}
        state = {function.blocks[0].label: beside}
        work = [function.blocks[0].label]
        found: dict[SiteId, tuple[Call, bool]] = {}
        while work:
            block = blocks[work.pop()]
            is_beside = state[block.label]
            for instr in block.body:
                if isinstance(instr, Call):
                    is_creating = self._may_create(instr)
                    found[instr.id] = (instr, is_beside or instr.id in self._creating)
                    is_beside |= is_creating
            for label in successors(block.terminator):
                if label not in state or (is_beside and not state[label]):
                    state[label] = is_beside
                    work.append(label)
        yield from found.values()

    def _may_create(self, call: Call) -> bool:
        return call.id in self._creating or not self._creators.isdisjoint(_run_by(self._calls.targets[call.id]))

    def _find_creators(self) -> frozenset[str]:
        """Functions in which a thread may be created."""
        callers: dict[str, set[str]] = {}
        work: list[str] = []
        for name, function in self._functions.items():
            for instr in function.instructions():
                if isinstance(instr, Call) and instr.id in self._calls.targets:
                    work += [name] if instr.id in self._creating else []
                    for callee in _run_by(self._calls.targets[instr.id]):
                        callers.setdefault(callee, set()).add(name)
        found = set(work)
        while work:
            new = callers.get(work.pop(), set()) - found
            found |= new
            work += new
        return frozenset(found)


def _run_by(targets: CallTargets) -> tuple[str, ...]:
    """Functions of the program that run before the call returns; to the facts, what runs later is a thread."""
    return (*targets.functions, *targets.callbacks)
