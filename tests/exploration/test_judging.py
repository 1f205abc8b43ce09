"""The judgement itself: every sort of contradiction is noticed, and its program made smaller."""

from __future__ import annotations

import json
import resource
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from metamorphic.changes import CHANGES, Claim

from exploration import judging, sanitizer
from exploration.compare import compile_text
from exploration.families import Specimen, specimen
from exploration.judging import PROVERS, Plan, judge, leads_out
from exploration.plans import everybody, plan_of
from exploration.searches import ALL, CLASSES, SWEEP, UNHUNTED, Limits
from exploration.shrinker import shrink_problem
from exploration.soak import PROGRAMS, Settings, soak
from exploration.tally import Entry, Tally, read_entries
from raceproof import report
from raceproof.frontend import Cache
from raceproof.model import CheckResult, Verdict
from raceproof.native.build import TOOLS

LIMITS = Limits(executions=20_000, seconds=20.0)
RACY = """static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *t1(void *arg) {
  pthread_mutex_lock(&m);
  y = 1;
  pthread_mutex_unlock(&m);
  x = 1;
  return arg;
}
int main(void) {
  pthread_t id;
  pthread_create(&id, 0, t1, 0);
  pthread_mutex_lock(&m);
  y = 2;
  pthread_mutex_unlock(&m);
  x = 2;
  pthread_join(id, 0);
  return 0;
}
"""
SAFE = RACY.replace("  x = 2;\n", "")


def _program(text: str) -> Specimen:
    return Specimen("api", 0, text)


def _prove_all(cp: object, pairs: list[object], budget: object) -> SimpleNamespace:
    return SimpleNamespace(findings=[SimpleNamespace(pair=pair, verdict=Verdict.RACE_FREE) for pair in pairs])


def _crash(cp: object, pairs: list[object], budget: object) -> SimpleNamespace:
    raise IndexError("of a list")


def test_everybody_agrees_on_what_is_plain(tmp_path: Path) -> None:
    for text, races in ((RACY, 1), (SAFE, 0)):
        whole = _program(text)
        found = judge(whole, everybody(whole), tmp_path, LIMITS)
        assert not found.problems, str(found)
        assert len(found.races) == races
        engines = ("lockset", "petri", "transactions", "bmc", "check", "dfs", "race", "optimal", "dpor", "pdp", "dhtc")
        for engine in engines:
            assert found.counts[f"{engine}: programs"] == 1
            assert found.counts[f"{engine}: proved"] >= 1, engine
        assert found.counts["interpreter: programs"] == 1
        assert found.counts["evidence: accepted"] > 1


def test_builds_are_not_compared_where_an_address_decides(tmp_path: Path) -> None:
    """Another build may put the variable elsewhere: what it does then says nothing of the first one's races."""
    whole = _program(RACY.replace("  x = 2;\n", "  if ((long)&y % 97 > 48) x = 2;\n"))
    found = judge(whole, everybody(whole), tmp_path, LIMITS)
    assert found.rests_on_addresses
    assert not found.problems, str(found)
    plain = judge(_program(RACY), Plan(), tmp_path, LIMITS)
    assert plain.races
    assert not plain.rests_on_addresses
    silent = replace(plain, outcomes={k: replace(o, races=frozenset()) for k, o in plain.outcomes.items()})
    assert list(judging.difference(Claim.SAME_VERDICT, plain, silent))
    assert not list(judging.difference(Claim.SAME_VERDICT, replace(plain, rests_on_addresses=True), silent))


@pytest.mark.parametrize(("prover", "kind"), [(_prove_all, "forged is unsound"), (_crash, "crash of forged")])
def test_a_wrong_engine_is_caught_and_its_program_made_smaller(
    prover: object, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROVERS, "forged", prover)
    plan = Plan(provers=("forged",))
    whole = next(w for seed in range(1, 100) if judge(w := specimen(seed, "values"), plan, tmp_path, LIMITS).kinds)
    found = judge(whole, plan, tmp_path, LIMITS)
    assert kind in found.kinds
    small = shrink_problem(whole, found, plan, tmp_path, LIMITS, seconds=4.0)
    assert kind in judge(small, plan, tmp_path, LIMITS).kinds
    assert len(small.text.splitlines()) <= len(whole.text.splitlines())


