"""One search by several hosts: the same result as by one."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from exploration.compare import ALGORITHMS, compile_one
from exploration.generator import generate, mode_of
from exploration.syntax import render
from unit.explore.fake_host import FakeHost

from raceproof.core import Budget
from raceproof.explore import ExploreOptions, run
from raceproof.explore.options import Sharing
from raceproof.explore.parallel import UNDIVIDED, run_hosts
from raceproof.explore.protocol import BY_SCHEDULES as ALL
from raceproof.explore.protocol import (
    Control,
    Facts,
    NodeRecord,
    OtherRecord,
    Part,
    PathRecord,
    RaceRecord,
    RequestRecord,
    ThreadRecord,
    of_kind,
    parse,
)
from raceproof.facts import analyse, race_pairs
from raceproof.frontend import Cache, LinkedModule, from_files, link_program, parse_module
from raceproof.model import AccessId, ConcurrentProgram, EngineResult, Scope, Verdict

AT_ONCE = Sharing(first=0.0, later=0.0)
SECTIONS = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *worker(void *arg) {
    for (int i = 0; i < %(sections)d; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t threads[%(threads)d];
    for (int i = 0; i < %(threads)d; i++) pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < %(threads)d; i++) pthread_join(threads[i], 0);
    return 0;
}
"""
# The try-lock, and so the restart, comes only if the second thread's section comes last.
LATE_TRY = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int last, racy;
static void *worker(void *arg) {
    long me = (long)arg;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        last = last * 2 + (me == 1);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    if (last == 3 && pthread_mutex_trylock(&other) == 0) { racy++; pthread_mutex_unlock(&other); }
    return 0;
}
"""
# Who creates the last threads, and in which order, depends on the schedule: ids are given by first sight.
LATE_THREADS = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn, racy, quiet;
static void *leaf(void *arg) {
    pthread_mutex_lock(&lock);
    quiet++;
    pthread_mutex_unlock(&lock);
    if (arg) racy = 1;
    return 0;
}
static void *worker(void *arg) {
    pthread_t child;
    int mine = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        mine = ++turn;
        pthread_mutex_unlock(&lock);
    }
    if (mine % 2 == 0) return 0;
    pthread_create(&child, 0, leaf, arg);
    pthread_join(child, 0);
    return 0;
}
int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, worker, (void *)(i == 0 ? 0 : i));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
"""
INPUTS = """
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, racy;
static void *worker(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    if (arg) racy++;
    return 0;
}
int main(void) {
    pthread_t threads[3];
    long input = __VERIFIER_nondet_int();
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, worker, (void *)(long)(input == 17));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
"""
LATE_INPUTS = INPUTS.replace("long input = __VERIFIER_nondet_int();", "long input = 0;").replace(
    "if (arg) racy++;",
    "pthread_mutex_lock(&lock); int last = ++counter; pthread_mutex_unlock(&lock);\n"
    "    if (last % 3 != 0 && __VERIFIER_nondet_int() == 17) racy++;",
)


@dataclass(frozen=True, slots=True)
class Loaded:
    cp: ConcurrentProgram
    module: LinkedModule

    def explore(
        self,
        algorithm: str,
        jobs: int,
        sharing: Sharing = AT_ONCE,
        find_all: bool = True,
        max_executions: int = 0,
        isolation: str = "auto",
        seconds: float = 60.0,
    ) -> EngineResult:
        options = ExploreOptions(
            module=self.module,
            algorithm=algorithm,
            find_all=find_all,
            jobs=jobs,
            sharing=sharing,
            max_executions=max_executions,
            isolation=isolation,
        )
        return run(self.cp, race_pairs(self.cp), options, Budget.seconds(seconds))


def load(directory: Path, text: str) -> Loaded:
    file = directory / "program.c"
    file.write_text(text, encoding="utf-8")
    module = link_program(from_files([file]), cache=Cache(None))
    return Loaded(analyse(parse_module(module.text, module.origin), Budget.seconds(30)), module)


def sections(directory: Path, threads: int, count: int) -> Loaded:
    return load(directory, SECTIONS % {"threads": threads, "sections": count})


def races(result: EngineResult) -> list[tuple[int, int]]:
    return sorted((f.pair.first, f.pair.second) for f in result.findings if f.verdict is Verdict.RACE)


def outcome(result: EngineResult) -> tuple[object, ...]:
    """What must not depend on the number of hosts."""
    verdicts = [(f.pair.first, f.pair.second, f.verdict, f.scope) for f in result.findings]
    bounds = {note for note in result.notes if note.startswith("bounded")}
    return verdicts, result.stopped, bounds, {(incident.kind, incident.site) for incident in result.incidents}


