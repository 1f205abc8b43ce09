"""Calls of libatomic.

clang makes such a call for an atomic object whose size or alignment the machine has no instruction for. `atomic_call`
says which argument is the atomic object; the `Effect` of the function lists that object too, among the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from raceproof.facts.library.effect_terms import PURE, both, copy, loaded, n, rd, rw, wr
from raceproof.facts.library.effects import Bytes, Effect
from raceproof.model import AccessKind

_SIZES: Final = (1, 2, 4, 8, 16)
_FETCH: Final = ("add", "sub", "and", "or", "xor", "nand")


@dataclass(frozen=True, slots=True)
class AtomicCall:
    """An atomic access to the object behind argument `object_arg`.

    Its size is `size`, or is what argument `size_arg` says. A compare and exchange is an UPDATE, though it only reads
    when it fails. Argument `order_arg` is the C11 memory order as a number (0 relaxed, 1 consume, 2 acquire, 3 release,
    4 acq_rel, 5 seq_cst). What the call reads or writes through other arguments is plain.
    """

    object_arg: int
    kind: AccessKind
    order_arg: int
    size: int | None = None
    size_arg: int | None = None
    failure_order_arg: int | None = None


Rows = dict[str, tuple[AtomicCall, Effect]]
_READ, _WRITE, _UPDATE = AccessKind.READ, AccessKind.WRITE, AccessKind.UPDATE


def _generic() -> Rows:
    """(size, object, values by address ..., order)"""
    size = n(0)
    return {
        "__atomic_load": (
            AtomicCall(1, _READ, 3, size_arg=0),
            both(rd(1, size), wr(2, size), copy(2, 1)),
        ),
        "__atomic_store": (
            AtomicCall(1, _WRITE, 3, size_arg=0),
            both(wr(1, size), rd(2, size), copy(1, 2)),
        ),
        "__atomic_exchange": (
            AtomicCall(1, _UPDATE, 4, size_arg=0),
            both(rw(1, size), rd(2, size), wr(3, size), copy(3, 1), copy(1, 2)),
        ),
        "__atomic_compare_exchange": (
            AtomicCall(1, _UPDATE, 4, size_arg=0, failure_order_arg=5),
            both(rw(1, size), rw(2, size), rd(3, size), copy(2, 1), copy(1, 3)),
        ),
    }


def _sized(count: int) -> Rows:
    """(object, values ..., order), the size in the name. A value may be a pointer."""
    size = Bytes(count)
    update = both(rw(0, size), _put(1), loaded(0))
    rows: Rows = {
        f"__atomic_load_{count}": (AtomicCall(0, _READ, 1, count), both(rd(0, size), loaded(0))),
        f"__atomic_store_{count}": (AtomicCall(0, _WRITE, 2, count), both(wr(0, size), _put(1))),
        f"__atomic_exchange_{count}": (AtomicCall(0, _UPDATE, 2, count), update),
        f"__atomic_compare_exchange_{count}": (
            AtomicCall(0, _UPDATE, 3, count, failure_order_arg=4),
            both(rw(0, size), rw(1, size), copy(1, 0), _put(2)),
        ),
    }
    for op in _FETCH:
        for name in (f"__atomic_fetch_{op}_{count}", f"__atomic_{op}_fetch_{count}"):
            rows[name] = (AtomicCall(0, _UPDATE, 2, count), update)
    return rows


def _put(value: int) -> Effect:
    """Store argument `value` at *0."""
    return Effect(stores=((value, 0),))


def _rows() -> Rows:
    rows = _generic()
    for count in _SIZES:
        rows |= _sized(count)
    return rows


_ROWS: Final = _rows()
ATOMIC_CALLS: Final = {name: call for name, (call, _) in _ROWS.items()}
ATOMIC: Final = {name: effect for name, (_, effect) in _ROWS.items()} | {
    "__atomic_is_lock_free": PURE,
    # a fence as a call: the order that it makes is not used
    "__sync_synchronize": PURE,
    "atomic_thread_fence": PURE,
    "atomic_signal_fence": PURE,
}


def atomic_call(name: str) -> AtomicCall | None:
    """Say how the library function `name` accesses an atomic object; None if it is not such a function."""
    return ATOMIC_CALLS.get(name)
