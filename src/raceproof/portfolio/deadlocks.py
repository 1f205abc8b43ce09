"""What the engines say about deadlocks, put together; and executed deadlocks spelled out for people."""

from __future__ import annotations

from raceproof.core import Contradiction
from raceproof.model import (
    BlockedThread,
    Deadlock,
    DeadlockAnswer,
    DeadlockFinding,
    DeadlockResult,
    DeadlockVerdict,
    EngineResult,
    GivenInput,
    HeldAt,
    Reason,
    RunStep,
    Scope,
)
from raceproof.portfolio.ledger import reaches
from raceproof.portfolio.naming import Namer
from raceproof.portfolio.trace import deadlock_trace

_JOIN = "pthread_join"
_TAKEN = (None, 0, 130)
"""Results of a lock call after which the lock is held; 130 is EOWNERDEAD."""


class DeadlockLedger:
    """Executed deadlocks, and the findings of engines that were asked. A proof beside a deadlock is a bug of ours."""

    def __init__(self, accepted: Scope) -> None:
        self.executed: list[Deadlock] = []
        self.findings: list[DeadlockFinding] = []
        self._accepted = accepted

    def add(self, result: EngineResult) -> None:
        known = {deadlock.blocked for deadlock in self.executed}
        self.executed += [deadlock for deadlock in result.deadlocks if deadlock.blocked not in known]
        if result.deadlock is not None:
            self.findings.append(result.deadlock)
        proof = next((f for f in self.findings if f.scope not in (None, Scope.BOUNDED)), None)
        if proof is not None and self.executed:
            text = f"contradiction: engine {proof.engine} says that there is no deadlock, but a run ends in one"
            raise Contradiction(text, (repr(proof), repr(self.executed[0])))

    def is_decided(self) -> bool:
        return bool(self.executed) or self._proof() is not None

    def _proof(self) -> DeadlockFinding | None:
        return next((f for f in self.findings if f.scope is not None and reaches(f.scope, self._accepted)), None)

    def answer(self, given: GivenInput | None, obstacles: tuple[str, ...], stopped: tuple[str, ...]) -> DeadlockAnswer:
        """The verdict on the property. `obstacles`: code that nobody has seen; `stopped`: why engines ended early."""
        if self.executed:
            count = f"{len(self.executed)} executed and repeated"
            return DeadlockAnswer(DeadlockVerdict.DEADLOCK, None, None, "explore", (count,))
        texts = tuple(dict.fromkeys(f"{f.engine}: {_text(f)}" for f in self.findings))
        proof = self._proof()
        if proof is not None and not obstacles:
            reason = _whose_input(given) if proof.scope is Scope.THIS_INPUT else None
            evidence = (str(proof.evidence),)
            return DeadlockAnswer(DeadlockVerdict.DEADLOCK_FREE, proof.scope, reason, proof.engine, evidence)
        last = self.findings[-1] if self.findings else None
        if last is not None and last.scope is Scope.THIS_INPUT and given is not None:
            reasons = (f"no deadlock with this input ({given.described()})", *obstacles)
        else:
            reasons = (*obstacles, *texts, *stopped) or ("no engine has looked for deadlocks",)
        engine = last.engine if last is not None else None
        return DeadlockAnswer(DeadlockVerdict.UNKNOWN, None, "; ".join(reasons), engine, texts)


def _text(finding: DeadlockFinding) -> str:
    if isinstance(finding.evidence, Reason):
        return finding.evidence.text
    bound = ", up to a bound only" if finding.scope is Scope.BOUNDED else ""
    return f"no deadlock{bound}: {finding.evidence}"


def _whose_input(given: GivenInput | None) -> str | None:
    if given is None:
        return None
    return given.described() if given.reads else "the program has no input: every run is like the ones executed"


def describe_deadlock(namer: Namer, number: int, deadlock: Deadlock) -> DeadlockResult:
    """The deadlock in the programmer's words."""
    function, pos = namer.site(deadlock.site)
    return DeadlockResult(
        id=number,
        deadlock=deadlock,
        blocked=tuple(_blocked(namer, deadlock, step) for step in deadlock.blocked),
        threads=namer.threads(deadlock.run, (*deadlock.steps, *deadlock.blocked)),
        pos=pos,
        function=function,
        trace=deadlock_trace(namer, deadlock),
        inputs=namer.inputs(deadlock.run),
    )


def _blocked(namer: Namer, deadlock: Deadlock, step: RunStep) -> BlockedThread:
    function, pos = namer.site(step.site)
    waits_for, holders = "", tuple([step.result] if step.result is not None else [])
    if step.operation != _JOIN:
        waits_for = namer.lock_at(step.address)
        holders = tuple(other.thread for other in deadlock.blocked if step.address and step.address in other.held)
        if not holders and (taken := _last_taken(deadlock, step.address)) is not None and _is_lock(step):
            holders = (taken.thread,)  # which has ended meanwhile
    return BlockedThread(
        thread=step.thread,
        operation=step.operation,
        waits_for=waits_for,
        holders=holders,
        held=tuple(_held(namer, deadlock, step.thread, lock) for lock in dict.fromkeys(step.held)),
        pos=pos,
        function=function,
    )


def _is_lock(step: RunStep) -> bool:
    return "lock" in step.operation


def _held(namer: Namer, deadlock: Deadlock, thread: int, lock: str) -> HeldAt:
    taken = _last_taken(deadlock, lock, thread)
    return HeldAt(namer.lock_at(lock), namer.site(taken.site)[1] if taken is not None else None)


def _last_taken(deadlock: Deadlock, lock: str, thread: int | None = None) -> RunStep | None:
    """The last step of the run, or of one thread, that took the lock."""
    for step in reversed(deadlock.steps):
        takes = _is_lock(step) and "unlock" not in step.operation and step.result in _TAKEN
        if takes and step.address == lock and thread in (None, step.thread):
            return step
    return None
