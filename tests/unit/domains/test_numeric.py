"""What the numeric domains must find out, by example."""

from __future__ import annotations

import pickle

import pytest

from raceproof.core import InternalError
from raceproof.domains import (
    BOOL,
    INT32,
    UINT8,
    UINT32,
    AnyValue,
    Binary,
    Cast,
    Const,
    Expr,
    LinearExpr,
    NumericDomain,
    Op,
    SignedOverflow,
    State,
    Unary,
    UnaryOp,
    Variable,
    between,
    intervals,
    octagons,
    polyhedra,
)
from raceproof.domains.values import hull

INDEX, J, N = (Variable(name, INT32) for name in "ijn")
U, V = Variable("u", UINT32), Variable("v", UINT32)
FLAG = Variable("flag", BOOL)
DOMAINS = [intervals(), octagons([(INDEX, J, N), (U, V)])]


def number(value: int) -> Const:
    return Const(value, INT32)


def less(left: Expr, right: Expr) -> Expr:
    return Binary(Op.LT, left, right)


def assume_all(domain: NumericDomain, *conditions: Expr) -> State:
    state = domain.top()
    for condition in conditions:
        state = domain.assume(state, condition)
    return state


def counting_loop(domain: NumericDomain) -> State:
    """The invariant of `for (i = 0; i < n; i++)` with n > 0, as an engine computes it."""
    entry = domain.assign(domain.assume(domain.top(), Binary(Op.GT, N, number(0))), INDEX, number(0))
    head = entry
    while True:
        body = domain.assign(domain.assume(head, less(INDEX, N)), INDEX, Binary(Op.ADD, INDEX, number(1)))
        new = domain.join(entry, body)
        if domain.leq(new, head):
            return domain.narrow(head, new)
        head = domain.widen(head, new)


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda d: d.name)
def test_a_loop_leaves_its_bound(domain: NumericDomain) -> None:
    head = counting_loop(domain)
    assert domain.bounds(head, LinearExpr.variable(INDEX)) == (0, INT32.high)
    leaving = domain.assume(head, less(INDEX, N), truth=False)
    low, high = domain.bounds(leaving, LinearExpr.difference(INDEX, N)) or (0, 1)
    assert (low, high) == ((0, 0) if domain.name == "octagons" else (1 - INT32.high, INT32.high - 1))


def test_octagons_follow_differences_through_assignments() -> None:
    domain = octagons([(INDEX, J, N)])
    state = domain.assume(domain.top(), less(INDEX, J))
    state = domain.assign(state, N, Binary(Op.SUB, J, number(1)))
    assert domain.bounds(state, LinearExpr.difference(INDEX, N)) == (-(2**32) + 2, 0)
    assert domain.is_bottom(domain.assume(state, less(N, INDEX)))


def test_octagons_prove_that_an_equal_index_is_impossible() -> None:
    domain = octagons([(INDEX, J)])
    state = assume_all(domain, less(INDEX, J))
    assert domain.is_bottom(domain.assume(state, Binary(Op.EQ, INDEX, J)))
    assert not domain.is_bottom(domain.assume(assume_all(intervals(), less(INDEX, J)), Binary(Op.EQ, INDEX, J)))


def test_unsigned_subtraction_wraps_and_keeps_the_relation_where_it_always_does() -> None:
    domain = octagons([(U, V)])
    one, two = Const(1, UINT32), Const(2, UINT32)
    zero_or_one = domain.assume(domain.top(), Binary(Op.LT, U, two))
    assert domain.value(domain.assign(zero_or_one, V, Binary(Op.SUB, U, one)), V) == hull([0, 2**32 - 1])
    small = domain.assume(domain.top(), Binary(Op.LT, U, Const(100, UINT32)))
    always = domain.assign(small, V, Binary(Op.SUB, U, Const(200, UINT32)))
    assert domain.bounds(always, LinearExpr.difference(V, U)) == (2**32 - 200, 2**32 - 200)
    sometimes = domain.assign(small, V, Binary(Op.SUB, U, Const(50, UINT32)))
    assert domain.bounds(sometimes, LinearExpr.variable(V)) == (0, 2**32 - 1)


