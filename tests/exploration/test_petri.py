"""The engine `petri` before the explorer: what it proves for any number of threads, nobody executes as a race.

And before `tests/programs`: no race line is proved; in `threads_any` are those that it proves by itself.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from programs_truth import PROGRAMS as DIRECTORY
from programs_truth import all_programs, program_name, read_truth

from exploration.compare import Limits, compile_batch
from exploration.generator import MODES, generate
from raceproof import explore, frontend, petri
from raceproof.core import Budget, Unsupported
from raceproof.facts import analyse, race_pairs
from raceproof.model import ConcurrentProgram, RacePair, Scope, Verdict

FIRST = 7_000
LIMITS = Limits(executions=20_000, seconds=20.0)


@pytest.mark.parametrize("programs", [10, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", MODES)
def test_no_race_is_proved_away(mode: str, programs: int, tmp_path: Path) -> None:
    sources = [generate(seed, mode) for seed in range(FIRST, FIRST + programs)]
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
    assert proofs > programs  # else nothing was compared
    assert races > programs


def proofs_of(path: Path) -> tuple[ConcurrentProgram, dict[RacePair, Scope | None]]:
    """The pairs of a program with the scope of their proofs."""
    cp = analyse(frontend.load(frontend.from_files([path])), Budget.unlimited())
    pairs = race_pairs(cp)
    found = petri.run(cp, pairs, petri.PetriOptions(), Budget.seconds(60)).findings
    return cp, dict.fromkeys(pairs) | {f.pair: f.scope for f in found if f.verdict is Verdict.RACE_FREE}


def assert_no_race_is_proved(path: Path, cp: ConcurrentProgram, proofs: dict[RacePair, Scope | None]) -> None:
    """Every race line is in a pair of race lines that is left open."""
    races = read_truth(path).race_lines

    def lines(pair: RacePair) -> set[int]:
        positions = [cp.accesses[number].pos for number in (pair.first, pair.second)]
        return {pos.line if pos is not None and Path(pos.file).name == path.name else 0 for pos in positions}

    seen = {line for pair, scope in proofs.items() if scope is None and lines(pair) <= races for line in lines(pair)}
    assert races <= seen, f"UNSOUND: {path}: lines {sorted(races - seen)}"


@pytest.mark.parametrize("path", sorted((DIRECTORY / "threads_any").glob("*.c")), ids=program_name)
def test_programs_for_any_number_of_threads(path: Path) -> None:
    cp, proofs = proofs_of(path)
    assert_no_race_is_proved(path, cp, proofs)
    if not read_truth(path).is_racy:
        assert proofs
        assert set(proofs.values()) == {Scope.ANY_THREADS}


@pytest.mark.slow
@pytest.mark.parametrize("path", all_programs(), ids=program_name)
def test_no_race_line_is_proved(path: Path) -> None:
    try:
        cp, proofs = proofs_of(path)
    except Unsupported:
        return
    assert_no_race_is_proved(path, cp, proofs)
