"""Which programs `--algorithm states` can tell the states of: what a program uses must be part of a state, or no state.

A function outside the program is known here if it keeps nothing from one call to the next (it depends on its arguments
and on the program's memory), or if the runtime's own form of it keeps only what native/states.h lists. Errs on the side
of refusing: a piece of state that is forgotten would make two states one, and hide a race.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from raceproof.facts import names_of
from raceproof.ir import START, Cast, Compare, Instr, Program, PtrType, Terminator
from raceproof.model import ConcurrentProgram, InputKind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_THREADS: Final = _words("""
    pthread_create pthread_join pthread_detach pthread_exit pthread_self pthread_equal pthread_once pthread_yield
    sched_yield pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_unlock
    pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait
    pthread_cond_signal pthread_cond_broadcast pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock
    pthread_rwlock_wrlock pthread_rwlock_unlock pthread_spin_init pthread_spin_destroy pthread_spin_lock
    pthread_spin_unlock pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait
    sem_init sem_destroy sem_wait sem_post
    thrd_create thrd_join thrd_detach thrd_exit thrd_current thrd_equal thrd_yield mtx_init mtx_destroy mtx_lock
    mtx_unlock cnd_init cnd_destroy cnd_wait cnd_timedwait cnd_signal cnd_broadcast call_once
""") | frozenset(
    f"pthread_{kind}attr_{verb}"
    for kind in ("", "mutex", "cond", "rwlock", "barrier")
    for verb in _words("init destroy settype gettype setdetachstate getdetachstate setstacksize setpshared")
)  # fmt: skip
_MEMORY: Final = _words("""
    malloc calloc realloc reallocarray free cfree aligned_alloc posix_memalign memalign strdup strndup
    __libc_malloc __libc_calloc __libc_realloc __libc_free __strdup __strndup
    memccpy memchr memcmp memcpy memmove mempcpy memrchr memset rawmemchr bcmp bcopy bzero explicit_bzero
    stpcpy stpncpy strcasecmp strcat strchr strchrnul strcmp strcpy strcspn strlen strncasecmp strncat strncmp strncpy
    strnlen strpbrk strrchr strspn strstr index rindex ffs ffsl ffsll
    isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
    toascii tolower toupper __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __errno_location
    abs labs llabs div ldiv lldiv atoi atol atoll strtol strtoll strtoul strtoull rand_r
    fabs floor ceil sqrt fmax fmin fmod pow exp log sin cos tan round trunc lround
""")
# What is written is not read again, and nobody sees in which order.
_OUTPUT: Final = _words("printf puts putchar fprintf fputs fputc putc fflush perror vprintf vfprintf snprintf sprintf")
# Time that passes is seen by nobody: the functions that tell it are not among these.
_WAITING: Final = _words("sleep usleep nanosleep thrd_sleep")
_ENDS: Final = _words("""
    exit _exit _Exit abort __assert_fail __assert __assert_func __assert_rtn __VERIFIER_assert __VERIFIER_error
    reach_error __VERIFIER_assume __VERIFIER_atomic_begin __VERIFIER_atomic_end
""")
_TELLS_BYTES: Final = _words(
    "snprintf sprintf memcmp bcmp strcmp strncmp strcasecmp strncasecmp memchr memrchr rawmemchr"
)
_NOT_CHOSEN_AT_ONCE: Final = _words("memory pointer pchar charp const_char_pointer")
_KNOWN: Final = _THREADS | _MEMORY | _OUTPUT | _WAITING | _ENDS
_INPUT: Final = "__VERIFIER_nondet_"
_INTRINSIC: Final = re.compile(
    r"llvm\.(mem(cpy|move|set)|[su](max|min|add|sub|mul)|abs|ct(pop|lz|tz)|bswap|bitreverse|fsh[lr]|expect|assume|trap"
    r"|lifetime|dbg|objectsize|is\.constant|prefetch|x86\.sse2\.pause|aarch64\.hint|fabs|floor|ceil|sqrt|fmuladd|fma"
    r"|copysign|minnum|maxnum|round|trunc|rint|nearbyint|ubsantrap|threadlocal\.address)\b"
)


def why_states_are_not_captured(cp: ConcurrentProgram, known: Collection[str], isolation: str) -> str | None:
    """Why the states of this program cannot be told from one another; None if they can. `known`: what the preparation
    has found out; `isolation`: how executions are kept apart."""
    program = cp.program
    if program.pointer_size != 8:
        return "it is compiled for 32 bits"
    if isolation != "memory":
        return "it uses what only a process for each execution can put back"
    if "weaker" in known:
        return "with atomics of weaker memory orders, races show only by what happens before what"
    if "try" in known:
        return "operations that may fail show an order that is no happens-before"
    if "fp_unseen" not in known:
        return "a thread may look at its floating-point environment"
    if START in program.functions:
        return "functions run before its main"
    unknown = sorted(name for name in program.externals if not _is_captured(program, name))
    if unknown:
        shown = ", ".join(f"`{name}`" for name in unknown[:3]) + (" and others" if len(unknown) > 3 else "")
        return f"what {shown} may keep is not part of a state"
    return None


def may_tell_threads_apart(cp: ConcurrentProgram) -> bool:
    """Whether what the program does may depend on what an address looks like as a number. The symmetry of threads
    (native/symmetry.c) finds addresses that are whole; a part of one, or one that was computed with, may say which
    thread it belongs to as well."""
    if cp.inputs is not None and not cp.inputs:
        return False  # of each address that becomes a number it is known that it decides nothing
    if cp.inputs is None or any(given.kind is InputKind.ADDRESSES for given in cp.inputs):
        return True
    # There are other inputs: then nobody has asked what addresses decide.
    told = any(not _TELLS_BYTES.isdisjoint(names_of(name)) for name in cp.program.externals)
    functions = cp.program.functions.values()
    return told or bool(cp.pointer_numbers) or any(_is_number(i) for f in functions for i in f.instructions())


def _is_number(instr: Instr | Terminator) -> bool:
    match instr:
        case Cast(op="ptrtoint"):
            return True
        case Compare(predicate=predicate, type=PtrType()):
            return predicate not in ("eq", "ne")
    return False


def _is_captured(program: Program, name: str) -> bool:
    if name.startswith("llvm."):
        return _INTRINSIC.match(name) is not None
    if name in program.globals:
        return False
    variants = tuple(names_of(name))
    if any(variant.startswith(_INPUT) for variant in variants):
        return not any(variant.removeprefix(_INPUT) in _NOT_CHOSEN_AT_ONCE for variant in variants)
    return not _KNOWN.isdisjoint(variants)
