"""A race is reported at the place that the run has gone to, where an access may go to several."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import portfolio
from raceproof.core import Budget
from raceproof.frontend import from_files, load
from raceproof.model import Verdict

PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *slot, total, parts[4];
static void count(int *counter) { (*counter)++; }
static void *worker(void *arg) {
    int *own = calloc(1, sizeof *own);
    if (own == NULL) return arg;
    count(own);
    RACE
    pthread_mutex_lock(&lock);
    free(slot);
    slot = own;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL); pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL); pthread_join(b, NULL);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("race", "target"), [("count(&total);", "total"), ("for (int i = 2; i < 3; i++) count(&parts[i]);", "parts[2]")]
)
def test_a_race_is_named_after_what_was_touched(race: str, target: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(PROGRAM.replace("RACE", race), encoding="utf-8")
    request = from_files([path])
    checked = portfolio.check(
        load(request), ["lockset", "explore"], Budget.seconds(60), portfolio.Settings(request=request)
    )
    assert {pair.target for pair in checked.pairs if pair.verdict is Verdict.RACE} == {target}
