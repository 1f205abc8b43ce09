"""Small C programs whose threads may block one another: `python -m exploration.blocking SEED` (from `tests`).

Two or three threads take locks of all kinds (plain, recursive and error-checking mutexes, rwlocks, spin locks,
semaphores), nested, in one order or in several; try them, or wait for them with a time limit; wait at conditions,
semaphores and barriers; run an initialiser that takes a lock; main joins them, perhaps with a lock held. Shared data
is accessed under its lock only: what is asked is whether there is a deadlock (`exploration.deadlock_soak`).
"""

from __future__ import annotations

import itertools
import random
import sys
from typing import Final

from exploration.syntax import ACCESS, SYNC, If, Line, Op, Section, Source, Stmt, estimate, show

MODE: Final = "blocking"
MAX_SCHEDULES: Final = 3_000
_SIZES: Final = (40, 300, 1_000, MAX_SCHEDULES)
_GLOBALS: Final = (
    "static int @x0;",
    *(f"static pthread_mutex_t @m{number} = PTHREAD_MUTEX_INITIALIZER;" for number in range(3)),
    "static pthread_mutex_t @q0 = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;",
    "static pthread_mutex_t @g0;",
    "static pthread_mutexattr_t @at;",
    "static pthread_rwlock_t @w0 = PTHREAD_RWLOCK_INITIALIZER;",
    "static pthread_spinlock_t @k0;",
    "static sem_t @s0;",
    "static sem_t @s1;",
    "static pthread_cond_t @c0 = PTHREAD_COND_INITIALIZER;",
    "static int @f0;",
    "static pthread_barrier_t @b0;",
    "static pthread_once_t @o0 = PTHREAD_ONCE_INIT;",
    "static void @init(void) { pthread_mutex_lock(&@m1); pthread_mutex_unlock(&@m1); }",
    "struct timespec; extern int pthread_mutex_timedlock(pthread_mutex_t *, const struct timespec *);"
    " static long @ts[2];",
)
_INITIAL: Final = {
    "@g0": "pthread_mutexattr_init(&@at); pthread_mutexattr_settype(&@at, 2); pthread_mutex_init(&@g0, &@at);",
    "@k0": "pthread_spin_init(&@k0, 0);",
}
_ORDER: Final = ("m0", "m1", "m2", "q0", "g0", "rd", "wr", "k0", "s0")
_NESTABLE: Final = frozenset({"m0", "m1", "q0", "g0"})
"""Locks that may be taken by their holder, which blocks, counts or is refused; each of these has a meaning."""


def generate(seed: int) -> Source:
    """The program of a seed: drawn again, each time smaller, until its schedules can all be tried."""
    rng = random.Random(f"{MODE} {seed}")
    threads, limit = rng.choices((2, 3), (65, 35))[0], rng.choice(_SIZES)
    size = 4 if threads == 2 else 2
    for tries in itertools.count():
        source = _Draft(rng, seed, threads, size).source()
        if 2 <= estimate(source, limit=MAX_SCHEDULES + 1).schedules <= limit:
            return source
        size = max(1, size - 1)
        if tries % 20 == 19:
            threads, limit = 2, MAX_SCHEDULES
    raise AssertionError("unreachable")


