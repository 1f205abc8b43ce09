"""Which functions of the C library a 32-bit program, or one on a target, may call.

The runtime of such programs brings musl with it, because no machine can be expected to have a 32-bit C library, and a
target need not have any. The programs were compiled for glibc. Both agree on what passes between them, but, on 32-bit
machines, for times and offsets in files (64 bits in musl), and structures that hold those: so a function is here only
if it takes and gives nothing of that kind, or if musl has it for 32-bit times under its plain name, as it does for
time.h. What the runtime replaces is right anyway. Anything else is refused by name: also what glibc's headers do to the
inside of a FILE (`__uflow`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from raceproof.core import Unsupported
from raceproof.facts import known_effect, sync_op


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRING_H: Final = _words("""
    memccpy memchr memcmp memcpy memmem memmove mempcpy memrchr memset bcmp bcopy bzero explicit_bzero swab
    ffs ffsl ffsll index rindex stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll strcpy
    strcspn strlcat strlcpy strlen strncasecmp strncat strncmp strncpy strnlen strpbrk strrchr strsep strspn strstr
    strtok_r strverscmp strxfrm __xpg_basename dirname fnmatch strerror __xpg_strerror_r strsignal
    __memcpy_chk __memmove_chk __memset_chk __strcat_chk __strcpy_chk __strncat_chk __strncpy_chk
    __stpcpy __stpncpy __strchrnul __memrchr
""")
_WCHAR_H: Final = _words("""
    wmemchr wmemcmp wmemcpy wmemmove wmemset wcpcpy wcpncpy wcscasecmp wcscat wcschr wcscmp wcscoll wcscpy wcscspn
    wcslen wcsncasecmp wcsncat wcsncmp wcsncpy wcsnlen wcspbrk wcsrchr wcsspn wcsstr wcstok wcswcs wcswidth wcsxfrm
    wcwidth btowc wctob mblen mbrlen mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc wcrtomb wcsnrtombs wcsrtombs
    wcstombs wctomb wcstod wcstof wcstoimax wcstol wcstold wcstoll wcstoul wcstoull wcstoumax swprintf vswprintf swscanf
    vswscanf
""")
_CTYPE_H: Final = _words("""
    isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit toascii
    tolower toupper iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace
    iswupper iswxdigit towctrans towlower towupper wctrans wctype
    __ctype_b_loc __ctype_get_mb_cur_max __ctype_tolower_loc __ctype_toupper_loc
""")
_STDLIB_H: Final = _words("""
    abs labs llabs imaxabs div ldiv lldiv imaxdiv atof atoi atol atoll a64l l64a strtod strtof strtold strtol strtoll
    strtoul strtoull strtoimax strtoumax ecvt fcvt gcvt bsearch lfind lsearch insque remque getsubopt rand_r
    getenv secure_getenv setenv unsetenv putenv clearenv __errno_location __h_errno_location setlocale system
    hcreate hdestroy hsearch tsearch tfind tdelete twalk
""")
_STDIO_H: Final = _words("""
    snprintf sprintf vsnprintf vsprintf sscanf vsscanf __isoc99_sscanf __isoc99_vsscanf __isoc99_swscanf
    __isoc99_vswscanf fileno fopen fdopen remove rename tmpfile tmpnam popen pclose open_memstream fmemopen
""")
_TIME_H: Final = _words("""
    asctime asctime_r ctime ctime_r difftime gmtime gmtime_r localtime localtime_r mktime strftime strptime timegm tzset
    wcsftime clock_getres
