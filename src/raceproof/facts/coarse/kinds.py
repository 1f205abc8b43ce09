"""Which kinds of threads there are, by creation and start function, without following what happens when.

    main ── pthread_create at #12 ──▶ worker ── pthread_create at #40 ──▶ helper
    handler (given to `signal`): a callback, which may run at any time

Errs on the side of more: a creation counts wherever the call graph leads, and all but what is created once is many.
Where there are too many kinds, every function that a thread or the outside world may start counts as a callback that
may run from the start, any number of times, which is weaker than anything that could be said about its creation.
"""

from __future__ import annotations

from collections.abc import Iterator

from raceproof.core import Unsupported
from raceproof.facts.flow.contexts import Context, Spawn, ThreadRecord
from raceproof.facts.flow.state import State
from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.ir import Call, Function, SiteId
from raceproof.model import MAIN, AnyArgument, ObjectKind, ThreadId

MAX_KINDS = 64


def thread_kinds(world: World) -> list[ThreadRecord]:
    """Main first. Raises `Unsupported` if a thread may run code that is not there."""
    found = _Kinds(world)
    try:
        records = found.all()
    except _TooMany:
        records = found.weakest()
    everybody = frozenset(record.id for record in records if record.id != MAIN)
    for record in records:
        record.context = Context(record.id, record.start, (), State())
        if record.id != MAIN:
            record.beside = everybody
    return records


class _TooMany(Exception):
    """More kinds of threads than are kept apart."""


class _Kinds:
    def __init__(self, world: World) -> None:
        self._world = world
        self._records: list[ThreadRecord] = []
        self._known: dict[tuple[ThreadId, SiteId, str], ThreadRecord] = {}

    def all(self) -> list[ThreadRecord]:
        world = self._world
        self._records = [ThreadRecord(MAIN, world.program.entry, None, None, None)]
        for start in world.callbacks.from_the_start:
            self._new(start, MAIN, None).is_callback = True
        given: dict[str, SiteId] = {}
        looked_at = 0
        while looked_at < len(self._records):
            world.budget.check()
            record = self._records[looked_at]
            looked_at += 1
            for name in sorted(world.called_by(record.start)):
                function = world.program.functions[name]
                for call, op in _creations(world, function):
                    self._create(record, function, call, op)
                for start, site in _given_away(world, function):
                    if start not in given:
                        given[start] = site
                        self._new(start, MAIN, site).is_callback = True
        return self._records

    def _new(self, start: str, parent: ThreadId, site: SiteId | None) -> ThreadRecord:
        if len(self._records) >= MAX_KINDS:
            raise _TooMany
        pos = self._world.positions.get(site) if site is not None else None
        record = ThreadRecord(ThreadId(len(self._records)), start, parent, site, pos, always_many=True)
        self._records.append(record)
        return record

    def _create(self, creator: ThreadRecord, function: Function, call: Call, op: SyncOp) -> None:
        for start in started(self._world, function, call, op):
            ancestor: ThreadRecord | None = creator
            while ancestor is not None and (ancestor.site, ancestor.start) != (call.id, start):
                ancestor = self._records[ancestor.parent] if ancestor.parent is not None else None
            key = (creator.id, call.id, start)
            if ancestor is not None:
                ancestor.always_many = True
            elif key not in self._known:
                record = self._known[key] = self._new(start, creator.id, call.id)
                self._describe(record, creator, function, call, op)

    def _describe(
        self, record: ThreadRecord, creator: ThreadRecord, function: Function, call: Call, op: SyncOp
    ) -> None:
        """What is known of its creation; an instruction that is executed once creates one thread."""
        is_one = self._world.executes_once(call.id)
        record.always_many = not is_one
        argument = call.args[op.start_arg] if op.start_arg is not None else None
        targets = self._world.points_to.targets(function.name, argument) if argument is not None else ()
        where = Context(creator.id, function.name, (), State())
        record.spawns[where] = Spawn(
            argument=AnyArgument(),
            many=not is_one,
            instances=1 if is_one else None,
            may_run=frozenset(),
            entry=State(),
            argument_objects=frozenset(target.object for target in targets),
        )

    def weakest(self) -> list[ThreadRecord]:
        world = self._world
        starts = dict.fromkeys(world.callbacks.from_the_start)
        for function in world.program.functions.values():
            starts.update(dict.fromkeys(start for start, _ in _given_away(world, function)))
            for call, op in _creations(world, function):
                starts.update(dict.fromkeys(started(world, function, call, op)))
        records = [ThreadRecord(MAIN, world.program.entry, None, None, None)]
        for start in starts:
            identity = ThreadId(len(records))
            records.append(ThreadRecord(identity, start, MAIN, None, None, always_many=True, is_callback=True))
        return records


def started(world: World, function: Function, call: Call, op: SyncOp) -> list[str]:
    """The functions that a creation may start. Raises `Unsupported` if it may be one whose code is not there."""
    possible = [s for s in world.points_to.thread_starts(call.id) if s in world.program.functions]
    if op.start is not None:
        for target in world.points_to.targets(function.name, call.args[op.start]):
            found = world.points_to.objects[target.object]
            if found.kind is ObjectKind.UNKNOWN:
                raise Unsupported("a thread that runs a function from outside the program", call.pos)
            if found.kind is ObjectKind.FUNCTION and found.name not in possible:
                raise Unsupported(f"a thread that runs `{found.name}`, which is not part of the program", call.pos)
    return possible


def _creations(world: World, function: Function) -> Iterator[tuple[Call, SyncOp]]:
    for instr in function.instructions():
        if isinstance(instr, Call):
            for op in world.sync_ops(instr):
                if op.kind is Sync.CREATE:
                    yield instr, op


def gives_away(world: World, function: Function, call: Call) -> list[str]:
    """Functions that code outside the program gets by the call and may run later."""
    given = dict.fromkeys(world.callbacks.given_by(function, call))
    if any(world.callbacks.calls_later(name) for name in world.callees(call)):
        given.update(dict.fromkeys(s for s in world.points_to.thread_starts(call.id) if s in world.program.functions))
    return list(given)


def _given_away(world: World, function: Function) -> Iterator[tuple[str, SiteId]]:
    for instr in function.instructions():
        if isinstance(instr, Call):
            yield from ((start, instr.id) for start in gives_away(world, function, instr))
