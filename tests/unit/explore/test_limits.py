"""Every fixed size of the native runtime: past it the result is bounded, for the reason of that limit.

One program for each limit, with a race that it would have to see behind it, and the same one just below.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from exploring import host_run, load_text

from raceproof.explore.protocol import ALGORITHMS, LIMITS, BoundedRecord, of_kind
from raceproof.native import NATIVE

HEAD = """
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, many[SIZE];
void *f(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return p; }
static void nothing(void) {}
int main(void) {
    pthread_t t, u;
    if (pthread_create(&t, 0, f, 0)) return 1;
    USE
    pthread_join(t, 0);
    (void)many; (void)nothing; (void)u;
    return 0;
}
"""
# How often what is done, and what: a little more than the limit, and less.
USES = {
    "STEPS": (20_100, 100, "for (int i = 0; i < SIZE; i++) { f(0); }"),
    "THREADS": (
        70,
        20,
        "for (int i = 0; i < SIZE; i++) { pthread_t u; pthread_create(&u, 0, f, 0); pthread_join(u, 0); }",
    ),
    "OBJECTS": (65_600, 100, "for (int i = 0; i < SIZE; i++) pthread_mutex_init(&many[i], 0);"),
    "INPUTS": (300, 0, "for (int i = 0; i < SIZE; i++) x += 0 * __VERIFIER_nondet_bool();"),
    "NAMED_SEMAPHORES": (
        *(80, 20),
        "for (int i = 0; i < SIZE; i++) { char n[] = { '/', '0' + i, 0 }; sem_open(n, O_CREAT, 0600, 1); }",
    ),
    "EXIT_HANDLERS": (300, 200, "for (int i = 0; i < SIZE; i++) if (atexit(nothing)) x = 7;"),
    "STREAMS": (
        *(300, 100),
        'for (int i = 0; i < SIZE; i++) { FILE *s = fmemopen(0, 8, "w"); flockfile(s); funlockfile(s); }',
    ),
}
# Out of reach: the limit of events comes first, or they need minutes, or much memory (OLD_ACCESSES). Processes,
# namespaces and others are no sizes (test_program_processes.py, test_surroundings.py). Sampled runs: test_sampling.py.
NOT_EXCEEDED = {
    *("EVENTS", "LOCATIONS", "UNTRIED", "SWITCHES", "PROCESSES", "NAMESPACES", "OTHERS"),
    *("OLD_ACCESSES", "OLD_THREADS"),
}


def reasons(use: str, size: int, algorithm: str, directory: Path) -> tuple[str, ...]:
    subject = load_text(HEAD.replace("USE", use).replace("SIZE", str(max(size, 1))), directory)
    steps = 20_000 if "f(0)" in use else 1_000_000
    run = host_run(subject, algorithm, find_all=True, max_steps=steps, max_executions=2, seconds=5)
    assert run.problem is None
    return tuple(record.reason for record in of_kind(run.records, BoundedRecord))


def test_every_limit_is_exceeded_or_says_why_not() -> None:
    assert set(USES) | NOT_EXCEEDED == set(LIMITS)


def test_the_header_and_the_protocol_agree() -> None:
    text = (NATIVE / "raceproof_rt.h").read_text(encoding="utf-8")
    assert dict(re.findall(r'^    X\((\w+), "([^"]*)"\)', text, re.MULTILINE)) == LIMITS


@pytest.mark.parametrize("algorithm", ["race", "dpor", "optimal"])
@pytest.mark.parametrize("name", USES)
def test_past_a_limit_the_result_is_bounded(name: str, algorithm: str, tmp_path: Path) -> None:
    assert algorithm in ALGORITHMS
    over, under, use = USES[name]
    assert LIMITS[name] in reasons(use, over, algorithm, tmp_path)
    if algorithm == "race" and under:
        assert LIMITS[name] not in reasons(use, under, algorithm, tmp_path)


@pytest.mark.parametrize("algorithm", ["race", "pdp", "dhtc"])
@pytest.mark.parametrize("threads", [60, 70])
def test_pruning_keeps_what_every_thread_has_done(threads: int, algorithm: str, tmp_path: Path) -> None:
    """Each makes an access of the pair; past 64 threads the result is bounded, and nothing breaks."""
    text = """
    #include <pthread.h>
    int v[SIZE];
    void *f(void *p) { *(int *)p = 1; return p; }
    int main(void) {
        pthread_t t;
        for (int i = 0; i < SIZE; i++) { pthread_create(&t, 0, f, &v[i]); if (i % 2) pthread_join(t, 0); }
        return 0;
    }
    """
    run = host_run(
        load_text(text.replace("SIZE", str(threads)), tmp_path), algorithm, find_all=True, max_executions=3, seconds=20
    )
    assert run.problem is None
    assert (LIMITS["THREADS"] in {record.reason for record in of_kind(run.records, BoundedRecord)}) == (threads > 63)