def test_a_race_that_dfs_does_not_have_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an engine that executes, by the sanitizer, by the interpreter."""
    lines = (5, 14)
    monkeypatch.setattr(sanitizer, "races", lambda text, directory: frozenset({lines}))
    monkeypatch.setattr(judging, "interpret", lambda program, executions, seconds: _interpreted(program))
    found = judge(_program(SAFE), Plan(interpreted=True, sanitized=True), tmp_path, LIMITS)
    assert found.kinds == {"sanitizer disagrees", "interpreter disagrees", "lockset is unsound"}


def test_a_race_that_is_no_pair_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitizer, "races", lambda text, directory: frozenset({(1, 2)}))
    found = judge(_program(SAFE), Plan(sanitized=True), tmp_path, LIMITS)
    assert found.kinds == {"race of no pair"}


def _interpreted(program: object) -> SimpleNamespace:
    sites = [s for s, (f, i) in program.instructions_by_site().items() if i.pos and i.pos.line in (5, 14)]  # type: ignore[attr-defined]
    stores = [(int(site), "write") for site in sorted(sites)]
    return SimpleNamespace(races={(stores[0], stores[1]): SimpleNamespace(object="y")}, gaps=tuple, ends={})


def test_evidence_that_is_rejected_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = report.to_json

    def forged(checked: CheckResult) -> object:
        written = json.loads(json.dumps(real(checked)))
        for pair in written["pairs"]:
            if pair["verdict"] == "race":
                pair.update(verdict="race-free", engine="lockset", scope="all-inputs", schedule=None)
                pair["evidence"] = ["common-lock m"]
        return written

    monkeypatch.setattr(report, "to_json", forged)
    found = judge(_program(RACY), Plan(checked=("lockset", "explore")), tmp_path, LIMITS)
    assert found.kinds == {"evidence rejected"}


def test_undefined_behaviour_is_left_alone(tmp_path: Path) -> None:
    text = RACY.replace("  x = 1;\n", "  x = 1;\n  pthread_mutex_unlock(&m);\n")
    found = judge(_program(text), Plan(), tmp_path, LIMITS)
    assert found.skipped == "undefined behaviour"
    assert "lockset: programs" not in found.counts


def test_a_race_in_front_of_an_input_is_told(tmp_path: Path) -> None:
    text = """struct N { int v; struct N *next; };
