"""A function that nobody describes may end the thread that calls it: no engine counts on what would come behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploration.judging import PROVERS

from raceproof import facts, frontend
from raceproof.core import Budget
from raceproof.model import Verdict

START = """#include <pthread.h>
void leave(void);
static int x, done;
"""
CREATOR = """
static void *child(void *p) { x = 1; return p; }
static void *creator(void *p) {
  pthread_t t; pthread_create(&t, 0, child, 0); FIRST; pthread_join(t, 0); SECOND; return p;
}
int main(void) { pthread_t t; pthread_create(&t, 0, creator, 0); pthread_join(t, 0); THIRD; x = 2; return 0; }
"""
ONCE = """
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void init(void) { x++; FIRST; }
static void *worker(void *p) { pthread_once(&once, init); return p; }
int main(void) {
  pthread_t s, t; pthread_create(&s, 0, worker, 0); pthread_create(&t, 0, worker, 0); THIRD;
  pthread_join(s, 0); pthread_join(t, 0); return 0;
}
"""
TELLS = """
static void *other(void *p) { x = 1; return p; }
static void *tells(void *p) { FIRST; done = 1; return p; }
int main(void) {
  pthread_t s, t; pthread_create(&s, 0, other, 0); pthread_create(&t, 0, tells, 0); pthread_join(t, 0); THIRD;
  if (!done) x = 2;
  pthread_join(s, 0); return 0;
}
"""


def open_places(text: str, engine: str, tmp_path: Path, where: str) -> set[str]:
    for place in ("FIRST", "SECOND", "THIRD"):
        text = text.replace(place, "leave()" if place == where else "")
    path = tmp_path / "program.c"
    path.write_text(START + text, encoding="utf-8")
    cp = facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited())
    pairs = facts.race_pairs(cp)
    findings = PROVERS[engine](cp, pairs, Budget.seconds(20)).findings
    proved = {f.pair for f in findings if f.verdict is Verdict.RACE_FREE}
    return {cp.objects[pair.target.object].name for pair in pairs if pair not in proved}


@pytest.mark.parametrize("engine", sorted(PROVERS))
@pytest.mark.parametrize("text", [CREATOR, ONCE, TELLS], ids=["creator", "once", "tells"])
def test_what_comes_behind_need_not_happen(text: str, engine: str, tmp_path: Path) -> None:
    assert "x" in open_places(text, engine, tmp_path, "FIRST")


@pytest.mark.parametrize(
    ("text", "engine", "where"),
    [
        (CREATOR, "lockset", "THIRD"),
        (CREATOR, "petri", "SECOND"),
        (ONCE, "lockset", "THIRD"),
        (ONCE, "petri", "THIRD"),
        (TELLS, "transactions", "THIRD"),
        (TELLS, "transactions", ""),
    ],
)
def test_elsewhere_it_takes_nothing_away(text: str, engine: str, where: str, tmp_path: Path) -> None:
    assert open_places(text, engine, tmp_path, where) == set()
