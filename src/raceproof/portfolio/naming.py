"""Spell pairs and executions out for people: names of locations, threads and locks, and which views to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice, product, repeat

from raceproof import facts
from raceproof.core import SourcePos
from raceproof.ir import SiteId
from raceproof.model import (
    MAIN,
    SHARED_MARK,
    UNKNOWN_START,
    Access,
    AccessId,
    AccessResult,
    Base,
    Block,
    CertifiedNet,
    ConcurrentProgram,
    Finding,
    HeldLock,
    Incident,
    IncidentResult,
    InputResult,
    Invariants,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    ObjectId,
    ObjectKind,
    OwnedHeaps,
    PairResult,
    RacePair,
    RaceResult,
    Reason,
    Run,
    RunStep,
    RunThread,
    Schedule,
    ThreadId,
    ThreadResult,
    Unwinding,
    View,
)
from raceproof.portfolio.alike import Alike
from raceproof.portfolio.ledger import Decision

# Enough to find two threads that may meet; an access in a library function can have thousands of views.
_MAX_COMBINATIONS = 1000


class Namer:
    """Makes `PairResult`s of one program; names are worked out once, as many pairs share them."""

    def __init__(self, cp: ConcurrentProgram, blocks: Sequence[Block] = ()) -> None:
        self._cp = cp
        self._blocks = {block.name: block for block in blocks}
        self._block_names: facts.BlockNames | None = None
        self._locations: dict[MemLoc, str] = {}
        self._locks: dict[Linear, str] = {}
        self._threads: dict[ThreadId, str] = {}
        self._sites: dict[SiteId, tuple[str, SourcePos | None]] = {}
        self._globals: Counter[str] = Counter()

    def within(self, schedule: Schedule) -> Namer:
        """One that knows what the run of this schedule has allocated."""
        if not schedule.blocks:
            return self
        found = Namer(self._cp, schedule.blocks)
        found._block_names = self._block_names = self._block_names or facts.BlockNames(self._cp)
        return found

    def _in_block(self, text: str, size: int | None, expression: str | None = None) -> str | None:
        if not self._blocks:
            return None
        self._block_names = self._block_names or facts.BlockNames(self._cp)
        return self._block_names.name(self._blocks, text, size, expression)

    def met(self, pair: RacePair, schedule: Schedule) -> str:
        """What the two accesses of a run touched, in the programmer's words."""
        steps = schedule.record or schedule.steps
        step = next((step for step in reversed(steps) if step.access in schedule.accesses), None)
        accesses = [self._cp.accesses[number] for number in (pair.first, pair.second)]
        expressions = [name for access in accesses if (name := self._expression(access)) is not None]
        if step is not None:
            size = min((a.size for a in accesses if a.size), default=None)
            if (found := self._global_at(step.address)) is not None:
                return self.location(MemLoc(*found, size))
            told = next(iter(sorted(expressions, key=lambda name: "*" in name)), None)
            if (name := self.within(schedule)._in_block(step.address, size, told)) is not None:
                return name
        return min(expressions, key=lambda name: "*" in name or "->" in name, default="memory")

    def _expression(self, access: Access) -> str | None:
        return facts.place_name(self._cp.program, access.site, access.touch)

    def pair(
        self,
        number: int,
        pair: RacePair,
        decision: Decision,
        findings: Sequence[Finding],
        evidence: tuple[str, ...],
    ) -> PairResult:
        first, second = self._cp.accesses[pair.first], self._cp.accesses[pair.second]
        found = decision.finding.evidence if decision.finding is not None else None
        schedule = found if isinstance(found, Schedule) else None
        race = (
            RaceResult(schedule, self.racers(schedule), inputs=self.inputs(schedule.run))
            if schedule is not None
            else None
        )
        if race is not None:
            accesses = self._executed(first, second, race)
        else:
            view_1, view_2 = self._views(first, second, findings)
            accesses = self._access(first, view_1), self._access(second, view_2)
        return PairResult(
            id=number,
            pair=pair,
            verdict=decision.verdict,
            scope=decision.scope,
            engine=decision.finding.engine if decision.finding is not None else None,
            target=self.target(pair, schedule),
            accesses=accesses,
            evidence=evidence,
            race=race,
            certificate=found if isinstance(found, CertifiedNet) else None,
            invariants=found.map if isinstance(found, Invariants) else None,
            heaps=found.map if isinstance(found, OwnedHeaps) else None,
            unwinding=found if isinstance(found, Unwinding) else None,
        )

    def target(self, pair: RacePair, schedule: Schedule | None) -> str:
        if schedule is None:
            return self.location(pair.target)
        if not self._has_views(pair):
            return self.met(pair, schedule)
        return self.location(self.raced(pair, schedule))

    def _has_views(self, pair: RacePair) -> bool:
        """Whether static facts say where the accesses may go; else only runs do."""
        return any(self._cp.accesses[number].views for number in (pair.first, pair.second))

    def alike(self, shown: PairResult, group: Alike) -> PairResult:
        """The entry of the first pair of a group, standing for all of them."""
        if group.count == 1:
            return shown
        sides = zip(shown.accesses, group.others, strict=True)
        accesses = [replace(a, also=tuple(map(self._where, others))) for a, others in sides]
        return replace(shown, alike=group.count, accesses=(accesses[0], accesses[1]))

    def _where(self, access: AccessId) -> tuple[SourcePos | None, str]:
        found = self._cp.accesses[access]
        return found.pos, self._function(found.function)

    def racing(self, pair: RacePair, schedule: Schedule) -> tuple[AccessResult, AccessResult]:
        """The two accesses as they were executed."""
        first, second = self._cp.accesses[pair.first], self._cp.accesses[pair.second]
        return self._executed(first, second, RaceResult(schedule, self.racers(schedule)))

    def raced(self, pair: RacePair, schedule: Schedule) -> MemLoc:
        """Where the two accesses met: an access may have several targets, and the run has gone to one of them."""
        first, second = self._cp.accesses[pair.first], self._cp.accesses[pair.second]
        common = [t for t in first.targets if any(other.object == t.object for other in second.targets)]
        steps = schedule.record or schedule.steps
        address = next((step.address for step in reversed(steps) if step.access in schedule.accesses), "")
        if (found := self._global_at(address)) is not None:
            target = next((t for t in common if t.object == found[0]), None)
            return replace(target, offset=found[1], stride=None, count=None) if target is not None else pair.target
        if address.startswith("heap "):
            is_heap = [t for t in common if self._cp.objects[t.object].kind is ObjectKind.HEAP]
            return pair.target if pair.target in is_heap or not is_heap else is_heap[0]
        return pair.target

    def ways(self, access: AccessId) -> tuple[AccessResult, ...]:
        """The access as each of its views shows it."""
        found = self._cp.accesses[access]
        return tuple(self._access(found, view) for view in found.views) or (self._access(found, None),)

    def incident(self, number: int, incident: Incident) -> IncidentResult:
        function, pos = self.site(incident.site)
        threads = self.threads(incident.run)
        return IncidentResult(
            number,
            incident.kind,
            incident.message,
            pos,
            function,
            incident.thread,
            incident.run,
            threads,
            self.inputs(incident.run),
        )

    def access(self, number: AccessId | None) -> Access | None:
        return self._cp.accesses.get(number) if number is not None else None

    def threads(self, run: Run, steps: Sequence[RunStep] = ()) -> tuple[ThreadResult, ...]:
        """The threads of an execution, by what was created at the same call; where that is not known before the run,
        by the function that their `steps` were called from."""
        began = {step.thread: self.site(step.stack[0] if step.stack else self._site_of(step))[0] for step in steps}
        return tuple(self._run_thread(thread, began.get(thread.id, "")) for thread in run.threads)

    def racers(self, schedule: Schedule) -> tuple[ThreadResult, ...]:
        """The threads of the run that had the race."""
        return self.threads(schedule.run, (*schedule.steps, *schedule.record))

    def _site_of(self, step: RunStep) -> SiteId | None:
        access = self.access(step.access)
        return access.site if access is not None else step.site

    def inputs(self, run: Run) -> tuple[InputResult, ...]:
        """The values that it was given, each with the call that took it, if that is known. Calls behind the end of the
        run may have taken more."""
        places = map(self.site, chain(run.input_sites, repeat(None)))
        return tuple(
            InputResult(value, pos, function) for value, (function, pos) in zip(run.inputs, places, strict=False)
        )

    def site(self, site: SiteId | None) -> tuple[str, SourcePos | None]:
        """The function and the place of an instruction; empty if it is not known."""
        if not self._sites:
            by_site = self._cp.program.instructions_by_site()
            self._sites = {number: (function.source_name, instr.pos) for number, (function, instr) in by_site.items()}
        return self._sites.get(site, ("", None)) if site is not None else ("", None)

    def address(self, text: str, size: int | None) -> str:
        """`account+40`, as the runtime names an address in a global, in the programmer's words; others as they are."""
        found = self._global_at(text)
        if found is None:
            return self._in_block(text, size) or text
        return self.location(MemLoc(*found, size))

    def place(self, text: str, access: Access) -> str:
        """What an access goes to; where the place has no name, as its code calls it."""
        if not text.startswith(("heap ", "stack ", "0x")):
            return self.address(text, access.size)
        expression = self._expression(access)
        return self._in_block(text, access.size, expression) or expression or text

    def lock_at(self, text: str) -> str:
        """The same for a lock: it is a member of its own, however large."""
        found = self._global_at(text)
        if found is None:
            return self._in_block(text, 1) or text
        return facts.describe_lock(self._cp, Linear(found[1], ((Base(found[0]), 1),)))

    def _global_at(self, text: str) -> tuple[ObjectId, int] | None:
        name, _, offset = text.partition("+")
        if not self._globals:
            shared = (o for o in self._cp.objects.values() if o.kind is ObjectKind.GLOBAL)
            self._globals = Counter(o.name for o in shared)
        if self._globals[name] != 1 or not (offset or "0").isdigit():
            return None  # two static variables of one name: which is meant cannot be told
        found = next(o for o in self._cp.objects.values() if o.kind is ObjectKind.GLOBAL and o.name == name)
        return found.id, int(offset or "0")

    def _run_thread(self, thread: RunThread, began: str) -> ThreadResult:
        if thread.created_at is None:
            start = self._cp.program.entry if thread.id == MAIN else UNKNOWN_START
            return ThreadResult(thread.id, thread.parent, self._function(start), None)
        starts = dict.fromkeys(t.start for t in self._cp.threads.values() if t.created_at == thread.created_at)
        starts.pop(UNKNOWN_START, None)
        names = " or ".join(map(self._function, starts)) or began or UNKNOWN_START
        return ThreadResult(thread.id, thread.parent, names, self.site(thread.created_at)[1])

    def _executed(self, first: Access, second: Access, race: RaceResult) -> tuple[AccessResult, AccessResult]:
        """The accesses in the threads that raced, called from where they were; of the views of what was created there,
        the one that holds most of the locks that the run says were held."""
        schedule = race.schedule
        racers = schedule.racers if schedule.accesses[0] == first.id else schedule.racers[::-1]
        names = {thread.id: str(thread) for thread in race.threads}
        created = {thread.id: thread.created_at for thread in schedule.run.threads}
        steps = schedule.record or schedule.steps

        def shown(access: Access, racer: int) -> AccessResult:
            site = created.get(racer)
            fits = [v for v in access.views if self._cp.threads[v.thread].created_at == site]
            step = next((s for s in reversed(steps) if s.access == access.id and s.thread == racer), None)
            if step is not None:
                held = set(map(self.lock_at, step.held))
                fits = sorted(fits, key=lambda v: (self._not_held(v, held), -len(v.held)))
            view = next(iter((*fits, *access.views)), None)
            calls = (self.site(call)[1] for call in step.stack) if step is not None else ()
            found = self._access(access, view)
            if view is None and step is not None:  # no flow was followed: what it held in the run
                found = replace(found, held=tuple(sorted(map(self.within(schedule).lock_at, step.held))))
            return replace(
                found,
                thread=names.get(racer, f"thread {racer}"),
                call_stack=tuple(pos for pos in calls if pos is not None) or found.call_stack,
            )

        return shown(first, racers[0]), shown(second, racers[1])

    def _not_held(self, view: View, held: set[str]) -> int:
        """How many mutexes the view has that were not held. Those on the heap have other names in a run: counted."""
        mutexes = [self.lock(lock).removesuffix(SHARED_MARK) for lock in view.held if lock.kind is LockKind.MUTEX]
        named = {o.name for o in self._cp.objects.values() if o.kind is ObjectKind.GLOBAL}
        missing = sum(
            m not in held and m.partition(".")[0].partition("[")[0] in named and "*" not in m for m in mutexes
        )
        return missing + max(0, len(mutexes) - missing - len(held))

    def location(self, location: MemLoc) -> str:
        if location not in self._locations:
            self._locations[location] = facts.describe_location(self._cp, location)
        return self._locations[location]

    def thread(self, thread_id: ThreadId) -> str:
        if thread_id not in self._threads:
            self._threads[thread_id] = self._describe_thread(thread_id)
        return self._threads[thread_id]

    def lock(self, held: HeldLock) -> str:
        if held.address not in self._locks:
            self._locks[held.address] = facts.describe_lock(self._cp, held.address)
        return self._locks[held.address] + (SHARED_MARK if held.mode is LockMode.SHARED else "")

    def _describe_thread(self, thread_id: ThreadId) -> str:
        if thread_id == MAIN:
            return "main thread"
        thread = self._cp.threads[thread_id]
        if thread.is_callback:
            if thread.is_nested and thread.parent is not None:
                return (
                    f"`{self._function(thread.start)}`, called back by unknown code in the {self.thread(thread.parent)}"
                )
            since = f" from {_line(thread.pos)} on" if thread.pos is not None else ""
            return f"`{self._function(thread.start)}`, which the system or a library may call at any time{since}"
        created = f", created at {_line(thread.pos)}" if thread.pos is not None else ""
        return f"thread `{self._function(thread.start)}`{created}" + (" (several at once)" if thread.many else "")

    def _function(self, name: str) -> str:
        function = self._cp.program.functions.get(name)
        return function.source_name if function is not None else name

    def _access(self, access: Access, view: View | None) -> AccessResult:
        return AccessResult(
            pos=access.pos,
            function=self._function(access.function),
            kind=access.kind,
            thread=self.thread(view.thread) if view is not None else "unknown thread",
            is_atomic=access.is_atomic,
            held=tuple(sorted(map(self.lock, view.held))) if view is not None else (),
            call_stack=view.call_stack if view is not None else (),
            note=_note(access),
            of_object=access.operation is not None,
        )

    def _views(self, first: Access, second: Access, findings: Sequence[Finding]) -> tuple[View | None, View | None]:
        """The two that the evidence names, else the first two that are not one and the same thread instance."""
        for finding in reversed(findings):
            if isinstance(finding.evidence, Reason) and finding.evidence.views is not None:
                return finding.evidence.views
        for a, b in islice(product(first.views, second.views), _MAX_COMBINATIONS):
            if a.thread != b.thread or self._cp.threads[a.thread].many:
                return a, b
        return next(iter(first.views), None), next(iter(second.views), None)


def _note(access: Access) -> str:
    """Why it is an access at all."""
    if access.operation is not None:
        does = "makes or destroys the object" if access.kind.writes else "uses the object"
        return f"`{access.operation}` {does}"
    return str(access.unknown) if access.unknown is not None else ""


def _line(pos: SourcePos) -> str:
    return f"{pos.file}:{pos.line}"
