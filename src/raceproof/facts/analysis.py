"""From the program to the concurrent program: points-to, two flows, and what follows from their views."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from raceproof.core import Budget, InternalError, LimitReached, rare_collections
from raceproof.facts.call_targets import call_graph
from raceproof.facts.coarse.views import coarse_flow
from raceproof.facts.flow.contexts import AccessKey, ThreadRecord
from raceproof.facts.flow.counters import countdowns, drawn_from, lenders
from raceproof.facts.flow.flow import Flow
from raceproof.facts.flow.flow_result import FlowResult
from raceproof.facts.flow.given_numbers import given_numbers
from raceproof.facts.flow.kept_ids import kept_ids
from raceproof.facts.flow.lifetimes import lifetimes
from raceproof.facts.flow.lost_pointers import LostPointers, lost_pointers
from raceproof.facts.flow.overwriting import late_overwriting, overwriting_sites, without_locks_in
from raceproof.facts.flow.pointer_numbers import pointers_read_as_numbers
from raceproof.facts.flow.rebuilt_pointers import rebuilt_pointers
from raceproof.facts.flow.region_roots import region_roots
from raceproof.facts.flow.signals import barrier_facts, exclusive_locks, section_words, senders_of, turn_words
from raceproof.facts.flow.stability import Stability
from raceproof.facts.flow.token_cells import token_cells, token_objects
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.facts.inputs import program_inputs
from raceproof.facts.library.sync_api import object_uses
from raceproof.facts.models import KnownFunctions, described, known_functions
from raceproof.facts.pointers.objects import ObjectKey
from raceproof.facts.pointers.points_to import solve
from raceproof.facts.undermining_calls import undermining_calls
from raceproof.facts.uninitialised import uninitialised_memory
from raceproof.facts.waiting.waits import find_waits
from raceproof.ir import LIBRARY_VARIABLES, START, Address, Call, Program, Reg, operands
from raceproof.model import (
    MAIN,
    NO_REGIONS,
    Access,
    AccessId,
    AnyArgument,
    Assumption,
    ConcurrentProgram,
    Linear,
    MemLoc,
    Models,
    Moment,
    ObjectId,
    Regions,
    SharedLocation,
    Strength,
    Thread,
    ThreadId,
    Unaccounted,
    UnknownCode,
    View,
)

log = logging.getLogger(__name__)

MAX_VIEWS = 48
SHARE_OF_FLOWS = 0.5
"""Of the time that is left when points-to is known, how much the flows may take."""


def analyse(
    program: Program,
    budget: Budget,
    models: Models = Models(),  # noqa: B008  frozen
    with_waits: bool = False,
    strongest: Strength = Strength.FULL,
) -> ConcurrentProgram:
    """Find threads, locks, order and every access that two threads may share; `with_waits`: and where they may wait.

    Facts come in strengths, each complete in itself (`Strength`): what is certain without a flow, after a first flow,
    and after a second one that knows what the first has found. The strongest that is ready when its share of the
    budget ends is the result; the rest of the time is the engines'. None stronger than `strongest` is tried.

    Raises `InputError` if a model does not fit the function that it is about, `LimitReached` if the time is up before
    there are facts of any strength.
    """
    with rare_collections():
        return _analyse(program, budget, models, with_waits, strongest)


def _analyse(
    program: Program, budget: Budget, models: Models, with_waits: bool, strongest: Strength
) -> ConcurrentProgram:
    program = described(program, models)
    known = known_functions(models, program)
    world = _world(program, budget, known)
    world.callbacks.refuse_foreign()
    found: tuple[FlowResult, Regions, Strength] | None = None
    if strongest is not Strength.COARSE:
        try:
            found = _by_flows(world, budget.part(budget.remaining() * SHARE_OF_FLOWS), strongest)
        except LimitReached as limit:
            log.info("first flow: %s", limit.message)
            budget.check()
    world.budget = budget
    flow, regions, strength = found or (coarse_flow(world), NO_REGIONS, Strength.COARSE)
    cp = replace(_assemble(world, flow, regions), strength=strength)
    return _with_waits(world, flow, cp, with_waits)


def _by_flows(world: World, budget: Budget, strongest: Strength) -> tuple[FlowResult, Regions, Strength]:
    """Raises `LimitReached` if there is no time for the first flow. The second one gets half of what that leaves."""
    world.budget = budget
    first = Flow(world, budget).run()
    log.info("first flow: %d threads, %d contexts", len(first.records), first.contexts)
    if strongest is Strength.FIRST_FLOW:
        return first, NO_REGIONS, Strength.FIRST_FLOW
    try:
        second, regions = _second_flow(world, first, budget.part(budget.remaining() / 2))
    except LimitReached as limit:
        log.info("second flow: %s", limit.message)
        return first, NO_REGIONS, Strength.FIRST_FLOW
    log.info("second flow: %d threads, %d contexts", len(second.records), second.contexts)
    return second, regions, Strength.FULL


def _second_flow(world: World, first: FlowResult, budget: Budget) -> tuple[FlowResult, Regions]:
    world.budget = budget
    touched = _touched(world, first)
    roots = region_roots(world)
    second = Flow(
        world,
        budget,
        Stability(world, first.records, touched, first.views),
        frozenset(senders_of(world, first, touched)),
        first.threads,
        counters=countdowns(world, first, touched),
        kept_ids=kept_ids(first, touched, world.program.pointer_size),
        drawn_from=drawn_from(world, first, touched),
        lenders=lenders(world, first, touched),
        token_objects=token_objects(world, first, touched),
        turn_words=turn_words(world, first, touched),
        section_words=section_words(world, first, touched),
        region_roots=roots,
    ).run()
    return second, Regions(roots.nodes, second.ties) if roots is not None else NO_REGIONS


def _with_waits(world: World, flow: FlowResult, cp: ConcurrentProgram, is_wanted: bool) -> ConcurrentProgram:
    if not is_wanted or cp.calls is None:
        return cp
    waiting = find_waits(world, flow, cp.calls, cp.threads)
    obstacles = [Unaccounted(text, None) for text in cp.program.obstacles]
    if cp.strength is Strength.COARSE:
        obstacles.append(Unaccounted("there was no time to follow which locks are held where", None))
    if cp.overwriting_late:
        obstacles.append(Unaccounted("a lock may be overwritten", world.positions[min(cp.overwriting_late)]))
    return replace(cp, waiting=replace(waiting, unaccounted=(*obstacles, *waiting.unaccounted)))


def _world(program: Program, budget: Budget, known: KnownFunctions) -> World:
    """What is known apart from any flow, once no pointer is lost; with those that would be pointing anywhere."""
    anywhere = LostPointers()
    rebuilt: frozenset[tuple[str, Reg]] = frozenset()
    sources: frozenset[ObjectKey] = frozenset()
    while True:
        points_to = solve(program, budget, known.locks, anywhere.code, anywhere.data, rebuilt, sources)
        log.info("points-to: %d objects", len(points_to.objects))
        world = World(program, points_to, budget, known)
        lost = lost_pointers(world)
        if lost & anywhere:
            raise InternalError("a pointer that may point anywhere points to nothing")
        found = rebuilt_pointers(world)
        new_sources = points_to.keys_of(found.sources) - sources
        if not lost and not new_sources and found.registers <= rebuilt:
            return world
        log.info(
            "points-to: %d pointers are lost, %d may be made of parts of %d objects",
            len(lost.data | lost.code),
            len(found.registers),
            len(found.sources),
        )
        anywhere |= lost
        rebuilt |= found.registers
        sources |= new_sources


def _touched(world: World, flow: FlowResult) -> dict[AccessKey, TargetedTouch]:
    return {(site, index): world.touch(site, index) for site, index in flow.views}


def _assemble(world: World, flow: FlowResult, regions: Regions) -> ConcurrentProgram:
    touched = _touched(world, flow)
    late = late_overwriting(world, flow, touched)
    flow = without_locks_in(world, flow, frozenset().union(*late.values()))
    outside = frozenset(r.id for r in flow.records if r.site is None and r.id != MAIN)
    threads = {r.id: _thread(r, outside) for r in flow.records if r.context is not None}
    states = _thread_states(world, touched, flow.views, threads)
    shared = {s.object for s in states if s.state == "racy"}
    accesses: dict[AccessId, Access] = {}
    safe: dict[AccessId, Access] = {}
    private = 0
    chosen: dict[int, tuple[MemLoc, ...]] = {}  # by identity of all targets
    for key, views in flow.views.items():
        world.budget.check()
        touch = touched[key]
        targets = chosen.get(id(touch.targets))
        if targets is None:
            targets = chosen[id(touch.targets)] = tuple(t for t in touch.targets if t.object in shared)
        if not targets:
            private += 1
            continue
        function, instr = world.instructions[key[0]]
        identity = AccessId(len(accesses) + len(safe))
        (safe if function.name in world.safe_functions else accesses)[identity] = Access(
            id=identity,
            site=key[0],
            function=function.source_name,
            kind=touch.touch.kind,
            size=touch.touch.size,
            targets=targets,
            order=touch.touch.order,
            views=_limited(views),
            pos=instr.pos or function.pos,
            touch=key[1],
            has_others=len(targets) < len(touch.targets),
            unknown=_unknown_code(world, instr, touch) if isinstance(instr, Call) else None,
            operation=_operation(world, instr, touch) if isinstance(instr, Call) else None,
        )
    may_hold = _may_hold(world, {**accesses, **safe})
    counters = drawn_from(world, flow, touched)
    counted_down = countdowns(world, flow, touched)
    given = given_numbers(world, flow, touched)
    accesses = _without_leaks(accesses, safe, may_hold, frozenset(loc.object for loc in world.kept))
    calls = call_graph(world.program, world.points_to)
    return ConcurrentProgram(
        program=replace(
            world.program,
            obstacles=tuple(dict.fromkeys([*world.program.obstacles, *undermining_calls(world, calls)])),
        ),
        threads=threads,
        objects=world.points_to.objects,
        accesses=accesses,
        private_accesses=private,
        states=states,
        exclusive=exclusive_locks(world, flow, touched, counters),
        barriers=() if world.uses_setjmp else barrier_facts(flow, threads),  # longjmp skips or repeats rounds
        senders=senders_of(world, flow, touched),
        sent_after=flow.uses.sent_after,
        assumptions=(*flow.assumptions, *_of_safe_functions(world, safe), *_of_the_linker(world.program)),
        may_hold={held: holders - safe.keys() for held, holders in may_hold.items()},
        calls=calls,
        countdowns=tuple(counted_down.values()),
        drawn_from=counters | lenders(world, flow, touched) | given.keys(),
        given_numbers=given,
        tokens=token_cells(world, flow, touched, counted_down),
        regions=regions,
        lifetimes=lifetimes(world, flow, shared),
        doubtful_mutexes=frozenset(
            name for name in world.program.globals if world.points_to.object_of_symbol(name) in world.doubtful_mutexes
        ),
        doubtful_objects=frozenset(world.doubtful_mutexes),
        made_at=world.points_to.made_at(),
        overwriting=overwriting_sites(world),
        overwriting_late=frozenset(late),
        overwritten=frozenset().union(*late.values()),
        pointer_numbers=pointers_read_as_numbers(world),
        inputs=program_inputs(world, calls),
        uninitialised=uninitialised_memory(world),
    )


def _unknown_code(world: World, call: Call, touch: TargetedTouch) -> UnknownCode | None:
    """Who makes an access of a call, if it is a function that nothing describes."""
    names = (*world.callees(call), *world.points_to.foreign_starts(call.id))
    unknown = tuple(name for name in dict.fromkeys(names) if world.is_unknown(name))
    if not unknown or not (touch.touch.reach or touch.touch.kept):
        return None
    kept_by = dict.fromkeys(name for o in sorted(touch.objects) for name in world.kept_by.get(o, ()))
    return UnknownCode(unknown, touch.touch.kept, tuple(kept_by) if touch.touch.kept else ())


def _operation(world: World, call: Call, touch: TargetedTouch) -> str | None:
    """The function of the thread library whose object is touched."""
    return next((n for n in world.callees(call) if object_uses(n)), None) if touch.touch.use is not None else None


def _may_hold(world: World, accesses: Mapping[AccessId, Access]) -> dict[ObjectId, frozenset[AccessId]]:
    """Object -> accesses to places where a pointer to it may be stored."""
    found: dict[ObjectId, set[AccessId]] = {}
    unpublished = {t.object for a in accesses.values() if any(v.private for v in a.views) for t in a.targets}
    contents: dict[MemLoc, frozenset[ObjectId]] = {}
    held_in: dict[int, frozenset[ObjectId]] = {}  # of targets, by identity: many accesses have the same ones
    for access in accesses.values():
        if id(access.targets) not in held_in:
            world.budget.check()
            for target in access.targets:
                if target not in contents:
                    contents[target] = frozenset(p.object for p in world.points_to.contents(target)) & unpublished
            held_in[id(access.targets)] = frozenset().union(*map(contents.__getitem__, access.targets))
        for held in held_in[id(access.targets)]:
            found.setdefault(held, set()).add(access.id)
    return {held: frozenset(found.get(held, ())) for held in unpublished}


def _without_leaks(
    accesses: dict[AccessId, Access],
    safe: Mapping[AccessId, Access],
    may_hold: Mapping[ObjectId, frozenset[AccessId]],
    kept: frozenset[ObjectId],
) -> dict[AccessId, Access]:
    """Nobody checks whether a safe function, or unknown code, passes pointers on in order: what it may pass on, or
    keeps, is not private."""
    leaking = {held for held, holders in may_hold.items() if holders & safe.keys() or held in kept}
    if not leaking:
        return accesses
    return {
        identity: replace(access, views=tuple(replace(view, private=False) for view in access.views))
        if any(target.object in leaking for target in access.targets)
        else access
        for identity, access in accesses.items()
    }


def _of_safe_functions(world: World, safe: Mapping[AccessId, Access]) -> list[Assumption]:
    """What was taken for granted because of them; not for those that have nothing to hide."""
    used = {world.instructions[access.site][0].name for access in safe.values()}
    found: dict[str, Assumption] = {}
    for name, model in world.known.safe.items():
        if any(inner in used for inner in world.called_by(name)):
            text = f"the user says that {model}"
            found.setdefault(text, Assumption(text, world.program.functions[name].pos))
    return list(found.values())


def _of_the_linker(program: Program) -> list[Assumption]:
    """The order of several constructors; variables that the program uses by name and does not define, other than the C
    library's."""
    found = []
    if program.entry == START and sum(isinstance(i, Call) for i in program.functions[START].instructions()) > 2:
        text = "functions that run before main run by priority, and then in the order of the files as they are given"
        found.append(Assumption(text, None))
    names = {n for n, v in program.globals.items() if v.is_external and n not in LIBRARY_VARIABLES}
    used: set[str] = set()
    for function in program.functions.values() if names else ():
        for instr in function.instructions():
            used.update(v.symbol for v in operands(instr) if isinstance(v, Address) and v.symbol in names)
    for name in sorted(used):
        text = f"`{name}`, which the program does not define, is none of its own variables"
        found.append(Assumption(text, program.globals[name].pos))
    return found


