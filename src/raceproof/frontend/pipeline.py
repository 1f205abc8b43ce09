"""The front end from end to end: compile, link, promote locals, parse, check; each stage at most once per content."""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from raceproof.core import Budget, NoEntry, Unsupported
from raceproof.frontend import cache as kept
from raceproof.frontend.cache import Cache, Recipe
from raceproof.frontend.compile import compile_units
from raceproof.frontend.inputs import CompileRequest
from raceproof.frontend.llvm_lexer import unescape
from raceproof.frontend.llvm_parser import parse_module
from raceproof.frontend.module_exports import symbol
from raceproof.frontend.parallel_pragmas import obstacles_in, with_obstacles
from raceproof.frontend.prototypes import joined, split_prototypes, with_prototypes
from raceproof.frontend.startup import with_start
from raceproof.ir import Origin, Program, Prototype, check_program

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LinkedModule:
    """The program as LLVM IR text: what `parse_module` numbered, and what instrumentation starts from. It begins with
    the function `entry`. `prototypes`: by name, of functions that it declares."""

    text: str
    origin: Origin
    entry: str = "main"
    prototypes: Mapping[str, Prototype] = field(default_factory=dict)


def load(request: CompileRequest, budget: Budget | None = None, cache: Cache | None = None) -> Program:
    """The program of a request, ready for analysis. Raises `InputError`, `ToolMissing` or `Unsupported`."""
    cache = cache or Cache.default()
    recipe = kept.find_recipe(cache, request)
    if recipe is not None and (found := kept.find_program(cache, recipe, request)) is not None:
        log.info("program taken from the cache")
        return found
    module, recipe = _linked(request, recipe, budget or Budget.unlimited(), cache)
    program = parse_module(module.text, module.origin, module.entry, request.prototypes, module.prototypes)
    program = replace(program, obstacles=obstacles_in(module.text))
    check_program(program)
    kept.keep_program(cache, recipe, request, program)
    return program


def files_read(request: CompileRequest, cache: Cache | None = None) -> tuple[Path, ...]:
    """The files that a program is made of, headers included as far as a compilation has told."""
    cache = cache or Cache.default()
    named = [unit.directory / unit.file for unit in request.units]
    return tuple(dict.fromkeys([*named, *kept.files_of_recipe(cache, request)]))


def link_program(request: CompileRequest, budget: Budget | None = None, cache: Cache | None = None) -> LinkedModule:
    """The text that `load` parses for the same request."""
    cache = cache or Cache.default()
    return _linked(request, kept.find_recipe(cache, request), budget or Budget.unlimited(), cache)[0]


def _linked(
    request: CompileRequest, recipe: Recipe | None, budget: Budget, cache: Cache
) -> tuple[LinkedModule, Recipe]:
    text = kept.find_module(cache, recipe) if recipe is not None else None
    if text is None or recipe is None:
        from raceproof.frontend.link import link  # LLVM is loaded only where it is needed: most runs hit the cache

        started = time.time()
        compiled = compile_units(request, cache.zig_directory(), budget, kept.KeptUnits(cache, request))
        left_out = [*request.left_out, *(obstacle for unit in compiled for obstacle in unit.left_out)]
        text = with_obstacles(link(request, compiled, budget), left_out)
        text = with_prototypes(text, joined(unit.prototypes for unit in compiled))
        recipe = kept.keep_module(cache, request, text, compiled, started)
    text, prototypes = split_prototypes(text)
    _check_entry(text, request)
    _check_names(text)
    root = str(request.root)
    names = tuple(str(unit.file) for unit in request.units)
    origin = Origin(names, recipe.commands, request.data_model, root, _digest(text, root, request))
    text, entry = with_start(text, request.entry)
    return LinkedModule(text, origin, entry, prototypes), recipe


def _digest(text: str, root: str, request: CompileRequest) -> str:
    """Of the text, where it begins, and how it was compiled. The same for the same program in another place: debug
    information and flags name the directory."""
    flags = [flag for unit in request.units for flag in unit.flags]
    whole = "\0".join([text, request.entry, request.data_model, *flags])
    portable = whole.replace(root, "<root>") if root.strip("/") else whole
    return hashlib.sha256(portable.encode("utf-8", "surrogateescape")).hexdigest()


def _check_names(text: str) -> None:
    """Names are text, all the way from LLVM and back to it."""
    for match in re.finditer(r'@"([^"\n]*\\[^"\n]*)"', text):
        try:
            unescape(match[1]).decode("utf-8")
        except UnicodeDecodeError:
            raise Unsupported(f"a name that is not UTF-8: {match[1][:100]}") from None


def _check_entry(text: str, request: CompileRequest) -> None:
    name = symbol(request.entry)
    if re.search(rf"^define [^\n@]*{re.escape(name)}\(", text, re.MULTILINE) is None:
        raise NoEntry(
            f"no function `{request.entry}` in {request.names()}: raceproof needs a whole program; name the function"
            " that begins it with --entry, or have a main made for a library: raceproof harness"
        )
