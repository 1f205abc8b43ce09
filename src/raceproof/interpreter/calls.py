"""A call of a library function in progress, and the synchronisation objects that such calls work on.

A function is one or more steps of its thread. `prepare` says what the next step touches, or None if nobody can notice
it; `perform` does it, and returns the result or `AGAIN` if there are more steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from raceproof.interpreter.clocks import Clock, join_into, new_clock
from raceproof.interpreter.execution import Execution, Operation, RunningThread, SetBack, SyncName
from raceproof.interpreter.memory import MemoryObject, Pointer, UndefinedBehaviour, Value

NORMAL = 0


class Again:
    """The call goes on with another step."""


class Entered:
    """A function of the program was entered; its return goes on behind the call."""


AGAIN: Final = Again()
ENTERED: Final = Entered()
Outcome = Value | Again | Entered | None


@dataclass(slots=True)
class Mutex(SetBack):
    kind: int = NORMAL
    owner: RunningThread | None = None
    depth: int = 0
    clock: Clock = field(default_factory=new_clock)


@dataclass(slots=True)
class ReadWriteLock(SetBack):
    writer: RunningThread | None = None
    readers: list[RunningThread] = field(default_factory=list)
    write_clock: Clock = field(default_factory=new_clock)
    read_clock: Clock = field(default_factory=new_clock)


@dataclass(slots=True)
class Semaphore(SetBack):
    value: int
    clock: Clock = field(default_factory=new_clock)


@dataclass(slots=True)
class ConditionVariable(SetBack):
    waiters: list[RunningThread] = field(default_factory=list)


@dataclass(slots=True)
class Barrier(SetBack):
    count: int
    arrived: list[RunningThread] = field(default_factory=list)


@dataclass(slots=True)
class Once(SetBack):
    state: str = "new"
    clock: Clock = field(default_factory=new_clock)


@dataclass(slots=True)
class Attribute:
    kind: int = NORMAL


S = TypeVar("S")


@dataclass(slots=True)
class LibraryCall:
    """One call in progress."""

    run: Execution
    thread: RunningThread
    args: list[Value]
    site: int
    name: str = ""

    def number(self, index: int) -> int:
        value = self.args[index]
        if not isinstance(value, int):
            raise UndefinedBehaviour(f"argument {index} of {self.name} is {value}")
        return value

    def pointer(self, index: int) -> Pointer:
        value = self.args[index]
        if not isinstance(value, Pointer):
            raise UndefinedBehaviour(f"argument {index} of {self.name} is {value}")
        return value

    def key(self, index: int) -> tuple[MemoryObject, int]:
        at = self.pointer(index)
        at.object.check(at.offset, 1)
        return at.object, at.offset

    def sync_name(self, index: int) -> SyncName:
        target, offset = self.key(index)
        return target.name, offset

    def state(self, index: int, kind: type[S], make: Callable[[], S] | None = None) -> S:
        """The synchronisation object behind an argument; a static initialiser makes it on first use."""
        key = self.key(index)
        found = self.run.sync.get(key)
        if found is None:
            if make is None:
                raise UndefinedBehaviour(f"{self.name} of an object that was not initialised")
            found = self.run.sync[key] = make()
            self.run.synchronising.add(key[0])
        if not isinstance(found, kind):
            raise UndefinedBehaviour(f"{self.name} of another kind of object")
        return found

    def initialise(self, made: object) -> None:
        """Make the object behind argument 0; POSIX leaves open what happens to one that is in use."""
        if self.key(0) in self.run.sync:
            raise UndefinedBehaviour(f"{self.name} of an object that is initialised already")
        self.run.sync[self.key(0)] = made
        self.run.synchronising.add(self.key(0)[0])

    def touch(self, index: int, size: int, kind: str) -> None:
        writes = kind != "read"
        at = self.pointer(index)
        self.run.touch(self.thread, at, size, kind, self.site, writes=writes, atomic=False, changes=writes)

    def acquire(self, clock: Clock) -> None:
        join_into(self.thread.clock.now, clock)

    def release_to(self, clock: Clock) -> None:
        join_into(clock, self.thread.clock.publish())

    def change(self, index: int) -> None:
        """Those who have tried the synchronisation object behind the argument may try it again."""
        name = self.sync_name(index)
        self.run.versions[name] = self.run.versions.get(name, 0) + 1

    def effect(self) -> None:
        """The thread has done something that a spinning loop does not do."""
        self.thread.note_effect()

    def operation(self, *indices: int, ready: Callable[[], bool] | None = None, eager: bool = False) -> Operation:
        """A step on the synchronisation objects behind the arguments."""
        names = tuple(self.sync_name(index) for index in indices)
        shared = [self.run.use(self.thread, name) for name in names]
        return Operation(self.name, names, ready=ready, is_eager=eager or not any(shared))


Prepare = Callable[[LibraryCall], Operation | None]
Perform = Callable[[LibraryCall], Outcome]


def nothing(_: LibraryCall) -> None:
    return None


def zero(_: LibraryCall) -> Outcome:
    return 0
