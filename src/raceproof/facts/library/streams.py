"""How the functions of stdio.h use the streams themselves: FILE objects, and the variables that name three of them.

Every stream has a lock, which its functions take by themselves (POSIX, flockfile), so that they exclude one another;
the `_unlocked` ones do not take it. Opening a stream writes it before anybody else has it, and closing it ends it: both
are plain accesses, since no lock of a stream protects it from that.

    stream_uses("fputs")            ->  argument 1, locked
    stream_uses("perror")           ->  the stream in the variable `stderr`, locked
    stream_uses("putchar_unlocked") ->  the stream in the variable `stdout`, not locked

What goes to an argument without the lock is in the rows of `libc_stdio.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from raceproof.facts.library.symbol_names import names_of

STANDARD_STREAMS: Final = ("stdin", "stdout", "stderr")
ALL_STREAMS: Final = "open streams"
"""The library's list of all that were opened, for those who flush or close them all."""
UNLOCKS_FOR_GOOD: Final = "__fsetlocking"
"""A program that calls it may have streams that no function locks any more."""


@dataclass(frozen=True, slots=True)
class StreamUse:
    """A function uses the stream in its argument `argument`, or that in the variable `variable`.

    `is_all`: all streams; `null_is_all`: if its first argument is null.
    """

    argument: int | None
    variable: str | None
    locked: bool = True
    is_all: bool = False
    null_is_all: bool = False


def stream_object(variable: str) -> str:
    """The name of the stream that the variable points to at the start of the program."""
    return f"stream of {variable}"


_LOCKED: Final = {
    0: """
        fprintf vfprintf fwprintf vfwprintf __fprintf_chk __vfprintf_chk __fwprintf_chk __vfwprintf_chk
        fscanf vfscanf fwscanf vfwscanf fgetc getc _IO_getc getw fgetwc getwc feof ferror clearerr rewind fileno
        fseek fseeko ftell ftello fgetpos fsetpos setbuf setbuffer setvbuf setlinebuf fwide getmntent addmntent
    """,
    1: "fputc putc _IO_putc ungetc putw fputwc putwc ungetwc fputs fputws",
    2: "fgets fgetws getline freopen",
    3: "fread fwrite getdelim __getdelim __fgets_chk __fgetws_chk",
    4: "__fread_chk",
}
_USING: Final = frozenset(["__uflow", "__overflow", "__fpurge"])
_CLOSING: Final = frozenset(["fclose", "pclose", "endmntent", "fcloseall"])
_PLAIN: Final = _USING | _CLOSING
_ON_STDIN: Final = "getchar gets __gets_chk scanf vscanf wscanf vwscanf getwchar"
_ON_STDOUT: Final = """
    printf vprintf wprintf vwprintf __printf_chk __vprintf_chk __wprintf_chk __vwprintf_chk puts putchar putwchar
"""
_ON_STDERR: Final = """
    perror psignal psiginfo warn warnx vwarn vwarnx err errx verr verrx error error_at_line __assert_fail __assert
    __assert_perror_fail getopt getopt_long getopt_long_only
"""
OPENING: Final = frozenset(
    ["fopen", "fdopen", "popen", "tmpfile", "fmemopen", "open_memstream", "open_wmemstream", "setmntent"]
)


def _table() -> dict[str, tuple[StreamUse, ...]]:
    table: dict[str, tuple[StreamUse, ...]] = {}
    for argument, names in _LOCKED.items():
        table.update((name, (StreamUse(argument, None),)) for name in names.split())
    for variable, names in zip(STANDARD_STREAMS, (_ON_STDIN, _ON_STDOUT, _ON_STDERR), strict=True):
        table.update((name, (StreamUse(None, variable),)) for name in names.split())
    table["fflush"] = (StreamUse(0, None, null_is_all=True),)
    table["fflush_unlocked"] = (StreamUse(None, None, locked=False, null_is_all=True),)
    table["getchar_unlocked"] = table["getwchar_unlocked"] = (StreamUse(None, "stdin", locked=False),)
    table["putchar_unlocked"] = table["putwchar_unlocked"] = (StreamUse(None, "stdout", locked=False),)
    table["fcloseall"] = (StreamUse(None, None, locked=False, is_all=True),)
    return table


_USES: Final[Mapping[str, tuple[StreamUse, ...]]] = _table()


def stream_uses(name: str) -> tuple[StreamUse, ...]:
    """The streams that the library function `name` uses."""
    return next((_USES[known] for known in names_of(name) if known in _USES), ())


def uses_streams_plainly(name: str) -> bool:
    """Whether it opens or closes streams, or uses them without their lock: then locked uses can race with it."""
    return any(n in OPENING or n in _PLAIN or n.endswith("_unlocked") or n == UNLOCKS_FOR_GOOD for n in names_of(name))


def leaves_lock(name: str) -> bool:
    """Whether it uses a stream and leaves the lock in it as it is, also if it does not take it."""
    names = frozenset(names_of(name))
    is_use = bool(stream_uses(name)) or any(n in _USING or n.endswith("_unlocked") for n in names)
    return is_use and names.isdisjoint(_CLOSING)
