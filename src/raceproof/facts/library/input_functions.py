"""Which library functions give the program something that its text does not decide, and which do not.

The list that has to be right is that of functions which give nothing: everything else is an input, so that a function
nobody has thought of costs a proof and hides no race. Functions whose result depends on their arguments and on the
program's memory alone give nothing; so do those that only write. They are assumed to succeed (docs/soundness.md): that
memory, threads or the disk run out is no input.

    input_kind("getenv", program)  ->  InputKind.ENVIRONMENT       input_kind("strlen", program)  ->  None
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.libc import atomic_call, is_pure_intrinsic, known_effect
from raceproof.facts.library.libc_atomic import ATOMIC
from raceproof.facts.library.libc_compiler import COMPILER
from raceproof.facts.library.libc_net import NET
from raceproof.facts.library.libc_posix import POSIX
from raceproof.facts.library.libc_stdio import STDIO
from raceproof.facts.library.libc_stdlib import ASSERT, MATH, SETJMP
from raceproof.facts.library.libc_string import CTYPE_H, STRING_H, WCHAR_H
from raceproof.facts.library.libc_threads import THREADS
from raceproof.facts.library.libc_time import TIMES
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import SYNC_OPS
from raceproof.ir import Program
from raceproof.model import InputKind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENVIRONMENT: Final = _words("""
    getenv secure_getenv __secure_getenv setlocale newlocale gettext dgettext dcgettext ngettext dngettext dcngettext
    tzset mktime timelocal localtime localtime_r ctime ctime_r strftime strftime_l wcsftime getdate strptime
""")
_RANDOM: Final = _words("""
    rand rand_r random random_r drand48 lrand48 mrand48 erand48 nrand48 jrand48 drand48_r lrand48_r mrand48_r erand48_r
    nrand48_r jrand48_r arc4random arc4random_uniform arc4random_buf getrandom getentropy strfry
    initstate initstate_r setstate seed48 llvm.x86.rdrand llvm.x86.rdseed
""")
_CLOCK: Final = _words("""
    time clock gettimeofday __gettimeofday ftime clock_gettime __clock_gettime clock_getres timespec_get
    timespec_getres times getrusage adjtime adjtimex ntp_adjtime getitimer setitimer timer_create timer_settime
    timer_gettime timer_getoverrun timerfd_create timerfd_settime timerfd_gettime alarm ualarm
    llvm.readcyclecounter llvm.readsteadycounter llvm.x86.rdtsc llvm.x86.rdtscp llvm.x86.rdpmc
""")
_ADDRESSES: Final = _words("""
    llvm.returnaddress llvm.addressofreturnaddress llvm.frameaddress llvm.sponentry backtrace backtrace_symbols
    backtrace_symbols_fd dladdr brk sbrk shmat pthread_getattr_np
""")
_ARGUMENTS: Final = _words("getopt __posix_getopt getopt_long getopt_long_only")
_SYSTEM: Final = _words("""
    getcontext pthread_gettid_np pthread_getthreadid_np pthread_getaffinity_np pthread_getschedparam
    pthread_getcpuclockid pthread_getattr_default_np pthread_getconcurrency sem_open
""")

# What a process inherits or is allowed: the signals that it ignores or blocks, descriptors, limits, rights. It shows
# only in what these return or write: who does not look at that is given nothing.
_INHERITED: Final = _words("""
    signal ssignal bsd_signal sysv_signal __sysv_signal sigset sigaction __sigaction sigprocmask pthread_sigmask
    sigaltstack close fsync fdatasync write pwrite __write writev mlock mlock2 mlockall munlock munlockall
    pthread_attr_getstacksize pthread_attr_getstack pthread_attr_getguardsize pthread_getname_np
    pthread_setschedparam pthread_setschedprio pthread_setaffinity_np pthread_setconcurrency
