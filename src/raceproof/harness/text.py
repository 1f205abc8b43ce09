"""The harness as C: one object of each kind, threads that call what they like, and the end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from raceproof.harness.interface import Function, Interface, Object, Parameter, pointee

_NUMBER = re.compile(
    r"(?:const )?(?:(?:unsigned|signed|long|short|int|char|_Bool|bool|__int128) ?)+|(?:const )?enum .*"
)
_SIZE = 64
_INPUT = "__VERIFIER_nondet_int()"


def harness_text(interface: Interface, files: Sequence[Path], threads: int, calls: int) -> str:
    """A whole program. `calls`: so many in each thread; 0 for any number."""
    return "\n".join(_lines(interface, files, threads, calls)) + "\n"


def _lines(interface: Interface, files: Sequence[Path], threads: int, calls: int) -> Iterator[str]:
    names = ", ".join(function.name for function in interface.called)
    yield f"// Threads that call, in any order: {names}."
    yield "// Made by `raceproof harness`. Change what your callers never do: arguments, order, number of threads."
    yield from (f"// Not called: {name}, because {reason}." for name, reason in interface.left_out)
    yield from (f'#include "{file}"' for file in files)
    yield "#include <pthread.h>"
    yield "#include <stdlib.h>"
    yield ""
    yield "int __VERIFIER_nondet_int(void);  // any value"
    yield ""
    for found in interface.objects:
        yield f"static {found.record} {'*' if found.is_returned else ''}{found.name};"
    yield ""
    yield "static void *raceproof_caller(void *unused) {"
    yield "    (void)unused;"
    loop = f"for (int call = 0; call < {calls}; call++)" if calls else f"while ({_INPUT})"
    yield f"    {loop} {{"
    yield f"        switch ({_INPUT}) {{"
    for number, function in enumerate(interface.called):
        is_last = number == len(interface.called) - 1
        yield f"        {'default' if is_last else f'case {number}'}: {{"
        yield from (f"            {line}" for line in _call(function, interface.objects))
        yield "            break;"
        yield "        }"
    yield "        }"
    yield "    }"
    yield "    return NULL;"
    yield "}"
    yield ""
    yield "int main(void) {"
    for found in interface.objects:
        yield from (f"    {line}" for line in _made(found, interface.objects))
    yield f"    pthread_t threads[{threads}];"
    yield f"    for (int i = 0; i < {threads}; i++)"
    yield "        pthread_create(&threads[i], NULL, raceproof_caller, NULL);"
    yield f"    for (int i = 0; i < {threads}; i++)"
    yield "        pthread_join(threads[i], NULL);"
    for found in interface.objects:
        if found.ended_by is not None:
            yield f"    {found.ended_by.name}({_reference(found)});"
    yield "    return 0;"
    yield "}"


def _reference(found: Object) -> str:
    return found.name if found.is_returned else f"&{found.name}"


def _made(found: Object, objects: Sequence[Object]) -> Iterator[str]:
    if found.made_by is None:
        return
    *before, call = _call(found.made_by, objects)
    yield from before
    if found.is_returned:
        yield f"{found.name} = {call}"
        yield f"if ({found.name} == NULL)"
        yield "    return 0;"
    else:
        yield call


def _call(function: Function, objects: Sequence[Object]) -> list[str]:
    """Declarations that the arguments need, and the call."""
    lines, arguments = [], []
    for number, parameter in enumerate(function.parameters):
        before, argument = _argument(parameter, f"argument_{number}", function, number, objects)
        lines += before
        arguments.append(argument)
    return [*lines, f"{function.name}({', '.join(arguments)});"]


def _argument(
    parameter: Parameter, name: str, function: Function, number: int, objects: Sequence[Object]
) -> tuple[list[str], str]:
    """By type: a shared object; any number; memory of the thread's own; a string; a size that fits the memory."""
    plain = re.sub(r"\b(?:restrict|__restrict)\b", "", parameter.plain).strip()
    record = pointee(plain)
    shared = next((found for found in objects if found.record == record), None)
    if shared is not None:
        return [], _reference(shared)
    if _NUMBER.fullmatch(plain):
        before = function.parameters[number - 1].plain if number else ""
        if before.endswith("*") and pointee(before) not in {o.record for o in objects} and "long" in plain:
            return [], str(_SIZE)
        return [], f"({parameter.type}){_INPUT}" if plain != "int" else _INPUT
    if re.sub(r"\bconst\b", "", plain).split() == ["char", "*"] and "const" in plain:
        return [], '"text"'
    if re.sub(r"\bconst\b", "", plain).split() == ["void", "*"]:
        return [], f"calloc(1, {_SIZE})"
    if plain.endswith("*"):
        element = re.sub(r"\bconst\b", "", plain[:-1]).strip()
        return [f"{element} {name}[{_SIZE}] = {{0}};"], name
    return [], f"({parameter.type}){{0}}"
