"""Small C programs from a seed in which values decide about races: `python -m exploration.values SEED` (from `tests`).

Two or three threads; states, counters, positions, masks and inputs, in atomics of every order, in plain variables under
a lock, and in plain variables under none. What a thread has read decides whether it touches data, which element of an
array, or under which lock. Most idioms keep their data apart; a constant, a comparison, an order or a lock is wrong
now and then, so that a proof is refuted by an execution. Arithmetic has C's widths: small types wrap around.

No program loops for ever; `syntax.estimate` bounds the size, so that `dfs` ends.
"""

from __future__ import annotations

import itertools
import random
import sys
from typing import Final

from exploration.syntax import ACCESS, SYNC, Call, If, Line, Loop, Section, Source, Stmt, estimate, show

MODE: Final = "values"
MAX_SCHEDULES: Final = 6_000
MIN_SCHEDULES: Final = 4
_SIZES: Final = (100, 500, 2000, MAX_SCHEDULES)
_ERROR_RATES: Final = (0.0, 0.1, 0.2, 0.4)
_COMPARISONS: Final = ("==", "==", "!=", "<", "<=", ">", ">=")
_CELLS: Final = 6
_TYPES: Final = ("int", "int", "int", "unsigned", "short", "signed char", "unsigned char", "_Bool")
_LOADS: Final = ("relaxed", "acquire", "acquire", "seq_cst")
_STORES: Final = ("relaxed", "release", "release", "seq_cst")
_UPDATES: Final = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")


def generate(seed: int) -> Source:
    """The program of a seed: drawn again until its schedules can all be tried."""
    rng = random.Random(f"{MODE} {seed}")
    threads = rng.choices((2, 3), (70, 30))[0]
    limit = rng.choice(_SIZES)
    size = 3 if threads == 2 else 2
    for tries in itertools.count():
        source = _Draft(rng, seed, threads, size).source()
        schedules = estimate(source, limit=MAX_SCHEDULES + 1).schedules
        if MIN_SCHEDULES <= schedules <= limit:
            return source
        if schedules > limit:
            size = max(1, size - 1)
        if tries % 20 == 19:
            threads, limit = 2, min(MAX_SCHEDULES, 2 * limit)
    raise AssertionError("unreachable")


