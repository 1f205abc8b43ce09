"""All places at which threads may wait, what for, what they may hold meanwhile; and what is not understood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from raceproof.core import LimitReached, Unsupported
from raceproof.facts.call_targets import refuse_leaps
from raceproof.facts.flow.flow_result import FlowResult
from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Sync
from raceproof.facts.waiting.holding import Holding
from raceproof.facts.waiting.outside import may_wait_outside
from raceproof.facts.waiting.polling import PollingLoops
from raceproof.facts.waiting.resources import Resources, end_of
from raceproof.ir import Call, Function, SiteId
from raceproof.model import (
    MAIN,
    CallGraph,
    CallTargets,
    ObjectId,
    Resource,
    Thread,
    ThreadId,
    Unaccounted,
    Wait,
    Waiting,
)

_OF_LOCKS = frozenset({Sync.LOCK, Sync.TRYLOCK, Sync.UNLOCK, Sync.ONCE, Sync.WAIT})
_UNTOLD = {
    Sync.SEM_WAIT: "a wait at a semaphore, which somebody must post",
    Sync.BARRIER_WAIT: "a wait at a barrier, to which others must come",
}


def find_waits(world: World, flow: FlowResult, calls: CallGraph, threads: Mapping[ThreadId, Thread]) -> Waiting:
    """All waits of all threads. What is not understood is told, and not followed any further."""
    found: dict[Unaccounted, None] = dict.fromkeys(_unaccounted(world, calls, threads))
    if found:
        return Waiting((), tuple(found))
    known = Resources(world)
    for function, call in _calls_in(world, calls):
        for op in world.sync_ops(call):
            if op.kind in _OF_LOCKS:
                for arg in (op.arg, op.lock_arg):
                    if arg is not None and arg < len(call.args):
                        known.note_vague(function, call.args[arg])
    relevant = _relevant(world, calls)
    made = tuple((t.id, _ids(world, t)) for t in threads.values())
    waits: dict[Wait, None] = {}
    for start in dict.fromkeys(thread.start for thread in threads.values()):
        holding = Holding(world, calls, known, flow.uses.certain_releases, relevant)
        holding.threads = made
        try:
            holding.run(start)
        except LimitReached as limit:
            world.budget.check()
            found[Unaccounted(limit.message, world.program.functions[start].pos)] = None
            break
        found.update(holding.unaccounted)
        for thread in (t for t in threads.values() if t.start == start):
            found.update(dict.fromkeys(_left(world, thread, holding.left)))
            for site, wanted, held in holding.waits:
                waits[Wait(thread.id, site, wanted, held | {end_of(thread.id)})] = None
    return Waiting(tuple(waits) if not found else (), tuple(found), flow.waits)


def _ids(world: World, thread: Thread) -> frozenset[ObjectId]:
    return (
        frozenset(world.points_to.object_of_site(thread.created_at)) if thread.created_at is not None else frozenset()
    )


def _left(world: World, thread: Thread, left: Mapping[Resource, SiteId | None]) -> Iterator[Unaccounted]:
    """Locks that a thread may not give back. When main returns, the process ends; not when it calls pthread_exit."""
    for resource, site in left.items():
        if thread.id != MAIN or site is not None:
            what = world.points_to.objects[resource.object].name if resource.object is not None else str(resource)
            pos = world.positions[site] if site is not None else world.program.functions[thread.start].pos
            yield Unaccounted(f"`{thread.start}` may end without giving back `{what}`", pos)


def _calls_in(world: World, calls: CallGraph) -> Iterator[tuple[Function, Call]]:
    for function in world.program.functions.values():
        for instr in function.instructions():
            if isinstance(instr, Call) and instr.id in calls.targets:
                yield function, instr


def _relevant(world: World, calls: CallGraph) -> frozenset[str]:
    """Functions in which, or in what they call, there is a thread operation."""
    found: set[str] = set()
    callers: dict[str, set[str]] = {}
    for function, call in _calls_in(world, calls):
        targets = calls.targets[call.id]
        if world.sync_ops(call):
            found.add(function.name)
        for name in (*targets.functions, *targets.callbacks):
            callers.setdefault(name, set()).add(function.name)
    work = sorted(found)
    while work:
        new = callers.get(work.pop(), set()) - found
        found |= new
        work += sorted(new)
    return frozenset(found)


def _unaccounted(world: World, calls: CallGraph, threads: Mapping[ThreadId, Thread]) -> Iterator[Unaccounted]:
    """Places at which threads may wait for something that is no resource, or in a way that is not followed."""
    try:
        refuse_leaps(world.program, calls)
    except Unsupported as unsupported:
        yield Unaccounted(str(unsupported), unsupported.pos)
    relevant = _relevant(world, calls)
    reached = _reached(world, calls, threads)
    loops = PollingLoops(world, calls)
    for name in sorted(reached):
        yield from loops.in_function(name)
        if name in world.unseen:
            yield Unaccounted(f"`{name}` is not looked into", world.program.functions[name].pos)
    for function, call in _calls_in(world, calls):
        if function.name in reached:
            yield from _of_call(world, call, calls.targets[call.id], relevant)
    for thread in threads.values():
        if thread.is_callback and thread.start in relevant:
            yield Unaccounted(f"`{thread.start}` may run at any time", thread.pos)
    for name in sorted(calls.from_outside & relevant):
        yield Unaccounted(f"`{name}` may be called from outside the program", world.program.functions[name].pos)


def _of_call(world: World, call: Call, targets: CallTargets, relevant: frozenset[str]) -> Iterator[Unaccounted]:
    if targets.is_unknown:
        name = ", ".join(f"`{n}`" for n in targets.externals) or "a function that is not known"
        yield Unaccounted(f"a call of {name}, which may wait for anything", call.pos)
    for name in targets.externals:
        operation = world.sync_op(call, name)
        if operation is not None and operation.kind in _UNTOLD:
            yield Unaccounted(_UNTOLD[operation.kind], call.pos)
        elif may_wait_outside(name, call):
            yield Unaccounted(f"a call of `{name}`, through which threads may wait for one another", call.pos)
    for name in (*targets.at_end, *targets.any_time):
        if name in relevant:
            yield Unaccounted(f"`{name}` may run at the end of a thread, or at any time", call.pos)


def _reached(world: World, calls: CallGraph, threads: Mapping[ThreadId, Thread]) -> set[str]:
    """Functions that some thread may run."""
    edges: dict[str, set[str]] = {}
    for function, call in _calls_in(world, calls):
        targets = calls.targets[call.id]
        edges.setdefault(function.name, set()).update(
            targets.functions, targets.callbacks, targets.at_end, targets.any_time, targets.starts or ()
        )
    roots: Iterable[str] = [*(t.start for t in threads.values()), *calls.from_outside]
    found = set(roots)
    work = sorted(found)
    while work:
        new = edges.get(work.pop(), set()) - found
        found |= new
        work += sorted(new)
    return found & world.program.functions.keys()
