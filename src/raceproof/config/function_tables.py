"""`[[function]]`: what the file says about functions that the program calls and does not define."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from raceproof.config.tables import Table
from raceproof.ir import FunctionModel, Result

_ELEMENT = re.compile(r"([1-9][0-9]*)\[\]")
_HINTS = {
    "name": "the name of the function is `function`",
    "argument": "say what it does with which argument: `reads`, `writes`, `frees`, `keeps`, `calls`",
}


def function_models(tables: Sequence[Table], locks: Collection[str]) -> tuple[FunctionModel, ...]:
    """`locks`: functions that [[lock]] is about."""
    found: dict[str, FunctionModel] = {}
    for table in tables:
        for model in _of_table(table):
            if model.function in found:
                table.error(f"`{model.function}` is described already")
            if model.function in locks:
                table.error(f"`{model.function}` is a lock function: [[lock]] says all about it")
            found[model.function] = model
    return tuple(found.values())


def _of_table(table: Table) -> list[FunctionModel]:
    names = table.names("function")
    reads, writes, keeps = table.integers("reads"), table.integers("writes"), table.integers("keeps")
    frees, calls, passes = table.integers("frees"), table.integers("calls"), _passes(table)
    returns = _returns(table)
    shares, gives_input = table.flag("shares", default=True), table.flag("input", default=True)
    optional = table.flag("optional")
    is_shared = table.has("shares") and shares
    table.finish(_HINTS)
    if not names:
        table.error("`function` is needed: a name, or a list of names")
    if passes is not None and not calls:
        table.error("`passes` goes with `calls`: what the function that is called gets")
    _check_consistency(table, names[0], frees or (), keeps or (), returns)
    if is_shared and returns is Result.FRESH:
        table.error(f'`{names[0]}` returns "fresh" memory, which nobody else has: remove `shares = true`')
    return [
        FunctionModel(
            name, reads, writes, frees or (), keeps, calls, passes, returns, shares, gives_input, optional, table.place
        )
        for name in names
    ]


def _check_consistency(
    table: Table, name: str, frees: Sequence[int], keeps: Sequence[int], returns: int | Result | None
) -> None:
    for number in frees:
        if number in keeps:
            table.error(f"`{name}` frees argument {number} and keeps it: remove it from `keeps` or from `frees`")
        if number == returns:
            table.error(f"`{name}` frees argument {number} and returns it: remove `returns`, or it from `frees`")
    if keeps and returns is Result.NEVER:
        table.error(f'`{name}` returns "never", and `keeps` is about what it has when it has returned: remove `keeps`')


def _passes(table: Table) -> tuple[int, ...] | None:
    """Numbers of arguments, 0 for anything; `"1[]"` is an element of argument 1."""
    found = table.items("passes")
    if found is None:
        return None
    return tuple(_passed(table, item) for item in found)


def _passed(table: Table, item: object) -> int:
    if isinstance(item, int) and not isinstance(item, bool) and item >= 0:
        return item
    element = _ELEMENT.fullmatch(item) if isinstance(item, str) else None
    if element is None:
        wanted = 'the number of an argument, 0 for anything, or "1[]" for an element of argument 1, or a list of these'
        table.wrong("passes", wanted, item)
    return -int(element[1])


def _returns(table: Table) -> int | Result | None:
    if not table.is_text("returns"):
        return table.integer("returns", least=1)
    choice = table.choice("returns", tuple(result.value for result in Result))
    return Result(choice) if choice is not None else None
