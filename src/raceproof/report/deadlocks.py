"""A deadlock in a few lines: for each thread what it holds, what it waits for, and who has that.

main thread waits for the end of thread 1 in pthread_join (line 24)
thread 1 `first`, created at bank.c:22, holds a (line 5),
  waits for b in pthread_mutex_lock (line 6), which thread 2 holds
"""

from __future__ import annotations

from raceproof.core import SourcePos
from raceproof.model import BlockedThread, DeadlockAnswer, DeadlockResult, DeadlockVerdict, Scope, ThreadResult

_SCOPES = {
    Scope.ANY_THREADS: "for all inputs and any number of threads",
    Scope.ALL_INPUTS: "for all inputs",
    Scope.THIS_INPUT: "for the given input",
}
_JOIN = "pthread_join"
_OBJECTS = {
    "cond": "a signal at",
    "cnd": "a signal at",
    "sem": "semaphore",
    "barrier": "others at barrier",
    "once": "the initialiser of",
}


def headline(answer: DeadlockAnswer, count: int) -> str:
    """The verdict with how far it reaches."""
    match answer.verdict:
        case DeadlockVerdict.DEADLOCK:
            return "deadlock" if count == 1 else f"{count} deadlocks"
        case DeadlockVerdict.DEADLOCK_FREE:
            about = _SCOPES.get(answer.scope, "") if answer.scope is not None else ""
            return f"deadlock-free {about}".strip()
        case DeadlockVerdict.UNKNOWN:
            return "unknown"


def explain_blocked(deadlock: DeadlockResult) -> list[str]:
    """One line for each thread that can never go on."""
    threads = {thread.id: thread for thread in deadlock.threads}
    return [_line(blocked, threads.get(blocked.thread), deadlock) for blocked in deadlock.blocked]


def waiting(blocked: BlockedThread) -> str:
    """`waits for b in pthread_mutex_lock (line 6)`."""
    where = f"in {blocked.operation}{_at(blocked.pos)}"
    if blocked.operation == _JOIN and blocked.holders:
        return f"waits for the end of thread {blocked.holders[0]} {where}"
    if blocked.operation == "spin loop":
        return f"waits for a variable to change{_at(blocked.pos)}"
    kind = next((text for word, text in _OBJECTS.items() if word in blocked.operation), "")
    what = f"{kind} {blocked.waits_for}".strip() or "something"
    return f"waits for {what} {where}"


def _line(blocked: BlockedThread, thread: ThreadResult | None, deadlock: DeadlockResult) -> str:
    name = str(thread) if thread is not None else f"thread {blocked.thread}"
    parts = []
    if blocked.held:
        parts.append("holds " + ", ".join(f"{held.lock}{_at(held.pos)}" for held in blocked.held))
    parts.append(waiting(blocked) + _who(blocked, deadlock))
    return f"{name}{',' if thread is not None and thread.id else ''} {', and '.join(parts)}"


def _who(blocked: BlockedThread, deadlock: DeadlockResult) -> str:
    if blocked.operation == _JOIN or not blocked.holders:
        return ""
    alive = {other.thread for other in deadlock.blocked}
    if blocked.holders == (blocked.thread,):
        return ", which it holds itself"
    names = " and ".join(f"thread {holder}" if holder else "the main thread" for holder in blocked.holders)
    verb = "hold" if len(blocked.holders) > 1 else "holds"
    return f", which {names} {verb}" if set(blocked.holders) <= alive else f", which {names} has not given back"


def _at(pos: SourcePos | None) -> str:
    return f" (line {pos.line})" if pos is not None else ""
