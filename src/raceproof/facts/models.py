"""The user's models, by the functions of one program.

A model names a function as the programmer wrote it. After linking there may be several of that name (static functions
in a header): it is about all of them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from raceproof.core import InputError, SourcePos
from raceproof.facts.flow.touches import touches_of
from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import Alloca, IrType, Program, PtrType, SiteId
from raceproof.model import CallTargets, ConcurrentProgram, LockAction, LockModel, Models, SafeFunction

_KINDS = {LockAction.ACQUIRE: Sync.LOCK, LockAction.TRY: Sync.TRYLOCK, LockAction.RELEASE: Sync.UNLOCK}


@dataclass(frozen=True, slots=True)
class KnownFunctions:
    """What the user says, by the linked name of the function."""

    locks: Mapping[str, LockModel] = field(default_factory=dict)
    safe: Mapping[str, SafeFunction] = field(default_factory=dict)


def known_functions(models: Models, program: Program) -> KnownFunctions:
    """Find the functions that the models are about. Raises `InputError` for a model that cannot be meant."""
    named = dict(_names(program))
    locks: dict[str, LockModel] = {}
    by_name = {model.function: model for model in models.locks}
    for symbol, name in named.items():
        model = by_name.get(name)
        if model is not None and not _is_in_library(model, symbol, program):
            _check_argument(model, symbol, program)
            locks[symbol] = model
    safe = {model.function: model for model in models.safe}
    return KnownFunctions(
        locks, {symbol: safe[name] for symbol, name in named.items() if name in safe and symbol in program.functions}
    )


def unused_models(models: Models, program: Program) -> tuple[str, ...]:
    """Models of functions that the program does not have, each with what to do about it."""
    symbols = dict(_names(program))
    defined = {name for symbol, name in symbols.items() if symbol in program.functions}
    result = [
        f"the model of lock function `{model.function}` is not used: the program has no such function"
        + _suggestion(model.function, set(symbols.values()))
        for model in models.locks
        if model.function not in symbols.values()
    ]
    result += [
        f"`safe` function `{model.function}` is not used: the program does not define it"
        + _suggestion(model.function, defined)
        for model in models.safe
        if model.function not in defined
    ]
    return tuple(result)


def unwatched_sites(cp: ConcurrentProgram, models: Models) -> frozenset[SiteId]:
    """Plain accesses that are in no pair only because the user vouches for them, local variables aside.

    What they read may decide what the program does next. An engine that leaves out schedules in which only the order
    of such accesses differs has not seen everything.
    """
    known = known_functions(models, cp.program)
    seen = {access.site for access in cp.accesses.values()}
    in_locks = set(_plain_accesses(cp, known.locks))
    return frozenset(in_locks | (set(_plain_accesses(cp, known.safe)) - seen))


def _plain_accesses(cp: ConcurrentProgram, names: Iterable[str]) -> Iterator[SiteId]:
    """In these functions and in all that they may call."""
    program, targets = cp.program, cp.calls.targets if cp.calls is not None else {}
    work = [name for name in names if name in program.functions]
    seen = set(work)
    while work:
        function = program.functions[work.pop()]
        own = {instr.result for instr in function.instructions() if isinstance(instr, Alloca)}
        for instr in function.instructions():
            called = targets.get(instr.id, CallTargets())
            touches = touches_of(program, instr, called.externals)
            if any(touch.order is None and touch.address not in own for touch in touches):
                yield instr.id
            new = [name for name in (*called.functions, *called.callbacks) if name not in seen]
            seen.update(new)
            work += new


def operation_of(model: LockModel) -> SyncOp:
    """The model as a thread operation."""
    return SyncOp(
        _KINDS[model.action],
        arg=model.argument - 1 if model.argument else None,
        shared=model.shared,
        success=model.success,
        may_fail=model.action is LockAction.TRY,
        model=model,
    )


def _names(program: Program) -> Iterator[tuple[str, str]]:
    """(linked name, the programmer's name) of every function, defined or only called."""
    for symbol, function in program.functions.items():
        yield symbol, function.source_name
    for symbol in program.externals:
        yield symbol, symbol.removeprefix("\x01")  # LLVM's mark of a name given with asm()


def _suggestion(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def _is_in_library(model: LockModel, symbol: str, program: Program) -> bool:
    """A function that raceproof knows anyway: that the model says the same is no harm."""
    operation = sync_op(symbol) if symbol not in program.functions else None
    if operation is not None and operation.kind is not _KINDS[model.action]:
        raise InputError(f"raceproof knows `{model.function}`: remove the lock model that says that {model}")
    return operation is not None


def _check_argument(model: LockModel, symbol: str, program: Program) -> None:
    types: tuple[IrType, ...]
    pos: SourcePos | None = None
    if symbol in program.functions:
        function = program.functions[symbol]
        types, pos, is_open = tuple(p.type for p in function.params), function.pos, function.is_variadic
    else:
        declared = program.externals[symbol]
        types, is_open = declared.params, declared.is_variadic
    if model.argument > len(types) and not is_open:
        count = f"{len(types)} argument{'' if len(types) == 1 else 's'}"
        raise InputError(f"the lock model says that {model}, but it has {count}", pos)
    if 0 < model.argument <= len(types) and not isinstance(types[model.argument - 1], PtrType):
        raise InputError(f"the lock model says that {model}, but that is not a pointer", pos)
