"""The engine `petri` before the explorer: what it proves for any number of threads, nobody executes as a race.

And before `tests/programs`: no race line is proved; in `threads_any` are those that it proves by itself.
"""

from __future__ import annotations

import collections
from pathlib import Path

import pytest
from programs_truth import PROGRAMS as DIRECTORY
from programs_truth import all_programs, program_name, read_truth

from exploration.families import specimen
from exploration.judging import Plan, judge
from exploration.searches import Limits
from raceproof import frontend, petri
from raceproof.core import Budget, Unsupported
from raceproof.facts import analyse, race_pairs
from raceproof.model import ConcurrentProgram, RacePair, Scope, Verdict

FIRST = 7_000
FAMILIES = ("sc", "weak")
LIMITS = Limits(executions=20_000, seconds=20.0)


@pytest.mark.parametrize("programs", [10, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_race_is_proved_away(family: str, programs: int, tmp_path: Path) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(FIRST, FIRST + programs):
        found = judge(specimen(seed, family), Plan(provers=("petri",)), tmp_path, LIMITS)
        assert not found.problems, f"{family} program of seed {seed}: {found}"
        counts += found.counts
    assert counts["petri: proved"] > programs  # else nothing was compared
    assert counts["dfs: races"] > programs / 2


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
    except Unsupported as refused:
        pytest.skip(str(refused))
    assert_no_race_is_proved(path, cp, proofs)
