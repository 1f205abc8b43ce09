"""Measure the native octagon kernel against numpy, in the same run: closure, join, assignment by number of variables.

    python bench/octagons.py                    prints the table
    python bench/octagons.py --write            and puts it into docs/results.md
    python bench/octagons.py --sizes 10 30      some sizes only

Needs numpy (`pip install 'raceproof[bench]'`), which raceproof itself does not use. Both sides are called from
Python, as an engine calls them, and their results are compared: ends with status 1 if they differ. A goal that is
missed is shown, and is no failure: the machine may be busy.
"""

from __future__ import annotations

import argparse
import random
import sys
import timeit
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.results import RESULTS, machine, markdown_table, replace_block
from raceproof.domains import octagon_kernel as kernel

SIZES = (10, 30, 60, 100)
GOAL_SIZE, GOAL_RATIO = 60, 20
_SECONDS = 0.3  # for each measurement, at least
_ROUNDS = 5  # the best of so many counts

Array = NDArray[numpy.float64]


@dataclass(frozen=True, slots=True)
class Row:
    operation: str
    variables: int
    native: float
    numpy: float

    @property
    def ratio(self) -> float:
        return self.numpy / self.native


def close_with_numpy(m: Array) -> Array:
    """Tight closure, vectorised as far as numpy can: one outer sum for each node."""
    m = m.copy()
    for k in range(len(m)):
        numpy.minimum(m, m[:, k, None] + m[None, k, :], out=m)
    nodes = numpy.arange(len(m))
    unary = 2 * numpy.floor(m[nodes, nodes ^ 1] / 2)
    m[nodes, nodes ^ 1] = unary
    return numpy.minimum(m, (unary[:, None] + unary[None, nodes ^ 1]) / 2)


def add_with_numpy(m: Array, i: int, j: int, bound: float) -> Array:
    """Tight closure with one constraint more, for a closed matrix."""
    p = bound + numpy.minimum(m[j], m[j, j ^ 1] + bound + m[i ^ 1])
    q = bound + numpy.minimum(m[i ^ 1], m[i ^ 1, i] + bound + m[j])
    m = numpy.minimum(m, numpy.minimum(m[:, i, None] + p[None, :], m[:, j ^ 1, None] + q[None, :]))
    nodes = numpy.arange(len(m))
    unary = 2 * numpy.floor(m[nodes, nodes ^ 1] / 2)
    m[nodes, nodes ^ 1] = unary
    return numpy.minimum(m, (unary[:, None] + unary[None, nodes ^ 1]) / 2)


def assign_with_numpy(m: Array, x: int, y: int, offset: float) -> Array:
    """v_x := v_y + offset, for a closed matrix and y other than x."""
    m = m.copy()
    plus, minus, source = 2 * x, 2 * x + 1, 2 * y
    m[plus], m[minus] = m[source] - offset, m[source + 1] + offset
    m[:, plus], m[:, minus] = m[:, source] + offset, m[:, source + 1] - offset
    m[plus, plus] = m[minus, minus] = 0
    m[minus, plus] = m[source + 1, source] + 2 * offset
    m[plus, minus] = m[source, source + 1] - 2 * offset
    return m


def random_edges(n: int, seed: int) -> list[kernel.Edge]:
    """Constraints that a random point satisfies: three for each variable."""
    chosen = random.Random(seed)
    point = [chosen.randrange(-1000, 1000) for _ in range(n)]
    values = [value for v in point for value in (v, -v)]
    edges = []
    for _ in range(3 * n):
        i, j = chosen.sample(range(2 * n), 2)
        edges.append((i, j, values[j] - values[i] + chosen.randrange(50)))
    return edges


def dense(n: int, edges: Sequence[kernel.Edge]) -> Array:
    m = numpy.full((2 * n, 2 * n), numpy.inf)
    numpy.fill_diagonal(m, 0)
    for i, j, bound in edges:
        m[i, j] = min(m[i, j], bound)
        m[j ^ 1, i ^ 1] = min(m[j ^ 1, i ^ 1], bound)
    return m


def packed(m: Array) -> bytes:
    stored = [
        kernel.NONE if row[j] == numpy.inf else int(row[j]) for i, row in enumerate(m) for j in range((i | 1) + 1)
    ]
    return numpy.array(stored, dtype=numpy.int64).tobytes()


def seconds(function: Callable[[], object]) -> float:
    timer = timeit.Timer(function)
    once = max(timer.timeit(1), 1e-7)
    times = max(1, int(_SECONDS / _ROUNDS / once))
    return min(timer.repeat(_ROUNDS, times)) / times


def measure(n: int) -> list[Row]:
    edges = random_edges(n, n)
    opened, opened_dense = packed(dense(n, edges)), dense(n, edges)
    a, a_dense = kernel.close(opened, n), close_with_numpy(opened_dense)
    b_dense = close_with_numpy(dense(n, random_edges(n, n + 1)))
    b = packed(b_dense)
    assert a is not None
    bound = int(min(a_dense[0, 3], 1000)) - 1
    tasks: list[tuple[str, Callable[[], bytes | None], Callable[[], Array]]] = [
        ("closure", lambda: kernel.close(opened, n), lambda: close_with_numpy(opened_dense)),
        (
            "closure after one constraint",
            lambda: kernel.add(a, n, [(0, 3, bound)]),
            lambda: add_with_numpy(a_dense, 0, 3, bound),
        ),
        ("join", lambda: kernel.join(a, b, n), lambda: numpy.maximum(a_dense, b_dense)),
        (
            "assign `x := y + 1`",
            lambda: kernel.assign(a, n, 0, 1, False, 1, 1),
            lambda: assign_with_numpy(a_dense, 0, 1, 1),
        ),
    ]
    rows = []
    for name, native, other in tasks:
        if native() != packed(other()):
            raise SystemExit(f"{name} of {n} variables: the kernel and numpy differ")
        rows.append(Row(name, n, seconds(native), seconds(other)))
    return rows


def table(rows: Sequence[Row]) -> str:
    head = ("operation", "variables", "native, µs", "numpy, µs", "times faster")
    body = [
        (row.operation, str(row.variables), f"{row.native * 1e6:,.1f}", f"{row.numpy * 1e6:,.0f}", f"{row.ratio:,.1f}")
        for row in sorted(rows, key=lambda row: row.operation)
    ]
    return markdown_table(head, body)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--write", action="store_true", help=f"put the table into {RESULTS.name}")
    args = parser.parse_args()
    rows = [row for n in args.sizes for row in measure(n)]
    text = table(rows)
    print(text)
    for row in rows:
        if row.operation == "closure" and row.variables == GOAL_SIZE:
            verdict = "reached" if row.ratio >= GOAL_RATIO else "MISSED"
            print(f"goal, closure of {GOAL_SIZE} at least {GOAL_RATIO} times faster: {verdict} ({row.ratio:.0f})")
    if args.write:
        replace_block("octagons", f"`.venv/bin/python bench/octagons.py --write`; {machine()}.\n\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
