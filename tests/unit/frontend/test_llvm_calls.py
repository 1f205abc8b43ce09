"""Calls in all their forms."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from raceproof.frontend.llvm_calls import intrinsic_name
from raceproof.ir import Address, Call, Cast, Compute, Instr, IntConst, OtherConst, Program, Reg, Terminator

ParseBody = Callable[..., list[Instr | Terminator]]

DECLARATIONS = """
declare i32 @printf(ptr noundef, ...) #6
declare void @abort() #2
declare void @big(ptr, ptr)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)
attributes #2 = { noreturn nounwind "a"="b" }
attributes #6 = { "noreturn-not"="noreturn" }
"""


def call(parse_body: ParseBody, line: str) -> Call:
    (made,) = parse_body(line, DECLARATIONS)
    assert isinstance(made, Call)
    return made


def test_direct_call(parse_body: ParseBody) -> None:
    made = call(parse_body, "call void @f(ptr noundef %p)")
    assert (made.callee, made.args, made.result, made.noreturn) == (Address("f"), (Reg("p"),), None, False)
    assert (str(made.type), list(map(str, made.arg_types))) == ("void", ["ptr"])


def test_indirect_call(parse_body: ParseBody) -> None:
    made = call(parse_body, "%1 = call i32 %p(i32 noundef %i)")
    assert (made.callee, made.args, made.result) == (Reg("p"), (Reg("i"),), Reg("1"))


def test_variadic_call(parse_body: ParseBody) -> None:
    made = call(parse_body, "%1 = call i32 (ptr, ...) @printf(ptr noundef @g, i32 noundef 3, double noundef 1.0)")
    assert made.callee == Address("printf")
    assert made.args == (Address("g"), IntConst(3, 32), OtherConst("1.0"))


@pytest.mark.parametrize(
    "line",
    [
        "%1 = tail call fastcc noalias noundef nonnull align 8 dereferenceable(16) ptr @big(ptr %p, ptr %q) #3",
        "%1 = notail call ptr @big(ptr %p, ptr %q) nounwind memory(none)",
        '%1 = musttail call ptr @big(ptr %p, ptr %q) [ "kcfi"(i32 1), "clang.arc.attachedcall"(ptr @f) ]',
        "%1 = call ptr @big(ptr noundef nonnull align 8 dereferenceable(8) captures(none) %p, ptr dead_on_unwind %q)",
        "%1 = call ptr @big(ptr initializes((0, 4)) %p, ptr elementtype(%struct.S) %q)",
        '%1 = call cc 10 range(i32 0, 5) ptr @big(ptr inreg "x"="y" %p, ptr %q), !dbg !4, !srcloc !5',
        "%1 = call addrspace(0) ptr @big(ptr align(8) %p, ptr %q)",
        "%1 = call ptr (ptr, ptr) @big(ptr %p, ptr %q)",
    ],
)
def test_attributes_are_skipped(parse_body: ParseBody, line: str) -> None:
    made = call(parse_body, line)
    assert (made.callee, made.args) == (Address("big"), (Reg("p"), Reg("q")))
    assert list(map(str, made.arg_types)) == ["ptr", "ptr"]


def test_attributes_before_constants(parse_body: ParseBody) -> None:
    line = (
        "call void @big(ptr noundef null, ptr noundef getelementptr (i8, ptr @g, i64 4), "
        "i1 noundef zeroext true, %struct.S undef, double -0.0, i32 signext -1)"
    )
    assert call(parse_body, line).args == (
        *(IntConst(0, 64), Address("g", 4), IntConst(1, 1)),
        *(OtherConst("undef"), OtherConst("-0.0"), IntConst(-1, 32)),
    )


def test_structs_by_value(parse_body: ParseBody) -> None:
    line = "call void @big(ptr sret(%struct.S) align 8 %p, ptr noundef byval(%struct.S) align 8 @g)"
    made = call(parse_body, line)
    assert made.args == (Reg("p"), Address("g"))
    assert made.by_value == ((1, 32),), "the call reads 32 bytes of @g"


def test_parameters_by_value(parse: Callable[..., Program]) -> None:
    program = parse(
        "%struct.S = type { i64, i64, i64 }\n"
        "define void @f(ptr noundef byval(%struct.S) align 8 %0, ptr %1) {\n  ret void\n}\n"
    )
    first, second = program.functions["f"].params
    assert (str(first.by_value), second.by_value) == ("%struct.S", None)


def test_noreturn(parse_body: ParseBody) -> None:
    assert call(parse_body, "call void @abort()").noreturn, "declared so"
    assert call(parse_body, "call void @f(ptr %p) #2").noreturn, "called so"
    assert call(parse_body, "call void %p() noreturn").noreturn
    assert not call(parse_body, "call i32 (ptr, ...) @printf(ptr %p)").noreturn


# --- intrinsics


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("llvm.memcpy.p0.p0.i64", "llvm.memcpy"),
        ("llvm.memcpy.inline.p0.p0.i64", "llvm.memcpy.inline"),
        ("llvm.memset.p0.i32", "llvm.memset"),
        ("llvm.va_start.p0", "llvm.va_start"),
        ("llvm.sadd.with.overflow.i32", "llvm.sadd.with.overflow"),
        ("llvm.fmuladd.v4f32", "llvm.fmuladd"),
        ("llvm.fabs.f80", "llvm.fabs"),
        ("llvm.objectsize.i64.p0", "llvm.objectsize"),
        ("llvm.trap", "llvm.trap"),
        ("llvm.x86.sse2.pause", "llvm.x86.sse2.pause"),
        ("memcpy.i32", "memcpy.i32"),
    ],
)
def test_names_of_intrinsics(symbol: str, name: str) -> None:
    assert intrinsic_name(symbol) == name


def test_intrinsics_are_calls(parse_body: ParseBody) -> None:
    made = call(parse_body, "call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 8 %q, i64 80, i1 false)")
    assert made.callee == Address("llvm.memcpy")
    assert made.args == (Reg("p"), Reg("q"), IntConst(80, 64), IntConst(0, 1))
    assert call(parse_body, "%1 = call ptr @llvm.stacksave.p0()").callee == Address("llvm.stacksave")
    assert call(parse_body, "call void @llvm.donothing()").callee == Address("llvm.donothing")


def test_a_copy_made_volatile_is_plain_again(parse_body: ParseBody) -> None:
    line = "call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 true)"
    assert call(parse_body, line).args[-1] == IntConst(1, 1)
    assert call(parse_body, f"{line}, !raceproof.plain !7").args[-1] == IntConst(0, 1)


def test_thread_local_addresses_are_casts(parse_body: ParseBody) -> None:
    (made,) = parse_body("%1 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @t)", DECLARATIONS)
    assert isinstance(made, Cast)
    assert (made.op, made.value, made.result) == ("threadlocal", Address("t"), Reg("1"))


@pytest.mark.parametrize(
    "line",
    [
        "call void @llvm.lifetime.start.p0(ptr %p)",
        "call void @llvm.lifetime.end.p0(i64 4, ptr %p)",
        "call void @llvm.assume(i1 %c)",
        'call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 8) ]',
        "call void @llvm.experimental.noalias.scope.decl(metadata !5)",
        "call void @llvm.dbg.value(metadata i32 %i, metadata !5, metadata !DIExpression()), !dbg !7",
    ],
)
def test_hints_are_dropped(parse_body: ParseBody, line: str) -> None:
    assert parse_body(line) == []


def test_metadata_arguments_are_dropped(parse_body: ParseBody) -> None:
    line = '%1 = call float @llvm.constrained.f32(float %f, float %f, metadata !"round.dynamic", metadata !5)'
    made = call(parse_body, line)
    assert made.args == (Reg("f"), Reg("f"))


# --- inline assembly


def test_a_compiler_barrier_is_nothing(parse_body: ParseBody) -> None:
    assert parse_body('call void asm sideeffect "", "~{memory},~{dirflag}"() #17, !srcloc !585') == []
    assert parse_body('call void asm sideeffect "", "=*m,*m"(ptr elementtype(i32) %p, ptr elementtype(i32) %p)') == []
    assert parse_body('call void asm sideeffect "pause", "~{memory}"()') == []


def test_a_barrier_on_a_register_computes(parse_body: ParseBody) -> None:
    (made,) = parse_body('%1 = call i32 asm sideeffect "", "=r,0,~{flags}"(i32 %i) #17, !srcloc !589')
    assert isinstance(made, Compute)
    assert (made.op, made.operands) == ("asm", (Reg("i"),))


def test_assembly_on_registers_computes(parse_body: ParseBody) -> None:
    (made,) = parse_body('%1 = call i32 asm "bswap $0", "=r,0,~{dirflag},~{fpsr},~{flags}"(i32 %i) #17')
    assert isinstance(made, Compute)
    assert (made.op, made.operands) == ("asm value", (Reg("i"),))


def test_assembly_that_touches_memory_is_a_call_of_it(parse_body: ParseBody) -> None:
    made = call(parse_body, 'call void asm sideeffect "lock; incl $0", "=*m,~{memory}"(ptr elementtype(i32) %p) #17')
    assert made.callee == OtherConst("inline assembly")
    assert made.args == (Reg("p"),)
