"""How the memory that a library call touches can be told to the runtime.

The tables of `facts` err on the side of more: a buffer of n bytes that may be filled is written from end to end. A run
must say what was really touched, or it would show races that are none. So each function is either known here to touch
all of what the table says, or what it touches is found out when it runs (the string as it is, the number of bytes
that it returns), or it is not told at all; then nothing may be proved about the access.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from raceproof.facts import (
    ArgBytes,
    Bytes,
    CString,
    Format,
    MemoryTouch,
    Reach,
    SyncUse,
    WholeObject,
    known_effect,
    names_of,
)
from raceproof.frontend import (
    RESULT,
    AccessHook,
    Appended,
    Block,
    Extent,
    Fixed,
    Guard,
    HookKind,
    Moved,
    Product,
    Result,
    Stop,
    Stopped,
    String,
    StringAt,
    StringUpTo,
    StringWithin,
)
from raceproof.ir import Address, Call, IntConst, Program
from raceproof.model import AccessKind


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What they touch is all of it.
_WHOLE: Final = _names("""
    memcpy memmove memset memcmp bcmp bcopy bzero explicit_bzero mempcpy __mempcpy memset_explicit
    llvm.memcpy llvm.memcpy.inline llvm.memmove llvm.memset llvm.memset.inline
    __memcpy_chk __memmove_chk __memset_chk __mempcpy_chk __explicit_bzero_chk
    wmemcpy wmemmove wmemset wmemcmp wmempcpy fwrite fwrite_unlocked write pwrite send sendto qsort qsort_r
    getentropy arc4random_buf __VERIFIER_nondet_memory
""")
# Memory is read up to a NUL, but no more than the table says.
_READ_TO_NUL: Final = _names("""
    strncmp strncasecmp strnlen __strnlen strncpy __strncpy_chk stpncpy __stpncpy strndup __strndup strncat
    __strncat_chk
""")
_PADDED: Final = _names("strncpy __strncpy_chk stpncpy __stpncpy __stpncpy_chk")
# The result is the number of bytes.
_COUNTED: Final = _names("read pread recv recvfrom readlink getrandom __read_chk __pread_chk __recv_chk")
_FREAD: Final = {"fread": 1, "fread_unlocked": 1, "__fread_chk": 2, "__fread_unlocked_chk": 2}
# The result is the length of the string that would have been written.
_PRINTED: Final = _names("snprintf vsnprintf __snprintf_chk __vsnprintf_chk")
# A string is there afterwards, all of it written by the call.
_STRING_WRITTEN: Final = _names("""
    strcpy __strcpy_chk stpcpy __stpcpy __stpcpy_chk strlcpy __strlcpy_chk
    sprintf vsprintf __sprintf_chk __vsprintf_chk ctime_r asctime_r gethostname
""")
# Likewise, behind the string that was there.
_APPENDED: Final = _names("strcat __strcat_chk strncat __strncat_chk strlcat __strlcat_chk")
# As the ones before, if the result is not null.
_STRING_WRITTEN_IF: Final = _names("""
    fgets __fgets_chk fgets_unlocked __fgets_unlocked_chk gets getcwd realpath inet_ntop tmpnam_r
""")
_FREED: Final = _names("""
    free cfree __libc_free free_sized free_aligned_sized realloc __libc_realloc reallocarray
    _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm
""")
# Handles that only the library looks into: their first byte stands for all of them.
_HANDLES: Final = _names("readdir readdir64 rewinddir seekdir telldir closedir __uflow __overflow")
_CLOSES: Final = _names("closedir fclose pclose fcloseall endmntent")
# The new object is a block of the runtime's own heap, and the call fills all of it; or it is a string there.
_FILLED: Final = _names("calloc __libc_calloc strdup __strdup strndup __strndup wcsdup")
_COPIED: Final = {"realloc": (1,), "__libc_realloc": (1,), "reallocarray": (1, 2)}
_NAMED: Final = _names("getcwd realpath get_current_dir_name canonicalize_file_name")
_FILLED_AT: Final = _names("asprintf vasprintf __asprintf_chk __vasprintf_chk")
# They stop to read before the end: the argument with the base, or None for 10.
_INTEGERS: Final[Mapping[str, int | None]] = {
    **dict.fromkeys(_names("atoi atol atoll")),
    **dict.fromkeys(
        _names("""
            strtol strtoll strtoul strtoull strtoimax strtoumax strtoq strtouq __strtol_internal __strtoul_internal
            strtol_l strtoul_l strtoll_l strtoull_l
        """),
        2,
    ),
}
_FLOATS: Final = _names("""
    atof strtof strtod strtold strtof128 __strtod_internal strtod_l strtof_l strtold_l strtof32 strtof64 strtof32x
    strtof64x
