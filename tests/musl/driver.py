"""A program around one function of musl: `main` calls it once, with an object of its own behind every pointer.

For argument i there are

    a<i>    what the argument points to; its words point to p<i>, or to the function c<i>
    p<i>    what those point to; its words point to q<i>
    q<i>    everything that is further away: it points to itself

where the declared type lets it hold pointers (text and numbers hold none; streams are only the library's business), so
that points-to says in the end which of them the function reads, writes, frees, returns and keeps. Variadic
arguments are `_VARIADIC` more. Functions of the tables that musl calls are outside this program: their rows describe
them. A row is thus checked against the bodies under the assumption that the rows of its callees hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, unique
from pathlib import Path
from typing import Final

from musl import sources
from raceproof.facts.library.libc import known_effect
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import (
    Address,
    ArrayType,
    Block,
    Call,
    ExternalFunction,
    Function,
    GlobalVariable,
    InitialCell,
    Instr,
    IntType,
    IrType,
    Operand,
    OtherConst,
    Param,
    Program,
    PtrType,
    Reg,
    Return,
    SiteId,
    SourceKind,
    SourceType,
    VoidType,
)

SYSCALLS: Final = frozenset({"__syscall_cp", *(f"__syscall{count}" for count in range(7))})
UNLOCKS: Final[Mapping[str, str]] = {
    "modelled_lock_stream": "modelled_unlock_stream",
    "__lockfile": "__unlockfile",
    "flockfile": "funlockfile",
    "__lock": "__unlock",
    "__ofl_lock": "__ofl_unlock",
    "pthread_mutex_lock": "pthread_mutex_unlock",
    "pthread_rwlock_wrlock": "pthread_rwlock_unlock",
    "__tl_lock": "__tl_unlock",
    "__inhibit_ptc": "__release_ptc",
}
"""The calls by which musl locks, and those that undo them. The first argument, if there is one, is the lock."""
_QUIET: Final = """
    modelled_thread_pointer __block_all_sigs __block_app_sigs __restore_sigs __wait __wake __futexwait __vm_wait
    __vm_lock __vm_unlock __pthread_self_init __init_tp __synccall __pthread_setcancelstate __pthread_testcancel
    __testcancel _pthread_cleanup_push _pthread_cleanup_pop pthread_setcancelstate pthread_testcancel
    __pthread_rwlock_rdlock pthread_rwlock_rdlock __acquire_ptc __fork_handler __vdsosym __dl_seterr
