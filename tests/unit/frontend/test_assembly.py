"""What inline assembly is taken for: in doubt for anything."""

from __future__ import annotations

import pytest

from raceproof.frontend.assembly import Assembly, assembly_in, classify

REGISTERS = "=r,r,0,~{dirflag},~{fpsr},~{flags}"


@pytest.mark.parametrize("template", ["", "nop", "pause", "rep; nop"])
def test_barriers_and_hints_are_nothing(template: str) -> None:
    assert classify(template, "~{memory}") is Assembly.NOTHING


@pytest.mark.parametrize(
    "template",
    [
        "bswap $0",
        "crc32q $1, $0",
        "rolw $$8, ${0:w}",
        "addl $1, $0; adcl $$0, $0",
        "1: decl $0\\0A\\09jnz 1b",
        "setz $0",
        "movd $1, %xmm0; paddd %xmm0, %xmm0; movd %xmm0, $0",
        "pushf; popq $0",
    ],
)
def test_arithmetic_on_registers_is_a_value(template: str) -> None:
    assert classify(template, REGISTERS) is Assembly.VALUE


@pytest.mark.parametrize(
    ("template", "constraints"),
    [
        ("lock; incl $0", "=*m,*m,~{memory}"),
        ("lock incl $0", "=*m,*m"),
        ("movl $1, $0", "=*m,r"),
        ("crc32b ($1), $0", REGISTERS),  # through a register
        ("movl $0, 4($1,$2,8)", "r,r,r"),
        ("prefetcht0 $0", "p"),
        ("bswap $0", "=rm,0"),
        ("rep stosb", "={di},={cx},{ax},0,1"),
        ("xchgl %ebx, $1; cpuid; xchgl %ebx, $1", "={ax},=r"),  # another machine, another value
        ("cld; rep; stosq", "={cx},={di},{ax},0,1,~{memory}"),  # FD_ZERO of older C libraries
        ("btsl $1, $0", "=*m,r,~{memory}"),  # and FD_SET
        ("movdqu ($1), %xmm0", "r,r"),
        ("rdtsc", "={ax},={dx}"),
        ("mfence", "~{memory}"),
        ("dmb ish", "~{memory}"),
        ("1: lock\\0A cmpxchgl $2, $0\\0A jnz 1b", "=*m,={ax},r"),
    ],
)
def test_what_reaches_memory_through_operands(template: str, constraints: str) -> None:
    assert classify(template, constraints) is Assembly.MEMORY


@pytest.mark.parametrize(
    "template",
    [
        "call other",
        "repe; cmpsd",
        "movsd",
        "call *$0",
        "jmp other",
        "jmp *%rax",
        "jmp $0",
        "jz other",
        "ret",
        "syscall",
        "int $$0x80",
        "incl counter",
        "incl counter(%rip)",
        "incl ax",  # a variable: registers have a percent sign
        "movl $$counter, $0",
        "movl 8, $0",
        "movq %rsp, $0",
        "movq %fs:0, $0",
        "movq other@GOTPCREL(%rip), $0",
        "movl ${1:c}, $0",  # a bare symbol, which is a place in memory
        "mov x0, x1",
        "push %rsp",
        ".byte 0x0f",
        "incl $0; .globl x",
        "$(movl$|mov$) $1, $0",
        "nop # call other",
        "\\FF",
    ],
)
def test_everything_else_is_anything(template: str) -> None:
    assert classify(template, REGISTERS) is Assembly.ANYTHING


def test_intels_syntax_is_not_read() -> None:
    assert classify("mov eax, counter", REGISTERS, is_intel=True) is Assembly.ANYTHING
    assert classify("", "", is_intel=True) is Assembly.NOTHING


def test_rows_of_text() -> None:
    assert assembly_in('  call void asm sideeffect "", "~{memory}"() #2') is Assembly.NOTHING
    assert assembly_in('  %2 = call i32 asm "bswap $0", "=r,0"(i32 %1)') is Assembly.VALUE
    assert assembly_in('  call void asm sideeffect inteldialect "inc eax", ""()') is Assembly.ANYTHING
    assert assembly_in("  call void @f(ptr @asm)") is None
