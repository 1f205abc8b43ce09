"""Whole programs: modules, services that call them, threads that call the services, and main.

The shape, from the bottom: pure functions (`computations`); modules with state, each by a pattern;
services that combine the calls of a few neighbouring modules, then services over services, so that
the call graph is deep, acyclic (but for a little recursion) and local; start functions of threads;
main, which initialises, runs the threads in two phases and reports after the last join.

Why a program without planted races has none: shared state is reached only under its lock, atomically,
after `pthread_once` or read-only; modules without any of that belong to one thread, or to two that
run in different phases. Why it ends: loops are bounded, a call into a module that is made under a lock
goes to an earlier module (so locks are ordered), and each thread puts a job into a queue before it
takes one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from bench.synth import elements, handed, locked, objects, unlocked
from bench.synth.computations import ComputationPool
from bench.synth.fragments import Surroundings
from bench.synth.patterns import Pattern, Plant
from bench.synth.size import estimate_instructions
from bench.synth.threads import Starter, ThreadPlan, plan_threads, write_threads
from bench.synth.writing import (
    RACE_MARK,
    Callable_,
    Module,
    PlantedRace,
    Writer,
    choose_lock_style,
    space_functions,
)

_SHARED = locked.PATTERNS + elements.PATTERNS + objects.PATTERNS + handed.PATTERNS + unlocked.PATTERNS
_PLANTABLE = tuple(pattern for pattern in _SHARED if pattern.plants)
_SMALL = (unlocked.GAUGE, unlocked.LOCAL, unlocked.ONCE, locked.METER)
_CONFINED_SHARE = 0.12
_MODULE_SIZE = 320  # instructions of a typical module with its part of the pure functions
_API_PLACES = (1, 1, 1, 2, 2, 3, 4)
_SERVICE_PLACES = (1, 1, 1, 1, 2, 2, 3)
_MAX_WORK = 40_000
_SMALL_PROGRAM = 3000  # instructions; has smaller functions, so as to have some of everything
_TAKES_NUMBER = re.compile(r"^static long \S+\((?:.*, )?unsigned long n\)\n\{\n", re.MULTILINE)

_PRELUDE = """#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = $workers };

struct worker {
    int id;
    unsigned long seed;
    long result;
    int done;
    pthread_t thread;
};

static struct worker workers[WORKERS];
"""

_XMALLOC = """static void *xmalloc(size_t size)
{
    void *p = malloc(size);
    if (p == NULL)
        abort();
    return p;
}
"""

_VEC = """struct vec {
    void **items;
    size_t used;
    size_t size;
};

static void vec_push(struct vec *v, void *item)
{
    if (v->used == v->size) {
        v->size = v->size != 0 ? 2 * v->size : 4;
        v->items = realloc(v->items, v->size * sizeof *v->items);
        if (v->items == NULL)
            abort();
    }
    v->items[v->used++] = item;
}

static void *vec_at(const struct vec *v, size_t i)
{
    return i < v->used ? v->items[i] : NULL;
}
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What to generate. `threads` is the number of start functions (None: by size, 4 to 12)."""

    instructions: int
    seed: int = 1
    races: int = 0
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A generated program: its text without the header comment, and the truth about it."""

    text: str
    races: tuple[PlantedRace, ...]
    estimate: int
    modules: int
    starters: int
    instances: int


