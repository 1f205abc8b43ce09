"""From the program and its open pairs to what the host runs: hooks, shared object, tables, isolation."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from raceproof.core import Budget, InternalError, Unsupported
from raceproof.explore.build import build_host, build_program, replaced_functions, why_not_32_bits
from raceproof.explore.candidates import candidates
from raceproof.explore.captured_state import may_tell_threads_apart, why_states_are_not_captured
from raceproof.explore.future_places import Places, compute_places, format_places
from raceproof.explore.futures import Futures, compute_futures, format_control
from raceproof.explore.hooks import hooks_for
from raceproof.explore.library32 import check_library
from raceproof.explore.options import ExploreOptions
from raceproof.explore.outside import allocating_scans, may_change_files, may_see_fp_environment, needs_fork
from raceproof.explore.process import Where
from raceproof.explore.protocol import STATES
from raceproof.explore.target import machine_of, reached
from raceproof.facts import Sync, sync_op
from raceproof.frontend import LinkedModule
from raceproof.ir import CompareExchange, Instr, Load, MemoryOrder, Rmw, Store, Terminator
from raceproof.model import AccessId, ConcurrentProgram, RacePair

_PRUNING = ("pdp", "dhtc", "race")  # algorithms that ask what a thread may still do


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything the host needs. `unobserved`: accesses of the pairs that the hooks do not see.

    `why_isolation` says what chose the fork mode, None for the memory mode or if the user chose. `known` are facts that
    the host would find out itself. `told`: how many accesses there are in a program that tells of each; 0 for others.
    `tells_apart`: it may tell threads apart that are alike, by what their addresses look like as numbers.
    `machine`: for which the host is built with its own C library, None if it takes that of this one.
    """

    host: Where
    program: Path
    name: str
    pairs: tuple[tuple[AccessId, AccessId], ...]
    isolation: str
    why_isolation: str | None = None
    unobserved: frozenset[AccessId] = frozenset()
    candidates: tuple[tuple[int, int], ...] = ()
    futures: tuple[str, ...] = ()
    module: str = ""
    known: frozenset[str] = frozenset()
    told: int = 0
    tells_apart: bool = False
    machine: str | None = None


def module_hash(module: LinkedModule) -> str:
    """What tells whether sites and access ids of a report are those of this program."""
    return module.origin.digest or hashlib.sha256(module.text.encode("utf-8", "surrogateescape")).hexdigest()


def prepare(cp: ConcurrentProgram, pairs: Sequence[RacePair], options: ExploreOptions, budget: Budget) -> Prepared:
    """Build the instrumented program for these pairs, and choose how executions are kept apart.

    The steps of a run depend on the pairs and on nothing else here: a schedule can be repeated with the same pairs.
    """
    machine = _machine(cp, options)
    if options.module is None:
        raise InternalError("nothing to run: the options of the explorer have no module")
    watched = {number for pair in pairs for number in (pair.first, pair.second)}
    futures = compute_futures(cp, pairs, budget) if options.algorithm in _PRUNING else None
    tokens = [token for token in futures.tokens if token is not None] if futures is not None else []
    places = Places()
    if futures is not None and futures.is_usable:
        places = compute_places(cp, watched, futures.functions)
    named = [*tokens, *((symbol, 0) for symbol in places.bases)]
    hooks = hooks_for(cp, watched, replaced_functions(), named, options.algorithm == STATES, options.idle_values)
    budget.check()
    known = known_of(cp)
    isolation, why = isolation_of(cp, options)
    if options.algorithm == STATES:
        _refuse_states(cp, known, isolation, options)
    if machine is not None:
        check_library(cp.program.externals, hooks.plan.replaced, machine)
    runtime = build_host(machine=machine, on_progress=options.on_progress)
    budget.check()
    program = build_program(options.module.text, cp.program, hooks.plan)
    return Prepared(
        host=runtime if options.target is None else reached(options.target, runtime),
        program=program,
        name=name_of(cp),
        pairs=tuple((pair.first, pair.second) for pair in pairs),
        isolation=isolation,
        why_isolation=why,
        unobserved=hooks.unobserved,
        candidates=candidates(cp.program),
        futures=_future_lines(cp, watched, futures, places, options) if futures is not None else (),
        module=module_hash(options.module),
        known=known,
        tells_apart=options.algorithm == STATES and may_tell_threads_apart(cp),
        machine=machine,
    )


