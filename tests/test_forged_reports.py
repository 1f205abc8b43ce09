"""Reports that say something false, each in one way: check-evidence accepts none of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from unit.cli.commands import run_command

import raceproof
from raceproof import frontend
from raceproof.cli import Exit, check_evidence
from raceproof.core import InputError

# `locked` has its lock, `shown` is an element for each, which only executions tell, `after` is ordered by joins.
PROGRAM = """
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int locked, racy, after, shown[2];
static atomic_int turns;
static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    locked++;
    pthread_mutex_unlock(&lock);
    int turn = atomic_fetch_xor(&turns, 1);
    shown[turn]++;
    after = 1;
    return arg;
}
static void *second(void *arg) {
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
    pthread_create(&b, 0, second, 0);
    RACY;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return locked + after;
}
"""
Data = dict[str, Any]


def report_on(text: str, directory: Path) -> Data:
    file = directory / "program.c"
    file.write_text(text, encoding="utf-8")
    raceproof.check(file, engines=["lockset", "explore"]).save(directory / "report.json")
    data: Data = json.loads((directory / "report.json").read_text(encoding="utf-8"))
    return data


def status(data: Data, directory: Path) -> Exit | None:
    """None where the report is refused as being about another program, or as no report at all."""
    file = directory / "forged.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    try:
        return run_command(check_evidence.add_parser, "check-evidence", str(file), "--time-limit", "60")
    except InputError:
        return None


@pytest.fixture(scope="module")
def safe(tmp_path_factory: pytest.TempPathFactory) -> tuple[Data, Path]:
    directory = tmp_path_factory.mktemp("safe")
    return report_on(PROGRAM.replace("RACY", "(void)racy"), directory), directory


@pytest.fixture(scope="module")
def racy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Data, Path]:
    directory = tmp_path_factory.mktemp("racy")
    return report_on(PROGRAM.replace("RACY", "racy++"), directory), directory


def copy(data: Data) -> Data:
    """To be forged; without locations, as earlier versions write it, for they would give many forgeries away."""
    result: Data = json.loads(json.dumps({name: value for name, value in data.items() if name != "locations"}))
    return result


def pair(data: Data, **fields: object) -> Data:
    result: Data = next(p for p in data["pairs"] if all(p[name] == value for name, value in fields.items()))
    return result


def says(**answer: object) -> Callable[[Data], None]:
    """Another verdict, wherever the report tells it."""

    def change(data: Data) -> None:
        for entry in (data, data["properties"][0]):
            entry.update(answer)

    return change


def run_of(data: Data) -> Data:
    found: Data = pair(data, verdict="race")["schedule"]
    return found


def compiled(**changes: object) -> Callable[[Data], None]:
    """What was compiled, wherever the report tells it."""

    def change(data: Data) -> None:
        for part in (data["sources"], data["replay"]):
            part.update(changes)

    return change


def with_flag(data: Data) -> None:
    for part in (data["sources"], data["replay"]):
        part["files"][0]["flags"] = ["-DNOTHING"]


def believed(data: Data) -> None:
    """A model of the user's that the assumptions do not have: the only race is in a function that is called safe."""
    for part in (data["sources"], data["replay"]):
        part["models"]["safe"] = [{"function": "second", "reason": "because", "optional": False, "where": ""}]
    data["pairs"] = [p for p in data["pairs"] if all(a["function"] != "second" for a in p["accesses"])]
    data["replay"]["pairs"] = [p["access_ids"] for p in data["pairs"]]
    says(verdict="race-free", scope="this-input")(data)


def invented(data: Data) -> None:
    run = {name: run_of(data)[name] for name in ("steps", "inputs", "input_places", "threads")}
    place = {"file": "program.c", "line": 3, "column": 1, "function": "main"}
    data["other"] = [{"id": 1, "kind": "crash", "message": "segmentation fault", **place, "thread": 0, "schedule": run}]


