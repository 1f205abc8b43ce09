"""How many traces a program without branches has, counted by trying all interleavings; and how the explorer runs it.

A thread is a text of operations of two characters: `r0` and `w0` read and write an atomic variable, `s0` is a locked
section. `PROGRAM` takes the threads as its arguments, so that it is compiled once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

PROGRAM = r"""
static pthread_mutex_t lock[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                  PTHREAD_MUTEX_INITIALIZER};
static atomic_int variable[4];

static void *run(void *operations) {
    for (const char *at = operations; *at != 0; at += 2) {
        int k = at[1] - '0';
        if (at[0] == 'r') {
            (void)atomic_load(&variable[k]);
        } else if (at[0] == 'w') {
            atomic_store(&variable[k], 1);
        } else {
            pthread_mutex_lock(&lock[k]);
            pthread_mutex_unlock(&lock[k]);
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    pthread_t threads[8];
    for (int i = 1; i < argc; i++) pthread_create(&threads[i], 0, run, argv[i]);
    for (int i = 1; i < argc; i++) pthread_join(threads[i], 0);
    return 0;
}
"""

Operation = tuple[int, str, str]
"""Thread, what, object."""


def count_traces(threads: Sequence[str]) -> int:
    """Interleavings that order some two dependent operations differently."""
    return len({_orders(run) for run in _interleavings([_operations(t, text) for t, text in enumerate(threads)])})


def _operations(thread: int, text: str) -> list[Operation]:
    return [(thread, text[i], text[i] * (text[i] == "s") + text[i + 1]) for i in range(0, len(text), 2)]


def _interleavings(threads: list[list[Operation]]) -> Iterator[list[Operation]]:
    if not any(threads):
        yield []
    for number, operations in enumerate(threads):
        if operations:
            rest = [operations[1:] if k == number else others for k, others in enumerate(threads)]
            for tail in _interleavings(rest):
                yield [operations[0], *tail]


def _orders(run: list[Operation]) -> frozenset[tuple[tuple[int, int], tuple[int, int]]]:
    """The dependent pairs of different threads as they are ordered here; an operation is (thread, how-many-th)."""
    done: dict[int, int] = {}
    named = []
    for thread, what, place in run:
        done[thread] = done.get(thread, 0) + 1
        named.append(((thread, done[thread]), what, place))
    return frozenset(
        (a, b)
        for (a, what_a, place_a), (b, what_b, place_b) in combinations(named, 2)
        if a[0] != b[0] and place_a == place_b and (what_a, what_b) != ("r", "r")
    )
