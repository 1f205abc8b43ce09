"""Pairs are decided by classes; each pair by itself, view by view, is the oracle."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest
from programs_truth import all_programs, program_name, sample

from raceproof import facts, frontend, lockset
from raceproof.core import Budget
from raceproof.lockset.engine import why_race_free
from raceproof.model import AccessKind, ConcurrentProgram, ObjectId, RacePair, Reason, Rule, StaticReason

MANY = """
#include <pthread.h>
static int a, b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  (void)arg;
  pthread_mutex_lock(&m);
%s
  pthread_mutex_unlock(&m);
  b = 1;
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
"""


def _plain(cp: ConcurrentProgram, pair: RacePair, leaking: frozenset[ObjectId]) -> frozenset[StaticReason] | None:
    """Why no two views race, each pair of accesses by itself; None if some may."""
    first, second = cp.accesses[pair.first], cp.accesses[pair.second]
    if first.is_atomic and second.is_atomic:
        return frozenset({StaticReason(Rule.BOTH_ATOMIC, "")})
    same = first is second
    both = combinations_with_replacement(first.views, 2) if same else product(first.views, second.views)
    reasons = [why_race_free(cp, first, a, second, b, leaking) for a, b in both]
    found = frozenset(reason for reason in reasons if reason is not None)
    return found if None not in reasons else None


def _leaking(cp: ConcurrentProgram, leaking: frozenset[ObjectId]) -> frozenset[ObjectId]:
    """What may be found through a place on which accesses race, or are atomic without any order."""
    unordered = set()
    for pair in facts.race_pairs(cp):
        why = _plain(cp, pair, leaking)
        if why is not None and {reason.rule for reason in why} == {Rule.BOTH_ATOMIC}:
            accesses = [cp.accesses[number] for number in (pair.first, pair.second)]
            views = [
                why_race_free(cp, accesses[0], a, accesses[1], b, frozenset(cp.may_hold))
                for a, b in product(accesses[0].views, accesses[1].views)
            ]
            weak = any(
                a.order is None
                or (a.kind.writes and not a.order.releases)
                or (a.kind in (AccessKind.READ, AccessKind.UPDATE) and not a.order.acquires)
                for a in accesses
            )
            if None in views and weak:
                why = None
        if why is None:
            unordered |= {pair.first, pair.second}
    return leaking | {held for held, holders in cp.may_hold.items() if holders & unordered}


@pytest.mark.parametrize("path", sample(all_programs(), 40), ids=program_name)
def test_every_pair_gets_what_it_would_get_by_itself(path: Path) -> None:
    cp = facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited())
    leaking: frozenset[ObjectId] = frozenset()
    while (more := _leaking(cp, leaking)) != leaking:
        leaking = more
    pairs = facts.race_pairs(cp)
    findings = lockset.run(cp, pairs, lockset.LocksetOptions(), Budget.unlimited()).findings
    assert [finding.pair for finding in findings] == sorted(pairs, key=lambda pair: (pair.first, pair.second))
    for finding in findings:
        why = _plain(cp, finding.pair, leaking)
        if isinstance(finding.evidence, Reason):
            assert why is None, finding
        else:
            nothing = frozenset({StaticReason(Rule.NOT_SHARED, "never reached together")})
            assert frozenset(finding.evidence) == (why or nothing), finding


def _analysed(tmp_path: Path, accesses: int) -> ConcurrentProgram:
    path = tmp_path / f"many{accesses}.c"
    path.write_text(MANY % "\n".join(f"  a = {i};" for i in range(accesses)), encoding="utf-8")
    return facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited())


def test_accesses_with_equal_facts_are_compared_once(tmp_path: Path) -> None:
    few, many = (facts.race_pairs(_analysed(tmp_path, count)) for count in (10, 40))
    assert (len(few), len(many)) == (10 * 11 // 2 + 1, 40 * 41 // 2 + 1)
    assert len(few.classes) == len(many.classes) == 3  # of a: one access twice, two accesses; and b


def test_pairs_asked_for_one_by_one_get_the_same(tmp_path: Path) -> None:
    cp = _analysed(tmp_path, 5)
    pairs = facts.race_pairs(cp)
    whole = lockset.run(cp, pairs, lockset.LocksetOptions(), Budget.unlimited())
    single = lockset.run(cp, tuple(pairs), lockset.LocksetOptions(), Budget.unlimited())
    assert tuple(whole.findings) == tuple(single.findings)
    assert whole.stats == single.stats
