"""Sections are added to ELF files, and all that was in them stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from raceproof.builds.elf import Elf, NotElf, is_elf
from raceproof.frontend import zig_program

SOURCE = "int main(void) { return 42; }\n"


@pytest.fixture(scope="module", params=["x86_64-linux-musl", "i386-linux-musl", "powerpc-linux-musl"])
def object_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Of 64 and of 32 bits, and with the other order of bytes."""
    directory = tmp_path_factory.mktemp("elf")
    source, output = directory / "a.c", directory / "a.o"
    source.write_text(SOURCE, encoding="utf-8")
    subprocess.run([zig_program(), "clang", f"--target={request.param}", "-c", source, "-o", output], check=True)
    return output.read_bytes()


def test_a_section_is_added_and_made_longer(object_file: bytes) -> None:
    before = Elf(object_file)
    assert before.section(".mine") is None
    once = Elf(before.with_section(".mine", b"one"))
    assert once.section(".mine") == b"one"
    twice = Elf(once.with_section(".mine", b"two"))
    assert twice.section(".mine") == b"onetwo"
    kept = {name: before.section(name) for name in (".text.main", ".text", ".symtab", ".strtab")}
    assert sum(bool(content) for content in kept.values()) >= 3
    for name, content in kept.items():
        assert content is None or (twice.section(name) or b"").startswith(content)


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"#!/bin/sh\n" * 20, b"\x7fELF\x02\x01" + bytes(100)])
def test_what_is_no_elf_file(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(NotElf):
        Elf(content)
    file = tmp_path / "file"
    file.write_bytes(content)
    assert is_elf(file) == content.startswith(b"\x7fELF")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="programs of this machine are no ELF files")
def test_a_damaged_file() -> None:
    content = bytearray(Path(sys.executable).resolve().read_bytes()[:4096])
    with pytest.raises(NotElf):
        Elf(bytes(content))  # its table of sections lay at the end
