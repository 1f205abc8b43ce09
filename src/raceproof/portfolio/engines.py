"""Which engines there are, by name. A new engine is one function registered here.

Engines that many programs do not need are imported when they first run: to load them all takes longer than to check a
small program.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from raceproof import explore, frontend, lockset
from raceproof.core import Budget, Unsupported
from raceproof.model import (
    Atom,
    Base,
    ConcurrentProgram,
    EngineResult,
    Guide,
    Models,
    ObjectId,
    ObjectKind,
    Proof,
    Property,
    RacePair,
    Rule,
    Schedule,
    Scope,
)
from raceproof.portfolio.searches import explore_in_turn, may_search_states

if TYPE_CHECKING:
    from raceproof import bmc

LOOK_SECONDS = 1.0
SHAPES_SHARE = 0.1
"""Of the time: what takes longer is not understood."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for and engines may need.

    `jobs`: processes to use; `arguments`: of the checked program; `request`: what it was compiled from, for engines
    that run it; `models`: what the user says about functions; `search`: how the program is run, but for what the
    other fields say. `proved`: pairs that were proved for every input, by now. Engines named in `always` run even when
    no pair is open. `unaided`: no other engine has looked at the pairs before the explorer, which then gets the thread
    states of the facts all the same. `looks`: engines that can take a first look do so before the others begin; `look`
    then says for how many seconds, beside what an engine needs to get ready. `outlived`: local variables that threads
    may use when their function has returned. `accepted`: how far a proof must reach to count. `properties`: what was
    asked about. `pairs_detail`: the result has every pair, however many there are. `on_progress` is told what an engine
    is at.
    """

    jobs: int = 1
    arguments: tuple[str, ...] = ()
    request: frontend.CompileRequest | None = None
    models: Models = field(default_factory=Models)
    search: explore.ExploreOptions = field(default_factory=explore.ExploreOptions)
    proved: Collection[RacePair] = frozenset()
    always: frozenset[str] = frozenset()
    unaided: bool = False
    looks: bool = True
    look: float = 0.0
    outlived: frozenset[ObjectId] = frozenset()
    accepted: Scope = Scope.ALL_INPUTS
    properties: tuple[Property, ...] = (Property.DATA_RACE,)
    pairs_detail: bool = False
    on_progress: Callable[[str], None] = field(default=lambda text: None, compare=False)


EngineFunction = Callable[[ConcurrentProgram, Sequence[RacePair], Settings, Budget], EngineResult]


@dataclass(frozen=True, slots=True)
class Engine:
    """`is_cheap`: runs to its end before all others. `look`: seconds for a first look, after which most programs are
    decided; 0 if it takes none. `decides`: the properties that it can say something about. `takes_all`: it is shown all
    open pairs, however many they are."""

    run: EngineFunction
    is_cheap: bool = False
    look: float = 0.0
    decides: frozenset[Property] = frozenset({Property.DATA_RACE})
    takes_all: bool = False


def _lockset(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
    if settings.search.deadlocks:
        return lockset.prove_deadlock_free(cp, budget)
    return lockset.run(cp, pairs, lockset.LocksetOptions(), budget)


def _shapes(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
    from raceproof import shapes

    if settings.models.safe:
        raise Unsupported("lists in a program with functions whose accesses nobody looks at, because the user says so")
    return shapes.run(cp, pairs, shapes.ShapesOptions(), budget.part(SHAPES_SHARE * budget.remaining()))


def _petri(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
    from raceproof import petri

    petri.kernel()  # built once; not on the time of a look
    part = budget.part(settings.look) if settings.look else budget
    result = petri.run(cp, pairs, petri.PetriOptions(), part)
    return replace(result, stats={**result.stats, "complete": result.stopped is None})


def _transactions(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
    from raceproof import transactions

    if settings.models.safe:
        raise Unsupported("values in a program with functions whose accesses nobody looks at, because the user says so")
    part = budget.part(settings.look) if settings.look else budget
    options = transactions.TransactionsOptions(harmless=settings.proved, spurious=settings.search.spurious)
    result = transactions.run(cp, pairs, options, part)
    return replace(result, stats={**result.stats, "complete": result.stopped is None})


def _bmc(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
    from raceproof import bmc

    if settings.models.safe:
        raise Unsupported("values in a program with functions whose accesses nobody looks at, because the user says so")
    options = bmc.BmcOptions(
        executor=None if settings.request is None else partial(model_executor, cp, pairs, settings),
        proved=settings.proved,
        argc=1 + len(settings.arguments),
        on_progress=settings.on_progress,
    )
    return bmc.run(cp, pairs, options, budget)


def model_executor(
    cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget
) -> bmc.Executor:
    """Runs what `bmc` has thought of, with the same accesses watched as the explorer has."""
    from raceproof import bmc

    search = _search_options(cp, pairs, settings, budget)
    watched = explore.watched_pairs(cp, pairs, search)
    prepared = explore.prepare(cp, watched, search, budget)

    def execute(guide: Guide, budget: Budget) -> Schedule | str:
        followed = explore.follow(prepared, search, guide, budget)
        return followed.schedule if followed.schedule is not None else followed.problem

    return bmc.Executor(execute, explore.setup_of(prepared, search))


def _explore(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
    options = _search_options(cp, pairs, settings, budget)
    if settings.looks and not settings.look and may_search_states(options, budget):
        return explore_in_turn(cp, pairs, options, budget)
    return explore.run(cp, pairs, options, budget)


def _search_options(
    cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget
) -> explore.ExploreOptions:
    if settings.request is None:
        raise Unsupported("running a program whose sources are not known")
    return replace(
        settings.search,
        module=frontend.link_program(settings.request, budget),
        arguments=settings.arguments,
        models=settings.models,
        find_all=settings.search.find_all or settings.look > 0,
        seconds=settings.look,
        jobs=settings.jobs,
        cluster=settings.search.cluster if not settings.look else None,  # a look is over before workers are there
        outlived=settings.outlived,
        ordered=ordered_pairs(cp, pairs, budget) if settings.unaided else frozenset(),
        on_progress=settings.on_progress,
    )


def ordered_pairs(cp: ConcurrentProgram, pairs: Sequence[RacePair], budget: Budget) -> frozenset[RacePair]:
    """Pairs that cannot race whatever locks the run sees: owned, read-shared, or ordered by the start and end of
    threads, the thread states of [DHTC, 3.1].

    So are pairs whose lock is named by the object that it protects, `p->lock` for `p->data`, or is in an object on the
    heap that exists once: the tables of the search know locks to come by the addresses of global variables, and, once a
    thread exists, by its argument.
    """
    found = lockset.run(cp, pairs, lockset.LocksetOptions(), budget).findings
    return frozenset(
        f.pair
        for f in found
        if isinstance(f.evidence, tuple) and (not _needs_lock(f.evidence) or not _has_global_lock(cp, f.pair))
    )


def _needs_lock(proof: Proof) -> bool:
    return any(reason.rule is Rule.COMMON_LOCK for reason in proof)


def _has_global_lock(cp: ConcurrentProgram, pair: RacePair) -> bool:
    """Some view of one of the accesses holds a lock in a global variable, at a fixed place: the tables name it."""
    views = [view for access in (pair.first, pair.second) for view in cp.accesses[access].views]
    return any(all(_is_global(cp, atom) for atom in lock.address.atoms()) for view in views for lock in view.held)


def _is_global(cp: ConcurrentProgram, atom: Atom) -> bool:
    return isinstance(atom, Base) and cp.objects[atom.object].kind is ObjectKind.GLOBAL


ENGINES: dict[str, Engine] = {
    "lockset": Engine(_lockset, is_cheap=True, decides=frozenset(Property), takes_all=True),
    "shapes": Engine(_shapes, is_cheap=True),
    "petri": Engine(_petri, look=LOOK_SECONDS),
    "transactions": Engine(_transactions, look=LOOK_SECONDS),
    "bmc": Engine(_bmc),
    "explore": Engine(_explore, look=LOOK_SECONDS, decides=frozenset(Property), takes_all=True),
}
"""In the order in which they run when the user names none."""
