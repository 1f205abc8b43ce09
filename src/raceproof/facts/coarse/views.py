"""The result of a flow, made without one: every access in every thread that may come there, with what is certain.

Follows no paper; it is what a flow would say if it forgot all but three things: the locks at fixed places that are held
(`held`), that main is alone until it starts or gives away something, and what is made once. It takes time in proportion
to the size of the program, and is there when the time for a flow is not.

All that counts as order or exclusion is left out where it is not obvious: joins, barriers, semaphores, flags, counters,
ownership by pointers, elements of arrays. So it proves less than a flow, and nothing that a flow would not.
"""

from __future__ import annotations

from raceproof.facts.coarse.held import Followed, Situation, Summaries
from raceproof.facts.coarse.kinds import thread_kinds
from raceproof.facts.flow.contexts import AccessKey, ThreadRecord
from raceproof.facts.flow.flow_result import FlowResult
from raceproof.facts.flow.initial_values import InitialValues
from raceproof.facts.flow.observations import Observations, unknown_code
from raceproof.facts.flow.touches import FILLED
from raceproof.facts.flow.world import TargetedTouch, World
from raceproof.ir import Call, Function, Instr, Return, SiteId, Terminator
from raceproof.model import (
    MAIN,
    Assumption,
    Base,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    Moment,
    ThreadId,
    View,
    of_atom,
)


def coarse_flow(world: World) -> FlowResult:
    """Raises `LimitReached` or `Unsupported` as a flow does."""
    return _Coarse(world).result()


class _Coarse:
    def __init__(self, world: World) -> None:
        self._world = world
        self._observed = Observations(world, InitialValues(world.program, {}))
        self._records = thread_kinds(world)
        summaries = Summaries(world)
        self._main = Followed(summaries, [world.program.entry], company=False)
        self._others = Followed(summaries, [r.start for r in self._records if r.id != MAIN], company=True)
        outside = frozenset(r.id for r in self._records if r.site is None and r.id != MAIN)
        everybody = frozenset(r.id for r in self._records if r.id != MAIN)
        self._moments = {False: Moment(may_run=outside), True: Moment(may_run=everybody)}
        self._views: dict[AccessKey, dict[View, None]] = {}
        self._returns: dict[str, dict[View, None]] = {}
        self._known: dict[tuple[ThreadId, Situation, HeldLock | None, bool], View] = {}

    def result(self) -> FlowResult:
        for record in self._records:
            followed = self._main if record.id == MAIN else self._others
            for name in sorted(self._world.called_by(record.start)):
                self._world.budget.check()
                function, info = self._world.program.functions[name], self._world.info(name)
                for label in info.order:
                    for instr in (*info.blocks[label].body, info.blocks[label].terminator):
                        situation = followed.before(instr.id)
                        if situation is not None:
                            self._instruction(record, function, instr, situation)
        return FlowResult(
            records=tuple(self._records),
            threads=(),
            views={key: tuple(views) for key, views in sorted(self._views.items())},
            candidates=frozenset(),
            counters={},
            token_objects=frozenset(),
            turn_words=frozenset(),
            assumptions=self._assumptions(),
            contexts=0,
            uses=self._observed.uses(),
            returns={name: tuple(views) for name, views in self._returns.items()},
        )

    def _instruction(
        self, record: ThreadRecord, function: Function, instr: Instr | Terminator, situation: Situation
    ) -> None:
        world = self._world
        for index, touch in enumerate(world.touches(function, instr)):
            if touch.objects & world.may_escape:
                self._note((instr.id, index), self._view(record.id, situation, self._stream_lock(touch), False))
        if isinstance(instr, Call):
            filled = world.filled(instr)
            if filled is not None and filled.objects & world.may_escape:
                self._note((instr.id, FILLED), self._view(record.id, situation, None, True))
            self._assume(instr)
        elif isinstance(instr, Return) and function.name in world.may_spawn:
            view = View(record.id, None, frozenset(), self._moments[situation.company], private=False)
            self._returns.setdefault(function.name, {})[view] = None

    def _note(self, key: AccessKey, view: View) -> None:
        self._views.setdefault(key, {})[view] = None

    def _view(self, thread: ThreadId, situation: Situation, lock: HeldLock | None, is_private: bool) -> View:
        key = (thread, situation, lock, is_private)
        if key not in self._known:
            held = situation.locks if lock is None else situation.locks | {lock}
            for each in held:
                self._observed.note_lock_place(each.address)
            company = situation.company or thread != MAIN
            self._known[key] = View(thread, None, held, self._moments[company], private=is_private)
        return self._known[key]

    def _stream_lock(self, touch: TargetedTouch) -> HeldLock | None:
        """The lock of the stream that a function of the library is given, which it takes and gives back."""
        if not touch.touch.locks_stream or len(touch.targets) != 1:
            return None
        (place,) = touch.targets
        if (
            place.offset is None
            or place.stride is not None
            or not self._world.points_to.objects[place.object].is_single
        ):
            return None
        address: Linear = of_atom(Base(place.object)).shifted(place.offset)
        return HeldLock(address, LockMode.EXCLUSIVE, LockKind.MUTEX)

    def _assume(self, call: Call) -> None:
        names = self._world.callees(call)
        if not names:
            self._observed.assume("a call through a pointer with no known target does not return", call.id)
        for name in names:
            if self._world.is_unknown(name):
                self._observed.assume(unknown_code(name), call.id)
            described = self._world.described(name)
            if described is not None:
                self._observed.assume(f"the user says that {described}", call.id)
            operation = self._world.sync_op(call, name) if name in self._world.known.locks else None
            if operation is not None:
                self._observed.assume(f"the user says that {operation.model}", call.id)

    def _assumptions(self) -> tuple[Assumption, ...]:
        found: dict[str, SiteId] = self._observed.assumptions
        return tuple(Assumption(text, self._world.positions.get(site)) for text, site in found.items())
