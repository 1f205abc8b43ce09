"""Which functions of the library reach outside the program's memory, so that each execution needs its own process.

Memory mode puts the program's globals, stacks and heap back by copy, and the runtime's own functions (native/libc*.c)
their state. What another library function changes stays: files, descriptors, children, signal handlers, the
environment. `needs_fork` errs on the side of a process: a function that is not known here needs one.

A function is known if the runtime replaces it or if it is in the list below. Those in the list touch only what they
are given, errno, and buffers of the library that they fill anew at each call; or they ask the system for something
that the program cannot change in memory mode. They keep no memory of the real heap from one call to the next, but for
those of the scanf kind that store new strings (`allocating_scans`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from raceproof.explore.build import replaced_functions
from raceproof.explore.concurrent_calls import calls_beside_others
from raceproof.explore.library_state import (
    ANSWERS,
    FILE_ASKS,
    FILE_CHANGES,
    LEARNS,
    QUESTIONS,
    STATES,
    STREAMS,
    TELLS,
    State,
    is_placed,
)
from raceproof.facts import Format, atomic_call, format_text, known_effect, names_of, scanf_fresh, sync_op
from raceproof.ir import Call, Program
from raceproof.model import ConcurrentProgram

_RUNTIME: Final = "rp_lib_"
_HOOKS: Final = re.compile(r"rp_(?!lib_)\w+")


def needs_fork(external_names: Iterable[str]) -> tuple[str, ...]:
    """Those of the program's external functions that memory mode cannot put back, sorted.

    The names are as in the program or as the instrumented program has them (`rp_lib_NAME`).
    """
    replaced = replaced_functions()
    plain = {name.removeprefix(_RUNTIME) for name in external_names if not _HOOKS.fullmatch(name)}
    return tuple(sorted(name for name in plain if not _is_memory_only(name, replaced)))


def may_change_files(external_names: Iterable[str]) -> bool:
    """Whether a program with these external functions may change files. Errs on the side of yes."""
    return any(_CHANGES_NO_FILES.isdisjoint(names_of(name)) for name in needs_fork(external_names))


def may_see_fp_environment(external_names: Iterable[str]) -> bool:
    """Whether a program with these external functions may look at its floating-point environment or set it.

    Errs on the side of yes: for a function that is not known here, and for those that need a process of their own.
    """
    names = tuple(external_names)
    return bool(needs_fork(names)) or any(
        _FP_INTRINSICS.search(name) if name.startswith("llvm.") else not _FENV_H.isdisjoint(names_of(name))
        for name in names
    )


def allocating_scans(cp: ConcurrentProgram) -> tuple[str, ...]:
    """Functions of the scanf kind that may store the address of a new string (`%ms`), sorted: it is from the real heap,
    which memory mode does not put back."""
    found: set[str] = set()
    for function in cp.program.functions.values():
        for call in function.instructions():
            if isinstance(call, Call) and cp.calls is not None:
                targets = cp.calls.targets[call.id]
                found.update(name for name in targets.externals if _may_allocate(cp.program, call, name))
    return tuple(sorted(found))


def _may_allocate(program: Program, call: Call, name: str) -> bool:
    effect = known_effect(name)
    if effect is None or effect.format is not Format.SCANF or effect.format_arg is None:
        return False
    known = format_text(program, call.args[effect.format_arg]) if effect.format_arg < len(call.args) else None
    return known is None or bool(scanf_fresh(known.text, effect.format_arg + 1))


def unseen_order(cp: ConcurrentProgram) -> tuple[str, ...]:
    """Functions that several threads call and whose results may tell what others have done outside the program's
    memory, sorted: in which order they are called is not part of the search."""
    called = [(calls_beside_others(cp, thread), thread.many) for thread in cp.threads.values()]
    found: set[str] = set()
    for state in _states(cp.program.externals):
        changing = [(number, many) for number, (names, many) in enumerate(called) if names & state.changes]
        asking = [number for number, (names, _) in enumerate(called) if names & state.asks]
        if any(other != number or many for number, many in changing for other in asking):
            found.update(*(names & (state.changes | state.asks) for names, _ in called))
    return tuple(sorted(found))


def lasting_effects(cp: ConcurrentProgram) -> tuple[str, ...]:
    """Functions that the program may call, sorted, whose success depends on what an earlier execution has left in the
    file system: the next one need not do the same."""
    names = {known for external in cp.program.externals for known in names_of(external)}
    return tuple(sorted(names & _LASTING))


def told_outside(name: str) -> int:
    """Whether a call of the function may tell other threads something through the system (1), or learn of it (2).

    A function that is known to nobody may do both.
    """
    variants = tuple(names_of(name))
    if known_effect(name) is None and sync_op(name) is None:
        return 3 if needs_fork((name,)) else 0
    return (not TELLS.isdisjoint(variants)) + 2 * (not LEARNS.isdisjoint(variants))


def _states(externals: Iterable[str]) -> Iterator[State]:
    """What threads may share outside of the program's memory, in a program that uses these functions."""
    variants = [tuple(names_of(external)) for external in externals]
    names = frozenset(name for known in variants for name in known)
    outside = frozenset(needs_fork(externals))
    replaced = replaced_functions()
    unplaced = frozenset(
        known[0] for known in variants if not replaced.isdisjoint(known) and not any(is_placed(name) for name in known)
    )
    unknown = frozenset(n for n in outside if known_effect(n) is None and sync_op(n) is None)
    yield from (State(s.changes | unknown, s.asks | unknown) for s in STATES if not s.needs or s.needs & names)
    yield State(_words("setlocale") | unknown, _LOCALIZED | unknown)
    if outside:
        yield State(outside | unplaced | ANSWERS, outside | unplaced | QUESTIONS)
        yield State(FILE_CHANGES, FILE_ASKS)
    else:
        yield State(unplaced, unplaced)