@dataclass(slots=True)
class _Builder:
    """The program while it grows; `chunks` are the texts in order of definition."""

    rng: Random
    pool: ComputationPool
    chunks: list[str] = field(default_factory=list)
    modules: list[Module] = field(default_factory=list)
    size: int = 0
    services: int = 0

    def add(self, text: str) -> None:
        """Append a text, after the pure functions that were made for it."""
        for chunk in (*self.pool.text, text):
            self.chunks.append(space_functions(chunk))
            self.size += estimate_instructions(chunk)
        self.pool.text.clear()

    def call_module(self, operand: str) -> str | None:
        """A call of an earlier module, for use under a lock."""
        free = [
            api
            for module in self.modules[-12:]
            if not module.confined
            for api in module.apis
            if api.under_lock and api.places_left > 1 and api.work < _MAX_WORK
        ]
        if not free:
            return None
        api = self.rng.choice(free)
        api.places_left -= 1
        self.pool.work += api.work
        return api.call.format(self="self", n=operand)

    def writer(self, prefix: str) -> Writer:
        style = choose_lock_style(self.rng)
        return Writer(
            self.rng,
            prefix,
            self.pool.call,
            self.call_module,
            style,
            Surroundings(prefix, True, self.rng, self.pool.statements),
        )

    def add_module(self, pattern: Pattern, plant: Plant | None) -> Module:
        """Write one module of this pattern, broken as `plant` says."""
        name = f"{pattern.noun}{len(self.modules) + 1}"
        writer = self.writer(name)
        writer.keeps_operands = plant is not None
        extras = [extra for extra in pattern.extras if plant is None and self.rng.random() < 0.5]
        alloc = self.rng.choice(("malloc", "xmalloc"))
        parts = {"alloc": alloc, **pattern.parts, **(plant.parts if plant is not None else {})}
        before = self.pool.work
        texts = [
            writer.render(_with_work(text), parts).strip() for text in (pattern.text, *(extra.text for extra in extras))
        ]
        init = writer.render(_indent(pattern.init), parts) + "".join(f"\n    {line}" for line in writer.around.inits)
        if init.strip():
            texts.append(f"static void {name}_init(void)\n{{\n{init}\n}}")
        if pattern.report:
            report = writer.render(_indent(pattern.report), parts)
            texts.append(f"static long {name}_report(void)\n{{\n{report}\n}}")
        work = 300 + self.pool.work - before
        self.pool.work = before
        number = 1 + sum(module.race is not None for module in self.modules)
        texts[:0] = (*writer.around.definitions, *writer.around.functions)
        self.add("\n".join(texts).replace(RACE_MARK, f"// race {number}") + "\n")
        calls = (*pattern.apis, *(extra.api for extra in extras))
        module = Module(
            name,
            [
                Callable_(
                    call.replace("@", name),
                    work,
                    self.rng.choice(_API_PLACES),
                    pattern.under_lock and "{self}" not in call,
                )
                for call in calls
            ],
            f"{name}_init();" if init.strip() else None,
            f"{name}_report()" if pattern.report else None,
            confined=pattern.confined,
        )
        if plant is not None:
            module.race = PlantedRace(plant.kind, plant.target.replace("@", name))
            module.racy_calls = tuple(call.replace("@", name) for call in plant.calls)
        self.modules.append(module)
        return module

    def add_service(self, callees: Sequence[Callable_]) -> Callable_:
        """Write a function that calls each of these once, in one of several shapes."""
        self.services += 1
        name = f"service{self.services}"
        before = self.pool.work
        lines, work = _service_body(self.writer(name), callees)
        body = "\n".join(lines)
        self.add(f"static long {name}(struct worker *self, unsigned long n)\n{{\n{body}\n}}\n")
        work += self.pool.work - before
        self.pool.work = before
        places = self.rng.choice(_SERVICE_PLACES) if work < _MAX_WORK else 1
        return Callable_(f"{name}({{self}}, {{n}})", work, places)

    def reduce(self, callables: Sequence[Callable_], roots: int) -> list[Callable_]:
        """Combine neighbouring callables by services until only `roots` are left to call."""
        pending = [entry for entry in callables for _ in range(entry.places_left)]
        while len(pending) > roots:
            window = min(len(pending), 9)
            picks: list[int] = []
            for index in self.rng.sample(range(window), window):
                if len(picks) < 4 and all(pending[index] is not pending[pick] for pick in picks):
                    picks.append(index)
            callees = [pending[index] for index in sorted(picks)]
            for index in sorted(picks, reverse=True):
                del pending[index]
            service = self.add_service(callees)
            pending += [service] * (service.places_left if len(callees) > 2 else 1)
        unique: list[Callable_] = []
        for entry in pending:
            if all(entry is not other for other in unique):
                unique.append(entry)
        return unique


def _with_work(text: str) -> str:
    """Add local work to the functions of a template that take a number and return one."""
    return _TAKES_NUMBER.sub(r"\g<0>$work(n)\n", text)


def _indent(text: str) -> str:
    """A body of one statement is written without indentation."""
    text = text.strip("\n")
    return text if text.startswith("    ") or not text else "    " + text


def _service_body(writer: Writer, callees: Sequence[Callable_]) -> tuple[list[str], int]:
    """Statements that call each callee once, and how much work they are."""
    rng = writer.rng
    lines: list[str] = []
    work = 20
    rest = list(callees)
    uses_loop = False

    def call(entry: Callable_, n: str) -> str:
        return entry.call.format(self="self", n=n)

    while rest:
        entry = rest.pop(0)
        n = rng.choice(("n", f"n + {rng.randint(1, 40)}", f"n ^ {rng.randint(1, 31)}", "$e(n)", "$E(n)"))
        shape = rng.randrange(5)
        if shape == 0 and entry.work < 2000:
            uses_loop = True
            lines += [f"    for (i = 0; i < {rng.randint(2, 3)}; i++)", f"        sum += {call(entry, 'n + i')};"]
            work += 3 * entry.work
        elif shape == 1:
            lines += [
                f"    if (n % {rng.randint(2, 5)}u != 0)",
                f"        sum += {call(entry, n)};",
                "    else",
                f"        sum -= (long)({rng.choice(('$e(n)', '$E(n)'))} & 15);",
            ]
            work += entry.work
        elif shape == 2 and rest:
            other = rest.pop(0)
            lines += [
                f"    switch (n % {rng.randint(2, 4)}u) {{",
                "    case 0:",
                f"        sum += {call(entry, n)};",
                "        break;",
                "    case 1:",
                f"        sum ^= {call(other, 'n')};",
                "        break;",
                "    default:",
                f"        sum += {rng.randint(1, 9)};",
                "        break;",
                "    }",
            ]
            work += max(entry.work, other.work)
        else:
            lines.append(f"    sum += {call(entry, n)};")
            work += entry.work
    if rng.random() < 0.4:
        lines.append("    self->result += sum & 255;")
    head = ["    long sum = (long)($E(n) & 63);"]
    if uses_loop:
        head.append("    unsigned i;")
    tail = f"    return sum % {rng.randint(1000, 9999)};"
    return [writer.render(line) for line in (*head, *lines, tail)], work


