"""Racy programs that try to make a rule prove something wrong: `attacks`, each with the truth on its lines.

They are like those of `programs`, but go only through the engines that prove: lockset, and in the long run the others
alone. A race line has to be in a pair that stays open.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from programs_truth import read_truth

from raceproof import bmc, lockset, petri, shapes, transactions
from raceproof.core import Budget, LimitReached, Unsupported
from raceproof.facts import analyse, race_pairs
from raceproof.frontend import Cache, from_files, load
from raceproof.model import AccessId, ConcurrentProgram, RacePair, Scope, Verdict

ATTACKS = sorted((Path(__file__).parent / "attacks").glob("*.c"))
ENGINES = {
    "lockset": lambda cp, pairs, budget: lockset.run(cp, pairs, lockset.LocksetOptions(), budget),
    "petri": lambda cp, pairs, budget: petri.run(cp, pairs, petri.PetriOptions(), budget),
    "transactions": lambda cp, pairs, budget: transactions.run(cp, pairs, transactions.TransactionsOptions(), budget),
    "shapes": lambda cp, pairs, budget: shapes.run(cp, pairs, shapes.ShapesOptions(), budget),
    "bmc": lambda cp, pairs, budget: bmc.run(cp, pairs, bmc.BmcOptions(finds=False), budget),
}


def _proved(cp: ConcurrentProgram, engine: str) -> frozenset[RacePair]:
    try:
        found = ENGINES[engine](cp, race_pairs(cp), Budget.seconds(60)).findings
    except (Unsupported, LimitReached):
        return frozenset()
    return frozenset(f.pair for f in found if f.verdict is Verdict.RACE_FREE and f.scope is not Scope.BOUNDED)


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
@pytest.mark.parametrize(
    "engine", ["lockset", *(pytest.param(name, marks=pytest.mark.slow) for name in ENGINES if name != "lockset")]
)
def test_no_race_is_proved_away(path: Path, engine: str) -> None:
    races = read_truth(path).race_lines
    cp = analyse(load(from_files([path], ("-w",)), cache=Cache(None)), Budget.unlimited())

    def line(access: AccessId) -> int:
        pos = cp.accesses[access].pos
        return pos.line if pos is not None else 0

    proved = _proved(cp, engine)
    still_open = [pair for pair in race_pairs(cp) if pair not in proved]
    lines = [{line(pair.first), line(pair.second)} for pair in still_open]
    assert races
    assert races <= {number for both in lines if both <= races for number in both}
