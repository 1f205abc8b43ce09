"""Small C programs from a seed that synchronise without a plan: `python -m exploration.loose SEED` (from `tests`).

Two or three threads that wait at semaphores and post to them, take locks and try them, meet at barriers, wait at
conditions and signal them, run an initialiser once, change atomics, make threads and join them, in any order and
number, with accesses in between. Many may deadlock; few mean anything. They are for the searches: the order of two
operations that wait is what decides there, and what one of them needs of others.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable
from typing import Final

from exploration.syntax import ACCESS, SYNC, If, Line, Section, Source, Stmt, estimate, show

MODE: Final = "loose"
MAX_SCHEDULES: Final = 4_000
MIN_SCHEDULES: Final = 4
_SIZES: Final = (50, 300, 1500, MAX_SCHEDULES)
_ORDERS: Final = ("relaxed", "acquire", "release", "acq_rel", "seq_cst", "seq_cst")
_GLOBALS: Final = (
    *(f"static int @x{number};" for number in range(2)),
    *(f"static sem_t @s{number};" for number in range(2)),
    *(f"static pthread_mutex_t @m{number} = PTHREAD_MUTEX_INITIALIZER;" for number in range(2)),
    "static pthread_mutex_t @m2 = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;",
    "static pthread_rwlock_t @w0 = PTHREAD_RWLOCK_INITIALIZER;",
    "static pthread_cond_t @c0 = PTHREAD_COND_INITIALIZER;",
    "static int @f0;",
    "static pthread_barrier_t @b0;",
    "static pthread_once_t @o0 = PTHREAD_ONCE_INIT;",
    "static void @init(void) { @f0 = 1; }",
    *(f"static atomic_int @a{number};" for number in range(2)),
)


def generate(seed: int) -> Source:
    """The program of a seed: drawn again, each time smaller, until its schedules can all be tried."""
    rng = random.Random(f"{MODE} {seed}")
    threads = rng.choices((2, 3), (70, 30))[0]
    limit = rng.choice(_SIZES)
    size = 6 if threads == 2 else 3
    for tries in itertools.count():
        source = _Draft(rng, seed, threads, size).source()
        schedules = estimate(source, limit=MAX_SCHEDULES + 1).schedules
        if MIN_SCHEDULES <= schedules <= limit:
            return source
        if schedules > limit:
            size = max(2, size - 1)
        if tries % 20 == 19:
            threads, limit = 2, MAX_SCHEDULES
    raise AssertionError("unreachable")


class _Draft:
    """Writes one program: `count` threads beside main, at most `size` units each, of a few sorts."""

    def __init__(self, rng: random.Random, seed: int, count: int, size: int) -> None:
        self.rng = rng
        self.seed, self.count, self.size = seed, count, size
        self.sorts: list[Callable[[], list[Stmt]]] = [self.access, *rng.sample(self._all(), rng.choice((1, 2, 2, 3)))]

    def _all(self) -> list[Callable[[], list[Stmt]]]:
        return [
            self.semaphore,
            self.semaphore,
            self.mutex,
            self.tried,
            self.nested,
            self.rwlock,
            self.condition,
            self.barrier,
            self.once,
            self.atomic,
        ]

    def source(self) -> Source:
        rng = self.rng
        bodies: list[list[Stmt]] = [[] for _ in range(self.count + 1)]
        for thread in range(1, self.count + 1):
            for _ in range(rng.randint(2, self.size)):
                bodies[thread] += rng.choice(self.sorts)()
        main = bodies[0]
        main += [Line(f"sem_init(&@s{number}, 0, {rng.choice((0, 1, 1, 2))});") for number in range(2)]
        main.append(Line(f"pthread_barrier_init(&@b0, 0, {rng.choice((1, 2, 2))});"))
        parents = [0, 0, *(rng.randint(1, t - 1) if rng.random() < 0.15 else 0 for t in range(2, self.count + 1))]
        for thread in range(1, self.count + 1):
            parent = bodies[parents[thread]]
            at = rng.randint(0, len(parent)) if parents[thread] else len(parent)
            parent.insert(at, Line(f"pthread_create(&id{thread}, 0, @t{thread}, 0);", (("create", str(thread)),)))
            if rng.random() < 0.8:
                join = Line(f"pthread_join(id{thread}, 0);", (("join", str(thread)),))
                parent.insert(rng.randint(at + 1, len(parent)) if parents[thread] else len(parent), join)
            if rng.random() < 0.1:
                main += rng.choice(self.sorts)()
        main[:] = [s for s in main if not _is(s, "join")] + [s for s in main if _is(s, "join")]
        if rng.random() < 0.2:
            main += self.access()
        return Source(self.seed, MODE, _GLOBALS, (), tuple(tuple(body) for body in bodies))

    # -- sorts

    def access(self) -> list[Stmt]:
        place = f"@x{self.rng.randrange(2)}"
        return [
            self.rng.choice(
                (
                    Line(f"{place} = 1;", (ACCESS,)),
                    Line(f"r0 = {place};", (ACCESS,)),
                    Line(f"r0 = {place};", (ACCESS,)),
                    Line(f"{place} = r0 + 1;", (ACCESS,)),
                )
            )
        ]

    def some(self) -> list[Stmt]:
        """What stands between two calls: mostly an access, perhaps another sort of waiting."""
        if self.rng.random() < 0.2:
            return self.semaphore()
        return self.access() if self.rng.random() < 0.85 else []

    def semaphore(self) -> list[Stmt]:
        rng = self.rng
        name = f"@s{rng.choice((0, 0, 1))}"
        wait, post = Line(f"sem_wait(&{name});", (SYNC,)), Line(f"sem_post(&{name});", (SYNC,))
        choice = rng.random()
        if choice < 0.3:
            return [wait]
        if choice < 0.65:
            return [post]
        if choice < 0.9:
            return [wait, *self.access(), post]
        return [If(f"sem_trywait(&{name}) == 0", (SYNC,), tuple(self.access()), tuple(self.access()))]

    def mutex(self) -> list[Stmt]:
        name = f"m{self.rng.randrange(2)}"
        lock = Line(f"pthread_mutex_lock(&@{name});", (("lock", name),))
        return [Section(lock, tuple(self.some()), Line(f"pthread_mutex_unlock(&@{name});", (("unlock", name),)))]

    def tried(self) -> list[Stmt]:
        if self.rng.random() < 0.5:
            return self.mutex()
        unlock = Line("pthread_mutex_unlock(&@m0);", (SYNC,))
        otherwise = tuple(self.access()) if self.rng.random() < 0.5 else ()
        return [If("pthread_mutex_trylock(&@m0) == 0", (SYNC,), (*self.access(), unlock), otherwise)]

    def nested(self) -> list[Stmt]:
        """A lock that is taken by who may have it already."""
        if self.rng.random() < 0.4:
            return self.rwlock()
        name, type_ = self.rng.choice((("m2", "mutex_lock"), ("m2", "mutex_lock"), ("w0", "rwlock_rdlock")))
        lock = Line(f"pthread_{type_}(&@{name});", (SYNC,))
        unlock = Line(f"pthread_{type_.split('_')[0]}_unlock(&@{name});", (SYNC,))
        inner: list[Stmt] = self.access()
        for _ in range(self.rng.choice((1, 2, 2))):
            inner = [Section(lock, tuple(inner), unlock)]
        return inner

    def rwlock(self) -> list[Stmt]:
        kind = self.rng.choice(("rdlock", "rdlock", "wrlock", "tryrdlock", "trywrlock"))
        unlock = Line("pthread_rwlock_unlock(&@w0);", (SYNC,))
        if kind.startswith("try"):
            return [If(f"pthread_rwlock_{kind}(&@w0) == 0", (SYNC,), (*self.access(), unlock))]
        return [Section(Line(f"pthread_rwlock_{kind}(&@w0);", (SYNC,)), tuple(self.access()), unlock)]

    def condition(self) -> list[Stmt]:
        """Waits once, or until the flag is set; tells, perhaps without the lock or the flag."""
        rng = self.rng
        lock, unlock = (Line(f"pthread_mutex_{kind}(&@m0);", ((kind, "m0"),)) for kind in ("lock", "unlock"))
        if rng.random() < 0.5:
            word = rng.choice(("while", "if"))
            wait = Line(f"{word} (!@f0) pthread_cond_wait(&@c0, &@m0);", (ACCESS, SYNC))
            return [Section(lock, (wait, *self.access()), unlock)]
        tell = Line(f"pthread_cond_{rng.choice(('signal', 'broadcast'))}(&@c0);", (SYNC,))
        if rng.random() < 0.2:
            return [tell]
        return [Section(lock, (Line("@f0 = 1;", (ACCESS,)), tell), unlock)]

    def barrier(self) -> list[Stmt]:
        return [Line("pthread_barrier_wait(&@b0);", (SYNC,))]

    def once(self) -> list[Stmt]:
        return [Line("pthread_once(&@o0, @init);", (SYNC,)), *self.access()]

    def atomic(self) -> list[Stmt]:
        rng = self.rng
        name = f"@a{rng.choice((0, 0, 1))}"
        load, store, update = (
            f"memory_order_{rng.choice(orders)}"
            for orders in (("relaxed", "acquire", "seq_cst"), ("relaxed", "release", "seq_cst"), _ORDERS)
        )
        ways: tuple[list[Stmt], ...] = (
            [Line(f"atomic_store_explicit(&{name}, 1, {store});", (SYNC,))],
            [If(f"atomic_load_explicit(&{name}, {load})", (SYNC,), tuple(self.access()))],
            [If(f"atomic_fetch_add_explicit(&{name}, 1, {update}) == 1", (SYNC,), tuple(self.access()))],
            [If(f"atomic_exchange_explicit(&{name}, 1, {update}) == 0", (SYNC,), tuple(self.access()))],
            [Line(f"atomic_thread_fence({update});", (SYNC,))],
        )
        return rng.choice(ways)


def _is(stmt: Stmt, kind: str) -> bool:
    return isinstance(stmt, Line) and any(name == kind for name, _ in stmt.ops)


if __name__ == "__main__":
    show(generate(int(sys.argv[1])))
