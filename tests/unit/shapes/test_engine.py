"""Lists that objects are taken out of: what is proved, what must not be, and what a checker refuses."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from programs_truth import PROGRAMS, program_name, read_truth
from unit.transactions.c_programs import of_file, of_text

from raceproof import shapes
from raceproof.core import Budget
from raceproof.evidence import CHECKERS, AccessClaim, Answer, Claim, ReportClaims, Subject
from raceproof.model import (
    AccessId,
    CellData,
    ConcurrentProgram,
    EngineResult,
    HeapData,
    HeapMap,
    ListData,
    LockHeaps,
    OwnedHeaps,
    RacePair,
    Scope,
    Verdict,
)

ALL = sorted((PROGRAMS / "shapes").glob("*.c"))
RACY = [path for path in ALL if path.stem.endswith("_race")]
NOBODY = AccessClaim(0, 0, "", "read", False)


@cache
def found_in(path: Path) -> tuple[ConcurrentProgram, tuple[RacePair, ...], EngineResult]:
    """The program, what lockset leaves open, and what is said of it."""
    analysed = of_file(path)
    left = analysed.open_pairs
    return analysed.cp, left, shapes.run(analysed.cp, left, shapes.ShapesOptions(), Budget.seconds(60))


@pytest.mark.parametrize("path", [path for path in ALL if path not in RACY], ids=program_name)
def test_what_is_taken_out_is_proved_to_be_its_own(path: Path) -> None:
    _, left, result = found_in(path)
    proved = [finding.pair for finding in result.findings if finding.verdict is Verdict.RACE_FREE]
    assert left
    assert proved == list(left)


@pytest.mark.parametrize("path", RACY, ids=program_name)
def test_what_is_still_in_reach_is_not(path: Path) -> None:
    cp, left, result = found_in(path)
    races = read_truth(path).race_lines
    proved = {finding.pair for finding in result.findings if finding.verdict is Verdict.RACE_FREE}

    def lines(pair: RacePair) -> set[int]:
        return {pos.line for number in (pair.first, pair.second) if (pos := cp.accesses[number].pos) is not None}

    covered = {line for pair in left if pair not in proved and lines(pair) <= races for line in lines(pair)}
    assert covered == races


RELEASED = """
struct job { struct job *next; int number; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
extern void helper(pthread_mutex_t *);
static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    struct job *mine = jobs;
    CALL
    if (mine != 0) jobs = mine->next;
    pthread_mutex_unlock(&m);
    if (mine != 0) mine->number++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    struct job *job = calloc(1, sizeof *job);
    if (job == 0) return 1;
    jobs = job;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
"""


def test_a_lock_that_unknown_code_is_given_protects_nothing(tmp_path: Path) -> None:
    """It may be overwritten while threads run."""
    analysed = of_text("#include <stdlib.h>\n" + RELEASED.replace("CALL", "helper(&m);"), tmp_path)
    result = shapes.run(analysed.cp, analysed.pairs, shapes.ShapesOptions(), Budget.seconds(60))
    last = max(analysed.line(finding.pair.second) for finding in result.findings)
    of_number = [f for f in result.findings if analysed.lines(f.pair) == (last, last)]
    assert of_number
    assert all(finding.verdict is Verdict.UNKNOWN for finding in of_number)


@pytest.mark.parametrize(("call", "is_proved"), [("", True), ("pthread_mutex_init(&m, 0);", False)])
def test_a_lock_that_others_may_open_protects_nothing(call: str, is_proved: bool, tmp_path: Path) -> None:
    analysed = of_text("#include <stdlib.h>\n" + RELEASED.replace("CALL", call), tmp_path)
    result = shapes.run(analysed.cp, analysed.pairs, shapes.ShapesOptions(), Budget.seconds(60))
    last = max(analysed.line(finding.pair.second) for finding in result.findings)
    of_number = [f for f in result.findings if analysed.lines(f.pair) == (last, last)]
    assert of_number
    assert all((f.verdict is Verdict.RACE_FREE) is is_proved for f in of_number)


# -- evidence


def map_of(result: EngineResult) -> HeapMap:
    return next(f.evidence.map for f in result.findings if isinstance(f.evidence, OwnedHeaps))


def answer(cp: ConcurrentProgram, left: tuple[RacePair, ...], claim: Claim) -> Answer:
    pairs = {(pair.first, pair.second): pair for pair in left}
    subject = Subject(cp, pairs, ReportClaims(Verdict.RACE_FREE, Scope.ALL_INPUTS, (claim,)))
    (judgement,) = CHECKERS["shapes"](subject, [claim], Budget.seconds(60))
    return judgement.answer


def claim_of(pair: RacePair, found: HeapMap | None, scope: Scope = Scope.ALL_INPUTS) -> Claim:
    key = (pair.first, pair.second)
    return Claim(1, key, Verdict.RACE_FREE, scope, "shapes", (NOBODY, NOBODY), (), heaps=found)


def test_what_was_found_is_accepted() -> None:
    cp, left, result = found_in(PROGRAMS / "shapes" / "payload.c")
    assert {answer(cp, left, claim_of(pair, map_of(result))) for pair in left} == {Answer.ACCEPTED}


def with_heaps(found: HeapMap, heaps: tuple[HeapData, ...]) -> HeapMap:
    return replace(found, locks=(replace(found.locks[0], heaps=heaps), *found.locks[1:]))


def forgeries(found: HeapMap) -> dict[str, HeapMap | None]:
    lock = found.locks[0]
    with_lists = [heap for heap in lock.heaps if any(isinstance(part, ListData) for part in heap.parts)]
    forged: dict[str, HeapMap | None] = {
        "nothing": None,
        "other pairs": replace(found, pairs=((AccessId(0), AccessId(0)),)),
        "a node as a host": replace(found, hosts=(*found.hosts, _node(found))),
        "another link": replace(found, link=8),
        "no locks": replace(found, locks=()),
        "no heaps": with_heaps(found, ()),
        "no lists": with_heaps(found, tuple(heap for heap in lock.heaps if heap not in with_lists)),
        "no roots": replace(found, locks=(replace(lock, roots=()),)),
        "another lock": replace(found, locks=(replace(lock, lock=lock.roots[0]),)),
        "a lock twice": replace(found, locks=(lock, lock)),
        "a lock that is none": replace(found, locks=(LockHeaps((10**6, 0), lock.roots, lock.heaps),)),
        "roots elsewhere": replace(found, locks=(replace(lock, roots=((lock.roots[0][0], 4),)),)),
        "no such node": with_heaps(found, (HeapData((("at", 7, 0),), ()),)),
        "no such value": with_heaps(found, (HeapData((("now", None, None),), ()),)),
        "no such object": with_heaps(found, (HeapData((("at", 1, 0),), (CellData((10**6,), (), False, ()),)),)),
        "lists that own nothing": with_heaps(found, tuple(_without_texts(heap) for heap in lock.heaps)),
    }
    return forged


def _node(found: HeapMap) -> int:
    return next(number for heap in found.locks[0].heaps for part in heap.parts for number in part.objects)


def _without_texts(heap: HeapData) -> HeapData:
    parts = [replace(part, owned=()) if isinstance(part, ListData) else part for part in heap.parts]
    return replace(heap, parts=tuple(parts))


FORGED = sorted(forgeries(map_of(found_in(PROGRAMS / "shapes" / "payload.c")[2])))


@pytest.mark.parametrize("name", FORGED)
def test_forged_heaps_are_rejected(name: str) -> None:
    cp, left, result = found_in(PROGRAMS / "shapes" / "payload.c")
    assert answer(cp, left, claim_of(left[0], forgeries(map_of(result))[name])) is Answer.REJECTED


def test_a_proof_reaches_no_further_than_it_does() -> None:
    cp, left, result = found_in(PROGRAMS / "shapes" / "payload.c")
    assert answer(cp, left, claim_of(left[0], map_of(result), Scope.ANY_THREADS)) is Answer.REJECTED


@pytest.mark.parametrize("path", RACY, ids=program_name)
def test_no_heaps_prove_a_race_away(path: Path) -> None:
    """Whatever was found of the locks, it does not show that the accesses of a race are owners'."""
    cp, left, result = found_in(path)
    races = read_truth(path).race_lines
    both = [p for p in left if all((pos := cp.accesses[n].pos) and pos.line in races for n in (p.first, p.second))]
    open_pairs = [f.pair for f in result.findings if f.verdict is Verdict.UNKNOWN and f.pair in both]
    claimed = HeapMap(tuple((pair.first, pair.second) for pair in open_pairs), None, (), ())
    assert open_pairs
    assert shapes.problem_with(cp, claimed, Budget.seconds(60)) is not None
