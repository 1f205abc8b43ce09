"""What inline assembly may do, as far as its text tells.

Three kinds can be told. *Nothing*: barriers for the compiler and hints to the processor. *A value*: it computes its
results from its operands and touches no memory. *Memory*: it may read and write whatever its operands lead to, like a
function that is not known; so counts what gives another result each time (`rdtsc`), which no execution repeats.

All rests on a list of instructions that neither leave the code nor reach memory but through an operand. A template
with anything else (a call, a jump to somewhere, the name of a variable, the stack pointer, an instruction that is not
in the list) is *anything*: `opaque_assembly` makes a call of unknown code of it. Only x86 in AT&T's syntax is read, and
the barriers of AArch64.
"""

from __future__ import annotations

import re
from enum import Enum, unique
from typing import Final

from raceproof.frontend.assembly_atomics import LOCK_NOTE
from raceproof.frontend.llvm_lexer import unescape


@unique
class Assembly(Enum):
    NOTHING = "nothing"
    VALUE = "value"
    MEMORY = "memory"
    ANYTHING = "anything"


# The callee of calls that stand for assembly; `facts` knows it by this text.
CALLEE: Final = "inline assembly"

_NOTHING: Final = frozenset(["", "nop", "pause", "rep; nop", "rep;nop", "rep nop", "yield"])
_PREFIXES: Final = frozenset(["lock", "rep", "repe", "repz", "repne", "repnz"])
# Without the letters for sizes that AT&T's syntax adds.
_COMPUTING: Final = frozenset({
    "mov", "movz", "movs", "movabs", "lea", "add", "sub", "adc", "sbb", "inc", "dec", "neg", "not", "and", "or", "xor",
    "test", "cmp", "mul", "imul", "div", "idiv", "shl", "shr", "sal", "sar", "shld", "shrd", "rol", "ror", "bswap",
    "bsf", "bsr", "bt", "bts", "btr", "btc", "popcnt", "lzcnt", "tzcnt", "crc32", "xchg", "cltq", "cqto", "cltd",
    "cwtl", "cwtd", "nop", "pause", "cld", "clc", "stc", "cmc", "lahf", "sahf", "andn", "bextr", "blsi", "blsr", "pdep",
    "pext", "mulx", "adcx", "adox", "rorx", "sarx", "shlx", "shrx", "emms", "vzeroupper", "vzeroall",
    "push", "pop", "pushf", "popf",  # the stack below all variables is the thread's own
})  # fmt: skip
_TOUCHING: Final = frozenset({
    "cmpxchg", "cmpxchg8b", "cmpxchg16b", "xadd", "stos", "lods", "scas", "cmps", "prefetcht0", "prefetcht1",
    "prefetcht2", "prefetchnta", "clflush", "lfence", "mfence", "sfence", "cpuid", "rdtsc", "rdtscp", "rdrand",
    "rdseed", "xgetbv", "rdpid", "movnti", "clwb", "clflushopt", "ldmxcsr", "stmxcsr", "fnstcw", "fldcw", "fnstsw",
})  # fmt: skip
_STRINGS: Final = frozenset(["movsb", "movsw", "movsl", "movsq"])  # or a widening move without its second letter
_SIZES: Final = ("", "b", "w", "l", "q", "bw", "bl", "bq", "wl", "wq", "lq")
_VECTOR: Final = re.compile(
    r"v?(?:(?:add|sub|mul|div|sqrt|min|max|andn?|or|xor|cmp|ucomi|comi|unpck[lh]|shuf|round)[ps][sd]|cvtt?[a-z0-9]+|"
    r"mov(?:[au]p[sd]|dq[au]|[dq]|s[sd]|[lh]p[sd]|hlps|lhps|nt(?:dqa?|q|p[sd]))|lddqu|"
    r"p(?:add|sub|mul|and|or|xor|cmp(?:eq|gt)|s[lr]l|sra|shuf|unpck|ack|min|max|avg|sad|madd|movmsk|insr|extr|clmul|"
    r"abs|sign|align|blend|test)[a-z]*\d*|aes(?:enc|dec|imc|keygen)[a-z]*)"
)  # with their operands in registers, or in memory that is written as such
_CONDITIONAL: Final = re.compile(r"(?:cmov|set|j)n?(?:[abgl]e?|[ceopsz]|p[eo])|jmp")
_REGISTER: Final = re.compile(
    r"[re]?(?:[abcd]x|[sd]i)|[abcd][lh]|[sd]il|r(?:8|9|1[0-5])[bwd]?|[xy]mm\d+"
)  # not those that lead to the stack, to thread-local data or to the code
_BARRIER: Final = re.compile(r"(?:dmb|dsb) (?:(?:ish|osh|nsh)(?:st|ld)?|sy|st|ld)|isb(?: sy)?|wfe|sevl?")
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_STATEMENT: Final = re.compile(r"(?:\d+: ?)*(?P<words>[a-z][a-z0-9]*(?: [a-z][a-z0-9]*)?)? ?(?P<operands>.*)")
# What an operand may be: $0, ${1:w}, an immediate $$4, a register, a place in memory 4(%rax,%rbx,8), a label 1b nearby.
_PART: Final = r"(?:\$\{\d+:[bhwkq]\}|\$\{?\d+\}?|%[a-z0-9]+)"
_PLACE: Final = rf"-?(?:0x[0-9a-f]+|\d+)?\( ?{_PART}? ?(?:, ?{_PART} ?)?(?:, ?[1248] ?)?\)"
_LOCAL_LABEL: Final = re.compile(r"\d+[bf]")
_OPERAND: Final = re.compile(rf"{_PART}|\$\$-?(?:0x[0-9a-f]+|\d+)|{_LOCAL_LABEL.pattern}|{_PLACE}")
# Constraints of operands that are registers or numbers, and what the assembly says that it changes.
_NO_MEMORY: Final = re.compile(r"=?&?(?:\{\w+\}|[rqQabcdSDRxYlIJKLMNOeZni]+|\d+)|~\{\w+\}")


