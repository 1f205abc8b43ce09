"""Critical sections as transactions, and what others know of values: less to decide, the same races."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from unit.bmc.c_programs import Analysed, analysed
from unit.transactions.generated import program

from raceproof.bmc import BmcOptions
from raceproof.bmc.encoding import Encoding
from raceproof.bmc.interrupts import watched
from raceproof.bmc.solving import Answer, Solver
from raceproof.bmc.terms import either, term
from raceproof.core import Budget
from raceproof.model import ReadRange, Verdict

COUNTING = """int x, n; pthread_mutex_t m = MUTEX;
void *f(void *p) { lock(&m); n++; n++; n++; unlock(&m); x = 1; return 0; }
void *g(void *p) { lock(&m); n++; int seen = n; unlock(&m); if (seen == 4) x = 2; return 0; }
int main(void) { BOTH(f, g) return 0; }"""


def answers(found: Analysed, has_sections: bool, is_proof: bool) -> tuple[list[Answer], int]:
    """For each pair whether two threads may meet there, and how many orders the formula has."""
    unwound = found.unwind(2, is_proof)
    with watched(Budget.seconds(300)) as watch:
        encoding = Encoding(unwound, watch, has_sections=has_sections)
        solver = Solver(encoding.constraints, 2048, watch)
        questions = [either(*(meets for _, _, meets in encoding.races(pair))) for pair in found.pairs]
        return [solver.ask([term(question, 1)], (), 60).answer for question in questions], encoding.orders


def compare(seed: int, directory: Path) -> tuple[int, int]:
    """The orders of all pairs of events, and those that are left."""
    found = analysed(program(Random(seed)), directory)
    saved = (0, 0)
    for is_proof in (False, True):
        (plain, many), (merged, few) = (answers(found, has_sections, is_proof) for has_sections in (False, True))
        assert plain == merged, (seed, is_proof)
        saved = (saved[0] + many, saved[1] + few)
    return saved


@pytest.mark.parametrize("seed", [1, 2, 6])
def test_sections_leave_all_answers_as_they_are(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 220, 30))
def test_sections_leave_all_answers_as_they_are_on_many(first: int, tmp_path: Path) -> None:
    saved = [compare(seed, tmp_path) for seed in range(first, first + 30)]
    assert sum(few for _, few in saved) < sum(many for many, _ in saved)


def test_accesses_of_two_sections_have_no_order_of_their_own(tmp_path: Path) -> None:
    found = analysed(COUNTING, tmp_path)
    (plain, many), (merged, few) = (answers(found, has_sections, False) for has_sections in (False, True))
    assert plain == merged
    assert Answer.YES in merged
    assert 2 * few < many


def accesses_to(found: Analysed, variable: str) -> list[int]:
    objects = {number for number, each in found.cp.objects.items() if each.name == variable}
    return [a for a, access in found.cp.accesses.items() if any(t.object in objects for t in access.targets)]


def test_ranges_are_for_finding_and_not_for_proofs(tmp_path: Path) -> None:
    """A range that is wrong, here, hides the race; but it makes no proof."""
    found = analysed(COUNTING, tmp_path)
    ranges = tuple(ReadRange(a, 0, 2) for a in accesses_to(found, "n"))  # type: ignore[arg-type]
    told = {
        uses: [str(f.evidence) for f in found.findings("x", BmcOptions(ranges=ranges, uses_ranges=uses, bounds=(1,)))]
        for uses in (True, False)
    }
    assert any("possible" in text for text in told[False])
    assert not any("possible" in text for text in told[True])
    verdicts = {f.verdict for f in found.findings("x", BmcOptions(ranges=ranges, bounds=(1,)))}
    assert verdicts == {Verdict.UNKNOWN}
