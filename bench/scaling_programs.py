"""C programs without races that grow in one direction: threads, locks, pairs, length of a schedule, jobs."""

from __future__ import annotations

from collections.abc import Sequence

from bench.generate import generate
from bench.synth import Options

_HEAD = """#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;
"""


def of_size(instructions: int) -> str:
    """A generated program with about so many instructions."""
    return generate(Options(instructions)).text


def of_threads(count: int) -> str:
    """So many threads, each with a function of its own, that add to one counter under one lock."""
    return _HEAD + _program([_section("lock", "counter") for _ in range(count)])


def of_locks(count: int) -> str:
    """Two threads that take so many locks, one after the other, each for a counter of its own."""
    declarations = "".join(
        f"static pthread_mutex_t lock_{n} = PTHREAD_MUTEX_INITIALIZER;\nstatic long counter_{n};\n"
        for n in range(1, count + 1)
    )
    body = "".join(_section(f"lock_{n}", f"counter_{n}") for n in range(1, count + 1))
    return f"#include <pthread.h>\n\n{declarations}{_program([body, body])}"


def of_accesses(count: int) -> str:
    """Two threads with so many statements under one lock, each a read and a write: pairs grow as squares."""
    body = _section("lock", *["counter"] * count)
    return _HEAD + _program([body, body])


def of_rounds(count: int) -> str:
    """Two threads that add to a counter so many times, under the lock: the schedule grows, the code does not."""
    loop = f"    for (int round = 0; round < {count}; round++) {{\n{_section('lock', 'counter')}    }}\n"
    return _HEAD + _program([loop, loop])


def of_jobs(count: int) -> str:
    """Two workers that take so many jobs off a list under a lock, and work on them without it."""
    return f"""#include <pthread.h>
#include <stdlib.h>

struct job {{
    struct job *next;
    int number;
}};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static void *worker(void *unused)
{{
    (void)unused;
    for (;;) {{
        pthread_mutex_lock(&lock);
        struct job *mine = jobs;
        if (mine != NULL)
            jobs = mine->next;
        pthread_mutex_unlock(&lock);
        if (mine == NULL)
            return 0;
        mine->number += 1;
        free(mine);
    }}
}}

int main(void)
{{
    pthread_t first, second;
    for (int number = 0; number < {count}; number++) {{
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return 1;
        job->number = number;
        job->next = jobs;
        jobs = job;
    }}
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}}
"""


def _section(lock: str, *counters: str) -> str:
    inside = "".join(f"    {counter} += 1;\n" for counter in counters)
    return f"    pthread_mutex_lock(&{lock});\n{inside}    pthread_mutex_unlock(&{lock});\n"


def _program(bodies: Sequence[str]) -> str:
    """A thread with a function of its own for each body; main creates all, then joins all."""
    functions = "".join(
        f"\nstatic void *worker_{n}(void *unused)\n{{\n    (void)unused;\n{body}    return 0;\n}}\n"
        for n, body in enumerate(bodies)
    )
    creates = "".join(f"    pthread_create(&thread_{n}, 0, worker_{n}, 0);\n" for n in range(len(bodies)))
    joins = "".join(f"    pthread_join(thread_{n}, 0);\n" for n in range(len(bodies)))
    threads = "".join(f"    pthread_t thread_{n};\n" for n in range(len(bodies)))
    return f"{functions}\nint main(void)\n{{\n{threads}{creates}{joins}    return 0;\n}}\n"
