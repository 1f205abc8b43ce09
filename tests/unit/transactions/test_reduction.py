"""Programs with a race that one order of steps hides: each is open only because the graph has the other orders.

And what has to be known for a proof: who waits for whom, which threads there are, where their accesses are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from unit.transactions.c_programs import PROGRAMS, Analysed, of_file, of_text

from raceproof.model import Verdict
from raceproof.transactions import threads
from raceproof.transactions.products import Workshop, products_of
from raceproof.transactions.program import Surroundings
from raceproof.transactions.thread_graph import ThreadGraph

TWO = "int main(void) { pthread_t s, t; create(s, f); create(t, g); join(s); join(t); return 0; }\n"
THREE = "int main(void) { pthread_t r, s, t; create(r, e); create(s, f); create(t, g); join(s); join(t); return 0; }\n"


def alone(text: str, directory: Path) -> Analysed:
    """Without what the lockset engine knows."""
    program = of_text(text, directory)
    return replace(program, open_pairs=program.pairs)


RACES = {
    "a write that another thread has yet to read": """atomic_int c; int x;
void *f(void *p) { c = 1;
x = 1; return 0; }
void *g(void *p) { if (c == 0)
x = 2; return 0; }
"""
    + TWO,
    "a write of a third thread between two steps, before a lock keeps it away": """atomic_int c; int x;
pthread_mutex_t m = MUTEX; void *f(void *p) { lock(&m);
x = 1; unlock(&m); return 0; }
void *g(void *p) { c = 0; if (c == 1)
x = 2; return 0; }
void *e(void *p) { lock(&m); c = 1; unlock(&m); return 0; }
"""
    + THREE,
    "an unlock of somebody else's lock, by a thread that is not followed": """pthread_mutex_t m = MUTEX; int x;
void *f(void *p) { lock(&m);
x = 1; unlock(&m); return 0; }
void *g(void *p) { lock(&m);
x = 2; unlock(&m); return 0; }
void *e(void *p) { unlock(&m); return 0; }
"""
    + THREE,
    "an unlock of who knows which lock": """pthread_mutex_t m = MUTEX; int x; pthread_mutex_t *one(void);
void *f(void *p) { unlock(one()); lock(&m);
x = 1; unlock(&m); return 0; }
void *g(void *p) { lock(&m);
x = 2; unlock(&m); return 0; }
"""
    + TWO,
    "an unlock of who knows which lock, by a thread that is not followed": """pthread_mutex_t m = MUTEX; int x;
void *f(void *p) { lock(&m);
x = 1; unlock(&m); return 0; }
void *g(void *p) { lock(&m);
x = 2; unlock(&m); return 0; }
pthread_mutex_t *one(void); void *e(void *p) { unlock(one()); return 0; }
"""
    + THREE,
    "a step that takes a lock or gives one back": """int x, (*step)(pthread_mutex_t *);
pthread_mutex_t m[2] = {MUTEX, MUTEX}; void *f(void *p) { step(&m[ANY & 1]); lock(&m[0]);
x = 1; unlock(&m[0]); return 0; }
void *g(void *p) { lock(&m[0]);
x = 2; unlock(&m[0]); return 0; }
"""
    + TWO.replace("{", "{ step = ANY ? pthread_mutex_lock : pthread_mutex_unlock;", 1),
    "a thread that is created again": """atomic_int c; int x;
void *f(void *p) { if (atomic_fetch_add(&c, 1) == 1)
x = 1; return 0; }
void *g(void *p) {
x = 2; return 0; }
int main(void) { pthread_t s, t; create(t, g);
for (int i = 0; i < 2; i++) { create(s, f); join(s); } join(t); return c; }
""",
    "any number of threads, of which only two are followed": """atomic_int c, go; int x;
void *f(void *p) { if (go) { if (atomic_exchange(&c, 1)) c = 0; else
x++; } return 0; }
int main(void) { MANY(f) go = 1; return 0; }
""",
    "threads that have yet to move while main loops for ever": """atomic_int c; int x;
