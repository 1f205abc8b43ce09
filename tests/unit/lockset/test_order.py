"""What is ordered by creation, join, once, barriers, signals and counters, and what only looks like it.

Threads: main creates `FIRST` and `SECOND`, `FIRST` creates `CHILD`, which creates `GRANDCHILD`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from unit.handmade import MUTEX, concurrent_program

from raceproof.lockset.order import why_ordered
from raceproof.model import (
    MAIN,
    BarrierFact,
    ConcurrentProgram,
    CountDown,
    DistinctArgument,
    Linear,
    Moment,
    Signal,
    StartArg,
    ThreadId,
    View,
    of_atom,
)

FIRST, SECOND, CHILD, GRANDCHILD = (ThreadId(number) for number in (1, 2, 3, 4))
PARENTS = {FIRST: MAIN, SECOND: MAIN, CHILD: FIRST, GRANDCHILD: CHILD}
OTHER = MUTEX.shifted(8)
NO_BEGINNING: dict[ThreadId, Iterable[ThreadId]] = {FIRST: (CHILD, SECOND, GRANDCHILD), SECOND: (FIRST, CHILD)}


def program(
    many: Iterable[ThreadId] = (), beside: dict[ThreadId, Iterable[ThreadId]] | None = None, **facts: object
) -> ConcurrentProgram:
    """`beside`: what may run when a thread is created; by default too much for anything to follow."""
    cp = concurrent_program(many=False)
    running = NO_BEGINNING if beside is None else beside
    threads = {
        thread: replace(
            cp.threads[FIRST],
            id=thread,
            parent=parent,
            many=thread in many,
            may_run_at_creation=frozenset(running.get(thread, ())),
        )
        for thread, parent in PARENTS.items()
    }
    return replace(cp, threads={MAIN: cp.threads[MAIN], **threads}, **facts)  # type: ignore[arg-type]


def at(thread: ThreadId, moment: Moment = Moment()) -> View:  # noqa: B008  frozen
    return View(thread, None, frozenset(), moment, False)


def running(*threads: ThreadId) -> Moment:
    return Moment(may_run=frozenset(threads))


def is_ordered(cp: ConcurrentProgram, a: View, b: View) -> bool:
    """The same, whichever of the two is asked about first."""
    answers = {why_ordered(cp, a, b) is not None, why_ordered(cp, b, a) is not None}
    assert len(answers) == 1
    return answers.pop()


# -- threads


def test_one_thread_does_one_thing_after_the_other() -> None:
    assert why_ordered(program(), at(FIRST), at(FIRST)) == "in the same thread"
    assert why_ordered(program(many=[FIRST]), at(FIRST), at(FIRST)) is None


@pytest.mark.parametrize("created", [FIRST, CHILD, GRANDCHILD])
def test_a_creator_alone(created: ThreadId) -> None:
    """Whoever leads to the thread must not run either."""
    assert is_ordered(program(), at(MAIN), at(created))
    assert is_ordered(program(), at(MAIN, running(SECOND)), at(created))
    line = [FIRST, CHILD, GRANDCHILD]
    for thread in line[: line.index(created) + 1]:
        assert not is_ordered(program(), at(MAIN, running(thread)), at(created))


def test_who_is_created_by_the_created_says_nothing_about_it() -> None:
    assert is_ordered(program(), at(MAIN, running(GRANDCHILD)), at(CHILD))


def test_what_the_created_thread_knows_of_itself_does_not_order() -> None:
    assert not is_ordered(program(), at(MAIN, running(FIRST)), at(FIRST, running()))


def test_a_creator_that_is_one_of_many_knows_only_its_own_threads() -> None:
    assert is_ordered(program(), at(FIRST), at(CHILD))
    assert not is_ordered(program(many=[FIRST]), at(FIRST), at(CHILD))
    assert is_ordered(program(many=[FIRST]), at(MAIN), at(CHILD))


def test_one_thread_after_the_other() -> None:
    assert is_ordered(program(beside={}), at(FIRST), at(SECOND))
    assert is_ordered(program(beside={}), at(GRANDCHILD), at(SECOND))
    assert not is_ordered(program(beside={FIRST: [SECOND]}), at(FIRST), at(SECOND))
    assert not is_ordered(program(beside={SECOND: [FIRST]}), at(FIRST), at(SECOND))


@pytest.mark.parametrize("still", [FIRST, CHILD, GRANDCHILD])
def test_a_thread_below_the_first_may_still_run(still: ThreadId) -> None:
    assert not is_ordered(program(beside={SECOND: [still]}), at(GRANDCHILD), at(SECOND))


def test_what_runs_when_the_branch_is_created_counts_not_what_runs_below() -> None:
    """`GRANDCHILD` is in the branch of `FIRST`: what may run when `FIRST` is created may run beside it."""
    assert not is_ordered(program(beside={FIRST: [SECOND]}), at(GRANDCHILD), at(SECOND))
    assert is_ordered(program(beside={CHILD: [SECOND], GRANDCHILD: [SECOND]}), at(GRANDCHILD), at(SECOND))


def test_threads_below_creators_of_which_there_are_many() -> None:
    """Two instances of `FIRST` have a `CHILD` each; what is beside a creation is known of one instance only."""
    cp = program(many=[FIRST], beside={})
    assert is_ordered(cp, at(CHILD), at(SECOND))
    sibling = ThreadId(5)
    threads = {**cp.threads, sibling: replace(cp.threads[CHILD], id=sibling)}
    assert not is_ordered(replace(cp, threads=threads), at(CHILD), at(sibling))
    once = {**threads, FIRST: replace(threads[FIRST], many=False)}
    assert is_ordered(replace(cp, threads=once), at(CHILD), at(sibling))


def test_two_of_one_kind_are_not_ordered_by_their_creation() -> None:
    cp = program(many=[CHILD], beside={})
    assert not is_ordered(cp, at(CHILD), at(CHILD))
    assert not is_ordered(program(many=[GRANDCHILD, CHILD], beside={}), at(GRANDCHILD), at(GRANDCHILD))


# -- once

INSIDE, AFTER = Moment(in_once=frozenset({MUTEX})), Moment(must_done=frozenset({MUTEX}))


def test_once() -> None:
    cp = program()
    assert is_ordered(cp, at(FIRST, INSIDE), at(SECOND, AFTER))
    assert is_ordered(cp, at(FIRST, INSIDE), at(SECOND, INSIDE))  # the initialiser runs once
    assert not is_ordered(cp, at(FIRST, INSIDE), at(SECOND))
    assert not is_ordered(cp, at(FIRST, AFTER), at(SECOND, AFTER))
    assert not is_ordered(cp, at(FIRST, INSIDE), at(SECOND, Moment(must_done=frozenset({OTHER}))))
    assert not is_ordered(cp, at(FIRST, AFTER), at(SECOND))


# -- barriers


def waited(low: int, high: int | None, barrier: Linear = MUTEX) -> Moment:
    return Moment(phases=((barrier, low, high),))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Moment(), waited(1, 1), True),  # one has never waited
        (Moment(), waited(1, None), True),
        (Moment(), waited(0, 1), False),
        (waited(0, 1), waited(2, 3), True),
        (waited(0, 1), waited(1, 2), False),  # both may have waited once
        (waited(0, None), waited(3, 3), False),
        (waited(0, None), waited(1, None), False),
        (waited(1, 1), waited(1, 1), False),
        (Moment(), waited(1, 1, OTHER), False),
        (waited(0, 0, OTHER), waited(1, 1), True),
    ],
)
def test_barriers(a: Moment, b: Moment, expected: bool) -> None:
    cp = program(barriers=(BarrierFact(MUTEX, 2, (FIRST, SECOND)),))
    assert is_ordered(cp, at(FIRST, a), at(SECOND, b)) is expected


@pytest.mark.parametrize("users", [(), (FIRST,), (SECOND,), (CHILD, GRANDCHILD)])
def test_a_barrier_orders_only_those_who_use_it(users: tuple[ThreadId, ...]) -> None:
    cp = program(barriers=(BarrierFact(MUTEX, 2, users),))
    assert not is_ordered(cp, at(FIRST), at(SECOND, waited(1, 1)))


def test_any_one_of_several_barriers() -> None:
    facts = tuple(BarrierFact(barrier, 2, (FIRST, SECOND)) for barrier in (OTHER, MUTEX))
    assert is_ordered(program(barriers=facts), at(FIRST), at(SECOND, waited(1, 1)))


# -- signals

SIGNAL, LATER = Signal(MUTEX), Signal(OTHER)


def received(*signals: Signal) -> Moment:
    return Moment(must_received=frozenset(signals))


def test_signals() -> None:
    cp = program(senders={SIGNAL: FIRST})
    assert is_ordered(cp, at(FIRST), at(SECOND, received(SIGNAL)))
    assert not is_ordered(cp, at(FIRST), at(SECOND))
    assert not is_ordered(cp, at(FIRST, Moment(may_sent=frozenset({MUTEX}))), at(SECOND, received(SIGNAL)))
    assert is_ordered(cp, at(FIRST, Moment(may_sent=frozenset({OTHER}))), at(SECOND, received(SIGNAL)))
    assert not is_ordered(cp, at(FIRST), at(SECOND, received(LATER)))
    assert not is_ordered(program(senders={SIGNAL: CHILD}), at(FIRST), at(SECOND, received(SIGNAL)))
    assert not is_ordered(program(), at(FIRST), at(SECOND, received(SIGNAL)))


def test_a_signal_that_comes_through_a_third_thread() -> None:
    """`FIRST` signals `CHILD`, which signals `SECOND` after that."""
    through = received(LATER)
    senders = {SIGNAL: FIRST, LATER: GRANDCHILD}
    after = {OTHER: frozenset({SIGNAL})}
    assert is_ordered(program(senders=senders, sent_after=after), at(FIRST), at(SECOND, through))
    assert not is_ordered(program(senders=senders), at(FIRST), at(SECOND, through))
    # nobody is known to be the only one who sends the second: it may come without the first
    assert not is_ordered(program(senders={SIGNAL: FIRST}, sent_after=after), at(FIRST), at(SECOND, through))


def test_a_signal_that_comes_through_two_others() -> None:
    last = Signal(MUTEX.shifted(16))
    senders = {SIGNAL: FIRST, LATER: GRANDCHILD, last: CHILD}
    after = {OTHER: frozenset({SIGNAL}), last.address: frozenset({LATER})}
    assert is_ordered(program(senders=senders, sent_after=after), at(FIRST), at(SECOND, received(last)))


def test_signals_that_wait_for_one_another() -> None:
    after = {MUTEX: frozenset({LATER}), OTHER: frozenset({SIGNAL})}
    cp = program(senders={SIGNAL: CHILD, LATER: GRANDCHILD}, sent_after=after)
    assert not is_ordered(cp, at(FIRST), at(SECOND, received(SIGNAL)))


# -- counters


def test_counters_that_main_has_seen_at_their_end() -> None:
    cp = program(countdowns=(CountDown(MUTEX, None, frozenset({FIRST}), 1),))
    drained = Moment(may_run=frozenset({FIRST, SECOND}), must_drained=frozenset({MUTEX}))
    assert is_ordered(cp, at(FIRST), at(MAIN, drained))
    assert not is_ordered(cp, at(SECOND), at(MAIN, drained))  # does not count
    assert not is_ordered(cp, at(FIRST, Moment(may_counted=frozenset({MUTEX}))), at(MAIN, drained))
    assert is_ordered(cp, at(FIRST, Moment(may_counted=frozenset({OTHER}))), at(MAIN, drained))
    assert not is_ordered(cp, at(FIRST), at(SECOND, drained))  # what others have seen is not known
    assert not is_ordered(cp, at(FIRST), at(MAIN, replace(drained, must_drained=frozenset({OTHER}))))


# -- numbers


def has(*numbers: tuple[Linear, int]) -> Moment:
    return Moment(may_run=frozenset({FIRST, SECOND}), must_numbers=frozenset(numbers))


def test_one_number_is_drawn_once() -> None:
    cp = program(many=(FIRST,), drawn_from=frozenset({MUTEX}))
    assert is_ordered(cp, at(FIRST, has((MUTEX, 7))), at(FIRST, has((MUTEX, 7), (MUTEX, 8))))
    assert is_ordered(cp, at(FIRST, has((MUTEX, 7))), at(SECOND, has((MUTEX, 7))))
    assert not is_ordered(cp, at(FIRST, has((MUTEX, 7))), at(FIRST, has((MUTEX, 8))))
    assert not is_ordered(cp, at(FIRST, has((OTHER, 7))), at(FIRST, has((OTHER, 7))))  # from which others may draw it
    assert not is_ordered(cp, at(FIRST, has((MUTEX, 7))), at(FIRST))


@pytest.mark.parametrize(("stride", "fresh", "expected"), [(1, False, True), (0, False, False), (1, True, False)])
def test_one_number_is_given_once(stride: int, fresh: bool, expected: bool) -> None:
    cp = program(many=(FIRST, SECOND))
    argument = DistinctArgument(Linear(0), stride, fresh)
    cp = replace(cp, threads={t: replace(known, argument=argument) for t, known in cp.threads.items()})
    first = (of_atom(StartArg(FIRST)), 7)
    assert is_ordered(cp, at(FIRST, has(first)), at(FIRST, has(first))) == expected
    assert not is_ordered(cp, at(FIRST, has(first)), at(SECOND, has(first)))  # the arguments of others are their own
    doubled = (of_atom(StartArg(FIRST)).scaled(2), 7)
    assert not is_ordered(cp, at(FIRST, has(doubled)), at(FIRST, has(doubled)))
