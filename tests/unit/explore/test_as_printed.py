"""[PDP, Fig. 7] as printed, which is there for comparison: where it finds races, where it misses one, and that it
proves nothing. The paper's own example is bench/tables/fdrd.c."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import Subject, load, load_text, search

TABLES = Path(__file__).parents[3] / "bench" / "tables"

# t3 finds g only after t2 has found f, which t1 sets. Created in this order, the first execution has nothing but
# `x = 2` left after t2: no race is possible there any more. What t2 does behind that state shows no conflict with what
# came before, because the branch was not taken; nobody goes back to let t1 come first.
MISSED = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int f, g, x;
static void *t1(void *arg) { pthread_mutex_lock(&m); f = 1; pthread_mutex_unlock(&m); return arg; }
static void *t2(void *arg) {
  pthread_mutex_lock(&m);
  int seen = f;
  pthread_mutex_unlock(&m);
  if (seen) { pthread_mutex_lock(&n); g = 1; pthread_mutex_unlock(&n); }
  return arg;
}
static void *t3(void *arg) {
  pthread_mutex_lock(&n);
  int seen = g;
  pthread_mutex_unlock(&n);
  if (seen) x = 1;
  return arg;
}
int main(void) {
  pthread_t id;
  pthread_create(&id, 0, t2, 0);
  pthread_create(&id, 0, t1, 0);
  pthread_create(&id, 0, t3, 0);
  x = 2;
  return 0;
}
"""


@pytest.fixture(scope="module")
def missed(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return load_text(MISSED, tmp_path_factory.mktemp("printed"))


def test_the_print_misses_a_race(missed: Subject) -> None:
    printed = search(missed, "pdp", pruning="printed")
    assert (printed.verdict, printed.is_complete) == ("unknown", True)
    assert "as printed" in printed.why()
    assert search(missed, "pdp").verdict == search(missed, "dpor").verdict == "race"


def test_the_print_proves_nothing() -> None:
    subject = load(TABLES / "pfscan.c")
    printed, repaired = (search(subject, "pdp", pruning=name) for name in ("printed", "repaired"))
    assert (printed.verdict, printed.executions) == ("unknown", 1)
    assert (repaired.verdict, repaired.executions) == ("race-free", 1)


@pytest.mark.parametrize("rounds", [1, 2])
def test_figure_1(rounds: int) -> None:
    """The running example: no race is possible behind y++, so the sections on z are not tried in all orders."""
    subject = load(TABLES / "fdrd.c", f"-DROUNDS={rounds}")
    dpor = search(subject, "dpor")
    for pruning in ("printed", "repaired"):
        pdp = search(subject, "pdp", pruning=pruning)
        assert pdp.verdict == dpor.verdict == "race"
        assert pdp.executions < dpor.executions
        assert pdp.result.stats["backtracks_skipped"] > 0


def test_without_pruning_it_is_dpor() -> None:
    subject = load(TABLES / "fdrd.c")
    plain = search(subject, "pdp", pruning="none", find_all=True)
    assert plain.executions == search(subject, "dpor", find_all=True).executions
    assert plain.result.stats["subspace_checks"] == 0
    assert search(subject, "pdp", find_all=True).executions < plain.executions
