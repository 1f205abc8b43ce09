"""What a function does of which the user says so, in the terms of the tables."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

from raceproof.core import InternalError
from raceproof.facts.library.effects import REACHED, Callback, Effect, Extent, Reach, Returns, Touch, WholeObject
from raceproof.ir import ExternalFunction, FunctionModel, Prototype, Result

_REACH: Final = Reach()
_SIZE: Final[Extent] = WholeObject()
_PASSED: Final = 16  # parameters of a function that is called with anything


def described_effect(function: ExternalFunction | None) -> Effect | None:
    """What the user says about an external function; None if that is nothing."""
    if function is None or function.model is None:
        return None
    prototype = function.prototype
    if prototype is None:
        return _effect(function.model, function.most, has_hidden_result=False)
    return _effect(_as_in_ir(function.model, prototype), function.most, has_hidden_result=prototype.has_hidden_result)


def _as_in_ir(model: FunctionModel, prototype: Prototype) -> FunctionModel:
    """The model with the numbers that the arguments have in the IR."""

    def number(n: int) -> int:
        found = prototype.positions[abs(n) - 1] if n else -1
        if found is None:
            raise InternalError(f"argument {n} of `{model.function}` has one place in the IR")
        return found + 1 if n >= 0 else -found - 1

    def numbers(group: tuple[int, ...] | None) -> tuple[int, ...] | None:
        return tuple(number(n) for n in group) if group is not None else None

    return replace(
        model,
        reads=numbers(model.reads),
        writes=numbers(model.writes),
        frees=numbers(model.frees) or (),
        keeps=numbers(model.keeps),
        calls=numbers(model.calls),
        passes=numbers(model.passes),
        returns=number(model.returns) if isinstance(model.returns, int) else model.returns,
    )


@cache
def _effect(model: FunctionModel, most: int, *, has_hidden_result: bool) -> Effect:
    """`most`: of the arguments of calls. More arguments than a call has do no harm. With a hidden result the function
    writes what the first argument points to; it is gone for the function when that returns."""
    everything = range(1, most + 1)
    is_said = model.reads is not None or model.writes is not None
    hidden = (1,) if has_hidden_result else ()
    written = tuple(model.writes or ()) if is_said else tuple(n for n in everything if n not in hidden)
    read = dict.fromkeys((*(model.reads or ()), *written))
    unsaid = (n for n in everything if n not in (*hidden, *model.frees, *(model.calls or ())))
    kept = model.keeps if model.keeps is not None else tuple(unsaid)
    passed = model.passes if model.passes is not None else (0,) * _PASSED
    args = tuple(abs(n) - 1 if n else REACHED for n in passed)
    same = tuple(position for position, n in enumerate(passed) if n > 0)
    called = (REACHED,) if model.calls is None else tuple(n - 1 for n in model.calls)
    returns, returns_arg = _result(model)
    result: Extent = WholeObject() if model.returns is Result.NOTHING else _REACH  # it may hold what can be reached
    return Effect(
        reads=tuple(Touch(n - 1, _REACH) for n in read),
        writes=(*(Touch(n - 1, result) for n in hidden), *(Touch(n - 1, _REACH) for n in written)),
        frees=tuple(n - 1 for n in model.frees),
        calls=tuple(Callback(function, args, same=same) for function in called),
        returns=returns,
        returns_arg=returns_arg,
        size=_SIZE if returns is Returns.FRESH else None,
        fills=returns is Returns.FRESH or not model.shares,
        linked=returns is Returns.FRESH or not model.shares,
        noreturn=model.returns is Result.NEVER,
        mixes=True,
        fresh_own=not model.shares,
        given=tuple(n - 1 for n in kept),
    )


def _result(model: FunctionModel) -> tuple[Returns, int | None]:
    match model.returns:
        case None:
            return Returns.REACHED, None
        case int(number):
            return Returns.ARG, number - 1
        case Result.FRESH:
            return Returns.FRESH, None
        case Result.NOTHING | Result.NEVER:
            return Returns.NOTHING, None
