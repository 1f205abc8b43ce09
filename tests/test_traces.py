"""Records of races: those of real runs are accepted; every kind of edit is rejected, with the line and the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from raceproof import explore, facts, frontend
from raceproof.core import Budget
from raceproof.evidence import Answer, Ruling
from raceproof.evidence.control_flow import ControlFlow
from raceproof.evidence.traces import check_record
from raceproof.model import ConcurrentProgram, Finding, Role, RunStep, Schedule, Verdict

# Each way to synchronise once; `first` and `second` race in the end. `guarded` is always touched with the lock.
PROGRAM = """
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t posted;
static atomic_int flag, counter;
static int guarded, ready, first, second;
static void init(void) { guarded = 0; }
static void *helper(void *arg) { return arg; }
static void *work(void *arg) {
    pthread_once(&once, init);
    pthread_mutex_lock(&lock);
    guarded++;
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    sem_post(&posted);
    pthread_barrier_wait(&barrier);
    if (pthread_mutex_trylock(&lock) == 0) pthread_mutex_unlock(&lock);
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_release);
    first = 1;
    second = 1;
    return arg;
}
int main(void) {
    pthread_t t, u;
    int value;
    sem_init(&posted, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&u, 0, helper, 0);
    pthread_join(u, 0);
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&lock);
    while (!ready) pthread_cond_wait(&changed, &lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    sem_wait(&posted);
    sem_getvalue(&posted, &value);
    sched_yield();
    pthread_barrier_wait(&barrier);
    int expected = 5;
    atomic_compare_exchange_strong(&counter, &expected, 6);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) first = 2;
    second = 2;
    pthread_join(t, 0);
    return first + second;
}
"""

Record = list[RunStep]
Change = Callable[[Record, Schedule], tuple[Record, Schedule]]


class Case:
    """A program whose races were executed."""

    def __init__(self, text: str, directory: Path) -> None:
        file = directory / "program.c"
        file.write_text(text, encoding="utf-8")
        request = frontend.from_files([file])
        budget = Budget.seconds(60)
        self.cp: ConcurrentProgram = facts.analyse(frontend.load(request, budget), budget)
        options = explore.ExploreOptions(module=frontend.link_program(request), find_all=True)
        self.pairs = facts.race_pairs(self.cp)
        found = explore.run(self.cp, self.pairs, options, budget)
        self.races: list[Finding] = [f for f in found.findings if f.verdict is Verdict.RACE]
        self.flow = ControlFlow(self.cp)

    def schedule(self, name: str) -> Schedule:
        """The execution of a race on that variable: the longest, which has all kinds of steps."""
        found = []
        for race in self.races:
            assert isinstance(race.evidence, Schedule)
            if self.cp.objects[race.pair.target.object].name == name:
                found.append(race.evidence)
        return max(found, key=lambda schedule: len(schedule.record))

    def check(self, schedule: Schedule, record: Record | None = None) -> Ruling:
        return check_record(self.cp, schedule, record if record is not None else schedule.record, self.flow)


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(PROGRAM, tmp_path_factory.mktemp("traces"))


def test_races_of_real_runs_are_accepted(case: Case) -> None:
    assert {case.cp.objects[race.pair.target.object].name for race in case.races} == {"first", "second"}
    for race in case.races:
        assert isinstance(race.evidence, Schedule)
        ruling = case.check(race.evidence)
        assert ruling.answer is Answer.ACCEPTED, ruling.why


def at(record: Record, operation: str, last: bool = False) -> int:
    found = [number for number, step in enumerate(record) if step.operation == operation]
    return found[-1 if last else 0]


def edited(what: str, *, last: bool = False, **changes: object) -> Change:
    def change(record: Record, schedule: Schedule) -> tuple[Record, Schedule]:
        number = at(record, what, last)
        record[number] = replace(record[number], **changes)  # type: ignore[arg-type]
        return record, schedule

    return change


def dropped(operation: str, last: bool = False) -> Change:
    def change(record: Record, schedule: Schedule) -> tuple[Record, Schedule]:
        del record[at(record, operation, last)]
        return record, schedule

    return change


def moved(operation: str, before: str) -> Change:
    """A step of one thread comes before one of another on which it depends."""

    def change(record: Record, schedule: Schedule) -> tuple[Record, Schedule]:
        step = record.pop(at(record, operation, last=True))
        record.insert(at(record, before), step)
        return record, schedule

    return change


def scheduled(**changes: object) -> Change:
    return lambda record, schedule: (record, replace(schedule, **changes))  # type: ignore[arg-type]


def same_thread(record: Record, schedule: Schedule) -> tuple[Record, Schedule]:
    first, second = (n for n, step in enumerate(record) if step.role is Role.NEXT)
    record[second] = replace(record[second], thread=record[first].thread, number=record[first].number)
    return record, replace(schedule, racers=(record[first].thread, record[first].thread))


def other_bytes(record: Record, schedule: Schedule) -> tuple[Record, Schedule]:
    record[-1] = replace(record[-1], address=record[-1].address + "+4")
    return record, schedule


def after_the_end(record: Record, schedule: Schedule) -> tuple[Record, Schedule]:
    ended = record[at(record, "end of thread")]
    record.append(replace(record[at(record, "pthread_mutex_lock")], thread=ended.thread, number=ended.number + 1))
    return record, schedule


FORGERIES: dict[str, tuple[Change, str]] = {
    "a lock that is dropped": (dropped("pthread_mutex_lock"), ""),
    "an unlock that is dropped": (dropped("pthread_mutex_unlock"), ""),
    "a post that is dropped": (dropped("sem_post"), "wait"),
    "an arrival that is dropped": (dropped("pthread_barrier_wait"), ""),
    "an initialisation that is dropped": (dropped("pthread_once"), "routine|get here"),
    "a creation that is dropped": (dropped("pthread_create", last=True), "nobody has created"),
    "the end of a thread that is dropped": (dropped("end of thread"), "has not ended"),
    "an access that is dropped": (lambda record, schedule: (record[:-1], schedule), "do not stand"),
    "a wait for a semaphore before the post": (moved("sem_wait", "sem_post"), "wait"),
    "a join before the end": (moved("join", "end of thread"), "has not ended"),
    "a thread that runs before it is created": (moved("pthread_once", "pthread_create"), "nobody has created"),
    "a try that fails on a free lock": (edited("pthread_mutex_trylock", result=16), "cannot return 16"),
    "a lock that says it is a deadlock": (edited("pthread_mutex_lock", result=35), "cannot return 35"),
    "an arrival that is last, and is not": (edited("pthread_barrier_wait", result=-1), "cannot return -1"),
    "an exchange that is neither": (edited("compare-exchange", result=7), ""),
    "a routine that runs twice": (edited("pthread_once", result=0), "runs the routine"),
    "a value of a semaphore": (edited("sem_init", result=-1), ""),
    "a value that the semaphore does not have": (edited("sem_getvalue", result=1), "value of the semaphore is 0"),
    "a step that gives way elsewhere": (edited("sem_post", operation="yield"), "is not yield"),
    "another thread is created": (edited("pthread_create", result=9), "created"),
    "another thread is joined": (edited("join", result=2), "has not ended"),
    "another address of a lock": (edited("pthread_mutex_unlock", address="rwlock"), "was at lock before"),
    "another object": (edited("pthread_mutex_unlock", object=77), ""),
    "another kind of mutex": (edited("pthread_mutex_unlock", kind=1), "another kind"),
    "another memory order": (edited("atomic store", order=5), "memory order"),
    "no memory order": (edited("atomic store", order=0), "memory order"),
    "another size": (edited("atomic store", size=8), "size"),
    "another thread": (edited("sem_post", thread=0), "comes before it|get here"),
    "a thread that does not exist": (edited("sem_post", thread=7), "nobody has created"),
    "a step number that goes back": (edited("sem_post", number=1), "comes before it"),
    "another operation at the site": (edited("sem_post", operation="sem_wait"), "is not sem_wait"),
    "another site": (edited("sem_post", site=3), ""),
    "a site that does not exist": (edited("sem_post", site=99999), "no site"),
    "locks that are not held": (edited("pthread_mutex_lock", held=()), "it holds lock"),
    "a step after the end of its thread": (after_the_end, "has ended"),
    "accesses of one thread": (same_thread, ""),
    "accesses of different bytes": (other_bytes, "same bytes"),
    "accesses of other threads": (scheduled(racers=(0, 1)), "do not stand"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_records_are_not_accepted(name: str, case: Case) -> None:
    change, words = FORGERIES[name]
    schedule = case.schedule("second")
    assert schedule.together
    ruling = case.check(*reversed(change(list(schedule.record), schedule)))
    assert ruling.answer is not Answer.ACCEPTED
    assert re.search(words, ruling.why), ruling.why
    if words:
        assert ruling.answer is Answer.REJECTED, ruling.why


# -- claims about accesses that do not race


ORDERED = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data, other;
static void *work(void *arg) { data = 1; FENCE(release) atomic_store_explicit(&flag, 1, ORDER(release)); return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    if (atomic_load_explicit(&flag, ORDER(acquire))) { FENCE(acquire) data = 2; }
    pthread_join(t, 0);
    return data;
}
"""
SEEN_AS = {  # what the records of a run say, whatever is claimed about it
    "release and acquire": ("memory_order_##x", "", False),
    "relaxed": ("memory_order_relaxed", "", True),
    "fences": ("memory_order_relaxed", "atomic_thread_fence(memory_order_##x);", False),
    "sequentially consistent": ("memory_order_seq_cst", "", False),
}


