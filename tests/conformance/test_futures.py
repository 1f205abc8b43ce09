"""The pruning tables of `explore` against the specification, function by function.

What a table says of a call must cover every outcome: a lock is certainly held afterwards only if it is after all of
them, what comes behind the call may come if one of them returns, and a call whose result or effect depends on the order
of threads is an operation that the search has to reckon with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import pytest

from conformance.c_text import HEADERS
from conformance.states import ME, OTHER, STATES
from raceproof import facts, frontend
from raceproof.core import Budget
from raceproof.explore.futures import FuturePoint, Futures, LockChange, compute_futures
from raceproof.ir import Address, Call, SiteId
from raceproof.model import AccessId, ConcurrentProgram
from raceproof.spec import (
    FUNCTIONS,
    ApiFunction,
    Effect,
    MutexState,
    ObjectState,
    ObjectType,
    RwlockState,
    World,
)

TYPES = {
    "pthread_mutex": "pthread_mutex_t",
    "pthread_rwlock": "pthread_rwlock_t",
    "pthread_spin": "pthread_spinlock_t",
    "pthread_cond": "pthread_cond_t",
    "pthread_barrier": "pthread_barrier_t",
    "pthread_once": "pthread_once_t",
    "pthread_key": "pthread_key_t",
    "pthread": "pthread_t",
    "sem": "sem_t",
    "mtx": "mtx_t",
    "cnd": "cnd_t",
    "call": "once_flag",
    "tss": "tss_t",
    "thrd": "thrd_t",
}
BY_VALUE = ("join", "tryjoin", "timedjoin", "detach", "delete", "set", "get")
OTHER_ARGUMENTS = {
    "pthread_create": "0, other, 0",
    "thrd_create": "other_c11, 0",
    "pthread_once": "routine",
    "call_once": "routine",
    "pthread_barrier_init": "0, 2",
    "sem_init": "0, 1",
    "mtx_init": "mtx_plain",
    "sem_getvalue": "&value",
    **dict.fromkeys(("pthread_mutex_init", "pthread_rwlock_init", "pthread_spin_init", "pthread_cond_init"), "0"),
    **dict.fromkeys(("pthread_key_create", "tss_create", "pthread_setspecific", "tss_set"), "0"),
    **dict.fromkeys(("pthread_join", "thrd_join", "pthread_tryjoin_np"), "0"),
    **dict.fromkeys(("pthread_timedjoin_np", "pthread_clockjoin_np"), "0"),
}
LOCKS = (ObjectType.MUTEX, ObjectType.RWLOCK, ObjectType.SPIN, ObjectType.SECTION)
UNTOLD = {"init", "destroy", "consistent"}
"""Operations of which others can tell only where the standard says nothing any more, or in programs without tables."""


class Hold(IntEnum):
    NO = 0
    SHARED = 1
    EXCLUSIVE = 2


def hold(state: ObjectState) -> Hold:
    match state:
        case MutexState(owner=owner):
            return Hold.EXCLUSIVE if owner == ME else Hold.NO
        case RwlockState(writer=writer):
            return Hold.EXCLUSIVE if writer == ME else Hold.SHARED if state.reads(ME) else Hold.NO
        case _:
            return Hold.NO


def lock_argument(function: ApiFunction) -> int | None:
    """The argument that is a lock; 0 for atomic sections, which have none."""
    return next((op.arg for phase in function.phases for op in phase if op.object in LOCKS), None)


# -- the program: a thread for each function, which calls it and then makes an access


def c_call(function: ApiFunction, number: int) -> str:
    operation = function.phases[0][0].name
    if function.object is ObjectType.SECTION:
        return f"{function.name}()"
    if function.name.endswith("lockfile"):
        return f"{function.name}(stdout)"
    if operation == "end":
        return f"{function.name}(0)"
    arguments = [f"o{number}" if operation in BY_VALUE else f"&o{number}"]
    if len(function.phases) == 3:
        arguments.append(f"&m{number}")
    if function.name in OTHER_ARGUMENTS:
        arguments.append(OTHER_ARGUMENTS[function.name])
    if function.clock_arg is not None:
        arguments.append("CLOCK_REALTIME")
    if function.time_arg is not None:
        arguments.append("&soon")
    return f"{function.name}({', '.join(arguments)})"


def c_objects(function: ApiFunction, number: int) -> Iterator[str]:
    stem = next((s for s in sorted(TYPES, key=len, reverse=True) if function.name.startswith(s)), None)
    stem = "pthread_key" if "specific" in function.name else stem
    if stem is not None:
        yield f"static {TYPES[stem]} o{number};"
    if len(function.phases) == 3:
        yield f"static {'mtx_t' if stem == 'cnd' else 'pthread_mutex_t'} m{number};"


def program_text() -> str:
    lines = [HEADERS]
    lines += ["static const struct timespec soon = {1, 0};", "static int value, ran, behind[200];"]
    lines += ["static void *other(void *a) { return a; }", "static int other_c11(void *a) { return a != 0; }"]
    lines += ["static void routine(void) { ran = 1; }"]
    body = ["int main(void) {", "    pthread_t t;"]
    for number, function in enumerate(FUNCTIONS.values()):
        lines += c_objects(function, number)
        call = c_call(function, number)
        if len(function.phases) == 3:  # else nothing in the program names the lock
            call = f"{'mtx' if function.name.startswith('cnd') else 'pthread_mutex'}_lock(&m{number}); {call}"
        lines.append(f"static void *t{number}(void *a) {{ {call}; behind[{number}] = 1; return a; }}")
        body += [f"    pthread_create(&t, 0, t{number}, 0);"] * 2
    return "\n".join([*lines, *body, "    return 0;", "}", ""])


@dataclass(frozen=True)
class Tables:
    cp: ConcurrentProgram
    futures: Futures
    sites: dict[str, SiteId]

    def point(self, name: str) -> FuturePoint:
        return self.futures.points[self.futures.before[self.sites[name]]]

    def behind(self, name: str) -> list[LockChange]:
        """With which locks the access behind the call may come."""
        mine = {a for a in self.cp.accesses if self._is_behind(a, name)}
        return [access.change for access in self.point(name).accesses if access.access in mine]

    def _is_behind(self, access: AccessId, name: str) -> bool:
        number = list(FUNCTIONS).index(name)
        return self.cp.accesses[access].function == f"t{number}" and not self.cp.accesses[access].is_atomic

    def token(self, name: str) -> int | None:
        """Of the lock that the function is called with."""
        function, number = FUNCTIONS[name], list(FUNCTIONS).index(name)
        if function.object is ObjectType.SECTION:
            return 0
        symbol = f"{'m' if lock_argument(function) else 'o'}{number}"
        return next((t for t, place in enumerate(self.futures.tokens) if place == (symbol, 0)), None)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    path = tmp_path_factory.mktemp("futures") / "calls.c"
    path.write_text(program_text(), encoding="utf-8")
    budget = Budget.seconds(120)
    cp = facts.analyse(frontend.load(frontend.from_files([path], ["-w"]), budget), budget)
    futures = compute_futures(cp, facts.race_pairs(cp), budget, has_frames_of_callbacks=True)
    assert futures.reason is None
    sites = {}
    for number, name in enumerate(FUNCTIONS):
        for instr in cp.program.functions[f"t{number}"].instructions():
            if isinstance(instr, Call) and instr.callee == Address(name):
                sites[name] = instr.id
    return Tables(cp, futures, sites)


# -- what the specification says


def returns(function: ApiFunction) -> Iterator[tuple[ObjectState, ObjectState]]:
    """The lock before and after each way in which a call may go that is defined and returns."""
    lock = lock_argument(function)
    assert lock is not None
    type_ = next(op.object for phase in function.phases for op in phase if op.object in LOCKS)
    for state in STATES[type_]:
        if isinstance(state, MutexState) and state.robust:
            continue  # of a program with robust mutexes there are no tables
        world = World()
        world.add_thread(ME)
        world.add_thread(OTHER)
        world.add("lock", state)
        world.add("condition", STATES[ObjectType.COND][0])
        names = ("condition", "lock") if lock else ("lock",)
        work = [world]
        while work:
            before = work.pop()
            for step in before.steps(ME, function, names):
                if step.is_undefined or not step.is_explored:
                    continue
                after = before.copy()
                after.take(step)
                if step.result is None:
                    work.append(after)
                else:
                    yield state, after.objects["lock"]


def is_told(function: ApiFunction) -> bool:
    """Whether others can tell when the call came, or it can tell when they did."""
    if function.name == "sem_getvalue":
        return True  # the value is not among the results of the specification
    return function.object is not ObjectType.KEY and function.phases[0][0].name not in UNTOLD


# -- the tests


def claimed(before: Hold, change: LockChange, token: int | None) -> Hold:
    """How the table says that the lock is held behind the call."""
    kept = before if change.released is not None and token not in change.released else Hold.NO
    taken = [Hold.SHARED if shared else Hold.EXCLUSIVE for t, shared in change.acquired if t == token]
    return max(kept, *taken, Hold.NO)


WITHOUT_NAME = ("flockfile", "ftrylockfile", "funlockfile", "pthread_mutex_consistent")
"""They are about a lock that the tables have no name for, or do nothing to it."""
LOCKING = [name for name, f in FUNCTIONS.items() if lock_argument(f) is not None and name not in WITHOUT_NAME]


@pytest.mark.parametrize("name", LOCKING)
def test_locks_that_are_certainly_held(name: str, tables: Tables) -> None:
    token = tables.token(name)
    assert token is not None
    ways = list(returns(FUNCTIONS[name]))
    assert ways
    for change in tables.behind(name):
        for before, after in ways:
            assert claimed(hold(before), change, token) <= hold(after), (before, after, change)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in LOCKING])
def test_no_lock_is_taken_by_what_is_not_about_one(name: str, tables: Tables) -> None:
    assert all(access.change.acquired == () for access in tables.point(name).accesses)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_comes_behind_a_call_that_may_return(name: str, tables: Tables) -> None:
    point = tables.point(name)
    ends = FUNCTIONS[name].phases[0][0].object is ObjectType.THREAD and FUNCTIONS[name].phases[0][0].name == "end"
    assert bool(tables.behind(name)) is not ends
    assert (point.leave is None) is ends


@pytest.mark.parametrize("name", [name for name, f in FUNCTIONS.items() if is_told(f)])
def test_operations_that_others_can_tell(name: str, tables: Tables) -> None:
    assert tables.sites[name] in tables.point(name).operations


@pytest.mark.parametrize("name", ["pthread_create", "thrd_create"])
def test_threads_that_are_created(name: str, tables: Tables) -> None:
    created = {tables.futures.functions[n] for n in tables.point(name).creates}
    assert created == {"other" if name == "pthread_create" else "other_c11"}


@pytest.mark.parametrize("name", [name for name, f in FUNCTIONS.items() if f.object is ObjectType.ONCE])
def test_routines_that_run_inside(name: str, tables: Tables) -> None:
    assert any(
        outcome.effect is Effect.RUN for state in STATES[ObjectType.ONCE] for outcome in _rule(FUNCTIONS[name], state)
    )
    inside = {a for a, access in tables.cp.accesses.items() if access.function == "routine"}
    assert inside & {access.access for access in tables.point(name).accesses}


def _rule(function: ApiFunction, state: ObjectState) -> Iterator[object]:
    world = World()
    world.add("object", state)
    yield from world.rule(ME, function.phases[0][0], "object").outcomes
