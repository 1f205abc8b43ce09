"""The result of a whole run, with every name already spelled out, so that reports need no analysis.

Made by `portfolio`, read by `report` and `cli`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from raceproof.core import InternalError, SourcePos
from raceproof.model.concurrency import UNKNOWN_START, AccessKind, Assumption, RacePair, Strength
from raceproof.model.deadlocks import Deadlock, DeadlockVerdict, Property
from raceproof.model.findings import CertifiedNet, Run, RunSetup, Schedule, Scope, Unwinding, Verdict
from raceproof.model.heaps import HeapMap
from raceproof.model.inputs import GivenInput
from raceproof.model.invariants import InvariantMap
from raceproof.model.models import Models

SAMPLING: Final = "run"
"""As an engine: `raceproof run`, which proves nothing."""


@dataclass(frozen=True, slots=True)
class AccessResult:
    """One of the two accesses of a pair, in the thread and calling context that the report shows.

    `pos` is None in code that the compiler made up. `held` names the locks that are certainly held. `note`: why it is
    an access at all, where the code does not show it. `of_object`: to a lock or the like, by an operation on it.
    `also`: places and functions of others, for which this one stands, see `PairResult.alike`.
    """

    pos: SourcePos | None
    function: str
    kind: AccessKind
    thread: str
    is_atomic: bool
    held: tuple[str, ...]
    call_stack: tuple[SourcePos, ...] = ()
    note: str = ""
    of_object: bool = False
    also: tuple[tuple[SourcePos | None, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadResult:
    """A thread of an execution: its number there, the function it runs, where it was created (None: main)."""

    id: int
    parent: int
    function: str
    created: SourcePos | None

    def __str__(self) -> str:
        if self.id == 0:
            return "main thread"
        created = f", created at {self.created.file}:{self.created.line}" if self.created else ""
        name = f" `{self.function}`" if self.function != UNKNOWN_START else ""
        return f"thread {self.id}{name}{created}"


@dataclass(frozen=True, slots=True)
class InputResult:
    """A value that the program was given, and the call that asked for it, if that is known."""

    value: int
    pos: SourcePos | None
    function: str

    def __str__(self) -> str:
        return f"{self.value} (line {self.pos.line})" if self.pos is not None else str(self.value)


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One operation: the `number`th step of `thread`. `calls` are the call sites, innermost last."""

    thread: int
    number: int
    operation: str
    address: str
    value: str
    held: tuple[str, ...]
    pos: SourcePos | None
    function: str
    calls: tuple[SourcePos, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A run as it was repeated. `racing`: the two accesses with the numbers of their threads; empty for another end.

    `repeated`: it showed again what was reported. `digest` is the same whenever the steps are. `waiting`: of a
    deadlock, the operation in which each thread waits.
    """

    threads: tuple[ThreadResult, ...]
    steps: tuple[TraceStep, ...]
    racing: tuple[tuple[int, AccessResult], ...]
    together: bool
    target: str
    ended: tuple[str, ...]
    repeated: bool
    digest: str
    waiting: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class RaceResult:
    """A race as it was executed; the accesses of the pair happen in `schedule.racers`, in the order of the run.

    `trace` is the run step by step, if there was time to spell it out; `inputs` what it was given.
    """

    schedule: Schedule
    threads: tuple[ThreadResult, ...]
    trace: Trace | None = None
    inputs: tuple[InputResult, ...] = ()


@dataclass(frozen=True, slots=True)
class IncidentResult:
    """Something else that went wrong in an execution: a deadlock, a failed assertion, a crash; `id` from 1."""

    id: int
    kind: str
    message: str
    pos: SourcePos | None
    function: str
    thread: int
    run: Run
    threads: tuple[ThreadResult, ...]
    inputs: tuple[InputResult, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldAt:
    """A lock that a thread holds, and where it took it, if that is known."""

    lock: str
    pos: SourcePos | None


@dataclass(frozen=True, slots=True)
class BlockedThread:
    """A thread that can never go on: in which operation it waits, for which object, and what it holds meanwhile.

    `waits_for` is empty if the object has no name; `holders`: the threads that have it, or that would have to end.
    """

    thread: int
    operation: str
    waits_for: str
    holders: tuple[int, ...]
    held: tuple[HeldAt, ...]
    pos: SourcePos | None
    function: str


@dataclass(frozen=True, slots=True)
class DeadlockResult:
    """A deadlock that was executed; `id` from 1. `pos` is one of the places at which threads wait."""

    id: int
    deadlock: Deadlock
    blocked: tuple[BlockedThread, ...]
    threads: tuple[ThreadResult, ...]
    pos: SourcePos | None
    function: str
    trace: Trace
    inputs: tuple[InputResult, ...] = ()


@dataclass(frozen=True, slots=True)
class DeadlockAnswer:
    """What the run says about the property deadlock. `reason`: for unknown always; `evidence` what is known."""

    verdict: DeadlockVerdict
    scope: Scope | None
    reason: str | None
    engine: str | None
    evidence: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        is_proof = self.verdict is DeadlockVerdict.DEADLOCK_FREE
        if is_proof and self.scope in (None, Scope.BOUNDED):
            raise InternalError("deadlock-free without a proof that is better than bounded")
        if self.verdict is DeadlockVerdict.UNKNOWN and not self.reason:
            raise InternalError("nothing is known about deadlocks, and nobody says why")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file with the flags it was compiled with, as seen from `directory`."""

    file: str
    flags: tuple[str, ...]
    directory: str


@dataclass(frozen=True, slots=True)
class TargetMachine:
    """A machine, as compilers name it, and the commands or addresses by which programs were run there."""

    triple: str
    vias: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """What was compiled and how: enough to do it again.

    `root`: the directory that relative names of files in the results are seen from. `digest` identifies the program
    that was compiled. `left_out`: code of the program that is not in the files. `target`: the machine that it was
    compiled for and run on, if that is not this one.
    """

    files: tuple[SourceFile, ...]
    data_model: str
    headers: str
    compiler: str | None
    entry: str
    models: Models = field(default_factory=Models)
    root: str = ""
    digest: str = ""
    left_out: tuple[str, ...] = ()
    target: TargetMachine | None = None


@dataclass(frozen=True, slots=True)
class PairResult:
    """What the run says about one pair; `id` counts from 1 and is the same in every run on the same program.

    `engine` is the one that decided, or for an open pair the last one that looked at it. A proof that does not reach as
    far as was asked for leaves the verdict at UNKNOWN, with its `scope`: BOUNDED always, THIS_INPUT in a program with
    inputs unless the user accepts it. `certificate`, `invariants`, `heaps` and `unwinding` are those of a proof
    which has them. `fingerprint` names the pair by what it touches and where, not by line numbers: it stays when lines
    move. `suppressed` is the reason that the user gave for not wanting to hear of it, `is_known` whether it is in the
    baseline; neither changes the verdict. `alike`: for how many pairs it stands, itself included, that differ in the
    lines of their accesses only; in a large result such pairs are one entry.
    """

    id: int
    pair: RacePair
    verdict: Verdict
    scope: Scope | None
    engine: str | None
    target: str
    accesses: tuple[AccessResult, AccessResult]
    evidence: tuple[str, ...]
    race: RaceResult | None = None
    certificate: CertifiedNet | None = None
    invariants: InvariantMap | None = None
    heaps: HeapMap | None = None
    unwinding: Unwinding | None = None
    fingerprint: str = ""
    suppressed: str | None = None
    is_known: bool = False
    alike: int = 1

    def __post_init__(self) -> None:
        if self.verdict is Verdict.RACE_FREE and self.scope in (None, Scope.BOUNDED):
            raise InternalError(f"pair {self.id} is race-free without a proof that is better than bounded")
        if (self.verdict is Verdict.RACE) != (self.race is not None):
            raise InternalError(f"pair {self.id}: a race, and nothing else, comes with the schedule that was executed")

    @property
    def is_for_this_input(self) -> bool:
        """Proved for the input of the executions, which is not enough."""
        return self.verdict is Verdict.UNKNOWN and self.scope is Scope.THIS_INPUT


def number_of(pairs: Iterable[PairResult]) -> int:
    """How many pairs these entries stand for."""
    return sum(pair.alike for pair in pairs)


@dataclass(frozen=True, slots=True)
class EngineReport:
    """How one engine did: pairs it decided, and `open`, those left after it."""

    name: str
    seconds: float
    proved: int
    witnessed: int
    open: int
    stats: Mapping[str, int | float | str]
    stopped: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextChange:
    """Replace what stands in a file from one position up to another, both counted from 1, columns in UTF-16 units."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class RepairResult:
    """A repair that was applied to a copy, compiled and checked: the races of these pairs are gone, and there is no new
    one. `is_proved`: their location is race-free then. `changes` are to the sources as they are, and contain the
    repairs that this one was checked with, `with_titles`; `patch` is the same to read."""

    title: str
    pairs: frozenset[int]
    is_proved: bool
    changes: tuple[TextChange, ...]
    patch: str
    with_titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The verdict on the program. `reason` says why, for unknown always; `files` are the program's sources.

    `interrupted`: the user stopped the run, the rest is what was known by then. `sources` and `setup` are what the
    executions in it can be repeated with, if there were any. `notes`: what the user should know about the
    configuration: entries that nothing fits. `input`: what the program is given where it is executed, None if that is
    not known. `obstacles`: why the program is not race-free even if all pairs are, such as code that was left out.
    `asked`: the properties that the user asked about; `verdict` is about data races, asked or not. `deadlock`: the
    answer about that property, if it was asked; `deadlocks`: those that were executed, also where it was not. `facts`:
    how much there was time to find out about the program before the engines began; None if nothing. `goes_on`: the
    search did not end with the first races. `repairs`: of its races, if the user asked for repairs.
    """

    verdict: Verdict
    scope: Scope | None
    reason: str | None
    files: tuple[str, ...]
    pairs: tuple[PairResult, ...]
    engines: tuple[EngineReport, ...]
    assumptions: tuple[Assumption, ...]
    seconds: float
    version: str
    other: tuple[IncidentResult, ...] = ()
    interrupted: bool = False
    sources: Sources | None = None
    setup: RunSetup | None = None
    notes: tuple[str, ...] = ()
    input: GivenInput | None = None
    obstacles: tuple[str, ...] = ()
    asked: tuple[Property, ...] = (Property.DATA_RACE,)
    deadlocks: tuple[DeadlockResult, ...] = ()
    deadlock: DeadlockAnswer | None = None
    facts: Strength | None = None
    goes_on: bool = False
    repairs: tuple[RepairResult, ...] = ()

    def __post_init__(self) -> None:
        match self.verdict:
            case Verdict.RACE_FREE:
                fits = self.scope not in (None, Scope.BOUNDED) and all(
                    p.verdict is Verdict.RACE_FREE for p in self.pairs
                )
                fits = fits and not self.obstacles and (self.scope is not Scope.THIS_INPUT or self._covers_input())
            case Verdict.RACE:
                fits = any(p.verdict is Verdict.RACE for p in self.pairs)
            case Verdict.UNKNOWN:
                fits = bool(self.reason)
        if not fits:
            raise InternalError(f"the verdict {self.verdict.value} does not follow from the verdicts on the pairs")
        if (self.deadlock is not None) != (Property.DEADLOCK in self.asked) or not self.asked:
            raise InternalError("what is said about deadlocks is not what was asked")
        if self.deadlock is not None and (self.deadlock.verdict is DeadlockVerdict.DEADLOCK) != bool(self.deadlocks):
            raise InternalError("the verdict deadlock, and no other, comes with one that was executed")

    @property
    def is_for_this_input(self) -> bool:
        """Nothing is open but that the program may be given other inputs than the one it was executed with."""
        open_pairs = [p for p in self.pairs if p.verdict is Verdict.UNKNOWN]
        return self.verdict is Verdict.UNKNOWN and bool(open_pairs) and all(p.is_for_this_input for p in open_pairs)

    def _covers_input(self) -> bool:
        """A proof for one input is one for the program if that has no other, or if the user says so."""
        return self.input is not None and (self.input.is_accepted or not self.input.reads)
