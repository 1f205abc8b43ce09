"""The native octagon kernel, `native/octagon/octagon.h`, as functions on immutable matrices.

A matrix is `bytes`: the stored half of a difference-bound matrix, 64-bit integers. Every function gives a new one.
None stands for the empty octagon.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from functools import cache

from raceproof.native import load_library

NONE = 1 << 61
LIMIT = 1 << 50
UNBOUNDED = 1 << 100  # what is given for NONE: above every sum of values of machine types
MAX_VARIABLES = 256

Edge = tuple[int, int, int]  # i, j, bound: V_j - V_i <= bound

_POINTER, _SIZE, _BOUND, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, ctypes.c_int
FUNCTIONS: dict[str, tuple[object, tuple[object, ...]]] = {
    "top": (None, (_POINTER, _SIZE)),
    "close": (_INT, (_POINTER, _SIZE)),
    "add": (_INT, (_POINTER, _SIZE, _SIZE, _SIZE, _BOUND)),
    "lower": (None, (_POINTER, _SIZE, _SIZE, _BOUND)),
    "entry": (_BOUND, (_POINTER, _SIZE, _SIZE)),
    "bounds": (None, (_POINTER, _SIZE, _POINTER)),
    "forget": (None, (_POINTER, _SIZE, _SIZE)),
    "assign": (None, (_POINTER, _SIZE, _SIZE, _SIZE, _INT, _BOUND, _BOUND)),
    "join": (None, (_POINTER, _POINTER, _POINTER, _SIZE)),
    "meet": (None, (_POINTER, _POINTER, _POINTER, _SIZE)),
    "leq": (_INT, (_POINTER, _POINTER, _SIZE)),
    "widen": (None, (_POINTER, _POINTER, _POINTER, _SIZE, _POINTER, _SIZE)),
    "narrow": (None, (_POINTER, _POINTER, _POINTER, _POINTER, _SIZE)),
}


@cache
def _library() -> ctypes.CDLL:
    library = load_library("octagon")
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, f"rp_octagon_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def size(n: int) -> int:
    """How many bytes a matrix of n variables has."""
    return 16 * n * (n + 1)


def _copied(matrix: bytes) -> bytes:
    """A matrix to be changed by the kernel.

    The kernel writes into new `bytes` before anybody else sees them: a buffer that is copied afterwards would cost more
    than most operations.
    """
    out = bytes(len(matrix))
    ctypes.memmove(ctypes.c_char_p(out), matrix, len(matrix))
    return out


def top(n: int) -> bytes:
    out = bytes(size(n))
    _library().rp_octagon_top(out, n)
    return out


def close(matrix: bytes, n: int) -> bytes | None:
    out = _copied(matrix)
    return out if _library().rp_octagon_close(out, n) else None


def add(matrix: bytes, n: int, edges: Iterable[Edge]) -> bytes | None:
    """Closed with the edges, one after the other: for few."""
    out = _copied(matrix)
    for i, j, bound in edges:
        if not _library().rp_octagon_add(out, n, i, j, saturated(bound)):
            return None
    return out


def add_all(matrix: bytes, n: int, edges: Iterable[Edge]) -> bytes | None:
    """Closed with the edges, in one pass: for many."""
    out = _copied(matrix)
    for i, j, bound in edges:
        _library().rp_octagon_lower(out, i, j, saturated(bound))
    return out if _library().rp_octagon_close(out, n) else None


def entry(matrix: bytes, i: int, j: int) -> int:
    return _bound(_library().rp_octagon_entry(matrix, i, j))


def bounds(matrix: bytes, n: int) -> Sequence[int]:
    """At 2k and 2k+1: upper bounds of 2 v_k and -2 v_k."""
    out = (ctypes.c_int64 * (2 * n))()
    _library().rp_octagon_bounds(matrix, n, out)
    return [_bound(bound) for bound in out]


def forget(matrix: bytes, n: int, x: int) -> bytes:
    out = _copied(matrix)
    _library().rp_octagon_forget(out, n, x)
    return out


def assign(matrix: bytes, n: int, x: int, y: int, negated: bool, low: int, high: int) -> bytes:
    """v_x := v_y + low..high, or -v_y + low..high. The offsets are within the limit."""
    out = _copied(matrix)
    _library().rp_octagon_assign(out, n, x, y, negated, low, high)
    return out


def join(a: bytes, b: bytes, n: int) -> bytes:
    out = bytes(size(n))
    _library().rp_octagon_join(out, a, b, n)
    return out


def meet(a: bytes, b: bytes, n: int) -> bytes | None:
    out = bytes(size(n))
    _library().rp_octagon_meet(out, a, b, n)
    return out if _library().rp_octagon_close(out, n) else None


def leq(a: bytes, b: bytes, n: int) -> bool:
    return bool(_library().rp_octagon_leq(a, b, n))


def widen(old: bytes, new: bytes, n: int, limits: Sequence[int]) -> bytes:
    """Not closed, and not to be closed before the next widening; `limits` are sorted."""
    out = bytes(size(n))
    steps = (ctypes.c_int64 * len(limits))(*limits)
    _library().rp_octagon_widen(out, old, new, n, steps, len(limits))
    return out


def narrow(old: bytes, new: bytes, top_matrix: bytes, n: int) -> bytes | None:
    out = bytes(size(n))
    _library().rp_octagon_narrow(out, old, new, top_matrix, n)
    return out if _library().rp_octagon_close(out, n) else None


def _bound(bound: int) -> int:
    return UNBOUNDED if bound == NONE else bound


def saturated(bound: int) -> int:
    """As the kernel does it: within 64 bits, on the safe side."""
    return NONE if bound > LIMIT else max(bound, -LIMIT)