def _is_memory_only(name: str, replaced: frozenset[str]) -> bool:
    if name.startswith("llvm.") or atomic_call(name) is not None:
        return True
    variants = tuple(names_of(name))
    if not _OUTSIDE_ALL_THE_SAME.isdisjoint(variants):
        return False
    if not _MEMORY_ONLY.isdisjoint(variants) or _COMPILER.fullmatch(name):
        return True
    # As in the hooks: a fortified function has other arguments and is replaced under its own name only.
    return name.removeprefix("\x01") in replaced if name.endswith("_chk") else not replaced.isdisjoint(variants)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LASTING: Final = _words("""
    mkdir mkdirat rmdir unlink unlinkat remove rename renameat renameat2 link linkat symlink symlinkat mkfifo mkfifoat
    mknod mknodat creat truncate chmod fchmod fchmodat chown fchown lchown setxattr removexattr mount umount system
    popen
""")


# They need a process of their own for something else.
_CHANGES_NO_FILES: Final = _words("""
    pipe pipe2 eventfd eventfd_read eventfd_write signalfd timerfd_create timerfd_settime timerfd_gettime
    socket socketpair bind listen accept accept4 connect shutdown getsockopt setsockopt getsockname getpeername
    getaddrinfo freeaddrinfo gethostbyname gethostbyname_r gethostbyaddr gethostbyaddr_r getnameinfo
    send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg read readv close
    epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait ppoll poll select pselect
    sigaction signal sigaltstack sigsuspend pause sigqueue pthread_sigqueue tgkill
    wait waitpid wait3 wait4 waitid fork _Fork vfork semget semop semctl msgget msgsnd msgrcv msgctl shmget shmat shmdt
    mmap munmap mprotect madvise mremap sbrk dup dup2 dup3 sched_yield sched_setscheduler sched_setparam setpriority
    setrlimit prctl fstat fdopen fcntl
""")


def _of_all_types(text: str) -> frozenset[str]:
    """The functions of math.h and complex.h for double, float and long double."""
    return frozenset(name + suffix for name in text.split() for suffix in ("", "f", "l"))


# The runtime has them, but what they do, or may do, stays outside of the program's memory.
_OUTSIDE_ALL_THE_SAME: Final = _words("""
    freopen dup2 syscall mmap mremap sbrk semop msgsnd msgrcv readv recv recvfrom recvmsg accept accept4 flock
    send sendto listen connect ppoll epoll_wait epoll_pwait wait waitpid wait3 wait4 waitid
    sigaction signal sigaltstack sigsuspend pause
    fork _Fork vfork daemon semget msgget shmget shm_open shm_unlink mq_open mq_unlink
""")

# Arithmetic that the machine has no instruction for, and the names behind -ffast-math.
_COMPILER: Final = re.compile(
    r"__(u?div|u?mod|mul|neg|ashl|ashr|lshr|u?cmp|clz|ctz|ffs|parity|popcount|bswap|powi|abs|absv|addv|subv|mulv|negv|"
    r"udivmod|divmod|mulo|fix|fixuns|float|floatun|extend|trunc|add|sub|eq|ne|lt|le|gt|ge|unord)"
    r"([sdtqxhc][ift]|[sdtx]c|bf){1,2}[2345]?|__\w+_finite"
)