def one_thread_more(data: Data) -> None:
    threads = run_of(data)["threads"]
    threads.append({**threads[1], "id": 7})


def reads_more(data: Data) -> None:
    place = {"file": "", "line": 0, "column": 0}
    data["input"]["reads"].append({"kind": "file", "what": "a file", "name": None, **place})


def deadlock_free(data: Data) -> None:
    answer = {"verdict": "deadlock-free", "scope": "all-inputs", "engine": "explore"}
    data["properties"].append({**data["properties"][0], "property": "deadlock", **answer})


def by(decider: str, **changes: object) -> Callable[[Data], None]:
    return lambda data: pair(data, engine=decider, verdict="race-free").update(changes)


def on_lock(evidence: str) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        found = next(p for p in data["pairs"] if any(text.startswith("common-lock") for text in p["evidence"]))
        found["evidence"] = [evidence]

    return change


def swapped(data: Data) -> None:
    """Two proofs of different kinds change places."""
    a, b = pair(data, engine="lockset", target="locked"), pair(data, engine="explore", verdict="race-free")
    for name in ("engine", "scope", "evidence"):
        a[name], b[name] = b[name], a[name]


def recorded(change: Callable[[list[Any]], object]) -> Callable[[Data], object]:
    return lambda data: change(pair(data, verdict="race")["schedule"]["record"])


SAFE: dict[str, Callable[[Data], object]] = {
    "another lock": on_lock("common-lock other"),
    "a lock that does not exist": on_lock("common-lock nothing"),
    "a rule that does not exist": on_lock("trust me"),
    "no rule": by("lockset", evidence=[]),
    "another rule": on_lock("owned before it is published"),
    "an order that is not there": on_lock("ordered before the other thread is created, or after it is joined"),
    "atomic accesses that are not": on_lock("both-atomic"),
    "bytes that are the same": on_lock("disjoint different objects"),
    "more threads than were looked at": by("lockset", scope="any-threads"),
    "all inputs, by executions": by("explore", scope="all-inputs"),
    "any number of threads, by executions": by("explore", scope="any-threads"),
    "a bound that is called a proof": by("explore", scope="bounded"),
    "an engine that has not run": by("explore", engine="petri", scope="any-threads", evidence=["certificate"]),
    "an engine that does not exist": by("lockset", engine="oracle"),
    "a certificate that is not there": by("lockset", engine="petri", scope="any-threads"),
    "an unwinding that is not there": by("lockset", engine="bmc"),
    "invariants that are not there": by("lockset", engine="transactions"),
    "heaps that are not there": by("lockset", engine="shapes"),
    "proofs of other pairs": swapped,
    "a pair less": lambda data: data["pairs"].pop(),
    "a pair twice": lambda data: data["pairs"].append(data["pairs"][0]),
    "a pair that is left open": by("lockset", verdict="unknown", scope=None),
    "another verdict": says(verdict="unknown", scope=None),
    "another verdict in one place": lambda data: data["properties"][0].update(verdict="unknown", scope=None),
    "a wider scope": says(scope="any-threads"),
    "a proof about deadlocks that does not reach so far": deadlock_free,
    "a race without a run": by("lockset", verdict="race", scope=None, schedule=None),
    "an engine that has counted nothing": lambda data: data["engines"][0].update(proved=0),
    "engines that did not run": lambda data: data.update(engines=data["engines"][:1]),
    "another program": lambda data: data["replay"].update(digest="0" * 64),
    "another program in both places": compiled(digest="0" * 64),
    "another entry": compiled(entry="worker"),
    "another data model": compiled(data_model="ILP32"),
    "flags that change nothing": with_flag,
    "files that were not compiled": lambda data: data["program"].update(files=["harmless.c"]),
    "arguments that were not given": lambda data: data["input"].update(arguments=["77"]),
    "an input that was not given": lambda data: data["input"].update(stdin="all of it"),
    "a place of input": reads_more,
    "an obstacle that is not there": lambda data: data.update(obstacles=["a pragma"]),
    "a lock that is not held": lambda data: data["pairs"][0]["accesses"][0].update(locks=["other"]),
    "another thread": lambda data: data["pairs"][0]["accesses"][0].update(thread="thread `nobody`"),
    "another compiled program": lambda data: data["replay"].update(module="0" * 64),
    "another line": lambda data: data["pairs"][0]["accesses"][0].update(line=1),
}
RACY: dict[str, Callable[[Data], object]] = {
    "a run that watches nothing": lambda data: data["replay"].update(pairs=[]),
    "no race, by the rules": lambda data: pair(data, verdict="race").update(
        verdict="race-free", engine="lockset", scope="all-inputs", evidence=["common-lock lock"], schedule=None
    ),
    "no race, by executions": lambda data: pair(data, verdict="race").update(
        verdict="race-free", scope="this-input", evidence=["explored all schedules, 9 executions"], schedule=None
    ),
    "race-free all the same": says(verdict="race-free", scope="all-inputs"),
    "a model that nobody is told of": believed,
    "an incident that was not": invented,
    "an entry that is none": lambda data: data.update(other=[{"kind": "crash"}]),
    "another variable": lambda data: pair(data, verdict="race").update(target="locked"),
    "another line of the trace": lambda data: run_of(data)["trace"][0].update(line=1),
    "another word in the trace": lambda data: run_of(data)["trace"][0].update(operation="pthread_mutex_lock"),
    "a line of the trace less": lambda data: run_of(data)["trace"].pop(),
    "another function of a thread": lambda data: run_of(data)["threads"][1].update(function="nobody"),
    "a thread that is not there": one_thread_more,
    "a lock that is not held": lambda data: pair(data, verdict="race")["accesses"][0].update(locks=["lock"]),
    "the run of another race": lambda data: pair(data, verdict="race")["schedule"].update(accesses=[0, 0]),
    "other racers": lambda data: pair(data, verdict="race")["schedule"].update(racers=[1, 2]),
    "a run that is too short": lambda data: pair(data, verdict="race")["schedule"].update(steps=[[0, 1]]),
    "a step less": recorded(lambda record: record.pop(0)),
    "a step twice": recorded(lambda record: record.insert(0, record[0])),
    "another result": recorded(lambda record: record[0].__setitem__(9, 2)),
    "another address": recorded(lambda record: record[-1].__setitem__(6, "locked")),
    "another access": recorded(lambda record: record[-1].__setitem__(4, 0)),
}


