"""Small programs of threads that access a few atomics, with every memory order, and one plain variable.

A thread is straight code: atomics, fences, loops that wait for a value, and accesses to the plain variable, which may
depend on what was read before. `render` writes one as C, `generate` draws one from a seed, `allowed_races` of `rc11`
says whether it has a race.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final

ORDERS: Final = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
_OF_LOADS: Final = ("relaxed", "acquire", "seq_cst")
_OF_STORES: Final = ("relaxed", "release", "seq_cst")
_OF_FENCES: Final = ("acquire", "release", "acq_rel", "seq_cst", "seq_cst")


@dataclass(frozen=True, slots=True)
class Atomic:
    """`kind`: load, store, add (of `value`), swap (for `value`), wait (until it is `value`), fence; exchange is a swap
    if it reads 0, otherwise a load of order `failing`; lock and unlock are of a mutex, which is an atomic that is 1
    while somebody has it. What was read is the thread's register number `register`."""

    kind: str
    order: str
    place: str = ""
    value: int = 0
    register: int = 0
    failing: str = ""

    @property
    def reads(self) -> bool:
        return self.kind in ("load", "add", "swap", "wait", "exchange", "lock")

    @property
    def writes(self) -> bool:
        return self.kind in ("store", "add", "swap", "lock", "unlock")

    def having_read(self, value: int | None) -> Atomic:
        """As what it turns out."""
        if self.kind != "exchange":
            return self
        return replace(self, kind="swap") if value == 0 else replace(self, kind="load", order=self.failing)


@dataclass(frozen=True, slots=True)
class Plain:
    """An access to the plain variable, if the registers have these values."""

    writes: bool
    if_read: tuple[tuple[int, int], ...] = ()


MUTEX: Final = "m"
LOCK: Final = Atomic("lock", "acquire", MUTEX, 1)
UNLOCK: Final = Atomic("unlock", "release", MUTEX, 0)

Step = Atomic | Plain
Litmus = tuple[tuple[Step, ...], ...]


def _step(step: Step) -> str:
    match step:
        case Plain(writes=writes, if_read=conditions):
            test = "".join(f"if (r{register} == {value}) " for register, value in conditions)
            return test + ("g = 1;" if writes else "(void)*(volatile int *)&g;")
        case Atomic(kind="lock" | "unlock" as kind, place=place):
            return f"pthread_mutex_{kind}(&{place});"
        case Atomic(kind="fence", order=order):
            return f"atomic_thread_fence(memory_order_{order});"
        case Atomic(kind="store", order=order, place=place, value=value):
            return f"atomic_store_explicit(&{place}, {value}, memory_order_{order});"
        case Atomic(kind="wait", order=order, place=place, value=value):
            return f"while (atomic_load_explicit(&{place}, memory_order_{order}) != {value}) ;"
        case Atomic(kind="load", order=order, place=place, register=register):
            return f"int r{register} = atomic_load_explicit(&{place}, memory_order_{order}); (void)r{register};"
        case Atomic(kind="exchange", order=order, place=place, value=value, register=register, failing=failing):
            orders = f"memory_order_{order}, memory_order_{failing}"
            call = f"atomic_compare_exchange_strong_explicit(&{place}, &r{register}, {value}, {orders});"
            return f"int r{register} = 0; {call} (void)r{register};"
        case Atomic(kind=kind, order=order, place=place, value=value, register=register):
            name = {"add": "atomic_fetch_add_explicit", "swap": "atomic_exchange_explicit"}[kind]
            return f"int r{register} = {name}(&{place}, {value}, memory_order_{order}); (void)r{register};"


def render(program: Litmus) -> str:
    """The program in C, with headers."""
    places = sorted({step.place for thread in program for step in thread if isinstance(step, Atomic) and step.place})
    lines = ["#include <pthread.h>", "#include <stdatomic.h>"]
    lines += [f"static {'pthread_mutex_t' if place == MUTEX else 'atomic_int'} {place};" for place in places]
    lines.append("static int g;")
    for number, thread in enumerate(program):
        lines.append(f"static void *thread{number}(void *unused) {{")
        lines += [f"    {_step(step)}" for step in thread]
        lines += ["    return unused;", "}"]
    count = len(program)
    lines += ["int main(void) {", f"    pthread_t t[{count}];"]
    lines += [f"    pthread_create(&t[{n}], 0, thread{n}, 0);" for n in range(count)]
    lines += [f"    pthread_join(t[{n}], 0);" for n in range(count)]
    return "\n".join([*lines, "    return 0;", "}", ""])


def generate(seed: int) -> Litmus:
    """Threads at random; or such that enter if they find nobody (Dekker), or look at the order of others' writes."""
    draw = random.Random(seed)
    program = _drawn(draw, draw.choice(("any", "any", "acquire and release", "seq_cst")))
    return tuple(_with_section(draw, thread) for thread in program) if draw.random() < 0.25 else program


