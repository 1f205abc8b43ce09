"""Programs in which two threads call the library about one object: `python -m exploration.library_pairs SEED`.

Each thread does one thing: a call of a library function, or a plain access. What they have in common is an object
behind one of their arguments, or something that the library has for all threads. They run at the same time, under one
mutex, under two, one of them without, or one after the other. Whether that is a race, `library_rules` says, which
knows the standards and nothing of raceproof's tables: `RACE`, `SAFE`, or `OPEN` where the standards leave it open.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from exploration.library_rules import OBJECTS, RULES, Rule, Use, conflict, with_slots

MODE: Final = "library"


@unique
class Truth(Enum):
    RACE = "race"
    SAFE = "safe"
    OPEN = "open"


@unique
class Order(Enum):
    """What keeps the two threads apart. Beside the last three, nothing does."""

    NOTHING = "nothing"
    TWO_LOCKS = "two locks"
    ONE_LOCKS = "only one locks"
    LOCK = "one lock"
    JOIN = "join"
    SEMAPHORE = "semaphore"


_UNORDERED: Final = (Order.NOTHING, Order.TWO_LOCKS, Order.ONE_LOCKS)


@dataclass(frozen=True, slots=True)
class Pair:
    """A drawn program. `lines`: of the two calls."""

    seed: int
    text: str
    truth: Truth
    lines: tuple[int, int]
    order: Order
    rules: tuple[Rule, Rule]


_HEADERS: Final = """
    arpa/inet.h ctype.h dirent.h fcntl.h fnmatch.h grp.h langinfo.h libgen.h limits.h locale.h math.h netdb.h
    netinet/in.h pthread.h pwd.h search.h semaphore.h signal.h stdio.h stdlib.h string.h strings.h sys/socket.h
    sys/stat.h sys/time.h time.h unistd.h wchar.h
"""
_HEAD: Final = "\n".join(
    [
        "#define _GNU_SOURCE",
        *(f"#include <{name}>" for name in _HEADERS.split()),
        "static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }",
        "static _Thread_local int sink;",
        'static int zero; static struct in_addr address; static char *words[] = {"program", 0};',
        "static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;",
        "static sem_t done;",
    ]
)


def generate(seed: int) -> Pair:
    """The program of a seed."""
    rng = random.Random(f"{MODE} {seed}")
    first = rng.choice(RULES)
    common = _objects(first)
    fitting = [rule for rule in RULES if common & _objects(rule)] or list(RULES)
    second = rng.choice(fitting)
    rules = (first, second)
    ends = any(use.kind == "e" for rule in rules for use in _all_uses(rule))
    orders = [*_UNORDERED, *(Order.NOTHING,) * 3, Order.LOCK, Order.JOIN, Order.SEMAPHORE]
    # An object that one thread ends the other cannot use behind it, whatever keeps them apart.
    order = rng.choice(_UNORDERED) if ends else rng.choice(orders)
    return compose(rng, seed, rules, order)


def compose(rng: random.Random, seed: int, rules: tuple[Rule, Rule], order: Order) -> Pair:
    """A program of these two, about one object if there is one that both can have."""
    first, second = rules
    shared = rng.choice(sorted(_types(first) & _types(second))) if _types(first) & _types(second) else None
    places = tuple(_places(rng, rule, shared) for rule in rules)
    return _write(seed, rules, (places[0], places[1]), shared, order)


def _objects(rule: Rule) -> set[str]:
    return {use.object for use in _all_uses(rule)}


def _types(rule: Rule) -> set[str]:
    return {type_ for type_, _ in rule.slots}


def _all_uses(rule: Rule) -> Iterator[Use]:
    yield from rule.hidden
    for _, uses in rule.slots:
        yield from uses


def _places(rng: random.Random, rule: Rule, shared: str | None) -> tuple[str, ...]:
    """The name behind each slot: one of those that fit is the shared object, the others are the thread's own."""
    fitting = [index for index, (type_, _) in enumerate(rule.slots) if type_ == shared]
    chosen = rng.choice(fitting) if fitting else None
    return tuple(
        f"shared_{type_}" if index == chosen else f"own_{type_}{index}" for index, (type_, _) in enumerate(rule.slots)
    )


