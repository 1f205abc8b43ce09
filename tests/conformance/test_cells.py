"""The runtime, this machine's C library and the tables of the facts against the specification, cell by cell."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from exploring import host_run, load, output_of

from conformance.cells import Cell, as_c, cells, disagreements
from raceproof.facts import Sync, sync_op
from raceproof.spec import FUNCTIONS, ApiFunction, Effect, Kind, ObjectType, Result, Seen, rule_for

ALL = list(cells())


def test_there_are_cells_of_every_kind() -> None:
    assert len(ALL) > 150
    assert {cell.made.type for cell in ALL} == {
        *(ObjectType.MUTEX, ObjectType.RWLOCK, ObjectType.SPIN, ObjectType.SEM),
    }
    assert {cell.expected for cell in ALL} >= {0, 1, 16, 22, 35, 110, 130, 131, -1}


PART = 6
"""Cells in one program: the analysis of the facts takes the product of what their calls may return."""


def run_part(part: list[Cell], directory: Path) -> None:
    path = directory / "cells.c"
    path.write_text(as_c(part), encoding="utf-8")
    assert disagreements(part, output_of(host_run(load(path)))) == []


def test_the_runtime_returns_what_the_specification_says(tmp_path: Path) -> None:
    """Some, drawn by name."""
    chosen = sorted(ALL, key=lambda cell: hashlib.sha256(cell.label.encode()).digest())[: 3 * PART]
    for first in range(0, len(chosen), PART):
        run_part(chosen[first : first + PART], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(ALL), PART))
def test_the_runtime_returns_what_the_specification_says_everywhere(first: int, tmp_path: Path) -> None:
    run_part(ALL[first : first + PART], tmp_path)


@pytest.mark.skipif(
    sys.platform != "linux" or platform.libc_ver()[0] != "glibc", reason="the machine has another C library than glibc"
)
def test_glibc_returns_what_the_specification_says(tmp_path: Path) -> None:
    path = tmp_path / "cells.c"
    path.write_text(as_c(ALL), encoding="utf-8")
    program = tmp_path / "cells"
    command = [sys.executable, "-m", "ziglang", "cc", "-w", "-o", str(program), str(path), "-lpthread"]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=60)
    assert disagreements(ALL, done.stdout) == []


# -- the table of the facts


KINDS = {
    "lock": Sync.LOCK,
    "rdlock": Sync.LOCK,
    "wrlock": Sync.LOCK,
    "trylock": Sync.TRYLOCK,
    "timedlock": Sync.TRYLOCK,
    "tryrdlock": Sync.TRYLOCK,
    "trywrlock": Sync.TRYLOCK,
    "timedrdlock": Sync.TRYLOCK,
    "timedwrlock": Sync.TRYLOCK,
    "unlock": Sync.UNLOCK,
    "arrive": Sync.BARRIER_WAIT,
    "enter": Sync.ONCE,
    "wait": Sync.SEM_WAIT,
    "trywait": Sync.SEM_TRYWAIT,
    "timedwait": Sync.SEM_TRYWAIT,
    "post": Sync.SEM_POST,
    "signal": Sync.SIGNAL,
    "broadcast": Sync.BROADCAST,
    "unlock-to-wait": Sync.WAIT,
    "join": Sync.JOIN,
    "tryjoin": Sync.JOIN,
    "timedjoin": Sync.JOIN,
    "detach": Sync.DETACH,
    "create": Sync.CREATE,
    "end": Sync.EXIT,
    "begin": Sync.ATOMIC_BEGIN,
}


def may_return_empty_handed(function: ApiFunction) -> bool:
    """Whether the call may return without having taken what it is for, from a state that it could have waited in."""
    operation = function.phases[0][0]
    waiting = {Seen.OTHERS, Seen.ZERO, Seen.RUNNING, Seen.READ_BY_OTHERS}
    rules = [rule_for(operation.object, operation.name, seen, Kind.NORMAL, robust=False) for seen in waiting]
    results = {o.result for rule in rules if rule is not None for o in rule.outcomes if o.explored}
    return bool(results - {None, Result.SUCCESS})


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if FUNCTIONS[name].phases[0][0].name in KINDS])
def test_the_facts_have_the_operation(name: str) -> None:
    function = FUNCTIONS[name]
    op = sync_op(name)
    assert op is not None
    operation = function.phases[0][0]
    if operation.object is ObjectType.KEY:
        assert op.kind is Sync.NONE
        return
    expected = (
        Sync.ATOMIC_END if (operation.object, operation.name) == (ObjectType.SECTION, "end") else KINDS[operation.name]
    )
    assert op.kind is expected
    assert (op.lock_arg == 1) == (op.kind is Sync.WAIT)
    if op.kind in (Sync.LOCK, Sync.TRYLOCK, Sync.SEM_WAIT, Sync.SEM_TRYWAIT, Sync.JOIN):
        assert op.may_fail == may_return_empty_handed(function)
    if op.kind in (Sync.LOCK, Sync.TRYLOCK):
        free = rule_for(operation.object, operation.name, Seen.FREE, Kind.NORMAL, robust=False)
        assert free is not None
        assert op.shared == (free.outcomes[0].effect is Effect.READ)
    if op.kind is Sync.LOCK:
        mine = rule_for(operation.object, operation.name, Seen.MINE, Kind.NORMAL, robust=False)
        assert mine is not None
        assert op.refuses_owner == (mine.outcomes[0].result is Result.EDEADLK)


def test_every_function_that_orders_threads_is_specified() -> None:
    from raceproof.facts.library.sync_api import SYNC_OPS

    unordered = {Sync.NONE, Sync.ATTRIBUTE, Sync.YIELD, Sync.SELF}
    plain = {name.removeprefix("__") for name, op in SYNC_OPS.items() if op.kind not in unordered}
    known = {*FUNCTIONS, "pthread_cond_timedwait_relative_np", "pthread_cond_reltimedwait_np"}
    missing = {name for name in plain if name not in known and f"__{name}" not in known}
    assert missing == set()
