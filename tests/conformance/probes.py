"""One script for each function, object and state of the specification: the outcomes that an engine must reckon with.

The first thread calls the function and then makes accesses that tell how it went; the second has the counterparts. For
each result `r` that the function may have anywhere,

    s_r   is written if the call returned r, and by the other thread in the end: a race iff r is possible
    x_r   likewise, but by the other thread under the lock (or before it signals): a race iff r leaves nothing ordered
    h     is written whatever was returned

so that an engine that forgets an outcome, or believes in an order that one of them does not make, proves a race.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from conformance.scripts import Access, Call, Item, Object, Script, When, numbered
from raceproof.spec import (
    FUNCTIONS,
    RULES,
    SEM_VALUE_MAX,
    ApiFunction,
    BarrierState,
    CondState,
    Kind,
    MutexState,
    ObjectType,
    OnceState,
    RwlockState,
    SemState,
    returned,
)

LEFT_OUT = ("_init", "_destroy", "_consistent", "_getvalue")
"""Ends of functions that order nothing."""


@dataclass(frozen=True, slots=True)
class Probe:
    name: str
    function: str
    script: Script


def _write(variable: str) -> Access:
    return Access(variable, writes=True)


def _results(function: ApiFunction) -> list[int]:
    """All that the C function may return, in whatever state."""
    used = {(op.object, op.name) for phase in function.phases for op in phase}
    outcomes = [o for rule in RULES if (rule.object, rule.operation) in used for o in rule.outcomes if o.explored]
    found = {returned(function, outcome.result) for outcome in outcomes if outcome.result is not None}
    return sorted(result for result in found if result is not None)


def _name(letter: str, result: int) -> str:
    return f"{letter}{abs(result)}"


def _probe(
    name: str, objects: dict[str, Object], call: Call, before: tuple[Call, ...], other: tuple[tuple[Item, ...], ...]
) -> Probe:
    """`other`: what the second thread does before and after its part of `x` and `h`, which stand between."""
    results = _results(call.function)
    told = tuple(When((r,), (_write(_name("s", r)), _write(_name("x", r)))) for r in results)
    first: tuple[Item, ...] = (*before, call, *told, _write("h"))
    free = tuple(_write(_name("s", r)) for r in results)
    ordered = (*(_write(_name("x", r)) for r in results), _write("h"))
    second: tuple[Item, ...] = (*other[0], *ordered, *other[1], *free)
    return Probe(name, call.name, numbered(Script(objects, (first, second))))


def _functions(stem: str) -> list[str]:
    return [name for name in FUNCTIONS if name.startswith(stem) and not name.endswith(LEFT_OUT)]


def _locks() -> Iterator[tuple[str, Object, str, str, str]]:
    """Label, object, stem of its functions, how it is taken, how it is given back."""
    for kind in (Kind.NORMAL, Kind.DEFAULT, Kind.RECURSIVE, Kind.ERRORCHECK):
        for robust in (False, True):
            made = Object(ObjectType.MUTEX, MutexState(kind, robust))
            label = f"{'robust ' if robust else ''}{kind.value}"
            yield label, made, "pthread_mutex_", "lock", "unlock"
    for kind in (Kind.PLAIN, Kind.RECURSIVE):
        yield f"C11 {kind.value}", Object(ObjectType.MUTEX, MutexState(kind), is_c11=True), "mtx_", "lock", "unlock"
    for side in ("rdlock", "wrlock"):
        yield f"rwlock against {side}", Object(ObjectType.RWLOCK, RwlockState()), "pthread_rwlock_", side, "unlock"
    yield "spin lock", Object(ObjectType.SPIN, MutexState(Kind.NORMAL)), "pthread_spin_", "lock", "unlock"


def _of_locks() -> Iterator[Probe]:
    for label, made, stem, take, give in _locks():
        takes = Call(stem + take, ("o",))
        gives = Call(stem + give, ("o",))
        held = tuple(Call(stem + way, ("o",)) for way in dict.fromkeys((take, "rdlock" if "rw" in stem else take)))
        for function in _functions(stem):
            for before in ((), *((way,) for way in held)):
                name = f"{label}: {', '.join(call.name for call in before) or 'nothing'}; {function}"
                yield _probe(name, {"o": made}, Call(function, ("o",)), before, ((takes,), (gives,)))


def _of_given_locks() -> Iterator[Probe]:
    stream = Object(ObjectType.MUTEX, MutexState(Kind.RECURSIVE), is_given=True)
    take, give = Call("flockfile", ("stdout",)), Call("funlockfile", ("stdout",))
    states: tuple[tuple[Call, ...], ...] = ((), (take,))
    for before, function in product(states, ("flockfile", "ftrylockfile", "funlockfile")):
        name = f"stream: {', '.join(call.name for call in before) or 'nothing'}; {function}"
        yield _probe(name, {"stdout": stream}, Call(function, ("stdout",)), before, ((take,), (give,)))
    section = Object(ObjectType.SECTION, MutexState(Kind.RECURSIVE), is_given=True)
    begin, end = Call("__VERIFIER_atomic_begin", ("section",)), Call("__VERIFIER_atomic_end", ("section",))
    yield _probe("section: nothing; begin", {"section": section}, begin, (), ((begin,), (end,)))
    yield _probe("section: begin; end", {"section": section}, end, (begin,), ((begin,), (end,)))


def _of_conditions() -> Iterator[Probe]:
    kinds = product((Kind.DEFAULT, Kind.RECURSIVE, Kind.ERRORCHECK), (False, True), (False,))
    for kind, robust, is_c11 in (*kinds, (Kind.PLAIN, False, True)):
        mutex = Object(ObjectType.MUTEX, MutexState(kind, robust), is_c11)
        objects = {"m": mutex, "c": Object(ObjectType.COND, CondState(), is_c11)}
        stem, lock = ("cnd_", "mtx_") if is_c11 else ("pthread_cond_", "pthread_mutex_")
        take, give = Call(f"{lock}lock", ("m",)), Call(f"{lock}unlock", ("m",))
        for function in _functions(stem):
            call = Call(function, ("c", "m") if "wait" in function else ("c",))
            for count in (0, 1, 2) if kind is Kind.RECURSIVE else (0, 1):
                name = f"condition of {'robust ' if robust else ''}{kind.value}, locked {count} times; {function}"
                other = ((take,), (Call(f"{stem}signal", ("c",)), give))
                yield _probe(name, objects, call, (take,) * count, other)


def _of_events() -> Iterator[Probe]:
    for value in (0, 1, SEM_VALUE_MAX):
        objects = {"o": Object(ObjectType.SEM, SemState(value))}
        for function in _functions("sem_"):
            name = f"semaphore of value {value}: {function}"
            yield _probe(name, objects, Call(function, ("o",)), (), ((), (Call("sem_post", ("o",)),)))
    for count in (1, 2):
        objects = {"o": Object(ObjectType.BARRIER, BarrierState(count))}
        wait = Call("pthread_barrier_wait", ("o",))
        yield _probe(f"barrier of {count}: pthread_barrier_wait", objects, wait, (), ((), (wait,)))
    for function, is_c11 in (("pthread_once", False), ("call_once", True)):
        objects = {"o": Object(ObjectType.ONCE, OnceState(), is_c11)}
        first = Call(function, ("o",), (_write("p"), _write("q")))
        second = Call(function, ("o",), (_write("p"),))
        yield _probe(f"once: {function}, run by both", objects, first, (), ((second,), (_write("q"),)))
        yield _probe(f"once: {function}, after the other's", objects, first, (), ((), (second, _write("p"))))


def probes() -> Iterator[Probe]:
    yield from _of_locks()
    yield from _of_given_locks()
    yield from _of_conditions()
    yield from _of_events()
