"""The engine `petri` before the explorer: what it proves for any number of threads, nobody executes as a race."""

from __future__ import annotations

from pathlib import Path

import pytest

from exploration.compare import Limits, compile_batch
from exploration.generator import MODES, generate
from raceproof import explore, petri
from raceproof.core import Budget
from raceproof.facts import analyse, race_pairs
from raceproof.model import Verdict

PROGRAMS = 20
LIMITS = Limits(executions=20_000, seconds=20.0)


@pytest.mark.parametrize("mode", MODES)
def test_no_race_is_proved_away(mode: str, tmp_path: Path) -> None:
    sources = [generate(seed, mode) for seed in range(7_000, 7_000 + PROGRAMS)]
    proofs = races = 0
    for source, compiled in zip(sources, compile_batch(sources, tmp_path), strict=True):
        cp = analyse(compiled.program, Budget.seconds(LIMITS.seconds))
        pairs = race_pairs(cp)
        options = explore.ExploreOptions(
            module=compiled.module,
            algorithm="optimal",
            find_all=True,
            max_executions=LIMITS.executions,
            confirmations=0,
        )
        seen = explore.run(cp, pairs, options, Budget.seconds(LIMITS.seconds)).findings
        racing = {finding.pair for finding in seen if finding.verdict is Verdict.RACE}
        found = petri.run(cp, pairs, petri.PetriOptions(), Budget.seconds(LIMITS.seconds)).findings
        proved = {finding.pair for finding in found if finding.verdict is Verdict.RACE_FREE}
        assert not racing & proved, f"UNSOUND: {mode} program of seed {source.seed}"
        proofs, races = proofs + len(proved), races + len(racing)
    assert proofs > PROGRAMS  # else nothing was compared
    assert races > PROGRAMS
