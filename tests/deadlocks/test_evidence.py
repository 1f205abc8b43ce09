"""What reports say about deadlocks is confirmed where it is true, and not accepted where it is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from unit.cli.commands import run_command

from deadlocks.test_programs import PROGRAMS, checked, names, truth_of
from raceproof import facts, interpreter
from raceproof.cli import Exit, check_evidence
from raceproof.core import Budget
from raceproof.evidence import Answer
from raceproof.evidence.lock_order import check_lock_order
from raceproof.frontend import from_files, load
from raceproof.report import to_json, to_witness, why_no_witness

Data = dict[str, Any]
Change = Callable[[Data], object]


def report_on(name: str, *engines: str) -> Data:
    data: Data = json.loads(json.dumps(to_json(checked(PROGRAMS / f"{name}.c", *engines or ("lockset", "explore")))))
    return data


def status(data: Data, directory: Path) -> Exit:
    file = directory / "report.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return run_command(check_evidence.add_parser, "check-evidence", str(file), "--time-limit", "60")


@pytest.mark.parametrize(
    "name",
    [
        *("opposite_order", "gate_lock", "ordered_by_join", "once_under_lock", "c11_mutexes"),  # by the order of locks
        *("lost_signal", "barrier_count", "semaphore_units", "error_checking"),  # by executions
        *("opposite_order_deadlock", "once_under_lock_deadlock", "c11_mutexes_deadlock", "relock_deadlock"),
        *("lost_signal_deadlock", "barrier_count_deadlock", "semaphore_units_deadlock", "upgrade_deadlock"),
        *("join_under_lock_deadlock", "main_ends_deadlock", "ends_holding_deadlock"),
    ],
)
def test_what_is_true_is_accepted(name: str, tmp_path: Path) -> None:
    assert status(report_on(name), tmp_path) is Exit.RACE_FREE


def test_no_witness_says_why() -> None:
    result = checked(PROGRAMS / "relock_deadlock.c", "explore")
    assert result.deadlocks
    assert to_witness(result, specification="", command=(), created=datetime.now(UTC)) is None
    assert "no property for deadlocks" in why_no_witness(result)


def test_a_loop_that_waits_is_not_in_the_specification(tmp_path: Path) -> None:
    assert status(report_on("spin_loop_deadlock"), tmp_path) is Exit.UNKNOWN


def test_unknown_is_unknown(tmp_path: Path) -> None:
    data = report_on("opposite_order_deadlock", "lockset")
    assert data["verdict"] == "unknown"
    assert status(data, tmp_path) is Exit.RACE_FREE


# -- forgeries


def says(**answer: object) -> Change:
    def change(data: Data) -> None:
        data.update({name: value for name, value in answer.items() if name in data})
        data["properties"][0].update(answer)

    return change


def free_by(engine: str, scope: str) -> Change:
    def change(data: Data) -> None:
        says(verdict="deadlock-free", scope=scope, engine=engine, reason=None, evidence=["lock order a, b"])(data)
        data.update(deadlocks=[], other=[])

    return change


def run_of(data: Data) -> Data:
    found: Data = data["deadlocks"][0]["schedule"]
    return found


def recorded(change: Callable[[list[Any]], object]) -> Change:
    return lambda data: change(run_of(data)["record"])


def blocked(line: int, field: int, value: object) -> Change:
    """A thread that waits, changed wherever the record has it."""

    def change(data: Data) -> None:
        run_of(data)["blocked"][line][field] = value
        run_of(data)["record"][line - len(run_of(data)["blocked"])][field] = value

    return change


def fewer(data: Data) -> None:
    """A thread that has not ended is left out."""
    run_of(data)["blocked"].pop()
    run_of(data)["record"].pop()


UNLOCKED = ["step", 1, 2, "pthread_mutex_unlock", None, 11, "a", 0, 0, 0, 2, 0, []]
DEADLOCK: dict[str, Change] = {
    "no deadlock, by the order of locks": free_by("lockset", "all-inputs"),
    "no deadlock, by executions": free_by("explore", "this-input"),
    "no deadlock, by an engine that does not look": free_by("petri", "any-threads"),
    "no deadlock beside one": says(verdict="deadlock-free", scope="all-inputs", engine="lockset"),
    "unknown beside one": says(verdict="unknown", reason="who knows"),
    "a deadlock without a run": lambda data: data.update(deadlocks=[], other=[]),
    "a thread less that waits": fewer,
    "another lock": blocked(1, 6, "a"),
    "another object": blocked(1, 10, 2),
    "another operation": blocked(1, 3, "pthread_mutex_trylock"),
    "another thread to wait for": blocked(0, 9, 2),
    "locks that are not held": blocked(1, 12, ["b"]),
    "a lock that was not taken": recorded(lambda record: record.pop(3)),
    "a lock that was given back": recorded(lambda record: record.insert(4, UNLOCKED)),
    "another schedule": lambda data: run_of(data).update(steps=[[0, 9], [1, 9], [2, 9]]),
    "another line": lambda data: data["deadlocks"][0].update(line=1),
    "another lock, in words": lambda data: data["deadlocks"][0]["threads"][1].update(waits_for="c"),
    "another holder, in words": lambda data: data["deadlocks"][0]["threads"][1].update(holders=[0]),
    "another line of the trace": lambda data: run_of(data)["trace"][0].update(line=1),
    "another function of a thread": lambda data: run_of(data)["threads"][1].update(function="nobody"),
    "another incident": lambda data: data["other"][0].update(kind="crash"),
    "another place of the incident": lambda data: data["other"][0].update(line=1),
}


@pytest.fixture(scope="module")
def deadlock() -> Data:
    return report_on("opposite_order_deadlock")


@pytest.mark.parametrize("name", DEADLOCK)
def test_forged_deadlocks(name: str, deadlock: Data, tmp_path: Path) -> None:
    data: Data = json.loads(json.dumps(deadlock))
    DEADLOCK[name](data)
    assert data != deadlock
    assert status(data, tmp_path) is Exit.RACE


FREE: dict[str, Change] = {
    "for more threads": says(scope="any-threads"),
    "for fewer inputs": says(scope="this-input"),
    "by executions": says(engine="explore", scope="this-input"),
    "a deadlock": says(verdict="deadlock", scope=None),
    "in one place": lambda data: data.update(verdict="unknown", scope=None),
}


@pytest.mark.parametrize("name", FREE)
def test_forged_proofs(name: str, tmp_path: Path) -> None:
    data = report_on("opposite_order")
    FREE[name](data)
    assert status(data, tmp_path) is Exit.RACE


# -- the checkers alone


@pytest.mark.parametrize("name", names())
def test_the_order_of_locks_by_brute_force(name: str) -> None:
    """Plainer rules than the engine's: what it proves here, they prove; of a deadlock nothing is accepted."""
    truth = truth_of(PROGRAMS / f"{name}.c")
    cp = facts.analyse(load(from_files([PROGRAMS / f"{name}.c"])), Budget.unlimited(), with_waits=True)
    answer = check_lock_order(cp, Budget.unlimited()).answer
    assert (answer is Answer.ACCEPTED) == (truth.prover == "lockset")


@pytest.mark.parametrize("name", ["lost_signal", "spin_loop", "main_ends", "opposite_order", "barrier_count"])
@pytest.mark.parametrize("spurious", [False, True])
def test_the_interpreter_finds_deadlocks(name: str, spurious: bool) -> None:
    for twin in (name, f"{name}_deadlock"):
        found = interpreter.explore(load(from_files([PROGRAMS / f"{twin}.c"])), spurious=spurious)
        assert bool(found.deadlocks) == (twin != name), (twin, found.deadlocks)
