"""Sampled executions: races in what shows, in what another order shows, nothing else; the same seed, the same run."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import PREAMBLE

from raceproof import explore, facts, frontend
from raceproof.core import Budget
from raceproof.explore.process import run_host
from raceproof.explore.protocol import LIMITS, SAMPLINGS, Control, RaceRecord, StatRecord, of_kind
from raceproof.explore.repeated_accesses import repeated_accesses
from raceproof.model import ConcurrentProgram

HIDDEN = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;
void *a(void *u) { x = 1; pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m); return u; }
void *b(void *u) { pthread_mutex_lock(&m); y = 2; pthread_mutex_unlock(&m); x = 2; return u; }
int main(void) { RUN(a, b); }
"""
ORDERED = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_barrier_t all;
sem_t s;
int ready, data, more, most;
void *a(void *u) {
    data = 42;
    pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
    more = 1;
    sem_post(&s);
    most = 1;
    pthread_barrier_wait(&all);
    return u;
}
void *b(void *u) {
    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    data++;
    sem_wait(&s);
    more++;
    pthread_barrier_wait(&all);
    most++;
    return u;
}
int main(void) {
    sem_init(&s, 0, 0);
    pthread_barrier_init(&all, 0, 2);
    data = 1;
    RUN(a, b);
    return data + more + most;
}
"""
MANY = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int n, raced;
void *a(void *u) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return u; }
void *b(void *u) { raced++; return u; }
int main(void) {
    for (int i = 0; i < 100; i++) RUN(a, a, a);
    RUN(b, b);
    return n != 300;
}
"""
POOL = """
struct job { int number; struct job *next; };
struct pool { pthread_mutex_t mu; struct job *first; int results[4]; };
void *work(void *u) {
    struct pool *pool = u;
    for (;;) {
        pthread_mutex_lock(&pool->mu);
        struct job *job = pool->first;
        if (job) pool->first = job->next;
        pthread_mutex_unlock(&pool->mu);
        if (!job) return u;
        pool->results[3] += job->number;
        free(job);
    }
}
int main(void) {
    struct pool *pool = calloc(1, sizeof *pool);
    pthread_mutex_init(&pool->mu, 0);
    for (int i = 0; i < 4; i++) {
        struct job *job = malloc(sizeof *job);
        job->number = i;
        job->next = pool->first;
        pool->first = job;
    }
    pthread_t t, v;
    pthread_create(&t, 0, work, pool);
    pthread_create(&v, 0, work, pool);
    pthread_join(t, 0);
    pthread_join(v, 0);
}
"""


class Program:
    """Built so that it tells of every access."""

    def __init__(self, text: str, directory: Path) -> None:
        path = directory / "program.c"
        path.write_text(PREAMBLE + text, encoding="utf-8")
        request = frontend.from_files([path])
        self.cp: ConcurrentProgram = facts.surface(frontend.load(request))
        self.options = explore.ExploreOptions(module=frontend.link_program(request))
        self.prepared = explore.prepare_all(self.cp, self.options, Budget.unlimited())

    def sampled(self, **options: object) -> explore.Sampled:
        sampling = explore.SamplingOptions(**options)  # type: ignore[arg-type]
        return explore.sample(self.cp, self.prepared, self.options, sampling, Budget.seconds(60))

    def traces(self, seed: int, runs: int, isolation: str = "memory", sampling: str = "mixed") -> int:
        """The hash of the last of so many executions."""
        control = Control(
            algorithm="sample",
            find_all=True,
            max_executions=runs,
            time_limit=60.0,
            max_steps=1_000_000,
            isolation=isolation,
            spurious=True,
            arguments=("program",),
            pairs=(),
            known=self.prepared.known,
            told=self.prepared.told,
            seed=seed,
            sampling=sampling,
        )
        run = run_host(self.prepared.host, self.prepared.program, control)
        assert run.end == "executions", run.problem
        return next(int(record.value) for record in of_kind(run.records, StatRecord) if record.name == "trace")

    def lines(self, sampled: explore.Sampled) -> set[tuple[int, ...]]:
        found = set()
        for race in sampled.races:
            places = [self.cp.accesses[number].pos for number in race.accesses]
            found.add(tuple(sorted(pos.line for pos in places if pos is not None)))
        return found


def test_each_seed_finds_what_another_order_shows(tmp_path: Path) -> None:
    program = Program(HIDDEN, tmp_path)
    predicted = 0
    for seed in range(1, 11):
        found = program.sampled(runs=1, seed=seed)
        assert program.lines(found) == {(4, 5)}, seed
        assert not found.possible
        predicted += int(found.stats["predicted"])
    assert predicted > 0


def test_atomic_operations_do_not_race_in_another_order_either(tmp_path: Path) -> None:
    atomic = HIDDEN.replace("int x, y;", "_Atomic int x; int y;")
    found = Program(atomic, tmp_path).sampled(runs=20)
    assert (found.races, found.possible, found.unrepeated) == ((), (), ())
    half = atomic.replace("x = 2", "*(volatile int *)&x = 2")
    program = Program(half, tmp_path)
    assert program.lines(program.sampled(runs=20)) == {(4, 5)}


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_what_is_ordered_is_no_race(tmp_path: Path, sampling: str) -> None:
    found = Program(ORDERED, tmp_path).sampled(runs=100, sampling=sampling)
    assert (found.races, found.possible, found.unrepeated) == ((), (), ())
    assert (found.end, found.stats["executions"]) == ("executions", 100)