_STRING_H: Final = _words("""
    memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr memset memset_explicit memset_s rawmemchr
    bcmp bcopy bzero explicit_bzero swab timingsafe_bcmp timingsafe_memcmp ffs ffsl ffsll
    index rindex stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn
    strlcat strlcpy strlen strncasecmp strncat strncmp strncpy strnlen strnstr strpbrk strrchr strsep strspn strstr
    strtok_r strverscmp strxfrm strcasecmp_l strncasecmp_l strcoll_l strxfrm_l basename dirname fnmatch
    strerror strerror_l strerror_r strerrordesc_np strerrorname_np strsignal sigabbrev_np sigdescr_np
    __memcpy_chk __memmove_chk __mempcpy __mempcpy_chk __memrchr __memset_chk __rawmemchr __explicit_bzero_chk
    __stpcpy __stpcpy_chk __stpncpy __stpncpy_chk __strcasecmp __strcat_chk __strchrnul __strcpy_chk __strlcat_chk
    __strlcpy_chk __strncat_chk __strncpy_chk __strnlen __strsep __strtok_r __xpg_strerror_r __xpg_basename
""")
_WCHAR_H: Final = _words("""
    wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset wcpcpy wcpncpy wcscasecmp wcscat wcschr wcschrnul wcscmp wcscoll
    wcscpy wcscspn wcslcat wcslcpy wcslen wcsncasecmp wcsncat wcsncmp wcsncpy wcsnlen wcspbrk wcsrchr wcsspn wcsstr
    wcstok wcswcs wcswidth wcsxfrm wcwidth btowc wctob mblen mbrlen mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc
    wcrtomb wcsnrtombs wcsrtombs wcstombs wctomb c16rtomb c32rtomb c8rtomb mbrtoc16 mbrtoc32 mbrtoc8
    wcstod wcstof wcstoimax wcstol wcstold wcstoll wcstoq wcstoul wcstoull wcstoumax wcstouq wcsftime
    swprintf vswprintf swscanf vswscanf __swprintf_chk __vswprintf_chk __mbstowcs_chk __wcstombs_chk
    __wcscat_chk __wcscpy_chk __wcsncpy_chk __wmemcpy_chk __wmemmove_chk __wmemset_chk
""")
_CTYPE_H: Final = _words("""
    isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
    isalnum_l isalpha_l isblank_l iscntrl_l isdigit_l isgraph_l islower_l isprint_l ispunct_l isspace_l isupper_l
    isxdigit_l iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace
    iswupper iswxdigit iswalnum_l iswalpha_l iswctype_l iswdigit_l iswlower_l iswprint_l iswpunct_l iswspace_l
    iswupper_l toascii tolower toupper tolower_l toupper_l _tolower _toupper towctrans towlower towupper towlower_l
    towupper_l wctrans wctype __ctype_b_loc __ctype_get_mb_cur_max __ctype_tolower_loc __ctype_toupper_loc
    __tolower_l __toupper_l
""")
_STDLIB_H: Final = _words("""
    abs labs llabs imaxabs uabs ulabs ullabs umaxabs div ldiv lldiv imaxdiv atof atoi atol atoll a64l l64a
    strtod strtof strtold strtol strtoll strtoul strtoull strtoimax strtoumax strtoq strtouq strtod_l strtof_l
    strtold_l strtol_l strtoll_l strtoul_l strtoull_l strtof32 strtof32x strtof64 strtof64x strtof128
    strfromd strfromf strfroml ecvt fcvt gcvt ecvt_r fcvt_r qecvt qfcvt qgcvt qecvt_r qfcvt_r
    __strtod_internal __strtol_internal __strtoul_internal bsearch lfind lsearch insque remque getsubopt rpmatch
    rand_r random_r srandom_r initstate_r setstate_r
    drand48_r erand48_r lrand48_r mrand48_r nrand48_r jrand48_r srand48_r seed48_r lcong48_r
    getenv secure_getenv __secure_getenv alloca __errno_location __errno ___errno _errno __error __h_errno_location
""")
# A locale, once set, stays for the next execution, which sets the same one.
_LOCALE_H: Final = _words("""
    setlocale localeconv nl_langinfo nl_langinfo_l gettext dgettext dcgettext ngettext dngettext dcngettext textdomain
    bindtextdomain bind_textdomain_codeset
""")
_STDIO_H: Final = _words("""
    snprintf sprintf vsnprintf vsprintf sscanf vsscanf fileno fileno_unlocked
    __snprintf_chk __sprintf_chk __vsnprintf_chk __vsprintf_chk
""")
_TIME_H: Final = _words("""
    asctime asctime_r ctime ctime_r difftime dysize gmtime gmtime_r localtime localtime_r mktime strftime strftime_l
    strptime timegm timelocal tzset clock_getres timespec_getres clock_getcpuclockid
""")
# Questions whose answer is the same in every execution.
_SYSTEM: Final = _words("""
    getuid geteuid getgid getegid getgroups getresuid getresgid getpgrp getpgid getsid getpagesize getdtablesize
    getrlimit gethostname getdomainname gethostid uname getauxval confstr pathconf fpathconf
    access eaccess euidaccess faccessat stat lstat fstatat statx statfs statvfs readlink readlinkat
    __stat __lstat __xstat __lxstat __fxstatat
    sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getparam sched_getscheduler
    sched_rr_get_interval __sched_cpucount getpriority get_phys_pages
    sigaddset sigandset sigdelset sigemptyset sigfillset sigisemptyset sigismember sigorset
    __libc_current_sigrtmax __libc_current_sigrtmin
    htonl htons ntohl ntohs inet_addr inet_aton inet_ntoa inet_ntop inet_pton inet_network inet_makeaddr inet_lnaof
    inet_netof gai_strerror hstrerror
""")
_MATH_H: Final = _of_all_types("""
    acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cbrt ceil compoundn copysign cos cosh cospi
    drem erf erfc exp exp10 exp10m1 exp2 exp2m1 expm1 fabs fdim finite floor fma fmax fmaximum fmaximum_mag
    fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod frexp
    fromfp fromfpx gamma getpayload hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llogb llrint llround log log10
    log10p1 log1p log2 log2p1 logb logp1 lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow pow10
    pown powr remainder remquo rint rootn round roundeven rsqrt scalb scalbln scalbn significand sin sincos sinh sinpi
    sqrt tan tanh tanpi tgamma trunc ufromfp ufromfpx y0 y1 yn
    cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog clog10 conj cpow cproj creal csin csinh
    csqrt ctan ctanh __finite __fpclassify __isinf __isnan __issignaling __signbit
""") | _words("lgamma_r lgammaf_r lgammal_r __iseqsig")
# Each thread has its own floating-point environment, here as in reality.
_FENV_H: Final = _words("""
    fegetround fesetround feclearexcept feraiseexcept fetestexcept fetestexceptflag fegetexceptflag fesetexceptflag
    fesetexcept fegetenv fesetenv feholdexcept feupdateenv fegetmode fesetmode feenableexcept fedisableexcept
    fegetexcept
""")

