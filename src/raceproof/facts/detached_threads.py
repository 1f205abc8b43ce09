"""Whether a thread may be joined that was detached: such a join is refused at once, and orders nothing.

    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&id, &attr, work, 0);
    pthread_join(id, 0);                      EINVAL: `work` goes on

POSIX leaves that undefined; every C library returns an error, and programs do it. Over-approximates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.facts.pointers.points_to import PointsTo
from raceproof.ir import Call, Function, IntConst, Operand, Program, Reg, SiteId
from raceproof.model import CallTargets, ObjectId, ObjectKind

_WITH_ATTRIBUTES: Final = "pthread_create"
_ATTRIBUTES: Final = 1
_SETS_STATE: Final = "pthread_attr_setdetachstate"
_COPIES_STATE: Final = "pthread_getattr_np"
_JOINABLE: Final = 0  # in glibc and musl; C11 has no attributes


def joins_detached(program: Program, points_to: PointsTo, targets: Mapping[SiteId, CallTargets]) -> bool:
    """Whether some join may be given the id of a thread that may be detached."""
    search = _Search(program, points_to, targets)
    detached = search.detached()
    return bool(detached) and not detached.isdisjoint(search.given(Sync.JOIN))


class _Search:
    def __init__(self, program: Program, points_to: PointsTo, targets: Mapping[SiteId, CallTargets]) -> None:
        self._points_to = points_to
        self._targets = targets
        self._functions = program.functions
        self._calls = [
            (function, instr, {name for external in targets[instr.id].externals for name in names_of(external)})
            for function in program.functions.values()
            for instr in function.instructions()
            if isinstance(instr, Call) and instr.id in targets
        ]

    def detached(self) -> frozenset[ObjectId]:
        """Threads that are created detached, or that somebody detaches."""
        found = set(self.given(Sync.DETACH))
        creations = [(call, names) for _, call, names in self._calls if self._ops(call, Sync.CREATE)]
        if any(self._makes_detached(call, names) for _, call, names in self._calls):
            for call, names in creations:
                if _WITH_ATTRIBUTES in names and not _is_null(call, _ATTRIBUTES):
                    found.update(self._points_to.object_of_site(call.id))
        by_themselves = {function.name for function, call, _ in self._calls if self._detaches_itself(function, call)}
        for call, _ in creations if by_themselves else ():
            starts = self._targets[call.id].starts
            if starts is None or not by_themselves.isdisjoint(self._below(starts)):
                found.update(self._points_to.object_of_site(call.id))
        return frozenset(found)

    def given(self, kind: Sync) -> Iterator[ObjectId]:
        """The threads whose ids such operations are given, but for ids that their thread has just asked for."""
        for function, call, _ in self._calls:
            for op in self._ops(call, kind):
                if op.arg is None or op.arg >= len(call.args) or self._is_own_id(function, call.args[op.arg]):
                    continue
                for target in self._points_to.targets(function.name, call.args[op.arg]):
                    if self._points_to.objects[target.object].kind is ObjectKind.THREAD:
                        yield target.object

    def _ops(self, call: Call, kind: Sync) -> list[SyncOp]:
        ops = map(sync_op, self._targets[call.id].externals)
        return [op for op in ops if op is not None and op.kind is kind]

    def _makes_detached(self, call: Call, names: set[str]) -> bool:
        if _SETS_STATE in names:
            state = call.args[-1] if call.args else None
            return not (isinstance(state, IntConst) and state.value == _JOINABLE)
        return _COPIES_STATE in names

    def _detaches_itself(self, function: Function, call: Call) -> bool:
        given = [op.arg for op in self._ops(call, Sync.DETACH) if op.arg is not None]
        return any(arg < len(call.args) and self._is_own_id(function, call.args[arg]) for arg in given)

    def _is_own_id(self, function: Function, operand: Operand) -> bool:
        """Whether it is what `pthread_self` has just returned."""
        if not isinstance(operand, Reg):
            return False
        made = next((i for i in function.instructions() if isinstance(i, Call) and i.result == operand), None)
        return made is not None and made.id in self._targets and bool(self._ops(made, Sync.SELF))

    def _below(self, starts: tuple[str, ...]) -> set[str]:
        found, work = set(starts), list(starts)
        while work:
            body = self._functions.get(work.pop())
            for instr in body.instructions() if body is not None else ():
                targets = self._targets.get(instr.id)
                new = {*targets.functions, *targets.callbacks} - found if targets is not None else set()
                found |= new
                work += sorted(new)
        return found


def _is_null(call: Call, index: int) -> bool:
    given = call.args[index] if index < len(call.args) else None
    return isinstance(given, IntConst) and given.value == 0
