"""Every cell of the specification that is defined and does not wait, as one C program per type of object.

Each cell makes an object of its own, brings it into the state, calls the function and prints what it returns. Another
thread's part in it is played by one that is joined before: it leaves its locks behind. So there is one schedule, and
the same program runs under the explorer and, compiled, on the machine's own C library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.c_text import HEADERS, initialise, type_of
from conformance.scripts import Object
from raceproof.spec import (
    FUNCTIONS,
    SEM_VALUE_MAX,
    ApiFunction,
    Kind,
    MutexState,
    ObjectType,
    RwlockState,
    SemState,
    World,
    returned,
)

ME, OTHER = 1, 2
Setup = tuple[tuple[int, str], ...]
"""Who calls what, one after the other; whoever is not `ME` has ended afterwards."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`expected` is what the function returns."""

    made: Object
    setup: Setup
    function: ApiFunction
    expected: int

    @property
    def label(self) -> str:
        state = self.made.state
        kind = f"{state.kind.value}{' robust' if state.robust else ''} " if isinstance(state, MutexState) else ""
        steps = ", ".join(f"{'own' if who == ME else 'other'} {name}" for who, name in self.setup)
        return f"{kind}{self.made.type.value}: {steps or 'nothing'}; {self.function.name}"


def _objects() -> Iterator[tuple[Object, str, tuple[Setup, ...]]]:
    """Objects, the stem of their functions, and how they come into each state."""
    lock, unlock = "pthread_mutex_lock", "pthread_mutex_unlock"
    for kind in (Kind.NORMAL, Kind.DEFAULT, Kind.RECURSIVE, Kind.ERRORCHECK):
        setups: list[Setup] = [(), ((ME, lock),), ((OTHER, lock),), ((ME, lock), (ME, unlock))]
        if kind is Kind.RECURSIVE:
            setups += [((ME, lock), (ME, lock)), ((ME, lock), (ME, lock), (ME, unlock))]
        yield Object(ObjectType.MUTEX, MutexState(kind)), "pthread_mutex_", tuple(setups)
        died = ((OTHER, lock), (ME, lock))
        setups = [(), ((ME, lock),), ((OTHER, lock),), died, (*died, (ME, unlock))]
        setups += [(*died, (ME, "pthread_mutex_consistent")), (*died, (ME, "pthread_mutex_consistent"), (ME, unlock))]
        yield Object(ObjectType.MUTEX, MutexState(kind, robust=True)), "pthread_mutex_", tuple(setups)
    for kind in (Kind.PLAIN, Kind.RECURSIVE):
        take = "mtx_lock"
        setups = [(), ((ME, take),), ((OTHER, take),)]
        yield Object(ObjectType.MUTEX, MutexState(kind), is_c11=True), "mtx_", tuple(setups)
    read, write, free = "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_unlock"
    setups = [(), ((ME, read),), ((ME, read), (ME, read)), ((OTHER, read),), ((ME, read), (OTHER, read))]
    setups += [((ME, write),), ((OTHER, write),), ((ME, read), (ME, read), (ME, free)), ((ME, write), (ME, free))]
    yield Object(ObjectType.RWLOCK, RwlockState()), "pthread_rwlock_", tuple(setups)
    spin = "pthread_spin_lock"
    yield Object(ObjectType.SPIN, MutexState(Kind.NORMAL)), "pthread_spin_", ((), ((ME, spin),), ((OTHER, spin),))
    for value in (0, 1, SEM_VALUE_MAX - 1, SEM_VALUE_MAX):
        yield Object(ObjectType.SEM, SemState(value)), "sem_", ((), ((OTHER, "sem_post"),), ((OTHER, "sem_trywait"),))


def cells() -> Iterator[Cell]:
    """All that are defined, and have one outcome that does not wait."""
    for made, stem, setups in _objects():
        for setup in setups:
            world = World()
            for thread in (ME, OTHER):
                world.add_thread(thread)
            world.add("object", made.state)
            if not _is_set_up(world, setup):
                continue
            for name, function in FUNCTIONS.items():
                if not name.startswith(stem) or name.endswith(("_init", "_destroy", "_getvalue")):
                    continue
                steps = [step for step in world.steps(ME, function, ("object",)) if step.is_explored]
                if len(steps) == 1 and not steps[0].is_undefined and steps[0].result is not None:
                    expected = returned(function, steps[0].result)
                    if expected is not None:
                        yield Cell(made, setup, function, expected)


def _is_set_up(world: World, setup: Setup) -> bool:
    for number, (thread, name) in enumerate(setup):
        steps = [s for s in world.steps(thread, FUNCTIONS[name], ("object",)) if s.is_explored and not s.is_undefined]
        if len(steps) != 1:
            return False
        world.take(steps[0])
        if thread == OTHER and all(later != OTHER for later, _ in setup[number + 1 :]):
            world.end_thread(OTHER)
    return True


def as_c(chosen: list[Cell]) -> str:
    """The program that prints the results of the cells, a line for each."""
    lines = [HEADERS, "static const struct timespec soon = {1, 0};"]
    body, parts = [], []
    for number, cell in enumerate(chosen):
        name = f"o{number}"
        lines.append(f"static {type_of(cell.made)} {name};")
        others = [step for who, step in cell.setup if who == OTHER]
        if others:
            parts += [f"    case {number}: {' '.join(f'{_call(FUNCTIONS[step], name)};' for step in others)} break;"]
        body += ["    {", *(f"        {line}" for line in initialise(name, cell.made))]
        for index, (who, step) in enumerate(cell.setup):
            if who == ME:
                body.append(f"        {_call(FUNCTIONS[step], name)};")
            elif all(earlier == ME for earlier, _ in cell.setup[:index]):
                body.append(f"        play({number});")
        body += [f'        printf("{number} %d\\n", {_call(cell.function, name)});', "    }"]
    lines += ["static void *other(void *number) {", "    switch ((long)number) {", *parts, "    }"]
    lines += ["    return 0;", "}", "static void play(long n) {", "    pthread_t t;"]
    lines += ["    pthread_create(&t, 0, other, (void *)n);", "    pthread_join(t, 0);", "}"]
    return "\n".join([*lines, "int main(void) {", *body, "    return 0;", "}", ""])


def _call(function: ApiFunction, name: str) -> str:
    arguments = [f"&{name}"]
    if function.clock_arg is not None:
        arguments.append("CLOCK_REALTIME")
    if function.time_arg is not None:
        arguments.append("&soon")
    return f"{function.name}({', '.join(arguments)})"


def disagreements(chosen: list[Cell], output: str) -> list[str]:
    """Cells of which the program printed something else than the specification says, or nothing."""
    printed = dict(line.split() for line in output.splitlines() if len(line.split()) == 2)
    return [
        f"{cell.label}: {printed.get(str(number))} instead of {cell.expected}"
        for number, cell in enumerate(chosen)
        if printed.get(str(number)) != str(cell.expected)
    ]
