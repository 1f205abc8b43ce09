"""The runtime itself under the address sanitizer and the one for undefined behaviour, on programs of all kinds.

The program under test is not sanitized, only what runs it. The runtime keeps its standard error from being mixed with
the program's, so reports go to files: there must be none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from exploring import Subject, host_run, load, load_text
from programs_truth import PROGRAMS

from raceproof.core import ToolMissing
from raceproof.explore import ALGORITHMS
from raceproof.explore.build import build_host
from raceproof.explore.protocol import OtherRecord, RaceRecord, of_kind

BENCH = Path(__file__).parents[2] / "bench" / "explore"
SAMPLE = (
    "atomics/cas_spinlock.c",
    "atomics/mp_fences.c",
    "calls/longjmp_held.c",
    "calls/qsort_callback.c",
    "library/printf_race.c",
    "library/memcpy_locked.c",
    "locks/rwlock_timed.c",
    "locks/trylock_checked.c",
    "memory/realloc_race.c",
    "memory/thread_local_initial.c",
    "order/barrier_serial_once.c",
    "order/worker_pool_race.c",
    "ownership/queue_transfer.c",
    "threads/cancel_join_race.c",
    "threads/nondet_number.c",
)
LIMITS = {"find_all": True, "max_executions": 300, "max_steps": 2_000}
# Everything that ends an execution early, one after the other, in both ways to keep executions apart.
ENDS = """
int x, *block; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int deep(volatile int *p) { volatile int here[1000] = {0}; return deep(here) + here[*p]; }
void *one(void *p) {
    pthread_mutex_lock(&m); int t = x++; pthread_mutex_unlock(&m);
    volatile int zero = 0;
    int way = t == 0 ? 0 : argument;
    switch (way) {
    case 1: abort();
    case 2: *(volatile int *)(intptr_t)zero = 1; break;
    case 3: zero = deep(&zero); break;
    case 4: free(block), free(block); break;
    case 5: exit(1);
    case 6: pthread_mutex_lock(&n); pthread_mutex_lock(&n); break;
    case 7: free(block); *block = 1; break;
    case 8: pthread_exit(0);
    }
    return p;
}
int main(int argc, char **argv) { argument = argv[1][0] - '0'; block = malloc(40); RUN(one, one); return 0; }
"""

Run = Callable[..., list[str]]


@pytest.fixture(scope="session")
def sanitized_host() -> Path:
    try:
        return build_host(sanitized=True)
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """The sanitizers' reports so far. Leaks are not looked for: what is kept to the end is meant."""
    monkeypatch.setenv("ASAN_OPTIONS", f"detect_leaks=0:detect_stack_use_after_return=0:log_path={tmp_path}/asan")
    monkeypatch.setenv("UBSAN_OPTIONS", f"print_stacktrace=1:log_path={tmp_path}/ubsan")
    return lambda: "\n".join(path.read_text(errors="replace") for path in sorted(tmp_path.glob("*san.*")))


def search_all_ways(subject: Subject, host: Path, reports: Callable[[], str]) -> None:
    for algorithm in ALGORITHMS:
        run = host_run(subject, algorithm, host=host, **LIMITS)
        assert not reports(), f"{algorithm}: {reports()}"
        assert run.end in ("complete", "executions"), f"{algorithm}: {run.problem}"


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_programs_run_cleanly(name: str, sanitized_host: Path, reports: Callable[[], str]) -> None:
    search_all_ways(load(PROGRAMS / name), sanitized_host, reports)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sections.c", "fib_bench.c", "producer_consumer.c", "rare_race.c"])
def test_benchmarks_run_cleanly(name: str, sanitized_host: Path, reports: Callable[[], str]) -> None:
    search_all_ways(load(BENCH / name), sanitized_host, reports)


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["memory", "fork"])
def test_bad_ends_are_clean(isolation: str, sanitized_host: Path, reports: Callable[[], str], tmp_path: Path) -> None:
    subject = load_text("int argument;" + ENDS, tmp_path)
    kinds = set()
    for way in "012345678":
        run = host_run(subject, "dfs", host=sanitized_host, isolation=isolation, arguments=(way,), **LIMITS)
        assert not reports(), f"{way}: {reports()}"
        assert run.end == "complete", f"{way}: {run.problem}"
        kinds |= {record.kind for record in of_kind(run.records, OtherRecord)}
    assert kinds == {"abort", "crash", "stack overflow", "double free", "deadlock", "use after free"}


@pytest.mark.slow
def test_a_race_is_found_and_driven_cleanly(sanitized_host: Path, reports: Callable[[], str], tmp_path: Path) -> None:
    text = "int x; void *one(void *p) { x++; return p; } int main(void) { RUN(one, one, one); return x; }"
    run = host_run(load_text(text, tmp_path), host=sanitized_host, find_all=True)
    assert not reports(), reports()
    assert all(race.together for race in of_kind(run.records, RaceRecord))
    assert of_kind(run.records, RaceRecord)


@pytest.mark.slow
def test_a_report_would_be_seen(sanitized_host: Path, reports: Callable[[], str], tmp_path: Path) -> None:
    """The program writes past a block of the real heap, by a function that the sanitizer watches."""
    text = (
        "#include <dirent.h>\n#include <string.h>\n"
        'int main(int argc, char **argv) { memset(opendir("."), 0, argc << 20); return 0; }'
    )
    host_run(load_text(text, tmp_path), host=sanitized_host, isolation="fork")
    assert "heap-buffer-overflow" in reports()