void *f(void *p) { c = 1;
x = 1; return 0; }
void *g(void *p) { if (c == 0)
x = 2; return 0; }
int main(void) { pthread_t s, t; create(s, f); create(t, g); for (;;) ; }
""",
    "threads whose creators are any number": """int x;
void *g(void *p) {
x++; return 0; }
void *f(void *p) { pthread_t t; create(t, g); join(t); return 0; }
int main(void) { MANY(f) return 0; }
""",
}


@pytest.mark.parametrize("name", RACES)
def test_no_order_is_left_out(name: str, tmp_path: Path) -> None:
    program = alone(RACES[name], tmp_path)
    race = (3, 3) if "MANY" in RACES[name] else (3, 5)
    assert race in {program.lines(pair) for pair in program.pairs}
    assert race not in program.proved()


def test_a_thread_that_joins_goes_on_when_the_other_one_has_ended(tmp_path: Path) -> None:
    """The flag says that main has seen the first thread end."""
    text = """atomic_int c; int x; pthread_t s;
void *f(void *p) {
x = 1; return 0; }
void *g(void *p) { if (c == 1)
x = 2; return 0; }
int main(void) { pthread_t s, t; create(s, f); create(t, g); join(s); c = 1; join(t); return 0; }
"""
    assert (3, 5) in alone(text, tmp_path).proved("intervals")


@pytest.mark.parametrize(
    ("where", "name", "nothing"), [(Workshop, "_accesses_in", frozenset()), (ThreadGraph, "creates", False)]
)
def test_what_is_not_found_in_the_code_is_not_proved(
    where: type, name: str, nothing: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """atomic_int c; int x;
void *f(void *p) { if (c)
x = 1; return 0; }
void *g(void *p) { if (c)
x = 2; return 0; }
"""
    program = alone(text + TWO, tmp_path)
    assert (3, 5) in program.proved("intervals")
    monkeypatch.setattr(where, name, lambda *arguments: nothing)
    assert program.proved("intervals") == set()


def test_a_thread_whose_code_cannot_be_drawn_is_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """int x;
void *f(void *p) {
x++; return 0; }
void *g(void *p) {
x = 2; return 0; }
"""
    monkeypatch.setattr(threads, "MAX_NODES", 1)
    finding = alone(text + TWO, tmp_path).finding((3, 5))
    assert "more than 1 points" in str(finding.evidence)


def test_an_access_of_a_library_call_is_at_no_known_place(tmp_path: Path) -> None:
    text = """#include <string.h>
atomic_int c; int x;
void *f(void *p) { if (c)
memset(&x, 1, sizeof x); return 0; }
void *g(void *p) { c = 0;
x = 2; return 0; }
"""
    assert (4, 6) in alone(text + TWO, tmp_path).proved("octagons")


def test_a_wide_product_has_all_threads(tmp_path: Path) -> None:
    program = of_text(RACES["an unlock of somebody else's lock, by a thread that is not followed"], tmp_path)
    around = Surroundings(program.cp)
    (pair,) = (pair for pair in program.pairs if program.lines(pair) == (3, 5))
    (narrow,), (wide,) = products_of(around, pair, is_wide=False), products_of(around, pair, is_wide=True)
    assert len(narrow) == 3  # the two and main
    assert sorted(wide) == sorted(program.cp.threads)


def test_a_thread_that_an_assumption_stops_lets_others_go_on() -> None:
    """What it did before is done: it must not be one step with the assumption, nor be the only one to move there."""
    path = PROGRAMS / "values" / "assumed_away_race.c"
    truth = {n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1) if "// race" in line}
    assert len(truth) == 2
    assert not any(truth.issuperset(lines) for lines in of_file(path).proved())
    assert of_file(path.with_name("assumed_away.c")).run().findings[0].verdict is Verdict.RACE_FREE
