"""What the body of a musl function does, by raceproof's points-to on the program that `driver` makes around it.

Counted are plain accesses: atomic ones race with nothing that musl does, and what is done under one of its locks is
synchronised with everything else that takes it. That holds for the library's own objects and for streams, not for
variables that a program can name (`PUBLIC`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from musl import sources, syscalls
from musl.driver import SILENT, SYSCALLS, Driven, Kind, drive
from musl.effect_set import Did, argument
from musl.held_locks import Held, held_locks
from raceproof.core import Budget
from raceproof.facts.library.effects import STATIC_ARG, Bytes, Effect, Extent, Format
from raceproof.facts.library.formats import constant_text, printf_touches, scanf_touches
from raceproof.facts.library.libc import known_effect
from raceproof.facts.library.process_state import THREAD_LOCALE, uses_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.facts.pointers.points_to import PointsTo, solve
from raceproof.ir import (
    Call,
    CompareExchange,
    Function,
    IntConst,
    Load,
    Return,
    Rmw,
    Store,
)
from raceproof.model import MemLoc, ObjectId, ObjectKind

_PUBLIC: Final = """
    environ __environ timezone __timezone daylight __daylight tzname __tzname optarg optind opterr optopt optreset stdin
    stdout stderr signgam __signgam h_errno getdate_err program_invocation_name __progname __optreset __optpos
    program_invocation_short_name
"""
PUBLIC: Final = frozenset(_PUBLIC.split())
"""Variables of the library that programs may declare: the library's locks do not guard them."""


def body_of(name: str) -> tuple[frozenset[Did], int]:
    """Everything that the function may do to what its caller, or another thread, can see; and how many arguments it
    declares."""
    driven = drive(name)
    return _Body(driven).effects(), driven.fixed


