"""Pairs are found by groups of accesses that are alike; each two accesses by themselves are the oracle."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from programs_truth import all_programs, program_name, sample

from raceproof import facts, frontend
from raceproof.core import Budget
from raceproof.facts.flow.locations import overlap
from raceproof.model import Access, ConcurrentProgram, ObjectKind, Strength


def _users(cp: ConcurrentProgram, access: Access) -> set[int]:
    return {view.thread for view in access.views}


def _may_meet(cp: ConcurrentProgram, a: Access, b: Access) -> bool:
    users = _users(cp, a) | _users(cp, b)
    if len(_users(cp, a)) == len(users) == len(_users(cp, b)) == 1 and not any(cp.threads[t].many for t in users):
        return False
    if not (a.kind.writes or b.kind.writes):
        return False
    kept = [code.kept for code in (a.unknown, b.unknown) if code is not None]
    return any(
        overlap(x, y) and not (cp.objects[x.object].kind is ObjectKind.UNKNOWN and len(kept) == 2 and any(kept))
        for x in a.targets
        for y in b.targets
    )


@pytest.mark.parametrize("path", sample(all_programs(), 60), ids=program_name)
def test_pairs_are_those_of_any_two_accesses(path: Path) -> None:
    program = frontend.load(frontend.from_files([path]))
    cp = facts.analyse(program, Budget.unlimited(), strongest=Strength.COARSE)
    accesses = [access for _, access in sorted(cp.accesses.items())]
    wanted = {(a.id, b.id) for a, b in combinations_with_replacement(accesses, 2) if _may_meet(cp, a, b)}
    assert {(pair.first, pair.second) for pair in facts.race_pairs(cp)} == wanted
