"""No variable of the runtime is forgotten by algorithm `states`: all are listed, each with what becomes of it."""

from __future__ import annotations

import re
import struct
import tomllib
from collections.abc import Iterator
from pathlib import Path

from raceproof.explore.build import build_host

LISTED = Path(__file__).with_name("native_variables.toml")
_OBJECT, _TLS = 1, 6
_WRITABLE = 1


def variables(path: Path) -> Iterator[str]:
    """Names of the symbols in writable sections of a 64-bit ELF file, without the numbers that the compiler appends."""
    data = path.read_bytes()
    (headers,) = struct.unpack_from("<Q", data, 0x28)
    (count,) = struct.unpack_from("<H", data, 0x3C)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, headers + 64 * i) for i in range(count)]
    for section in sections:
        if section[1] != 2:  # SHT_SYMTAB
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, info, _, place, _, _ = struct.unpack_from("<IBBHQQ", data, at)
            if info & 15 in (_OBJECT, _TLS) and 0 < place < count and sections[place][2] & _WRITABLE:
                text = data[names + name : data.index(b"\0", names + name)].decode()
                yield re.sub(r"(\.\d+)+$", "", text)


def test_every_variable_of_the_runtime_is_listed() -> None:
    found = set(variables(build_host()))
    assert {"threads", "live", "libc", "segments"} <= found, "the symbols are not there"
    listed = [name for group in tomllib.loads(LISTED.read_text()).values() for name in group["names"].split()]
    assert sorted(found - set(listed)) == [], "is it part of a state? see native/states.h"


def test_every_group_says_why() -> None:
    groups = tomllib.loads(LISTED.read_text())
    assert all(group["why"] and group["names"].split() for group in groups.values())
