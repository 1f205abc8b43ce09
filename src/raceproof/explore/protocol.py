"""What the engine and the native runtime say to each other: the mirror of `native/raceproof_rt.h`.

The control file says what to run, one directive a line. The runtime answers on its standard output, one record a
line, fields separated by tabs, strings percent-encoded:

    progress    1200    3   48000   17  2
    race    4   1   9   2   counter 1   0:3 1:2 2:4     0:0:4294967295 1:0:14 2:0:14
    end race

A record that this module does not understand is an `InternalError`: both sides ship together.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum, unique
from typing import Final, TypeVar, final
from urllib.parse import quote_from_bytes, unquote

from raceproof.core import InternalError
from raceproof.ir import SiteId
from raceproof.model import AccessId, Block, Role, Run, RunStep, RunThread, Surroundings, Turn


@unique
class Kind(IntEnum):
    """`enum rp_kind`."""

    READ = 0
    WRITE = 1
    UPDATE = 2
    FREE = 3


@unique
class Order(IntEnum):
    """`enum rp_order`."""

    PLAIN = 0
    RELAXED = 1
    ACQUIRE = 2
    RELEASE = 3
    ACQ_REL = 4
    SEQ_CST = 5


@unique
class Deadlocks(IntEnum):
    """Whether a search looks for deadlocks, and what it does when it finds one."""

    NOT = 0
    FIRST = 1
    ALL = 2


NO_ACCESS = 0xFFFFFFFF
"""`RP_NO_ACCESS`; also stands for a site that is not known."""

REFUSED = 3
"""`RP_REFUSED`: the status of a host that could not load the program."""
PRUNINGS = ("repaired", "printed", "none")
DEFAULT_PRUNING = "repaired"
STATES = "states"
BY_SCHEDULES = ("dfs", "dpor", "pdp", "dhtc", "optimal", "race")
"""Algorithms that run schedules from the beginning; they share work, and run in any isolation."""
HIDES_ACCESSES = ("race",)
"""Algorithms for which an access is a scheduling point only once it is known to race."""
SAMPLE = "sample"
"""Not a search: executions by schedules that are drawn, of a program that tells of every access."""
SAMPLINGS = ("mixed", "walk", "stay", "pct", "pos")
ALGORITHMS = (*BY_SCHEDULES, STATES)
ISOLATIONS = ("memory", "fork")
ENDS = (
    "complete",
    "race",
    "time",
    "executions",
    "interrupted",
    "replayed",
    "items",
    "restart",
    "inputs",
    "pairs",
    "deadlock",
    "failure",
)
GIVEN_UP = "given up"
"""Of a search by several workers, beside `ENDS`: a part of it was begun in vain too often."""

Step = tuple[int, int]
"""Of a work item: the thread that is chosen at a node, and the set (a mask) of those that others try there."""


# Past a fixed size of the runtime the result is bounded; these are the reasons (`RP_LIMITS` in raceproof_rt.h).
LIMITS: Final = {
    "STEPS": "an execution was cut at the limit of steps",
    "THREADS": "a program made more threads than the explorer can follow",
    "EVENTS": "an execution had more events than the explorer can follow",
    "OBJECTS": "an execution had more locks, conditions and semaphores than the explorer can follow",
    "LOCATIONS": "an execution used more memory locations than the explorer can follow",
    "INPUTS": "not all values of the inputs were tried",
    "UNTRIED": "the explorer's memory for what is still to be tried was full",
    "SWITCHES": "an execution had more context switches than the explorer can repeat",
    "OLD_ACCESSES": "an execution used more memory than is remembered: what was touched longest ago was forgotten",
    "OLD_THREADS": "more threads were alive at once than are told apart",
    "STREAMS": "a program locked more streams than the explorer can follow",
    "NAMED_SEMAPHORES": "a program opened more named semaphores than the explorer can follow",
    "EXIT_HANDLERS": "a program registered more exit handlers than the explorer can follow",
    "PROCESSES": "a process that the program made has threads, of which one order was tried",
    "NAMESPACES": "the system gives the program no namespace for objects that processes share by name",
    "OTHERS": "what comes from clients and other processes comes in one order of many",
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a search has found out about the program: each process that takes part must know it.

    `known`: names as in `raceproof_rt.h`; `visible`: accesses that are scheduling points; `found`: pairs that race.
    """

    known: frozenset[str] = frozenset()
    visible: frozenset[AccessId] = frozenset()
    found: frozenset[tuple[AccessId, AccessId]] = frozenset()