""")
_SYSTEM: Final = _words("""
    getuid geteuid getgid getegid getpgrp getpgid getsid getpagesize gethostname gethostid uname getauxval confstr
    access eaccess euidaccess readlink sched_get_priority_max sched_get_priority_min __sched_cpucount getpriority
    sigaddset sigandset sigdelset sigemptyset sigfillset sigisemptyset sigismember sigorset
    __libc_current_sigrtmax __libc_current_sigrtmin signal sigaction sigprocmask pthread_sigmask sigpending pause
    htonl htons ntohl ntohs inet_addr inet_aton inet_ntoa inet_ntop inet_pton gai_strerror hstrerror
    open creat unlink rmdir mkdir chdir dup pipe pipe2 fork vfork wait waitpid link symlink chmod umask sync fsync
    execl execle execlp execv execve execvp socket socketpair bind connect listen accept send recv sendto recvfrom
    shutdown getsockname getpeername getaddrinfo freeaddrinfo gethostbyname openlog syslog closelog prctl
    setsockopt getsockopt fcntl ioctl sendmsg epoll_create epoll_create1 epoll_ctl eventfd dup3 mkstemp mkdtemp
    gethostbyaddr getservbyname getservbyport getpwnam getpwuid getgrnam getgrgid setsid setuid setgid seteuid setegid
    setpgid setgroups initgroups nice tcgetattr tcsetattr ttyname getlogin if_nametoindex
""")
_MATH_NAMES: Final = _words("""
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor
    fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan
    nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh
    tgamma trunc cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog conj cpow cproj creal
    csin csinh csqrt ctan ctanh __fpclassify __signbit
""")
_MATH_H: Final = frozenset(name + suffix for name in _MATH_NAMES for suffix in ("", "f", "l")) | _words("""
    drem dremf finite finitef j0 j0f j1 j1f jn jnf y0 y0f y1 y1f yn ynf scalb scalbf significand significandf
""")
_THREADS: Final = _words("""
    setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp
""") | frozenset(
    f"pthread_{kind}attr_{verb}"
    for kind, what in (
        ("", "detachstate guardsize inheritsched schedpolicy scope stack stacksize"),
        ("mutex", "protocol pshared robust type"),
        ("cond", "clock pshared"),
        ("rwlock", "pshared"),
        ("barrier", "pshared"),
    )
    for verb in ("init", "destroy", *(f"{way}{name}" for way in ("get", "set") for name in what.split()))
)
_VARIABLES: Final = _words("""
    stdin stdout stderr environ __environ _environ optarg optind opterr optopt timezone __timezone daylight __daylight
    tzname __tzname signgam program_invocation_name program_invocation_short_name
""")
# What the compiler calls for arithmetic that the machine has no instruction for.
_COMPILER: Final = (
    _words("""
        __divdi3 __moddi3 __udivdi3 __umoddi3 __divmoddi4 __udivmoddi4 __muldi3 __mulodi4 __mulosi4
        __ashldi3 __ashrdi3 __lshrdi3 __cmpdi2 __ucmpdi2 __negdi2 __clzdi2 __clzsi2 __ctzdi2 __ctzsi2 __ffsdi2
        __popcountdi2 __popcountsi2 __paritydi2 __paritysi2 __bswapdi2 __bswapsi2
        __powisf2 __powidf2 __powixf2 __powitf2 __addtf3 __subtf3 __multf3 __divtf3 __eqtf2 __netf2 __lttf2 __letf2
        __gttf2 __getf2 __unordtf2 __extendsftf2 __extenddftf2 __extendxftf2 __trunctfsf2 __trunctfdf2 __trunctfxf2
        __extendhfsf2 __extendhfxf2 __truncsfhf2 __truncdfhf2 __truncxfhf2
        __mulsc3 __muldc3 __mulxc3 __divsc3 __divdc3 __divxc3
        __atomic_load __atomic_store __atomic_exchange __atomic_compare_exchange
    """)
    | frozenset(f"__fix{s}{f}{i}" for s in ("", "uns") for f in ("sf", "df", "xf", "tf") for i in ("si", "di"))
    | frozenset(f"__float{s}{i}{f}" for s in ("", "un") for f in ("sf", "df", "xf", "tf") for i in ("si", "di"))
    | frozenset(
        f"__atomic_{verb}_{size}"
        for verb in _words("load store exchange compare_exchange fetch_add fetch_sub fetch_and fetch_or fetch_xor")
        for size in (1, 2, 4, 8)
    )
)
# As newer headers of glibc call them.
_C23: Final = _words("""
    strtol strtoll strtoul strtoull strtoimax strtoumax sscanf vsscanf wcstol wcstoll wcstoul wcstoull wcstoimax
    wcstoumax swscanf vswscanf