""")
# Where, and whether the second argument is a character; else it is a string.
_STOPPED: Final = {
    "strtok_r": (Stop.TOKEN, False), "__strtok_r": (Stop.TOKEN, False), "strtok": (Stop.TOKEN, False),
    "strchr": (Stop.CHARACTER, True), "index": (Stop.CHARACTER, True), "strchrnul": (Stop.CHARACTER, True),
    "strspn": (Stop.SPAN, False), "strcspn": (Stop.COSPAN, False), "strpbrk": (Stop.COSPAN, False),
    "strstr": (Stop.SUBSTRING, False),
}  # fmt: skip
# How far they read is not known.
_READ_IN_PART: Final = _names("""
    a64l fnmatch sscanf vsscanf __isoc99_sscanf __isoc23_sscanf regexec strptime getdate inet_pton inet_addr inet_aton
    inet_network ether_aton ether_aton_r getsubopt wordexp rpmatch mbtowc mbrtowc mblen mbrlen
""")
_COMPARED: Final = _names("""
    strcmp strcoll strcasecmp __strcasecmp strverscmp strncmp strncasecmp strncasecmp_l memcmp bcmp
""")
# Objects of a fixed size that the caller names: written in any case,
_ALWAYS_PREFIXES: Final = ("__atomic_", "llvm.va_", "llvm.eh.")
_ALWAYS: Final = _names("""
    pthread_create thrd_create pthread_key_create tss_create pthread_setcancelstate pthread_setcanceltype sem_getvalue
    pthread_attr_init pthread_attr_destroy pthread_mutexattr_init pthread_mutexattr_destroy pthread_condattr_init
    pthread_condattr_destroy pthread_rwlockattr_init pthread_rwlockattr_destroy pthread_barrierattr_init
    pthread_barrierattr_destroy _pthread_cleanup_push setjmp _setjmp sigsetjmp __sigsetjmp
    time times ftime frexp frexpf frexpl modf modff modfl remquo remquof remquol sincos sincosf sincosl
    lgamma_r lgammaf_r lgammal_r rand_r erand48 nrand48 jrand48 drand48_r lrand48_r mrand48_r erand48_r nrand48_r
    jrand48_r srand48_r random_r sigemptyset sigfillset sigandset sigorset cfmakeraw ecvt fcvt qecvt qfcvt
    strtok strtok_r __strtok_r __udivmoddi4 __udivmodti4 fegetenv fegetexceptflag feholdexcept
    vprintf vfprintf vdprintf vsprintf vsnprintf vasprintf vwprintf vfwprintf vswprintf vsyslog vwarn vwarnx verr verrx
    vscanf vfscanf vsscanf vwscanf vfwscanf vswscanf __vasprintf_chk __vdprintf_chk __vfprintf_chk __vfwprintf_chk
    __vprintf_chk __vsnprintf_chk __vsprintf_chk __vswprintf_chk __vsyslog_chk __vwprintf_chk
""")
# or if the call succeeds, which its result tells.
_IF_NOT_NEGATIVE: Final = _names("""
    stat fstat lstat fstatat __stat __fstat __lstat __xstat __fxstat __lxstat __fxstatat statfs fstatfs statvfs fstatvfs
    statx clock_gettime __clock_gettime clock_getres gettimeofday __gettimeofday getrusage getrlimit getitimer
    timer_gettime timerfd_gettime uname sysinfo tcgetattr pipe pipe2 socketpair sigaction __sigaction sigprocmask
    sigpending sigaltstack getresuid getresgid select pselect accept accept4 getsockname getpeername getsockopt recvfrom
    __recvfrom_chk mq_getattr mq_receive mq_timedreceive asprintf __asprintf_chk getcpu