@pytest.mark.parametrize("name", SEEN_AS)
def test_what_atomics_order(name: str, tmp_path: Path) -> None:
    """The run in which the load sees the store: a race only if nothing orders the two writes."""
    order, fence, races = SEEN_AS[name]
    text = f"#define ORDER(x) {order}\n#define FENCE(x) {fence}\n" + ORDERED
    found = Case(text, tmp_path)
    writes = [
        pair
        for pair in found.pairs
        if all(found.cp.accesses[n].kind.value == "write" for n in (pair.first, pair.second))
    ]
    executed = [race for race in found.races if race.pair in writes]
    assert bool(executed) is races
    for race in executed:
        assert isinstance(race.evidence, Schedule)
        assert found.check(race.evidence).answer is Answer.ACCEPTED


def test_orders_that_are_not_those_of_the_program(tmp_path: Path) -> None:
    """The record of a relaxed publication, with another program in which it releases: the claim is refuted."""
    order, fence, _ = SEEN_AS["relaxed"]
    racy = Case(f"#define ORDER(x) {order}\n#define FENCE(x) {fence}\n" + ORDERED, tmp_path)
    order, fence, _ = SEEN_AS["release and acquire"]
    safe = Case(f"#define ORDER(x) {order}\n#define FENCE(x) {fence}\n" + ORDERED, tmp_path)
    [race] = racy.races
    assert isinstance(race.evidence, Schedule)
    assert safe.check(race.evidence).answer is Answer.REJECTED
    numbers = {1: {"atomic store": 3, "atomic load": 2}}
    honest = [
        replace(step, order=numbers.get(step.order, {}).get(step.operation, step.order))
        for step in race.evidence.record
    ]
    ruling = safe.check(race.evidence, honest)
    assert ruling.answer is Answer.REJECTED
    assert "happens before" in ruling.why


