"""A readable, deterministic text of the IR: for `raceproof dump ir` and golden tests.

One instruction a line: site, position in the source, instruction. A register that holds or is the
storage of a source variable shows its name in braces:

    #12     7:5    %4{i} = load i32, @count
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from raceproof.core import SourcePos
from raceproof.ir.instructions import (
    Alloca,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Compute,
    Extract,
    Fence,
    Gep,
    IndirectJump,
    Instr,
    Jump,
    Load,
    Phi,
    Return,
    Rmw,
    Select,
    Store,
    Switch,
    Terminator,
    Unreachable,
)
from raceproof.ir.operands import result
from raceproof.ir.program import Function, GlobalVariable, Program
from raceproof.ir.types import SourceKind, SourceType, Variable
from raceproof.ir.values import Operand, Reg

_NO_VARIABLES: Mapping[str, Variable] = {}


def format_instr(instr: Instr | Terminator, function: Function | None = None) -> str:
    """One line; `function` tells the source names of registers and the file that need not be repeated."""
    names = function.variables if function is not None else _NO_VARIABLES
    home = function.pos.file if function is not None and function.pos is not None else None
    defined = result(instr)
    left = f"{_operand(defined, names)} = " if defined is not None else ""
    return f"#{instr.id:<5} {_position(instr.pos, home):>7}  {left}{_body(instr, names)}"


def format_function(function: Function) -> str:
    names = function.variables
    params = [
        f"{p.type}{f' byval({p.by_value})' if p.by_value is not None else ''} {_operand(Reg(p.name), names)}"
        for p in function.params
    ]
    if function.is_variadic:
        params.append("...")
    alias = f" {{{function.source_name}}}" if function.source_name != function.name else ""
    lines = [f"define {function.returns} @{function.name}{alias}({', '.join(params)})  ; {function.pos or '?'}"]
    for block in function.blocks:
        lines.append(f"{block.label}:")
        lines.extend(f"  {format_instr(instr, function)}" for instr in (*block.body, block.terminator))
    return "\n".join(lines) + "\n"


def format_program(program: Program) -> str:
    """The whole program: source types, globals, external functions, functions."""
    parts = [f"entry @{program.entry}, {program.pointer_size * 8}-bit\n"]
    types = [f"type {number} = {_source_type(t)}" for number, t in sorted(program.source_types.items())]
    globals_ = [_global(variable) for variable in program.globals.values()]
    externals = [
        f"declare {e.returns} @{e.name}({', '.join([*map(str, e.params), *(['...'] if e.is_variadic else [])])})"
        for e in program.externals.values()
    ]
    parts.extend("\n".join(section) + "\n" for section in (types, globals_, externals) if section)
    parts.extend(format_function(function) for function in program.functions.values())
    return "\n".join(parts)


def _position(pos: SourcePos | None, home: str | None) -> str:
    if pos is None:
        return "-"
    if pos.file != home:
        return str(pos)
    return f"{pos.line}:{pos.column}" if pos.column else str(pos.line)


def _operand(operand: Operand, names: Mapping[str, Variable]) -> str:
    if isinstance(operand, Reg) and operand.name in names:
        return f"{operand}{{{names[operand.name].name}}}"
    return str(operand)


def _body(instr: Instr | Terminator, names: Mapping[str, Variable]) -> str:
    def show(operand: Operand) -> str:
        return _operand(operand, names)

    match instr:
        case Alloca():
            return f"alloca {instr.type}, {show(instr.count)}"
        case Load() | Store() | Rmw() | CompareExchange() | Fence():
            return _access(instr, names)
        case Gep():
            terms = [
                f"{show(t.index)} * {t.scale}"
                + (f" (< {t.count})" if t.count is not None else " (>= 0)" if t.is_flexible else "")
                for t in instr.terms
            ]
            offset = [str(instr.offset)] if instr.offset or not terms else []
            return f"gep {' + '.join([show(instr.base), *offset, *terms])}  in {instr.source}"
        case Cast():
            return f"{instr.op} {instr.from_type} {show(instr.value)} to {instr.to_type}"
        case Binary():
            flags = (" nuw" if instr.nuw else "") + (" nsw" if instr.nsw else "")
            return f"{instr.op}{flags} {instr.type} {show(instr.left)}, {show(instr.right)}"
        case Compare():
            return f"icmp {instr.predicate} {instr.type} {show(instr.left)}, {show(instr.right)}"
        case Select():
            return f"select {show(instr.condition)}, {show(instr.if_true)}, {show(instr.if_false)}"
        case Phi():
            return f"phi {instr.type} " + ", ".join(f"[{show(value)}, {label}]" for value, label in instr.incoming)
        case Call():
            sizes = {index: f" byval({size})" for index, size in instr.by_value}
            args = [
                f"{t}{sizes.get(at, '')} {show(arg)}"
                for at, (t, arg) in enumerate(zip(instr.arg_types, instr.args, strict=True))
            ]
            ending = " noreturn" if instr.noreturn else ""
            return f"call {instr.type} {show(instr.callee)}({', '.join(args)}){ending}"
        case Extract():
            return f"extract {show(instr.aggregate)}, {', '.join(map(str, instr.indices))}"
        case Compute():
            return f"{instr.op} {', '.join(map(show, instr.operands))}".rstrip()
        case Jump():
            return f"jump {instr.target}"
        case Branch():
            return f"branch {show(instr.condition)}, {instr.if_true}, {instr.if_false}"
        case Switch():
            cases = ", ".join(f"{value}: {label}" for value, label in instr.cases)
            return f"switch {show(instr.value)} [{cases}] else {instr.default}"
        case IndirectJump():
            return f"jump *{show(instr.address)} [{', '.join(instr.targets)}]"
        case Return():
            return "return" + (f" {show(instr.value)}" if instr.value is not None else "")
        case Unreachable():
            return "unreachable"
        case _:
            assert_never(instr)


def _access(instr: Load | Store | Rmw | CompareExchange | Fence, names: Mapping[str, Variable]) -> str:
    def show(operand: Operand) -> str:
        return _operand(operand, names)

    match instr:
        case Load():
            order = f" {instr.order.value}" if instr.order is not None else ""
            return f"load{' volatile' if instr.volatile else ''}{order} {instr.type}, {show(instr.address)}"
        case Store():
            order = f" {instr.order.value}" if instr.order is not None else ""
            flag = " volatile" if instr.volatile else ""
            return f"store{flag}{order} {instr.type} {show(instr.value)}, {show(instr.address)}"
        case Rmw():
            return f"rmw {instr.op} {instr.order.value} {instr.type} {show(instr.address)}, {show(instr.value)}"
        case CompareExchange():
            orders = f"{'weak ' if instr.weak else ''}{instr.order.value} {instr.failure_order.value}"
            values = f"{show(instr.expected)} -> {show(instr.new)}"
            return f"cmpxchg {orders} {instr.type} {show(instr.address)}, {values}"
        case Fence():
            return f"fence {instr.order.value}"


def _global(variable: GlobalVariable) -> str:
    words = ["constant" if variable.is_constant else "global"]
    words += ["external"] * variable.is_external + ["thread_local"] * variable.is_thread_local
    alias = f" {{{variable.source_name}}}" if variable.source_name != variable.name else ""
    line = f"@{variable.name}{alias} = {' '.join(words)} {variable.type}"
    if variable.source_type is not None:
        line += f", type {variable.source_type}"
    if variable.text is not None:
        line += f", text {variable.text!r}"
    elif not variable.is_external:
        cells = [f"+{c.offset}: {c.value}" for c in variable.initial]
        cells += [] if variable.initial_complete else ["..."]
        line += f", {{{', '.join(cells)}}}" if cells else ", zero"
    return line + (f"  ; {variable.pos}" if variable.pos is not None else "")


def _source_type(source: SourceType) -> str:
    head = f"{source.kind.value} {source.name!r} size {source.size}"
    if source.kind in (SourceKind.STRUCT, SourceKind.UNION):
        members = []
        for m in source.members:
            bits = f" bits {m.bit_offset}:{m.bit_size}" if m.bit_size is not None else ""
            members.append(f"{m.name} @{m.offset}{bits}: {m.type}")
        return f"{head} {{{'; '.join(members)}}}"
    target = f" of {source.target}" if source.target is not None else ""
    count = f" count {source.count}" if source.count is not None else ""
    return head + target + count
