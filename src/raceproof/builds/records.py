"""How objects were compiled, as `raceproof cc` writes it down in them, and how they were linked.

Section `.raceproof` has records one behind the other: a mark, the length, JSON. What a compiler run made of a source
file is a `Compilation`; what the linker was given besides is a `Linking`.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from raceproof.builds.elf import Elf, NotElf, is_elf
from raceproof.core import InputError

__all__ = ["SECTION", "Compilation", "Linking", "Recorded", "digest_of", "has_records", "is_elf", "read_records"]

SECTION: Final = ".raceproof"
_MARK: Final = b"raceproof-build1"
_LENGTH: Final = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Compilation:
    """One source file, compiled with `arguments` in `directory`. `read`: it and the headers of the project that it
    includes, with hashes of their content. `language`: `c`, `c++`, `assembly` or another word of the compiler's."""

    source: str
    directory: str
    arguments: tuple[str, ...]
    language: str
    read: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Linking:
    """What was linked: `unrecorded` are objects and archives of which nothing is known, `shared` are shared objects
    that have records of their own, `libraries` other arguments that name libraries or say where they are."""

    directory: str
    unrecorded: tuple[str, ...]
    shared: tuple[str, ...]
    libraries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Everything that an executable or a shared object says about itself, and `bits`: of its addresses."""

    compilations: tuple[Compilation, ...]
    linkings: tuple[Linking, ...]
    bits: int


def encode(record: Compilation | Linking) -> bytes:
    text = json.dumps({"kind": type(record).__name__, **asdict(record)}).encode()
    return _MARK + _LENGTH.pack(len(text)) + text


def add_records(path: Path, records: Sequence[Compilation | Linking]) -> bool:
    """Write the records into the file; False if it is none that has sections. The mode of the file stays."""
    try:
        content = Elf(path.read_bytes()).with_section(SECTION, b"".join(map(encode, records)))
        with path.open("r+b") as file:
            file.write(content)
    except (NotElf, OSError):
        return False
    return True


def has_records(path: Path) -> bool:
    """Whether an object, an archive or a shared object was made by `raceproof cc`, at least in part."""
    try:
        return _MARK in path.read_bytes()
    except OSError:
        return False


def read_records(path: Path) -> Recorded:
    """What `path` was made of, and the shared objects that it was linked with; `InputError` if nothing is known."""
    try:
        elf = Elf(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except NotElf:
        raise InputError(f"{path}: not an executable that raceproof can read") from None
    found = list(_decode(path, elf.section(SECTION) or b""))
    compilations = [record for record in found if isinstance(record, Compilation)]
    linkings = [record for record in found if isinstance(record, Linking)]
    for library in dict.fromkeys(name for linking in linkings for name in linking.shared):
        if Path(library) != path:
            inside = read_records(Path(library))
            compilations += inside.compilations
            linkings += inside.linkings
    return Recorded(tuple(dict.fromkeys(compilations)), tuple(linkings), elf.bits)


def digest_of(path: Path) -> str:
    """Of the content; empty if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:32]
    except OSError:
        return ""


def _decode(path: Path, section: bytes) -> Iterator[Compilation | Linking]:
    position = section.find(_MARK)
    while position >= 0:
        start = position + len(_MARK) + _LENGTH.size
        try:
            (length,) = _LENGTH.unpack_from(section, position + len(_MARK))
            yield _record(json.loads(section[start : start + length]))
        except (struct.error, ValueError, KeyError, TypeError):
            raise InputError(f"{path}: its build records are damaged: build it again") from None
        position = section.find(_MARK, start + length)


def _record(fields: dict[str, Any]) -> Compilation | Linking:
    if fields["kind"] == "Linking":
        return Linking(
            str(fields["directory"]),
            tuple(map(str, fields["unrecorded"])),
            tuple(map(str, fields["shared"])),
            tuple(map(str, fields["libraries"])),
        )
    return Compilation(
        str(fields["source"]),
        str(fields["directory"]),
        tuple(map(str, fields["arguments"])),
        str(fields["language"]),
        tuple((str(name), str(digest)) for name, digest in fields["read"]),
    )