def build(options: Options, budget: int, attempt: int = 0) -> Program:
    """Generate a program whose modules and pure functions take about `budget` instructions.

    The whole program is larger by services and threads: `bench.generate` searches the right budget.
    """
    rng = Random(f"{options.seed}/{options.instructions}/{options.races}/{options.threads}/{attempt}")
    builder = _Builder(rng, ComputationPool(rng, (1, 3) if options.instructions < _SMALL_PROGRAM else (3, 8)))
    count = options.threads if options.threads is not None else min(12, max(4, 4 + options.instructions // 4000))
    plan = plan_threads(rng, count)
    _add_modules(builder, options, budget)

    errands = _add_errands(builder)
    shared = [api for module in builder.modules if not module.confined for api in module.apis]
    roots = builder.reduce(shared, max(2, min(3 * count // 2, len(shared) // 2)))
    _assign(rng, plan, roots)
    _assign_confined(builder, plan)
    for starter in plan.crowd:
        starter.calls[:0] = errands
    write_threads(rng, plan, builder.modules, builder.add)

    text = "\n".join(builder.chunks)
    prelude = _PRELUDE.replace("$workers", str(plan.instances))
    if "xmalloc(" in text:
        prelude += "\n" + _XMALLOC
    if "vec_push(" in text:
        prelude += "\n" + _VEC
    races = tuple(module.race for module in builder.modules if module.race is not None)
    return Program(
        prelude + "\n" + text,
        races,
        builder.size + estimate_instructions(prelude),
        len(builder.modules),
        len(plan.starters),
        plan.instances,
    )


def _add_modules(builder: _Builder, options: Options, budget: int) -> None:
    rng = builder.rng
    expected = max(options.races, budget // _MODULE_SIZE)
    planted = set(rng.sample(range(expected), options.races))
    bag: list[Pattern] = []
    index = 0
    while builder.size < budget or index <= max(planted, default=-1):
        if not bag:
            bag = [pattern for pattern in _SHARED for _ in range(pattern.weight)]
            rng.shuffle(bag)
        if index in planted:
            pattern = rng.choice(_PLANTABLE)
            builder.add_module(pattern, rng.choice(pattern.plants))
        elif rng.random() < _CONFINED_SHARE:
            builder.add_module(rng.choice(unlocked.CONFINED), None)
        elif budget - builder.size < 150:
            builder.add_module(rng.choice(_SMALL), None)
        else:
            builder.add_module(bag.pop(), None)
        index += 1


def _add_errands(builder: _Builder) -> list[str]:
    """For each planted race a function that every crowd of threads runs: it meets the race for certain."""
    errands = []
    for module in builder.modules:
        if module.race is None:
            continue
        name = f"errand_{module.name}"
        calls = "\n".join(f"    sum += {call};" for call in module.racy_calls)
        builder.add(
            f"static long {name}(struct worker *self, unsigned long n)\n{{\n    long sum = self->id;\n"
            f"{calls}\n    return sum;\n}}\n"
        )
        errands.append(f"{name}(self, (unsigned long)round)")
    return errands


def _assign(rng: Random, plan: ThreadPlan, roots: Sequence[Callable_]) -> None:
    """Give each root service to one to three start functions."""
    for index, root in enumerate(roots):
        first = index % len(plan.starters)
        chosen = {first}
        while rng.random() < 0.45 and len(chosen) < min(3, len(plan.starters)):
            chosen.add(rng.randrange(len(plan.starters)))
        for starter in sorted(chosen):
            plan.starters[starter].calls.append(root.call.format(self="self", n="n"))


def _assign_confined(builder: _Builder, plan: ThreadPlan) -> None:
    """Give each module without locks to one thread, some of them to a second one of the other phase."""
    rng = builder.rng
    owners: dict[int, list[Module]] = {}
    singles = [index for index, starter in enumerate(plan.starters) if starter.instances == 1]
    for module in builder.modules:
        if module.confined:
            owners.setdefault(rng.choice(singles), []).append(module)
    for index in sorted(owners):
        owner = plan.starters[index]
        apis = [api for module in owners[index] for api in module.apis]
        calls = [root.call.format(self="self", n="n") for root in builder.reduce(apis, 2)]
        owner.calls += calls
        others = [starter for starter in plan.starters if _runs_apart(owner, starter)]
        if others and rng.random() < 0.5:
            rng.choice(others).calls.extend(calls)


def _runs_apart(a: Starter, b: Starter) -> bool:
    return b.instances == 1 and a.phase != b.phase
