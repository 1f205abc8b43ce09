"""Link compiled units into one LLVM module, as text, with locals promoted and every access kept."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

import llvmlite.binding as llvm

from raceproof.core import Budget, InputError, InternalError
from raceproof.frontend.assembly_atomics import translate
from raceproof.frontend.compile import CompiledUnit
from raceproof.frontend.file_assembly import take_over_symbols, with_unknown_code
from raceproof.frontend.foreign_starts import with_own_starts
from raceproof.frontend.indirect_functions import replace_indirect_functions
from raceproof.frontend.inputs import LLVM_SUFFIXES, CompileRequest, Unit
from raceproof.frontend.opaque_assembly import with_opaque_assembly
from raceproof.frontend.optimise import promote, protect, restore
from raceproof.frontend.parallel_pragmas import with_obstacles
from raceproof.frontend.startup import collect_entries

_TYPE = re.compile(r"^(%(?:struct|union|class)\.[\w.$-]+) = type ", re.MULTILINE)
_TYPE_NAME = re.compile(r"%(?:struct|union|class)\.[\w.$-]+")
_NUMBER = re.compile(r"(?:\.\d+)+$")
_DEFINED_TWICE = re.compile(r"Linking globals named '(?P<symbol>[^']*)': symbol multiply defined")


def link(request: CompileRequest, compiled: Sequence[CompiledUnit], budget: Budget) -> str:
    """The whole program as IR text."""
    module: llvm.ModuleRef | None = None
    for unit, result in zip(request.units, compiled, strict=True):
        budget.check()
        part = _parse(unit, request, result.text)
        if module is None:
            module = part
            continue
        if part.data_layout != module.data_layout:
            raise InputError(f"{unit.file} is compiled for another machine than {request.units[0].file}")
        part.triple = module.triple  # they differ in versions of kernel and libc only
        try:
            module.link_in(part)
        except RuntimeError as error:
            raise _link_error(str(error), request, compiled) from None
    if module is None:
        raise InternalError("a compile request has at least one unit")
    budget.check()
    try:
        promote(module)
    except RuntimeError as error:
        raise InputError(f"{request.names()}: LLVM does not know the target: {error}") from None
    text, obstacles = with_unknown_code(with_own_starts(restore(_with_own_numbers(str(module)))))
    return with_obstacles(text, obstacles)


def _with_own_numbers(text: str) -> str:
    """LLVM tells types of one name apart by numbers, also from those of programs that this process has read before."""
    names: dict[str, str] = {}
    taken: dict[str, int] = {}
    for name in _TYPE.findall(text):
        base = _NUMBER.sub("", name)
        number = taken[base] = taken.get(base, -2) + 1
        names[name] = base if number < 0 else f"{base}.{number}"
    if all(name == new for name, new in names.items()):
        return text
    return _TYPE_NAME.sub(lambda match: names.get(match[0], match[0]), text)


def _parse(unit: Unit, request: CompileRequest, text: str | bytes) -> llvm.ModuleRef:
    is_ours = unit.file.suffix not in LLVM_SUFFIXES
    try:
        if not is_ours:
            text = _normalised(text)
        return llvm.parse_assembly(protect(with_opaque_assembly(translate(_as_plain_code(str(text))))))
    except RuntimeError as error:
        reason = textwrap.shorten(str(error), 400, placeholder=" ...")
        if not is_ours:
            raise InputError(f"{unit.file}: not valid LLVM IR: {reason}") from None
        if request.compiler is None:
            raise InternalError(f"{unit.file}: LLVM cannot read the compiler's output: {reason}") from None
        ours = ".".join(map(str, llvm.llvm_version_info))
        raise InputError(f"{request.compiler} writes IR that raceproof's LLVM {ours} cannot read: {reason}") from None


def _as_plain_code(text: str) -> str:
    """What linker and loader would make of the module of one file, as far as it can be told from that file."""
    return replace_indirect_functions(collect_entries(take_over_symbols(text)))


def _normalised(content: str | bytes) -> str:
    """A user's own IR, verified and printed the one way that `protect` relies on."""
    module = llvm.parse_bitcode(content) if isinstance(content, bytes) else llvm.parse_assembly(content)
    module.verify()
    return str(module)


def _link_error(message: str, request: CompileRequest, compiled: Sequence[CompiledUnit]) -> InputError:
    match = _DEFINED_TWICE.search(message)
    if match is None:
        return InputError(f"{request.names()}: the files do not link: {message.strip()}")
    symbol = match["symbol"]
    name = f'@"?{re.escape(symbol)}"?'
    definition = re.compile(rf"^(?:define [^\n]*{name}\(|{name} = (?!external))", re.MULTILINE)
    files = [
        str(unit.file)
        for unit, result in zip(request.units, compiled, strict=True)
        if isinstance(result.text, str) and definition.search(result.text)
    ]
    tentative = re.compile(rf"^{name} = (?:dso_local )?global [^\n]*?(?:zeroinitializer|null| 0)(?:,|$)", re.MULTILINE)
    texts = [result.text for result in compiled if isinstance(result.text, str) and definition.search(result.text)]
    advice = "; if the program is built with -fcommon (the default of gcc before version 10), add --cflag=-fcommon"
    is_tentative = bool(texts) and all(map(tentative.search, texts))
    return InputError(
        f"`{symbol}` is defined more than once: in {', '.join(files) or request.names()}" + advice * is_tentative
    )
