"""The user's models, by the functions of one program.

A model names a function as the programmer wrote it. After linking there may be several of that name (static functions
in a header): it is about all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raceproof.core import InputError, suggestion
from raceproof.facts.flow.touches import touches_of
from raceproof.facts.library.effects import Sync, SyncOp
from raceproof.facts.library.libc import is_pure_intrinsic, known_effect
from raceproof.facts.library.sync_api import sync_op
from raceproof.facts.model_arguments import argument_problem, model_problem, position
from raceproof.ir import Alloca, Call, FunctionModel, Passing, Program, SiteId
from raceproof.model import CallTargets, ConcurrentProgram, LockAction, LockModel, Models, SafeFunction

_KINDS = {LockAction.ACQUIRE: Sync.LOCK, LockAction.TRY: Sync.TRYLOCK, LockAction.RELEASE: Sync.UNLOCK}


@dataclass(frozen=True, slots=True)
class KnownFunctions:
    """What the user says, by the linked name of the function. `positions`: which argument of a call is the lock; None
    where it is no argument."""

    locks: Mapping[str, LockModel] = field(default_factory=dict)
    positions: Mapping[str, int | None] = field(default_factory=dict)
    safe: Mapping[str, SafeFunction] = field(default_factory=dict)


def known_functions(models: Models, program: Program) -> KnownFunctions:
    """Find the functions that the models are about. Raises `InputError` for a model that cannot be meant."""
    _check_names(models, program)
    named = dict(_names(program))
    locks: dict[str, LockModel] = {}
    positions: dict[str, int | None] = {}
    by_name = {model.function: model for model in models.locks}
    for symbol, name in named.items():
        model = by_name.get(name)
        if model is not None and not _is_in_library(model, symbol, program):
            positions[symbol] = _lock_position(model, symbol, program)
            locks[symbol] = model
    safe = {model.function: model for model in models.safe}
    found = {symbol: safe[name] for symbol, name in named.items() if name in safe and symbol in program.functions}
    return KnownFunctions(locks, positions, found)


def described(program: Program, models: Models) -> Program:
    """The program, with what the user says about functions that it does not define. Raises `InputError` for a model
    that cannot be meant."""
    if not models.functions:
        return program
    symbols = dict(_names(program))
    found: dict[str, FunctionModel] = {}
    locks = {model.function for model in models.locks}
    for model in models.functions:
        named = [symbol for symbol, name in symbols.items() if name == model.function]
        if not named and _is_known(model.function):
            raise InputError(_located(model.where, _known(model)))
        if not named and not model.optional:
            what = f"the program has no function `{model.function}`"
            raise InputError(_located(model.where, what + _suggestion(model.function, set(symbols.values()))))
        for symbol in named:
            if _is_left_to_user(program, model, symbol, model.function in locks):
                found[symbol] = model
    calls = (i for f in program.functions.values() for i in f.instructions() if isinstance(i, Call))
    most = max((len(call.args) for call in calls), default=0)
    externals = {
        symbol: replace(external, model=found[symbol], most=most, prototype=program.prototypes.get(symbol))
        if symbol in found
        else external
        for symbol, external in program.externals.items()
    }
    return replace(program, externals=externals)


def _is_left_to_user(program: Program, model: FunctionModel, symbol: str, is_lock: bool) -> bool:
    """Whether the model counts: not beside a definition, if it is optional."""
    function = program.functions.get(symbol)
    if function is not None:
        if model.optional:
            return False
        what = f"the program defines `{model.function}`: [[function]] is for functions that it only calls"
        raise InputError(_located(model.where, what + " (if only some programs define it, add optional = true)"))
    if _is_known(symbol):
        raise InputError(_located(model.where, _known(model)))
    if is_lock:
        raise InputError(_located(model.where, f"`{model.function}` is a lock function: [[lock]] says all about it"))
    problem = model_problem(program, symbol, model)
    if problem is not None:
        raise InputError(_located(model.where, problem))
    return True


def _is_known(symbol: str) -> bool:
    return known_effect(symbol) is not None or sync_op(symbol) is not None or is_pure_intrinsic(symbol)


def _known(model: FunctionModel) -> str:
    return f"raceproof knows `{model.function}`: remove what is said about it"


def _check_names(models: Models, program: Program) -> None:
    """Raise `InputError` for a model of a function that the program does not have, unless it is optional, and for a
    lock that is taken where the functions that would release it are missing: it would protect all that follows."""
    symbols = dict(_names(program))
    known = set(symbols.values())
    defined = {name for symbol, name in symbols.items() if symbol in program.functions}
    for model in models.locks:
        if model.function not in known and not model.optional:
            what = f"the lock model says that {model}, but the program has no function `{model.function}`"
            raise InputError(_located(model.where, what + _suggestion(model.function, known)))
    for safe in models.safe:
        if safe.function not in defined and not safe.optional:
            what = f"the program does not define the safe function `{safe.function}`"
            raise InputError(_located(safe.where, what + _suggestion(safe.function, defined)))
    for where in dict.fromkeys(model.where for model in models.locks):
        _check_releases([model for model in models.locks if model.where == where], known)


def _check_releases(models: Sequence[LockModel], known: set[str]) -> None:
    """Of the models of one table, in a program with these functions."""
    release = [model.function for model in models if model.action is LockAction.RELEASE]
    taken = [m.function for m in models if m.action is not LockAction.RELEASE and m.function in known]
    if taken and release and known.isdisjoint(release):
        missing = " or ".join(f"`{name}`" for name in release)
        what = f"the program has `{taken[0]}`, which acquires the lock, but not {missing}, which would release it"
        raise InputError(_located(models[0].where, what + _suggestion(release[0], known)))


def _located(where: str, what: str) -> str:
    return f"{where}: {what}" if where else what


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


def operation_of(model: LockModel, position: int | None) -> SyncOp:
    """The model as a thread operation; the lock is the argument at `position` of a call."""
    return SyncOp(
        _KINDS[model.action],
        arg=position,
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
    return suggestion(name, known) + " (if only some programs have it, add optional = true)"


def _is_in_library(model: LockModel, symbol: str, program: Program) -> bool:
    """A function that raceproof knows anyway: that the model says the same is no harm."""
    operation = sync_op(symbol) if symbol not in program.functions else None
    if operation is not None and operation.kind is not _KINDS[model.action]:
        raise InputError(f"raceproof knows `{model.function}`: remove the lock model that says that {model}")
    return operation is not None


def _lock_position(model: LockModel, symbol: str, program: Program) -> int | None:
    """The index of the argument that points to the lock, in a call."""
    if not model.argument:
        return None
    function = program.functions.get(symbol)
    pos = function.pos if function is not None else None
    problem = argument_problem(program, symbol, model.function, model.argument)
    if problem is None and program.prototypes[symbol].params[model.argument - 1].passing is not Passing.POINTER:
        problem = "that is not a pointer"
    if problem is not None:
        raise InputError(f"the lock model says that {model}, but {problem}", pos)
    return position(program, symbol, model.argument)
