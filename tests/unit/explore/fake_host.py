"""A host that runs nothing: it writes records that a test has chosen, and remembers what it was asked.

`FakeHost(directory, search, replay)` makes an executable; `search` and `replay` are Python statements of its body, with
`write(*fields)`, `frame(kind, payload)`, `control` (the directives as a list of word lists), `text` (the directives),
`time`, `os`, `signal` and `sys` at hand.
"""

from __future__ import annotations

import stat
import sys
import textwrap
from pathlib import Path

BODY = """\
#!{python}
import os, signal, struct, sys, threading, time, zlib


def frame(kind, payload=b""):
    content = struct.pack("<I", len(payload)) + kind + payload
    sys.stdout.buffer.write(content + struct.pack("<I", zlib.crc32(content)))
    sys.stdout.buffer.flush()


def read(size):
    got = b""
    while len(got) < size and (more := os.read(0, size - len(got))):
        got += more
    return got


def take():
    size = read(4)
    if len(size) < 4:
        return b"", b""
    kind, payload = read(1), read(struct.unpack("<I", size)[0])
    read(4)
    return kind, payload


def listen():
    while (kind := take()[0]):
        if kind == b"i":
            os.kill(os.getpid(), signal.SIGINT)


text, kind = "", b""
while kind != b"s":
    kind, payload = take()
    if not kind:
        sys.exit(4)
    if kind == b"h":
        frame(b"H", payload + b"machine x86_64\\n")  # of the same build, whatever that is
    if kind == b"c":
        text += payload.decode("utf-8")
threading.Thread(target=listen, daemon=True).start()
control = [line.split(" ") for line in text.splitlines()]
with open({log!r}, "a", encoding="utf-8") as log:
    log.write(text + "--\\n")


def write(*fields):
    frame(b"R", ("\\t".join(map(str, fields)) + "\\n").encode("utf-8"))


if any(words[0] == "schedule" for words in control):
{replay}
else:
{search}
"""


class FakeHost:
    def __init__(self, directory: Path, search: str, replay: str = "pass", name: str = "host") -> None:
        self.path = directory / name
        self._log = directory / "log"
        bodies = {"search": textwrap.indent(textwrap.dedent(search), "    ")}
        bodies["replay"] = textwrap.indent(textwrap.dedent(replay), "    ")
        self.path.write_text(BODY.format(python=sys.executable, log=str(self._log), **bodies), encoding="utf-8")
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    def asked(self) -> list[list[str]]:
        """The control files that it was given, as lines."""
        text = self._log.read_text(encoding="utf-8") if self._log.exists() else ""
        return [control.splitlines() for control in text.split("--\n")[:-1]]
