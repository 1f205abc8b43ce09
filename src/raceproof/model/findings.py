"""Verdicts and the evidence they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from itertools import islice
from typing import TYPE_CHECKING, final, overload

from raceproof.core import InternalError, SourcePos
from raceproof.ir import SiteId
from raceproof.model.concurrency import AccessId, RacePair, View
from raceproof.model.heaps import OwnedHeaps
from raceproof.model.inputs import Surroundings
from raceproof.model.invariants import Invariants, ReadRange
from raceproof.model.race_pairs import PairClass, RacePairs

if TYPE_CHECKING:
    from raceproof.model.deadlocks import Deadlock, DeadlockFinding


@unique
class Verdict(Enum):
    RACE = "race"
    RACE_FREE = "race-free"
    UNKNOWN = "unknown"


@unique
class Scope(Enum):
    """How far a proof reaches, strongest first. BOUNDED is never reported as race-free."""

    ANY_THREADS = "any-threads"
    ALL_INPUTS = "all-inputs"
    THIS_INPUT = "this-input"
    BOUNDED = "bounded"


@unique
class Rule(Enum):
    """Why the lockset engine holds a pair to be race-free."""

    NOT_SHARED = "not-shared"
    ORDERED = "ordered"
    COMMON_LOCK = "common-lock"
    OWNED = "owned"
    BOTH_ATOMIC = "both-atomic"
    DISJOINT = "disjoint"
    REGION = "region"


@final
@dataclass(frozen=True, slots=True)
class StaticReason:
    """A rule and what it was applied to (`lock m`, `joined at line 20`); one per combination of views."""

    rule: Rule
    detail: str

    def __str__(self) -> str:
        return f"{self.rule.value} {self.detail}".strip()


@final
@dataclass(frozen=True, slots=True)
class Reason:
    """Why a pair is still open, for a person to read; `views` are the first two that may race."""

    text: str
    pos: SourcePos | None = None
    views: tuple[View, View] | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class RunThread:
    """A thread of one execution: its number there (main is 0), who created it, and at which call."""

    id: int
    parent: int
    created_at: SiteId | None


Turn = tuple[int, int]
"""A thread, and the number of steps that it has done in all when its turn ends."""


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of the program, enough to repeat it: who ran when, and which inputs it was given.

    What a step is depends on the accesses that were instrumented: see `RunSetup`. `input_sites`: the calls that took
    the inputs, where they are known.
    """

    turns: tuple[Turn, ...]
    inputs: tuple[int, ...]
    threads: tuple[RunThread, ...]
    input_sites: tuple[SiteId | None, ...] = field(default=(), compare=False)

    def steps_of(self, thread: int) -> int:
        """How many steps the thread has done at the end."""
        return next((until for who, until in reversed(self.turns) if who == thread), 0)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the heap in one run: the call that allocated it, how large it is, and the calls around that one,
    innermost last. `name` is the runtime's, as in `heap 0.1+40`."""

    name: str
    site: SiteId
    size: int
    calls: tuple[SiteId, ...] = ()


@unique
class Role(Enum):
    STEP = "step"
    EVENT = "event"
    NEXT = "next"


@dataclass(frozen=True, slots=True)
class RunStep:
    """One step of a run as the runtime tells it: what `thread` did as its `number`th step, from 1.

    `access` for an access, else `site`, if it is known. Addresses and the locks in `held` are named as the runtime does
    (`counter+4`, `heap 1.3+8`); `stack` has the call sites, innermost last.

    The rest is for whoever checks the run: bytes and memory order (C11's numbers, from 1; 0 for none) of an access,
    what the operation returned, the synchronisation object by number (one that is made anew has a new number) and the
    kind of a mutex. `role` tells what is no step of its own (EVENT: a join, an initialisation; `result` is its value)
    and what a thread stands before when the run ends (NEXT).
    """

    thread: int
    number: int
    operation: str
    access: AccessId | None
    site: SiteId | None
    address: str
    value: str
    held: tuple[str, ...]
    stack: tuple[SiteId, ...]
    size: int = 0
    order: int = 0
    result: int | None = None
    object: int | None = None
    kind: int = 0
    role: Role = Role.STEP


