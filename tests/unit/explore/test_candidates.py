from __future__ import annotations

from dataclasses import replace

from unit.handmade import program

from raceproof.explore.candidates import candidates
from raceproof.ir import (
    Block,
    Compare,
    ExternalFunction,
    Function,
    IntConst,
    IntType,
    Program,
    Reg,
    SiteId,
    Switch,
    VoidType,
)

I32 = IntType(32, 4)


def with_inputs(*names: str) -> Program:
    """`main` compares with 10 and switches on 100."""
    compare = Compare(SiteId(1), None, Reg("c"), "slt", I32, Reg("x"), IntConst(10, 32))
    block = Block("entry", (compare,), Switch(SiteId(2), None, Reg("x"), "entry", ((100, "entry"),)))
    main = Function("main", "main", (), VoidType(), False, (block,), {}, None)
    externals = {name: ExternalFunction(name, (), I32, False) for name in names}
    return replace(program(), functions={"main": main}, externals=externals)


def test_without_inputs_there_is_nothing_to_try() -> None:
    assert candidates(with_inputs("rand")) == ()


def test_constants_neighbours_and_extremes() -> None:
    found = candidates(with_inputs("__VERIFIER_nondet_int"))
    values = [value for _, value in found]
    assert values[:3] == [0, 1, -1]
    assert {9, 10, 11, 99, 100, 101, 2**31 - 1, -(2**31), 2**32 - 1} <= set(values)
    assert len(values) == len(set(values))
    assert 2**63 - 1 not in values


def test_each_value_says_how_wide_it_is() -> None:
    bits = {value: bits for bits, value in candidates(with_inputs("__VERIFIER_nondet_bool", "__VERIFIER_nondet_ulong"))}
    assert (bits[0], bits[1], bits[-1], bits[100]) == (1, 1, 8, 8)
    assert (bits[2**64 - 1], bits[-(2**63)]) == (64, 64)
