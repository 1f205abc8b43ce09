"""Inline assembly that is an atomic update becomes one; whatever differs in anything stays as it is."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from raceproof.frontend.assembly_atomics import translate

END = "~{memory},~{dirflag},~{fpsr},~{flags}"
NOTE = r".section .smp_locks,\22a\22\0A.balign 4\0A.long 671f - .\0A.previous\0A671:\0A\09"


def translated(template: str, constraints: str, args: str, returns: str = "void") -> str:
    """The body of a function with one statement of assembly, which LLVM accepts."""
    result = "" if returns == "void" else "%3 = "
    row = f'  {result}call {returns} asm sideeffect "{template}", "{constraints},{END}"({args}) #1'
    end = "ret void" if returns == "void" else f"ret {returns} %3"
    text = translate(f"define {returns} @f(ptr %0, i32 %1, ptr %c) {{\n{row}\n  {end}\n}}\n")
    llvm.parse_assembly(text).verify()
    return "\n".join(line.strip() for line in text.split("\n")[1:-3])


PLACE = "ptr elementtype(i32) %0"
BYTE = "ptr elementtype(i8) %c"


@pytest.mark.parametrize(
    ("template", "constraints", "args", "expected"),
    [
        ("lock; incl $0", "=*m,*m", f"{PLACE}, {PLACE}", "atomicrmw add ptr %0, i32 1 seq_cst"),
        (NOTE + "lock; decl $0", "=*m,*m", f"{PLACE}, {PLACE}", "atomicrmw sub ptr %0, i32 1 seq_cst"),
        ("lock addl $1,$0", "=*m,ir,*m", f"{PLACE}, i32 %1, {PLACE}", "atomicrmw add ptr %0, i32 %1 seq_cst"),
        ("lock; xorl $1, $0", "=*m,r,*m", f"{PLACE}, i32 7, {PLACE}", "atomicrmw xor ptr %0, i32 7 seq_cst"),
        ("lock; decl $0; sete $1", "=*m,=*qm,*m", f"{PLACE}, {BYTE}, {PLACE}", "icmp eq i32"),
        ("lock; subl $2,$0; sets $1", "=*m,=*qm,ir,*m", f"{PLACE}, {BYTE}, i32 %1, {PLACE}", "icmp slt i32"),
    ],
)
def test_an_update_without_a_result(template: str, constraints: str, args: str, expected: str) -> None:
    found = translated(template, constraints, args)
    assert expected in found
    assert " asm " not in found


@pytest.mark.parametrize(
    ("template", "constraints", "args", "expected"),
    [
        ("lock; xaddl $0, $1", "=r,=*m,0,*m", f"{PLACE}, i32 %1, {PLACE}", "%3 = atomicrmw add ptr %0, i32 %1 seq_cst"),
        ("xchgl $0,$1", "=r,=*m,0,*m", f"{PLACE}, i32 %1, {PLACE}", "%3 = atomicrmw xchg ptr %0, i32 %1 seq_cst"),
        (
            "lock; cmpxchgl $2,$1",
            "={ax},=*m,r,0,*m",
            f"{PLACE}, i32 5, i32 %1, {PLACE}",
            "cmpxchg ptr %0, i32 %1, i32 5 seq_cst seq_cst",
        ),
    ],
)
def test_an_update_with_a_result(template: str, constraints: str, args: str, expected: str) -> None:
    found = translated(template, constraints, args, "i32")
    assert expected in found
    assert " asm " not in found


def test_a_fence() -> None:
    assert translated("mfence", "", "").startswith("fence seq_cst")


@pytest.mark.parametrize(
    ("template", "constraints", "args", "returns"),
    [
        ("incl $0", "=*m,*m", f"{PLACE}, {PLACE}", "void"),  # no prefix: not atomic
        ("lock; incq $0", "=*m,*m", f"{PLACE}, {PLACE}", "void"),  # another size
        ("lock; incl $1", "=*m,*m", f"{PLACE}, {PLACE}", "void"),  # an operand that is only read
        ("lock; incl $0; nop", "=*m,*m", f"{PLACE}, {PLACE}", "void"),
        ("lock; incl $0; incl $0", "=*m,*m", f"{PLACE}, {PLACE}", "void"),
        ("lock; incl $0; sete $0", "=*m,*m", f"{PLACE}, {PLACE}", "void"),  # no place for the truth
        ("lock; addl $0,$1", "=*m,ir,*m", f"{PLACE}, i32 %1, {PLACE}", "void"),  # the other way round
        ("lock; addl $1,4$0", "=*m,ir,*m", f"{PLACE}, i32 %1, {PLACE}", "void"),
        ("lock; incl $0", "=*m,*m", f"{PLACE}, ptr elementtype(i32) %c", "void"),  # reads here and writes there
        ("lock; xaddl $0, $1", "=r,=*m,r,*m", f"{PLACE}, i32 %1, {PLACE}", "i32"),  # starts with any value
        ("lock; cmpxchgl $2,$1", "=r,=*m,r,0,*m", f"{PLACE}, i32 5, i32 %1, {PLACE}", "i32"),  # not in that register
        ("cmpxchgl $2,$1", "={ax},=*m,r,0,*m", f"{PLACE}, i32 5, i32 %1, {PLACE}", "i32"),
        ("lock; btsl $1,$0", "=*m,Ir,*m", f"{PLACE}, i32 %1, {PLACE}", "void"),  # may go to another word
    ],
)
def test_what_stays(template: str, constraints: str, args: str, returns: str) -> None:
    assert " asm " in translated(template, constraints, args, returns)
