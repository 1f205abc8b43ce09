"""The text of the IR, one line per instruction."""

from __future__ import annotations

import pytest

from raceproof.core import SourcePos
from raceproof.ir import (
    Address,
    Alloca,
    ArrayType,
    Binary,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Compute,
    ExternalFunction,
    Extract,
    Fence,
    Function,
    Gep,
    GlobalVariable,
    IndexTerm,
    IndirectJump,
    InitialCell,
    Instr,
    IntConst,
    IntType,
    Jump,
    Load,
    Member,
    MemoryOrder,
    Origin,
    OtherConst,
    Param,
    Phi,
    Program,
    PtrType,
    Reg,
    Return,
    Rmw,
    Select,
    SiteId,
    SourceKind,
    SourceType,
    Store,
    Switch,
    Terminator,
    TypeId,
    Unreachable,
    Variable,
    VoidType,
    format_function,
    format_instr,
    format_program,
)
from raceproof.ir.operands import operands, result

I32, I64, PTR = IntType(32, 4), IntType(64, 8), PtrType(8)
S, R, P, X = SiteId(7), Reg("1"), Reg("p"), Address("x", 4)
HERE = SourcePos("a.c", 3, 5)
ONE = IntConst(1, 32)
RELAXED, ACQUIRE, RELEASE = MemoryOrder.RELAXED, MemoryOrder.ACQUIRE, MemoryOrder.RELEASE

CASES: list[tuple[Instr | Terminator, str]] = [
    (Alloca(S, HERE, R, I32, ONE), "%1 = alloca i32, 1"),
    (Load(S, HERE, R, I32, X, None, False), "%1 = load i32, @x+4"),
    (Load(S, HERE, R, I32, P, ACQUIRE, True), "%1 = load volatile acquire i32, %p{s}"),
    (Store(S, HERE, I32, ONE, P, None, False), "store i32 1, %p{s}"),
    (Store(S, HERE, I32, ONE, P, RELEASE, True), "store volatile release i32 1, %p{s}"),
    (Rmw(S, HERE, R, "add", I32, P, ONE, RELAXED), "%1 = rmw add monotonic i32 %p{s}, 1"),
    (
        CompareExchange(S, HERE, R, I32, P, ONE, Reg("2"), RELEASE, RELAXED, True),
        "%1 = cmpxchg weak release monotonic i32 %p{s}, 1 -> %2",
    ),
    (Fence(S, HERE, MemoryOrder.SEQ_CST), "fence seq_cst"),
    (Gep(S, HERE, R, P, 8, (), I32), "%1 = gep %p{s} + 8  in i32"),
    (Gep(S, HERE, R, P, 0, (), I32), "%1 = gep %p{s} + 0  in i32"),
    (
        Gep(S, HERE, R, P, 0, (IndexTerm(Reg("2"), 4, 10), IndexTerm(Reg("3"), 1, None)), ArrayType(10, I32, 40)),
        "%1 = gep %p{s} + %2 * 4 (< 10) + %3 * 1  in [10 x i32]",
    ),
    (Cast(S, HERE, R, "sext", Reg("2"), I32, I64), "%1 = sext i32 %2 to i64"),
    (Binary(S, HERE, R, "add", I32, Reg("2"), ONE, True, False), "%1 = add nsw i32 %2, 1"),
    (Compare(S, HERE, R, "slt", I32, Reg("2"), ONE), "%1 = icmp slt i32 %2, 1"),
    (Select(S, HERE, R, Reg("2"), ONE, P), "%1 = select %2, 1, %p{s}"),
    (Phi(S, HERE, R, I32, ((ONE, "a"), (P, "b"))), "%1 = phi i32 [1, a], [%p{s}, b]"),
    (Call(S, HERE, R, I32, Address("f"), (P, ONE), (PTR, I32), False), "%1 = call i32 @f(ptr %p{s}, i32 1)"),
    (Call(S, HERE, None, VoidType(), P, (), (), True), "call void %p{s}() noreturn"),
    (
        Call(S, HERE, None, VoidType(), Address("f"), (X,), (PTR,), False, ((0, 80),)),
        "call void @f(ptr byval(80) @x+4)",
    ),
    (Extract(S, HERE, R, Reg("2"), (1, 0)), "%1 = extract %2, 1, 0"),
    (Compute(S, HERE, R, "fadd", (Reg("2"), OtherConst("1.0"))), "%1 = fadd %2, 1.0"),
    (Jump(S, HERE, "a"), "jump a"),
    (Branch(S, HERE, Reg("2"), "a", "b"), "branch %2, a, b"),
    (Switch(S, HERE, Reg("2"), "d", ((-1, "a"), (2, "b"))), "switch %2 [-1: a, 2: b] else d"),
    (IndirectJump(S, HERE, P, ("a", "b")), "jump *%p{s} [a, b]"),
    (Return(S, HERE, None), "return"),
    (Return(S, HERE, ONE), "return 1"),
    (Unreachable(S, HERE), "unreachable"),
]

