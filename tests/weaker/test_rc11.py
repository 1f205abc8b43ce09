"""The plain form of C11's executions on programs whose races are known from the literature."""

from __future__ import annotations

import pytest

from weaker.litmus import LOCK, UNLOCK, Atomic, Litmus, Plain, Step
from weaker.rc11 import allowed_races

ENTER_IF_0 = Plain(True, ((1, 0),))


def store(place: str, order: str, value: int = 1) -> Atomic:
    return Atomic("store", order, place, value)


def load(place: str, order: str, register: int) -> Atomic:
    return Atomic("load", order, place, register=register)


def add(place: str, order: str, register: int, value: int = 1) -> Atomic:
    return Atomic("add", order, place, value, register)


def exchange(place: str, order: str, failing: str) -> Atomic:
    return Atomic("exchange", order, place, 2, 0, failing)


def fence(order: str) -> Atomic:
    return Atomic("fence", order)


def entering(first: Atomic, second: Atomic) -> tuple[Step, ...]:
    return first, second, ENTER_IF_0


def through_fence(mine: str, other: str, order: str) -> tuple[Step, ...]:
    return store(mine, "relaxed"), fence(order), load(other, "relaxed", 2), Plain(True, ((2, 0),))


def dekker(writes: str, reads: str) -> Litmus:
    return entering(store("x", writes), load("y", reads, 1)), entering(store("y", writes), load("x", reads, 1))


def message(writes: tuple[Step, ...], reads: tuple[Step, ...], register: int = 0, value: int = 1) -> Litmus:
    return (Plain(True), *writes), (*reads, Plain(True, ((register, value),)))


RACY: dict[str, Litmus] = {
    "dekker, release and acquire": dekker("release", "acquire"),
    "dekker, reads that only acquire": dekker("seq_cst", "acquire"),
    "dekker, writes that only release": dekker("release", "seq_cst"),
    "dekker, weaker fences": (through_fence("x", "y", "acq_rel"), through_fence("y", "x", "acq_rel")),
    "dekker, one fence": (through_fence("x", "y", "seq_cst"), entering(store("y", "seq_cst"), load("x", "relaxed", 1))),
    "dekker, updates of the own flag": (
        entering(add("x", "acq_rel", 0), load("y", "acquire", 1)),
        entering(add("y", "acq_rel", 0), load("x", "acquire", 1)),
    ),
    "dekker, updates of the other's flag": (
        entering(store("x", "relaxed"), add("y", "acq_rel", 1, 0)),
        entering(store("y", "relaxed"), add("x", "acq_rel", 1, 0)),
    ),
    "dekker, an exchange that is weaker if it fails": (
        (store("x", "seq_cst"), Atomic("exchange", "seq_cst", "y", 2, 1, "relaxed"), Plain(True, ((1, 1),))),
        (store("y", "seq_cst"), store("y", "seq_cst", 0), load("x", "seq_cst", 2), Plain(True, ((2, 0),))),
    ),
    "message, relaxed": message((store("x", "relaxed"),), (load("x", "acquire", 0),)),
    "message, fence too late": message((store("x", "relaxed"), fence("release")), (load("x", "acquire", 0),)),
    "an exchange that fails does not acquire": (
        (Plain(True), store("x", "release")),
        (exchange("x", "acquire", "relaxed"), Plain(True, ((0, 1),))),
    ),
    "dekker, with a lock that only one takes": (
        (LOCK, store("x", "release"), load("y", "acquire", 1), ENTER_IF_0, UNLOCK),
        entering(store("y", "release"), load("x", "acquire", 1)),
    ),
    "independent writes seen in two orders": (
        (store("x", "release"),),
        (store("y", "release"),),
        (load("x", "acquire", 0), load("y", "acquire", 1), Plain(True, ((0, 1), (1, 0)))),
        (load("y", "acquire", 0), load("x", "acquire", 1), Plain(True, ((0, 1), (1, 0)))),
    ),
    "a sequence that another thread's store ends": (
        (Plain(True), store("x", "release"), store("x", "relaxed", 2)),
        (store("x", "relaxed", 3),),
        (load("x", "acquire", 0), Plain(True, ((0, 2),))),
    ),
}
RACE_FREE: dict[str, Litmus] = {
    "dekker": dekker("seq_cst", "seq_cst"),
    "dekker, fences": (through_fence("x", "y", "seq_cst"), through_fence("y", "x", "seq_cst")),
    "message": message((store("x", "release"),), (load("x", "acquire", 0),)),
    "message, fences": (
        (Plain(True), fence("release"), store("x", "relaxed")),
        (Atomic("wait", "relaxed", "x", 1), fence("acquire"), Plain(True)),
    ),
    "message, an update passes it on": (
        (Plain(True), store("x", "release")),
        (add("x", "relaxed", 0),),
        (load("x", "acquire", 0), Plain(True, ((0, 2),))),
    ),
    "message, the same thread writes again": message(
        (store("x", "release"), store("x", "relaxed", 2)), (load("x", "acquire", 0),), value=2
    ),
    "only one update reads 0": ((add("x", "relaxed", 0), Plain(True, ((0, 0),))),) * 2,
    "only one exchange succeeds": ((exchange("x", "relaxed", "relaxed"), Plain(True, ((0, 0),))),) * 2,
    "an exchange that fails acquires": (
        (Plain(True), store("x", "release")),
        (exchange("x", "relaxed", "acquire"), Plain(True, ((0, 1),))),
    ),
    "one at a time": ((LOCK, Plain(True), UNLOCK),) * 2,
    "nobody reads backwards": (
        (store("x", "relaxed"), store("x", "relaxed", 2)),
        (load("x", "relaxed", 0), load("x", "relaxed", 1), Plain(True, ((0, 2), (1, 1)))),
        (Plain(True),),
    ),
    "nobody reads from his own future": (
        (load("x", "relaxed", 0), store("y", "relaxed"), Plain(True, ((0, 1),))),
        (load("y", "relaxed", 0), store("x", "relaxed"), Plain(True, ((0, 1),))),
    ),
}


@pytest.mark.parametrize("name", RACY)
def test_racy(name: str) -> None:
    assert allowed_races(RACY[name])


@pytest.mark.parametrize("name", RACE_FREE)
def test_race_free(name: str) -> None:
    assert not allowed_races(RACE_FREE[name])
