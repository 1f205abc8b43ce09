"""The checker and the engine, written apart from each other, agree on what is ordered; and names must be right.

Threads: main creates `FIRST` and `SECOND`, `FIRST` creates `CHILD`, which creates `GRANDCHILD`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.handmade import MUTEX, concurrent_program

from raceproof.evidence import Answer
from raceproof.evidence.order import check_ordered
from raceproof.facts import describe_lock
from raceproof.lockset.order import why_ordered
from raceproof.model import (
    MAIN,
    AnyArgument,
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
PLACES = (MUTEX, OTHER)

threads = st.sampled_from([MAIN, FIRST, SECOND, CHILD, GRANDCHILD])
some_threads = st.frozensets(st.sampled_from([FIRST, SECOND, CHILD, GRANDCHILD]), max_size=2)
some_places = st.frozensets(st.sampled_from(PLACES), max_size=1)
sources = st.sampled_from([MUTEX, OTHER, of_atom(StartArg(FIRST)), of_atom(StartArg(CHILD))])
some_numbers = st.frozensets(st.tuples(sources, st.integers(6, 7)), max_size=3)
arguments = st.sampled_from(
    [AnyArgument(), *(DistinctArgument(Linear(0), stride, fresh) for stride in (0, 8) for fresh in (False, True))]
)
phases = st.sampled_from([(), ((MUTEX, 0, 1),), ((MUTEX, 1, 1),), ((MUTEX, 1, None),), ((OTHER, 2, 2),)])


@st.composite
def moments(draw: st.DrawFn) -> Moment:
    kind = draw(st.sampled_from(["threads", "once", "barrier", "signal", "counter", "number"]))
    moment = Moment(may_run=draw(some_threads))
    match kind:
        case "once":
            return replace(moment, in_once=draw(some_places), must_done=draw(some_places))
        case "barrier":
            return replace(moment, phases=draw(phases))
        case "signal":
            received = frozenset(Signal(place) for place in draw(some_places))
            return replace(moment, may_sent=draw(some_places), must_received=received)
        case "counter":
            return replace(moment, may_counted=draw(some_places), must_drained=draw(some_places))
        case "number":
            return replace(moment, must_numbers=draw(some_numbers))
    return moment


@st.composite
def programs(draw: st.DrawFn) -> ConcurrentProgram:
    cp = concurrent_program(many=False)
    many = draw(st.sampled_from([(), (), (FIRST,), (CHILD,), (SECOND, GRANDCHILD)]))
    made = {
        thread: replace(
            cp.threads[FIRST],
            id=thread,
            parent=parent,
            many=thread in many,
            may_run_at_creation=draw(some_threads),
            argument=draw(arguments),
        )
        for thread, parent in PARENTS.items()
    }
    users = tuple(sorted(draw(some_threads)))
    return replace(
        cp,
        threads={MAIN: cp.threads[MAIN], **made},
        barriers=tuple(BarrierFact(place, 2, users) for place in sorted(draw(some_places), key=str)),
        senders={Signal(place): draw(threads) for place in sorted(draw(some_places), key=str)},
        countdowns=(CountDown(MUTEX, None, draw(some_threads), None),),
        drawn_from=draw(some_places),
    )


def views() -> st.SearchStrategy[View]:
    return st.builds(lambda thread, moment: View(thread, None, frozenset(), moment, False), threads, moments())


def every_order(cp: ConcurrentProgram) -> list[str]:
    words = ("through pthread_once of", "on different sides of barrier", "signalled through", "counted down through")
    names = [describe_lock(cp, place) for place in PLACES]
    return [
        "in the same thread",
        "before the other thread is created, or after it is joined",
        "one thread ends before the other is created",
        *(f"only one thread has the number {number}" for number in (6, 7)),
        *(f"{word} {name}" for word in words for name in names),
    ]


@settings(max_examples=700)
@given(programs(), views(), views())
def test_what_the_engine_calls_ordered_is_accepted_and_nothing_else(cp: ConcurrentProgram, a: View, b: View) -> None:
    reason = why_ordered(cp, a, b)
    if reason is not None:
        assert check_ordered(cp, reason, a, b).answer is Answer.ACCEPTED, reason
    else:
        accepted = [text for text in every_order(cp) if check_ordered(cp, text, a, b).answer is Answer.ACCEPTED]
        assert not accepted


def told(text: str, a: Moment, b: Moment, **facts: object) -> Answer:
    """Of main and a thread that it has created."""
    cp = replace(concurrent_program(many=False), **facts)  # type: ignore[arg-type]
    view_a, view_b = (View(thread, None, frozenset(), moment, False) for thread, moment in ((MAIN, a), (FIRST, b)))
    return check_ordered(cp, text, view_a, view_b).answer


RUNNING = Moment(may_run=frozenset({FIRST}))


@pytest.mark.parametrize(
    ("words", "a", "b", "facts"),
    [
        (
            "through pthread_once of",
            replace(RUNNING, in_once=frozenset({MUTEX})),
            Moment(must_done=frozenset({MUTEX})),
            {},
        ),
        (
            "on different sides of barrier",
            RUNNING,
            Moment(phases=((MUTEX, 1, 1),)),
            {"barriers": (BarrierFact(MUTEX, 2, (MAIN, FIRST)),)},
        ),
        (
            "signalled through",
            RUNNING,
            Moment(must_received=frozenset({Signal(MUTEX)})),
            {"senders": {Signal(MUTEX): MAIN}},
        ),
        (
            "counted down through",
            replace(RUNNING, must_drained=frozenset({MUTEX})),
            Moment(),
            {"countdowns": (CountDown(MUTEX, None, frozenset({FIRST}), 1),)},
        ),
    ],
)
def test_another_name_is_another_order(words: str, a: Moment, b: Moment, facts: dict[str, object]) -> None:
    def name(place: Linear) -> str:
        return describe_lock(concurrent_program(), place)

    assert told(f"{words} {name(MUTEX)}", a, b, **facts) is Answer.ACCEPTED
    assert told(f"{words} {name(OTHER)}", a, b, **facts) is not Answer.ACCEPTED
