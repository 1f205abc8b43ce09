"""All engines on scripts of calls: nobody proves a race of the specification, or executes one that it does not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.generator import generate
from conformance.judging import problems
from conformance.oracle import judge

QUICK = (3, 103, 139)  # 103 and 139: posts of a full semaphore
MANY = range(1000, 1200)


@pytest.mark.parametrize("seed", QUICK)
def test_some_scripts(seed: int, tmp_path: Path) -> None:
    script = generate(seed)
    assert not judge(script).undefined
    assert problems(script, tmp_path, provers=("lockset", "transactions")) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_many_scripts(seed: int, tmp_path: Path) -> None:
    script = generate(seed)
    verdict = judge(script)
    if verdict.undefined or not verdict.is_whole:
        pytest.skip("undefined in some execution, or too large")
    assert problems(script, tmp_path) == []