@dataclass(frozen=True, slots=True)
class Part:
    """A search that is shared: its item (None: the whole of it), the threads known so far as (parent, number), and
    after how many executions it is to give back what is left (0: not before it is asked). `ends`: who is asked gives
    back all that is left, and ends."""

    item: tuple[Step, ...] | None = None
    threads: tuple[tuple[int, int], ...] = ()
    executions: int = 0
    facts: Facts = Facts()
    ends: bool = False

    def lines(self) -> Iterator[str]:
        yield "shares 1"
        if self.ends:
            yield "item_ends 1"
        if self.executions:
            yield f"item_executions {self.executions}"
        for number, (parent, child) in enumerate(self.threads):
            yield f"thread {number} {parent} {child}"
        if self.item is not None:
            yield " ".join(["item", *(f"{thread}:{mask:x}" for thread, mask in self.item)])
        for name in sorted(self.facts.known):
            yield f"known {name}"
        for access in sorted(self.facts.visible):
            yield f"visible {access}"
        for first, second in sorted(self.facts.found):
            yield f"found {first} {second}"


@dataclass(frozen=True, slots=True)
class Control:
    """The control file. A limit of 0 is none; `replay` turns the search into the repetition of one run. What every
    execution reads from its standard input goes beside it. `told`: so many accesses are told, and none is left out;
    `last`: of a replay, how many steps; `seed` and `sampling`: how schedules are drawn."""

    algorithm: str
    find_all: bool
    max_executions: int
    time_limit: float
    max_steps: int
    isolation: str
    spurious: bool
    arguments: tuple[str, ...]
    pairs: tuple[tuple[AccessId, AccessId], ...]
    candidates: tuple[tuple[int, int], ...] = ()
    futures: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    found: tuple[tuple[AccessId, AccessId], ...] = ()
    replay: Run | None = None
    drive: tuple[Turn, Turn] | None = None
    part: Part | None = None
    pruning: str = DEFAULT_PRUNING
    deadlocks: Deadlocks = Deadlocks.NOT
    surroundings: Surroundings = field(default_factory=Surroundings)
    max_states: int = 0
    exact_states: bool = False
    told: int = 0
    last: int = 0
    seed: int = 0
    sampling: str = ""
    symmetry: bool = True
    monitors: bool = True
    persistent: int = 0

    def text(self) -> str:
        return "".join(line + "\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"algorithm {self.algorithm}"
        yield f"all {int(self.find_all)}"
        yield f"max_executions {self.max_executions}"
        yield f"time_limit {self.time_limit:.3f}"
        yield f"max_steps {self.max_steps}"
        yield f"isolation {self.isolation}"
        yield f"spurious {int(self.spurious)}"
        yield f"pruning {self.pruning}"
        yield f"deadlocks {int(self.deadlocks)}"
        if self.told:
            yield f"samples {self.told}"
            yield f"last {self.last}"
        if self.sampling:
            yield f"seed {self.seed}"
            yield f"sampling {self.sampling}"
        if self.algorithm == STATES:
            yield f"max_states {self.max_states}"
            yield f"exact_states {int(self.exact_states)}"
            yield f"symmetry {int(self.symmetry)}"
            yield f"monitors {int(self.monitors)}"
            yield f"persistent {self.persistent}"
        for argument in self.arguments:
            yield f"arg {encode(argument)}"
        yield from _surroundings(self.surroundings)
        for first, second in self.pairs:
            yield f"pair {first} {second}"
        for bits, value in self.candidates:
            yield f"candidate {bits} {value}"
        yield from self.futures
        for name in sorted(self.known):
            yield f"known {name}"
        for first, second in self.found:
            yield from (f"found {first} {second}", f"visible {first}", f"visible {second}")
        if self.replay is not None:
            for number in self.replay.inputs:
                yield f"input {number}"
            for thread in sorted(self.replay.threads, key=lambda t: t.id):
                yield f"thread {thread.id} {thread.parent}"
            yield " ".join(["schedule", *map(_turn, self.replay.turns)])
        if self.drive is not None:
            yield f"drive {_turn(self.drive[0])} {_turn(self.drive[1])}"
        if self.part is not None:
            yield from self.part.lines()


def _surroundings(given: Surroundings) -> Iterator[str]:
    for name, value in given.environment:
        yield f"env {encode(f'{name}={value}')}"
    for word, texts in (("client", given.clients), ("server", given.servers), ("library", given.libraries)):
        for text in texts:
            yield f"{word} {encode(text)}"
    if given.directory is not None:
        yield f"directory {encode(given.directory)}"


@final
@dataclass(frozen=True, slots=True)
class ProgressRecord:
    executions: int
    blocked: int
    transitions: int
    depth: int
    open_pairs: int
    more: str = ""  # what a search by several has to add


@final
@dataclass(frozen=True, slots=True)
class RaceRecord:
    """Accesses and threads in the order of the run."""

    accesses: tuple[AccessId, AccessId]
    threads: tuple[int, int]
    address: str
    together: bool
    run: Run


@final
@dataclass(frozen=True, slots=True)
class PossibleRecord:
    """A race that another order of an execution would show, and that could not be executed."""

    accesses: tuple[AccessId, AccessId]
    threads: tuple[int, int]
    address: str


@final
@dataclass(frozen=True, slots=True)
class OtherRecord:
    kind: str
    message: str
    thread: int
    site: SiteId | None
    run: Run


@final
@dataclass(frozen=True, slots=True)
class BoundedRecord:
    reason: str
    site: SiteId | None = None


@final
@dataclass(frozen=True, slots=True)
class StatRecord:
    name: str
    value: int | float


@final
@dataclass(frozen=True, slots=True)
class OutputRecord:
    text: str


@final
@dataclass(frozen=True, slots=True)
class EndRecord:
    reason: str


@final
@dataclass(frozen=True, slots=True)
class ThreadRecord:
    thread: int
    parent: int
    number: int


@final
@dataclass(frozen=True, slots=True)
class PathRecord:
    steps: tuple[Step, ...]


@final
@dataclass(frozen=True, slots=True)
class NodeRecord:
    """`taken` and `left` are masks of threads."""

    index: int
    taken: int
    left: int


@final
@dataclass(frozen=True, slots=True)
class RequestRecord:
    index: int
    threads: int
    wanted: int


@final
@dataclass(frozen=True, slots=True)
class UndividedRecord:
    reason: str


@final
@dataclass(frozen=True, slots=True)
class KnownRecord:
    name: str


@final
@dataclass(frozen=True, slots=True)
class VisibleRecord:
    access: AccessId


PartRecord = ThreadRecord | PathRecord | NodeRecord | RequestRecord | UndividedRecord | KnownRecord | VisibleRecord
Record = (
    ProgressRecord
    | RaceRecord
    | PossibleRecord
    | Block
    | OtherRecord
    | RunStep
    | BoundedRecord
    | StatRecord
    | OutputRecord
    | EndRecord
    | PartRecord
)


def encode(text: str) -> str:
    """Percent-encode an argument as the bytes that the program is to get."""
    return quote_from_bytes(os.fsencode(text), safe="/.:,=+@_-")


def parse(line: str) -> Record:
    """One line of the runtime's output."""
    word, *fields = line.rstrip("\n").split("\t")
    try:
        return _parse(word, fields)
    except (ValueError, IndexError) as error:
        raise InternalError(f"the runtime wrote a record that makes no sense: {line!r} ({error})") from None


def _parse(word: str, fields: list[str]) -> Record:
    match word, fields:
        case "progress", [executions, blocked, transitions, depth, open_pairs]:
            return ProgressRecord(int(executions), int(blocked), int(transitions), int(depth), int(open_pairs))
        case "race", [a, thread_a, b, thread_b, address, together, schedule, inputs, threads]:
            return RaceRecord(
                accesses=(AccessId(int(a)), AccessId(int(b))),
                threads=(int(thread_a), int(thread_b)),
                address=unquote(address),
                together=bool(int(together)),
                run=_run(schedule, inputs, threads),
            )
        case "possible", [a, thread_a, b, thread_b, address]:
            return PossibleRecord(
                (AccessId(int(a)), AccessId(int(b))), (int(thread_a), int(thread_b)), unquote(address)
            )
        case "block", [name, number, size, calls]:
            return Block(name, SiteId(int(number)), int(size), tuple(SiteId(int(call)) for call in calls.split()))
        case "other", [kind, message, thread, site, schedule, inputs, threads]:
            run = _run(schedule, inputs, threads)
            return OtherRecord(unquote(kind), unquote(message), int(thread), _site(site), run)
        case (("step" | "next"), [thread, step, what, number, address, value, held, stack, *more]):
            done = _run_step(thread, step, unquote(what), number, unquote(address), unquote(value), held, stack)
            return _with_outcome(done, Role(word), more) if more else done
        case "event", [thread, step, what, address, object_, value]:
            return _event(int(thread), int(step), unquote(what), unquote(address), int(object_), int(value))
        case "bounded", [reason]:
            return BoundedRecord(unquote(reason))
        case "bounded", [reason, site]:
            return BoundedRecord(unquote(reason), _site(site))
        case "stat", [name, value]:
            return StatRecord(name, _number(value))
        case "output", [text]:
            return OutputRecord(unquote(text, errors="replace"))
        case "end", [reason] if reason in ENDS:
            return EndRecord(reason)
    return _parse_part(word, fields)


def _parse_part(word: str, fields: list[str]) -> Record:
    match word, fields:
        case "thread", [thread, parent, number]:
            return ThreadRecord(int(thread), int(parent), int(number))
        case "path", [steps]:
            return PathRecord(tuple(_step(text) for text in steps.split()))
        case "node", [index, taken, left]:
            return NodeRecord(int(index), int(taken, 16), int(left, 16))
        case "request", [index, threads, wanted]:
            return RequestRecord(int(index), int(threads, 16), int(wanted))
        case "undivided", [reason]:
            return UndividedRecord(reason)
        case "known", [name]:
            return KnownRecord(name)
        case "visible", [access]:
            return VisibleRecord(AccessId(int(access)))
    raise ValueError("no such record")


def _step(text: str) -> Step:
    thread, mask = text.split(":")
    return int(thread), int(mask, 16)


def _run_step(
    thread: str, done: str, what: str, number: str, address: str, value: str, held: str, stack: str
) -> RunStep:
    """`done` counts the steps of the thread before this one; `number` is an access for accesses, else a site."""
    is_access = what.upper() in Kind.__members__
    site = _site(number)
    return RunStep(
        thread=int(thread),
        number=int(done) + 1,
        operation=what,
        access=AccessId(site) if is_access and site is not None else None,
        site=site if not is_access else None,
        address=address,
        value=value,
        held=tuple(unquote(lock) for lock in held.split()),
        stack=tuple(SiteId(int(call)) for call in stack.split()),
    )


def _with_outcome(step: RunStep, role: Role, fields: list[str]) -> RunStep:
    size, order, result, object_, kind, access = fields
    return replace(
        step,
        access=step.access if int(access) < 0 else AccessId(int(access)),
        size=int(size),
        order=int(order),
        result=int(result) if result else None,
        object=int(object_) if int(object_) >= 0 else None,
        kind=int(kind),
        role=role,
    )


def _event(thread: int, steps: int, what: str, address: str, object_: int, value: int) -> RunStep:
    return RunStep(
        thread=thread,
        number=steps,
        operation=what,
        access=None,
        site=None,
        address=address,
        value="",
        held=(),
        stack=(),
        result=value,
        object=object_ if object_ >= 0 else None,
        role=Role.EVENT,
    )


def _run(schedule: str, inputs: str, threads: str) -> Run:
    made = []
    for text in threads.split():
        number, parent, site = text.split(":")
        made.append(RunThread(int(number), int(parent), _site(site) if int(number) else None))
    taken = [text.partition("@") for text in inputs.split()]
    return Run(
        turns=tuple(_pair(text) for text in schedule.split()),
        inputs=tuple(int(value) for value, _, _ in taken),
        threads=tuple(made),
        input_sites=tuple(_site(site or "-1") for _, _, site in taken),
    )


def _pair(text: str) -> Turn:
    thread, until = text.split(":")
    return int(thread), int(until)


def _turn(turn: Turn) -> str:
    return f"{turn[0]}:{turn[1]}"


def _site(text: str) -> SiteId | None:
    number = int(text)
    return SiteId(number) if 0 <= number < NO_ACCESS else None


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


R = TypeVar("R", bound=Record)


def of_kind(records: list[Record], kind: type[R]) -> list[R]:
    return [record for record in records if isinstance(record, kind)]