def _thread(record: ThreadRecord, from_outside: frozenset[ThreadId]) -> Thread:
    """`from_outside`: what the outside world may run at any time; such a thread has no creation."""
    may_run = record.beside.union(*(s.may_run for s in record.spawns.values()))
    if record.id in from_outside:
        may_run = from_outside
    return Thread(
        id=record.id,
        start=record.start,
        parent=record.parent,
        created_at=record.site,
        pos=record.pos,
        many=record.many,
        instances=1 if record.id == MAIN else record.instances,
        argument=record.argument if record.spawns else AnyArgument(),
        may_run_at_creation=may_run,
        argument_objects=frozenset(o for s in record.spawns.values() for o in s.argument_objects),
        is_callback=record.is_callback,
        is_nested=record.is_nested,
    )


def _limited(views: tuple[View, ...]) -> tuple[View, ...]:
    """At most `MAX_VIEWS` views: beyond that, one per thread that is weaker than all of them."""
    if len(views) <= MAX_VIEWS:
        return views
    by_thread: dict[ThreadId, list[View]] = {}
    for view in views:
        by_thread.setdefault(view.thread, []).append(view)
    return tuple(_weakest(group) for group in by_thread.values())


def _weakest(group: list[View]) -> View:
    moments = [v.moment for v in group]
    first = group[0]
    weakest = type(first.moment)(
        may_run=frozenset().union(*(m.may_run for m in moments)),
        must_done=frozenset.intersection(*(m.must_done for m in moments)),
        in_once=frozenset.intersection(*(m.in_once for m in moments)),
        phases=_all_phases(moments),
        may_sent=frozenset().union(*(m.may_sent for m in moments)),
        must_received=frozenset.intersection(*(m.must_received for m in moments)),
        may_handed=frozenset().union(*(m.may_handed for m in moments)),
        must_returned=frozenset.intersection(*(m.must_returned for m in moments)),
        may_counted=frozenset().union(*(m.may_counted for m in moments)),
        must_drained=frozenset.intersection(*(m.must_drained for m in moments)),
        must_drawn=frozenset.intersection(*(m.must_drawn for m in moments)),
        must_numbers=frozenset.intersection(*(m.must_numbers for m in moments)),
        must_seen=frozenset.intersection(*(m.must_seen for m in moments)),
        must_have=frozenset.intersection(*(m.must_have for m in moments)),
        may_paid=frozenset().union(*(m.may_paid for m in moments)),
    )
    return View(
        thread=first.thread,
        address=first.address if all(v.address == first.address for v in group) else None,
        held=frozenset.intersection(*(v.held for v in group)),
        moment=weakest,
        private=all(v.private for v in group),
        objects=None,
        region=first.region if all(v.region == first.region for v in group) else None,
    )