def test_signed_overflow_is_excluded_or_wraps() -> None:
    more = Binary(Op.ADD, INDEX, number(1))
    undefined, wraps = intervals(), intervals(overflow=SignedOverflow.WRAPS)
    for domain, expected in ((undefined, (1, INT32.high)), (wraps, (INT32.low, INT32.high))):
        positive = domain.assume(domain.top(), Binary(Op.GE, INDEX, number(0)))
        assert domain.bounds(domain.assign(positive, INDEX, more), LinearExpr.variable(INDEX)) == expected


def test_flags_and_masks() -> None:
    domain = intervals()
    state = domain.assign(domain.top(), FLAG, AnyValue(BOOL))
    assert domain.value(domain.assume(state, FLAG), FLAG) == hull([1])
    assert domain.value(domain.assume(state, Unary(UnaryOp.NOT, FLAG)), FLAG) == hull([0])
    masked = domain.assign(domain.top(), U, Binary(Op.AND, V, Const(3, UINT32)))
    masked = domain.assume(masked, Binary(Op.NE, Binary(Op.AND, U, Const(1, UINT32)), Const(0, UINT32)))
    assert domain.value(masked, U) == hull([1, 3])
    odd = domain.assume(domain.top(), Binary(Op.AND, V, Const(1, UINT32)))
    assert (domain.value(odd, V).modulus, domain.value(odd, V).residue) == (2, 1)


def test_state_machines_keep_their_states() -> None:
    """while (...) switch (s) { 0 -> 2, 2 -> 5, 5 -> 0 }: never 1, 3 or 4."""
    domain = intervals()
    head = domain.assign(domain.top(), INDEX, number(0))
    for _ in range(10):
        moves = [(0, 2), (2, 5), (5, 0)]
        following = [
            domain.assign(domain.assume(head, Binary(Op.EQ, INDEX, number(old))), INDEX, number(new))
            for old, new in moves
        ]
        for state in following:
            head = domain.widen(head, domain.join(head, state))
    assert domain.value(head, INDEX) == hull([0, 2, 5])


def test_comparisons_under_casts_and_negations_are_understood() -> None:
    domain = octagons([(INDEX, J)])
    as_clang_does = Binary(Op.NE, Cast(INT32, Unary(UnaryOp.NOT, less(INDEX, J))), number(0))
    assert domain.bounds(domain.assume(domain.top(), as_clang_does), LinearExpr.difference(INDEX, J))[0] == 0
    assert domain.bounds(domain.assume(domain.top(), as_clang_does, False), LinearExpr.difference(INDEX, J))[1] == -1


def test_logical_operators() -> None:
    domain = intervals()
    inside = Binary(Op.LOGICAL_AND, less(number(0), INDEX), less(INDEX, number(100)))
    assert domain.bounds(domain.assume(domain.top(), inside), LinearExpr.variable(INDEX)) == (1, 99)
    outside = domain.assume(domain.assume(domain.top(), inside, False), less(INDEX, number(50)))
    assert domain.bounds(outside, LinearExpr.variable(INDEX)) == (INT32.low, 49)
    assert domain.is_bottom(domain.assume(domain.assume(domain.top(), inside), inside, False))


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda d: d.name)
def test_meld_of_example_2(domain: NumericDomain) -> None:
    """[TX, Example 2]: the mover sets x to 10; the other thread knew x = l and l = 5."""
    x, local = INDEX, J
    mover = domain.assign(domain.assign(domain.top(), x, number(5)), x, number(10))
    other = domain.assume(domain.assign(domain.top(), local, number(5)), Binary(Op.EQ, x, local))
    melded = domain.meld(mover, other, [x])
    assert domain.value(melded, x) == hull([10])
    assert domain.value(melded, local) == hull([5])


def test_meld_keeps_what_relates_to_unchanged_variables() -> None:
    domain = octagons([(INDEX, J, N)])
    mover = domain.assign(domain.top(), INDEX, number(10))
    other = domain.assume(domain.top(), Binary(Op.EQ, J, N))  # N shared and not written by the mover, J local
    assert domain.bounds(domain.meld(mover, other, [INDEX, N], [INDEX]), LinearExpr.difference(J, N)) == (0, 0)
    assert domain.bounds(domain.meld(mover, other, [INDEX, N]), LinearExpr.difference(J, N)) != (0, 0)