FUNCTION = Function(
    "f.1",
    "f",
    (Param("p", PTR, I64), Param("n", I32)),
    I32,
    True,
    (Block("0", (Load(SiteId(1), HERE, R, I32, X, None, False),), Return(SiteId(2), None, R)),),
    {"p": Variable("s", None)},
    SourcePos("a.c", 2),
)


@pytest.mark.parametrize(("instr", "text"), CASES, ids=[type(i).__name__ for i, _ in CASES])
def test_instructions(instr: Instr | Terminator, text: str) -> None:
    assert format_instr(instr, FUNCTION) == f"#7         3:5  {text}"


def test_every_instruction_is_covered() -> None:
    kinds = {type(i) for i, _ in CASES}
    assert kinds == set(Instr.__args__) | set(Terminator.__args__)


@pytest.mark.parametrize(("instr", "text"), CASES, ids=[type(i).__name__ for i, _ in CASES])
def test_operands_and_result_are_those_of_the_text(instr: Instr | Terminator, text: str) -> None:
    """An oracle for `operands`: the registers that it lists are the ones that the line shows."""
    _, _, right = text.rpartition(" = ")
    assert all(str(o).split("+")[0] in right for o in operands(instr) if isinstance(o, Reg | Address))
    assert right.count("%") == sum(isinstance(o, Reg) for o in operands(instr))
    assert (result(instr) is not None) == text.startswith("%1 = ")


def test_positions() -> None:
    other = SourcePos("b.h", 9, 1)
    assert format_instr(Unreachable(S, None), FUNCTION) == "#7           -  unreachable"
    assert format_instr(Unreachable(S, other), FUNCTION) == "#7     b.h:9:1  unreachable"
    assert format_instr(Unreachable(S, SourcePos("a.c", 3)), FUNCTION) == "#7           3  unreachable"
    assert format_instr(Unreachable(S, HERE)) == "#7     a.c:3:5  unreachable", "without a function the file is shown"


def test_function() -> None:
    assert format_function(FUNCTION) == (
        "define i32 @f.1 {f}(ptr byval(i64) %p{s}, i32 %n, ...)  ; a.c:2\n"
        "0:\n"
        "  #1         3:5  %1 = load i32, @x+4\n"
        "  #2           -  return %1\n"
    )


def test_program() -> None:
    cells = (InitialCell(0, 8, X), InitialCell(8, 4, ONE))
    table = ArrayType(4, I32, 16)
    program = Program(
        functions={"f.1": FUNCTION},
        externals={"printf": ExternalFunction("printf", (PTR,), I32, True)},
        globals={
            "x": GlobalVariable("x", "x", table, TypeId(2), False, False, False, cells, False, SourcePos("a.c", 1)),
            "f.t": GlobalVariable("f.t", "t", I32, None, False, True, False, (), True, None),
            "e": GlobalVariable("e", "e", I32, None, False, False, True, (), False, None),
            "s": GlobalVariable("s", "s", table, None, True, False, False, (), False, None, "a\n"),
        },
        source_types={
            TypeId(2): SourceType(SourceKind.ARRAY, "int[4]", 16, (), TypeId(1), 4),
            TypeId(1): SourceType(SourceKind.BASE, "int", 4),
            TypeId(3): SourceType(SourceKind.STRUCT, "struct b", 4, (Member("m", 0, TypeId(1), 3, 5),)),
        },
        entry="main",
        pointer_size=8,
        origin=Origin(("a.c",), (), "LP64"),
    )
    assert format_program(program) == (
        "entry @main, 64-bit\n\n"
        "type 1 = base 'int' size 4\n"
        "type 2 = array 'int[4]' size 16 of 1 count 4\n"
        "type 3 = struct 'struct b' size 4 {m @0 bits 5:3: 1}\n\n"
        "@x = global [4 x i32], type 2, {+0: @x+4, +8: 1, ...}  ; a.c:1\n"
        "@f.t {t} = global thread_local i32, zero\n"
        "@e = global external i32\n"
        "@s = constant [4 x i32], text 'a\\n'\n\n"
        "declare i32 @printf(ptr, ...)\n\n" + format_function(FUNCTION)
    )