""")
_IF_ZERO: Final = _names("""
    pthread_join thrd_join pthread_timedjoin_np pthread_clockjoin_np pthread_tryjoin_np pthread_sigmask sigwait
    posix_memalign pthread_getschedparam pthread_getattr_np pthread_getcpuclockid
    pthread_attr_getdetachstate pthread_attr_getguardsize pthread_attr_getinheritsched pthread_attr_getschedparam
    pthread_attr_getschedpolicy pthread_attr_getscope pthread_attr_getstack pthread_attr_getstacksize
    pthread_attr_setdetachstate pthread_attr_setguardsize pthread_attr_setinheritsched pthread_attr_setschedparam
    pthread_attr_setschedpolicy pthread_attr_setscope pthread_attr_setstack pthread_attr_setstacksize
    pthread_mutexattr_gettype pthread_mutexattr_getrobust pthread_mutexattr_getprotocol pthread_mutexattr_getpshared
    pthread_mutexattr_settype pthread_mutexattr_setrobust pthread_mutexattr_setprotocol pthread_mutexattr_setpshared
    pthread_condattr_getclock pthread_condattr_getpshared pthread_condattr_setclock pthread_condattr_setpshared
    pthread_rwlockattr_getpshared pthread_rwlockattr_setpshared pthread_rwlockattr_getkind_np
    pthread_rwlockattr_setkind_np pthread_barrierattr_getpshared pthread_barrierattr_setpshared
