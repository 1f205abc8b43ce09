"""Linear expressions over the integers, without bounds and without wrapping: what relational domains speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import final

from raceproof.domains.expressions import Variable


@final
@dataclass(frozen=True, slots=True)
class LinearExpr:
    """Sum of coefficient * variable, plus a constant. No coefficient is 0, no variable comes twice."""

    terms: tuple[tuple[Variable, int], ...]
    constant: int = 0

    @staticmethod
    def of(terms: Mapping[Variable, int] | Iterable[tuple[Variable, int]], constant: int = 0) -> LinearExpr:
        sums: dict[Variable, int] = {}
        for variable, factor in terms.items() if isinstance(terms, Mapping) else terms:
            sums[variable] = sums.get(variable, 0) + factor
        return LinearExpr(tuple((v, k) for v, k in sums.items() if k), constant)

    @staticmethod
    def variable(variable: Variable) -> LinearExpr:
        return LinearExpr(((variable, 1),))

    @staticmethod
    def difference(first: Variable, second: Variable) -> LinearExpr:
        """first - second."""
        return LinearExpr.of([(first, 1), (second, -1)])

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(variable for variable, _ in self.terms)

    def plus(self, other: LinearExpr, factor: int = 1) -> LinearExpr:
        """self + factor * other."""
        if factor == 0:
            return self
        scaled = [(variable, k * factor) for variable, k in other.terms]
        return LinearExpr.of([*self.terms, *scaled], self.constant + factor * other.constant)

    def scaled(self, factor: int) -> LinearExpr:
        return LinearExpr(()).plus(self, factor)

    def shifted(self, offset: int) -> LinearExpr:
        return LinearExpr(self.terms, self.constant + offset) if offset else self

    def coefficient(self, variable: Variable) -> int:
        return next((k for v, k in self.terms if v == variable), 0)

    def without(self, variable: Variable) -> LinearExpr:
        return LinearExpr(tuple((v, k) for v, k in self.terms if v != variable), self.constant)

    def renamed(self, names: Mapping[Variable, Variable]) -> LinearExpr:
        return LinearExpr.of([(names.get(v, v), k) for v, k in self.terms], self.constant)

    def value(self, state: Mapping[Variable, int]) -> int:
        return self.constant + sum(k * state[v] for v, k in self.terms)

    def __str__(self) -> str:
        numbers = [(k, str(v) if abs(k) == 1 else f"{abs(k)}*{v}") for v, k in self.terms]
        if self.constant or not numbers:
            numbers.append((self.constant, str(abs(self.constant))))
        (sign, first), *others = numbers
        rest = (f" {'-' if k < 0 else '+'} {size}" for k, size in others)
        return ("-" if sign < 0 else "") + first + "".join(rest)


@final
@dataclass(frozen=True, slots=True)
class LinearForm:
    """A linear expression plus some number in low..high that is not known: `expr.constant` is 0."""

    expr: LinearExpr
    low: int
    high: int

    @staticmethod
    def constant(low: int, high: int) -> LinearForm:
        return LinearForm(LinearExpr(()), low, high)

    def plus(self, other: LinearForm) -> LinearForm:
        return LinearForm(self.expr.plus(other.expr), self.low + other.low, self.high + other.high)

    def scaled(self, factor: int) -> LinearForm:
        low, high = sorted((self.low * factor, self.high * factor))
        return LinearForm(self.expr.scaled(factor), low, high)

    def shifted(self, offset: int) -> LinearForm:
        return LinearForm(self.expr, self.low + offset, self.high + offset)

    def minus(self, other: LinearForm) -> LinearForm:
        return self.plus(other.scaled(-1))
