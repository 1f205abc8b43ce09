"""Sizes and offsets must be those of LLVM."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from raceproof.core import Unsupported
from raceproof.frontend.llvm_lexer import tokenize
from raceproof.frontend.llvm_types import DataLayout, TypeTable
from raceproof.ir import ArrayType, IntType, IrType, StructType

X86_64 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
X86_32 = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"
AARCH64 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
ARM = "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64"

STRUCTS = {
    "%a": "{ i8, i16, i8, i32, i8, i64 }",
    "%b": "{ i8, double, i8, x86_fp80, i8 }",
    "%c": "<{ i8, i32, %a, i16 }>",
    "%d": "{ i8, %c, ptr, [3 x %a], i1 }",
    "%e": "{ i8, <4 x float>, <3 x i16>, i24, i8 }",
    "%f": "{ i128, i8, fp128, half, bfloat }",
    "%g": "{}",
    "%h": "{ i8, %g, { i8, i64 }, <{ i8, i64 }>, [0 x i64] }",
    '%"odd name"': "{ i8, [5 x { i8, float }] }",
    "%i": "{ i65, i8, i7, <2 x ptr>, <4 x i1> }",
}


def parse(text: str, layout: str = X86_64, structs: dict[str, str] | None = None) -> IrType:
    type_, at = TypeTable(DataLayout.parse(layout), structs or {}).parse(tokens := tokenize(text), 0)
    assert tokens[at] == ""
    return type_


@pytest.mark.parametrize("layout", [X86_64, X86_32, AARCH64, ARM])
def test_layout_agrees_with_llvm(layout: str) -> None:
    definitions = "\n".join(f"{name} = type {text}" for name, text in STRUCTS.items())
    uses = "\n".join(f"@x{i} = global {name} zeroinitializer" for i, name in enumerate(STRUCTS))
    module = llvm.parse_assembly(f'target datalayout = "{layout}"\n{definitions}\n{uses}\n')
    target = llvm.create_target_data(layout)
    ours = TypeTable(DataLayout.parse(layout), STRUCTS)
    for i, name in enumerate(STRUCTS):
        theirs = module.get_global_variable(f"x{i}").global_value_type
        mine, _ = ours.parse([name, ""], 0)
        assert isinstance(mine, StructType)
        assert ours.padded_size(mine) == target.get_abi_size(theirs), name
        assert mine.offsets == tuple(target.get_element_offset(theirs, k) for k in range(len(mine.fields))), name


def test_an_integer_is_as_long_as_its_access() -> None:
    assert parse("i24") == IntType(24, 3)
    assert parse("i1") == IntType(1, 1)
    assert parse("[4 x i24]").size == 16


def test_pointer_size_follows_the_layout() -> None:
    assert parse("ptr").size == 8
    assert parse("ptr", X86_32).size == 4
    assert parse("ptr addrspace(1)").size == 8


def test_long_double_counts_with_its_padding() -> None:
    assert parse("x86_fp80").size == 16
    assert parse("x86_fp80", X86_32).size == 12


def test_named_and_literal_structs() -> None:
    structs = {"%struct.node": "{ i32, ptr }", "%struct.opaque": "opaque"}
    assert parse("%struct.node", structs=structs) == StructType("struct.node", (parse("i32"), parse("ptr")), (0, 8), 16)
    assert parse("{ i32, ptr }") == StructType("", (parse("i32"), parse("ptr")), (0, 8), 16)
    assert parse("%struct.opaque", structs=structs) == StructType("struct.opaque", (), (), 0)
    assert parse("[2 x %struct.node]", structs=structs).size == 32


def test_a_struct_may_use_a_later_one() -> None:
    outer = parse("%a", structs={"%a": "{ i8, %b }", "%b": "{ i64 }"})
    assert isinstance(outer, StructType)
    assert outer.offsets == (0, 8)


def test_equal_types_are_one_object() -> None:
    table = TypeTable(DataLayout.parse(X86_64), {})
    first, _ = table.parse(tokenize("[3 x { i8, ptr }]"), 0)
    second, _ = table.parse(tokenize("[3 x { i8, ptr }]"), 0)
    assert first is second
    assert isinstance(first, ArrayType)


@pytest.mark.parametrize("text", ["<vscale x 4 x i32>", 'target("spirv.Image")', "x86_amx"])
def test_unknown_types_are_refused(text: str) -> None:
    with pytest.raises(Unsupported):
        parse(text)


@pytest.mark.parametrize("text", ["[4 x i32", "{ i32, ptr", "[i32]", "%missing", "<{ i8 }", "[2 y i8]"])
def test_malformed_types_are_refused(text: str) -> None:
    with pytest.raises((ValueError, IndexError, Unsupported)):
        parse(text)
