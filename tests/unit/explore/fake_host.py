"""A host that runs nothing: it writes records that a test has chosen, and remembers what it was asked.

`FakeHost(directory, search, replay)` makes an executable; `search` and `replay` are Python statements of its body, with
`write(*fields)`, `control` (the directives as a list of word lists), `time`, `os`, `signal` and `sys` at hand.
"""

from __future__ import annotations

import stat
import sys
import textwrap
from pathlib import Path

BODY = """\
#!{python}
import os, signal, sys, time

signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # from its first record on, a host may be asked for a part of its work
path = sys.argv[2]
text = open(path, encoding="utf-8").read()
control = [line.split(" ") for line in text.splitlines()]
with open({log!r}, "a", encoding="utf-8") as log:
    log.write(text + "--\\n")


def write(*fields):
    sys.stdout.write("\\t".join(map(str, fields)) + "\\n")
    sys.stdout.flush()


if any(words[0] == "schedule" for words in control):
{replay}
else:
{search}
"""


class FakeHost:
    def __init__(self, directory: Path, search: str, replay: str = "pass") -> None:
        self.path = directory / "host"
        self._log = directory / "log"
        bodies = {"search": textwrap.indent(textwrap.dedent(search), "    ")}
        bodies["replay"] = textwrap.indent(textwrap.dedent(replay), "    ")
        self.path.write_text(BODY.format(python=sys.executable, log=str(self._log), **bodies), encoding="utf-8")
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    def asked(self) -> list[list[str]]:
        """The control files that it was given, as lines."""
        text = self._log.read_text(encoding="utf-8") if self._log.exists() else ""
        return [control.splitlines() for control in text.split("--\n")[:-1]]
