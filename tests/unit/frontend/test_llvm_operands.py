"""Constants are folded to integers and addresses; what cannot be folded still names its addresses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from raceproof.ir import Address, Gep, IndexTerm, Instr, IntConst, OtherConst, Reg, Store, Terminator

ParseBody = Callable[..., list[Instr | Terminator]]


def stored(parse_body: ParseBody, operand: str, bits: int = 64) -> object:
    (store,) = parse_body(f"store {operand}, ptr %p, align 1", bits=bits)
    assert isinstance(store, Store)
    return store.value


@pytest.mark.parametrize(
    ("operand", "value"),
    [
        ("i32 5", IntConst(5, 32)),
        ("i8 -1", IntConst(-1, 8)),
        ("i1 true", IntConst(1, 1)),
        ("i1 false", IntConst(0, 1)),
        ("i128 170141183460469231731687303715884105727", IntConst(2**127 - 1, 128)),
        ("ptr null", IntConst(0, 64)),
        ("i32 %i", Reg("i")),
        ("ptr @g", Address("g")),
        ("ptr @f", Address("f")),
        ("i32 undef", OtherConst("undef")),
        ("i32 poison", OtherConst("poison")),
        ("float 1.250000e+00", OtherConst("1.250000e+00")),
        ("double 0x7FF0000000000000", OtherConst("0x7FF0000000000000")),
        ("x86_fp80 0xK3FFFC000000000000000", OtherConst("0xK3FFFC000000000000000")),
        ("%struct.S zeroinitializer", OtherConst("zeroinitializer")),
        ("<2 x i32> <i32 1, i32 -2>", OtherConst("<1, -2>")),
        ("<2 x i32> splat (i32 7)", OtherConst("splat(7)")),
        ("{ ptr, i32 } { ptr @h, i32 1 }", OtherConst("{@h, 1}", (Address("h"),))),
        ("<{ i8, ptr }> <{ i8 1, ptr @h }>", OtherConst("<{1, @h}>", (Address("h"),))),
        ("[2 x ptr] [ptr @h, ptr @h]", OtherConst("[@h, @h]", (Address("h"),))),
        ('[3 x i8] c"a, \\00"', OtherConst('c"a, \\00"')),
        ("ptr blockaddress(@test, %0)", OtherConst("blockaddress(@test,%0)")),
        ("ptr no_cfi @f", Address("f")),
    ],
)
def test_simple_constants(parse_body: ParseBody, operand: str, value: object) -> None:
    assert stored(parse_body, operand) == value


def test_null_has_the_width_of_a_pointer(parse_body: ParseBody) -> None:
    assert stored(parse_body, "ptr null", bits=32) == IntConst(0, 32)


def computed(text: str, *symbols: str) -> OtherConst:
    return OtherConst(text, tuple(map(Address, symbols)), is_anywhere=True)


@pytest.mark.parametrize(
    ("operand", "value"),
    [
        ("ptr getelementptr inbounds nuw (%struct.S, ptr @g, i32 0, i32 2)", Address("g", 16)),
        ("ptr getelementptr (i8, ptr @g, i64 12)", Address("g", 12)),
        ("ptr getelementptr inbounds ([10 x i32], ptr @g, i64 1, i64 -2)", Address("g", 32)),
        ("ptr getelementptr inbounds inrange(-8, 8) (i32, ptr @g, i64 1)", Address("g", 4)),
        ("ptr getelementptr (i8, ptr getelementptr (i8, ptr @g, i64 4), i64 4)", Address("g", 8)),
        ("ptr getelementptr (%struct.S, ptr null, i32 0, i32 3)", IntConst(24, 64)),
        ("i64 ptrtoint (ptr @g to i64)", Address("g")),
        ("i64 add (i64 ptrtoint (ptr @g to i64), i64 3)", Address("g", 3)),
        ("i64 add (i64 3, i64 ptrtoint (ptr @g to i64))", Address("g", 3)),
        ("i64 sub (i64 ptrtoint (ptr @g to i64), i64 3)", Address("g", -3)),
        (
            "i64 sub nuw (i64 ptrtoint (ptr getelementptr (i8, ptr @g, i64 8) to i64), i64 ptrtoint (ptr @g to i64))",
            IntConst(8, 64),
        ),
        ("ptr inttoptr (i64 4096 to ptr)", IntConst(4096, 64)),
        ("ptr inttoptr (i64 add (i64 ptrtoint (ptr @g to i64), i64 1) to ptr)", Address("g", 1)),
        ("ptr addrspacecast (ptr addrspace(1) null to ptr)", IntConst(0, 64)),
        ("ptr bitcast (ptr @g to ptr)", Address("g")),
        ("i32 trunc (i64 4294967295 to i32)", IntConst(-1, 32)),
        ("i64 zext (i8 -1 to i64)", IntConst(255, 64)),
        ("i32 xor (i32 5, i32 1)", IntConst(4, 32)),
        ("i32 mul (i32 5, i32 -2)", IntConst(-10, 32)),
        ("i32 shl (i32 1, i32 31)", IntConst(-(2**31), 32)),
        (
            "i32 trunc (i64 ptrtoint (ptr @g to i64) to i32)",
            computed("trunc ( i64 ptrtoint ( ptr @g to i64 ) to i32 )", "g"),
        ),
        (
            "i64 sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr @h to i64))",
            computed("sub ( i64 ptrtoint ( ptr @g to i64 ) , i64 ptrtoint ( ptr @h to i64 ) )", "g", "h"),
        ),
        (
            "ptr getelementptr (i8, ptr @g, i64 ptrtoint (ptr @h to i64))",
            computed("getelementptr ( i8 , ptr @g , i64 ptrtoint ( ptr @h to i64 ) )", "g", "h"),
        ),
    ],
)
def test_constant_expressions(parse_body: ParseBody, operand: str, value: object) -> None:
    assert stored(parse_body, operand) == value


@pytest.mark.parametrize(
    ("text", "offset", "terms"),
    [
        ("%struct.S, ptr %p, i32 0, i32 0", 0, ()),
        ("%struct.S, ptr %p, i32 0, i32 2", 16, ()),
        ("%struct.S, ptr %p, i64 2, i32 3", 88, ()),
        ("i32, ptr %p, i64 -1", -4, ()),
        ("i32, ptr %p", 0, ()),
        ("i32, ptr %p, i32 %i", 0, (IndexTerm(Reg("i"), 4, None),)),
        ("[10 x i32], ptr %p, i64 0, i64 %n", 0, (IndexTerm(Reg("n"), 4, 10),)),
        (
            "[3 x [4 x i16]], ptr %p, i64 %n, i32 %i, i64 1",
            2,
            (IndexTerm(Reg("n"), 24, None), IndexTerm(Reg("i"), 8, 3)),
        ),
        ("%struct.S, ptr %p, i64 %n, i32 2, i64 %n", 16, (IndexTerm(Reg("n"), 32, None), IndexTerm(Reg("n"), 2, 4))),
        ("[0 x i32], ptr %p, i64 0, i64 %n", 0, (IndexTerm(Reg("n"), 4, None, is_flexible=True),)),
        ("[1 x i32], ptr %p, i64 0, i64 %n", 0, (IndexTerm(Reg("n"), 4, None),)),
        ("{ i32, [1 x i32] }, ptr %p, i64 0, i32 1, i64 %n", 4, (IndexTerm(Reg("n"), 4, None),)),
        ("{}, ptr %p, i64 %n", 0, ()),
        ("<4 x float>, ptr %p, i64 0, i64 %n", 0, (IndexTerm(Reg("n"), 4, 4),)),
        ("x86_fp80, ptr %p, i64 %n", 0, (IndexTerm(Reg("n"), 16, None),)),
    ],
)
def test_getelementptr_is_flattened(
    parse_body: ParseBody, text: str, offset: int, terms: tuple[IndexTerm, ...]
) -> None:
    for flags in ("", "inbounds ", "inbounds nuw ", "nusw "):
        (gep,) = parse_body(f"%1 = getelementptr {flags}{text}")
        assert isinstance(gep, Gep)
        assert (gep.base, gep.offset, gep.terms) == (Reg("p"), offset, terms)


def test_getelementptr_keeps_its_source_type(parse_body: ParseBody) -> None:
    (gep,) = parse_body("%1 = getelementptr inbounds %struct.S, ptr @g, i32 0, i32 1")
    assert isinstance(gep, Gep)
    assert (str(gep.source), gep.base, gep.offset) == ("%struct.S", Address("g"), 8)
