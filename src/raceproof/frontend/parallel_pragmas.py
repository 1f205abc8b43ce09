"""Parallelism in the source that the compiler leaves out without a word: pragmas of OpenMP and OpenACC.

Compiled without its flag, a program with `#pragma omp parallel` has one thread, and a proof about it says nothing about
the program that the user means. Such pragmas become obstacles of the program: phrases that name them, kept as comments
in front of the module's text, so that a program that differs in nothing else is another one.

The compiler's preprocessor finds them, wherever they are: in headers, in `_Pragma`, in macros. It is asked only if the
files that were read, or the flags, could make one: nearly every program reads a header of the system's that has a
`_Pragma` for other purposes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from raceproof.core import InputError

_FAMILY: Final = re.compile(rb"\b(?:omp|acc|openmp|openacc)\b")
_DIRECTIVE: Final = re.compile(rb"ragma\b(?s:.*?)\b(?:omp|acc|openmp|openacc)\b")
_OPERATOR: Final = re.compile(rb"_Pragma|__pragma")
_SPLICE: Final = re.compile(rb"\\[ \t]*\r?\n")  # a line that goes on
_OF_THE_SYSTEM: Final = ("/usr/include/", "/ziglang/lib/")
_PRAGMA: Final = re.compile(r"\s*#\s*pragma\s+(?P<text>(?P<family>omp|acc)\b.*)")
_MARKER: Final = re.compile(r'\s*#\s*(?:line\s+)?(?P<line>\d+)\s+"(?P<file>(?:[^"\\]|\\.)*)"')
# Directives that ask for vectors or for other loops, not for threads.
_WITHOUT_THREADS: Final = re.compile(
    r"omp\s+(?:simd|declare\s+(?:simd|reduction|variant)|unroll|tile|reverse|interchange|fuse|assumes?|error|nothing)\b"
)
_FLAGS: Final = re.compile(r"-[fq]?(?:openmp(?:=.*)?|openacc|cilkplus)")
_OBSTACLE: Final = "; raceproof: left out: "
_SHOWN: Final = 60


def check_flags(flags: Iterable[str], file: str) -> None:
    """Refuse flags with which the compiler itself makes threads out of pragmas."""
    chosen = None
    for flag in flags:
        if flag in ("-fno-openmp", "-fno-openacc"):
            chosen = None
        elif _FLAGS.fullmatch(flag):
            chosen = flag
    if chosen is not None:
        raise InputError(
            f"{file}: `{chosen}` is not supported: raceproof knows the threads of pthread.h and threads.h, not those of"
            " OpenMP, OpenACC and Cilk. Without the flag the rest of the program can be checked; the verdict is then"
            " unknown, because of the pragmas that are left out"
        )


def left_out(files: Sequence[Path], flags: Sequence[str], preprocess: Callable[[], str]) -> tuple[str, ...]:
    """Phrases that name pragmas which ask for threads; `files` are all that were read, `preprocess` gives the text."""
    if not _may_make_one(files, flags):
        return ()
    return tuple(dict.fromkeys(_pragmas(preprocess())))


@dataclass(frozen=True, slots=True)
class _Words:
    """What a text has of pragmas: a directive of OpenMP or OpenACC; the operator; the name of a family; tokens that may
    be put together to one."""

    directive: bool
    operator: bool
    family: bool
    pasting: bool

    @staticmethod
    def of(text: bytes) -> _Words:
        text = _SPLICE.sub(b"", text)
        has_family = _FAMILY.search(text) is not None
        return _Words(
            has_family and _DIRECTIVE.search(text) is not None,
            _OPERATOR.search(text) is not None,
            has_family,
            b"##" in text or b"%:%:" in text,
        )


_UNREADABLE: Final = _Words(True, True, True, True)


def _may_make_one(files: Sequence[Path], flags: Sequence[str]) -> bool:
    """A `_Pragma` in a header of the system's says what some header says, or what the program hands to its macro."""
    own = [_Words.of(" ".join(flags).encode())]
    system: list[_Words] = []
    for file in files:
        if any(part in str(file) for part in _OF_THE_SYSTEM):
            system.append(_words_of_header(str(file)))
        else:
            own.append(_words_in(file))
    if any(words.directive for words in (*own, *system)) or any(words.operator for words in own):
        return True
    has_name = any(words.family for words in (*own, *system)) or any(words.pasting for words in own)
    return has_name and any(words.operator for words in system)


def _words_in(file: Path) -> _Words:
    try:
        return _Words.of(file.read_bytes())
    except OSError:
        return _UNREADABLE


@lru_cache(maxsize=4096)
def _words_of_header(file: str) -> _Words:
    return _words_in(Path(file))


def with_obstacles(text: str, obstacles: Iterable[str]) -> str:
    """The module's text with a comment for each obstacle in front."""
    return "".join(f"{_OBSTACLE}{obstacle}\n" for obstacle in dict.fromkeys(obstacles)) + text


def obstacles_in(text: str) -> tuple[str, ...]:
    """What `with_obstacles` has put there."""
    found = []
    for line in text.splitlines():
        if not line.startswith(_OBSTACLE):
            break
        found.append(line.removeprefix(_OBSTACLE))
    return tuple(found)


def _pragmas(text: str) -> Iterator[str]:
    file, number = "", 0
    for line in text.splitlines():
        if marker := _MARKER.match(line):
            file, number = marker["file"], int(marker["line"])
            continue
        if (pragma := _PRAGMA.match(line)) and not _WITHOUT_THREADS.match(pragma["text"]):
            words = " ".join(pragma["text"].split())
            words = words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"
            yield f"`#pragma {words}` at {file}:{number} is ignored: the threads that it asks for are not checked"
        number += 1
