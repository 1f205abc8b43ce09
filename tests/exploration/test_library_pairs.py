"""The generator of library pairs: what it draws, that it notices wrong answers, and a fixed sample of it."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from exploration.library_judging import judge_pair
from exploration.library_pairs import Order, Pair, Truth, compose, generate, truth_of
from exploration.library_rules import RULES, Use, conflict
from raceproof.facts import known_effect

SAMPLE = range(9_000, 9_030)
CHECKED = range(9_100, 9_105)


def _drawn(order: Order, *names: str) -> Pair:
    first, second = (next(rule for rule in RULES if rule.name == name) for name in names)
    return compose(random.Random(1), 1, (first, second), order)


def test_rules_name_functions_of_the_tables() -> None:
    unknown = [rule.name for rule in RULES if rule.name != "plain" and known_effect(rule.name) is None]
    assert not unknown


def test_what_conflicts() -> None:
    def use(kind: str, start: int = 0, end: int = 8) -> Use:
        return Use("c", kind, (start, end), (start, end))

    assert conflict(use("w"), use("r")) == (True, True)
    assert conflict(use("r"), use("r")) == (False, False)
    assert conflict(use("w", 0, 4), use("w", 4, 8)) == (False, False)
    assert conflict(use("l"), use("l")) == (False, False)
    assert conflict(use("l"), use("w")) == (True, True)  # an unlocked function beside one that locks
    assert conflict(use("l"), use("e")) == (True, True)
    assert conflict(use("w"), Use("c", "w", None, (0, 8))) == (False, True)
    assert conflict(use("w"), replace(use("w"), object="d")) == (False, False)


@pytest.mark.parametrize("order", list(Order))
def test_order_decides(order: Order) -> None:
    write = [Use("c", "w", (0, 1), (0, 1))]
    is_ordered = order in (Order.LOCK, Order.JOIN, Order.SEMAPHORE)
    assert truth_of(write, write, order) is (Truth.SAFE if is_ordered else Truth.RACE)


def test_every_truth_and_every_order_is_drawn() -> None:
    pairs = [generate(seed) for seed in range(600)]
    assert {pair.truth for pair in pairs} == set(Truth)
    assert {pair.order for pair in pairs} == set(Order)
    assert len({rule.text for pair in pairs for rule in pair.rules}) > 3 * len(RULES) // 4
    assert generate(7) == generate(7)


def test_a_proof_of_a_race_is_noticed(tmp_path: Path) -> None:
    locked = _drawn(Order.LOCK, "memset", "bzero")
    assert locked.truth is Truth.SAFE
    found = judge_pair(replace(locked, truth=Truth.RACE), tmp_path, provers=("lockset",), checked=False)
    assert any("lockset: proves" in text or "no pair" in text for text in found.problems)
    assert not judge_pair(locked, tmp_path, provers=("lockset",), checked=False).problems


def test_a_race_of_a_safe_program_is_noticed(tmp_path: Path) -> None:
    racy = _drawn(Order.NOTHING, "memset", "bzero")
    assert racy.truth is Truth.RACE
    found = judge_pair(replace(racy, truth=Truth.SAFE), tmp_path, seconds=60, provers=())
    assert found.problems == ["check: race"]


@pytest.mark.parametrize("seed", SAMPLE)
def test_no_engine_proves_a_race_of_the_sample(seed: int, tmp_path: Path) -> None:
    assert not judge_pair(generate(seed), tmp_path, checked=False).problems


@pytest.mark.parametrize("seed", CHECKED)
def test_check_is_right_about_the_sample(seed: int, tmp_path: Path) -> None:
    assert not judge_pair(generate(seed), tmp_path, provers=()).problems
