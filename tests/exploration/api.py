"""Small C programs from a seed with the whole thread API, pointers and heap: `python -m exploration.api SEED`.

To be started in `tests`. Mutexes, spin locks, rwlocks and semaphores, also tried; conditions, barriers, once;
threads that are joined, detached, made by threads, given an argument; thread-locals; nodes that are static, on the
heap, in a list, published by a pointer; atomics of every order; inputs. Each unit of a thread keeps to the protocol
of what it touches; some do not, how many depends on the program.

No program loops for ever; `syntax.estimate` bounds the size, so that `dfs` ends.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable
from typing import Final

from exploration.syntax import ACCESS, SYNC, If, Line, Loop, Op, Section, Source, Stmt, estimate, show

MODE: Final = "api"
MAX_SCHEDULES: Final = 3_000
MIN_SCHEDULES: Final = 4
_SIZES: Final = (60, 300, 1000, MAX_SCHEDULES)
_ERROR_RATES: Final = (0.0, 0.2, 0.35, 0.5, 0.7)
_LOADS: Final = ("relaxed", "acquire", "acquire", "seq_cst")
_STORES: Final = ("relaxed", "release", "release", "seq_cst")
_UPDATES: Final = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
_GLOBALS: Final = (
    "struct @N { int v, w; struct @N *next; pthread_mutex_t lock; };",
    "static struct @N @n0 = {0, 0, 0, PTHREAD_MUTEX_INITIALIZER};",
    "static struct @N @n1 = {0, 0, 0, PTHREAD_MUTEX_INITIALIZER};",
    "static struct @N *@head;",
    "static struct @N *_Atomic @ap;",
    *(f"static int @x{number};" for number in range(3)),
    *(f"static int @y{number};" for number in range(3)),
    "static int @v[4];",
    *(f"static pthread_mutex_t @m{number} = PTHREAD_MUTEX_INITIALIZER;" for number in range(2)),
    "static pthread_rwlock_t @w0 = PTHREAD_RWLOCK_INITIALIZER;",
    "static int @u0;",
    "static pthread_spinlock_t @k0;",
    "static int @j0;",
    "static sem_t @s0;",
    "static int @q0;",
    *(f"static sem_t @s{number};" for number in (1, 2, 3)),
    *(f"static pthread_barrier_t @b{number};" for number in range(3)),
    *(f"static pthread_cond_t @c{number} = PTHREAD_COND_INITIALIZER;" for number in range(3)),
    *(f"static int @f{number};" for number in range(3)),
    "static pthread_once_t @o0 = PTHREAD_ONCE_INIT;",
    "static int @z0;",
    "static void @init(void) { @z0 = 1; }",
    *(f"static atomic_int @a{number};" for number in range(3)),
    "static _Thread_local int @l0;",
)
_INITIAL: Final = {
    "k0": "pthread_spin_init(&@k0, 0);",
    "s0": "sem_init(&@s0, 0, 1);",
    **{f"s{number}": f"sem_init(&@s{number}, 0, 0);" for number in (1, 2, 3)},
    **{f"b{number}": f"pthread_barrier_init(&@b{number}, 0, 2);" for number in range(3)},
}


def generate(seed: int) -> Source:
    """The program of a seed: drawn again until its schedules can all be tried."""
    rng = random.Random(f"{MODE} {seed}")
    threads = rng.choices((2, 3), (75, 25))[0]
    limit = rng.choice(_SIZES)
    size = 3 if threads == 2 else 2
    for tries in itertools.count():
        source = _Draft(rng, seed, threads, size).source()
        found = estimate(source, limit=MAX_SCHEDULES + 1)
        if MIN_SCHEDULES <= found.schedules <= limit and not found.may_block:
            return source
        if found.schedules > limit:
            size = max(1, size - 1)
        if tries % 20 == 19:
            threads, limit, size = 2, MAX_SCHEDULES, rng.choice((1, 2))
    raise AssertionError("unreachable")


class _Draft:
    """Writes one program: `count` threads beside main, about `size` units each."""

    def __init__(self, rng: random.Random, seed: int, count: int, size: int) -> None:
        self.rng = rng
        self.seed, self.count, self.size = seed, count, size
        self.error_rate = rng.choice(_ERROR_RATES)
        self.arguments = [rng.choice(("0", "&@n0", "&@n0", "&@n1")) for _ in range(count + 1)]
        self.bodies: list[list[Stmt]] = [[] for _ in range(count + 1)]
        self.handed = 0

    def source(self) -> Source:
        rng = self.rng
        shared = [unit for topic in rng.sample(_TOPICS, rng.choice((1, 1, 2))) for unit in topic]
        for thread in range(1, self.count + 1):
            for _ in range(rng.randint(1, self.size)):
                unit = rng.choice(shared) if rng.random() < 0.92 else rng.choice(_UNITS)
                self.bodies[thread] += unit(self, thread)
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            self._meet()
        self._main()
        return Source(self.seed, MODE, _GLOBALS, (), tuple(tuple(body) for body in self.bodies))

    # -- small parts

    def wrong(self) -> bool:
        return self.rng.random() < self.error_rate

    def order(self, fitting: tuple[str, ...], right: str) -> str:
        return f"memory_order_{self.rng.choice(fitting) if self.wrong() else self.rng.choice((right, 'seq_cst'))}"

    def access(self, place: str) -> Line:
        rng = self.rng
        return rng.choice(
            (
                Line(f"{place} = {rng.randint(0, 2)};", (ACCESS,)),
                Line(f"r{rng.randrange(2)} = {place};", (ACCESS,)),
                Line(f"{place} = r0;", (ACCESS,)),
                Line(f"{place}++;", (ACCESS, ACCESS)),
            )
        )

    def condition(self) -> str:
        return self.rng.choice(("r0", "!r0", "r1 == 0", "r0 == 1", "r1 > 0", "r0 != r1"))

    def within(self, lock: str, unlock: str, ops: tuple[Op, Op], body: list[Stmt]) -> list[Stmt]:
        """Between the two calls; wrongly without them."""
        if self.wrong():
            return body
        return [Section(Line(lock, (ops[0],)), tuple(body), Line(unlock, (ops[1],)))]

    def mutex(self, name: str, body: list[Stmt]) -> list[Stmt]:
        if self.wrong():
            name = self.rng.choice(("m0", "m1"))
        return self.within(
            f"pthread_mutex_lock(&@{name});",
            f"pthread_mutex_unlock(&@{name});",
            (("lock", name), ("unlock", name)),
            body,
        )

    # -- units of one thread

    def guarded(self, thread: int) -> list[Stmt]:
        number = self.rng.randrange(2)
        return self.mutex(f"m{number}", [self.access(f"@x{number}")])

    def decided(self, thread: int) -> list[Stmt]:
        """What is read under one lock decides about what is under the other."""
        look = self.mutex("m0", [Line("r0 = @x0;", (ACCESS,))])
        return [*look, If(self.condition(), (), tuple(self.mutex("m1", [self.access("@x1")])))]

    def tried(self, thread: int) -> list[Stmt]:
        kind = self.rng.choice(("mutex", "spin", "rwlock"))
        name, place = {"mutex": ("m0", "@x0"), "spin": ("k0", "@j0"), "rwlock": ("w0", "@u0")}[kind]
        call = "trywrlock" if kind == "rwlock" else "trylock"
        unlock = Line(f"pthread_{kind}_unlock(&@{name});", (SYNC,))
        test = "!=" if self.wrong() and kind == "mutex" else "=="
        return [If(f"pthread_{kind}_{call}(&@{name}) {test} 0", (SYNC,), (self.access(place), unlock))]

    def spun(self, thread: int) -> list[Stmt]:
        ops = (("lock", "k0"), ("unlock", "k0"))
        return self.within("pthread_spin_lock(&@k0);", "pthread_spin_unlock(&@k0);", ops, [self.access("@j0")])

    def read_or_write(self, thread: int) -> list[Stmt]:
        access = self.access("@u0")
        reads = access.text.startswith("r")
        kind = "rdlock" if reads or self.wrong() else "wrlock"
        if reads and self.rng.random() < 0.3:
            inner = (access, Line("pthread_rwlock_unlock(&@w0);", (SYNC,)))
            return [If("pthread_rwlock_tryrdlock(&@w0) == 0", (SYNC,), inner)]
        ops = ((kind, "w0"), ("rwunlock", "w0"))
        return self.within(f"pthread_rwlock_{kind}(&@w0);", "pthread_rwlock_unlock(&@w0);", ops, [access])

    def token(self, thread: int) -> list[Stmt]:
        """A semaphore as a lock."""
        if self.rng.random() < 0.3:
            inner = (self.access("@q0"), Line("sem_post(&@s0);", (SYNC,)))
            return [If("sem_trywait(&@s0) == 0", (SYNC,), inner)]
        return self.within(
            "sem_wait(&@s0);", "sem_post(&@s0);", (("lock", "s0"), ("unlock", "s0")), [self.access("@q0")]
        )

    def node(self, thread: int) -> list[Stmt]:
        """A node by a pointer, under the lock inside it."""
        rng = self.rng
        ways = ("p0 = &@n0;", "p0 = &@n1;", "p0 = r0 ? &@n0 : &@n1;", "p0 = arg ? arg : &@n0;")
        find = Line(rng.choice(ways if thread else ways[:-1]))
        taken = rng.choice(("&@n0.lock", "&@n1.lock")) if self.wrong() else "&p0->lock"
        body: list[Stmt] = [self.access(rng.choice(("p0->v", "p0->v", "p0->w")))]
        return [
            find,
            *self.within(f"pthread_mutex_lock({taken});", f"pthread_mutex_unlock({taken});", (SYNC, SYNC), body),
        ]

    def push(self, thread: int) -> list[Stmt]:
        """A new node into the list."""
        late: list[Stmt] = [self.access("p1->v")] if self.wrong() else []
        link: list[Stmt] = [
            Line("p1->next = @head;", (ACCESS,)),
            Line("@head = p1;", (ACCESS,)),
        ]
        return [
            Line("p1 = malloc(sizeof *p1);"),
            Line("if (!p1) return RESULT;"),
            Line(f"p1->v = {self.rng.randint(0, 2)};"),
            *self.mutex("m0", link),
            *late,
        ]

    def pop(self, thread: int) -> list[Stmt]:
        """Take the first node; it is ours then."""
        rng = self.rng
        take: list[Stmt] = [Line("p0 = @head;", (ACCESS,))]
        if not self.wrong():
            take.append(If("p0", (), (Line("@head = p0->next;", (ACCESS, ACCESS)),)))
        after = rng.choice(
            (Line("free(p0);", (ACCESS,)), Line("p0->v++;", (ACCESS, ACCESS)), Line("r0 = p0->v;", (ACCESS,)))
        )
        return [*self.mutex("m0", take), If("p0", (), (after,))]

    def peek(self, thread: int) -> list[Stmt]:
        look: list[Stmt] = [Line("p0 = @head;", (ACCESS,)), If("p0", (), (self.access("p0->v"),))]
        return self.mutex("m0", look)

    def publish(self, thread: int) -> list[Stmt]:
        """A node that is ready, by an atomic pointer."""
        fill, late = Line("p1->v = 1;"), [self.access("p1->v")] if self.wrong() else []
        store = Line(f"atomic_store_explicit(&@ap, p1, {self.order(_STORES, 'release')});", (SYNC,))
        return [Line("p1 = malloc(sizeof *p1);"), Line("if (!p1) return RESULT;"), fill, store, *late]

    def find(self, thread: int) -> list[Stmt]:
        load = Line(f"p0 = atomic_load_explicit(&@ap, {self.order(_LOADS, 'acquire')});", (SYNC,))
        use = self.access("p0->v") if self.wrong() else Line("r0 = p0->v;", (ACCESS,))
        return [load, If("p0", (), (use,))]

    def once(self, thread: int) -> list[Stmt]:
        call: list[Stmt] = [] if self.wrong() else [Line("pthread_once(&@o0, @init);", (SYNC,))]
        return [*call, Line("r0 = @z0;", (ACCESS,))]

    def own(self, thread: int) -> list[Stmt]:
        """Something of the thread's own."""
        rng = self.rng
        index = thread if not self.wrong() else rng.randrange(3)
        ways: tuple[list[Stmt], ...] = (
            [Line("@l0 = r0 + 1;"), Line("r1 = @l0;")],
            [Line("@l0++;"), *self.mutex("m0", [Line("@x0 = @l0;", (ACCESS,))])],
            [Line(f"@v[{index}]++;", (ACCESS, ACCESS))],
            [Loop(2, (Line(f"@v[{index}] = i;", (ACCESS,)),))],
        )
        return rng.choice(ways)

    def claim(self, thread: int) -> list[Stmt]:
        """Whoever is first has it."""
        rng = self.rng
        draw = rng.choice(
            (
                f"atomic_exchange_explicit(&@a0, 1, {self.order(_UPDATES, 'acq_rel')}) == 0",
                f"atomic_fetch_add_explicit(&@a1, 1, {self.order(_UPDATES, 'acq_rel')}) == {rng.choice((0, 0, 1))}",
            )
        )
        return [If(draw, (SYNC,), (self.access("@x2"),))]

    def input(self, thread: int) -> list[Stmt]:
        look = Line(f"r0 = __VERIFIER_nondet_int() ? {self.rng.randint(0, 2)} : 1;")
        return [look, If(self.condition(), (), tuple(self.guarded(thread)))]

    # -- units of two threads

    def _insert(self, thread: int, stmts: list[Stmt]) -> None:
        body = self.bodies[thread]
        at = self.rng.randint(0, len(body))
        body[at:at] = stmts

    def _meet(self) -> None:
        """One thread is done with a variable, and tells another, which then uses it without a lock."""
        rng = self.rng
        number = self.handed
        if number > 2:
            return
        self.handed += 1
        giver, taker = rng.sample(range(1, self.count + 1), 2)
        tell, hear = rng.choice((self._signal, self._post, self._pass, self._flag))(number)
        place = f"@y{number}"
        late: list[Stmt] = [self.access(place)] if self.wrong() else []
        early: list[Stmt] = [self.access(place)] if self.wrong() else []
        use: list[Stmt] = [self.access(place)]
        self._insert(giver, [self.access(place), *tell, *late])
        self._insert(taker, [*early, *hear(use)])

    def _signal(self, number: int) -> tuple[list[Stmt], Callable[[list[Stmt]], list[Stmt]]]:
        call = self.rng.choice(("signal", "broadcast"))
        told = (
            Line(f"@f{number} = 1;", (ACCESS, ("set", f"c{number}"))),
            Line(f"pthread_cond_{call}(&@c{number});", (SYNC,)),
        )
        unlock = Line("pthread_mutex_unlock(&@m0);", (("unlock", "m0"),))
        tell = Section(Line("pthread_mutex_lock(&@m0);", (("lock", "m0"),)), told, unlock)
        wait = Section(
            Line("pthread_mutex_lock(&@m0);", (("await", f"c{number}"), ("lock", "m0"))),
            (Line(f"while (!@f{number}) pthread_cond_wait(&@c{number}, &@m0);", (ACCESS,)),),
            unlock,
        )
        return [tell], lambda use: [wait, *use]

    def _post(self, number: int) -> tuple[list[Stmt], Callable[[list[Stmt]], list[Stmt]]]:
        name = f"s{number + 1}"
        wait = Line(f"sem_wait(&@{name});", (("wait", name),))
        return [Line(f"sem_post(&@{name});", (("post", name),))], lambda use: [wait, *use]

    def _pass(self, number: int) -> tuple[list[Stmt], Callable[[list[Stmt]], list[Stmt]]]:
        name = f"b{number}"
        meet = Line(f"pthread_barrier_wait(&@{name});", (("arrive", name), ("leave", name)))
        return [meet], lambda use: [meet, *use]

    def _flag(self, number: int) -> tuple[list[Stmt], Callable[[list[Stmt]], list[Stmt]]]:
        rng = self.rng
        store = self.order(_STORES, "release")
        tell = Line(f"atomic_store_explicit(&@a{number}, 3, {store});", (SYNC,))
        fence: list[Stmt] = []
        load = self.order(_LOADS, "acquire")
        told: list[Stmt] = [tell]
        if rng.random() < 0.2:
            told = [
                Line(f"atomic_thread_fence({self.order(_UPDATES, 'release')});", (SYNC,)),
                Line(f"atomic_store_explicit(&@a{number}, 3, memory_order_relaxed);", (SYNC,)),
            ]
            fence = [Line(f"atomic_thread_fence({self.order(_UPDATES, 'acquire')});", (SYNC,))]
            load = "memory_order_relaxed"
        look = Line(f"r1 = atomic_load_explicit(&@a{number}, {load});", (SYNC,))
        return told, lambda use: [look, If("r1 == 3", (), (*fence, *use))]

    # -- main

    def _main(self) -> None:
        rng = self.rng
        body = self.bodies[0]
        text = "\n".join(_texts(stmt) for thread in self.bodies for stmt in thread)
        body += [Line(call) for name, call in _INITIAL.items() if f"@{name}" in text]
        if rng.random() < 0.3:
            body.append(self.access(rng.choice(("@x0", "@n0.v", "@v[0]", "@u0"))))
        child = self.count if rng.random() < 0.2 else 0
        if child:
            self._make_child(child)
        children = [thread for thread in range(1, self.count + 1) if thread != child]
        detached = rng.choice(children) if rng.random() < 0.12 else 0
        for thread in children:
            body.append(self._create(thread))
            if thread == detached:
                body.append(Line(f"pthread_detach(id{thread});"))
            if rng.random() < 0.08:
                body += rng.choice(_UNITS)(self, 0)
        rng.shuffle(children)
        for thread in children:
            if thread != detached and not (self.wrong() and rng.random() < 0.2):
                body.append(Line(f"pthread_join(id{thread}, 0);", (("join", str(thread)),)))
            if rng.random() < 0.1:
                body.append(self.access(rng.choice(("@x0", "@n0.v", "@v[0]", "@u0"))))
        if rng.random() < 0.3:
            body.append(self.access(rng.choice(("@x0", "@x1", "@n0.v", "@v[1]", "@y0"))))

    def _make_child(self, child: int) -> None:
        """The last thread is made by another one."""
        parent = self.rng.randint(1, self.count - 1)
        body = self.bodies[parent]
        at = self.rng.randint(0, len(body))
        body.insert(at, self._create(child))
        if self.rng.random() < 0.75:
            join = Line(f"pthread_join(id{child}, 0);", (("join", str(child)),))
            body.insert(self.rng.randint(at + 1, len(body)), join)
        else:
            body.insert(at + 1, Line(f"pthread_detach(id{child});"))

    def _create(self, thread: int) -> Line:
        create = f"pthread_create(&id{thread}, 0, @t{thread}, {self.arguments[thread]});"
        return Line(create, (("create", str(thread)),))


def _texts(stmt: Stmt) -> str:
    match stmt:
        case Line(text):
            return text
        case Section(head, body, tail):
            return "\n".join((head.text, *map(_texts, body), tail.text))
        case If(condition, _, then, otherwise):
            return "\n".join((condition, *map(_texts, (*then, *otherwise))))
        case Loop(_, body):
            return "\n".join(map(_texts, body))
    return ""


_TOPICS: Final = (
    (_Draft.guarded, _Draft.decided, _Draft.tried),
    (_Draft.guarded, _Draft.input),
    (_Draft.spun, _Draft.tried),
    (_Draft.read_or_write, _Draft.read_or_write, _Draft.tried),
    (_Draft.token,),
    (_Draft.node,),
    (_Draft.push, _Draft.pop, _Draft.peek),
    (_Draft.push, _Draft.peek),
    (_Draft.publish, _Draft.find),
    (_Draft.once, _Draft.own),
    (_Draft.claim, _Draft.own),
)
"""Units that touch the same."""
_UNITS: Final = tuple(dict.fromkeys(unit for topic in _TOPICS for unit in topic))


if __name__ == "__main__":
    show(generate(int(sys.argv[1])))
