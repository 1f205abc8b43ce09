"""Which regions are tied by what is outside of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import facts, frontend
from raceproof.core import Budget
from raceproof.model import Regions

PROGRAMS = Path(__file__).parents[2] / "programs" / "regions"
LISTS = """
#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct node *one, *two;
void mix(struct node **, struct node **);
struct node *made(void) {
  struct node *first = 0;
  for (int i = 0; i < 2; i++) {
    struct node *n = calloc(1, sizeof *n);
    n->next = first;
    first = n;
  }
  return first;
}
void *worker(void *p) { one->value++; return p; }
int main(void) {
  pthread_t t;
  one = made();
  two = made();
  CALL
  pthread_create(&t, 0, worker, 0);
  two->value++;
  pthread_join(t, 0);
}
"""


def regions(directory: Path, call: str) -> Regions:
    path = directory / "program.c"
    path.write_text(LISTS.replace("CALL", call), encoding="utf-8")
    return facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited()).regions


def test_lists_are_apart(tmp_path: Path) -> None:
    found = regions(tmp_path, "")
    assert found.nodes
    assert not found.ties


def test_a_function_that_nobody_knows_may_link_what_it_is_given(tmp_path: Path) -> None:
    assert [len(tie.families) for tie in regions(tmp_path, "mix(&one, &two);").ties] == [2]


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.c")), ids=lambda path: path.stem)
def test_programs_about_regions_have_some(path: Path) -> None:
    """Otherwise they say nothing: a single node that is linked to nothing is in no region."""
    assert facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited()).regions.nodes