_FP_INTRINSICS: Final = re.compile(r"round(ing|s)\b|fpenv|fpmode|csr|xsave|xrstor|constrained|\bfpcr|fpscr")

# Jumps stay within the stack of one thread; attributes are plain memory of the program.
_THREADS: Final = _words("""
    setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp __longjmp_chk
""") | frozenset(
    f"pthread_{kind}attr_{verb}"
    for kind in ("", "mutex", "cond", "rwlock", "barrier")
    for verb in (
        *("init", "destroy"),
        *(
            f"{way}{what}"
            for way in ("get", "set")
            for what in (
                *("type", "pshared", "protocol", "prioceiling", "robust", "robust_np", "kind_np", "clock"),
                *("detachstate", "guardsize", "inheritsched", "schedparam", "schedpolicy", "scope", "stack"),
                *("stackaddr", "stacksize", "affinity_np", "sigmask_np"),
            )
        ),
    )
)

# What a locale decides: far too much, but few programs set one while threads run.
_LOCALIZED: Final = (_STRING_H | _WCHAR_H | _CTYPE_H | _STDLIB_H | _LOCALE_H | _STDIO_H | _TIME_H | STREAMS) - _words(
    "alloca __errno_location __errno ___errno _errno __error __h_errno_location"
)

_MEMORY_ONLY: Final = (
    _THREADS
    | _STRING_H
    | _WCHAR_H
    | _CTYPE_H
    | _STDLIB_H
    | _LOCALE_H
    | _STDIO_H
    | _TIME_H
    | _SYSTEM
    | _MATH_H
    | _FENV_H
)
