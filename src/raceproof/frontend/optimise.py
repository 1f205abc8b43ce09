"""Turn local variables into SSA values without losing, merging or splitting an access of the source.

Clang at -O0 keeps every local in memory. SROA makes registers of them, but it also deletes a load whose
value goes nowhere (`int i = *p;`) and splits a struct copy into loads of the fields that are used, and each
of those is an access that may race. So the text goes through three steps:

    protect   every load and store of memory that is not a local of our own becomes volatile (LLVM promises
              never to remove, merge or invent a volatile access), and every memcpy, memmove and memset of
              such memory a call of an unknown function (SROA splits even volatile ones);
    promote   SROA runs;
    restore   what `protect` did is undone: the text has no trace of it.

Besides, variables that may become registers get a value that LLVM knows nothing of (`unwritten_locals`).

A local of our own is an alloca whose address goes nowhere but into loads, stores, getelementptr and the
memory intrinsics: no other thread can reach it. Every doubt counts as an escape, so `protect` errs on the
side of leaving a local in memory, never on the side of losing an access.

Only SROA may run here. simplify-cfg deletes dead loads and speculates loads past branches; instcombine, GVN
and friends merge equal loads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import llvmlite.binding as llvm

from raceproof.frontend.unwritten_locals import give_values, take_away, types_of

# Metadata kind that marks, between `protect` and `restore`, a volatile access that was plain in the source.
PLAIN_MARKER = "raceproof.plain"
# Takes the place of `llvm.` in the name of a memory intrinsic between `protect` and `restore`.
OPAQUE_PREFIX = "raceproof.opaque."

_REGISTER = re.compile(r'%(?:[-\w$.]+|"[^"]*")')
_LEADING_REGISTER = re.compile(r'%(?:[-\w$.]+|"[^"]*")(?=,|$| )')
_OPCODE = re.compile(r'  (?:(%(?:[-\w$.]+|"[^"]*")) = )?(?:(?:tail|musttail|notail) )?(\w+)')
_CONSTANT = re.compile(r"^(@\S+) = (?:private|internal) unnamed_addr constant ", re.MULTILINE)
_GLOBAL = re.compile(r'@(?:[-\w$.]+|"[^"]*")')
_MEMORY_INTRINSIC = re.compile(r"@llvm\.(mem(?:cpy|move|set)\.[\w.]+)\(")
_HARMLESS_CALL = re.compile(r"@llvm\.(?:lifetime|dbg)\.")
_ATTRIBUTES = re.compile(r"^attributes #\d+ = \{.*$", re.MULTILINE)
_MARKED = re.compile(
    rf"^(  (?:%[^=\n]* = )?(?:load|store)) volatile (.*), !{re.escape(PLAIN_MARKER)} !\d+(.*)$", re.MULTILINE
)
_OPAQUE_DECLARATION = re.compile(rf"^declare void @{re.escape(OPAQUE_PREFIX)}.*\n\n?", re.MULTILINE)


@dataclass(slots=True)
class _Body:
    """What one pass over a function's lines learns.

    `base` maps the result of a getelementptr to the register it starts from; `escaping` lists registers that
    occur where an address may get away; `accesses` holds (line number, registers that are its addresses,
    how many of them must be ours) for each access.
    """

    allocas: dict[str, int] = field(default_factory=dict)
    base: dict[str, str] = field(default_factory=dict)
    escaping: list[str] = field(default_factory=list)
    accesses: list[tuple[int, list[str], int]] = field(default_factory=list)


def protect(text: str) -> str:
    """Shield each access from the optimiser unless it touches only locals that never escape. Linear in the text."""
    constants = frozenset(_CONSTANT.findall(text))
    lines = _ATTRIBUTES.sub(_forget_purity, text).split("\n")
    opaque: dict[str, str] = {}
    types, unwritten = types_of(text), 0
    position, end = 0, len(lines)
    while position < end:
        if lines[position].startswith("define "):
            stop = position + 1
            while stop < end and lines[stop] != "}":
                stop += 1
            local = _protect_body(lines, range(position + 1, stop), constants, opaque)
            unwritten = give_values(lines, range(position + 1, stop), local, types, unwritten)
            position = stop
        position += 1
    return "\n".join([*lines, *opaque.values(), ""])


def _forget_purity(match: re.Match[str]) -> str:
    """Drop `willreturn`: a call of a pure function (strlen) reads memory, and must not go when its result is unused."""
    return match.group().replace(" willreturn", "")


def _protect_body(
    lines: list[str], numbers: Iterable[int], constants: frozenset[str], opaque: dict[str, str]
) -> list[tuple[int, str]]:
    """Returns the variables that may become registers, (line, register)."""
    body = _Body()
    for number in numbers:
        line = lines[number]
        # A register that holds an address always has its type `ptr` on the line where it is used.
        if "ptr" in line or " alloca " in line or " store " in line:
            _read_line(body, number, line, constants)
    local = _locals_of(body)
    for number, addresses, needed in body.accesses:
        if sum(1 for address in addresses if address in local) < needed:
            lines[number] = _protected(lines[number], opaque)
    return [(number, name) for name, number in body.allocas.items() if name in local]


def _read_line(body: _Body, number: int, line: str, constants: frozenset[str]) -> None:
    match = _OPCODE.match(line)
    if match is None:
        if not line.startswith("    #dbg_"):
            body.escaping += _REGISTER.findall(line)
        return
    result, opcode = match.groups()
    if opcode == "alloca":
        body.allocas[result] = number
    elif opcode == "load":
        body.accesses.append((number, _address(line), 1))
    elif opcode == "store":
        address_at = line.rfind(", ptr ")
        body.escaping += _REGISTER.findall(line, 0, max(address_at, 0))
        body.accesses.append((number, _address(line), 1))
    elif opcode == "getelementptr" and (base := _address(line)):
        body.base[result] = base[0]
    elif opcode == "call" and (intrinsic := _MEMORY_INTRINSIC.search(line)):
        # Reading a constant that clang made (an initialiser, a string) cannot race.
        pointers = 1 if intrinsic.group(1).startswith("memset") else 2
        read_only = sum(1 for name in _GLOBAL.findall(line, intrinsic.end()) if name in constants)
        body.accesses.append((number, _REGISTER.findall(line, intrinsic.end()), pointers - read_only))
    elif opcode != "call" or not _HARMLESS_CALL.search(line):
        body.escaping += _REGISTER.findall(line, match.end())


def _address(line: str) -> list[str]:
    """The register after the last `, ptr `: the address of a load or store, the base of a getelementptr.

    Empty if the address is a global, a constant expression, or in another address space.
    """
    at = line.rfind(", ptr ")
    match = _LEADING_REGISTER.match(line, at + 6) if at >= 0 else None
    return [match.group()] if match else []


def _locals_of(body: _Body) -> set[str]:
    """Registers that point into an alloca which never escapes."""
    root: dict[str, str] = {name: name for name in body.allocas}

    def root_of(register: str) -> str:
        path: list[str] = []
        while register not in root and register in body.base and len(path) <= len(body.base):
            path.append(register)
            register = body.base[register]
        found = root.get(register, "")
        for step in path:
            root[step] = found
        return found

    escaped = {root_of(register) for register in body.escaping} | {""}
    return {r for r in [*body.allocas, *body.base] if root_of(r) not in escaped}


def _protected(line: str, opaque: dict[str, str]) -> str:
    """The access, shielded; `opaque` gets the declarations that this needs."""
    if intrinsic := _MEMORY_INTRINSIC.search(line):
        name = OPAQUE_PREFIX + intrinsic.group(1)
        length = name.rpartition(".")[2]
        value = "i8" if ".memset." in name else "ptr"
        opaque[name] = f"declare void @{name}(ptr, {value}, {length}, i1)"
        return f"{line[: intrinsic.start()]}@{name}({line[intrinsic.end() :]}"
    if " volatile " in line or " atomic " in line:
        return line  # safe as it is
    keyword = " load " if " = load " in line else " store "
    return line.replace(keyword, f"{keyword}volatile ", 1) + f", !{PLAIN_MARKER} !{{}}"


def promote(module: llvm.ModuleRef) -> None:
    """Run SROA, and nothing else, over the module."""
    llvm.initialize_all_targets()
    # The module's own target: LLVM aborts on 32-bit functions in a machine made for 64 bits.
    machine = llvm.Target.from_triple(module.triple or llvm.get_default_triple()).create_target_machine()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0))
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.run(module, builder)


def restore(text: str) -> str:
    """Undo `protect`: afterwards exactly the accesses that the source calls volatile are so."""
    text = _OPAQUE_DECLARATION.sub("", text).replace(f"@{OPAQUE_PREFIX}", "@llvm.")
    return take_away(_MARKED.sub(r"\1 \2\3", text))
