"""Every instruction that clang emits, one line each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from raceproof.core import Unsupported
from raceproof.ir import (
    Address,
    Alloca,
    Binary,
    Cast,
    Compare,
    CompareExchange,
    Compute,
    Extract,
    Fence,
    Instr,
    IntConst,
    Load,
    MemoryOrder,
    OtherConst,
    Reg,
    Rmw,
    Select,
    Store,
    Terminator,
)

ParseBody = Callable[..., list[Instr | Terminator]]


def one(parse_body: ParseBody, line: str) -> Instr | Terminator:
    (made,) = parse_body(line)
    return made


# --- loads and stores


@pytest.mark.parametrize(
    ("line", "type_", "order", "volatile"),
    [
        ("load i32, ptr %p, align 4", "i32", None, False),
        ("load volatile ptr, ptr %p, align 8", "ptr", None, True),
        ("load <4 x float>, ptr %p, align 16", "<4 x float>", None, False),
        ("load { i32, i1 }, ptr %p, align 4", "{i32, i1}", None, False),
        ("load atomic i32, ptr %p monotonic, align 4", "i32", MemoryOrder.RELAXED, False),
        ("load atomic i32, ptr %p unordered, align 4", "i32", MemoryOrder.UNORDERED, False),
        ("load atomic volatile i64, ptr %p acquire, align 8", "i64", MemoryOrder.ACQUIRE, True),
        ("load atomic float, ptr %p seq_cst, align 4", "float", MemoryOrder.SEQ_CST, False),
        ("load volatile i32, ptr %p, align 4, !raceproof.plain !7", "i32", None, False),
        ("load volatile i32, ptr %p, align 4, !dbg !9, !raceproof.plain !{}", "i32", None, False),
        ("load ptr, ptr %p, align 8, !nonnull !3, !align !4", "ptr", None, False),
    ],
)
def test_load(parse_body: ParseBody, line: str, type_: str, order: MemoryOrder | None, volatile: bool) -> None:
    load = one(parse_body, f"%1 = {line}")
    assert isinstance(load, Load)
    assert (load.result, str(load.type), load.address) == (Reg("1"), type_, Reg("p"))
    assert (load.order, load.volatile) == (order, volatile)


@pytest.mark.parametrize(
    ("line", "value", "order", "volatile"),
    [
        ("store i32 %i, ptr %p, align 4", Reg("i"), None, False),
        ("store volatile i32 1, ptr %p, align 4", IntConst(1, 32), None, True),
        ("store atomic i32 1, ptr %p release, align 4", IntConst(1, 32), MemoryOrder.RELEASE, False),
        ("store atomic volatile ptr @g, ptr %p seq_cst, align 8", Address("g"), MemoryOrder.SEQ_CST, True),
    ],
)
def test_store(parse_body: ParseBody, line: str, value: object, order: MemoryOrder | None, volatile: bool) -> None:
    store = one(parse_body, line)
    assert isinstance(store, Store)
    assert (store.value, store.address, store.order, store.volatile) == (value, Reg("p"), order, volatile)


def test_an_address_may_be_a_constant_expression(parse_body: ParseBody) -> None:
    store = one(parse_body, "store i32 1, ptr getelementptr inbounds (i32, ptr @g, i64 3), align 4")
    assert isinstance(store, Store)
    assert store.address == Address("g", 12)


# --- atomics


@pytest.mark.parametrize(
    "op",
    [
        *("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin"),
        *("uinc_wrap", "udec_wrap", "usub_cond", "usub_sat"),
    ],
)
def test_atomicrmw(parse_body: ParseBody, op: str) -> None:
    rmw = one(parse_body, f"%1 = atomicrmw {op} ptr %p, i32 3 acq_rel, align 4")
    assert isinstance(rmw, Rmw)
    assert (rmw.op, rmw.address, rmw.value, rmw.order) == (op, Reg("p"), IntConst(3, 32), MemoryOrder.ACQ_REL)


def test_atomicrmw_volatile_and_float(parse_body: ParseBody) -> None:
    rmw = one(parse_body, "%1 = atomicrmw volatile fadd ptr @h, float %f monotonic, align 4")
    assert isinstance(rmw, Rmw)
    assert (rmw.op, str(rmw.type), rmw.order) == ("fadd", "float", MemoryOrder.RELAXED)


@pytest.mark.parametrize("weak", [False, True])
def test_cmpxchg(parse_body: ParseBody, weak: bool) -> None:
    word = "weak " if weak else ""
    made = one(parse_body, f"%1 = cmpxchg {word}volatile ptr %p, i32 1, i32 %i release monotonic, align 4")
    assert isinstance(made, CompareExchange)
    assert (made.expected, made.new, made.weak) == (IntConst(1, 32), Reg("i"), weak)
    assert (made.order, made.failure_order) == (MemoryOrder.RELEASE, MemoryOrder.RELAXED)


def test_fence(parse_body: ParseBody) -> None:
    made = parse_body('fence seq_cst\nfence syncscope("singlethread") acq_rel\nfence acquire')
    assert [i.order for i in made if isinstance(i, Fence)] == [MemoryOrder.SEQ_CST, MemoryOrder.ACQUIRE]
    assert len(made) == 2, "a fence against signal handlers orders nothing between threads"


@pytest.mark.parametrize(
    "line",
    [
        '%1 = load atomic i32, ptr %p syncscope("singlethread") seq_cst, align 4',
        'store atomic i32 1, ptr %p syncscope("agent") seq_cst, align 4',
        '%1 = atomicrmw add ptr %p, i32 1 syncscope("workgroup") seq_cst, align 4',
        'fence syncscope("agent") acquire',
    ],
)
def test_smaller_scopes_are_refused(parse_body: ParseBody, line: str) -> None:
    with pytest.raises(Unsupported, match="scope"):
        parse_body(line)


# --- computation


def test_alloca(parse_body: ParseBody) -> None:
    made = parse_body(
        """
        %1 = alloca i32, align 4
        %2 = alloca %struct.S, i64 %n, align 16
        %3 = alloca [3 x i8], align 1, addrspace(5)
        """
    )
    assert [(str(i.type), i.count) for i in made if isinstance(i, Alloca)] == [
        ("i32", IntConst(1, 32)),
        ("%struct.S", Reg("n")),
        ("[3 x i8]", IntConst(1, 32)),
    ]


@pytest.mark.parametrize(
    "op", ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"]
)
def test_integer_arithmetic(parse_body: ParseBody, op: str) -> None:
    made = one(parse_body, f"%1 = {op} i32 %i, -7")
    assert isinstance(made, Binary)
    assert (made.op, made.left, made.right, made.nsw, made.nuw) == (op, Reg("i"), IntConst(-7, 32), False, False)


@pytest.mark.parametrize(
    ("flags", "nsw", "nuw"),
    [("nsw", True, False), ("nuw", False, True), ("nuw nsw", True, True), ("exact", False, False)],
)
def test_overflow_flags(parse_body: ParseBody, flags: str, nsw: bool, nuw: bool) -> None:
    made = one(parse_body, f"%1 = add {flags} i32 %i, 1")
    assert isinstance(made, Binary)
    assert (made.nsw, made.nuw) == (nsw, nuw)


@pytest.mark.parametrize(
    ("line", "op", "operands"),
    [
        ("fadd float %f, 1.000000e+00", "fadd", (Reg("f"), OtherConst("1.000000e+00"))),
        ("fmul fast float %f, %f", "fmul", (Reg("f"), Reg("f"))),
        ("fsub nnan ninf float %f, %f", "fsub", (Reg("f"), Reg("f"))),
        ("fcmp olt float %f, %f", "fcmp olt", (Reg("f"), Reg("f"))),
        ("fcmp fast uno float %f, %f", "fcmp uno", (Reg("f"), Reg("f"))),
        ("fneg float %f", "fneg", (Reg("f"),)),
        ("freeze i32 %i", "freeze", (Reg("i"),)),
        ("add <2 x i32> zeroinitializer, poison", "add", (OtherConst("zeroinitializer"), OtherConst("poison"))),
        ("icmp eq <2 x i32> undef, poison", "icmp", (OtherConst("undef"), OtherConst("poison"))),
        ("sext <2 x i1> undef to <2 x i32>", "sext", (OtherConst("undef"),)),
        ("extractelement <2 x i32> undef, i32 %i", "extractelement", (OtherConst("undef"), Reg("i"))),
        (
            "insertelement <2 x i32> undef, i32 1, i64 %n",
            "insertelement",
            (OtherConst("undef"), IntConst(1, 32), Reg("n")),
        ),
        (
            "shufflevector <2 x i32> undef, <2 x i32> poison, <2 x i32> <i32 1, i32 0>",
            "shufflevector",
            (OtherConst("undef"), OtherConst("poison"), OtherConst("<1, 0>")),
        ),
        (
            "insertvalue { i32, [2 x ptr] } poison, ptr %p, 1, 0",
            "insertvalue",
            (OtherConst("poison"), Reg("p"), IntConst(1, 32), IntConst(0, 32)),
        ),
        (
            "select <2 x i1> undef, <2 x i32> undef, <2 x i32> poison",
            "select",
            (OtherConst("undef"), OtherConst("undef"), OtherConst("poison")),
        ),
    ],
)
def test_other_computation(parse_body: ParseBody, line: str, op: str, operands: tuple[object, ...]) -> None:
    made = one(parse_body, f"%1 = {line}")
    assert isinstance(made, Compute)
    assert (made.op, made.operands) == (op, operands)


def test_icmp(parse_body: ParseBody) -> None:
    made = parse_body("%1 = icmp slt i32 %i, 4\n%2 = icmp samesign ult i64 %n, 4\n%3 = icmp ne ptr %p, null")
    assert [(i.predicate, str(i.type), i.right) for i in made if isinstance(i, Compare)] == [
        ("slt", "i32", IntConst(4, 32)),
        ("ult", "i64", IntConst(4, 64)),
        ("ne", "ptr", IntConst(0, 64)),
    ]


@pytest.mark.parametrize(
    ("line", "op", "from_type", "to_type"),
    [
        ("sext i32 %i to i64", "sext", "i32", "i64"),
        ("zext nneg i32 %i to i64", "zext", "i32", "i64"),
        ("trunc nuw nsw i64 %n to i32", "trunc", "i64", "i32"),
        ("ptrtoint ptr %p to i64", "ptrtoint", "ptr", "i64"),
        ("inttoptr i64 %n to ptr", "inttoptr", "i64", "ptr"),
        ("bitcast float %f to i32", "bitcast", "float", "i32"),
        ("fpext float %f to double", "fpext", "float", "double"),
        ("fptosi float %f to i32", "fptosi", "float", "i32"),
        ("uitofp nneg i32 %i to x86_fp80", "uitofp", "i32", "x86_fp80"),
    ],
)
def test_cast(parse_body: ParseBody, line: str, op: str, from_type: str, to_type: str) -> None:
    made = one(parse_body, f"%1 = {line}")
    assert isinstance(made, Cast)
    assert (made.op, str(made.from_type), str(made.to_type)) == (op, from_type, to_type)


def test_select(parse_body: ParseBody) -> None:
    made = one(parse_body, "%1 = select i1 %c, i32 %i, i32 2")
    assert isinstance(made, Select)
    assert (made.condition, made.if_true, made.if_false) == (Reg("c"), Reg("i"), IntConst(2, 32))


def test_extractvalue(parse_body: ParseBody) -> None:
    made = one(parse_body, "%1 = extractvalue { i32, [2 x ptr] } zeroinitializer, 1, 0")
    assert isinstance(made, Extract)
    assert made.indices == (1, 0)


# --- refusal


@pytest.mark.parametrize(
    "line",
    [
        "%1 = va_arg ptr %p, i32",
        "invoke void @f(ptr %p) to label %a unwind label %b",
        "%1 = landingpad { ptr, i32 } cleanup",
        "resume { ptr, i32 } undef",
        "callbr void @f(ptr %p) to label %a []",
        "%1 = frobnicate i32 %i",
        "%1 = getelementptr i8, <2 x ptr> undef, i64 1",
    ],
)
def test_unknown_instructions_are_refused(parse_body: ParseBody, line: str) -> None:
    with pytest.raises(Unsupported):
        parse_body(line)


@pytest.mark.parametrize(
    "line",
    [
        "%1 = load i32, ptr %p, align 4, sometimes",
        "store i32 1, ptr %p seq_cst, align 4",
        "%1 = add i32 %i",
        "%1 = load i32",
        "%1 = load i32, i64 %n",
        "store i32 1",
        "load i32, ptr %p",
        "%1 = store i32 1, ptr %p",
        "%1 = getelementptr i32, ptr %p, i64 0, i64 1",
    ],
)
def test_malformed_lines_are_refused_and_quoted(parse_body: ParseBody, line: str) -> None:
    with pytest.raises(Unsupported, match="LLVM"):
        parse_body(line)
