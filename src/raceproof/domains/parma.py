"""The Parma Polyhedra Library, an extra that need not be installed: linear programs, and its polyhedra."""

from __future__ import annotations

import importlib
import signal
import threading
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

from raceproof.core import ToolMissing
from raceproof.domains.relation import Bounds
from raceproof.domains.rows import Row, divided


@cache
def ppl() -> ModuleType:
    """The library; raises `ToolMissing` if it is not installed. It takes Ctrl-C for itself, which is given back."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        return importlib.import_module("ppl")
    except ImportError:
        raise ToolMissing("polyhedra need the package pplpy: pip install 'raceproof[polyhedra]'") from None
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


def has_polyhedra() -> bool:
    """Is the library there?"""
    try:
        ppl()
    except ToolMissing:
        return False
    return True


class Program:
    """The linear programs over one polyhedron in its box: bounds of rows, without corners."""

    def __init__(self, rows: Iterable[Row], box: Sequence[Bounds]) -> None:
        library = ppl()
        self._problem = library.MIP_Problem(len(box))
        self._problem.set_optimization_mode("maximization")
        for x, (low, high) in enumerate(box):
            self._problem.add_constraint(library.Variable(x) >= low)
            self._problem.add_constraint(library.Variable(x) <= high)
        for row in rows:
            self._problem.add_constraint(constraint_of(row))
        self.feasible = bool(self._problem.is_satisfiable())

    def largest(self, row: Row) -> int:
        """The largest integer that the row can reach; the problem is feasible, and bounded by the box."""
        value = self._maximum(row)
        return int(value.numerator // value.denominator)

    def least(self, row: Row) -> int:
        return -self.largest(Row(tuple(-k for k in row.coefficients), -row.constant))

    def implies(self, row: Row) -> bool:
        return not self.feasible or all(self._maximum(half) <= 0 for half in row.halves())

    def _maximum(self, row: Row) -> Any:
        """A rational number."""
        self._problem.set_objective_function(expression(row))
        self._problem.solve()
        return self._problem.optimal_value()


@lru_cache(maxsize=32)
def program_of(rows: tuple[Row, ...], box: tuple[Bounds, ...]) -> Program:
    """Kept for a while: a transfer function asks one polyhedron many questions, and the first answer is the dearest."""
    return Program(rows, box)


def expression(row: Row) -> Any:
    return ppl().Linear_Expression(list(row.coefficients), row.constant)


def constraint_of(row: Row) -> Any:
    return expression(row) == 0 if row.equal else expression(row) <= 0


def rows_of(shape: Any, size: int) -> list[Row]:
    """PPL's constraints, each `expression >= 0`, as rows."""
    rows = []
    for constraint in shape.minimized_constraints():
        coefficients = [-int(k) for k in constraint.coefficients()]
        coefficients += [0] * (size - len(coefficients))
        rows.append(divided(coefficients, -int(constraint.inhomogeneous_term()), bool(constraint.is_equality())))
    return rows


def vector_of(generator: Any, size: int) -> list[int]:
    """A point with its divisor, or a direction with 0: independent as vectors means independent in space."""
    coordinates = [int(k) for k in generator.coefficients()]
    return [*coordinates, *[0] * (size - len(coordinates)), int(generator.divisor()) if generator.is_point() else 0]
