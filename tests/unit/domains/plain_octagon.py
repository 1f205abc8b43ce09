"""Octagons in their plainest form, as the oracle of the native kernel: whole matrices, closed from scratch.

Tight closure by Miné's first method: shortest paths over all nodes, then tightening and strengthening, again and again
until nothing changes. None is the empty octagon, `inf` no bound.
"""

from __future__ import annotations

from math import inf

Matrix = list[list[float]]  # entries are integers or inf: m[i][j] bounds V_j - V_i


def top(n: int) -> Matrix:
    return [[0 if i == j else inf for j in range(2 * n)] for i in range(2 * n)]


def lowered(m: Matrix, i: int, j: int, bound: float) -> Matrix:
    result = [row[:] for row in m]
    result[i][j] = min(result[i][j], bound)
    result[j ^ 1][i ^ 1] = min(result[j ^ 1][i ^ 1], bound)
    return result


def closed(m: Matrix) -> Matrix | None:
    m = [row[:] for row in m]
    nodes = range(len(m))
    while True:
        before = [row[:] for row in m]
        for k in nodes:
            for i in nodes:
                for j in nodes:
                    m[i][j] = min(m[i][j], m[i][k] + m[k][j])
        for i in nodes:
            if m[i][i ^ 1] != inf:
                m[i][i ^ 1] -= m[i][i ^ 1] % 2
        for i in nodes:
            for j in nodes:
                m[i][j] = min(m[i][j], (m[i][i ^ 1] + m[j ^ 1][j]) / 2)
        if any(m[i][i] < 0 for i in nodes):
            return None
        if m == before:
            return m


def join(a: Matrix, b: Matrix) -> Matrix:
    return [[max(x, y) for x, y in zip(one, two, strict=True)] for one, two in zip(a, b, strict=True)]


def forget(m: Matrix, x: int) -> Matrix:
    gone = {2 * x, 2 * x + 1}
    nodes = range(len(m))
    return [[0 if i == j else inf if {i, j} & gone else m[i][j] for j in nodes] for i in nodes]


def assign(m: Matrix, x: int, y: int, negated: bool, low: int, high: int) -> Matrix | None:
    """v_x := ±v_y + low..high, by a variable more that gets the value, and then the name of v_x."""
    n = len(m) // 2
    larger = top(n + 1)
    for i in range(2 * n):
        larger[i][: 2 * n] = m[i]
    source = 2 * y + int(negated)
    larger = lowered(larger, source, 2 * n, high)  # V_new - V_source <= high
    larger = lowered(larger, 2 * n, source, -low)
    whole = closed(larger)
    if whole is None:
        return None
    swapped = {2 * x: 2 * n, 2 * x + 1: 2 * n + 1}
    nodes = [swapped.get(i, i) for i in range(2 * n)]
    return [[whole[i][j] for j in nodes] for i in nodes]


def points(m: Matrix, size: int) -> set[tuple[int, ...]]:
    """The integer points with coordinates up to `size`: what the matrix means. For two variables."""
    result = set()
    for v in range(-size, size + 1):
        for w in range(-size, size + 1):
            values = (v, -v, w, -w)
            if all(values[j] - values[i] <= m[i][j] for i in range(4) for j in range(4)):
                result.add((v, w))
    return result