def _machine(cp: ConcurrentProgram, options: ExploreOptions) -> str | None:
    """The machine for which the runtime is built with its own C library; None if it takes that of this one."""
    target = options.target
    if target is not None:
        text = options.module.text if options.module is not None else ""
        triple = re.search(r'^target triple = "([a-z0-9_]+)-', text, re.MULTILINE)
        if triple is None or machine_of(triple[1]) != target.machine:
            raise Unsupported(f"running a program on {target.triple} that was not compiled for it")
        return target.machine
    if cp.program.pointer_size != 4:
        return None
    if (reason := why_not_32_bits()) is not None:
        raise Unsupported(f"running a 32-bit program: {reason}")
    return "x86"


def _refuse_states(cp: ConcurrentProgram, known: frozenset[str], isolation: str, options: ExploreOptions) -> None:
    reason = why_states_are_not_captured(cp, known, isolation)
    if options.target is not None:
        reason = "it is for programs that run on this machine"
    if reason is None and options.outlived:
        reason = "it may use variables of functions that have returned"
    if reason is not None:
        raise Unsupported(f"algorithm {STATES}: {reason}")


def _future_lines(
    cp: ConcurrentProgram,
    watched: Collection[AccessId],
    futures: Futures,
    places: Places,
    options: ExploreOptions,
) -> tuple[str, ...]:
    """The tables, where each access stands in the program, and which pairs need no lock."""
    sites = [f"future site {number} {cp.accesses[number].site}" for number in sorted(watched)]
    pairs = sorted((pair.first, pair.second) for pair in options.ordered)
    return (*format_control(futures), *sites, *format_places(places), *(f"future ordered {a} {b}" for a, b in pairs))


def known_of(cp: ConcurrentProgram) -> frozenset[str]:
    """What makes more operations scheduling points, so that the search need not begin anew when it meets them; whether
    it has to ask if weaker atomics allow more than it executes; whether the program tells what memory it writes;
    whether threads could notice that they share a floating-point environment."""
    found = set()
    for name in cp.program.externals:
        operation = sync_op(name)
        if name == "pthread_cancel":
            found.add("cancel")
        elif operation is not None and (operation.tells or operation.kind in (Sync.TRYLOCK, Sync.SEM_TRYWAIT)):
            found.add("try")
    if any(_is_weaker(i) for function in cp.program.functions.values() for i in function.instructions()):
        found.add("weaker")
    if cp.uninitialised:
        found.add("validity")
    if not may_see_fp_environment(cp.program.externals):
        found.add("fp_unseen")
    if may_change_files(cp.program.externals):
        found.add("files")
    return frozenset(found)


def _is_weaker(instr: Instr | Terminator) -> bool:
    """An atomic access that is not sequentially consistent, whether it succeeds or fails."""
    match instr:
        case Load(order=order) | Store(order=order):
            return order not in (None, MemoryOrder.SEQ_CST)
        case Rmw(order=order):
            return order is not MemoryOrder.SEQ_CST
        case CompareExchange(order=order, failure_order=failure):
            return (order, failure) != (MemoryOrder.SEQ_CST, MemoryOrder.SEQ_CST)
    return False


def isolation_of(cp: ConcurrentProgram, options: ExploreOptions) -> tuple[str, str | None]:
    """How executions are kept apart, and why a process for each is needed."""
    if options.isolation != "auto":
        return options.isolation, None
    outside = sorted({*needs_fork(cp.program.externals), *allocating_scans(cp)})
    if not outside:
        needed = options.surroundings.needs_processes()
        return ("fork", "what is around the program is to be there each time") if needed else ("memory", None)
    shown = ", ".join(f"`{name}`" for name in outside[:3]) + (" and others" if len(outside) > 3 else "")
    return "fork", f"what {shown} may do outside the program's memory cannot be put back"


def name_of(cp: ConcurrentProgram) -> str:
    """What the program finds in argv[0]."""
    files = cp.program.origin.files
    return Path(files[0]).stem if files else "program"
