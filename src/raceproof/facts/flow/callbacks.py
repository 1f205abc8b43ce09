"""Functions that code outside the program may run: which it gets, when, and with what."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from raceproof.core import Unsupported
from raceproof.facts.library.effects import STATIC_ARG, Callback, Effect, Sync
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.process_state import ALIASES
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.pointers.calls import INLINE_ASSEMBLY
from raceproof.ir import Call, Function, PtrType, SiteId
from raceproof.model import MemLoc, ObjectId, ObjectKind

if TYPE_CHECKING:
    from raceproof.facts.flow.world import World


ASYNCHRONOUS: Final = frozenset(["aio_read", "aio_write", "lio_listio", "getaddrinfo_a", "io_submit", "io_uring_enter"])
"""They read or write memory of the program when they have long returned, in no thread of the program's."""


MAX_NESTED: Final = 100
"""Callbacks times threads that may call unknown code: beyond that all callbacks may run at any time."""
_STARTS: Final = re.compile(
    r"thread|thrd|spawn|fork|async|timer|alarm|signal|daemon|worker|pool|submit|schedul|audio|stream_open|openstream"
    r"|process_callback|queue_work|fuse_main|parallel",
    re.IGNORECASE,
)
"""Names of functions that may run what they are given in a thread of their own, or later."""


