"""Sections of ELF files: read one, add one or make it longer.

A section that is not loaded is data for tools: it changes nothing about the program. The linker puts those of one name
one behind the other, so that what stands in the objects stands in the executable, and only of the objects that were
linked. New content goes to the end of the file, with new tables of names and sections behind it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MAGIC: Final = b"\x7fELF"
_PROGBITS: Final = 1
_ALIGNMENT: Final = 8


class NotElf(Exception):
    """Not an ELF file, or a damaged one."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where things are in files of 32 or 64 bits; `order` is the order of bytes."""

    order: str
    is_wide: bool

    @property
    def header(self) -> str:
        """Of the file, behind the 16 bytes that tell the layout."""
        return self.order + ("HHIQQQIHHHHHH" if self.is_wide else "HHIIIIIHHHHHH")

    @property
    def section(self) -> str:
        return self.order + ("IIQQQQIIQQ" if self.is_wide else "IIIIIIIIII")


@dataclass(slots=True)
class _Section:
    name: int
    fields: list[int]

    @property
    def offset(self) -> int:
        return self.fields[4]

    @property
    def size(self) -> int:
        return self.fields[5]


class Elf:
    """An ELF file in memory."""

    def __init__(self, content: bytes) -> None:
        if content[:4] != MAGIC or len(content) < 52 or content[4] not in (1, 2) or content[5] not in (1, 2):
            raise NotElf
        self._content = content
        self._layout = _Layout("<" if content[5] == 1 else ">", content[4] == 2)
        try:
            self._header = list(struct.unpack_from(self._layout.header, content, 16))
            self._sections = list(self._read_sections())
            self._names = self._bytes(self._sections[self._header[12]])
        except (struct.error, IndexError):
            raise NotElf from None

    @property
    def bits(self) -> int:
        return 64 if self._layout.is_wide else 32

    def section(self, name: str) -> bytes | None:
        """The content of the section; None if there is none."""
        number = self._number(name)
        return self._bytes(self._sections[number]) if number is not None else None

    def with_section(self, name: str, added: bytes) -> bytes:
        """The file with this at the end of the section, which is made if there is none."""
        content = bytearray(self._content)
        sections = [_Section(section.name, list(section.fields)) for section in self._sections]
        header = list(self._header)
        number = self._number(name)
        if number is None:
            names = sections[header[12]]
            whole = self._names + name.encode() + b"\0"
            names.fields[4], names.fields[5] = _append(content, whole)
            sections.append(_Section(len(self._names), [len(self._names), _PROGBITS, 0, 0, 0, 0, 0, 0, 1, 0]))
            number, data = len(sections) - 1, added
        else:
            data = self._bytes(sections[number]) + added
        sections[number].fields[4], sections[number].fields[5] = _append(content, data)
        table = b"".join(struct.pack(self._layout.section, *section.fields) for section in sections)
        header[5], _ = _append(content, table)
        header[11] = len(sections)
        struct.pack_into(self._layout.header, content, 16, *header)
        return bytes(content)

    def _read_sections(self) -> list[_Section]:
        start, size, count = self._header[5], self._header[10], self._header[11]
        if not start or not count or size != struct.calcsize(self._layout.section):
            raise NotElf
        rows = (struct.unpack_from(self._layout.section, self._content, start + i * size) for i in range(count))
        return [_Section(row[0], list(row)) for row in rows]

    def _number(self, name: str) -> int | None:
        wanted = name.encode() + b"\0"
        starts = (self._names[section.name : section.name + len(wanted)] for section in self._sections)
        return next((number for number, start in enumerate(starts) if start == wanted), None)

    def _bytes(self, section: _Section) -> bytes:
        return self._content[section.offset : section.offset + section.size]


def _append(content: bytearray, data: bytes) -> tuple[int, int]:
    """Where it is now, and its size."""
    content += bytes(-len(content) % _ALIGNMENT)
    offset = len(content)
    content += data
    return offset, len(data)


def is_elf(path: Path) -> bool:
    """Whether the file begins as one; a pipe, which would keep us waiting, is none."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(4) == MAGIC
    except (OSError, ValueError):  # a name that no file can have
        return False