def _all_phases(moments: list[Moment]) -> tuple[tuple[Linear, int, int | None], ...]:
    """Per barrier the range that holds all of theirs; a barrier that is not named was not passed."""
    result = []
    for barrier in sorted({b for m in moments for b, _, _ in m.phases}, key=str):
        known = [next(((low, high) for b, low, high in m.phases if b == barrier), (0, 0)) for m in moments]
        highs = [high for _, high in known]
        result.append((barrier, min(low for low, _ in known), None if None in highs else max(h or 0 for h in highs)))
    return tuple(result)


def _thread_states(
    world: World,
    touched: Mapping[AccessKey, TargetedTouch],
    views: Mapping[AccessKey, tuple[View, ...]],
    threads: Mapping[ThreadId, Thread],
) -> tuple[SharedLocation, ...]:
    """The state of every object in the sense of [DHTC, Table 1].

    Follows [DHTC, Fig. 1], over all schedules at once instead of one trace.
    Differs: the hand-over of an object that is not published yet (`View.private`) and the end of threads are not
    states here but part of what is known about each access, where they are exact.
    """
    users: dict[ObjectId, set[ThreadId]] = {}
    written: set[ObjectId] = set()
    for key, touch in touched.items():
        for target in touch.objects & world.may_escape:  # the others are their threads' own, in each of them
            users.setdefault(target, set()).update(v.thread for v in views[key])
            if touch.touch.kind.writes:
                written.add(target)
    result = []
    for target in sorted(users):
        several = len(users[target]) > 1 or any(threads[t].many for t in users[target])
        state = "own" if not several else "racy" if target in written else "read-shared"
        result.append(SharedLocation(target, state))
    return tuple(result)
