"""Small C programs from a seed, for comparing the algorithms: `python -m exploration.generator SEED` (from `tests`).

Two to four threads, a few locks and variables, every way to wait, and above all branches on shared data: a value is
read under a lock, and decides whether and under which lock another variable is touched, as in [PDP, Fig. 1]. That
is where a search that prunes by what a trace shows could miss what another one would do.

Every variable has a lock of its own; most accesses respect it, how many depends on the program. No program loops for
ever; a few can deadlock. The size is bounded so that `dfs` ends: see `syntax.estimate`.

Modes: `sc` has atomics that are sequentially consistent; `weak` has the other orders, fences, and failed trylocks that
tell something, on which the papers' co-enabled test and happens-before need not agree.
"""

from __future__ import annotations

import itertools
import random
import sys
from typing import Final

from differential.preamble import as_source

from exploration.syntax import (
    ACCESS,
    SYNC,
    Call,
    If,
    Line,
    Loop,
    Op,
    Section,
    Source,
    Stmt,
    Switch,
    estimate,
    render,
)

MODES: Final = ("sc", "weak")
MAX_SCHEDULES: Final = 20_000
MIN_SCHEDULES: Final = 20
_SIZES: Final = (500, 2000, 5000, MAX_SCHEDULES)
_CONDITIONS: Final = ("r{0}", "!r{0}", "r{0} == 0", "r{0} == 1", "r{0} > 1", "r{0} != 2")
_ERROR_RATES: Final = (0.0, 0.15, 0.3, 0.5, 0.8)
_ORDERS: Final = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")