def _with_section(draw: random.Random, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Some of the steps with the mutex; none of them waits for others. The numbers of registers stay."""
    first, last = sorted((draw.randint(0, len(steps)), draw.randint(0, len(steps))))
    if any(isinstance(step, Atomic) and step.kind == "wait" for step in steps[first:last]):
        return steps
    return (*steps[:first], LOCK, *steps[first:last], UNLOCK, *steps[last:])


def _drawn(draw: random.Random, favourite: str) -> Litmus:
    match draw.choice(("any", "entering", "entering", "looking")):
        case "entering":
            places = draw.choice((("x", "y"), ("x", "y"), ("x", "y", "z")))
            others = (*places[1:], places[0])
            return tuple(_entering(draw, *flags, favourite) for flags in zip(places, others, strict=True))
        case "looking":
            writers = tuple((_store(draw, place, favourite),) for place in ("x", "y"))
            return (*writers, *(_looking(draw, favourite) for _ in range(2)))
    count = draw.choice((2, 2, 2, 3))
    places = ("x", "y") if count == 2 or draw.random() < 0.6 else ("x", "y", "z")
    return tuple(_thread(draw, places, favourite, 4 if count == 2 else 3) for _ in range(count))


def _store(draw: random.Random, place: str, favourite: str) -> Atomic:
    return Atomic("store", _order(draw, _OF_STORES, favourite), place, 1)


def _entering(draw: random.Random, mine: str, other: str, favourite: str) -> tuple[Step, ...]:
    """Raise a flag, and go on if another one is down."""
    raised = _store(draw, mine, favourite)
    if draw.random() < 0.3:
        raised = Atomic(draw.choice(("add", "swap")), _order(draw, ORDERS, favourite), mine, 1)
    steps: list[Step] = [raised]
    if draw.random() < 0.5:
        steps.append(Atomic("fence", _order(draw, _OF_FENCES, favourite)))
    read = Atomic("load", _order(draw, _OF_LOADS, favourite), other, register=len(steps))
    if draw.random() < 0.3:
        kind, failing = draw.choice((("add", ""), ("exchange", _order(draw, _OF_LOADS, favourite))))
        read = Atomic(kind, _order(draw, ORDERS, favourite), other, 0, len(steps), failing)
    steps += [read, Plain(True, ((len(steps), 0),))]
    if draw.random() < 0.3:
        steps.append(Atomic("store", _order(draw, _OF_STORES, favourite), mine, 0))
    return tuple(steps)


def _looking(draw: random.Random, favourite: str) -> tuple[Step, ...]:
    """Find one flag up and then the other one down."""
    first, second = draw.sample(("x", "y"), 2)
    steps: list[Step] = [Atomic("load", _order(draw, _OF_LOADS, favourite), first)]
    if draw.random() < 0.3:
        steps.append(Atomic("fence", _order(draw, _OF_FENCES, favourite)))
    steps.append(Atomic("load", _order(draw, _OF_LOADS, favourite), second, register=len(steps)))
    return (*steps, Plain(True, ((0, 1), (len(steps) - 1, 0))))


def _order(draw: random.Random, orders: tuple[str, ...], favourite: str) -> str:
    wanted = {"acquire and release": ("acquire", "release", "acq_rel"), "seq_cst": ("seq_cst",)}.get(favourite, orders)
    fitting = [order for order in orders if order in wanted]
    return draw.choice(fitting if fitting and draw.random() < 0.8 else orders)


def _thread(draw: random.Random, places: tuple[str, ...], favourite: str, longest: int) -> tuple[Step, ...]:
    steps: list[Step] = []
    registers: list[int] = []
    for _ in range(draw.randint(1, longest)):
        kinds = ("load", "load", "load", "store", "store", "store", "add", "swap", "exchange", "fence", "wait")
        kind = draw.choice(kinds)
        place, value = draw.choice(places), draw.choice((1, 1, 2))
        if kind == "fence":
            steps.append(Atomic(kind, _order(draw, _OF_FENCES, favourite)))
            continue
        orders = {"load": _OF_LOADS, "wait": _OF_LOADS, "store": _OF_STORES}.get(kind, ORDERS)
        failing = _order(draw, _OF_LOADS, favourite) if kind == "exchange" else ""
        steps.append(Atomic(kind, _order(draw, orders, favourite), place, value, len(steps), failing))
        if kind in ("load", "add", "swap", "exchange"):
            registers.append(len(steps) - 1)
    at = draw.choice((0, len(steps), len(steps), draw.randint(0, len(steps))))
    told = [register for register in registers if register < at]
    asked = draw.sample(told, min(len(told), draw.choice((0, 1, 1, 2))))
    conditions = [(register, draw.choice((0, 0, 1, 1, 2))) for register in asked]
    steps.insert(at, Plain(draw.random() < 0.7, tuple(sorted(conditions))))
    return tuple(steps)
