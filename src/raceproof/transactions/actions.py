"""What a thread does between two points, in the language of the domains: assignments, conditions, and the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from raceproof.domains import (
    AnyValue,
    Binary,
    Cast,
    Const,
    Expr,
    MachineType,
    NumericDomain,
    Op,
    State,
    Unary,
    Variable,
    variables_of,
)
from raceproof.transactions.names import Register, Shared


@final
@dataclass(frozen=True, slots=True)
class Assign:
    """`variable = value`. If the variable is a cell and `is_weak`, it may also stay as it is; `at`: how many bytes into
    the cell's object is written, and so many bytes, if that is known."""

    variable: Variable
    value: Expr
    is_weak: bool = False
    at: tuple[Expr, int] | None = None


@final
@dataclass(frozen=True, slots=True)
class Read:
    """`variable = (its type) cell`: the only way in which values of cells come into registers."""

    variable: Variable
    cell: Variable


@final
@dataclass(frozen=True, slots=True)
class Assume:
    condition: Expr
    truth: bool = True


@final
@dataclass(frozen=True, slots=True)
class Forget:
    """The variable gets any value."""

    variable: Variable


@final
@dataclass(frozen=True, slots=True)
class Choose:
    """`variable = condition ? if_true : if_false`."""

    variable: Variable
    condition: Expr
    if_true: Expr
    if_false: Expr


@final
@dataclass(frozen=True, slots=True)
class Expect:
    """The value in a cell compares with `value` as a compare-and-exchange found it: equal or not."""

    cell: Variable
    value: Expr
    equal: bool


Action = Assign | Read | Assume | Forget | Choose | Expect


def assigned(action: Action) -> Variable | None:
    match action:
        case Assign(variable=variable) | Read(variable=variable) | Forget(variable=variable):
            return variable
        case Choose(variable=variable):
            return variable
        case Assume() | Expect():
            return None


def used(action: Action) -> Iterator[Variable]:
    """The variables whose values the action depends on."""
    match action:
        case Assign(variable=variable, value=value, is_weak=is_weak, at=at):
            yield from variables_of(value)
            if is_weak:
                yield variable
            if at is not None:
                yield from variables_of(at[0])
        case Read(cell=cell):
            yield cell
        case Assume(condition=condition):
            yield from variables_of(condition)
        case Choose(condition=condition, if_true=first, if_false=second):
            for expr in (condition, first, second):
                yield from variables_of(expr)
        case Expect(cell=cell, value=value):
            yield cell
            yield from variables_of(value)
        case Forget():
            return


def extended(before: Sequence[Action], action: Action) -> list[Action]:
    """The action behind `before`, in the form that says most: about cells instead of registers just read from them.

    A condition on a register is one on the cell, too, as long as nobody else can have moved; a copy of the register is
    a copy of the cell.
    """
    definitions: dict[Variable, Expr] = {}
    sources: dict[Variable, Variable] = {}
    for earlier in before:
        target = assigned(earlier)
        if target is None:
            continue
        for variable in [v for v, expr in definitions.items() if v == target or target in set(variables_of(expr))]:
            del definitions[variable]
        for variable in [v for v, cell in sources.items() if target in (v, cell)]:
            del sources[variable]
        if isinstance(earlier, Assign) and not earlier.is_weak and target not in set(variables_of(earlier.value)):
            definitions[target] = renamed(earlier.value, definitions)
        elif isinstance(earlier, Read):
            sources[target] = earlier.cell
    match action:
        case Assume(condition=condition, truth=truth):
            meant = renamed(condition, definitions)
            in_cells = renamed(meant, {v: converted(cell, v.type) for v, cell in sources.items()})
            return [Assume(c, truth) for c in dict.fromkeys((condition, meant, in_cells))]
        case Assign(variable=Variable(name=Register()) as variable, value=Variable() as value) if value in sources:
            return [Read(variable, sources[value])]
    return [action]


def without_dead(actions: Iterable[Action], live: frozenset[Variable]) -> tuple[Action, ...]:
    """The actions without those that assign to registers which nobody asks for; `live`: what is asked for behind."""
    kept: list[Action] = []
    needed = set(live)
    for action in reversed(list(actions)):
        target = assigned(action)
        if target is not None and not isinstance(target.name, Shared):
            if target not in needed:
                continue
            needed.discard(target)
        needed.update(used(action))
        kept.append(action)
    return tuple(reversed(kept))


def live_before(actions: Iterable[Action], live: frozenset[Variable]) -> set[Variable]:
    """What must be known before the actions, so that `live` is known behind them."""
    needed = set(live)
    for action in reversed(without_dead(actions, live)):
        target = assigned(action)
        if target is not None:
            needed.discard(target)
        needed.update(used(action))
    return needed


def apply(domain: NumericDomain, state: State, action: Action, followed: frozenset[Variable]) -> State:
    """The states behind the action. `followed`: the cells whose values may be relied on; others have any value."""
    match action:
        case Assign(variable=variable, value=value, is_weak=is_weak, at=at):
            if _is_lost(variable, followed):
                return state
            if not is_weak:
                return domain.assign(state, variable, value)
            there = _where_it_is(domain, state, variable, at) if at is not None else state
            return state if there.is_bottom else domain.join(state, domain.assign(there, variable, value))
        case Read(variable=variable, cell=cell):
            if _is_lost(cell, followed):
                return domain.forget(state, [variable])
            return domain.assign(state, variable, converted(cell, variable.type))
        case Assume(condition=condition, truth=truth):
            if any(_is_lost(variable, followed) for variable in variables_of(condition)):
                return state
            return domain.assume(state, condition, truth)
        case Forget(variable=variable):
            return domain.forget(state, [variable])
        case Choose(variable=variable, condition=condition, if_true=first, if_false=second):
            return domain.join(
                domain.assign(domain.assume(state, condition, True), variable, first),
                domain.assign(domain.assume(state, condition, False), variable, second),
            )
        case Expect(cell=cell, value=value, equal=equal):
            if _is_lost(cell, followed):
                return state
            return domain.assume(state, Binary(Op.EQ, cell, value), equal)


def _where_it_is(domain: NumericDomain, state: State, variable: Variable, at: tuple[Expr, int]) -> State:
    """The states in which a write reaches the cell."""
    if not isinstance(variable.name, Shared):
        return state
    start, size = at
    cell = variable.name.cell
    ends_behind = Binary(Op.GT, start, Const(cell.offset - size, start.type))
    starts_before = Binary(Op.LT, start, Const(cell.offset + cell.size, start.type))
    return domain.assume(domain.assume(state, ends_behind), starts_before)


def _is_lost(variable: Variable, followed: frozenset[Variable]) -> bool:
    return isinstance(variable.name, Shared) and variable not in followed


def converted(expr: Expr, to: MachineType) -> Expr:
    if expr.type == to:
        return expr
    return Const(to.wrap(expr.value), to) if isinstance(expr, Const) else Cast(to, expr)


def renamed(expr: Expr, names: Mapping[Variable, Expr]) -> Expr:
    """The expression with others, of the same type, in the place of variables."""
    match expr:
        case Variable():
            return names.get(expr, expr)
        case Cast(type=to, operand=operand):
            return Cast(to, renamed(operand, names))
        case Unary(op=op, operand=operand):
            return Unary(op, renamed(operand, names))
        case Binary(op=op, left=left, right=right):
            return Binary(op, renamed(left, names), renamed(right, names))
        case Const() | AnyValue():
            return expr
