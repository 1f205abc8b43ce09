"""The interprocedural, flow- and context-sensitive analysis of all threads.

Contexts (see `contexts`) are run until their results are stable: a function's exits change its callers, a
thread's end changes those who join it, a creation changes the thread created. Threads are discovered on the
way, starting with main.

It is done twice. The first flow knows nothing about shared memory. From its views follows which locations
nobody writes while others run (`Stability`) and which flags and semaphores could order threads; the second
flow uses that. Both are sound; the second is sharper.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from raceproof.core import Budget, LimitReached, SourcePos
from raceproof.facts.flow.contexts import SHARED, Context, Exit, Spawn, ThreadRecord, join_spawns
from raceproof.facts.flow.flow_result import FlowResult, ThreadKey, reached_contexts, returns_of, views_in, waits_in
from raceproof.facts.flow.initial_values import InitialValues
from raceproof.facts.flow.observations import Observations
from raceproof.facts.flow.region_roots import RegionRoots, unseen_ties
from raceproof.facts.flow.stability import Stability
from raceproof.facts.flow.stale_names import frames_of, stable_parts
from raceproof.facts.flow.state import MANY, State, join
from raceproof.facts.flow.walker import Walker
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.facts.library.effects import Sync
from raceproof.ir import Call, Operand, SiteId
from raceproof.model import (
    MAIN,
    Argument,
    Assumption,
    Base,
    CountDown,
    Linear,
    MemLoc,
    ObjectId,
    Opaque,
    Signal,
    ThreadId,
    Tie,
    sorted_ties,
)

GIVEN_AWAY = (SiteId(-1),)  # in place of call sites: the function was given to the outside world
CALLED_BACK = (SiteId(-2),)  # and this: unknown code runs it while it is called
FROM_THE_START = ThreadId(MAIN + 1)  # the first of the callbacks that may run from the start, which stands for all

MAX_CONTEXTS = 4  # per thread and function; then they are merged by locks held
MAX_GROUPS = 6  # of merged contexts; then all are merged
MAX_INSTRUCTIONS = 1000  # of all contexts of a function that are not merged: a large one has fewer
MAX_WIDENINGS = 2  # of a merged context, one by one
MAX_WORK = 100_000  # instructions walked; then all contexts are merged by locks held, and beyond twice that, all
MAX_CHAINS = 6  # per thread and function
MAX_THREADS_PER_SITE = 8
MAX_RUNS = 400  # of one context: only a broken lattice could need more
MAX_THREADS = 400
RECURSION_LIMIT = 100_000
CHAIN = 2  # call sites that tell threads created by one wrapper apart


@dataclass
class Flow:
    """State of one run of the analysis; what comes from an earlier run, if any, is `signals`, `counters`,
    `kept_ids`, `drawn_from`, `lenders`, `token_objects`, `turn_words`, `section_words` (each with its size and the
    value of who has it) and `stability`. Without `region_roots` regions are not looked at."""

    world: World
    budget: Budget
    stability: Stability | None = None
    signals: frozenset[Signal] = frozenset()
    known_threads: tuple[ThreadKey, ...] = ()
    records: list[ThreadRecord] = field(default_factory=list)
    arguments: dict[ThreadId, Argument] = field(default_factory=dict)
    candidates: set[Signal] = field(default_factory=set)
    counters: Mapping[Linear, CountDown] = field(default_factory=dict)
    kept_ids: Mapping[ThreadId, int] = field(default_factory=dict)
    drawn_from: frozenset[Linear] = frozenset()
    lenders: frozenset[Linear] = frozenset()
    token_objects: frozenset[ObjectId] = frozenset()
    turn_words: frozenset[Linear] = frozenset()
    section_words: Mapping[Linear, tuple[int, int]] = field(default_factory=dict)
    region_roots: RegionRoots | None = None
    work: int = 0  # instructions walked so far, in all contexts

    def __post_init__(self) -> None:
        points_to = self.world.points_to
        names = [*self.world.program.globals, *self.world.program.functions, *self.world.program.externals]
        self.symbols: dict[str, ObjectId] = {}
        for name in names:
            identity = points_to.object_of_symbol(name)
            if identity is not None:
                self.symbols[name] = identity
        self._names = {identity: name for name, identity in self.symbols.items()}
        self._contexts: dict[tuple[ThreadId, str, tuple[SiteId, ...]], dict[tuple[object, ...], Context]] = {}
        self._merged: dict[tuple[object, ...], Context] = {}
        self._groups: dict[tuple[ThreadId, str, tuple[SiteId, ...]], int] = {}
        self._chains: dict[tuple[ThreadId, str], dict[tuple[SiteId, ...], None]] = {}
        self._threads: dict[ThreadKey, ThreadRecord] = {}
        self._callbacks: dict[tuple[ThreadId, bool, str], ThreadRecord] = {}  # by who gave them away, and if nested
        self._leaders: dict[tuple[ThreadId, bool], ThreadRecord] = {}  # the first in which it matters who runs it
        self._queue: dict[Context, None] = {}
        self._order: list[tuple[int, int, Context]] = []
        self._count = 0
        self.sent_addresses = {s.address for s in self.signals}
        self.initial = InitialValues(self.world.program, self._names)
        self.observed = Observations(self.world, self.initial)
        self._joins: dict[str, list[tuple[SiteId, Operand]]] = {}
        self.stable_places: dict[ObjectId, dict[Linear, set[MemLoc]]] = {}  # where stable values were read
        self._entry = State()  # of what the system runs: main, callbacks of the outside world

    # -- the fixpoint -----------------------------------------------------------------------------

    def run(self) -> FlowResult:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))  # calls are followed recursively
        main = ThreadRecord(MAIN, self.world.program.entry, None, None, None)
        self.records.append(main)
        entry = self._entry
        for function in self.world.callbacks.from_the_start:
            entry.may_run[self._escaped_thread(function).id] = 2
        for key in self.known_threads:  # the same threads get the same ids as in the flow before
            self._threads[key] = self._new_thread(key[3], key[0], key[2])
            if key[1] in (GIVEN_AWAY, CALLED_BACK):
                self._mark_callback(self._threads[key], key[1] == CALLED_BACK)
        main.context = self._context(MAIN, main.start, (), entry.copy())
        self._enqueue(main.context)
        for record in self.records[1:]:
            if record.site is None:
                self._start(record)
        while self._order:
            _, _, context = heapq.heappop(self._order)
            if context in self._queue:
                del self._queue[context]
                if self._is_in_use(context):
                    self._run(context)
                else:
                    context.is_outdated = True
        return self._result()

    def _is_in_use(self, context: Context) -> bool:
        """Somebody may look at what comes out of it: a thread begins there, or a caller came here in its last run.

        States of threads change while others are found; what a caller entered with the old ones is left behind.
        """
        if any(caller.runs == run for caller, run in context.dependents.items()):
            return True
        return any(record.context is context for record in self.records)

    def _enqueue(self, context: Context) -> None:
        """Run the context again, after those of the functions that it calls."""
        if context not in self._queue:
            self._queue[context] = None
            self._count += 1
            heapq.heappush(self._order, (self.world.rank[context.function], self._count, context))

    def run_again(self, context: Context) -> None:
        """Something that `context` relied on has turned out not to hold."""
        self._enqueue(context)

    def _run(self, context: Context) -> None:
        if context.running:
            return
        context.runs += 1
        context.is_outdated = False
        if context.runs > MAX_RUNS:
            raise LimitReached(f"the analysis of function `{context.function}` does not become stable")
        context.running = True
        context.lock_objects = self._lock_objects(context)
        record = self.records[context.thread] if context.thread != SHARED else None
        if record is not None:
            record.end_by_context.pop(context, None)
        exits = Walker(self, context).run()
        context.running = False
        if context.runs > 30 or (context.runs > 6 and self.work > MAX_WORK):  # force growth: join with what was there
            exits = [Exit(self._widened(leave.state), leave.value) for leave in _grown(context.exits, exits)]
        if not _same_exits(context.exits, exits):
            context.exits = exits
            for dependent, run in list(context.dependents.items()):
                if not dependent.running or run == dependent.runs:  # otherwise it has yet to come here in its run
                    self._enqueue(dependent)
        if record is not None:
            if record.context is context:
                for leave in exits:
                    self.thread_ends(context, leave.state)
            self._update_end(record)

    def enter(self, caller: Context, name: str, site: SiteId, entry: State) -> Context:
        """The context for a call; run at once if it is new.

        Threads other than main share the contexts of functions in which it does not matter which thread runs
        them: they do nothing with threads, and touch nothing that is special to the thread.
        """
        chain: tuple[SiteId, ...] = ()
        thread = caller.thread
        if self.world.calls_to_spawn.get(name, CHAIN) < CHAIN:
            chain = self._chain(caller, name, site)
        if thread != MAIN and name not in self.world.thread_bound:
            special = self.stability.special(thread) if self.stability is not None else 0
            if not self.world.may_refer[name] & special:
                thread = SHARED
        context = self._context(thread, name, chain, entry)
        if context.runs and self._lock_objects(context) != context.lock_objects:
            self._enqueue(context)  # for this caller, its names of locks mean others than for those before
        if context.runs == 0 or context.is_outdated or (context in self._queue and not context.running):
            self._queue.pop(context, None)
            self._run(context)
        context.dependents[caller] = caller.runs
        return context

    def _lock_objects(self, context: Context) -> tuple[frozenset[ObjectId], ...]:
        return tuple(self.observed.lock_objects(held.address) for held in context.entry.locks)

    def _chain(self, caller: Context, name: str, site: SiteId) -> tuple[SiteId, ...]:
        """The last call sites, by which threads made in one wrapper are told apart; () once there are too many.

        Only as many as are still among the last ones where threads are created.
        """
        length = CHAIN - self.world.calls_to_spawn[name]
        chain = (*caller.chain, site)[-length:] if site not in caller.chain else caller.chain[-length:]
        known = self._chains.setdefault((caller.thread, name), {})
        if chain not in known and len(known) >= MAX_CHAINS:
            return ()
        known[chain] = None
        return chain

    def _context(self, thread: ThreadId, name: str, chain: tuple[SiteId, ...], entry: State) -> Context:
        """The context for this state; a wider one that fits more states once there are too many.

        Wider ones are first kept apart by locks held and by whether threads run, then by the latter only.
        """
        where = (thread, name, chain)
        known = self._contexts.setdefault(where, {})
        key = entry.full_key()
        if key in known:
            return known[key]
        if len(known) < self._max_contexts(name) and self.work < MAX_WORK:
            known[key] = Context(thread, name, chain, entry)
            return known[key]
        group: tuple[object, ...] = (where, bool(entry.may_run), frozenset(entry.locks))
        if self.work >= 2 * MAX_WORK:
            group = (where, bool(entry.may_run))
        elif group not in self._merged:
            count = self._groups.get(where, 0)
            if count < MAX_GROUPS:
                self._groups[where] = count + 1
            else:
                group = (where, bool(entry.may_run))
        merged = self._merged.get(group)
        if merged is None:
            merged = self._merged[group] = Context(thread, name, chain, entry)
            return merged
        wider = join(merged.entry, entry)
        if wider != merged.entry:
            merged.widenings += 1
            merged.entry = self._widened(wider) if merged.widenings > MAX_WIDENINGS else wider
            self._enqueue(merged)
        return merged

    def _widened(self, state: State) -> State:
        """In a large program, more than the state implies, so that contexts soon have their last one: all threads may
        run, if any may, and nothing is known but what is held, was received or is done."""
        if self.work < MAX_WORK:
            return state
        state = state.copy()
        state.forget_values()
        if state.may_run:
            state.may_run = {record.id: MANY for record in self.records if record.id != MAIN}
        return state

    def _max_contexts(self, name: str) -> int:
        """How many states of a function are told apart; the larger it is, the more each of them costs."""
        return max(1, min(MAX_CONTEXTS, MAX_INSTRUCTIONS // max(1, len(self.world.info(name).block_of))))

    # -- threads ----------------------------------------------------------------------------------

    def thread(self, creator: Context, start: str, site: SiteId) -> ThreadRecord:
        """The abstract thread that `creator` makes at `site`; a thread that makes its own kind is one with it."""
        ancestor: ThreadId | None = creator.thread
        while ancestor is not None:
            record = self.records[ancestor]
            if record.site == site and record.start == start:
                self.make_many(record)
                if ancestor != creator.thread and not record.outlives:
                    record.outlives = True  # a descendant makes it again: it may run when the first one has ended
                    self.changed(record)
                return record
            ancestor = record.parent
        key = (creator.thread, creator.chain, site, start)
        if key not in self._threads:
            made_here = [k for k in self._threads if (k[0], k[2], k[3]) == (creator.thread, site, start)]
            if len(made_here) >= MAX_THREADS_PER_SITE:
                key = (creator.thread, (), site, start)  # all the others are one kind
        if key not in self._threads:
            self._threads[key] = self._new_kind(start, creator.thread, site)
            for other in [r for r in self.records[:-1] if r.site == site]:
                self.changed(other)  # an id may be of either
        return self._threads[key]

    def give_away(
        self, creator: Context, starts: Iterable[str], site: SiteId, is_nested: bool = False
    ) -> list[ThreadRecord]:
        """The abstract threads that stand for what may run once `creator` gives `starts` to the outside world.

        There is one for each function and each thread that gives it away, wherever it does. What a callback gives away,
        or a thread below a callback, counts as given away together with the first callback above, by the same thread:
        it may run only later. Otherwise callbacks that register one another would be as many as there are orders in
        which they can do so. `is_nested`: they run only while unknown code is called, unless what calls it is a
        callback that may run at any time.
        """
        above = self._callback_above(creator.thread)
        owner = creator.thread
        if above is not None and above.parent is not None:
            owner = above.parent if above.site is not None else FROM_THE_START
            is_nested &= above.is_nested
        given = dict.fromkeys(brought for start in starts for brought in self.world.callbacks.brought_by(start))
        records = {self._callback(owner, start, site, is_nested): None for start in given}
        if any(start in self.world.thread_bound for start in given):
            records[self._leaders[owner, is_nested]] = None
        return list(records)

    def _callback(self, owner: ThreadId, start: str, site: SiteId, is_nested: bool) -> ThreadRecord:
        record = self._callbacks.get((owner, is_nested, start))
        if record is None:
            how = CALLED_BACK if is_nested else GIVEN_AWAY
            record = self._threads[(owner, how, site, start)] = self._new_kind(start, owner, site)
            self._mark_callback(record, is_nested)
        return record

    def start_callbacks(self, records: Iterable[ThreadRecord], may_run: frozenset[ThreadId]) -> None:
        for record in records:
            record.beside |= may_run
            if record.context is None:
                self._start(record)

    def _callback_above(self, thread: ThreadId) -> ThreadRecord | None:
        """The callback that is farthest above the thread, or is the thread itself."""
        found = None
        current: ThreadId | None = thread
        while current is not None:
            record = self.records[current]
            found = record if record.is_callback else found
            current = record.parent
        return found

    def _mark_callback(self, record: ThreadRecord, is_nested: bool) -> None:
        record.is_callback = record.always_many = True
        record.is_nested = is_nested
        if record.parent is not None:
            self._callbacks[(record.parent, is_nested, record.start)] = record
            if record.start in self.world.thread_bound:
                self._leaders.setdefault((record.parent, is_nested), record)

    def _new_kind(self, start: str, parent: ThreadId, site: SiteId) -> ThreadRecord:
        if len(self.records) >= MAX_THREADS:
            raise LimitReached(f"more than {MAX_THREADS} kinds of threads")
        return self._new_thread(start, parent, site)

    def _new_thread(self, start: str, parent: ThreadId, site: SiteId | None) -> ThreadRecord:
        pos = self.position(site) if site is not None else None
        record = ThreadRecord(ThreadId(len(self.records)), start, parent, site, pos)
        self.records.append(record)
        return record

    def _escaped_thread(self, start: str) -> ThreadRecord:
        """A function whose address the outside world has: it may run at any time, any number of times."""
        record = self._new_thread(start, MAIN, None)
        record.is_callback = record.always_many = True
        return record

    def commit(self, creator: Context, spawns: Mapping[ThreadRecord, Spawn]) -> None:
        """Take over the creations that a run of `creator` has found; what is known about them only gets weaker."""
        for record, event in spawns.items():
            before = record.spawns.get(creator)
            if before is not None:
                event = join_spawns(before, event)
            if before != event:
                many, argument = record.many, record.argument
                record.spawns[creator] = event
                self.arguments[record.id] = record.argument
                self._start(record)
                if before is None or (many, argument) != (record.many, record.argument):
                    self.changed(record)
                    self._enqueue(creator)

    def changed(self, record: ThreadRecord) -> None:
        """Run everything again that may have looked at a property of the thread that is different now.

        Of contexts of other threads, those that asked for its argument; of shared ones, those that did either
        (`watch`). In which frames names were made (`renounce_frame`) does not matter to these: in those of functions
        that create threads, which no shared context enters.
        """
        for dependent in list(record.dependents):
            self._enqueue(dependent)
        bound = self.world.thread_bound
        is_watched = all(name in bound or name not in self.world.program.functions for name in frames_of(record))
        for context in self._all_contexts():
            is_shared = context.thread == SHARED and not is_watched
            if context.thread == record.id or context in record.watchers or is_shared:
                self._enqueue(context)

    def _all_contexts(self) -> Iterator[Context]:
        for known in self._contexts.values():
            yield from known.values()
        yield from self._merged.values()

    def watch(self, context: Context, record: ThreadRecord) -> None:
        """What a shared context does depends on what is known about the thread, apart from its end."""
        if context.thread == SHARED:
            record.watchers[context] = None

    def lose_names(self, creator: Context, record: ThreadRecord) -> None:
        """What the thread was given is called something else by now, in its creator: see `stale_names`."""
        record.names_lost = record.ids_lost = True
        self.arguments[record.id] = record.argument
        if record.context is not None:
            self._start(record)
        self.changed(record)
        self.run_again(creator)

    def make_many(self, record: ThreadRecord) -> None:
        if not record.always_many:
            record.always_many = True
            self.changed(record)

    def _start(self, record: ThreadRecord) -> None:
        entry = self._entry.copy()
        events = list(record.spawns.values())
        if events:
            entry = events[0].entry
            for event in events[1:]:
                entry = join(entry, event.entry)
            entry = entry.copy()
        if record.names_lost:
            entry.memory = {}
        function = self.world.program.functions[record.start]
        if function.params:
            entry.values[function.params[0].name] = record.start_value
        context = self._context(self._thread_of(record), record.start, (), entry)
        if context is not record.context:
            record.context = context
            self._enqueue(context)
            if context.runs:  # known from before: its exits count from now on
                for leave in context.exits:
                    self.thread_ends(context, leave.state)
                self._update_end(record)

    def _thread_of(self, record: ThreadRecord) -> ThreadId:
        """The thread that the contexts of a record belong to.

        Callbacks that one thread gives away share theirs, as if one of them ran all: nothing that is known of one of
        them tells it from the others. That one may run whenever another may (see `give_away`), because threads that
        they create count as its.
        """
        if not record.is_callback or record.parent is None or record.start not in self.world.thread_bound:
            return record.id
        return self._leaders[record.parent, record.is_nested].id if record.site is not None else FROM_THE_START

    def thread_ends(self, context: Context, state: State) -> None:
        record = self.records[context.thread]
        before = record.end_by_context.get(context)
        record.end_by_context[context] = join(before, state) if before is not None else state

    def _update_end(self, record: ThreadRecord) -> None:
        ended: State | None = None
        for state in record.end_by_context.values():
            moment = State(may_run=dict(state.may_run), must_done=state.must_done, must_received=state.must_received)
            ended = join(ended, moment) if ended is not None else moment
        # It may end anywhere, and leave behind what it has made until then.
        if self.world.cancels or record.start in self.world.may_call_unknown:
            left = (r for r in self.records if self.is_below(r, record.id) and not r.is_nested)
            ended = State(may_run={other.id: MANY for other in left})
        changed = (ended is None) != (record.ended is None) or (
            ended is not None and record.ended is not None and ended != record.ended
        )
        if changed:
            record.ended = ended
            for dependent in list(record.dependents):
                self._enqueue(dependent)

    def is_below(self, record: ThreadRecord, thread: ThreadId) -> bool:
        """`record` was created by `thread`, or by a thread that was."""
        parent = record.parent
        while parent is not None and parent != thread:
            parent = self.records[parent].parent
        return parent is not None

    def arguments_for(self, context: Context) -> Mapping[ThreadId, Argument]:
        """What is known of start arguments; who asks for that of another thread is run again when it changes."""
        return WatchedArguments(self, context)

    def creator_is_many(self, context: Context) -> bool:
        return self.records[context.thread].many

    def runs_once(self, context: Context) -> bool:
        """The function of `context` is executed at most once in a run."""
        entry = self.world.info(context.function).blocks[self.world.info(context.function).order[0]]
        site = entry.body[0].id if entry.body else entry.terminator.id
        return self.world.executes_once(site) and not self.records[context.thread].many

    def joins_in(self, function: str) -> list[tuple[SiteId, Operand]]:
        """Joins of a function and the ids they wait for."""
        if function not in self._joins:
            self._joins[function] = [
                (instr.id, instr.args[op.arg])
                for instr in self.world.program.functions[function].instructions()
                if isinstance(instr, Call)
                for op in self.world.sync_ops(instr)
                if op.kind is Sync.JOIN and op.arg is not None and not op.may_fail
            ]
        return self._joins[function]

    # -- what walkers ask and note ------------------------------------------------------------------

    def position(self, site: SiteId) -> SourcePos | None:
        return self.world.positions.get(site)

    def function_at(self, value: Linear) -> str:
        """The name of the function whose address `value` is, or "" if it is not certainly one."""
        match value:
            case Linear(constant=0, terms=((Base(object=identity), 1),)) if identity in self._names:
                return self._names[identity]
        return ""

    def parameter_atom(self, function: str, parameter: str) -> Opaque:
        return Opaque(f"{function}:%{parameter}")

    def is_signal(self, signal: Signal) -> bool:
        """Worth tracking; in the first flow every signal is only a candidate."""
        if signal.address.is_absolute:
            self.candidates.add(signal)
        return signal in self.signals

    def is_sent(self, address: Linear) -> bool:
        return address in self.sent_addresses

    def is_stable(self, w: Walker, site: SiteId, address: Linear, size: int, touch: TargetedTouch) -> bool:
        """A load at `site` may be named after its place. What is not shared is written where no view shows it."""
        if self.stability is None or not self.stability.holds(w.context.thread, w.info, site, address, size, touch):
            return False
        if not touch.objects <= self.world.may_escape and self.stability.may_change_after(
            w.context.thread, w.info, site, address
        ):
            return False
        for target in touch.targets:
            self.stable_places.setdefault(target.object, {}).setdefault(address, set()).add(target)
        return True

    def is_own(self, w: Walker, targets: tuple[MemLoc, ...]) -> bool:
        return self.stability is not None and self.stability.is_own(w.context.thread, targets)

    def writes_alone(self, w: Walker, targets: tuple[MemLoc, ...]) -> bool:
        return self.stability is not None and self.stability.writes_alone(w.context.thread, targets)

    def keeps_value(self, w: Walker, header: str, touch: TargetedTouch) -> bool:
        """This thread writes nothing there in any round of the loop."""
        places = frozenset(touch.targets)
        return self.stability is not None and not self.stability.may_write_in(w.info, w.info.loops[header], places)

    def is_stale(self, w: Walker, site: SiteId, value: Linear) -> bool:
        """A stable value that this thread may still change behind `site`."""
        return self.stability is not None and any(
            self.stability.may_change_after(w.context.thread, w.info, site, place) for place in stable_parts(value)
        )

    # -- the result ---------------------------------------------------------------------------------

    def _result(self) -> FlowResult:
        entries = [(r.context, r.id) for r in self.records if r.context is not None]
        reached = reached_contexts(entries)
        return FlowResult(
            records=tuple(self.records),
            threads=tuple(self._threads),
            views=views_in(reached),
            candidates=frozenset(self.candidates),
            counters=self.counters,
            token_objects=self.token_objects,
            turn_words=self.turn_words,
            assumptions=tuple(Assumption(t, self.position(site)) for t, site in self.observed.assumptions.items()),
            contexts=len({context for context, _ in reached}),
            uses=self.observed.uses(),
            ties=self._ties({context for context, _ in reached}),
            returns=returns_of(self.world.may_spawn, reached),
            waits=waits_in(reached),
        )

    def _ties(self, contexts: Iterable[Context]) -> tuple[Tie, ...]:
        """Which regions are linked; functions that were not entered may link whatever they write."""
        if self.region_roots is None:
            return ()
        entered = {context.function for context in contexts} - self.world.unseen
        ties = [tie for context in contexts for tie in context.ties]
        return sorted_ties([*ties, *unseen_ties(self.region_roots, entered)])


@dataclass(frozen=True, slots=True)
class WatchedArguments(Mapping[ThreadId, Argument]):
    """The arguments as one context sees them."""

    flow: Flow
    context: Context

    def __getitem__(self, thread: ThreadId) -> Argument:
        if self.context.thread != thread:
            self.flow.records[thread].watchers[self.context] = None
        return self.flow.arguments[thread]

    def __iter__(self) -> Iterator[ThreadId]:
        return iter(self.flow.arguments)

    def __len__(self) -> int:
        return len(self.flow.arguments)


def _same_exits(a: list[Exit], b: list[Exit]) -> bool:
    if len(a) != len(b):
        return False
    if all(e.value == f.value and e.state == f.state for e, f in zip(a, b, strict=True)):
        return True
    return len(a) > 1 and {(e.state.full_key(), e.value) for e in a} == {(e.state.full_key(), e.value) for e in b}


def _grown(before: list[Exit], now: list[Exit]) -> list[Exit]:
    if not before or not now:
        return now or before
    state = now[0].state
    for leave in [*now[1:], *before]:
        state = join(state, leave.state)
    values = {leave.value for leave in [*now, *before]}
    value = values.pop() if len(values) == 1 else None
    if value is None:
        state.fresh = {}
    return [Exit(state, value)]
