"""Generated programs: nobody misses a deadlock that `dfs` executes, nobody has one that there is not.

RACEPROOF_DEADLOCK_PROGRAMS is the number of programs (default: what fits a test run), RACEPROOF_DEADLOCK_SEED the first
seed.
"""

from __future__ import annotations

import collections
import os
from pathlib import Path

from exploration.deadlock_soak import DEADLOCK, FREE, judge, specimen, table
from raceproof.core import Budget
from raceproof.model import ConcurrentProgram, DeadlockFinding, DeadlockVerdict, EngineResult, LockOrder, Scope

COUNT = int(os.environ.get("RACEPROOF_DEADLOCK_PROGRAMS", "20"))
FIRST = int(os.environ.get("RACEPROOF_DEADLOCK_SEED", "1"))


def test_nobody_contradicts_dfs(tmp_path: Path) -> None:
    truths: collections.Counter[str] = collections.Counter()
    for seed in range(FIRST, FIRST + COUNT):
        program = specimen(seed)
        found = judge(program, tmp_path)
        assert not found.problems, f"seed {seed}\n{found}\n{program.text}"
        truths[found.truth] += 1
    assert truths[DEADLOCK] > COUNT / 10
    assert truths[FREE] > COUNT / 5


def test_a_wrong_proof_is_noticed(tmp_path: Path) -> None:
    def everything(cp: ConcurrentProgram, budget: Budget) -> EngineResult:
        proof = DeadlockFinding(DeadlockVerdict.DEADLOCK_FREE, LockOrder((), 0, ()), "lockset", Scope.ALL_INPUTS)
        return EngineResult("lockset", (), 0.0, deadlock=proof)

    judged = (judge(specimen(seed), tmp_path, everything) for seed in range(1, 60))
    found = next(found for found in judged if found.truth == DEADLOCK)
    assert "lockset misses a deadlock" in found.problems


def test_a_seed_means_one_program() -> None:
    assert [specimen(seed).text for seed in range(20)] == [specimen(seed).text for seed in range(20)]


def test_the_table_counts() -> None:
    entry: dict[str, object] = {"seed": 3, "truth": DEADLOCK, "answers": {"optimal": FREE}, "problems": ["x"]}
    assert "| `optimal` | 1 | 0 | 1 | 0 |" in table({3: entry})
    assert "1 programs with a contradiction (seeds 3)" in table({3: entry})