@pytest.mark.parametrize("sharing", [AT_ONCE, Sharing(executions=1500)])
def test_every_execution_is_made_once(tmp_path: Path, sharing: Sharing) -> None:
    result = sections(tmp_path, 3, 4).explore("optimal", 2, sharing)
    assert result.stopped is None
    assert result.stats["executions"] == 34_650
    assert result.stats["blocked"] == 0
    assert int(result.stats["items"]) > 1
    assert all(f.verdict is Verdict.RACE_FREE and f.scope is Scope.THIS_INPUT for f in result.findings)


@pytest.mark.parametrize("algorithm", ALL)
def test_tiny_parts(tmp_path: Path, algorithm: str) -> None:
    program = sections(tmp_path, 3, 2)
    alone = program.explore(algorithm, 1)
    shared = program.explore(algorithm, 3, Sharing(executions=1))
    assert outcome(shared) == outcome(alone)
    assert shared.stats["executions"] == alone.stats["executions"]
    assert int(shared.stats["items"]) > int(shared.stats["executions"]) // 3


def test_what_ends_soon_is_not_divided(tmp_path: Path) -> None:
    result = sections(tmp_path, 2, 2).explore("optimal", 2, Sharing(first=30.0))
    assert result.stats["items"] == 1


@pytest.mark.parametrize("seed", [*range(1, 4), *(pytest.param(n, marks=pytest.mark.slow) for n in range(4, 13))])
def test_generated_programs(tmp_path: Path, seed: int) -> None:
    source = generate(seed, mode_of(seed))
    compiled = compile_one(source, tmp_path)
    program = Loaded(analyse(compiled.program, Budget.seconds(30)), compiled.module)
    for algorithm in ALGORITHMS[source.mode]:
        alone = program.explore(algorithm, 1)
        few = max(2, int(alone.stats["executions"]) // 20)
        for sharing in (AT_ONCE, Sharing(executions=few)):
            shared = program.explore(algorithm, 2, sharing)
            assert outcome(shared) == outcome(alone), f"{algorithm}, {sharing}\n{render(source)}"
            # One for each class of equivalent executions, but behind waits at conditions.
            if algorithm == "optimal" and "cond_wait" not in render(source):
                assert int(shared.stats["executions"]) - int(shared.stats["blocked"]) == alone.stats["executions"]


@pytest.mark.parametrize("algorithm", ["dfs", "optimal", "race"])
def test_scheduling_points_that_are_found_late(tmp_path: Path, algorithm: str) -> None:
    program = load(tmp_path, LATE_TRY)
    alone = program.explore(algorithm, 1)
    for sharing in (AT_ONCE, Sharing(executions=3)):
        assert outcome(program.explore(algorithm, 2, sharing)) == outcome(alone)


@pytest.mark.parametrize("algorithm", ["dpor", "optimal", "race"])
def test_threads_that_are_found_late(tmp_path: Path, algorithm: str) -> None:
    program = load(tmp_path, LATE_THREADS)
    alone = program.explore(algorithm, 1)
    assert races(alone)
    for sharing in (AT_ONCE, Sharing(executions=6)):
        shared = program.explore(algorithm, 3, sharing)
        assert outcome(shared) == outcome(alone)


@pytest.mark.parametrize("text", [INPUTS, LATE_INPUTS])
def test_inputs_are_tried_by_one_host(tmp_path: Path, text: str) -> None:
    program = load(tmp_path, text)
    alone = program.explore("race", 1)
    assert races(alone)
    for sharing in (AT_ONCE, Sharing(executions=3)):
        shared = program.explore("race", 2, sharing)
        assert outcome(shared) == outcome(alone)
    assert UNDIVIDED in shared.notes
    assert UNDIVIDED not in alone.notes


def test_one_process_for_each_execution(tmp_path: Path) -> None:
    program = sections(tmp_path, 2, 2)
    shared = program.explore("optimal", 2, Sharing(executions=2), isolation="fork")
    assert shared.stats["executions"] == 6
    assert outcome(shared) == outcome(program.explore("optimal", 1))


def test_the_first_race_ends_all(tmp_path: Path) -> None:
    program = load(tmp_path, LATE_THREADS)
    result = program.explore("dfs", 2, find_all=False)
    assert len(races(result)) == 1
    assert result.stopped is None


@pytest.mark.parametrize("sharing", [AT_ONCE, Sharing(executions=7)])
def test_the_limit_of_executions(tmp_path: Path, sharing: Sharing) -> None:
    program = sections(tmp_path, 3, 2)
    result = program.explore("optimal", 2, sharing, max_executions=40)
    assert result.stopped == "limit of 40 executions reached"
    assert result.stats["executions"] == 40
    complete = program.explore("optimal", 2, sharing, max_executions=90)
    assert complete.stopped is None
    assert complete.stats["executions"] == 90


def test_the_time_limit(tmp_path: Path) -> None:
    start = time.monotonic()
    result = sections(tmp_path, 4, 4).explore("optimal", 2, seconds=3.0)
    assert result.stopped == "time limit of 3 s reached"
    assert int(result.stats["executions"]) > 1000
    assert time.monotonic() - start < 10


def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    program = sections(tmp_path, 4, 4)
    program.explore("optimal", 2, max_executions=10)  # built by now
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    result = program.explore("optimal", 2)
    timer.join()
    assert result.interrupted
    assert result.stopped == "interrupted"
    assert int(result.stats["executions"]) > 1000


CONTROL = Control(
    algorithm="optimal",
    find_all=True,
    max_executions=0,
    time_limit=10.0,
    max_steps=1000,
    isolation="memory",
    spurious=False,
    arguments=("demo",),
    pairs=(),
)


def test_the_control_file_of_a_part() -> None:
    facts = Facts(frozenset({"try", "begun"}), frozenset({AccessId(4)}), frozenset({(AccessId(4), AccessId(7))}))
    part = Part(((0, 0), (2, 0x12)), ((-1, 0), (0, 0)), 9, facts)
    assert list(part.lines()) == [
        "shares 1",
        "item_executions 9",
        "thread 0 -1 0",
        "thread 1 0 0",
        "item 0:0 2:12",
        "known begun",
        "known try",
        "visible 4",
        "found 4 7",
    ]
    assert not any(line.startswith("item") for line in Part().lines())


def test_the_records_of_a_part() -> None:
    assert parse("thread\t2\t0\t1") == ThreadRecord(2, 0, 1)
    assert parse("path\t0:0 2:1a") == PathRecord(((0, 0), (2, 0x1A)))
    assert parse("path\t") == PathRecord(())
    assert parse("node\t3\t1a\t4") == NodeRecord(3, 0x1A, 4)
    assert parse("request\t3\t1a\t4") == RequestRecord(3, 0x1A, 4)


def test_records_of_several_hosts_are_put_together(tmp_path: Path) -> None:
    """Both find the same race and the same deadlock; the second is asked for after the first has ended."""
    host = FakeHost(
        tmp_path,
        """
items = [line for line in text.splitlines() if line.startswith("item ")]
write("race", 3, 0, 2, 1, "counter", int(bool(items)), "0:4 1:2", "", "0:0:0 1:0:9")
write("other", "deadlock", "stuck", 0, 5, "0:1", "", "0:0:0")
write("stat", "executions", 12)
if items:
    assert items == ["item 0:0 2:2"], items
    write("request", 1, "4", 2)  # which is taken care of
    write("end", "complete")
else:
    write("thread", 0, -1, 0)
    write("path", "0:0 1:0")
    write("node", 0, "1", "0")
    write("node", 1, "2", "4")
    write("end", "items")
""",
    )
    result = run_hosts(host.path, Path("program.so"), CONTROL, 2)
    assert result.end == "complete"
    assert result.stats()["executions"] == 24
    assert result.stats()["items"] == 2
    assert [record.together for record in of_kind(result.records, RaceRecord)] == [True]
    assert len(of_kind(result.records, OtherRecord)) == 1


def test_ids_of_threads_mean_the_same_to_all_hosts(tmp_path: Path) -> None:
    """Two hosts give the same id to different threads: the second does its item again."""
    host = FakeHost(
        tmp_path,
        """
known = [line[7:].split() for line in text.splitlines() if line.startswith("thread ")]
items = [line.split()[1:] for line in text.splitlines() if line.startswith("item ")]
if not items:
    write("thread", 0, -1, 0)
    write("path", "")
    write("node", 0, "0", "6")
    write("end", "items")
else:
    mine = ["0", items[0][0][0]]
    if mine not in [words[1:] for words in known]:
        write("thread", len(known), *mine)
    time.sleep(0.5)
    write("stat", "executions", 1)
    write("end", "complete")
""",
    )
    result = run_hosts(host.path, Path("program.so"), CONTROL, 2)
    assert result.end == "complete"
    assert result.stats()["executions"] == 2
    assert result.stats()["items"] == 4
    tables = [[line for line in control if line.startswith("thread ")] for control in host.asked()]
    assert max(map(len, tables)) == 2


def test_a_host_that_dies_ends_the_search(tmp_path: Path) -> None:
    host = FakeHost(
        tmp_path,
        """
if any(line.startswith("item ") for line in text.splitlines()):
    os.kill(os.getpid(), signal.SIGKILL)
write("path", "")
write("node", 0, "0", "3")
write("end", "items")
""",
    )
    result = run_hosts(host.path, Path("program.so"), CONTROL, 2)
    assert result.end is None
    assert result.problem == "it was ended by SIGKILL"