""")
_IF_POSITIVE: Final = _names("wait wait3 wait4 waitpid inet_aton timespec_get timespec_getres")
_IF_NOT_NULL: Final = _names("gmtime_r localtime_r")
_TEXT_OF_TIME: Final = _names("asctime_r ctime_r")
_NO_LIMIT: Final = (1 << 63) - 1
_WIDE_FORMAT: Final = re.compile(r"%[^%a-zA-Z]*(?:l[sc\[]|[SC])")
_SCANNED: Final = re.compile(
    r"%(?P<skip>\*?)\d*(?P<fresh>m?)(?:hh|h|ll|l|q|L|j|z|t)?(?P<conversion>\[\^?\]?[^\]]*\]|[%a-zA-Z])"
)


def hook_of(program: Program, call: Call, name: str, touch: MemoryTouch, access: int) -> AccessHook | None:
    """How to tell of `touch`, one of those of a call of the library function `name`; None if that cannot be done."""
    if touch.arg is None or touch.deref or touch.reach or touch.static is not None:
        return None
    kind: HookKind = touch.kind.value
    size = program.pointer_size
    if touch.use is not None and isinstance(touch.extent, Bytes):
        whole = Fixed(touch.extent.surely_on(size))
        return AccessHook(access, kind, touch.arg, whole, behind=touch.use is SyncUse.BEHIND)
    if touch.kind is AccessKind.FREE:
        return AccessHook(access, kind, touch.arg, Block()) if _is_in(name, _FREED) else None
    if kind == "update":
        return None
    effect = known_effect(name)
    first = effect.format_arg + 1 if effect is not None and effect.format_arg is not None else None
    if effect is not None and first is not None and touch.arg >= first and effect.va_list_arg is None:
        text = _text(program, call, first - 1)
        if text is None or "$" in text or _WIDE_FORMAT.search(text) or _is_wide(name):
            return None
        if effect.format is Format.SCANF:
            return _scanned(touch, text, touch.arg - first, access, size)
        if kind == "write":
            return None  # %n
        printed = _printed(touch, size)
        return AccessHook(access, kind, touch.arg, printed) if printed is not None else None
    if kind == "read":
        read = _extent_read(program, name, touch, size)
        read = _stopped(name, touch.arg, read, call) if read is not None else None
        return AccessHook(access, kind, touch.arg, read) if read is not None else None
    return _written(program, name, touch, access, size, call)


def filling_hook(call: Call, name: str, access: int) -> AccessHook | None:
    """How to tell that a call of `name` has filled the object that it has made; None if that cannot be done."""
    effect = known_effect(name)
    given = effect.or_arg if effect is not None else None
    if given is not None and not isinstance(call.args[given], IntConst):
        return None  # the object may be the program's own
    if name in _FILLED:
        return AccessHook(access, "write", RESULT, Block(), behind=True)
    if name in _COPIED:
        return AccessHook(access, "write", RESULT, Moved(0, _COPIED[name]), behind=True, guard=Guard.NOT_NULL)
    if name in _NAMED:
        return AccessHook(access, "write", RESULT, String(), behind=True, guard=Guard.NOT_NULL)
    if name in _FILLED_AT:
        return AccessHook(access, "write", 0, StringAt(), behind=True, guard=Guard.ABOVE, bound=-1)
    return None


def _printed(touch: MemoryTouch, pointer_size: int) -> Extent | None:
    """What a printf reads of a string: a precision bounds it, and a string without an end needs one."""
    match touch.extent:
        case Bytes():
            return StringWithin(touch.extent.on(pointer_size))
        case ArgBytes(arg=limit):
            return StringUpTo(limit, is_signed=True)
        case CString():
            return String()
        case _:
            return None


def _stopped(name: str, arg: int, whole: Extent, call: Call) -> Extent:
    """What the function certainly reads, if that need not be all of it."""
    site = call.id
    for known in names_of(name):
        if known in _INTEGERS and arg == 0:
            base = _INTEGERS[known]
            return (
                Stopped(Stop.INTEGER, whole, site, number=base)
                if base
                else Stopped(Stop.INTEGER, whole, site, constant=10)
            )
        if known in _FLOATS and arg == 0:
            return Stopped(Stop.FLOAT, whole, site)
        if known in _STOPPED and arg == 0:
            stop, is_number = _STOPPED[known]
            return Stopped(stop, whole, site, number=1) if is_number else Stopped(stop, whole, site, other=1)
        if known in _COMPARED:
            other = 1 - arg
            if isinstance(whole, String):
                return Stopped(Stop.DIFFERENCE, whole, site, other, constant=_NO_LIMIT)
            stop = Stop.MEMORY if isinstance(whole, Product) else Stop.DIFFERENCE
            return Stopped(stop, whole, site, other, number=2)
    return whole


def _extent_read(program: Program, name: str, touch: MemoryTouch, pointer_size: int) -> Extent | None:
    match touch.extent:
        case Bytes():
            return Fixed(touch.extent.surely_on(pointer_size))
        case ArgBytes(arg=arg, times=times, unit=unit):
            if _is_in(name, _WHOLE):
                return Product((arg,) if times is None else (arg, times), unit)
            return StringUpTo(arg) if _is_in(name, _READ_TO_NUL) and times is None and unit == 1 else None
        case CString():
            return None if _is_wide(name) or _is_in(name, _READ_IN_PART) else String()
        case WholeObject():
            return Fixed(1) if _is_handle(program, name) else None
        case Reach() | None:
            return None


def _out_parameter(name: str, touch: MemoryTouch, access: int, extent: Extent, call: Call) -> AccessHook | None:
    """A call that fails need not write: only where its result tells that it has, or it always does, is that told."""
    if name.startswith(_ALWAYS_PREFIXES) or _is_in(name, _ALWAYS):
        # Before the call: pthread_create stores the id before the new thread begins (C11 7.26.5.1; glibc does so).
        return AccessHook(access, "write", touch.arg, extent)
    if _is_in(name, _FLOATS.union(_INTEGERS)):
        base = next((_INTEGERS[known] for known in names_of(name) if known in _INTEGERS), None)
        given = call.args[base] if base is not None else IntConst(10, 32)
        is_base = isinstance(given, IntConst) and (given.value == 0 or 2 <= given.value <= 36)
        return AccessHook(access, "write", touch.arg, extent) if is_base else None
    if _is_in(name, _TEXT_OF_TIME):
        return AccessHook(access, "write", touch.arg, String(), behind=True, guard=Guard.NOT_NULL)
    if _is_in(name, _IF_NOT_NULL):
        return AccessHook(access, "write", touch.arg, extent, behind=True, guard=Guard.NOT_NULL)
    if _is_in(name, _IF_ZERO):
        return AccessHook(access, "write", touch.arg, extent, behind=True, guard=Guard.ZERO)
    for names, bound in ((_IF_NOT_NEGATIVE, -1), (_IF_POSITIVE, 0)):
        if _is_in(name, names):
            return AccessHook(access, "write", touch.arg, extent, behind=True, guard=Guard.ABOVE, bound=bound)
    return None


def _written(
    program: Program, name: str, touch: MemoryTouch, access: int, pointer_size: int, call: Call
) -> AccessHook | None:
    arg = touch.arg
    match touch.extent:
        case Bytes():
            return _out_parameter(name, touch, access, Fixed(touch.extent.surely_on(pointer_size)), call)
        case WholeObject():
            return AccessHook(access, "write", arg, Fixed(1)) if _is_handle(program, name) else None
        case ArgBytes(arg=length, times=times, unit=unit) if _is_in(name, _WHOLE | _PADDED):
            return AccessHook(access, "write", arg, Product((length,) if times is None else (length, times), unit))
        case ArgBytes() if _is_in(name, _COUNTED):
            return AccessHook(access, "write", arg, Result(), behind=True)
        case ArgBytes() if name in _FREAD:
            return AccessHook(access, "write", arg, Result(times=_FREAD[name]), behind=True)
        case ArgBytes(arg=length) if _is_in(name, _PRINTED):
            return AccessHook(access, "write", arg, Result(plus=1, limit=length), behind=True)
        case ArgBytes() | CString() if _is_in(name, _STRING_WRITTEN):
            return AccessHook(access, "write", arg, String(), behind=True)
        case ArgBytes() | CString() if _is_in(name, _APPENDED):
            return AccessHook(access, "write", arg, Appended(), behind=True)
        case ArgBytes() | CString() if _is_in(name, _STRING_WRITTEN_IF):
            return AccessHook(access, "write", arg, String(), behind=True, guard=Guard.NOT_NULL)
        case _:
            return None


def _scanned(touch: MemoryTouch, text: str, position: int, access: int, pointer_size: int) -> AccessHook | None:
    """The access happened if as many conversions succeeded, which is what scanf returns."""
    conversions = [m for m in _SCANNED.finditer(text) if m["conversion"] != "%" and not m["skip"]]
    if position >= len(conversions) or any(m["conversion"] == "n" or m["fresh"] for m in conversions):
        return None
    is_string = conversions[position]["conversion"][0] in "s["
    extent: Extent | None = String() if is_string else None
    if extent is None and isinstance(touch.extent, Bytes):
        extent = Fixed(touch.extent.surely_on(pointer_size))
    if extent is None:
        return None
    return AccessHook(access, "write", touch.arg, extent, behind=True, guard=Guard.ABOVE, bound=position)


def _is_in(name: str, names: frozenset[str]) -> bool:
    return any(known in names for known in names_of(name))


def _is_wide(name: str) -> bool:
    """Strings of wchar_t."""
    return name.startswith(("wcs", "wmem", "__wcs")) or "wprintf" in name or "wscanf" in name or "putws" in name


def _is_handle(program: Program, name: str) -> bool:
    """Where the program closes handles, the library may give out the address of one again, and nobody would know that
    the new one is another object."""
    closes = any(known in _CLOSES for external in program.externals for known in names_of(external))
    return (name.endswith("_unlocked") or name in _HANDLES) and not closes


def _text(program: Program, call: Call, index: int) -> str | None:
    operand = call.args[index] if index < len(call.args) else None
    if isinstance(operand, Address) and operand.offset == 0 and operand.symbol in program.globals:
        return program.globals[operand.symbol].text
    return None
