"""Facts of each strength are sound in themselves, and the strongest that is ready when the budget ends is used."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from programs_truth import all_programs, program_name, read_truth, sample

from raceproof import facts, frontend, lockset
from raceproof.cli import main
from raceproof.cli.status import Exit
from raceproof.core import Budget, LimitReached
from raceproof.facts import analysis
from raceproof.ir import Program
from raceproof.model import ConcurrentProgram, Strength, Verdict

RACY = [path for path in all_programs() if read_truth(path).is_racy]

COMMON = """
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
int x; pthread_t t; jmp_buf back;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static void put(void) { x++; }
static void leave(void) { pthread_mutex_unlock(&m); }
static void enter(void) { pthread_mutex_lock(&m); }
static void enter_if(int c) { if (c) pthread_mutex_lock(&m); }
"""
THREAD = "static void *run(void *p) { %s return 0; }"
MAIN = "int main(int argc, char **argv) { %s }"
START = "pthread_create(&t, 0, run, 0);"
LOCKED = "pthread_mutex_lock(&m); put(); pthread_mutex_unlock(&m);"

PROVED = {
    "one lock": (LOCKED, START + LOCKED),
    "lock in a helper": ("enter(); put(); leave();", START + LOCKED),
    "before the thread": (LOCKED, "put();" + START),
    "reading side": (
        "pthread_rwlock_rdlock(&rw); int y = x; pthread_rwlock_unlock(&rw); (void)y;",
        START + "pthread_rwlock_wrlock(&rw); put(); pthread_rwlock_unlock(&rw);",
    ),
    "only one thread": ("put();", START),
    "before the handler": (LOCKED, "put(); signal(2, (void (*)(int))run);"),
}
OPEN = {
    "no lock": ("put();", START + LOCKED),
    "other lock": (LOCKED, START + "pthread_mutex_lock(&n); put(); pthread_mutex_unlock(&n);"),
    "one of two locks": (LOCKED, START + "pthread_mutex_t *l = argc > 1 ? &m : &n; pthread_mutex_lock(l); put();"),
    "given back in a helper": ("enter(); leave(); put();", START + LOCKED),
    "taken on one path": ("enter_if(x); put();", START + LOCKED),
    "try": ("pthread_mutex_trylock(&m); put();", START + LOCKED),
    "called with and without": (LOCKED, START + LOCKED + "put();"),
    "after the thread": (LOCKED, START + "put();"),
    "second round": ("put();", "for (int i = 0; i < 2; i++) { put();" + START + "}"),
    "two threads": ("put();", START + START),
    "reading side writes": (
        "pthread_rwlock_rdlock(&rw); put(); pthread_rwlock_unlock(&rw);",
        START + "pthread_rwlock_rdlock(&rw); put(); pthread_rwlock_unlock(&rw);",
    ),
    "jump back": (LOCKED, "if (!setjmp(back)) { " + START + " longjmp(back, 1); } put();"),
    "jump back before it": (LOCKED, "setjmp(back); put(); " + START + " longjmp(back, 1);"),
    "overwritten lock": ("enter(); memset(&m, 0, sizeof m); put();", START + LOCKED),
    "after the handler": (LOCKED, "signal(2, (void (*)(int))run); put();"),
    "started below": ("put();", "void *(*f)(void *) = run; pthread_create(&t, 0, f, 0);" + START),
}


def _program(directory: Path, text: str) -> Program:
    path = directory / "program.c"
    path.write_text(text, encoding="utf-8")
    return frontend.load(frontend.from_files([path]))


def _is_proved(cp: ConcurrentProgram, target: str = "x") -> bool:
    pairs = [p for p in facts.race_pairs(cp) if cp.objects[p.target.object].name == target]
    found = lockset.run(cp, pairs, lockset.LocksetOptions(), Budget.unlimited()).findings
    return all(finding.verdict is Verdict.RACE_FREE for finding in found)


@pytest.mark.parametrize("name", [*PROVED, *OPEN])
def test_coarse_facts_prove_what_is_obvious_and_nothing_else(name: str, tmp_path: Path) -> None:
    thread, main = {**PROVED, **OPEN}[name]
    program = _program(tmp_path, COMMON + THREAD % thread + MAIN % main)
    cp = facts.analyse(program, Budget.unlimited(), strongest=Strength.COARSE)
    assert cp.strength is Strength.COARSE
    assert _is_proved(cp) == (name in PROVED)


@pytest.mark.parametrize("path", sample(RACY, 8), ids=program_name)
@pytest.mark.parametrize("strength", [Strength.COARSE, Strength.FIRST_FLOW], ids=lambda s: s.value)
def test_no_strength_proves_a_race_away(path: Path, strength: Strength) -> None:
    _check_races(path, strength)


@pytest.mark.slow
@pytest.mark.parametrize("path", RACY, ids=program_name)
@pytest.mark.parametrize("strength", [Strength.COARSE, Strength.FIRST_FLOW], ids=lambda s: s.value)
def test_no_strength_proves_any_race_away(path: Path, strength: Strength) -> None:
    _check_races(path, strength)


def _check_races(path: Path, strength: Strength) -> None:
    """Every race line is in an open pair with a race line, as in tests/test_programs.py."""
    cp = facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited(), strongest=strength)
    races = read_truth(path).race_lines
    found = lockset.run(cp, facts.race_pairs(cp), lockset.LocksetOptions(), Budget.unlimited()).findings
    covered: set[int] = set()
    for finding in found:
        if finding.verdict is not Verdict.RACE_FREE:
            places = [cp.accesses[a].pos for a in (finding.pair.first, finding.pair.second)]
            lines = {p.line if p is not None and Path(p.file).name == path.name else 0 for p in places}
            covered |= lines if lines <= races else set()
    assert races <= covered, f"{program_name(path)}: {strength.value} facts prove the races of {races - covered} away"


@dataclass(frozen=True, slots=True)
class Ticking(Budget):
    """Its clock goes on by one with each check, so that it ends at the same place on every machine."""

    clock: list[int] = field(default_factory=lambda: [0])

    def remaining(self) -> float:
        return self.deadline - self.clock[0]

    def part(self, seconds: float) -> Ticking:
        return Ticking(min(self.deadline, self.clock[0] + seconds), seconds, clock=self.clock)

    def check(self) -> None:
        self.clock[0] += 1
        if self.clock[0] > self.deadline:
            raise LimitReached("no ticks left")


def _six_workers(directory: Path) -> Program:
    workers = "".join(f"static void *w{i}(void *p) {{ enter(); put(); leave(); return p; }}\n" for i in range(6))
    main = "".join(f"pthread_create(&t, 0, w{i}, 0);" for i in range(6))
    return _program(directory, COMMON + workers + MAIN % main)


def test_a_budget_that_ends_leaves_the_strongest_facts_that_are_ready(tmp_path: Path) -> None:
    program = _six_workers(tmp_path)
    enough = [0]
    facts.analyse(program, Ticking(1e9, 1e9, clock=enough))
    found = {}
    for tenth in range(6, 30):
        ticks, clock = enough[0] * tenth // 10, [0]
        try:
            cp = facts.analyse(program, Ticking(ticks, ticks, clock=clock))
        except LimitReached:
            assert clock[0] <= ticks + 1
            continue
        assert clock[0] <= ticks
        assert _is_proved(cp)
        found[ticks] = cp.strength
    order = [Strength.COARSE, Strength.FIRST_FLOW, Strength.FULL]
    levels = [order.index(strength) for _, strength in sorted(found.items())]
    assert levels == sorted(levels)
    assert levels[-1] == 2
    assert len(set(levels)) > 1, found


def test_without_time_for_a_flow_there_are_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "SHARE_OF_FLOWS", 0.0)
    cp = facts.analyse(_six_workers(tmp_path), Ticking(1e9, 1e9))
    assert cp.strength is Strength.COARSE
    assert _is_proved(cp)


def test_a_report_on_weaker_facts_is_checked_with_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, report = tmp_path / "program.c", tmp_path / "report.json"
    source.write_text(COMMON + THREAD % LOCKED + MAIN % (START + LOCKED), encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(analysis, "SHARE_OF_FLOWS", 0.0)
        words = ["check", "--engines", "lockset", "--pairs-detail", "--json", str(report), "--time-limit", "100"]
        assert main([*words, str(source)]) == Exit.RACE_FREE
    assert json.loads(report.read_text(encoding="utf-8"))["facts"] == "coarse"
    assert main(["check-evidence", str(report)]) == Exit.RACE_FREE
