"""The order of locks, derived anew: only circles in which two waits plainly exclude each other are ruled out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.handmade import WORKER, concurrent_program

from raceproof.core import Budget
from raceproof.evidence import Answer
from raceproof.evidence.lock_order import check_lock_order
from raceproof.ir import SiteId
from raceproof.model import MAIN, Resource, ResourceKind, ThreadId, Unaccounted, Wait, Waiting

A, B, C = (Resource(ResourceKind.MODEL, name=name) for name in "abc")
SITE = min(concurrent_program().program.instructions_by_site())


def wait(thread: ThreadId, held: Resource, wanted: Resource) -> Wait:
    return Wait(thread, SiteId(SITE), frozenset({wanted}), frozenset({held}))


def answer(*waits: Wait, many: bool = False, unaccounted: tuple[Unaccounted, ...] = ()) -> Answer:
    cp = concurrent_program()
    threads = {number: replace(thread, many=many and number == WORKER) for number, thread in cp.threads.items()}
    cp = replace(cp, threads=threads, waiting=Waiting(waits, unaccounted))
    return check_lock_order(cp, Budget.unlimited()).answer


@pytest.mark.parametrize(
    ("waits", "many", "expected"),
    [
        ((), False, Answer.ACCEPTED),
        ((wait(MAIN, A, B), wait(WORKER, A, B)), True, Answer.ACCEPTED),
        ((wait(MAIN, A, B), wait(WORKER, B, A)), False, Answer.NOT_CONFIRMED),
        ((wait(WORKER, A, B), wait(WORKER, B, A)), False, Answer.ACCEPTED),  # one thread waits at one place
        ((wait(WORKER, A, B), wait(WORKER, B, A)), True, Answer.NOT_CONFIRMED),
        ((wait(WORKER, A, B), wait(MAIN, B, C), wait(WORKER, C, A)), True, Answer.NOT_CONFIRMED),
        ((wait(WORKER, A, B), wait(MAIN, B, C), wait(WORKER, C, A)), False, Answer.ACCEPTED),
        ((wait(WORKER, A, A),), False, Answer.NOT_CONFIRMED),  # several locks, or one taken twice
    ],
)
def test_circles(waits: tuple[Wait, ...], many: bool, expected: Answer) -> None:
    assert answer(*waits, many=many) is expected


def test_waits_for_something_else() -> None:
    assert answer(unaccounted=(Unaccounted("a semaphore", None),)) is Answer.REJECTED


def test_facts_without_waits() -> None:
    assert check_lock_order(concurrent_program(), Budget.unlimited()).answer is Answer.NOT_CHECKED
