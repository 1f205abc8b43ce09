"""Order: the two views never happen at the same time, by the reason that is claimed.

Each check reads the facts in the way that `Moment` and `Thread` define them, one reason at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raceproof.evidence.claims import Answer, Ruling, accepted, not_checked, rejected
from raceproof.evidence.places import is_under_its_lock
from raceproof.facts import describe_lock
from raceproof.model import MAIN, ConcurrentProgram, DistinctArgument, Linear, StartArg, ThreadId, View

_Check = Callable[[ConcurrentProgram, str, View, View], Ruling]


def check_ordered(cp: ConcurrentProgram, detail: str, a: View, b: View) -> Ruling:
    """`detail` is what the report says after `ordered`."""
    for words, check in _CHECKS.items():
        if detail.startswith(words):
            return check(cp, detail.removeprefix(words).strip(), a, b)
    return not_checked(f"no checker knows the order `{detail}`")


def are_plainly_ordered(cp: ConcurrentProgram, a: View, b: View) -> bool:
    """One thread does both, or creation and join keep their threads apart."""
    checks = (_same_thread, _alone, _one_after_the_other)
    return any(check(cp, "", a, b).answer is Answer.ACCEPTED for check in checks)


def _same_thread(cp: ConcurrentProgram, name: str, a: View, b: View) -> Ruling:
    done_by = {_without_nested(cp, a.thread), _without_nested(cp, b.thread)}
    if len(done_by) == 1 and not cp.threads[done_by.pop()].many:
        return accepted("one thread does both")
    return rejected("different threads do them")


def _without_nested(cp: ConcurrentProgram, thread: ThreadId) -> ThreadId:
    """Callbacks that run only while a thread calls unknown code are done by that thread."""
    parent = cp.threads[thread].parent
    return thread if parent is None or not cp.threads[thread].is_nested else _without_nested(cp, parent)


def _line(cp: ConcurrentProgram, thread: ThreadId) -> list[ThreadId]:
    """Main, ..., the thread's creator, the thread."""
    parent = cp.threads[thread].parent
    return [thread] if parent is None else [*_line(cp, parent), thread]


def _alone(cp: ConcurrentProgram, name: str, a: View, b: View) -> Ruling:
    """One of the two is done by a creator of the other's thread, while nobody that leads to that thread may run."""
    for creator, created in ((a, b), (b, a)):
        line = _line(cp, created.thread)
        if creator.thread == created.thread or creator.thread not in line:
            continue
        if cp.threads[creator.thread].many:
            continue  # another instance of the creator, about whose threads it knows nothing
        below = line[line.index(creator.thread) + 1 :]
        if not creator.moment.may_run.intersection(below):
            return accepted("the created thread does not run at that moment")
    return rejected("neither is done by a creator of the other's thread while that cannot run")


def _one_after_the_other(cp: ConcurrentProgram, name: str, a: View, b: View) -> Ruling:
    """Two different branches below one creator, each over or not begun whenever the other is created."""
    line_a, line_b = _line(cp, a.thread), _line(cp, b.thread)
    common = [t for t in line_a if t in line_b]
    below_a, below_b = line_a[len(common) :], line_b[len(common) :]
    if not below_a or not below_b:
        return rejected("one thread is the creator of the other")
    if cp.threads[common[-1]].many:
        return rejected("their creator may itself run several times")
    a_may_run = cp.threads[below_b[0]].may_run_at_creation.intersection(below_a)
    b_may_run = cp.threads[below_a[0]].may_run_at_creation.intersection(below_b)
    if a_may_run or b_may_run:
        return rejected("one may still run when the other is created")
    return accepted("neither runs when the other is created")


def _once(cp: ConcurrentProgram, name: str, a: View, b: View) -> Ruling:
    for inside, other in ((a, b), (b, a)):
        for control in inside.moment.in_once:
            is_done = control in other.moment.must_done or control in other.moment.in_once
            if is_done and describe_lock(cp, control) == name:
                return accepted("one is in the initialiser, the other after it")
    return rejected("no such pthread_once comes between the two")


def _barrier(cp: ConcurrentProgram, name: str, a: View, b: View) -> Ruling:
    for fact in cp.barriers:
        if describe_lock(cp, fact.barrier) != name or not {a.thread, b.thread} <= set(fact.users):
            continue
        least_a, most_a = _rounds(a, fact.barrier)
        least_b, most_b = _rounds(b, fact.barrier)
        if (most_a is not None and most_a < least_b) or (most_b is not None and most_b < least_a):
            return accepted("different rounds of the barrier")
    return rejected("they may happen in the same round of the barrier")


def _rounds(view: View, barrier: Linear) -> tuple[int, int | None]:
    """How often the thread has waited: at least, at most (None: no bound)."""
    known = [(least, most) for address, least, most in view.moment.phases if address == barrier]
    return known[0] if known else (0, 0)


def _signal(cp: ConcurrentProgram, name: str, a: View, b: View) -> Ruling:
    for before, after in ((a, b), (b, a)):
        for signal in after.moment.must_received:
            is_sender = cp.senders.get(signal) == before.thread
            if is_sender and signal.address not in before.moment.may_sent and describe_lock(cp, signal.address) == name:
                return accepted("one is before the signal, the other after it")
    if any(signal in cp.senders for view in (a, b) for signal in view.moment.must_received):
        return not_checked("the signal may have come through a third thread")
    return rejected("neither has received such a signal")


def _counted(cp: ConcurrentProgram, name: str, a: View, b: View) -> Ruling:
    for worker, main in ((a, b), (b, a)):
        for counter in cp.countdowns:
            if describe_lock(cp, counter.address) != name or worker.thread not in counter.threads:
                continue
            counts_later = counter.address not in worker.moment.may_counted
            if main.thread == MAIN and counts_later and counter.address in main.moment.must_drained:
                return accepted("one is before its thread counts down, the other after all have done so")
    return rejected("they are not on different sides of such a counter")


def _token_in_sight(cp: ConcurrentProgram, name: str, a: View, b: View) -> Ruling:
    for holder, main in ((a, b), (b, a)):
        for cells in cp.tokens if main.thread == MAIN else ():
            counters = [c for c in cells.counters & main.moment.must_drained if describe_lock(cp, c) == name]
            has_token = any(is_under_its_lock(cells, *seen) for seen in holder.moment.must_have)
            if has_token and any(c not in holder.moment.may_paid for c in counters):
                return accepted(
                    "one has found a token and not counted down for it, the other comes when all are counted"
                )
    return rejected("neither has a token while the other knows that all were taken and counted")


def _one_number(cp: ConcurrentProgram, name: str, a: View, b: View) -> Ruling:
    for source, number in a.moment.must_numbers:
        if str(number) != name or (source, number) not in b.moment.must_numbers:
            continue
        if source in cp.drawn_from:
            return accepted("nobody else has drawn this number")
        argument = cp.threads[a.thread].argument
        if a.thread != b.thread or source.constant != 0 or source.terms != ((StartArg(a.thread), 1),):
            continue
        if isinstance(argument, DistinctArgument) and argument.stride and not argument.fresh:
            return accepted("no other instance was given this number")
    return rejected("another thread may have this number")


_CHECKS: Mapping[str, _Check] = {
    "in the same thread": _same_thread,
    "before the other thread is created, or after it is joined": _alone,
    "one thread ends before the other is created": _one_after_the_other,
    "through pthread_once of": _once,
    "on different sides of barrier": _barrier,
    "signalled through": _signal,
    "counted down through": _counted,
    "only one thread has the number": _one_number,
    "taken before it was counted down through": _token_in_sight,
}
