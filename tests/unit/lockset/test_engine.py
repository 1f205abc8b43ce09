"""What the engine makes of pairs that programs seldom have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from unit.transactions.c_programs import of_text

from raceproof import lockset
from raceproof.core import Budget
from raceproof.model import Rule, Verdict

TEXT = """int x; void *f(void *p) { x = 1; return 0; }
int main(void) { pthread_t t; create(t, f); x = 2; join(t); return 0; }
"""


def test_an_access_that_is_never_reached_does_not_race(tmp_path: Path) -> None:
    program = of_text(TEXT, tmp_path)
    (pair,) = program.pairs
    unreached = replace(program.cp.accesses[pair.first], views=())
    cp = replace(program.cp, accesses={**program.cp.accesses, pair.first: unreached})
    (finding,) = lockset.run(cp, [pair], lockset.LocksetOptions(), Budget.unlimited()).findings
    assert finding.verdict is Verdict.RACE_FREE
    assert [reason.rule for reason in finding.evidence] == [Rule.NOT_SHARED]  # type: ignore[union-attr]


@pytest.mark.parametrize(("again", "verdict"), [("", Verdict.RACE_FREE), ("AGAIN", Verdict.UNKNOWN)])
@pytest.mark.parametrize("call", ["pthread_mutex_init(&m, 0);", "pthread_mutex_destroy(&m);"])
def test_a_lock_that_is_made_or_ended_while_it_is_held_is_not_held(
    call: str, again: str, verdict: Verdict, tmp_path: Path
) -> None:
    text = "pthread_mutex_t m = MUTEX; " + TEXT.replace("x = 1;", "lock(&m); x = 1;")
    text = text.replace("x = 2;", f"lock(&m); {again} x = 2;").replace("AGAIN", call)
    program = of_text(text, tmp_path)
    found = lockset.run(program.cp, program.pairs, lockset.LocksetOptions(), Budget.unlimited()).findings
    assert [f.verdict for f in found if f.pair.target.size == 4] == [verdict]
    assert {f.verdict for f in found if f.pair.target.size != 4} <= {Verdict.UNKNOWN}  # the lock itself


@pytest.mark.parametrize(("first", "second"), [("x = 1;", "x = 2;"), ("LOCKED", "x = 2;"), ("x = 1;", "LOCKED")])
def test_an_open_pair_says_whether_one_of_the_two_holds_a_lock(first: str, second: str, tmp_path: Path) -> None:
    text = "pthread_mutex_t m = MUTEX; " + TEXT.replace("x = 1;", first).replace("x = 2;", second)
    program = of_text(text.replace("LOCKED", "lock(&m); x = 3; unlock(&m);"), tmp_path)
    (finding,) = lockset.run(program.cp, program.pairs, lockset.LocksetOptions(), Budget.unlimited()).findings
    assert finding.verdict is Verdict.UNKNOWN
    assert ("neither holds a lock" in str(finding.evidence)) is ("LOCKED" not in first + second)