def test_a_seed_is_a_run(tmp_path: Path) -> None:
    program = Program(POOL, tmp_path)
    alone = program.traces(seed=20, runs=1)
    assert {program.traces(seed=20, runs=1) for _ in range(5)} == {alone}
    assert program.traces(seed=1, runs=20) == alone, "it depends on the runs before it"
    assert program.traces(seed=20, runs=1, isolation="fork") == alone
    assert len({program.traces(seed=seed, runs=1) for seed in range(1, 9)}) > 3, "all seeds are alike"


@pytest.mark.slow
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_a_hundred_times_the_same(tmp_path: Path, sampling: str) -> None:
    program = Program(POOL, tmp_path)
    assert len({program.traces(seed=3, runs=1, sampling=sampling) for _ in range(100)}) == 1


def test_more_threads_than_there_are_ids(tmp_path: Path) -> None:
    program = Program(MANY, tmp_path)
    found = program.sampled(runs=3)
    assert program.lines(found) == {(5, 5)}
    assert not any("threads" in reason for reason, _ in found.bounds)


def test_threads_that_nobody_waits_for(tmp_path: Path) -> None:
    text = """
    int x;
    void *a(void *u) { x = 1; return u; }
    int main(void) {
        for (int i = 0; i < 100; i++) {
            pthread_t t;
            pthread_create(&t, 0, a, 0);
            pthread_detach(t);
            usleep(10);
        }
    }
    """
    program = Program(text, tmp_path)
    found = program.sampled(runs=5, sampling="walk")
    assert program.lines(found) == {(3, 3)}
    assert LIMITS["OLD_THREADS"] in {reason for reason, _ in found.bounds}


def test_places_in_blocks_have_names(tmp_path: Path) -> None:
    program = Program(POOL, tmp_path)
    found = program.sampled(runs=10)
    assert program.lines(found) == {(12, 12)}
    schedule = found.races[0]
    names = facts.BlockNames(program.cp)
    blocks = {block.name: block for block in schedule.blocks}
    heap = {step.address: names.name(blocks, step.address, step.size) for step in schedule.steps}
    told = {name for address, name in heap.items() if address.startswith("heap ") and name is not None}
    assert all(name is not None for address, name in heap.items() if address.startswith("heap "))
    assert {name.partition(" (")[0] for name in told} >= {
        "struct pool.results[3]",
        "struct pool.first",
        "struct job.next",
    }


def test_the_same_failure_twice_ends_it(tmp_path: Path) -> None:
    found = Program("int main(void) { *(volatile int *)8 = 1; }", tmp_path).sampled(runs=100)
    assert (found.end, found.stats["executions"]) == ("failure", 2)
    assert [incident.kind for incident in found.incidents] == ["crash"]


def test_a_failure_that_only_some_runs_have_does_not(tmp_path: Path) -> None:
    text = """
    atomic_int first;
    void *a(void *u) { atomic_compare_exchange_strong(&first, &(int){0}, 1); return u; }
    void *b(void *u) { if (atomic_load(&first) == 0) *(volatile int *)8 = 1; return u; }
    int main(void) { RUN(a, b); }
    """
    found = Program(text, tmp_path).sampled(runs=60)
    assert found.stats["executions"] == 60 or found.end == "failure"
    assert any(incident.kind == "crash" for incident in found.incidents)


def test_what_a_function_keeps_to_itself_is_not_told(tmp_path: Path) -> None:
    text = """
    int shared;
    void use(int *p) { *p = 1; }
    int main(void) { int own[4]; int given; own[shared & 3] = 2; use(&given); return own[1] + given; }
    """
    cp = Program(text, tmp_path).cp
    told = [facts.place_name(cp.program, access.site, access.touch) for access in cp.accesses.values()]
    assert sorted(name for name in told if name is not None) == ["*p", "given", "shared"]


def test_a_repeated_access_is_told_once(tmp_path: Path) -> None:
    text = """
    int n, other[8]; pthread_mutex_t m;
    int main(void) {
        int sum = n + n;
        for (int i = 0; i < n; i++) sum += other[i] + n;
        pthread_mutex_lock(&m);
        sum += n;
        n = sum;
        n++;
        return n;
    }
    """
    program = Program(text, tmp_path)
    left_out = repeated_accesses(program.cp.program)
    by_line: dict[int, list[bool]] = {}
    for access in program.cp.accesses.values():
        if facts.place_name(program.cp.program, access.site, access.touch) == "n" and access.pos is not None:
            by_line.setdefault(access.pos.line, []).append(access.site in left_out)
    assert by_line == {4: [False, True], 5: [True, True], 7: [False], 8: [False], 9: [True, True], 10: [True]}


def test_a_record_of_a_race_names_two_accesses(tmp_path: Path) -> None:
    program = Program(HIDDEN, tmp_path)
    control = Control("sample", True, 5, 30.0, 100_000, "memory", True, ("program",), (), told=program.prepared.told,
                      seed=1, sampling="walk")  # fmt: skip
    records = of_kind(run_host(program.prepared.host, program.prepared.program, control).records, RaceRecord)
    assert [record.together for record in records] == [True]
