"""What a report claims, the program it claims it about, and what a checker answers.

A checker accepts only what it has confirmed itself. What is certainly not so is rejected; what was repeated by the
same runtime, and by nothing else, is not confirmed; everything else, from a rule that is too clever for a plain checker
to a limit of time, is not checked, and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, unique

from raceproof.explore import ExploreOptions, Replayed
from raceproof.model import (
    AccessId,
    CertifiedNet,
    ConcurrentProgram,
    Deadlock,
    DeadlockVerdict,
    HeapMap,
    InvariantMap,
    Property,
    RacePair,
    Run,
    RunSetup,
    Schedule,
    Scope,
    Unwinding,
    Verdict,
)

Key = tuple[AccessId, AccessId]


@unique
class Answer(Enum):
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NOT_CONFIRMED = "not confirmed"
    NOT_CHECKED = "not checked"


@unique
class About(Enum):
    """What the numbers of claims are numbers of."""

    PAIR = "pair"
    DEADLOCK = "deadlock"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Ruling:
    """An answer with its reason: what was confirmed, what is wrong, or what stands in the way."""

    answer: Answer
    why: str


def accepted(why: str) -> Ruling:
    return Ruling(Answer.ACCEPTED, why)


def rejected(why: str) -> Ruling:
    return Ruling(Answer.REJECTED, why)


def not_confirmed(why: str) -> Ruling:
    """Repeated with the same result, but by nothing that is independent of what has found it."""
    return Ruling(Answer.NOT_CONFIRMED, why)


def not_checked(why: str) -> Ruling:
    return Ruling(Answer.NOT_CHECKED, why)


@dataclass(frozen=True, slots=True)
class AccessClaim:
    """An access as the report shows it; `line` and `column` are 0 where the place is not known."""

    line: int
    column: int
    function: str
    kind: str
    is_atomic: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """One pair of the report. `evidence` is in the words of the engine, `schedule` belongs to a race,
    `certificate` to a proof by a net, `invariants` to one by invariants, `heaps` to one by who owns what,
    `unwinding` to one by a solver."""

    id: int
    key: Key
    verdict: Verdict
    scope: Scope | None
    engine: str | None
    accesses: tuple[AccessClaim, AccessClaim]
    evidence: tuple[str, ...]
    schedule: Schedule | None = None
    certificate: CertifiedNet | None = None
    invariants: InvariantMap | None = None
    heaps: HeapMap | None = None
    unwinding: Unwinding | None = None

    @property
    def kind(self) -> str | None:
        """Which checker is to look at it: a race is a race whoever found it; None if nothing is claimed."""
        match self.verdict:
            case Verdict.RACE:
                return "race"
            case Verdict.RACE_FREE:
                return self.engine or "?"
            case Verdict.UNKNOWN:
                return None


@dataclass(frozen=True, slots=True)
class DeadlockClaim:
    """What the report says about deadlocks as a whole."""

    verdict: DeadlockVerdict
    scope: Scope | None
    engine: str | None


@dataclass(frozen=True, slots=True)
class ExecutedDeadlock:
    """One deadlock of the report, by its number."""

    id: int
    deadlock: Deadlock


@dataclass(frozen=True, slots=True)
class IncidentClaim:
    """Something else that an execution is said to have run into: a crash, a failed assertion."""

    id: int
    kind: str
    message: str
    thread: int
    run: Run


@dataclass(frozen=True, slots=True)
class ReportClaims:
    """Everything that a report claims: its verdict on races, and that on each pair. `is_accepted`: the user has said
    that a proof for the input of the executions is enough. `reads`: at how many places the program is said to
    ask for input, None if nothing is said; `engines`: their names, with how many proofs and races each has counted;
    `assumptions`: what it names as such. `asked`: the properties that it answers; `deadlock`: the answer on deadlocks,
    if it has one; `deadlocks` and `incidents`: what was executed, asked for or not. `left_out`: how many open and
    proved pairs it does not list.
    """

    verdict: Verdict
    scope: Scope | None
    pairs: tuple[Claim, ...]
    is_accepted: bool = False
    reads: int | None = None
    engines: tuple[tuple[str, int, int], ...] = ()
    assumptions: tuple[str, ...] = ()
    asked: tuple[Property, ...] = (Property.DATA_RACE,)
    deadlock: DeadlockClaim | None = None
    deadlocks: tuple[ExecutedDeadlock, ...] = ()
    incidents: tuple[IncidentClaim, ...] = ()
    left_out: int = 0

    def by_key(self) -> Mapping[Key, Claim]:
        return {claim.key: claim for claim in self.pairs}


@dataclass(frozen=True, slots=True)
class Subject:
    """The program, compiled and analysed anew. `setup`: what the report's executions ran with, if there were any;
    `search`: the same as options of the explorer, with the module to run. `is_vouched`: the user says things about its
    functions that the program does not show. `problems`: what the report says about the program, its input or itself
    that is not so. `is_identified`: the report has the digest of the program. `wording` is asked about each run that
    was made again (what it is of, its number in the report): what the report tells people of it that it does not show,
    None if all is so.
    """

    cp: ConcurrentProgram
    pairs: Mapping[Key, RacePair]
    report: ReportClaims
    setup: RunSetup | None = None
    search: ExploreOptions | None = None
    is_vouched: bool = False
    problems: tuple[str, ...] = ()
    is_identified: bool = True
    wording: Callable[[About, int, Replayed], str | None] = field(default=lambda *told: None, compare=False)
    on_progress: Callable[[str], None] = field(default=lambda text: None, compare=False)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said about one claim; `id` is that of the pair, deadlock or incident, 0 for the verdict on the whole
    program."""

    id: int
    kind: str
    ruling: Ruling
    about: About = About.PAIR

    @property
    def answer(self) -> Answer:
        return self.ruling.answer