_CALL: Final = re.compile(r'call [^@"]*\basm (?P<flags>(?:[a-z]+ )*)"(?P<template>[^"]*)", ?"(?P<constraints>[^"]*)"')


def assembly_in(row: str) -> Assembly | None:
    """What the assembly does that a row of LLVM's text calls; None if it calls none."""
    match = _CALL.search(row)
    if match is None:
        return None
    return classify(match["template"], match["constraints"], "inteldialect" in match["flags"])


def classify(template: str, constraints: str, is_intel: bool = False) -> Assembly:
    """What a call of `asm "template", "constraints"` may do; both as they stand between the quotes in LLVM's text."""
    text = template_text(template)
    if text in _NOTHING:
        return Assembly.NOTHING
    if is_intel:
        return Assembly.ANYTHING
    touches = not all(_NO_MEMORY.fullmatch(part) for part in constraints.split(",") if part)
    for statement in re.split(r"[;\n]", _COMMENT.sub(" ", text)):
        kind = _classify_statement(" ".join(statement.lower().split()))
        if kind is Assembly.ANYTHING:
            return kind
        touches |= kind is Assembly.MEMORY
    return Assembly.MEMORY if touches else Assembly.VALUE


def template_text(template: str) -> str:
    """The assembly itself, without notes for kernels that run on one processor."""
    return LOCK_NOTE.sub("", unescape(template).decode("utf-8", "replace")).strip()


def _classify_statement(statement: str) -> Assembly:
    if _BARRIER.fullmatch(statement):
        return Assembly.MEMORY
    match = _STATEMENT.fullmatch(statement)
    if match is None:
        return Assembly.ANYTHING
    words = (match["words"] or "").split()
    touches = bool(words) and words[0] in _PREFIXES
    if touches:
        words = words[1:]
    operands = _operands(match["operands"])
    if len(words) > 1 or not all(_is_known_operand(operand) for operand in operands):
        return Assembly.ANYTHING
    if words:
        kind = _classify_instruction(words[0], has_operands=bool(operands))
        if kind is Assembly.ANYTHING:
            return kind
        touches |= kind is Assembly.MEMORY
        if words[0].startswith("j") != any(map(_LOCAL_LABEL.fullmatch, operands)):
            return Assembly.ANYTHING
    elif operands:
        return Assembly.ANYTHING
    touches |= any("(" in operand for operand in operands)
    return Assembly.MEMORY if touches else Assembly.VALUE


def _classify_instruction(word: str, *, has_operands: bool) -> Assembly:
    if word in _STRINGS:
        return Assembly.MEMORY
    if _VECTOR.fullmatch(word) is not None:  # without operands `movsd` and `cmpsd` are for strings
        return Assembly.VALUE if has_operands else Assembly.ANYTHING
    for size in _SIZES:
        stem = word.removesuffix(size) if word.endswith(size) else ""
        if stem in _COMPUTING:
            return Assembly.VALUE
        if stem in _TOUCHING:
            return Assembly.MEMORY
        if stem and _CONDITIONAL.fullmatch(stem):
            return Assembly.VALUE
    return Assembly.ANYTHING


def _operands(text: str) -> list[str]:
    """Split at commas outside of parentheses."""
    parts = [part.strip() for part in re.split(r",(?![^(]*\))", text)]
    return [] if parts == [""] else parts


def _is_known_operand(operand: str) -> bool:
    registers = re.findall(r"%([a-z0-9]+)", operand)
    return _OPERAND.fullmatch(operand) is not None and all(map(_REGISTER.fullmatch, registers))
