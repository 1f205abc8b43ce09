"""Terms compute as C does: what is folded at once is what the solver says of the same operation."""

from __future__ import annotations

import random

import pytest
import z3

from raceproof.bmc.terms import arithmetic, as_bytes, compare, equal, joined, number, part, resize, term

OPERATIONS = ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor", "shl", "lshr", "ashr"]
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


def _values(rng: random.Random, width: int) -> list[int]:
    corners = [0, 1, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1]
    return corners + [rng.randrange(1 << width) for _ in range(6)]


@pytest.mark.parametrize("width", [1, 8, 16, 32, 64])
@pytest.mark.parametrize("op", OPERATIONS)
def test_folding_is_what_the_solver_says(op: str, width: int) -> None:
    rng = random.Random(f"{op} {width}")
    for a in _values(rng, width):
        for b in _values(rng, width):
            x, y = number(a, width), number(b, width)
            folded = arithmetic(op, x, y, width)
            if folded is None:
                assert width == 1
                continue
            symbolic = arithmetic(op, term(x, width), term(y, width), width)
            assert symbolic is not None
            assert z3.is_true(z3.simplify(equal(term(folded, width), symbolic, width))), (op, a, b)


@pytest.mark.parametrize("width", [1, 8, 32, 64])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparisons_are_what_the_solver_says(predicate: str, width: int) -> None:
    rng = random.Random(f"{predicate} {width}")
    for a in _values(rng, width):
        for b in _values(rng, width):
            x, y = number(a, width), number(b, width)
            symbolic = compare(predicate, term(x, width), term(y, width), width)
            assert z3.is_true(z3.simplify(symbolic)) is bool(compare(predicate, x, y, width)), (a, b)


@pytest.mark.parametrize("is_signed", [False, True])
@pytest.mark.parametrize(("width", "to"), [(1, 8), (8, 1), (8, 32), (32, 8), (32, 64), (64, 32)])
def test_resizing(width: int, to: int, is_signed: bool) -> None:
    rng = random.Random(width * to)
    for a in _values(rng, width):
        folded = resize(number(a, width), width, to, is_signed)
        symbolic = resize(term(number(a, width), width), width, to, is_signed)
        assert z3.is_true(z3.simplify(equal(term(folded, to), symbolic, to)))


def test_bytes_come_apart_and_together() -> None:
    value = 0x1122334455667788
    assert part(value, 8, 0, 1) == 0x88
    assert part(value, 8, 6, 2) == 0x1122
    assert joined([part(value, 8, i, 1) for i in range(8)]) == value
    unknown = z3.BitVec("v", 64)
    assert z3.eq(joined([part(unknown, 8, i, 1) for i in range(8)]), unknown)
    assert as_bytes(True, 1, 1) == 1
