"""What an instrumented program exports to the runtime: what the system runs, locks by number, names of globals."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raceproof.core import Unsupported
from raceproof.ir import Function, IntType, Program, PtrType, VoidType


def exports(
    program: Program,
    tokens: Sequence[tuple[str, int]],
    destructors: Sequence[str],
    has_thread_locals: bool,
) -> list[str]:
    """The definitions; `destructors`, as printed, by priority: they run in the opposite order."""
    lines = ["@rp_site = external global i32, align 4"]
    if not has_thread_locals:  # otherwise the linker defines the two: see `emit`
        lines.append("@rp_tls_begin = constant [1 x i8] zeroinitializer, align 16")
        lines.append("@rp_tls_end = alias [1 x i8], ptr @rp_tls_begin")
    lines += _pointers("rp_tokens", [_address(name, offset) for name, offset in tokens])
    lines += _pointers("rp_destructors", [f"@{name}" for name in reversed(destructors)])
    lines += _globals(program)
    return lines + _main(program.functions[program.entry])


def string_constant(name: str, content: str) -> str:
    data = content.encode("utf-8", "replace")
    text = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)
    return f'@{name} = private unnamed_addr constant [{len(data) + 1} x i8] c"{text}\\00", align 1'


def symbol(name: str) -> str:
    """How LLVM prints `@name`."""
    if re.fullmatch(r"[A-Za-z$._\-][\w$.\-]*", name, re.ASCII):
        return f"@{name}"
    data = name.encode("utf-8", "surrogateescape")
    return '@"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data) + '"'


def _address(name: str, offset: int) -> str:
    return f"getelementptr (i8, ptr {symbol(name)}, i64 {offset})" if offset else symbol(name)


def _pointers(name: str, values: Sequence[str]) -> list[str]:
    elements = ", ".join(f"ptr {value}" for value in [*values, "null"])
    return [f"@{name} = constant [{len(values) + 1} x ptr] [{elements}], align 8"]


def _globals(program: Program) -> list[str]:
    lines: list[str] = []
    rows: list[str] = []
    for variable in program.globals.values():
        if variable.is_external or variable.is_constant or variable.name.startswith("llvm."):
            continue
        lines.append(string_constant(f"rp.name.{len(rows)}", variable.source_name))
        rows.append(
            f"{{ ptr, ptr, i64 }} {{ ptr {symbol(variable.name)}, ptr @rp.name.{len(rows)}, i64 {variable.type.size} }}"
        )
    rows.append("{ ptr, ptr, i64 } zeroinitializer")
    lines.append(f"@rp_globals = constant [{len(rows)} x {{ ptr, ptr, i64 }}] [{', '.join(rows)}], align 8")
    return lines


def _main(entry: Function) -> list[str]:
    """Call the entry with as many of argc, argv and envp as it takes."""
    given = [("i32", "%argc"), ("ptr", "%argv"), ("ptr", "%envp")]
    arguments: list[str] = []
    for param, (type_, value) in zip(entry.params, given, strict=False):
        if str(param.type) != type_:
            raise Unsupported(f"a parameter of type {param.type} of {entry.source_name}", entry.pos)
        arguments.append(f"{type_} {value}")
    if len(entry.params) > len(given):
        raise Unsupported(f"{len(entry.params)} parameters of {entry.source_name}", entry.pos)
    callee = f"{symbol(entry.name)}({', '.join(arguments)})"
    lines = ["define i32 @rp_program_main(i32 %argc, ptr %argv, ptr %envp) {"]
    match entry.returns:
        case VoidType():
            lines += [f"  call void {callee}", "  ret i32 0"]
        case IntType(bits=32):
            lines += [f"  %status = call i32 {callee}", "  ret i32 %status"]
        case IntType() | PtrType():
            cast = "ptrtoint" if isinstance(entry.returns, PtrType) else "trunc" if entry.returns.bits > 32 else "sext"
            lines += [f"  %result = call {entry.returns} {callee}"]
            lines += [f"  %status = {cast} {entry.returns} %result to i32", "  ret i32 %status"]
        case _:
            raise Unsupported(f"{entry.source_name} returns {entry.returns}", entry.pos)
    return [*lines, "}"]