""")
# Those of native/library32.c.
_OWN: Final = _words("""
    pthread_rwlockattr_setkind_np pthread_rwlockattr_getkind_np rawmemchr glibc_setrobust
    __isnan __isnanf __isnanl __isinf __isinff __isinfl __finite __finitef __finitel
""")
_OTHER_NAMES: Final = {
    **{name: f"__{name}" for name in _words("isnan isnanf isnanl isinf isinff isinfl finitel")},
    **{f"__{name}": name for name in _words("rawmemchr strtok_r strnlen strsep strcasecmp mempcpy")},
    **{f"pthread_mutexattr_{verb}kind_np": f"pthread_mutexattr_{verb}type" for verb in ("get", "set")},
    **{f"pthread_mutexattr_{verb}robust_np": f"pthread_mutexattr_{verb}robust" for verb in ("get", "set")},
    "pthread_mutexattr_setrobust": "glibc_setrobust",
    "pthread_mutexattr_setrobust_np": "glibc_setrobust",
    "strerror_r": "gnu_strerror_r",
    "basename": "gnu_basename",
    "strtoq": "strtoll",
    "strtouq": "strtoull",
}
LIBRARY: Final = {
    **{
        name: name
        for names in (_STRING_H, _WCHAR_H, _CTYPE_H, _STDLIB_H, _STDIO_H, _TIME_H, _SYSTEM, _MATH_H, _THREADS)
        for name in names
    },
    **{name: name for name in (*_VARIABLES, *_COMPILER)},
    **{name: name for name in _OWN},
    **{f"__isoc23_{name}": name for name in _C23},
    **_OTHER_NAMES,
}
"""What the host gives to the programs besides its own functions: the name that they have for it -> musl's."""

# What the compiler calls on arm, and what it calls elsewhere instead. Atomic operations are instructions there.
_FOR_ARM: Final = frozenset(
    f"__aeabi_{name}"
    for name in _words("""
        memcpy memcpy4 memcpy8 memmove memmove4 memmove8 memset memset4 memset8 memclr memclr4 memclr8
        idiv uidiv idivmod uidivmod ldivmod uldivmod llsl llsr lasr lmul d2f f2d d2lz d2ulz f2lz f2ulz
        l2d ul2d l2f ul2f d2h
    """)
)
_NOT_FOR_ARM: Final = re.compile(
    r"__atomic_\w+|__(?:ashl|ashr|lshr|mul)di3|__fix(?:uns)?[ds]f[ds]i|__float(?:un)?[ds]i[ds]f"
)


def library_of(machine: str) -> dict[str, str]:
    """`LIBRARY` as it is for one of `frontend.MACHINES`."""
    if machine != "arm":
        return LIBRARY
    elsewhere = {name: own for name, own in LIBRARY.items() if not _NOT_FOR_ARM.fullmatch(own)}
    return elsewhere | {name: name for name in _FOR_ARM}


_LARGE: Final = re.compile(r"\w+64(?:_\w+)?")


def takes_wide_types(name: str) -> bool:
    """Is this a function for times or offsets of 64 bits, by its name: `fseeko64`, `__clock_gettime64`?"""
    return _LARGE.fullmatch(name) is not None


def check_library(external_names: Iterable[str], replaced: Iterable[str], machine: str) -> None:
    """Refuse a program that calls a function of the C library that the runtime for its machine does not have.

    A name that is not known at all may be the program's own, in a file that is missing: that is for the loader to say.
    """
    known, library = frozenset(replaced), library_of(machine)
    for name in sorted(external_names):
        plain = name.removeprefix("\x01")
        if name in known or plain in library or plain.startswith("llvm."):
            continue
        if known_effect(name) is not None or sync_op(name) is not None:
            if machine == "x86":
                raise Unsupported(
                    f"running a 32-bit program that calls `{plain}`, which the explorer has for 64 bits only"
                )
            raise Unsupported(f"running a program that calls `{plain}` on {machine}: its runtime does not have that")