class _Draft:
    """Writes one program: `count` threads beside main, about `size` units each."""

    def __init__(self, rng: random.Random, seed: int, count: int, size: int) -> None:
        self.rng = rng
        self.seed, self.count, self.size = seed, count, size
        self.error_rate = rng.choice(_ERROR_RATES)
        self.is_weak = rng.random() < 0.25
        self.types = [rng.choice(_TYPES) for _ in range(2)]
        self.starts = [rng.choice((0, 0, 0, 1, 2)) for _ in range(4)]  # of x0, x1, a0, a1
        self.hot = rng.choice(("@d0", "@d0", "@s0.a", "@s0.b", "@v[1]"))
        self.helpers: list[tuple[Stmt, ...]] = []
        self.bodies: list[list[Stmt]] = [[] for _ in range(count + 1)]
        self.twins: dict[int, int] = {}  # thread -> the thread whose function it runs

    def source(self) -> Source:
        rng = self.rng
        if rng.random() < 0.2:
            self.helpers.append((Line(f"if (r0 < {rng.randint(0, 2)}) return {rng.randint(0, 2)};"), self._compute()))
        shared = rng.choice(_SHARED)
        for thread in range(1, self.count + 1):
            if thread > 1 and rng.random() < 0.2:
                self.twins[thread] = 1
                self.bodies[thread] = self.bodies[1]
                continue
            for number in range(rng.randint(1, self.size)):
                unit = shared if number == 0 and rng.random() < 0.85 else rng.choice(_UNITS)
                self.bodies[thread] += unit(self, thread)
        self._main()
        return Source(self.seed, MODE, self._globals(), tuple(self.helpers), tuple(tuple(body) for body in self.bodies))

    def _globals(self) -> tuple[str, ...]:
        values = zip(("x0", "x1"), self.types, self.starts[:2], strict=True)
        return (
            *(f"static {type_} @{name} = {start};" for name, type_, start in values),
            *(f"static atomic_int @a{number} = {start};" for number, start in enumerate(self.starts[2:])),
            "static int @d0;",
            "static struct { int a, b; } @s0;",
            f"static int @v[{_CELLS}];",
            "static pthread_mutex_t @m0 = PTHREAD_MUTEX_INITIALIZER;",
            "static pthread_mutex_t @m1 = PTHREAD_MUTEX_INITIALIZER;",
        )

    # -- small parts

    def wrong(self) -> bool:
        return self.rng.random() < self.error_rate

    def constant(self) -> int:
        return self.rng.choice((0, 0, 1, 1, 1, 2, 2, 3))

    def order(self, orders: tuple[str, ...]) -> str:
        return f"memory_order_{self.rng.choice(orders) if self.is_weak and self.wrong() else 'seq_cst'}"

    def touch(self) -> Line:
        """Data that a value guards."""
        rng = self.rng
        name = self.hot if rng.random() < 0.8 else rng.choice(("@d0", "@s0.a", "@s0.b", f"@v[{rng.randrange(3)}]"))
        return rng.choice(
            (
                Line(f"{name} = {self.constant()};", (ACCESS,)),
                Line(f"{name} = {self.constant()};", (ACCESS,)),
                Line(f"{name} = r1;", (ACCESS,)),
                Line(f"r1 = {name};", (ACCESS,)),
                Line(f"{name}++;", (ACCESS, ACCESS)),
                Line("*(r0 ? &@d0 : &@s0.a) = 1;", (ACCESS,)),
            )
        )

    def locked(self, body: list[Stmt], mutex: int = 0) -> list[Stmt]:
        """Under the lock of x0 and x1; wrongly under the other one or none."""
        if self.wrong():
            if self.rng.random() < 0.5:
                return body
            mutex = 1 - mutex
        lock, unlock = (Line(f"pthread_mutex_{kind}(&@m{mutex});", ((kind, f"m{mutex}"),)) for kind in _LOCKING)
        return [Section(lock, tuple(body), unlock)]

    def _compute(self) -> Line:
        """Arithmetic of locals, with C's widths."""
        rng = self.rng
        a, b = rng.sample(("r0", "r1"), 2)
        constant = self.constant()
        return Line(
            rng.choice(
                (
                    f"{a} = {b} + {constant};",
                    f"{a} = {b} - {constant};",
                    f"{a} += {constant};",
                    f"{a} = 2 * {b};",
                    f"{a} = {b} & {rng.choice((1, 3))};",
                    f"{a} = {b} % 2;",
                    f"{a} = (unsigned char)({b} - {constant});",
                    f"{a} = (int)((unsigned){b} + {rng.choice((1, 4294967295))}u);",
                    f"{a} = (signed char)({b} + {rng.choice((1, 127, 128))});",
                    f"{a} = {b} < {constant} ? {b} : {constant};",
                    f"{a} = -{b};",
                )
            )
        )

    def condition(self, local: str = "r0") -> str:
        rng = self.rng
        comparison, constant = rng.choice(_COMPARISONS), self.constant()
        return rng.choice(
            (
                f"{local} {comparison} {constant}",
                f"{local} {comparison} {constant}",
                f"{local} {comparison} r1",
                f"{local} + r1 {comparison} {constant}",
                f"2 * {local} {comparison} r1",
                f"({local} & {rng.choice((1, 2, 3))}) {rng.choice(('==', '!='))} {rng.choice((0, 1))}",
                f"{local} >= {constant} && {local} < {constant + 2}",
                f"(unsigned){local} < {constant}u",
                f"{local}",
                f"!{local}",
            )
        )

    def load(self, local: str = "r0") -> list[Stmt]:
        """A shared value into a local."""
        rng = self.rng
        number = rng.randrange(2)
        choice = rng.random()
        if choice < 0.4:
            return self.locked([Line(f"{local} = @x{number};", (ACCESS,))])
        if choice < 0.7:
            return [Line(f"{local} = atomic_load_explicit(&@a{number}, {self.order(_LOADS)});", (SYNC,))]
        if choice < 0.85:
            update = rng.choice(("atomic_fetch_add_explicit", "atomic_exchange_explicit"))
            return [Line(f"{local} = {update}(&@a{number}, {self.constant()}, {self.order(_UPDATES)});", (SYNC,))]
        return [Line(f"{local} = __VERIFIER_nondet_int() ? {self.constant()} : {self.constant()};")]

    # -- units: each reads values and touches data that they keep apart, if nothing is wrong

    def anything(self, thread: int) -> list[Stmt]:
        """Any values, any condition."""
        rng = self.rng
        stmts = self.load()
        if rng.random() < 0.4:
            stmts += self.load("r1")
        if self.helpers and rng.random() < 0.5:
            stmts.append(Call(0))
        if rng.random() < 0.5:
            stmts.append(self._compute())
        inner: list[Stmt] = [self.touch()]
        if rng.random() < 0.2:
            inner = [If(self.condition("r1"), (), tuple(inner), (self.touch(),))]
        otherwise = (self.touch(),) if rng.random() < 0.2 else ()
        return [*stmts, If(self.condition(), (), tuple(inner), otherwise)]

    def change(self, thread: int) -> list[Stmt]:
        """A shared value changes."""
        rng = self.rng
        number, constant = rng.randrange(2), self.constant()
        if rng.random() < 0.5:
            return [Line(f"atomic_store_explicit(&@a{number}, {constant}, {self.order(_STORES)});", (SYNC,))]
        return self.locked(
            [
                rng.choice(
                    (
                        Line(f"@x{number} = {constant};", (ACCESS,)),
                        Line(f"@x{number}++;", (ACCESS, ACCESS)),
                        Line(f"@x{number}--;", (ACCESS, ACCESS)),
                        Line(f"@x{number} += r0;", (ACCESS, ACCESS)),
                    )
                )
            ]
        )

    def turn(self, thread: int) -> list[Stmt]:
        """Data belong to the thread whose number an atomic has; then it is the next one's turn."""
        mine, following = thread - 1, thread % self.count
        inner: list[Stmt] = [
            self.touch(),
            Line(f"atomic_store_explicit(&@a0, {following}, {self.order(_STORES)});", (SYNC,)),
        ]
        if self.wrong():
            inner.reverse()
        comparison = self.rng.choice(_COMPARISONS) if self.wrong() else "=="
        look = Line(f"r0 = atomic_load_explicit(&@a0, {self.order(_LOADS)});", (SYNC,))
        return [look, If(f"r0 {comparison} {mine}", (), tuple(inner))]

    def state(self, thread: int) -> list[Stmt]:
        """The same by a state under the lock: who finds it free makes it busy, and gives it back."""
        free, busy = self.starts[0], 3
        if self.wrong():
            free = self.constant()
        test = f"@x0 {'>=' if self.wrong() else '=='} {free}"
        take: list[Stmt] = [
            Line("r0 = 0;"),
            If(test, (ACCESS,), (Line(f"@x0 = {busy};", (ACCESS,)), Line("r0 = 1;"))),
        ]
        back = free if self.rng.random() < 0.7 else self.constant()
        give = self.locked([Line(f"@x0 = {back};", (ACCESS,))])
        return [*self.locked(take), If("r0", (), (self.touch(), *give))]

    def number(self, thread: int) -> list[Stmt]:
        """Numbers are drawn; one of them is for the data."""
        rng = self.rng
        which = self.starts[3] + rng.choice((0, 0, 1))
        comparison = rng.choice(_COMPARISONS) if self.wrong() else "=="
        draw = Line(f"r0 = atomic_fetch_add_explicit(&@a1, 1, {self.order(_UPDATES)});", (SYNC,))
        stmts: list[Stmt] = [draw, If(f"r0 {comparison} {which}", (), (self.touch(),))]
        if rng.random() < 0.4:  # the last one, not the first
            stmts.insert(0, self.touch())
        return stmts

    def element(self, thread: int) -> list[Stmt]:
        """An element within the bounds of the thread; where in them, a value says."""
        rng = self.rng
        low = 2 * (thread - 1)
        high = min(low + (3 if self.wrong() else 2), _CELLS)
        test = f"r0 >= {low} && r0 < {high}"
        cell = rng.choice((f"@v[r0] = {thread};", "r1 = @v[r0];", "@v[r0]++;"))
        ops = (ACCESS, ACCESS) if "++" in cell else (ACCESS,)
        if rng.random() < 0.3:
            base = low if not self.wrong() else self.constant()
            return [Loop(2, (Line(cell.replace("r0", f"{base} + i"), ops),))]
        return [*self.load(), *([self._compute()] if rng.random() < 0.3 else []), If(test, (), (Line(cell, ops),))]

    def position(self, thread: int) -> list[Stmt]:
        """x0 goes up, x1 limits it: who gets a position below the limit has that element."""
        rng = self.rng
        test = f"@x0 {'<=' if self.wrong() else '<'} {rng.choice(('@x1', '3', '3'))}"
        ops = (ACCESS, ACCESS) if "x1" in test else (ACCESS,)
        draw: list[Stmt] = [
            Line("r0 = -1;"),
            If(test, ops, (Line("r0 = @x0;", (ACCESS,)), Line("@x0 = r0 + 1;", (ACCESS,)))),
        ]
        write = Line(f"@v[r0{rng.choice((' + 1', '')) if self.wrong() else ''}] = 1;", (ACCESS,))
        if rng.random() < 0.4:  # a reader of what is below the position
            below = "<=" if self.wrong() else "<"
            look = self.locked([Line("r0 = @x0;", (ACCESS,))])
            index = rng.choice((0, 1))
            return [*look, If(f"{index} {below} r0", (), (Line(f"r1 = @v[{index}];", (ACCESS,)),))]
        return [*self.locked(draw), If(f"r0 >= 0 && r0 < {_CELLS - 1}", (), (write,))]

    def lock_if(self, thread: int) -> list[Stmt]:
        """A lock on one condition, the access on another that means the same, one hopes."""
        constant = self.constant()
        same = [f"r0 > {constant}", f"r0 >= {constant + 1}", f"!(r0 <= {constant})", f"{constant} < r0"]
        taken, other = self.rng.sample(same, 2)
        if self.wrong():
            other = f"r0 >= {constant}"
        lock, unlock = (
            Line(f"if ({taken}) pthread_mutex_{kind}(&@m1);", ((kind, "m1"),)) for kind in ("lock", "unlock")
        )
        return [*self.load(), Section(lock, (If(other, (), (self.touch(),)),), unlock)]

    def claim(self, thread: int) -> list[Stmt]:
        """Compare and exchange: from one state to the next, by one thread only."""
        start = self.starts[2]
        success, failure = self.order(_UPDATES), self.order(_LOADS)
        target = start if self.wrong() else 3
        exchange = f"atomic_compare_exchange_strong_explicit(&@a0, &e0, {target}, {success}, {failure})"
        inner: list[Stmt] = [self.touch()]
        if self.rng.random() < 0.5:
            inner.append(Line(f"atomic_store_explicit(&@a0, {start}, {self.order(_STORES)});", (SYNC,)))
        return [Line(f"e0 = {start};"), If(exchange, (SYNC,), tuple(inner))]

    # -- main

    def _main(self) -> None:
        rng = self.rng
        body = self.bodies[0]
        if rng.random() < 0.3:
            body.append(Line(f"@x{rng.randrange(2)} = {self.constant()};", (ACCESS,)))
        if rng.random() < 0.2:
            body += [
                Line("r0 = __VERIFIER_nondet_int();"),
                If("r0 >= 0 && r0 <= 3", (), (Line("@x1 = r0;", (ACCESS,)),)),
            ]
        for thread in range(1, self.count + 1):
            start = self.twins.get(thread, thread)
            body.append(Line(f"pthread_create(&id{thread}, 0, @t{start}, 0);", (("create", str(thread)),)))
        if rng.random() < 0.15:
            body += rng.choice(_UNITS)(self, 1)
        body += [Line(f"pthread_join(id{thread}, 0);", (("join", str(thread)),)) for thread in self._order_of_joins()]
        if rng.random() < 0.2:
            body.append(self.touch())

    def _order_of_joins(self) -> list[int]:
        threads = list(range(1, self.count + 1))
        self.rng.shuffle(threads)
        return threads


_LOCKING: Final = ("lock", "unlock")
_SHARED: Final = (
    _Draft.turn,
    _Draft.state,
    _Draft.number,
    _Draft.element,
    _Draft.position,
    _Draft.lock_if,
    _Draft.claim,
    _Draft.anything,
)
_UNITS: Final = (*_SHARED, _Draft.change, _Draft.change, _Draft.anything)


if __name__ == "__main__":
    show(generate(int(sys.argv[1])))
