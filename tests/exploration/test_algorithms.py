"""The six searches on generated programs: the same verdict from all, and counts within the bounds.

RACEPROOF_EXPLORE_PROGRAMS is the number of programs (default: what fits a test run; `make soak` runs for an hour),
RACEPROOF_EXPLORE_SEED the first seed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from differential.preamble import as_source

from exploration import api, heap_locks, loose
from exploration.compare import ALGORITHMS, compile_batch, compile_one, compile_text, disagreements
from exploration.families import CYCLE, FAMILIES, Specimen, specimen
from exploration.generator import MAX_SCHEDULES, batch, generate, mode_of
from exploration.judging import Judged, Plan, judge
from exploration.plans import classes_of, searches_of
from exploration.searches import ALL, CLASSES, OPEN, ORACLE, UNHUNTED, Limits, Outcome, Searches
from exploration.shrinker import shrink
from exploration.syntax import Source, estimate, render, smaller
from raceproof import explore
from raceproof.core import Budget
from raceproof.facts import analyse, race_pairs
from raceproof.model import Verdict

COUNT = int(os.environ.get("RACEPROOF_EXPLORE_PROGRAMS", "60"))
FIRST = int(os.environ.get("RACEPROOF_EXPLORE_SEED", "1"))
GROUP = 10
LIMITS = Limits(executions=60_000, seconds=20.0)


def _message(whole: Specimen, found: Judged) -> str:
    return f"seed {whole.seed}, {whole.family}\n{found}\n{whole.text}"


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, GROUP))
def test_algorithms_agree(first: int, tmp_path: Path) -> None:
    for seed in range(first, min(first + GROUP, FIRST + COUNT)):
        whole = specimen(seed, mode_of(seed))
        plan = Plan((*searches_of(whole), *classes_of(whole)), narrowed=True, interpreted=True)
        found = judge(whole, plan, tmp_path, LIMITS)
        assert not found.problems, _message(whole, found)
        assert found.is_complete


@pytest.mark.parametrize("seed", [1, 4])
def test_one_build_serves_all_searches(seed: int, tmp_path: Path) -> None:
    """Each sees what it sees in a build of its own, with the same number of executions."""
    compiled = compile_one(generate(seed), tmp_path)
    cp = analyse(compiled.program, Budget.unlimited())
    pairs = race_pairs(cp)
    searches = Searches(cp, pairs, compiled.module, LIMITS)
    for algorithm in ALL:
        seen = searches.run(algorithm)
        options = replace(searches.options, algorithm=algorithm, confirmations=1)
        said = explore.run(cp, pairs, options, Budget.seconds(LIMITS.seconds))
        races = {tuple(sorted((f.pair.first, f.pair.second))) for f in said.findings if f.verdict is Verdict.RACE}
        assert seen.races == races
        assert (seen.executions, seen.blocked) == (said.stats["executions"], said.stats["blocked"])


def test_programs_of_a_batch_agree(tmp_path: Path) -> None:
    """Programs that share a module with others do as they do alone."""
    sources = [generate(seed) for seed in range(1, 4)]
    for source, compiled in zip(sources, compile_batch(sources, tmp_path), strict=True):
        cp = analyse(compiled.program, Budget.unlimited())
        searches = Searches(cp, race_pairs(cp), compiled.module, LIMITS)
        alone = judge(specimen(source.seed, "sc"), Plan(ALL[1:]), tmp_path, LIMITS)
        counts = {name: searches.run(name).executions for name in ALL}
        assert counts == {name: outcome.executions for name, outcome in alone.outcomes.items()}


# What waits for others, and decides in which order: each of these races in an order that only a reversal finds.

TWO = """static int x;
static sem_t told;
static void *t1(void *arg) { int r; sem_post(&told); FIRST return arg; }
static void *t2(void *arg) { sem_wait(&told); SECOND x = 1; return arg; }
int main(void) {
  pthread_t id1, id2;
  sem_init(&told, 0, 0); START
  pthread_create(&id1, 0, t1, 0);
  pthread_create(&id2, 0, t2, 0);
  pthread_join(id1, 0);
  pthread_join(id2, 0);
  return 0;
}
"""
WAITS = {
    "a unit that is given back": (
        "static sem_t s;",
        "sem_init(&s, 0, 1);",
        "sem_wait(&s); r = x; sem_post(&s);",
        "sem_wait(&s); sem_post(&s);",
    ),
    "a unit that another one did not get": (
        "static sem_t s;",
        "sem_init(&s, 0, 1);",
        "sem_wait(&s); r = x; if (sem_trywait(&s) == 0) sem_post(&s); sem_post(&s);",
        "sem_wait(&s); sem_post(&s);",
    ),
    "a unit behind one of another semaphore": (
        "static sem_t s, other;",
        "sem_init(&s, 0, 1); sem_init(&other, 0, 1);",
        "sem_wait(&s); r = x; sem_post(&s);",
        "sem_wait(&other); sem_wait(&s); sem_post(&s);",
    ),
    "a mutex taken twice": (
        "static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;",
        "",
        "pthread_mutex_lock(&m); pthread_mutex_lock(&m); r = x; pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
    ),
    "a mutex tried by who has it": (
        "static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;",
        "",
        "pthread_mutex_lock(&m); if (pthread_mutex_trylock(&m) == 0) { r = x; pthread_mutex_unlock(&m); }"
        " pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
    ),
    "a reader that reads on": (
        "static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;",
        "",
        "pthread_rwlock_rdlock(&w); pthread_rwlock_rdlock(&w); r = x; pthread_rwlock_unlock(&w);"
        " pthread_rwlock_unlock(&w);",
        "pthread_rwlock_wrlock(&w); pthread_rwlock_unlock(&w);",
    ),
}


@pytest.mark.parametrize("name", WAITS)
def test_no_order_of_what_waits_is_lost(name: str, tmp_path: Path) -> None:
    declaration, start, first, second = WAITS[name]
    text = TWO.replace("START", start).replace("FIRST", first).replace("SECOND", second)
    whole = Specimen("loose", 0, f"{declaration} {text}")
    found = judge(whole, Plan((*searches_of(whole), *classes_of(whole)), interpreted=True), tmp_path, LIMITS)
    assert not found.problems, str(found)
    assert len(found.races) == 1


TRIES = {
    "a try that a reader could have refused": (
        "static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;",
        "pthread_rwlock_rdlock(&w); pthread_rwlock_unlock(&w); if (pthread_rwlock_trywrlock(&w) == 0) r = 1; x = 1;",
        "r = x; pthread_rwlock_rdlock(&w); pthread_rwlock_unlock(&w);",
        1,
    ),
    "a lock that is left behind": (
        "static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;",
        "pthread_rwlock_wrlock(&w); x = 1;",
        "if (pthread_rwlock_trywrlock(&w) == 0) r = x;",
        0,
    ),
}


@pytest.mark.parametrize("name", TRIES)
def test_no_order_of_tries_is_lost(name: str, tmp_path: Path) -> None:
    declaration, first, second, races = TRIES[name]
    text = f"""{declaration} static int x;