def generate(seed: int, mode: str = "sc") -> Source:
    """The program of a seed: drawn again, each time smaller, until its schedules can all be tried."""
    rng = random.Random(f"{mode} {seed}")
    threads = rng.choices((2, 3, 4), (55, 33, 12))[0]
    limit = rng.choice(_SIZES) if threads == 2 else MAX_SCHEDULES
    size = {2: 4, 3: 2, 4: 1}[threads]
    may_block = rng.random() < 0.05
    for tries in itertools.count():
        if tries % 50 == 49:
            threads = max(2, threads - 1)
        source = _Draft(rng, seed, mode, threads, size).source()
        found = estimate(source, limit=MAX_SCHEDULES + 1)
        if MIN_SCHEDULES <= found.schedules <= limit and (may_block or not found.may_block):
            return source
        size = max(1, size - 1) if found.schedules > limit or threads > 2 else rng.choice((2, 3))
        limit = min(MAX_SCHEDULES, limit + limit // 16)
    raise AssertionError("unreachable")


def mode_of(seed: int) -> str:
    """One program of five has weaker atomics."""
    return "weak" if seed % 5 == 4 else "sc"


def batch(sources: list[Source]) -> tuple[str, list[str]]:
    """One text with all programs, and the name of the entry function of each."""
    entries = [f"main_{number}" for number in range(len(sources))]
    texts = [render(source, f"p{number}_", entries[number]) for number, source in enumerate(sources)]
    return "".join(texts), entries


class _Draft:
    """Writes one program of about `size` units a thread, `count` threads beside main."""

    def __init__(self, rng: random.Random, seed: int, mode: str, count: int, size: int) -> None:
        self.rng = rng
        self.seed, self.mode, self.count, self.size = seed, mode, count, size
        self.mutexes = rng.choice((1, 2, 2, 3)) if count == 2 else rng.choice((1, 1, 2))
        self.variables = rng.choice((1, 2, 2, 3, 4)) if count == 2 else rng.choice((1, 2, 2))
        self.home = [rng.randrange(self.mutexes) for _ in range(self.variables)]
        self.error_rate = rng.choice(_ERROR_RATES)
        self.has_rwlock = rng.random() < 0.12
        self.has_deadlocks = rng.random() < 0.04
        self.helpers: list[tuple[Stmt, ...]] = []
        self.bodies: list[list[Stmt]] = [[] for _ in range(self.count + 1)]
        self.handed = 0  # variables that are handed over, beside the ones with a lock

    def source(self) -> Source:
        rng = self.rng
        if rng.random() < 0.25:
            self.helpers.append(tuple(self._unit(1, in_helper=True)))
        fewest = 0 if self.mode == "weak" else 1
        for thread in range(1, self.count + 1):
            for _ in range(rng.randint(fewest, self.size)):
                self.bodies[thread] += self._unit(self._depth())
        meetings = {"flag": 3, "handshake": 2, "semaphore": 2, "barrier": 1, "ordered": 4}
        few = self.count > 2 or (self.mode == "weak" and self.size == 1)
        for _ in range(rng.choice((0, 0, 0, 1) if few else (0, 0, 1, 1, 1, 2))):
            self._meet(rng.choices(list(meetings), list(meetings.values()))[0])
        if self.mode == "weak":
            for _ in range(rng.choice((1, 1, 2)) if self.count == 2 else 1):
                self._message()
        self._main()
        return Source(
            self.seed,
            self.mode,
            tuple(self._globals()),
            tuple(self.helpers),
            tuple(tuple(body) for body in self.bodies),
        )

    def _globals(self) -> list[str]:
        lines = [f"static int @x{number};" for number in range(self.variables)]
        lines += [f"static int @y{number};" for number in range(self.handed)]
        lines += [f"static pthread_mutex_t @m{number} = PTHREAD_MUTEX_INITIALIZER;" for number in range(self.mutexes)]
        lines += [f"static int @f{number};" for number in range(3)]
        lines += [f"static pthread_cond_t @c{number} = PTHREAD_COND_INITIALIZER;" for number in range(3)]
        lines += ["static pthread_rwlock_t @w0 = PTHREAD_RWLOCK_INITIALIZER;", "static int @z0;"]
        lines += [f"static sem_t @s{number};" for number in range(3)]
        lines += [f"static pthread_barrier_t @b{number};" for number in range(3)]
        lines += [f"static atomic_int @a{number};" for number in range(3)]
        return lines

    def _wrong(self) -> bool:
        return self.rng.random() < self.error_rate

    def _depth(self) -> int:
        """How deep branches are nested; of more than two threads only one or two can have any."""
        if self.count == 2:
            return 2 if self.size > 1 else 1
        return 1 if self.rng.random() < 1.5 / self.count else 0

    # -- one thread

    def _unit(self, depth: int, in_helper: bool = False) -> list[Stmt]:
        rng = self.rng
        kinds = {self._guarded: 5}
        if depth:
            kinds |= {self._decide: 7, self._twice: 1, self._exchange_two: 1}
            kinds |= {self._choose: 1, self._loop: 1, self._try: 1, self._nested: 2, self._lock_if: 2}
        if self.has_rwlock:
            kinds[self._read_or_write] = 5
        if self.helpers and not in_helper:
            kinds[self._call] = 3
        if not in_helper and depth:
            kinds |= {self._atomic: 1, self._leave: 1}
        return rng.choices(list(kinds), list(kinds.values()))[0](depth)

    def _variable(self) -> int:
        return self.rng.randrange(self.variables)

    def _access(self, name: str) -> Line:
        rng = self.rng
        local = rng.randrange(2)
        kind = rng.choices(("set", "get", "add"), (5, 3, 2 if self.count == 2 else 0))[0]
        if kind == "set":
            return Line(f"@{name} = {rng.choice(('0', '1', '1', '2', f'r{local}'))};", (ACCESS,))
        if kind == "get":
            return Line(f"r{local} = @{name};", (ACCESS,))
        return Line(f"@{name}++;", (ACCESS, ACCESS))

    def _locked(self, mutex: int, body: list[Stmt]) -> Section:
        return Section(
            Line(f"pthread_mutex_lock(&@m{mutex});", (("lock", f"m{mutex}"),)),
            tuple(body),
            Line(f"pthread_mutex_unlock(&@m{mutex});", (("unlock", f"m{mutex}"),)),
        )

    def _protected(self, variable: int, accesses: list[Stmt]) -> list[Stmt]:
        """Under the lock of the variable, or wrongly under another one or none."""
        if not self._wrong():
            return [self._locked(self.home[variable], accesses)]
        if self.rng.random() < 0.5:
            return accesses
        return [self._locked(self.rng.randrange(self.mutexes), accesses)]

    def _guarded(self, depth: int) -> list[Stmt]:
        variable = self._variable()
        count = self.rng.choice((1, 1, 1, 2))
        return self._protected(variable, [self._access(f"x{variable}") for _ in range(count)])

    def _twice(self, depth: int) -> list[Stmt]:
        variable = self._variable()
        return [*self._protected(variable, [self._access(f"x{variable}")]), *self._guarded(depth)]

    def _exchange_two(self, depth: int) -> list[Stmt]:
        """Two variables at once, under both locks, in the order of the locks."""
        first, second = self._variable(), self._variable()
        locks = sorted({self.home[first], self.home[second]})
        if self.has_deadlocks:
            self.rng.shuffle(locks)
        if self._wrong():
            locks.pop()
        body: list[Stmt] = [self._access(f"x{first}"), self._access(f"x{second}")]
        for mutex in reversed(locks):
            body = [self._locked(mutex, body)]
        return body

    def _nested(self, depth: int) -> list[Stmt]:
        outer, inner = self._variable(), self._variable()
        within = self.home[outer] < self.home[inner] or (self.has_deadlocks and self.home[outer] != self.home[inner])
        body: list[Stmt] = [self._access(f"x{outer}")]
        if within:
            body += self._protected(inner, [self._access(f"x{inner}")])
        return [self._locked(self.home[outer], body)]

    def _condition(self, local: int) -> str:
        return self.rng.choice(_CONDITIONS).format(local)

    def _decide(self, depth: int) -> list[Stmt]:
        """[PDP, Fig. 1]: what was read under one lock decides what is done under which other."""
        rng = self.rng
        read, local = self._variable(), rng.randrange(2)
        look = self._protected(read, [Line(f"r{local} = @x{read};", (ACCESS,))])
        then = self._unit(depth - 1) if depth > 1 and rng.random() < 0.3 else self._touch(depth)
        otherwise = self._touch(depth) if rng.random() < 0.5 else []
        if depth > 1 and rng.random() < 0.2:
            then = [If(self._condition(rng.randrange(2)), (), tuple(then), tuple(self._touch(depth)))]
        return [*look, If(self._condition(local), (), tuple(then), tuple(otherwise))]

    def _touch(self, depth: int) -> list[Stmt]:
        """An access that the branch decides about: more often wrong than others, so that the branch matters."""
        variable = self._variable()
        access = self._access(f"x{variable}")
        choice = self.rng.random()
        if self.error_rate and choice < 0.2:
            return [access]
        if self.error_rate and choice < 0.45:
            return [self._locked(self.rng.randrange(self.mutexes), [access])]
        return [self._locked(self.home[variable], [access])]

    def _lock_if(self, depth: int) -> list[Stmt]:
        """A lock that is taken on a condition, around an access that happens on the same one, one hopes."""
        rng = self.rng
        read, touched, local = self._variable(), self._variable(), rng.randrange(2)
        look = self._protected(read, [Line(f"r{local} = @x{read};", (ACCESS,))])
        condition, other = f"r{local}", f"!r{local}" if self._wrong() else f"r{local}"
        mutex = self.home[touched]
        lock = Line(f"if ({condition}) pthread_mutex_lock(&@m{mutex});", (("lock", f"m{mutex}"),))
        unlock = Line(f"if ({condition}) pthread_mutex_unlock(&@m{mutex});", (("unlock", f"m{mutex}"),))
        access = rng.choice((Line(f"@x{touched} = 1;", (ACCESS,)), Line(f"@x{touched}++;", (ACCESS, ACCESS))))
        return [*look, Section(lock, (If(other, (), (access,)),), unlock)]

    def _choose(self, depth: int) -> list[Stmt]:
        read, local = self._variable(), self.rng.randrange(2)
        look = self._protected(read, [Line(f"r{local} = @x{read};", (ACCESS,))])
        cases = [tuple(self._touch(depth)) for _ in range(self.rng.choice((1, 2)))]
        return [*look, Switch(f"r{local}", (*cases, tuple(self._touch(depth)) if self.rng.random() < 0.6 else ()))]

    def _loop(self, depth: int) -> list[Stmt]:
        body = self._guarded(depth)
        if self.rng.random() < 0.4:
            body.append(If(self._condition(self.rng.randrange(2)), (), (Line("break;"),)))
        return [Loop(2, tuple(body))]

    def _leave(self, depth: int) -> list[Stmt]:
        """An early return."""
        read, local = self._variable(), self.rng.randrange(2)
        look = self._protected(read, [Line(f"r{local} = @x{read};", (ACCESS,))])
        return [*look, If(self._condition(local), (), (Line("return RESULT;"),))]

    def _try(self, depth: int) -> list[Stmt]:
        """A lock that is tried. In mode `sc` the failure tells nothing: it is no order, though nothing can race."""
        variable = self._variable()
        mutex = self.home[variable]
        unlock = Line(f"pthread_mutex_unlock(&@m{mutex});", (SYNC,))
        otherwise = self._touch(depth) if self.mode == "weak" and self.rng.random() < 0.5 else []
        condition = f"pthread_mutex_trylock(&@m{mutex}) == 0"
        return [If(condition, (SYNC,), (self._access(f"x{variable}"), unlock), tuple(otherwise))]

    def _read_or_write(self, depth: int) -> list[Stmt]:
        rng = self.rng
        access = self._access("z0")
        kind = "rdlock" if access.text.startswith("r") or self._wrong() else "wrlock"
        if self._wrong():
            return [access]
        body: list[Stmt] = [access]
        if kind == "rdlock" and rng.random() < 0.3:
            body.append(If(self._condition(rng.randrange(2)), (), tuple(self._touch(depth))))
        return [
            Section(
                Line(f"pthread_rwlock_{kind}(&@w0);", ((kind, "w0"),)),
                tuple(body),
                Line("pthread_rwlock_unlock(&@w0);", (("rwunlock", "w0"),)),
            )
        ]

    def _atomic(self, depth: int) -> list[Stmt]:
        """An atomic that decides; every order in mode `weak`, the strongest in mode `sc`."""
        rng = self.rng
        local, number = rng.randrange(2), rng.randrange(2)
        load = rng.choice(
            (
                f"r{local} = atomic_load_explicit(&@a{number}, {self._order('load')});",
                f"r{local} = atomic_fetch_add_explicit(&@a{number}, 1, {self._order('update')});",
                f"r{local} = atomic_exchange_explicit(&@a{number}, 1, {self._order('update')});",
            )
        )
        if rng.random() < 0.3:
            return [Line(f"atomic_store_explicit(&@a{number}, {rng.choice('012')}, {self._order('store')});", (SYNC,))]
        return [Line(load, (SYNC,)), If(self._condition(local), (), tuple(self._touch(depth)))]

    def _call(self, depth: int) -> list[Stmt]:
        call = Call(self.rng.randrange(len(self.helpers)))
        if self.rng.random() < 0.4:
            return [If(self._condition(0), (), (call,))]
        return [call]

    # -- two threads

    def _insert(self, thread: int, stmts: list[Stmt]) -> None:
        """Somewhere into the thread, in this order."""
        body = self.bodies[thread]
        at = self.rng.randint(0, len(body))
        body[at:at] = stmts

    def _hand_over(self) -> str:
        self.handed += 1
        return f"y{self.handed - 1}"

    def _meet(self, kind: str) -> None:
        """One thread tells another that it is done with a variable, which the other then uses without a lock."""
        rng = self.rng
        giver, taker = rng.sample(range(1, self.count + 1), 2)
        name = self._hand_over()
        number = self.handed - 1
        if number > 2:
            return
        before: list[Stmt] = [self._access(name)]
        behind: list[Stmt] = [self._access(name)] if self._wrong() else []
        use: list[Stmt] = [self._access(name)]
        early: list[Stmt] = [self._access(name)] if self._wrong() else []
        tell, hear = getattr(self, f"_{kind}")(number, use)
        self._insert(giver, [*before, *tell, *behind])
        self._insert(taker, [*early, *hear])

    def _flag(self, number: int, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        local = self.rng.randrange(2)
        if self.mode == "sc" or self.rng.random() < 0.5:
            store, load = "memory_order_seq_cst", "memory_order_seq_cst"
        else:
            store, load = self._order("store"), self._order("load")
        tell = Line(f"atomic_store_explicit(&@a{number}, 1, {store});", (SYNC,))
        hear = Line(f"r{local} = atomic_load_explicit(&@a{number}, {load});", (SYNC,))
        condition = f"r{local} != 1" if self._wrong() else f"r{local} == 1"
        return [tell], [hear, If(condition, (), tuple(use))]

    def _ordered(self, number: int, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        """The order is in a value that is read under a lock."""
        mutex, local = self.rng.randrange(self.mutexes), self.rng.randrange(2)
        tell = self._locked(mutex, [Line(f"@f{number} = 1;", (ACCESS,))])
        hear = self._locked(mutex, [Line(f"r{local} = @f{number};", (ACCESS,))])
        condition = f"!r{local}" if self._wrong() else f"r{local}"
        if self.rng.random() < 0.3:
            use = [self._locked(self.rng.randrange(self.mutexes), use)]
        otherwise = tuple(self._touch(1)) if self.rng.random() < 0.3 else ()
        return [tell], [hear, If(condition, (), tuple(use), otherwise)]

    def _handshake(self, number: int, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        mutex = self.rng.randrange(self.mutexes)
        signal = self.rng.choice(("signal", "broadcast"))
        tell = self._locked(
            mutex,
            [
                Line(f"@f{number} = 1;", (ACCESS, ("set", f"c{number}"))),
                Line(f"pthread_cond_{signal}(&@c{number});", (SYNC,)),
            ],
        )
        wait = Section(
            Line(f"pthread_mutex_lock(&@m{mutex});", (("await", f"c{number}"), ("lock", f"m{mutex}"))),
            (Line(f"while (!@f{number}) pthread_cond_wait(&@c{number}, &@m{mutex});", (ACCESS,)),),
            Line(f"pthread_mutex_unlock(&@m{mutex});", (("unlock", f"m{mutex}"),)),
        )
        return [tell], [wait, *use]

    def _semaphore(self, number: int, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        tell = Line(f"sem_post(&@s{number});", (("post", f"s{number}"),))
        hear = Line(f"sem_wait(&@s{number});", (("wait", f"s{number}"),))
        return [tell], [hear, *use]

    def _barrier(self, number: int, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        meet = Line(f"pthread_barrier_wait(&@b{number});", (("arrive", f"b{number}"), ("leave", f"b{number}")))
        return [meet], [meet, *use]

    # -- weaker orders

    def _order(self, kind: str) -> str:
        if self.mode == "sc":
            return "memory_order_seq_cst"
        fitting = {
            "load": ("relaxed", "acquire", "acquire", "seq_cst"),
            "store": ("relaxed", "release", "release", "seq_cst"),
            "update": _ORDERS,
        }
        return f"memory_order_{self.rng.choice(fitting[kind])}"

    def _message(self) -> None:
        """A variable is handed over by an atomic: strong enough, or not; through a third thread, with fences."""
        rng = self.rng
        number = self.handed
        if number > 2:
            return
        threads = rng.sample(range(1, self.count + 1), min(self.count, rng.choice((2, 2, 3))))
        name = self._hand_over()
        fence = "atomic_thread_fence({});".format
        tell: list[Stmt] = [self._access(name)]
        if rng.random() < 0.35:
            order = rng.choice(("memory_order_release", "memory_order_seq_cst", "memory_order_acquire"))
            tell.append(Line(fence(order), (SYNC,)))
        store = rng.choice(
            (
                f"atomic_store_explicit(&@a{number}, 1, {self._order('store')});",
                f"atomic_exchange_explicit(&@a{number}, 1, {self._order('update')});",
                f"atomic_fetch_add_explicit(&@a{number}, 1, {self._order('update')});",
            )
        )
        tell.append(Line(store, (SYNC,)))
        if self._wrong():
            tell.append(self._access(name))
        self._insert(threads[0], tell)
        for middle in threads[2:]:
            again = rng.choice(
                (
                    f"atomic_fetch_add_explicit(&@a{number}, 1, {self._order('update')});",
                    f"atomic_store_explicit(&@a{number}, 2, {self._order('store')});",
                )
            )
            self._insert(middle, [Line(again, (SYNC,))])
        hear: list[Stmt] = []
        use: list[Stmt] = [self._access(name)]
        if rng.random() < 0.35:
            order = rng.choice(("memory_order_acquire", "memory_order_seq_cst", "memory_order_release"))
            use.insert(0, Line(fence(order), (SYNC,)))
        if rng.random() < 0.25:
            success, failure = self._order("update"), self._order("load")
            hear.append(Line("e0 = 1;"))
            exchange = f"atomic_compare_exchange_strong_explicit(&@a{number}, &e0, 3, {success}, {failure})"
            hear.append(If(exchange, (SYNC,), tuple(use)))
        else:
            local = rng.randrange(2)
            hear.append(Line(f"r{local} = atomic_load_explicit(&@a{number}, {self._order('load')});", (SYNC,)))
            hear.append(If(f"r{local} >= {rng.choice((1, 1, 2))}", (), tuple(use)))
        self._insert(threads[1], hear)

    # -- main

    def _main(self) -> None:
        rng = self.rng
        body = self.bodies[0]
        used = {name for thread in self.bodies for stmt in thread for _, name in _flat(stmt)}
        body += [Line(f"sem_init(&@{name}, 0, 0);") for name in sorted(used) if name.startswith("s")]
        body += [Line(f"pthread_barrier_init(&@{name}, 0, 2);") for name in sorted(used) if name.startswith("b")]
        if rng.random() < 0.15:
            body.append(Line(f"@x{self._variable()} = {rng.choice((1, 2))};", (ACCESS,)))
        child = 0
        if self.count > 1 and rng.random() < 0.15:
            child = self.count
            parent = rng.randint(1, self.count - 1)
            create, join = self._create(child), self._join(child)
            at = rng.randint(0, len(self.bodies[parent]))
            self.bodies[parent].insert(at, create)
            self.bodies[parent].insert(rng.randint(at + 1, len(self.bodies[parent])), join)
        children = [thread for thread in range(1, self.count + 1) if thread != child]
        for thread in children:
            body.append(self._create(thread))
            if rng.random() < 0.06 and self.size > 1:
                body += self._guarded(0)
        forgotten = rng.choice(children) if rng.random() < 0.04 else 0
        rng.shuffle(children)
        for thread in children:
            if thread != forgotten:
                body.append(self._join(thread))
            if rng.random() < 0.06:
                body.append(self._access(f"x{self._variable()}"))
        if rng.random() < 0.3:
            body.append(self._access(f"x{self._variable()}"))

    @staticmethod
    def _create(thread: int) -> Line:
        return Line(f"pthread_create(&id{thread}, 0, @t{thread}, 0);", (("create", str(thread)),))

    @staticmethod
    def _join(thread: int) -> Line:
        return Line(f"pthread_join(id{thread}, 0);", (("join", str(thread)),))


def _flat(stmt: Stmt) -> list[Op]:
    match stmt:
        case Line():
            return list(stmt.ops)
        case Section():
            return [*stmt.head.ops, *(op for inner in stmt.body for op in _flat(inner)), *stmt.tail.ops]
        case If():
            return [*stmt.ops, *(op for inner in (*stmt.then, *stmt.otherwise) for op in _flat(inner))]
        case Switch():
            return [op for case in stmt.cases for inner in case for op in _flat(inner)]
        case Loop():
            return [op for inner in stmt.body for op in _flat(inner)]
        case Call():
            return []


def main() -> None:
    mode = sys.argv[2] if len(sys.argv) > 2 else "sc"
    source = generate(int(sys.argv[1]), mode)
    schedules = estimate(source).schedules
    print(f"{as_source(render(source))}// seed {source.seed}, mode {mode}, about {schedules:,} schedules")


if __name__ == "__main__":
    main()
