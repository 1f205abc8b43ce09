"""Small C programs from a seed in which threads wait for one another in chains: `python -m exploration.chains SEED`.

To be started in `tests`. A thread asks whether another one was there, by a semaphore, an atomic, a flag under a lock, a
lock that is held; if so it tells a third one, or touches what is shared. Two, three and four steps, each by another
thread, decide whether an access comes at all: a search that tries a thread earlier must also try those that it needs.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable
from typing import Final

from exploration.syntax import ACCESS, SYNC, If, Line, Section, Source, Stmt, estimate, show

MODE: Final = "chains"
MAX_SCHEDULES: Final = 5_000
MIN_SCHEDULES: Final = 4
_FLAGS: Final = 4
_GLOBALS: Final = (
    *(f"static int @x{number};" for number in range(2)),
    *(f"static sem_t @s{number};" for number in range(_FLAGS)),
    *(f"static atomic_int @a{number};" for number in range(_FLAGS)),
    *(f"static int @f{number};" for number in range(_FLAGS)),
    *(f"static pthread_mutex_t @m{number} = PTHREAD_MUTEX_INITIALIZER;" for number in range(_FLAGS)),
    *(f"static pthread_rwlock_t @w{number} = PTHREAD_RWLOCK_INITIALIZER;" for number in range(_FLAGS)),
)


def generate(seed: int) -> Source:
    """The program of a seed: drawn again until its schedules can all be tried."""
    rng = random.Random(f"{MODE} {seed}")
    threads = rng.choice((3, 3, 4))
    for tries in itertools.count():
        source = _Draft(rng, seed, threads).source()
        if MIN_SCHEDULES <= estimate(source, limit=MAX_SCHEDULES + 1).schedules <= MAX_SCHEDULES:
            return source
        if tries == 30:
            threads = 3
    raise AssertionError("unreachable")


class _Draft:
    """Writes one program; a flag is of the same sort everywhere."""

    def __init__(self, rng: random.Random, seed: int, count: int) -> None:
        self.rng, self.seed, self.count = rng, seed, count
        sorts = rng.sample(list(_SORTS), rng.choice((1, 1, 2, 3)))
        self.sort = [rng.choice(sorts) for _ in range(_FLAGS)]
        self.orders = rng.choice((("seq_cst",), ("seq_cst",), ("relaxed", "acquire"), ("acquire",)))

    def source(self) -> Source:
        rng = self.rng
        bodies = [self.body(rng.choice((0, 1, 1, 2))) for _ in range(self.count)]
        bodies[rng.randrange(self.count)] = self.access()
        main: list[Stmt] = [
            Line(f"sem_init(&@s{flag}, 0, 0);") for flag in range(_FLAGS) if self.sort[flag] == "posted"
        ]
        for thread in range(1, self.count + 1):
            main.append(Line(f"pthread_create(&id{thread}, 0, @t{thread}, 0);", (("create", str(thread)),)))
        if rng.random() < 0.3:
            main += self.access()
        return Source(self.seed, MODE, _GLOBALS, (), (tuple(main), *(tuple(body) for body in bodies)))

    def body(self, depth: int) -> list[Stmt]:
        """Ask, and inside ask again or do something."""
        rng = self.rng
        if depth == 0:
            return [*self.tell(), *(self.access() if rng.random() < 0.3 else [])]
        inner = self.body(depth - 1) if depth > 1 or rng.random() < 0.6 else self.access()
        otherwise = rng.choice((self.access, self.tell))() if rng.random() < 0.2 else []
        before = self.tell() if rng.random() < 0.25 else []
        return [*before, *self.ask(inner, otherwise)]

    def access(self) -> list[Stmt]:
        place = f"@x{self.rng.choice((0, 0, 0, 1))}"
        return [Line(self.rng.choice((f"{place} = 1;", f"{place} = 2;", f"r1 = {place};")), (ACCESS,))]

    def tell(self) -> list[Stmt]:
        flag = self.rng.randrange(_FLAGS - 1)
        return _SORTS[self.sort[flag]][0](self, flag)

    def ask(self, then: list[Stmt], otherwise: list[Stmt]) -> list[Stmt]:
        flag = self.rng.randrange(_FLAGS - 1)
        return _SORTS[self.sort[flag]][1](self, flag, then, otherwise)

    # -- sorts of flags

    def post(self, flag: int) -> list[Stmt]:
        return [Line(f"sem_post(&@s{flag});", (SYNC,))]

    def try_wait(self, flag: int, then: list[Stmt], otherwise: list[Stmt]) -> list[Stmt]:
        if self.rng.random() < 0.2:
            return [Line(f"sem_wait(&@s{flag});", (SYNC,)), *then]
        return [If(f"sem_trywait(&@s{flag}) == 0", (SYNC,), tuple(then), tuple(otherwise))]

    def store(self, flag: int) -> list[Stmt]:
        order = self.rng.choice(self.orders).replace("acquire", "release")
        return [Line(f"atomic_store_explicit(&@a{flag}, 1, memory_order_{order});", (SYNC,))]

    def load(self, flag: int, then: list[Stmt], otherwise: list[Stmt]) -> list[Stmt]:
        order = f"memory_order_{self.rng.choice(self.orders)}"
        asked = f"atomic_load_explicit(&@a{flag}, {order})"
        if self.rng.random() < 0.25:
            asked = f"atomic_exchange_explicit(&@a{flag}, 2, {order}) == 1"
        return [If(asked, (SYNC,), tuple(then), tuple(otherwise))]

    def set_locked(self, flag: int) -> list[Stmt]:
        return [self.locked(flag, Line(f"@f{flag} = 1;", (ACCESS,)))]

    def get_locked(self, flag: int, then: list[Stmt], otherwise: list[Stmt]) -> list[Stmt]:
        read = self.locked(flag, Line(f"r0 = @f{flag};", (ACCESS,)))
        return [read, If("r0", (), tuple(then), tuple(otherwise))]

    def locked(self, flag: int, inside: Line) -> Stmt:
        lock, unlock = (Line(f"pthread_mutex_{kind}(&@m{flag});", ((kind, f"m{flag}"),)) for kind in ("lock", "unlock"))
        return Section(lock, (inside,), unlock)

    def hold(self, flag: int) -> list[Stmt]:
        kind = self.rng.choice(("rdlock", "tryrdlock", "trywrlock"))
        return [Line(f"pthread_rwlock_{kind}(&@w{flag});", (SYNC,))]

    def try_hold(self, flag: int, then: list[Stmt], otherwise: list[Stmt]) -> list[Stmt]:
        kind = self.rng.choice(("tryrdlock", "trywrlock", "trywrlock"))
        return [If(f"pthread_rwlock_{kind}(&@w{flag}) != 0", (SYNC,), tuple(then), tuple(otherwise))]


_Tell = Callable[[_Draft, int], list[Stmt]]
_Ask = Callable[[_Draft, int, list[Stmt], list[Stmt]], list[Stmt]]
_SORTS: Final[dict[str, tuple[_Tell, _Ask]]] = {
    "posted": (_Draft.post, _Draft.try_wait),
    "atomic": (_Draft.store, _Draft.load),
    "locked": (_Draft.set_locked, _Draft.get_locked),
    "held": (_Draft.hold, _Draft.try_hold),
}


if __name__ == "__main__":
    show(generate(int(sys.argv[1])))
