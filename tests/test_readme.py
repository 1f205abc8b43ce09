"""What the README shows is what the command prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^    \$ raceproof (?P<command>[^\n]*)\n(?P<output>(?:    [^\n]*\n|\n(?=    ))*)", re.MULTILINE)
SECONDS = re.compile(r"\d+\.\d\d s\b")
SHOWN = {match["command"]: match["output"] for match in BLOCK.finditer((ROOT / "README.md").read_text())}


def test_the_readme_shows_something() -> None:
    assert SHOWN


@pytest.mark.parametrize("command", SHOWN)
def test_the_readme_shows_what_the_command_prints(command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "raceproof", *command.split()],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        check=False,
    )
    indented = "".join(f"    {line}".rstrip() + "\n" for line in done.stdout.splitlines())
    assert SECONDS.sub("TIME", SHOWN[command]) == SECONDS.sub("TIME", indented)
