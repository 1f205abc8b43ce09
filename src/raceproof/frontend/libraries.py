"""Libraries without sources that a program is linked with: which shared objects the loader would load for it.

    >>> linked_libraries(["-lz", "-lpthread"])
    ('libz.so.1',)

The C library and what belongs to it is left out: the explorer's runtime has it, and stands in for parts of it. So is a
shared object that `raceproof cc` has built: its sources are part of the program.
"""

from __future__ import annotations

import ctypes.util
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from raceproof.builds import Elf, NotElf, has_records
from raceproof.core import InputError

_OF_THE_C_LIBRARY: Final = re.compile(
    r"(lib(c|m|dl|rt|pthread|util|resolv|anl|gcc_s|asan|tsan|ubsan|atomic)|ld-linux[\w-]*|linux-vdso)\.so(\.\d+)*"
)
_DIRECTORIES: Final = ("/lib", "/usr/lib", "/usr/local/lib")
_NEEDED, _SONAME, _RPATH, _RUNPATH = 1, 14, 15, 29  # tags of the dynamic section


def needed_libraries(path: Path) -> tuple[str, ...]:
    """What the executable was linked with, by the names that the loader knows, or as paths."""
    found: list[str] = []
    try:
        entries = list(_dynamic(path))
    except (OSError, NotElf):
        return ()
    paths = [text for tag, text in entries if tag in (_RPATH, _RUNPATH)]
    places = [Path(place.replace("$ORIGIN", str(path.resolve().parent))) for text in paths for place in text.split(":")]
    for name in (text for tag, text in entries if tag == _NEEDED):
        at = next((place / name for place in places if (place / name).is_file()), None)
        if _OF_THE_C_LIBRARY.fullmatch(name) or (at is not None and has_records(at)):
            continue
        found.append(str(at) if at is not None else name)
    return tuple(dict.fromkeys(found))


def linked_libraries(flags: Sequence[str]) -> tuple[str, ...]:
    """What `-lNAME`, `-LDIRECTORY` and paths of shared objects stand for; `InputError` for one that is not there."""
    places = [Path(flag[2:]) for flag in flags if flag.startswith("-L")]
    found = []
    for flag in flags:
        if flag.startswith("-L"):
            continue
        name = _library(flag, places)
        if not _OF_THE_C_LIBRARY.fullmatch(name):
            found.append(name)
    return tuple(dict.fromkeys(found))


def _library(flag: str, places: Sequence[Path]) -> str:
    if not flag.startswith("-l"):
        if not Path(flag).is_file():
            raise InputError(f"--link={flag}: no such file; give -lNAME, -LDIRECTORY or a shared object")
        return str(Path(flag).resolve())
    name = flag[2:]
    at = next((place / f"lib{name}.so" for place in places if (place / f"lib{name}.so").is_file()), None)
    if at is not None:
        return str(at.resolve())
    system = ctypes.util.find_library(name) or _without_links(name)
    if system is None:
        raise InputError(
            f"--link={flag}: there is no shared library lib{name}.so; say where it is with --link=-LDIRECTORY"
        )
    return system


def _without_links(name: str) -> str | None:
    """In the directories of the loader, where there is neither a compiler nor a table of libraries to ask."""
    found = (at for place in _DIRECTORIES for at in sorted(Path(place).glob(f"**/lib{name}.so*")) if at.is_file())
    return next((str(at) for at in found), None)


def _dynamic(path: Path) -> Iterator[tuple[int, str]]:
    """Entries of the dynamic section whose value is a text."""
    elf = Elf(path.read_bytes())
    section, names = elf.section(".dynamic") or b"", elf.section(".dynstr") or b""
    entry = struct.Struct("<QQ" if elf.bits == 64 else "<II")
    for at in range(0, len(section) - entry.size + 1, entry.size):
        tag, value = entry.unpack_from(section, at)
        if tag in (_NEEDED, _SONAME, _RPATH, _RUNPATH):
            yield tag, names[value : names.index(b"\0", value)].decode("utf-8", "surrogateescape")