static struct N n0 = {0, 0};
static struct N *head;
static void *t1(void *arg);
static void *t2(void *arg);
static void *t1(void *arg) {
  int r0 = 0;
  struct N *p1 = &n0;
  head = p1;
  r0 = __VERIFIER_nondet_int() ? 1 : 1;
  return arg;
}
static void *t2(void *arg) {
  struct N *p0 = &n0;
  p0 = head;
  if (p0) {
    head = p0->next;
  }
  return arg;
}
int main(void) {
  pthread_t id1, id2;
  pthread_create(&id1, 0, t1, 0);
  pthread_create(&id2, 0, t2, &n0);
  pthread_join(id1, 0);
  pthread_join(id2, 0);
  return 0;
}
"""
    found = judge(_program(text), Plan(checked=("explore",)), tmp_path, LIMITS)
    assert not found.problems, str(found)
    assert found.counts["check: races"] == 2


@pytest.mark.skipif(not sanitizer.is_available(), reason="no gcc with ThreadSanitizer")
def test_sanitizer_names_the_lines(tmp_path: Path) -> None:
    assert sanitizer.races(RACY, tmp_path) == frozenset({(7, 16)})
    assert sanitizer.races(SAFE, tmp_path) == frozenset()
    allocates = RACY.replace("static int x", "static int *volatile p, x")
    allocates = allocates.replace("x = 1;", "p = malloc(4);").replace("x = 2;", "if (p) *p = 1;")
    assert (sanitizer.races(allocates, tmp_path) or frozenset()) <= {(7, 16)}  # of the pointer alone
    assert sanitizer.races(RACY.replace("x = 2;", "atomic_thread_fence(memory_order_acquire);"), tmp_path) is None


@pytest.mark.skipif(not sanitizer.is_available(), reason="no gcc with sanitizers")
def test_sanitizers_see_who_leaves_an_array(tmp_path: Path) -> None:
    text = "int a[2];\nint main(void) { int i = 2; i -= 3; a[i] = 1; return 0; }\n"
    assert sanitizer.leads_out(text, tmp_path)
    assert not sanitizer.leads_out(text.replace("3", "1"), tmp_path)


@pytest.mark.skipif(not sanitizer.is_available(), reason="no gcc with sanitizers")
def test_a_sanitizer_that_may_not_have_the_memory_excuses_nothing(tmp_path: Path) -> None:
    """As in the sandbox of mutants: what searches get wrong there would pass for a program without a meaning."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8_000_000_000, hard))
    try:
        assert not sanitizer.leads_out("int main(void) { return 0; }\n", tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_a_schedule_that_leaves_an_array_is_seen(tmp_path: Path) -> None:
    for size, leaves in ((2, True), (3, False)):
        text = f"static int a[{size}];\n" + RACY.replace("x = 2;", "a[x + 1] = 2;")
        program = compile_text(text, tmp_path)[0].program
        assert leads_out(text, program, tmp_path, LIMITS) is leaves


# -- many programs


def test_all_engines_have_their_turn() -> None:
    plans = [plan_of(Specimen("sc", seed, "")) for seed in range(0, 12_000, 12)]
    assert {name for plan in plans for name in plan.provers} == set(PROVERS)
    assert {name for plan in plans for name in plan.searches} == {*ALL[1:], CLASSES, SWEEP, UNHUNTED}
    assert {plan.checked for plan in plans if plan.checked} > {("petri",), ("transactions",), ("bmc",), ("explore",)}
    assert {plan.change for plan in plans if plan.change} == set(CHANGES)
    assert any(plan.bmc for plan in plans)
    assert any(plan.interpreted for plan in plans)
    assert any(plan.sanitized for plan in plans)


def test_a_soak_goes_on_where_it_was_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built, common = Cache.default().root, tmp_path / "cache" / "common"
    if built is not None and (built / TOOLS).is_dir():
        shutil.copytree(built / TOOLS, common / TOOLS)
    monkeypatch.setenv("RACEPROOF_CACHE", str(common))  # which it changes: not for the tests behind it
    settings = Settings(tmp_path, "loops", LIMITS, 1.0, plan_of)
    soak(settings, iter(range(3)), jobs=1, seconds=60.0)
    first = Tally.of(read_entries(tmp_path / PROGRAMS))
    assert first.done == {0, 1, 2}
    assert first.programs == 3
    assert not first.failed
    soak(settings, (seed for seed in range(4) if seed not in first.done), jobs=1, seconds=60.0)
    again = Tally.of(read_entries(tmp_path / PROGRAMS))
    assert again.done == {0, 1, 2, 3}
    assert again.counts["lockset: programs"] == 4


def test_table_has_everything() -> None:
    good = Entry(7, "sc", "racy", {"pairs": 3, "dfs: programs": 1, "dfs: pairs": 3, "dfs: races": 1}, {"dfs": 1.0})
    bad = Entry(9, "api", "shared", {"pairs": 2, "sanitizer: programs": 1}, {}, ("petri is unsound",))
    tally = Tally.of([good, bad])
    text = tally.table()
    assert "| `sc` | 1 | 1 | 0 | 0 | 0 | 0 |" in text
    assert "| `dfs` | 1 | 3 | 0 | 1 | 33% |" in text
    assert "5 pairs; seeds 7, 9. Contradictions: 1 (petri is unsound: 1)" in text
    assert tally.failed == [9]
    assert tally.done == {7}