""")

# In tables that are full of inputs: what gives nothing all the same.
_WRITES_STREAMS: Final = _words("""
    fputc putc _IO_putc putchar putw fputwc putwc putwchar putc_unlocked fputc_unlocked putwc_unlocked fputwc_unlocked
    putchar_unlocked __overflow puts fputs fputws fputs_unlocked fwrite fwrite_unlocked perror psignal psiginfo
    fflush fflush_unlocked setbuf setbuffer setvbuf setlinebuf clearerr clearerr_unlocked fileno fileno_unlocked
    fclose flockfile funlockfile ftrylockfile fmemopen open_memstream open_wmemstream openlog closelog setlogmask
    printf wprintf fprintf dprintf fwprintf sprintf snprintf swprintf asprintf vprintf vwprintf vfprintf vdprintf
    vfwprintf vsprintf vsnprintf vswprintf vasprintf syslog vsyslog warn warnx vwarn vwarnx err errx verr verrx error
    error_at_line sscanf swscanf vsscanf vswscanf sync
""")
_COMPUTES: Final = _words("""
    malloc __libc_malloc alloca valloc pvalloc calloc __libc_calloc aligned_alloc memalign __libc_memalign realloc
    __libc_realloc reallocarray posix_memalign free cfree __libc_free free_sized free_aligned_sized mallopt malloc_stats
    strdup __strdup strndup __strndup wcsdup memcpy memmove llvm.memcpy llvm.memmove mempcpy __mempcpy memccpy bcopy
    swab memset llvm.memset memset_explicit memset_s bzero explicit_bzero wmemcpy wmemmove wmempcpy wmemset memcmp bcmp
    timingsafe_memcmp timingsafe_bcmp wmemcmp memchr memrchr __memrchr rawmemchr __rawmemchr wmemchr memmem
    mmap mremap munmap mprotect msync madvise posix_madvise
    fnmatch regcomp regexec regerror regfree localeconv nl_langinfo uselocale duplocale freelocale textdomain
    bindtextdomain bind_textdomain_codeset l64a a64l
    atoi atol atoll atof strtol strtoll strtoul strtoull strtoimax strtoumax strtoq strtouq strtof strtod strtold
    strtof128 __strtol_internal __strtoul_internal __strtod_internal strtol_l strtod_l strtoul_l strtoll_l strtoull_l
    strtof_l strtold_l strtof32 strtof64 strtof32x strtof64x wcstol wcstoll wcstoul wcstoull wcstoimax wcstoumax wcstof
    wcstod wcstold wcstoq wcstouq strfromf strfromd strfroml abs labs llabs imaxabs div ldiv lldiv imaxdiv uabs ulabs
    ullabs umaxabs gcvt qgcvt ecvt fcvt qecvt qfcvt ecvt_r fcvt_r qecvt_r qfcvt_r
    srand srandom srandom_r srand48 srand48_r lcong48 setenv unsetenv putenv clearenv
    exit _exit _Exit quick_exit abort atexit at_quick_exit on_exit __cxa_atexit
    qsort qsort_r bsearch lfind lsearch hcreate hdestroy hsearch rpmatch getsubopt basename __xpg_basename dirname
    difftime dysize timegm gmtime gmtime_r asctime asctime_r
    nanosleep clock_nanosleep sleep usleep sched_yield
    sigemptyset sigfillset sigaddset sigdelset sigismember sigisemptyset sigandset sigorset raise gsignal pthread_kill
    __libc_current_sigrtmin __libc_current_sigrtmax __sched_cpucount __sched_cpualloc __sched_cpufree
    sched_get_priority_max sched_get_priority_min cfmakeraw
    htonl htons ntohl ntohs inet_addr inet_network inet_aton inet_ntoa inet_pton inet_ntop inet_makeaddr inet_lnaof
    inet_netof ether_ntoa ether_aton ether_ntoa_r ether_aton_r
