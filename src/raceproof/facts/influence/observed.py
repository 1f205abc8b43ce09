"""What does a program look at that calls and arithmetic leave behind besides their results?

A library function may do more with a value than to return something: a logarithm sets errno, a division raises a flag,
`exit` gives its argument to a handler, `printf` writes to a stream that ends in memory of the program. None of this
matters to a program that never looks there. Over-approximates: one that may look anywhere looks everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from raceproof.facts.flow.world import World
from raceproof.facts.library.effects import Format
from raceproof.facts.library.formats import constant_text
from raceproof.facts.library.input_functions import (
    gives_buffer,
    is_error_number,
    is_output,
    opens_stream_in_memory,
    reads_float_flags,
)
from raceproof.facts.library.libc import effect_of
from raceproof.ir import Call, Function, IntConst
from raceproof.model import CallGraph

_SIGNGAM: Final = frozenset({"signgam", "__signgam"})
_STATUS_HANDLER: Final = "on_exit"
_BUFFER: Final = 1  # the argument of setvbuf and its like


@dataclass(frozen=True, slots=True)
class Observed:
    """`output`: what is written to streams; `status`: what the program ends with, in a handler."""

    errno: bool = False
    float_flags: bool = False
    signgam: bool = False
    output: bool = False
    status: bool = False


def observed_by(world: World, calls: CallGraph, functions: Sequence[Function]) -> Observed:
    called = list(_library_calls(calls, functions))
    names = {name for _, name in called}
    variables = {v.source_name for v in world.program.globals.values() if v.is_external}
    return Observed(
        errno=any(map(is_error_number, names)) or any(_prints_errno(world, call, name) for call, name in called),
        float_flags=any(map(reads_float_flags, names)),
        signgam=not _SIGNGAM.isdisjoint(variables),
        output=any(_brings_output_back(call, name) for call, name in called),
        status=_STATUS_HANDLER in names,
    )


def _library_calls(calls: CallGraph, functions: Sequence[Function]) -> Iterator[tuple[Call, str]]:
    for function in functions:
        for instr in function.instructions():
            if isinstance(instr, Call):
                yield from ((instr, name) for name in calls.targets[instr.id].externals)


def _prints_errno(world: World, call: Call, name: str) -> bool:
    """Into memory of the program, by `%m`."""
    effect = effect_of(name, world.program)
    if effect is None or effect.format is not Format.PRINTF or effect.format_arg is None or is_output(name):
        return False
    text = constant_text(world.program, call.args[effect.format_arg]) if effect.format_arg < len(call.args) else None
    return text is None or "%m" in text


def _brings_output_back(call: Call, name: str) -> bool:
    if gives_buffer(name):
        buffer = call.args[_BUFFER] if len(call.args) > _BUFFER else None
        return not (isinstance(buffer, IntConst) and buffer.value == 0)
    return opens_stream_in_memory(name)