class Callbacks:
    """Of one program; filled lazily, never changed once computed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._given_away: dict[SiteId, tuple[str, ...]] = {}
        self._brought: dict[str, tuple[str, ...]] = {}

    def refuse_foreign(self) -> None:
        """Nobody follows what the library runs later, if that is not in the program: `free` for what a thread has set.

        What only one thread can reach is that thread's, which runs it itself. Raises `Unsupported` for the rest, and
        for operations that the system goes on with behind the program's back, and for two names of one variable, which
        engines that know variables by their names would take for two.
        """
        variables = self._world.program.globals
        for alias, meant in ALIASES.items():
            if alias in variables and meant in variables and variables[alias].is_external:
                raise Unsupported(f"`{alias}` and `{meant}`, two names of one variable", variables[alias].pos)
        for function, instr in self._world.instructions.values():
            for name in self._world.callees(instr) if isinstance(instr, Call) else ():
                if name not in self._world.program.functions and not ASYNCHRONOUS.isdisjoint(names_of(name)):
                    raise Unsupported(f"`{name}`, which goes on in the background", instr.pos)
            foreign = self._world.points_to.foreign_starts(instr.id) if isinstance(instr, Call) else ()
            if not foreign or not isinstance(instr, Call):
                continue
            for effect in (effect_of(name, self._world.program) for name in self._world.callees(instr)):
                for callback in effect.calls if effect is not None else ():
                    given = self._given_to(function, instr, effect, callback) if callback.later else frozenset()
                    for name in foreign if callback.later else ():
                        known = effect_of(name, self._world.program)
                        touches = known is None or bool(known.reads or known.writes or known.frees)
                        uses_kept = self._world.is_unknown(name) and bool(self._world.kept)
                        if (touches and given & self._world.may_escape) or uses_kept:
                            raise Unsupported(f"`{name}` as a handler for what threads share", instr.pos)

    def _given_to(
        self, function: Function, call: Call, effect: Effect | None, callback: Callback
    ) -> frozenset[ObjectId]:
        """What the library passes to a callback."""
        found: list[MemLoc] = []
        for index in callback.args:
            if index == STATIC_ARG and effect is not None and effect.static_object is not None:
                places = self._world.points_to.static_location(effect.static_object)
            else:
                is_given = index is not None and index < len(call.args)
                places = self._world.points_to.targets(function.name, call.args[index or 0]) if is_given else ()
            found += (
                [p for place in places for p in self._world.points_to.contents(place)] if callback.loads else places
            )
        return frozenset(p.object for p in found)

    def given_by(self, function: Function, call: Call) -> tuple[str, ...]:
        """Functions of the program that unknown functions get hold of by this call."""
        if call.id not in self._given_away:
            objects = self._world.points_to.objects
            kept = [arg for i, arg in enumerate(call.args) if i in self._kept_arguments(call)]
            given = {p.object for arg in kept for p in self._world.points_to.targets(function.name, arg)}
            reached = [objects[o] for o in self._world.reachable(given) if objects[o].kind is ObjectKind.FUNCTION]
            self._given_away[call.id] = tuple(
                sorted(o.name for o in reached if o.name in self._world.program.functions)
            )
        return self._given_away[call.id]

    def _kept_arguments(self, call: Call) -> frozenset[int]:
        """Those of which unknown functions may keep what they lead to."""
        found: set[int] = set()
        for name in self._world.callees(call):
            if self._world.is_unknown(name) and name != INLINE_ASSEMBLY:
                found.update(range(len(call.args)))
            elif name not in self._world.program.functions:
                effect = effect_of(name, self._world.program)
                found.update(effect.given if effect is not None else ())
        return frozenset(found)

    def brought_by(self, start: str) -> tuple[str, ...]:
        """What the outside world may have got as soon as it has `start`: that, and what may be given away when it runs,
        by threads that it creates too."""
        if start not in self._brought:
            found = {start: None}
            seen = {start}
            work = [start]
            while work:
                name = work.pop()
                given, run = self.gives_away[name]
                found.update(dict.fromkeys(given))
                for other in (*given, *run, *self._world.call_graph[name]):
                    if other not in seen:
                        seen.add(other)
                        work.append(other)
            self._brought[start] = tuple(found)
        return self._brought[start]

    def run_within(self, call: Call) -> tuple[str, ...]:
        """Functions that unknown code may call back while this call lasts: any that such code was ever given."""
        return tuple(sorted(self.nested)) if self._runs_unknown_code(call) else ()

    def _runs_unknown_code(self, call: Call) -> bool:
        return any(self._world.is_unknown(name) and name != INLINE_ASSEMBLY for name in self._world.callees(call))

    @cached_property
    def nested(self) -> frozenset[str]:
        """Functions given to unknown code that run only while such code is called, in the thread that calls it.

        That is assumed of all but those that go to a function whose name or type says that it starts something, those
        that are given to other functions to be kept, and those that start threads or register handlers themselves.
        """
        given: set[str] = set()
        lingering: set[str] = set(self.from_the_start)
        creations = 0
        for function in self._world.program.functions.values():
            for instr in function.instructions():
                if not isinstance(instr, Call):
                    continue
                creations += sum(op.kind is Sync.CREATE for op in self._world.sync_ops(instr))
                starts = self.given_by(function, instr)
                named = [n for n in self._world.callees(instr) if n not in self._world.program.functions]
                if any(map(self._world.is_unknown, self._world.points_to.foreign_starts(instr.id))):
                    return frozenset()  # unknown code that the library runs, it may not be known when
                if all(map(self._world.is_unknown, named)) and not any(map(_STARTS.search, named)):
                    given.update(starts)
                else:
                    lingering.update(starts)
        given -= {start for start in given if start in lingering or self._may_linger(start)}
        while left := {start for start in given if not given.issuperset(self.brought_by(start))}:
            given -= left
        return frozenset(given) if len(given) * (creations + 1) <= MAX_NESTED else frozenset()

    def _may_linger(self, start: str) -> bool:
        """It looks like the start of a thread, or leaves something behind that runs later."""
        function = self._world.program.functions[start]
        is_start = [isinstance(p.type, PtrType) for p in function.params] == [True]
        return (
            (is_start and isinstance(function.returns, PtrType))
            or start in self._world.may_spawn
            or any(name in self._registers for name in self._world.called_by(start))
        )

    @cached_property
    def _registers(self) -> frozenset[str]:
        """Functions that register handlers with the library."""
        return frozenset(
            name
            for name, function in self._world.program.functions.items()
            for instr in function.instructions()
            if isinstance(instr, Call) and any(self.calls_later(callee) for callee in self._world.callees(instr))
        )

    @cached_property
    def gives_away(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Function -> functions that it gives to the outside world, and those that it starts threads with."""
        result = {}
        for name, function in self._world.program.functions.items():
            given: dict[str, None] = {}
            run: dict[str, None] = {}
            for instr in function.instructions():
                if isinstance(instr, Call):
                    starts = [
                        s for s in self._world.points_to.thread_starts(instr.id) if s in self._world.program.functions
                    ]
                    given.update(dict.fromkeys(self.given_by(function, instr)))
                    if any(self.calls_later(callee) for callee in self._world.callees(instr)):
                        given.update(dict.fromkeys(starts))
                    if any(op.kind is Sync.CREATE for op in self._world.sync_ops(instr)):
                        run.update(dict.fromkeys(starts))
            result[name] = (tuple(given), tuple(run))
        return result

    def calls_later(self, name: str) -> bool:
        """A function of the library that runs others after it has returned."""
        effect = effect_of(name, self._world.program) if name not in self._world.program.functions else None
        return effect is not None and any(c.later for c in effect.calls)

    @cached_property
    def from_the_start(self) -> list[str]:
        """Functions whose address the outside world has other than by a call: they may run at any time. Destructors
        too: they run when some thread ends the program, which may be while others still run."""
        later: set[str] = set()
        for function in self._world.program.functions.values():
            for instr in function.instructions() if function.name not in self._world.unseen else ():
                if isinstance(instr, Call):
                    later.update(self.given_by(function, instr))
        escaped = set(self._world.points_to.escaped_functions) & set(self._world.program.functions)
        return sorted((escaped - later) | set(self._world.program.listed_functions("llvm.global_dtors")))

    def given_to_handlers(self, function: Function, call: Call) -> set[ObjectId]:
        """What the library passes later to functions that it runs in a thread of its choice (on_exit, timer_create).

        What is kept in a key is passed in the thread that has set it.
        """
        found: set[ObjectId] = set()
        for name in self._world.callees(call):
            effect = effect_of(name, self._world.program) if name not in self._world.program.functions else None
            for callback in effect.calls if effect is not None else ():
                if callback.later and STATIC_ARG not in callback.args:
                    found |= self._given_to(function, call, effect, callback)
        return found
