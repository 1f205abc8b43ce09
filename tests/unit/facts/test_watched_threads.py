"""Contexts that all threads share are run again only if what is new about a thread matters to them.

The plain form, in which all of them are run again, is the oracle.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from programs_truth import all_programs, program_name, sample

from raceproof import facts, frontend
from raceproof.core import Budget
from raceproof.facts.flow.contexts import SHARED, Exit, ThreadRecord
from raceproof.facts.flow.flow import Flow
from raceproof.facts.flow.walker import Walker

COMPUTES = """
#include <pthread.h>
static pthread_t ids[4];
static int results[4];
static void compute(int *place, int n) {
  for (int i = 0; i < n; i++) *place += i * n;
}
static void *child(void *arg) {
  return arg;
}
static void *work(void *arg) {
  int *place = arg;
  pthread_t id;
  compute(place, *place);
  pthread_create(&id, 0, child, 0);
  pthread_join(id, 0);
  return 0;
}
int main(void) {
  results[0] = 3;
  for (int i = 0; i < 4; i++) pthread_create(&ids[i], 0, work, &results[i]);
  for (int i = 0; i < 4; i++) pthread_join(ids[i], 0);
  return results[1];
}
"""


def _run_all_again(flow: Flow, record: ThreadRecord) -> None:
    for dependent in list(record.dependents):
        flow.run_again(dependent)
    for context in list(flow._all_contexts()):
        if context.thread in (record.id, SHARED):
            flow.run_again(context)


def _analysed(path: Path) -> str:
    program = frontend.load(frontend.from_files([path]))
    return facts.format_facts(facts.analyse(program, Budget.unlimited()))


@pytest.mark.parametrize("path", sample(all_programs(), 60), ids=program_name)
def test_the_facts_are_those_of_running_all_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _analysed(path)
    monkeypatch.setattr(Flow, "changed", _run_all_again)
    assert found == _analysed(path)


def test_a_function_that_only_computes_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "computes.c"
    path.write_text(COMPUTES, encoding="utf-8")
    runs: Counter[str] = Counter()
    walk = Walker.run

    def counted(walker: Walker) -> list[Exit]:
        runs[walker.context.function] += 1
        return walk(walker)

    monkeypatch.setattr(Walker, "run", counted)
    found = _analysed(path)
    watched = runs["compute"]
    runs.clear()
    monkeypatch.setattr(Flow, "changed", _run_all_again)
    assert found == _analysed(path)
    assert watched < runs["compute"]
