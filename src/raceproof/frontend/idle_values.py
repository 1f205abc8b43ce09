"""Values on which nothing depends that anybody could tell: no part of a state, for `--algorithm states`.

A register is *needed* if an instruction uses it that does something (a call, a store, a load, a division, a branch, a
return), or one that computes a value that is needed. All others are idle ("faint", [KRS94]): a sum that a thread
builds and whose only use is the next sum. A branch does nothing if both ways meet again at once, with nothing done on
them, and no value that is needed depends on which of them was taken.

    %sum = phi i32 [ 0, %entry ], [ %more, %loop ]     ; used by %more only: idle
    %more = add i32 %sum, %read

What a thread function returns is used by who joins the thread. If no join of the program asks for a result, all
threads return the null pointer (`without_results`).

Errs on the side of needing: that only tells states apart that are the same. Two states that differ in idle values do
the same operations from there on, and come to states that differ in idle values and in nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raceproof.frontend.module_rows import VALUE, Block, Function, Instruction, closing, functions_of, split_at_commas

_COMPUTES = re.compile(
    r"  \S+ = (phi|add|sub|mul|shl|lshr|ashr|and|or|xor|icmp|fcmp|select|freeze|trunc|zext|sext|ptrtoint|inttoptr"
    r"|bitcast|getelementptr|extractvalue|insertvalue|fadd|fsub|fmul|fneg|fptrunc|fpext|sitofp|uitofp) "
)
"""Instructions that only compute: none of them traps. (Nobody looks at floating-point exceptions: `captured_state`.)"""
_RETURN = re.compile(r"  ret (ptr|i\d+) \S+")
_CREATE = re.compile(r"call [^@]*@rp_lib_(pthread|thrd)_create\(")
_JOIN = re.compile(r"@rp_lib_\w*join\w*")
_STARTED_AT = {"pthread": 2, "thrd": 1}  # which argument is the function


def needed_values(function: Function) -> frozenset[str]:
    """The registers that are needed."""
    blocks = {block.label: block for block in function.blocks}
    needed: set[str] = set()
    count = -1
    while count != len(needed):
        count = len(needed)
        for block in reversed(function.blocks):
            for instruction in reversed(block.instructions):
                if _computes(instruction):
                    does_something = instruction.result in needed
                else:
                    does_something = not _decides_nothing(instruction, blocks, needed)
                if does_something:
                    text = instruction.text if instruction.result is None else instruction.text.partition(" = ")[2]
                    needed.update(VALUE.findall(text))
    return frozenset(needed)


def _computes(instruction: Instruction) -> bool:
    return _COMPUTES.match(instruction.text) is not None


def _decides_nothing(instruction: Instruction, blocks: dict[str, Block], needed: set[str]) -> bool:
    """A branch of two ways that meet at once."""
    if len(instruction.targets) != 2 or not instruction.text.startswith("  br "):
        return False
    ways = [_way(target, blocks) for target in instruction.targets]
    meeting = next((label for label in ways[0] if label in ways[1]), None)
    if meeting is None:
        return False
    return not any(i.is_phi and i.result in needed for i in blocks[meeting].instructions)


def _way(label: str, blocks: dict[str, Block]) -> list[str]:
    """Where a branch to `label` leads as long as nothing is done: the last block may do something."""
    way: list[str] = []
    while label in blocks and label not in way:
        way.append(label)
        *inner, last = blocks[label].instructions
        if len(last.targets) != 1 or not last.text.startswith("  br ") or not all(map(_computes, inner)):
            break
        if any(i.is_phi for i in inner):
            break
        label = last.targets[0]
    return way


def without_results(lines: Sequence[str], entry: str) -> list[str]:
    """The module, in which thread functions return null if no join asks for a result. `entry`: with its @."""
    if any(_asks_for_a_result(line) for line in lines):
        return list(lines)
    out = list(lines)
    for function in functions_of(lines):
        if function.name == entry or not _is_started_only(function.name, lines):
            continue
        for at in range(function.first + 1, function.last):
            found = _RETURN.match(out[at])
            if found is not None:
                out[at] = f"  ret {found[1]} {'null' if found[1] == 'ptr' else '0'}{out[at][found.end() :]}"
    return out


def _asks_for_a_result(line: str) -> bool:
    found = _JOIN.search(line)
    if found is None or line.startswith("declare "):
        return False
    if "call " not in line[: found.start()] or line[found.end()] != "(":
        return True
    arguments = _arguments(line, found.end())
    return len(arguments) != 2 or arguments[1].split()[-1] != "null"


def _is_started_only(name: str, lines: Sequence[str]) -> bool:
    """Nothing is done with the function but to start threads with it."""
    is_started = False
    mentioned = re.compile(re.escape(name) + r"(?![\w$.\-])")
    for line in lines:
        times = len(mentioned.findall(line))
        if times == 0 or line.startswith("define "):
            continue
        found = _CREATE.search(line)
        if found is None or times != 1:
            return False
        arguments = _arguments(line, found.end() - 1)
        if arguments[_STARTED_AT[found[1]]].split()[-1] != name:
            return False
        is_started = True
    return is_started


def _arguments(line: str, bracket: int) -> list[str]:
    return split_at_commas(line[bracket + 1 : closing(line, bracket)])