def test_the_invariants_of_figure_1() -> None:
    """[TX, Fig. 1]: with pg_count >= LIMIT at b3 and < LIMIT at a12 both cannot be."""
    domain = intervals()
    count, limit = Variable("pg_count", INT32), number(8)
    at_b3 = domain.assume(domain.top(), Binary(Op.GE, count, limit))
    at_a12 = domain.assume(domain.top(), Binary(Op.GE, count, limit), truth=False)
    assert domain.describe(at_b3) == ("pg_count >= 8",)
    assert domain.describe(at_a12) == ("pg_count <= 7",)
    assert domain.is_bottom(domain.meet(at_a12, at_b3))


def test_renaming_moves_relations_to_other_packs() -> None:
    domain = octagons([(INDEX, J), (J, N)])
    state = assume_all(domain, less(INDEX, J))
    renamed = domain.rename(state, {INDEX: J, J: N})
    assert domain.bounds(renamed, LinearExpr.difference(J, N))[1] == -1
    assert domain.bounds(renamed, LinearExpr.variable(INDEX)) == (INT32.low, INT32.high)
    with pytest.raises(InternalError):
        domain.rename(state, {INDEX: U})


def test_lifting_keeps_what_the_cheaper_domain_found() -> None:
    cheap, dear = octagons([(INDEX, J)]), octagons([(INDEX, J, N)])
    lifted = dear.lift(assume_all(cheap, less(INDEX, J), less(number(0), INDEX)))
    assert dear.bounds(lifted, LinearExpr.difference(INDEX, J))[1] == -1
    assert dear.bounds(lifted, LinearExpr.variable(J)) == (2, INT32.high)
    assert dear.is_bottom(dear.lift(cheap.bottom()))


def test_elements_can_be_taken_apart_and_built_again() -> None:
    domain = octagons([(INDEX, J)])
    state = assume_all(domain, less(number(0), INDEX), less(INDEX, J))
    assert domain.build(state.values, domain.constraints(state)) == state
    assert pickle.loads(pickle.dumps(state)) == state


def test_descriptions() -> None:
    domain = octagons([(INDEX, J)])
    state = assume_all(domain, less(number(0), INDEX), less(INDEX, number(10)), Binary(Op.EQ, INDEX, J))
    assert domain.describe(state) == ("1 <= i <= 9", "1 <= j <= 9", "i - j = 0")
    assert domain.describe(domain.bottom()) == ("unreachable",)
    assert domain.describe(domain.top()) == ()
    assert domain.describe(domain.assign(domain.top(), FLAG, Const(1, BOOL))) == ("flag = 1",)


def test_types_are_checked() -> None:
    with pytest.raises(InternalError):
        Binary(Op.ADD, INDEX, U)
    with pytest.raises(InternalError):
        Const(256, UINT8)
    with pytest.raises(InternalError):
        intervals().assign(intervals().top(), INDEX, U)


def test_shifts_out_of_range_may_give_anything() -> None:
    domain = intervals()
    state = domain.assign(domain.top(), U, Binary(Op.SHL, Const(1, UINT32), Const(32, UINT32)))
    assert domain.bounds(state, LinearExpr.variable(U)) == (0, UINT32.high)


def test_polyhedra_find_what_octagons_cannot() -> None:
    pytest.importorskip("ppl")
    three, one = number(3), number(1)
    found = {}
    for domain in (octagons([(INDEX, J, N)]), polyhedra([(INDEX, J, N)])):
        entry = domain.assign(domain.assign(domain.top(), INDEX, number(0)), J, number(0))
        head = entry
        while True:
            body = domain.assume(head, less(INDEX, N))
            body = domain.assign(domain.assign(body, INDEX, Binary(Op.ADD, INDEX, one)), J, Binary(Op.ADD, J, three))
            new = domain.join(entry, body)
            if domain.leq(new, head):
                break
            head = domain.widen(head, new)
        at_five = domain.assume(head, Binary(Op.EQ, INDEX, number(5)))
        found[domain.name] = domain.bounds(at_five, LinearExpr.variable(J))
    assert found["polyhedra"] == (15, 15)
    assert found["octagons"] != (15, 15)


def test_octagons_compare_what_sets_and_relations_say_together() -> None:
    x, y = Variable("x", INT32), Variable("y", INT32)
    domain = octagons([[x, y]])
    wide, narrow = (domain.build({x: between(low, 3)}, []) for low in (0, 1))
    assert domain.leq(State(narrow.values, wide.relations), narrow)
    assert not domain.leq(wide, narrow)
