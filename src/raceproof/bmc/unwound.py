"""What comes out when a program is unwound, for finding races or for proofs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from raceproof.bmc.events import Event, Instance, Kind
from raceproof.bmc.memory import Memory
from raceproof.bmc.terms import Truth
from raceproof.facts import Sync, thread_operations
from raceproof.ir import Address, Call, Program, operands
from raceproof.model import MAIN, CallGraph, ConcurrentProgram

_HARMLESS: Final = frozenset({Sync.NONE, Sync.ATTRIBUTE, Sync.SELF, Sync.YIELD})


@dataclass(frozen=True, slots=True)
class Mode:
    """`is_proof`: everything that C and POSIX allow; otherwise what the explorer does, where `malloc` does not
    fail, and `argc` arguments are given, the program's name among them."""

    is_proof: bool
    uses_facts: bool = True
    argc: int | None = None


@dataclass(slots=True)
class Unwound:
    """All threads with their events; `notes` what makes a proof impossible, `ends` what ends paths, whatever the
    bound; `overwriting`: writes behind which nothing is known, if that holds (`overwriting`)."""

    threads: list[Instance]
    memory: Memory
    bound: int
    mode: Mode
    notes: dict[str, None] = field(default_factory=dict)

    ends: dict[str, None] = field(default_factory=dict)
    overwriting: list[tuple[Event, Truth]] = field(default_factory=list)

    @property
    def has_cuts(self) -> bool:
        """There is code of which nothing is known."""
        return bool(self.overwriting) or any(e.kind is Kind.CUT for thread in self.threads for e in thread.events)

    @property
    def is_final(self) -> bool:
        """A larger bound would change nothing."""
        cuts = (e for thread in self.threads for e in thread.events if e.kind is Kind.CUT)
        return all(e.is_final for e in cuts)

    @property
    def events(self) -> int:
        return sum(len(thread.events) for thread in self.threads)


def why_unprovable(cp: ConcurrentProgram, unwound: Unwound) -> str | None:
    """What the unwound program does not have, whatever the bound; None if it has everything."""
    if unwound.notes:
        return next(iter(unwound.notes))
    if cp.calls is None:
        return "the program's calls are not known"
    outside = {name for targets in cp.calls.targets.values() for name in (*targets.any_time, *targets.at_end)}
    outside |= cp.calls.from_outside | set(cp.program.listed_functions("llvm.global_dtors"))
    outside |= {t.start for t in cp.threads.values() if t.created_at is None and t.id != MAIN}
    for name in sorted(outside & cp.program.functions.keys()):
        what = _meddling(cp.program, cp.calls, name)
        if what is not None:
            return f"`{name}` may run at any time, and {what}"
    return None


def _meddling(program: Program, calls: CallGraph, name: str) -> str | None:
    """What a function that may interrupt any thread does to it, apart from memory that the facts say is shared."""
    found, work = {name}, [name]
    while work:
        for instr in program.functions[work.pop()].instructions():
            for operand in operands(instr):
                variable = program.globals.get(operand.symbol) if isinstance(operand, Address) else None
                if variable is not None and variable.is_thread_local:
                    return f"uses the variable `{variable.source_name}` of the thread"
            if not isinstance(instr, Call):
                continue
            targets = calls.targets[instr.id]
            if targets.is_unknown or any(op.kind not in _HARMLESS for op in thread_operations(targets)):
                return "calls code that is not known, or that orders threads"
            new = {*targets.functions, *targets.callbacks} - found
            found |= new
            work += sorted(new)
    return None