"""
SILENT: Final = SYSCALLS | UNLOCKS.keys() | frozenset(UNLOCKS.values()) | frozenset(_QUIET.split())
"""Functions that are not followed: they synchronise, or concern the calling thread alone."""
_VARIADIC: Final = 4
_SIZE: Final = 4096
_FILES_LIMIT: Final = 60
_BYTE: Final = IntType(8, 1)
_POINTER: Final = PtrType(8)


@unique
class Kind(Enum):
    """What an argument is: `TEXT` holds no pointers, `TEXTS` pointers to such, `DATA` any."""

    NUMBER = "number"
    TEXT = "text"
    TEXTS = "texts"
    DATA = "data"
    STREAM = "stream"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Driven:
    """`program.entry` is `main`; `function` is what it calls, `fixed` of its arguments are declared."""

    program: Program
    function: Function
    fixed: int
    kinds: tuple[Kind, ...]


def outside(name: str) -> str | None:
    """The name by which the tables know a function that musl calls; None if its body is to be looked at."""
    if name in SILENT:
        return name
    for known in (name, sources.public_names().get(name, name), name.removeprefix("__")):
        if known_effect(known) is not None or sync_op(known) is not None:
            return known
    return None


def files_for(name: str) -> tuple[Path, ...]:
    """The unit that defines `name`, and those that define what it calls and no table knows."""
    where = sources.definitions()
    files = [where[name]]
    for file in files:
        for symbol in sorted(sources.undefined_in(sources.compile_file(file))):
            found = where.get(symbol)
            if found is not None and found not in files and outside(symbol) is None:
                files.append(found)
        if len(files) > _FILES_LIMIT:
            break
    return tuple(files)


def drive(name: str) -> Driven:
    """The program that calls the library function `name`."""
    program = sources.link_files(files_for(name), name)
    renamed = {symbol: known for symbol in program.externals if (known := outside(symbol)) is not None}
    functions = {f.name: _rename(f, renamed) for f in program.functions.values()}
    function = functions[program.entry]
    count = len(function.params) + (_VARIADIC if function.is_variadic else 0)
    site = 1 + max(i.id for f in functions.values() for i in f.instructions())
    body: list[Instr] = []
    args: list[Operand] = []
    types: list[IrType] = []
    kinds = tuple(_kind_of(program, function, index) for index in range(count))
    for index, kind in enumerate(kinds):
        types.append(function.params[index].type if index < len(function.params) else _POINTER)
        args.append(_argument(kind, index))
    has_result = not isinstance(function.returns, VoidType)
    copied = tuple((i, _SIZE) for i, p in enumerate(function.params) if p.by_value is not None)
    body.append(
        Call(
            *(SiteId(site), None, Reg("result") if has_result else None, function.returns, Address(function.name)),
            *(tuple(args), tuple(types), False, copied),
        )
    )
    main = _function("main", (), (Block("entry", tuple(body), Return(SiteId(site + 1), None, None)),))
    callbacks = [_callback(f"c{index}", site + 2 + index) for index in range(count)]
    made = {f.name: f for f in (main, *callbacks)}
    objects = [variable for index, kind in enumerate(kinds) for variable in _objects(index, kind)]
    whole = replace(
        program,
        functions=functions | made,
        externals={
            renamed.get(n, n): ExternalFunction(renamed.get(n, n), e.params, e.returns, e.is_variadic)
            for n, e in program.externals.items()
        },
        globals=dict(program.globals) | {variable.name: variable for variable in objects},
        entry="main",
    )
    return Driven(whole, function, len(function.params), kinds)


def _function(name: str, params: tuple[Param, ...], blocks: tuple[Block, ...]) -> Function:
    return Function(name, name, params, VoidType(), False, blocks, {}, None)


def _callback(name: str, site: int) -> Function:
    params = tuple(Param(f"p{at}", _POINTER) for at in range(6))
    return _function(name, params, (Block("entry", (), Return(SiteId(site), None, None)),))


def _kind_of(program: Program, function: Function, index: int) -> Kind:
    """What the declared type of a parameter says about the object behind it."""
    if index >= len(function.params):
        return Kind.DATA
    param = function.params[index]
    if not isinstance(param.type, PtrType):
        return Kind.NUMBER
    variable = function.variables.get(param.name)
    declared = program.source_types.get(variable.type) if variable is not None and variable.type is not None else None
    if declared is None or declared.kind is not SourceKind.POINTER or declared.target is None:
        return Kind.DATA
    pointee = program.source_types[declared.target]
    if pointee.kind is SourceKind.FUNCTION:
        return Kind.CODE
    if "_IO_FILE" in pointee.name or pointee.name == "FILE":
        return Kind.STREAM
    if _is_plain(program, pointee):
        return Kind.TEXT
    inner = program.source_types.get(pointee.target) if pointee.target is not None else None
    is_texts = pointee.kind is SourceKind.POINTER and inner is not None and _is_plain(program, inner)
    return Kind.TEXTS if is_texts else Kind.DATA


def _is_plain(program: Program, pointee: SourceType) -> bool:
    is_void = pointee.kind is SourceKind.BASE and pointee.name == "void"
    return not is_void and pointee.kind is not SourceKind.FUNCTION and not _holds_pointers(program, pointee)


def _holds_pointers(program: Program, type_: SourceType) -> bool:
    match type_.kind:
        case SourceKind.BASE:
            return False
        case SourceKind.ARRAY:
            return type_.target is None or _holds_pointers(program, program.source_types[type_.target])
        case SourceKind.STRUCT | SourceKind.UNION:
            inner = [program.source_types[member.type] for member in type_.members]
            return not inner or any(_holds_pointers(program, each) for each in inner)
        case _:
            return True


def _argument(kind: Kind, index: int) -> Operand:
    match kind:
        case Kind.NUMBER:
            return OtherConst("undef")
        case Kind.CODE:
            return Address(f"c{index}")
        case _:
            return Address(f"a{index}")


def _objects(index: int, kind: Kind) -> tuple[GlobalVariable, ...]:
    def variable(letter: str, *targets: str) -> GlobalVariable:
        cells = tuple(InitialCell(offset, 8, Address(target)) for offset in range(0, _SIZE, 8) for target in targets)
        name, array = f"{letter}{index}", ArrayType(_SIZE, _BYTE, _SIZE)
        return GlobalVariable(name, name, array, None, False, False, False, cells, True, None)

    if kind is Kind.TEXTS:
        return (variable("a", f"p{index}"), variable("p"), variable("q"))
    if kind is not Kind.DATA:
        return (variable("a"), variable("p"), variable("q"))
    return (variable("a", f"p{index}", f"c{index}"), variable("p", f"q{index}"), variable("q", f"q{index}"))


def _rename(function: Function, names: Mapping[str, str]) -> Function:
    def instr(each: Instr) -> Instr:
        if isinstance(each, Call) and isinstance(each.callee, Address) and each.callee.symbol in names:
            return replace(each, callee=Address(names[each.callee.symbol]))
        return each

    def block(each: Block) -> Block:
        return replace(each, body=tuple(map(instr, each.body)))

    return replace(function, blocks=tuple(map(block, function.blocks)))