""")

_GIVES: Final = _ENVIRONMENT | _RANDOM | _CLOCK | _ADDRESSES | _ARGUMENTS | _SYSTEM | _INHERITED
_GIVES_NOTHING: Final = (
    STRING_H.keys()
    | CTYPE_H.keys()
    | WCHAR_H.keys()
    | SETJMP.keys()
    | ASSERT.keys()
    | MATH.keys()
    | THREADS.keys()
    | SYNC_OPS.keys()
    | ATOMIC.keys()
    | COMPILER.keys()
    | _WRITES_STREAMS
    | _COMPUTES
) - _GIVES
_BY_LIST: Final = {
    **dict.fromkeys(_ENVIRONMENT, InputKind.ENVIRONMENT),
    **dict.fromkeys(_RANDOM, InputKind.RANDOM),
    **dict.fromkeys(_CLOCK, InputKind.CLOCK),
    **dict.fromkeys(_ADDRESSES, InputKind.ADDRESSES),
    **dict.fromkeys(_ARGUMENTS, InputKind.ARGUMENTS),
    **dict.fromkeys(_SYSTEM | _INHERITED, InputKind.SYSTEM),
}
_NONDETERMINISTIC: Final = "__VERIFIER_nondet_"  # a choice of the search, which says itself if it has not tried all

_OUTPUT: Final = (_WRITES_STREAMS | _words("write pwrite __write fsync fdatasync")) - _words("""
    sprintf snprintf swprintf asprintf vsprintf vsnprintf vswprintf vasprintf sscanf swscanf vsscanf vswscanf
    fmemopen open_memstream open_wmemstream setbuf setbuffer setvbuf fclose ftrylockfile error error_at_line
""")
_PLAIN_VALUES: Final = (
    _words("""
    time clock gettimeofday __gettimeofday ftime clock_gettime __clock_gettime clock_getres timespec_get
    timespec_getres times getrusage rand random rand_r drand48 lrand48 mrand48 arc4random arc4random_uniform
    getpid getppid gettid getpgrp getuid geteuid getgid getegid pthread_gettid_np pthread_getthreadid_np
    get_nprocs get_nprocs_conf get_phys_pages get_avphys_pages getpagesize sysconf sched_getcpu
    """)
    | _INHERITED
    | {name for name in _CLOCK | _RANDOM | _ADDRESSES if name.startswith("llvm.")}
)
_SEEDS: Final = _words("srand srandom srand48")

# Functions whose result is all that comes of their arguments, but for errno, signgam and floating-point flags.
_FLOAT_ENVIRONMENT: Final = _words("""
    feclearexcept feraiseexcept fesetround fegetround fetestexcept feenableexcept fedisableexcept fegetexcept fegetenv
    feholdexcept fesetenv feupdateenv fegetexceptflag fesetexceptflag
""")
_ARITHMETIC: Final = (
    (MATH.keys() - _FLOAT_ENVIRONMENT)
    | CTYPE_H.keys()
    | _words("""
    abs labs llabs imaxabs div ldiv lldiv imaxdiv uabs ulabs ullabs umaxabs ffs ffsl ffsll difftime dysize
    htonl htons ntohl ntohs inet_makeaddr inet_lnaof inet_netof btowc wctob wcwidth
    llvm.expect llvm.expect.with.probability llvm.ssa.copy llvm.annotation
""")
)
_SETS_MODE: Final = ("llvm.set.", "llvm.reset.")  # intrinsics that change how numbers are rounded
_SETS_SIGNGAM: Final = _words("lgamma lgammaf lgammal gamma gammaf gammal")
_READS_FLOAT_FLAGS: Final = _words("""
    fetestexcept fegetexceptflag fegetenv feholdexcept feupdateenv feenableexcept llvm.get.fpenv llvm.x86.sse.stmxcsr
""")
_ERROR_NUMBER: Final = _words("__errno_location __errno ___errno __error _errno")
_STREAMS_IN_MEMORY: Final = _words("fmemopen open_memstream open_wmemstream fopencookie funopen")
_GIVES_BUFFER: Final = _words("setvbuf setbuf setbuffer")
_ENDS: Final = _words("exit _exit _Exit quick_exit")
_SORTS: Final = _words("qsort qsort_r")
_SEARCHES: Final = _words("bsearch")
_COPIES_WHOLE: Final = _words("""
    memcpy memmove llvm.memcpy llvm.memmove mempcpy __mempcpy bcopy wmemcpy wmemmove wmempcpy realloc __libc_realloc
    reallocarray
