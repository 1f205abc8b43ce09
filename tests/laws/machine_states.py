"""Random expressions, abstract elements and concrete states for the laws of the numeric domains."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from raceproof.domains import (
    BOOL,
    INT8,
    INT16,
    INT32,
    UINT8,
    UINT16,
    UINT64,
    AnyValue,
    Binary,
    Cast,
    Const,
    Expr,
    LinearExpr,
    MachineType,
    NumericDomain,
    Op,
    SignedOverflow,
    State,
    Unary,
    UnaryOp,
    Undefined,
    Unspecified,
    Variable,
    evaluate_concretely,
)

X, Y = Variable("x", UINT8), Variable("y", UINT8)
A, B, C = Variable("a", INT8), Variable("b", INT8), Variable("c", INT8)
W, FLAG, BIG = Variable("w", INT32), Variable("flag", BOOL), Variable("big", UINT64)
VARIABLES = (X, Y, A, B, C, W, FLAG, BIG)
PACKS = ((X, Y, W), (A, B, C, W), (BIG, FLAG))
TYPES = (BOOL, UINT8, INT8, UINT16, INT16, INT32, UINT64)
ARITHMETIC = (Op.ADD, Op.SUB, Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.REM, Op.AND, Op.OR, Op.XOR)
COMPARISONS = (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE)

Concrete = dict[Variable, int]


def numbers(of_type: MachineType) -> SearchStrategy[int]:
    """Small ones, ends of the type, and any."""
    small = st.integers(max(of_type.low, -9), min(of_type.high, 9))
    return st.one_of(small, st.sampled_from([of_type.low, of_type.high]), st.integers(of_type.low, of_type.high))


@st.composite
def expressions(draw: st.DrawFn, of_type: MachineType, depth: int = 2, determined: bool = False) -> Expr:
    kind = draw(st.integers(0, 9 if depth else 3))
    match kind:
        case 0 | 1 | 2 if own := [v for v in VARIABLES if v.type == of_type]:
            return draw(st.sampled_from(own))
        case 0 | 1 | 2 | 3:
            if not determined and draw(st.integers(0, 9)) == 9:
                return AnyValue(of_type)
            return Const(draw(numbers(of_type)), of_type)
        case 4:
            return Unary(draw(st.sampled_from([UnaryOp.NEGATE, UnaryOp.INVERT])), draw(expressions(of_type, depth - 1)))
        case 5:
            return Cast(of_type, draw(expressions(draw(st.sampled_from(TYPES)), depth - 1)))
        case 6:
            by = st.one_of(st.integers(0, of_type.bits - 1), st.integers(0, min(of_type.high, 70)))
            shift = Const(draw(by) if of_type.high >= of_type.bits else 0, of_type)
            return Binary(draw(st.sampled_from([Op.SHL, Op.SHR])), draw(expressions(of_type, depth - 1)), shift)
        case _:
            left, right = draw(expressions(of_type, depth - 1)), draw(expressions(of_type, depth - 1))
            return Binary(draw(st.sampled_from(ARITHMETIC)), left, right)


@st.composite
def conditions(draw: st.DrawFn, depth: int = 1) -> Expr:
    kind = draw(st.integers(0, 9))
    if kind == 0 and depth:
        op = draw(st.sampled_from([Op.LOGICAL_AND, Op.LOGICAL_OR]))
        return Binary(op, draw(conditions(depth - 1)), draw(conditions(depth - 1)))
    if kind == 1 and depth:
        return Unary(UnaryOp.NOT, draw(conditions(depth - 1)))
    of_type = draw(st.sampled_from([v.type for v in VARIABLES]))
    if kind == 2:
        return draw(expressions(of_type))
    left, right = draw(expressions(of_type, 1)), draw(expressions(of_type, 1))
    return Binary(draw(st.sampled_from(COMPARISONS)), left, right)


Assignment = tuple[Variable, Expr]
Step = Assignment | tuple[Expr, bool]


@st.composite
def assignments(draw: st.DrawFn) -> Assignment:
    variable = draw(st.sampled_from(VARIABLES))
    return variable, draw(expressions(variable.type))


steps: SearchStrategy[Step] = st.one_of(assignments(), st.tuples(conditions(), st.booleans()))


def apply(domain: NumericDomain, element: State, step: Step) -> State:
    if isinstance(step[0], Variable) and not isinstance(step[1], bool):
        return domain.assign(element, step[0], step[1])
    assert isinstance(step[1], bool)
    return domain.assume(element, step[0], step[1])


@st.composite
def elements(draw: st.DrawFn, domain: NumericDomain) -> State:
    """What a random program of assignments, conditions and joins ends with; sometimes bottom, often not."""
    element = domain.top()
    for step in draw(st.lists(steps, max_size=5)):
        after = apply(domain, element, step)
        if draw(st.integers(0, 3)) == 0:
            after = domain.join(element, after)
        if not domain.is_bottom(after) or draw(st.integers(0, 9)) == 0:
            element = after
    return element


states: SearchStrategy[Concrete] = st.fixed_dictionaries({v: numbers(v.type) for v in VARIABLES})


def after(step: Step, state: Concrete, overflow: SignedOverflow, chosen: int) -> Iterator[Concrete]:
    """The states that follow: none where the expression is undefined or the condition does not hold."""

    def choose(expr: AnyValue) -> int:
        return expr.type.wrap(chosen)

    expr = step[1] if isinstance(step[0], Variable) and not isinstance(step[1], bool) else step[0]
    try:
        value: int | None = evaluate_concretely(expr, state, overflow, choose)
    except Undefined:
        return
    except Unspecified:
        return
    if isinstance(step[0], Variable) and not isinstance(step[1], bool):
        yield {**state, step[0]: value}
    elif bool(value) == step[1]:
        yield state


def holds(domain: NumericDomain, element: State, state: Concrete) -> bool:
    """Does the element have the state, by everything that it says?"""
    if domain.is_bottom(element):
        return False
    if any(number not in domain.value(element, variable) for variable, number in state.items()):
        return False
    asked = [LinearExpr.variable(v) for v in state]
    for first, second in combinations(state, 2):
        asked += [LinearExpr.difference(first, second), LinearExpr.of({first: 1, second: 1})]
    for expr in asked:
        low, high = domain.bounds(element, expr) or (1, 0)
        if not low <= expr.value(state) <= high:
            return False
    return all(expr.value(state) <= 0 for expr in domain.constraints(element))
