"""What may the program be given from outside that can matter to its threads?

A program without any such input does the same in every run but for the order of its threads: what a search over all
schedules shows of one run then holds for all. `program_inputs` names each place that may ask for something, in the
code that may be reached; it over-approximates.

Most inputs count wherever they are read, because how much is read decides what is written. Some are plain values (the
time, a random number, a process id, an address made a number): those count only if they may decide something, which
`Influence` finds out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from raceproof.facts.flow.world import World
from raceproof.facts.influence import Influence, Source, only_compares
from raceproof.facts.library.formats import constant_text
from raceproof.facts.library.input_functions import (
    gives_plain_value,
    input_kind,
    is_error_number,
    is_search,
    is_sort,
    may_be_denied,
)
from raceproof.ir import START, Address, Call, Function, OtherConst, Param, Reg, operands
from raceproof.model import CallGraph, InputKind, ProgramInput

# Variables of the library that say nothing about the outside, or only what a function says that is an input itself.
_HARMLESS: Final = frozenset({
    "stdin", "stdout", "stderr", "optarg", "optind", "opterr", "optopt", "signgam", "sys_errlist", "sys_siglist",
    "__stack_chk_guard", "in6addr_any", "in6addr_loopback", "timezone", "daylight", "tzname", "__timezone",
    "__daylight", "__tzname",
})  # fmt: skip
_ENVIRONMENT: Final = frozenset({"environ", "__environ", "_environ"})
_ARGUMENTS: Final = frozenset(
    {"program_invocation_name", "program_invocation_short_name", "__progname", "__progname_full"}
)
_NAMED: Final = (InputKind.ENVIRONMENT,)


def program_inputs(world: World, calls: CallGraph) -> tuple[ProgramInput, ...]:
    """Each place that may ask for an input which can matter, in the order of the program."""
    program = world.program
    functions = [f for name, f in program.functions.items() if name in world.points_to.reached]
    found: list[ProgramInput] = list(_parameters(world))
    values: list[Source] = []
    for function in functions:
        for instr in function.instructions():
            if isinstance(instr, Call):
                for given, is_plain in _of_call(world, calls, function, instr):
                    if is_plain:
                        values.append(Source(given, instr.id))
                    else:
                        found.append(given)
            for name in _symbols(operands(instr)):
                kind = _kind_of_variable(world, name)
                if kind is not None:
                    found.append(ProgramInput(kind, name, instr.pos or function.pos))
    found += _in_initial_values(world)
    # What decides is asked only where nothing else is an input: else the answer changes nothing.
    found += [v.given for v in values] if found else Influence(world, calls, functions).deciding(values)
    return tuple(dict.fromkeys(sorted(found, key=_place)))


def _parameters(world: World) -> Iterator[ProgramInput]:
    """What functions that the loader calls are given, if they, or what they pass it on to, look at it."""
    seen: set[tuple[str, str]] = set()
    work = list(_given_by_loader(world))
    while work:
        function, parameter = work.pop(0)
        if (function.name, parameter.name) in seen:
            continue
        seen.add((function.name, parameter.name))
        register, is_used = Reg(parameter.name), False
        for instr in function.instructions():
            if register not in operands(instr):
                continue
            callee = instr.callee.symbol if isinstance(instr, Call) and isinstance(instr.callee, Address) else ""
            taker = world.program.functions.get(callee)
            if taker is None or not isinstance(instr, Call) or taker.is_variadic:
                is_used = True
                continue
            passed = zip(taker.params, instr.args, strict=False)
            work += [(taker, other) for other, argument in passed if argument == register]
        if is_used:
            variable = function.variables.get(parameter.name)
            yield ProgramInput(InputKind.ARGUMENTS, variable.name if variable else parameter.name, function.pos)


def _given_by_loader(world: World) -> Iterator[tuple[Function, Param]]:
    """Constructors are given the arguments and the environment, whether main takes them or not."""
    functions = world.program.functions
    entry = functions[world.program.entry]
    called = [entry]
    if entry.name == START:
        calls = (instr for instr in entry.instructions() if isinstance(instr, Call))
        names = [call.callee.symbol for call in calls if isinstance(call.callee, Address)]
        called += [functions[name] for name in names if name in functions]
    for function in called:
        yield from ((function, parameter) for parameter in function.params)


def _of_call(world: World, calls: CallGraph, function: Function, call: Call) -> Iterator[tuple[ProgramInput, bool]]:
    """What a call may give, each with whether that is a plain value."""
    targets = calls.targets[call.id]
    for name in targets.externals:
        kind = input_kind(name, world.program)
        if is_error_number(name) and any(map(may_be_denied, world.program.externals)):
            yield ProgramInput(InputKind.SYSTEM, "errno", call.pos), False
        if kind is not None:
            asked = constant_text(world.program, call.args[0]) if kind in _NAMED and call.args else None
            yield ProgramInput(kind, name, call.pos, asked), gives_plain_value(name)
        if is_sort(name) or is_search(name):
            yield ProgramInput(InputKind.SYSTEM, name, call.pos), only_compares(world, calls, function, call)
    if targets.is_unknown and not targets.externals:
        yield ProgramInput(InputKind.UNKNOWN, "a function that nothing describes", call.pos), False


def _symbols(found: tuple[object, ...]) -> Iterator[str]:
    for operand in found:
        if isinstance(operand, Address):
            yield operand.symbol
        elif isinstance(operand, OtherConst):
            yield from (address.symbol for address in operand.addresses)


def _kind_of_variable(world: World, name: str) -> InputKind | None:
    variable = world.program.globals.get(name)
    if variable is None or not variable.is_external or variable.source_name in _HARMLESS:
        return None
    if variable.source_name in _ENVIRONMENT:
        return InputKind.ENVIRONMENT
    return InputKind.ARGUMENTS if variable.source_name in _ARGUMENTS else InputKind.UNKNOWN


def _in_initial_values(world: World) -> Iterator[ProgramInput]:
    for variable in world.program.globals.values():
        for cell in variable.initial:
            kind = _kind_of_variable(world, cell.value.symbol) if isinstance(cell.value, Address) else None
            if kind is not None and isinstance(cell.value, Address):
                yield ProgramInput(kind, cell.value.symbol, variable.pos)


def _place(given: ProgramInput) -> tuple[str, int, str]:
    return (given.pos.file, given.pos.line, given.what) if given.pos is not None else ("", 0, given.what)
