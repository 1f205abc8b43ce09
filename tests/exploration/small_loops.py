"""Small C programs with loops and inputs, from a seed: `python -m exploration.small_loops SEED` (from `tests`).

For comparing the engine `bmc`, which solves for inputs and schedules, with `dfs`, which tries them all. So each input
is restricted to two, three or four neighbouring values, all of which the explorer tries (`explore.candidates` takes the
two ends from the comparisons of the program, and their neighbours), and every loop ends after three rounds.

Inputs decide where the data of other generators do: which branch is taken, how often a loop runs, which element of
an array is touched, which variable a pointer names. What comes together in a program is drawn; the size is bounded
so that `dfs` ends.

Modes: `sc` has atomics that are sequentially consistent, `weak` has the other orders as well; `rich` has structs that
are copied, blocks that are set, and mutexes that nest or check for errors.
"""

from __future__ import annotations

import itertools
import random
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from differential.preamble import as_source

from exploration.syntax import ACCESS, SYNC, Call, If, Line, Loop, Op, Section, Source, Stmt, Switch, estimate, render

MODES: Final = ("sc", "weak", "rich")
MAX_EXECUTIONS: Final = 12_000
"""Schedules times values of the inputs."""
MIN_SCHEDULES: Final = 4
MAX_INPUTS: Final = 3
_KINDS: Final = {"plain": 0, "recursive": 1, "made recursive": 1, "checking": 2}
"""Of mutexes, with their types."""
_ERROR_RATES: Final = (0.0, 0.1, 0.25, 0.5)
_RANGE = re.compile(r"__VERIFIER_assume\(r\d >= (-?\d+) && r\d <= (-?\d+)\)")
_INPUT = re.compile(r"__VERIFIER_nondet_(\w+)\(\);")

Meeting = Callable[[list[Stmt]], tuple[list[Stmt], list[Stmt]]]
"""What the one thread does to tell, and the other to hear and then to use."""


def generate(seed: int, mode: str = "sc") -> Source:
    """The program of a seed: drawn again, each time smaller, until everything can be tried."""
    rng = random.Random(f"small loops {mode} {seed}")
    threads = rng.choices((1, 2, 3), (12, 73, 15))[0]
    size = {1: 4, 2: 3, 3: 2}[threads]
    for tries in itertools.count():
        if tries % 40 == 39:
            threads = max(2, threads - 1)
        source = _Draft(rng, seed, mode, threads, size).source()
        limit = MAX_EXECUTIONS // values(source)
        found = estimate(source, limit=limit + 1)
        if MIN_SCHEDULES <= found.schedules <= limit and not found.may_block:
            return source
        size = max(1, size - 1) if found.schedules > limit else rng.choice((2, 3))
    raise AssertionError("unreachable")


def mode_of(seed: int) -> str:
    return {7: "weak", 3: "rich", 5: "rich"}.get(seed % 8, "sc")


def input_ranges(text: str) -> list[tuple[int, int]]:
    """The least and the greatest value of each restricted input of a program."""
    return [(int(low), int(high)) for low, high in _RANGE.findall(text)]


def values(source: Source) -> int:
    """In how many ways the inputs can be chosen, if each is taken once."""
    text = render(source)
    count = 1 << len([kind for kind in _INPUT.findall(text) if kind == "bool"])
    for low, high in input_ranges(text):
        count *= high - low + 1
    return count