def test_the_reports_themselves_are_accepted(safe: tuple[Data, Path], racy: tuple[Data, Path]) -> None:
    assert status(*safe) is Exit.RACE_FREE
    assert status(*racy) is Exit.RACE_FREE


@pytest.mark.parametrize("name", SAFE)
def test_forged_proofs(name: str, safe: tuple[Data, Path]) -> None:
    data = copy(safe[0])
    SAFE[name](data)
    assert status(data, safe[1]) in (Exit.RACE, None)


@pytest.mark.parametrize("name", RACY)
def test_forged_races(name: str, racy: tuple[Data, Path]) -> None:
    data = copy(racy[0])
    RACY[name](data)
    assert status(data, racy[1]) in (Exit.RACE, None)


# -- the report stays, the program does not: the proof is plausible, and false

WRONG = {
    "a lock that is not taken": ("    pthread_mutex_lock(&lock);\n", "    (void)(&lock);\n"),
    "a lock that is given back too soon": (
        "locked++;\n    pthread_mutex_unlock(&lock)",
        "pthread_mutex_unlock(&lock);\n    locked++",
    ),
    "another lock": ("    pthread_mutex_lock(&lock);", "    pthread_mutex_lock(&other);"),
    "a try that may fail": ("    pthread_mutex_lock(&lock);", "    pthread_mutex_trylock(&lock);"),
    "a join that is missing": ("    pthread_join(a, 0);\n", "\n"),
    "a join of the other": ("    pthread_join(a, 0);", "    pthread_join(b, 0);"),
    "a counter that does not turn": ("atomic_fetch_xor(&turns, 1)", "atomic_fetch_xor(&turns, 0)"),
    "an element for both": ("shown[turn]++", "shown[0]++   "),
    "a weaker order": ("locked++;", "locked++; atomic_thread_fence(memory_order_relaxed); after++;"),
    "another write": ("return arg;", "after++; return arg;"),
    "a lock of its own": (
        "    pthread_mutex_lock(&lock);",
        "    pthread_mutex_t lock = other; pthread_mutex_lock(&lock);",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_proofs_of_a_program_that_was_changed(name: str, tmp_path: Path) -> None:
    """Refused by its digest; and not accepted either if somebody has put the new digest into the report."""
    text = PROGRAM.replace("RACY", "(void)racy")
    data = report_on(text, tmp_path)
    old, new = WRONG[name]
    assert old in text
    file = tmp_path / "program.c"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert status(data, tmp_path) is None
    digest = frontend.load(frontend.from_files([file])).origin.digest
    for part in (data["sources"], data["replay"]):
        part.update(digest=digest, **({"module": digest} if "module" in part else {}))
    assert status(data, tmp_path) in (Exit.RACE, None)


# -- obstacles, and reports that do not say what they are about

PRAGMA = """
int main(void) {
    int sum = 0;
#pragma omp parallel for
    for (int i = 0; i < 4; i++) sum += i;
    return sum;
}
"""


def test_obstacles_are_found_again(tmp_path: Path) -> None:
    data = report_on(PRAGMA, tmp_path)
    assert data["obstacles"]
    assert status(data, tmp_path) is Exit.RACE_FREE
    says(verdict="race-free", scope="all-inputs", reason=None)(data)
    assert status(data, tmp_path) is Exit.RACE
    del data["obstacles"]
    assert status(data, tmp_path) is Exit.RACE


def test_a_report_without_digest_is_not_confirmed(safe: tuple[Data, Path]) -> None:
    data = copy(safe[0])
    for part in (data["sources"], data["replay"]):
        del part["digest"]
    assert status(data, safe[1]) is Exit.UNKNOWN


LOCATIONS: dict[str, Callable[[Data], object]] = {
    "a location less": lambda data: data["locations"].pop(),
    "a location twice": lambda data: data["locations"].append(data["locations"][0]),
    "another location": lambda data: data["locations"][0].update(name="harmless"),
    "a better verdict": lambda data: data["locations"][0].update(verdict="race-free"),
    "a race less": lambda data: data["locations"][0]["pairs"].update({"race": 0, "race-free": 99}),
    "pairs that are not listed": lambda data: data.update(pairs_left_out=1),
}


@pytest.mark.parametrize("name", LOCATIONS)
def test_forged_locations(name: str, racy: tuple[Data, Path]) -> None:
    data, directory = racy
    forged: Data = json.loads(json.dumps(data))
    LOCATIONS[name](forged)
    assert status(forged, directory) in (Exit.RACE, None)


def without_most_pairs(data: Data) -> Data:
    """As `check` writes it for a large program."""
    short = copy(data)
    short["locations"] = data["locations"]
    short["pairs"] = [p for p in data["pairs"] if p["verdict"] == "race"]
    short["pairs_left_out"] = len(data["pairs"]) - len(short["pairs"])
    return short


def test_proofs_that_are_left_out_are_not_confirmed(safe: tuple[Data, Path]) -> None:
    data, directory = safe
    assert status(without_most_pairs(data), directory) is Exit.UNKNOWN


def test_a_race_is_accepted_without_the_other_pairs(racy: tuple[Data, Path]) -> None:
    data, directory = racy
    assert status(without_most_pairs(data), directory) is Exit.RACE_FREE
    claimed = without_most_pairs(data)
    says(verdict="race-free", scope="all-inputs")(claimed)
    assert status(claimed, directory) is Exit.RACE
