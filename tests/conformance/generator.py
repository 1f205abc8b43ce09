"""Random scripts. Calls come as programs make them (taken, used, given back), with small faults: a result that nobody
looks at, something given back too early or not at all, a lock of the wrong object."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from conformance.scripts import Access, Call, Item, Object, Script, When, numbered
from raceproof.spec import (
    SEM_VALUE_MAX,
    BarrierState,
    CondState,
    Kind,
    MutexState,
    ObjectType,
    OnceState,
    RwlockState,
    SemState,
)

EOWNERDEAD, SERIAL = 130, -1


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.objects: dict[str, Object] = {}
        self.threads = self.random.choice((2, 2, 2, 3))
        self.calls = 0
        for number in range(self.random.choice((1, 1, 2))):
            self._make_object(number)

    def script(self) -> Script:
        threads = []
        for _ in range(self.threads):
            self.calls = 0
            items: list[Item] = []
            for _ in range(self.random.choice((1, 1, 2))):
                items += self._block(0)
            threads.append(tuple(items))
        return numbered(Script(self.objects, tuple(threads)))

    # -- objects

    def _make_object(self, number: int) -> None:
        draw = self.random
        name = f"o{number}"
        match draw.choice(
            ("mutex", "mutex", "robust", "c11", "rwlock", "rwlock", "spin", "cond", "barrier", "sem", "once")
        ):
            case "mutex":
                kind = draw.choice((Kind.NORMAL, Kind.DEFAULT, Kind.RECURSIVE, Kind.ERRORCHECK))
                self.objects[name] = Object(ObjectType.MUTEX, MutexState(kind))
            case "robust":
                kind = draw.choice((Kind.NORMAL, Kind.RECURSIVE, Kind.ERRORCHECK))
                self.objects[name] = Object(ObjectType.MUTEX, MutexState(kind, robust=True))
            case "c11":
                kind = draw.choice((Kind.PLAIN, Kind.RECURSIVE))
                self.objects[name] = Object(ObjectType.MUTEX, MutexState(kind), is_c11=True)
            case "rwlock":
                self.objects[name] = Object(ObjectType.RWLOCK, RwlockState())
            case "spin":
                self.objects[name] = Object(ObjectType.SPIN, MutexState(Kind.NORMAL))
            case "cond":
                is_c11 = draw.random() < 0.3
                kind = Kind.PLAIN if is_c11 else draw.choice((Kind.DEFAULT, Kind.RECURSIVE, Kind.ERRORCHECK))
                robust = not is_c11 and draw.random() < 0.2
                self.objects[f"{name}m"] = Object(ObjectType.MUTEX, MutexState(kind, robust), is_c11)
                self.objects[f"{name}c"] = Object(ObjectType.COND, CondState(), is_c11)
            case "barrier":
                self.objects[name] = Object(ObjectType.BARRIER, BarrierState(draw.choice((1, 2, 2, 3))))
            case "sem":
                value = draw.choice((0, 0, 1, 1, 2, SEM_VALUE_MAX))
                self.objects[name] = Object(ObjectType.SEM, SemState(value))
            case "once":
                self.objects[name] = Object(ObjectType.ONCE, OnceState(), is_c11=draw.random() < 0.3)

    # -- what threads do

    def _access(self) -> Access:
        return Access(self.random.choice(("x", "x", "y")), self.random.random() < 0.7)

    def _some(self, depth: int) -> Iterator[Item]:
        yield self._access()
        if depth < 2 and self.random.random() < 0.4:
            yield from self._block(depth + 1)
        elif self.random.random() < 0.3:
            yield self._access()

    def _block(self, depth: int) -> Iterator[Item]:
        if self.calls > 5:
            yield self._access()
            return
        if self.random.random() < 0.15:
            yield self._access()
        name = self.random.choice([n for n, made in self.objects.items() if made.type is not ObjectType.COND])
        made = self.objects[name]
        blocks: dict[ObjectType, Callable[[str, Object, int], Iterator[Item]]] = {
            ObjectType.MUTEX: self._mutex,
            ObjectType.RWLOCK: self._rwlock,
            ObjectType.SPIN: self._spin,
            ObjectType.BARRIER: self._barrier,
            ObjectType.SEM: self._semaphore,
            ObjectType.ONCE: self._once,
        }
        self.calls += 2
        yield from blocks[made.type](name, made, depth)
        if self.random.random() < 0.15:
            yield self._access()

    def _held(self, take: Call, give: Call | None, depth: int, success: tuple[int, ...]) -> Iterator[Item]:
        """Take, use, give back: the result tested, or not, or tested the wrong way round."""
        inner = tuple(self._some(depth))
        giving: tuple[Item, ...] = () if give is None or self.random.random() < 0.08 else (give,)
        yield take
        how = self.random.random()
        if how < 0.55:
            other = (self._access(),) if self.random.random() < 0.4 else ()
            yield When(success, (*inner, *giving), other)
        elif how < 0.9:
            yield from (*inner, *giving)
        else:
            yield When(success, (), (*inner, *giving))

    def _mutex(self, name: str, made: Object, depth: int) -> Iterator[Item]:
        assert isinstance(made.state, MutexState)
        stem = "mtx" if made.is_c11 else "pthread_mutex"
        ways = ["lock", "lock", "lock", "trylock", "timedlock"] + ([] if made.is_c11 else ["clocklock"])
        take = Call(f"{stem}_{self.random.choice(ways)}", (name,))
        give = Call(f"{stem}_unlock", (name,))
        success = (0, EOWNERDEAD) if made.state.robust and self.random.random() < 0.7 else (0,)
        items = list(self._held(take, give, depth, success))
        condition = name[:-1] + "c"
        if condition in self.objects and self.random.random() < 0.7:
            items.insert(1, self._condition(condition, name, made.is_c11))
        if made.state.robust and self.random.random() < 0.4:
            items.insert(1, When((EOWNERDEAD,), (Call("pthread_mutex_consistent", (name,)),)))
        yield from items

    def _condition(self, condition: str, mutex: str, is_c11: bool) -> Item:
        stem = "cnd" if is_c11 else "pthread_cond"
        ways = ["wait", "timedwait", "signal", "signal", "broadcast"] + ([] if is_c11 else ["clockwait"])
        way = self.random.choice(ways)
        return Call(f"{stem}_{way}", (condition, mutex) if "wait" in way else (condition,))

    def _rwlock(self, name: str, made: Object, depth: int) -> Iterator[Item]:
        ways = (
            "rdlock",
            "rdlock",
            "wrlock",
            "wrlock",
            "tryrdlock",
            "trywrlock",
            "timedrdlock",
            "timedwrlock",
            "clockwrlock",
        )
        take = Call(f"pthread_rwlock_{self.random.choice(ways)}", (name,))
        yield from self._held(take, Call("pthread_rwlock_unlock", (name,)), depth, (0,))

    def _spin(self, name: str, made: Object, depth: int) -> Iterator[Item]:
        take = Call(f"pthread_spin_{self.random.choice(('lock', 'lock', 'trylock'))}", (name,))
        yield from self._held(take, Call("pthread_spin_unlock", (name,)), depth, (0,))

    def _barrier(self, name: str, made: Object, depth: int) -> Iterator[Item]:
        yield from self._some(2)
        yield Call("pthread_barrier_wait", (name,))
        if self.random.random() < 0.4:
            yield When((SERIAL,), tuple(self._some(depth)), (self._access(),) if self.random.random() < 0.5 else ())
        else:
            yield from self._some(depth)

    def _semaphore(self, name: str, made: Object, depth: int) -> Iterator[Item]:
        if self.random.random() < 0.4:
            yield from self._some(2)
            yield Call("sem_post", (name,))
            if self.random.random() < 0.3:
                yield When((0,), (self._access(),), (self._access(),))
            return
        take = Call(f"sem_{self.random.choice(('wait', 'wait', 'trywait', 'timedwait', 'clockwait'))}", (name,))
        give = Call("sem_post", (name,)) if self.random.random() < 0.6 else None
        yield from self._held(take, give, depth, (0,))

    def _once(self, name: str, made: Object, depth: int) -> Iterator[Item]:
        yield Call("call_once" if made.is_c11 else "pthread_once", (name,), tuple(self._some(2)))
        yield from self._some(2)


def generate(seed: int) -> Script:
    return Generator(seed).script()
