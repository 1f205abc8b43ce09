"""Functions that the compiler brings in (LLVM intrinsics), that C++ brings in, and those of SV-COMP.

`is_pure_intrinsic` knows the intrinsics that only compute, by their name without `llvm.` and without type suffixes.
An intrinsic that is neither pure nor in the table is unknown, as any other function: masked and vector-predicated
loads and stores are.
"""

from __future__ import annotations

import re
from typing import Final

from raceproof.facts.library.effect_terms import (
    NORETURN,
    OPAQUE,
    PURE,
    VA_LIST,
    arg,
    copy,
    effects,
    frees,
    fresh,
    into,
    n,
    rd,
    rw,
    wr,
)
from raceproof.facts.library.effects import Effect
from raceproof.facts.library.symbol_names import names_of

_NONDET: Final = "__VERIFIER_nondet_"

# A stem stands for itself and all that follows it after a dot.
_PURE_INTRINSICS: Final = """
    abs smax smin umax umin scmp ucmp bitreverse bswap ctpop ctlz cttz fshl fshr umulh
    sadd uadd ssub usub smul umul sshl ushl sdiv udiv
    fabs sqrt powi sin cos tan asin acos atan atan2 sinh cosh tanh sincos sincospi modf pow exp exp2 exp10 log log10
    log2 fma fmuladd minnum maxnum minimum maximum minimumnum maximumnum copysign floor ceil trunc rint nearbyint
    round roundeven lround llround lrint llrint ldexp frexp canonicalize is.fpclass fptosi fptoui convert fptrunc
    experimental.constrained arithmetic.fence get.rounding set.rounding get.fpenv set.fpenv reset.fpenv get.fpmode
    set.fpmode reset.fpmode flt.rounds
    vector stepvector vscale matrix.multiply matrix.transpose
    assume dbg lifetime invariant experimental.noalias.scope.decl sideeffect donothing fake.use pseudoprobe codeview
    var.annotation annotation.metadata type.test public.type.test allow.runtime.check allow.ubsan.check
    objectsize is.constant returnaddress addressofreturnaddress frameaddress sponentry stacksave stackrestore
    get.dynamic.area.offset localescape prefetch pcmarker readcyclecounter readsteadycounter debugtrap
    x86.sse2.pause x86.sse2.mfence x86.sse2.lfence x86.sse.sfence x86.rdtsc x86.rdtscp x86.rdrand x86.rdseed
    x86.rdpmc aarch64.hint aarch64.dmb aarch64.dsb aarch64.isb aarch64.crc32b aarch64.crc32w aarch64.crc32x
"""
_PURE_STEMS: Final = frozenset(_PURE_INTRINSICS.split())
_VECTORS: Final = re.compile(  # arithmetic on vectors in registers: shifts, packing, sums of products or differences
    r"llvm\.x86\.(?:sse2?|sse4[12]|ssse3|avx2?)\."
    r"(?:ps(?:ll|rl|ra)i?|pack[su]s\w*|pmadd|pmulh\w*|psad|pavg|pmovmskb|movmsk|ph(?:add|sub)|pshuf|psign|crc32)"
    r"(?:\.[a-z0-9.]+)?"
)

COMPILER: Final = effects(
    ("llvm.va_start", wr(0, VA_LIST)),
    ("llvm.va_end", rw(0, VA_LIST)),
    ("llvm.va_copy", wr(0, VA_LIST), rd(1, VA_LIST), copy(0, 1)),
    ("llvm.trap llvm.ubsantrap", NORETURN),
    ("llvm.expect llvm.expect.with.probability llvm.ssa.copy llvm.annotation llvm.ptr.annotation", arg(0)),
    ("llvm.launder.invariant.group llvm.strip.invariant.group llvm.threadlocal.address", arg(0)),
    ("llvm.ptrmask llvm.preserve.array.access.index llvm.preserve.struct.access.index", into(0)),
    ("llvm.preserve.union.access.index", arg(0)),
    # C++
    ("_Znwm _Znam _Znwj _Znaj _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t", fresh(n(0))),
    ("_ZnwmSt11align_val_t _ZnamSt11align_val_t", fresh(n(0))),
    ("_ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvj _ZdaPvj _ZdlPvSt11align_val_t _ZdlPvmSt11align_val_t", frees(0)),
    ("__cxa_pure_virtual __cxa_deleted_virtual _ZSt9terminatev", NORETURN),
    # SV-COMP
    ("__VERIFIER_assume __VERIFIER_assert __VERIFIER_atomic_begin __VERIFIER_atomic_end assume assert",),
    ("__VERIFIER_error reach_error", NORETURN),
    (f"{_NONDET}pointer {_NONDET}pchar {_NONDET}charp {_NONDET}const_char_pointer", OPAQUE),
    (f"{_NONDET}string", OPAQUE),
    (f"{_NONDET}memory", wr(0, n(1))),
)

_ASSUMPTIONS = frozenset({"__VERIFIER_assume", "llvm.assume"})


def is_assumption(name: str) -> bool:
    """Whether a library function of this name goes on only where its argument is not 0."""
    return not _ASSUMPTIONS.isdisjoint(names_of(name))


def is_pure_intrinsic(name: str) -> bool:
    """Whether `name` is an LLVM intrinsic that touches no memory and returns no new pointer."""
    if not name.startswith("llvm."):
        return False
    return bool(_VECTORS.fullmatch(name)) or any(stem.removeprefix("llvm.") in _PURE_STEMS for stem in names_of(name))


def compiler_effect(name: str) -> Effect | None:
    """Say what `name` does where a rule describes it rather than one row."""
    if name.startswith(_NONDET):
        return COMPILER.get(name, PURE)
    return PURE if is_pure_intrinsic(name) else None