class _Draft:
    """Writes one program. `disorder`: how often locks are not taken in the common order."""

    def __init__(self, rng: random.Random, seed: int, count: int, size: int) -> None:
        self.rng, self.seed, self.count, self.size = rng, seed, count, size
        self.disorder = rng.choice((0.0, 0.0, 0.2, 0.6))
        self.locks = rng.sample(_ORDER, rng.choice((2, 2, 3, 4)))
        others = [self.tried, self.timed, self.condition, self.semaphore, self.barrier, self.once, self.decided]
        self.units = [self.nested] * 3 + rng.sample(others, rng.choice((0, 0, 1, 1, 2)))

    def source(self) -> Source:
        rng = self.rng
        bodies: list[list[Stmt]] = [[] for _ in range(self.count + 1)]
        for thread in range(1, self.count + 1):
            for _ in range(rng.randint(1, self.size)):
                bodies[thread] += rng.choice(self.units)()
        main = bodies[0]
        ids = range(1, self.count + 1)
        creates = [Line(f"pthread_create(&id{t}, 0, @t{t}, 0);", (("create", str(t)),)) for t in ids]
        joins = [Line(f"pthread_join(id{t}, 0);", (("join", str(t)),)) for t in ids]
        main += [Line(f"sem_init(&@s0, 0, 1); sem_init(&@s1, 0, {rng.choice((0, 0, 1))});")]
        main += [Line(f"pthread_barrier_init(&@b0, 0, {rng.choice((2, 2, 3))});")]
        main += creates
        if rng.random() < 0.15:
            main += self.nested()
        end = rng.random()
        if end < 0.1:
            main += self._around(rng.choice(self.locks), list(joins))
        elif end < 0.2:
            main.append(Line("pthread_exit(0);", (SYNC,)))
        elif end < 0.25:
            main += joins[:1]
        else:
            main += joins
        text = str(bodies)
        main[:0] = [Line(call) for name, call in _INITIAL.items() if f"&{name}" in text]
        return Source(self.seed, MODE, _GLOBALS, (), tuple(tuple(body) for body in bodies))

    # -- units

    def _around(self, lock: str, body: list[Stmt]) -> list[Stmt]:
        taken, given, ops = _CALLS[lock]
        return [Section(Line(taken, (ops[0],)), tuple(body), Line(given, (ops[1],)))]

    def nested(self) -> list[Stmt]:
        """One to three locks at once, mostly in the common order, seldom the same one twice."""
        rng = self.rng
        taken = rng.sample(self.locks, min(len(self.locks), rng.choice((1, 2, 2, 2, 3))))
        if rng.random() >= self.disorder:
            taken.sort(key=_ORDER.index)
        if rng.random() < 0.04 and taken[-1] in _NESTABLE:
            taken.append(taken[-1])
        body: list[Stmt] = [Line("@x0++;", (ACCESS, ACCESS))] if "m0" in taken and rng.random() < 0.3 else []
        for lock in reversed(taken):
            body = self._around(lock, body)
        return body

    def tried(self) -> list[Stmt]:
        lock = self.rng.choice(("m0", "m1", "g0"))
        unlock = Line(f"pthread_mutex_unlock(&@{lock});", (SYNC,))
        inner = self.nested() if self.rng.random() < 0.5 and self.disorder else []
        return [If(f"pthread_mutex_trylock(&@{lock}) == 0", (SYNC,), (*inner, unlock))]

    def timed(self) -> list[Stmt]:
        unlock = Line("pthread_mutex_unlock(&@m1);", (SYNC,))
        call = "pthread_mutex_timedlock(&@m1, (void *)@ts) == 0"
        return self._around("m0", [If(call, (SYNC,), (unlock,))])

    def condition(self) -> list[Stmt]:
        rng = self.rng
        if rng.random() < 0.5:
            wait = Line("while (!@f0) pthread_cond_wait(&@c0, &@m0);", (ACCESS, SYNC))
            waits = self._around("m0", [wait])
            return self._around(rng.choice(("m1", "q0")), waits) if rng.random() < 0.2 else waits
        tell = Line(f"pthread_cond_{rng.choice(('signal', 'broadcast'))}(&@c0);", (SYNC,))
        flag: list[Stmt] = [Line("@f0 = 1;", (ACCESS,))] if rng.random() < 0.85 else []
        return self._around("m0", [*flag, tell])

    def semaphore(self) -> list[Stmt]:
        wait, post = Line("sem_wait(&@s1);", (SYNC,)), Line("sem_post(&@s1);", (SYNC,))
        chosen: list[Stmt] = [self.rng.choice((wait, post, post))]
        return self._around(self.rng.choice(self.locks), chosen) if self.rng.random() < 0.3 else chosen

    def barrier(self) -> list[Stmt]:
        meet: list[Stmt] = [Line("pthread_barrier_wait(&@b0);", (SYNC,))]
        return self._around(self.rng.choice(self.locks), meet) if self.rng.random() < 0.2 else meet

    def once(self) -> list[Stmt]:
        call: list[Stmt] = [Line("pthread_once(&@o0, @init);", (SYNC, SYNC))]
        return self._around(self.rng.choice(("m0", "m1", "q0")), call) if self.rng.random() < 0.5 else call

    def decided(self) -> list[Stmt]:
        """What is read under a lock decides about what is taken."""
        inner = tuple(self._around(self.rng.choice(("m1", "m2")), []))
        return self._around("m0", [If(f"@x0 == {self.rng.randrange(3)}", (ACCESS,), inner)])


def _mutex(name: str) -> tuple[str, str, tuple[Op, Op]]:
    ops: tuple[Op, Op] = (SYNC, SYNC) if name in ("q0", "g0") else (("lock", name), ("unlock", name))
    return f"pthread_mutex_lock(&@{name});", f"pthread_mutex_unlock(&@{name});", ops


_CALLS: Final[dict[str, tuple[str, str, tuple[Op, Op]]]] = {
    **{name: _mutex(name) for name in ("m0", "m1", "m2", "q0", "g0")},
    "rd": ("pthread_rwlock_rdlock(&@w0);", "pthread_rwlock_unlock(&@w0);", (("rdlock", "w0"), ("rwunlock", "w0"))),
    "wr": ("pthread_rwlock_wrlock(&@w0);", "pthread_rwlock_unlock(&@w0);", (("wrlock", "w0"), ("rwunlock", "w0"))),
    "k0": ("pthread_spin_lock(&@k0);", "pthread_spin_unlock(&@k0);", (("lock", "k0"), ("unlock", "k0"))),
    "s0": ("sem_wait(&@s0);", "sem_post(&@s0);", (("lock", "s0"), ("unlock", "s0"))),
}


if __name__ == "__main__":
    show(generate(int(sys.argv[1])))