""")


def input_kind(name: str, program: Program) -> InputKind | None:
    """What the library function `name` gives to the program; None if nothing."""
    if name.startswith(_NONDETERMINISTIC) or atomic_call(name) is not None:
        return None
    names = tuple(names_of(name))
    for known in names:
        if (kind := _BY_LIST.get(known)) is not None:
            return kind
    if is_pure_intrinsic(name) or not _GIVES_NOTHING.isdisjoint(names):
        return None
    if any(known in table for known in names for table in (STDIO, POSIX, NET)):
        return InputKind.STREAM
    if any(known in TIMES for known in names):
        return InputKind.SYSTEM
    if known_effect(name) is not None:
        return InputKind.SYSTEM
    external = program.externals.get(name)
    model = external.model if external is not None else None
    return None if model is not None and not model.gives_input else InputKind.UNKNOWN


def is_output(name: str) -> bool:
    """Whether all that the function does with its arguments is to write them to where the program does not look."""
    return not _OUTPUT.isdisjoint(names_of(name))


def gives_plain_value(name: str) -> bool:
    """Whether the function, of those that give something, always does the same but for the values that it returns and
    writes: none of its accesses depends on what these are."""
    return not _PLAIN_VALUES.isdisjoint(names_of(name))


def may_be_denied(name: str) -> bool:
    """Whether what a process inherits or is allowed decides if the function succeeds, which shows in errno, too."""
    return not _INHERITED.isdisjoint(names_of(name))


def is_seed(name: str) -> bool:
    """Whether the function only chooses a sequence of random numbers, each of which is an input itself."""
    return not _SEEDS.isdisjoint(names_of(name))


def is_arithmetic(name: str) -> bool:
    """Whether all that the function does with numbers it is given is to compute its result, but for what it leaves in
    errno and its like (`may_set_errno`, `sets_signgam`, floating-point flags)."""
    if is_pure_intrinsic(name):
        return not name.startswith(_SETS_MODE)
    return not _ARITHMETIC.isdisjoint(names_of(name))


def may_set_errno(name: str) -> bool:
    """Whether it depends on the numbers that such a function is given what it leaves in errno."""
    return not name.startswith("llvm.") and not MATH.keys().isdisjoint(names_of(name))


def sets_signgam(name: str) -> bool:
    return not _SETS_SIGNGAM.isdisjoint(names_of(name))


def reads_float_flags(name: str) -> bool:
    """Whether the function gives away which floating-point exceptions there were, or makes them signals."""
    return not _READS_FLOAT_FLAGS.isdisjoint(names_of(name))


def is_error_number(name: str) -> bool:
    """Whether the function gives the address of errno."""
    return not _ERROR_NUMBER.isdisjoint(names_of(name))


def opens_stream_in_memory(name: str) -> bool:
    """Whether what is written to the stream that the function makes comes back to the program."""
    return not _STREAMS_IN_MEMORY.isdisjoint(names_of(name))


def gives_buffer(name: str) -> bool:
    """Whether argument 1, if it is not null, becomes the buffer of a stream."""
    return not _GIVES_BUFFER.isdisjoint(names_of(name))


def ends_program(name: str) -> bool:
    """Whether the function does nothing with its argument but to leave it as the status of the process."""
    return not _ENDS.isdisjoint(names_of(name))


def is_sort(name: str) -> bool:
    """Whether the function sorts argument 0: which comparisons it makes, and how equal elements end up, is its own."""
    return not _SORTS.isdisjoint(names_of(name))


def is_search(name: str) -> bool:
    """Whether the function finds one of the elements that compare equal, whichever, by comparisons of its choice."""
    return not _SEARCHES.isdisjoint(names_of(name))


def copies_whole(name: str) -> bool:
    """Whether the function copies memory and never looks at what it copies."""
    return not _COPIES_WHOLE.isdisjoint(names_of(name))