def _used(rule: Rule, places: tuple[str, ...]) -> list[Use]:
    """What of it other threads can see."""
    found = list(rule.hidden)
    for (_, uses), name in zip(rule.slots, places, strict=True):
        found += uses if name.startswith("shared_") else ()
    return found


def truth_of(first: list[Use], second: list[Use], order: Order) -> Truth:
    found = [conflict(a, b) for a in first for b in second]
    if order not in _UNORDERED or not any(may for _, may in found):
        return Truth.SAFE
    return Truth.RACE if any(must for must, _ in found) else Truth.OPEN


def _write(
    seed: int,
    rules: tuple[Rule, Rule],
    places: tuple[tuple[str, ...], tuple[str, ...]],
    shared: str | None,
    order: Order,
) -> Pair:
    lines = _HEAD.split("\n")
    types = [shared] if shared is not None else []
    lines += [f"static {OBJECTS[type_][0].replace('NAME', f'shared_{type_}')};" for type_ in types]
    calls: list[int] = []
    for number, (rule, names) in enumerate(zip(rules, places, strict=True)):
        own = [(type_, name) for (type_, _), name in zip(rule.slots, names, strict=True) if name.startswith("own_")]
        lines.append(f"static void *thread{number}(void *argument) {{")
        for type_, name in own:
            declared, initial, _ = OBJECTS[type_]
            lines.append(f"    {declared.replace('NAME', name)}; {initial.replace('NAME', name)}")
        lines += _before(order, number)
        lines.append(f"    {with_slots(rule, names)};")
        calls.append(len(lines))
        lines += [*_after(order, number), "    return argument;", "}"]
    lines += ["int main(void) {", "    pthread_t t0, t1;"]
    lines += [f"    {OBJECTS[type_][1].replace('NAME', f'shared_{type_}')}" for type_ in types]
    lines += ['    zero = open("/dev/zero", O_RDONLY);', "    sem_init(&done, 0, 0);"]
    create = [f"    pthread_create(&t{number}, 0, thread{number}, 0);" for number in (0, 1)]
    join = [f"    pthread_join(t{number}, 0);" for number in (0, 1)]
    lines += [create[0], join[0], create[1], join[1]] if order is Order.JOIN else [*create, *join]
    lines += ["    return 0;", "}"]
    truth = truth_of(_used(rules[0], places[0]), _used(rules[1], places[1]), order)
    return Pair(seed, "\n".join(lines) + "\n", truth, (calls[0], calls[1]), order, rules)


def _before(order: Order, number: int) -> list[str]:
    match order:
        case Order.LOCK:
            return ["    pthread_mutex_lock(&m1);"]
        case Order.TWO_LOCKS:
            return [f"    pthread_mutex_lock(&m{number + 1});"]
        case Order.ONE_LOCKS if number == 0:
            return ["    pthread_mutex_lock(&m1);"]
        case Order.SEMAPHORE if number == 1:
            return ["    while (sem_wait(&done)) {}"]
        case _:
            return []


def _after(order: Order, number: int) -> list[str]:
    match order:
        case Order.SEMAPHORE if number == 0:
            return ["    sem_post(&done);"]
        case Order.SEMAPHORE:
            return []
        case _:
            return [line.replace("_lock(", "_unlock(") for line in _before(order, number)]


def main() -> None:
    for seed in map(int, sys.argv[1:]):
        pair = generate(seed)
        print(f"{pair.text}// seed {seed}: {pair.truth.value}, lines {pair.lines}, {pair.order.value}")


if __name__ == "__main__":
    main()
