"""Elements as text: the invariants that a report shows."""

from __future__ import annotations

from raceproof.domains.expressions import Variable
from raceproof.domains.linear import LinearExpr
from raceproof.domains.state import State
from raceproof.domains.values import Value


def describe(element: State) -> tuple[str, ...]:
    """One text for each variable that something is known of, then one for each constraint between variables."""
    if element.is_bottom:
        return ("unreachable",)
    named = sorted(element.values.items(), key=lambda item: str(item[0]))
    lines = [_of_variable(variable, value) for variable, value in named]
    highest: dict[LinearExpr, int] = {}  # upper bounds
    for relation in element.relations:
        for expr in relation.constraints(element.box):
            part = LinearExpr(expr.terms)
            highest[part] = min(-expr.constant, highest.get(part, -expr.constant))
    return (*lines, *sorted(dict.fromkeys(_of_constraint(part, highest) for part in highest)))


def _of_variable(variable: Variable, value: Value) -> str:
    if value.is_constant:
        return f"{variable} = {value}"
    if value.members is not None or value.modulus > 1:
        return f"{variable} in {value}"
    if value.low == variable.type.low:
        return f"{variable} <= {value.high}"
    if value.high == variable.type.high:
        return f"{variable} >= {value.low}"
    return f"{value.low} <= {variable} <= {value.high}"


def _of_constraint(part: LinearExpr, highest: dict[LinearExpr, int]) -> str:
    """The constraint, with its opposite if there is one, in the form whose first coefficient is positive."""
    positive = part if part.terms[0][1] > 0 else part.scaled(-1)
    high, opposite = highest.get(positive), highest.get(positive.scaled(-1))
    if opposite is None:
        return f"{positive} <= {high}"
    low = -opposite
    if high is None:
        return f"{positive} >= {low}"
    return f"{positive} = {low}" if low == high else f"{low} <= {positive} <= {high}"