@final
@dataclass(frozen=True, slots=True)
class Schedule:
    """A race as it was executed, and executed again.

    `accesses` and `racers` (thread numbers) in the order of the run. `together`: the run ends with both threads
    standing before their accesses; otherwise no such run was found, and the two accesses happened one after
    the other with nothing that orders them. `steps` of the run, if they were kept: of a long one the last. `record`:
    the steps with all that is between and behind them; empty for a long run. `blocks`: of the heap, that steps name.
    """

    run: Run
    accesses: tuple[AccessId, AccessId]
    racers: tuple[int, int]
    together: bool
    steps: tuple[RunStep, ...] = field(default=(), compare=False, repr=False)
    record: tuple[RunStep, ...] = field(default=(), compare=False, repr=False)
    blocks: tuple[Block, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        where = "both threads stood before their accesses" if self.together else "nothing ordered the two accesses"
        return f"executed and repeated: {where}, after {len(self.run.turns)} turns of {len(self.run.threads)} threads"


@final
@dataclass(frozen=True, slots=True)
class Exhausted:
    """Every schedule that matters was executed for this input, or is equivalent to one that was.

    `bounds` says what was cut: then it holds up to there only.
    """

    executions: int
    algorithm: str
    bounds: tuple[str, ...] = ()

    def __str__(self) -> str:
        times = "1 execution" if self.executions == 1 else f"{self.executions} executions"
        return f"explored all schedules, {times}" + (f", {'; '.join(self.bounds)}" if self.bounds else "")


Tokens = tuple[tuple[int, int], ...]
"""Places of a net, by number, with how many tokens each; in the order of places."""


@final
@dataclass(frozen=True, slots=True)
class CertifiedNet:
    """No two threads, however many there are, come to stand before the two accesses of one of `pairs` at a time.

    The program as a Petri net, made for exactly these pairs, has a place for each access, and none of the pairs can be
    covered: `basis` and `invariants` certify it (`petri.NetCertificate`). `digest` tells whether a net is this one. One
    value serves all of its pairs.
    """

    pairs: tuple[tuple[AccessId, AccessId], ...]
    places: int
    transitions: int
    digest: str
    basis: tuple[Tokens, ...] = field(repr=False)
    invariants: tuple[tuple[Tokens, int], ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        counts = ((len(self.basis), "minimal marking"), (len(self.invariants), "invariant"))
        parts = [f"{count} {noun}" + ("s" if count > 1 else "") for count, noun in counts if count]
        return f"certificate {' and '.join(parts) or 'nothing to cover'} over {self.places} places"


@final
@dataclass(frozen=True, slots=True)
class Unwinding:
    """In the unwound program no execution brings two threads to stand before the two accesses of one of `pairs`.

    Loops went round `bound` times, recursion as deep; `is_complete`: no execution goes further, else the proof ends
    there. `events` says how large the program was, `ends` what
    else it does not follow. The pairs are proved together, each with the help of the others
    and of `relies_on`, which others have proved: what a thread reads there is what was written before.
    """

    pairs: tuple[tuple[AccessId, AccessId], ...]
    bound: int
    events: int
    is_complete: bool
    relies_on: tuple[tuple[AccessId, AccessId], ...] = ()
    ends: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.ends:
            return (
                f"unwinding in no execution do both threads stand before their accesses, up to: {'; '.join(self.ends)}"
            )
        rounds = f"{self.bound} round" + ("s" if self.bound > 1 else "")
        reach = "in no execution" if self.is_complete else f"in no execution with at most {rounds} of each loop"
        return f"unwinding {reach} do both threads stand before their accesses"


Proof = tuple[StaticReason, ...]
Evidence = Proof | Reason | Schedule | Exhausted | CertifiedNet | Invariants | OwnedHeaps | Unwinding


@dataclass(frozen=True, slots=True)
class Incident:
    """Something else that went wrong in an execution: a deadlock, a failed assertion, a crash.

    `site` is the call or access at which `thread` stood, if it is known.
    """

    kind: str
    message: str
    thread: int
    site: SiteId | None
    run: Run


@dataclass(frozen=True, slots=True)
class RunSetup:
    """What a `Run` must be repeated with, beside the program: `pairs` are those whose accesses were instrumented.

    `module` is the hash of the program's LLVM IR: with another one, sites and steps have no meaning.
    """

    module: str
    algorithm: str
    pairs: tuple[tuple[AccessId, AccessId], ...]
    arguments: tuple[str, ...]
    isolation: str
    spurious: bool
    max_steps: int
    surroundings: Surroundings = field(default_factory=Surroundings)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one engine says about one pair.

    A proof needs reasons and a scope, an unknown needs a reason, a race needs the schedule that was executed.
    """

    pair: RacePair
    verdict: Verdict
    evidence: Evidence
    engine: str
    scope: Scope | None = None

    def __post_init__(self) -> None:
        evidence = self.evidence
        match self.verdict:
            case Verdict.RACE_FREE if isinstance(evidence, Exhausted):
                reach = Scope.BOUNDED if evidence.bounds else Scope.THIS_INPUT
                fits = evidence.executions > 0 and self.scope is reach
            case Verdict.RACE_FREE if isinstance(evidence, CertifiedNet):
                fits = (self.pair.first, self.pair.second) in evidence.pairs and self.scope is Scope.ANY_THREADS
            case Verdict.RACE_FREE if isinstance(evidence, Invariants):
                reach = Scope.ANY_THREADS if evidence.is_for_any_number else Scope.ALL_INPUTS
                fits = (self.pair.first, self.pair.second) in evidence.map.pairs and self.scope is reach
            case Verdict.RACE_FREE if isinstance(evidence, OwnedHeaps):
                fits = (self.pair.first, self.pair.second) in evidence.map.pairs and self.scope is Scope.ALL_INPUTS
            case Verdict.RACE_FREE if isinstance(evidence, Unwinding):
                reach = Scope.ALL_INPUTS if evidence.is_complete else Scope.BOUNDED
                fits = (self.pair.first, self.pair.second) in evidence.pairs and self.scope is reach
            case Verdict.RACE_FREE:
                fits = isinstance(evidence, tuple) and len(evidence) > 0 and self.scope is not None
            case Verdict.UNKNOWN:
                fits = isinstance(evidence, Reason)
            case Verdict.RACE:
                fits = (
                    isinstance(evidence, Schedule)
                    and self.scope is None
                    and sorted(evidence.accesses) == [self.pair.first, self.pair.second]
                )
        if not fits:
            raise InternalError(f"a finding {self.verdict.value} of {self.engine} has the wrong kind of evidence")

    def about(self, pair: RacePair) -> Finding:
        """The same, said of another pair."""
        return self if pair == self.pair else replace(self, pair=pair)


@final
@dataclass(frozen=True)
class ClassFindings(Sequence[Finding]):
    """Findings on whole pair classes: `of_class` has that on the first pair of each. One on every pair of `pairs`, in
    their order, where somebody iterates; none on pairs of classes without one."""

    pairs: RacePairs
    of_class: Mapping[PairClass, Finding]

    def __len__(self) -> int:
        return sum(found.count for found in self.of_class)

    def __iter__(self) -> Iterator[Finding]:
        for pair in self.pairs:
            found = self.pairs.class_of(pair)
            if found is not None and found in self.of_class:
                yield self.of_class[found].about(pair)

    def counted(self) -> list[tuple[Finding, int]]:
        """What is said of how many pairs."""
        return [(finding, found.count) for found, finding in self.of_class.items()]

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, index: int | slice) -> Finding | tuple[Finding, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        for finding in islice(self, index, index + 1) if index >= 0 else tuple(self)[index:][:1]:
            return finding
        raise IndexError(index)


@dataclass(frozen=True, slots=True)
class EngineResult:
    """`stopped` says why the engine ended early, None if it did not; `notes` what the user should know besides.

    `setup` is there if the engine executed the program; `interrupted`: by the user, with what it knew by then.
    `deadlocks`: executed on the way, whether they were looked for or not; `deadlock`: the answer, if it was asked.
    `ranges`: what it knows of the values that reads find, by invariants that were checked.
    """

    engine: str
    findings: Sequence[Finding]
    seconds: float
    stats: dict[str, int | float | str] = field(default_factory=dict)
    stopped: str | None = None
    notes: tuple[str, ...] = ()
    incidents: tuple[Incident, ...] = ()
    setup: RunSetup | None = None
    interrupted: bool = False
    deadlocks: tuple[Deadlock, ...] = ()
    deadlock: DeadlockFinding | None = None
    ranges: tuple[ReadRange, ...] = ()
