"""stdio.h, wide and fortified variants too, err.h, syslog.h.

A stream locks itself, so rows do not list the FILE as touched, except for those of functions that take no such lock:
the _unlocked ones, and those that close it. How the others use it is in `streams.py`. Buffers that the program has
given to streams are touched by all of `uses_streams`, under those locks: which stream has which is not told apart.
Which variadic arguments are strings, or are written, the format says: see `formats.py`.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    LONG,
    NORETURN,
    OPAQUE,
    POINTER,
    STRING,
    arg,
    both,
    effects,
    fresh,
    fresh_at,
    keeps,
    n,
    or_arg,
    printf,
    rd,
    receives,
    rw,
    scanf,
    sends,
    static,
    wr,
)
from raceproof.facts.library.effects import STATIC_ARG, Bytes, Effect
from raceproof.facts.library.process_state import SYSLOG_NAME
from raceproof.facts.library.symbol_names import names_of

_FPOS: Final = Bytes(16, sure_ilp32=12)
STREAM_BUFFERS: Final = "stream buffers"


def _buffer(*at: int) -> Effect:
    """Argument `at` becomes, or leads to, what a stream keeps its data in."""
    return both(Effect(static_object=STREAM_BUFFERS, stores=tuple((i, STATIC_ARG) for i in at)), keeps(*at))


STREAMS: Final = effects(
    ("fopen", rd(0), rd(1), OPAQUE),
    ("freopen", rd(0), rd(1), arg(2)),
    ("fdopen", rd(1), OPAQUE),
    ("popen", rd(0), rd(1), OPAQUE),
    ("tmpfile", OPAQUE),
    ("fmemopen", rw(0, n(1)), _buffer(0), rd(2), OPAQUE),
    ("open_memstream open_wmemstream", fresh_at(0, STRING), wr(1, LONG), _buffer(0, 1), OPAQUE),
    ("fclose pclose", wr(0, ALL)),  # the end of the stream, which no lock of its own guards
    ("fflush fileno fileno_unlocked feof ferror clearerr rewind fcloseall",),
    ("fflush_unlocked feof_unlocked ferror_unlocked clearerr_unlocked", wr(0, ALL)),
    ("fseek fseeko ftell ftello fwide __fsetlocking",),
    ("__fbufsize __fpending __freading __fwriting __freadable __fwritable __flbf", rd(0, ALL)),
    ("__fpurge", wr(0, ALL)),
    ("fgetpos", wr(1, _FPOS)),
    ("fsetpos", rd(1, _FPOS)),
    ("setbuf setbuffer", _buffer(1)),
    ("setvbuf", _buffer(1)),
    ("setlinebuf",),
    ("remove", rd(0)),
    ("rename", rd(0), rd(1)),
    ("tmpnam", wr(0), or_arg(0), static("tmpnam")),
    ("tmpnam_r", wr(0), arg(0)),
    ("tempnam", rd(0), rd(1), fresh()),
    ("ctermid", wr(0), or_arg(0), static("ctermid")),
    ("flockfile ftrylockfile funlockfile",),  # their order is in sync_api
)

CHARACTERS: Final = effects(
    ("fgetc getc _IO_getc getchar ungetc getw fgetwc getwc getwchar ungetwc",),
    ("fputc putc _IO_putc putchar putw fputwc putwc putwchar",),
    ("getc_unlocked fgetc_unlocked getwc_unlocked fgetwc_unlocked __uflow", wr(0, ALL)),
    ("putc_unlocked fputc_unlocked putwc_unlocked fputwc_unlocked", wr(1, ALL)),
    ("__overflow", wr(0, ALL)),
    ("getchar_unlocked getwchar_unlocked putchar_unlocked putwchar_unlocked",),
    ("fgets", wr(0, n(1)), arg(0)),
    ("__fgets_chk", wr(0, n(2)), arg(0)),
    ("fgets_unlocked", wr(0, n(1)), wr(2, ALL), arg(0)),
    ("__fgets_unlocked_chk", wr(0, n(2)), wr(3, ALL), arg(0)),
    ("__fgetws_chk __fgetws_unlocked_chk", wr(0, n(2, unit=4)), wr(3, ALL), arg(0)),
    ("fgetws", wr(0, n(1, unit=4)), arg(0)),
    ("gets __gets_chk", wr(0), arg(0)),
    ("puts fputs fputws", rd(0)),
    ("fputs_unlocked", rd(0), wr(1, ALL)),
    ("fread", wr(0, n(1, times=2)), receives(0)),
    ("__fread_chk", wr(0, n(2, times=3)), receives(0)),
    ("fread_unlocked", wr(0, n(1, times=2)), wr(3, ALL), receives(0)),
    ("__fread_unlocked_chk", wr(0, n(2, times=3)), wr(4, ALL), receives(0)),
    ("fwrite", rd(0, n(1, times=2)), sends(0)),
    ("fwrite_unlocked", rd(0, n(1, times=2)), wr(3, ALL), sends(0)),
    # *lineptr is a buffer that is freed and made anew when it is too small
    ("getline", rd(0, POINTER), rd(1, LONG), wr(1, LONG), wr(0, ALL, deref=True), fresh_at(0, STRING)),
    ("getdelim __getdelim", rd(0, POINTER), rd(1, LONG), wr(1, LONG), wr(0, ALL, deref=True), fresh_at(0, STRING)),
    ("perror", rd(0)),
)

PRINTF: Final = effects(
    ("printf wprintf", printf(0)),
    ("fprintf dprintf fwprintf", printf(1)),
    ("sprintf", wr(0), printf(1)),
    ("snprintf", wr(0, n(1)), printf(2)),
    ("swprintf", wr(0, n(1, unit=4)), printf(2)),
    ("asprintf", fresh_at(0, STRING), printf(1)),
    ("vprintf vwprintf", printf(0, 1)),
    ("vfprintf vdprintf vfwprintf", printf(1, 2)),
    ("vsprintf", wr(0), printf(1, 2)),
    ("vsnprintf", wr(0, n(1)), printf(2, 3)),
    ("vswprintf", wr(0, n(1, unit=4)), printf(2, 3)),
    ("vasprintf", fresh_at(0, STRING), printf(1, 2)),
    # fortified: (..., flag, [size of the object,] format, ...)
    ("__printf_chk __wprintf_chk", printf(1)),
    ("__fprintf_chk __dprintf_chk __fwprintf_chk", printf(2)),
    ("__sprintf_chk", wr(0), printf(3)),
    ("__snprintf_chk", wr(0, n(1)), printf(4)),
    ("__swprintf_chk", wr(0, n(1, unit=4)), printf(4)),
    ("__asprintf_chk", fresh_at(0, STRING), printf(2)),
    ("__vprintf_chk __vwprintf_chk", printf(1, 2)),
    ("__vfprintf_chk __vdprintf_chk __vfwprintf_chk", printf(2, 3)),
    ("__vsprintf_chk", wr(0), printf(3, 4)),
    ("__vsnprintf_chk", wr(0, n(1)), printf(4, 5)),
    ("__vswprintf_chk", wr(0, n(1, unit=4)), printf(4, 5)),
    ("__vasprintf_chk", fresh_at(0, STRING), printf(2, 3)),
    # messages
    ("syslog", printf(1)),
    ("__syslog_chk", printf(2)),
    ("vsyslog", printf(1, 2)),
    ("__vsyslog_chk", printf(2, 3)),
    ("openlog", rd(0), keeps(0), Effect(static_object=SYSLOG_NAME, stores=((0, STATIC_ARG),))),
    ("closelog setlogmask",),
    ("warn warnx", printf(0)),
    ("vwarn vwarnx", printf(0, 1)),
    ("err errx", printf(1), NORETURN),
    ("verr verrx", printf(1, 2), NORETURN),
    ("error", printf(2)),  # returns if its first argument is 0
    ("error_at_line", rd(2), printf(4)),
    ("psignal", rd(1)),
)

SCANF: Final = effects(
    ("scanf wscanf", scanf(0)),
    ("fscanf fwscanf", scanf(1)),
    ("sscanf swscanf", rd(0), scanf(1)),
    ("vscanf vwscanf", scanf(0, 1)),
    ("vfscanf vfwscanf", scanf(1, 2)),
    ("vsscanf vswscanf", rd(0), scanf(1, 2)),
)

STDIO: Final = STREAMS | CHARACTERS | PRINTF | SCANF

_WITHOUT_STREAMS: Final = """
    remove rename tmpnam tmpnam_r tempnam ctermid sprintf snprintf swprintf asprintf vsprintf vsnprintf vswprintf
    vasprintf sscanf swscanf vsscanf vswscanf syslog vsyslog openlog closelog setlogmask
"""
_STREAM_FUNCTIONS: Final = frozenset(STDIO) - frozenset(_WITHOUT_STREAMS.split())


def uses_streams(name: str) -> bool:
    """Whether the library function `name` may read or write what streams keep in their buffers."""
    known = next((n for n in names_of(name) if n in STDIO), None)
    return known in _STREAM_FUNCTIONS and all(n not in _WITHOUT_STREAMS.split() for n in names_of(name))