class _Body:
    def __init__(self, driven: Driven) -> None:
        self._driven = driven
        self._program = driven.program
        self._points_to: PointsTo = solve(driven.program, Budget.unlimited(), SILENT)
        self._held = held_locks(self._program, self._points_to)
        self._roots: dict[ObjectId, tuple[int, int]] = {}
        for index in range(len(driven.kinds)):
            for depth, letter in enumerate("apq"):
                self._roots[self._points_to.object_of_symbol(f"{letter}{index}")] = (index, depth)
        self._symbols = {self._points_to.object_of_symbol(name): name for name in self._program.globals}
        self._codes = {self._points_to.object_of_symbol(f"c{index}"): index for index in range(len(driven.kinds))}

    def effects(self) -> frozenset[Did]:
        found: set[Did] = set()
        for name in sorted(self._points_to.reached - {"main"}):
            function = self._program.functions[name]
            for block in function.blocks:
                for instr in block.body:
                    if instr.id in self._held:
                        found.update(self._done_by(function, instr))
        found.update(self._returned())
        found.update(self._kept())
        return frozenset(found)

    # Places.

    def _place(self, loc: MemLoc) -> str | None:
        """In words; None for what only this call sees, and for constants."""
        if loc.object in self._roots:
            index, depth = self._roots[loc.object]
            return argument(index, depth, self._driven.fixed)
        obj = self._points_to.objects[loc.object]
        if obj.kind is ObjectKind.GLOBAL:
            variable = self._program.globals.get(self._symbols.get(loc.object, ""))
            return None if variable is not None and variable.is_constant else f"static {self._name(loc.object)}"
        return "fresh" if obj.kind is ObjectKind.HEAP else None

    def _name(self, identity: ObjectId) -> str:
        """Of a static object; those of one file only with its name: `asctime.c asctime.buf`."""
        symbol = self._symbols.get(identity)
        if symbol is None:
            return self._points_to.objects[identity].name  # an object of the tables
        name = re.sub(r"\.\d+$", "", symbol)
        pos = self._program.globals[symbol].pos
        return name if pos is None or name in sources.definitions() else f"{Path(pos.file).name} {name}"

    def _code(self, index: int) -> str:
        """The function of an argument, or one stored in what it points to."""
        return argument(index, 0 if self._driven.kinds[index] is Kind.CODE else 1, self._driven.fixed)

    def _is_guarded(self, loc: MemLoc, held: Held) -> bool:
        """A stream or a directory has its own lock in it."""
        if loc.object in self._roots:
            index, _ = self._roots[loc.object]
            return any(self._roots.get(locked, (None,))[0] == index for _, locked in held)
        return bool(held) and self._name(loc.object) not in PUBLIC

    def _touched(self, what: str, places: tuple[MemLoc, ...], size: int | None, held: Held) -> Iterator[Did]:
        for loc in places:
            place = self._place(loc)
            if place is not None and place != "fresh" and not self._is_guarded(loc, held):
                is_exact = size is not None and loc.offset is not None and loc.stride is None
                yield Did(what, place, loc.offset + size if is_exact and loc.offset is not None and size else None)

    def _behind(self, places: tuple[MemLoc, ...], depth: int) -> tuple[MemLoc, ...]:
        for _ in range(depth):
            places = tuple(
                dict.fromkeys(
                    inner for loc in places for inner in self._points_to.contents(MemLoc(loc.object, None, None))
                )
            )
        return places

    # Instructions.

    def _done_by(self, function: Function, instr: object) -> Iterator[Did]:
        points_to = self._points_to
        match instr:
            case Load(order=None):
                places = points_to.targets(function.name, instr.address)
                yield from self._touched("reads", places, instr.type.size, self._held[instr.id])
            case Store(order=None):
                places = points_to.targets(function.name, instr.address)
                yield from self._touched("writes", places, instr.type.size, self._held[instr.id])
            case Load() | Store() | Rmw() | CompareExchange():
                pass
            case Call():
                yield from self._called(function, instr)

    def _called(self, function: Function, call: Call) -> Iterator[Did]:
        for loc in self._points_to.targets(function.name, call.callee):
            if loc.object in self._codes:
                yield Did("calls", self._code(self._codes[loc.object]))
        for name in self._points_to.callees(call.id):
            if name in SYSCALLS:
                yield from self._system_call(function, call)
            elif name in self._program.functions or name in SILENT or name.startswith("llvm.va_"):
                continue
            elif (effect := known_effect(name)) is not None:
                yield from self._by_row(function, call, effect)
                yield from _states(name)
            elif sync_op(name) is None and not name.startswith("llvm."):
                yield Did("calls", f"unknown {name}")

    def _system_call(self, function: Function, call: Call) -> Iterator[Did]:
        number = call.args[0].value if isinstance(call.args[0], IntConst) else None
        for at, kind, depth in syscalls.touches(number):
            if at + 1 < len(call.args):
                places = self._points_to.targets(function.name, call.args[at + 1])
                yield from self._touched(f"{kind}s", self._behind(places, depth), None, self._held[call.id])

    def _by_row(self, function: Function, call: Call, effect: Effect) -> Iterator[Did]:
        held = self._held[call.id]
        for what, touches in (("reads", effect.reads), ("writes", effect.writes)):
            for touch in touches:
                places = self._behind(self._argument(function, call, effect, touch.arg), touch.deref)
                yield from self._touched(what, places, _size(touch.extent), held)
        for at in effect.frees:
            yield from self._touched("frees", self._argument(function, call, effect, at), None, held)
        for callback in effect.calls:
            for loc in self._behind(self._argument(function, call, effect, callback.function), int(callback.deref)):
                if loc.object in self._codes:
                    yield Did("calls", self._code(self._codes[loc.object]))
        if effect.format is not Format.NONE and effect.format_arg is not None:
            yield from self._formatted(function, call, effect, effect.format_arg)

    def _formatted(self, function: Function, call: Call, effect: Effect, format_arg: int) -> Iterator[Did]:
        held = self._held[call.id]
        if effect.va_list_arg is not None:
            inner = self._behind(self._argument(function, call, effect, effect.va_list_arg), 2)
            yield from self._touched("reads", inner, None, held)
            yield from self._touched("writes", inner, None, held)
            return
        text = constant_text(self._program, call.args[format_arg])
        first = format_arg + 1
        if text is None:
            touches = [(at, what) for at in range(first, len(call.args)) for what in ("reads", "writes")]
        else:
            parse = printf_touches if effect.format is Format.PRINTF else scanf_touches
            touches = [(touch.arg, "reads" if touch.reads else "writes") for touch in parse(text, first)]
        for at, what in touches:
            if at < len(call.args):
                yield from self._touched(what, self._argument(function, call, effect, at), None, held)

    def _argument(self, function: Function, call: Call, effect: Effect, index: int) -> tuple[MemLoc, ...]:
        if index == STATIC_ARG:
            name = effect.static_object
            return () if name is None or effect.static_is_thread_local else self._points_to.static_location(name)
        return self._points_to.targets(function.name, call.args[index]) if index < len(call.args) else ()

    # Pointers.

    def _returned(self) -> Iterator[Did]:
        function = self._driven.function
        for block in function.blocks:
            if isinstance(block.terminator, Return) and block.terminator.value is not None:
                for loc in self._points_to.targets(function.name, block.terminator.value):
                    place = self._place(loc)
                    if place is not None:
                        yield Did("returns", place)

    def _kept(self) -> Iterator[Did]:
        """Pointers to what the caller has given, in what outlives the call."""
        for identity, obj in self._points_to.objects.items():
            if obj.kind not in (ObjectKind.GLOBAL, ObjectKind.HEAP):
                continue
            container = self._place(MemLoc(identity, None, None))
            if container is None:
                continue
            for loc in self._points_to.contents(MemLoc(identity, None, None)):
                if self._is_given(identity, loc.object):
                    continue
                if loc.object in self._codes:
                    yield Did(f"stores {self._code(self._codes[loc.object])} in", container)
                elif (place := self._place(loc)) is not None and (loc.object in self._roots or "arg" in container):
                    yield Did(f"stores {place} in", container)

    def _is_given(self, container: ObjectId, inner: ObjectId) -> bool:
        """Whether the driver put it there."""
        if container not in self._roots:
            return False
        index, depth = self._roots[container]
        if inner in self._codes:
            return depth == 0 and self._codes[inner] == index
        return self._roots.get(inner) == (index, min(depth + 1, 2))


def _states(name: str) -> Iterator[Did]:
    """What a function of the tables does to the state of the process, but for the locale: what musl uses that for
    inside, other libraries need not."""
    for use in uses_of(name):
        if use.state not in ("locale", THREAD_LOCALE):
            yield Did("writes" if use.writes else "reads", "*" * use.leads_to + f"static {use.state}")


def _size(extent: Extent) -> int | None:
    return extent.count if isinstance(extent, Bytes) else None