EXCHANGED = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
static void *work(void *arg) { data = 1; atomic_exchange_explicit(&flag, 1, memory_order_acquire); return arg; }
int main(void) {
    pthread_t t;
    int expected = 0;
    pthread_create(&t, 0, work, 0);
    if (atomic_compare_exchange_strong_explicit(&flag, &expected, 3, memory_order_acq_rel, memory_order_relaxed))
        data = 2;
    pthread_join(t, 0);
    return 0;
}
"""


def test_an_exchange_has_an_order_for_each_outcome(tmp_path: Path) -> None:
    """The record has that of success, the facts what both give."""
    found = Case(EXCHANGED, tmp_path)
    [race] = found.races
    assert isinstance(race.evidence, Schedule)
    ruling = found.check(race.evidence)
    assert ruling.answer is Answer.ACCEPTED, ruling.why
    weaker = [replace(step, order=0) if step.operation == "compare-exchange" else step for step in race.evidence.record]
    assert weaker != list(race.evidence.record)
    assert found.check(race.evidence, weaker).answer is Answer.REJECTED


def locked_claims(case: Case) -> Iterator[Schedule]:
    """Two accesses under one lock, claimed to race in the run that made both."""
    true = case.schedule("second")
    guarded = [step for step in true.record if step.address == "guarded" and step.operation == "write"]
    for a in guarded:
        for b in guarded:
            if a.thread != b.thread and a.access is not None and b.access is not None:
                yield replace(true, accesses=(a.access, b.access), racers=(a.thread, b.thread), together=False)


def test_accesses_that_a_lock_orders(case: Case) -> None:
    claims = list(locked_claims(case))
    assert claims
    for schedule in claims:
        ruling = case.check(schedule, [step for step in schedule.record if step.role is not Role.NEXT])
        assert ruling.answer is Answer.REJECTED
