"""From which sites a thread can get to which without a visible operation in between.

Visible for certain are calls of functions that the specification knows as steps. Calls go into functions of the
program, returns to all calls of the function; what is called through a pointer, or by the library, may be any function
whose address is taken. That allows more than the program does, never less; programs that jump (`setjmp`) are not
looked at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import pairwise

from raceproof.ir import (
    Address,
    Call,
    CompareExchange,
    Function,
    MemoryOrder,
    Program,
    Return,
    SiteId,
    operands,
    successors,
)
from raceproof.model import ConcurrentProgram
from raceproof.spec import FUNCTIONS, ObjectType, function

_JUMPS = ("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "siglongjmp", "makecontext", "swapcontext")
_SILENT = frozenset(
    (
        *("init", "destroy", "consistent", "detach", "end", "join", "tryjoin", "timedjoin"),
        *("delete", "set", "get", "getvalue"),
    )
)
"""Operations that are no step of a record, or not always one; nor are timed ones, which refuse what is no time."""
_STEPS = frozenset(
    name
    for name, api in FUNCTIONS.items()
    if api.object is not ObjectType.KEY and api.phases[0][0].name not in _SILENT and api.time_arg is None
)


class ControlFlow:
    """The sites of a program and their successors."""

    def __init__(self, cp: ConcurrentProgram) -> None:
        self._cp = cp
        self._program: Program = cp.program
        self._is_known = not any(name in self._program.externals for name in _JUMPS)
        self.instructions = {site: instr for site, (_, instr) in cp.program.instructions_by_site().items()}
        self._after: dict[SiteId, tuple[SiteId, ...]] = {}
        self._calls: dict[SiteId, Call] = {}
        self._exits: dict[str, list[SiteId]] = {}
        self._function_of: dict[SiteId, str] = {}
        self._callers: dict[str, list[SiteId]] = {}
        self._open_calls: list[SiteId] = []
        self._taken = _addresses_taken(self._program)
        self._failure: dict[SiteId, MemoryOrder] = {}
        self._reached: dict[SiteId | None, frozenset[SiteId]] = {}
        for name, body in self._program.functions.items():
            self._add(name, body)

    def _add(self, name: str, body: Function) -> None:
        first = {block.label: (block.body[0].id if block.body else block.terminator.id) for block in body.blocks}
        for block in body.blocks:
            line = [*block.body, block.terminator]
            for instr, following in pairwise(line):
                self._after[instr.id] = (following.id,)
            self._after[block.terminator.id] = tuple(first[label] for label in successors(block.terminator))
            for instr in line:
                self._function_of[instr.id] = name
                if isinstance(instr, Call):
                    self._note_call(instr)
                elif isinstance(instr, CompareExchange):
                    self._failure[instr.id] = instr.failure_order
                elif isinstance(instr, Return):
                    self._exits.setdefault(name, []).append(instr.id)

    def _note_call(self, call: Call) -> None:
        self._calls[call.id] = call
        callee = call.callee.symbol if isinstance(call.callee, Address) else None
        if callee is not None and callee in self._program.functions:
            self._callers.setdefault(callee, []).append(call.id)
        else:
            self._open_calls.append(call.id)

    def failure_order(self, site: SiteId | None) -> MemoryOrder | None:
        """The memory order of an exchange that fails there."""
        return self._failure.get(site) if site is not None else None

    def start(self, sites: dict[int, SiteId], thread: int, created_at: SiteId | None) -> None:
        """A new thread: it is nowhere yet, and may begin where threads created there begin."""
        sites.pop(thread, None)
        starts = {t.start for t in self._cp.threads.values() if t.created_at == created_at}
        entries = [self._program.functions[name].blocks[0] for name in starts if name in self._program.functions]
        # The first site of the function stands for "before all of it" if there is only one such function.
        if len(entries) == 1 and entries[0].body:
            sites[thread] = SiteId(-1 - entries[0].body[0].id)

    def leads_to(self, before: SiteId | None, site: SiteId) -> bool:
        """Whether a thread whose last step was at `before` may come to `site` next; negative: at the start there."""
        if not self._is_known or before is None:
            return True
        if before not in self._reached:
            starts = [SiteId(-1 - before)] if before < 0 else list(self._next(before))
            self._reached[before] = frozenset(self._reach(starts))
        # A step may be one of several at its site (a wait, a lock that is tried again).
        return site == before or site in self._reached[before]

    def _reach(self, starts: list[SiteId]) -> Iterator[SiteId]:
        seen: set[SiteId] = set()
        todo = deque(starts)
        while todo:
            site = todo.popleft()
            if site in seen:
                continue
            seen.add(site)
            yield site
            if not self._is_visible(site):
                todo.extend(self._next(site))

    def _is_visible(self, site: SiteId) -> bool:
        call = self._calls.get(site)
        if call is None or not isinstance(call.callee, Address):
            return False
        api = function(call.callee.symbol)
        return api is not None and api.name in _STEPS and call.callee.symbol not in self._program.functions

    def _next(self, site: SiteId) -> Iterator[SiteId]:
        call = self._calls.get(site)
        if call is not None:
            yield from map(self._entry, self._callees(call))
        yield from self._after.get(site, ())
        name = self._function_of.get(site)
        if name is not None and site in self._exits.get(name, ()):
            callers = self._callers.get(name, [])
            for caller in [*callers, *(self._open_calls if name in self._taken else ())]:
                yield from self._after.get(caller, ())
            if name == self._program.entry:
                yield from map(self._entry, sorted(self._taken))  # what runs at exit
            if name in self._taken:
                yield from map(self._entry, sorted(self._taken))  # what runs at the end of a thread

    def _callees(self, call: Call) -> list[str]:
        if isinstance(call.callee, Address) and call.callee.symbol in self._program.functions:
            return [call.callee.symbol]
        return sorted(self._taken)

    def _entry(self, name: str) -> SiteId:
        block = self._program.functions[name].blocks[0]
        return block.body[0].id if block.body else block.terminator.id


def _addresses_taken(program: Program) -> set[str]:
    """Functions that may be called by others than their direct calls."""
    taken: set[str] = set()
    for variable in program.globals.values():
        taken.update(cell.value.symbol for cell in variable.initial if isinstance(cell.value, Address))
    for function_ in program.functions.values():
        for instr in function_.instructions():
            used = instr.args if isinstance(instr, Call) else operands(instr)
            taken.update(operand.symbol for operand in used if isinstance(operand, Address))
    return {name for name in taken if name in program.functions}
