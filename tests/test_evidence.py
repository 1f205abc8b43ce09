"""Evidence of real programs is accepted by the checkers, and nothing else is, however it is forged."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from programs_truth import all_programs, program_name, read_truth, sample
from unit.cli.commands import run_command

import raceproof
from raceproof import evidence, facts, frontend, lockset
from raceproof.cli import Exit, check_evidence
from raceproof.core import Budget, InputError
from raceproof.model import ConcurrentProgram, RacePair, Scope, Verdict

ORDERS = (
    "in the same thread",
    "before the other thread is created, or after it is joined",
    "one thread ends before the other is created",
)
PLACES = (
    "different objects",
    "different parts of one object",
    "different fields",
    "every thread has an object of its own",
    "every thread has an element of its own",
    "different threads were given different elements",
    "an element that no thread has been given yet",
    "an element whose thread has been joined",
)

# `locked` has its lock; each thread has a `shown` of its own, which only executions tell; nothing protects `racy`.
PROGRAM = """
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int locked, racy, shown[2];
static atomic_int turns;
static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    locked++;
    pthread_mutex_unlock(&lock);
    int turn = atomic_fetch_xor(&turns, 1);
    shown[turn]++;
    RACY;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return locked + racy;
}
"""


def checked(directory: Path, racy: str) -> Path:
    file = directory / "program.c"
    file.write_text(PROGRAM.replace("RACY", racy), encoding="utf-8")
    raceproof.check(file).save(directory / "report.json")
    return directory / "report.json"


@pytest.fixture(scope="module")
def safe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checked(tmp_path_factory.mktemp("safe"), "(void)racy")


@pytest.fixture(scope="module")
def racy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checked(tmp_path_factory.mktemp("racy"), "racy++")


def check(report: Path) -> Exit:
    return run_command(check_evidence.add_parser, "check-evidence", str(report), "--time-limit", "60")


def forged(report: Path, tmp_path: Path, **changes: object) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """A copy to write, its content, and the first pair that is as `changes` say."""
    data = json.loads(report.read_text(encoding="utf-8"))
    pair = next(p for p in data["pairs"] if all(p[name] == value for name, value in changes.items()))
    return tmp_path / "forged.json", data, pair


def write(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_true_evidence_is_accepted(safe: Path, racy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = {pair["engine"] for pair in json.loads(safe.read_text(encoding="utf-8"))["pairs"]}
    assert kinds == {"lockset", "explore"}
    assert check(safe) is Exit.RACE_FREE, capsys.readouterr().out
    assert check(racy) is Exit.RACE_FREE, capsys.readouterr().out
    counts = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert int(counts["race"][0]) > 0
    assert counts["race"][1:] == ["0", "0", "0"]


def test_a_lock_that_is_not_held(racy: Path, tmp_path: Path) -> None:
    path, data, pair = forged(racy, tmp_path, verdict="race")
    pair.update(verdict="race-free", engine="lockset", scope="all-inputs", evidence=["common-lock lock"], schedule=None)
    assert check(write(path, data)) is Exit.RACE


def test_schedules_that_were_not_all_run(racy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, data, pair = forged(racy, tmp_path, verdict="race")
    pair.update(verdict="race-free", scope="this-input", evidence=["explored all schedules, 9 executions"])
    assert check(write(path, data)) is Exit.RACE
    assert "finds this race" in capsys.readouterr().out


def test_a_schedule_without_the_race(racy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, data, pair = forged(racy, tmp_path, verdict="race")
    first, second = pair["schedule"]["racers"]
    pair["schedule"].update(steps=[[0, 1]], racers=[first, second], together=False, record=None)
    assert check(write(path, data)) is Exit.RACE
    assert "does not show the race" in capsys.readouterr().out


def test_a_race_that_is_none(racy: Path, tmp_path: Path) -> None:
    path, data, pair = forged(racy, tmp_path, verdict="race-free", engine="lockset")
    true = next(p for p in data["pairs"] if p["verdict"] == "race")
    schedule = {**true["schedule"], "accesses": pair["access_ids"]}
    pair.update(verdict="race", engine="explore", scope=None, schedule=schedule)
    assert check(write(path, data)) is Exit.RACE


def test_a_program_that_has_changed(tmp_path: Path) -> None:
    report = checked(tmp_path, "(void)racy")
    file = tmp_path / "program.c"
    file.write_text(file.read_text(encoding="utf-8").replace("locked++", "locked += 2"), encoding="utf-8")
    with pytest.raises(InputError, match="changed"):
        check(report)


def test_a_program_that_has_changed_since_it_was_proved(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(PROGRAM.replace("RACY", "(void)racy").replace("shown[turn]++;", ""), encoding="utf-8")
    raceproof.check(file, engines=["lockset"]).save(tmp_path / "report.json")
    assert check(tmp_path / "report.json") is Exit.RACE_FREE
    file.write_text(file.read_text(encoding="utf-8").replace("    locked++", "\n    locked++"), encoding="utf-8")
    with pytest.raises(InputError, match="changed"):
        check(tmp_path / "report.json")


# -- the rules of static proofs, on all programs ------------------------------------------------------------


def every_rule(cp: ConcurrentProgram) -> tuple[str, ...]:
    """All that a report could say in favour of a pair."""
    held = {lock.address for access in cp.accesses.values() for view in access.views for lock in view.held}
    locks = sorted({facts.describe_lock(cp, address) for address in held})
    signals = sorted({facts.describe_lock(cp, signal.address) for signal in cp.senders})
    barriers = sorted({facts.describe_lock(cp, fact.barrier) for fact in cp.barriers})
    return (
        "both-atomic",
        "not-shared never reached together",
        "owned before it is published",
        *(f"common-lock {name}" for name in locks),
        *(f"ordered signalled through {name}" for name in signals),
        *(f"ordered on different sides of barrier {name}" for name in barriers),
        *(f"ordered {text}" for text in ORDERS),
        *(f"disjoint {text}" for text in PLACES),
    )


def claim(number: int, pair: RacePair, texts: tuple[str, ...]) -> evidence.Claim:
    nowhere = evidence.AccessClaim(0, 0, "", "", False)
    key = (pair.first, pair.second)
    return evidence.Claim(number, key, Verdict.RACE_FREE, Scope.ALL_INPUTS, "lockset", (nowhere, nowhere), texts)


EVERY = 1 if os.environ.get("RACEPROOF_EXPLORE_ALL", "0") != "0" else 6


@pytest.mark.parametrize("path", sample(all_programs(), EVERY), ids=program_name)
def test_true_proofs_stand_and_races_cannot_be_argued_away(path: Path) -> None:
    budget = Budget.seconds(60)
    cp = facts.analyse(frontend.load(frontend.from_files([path]), budget), budget)
    pairs = facts.race_pairs(cp)
    found = {f.pair: f for f in lockset.run(cp, pairs, lockset.LocksetOptions(), budget).findings}
    claims = []
    for number, pair in enumerate(pairs, start=1):
        proof = found[pair].evidence
        claims.append(claim(number, pair, tuple(map(str, proof)) if isinstance(proof, tuple) else every_rule(cp)))
    report = evidence.ReportClaims(Verdict.RACE_FREE, Scope.ALL_INPUTS, tuple(claims))
    subject = evidence.Subject(cp, {(p.first, p.second): p for p in pairs}, report)
    race_lines = read_truth(path).race_lines
    for judgement in evidence.CHECKERS["lockset"](subject, claims, budget):
        pair = pairs[judgement.id - 1]
        places = [cp.accesses[number].pos for number in (pair.first, pair.second)]
        lines = {pos.line for pos in places if pos is not None and Path(pos.file).name == path.name}
        if found[pair].verdict is Verdict.RACE_FREE:
            assert judgement.answer is not evidence.Answer.REJECTED, (pair, judgement.ruling)
        elif lines and lines <= race_lines:
            assert judgement.answer is not evidence.Answer.ACCEPTED, (pair, judgement.ruling)
