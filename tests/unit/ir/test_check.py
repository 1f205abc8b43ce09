"""Every invariant is checked: each test breaks one of them in a program that is otherwise well formed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from raceproof.core import InternalError
from raceproof.ir import (
    Address,
    ArrayType,
    Binary,
    Block,
    Branch,
    ExternalFunction,
    Function,
    Gep,
    GlobalVariable,
    IndexTerm,
    InitialCell,
    Instr,
    IntConst,
    IntType,
    IrType,
    Jump,
    Load,
    Member,
    Operand,
    Origin,
    OtherConst,
    Param,
    Phi,
    Program,
    PtrType,
    Reg,
    Return,
    SiteId,
    SourceKind,
    SourceType,
    Store,
    StructType,
    Terminator,
    TypeId,
    Variable,
    VoidType,
    check_program,
)

I1, I32, PTR = IntType(1, 1), IntType(32, 4), PtrType(8)
X = Address("x")


def load(site: int, result: str, address: Operand = X) -> Load:
    return Load(SiteId(site), None, Reg(result), I32, address, None, False)


def add(site: int, result: str, left: Operand, right: Operand) -> Binary:
    return Binary(SiteId(site), None, Reg(result), "add", I32, left, right, False, False)


def store(site: int, value: Operand, address: Operand = X) -> Store:
    return Store(SiteId(site), None, I32, value, address, None, False)


def ret(site: int, value: Operand | None = None) -> Return:
    return Return(SiteId(site), None, value)


def block(label: str, terminator: Terminator, *body: Instr) -> Block:
    return Block(label, body, terminator)


def function(*blocks: Block, variables: Mapping[str, Variable] | None = None) -> Function:
    return Function("f", "f", (Param("c", I1), Param("p", PTR)), I32, False, blocks, variables or {}, None)


def global_variable(type_: IrType = I32, *cells: InitialCell) -> GlobalVariable:
    return GlobalVariable("x", "x", type_, None, False, False, False, cells, True, None)


def program(made: Function, variable: GlobalVariable | None = None) -> Program:
    return Program(
        functions={"f": made},
        externals={"g": ExternalFunction("g", (), VoidType(), False)},
        globals={"x": variable or global_variable()},
        source_types={TypeId(1): SourceType(SourceKind.BASE, "int", 4)},
        entry="main",
        pointer_size=8,
        origin=Origin((), (), "LP64"),
    )


def diamond(phi: Phi | None = None, *join: Instr) -> Function:
    """entry -> a, b -> end, with a value defined in each of a and b."""
    made = phi or Phi(SiteId(8), None, Reg("m"), I32, ((Reg("1"), "a"), (Reg("2"), "b")))
    return function(
        block("entry", Branch(SiteId(3), None, Reg("c"), "a", "b"), load(2, "0")),
        block("a", Jump(SiteId(5), None, "end"), add(4, "1", Reg("0"), IntConst(1, 32))),
        block("b", Jump(SiteId(7), None, "end"), add(6, "2", Reg("0"), IntConst(2, 32))),
        block("end", ret(20, made.result), made, *join),
    )


def assert_broken(broken: Program, invariant: str) -> None:
    with pytest.raises(InternalError, match=invariant):
        check_program(broken)


def test_well_formed_programs_pass() -> None:
    check_program(program(function(block("0", ret(2), load(1, "1")))))
    check_program(program(diamond()))


def test_a_missing_entry_is_not_our_bug() -> None:
    check_program(replace(program(diamond()), entry="nowhere"))


@pytest.mark.parametrize("site", [0, -1, 2])
def test_sites(site: int) -> None:
    assert_broken(program(function(block("0", ret(2), load(site, "1")))), "sites are positive and unique")


def test_jump_targets() -> None:
    assert_broken(program(function(block("0", Jump(SiteId(1), None, "1")))), "target of a jump")


def test_labels() -> None:
    assert_broken(program(function(block("0", ret(1)), block("0", ret(2)))), "labels are unique")
    assert_broken(program(function()), "has a block")


def test_registers_are_defined() -> None:
    assert_broken(program(function(block("0", ret(2, Reg("9"))))), "used is defined")


def test_registers_are_defined_once() -> None:
    assert_broken(program(function(block("0", ret(3), load(1, "1"), load(2, "1")))), "defined once")
    assert_broken(program(function(block("0", ret(3), load(1, "c")))), "defined once")


def test_definitions_come_first_in_a_block() -> None:
    use_before = block("0", ret(3), store(1, Reg("1")), load(2, "1"))
    assert_broken(program(function(use_before)), "dominates")


def test_definitions_dominate_uses_across_blocks() -> None:
    assert_broken(program(diamond(None, store(9, Reg("1")))), "dominates")


def test_a_definition_may_dominate_from_afar() -> None:
    check_program(program(diamond(None, store(9, Reg("0")), store(10, Reg("p")))))


def test_a_value_of_a_loop_may_come_around() -> None:
    phi = Phi(SiteId(2), None, Reg("i"), I32, ((IntConst(0, 32), "entry"), (Reg("n"), "loop")))
    loop = block("loop", Branch(SiteId(4), None, Reg("c"), "loop", "end"), phi, add(3, "n", Reg("i"), IntConst(1, 32)))
    check_program(
        program(function(block("entry", Jump(SiteId(1), None, "loop")), loop, block("end", ret(5, Reg("n")))))
    )


def test_unreachable_blocks_may_use_anything_defined() -> None:
    dead = block("dead", Jump(SiteId(3), None, "dead"), store(2, Reg("9")), load(4, "9"))
    check_program(program(function(block("0", ret(1)), dead)))


def test_reachable_code_may_not_use_values_of_unreachable_code() -> None:
    dead = block("dead", Jump(SiteId(3), None, "dead"), load(2, "9"))
    assert_broken(program(function(block("0", ret(1, Reg("9"))), dead)), "dominates")


def test_phis_match_predecessors() -> None:
    short = Phi(SiteId(8), None, Reg("m"), I32, ((Reg("1"), "a"),))
    wrong = Phi(SiteId(8), None, Reg("m"), I32, ((Reg("1"), "a"), (Reg("0"), "entry")))
    assert_broken(program(diamond(short)), "each predecessor")
    assert_broken(program(diamond(wrong)), "each predecessor")


def test_a_phi_value_is_there_at_the_end_of_its_block() -> None:
    swapped = Phi(SiteId(8), None, Reg("m"), I32, ((Reg("2"), "a"), (Reg("1"), "b")))
    assert_broken(program(diamond(swapped)), "dominates")


def test_phis_stand_first() -> None:
    late = Phi(SiteId(9), None, Reg("k"), I32, ((Reg("1"), "a"), (Reg("2"), "b")))
    assert_broken(program(diamond(None, load(10, "z"), late)), "phis stand first")


def test_symbols_exist() -> None:
    assert_broken(program(function(block("0", ret(2), load(1, "1", Address("nowhere"))))), "known symbol")
    hidden = OtherConst("{...}", (Address("nowhere"),))
    assert_broken(program(function(block("0", ret(2), store(1, hidden)))), "known symbol")
    check_program(program(function(block("0", ret(2), store(1, Address("g"))))))
    cell = InitialCell(0, 8, Address("nowhere"))
    assert_broken(program(diamond(), global_variable(PTR, cell)), "known symbol")


@pytest.mark.parametrize(("value", "bits"), [(2**31, 32), (-(2**31) - 1, 32), (2, 1), (0, 0)])
def test_constants_fit(value: int, bits: int) -> None:
    assert_broken(program(function(block("0", ret(2), store(1, IntConst(value, bits))))), "fits its width")


def test_initial_cells_lie_inside() -> None:
    assert_broken(program(diamond(), global_variable(I32, InitialCell(2, 4, IntConst(1, 32)))), "inside its global")


@pytest.mark.parametrize(
    "type_",
    [
        StructType("s", (I32, I32), (0,), 8),
        StructType("s", (I32, I32), (0, 2), 8),
        StructType("s", (I32, I32), (0, 4), 6),
        ArrayType(3, I32, 8),
        ArrayType(2, StructType("s", (PTR,), (4,), 8), 16),
    ],
)
def test_layouts_are_consistent(type_: IrType) -> None:
    assert_broken(program(diamond(), global_variable(type_)), "broken invariant")


@pytest.mark.parametrize("term", [IndexTerm(Reg("c"), 0, None), IndexTerm(Reg("c"), 4, -1)])
def test_index_terms(term: IndexTerm) -> None:
    gep = Gep(SiteId(1), None, Reg("1"), Address("x"), 0, (term,), I32)
    assert_broken(program(function(block("0", ret(2), gep))), "index term")


def test_source_variables_belong_to_registers() -> None:
    made = function(block("0", ret(1)), variables={"9": Variable("i", None)})
    assert_broken(program(made), "source variable")


def test_source_types_are_known() -> None:
    unknown = SourceType(SourceKind.STRUCT, "struct s", 4, (Member("m", 0, TypeId(7)),))
    assert_broken(replace(program(diamond()), source_types={TypeId(1): unknown}), "known types")
    typed = replace(global_variable(), source_type=TypeId(7))
    assert_broken(program(diamond(), typed), "source type of a global")


def test_names_are_keys() -> None:
    good = program(diamond())
    assert_broken(replace(good, functions={"h": good.functions["f"]}), "filed under its name")
    assert_broken(replace(good, globals={"y": good.globals["x"]}), "filed under its name")
    external = ExternalFunction("f", (), VoidType(), False)
    assert_broken(replace(good, externals={"f": external}), "not both")
