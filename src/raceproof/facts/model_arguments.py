"""Which argument of a call a model means, and whether the model fits the function's prototype.

Models count arguments as C does. Where it is not known which argument in the IR that is, the model is refused: a wrong
one would prove too much.
"""

from __future__ import annotations

from raceproof.core import InputError
from raceproof.ir import FunctionModel, ParameterType, Passing, Program, Prototype, PtrType, Result


def argument_problem(program: Program, symbol: str, name: str, number: int) -> str | None:
    """Why a model of the function cannot be about the pointer in C's argument `number`; None if it can."""
    prototype = program.prototypes.get(symbol)
    if prototype is None:
        return (
            f"which of its arguments is number {number} is not known: the program has to declare `{name}` with its"
            " parameters, everywhere alike, and to call it by its name or define it"
        )
    count = len(prototype.params)
    if number > count:
        if prototype.is_variadic:
            return f"`{name}` has argument {number} only in some calls: models are about the {_arguments(count)} before"
        return f"`{name}` has {_arguments(count)}, and no argument {number}"
    param = prototype.params[number - 1]
    if param.passing is Passing.PARTS:
        return f"argument {number} of `{name}` is `{param.text}`, passed by value: models are about pointers"
    if prototype.positions[number - 1] is None:
        between = " and ".join(f"`{p.text}`" for p in prototype.params if p.passing is Passing.PARTS)
        return (
            f"where argument {number} of `{name}` is passed is not known, because of {between or 'the other arguments'}"
            ": pass pointers instead, or remove the number"
        )
    return None


def position(program: Program, symbol: str, number: int) -> int:
    """The index in a call of an argument of which there is no `argument_problem`."""
    found = program.prototypes[symbol].positions[number - 1]
    if found is None:
        raise InputError(f"which argument of `{symbol}` is number {number} is not known")
    return found


def model_problem(program: Program, symbol: str, model: FunctionModel) -> str | None:
    """Why what the user says about an external function cannot be meant; None if it can."""
    name = model.function
    if (problem := _result_problem(program, symbol, model)) is not None:
        return problem
    for number in dict.fromkeys(model.all_numbers()):
        if (problem := argument_problem(program, symbol, name, number)) is not None:
            return problem
    prototype = program.prototypes.get(symbol)
    if prototype is None:
        return None
    returned = (model.returns,) if isinstance(model.returns, int) else ()
    for number in (*model.numbers(), *returned):
        if prototype.params[number - 1].passing is not Passing.POINTER:
            return f"argument {number} of `{name}` is not a pointer"
    return _call_problem(prototype, model)


def _result_problem(program: Program, symbol: str, model: FunctionModel) -> str | None:
    is_said = isinstance(model.returns, int) or model.returns is Result.FRESH
    if not is_said or isinstance(program.externals[symbol].returns, PtrType):
        return None
    said = model.returns if isinstance(model.returns, int) else '"fresh"'
    return f"`{model.function}` does not return a pointer: remove `returns = {said}`"


def _call_problem(prototype: Prototype, model: FunctionModel) -> str | None:
    for number in model.calls or ():
        param = prototype.params[number - 1]
        what = f"argument {number} of `{model.function}` is `{param.text}`"
        if not param.is_function and param.text != "void *":
            return f"{what}, which cannot be called: remove it from `calls`"
        if model.passes is not None and (problem := _passing_problem(param, len(model.passes))) is not None:
            return f"{what}, {problem}"
    return None


def _passing_problem(param: ParameterType, count: int) -> str | None:
    if param.called is None:
        return "whose parameters are not known: remove `passes`"
    if any(inner.passing is Passing.PARTS for inner in param.called):
        return "which is passed more than pointers and numbers: remove `passes`"
    if len(param.called) != count:
        return f"which is called with {_arguments(len(param.called))}: `passes` has {count}"
    return None


def _arguments(count: int) -> str:
    return f"{count} argument{'' if count == 1 else 's'}"