class _Draft:
    """Writes one program of at most `size` units a thread, `count` threads beside main."""

    def __init__(self, rng: random.Random, seed: int, mode: str, count: int, size: int) -> None:
        self.rng = rng
        self.seed, self.mode, self.count, self.size = seed, mode, count, size
        self.mutexes = rng.choice((1, 1, 2))
        self.variables = rng.choice((1, 2, 2, 3))
        self.kinds = [rng.choice(list(_KINDS)) if mode == "rich" else "plain" for _ in range(self.mutexes)]
        self.home = [rng.randrange(self.mutexes) for _ in range(self.variables)]
        self.error_rate = rng.choice(_ERROR_RATES)
        self.inputs = rng.choice((0, 1, 1, 2, 2, 3))
        self.passed = 0  # inputs that main takes and leaves in a global
        self.helpers: list[tuple[Stmt, ...]] = []
        self.bodies: list[list[Stmt]] = [[] for _ in range(count + 1)]

    def source(self) -> Source:
        rng = self.rng
        before: list[Stmt] = [*self._mutexes()]
        while self.inputs and rng.random() < 0.4:
            before += self._input()
            before.append(Line(f"@n{self.passed} = r0;", (ACCESS,)))
            self.passed += 1
        if rng.random() < 0.15:
            self.helpers.append(tuple(self._unit(0)))
        workers = range(1, self.count + 1) if self.count > 1 else range(2)
        for thread in workers:
            body = self.bodies[thread]
            if self.inputs and rng.random() < 0.6:
                body += self._input()
            elif self.passed and rng.random() < 0.7:
                body.append(Line(f"r{rng.randrange(2)} = @n{rng.randrange(self.passed)};", (ACCESS,)))
            for _ in range(rng.randint(1, self.size)):
                body += self._unit(1 if thread < 3 else 0)
        if self.count > 1 and rng.random() < 0.3:
            meetings = {self._flag: 4, self._ordered: 4, self._handshake: 3, self._semaphore: 2, self._barrier: 1}
            self._meet(rng.choices(list(meetings), list(meetings.values()))[0])
        self._main(before)
        threads = tuple(tuple(body) for body in self.bodies)
        return Source(self.seed, self.mode, tuple(self._globals()), tuple(self.helpers), threads)

    def _globals(self) -> list[str]:
        lines = [f"static int @x{number};" for number in range(self.variables)]
        lines += ["static int @q0[4];", *(f"static int @n{number};" for number in range(self.passed))]
        for number, kind in enumerate(self.kinds):
            name = "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP" if kind == "recursive" else "PTHREAD_MUTEX_INITIALIZER"
            lines.append(f"static pthread_mutex_t @m{number} = {name};")
        lines += ["static struct { int a, b; } @u0, @u1;"]
        lines += ["static int @y0;", "static int @f0;", "static pthread_cond_t @c0 = PTHREAD_COND_INITIALIZER;"]
        lines += ["static sem_t @s0;", "static pthread_barrier_t @b0;"]
        lines += [f"static atomic_int @a{number};" for number in range(2)]
        return lines

    def _wrong(self) -> bool:
        return self.rng.random() < self.error_rate

    # -- inputs

    def _input(self) -> list[Stmt]:
        """An input into `r0`: of two values by its type, or restricted to two to four."""
        rng = self.rng
        self.inputs -= 1
        kind = rng.choices(("int", "uchar", "bool"), (6, 2, 2))[0]
        types = {"int": "int", "uchar": "unsigned char", "bool": "_Bool"}
        take = f"{{ extern {types[kind]} __VERIFIER_nondet_{kind}(void); r0 = __VERIFIER_nondet_{kind}(); }}"
        if kind == "bool":
            return [Line(take)]
        low = rng.choice((0, 0, 1, 5, 100)) if kind == "uchar" else rng.choice((-2, -1, 0, 0, 1, 3, 1000))
        high = low + rng.choice((1, 2, 3))
        return [Line(f"{take} __VERIFIER_assume(r0 >= {low} && r0 <= {high});")]

    def _condition(self) -> str:
        """On what a thread has in its hands: inputs, and values that it read."""
        rng = self.rng
        local, other = rng.sample((0, 1), 2)
        simple = ("r{0}", "!r{0}", "r{0} == 1", "r{0} > 1", "r{0} != 2", "r{0} <= 0")
        computed = (
            "r{0} * 3 + 1 == 7",
            "(r{0} & 1) == 0",
            "r{0} == r{1}",
            "r{0} < r{1}",
            "(r{0} ^ r{1}) == 1",
            "(unsigned)r{0} > 2u",
            "r{0} % 3 == 1",
            "r{0} + r{1} == 3",
            "r{0} * 2 >= 4",
            "r{0} == 1 || r{1} == 2",
        )
        return rng.choice(simple if rng.random() < 0.5 else computed).format(local, other)

    # -- one thread

    def _unit(self, depth: int) -> list[Stmt]:
        kinds = {self._guarded: 4, self._element: 2, self._pointer: 1}
        if self.mode == "rich":
            kinds |= {self._nested: 4, self._fields: 3, self._block: 4}
        if depth:
            kinds |= {self._decide: 4, self._loop: 4, self._counted: 2, self._on_input: 4, self._atomic: 2}
            kinds |= {self._try: 1, self._choose: 1, self._leave: 1}
        if self.helpers and depth:
            kinds[self._call] = 2
        return self.rng.choices(list(kinds), list(kinds.values()))[0](depth)

    def _variable(self) -> int:
        return self.rng.randrange(self.variables)

    def _access(self, name: str) -> Line:
        rng = self.rng
        local = rng.randrange(2)
        kind = rng.choices(("set", "get", "add"), (5, 3, 2))[0]
        if kind == "set":
            return Line(f"@{name} = {rng.choice(('0', '1', '2', f'r{local}', f'r{local} + 1'))};", (ACCESS,))
        if kind == "get":
            return Line(f"r{local} = @{name};", (ACCESS,))
        return Line(f"@{name} += {rng.choice(('1', '2', f'r{local}'))};", (ACCESS, ACCESS))

    def _locked(self, mutex: int, body: list[Stmt]) -> Section:
        return Section(
            Line(f"pthread_mutex_lock(&@m{mutex});", (("lock", f"m{mutex}"),)),
            tuple(body),
            Line(f"pthread_mutex_unlock(&@m{mutex});", (("unlock", f"m{mutex}"),)),
        )

    def _protected(self, mutex: int, body: list[Stmt]) -> list[Stmt]:
        """Under the right lock, or wrongly under another one or none."""
        if not self._wrong():
            return [self._locked(mutex, body)]
        return body if self.rng.random() < 0.6 else [self._locked(self.rng.randrange(self.mutexes), body)]

    def _guarded(self, depth: int) -> list[Stmt]:
        variable = self._variable()
        return self._protected(self.home[variable], [self._access(f"x{variable}")])

    def _element(self, depth: int) -> list[Stmt]:
        """An element whose number is computed from what the thread has."""
        rng = self.rng
        local = rng.randrange(2)
        index = rng.choice((f"r{local} & 3", f"(r{local} + 1) & 3", f"(r{local} * 3) & 3", "0", "1", "(r0 + r1) & 3"))
        access = self._access(f"q0[{index}]")
        return [access] if rng.random() < 0.6 else self._protected(0, [access])

    def _pointer(self, depth: int) -> list[Stmt]:
        """A pointer that names one of two variables."""
        first, second = self._variable(), self._variable()
        access = Line(f"*({self._condition()} ? &@x{first} : &@x{second}) = {self.rng.randrange(3)};", (ACCESS,))
        return self._protected(self.home[first], [access])

    def _mutexes(self) -> list[Line]:
        """Those that are not made by their initialiser."""
        return [
            Line(
                f"{{ pthread_mutexattr_t k; pthread_mutexattr_init(&k); "
                f"pthread_mutexattr_settype(&k, {_KINDS[kind]}); pthread_mutex_init(&@m{number}, &k); }}"
            )
            for number, kind in enumerate(self.kinds)
            if kind in ("made recursive", "checking")
        ]

    def _nested(self, depth: int) -> list[Stmt]:
        """A mutex that is taken again where it nests, or is refused; what is given back is wrong or right."""
        variable = self._variable()
        mutex = self.home[variable]
        lock, unlock = f"pthread_mutex_lock(&@m{mutex})", Line(f"pthread_mutex_unlock(&@m{mutex});", (SYNC,))
        inside: list[Stmt] = [self._access(f"x{variable}")]
        match self.kinds[mutex]:
            case "plain":
                return self._guarded(depth)
            case "checking":
                early = "!=" if self._wrong() else "=="
                refused = If(f"{lock} {early} 0", (SYNC,), (unlock,))
                if early == "==":
                    return [self._locked(mutex, [refused, *inside])]
                taken = Line(f"{lock};", (("lock", f"m{mutex}"),))
                return [taken, replace(refused, then=(replace(unlock, ops=(("unlock", f"m{mutex}"),)),)), *inside]
            case _:
                again = If(self._condition(), (), (Line(f"{lock};", (SYNC,)), *inside, unlock))
                return [self._locked(mutex, [again, *([] if self._wrong() else inside)]), *(inside * self._wrong())]

    def _fields(self, depth: int) -> list[Stmt]:
        field = f"u{self.rng.randrange(2)}.{self.rng.choice('ab')}"
        return self._protected(0, [self._access(field)])

    def _block(self, depth: int) -> list[Stmt]:
        """Structs and parts of the array that are copied or set."""
        rng = self.rng
        one, other, local = rng.randrange(2), rng.randrange(2), rng.randrange(2)
        part = f"&@q0[{rng.choice(('0', '2', f'r{local} & 1', f'(r{local} & 1) + 1'))}]"
        kind = rng.choice(("assign", "copy", "out", "out", "in", "set"))
        if kind == "assign":
            line = Line(f"@u{one} = @u{1 - one};", (ACCESS, ACCESS))
        elif kind == "copy":
            line = Line(f"memcpy(&@u{one}, {part}, sizeof @u0);", (ACCESS, ACCESS))
        elif kind == "in":
            line = Line(f"memcpy({part}, &@u{other}, sizeof @u0);", (ACCESS, ACCESS))
        elif kind == "set":
            line = Line(f"memset({part}, {rng.choice('01')}, {rng.choice('48')});", (ACCESS,))
        else:
            copied = f"{{ int copy[2]; memcpy(copy, {rng.choice((part, f'&@u{one}'))}, 8); r{local} = copy[{other}]; }}"
            decides = If(rng.choice((f"r{local}", f"r{local} == 1", f"r{local} > 1")), (), tuple(self._touch()))
            return [*self._protected(0, [Line(copied, (ACCESS,))]), decides]
        return self._protected(0, [line])

    def _look(self) -> list[Stmt]:
        variable = self._variable()
        return self._protected(self.home[variable], [Line(f"r{self.rng.randrange(2)} = @x{variable};", (ACCESS,))])

    def _touch(self) -> list[Stmt]:
        """What a branch decides about: more often wrong than others, so that the branch matters."""
        variable = self._variable()
        access = self._access(f"x{variable}")
        return [access] if self.rng.random() < 0.5 else [self._locked(self.home[variable], [access])]

    def _decide(self, depth: int) -> list[Stmt]:
        return [*self._look(), *self._on_input(depth)]

    def _on_input(self, depth: int) -> list[Stmt]:
        rng = self.rng
        then = self._unit(0) if rng.random() < 0.3 else self._touch()
        if rng.random() < 0.2:
            then = [If(self._condition(), (), tuple(then), tuple(self._touch()) if rng.random() < 0.3 else ())]
        otherwise = self._touch() if rng.random() < 0.35 else []
        return [If(self._condition(), (), tuple(then), tuple(otherwise))]

    def _choose(self, depth: int) -> list[Stmt]:
        cases = [tuple(self._touch()) for _ in range(self.rng.choice((1, 2)))]
        return [Switch(f"r{self.rng.randrange(2)}", (*cases, tuple(self._touch()) if self.rng.random() < 0.5 else ()))]

    def _leave(self, depth: int) -> list[Stmt]:
        return [If(self._condition(), (), (Line("return RESULT;"),))]

    def _body(self) -> list[Stmt]:
        """Of a loop: its round decides, or it is left, or it only repeats."""
        rng = self.rng
        local = rng.randrange(2)
        kind = rng.choice(("round", "leave", "sum", "plain"))
        if kind == "round":
            return [If(f"i == {rng.randrange(1, 3)}", (), tuple(self._touch()))]
        if kind == "sum":
            return [Line(f"r{local} += i;"), If(self._condition(), (), tuple(self._touch()))]
        body = self._guarded(0)
        if kind == "leave":
            body.append(If(self._condition(), (), (Line("break;"),)))
        return body

    def _loop(self, depth: int) -> list[Stmt]:
        return [Loop(self.rng.choice((1, 2, 2, 3)), tuple(self._body()))]

    def _counted(self, depth: int) -> list[Stmt]:
        """As often as a value says, at most three times."""
        body, rounds = self._body(), self.rng.choice((2, 3))
        head = f"for (int i = 0; i < r{self.rng.randrange(2)} && i < {rounds}; i++) {{"
        again = tuple(op for stmt in body for op in _operations(stmt)) * (rounds - 1)
        return [Section(Line(head), tuple(body), Line("}", again))]

    def _try(self, depth: int) -> list[Stmt]:
        variable = self._variable()
        mutex = self.home[variable]
        unlock = Line(f"pthread_mutex_unlock(&@m{mutex});", (SYNC,))
        otherwise = self._touch() if self.mode == "weak" and self.rng.random() < 0.5 else []
        condition = f"pthread_mutex_trylock(&@m{mutex}) == 0"
        return [If(condition, (SYNC,), (self._access(f"x{variable}"), unlock), tuple(otherwise))]

    def _order(self, kind: str) -> str:
        fitting = {
            "load": ("relaxed", "acquire", "seq_cst"),
            "store": ("relaxed", "release", "seq_cst"),
            "update": ("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
        }
        return f"memory_order_{self.rng.choice(fitting[kind]) if self.mode == 'weak' else 'seq_cst'}"

    def _atomic(self, depth: int) -> list[Stmt]:
        rng = self.rng
        local, number = rng.randrange(2), rng.randrange(2)
        if rng.random() < 0.3:
            value = rng.choice(("0", "1", "2", f"r{local}"))
            return [Line(f"atomic_store_explicit(&@a{number}, {value}, {self._order('store')});", (SYNC,))]
        read = rng.choice(
            (
                f"r{local} = atomic_load_explicit(&@a{number}, {self._order('load')});",
                f"r{local} = atomic_fetch_add_explicit(&@a{number}, 1, {self._order('update')});",
                f"r{local} = atomic_exchange_explicit(&@a{number}, {rng.choice('12')}, {self._order('update')});",
                f"e0 = {rng.randrange(2)}; r{local} = atomic_compare_exchange_strong_explicit(&@a{number}, &e0, 2, "
                f"{self._order('update')}, {self._order('load')});",
            )
        )
        return [Line(read, (SYNC,)), If(self._condition(), (), tuple(self._touch()))]

    def _call(self, depth: int) -> list[Stmt]:
        call = Call(self.rng.randrange(len(self.helpers)))
        return [If(self._condition(), (), (call,))] if self.rng.random() < 0.5 else [call]

    # -- two threads

    def _meet(self, kind: Meeting) -> None:
        """One thread tells another that it is done with a variable, which the other then uses without a lock."""
        rng = self.rng
        giver, taker = rng.sample(range(1, self.count + 1), 2)
        tell, hear = kind([self._access("y0")])
        behind: list[Stmt] = [self._access("y0")] if self._wrong() else []
        early: list[Stmt] = [self._access("y0")] if self._wrong() else []
        for thread, stmts in ((giver, [self._access("y0"), *tell, *behind]), (taker, [*early, *hear])):
            at = rng.randint(0, len(self.bodies[thread]))
            self.bodies[thread][at:at] = stmts

    def _flag(self, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        tell = Line(f"atomic_store_explicit(&@a0, 1, {self._order('store')});", (SYNC,))
        hear = Line(f"r1 = atomic_load_explicit(&@a0, {self._order('load')});", (SYNC,))
        return [tell], [hear, If("r1 != 1" if self._wrong() else "r1 == 1", (), tuple(use))]

    def _ordered(self, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        mutex = self.rng.randrange(self.mutexes)
        tell = self._locked(mutex, [Line("@f0 = 1;", (ACCESS,))])
        hear = self._locked(mutex, [Line("r1 = @f0;", (ACCESS,))])
        return [tell], [hear, If("!r1" if self._wrong() else "r1", (), tuple(use))]

    def _handshake(self, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        mutex = self.rng.randrange(self.mutexes)
        signal = self.rng.choice(("signal", "broadcast"))
        told = [Line("@f0 = 1;", (ACCESS, ("set", "c0"))), Line(f"pthread_cond_{signal}(&@c0);", (SYNC,))]
        wait = Section(
            Line(f"pthread_mutex_lock(&@m{mutex});", (("await", "c0"), ("lock", f"m{mutex}"))),
            (Line(f"while (!@f0) pthread_cond_wait(&@c0, &@m{mutex});", (ACCESS,)),),
            Line(f"pthread_mutex_unlock(&@m{mutex});", (("unlock", f"m{mutex}"),)),
        )
        return [self._locked(mutex, [*told])], [wait, *use]

    def _semaphore(self, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        self.bodies[0].append(Line("sem_init(&@s0, 0, 0);"))
        return [Line("sem_post(&@s0);", (("post", "s0"),))], [Line("sem_wait(&@s0);", (("wait", "s0"),)), *use]

    def _barrier(self, use: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        self.bodies[0].append(Line("pthread_barrier_init(&@b0, 0, 2);"))
        meet = Line("pthread_barrier_wait(&@b0);", (("arrive", "b0"), ("leave", "b0")))
        return [meet], [meet, *use]

    # -- main

    def _main(self, before: list[Stmt]) -> None:
        """Takes its inputs, starts the threads, does what it has to do, joins most of them, looks."""
        rng = self.rng
        own, self.bodies[0] = self.bodies[0], []
        body = self.bodies[0]
        body += before
        creates = [
            Line(f"pthread_create(&id{thread}, 0, @t{thread}, 0);", (("create", str(thread)),))
            for thread in range(1, self.count + 1)
        ]
        if self.count == 1:
            body += [*creates, *own]
        else:
            body += [*own, *creates]
            if rng.random() < 0.1:
                body += self._touch()
        joined = list(range(1, self.count + 1))
        rng.shuffle(joined)
        if rng.random() < 0.05:
            joined.pop()
        for thread in joined:
            body.append(Line(f"pthread_join(id{thread}, 0);", (("join", str(thread)),)))
            if rng.random() < 0.08:
                body += self._touch()
        if rng.random() < 0.3:
            body.append(self._access(f"x{self._variable()}"))


def _operations(stmt: Stmt) -> list[Op]:
    match stmt:
        case Line():
            return list(stmt.ops)
        case Section():
            return [*stmt.head.ops, *(op for inner in stmt.body for op in _operations(inner)), *stmt.tail.ops]
        case If():
            branches = (stmt.then, stmt.otherwise)
            return [*stmt.ops, *max(([op for inner in b for op in _operations(inner)] for b in branches), key=len)]
        case _:
            return []


def main() -> None:
    seed = int(sys.argv[1])
    source = generate(seed, sys.argv[2] if len(sys.argv) > 2 else mode_of(seed))
    about = f"about {estimate(source).schedules:,} schedules, {values(source)} choices of inputs"
    print(f"{as_source(render(source))}// seed {source.seed}, mode {source.mode}, {about}")


if __name__ == "__main__":
    main()
