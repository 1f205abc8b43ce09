"""What a function does of which the user says so, in the terms of the tables."""

from __future__ import annotations

from functools import cache
from typing import Final

from raceproof.facts.library.effects import REACHED, Callback, Effect, Extent, Reach, Returns, Touch, WholeObject
from raceproof.ir import ExternalFunction, FunctionModel, Result

_REACH: Final = Reach()
_SIZE: Final[Extent] = WholeObject()
_PASSED: Final = 16  # parameters of a function that is called with anything


def described_effect(function: ExternalFunction | None) -> Effect | None:
    """What the user says about an external function; None if that is nothing."""
    return None if function is None or function.model is None else _effect(function.model, function.most)


@cache
def _effect(model: FunctionModel, most: int) -> Effect:
    """`most`: of the arguments of calls. More arguments than a call has do no harm."""
    everything = range(1, most + 1)
    is_said = model.reads is not None or model.writes is not None
    written = tuple(model.writes or ()) if is_said else tuple(everything)
    read = dict.fromkeys((*(model.reads or ()), *written))
    unsaid = (n for n in everything if n not in model.frees and n not in (model.calls or ()))
    kept = model.keeps if model.keeps is not None else tuple(unsaid)
    passed = model.passes if model.passes is not None else (0,) * _PASSED
    args = tuple(abs(n) - 1 if n else REACHED for n in passed)
    same = tuple(position for position, n in enumerate(passed) if n > 0)
    called = (REACHED,) if model.calls is None else tuple(n - 1 for n in model.calls)
    returns, returns_arg = _result(model)
    return Effect(
        reads=tuple(Touch(n - 1, _REACH) for n in read),
        writes=tuple(Touch(n - 1, _REACH) for n in written),
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
