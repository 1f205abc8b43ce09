"""Which of the library's own objects a call touches, in a program where somebody else touches them as well.

Most programs never write the locale while threads run, and name no variable of the library: to them a `printf` is no
access to anything of the kind. A touch that cannot meet another one, of which one writes and one is not guarded by
the library's own locks, is left out here, for good: what remains is what can be in a race.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raceproof.facts.library.effects import STATIC_ARG
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.process_state import declared_name, uses_of
from raceproof.facts.library.streams import (
    ALL_STREAMS,
    STANDARD_STREAMS,
    UNLOCKS_FOR_GOOD,
    StreamUse,
    stream_object,
    stream_uses,
    uses_streams_plainly,
)
from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import Address, Call, IntConst, Operand, Program


@dataclass(frozen=True, slots=True)
class StateTouch:
    """The library's object `state` is touched, or what `pointer`, an operand of the call, points to.

    `level`: how many pointers on from there. `guarded`: under a lock that all such functions take.
    """

    writes: bool
    guarded: bool
    state: str | None
    pointer: Operand | None = None
    level: int = 0


def state_objects(name: str) -> Iterator[str]:
    """The names of the library's objects that the function may touch beside those in its row."""
    yield from dict.fromkeys(use.state for use in uses_of(name))
    for use in stream_uses(name):
        if use.variable is not None:
            yield from (use.variable, stream_object(use.variable))
        if use.is_all or use.null_is_all:
            yield from (ALL_STREAMS, *map(stream_object, STANDARD_STREAMS))


def flushes_all(program: Program) -> bool:
    """Whether a call may concern all streams that are open."""
    return any(
        isinstance(instr, Call)
        and isinstance(instr.callee, Address)
        and any(_is_all(use, instr) for use in stream_uses(instr.callee.symbol))
        for function in program.functions.values()
        for instr in function.instructions()
    )


class LibraryState:
    """Of one program: which of these touches can be in a race."""

    def __init__(self, program: Program) -> None:
        self._program = program
        outside = [name for name in program.externals if name not in program.functions]
        self._written_plainly = {
            use.state for name in outside for use in uses_of(name) if use.writes and not use.guarded
        }
        for name in outside:
            effect = effect_of(name, program)
            if effect is not None and effect.static_object is not None:
                is_written = any(touch.arg == STATIC_ARG for touch in effect.writes)
                if is_written or any(to == STATIC_ARG for _, to in effect.stores):
                    self._written_plainly.add(effect.static_object)
        self._locks_streams = not any(UNLOCKS_FOR_GOOD in names_of(name) for name in outside)
        self._has_plain_streams = any(map(uses_streams_plainly, outside))

    def touches(self, call: Call, name: str) -> Iterator[StateTouch]:
        """What a call of the library function `name` touches."""
        for use in uses_of(name):
            declared = declared_name(self._program, use.state)
            if declared is not None or use.state in self._written_plainly:
                yield StateTouch(use.writes, use.guarded, declared or use.state, level=use.leads_to)
        if call.args and any(known.endswith("_l") for known in names_of(name)):
            yield StateTouch(False, False, None, call.args[-1])  # the locale
        for stream in stream_uses(name):
            yield from self._of_streams(stream, call)

    def _of_streams(self, use: StreamUse, call: Call) -> Iterator[StateTouch]:
        guarded = use.locked and self._locks_streams
        variables: tuple[str, ...] = (use.variable,) if use.variable is not None else ()
        if _is_all(use, call):
            variables = STANDARD_STREAMS
            yield StateTouch(True, guarded, ALL_STREAMS, level=1)
        elif use.argument is not None and use.argument < len(call.args) and self._has_plain_streams:
            yield StateTouch(True, guarded, None, call.args[use.argument])
        for variable in variables:
            if variable in self._program.globals:
                if use.variable is not None:
                    yield StateTouch(False, False, variable)
                if self._has_plain_streams:
                    yield StateTouch(True, guarded, variable, level=1)
            elif self._has_plain_streams:
                yield StateTouch(True, guarded, stream_object(variable))


def _is_all(use: StreamUse, call: Call) -> bool:
    is_null = bool(call.args) and isinstance(call.args[0], IntConst)
    return use.is_all or (use.null_is_all and is_null)