static void *t1(void *arg) {{ int r; {first} return arg; }}
static void *t2(void *arg) {{ int r; {second} return arg; }}
int main(void) {{
  pthread_t id1, id2;
  pthread_create(&id1, 0, t1, 0);
  pthread_create(&id2, 0, t2, 0);
  return 0;
}}
"""
    found = judge(Specimen("loose", 0, text), Plan(("optimal", "race"), narrowed=True), tmp_path, LIMITS)
    assert not found.problems, str(found)
    assert len(found.races) == races


def test_atomics_of_no_open_pair_are_reversed(tmp_path: Path) -> None:
    """The first execution ends before the flag is set: that it could have been set is known from the code alone."""
    text = """static int x;
static atomic_int flag;
static void *t1(void *arg) { int r = x; atomic_store_explicit(&flag, 1, memory_order_relaxed); return arg; }
static void *t2(void *arg) { if (atomic_load_explicit(&flag, memory_order_relaxed)) x = 2; return arg; }
int main(void) {
  pthread_t id1, id2;
  pthread_create(&id1, 0, t1, 0);
  pthread_create(&id2, 0, t2, 0);
  pthread_join(id2, 0);
  return 0;
}
"""
    found = judge(Specimen("loose", 0, text), Plan(("race",), narrowed=True), tmp_path, LIMITS)
    assert not found.problems, str(found)
    assert found.outcomes[OPEN].races == found.outcomes[ORACLE].races != frozenset()


# -- what the comparison must notice


def _outcome(algorithm: str, **changes: object) -> Outcome:
    seen = Outcome(algorithm, frozenset(), frozenset(), "complete", (), 10, 0, (), None)
    return replace(seen, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({}, set()),
        ({"races": frozenset({(0, 1)})}, {"verdict of {}", "pair of {} alone"}),
        ({"end": "time"}, {"no end of {}"}),
        ({"bounds": ("steps",)}, {"no end of {}"}),
        ({"executions": 12}, {"executions of {}"}),
    ],
)
def test_a_search_that_says_something_else_is_noticed(
    changes: dict[str, object], kinds: set[str], tmp_path: Path
) -> None:
    cp = analyse(compile_one(generate(2), tmp_path).program, Budget.unlimited())
    for name in ("pdp", UNHUNTED):
        outcomes = {ORACLE: _outcome(ORACLE), "dpor": _outcome("dpor"), name: _outcome(name, **changes)}
        found = {problem.kind for problem in disagreements(cp, outcomes)}
        assert found == {kind.format(name) for kind in kinds}


def test_a_lost_race_and_a_blocked_execution_are_noticed(tmp_path: Path) -> None:
    cp = analyse(compile_one(generate(2), tmp_path).program, Budget.unlimited())
    oracle = _outcome(ORACLE, races=frozenset({(0, 1), (1, 2)}))
    optimal = _outcome("optimal", races=frozenset({(0, 1)}), blocked=1, executions=11)
    race = _outcome("race")
    classes = _outcome(CLASSES, races=oracle.races, classes=9)
    outcomes = {ORACLE: oracle, "optimal": optimal, "race": race, CLASSES: classes}
    assert {problem.kind for problem in disagreements(cp, outcomes)} == {
        "race lost by optimal",
        "race lost by race",
        "optimal blocked",
        "optimal has more than dfs",
        "optimal is not optimal",
        "verdict of race",
    }


# -- the programs


_TREES: dict[str, Callable[[int], Source]] = {
    "sc": lambda seed: generate(seed, "sc"),
    "weak": lambda seed: generate(seed, "weak"),
    "api": api.generate,
    "loose": loose.generate,
}
_BOUNDS = {"sc": MAX_SCHEDULES, "weak": MAX_SCHEDULES, "api": api.MAX_SCHEDULES, "loose": loose.MAX_SCHEDULES}


@pytest.mark.parametrize("name", _TREES)
def test_generator_is_deterministic_and_bounded(name: str) -> None:
    for seed in range(40):
        source = _TREES[name](seed)
        assert render(source) == render(_TREES[name](seed))
        assert estimate(source).schedules <= _BOUNDS[name]


@pytest.mark.parametrize("name", _TREES)
def test_generated_programs_and_all_smaller_ones_compile(name: str, tmp_path: Path) -> None:
    for seed in range(6):
        source = _TREES[name](seed)
        text, entries = batch([source, *smaller(source)])
        assert compile_text(text, tmp_path, (entries[0], entries[-1]))


def test_api_programs_have_what_they_are_for() -> None:
    text = "\n".join(render(api.generate(seed)) for seed in range(200))
    calls = (
        "mutex_lock", "mutex_trylock", "spin_lock", "spin_trylock", "rwlock_rdlock", "rwlock_wrlock",
        "rwlock_tryrdlock", "rwlock_trywrlock", "cond_wait", "cond_signal", "cond_broadcast", "barrier_wait", "once",
        "join", "detach",
    )  # fmt: skip
    words = (
        *(f"pthread_{call}(" for call in calls), "sem_wait(", "sem_trywait(", "sem_post(", "malloc(", "free(", "arg ?",
        "_Thread_local", "nondet", "fence", "relaxed", "acquire", "release", "acq_rel", "seq_cst", "fetch_add",
        "exchange",
    )  # fmt: skip
    for word in words:
        assert word in text, word


def test_every_family_has_its_seeds() -> None:
    assert set(FAMILIES) - set(CYCLE) == {heap_locks.MODE}  # which has a test of its own
    drawn = [specimen(seed) for seed in range(len(CYCLE))]
    assert [whole.family for whole in drawn] == list(CYCLE)
    assert all(whole.text == specimen(whole.seed).text for whole in drawn)


# -- making smaller


def test_shrinker_keeps_what_is_asked_for() -> None:
    whole = specimen(4, "sc")
    small = shrink(whole, lambda candidate: "pthread_mutex_lock" in candidate.text)
    assert small.text.count("pthread_mutex_lock") == 1
    assert len(small.text.splitlines()) < len(whole.text.splitlines())


def test_texts_become_smaller_too() -> None:
    whole = specimen(3, "idioms")
    small = shrink(whole, lambda candidate: "int main" in candidate.text)
    assert len(small.text) < len(whole.text) / 4


def test_text_for_people_compiles(tmp_path: Path) -> None:
    source: Source = generate(2)
    assert as_source(render(source)).startswith("#define")
    assert compile_text(render(source), tmp_path)
    assert ALGORITHMS["sc"] == ALL


# -- pruning


def test_pruning_saves_executions(tmp_path: Path) -> None:
    """Not on each program, since what an execution does not show has to be tried as well, but on the whole."""
    total = dict.fromkeys(("dpor", "pdp", UNHUNTED), 0)
    for seed in range(1, 31):
        whole = specimen(seed, "sc")
        found = judge(whole, Plan(tuple(total)), tmp_path, LIMITS)
        assert not found.problems, _message(whole, found)
        for name in total if found.is_complete else ():
            total[name] += found.outcomes[name].executions
    assert total["pdp"] * 3 < total["dpor"]
    assert total[UNHUNTED] * 3 < total["dpor"]
