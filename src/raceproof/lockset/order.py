"""Happens-before between two views, from creation, join, once, barriers, signals and counters.

Follows no single paper; [DHTC, Fig. 1] adds the end of threads to Eraser's states, which is `Moment.may_run` here.
Each function returns why the two cannot be concurrent, or None if nothing is known: it errs on the side of None.
"""

from __future__ import annotations

from raceproof.facts import describe_lock
from raceproof.model import MAIN, ConcurrentProgram, DistinctArgument, Linear, StartArg, ThreadId, View, of_atom


def why_ordered(cp: ConcurrentProgram, a: View, b: View) -> str | None:
    """A reason why `a` and `b` never happen at the same time, apart from locks."""
    return (
        _same_thread(cp, a, b)
        or _created_or_joined(cp, a, b)
        or _once(cp, a, b)
        or _once(cp, b, a)
        or _barrier(cp, a, b)
        or _signal(cp, a, b)
        or _signal(cp, b, a)
        or _counted(cp, a, b)
        or _counted(cp, b, a)
        or _same_number(cp, a, b)
        or _token_in_sight(cp, a, b)
        or _token_in_sight(cp, b, a)
    )


def _same_thread(cp: ConcurrentProgram, a: View, b: View) -> str | None:
    runs_a, runs_b = runner(cp, a.thread), runner(cp, b.thread)
    if runs_a == runs_b and not cp.threads[runs_a].many:
        return "in the same thread"
    return None


def runner(cp: ConcurrentProgram, thread: ThreadId) -> ThreadId:
    """The thread itself, or, of a callback that runs only within calls, the thread that makes these calls."""
    while cp.threads[thread].is_nested and (parent := cp.threads[thread].parent) is not None:
        thread = parent
    return thread


def ancestry(cp: ConcurrentProgram, thread: ThreadId) -> list[ThreadId]:
    """The thread, its creator, and so on up to main."""
    chain = [thread]
    while (parent := cp.threads[chain[-1]].parent) is not None:
        chain.append(parent)
    return chain


def _may_run(cp: ConcurrentProgram, may_run: frozenset[ThreadId], thread: ThreadId, below: ThreadId) -> bool:
    """`thread` may be running where `may_run` holds in its ancestor `below`: it or a thread on the way to it is."""
    for candidate in ancestry(cp, thread):
        if candidate == below:
            return False
        if candidate in may_run:
            return True
    return True  # not a descendant: nothing is known


def _created_or_joined(cp: ConcurrentProgram, a: View, b: View) -> str | None:
    above_a, above_b = ancestry(cp, a.thread), ancestry(cp, b.thread)
    common = next(t for t in above_a if t in above_b)
    if cp.threads[common].many:
        return None
    if common == a.thread:
        return None if a.thread == b.thread else _creator_alone(cp, a, b.thread)
    if common == b.thread:
        return _creator_alone(cp, b, a.thread)
    branch_a, branch_b = above_a[above_a.index(common) - 1], above_b[above_b.index(common) - 1]
    if branch_a == branch_b:
        return None
    beside_a = cp.threads[branch_a].may_run_at_creation
    beside_b = cp.threads[branch_b].may_run_at_creation
    if _may_run(cp, beside_b, a.thread, common) or _may_run(cp, beside_a, b.thread, common):
        return None
    return "one thread ends before the other is created"


def _creator_alone(cp: ConcurrentProgram, view: View, other: ThreadId) -> str | None:
    if _may_run(cp, view.moment.may_run, other, view.thread):
        return None
    return "before the other thread is created, or after it is joined"


def _once(cp: ConcurrentProgram, a: View, b: View) -> str | None:
    for control in sorted(a.moment.in_once & (b.moment.must_done | b.moment.in_once), key=str):
        return f"through pthread_once of {describe_lock(cp, control)}"
    return None


def _phases(view: View, barrier: Linear) -> tuple[int, int | None]:
    for known, low, high in view.moment.phases:
        if known == barrier:
            return low, high
    return 0, 0


def _barrier(cp: ConcurrentProgram, a: View, b: View) -> str | None:
    for fact in cp.barriers:
        if a.thread in fact.users and b.thread in fact.users:
            low_a, high_a = _phases(a, fact.barrier)
            low_b, high_b = _phases(b, fact.barrier)
            if (high_a is not None and high_a < low_b) or (high_b is not None and high_b < low_a):
                return f"on different sides of barrier {describe_lock(cp, fact.barrier)}"
    return None


def _signal(cp: ConcurrentProgram, before: View, after: View) -> str | None:
    """`before` is done by the one who signals, not yet having signalled; `after` has got the signal."""
    received = set(after.moment.must_received)
    work = list(received)
    while work:  # what the sender had received before it sent
        signal = work.pop()
        if signal in cp.senders:
            new = cp.sent_after.get(signal.address, frozenset()) - received
            received |= new
            work.extend(new)
    for signal in sorted(received, key=str):
        if cp.senders.get(signal) == before.thread and signal.address not in before.moment.may_sent:
            return f"signalled through {describe_lock(cp, signal.address)}"
    return None


def _counted(cp: ConcurrentProgram, before: View, after: View) -> str | None:
    """`before` is done by a thread that has yet to count down; `after` by main, which has seen that all have."""
    for counter in cp.countdowns:
        if (
            after.thread == MAIN
            and counter.address in after.moment.must_drained
            and before.thread in counter.threads
            and counter.address not in before.moment.may_counted
        ):
            return f"counted down through {describe_lock(cp, counter.address)}"
    return None


def _same_number(cp: ConcurrentProgram, a: View, b: View) -> str | None:
    """Both have found that theirs is the number k, which one thread has at most, or one at a time."""
    for source, number in sorted(a.moment.must_numbers & b.moment.must_numbers, key=str):
        if source in cp.drawn_from or (a.thread == b.thread and _differs_by_instance(cp, source, a.thread)):
            return f"only one thread has the number {number}"
    return None


def _differs_by_instance(cp: ConcurrentProgram, source: Linear, thread: ThreadId) -> bool:
    """It is the argument of the thread, which is another number for each instance."""
    argument = cp.threads[thread].argument
    is_told = isinstance(argument, DistinctArgument) and not argument.fresh and argument.stride != 0
    return is_told and source == of_atom(StartArg(thread))


def _token_in_sight(cp: ConcurrentProgram, before: View, after: View) -> str | None:
    """`before` is done by a thread that has found a token and not counted down for it; `after` by main, at the end."""
    if after.thread != MAIN:
        return None
    for cells in cp.tokens:
        if any(cells.argument(seen) is not None for seen in before.moment.must_have):
            for counter in sorted(cells.counters & after.moment.must_drained - before.moment.may_paid, key=str):
                return f"taken before it was counted down through {describe_lock(cp, counter)}"
    return None
