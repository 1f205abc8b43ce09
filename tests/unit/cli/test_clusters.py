"""--cluster and --checkpoint: what does not go together is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof.cli import main

PROGRAM = "int main(void) { return 0; }\n"


@pytest.mark.parametrize(
    ("command", "arguments", "why"),
    [
        ("explore", ["--cluster", "local:0"], "local:N with a number"),
        ("explore", ["--cluster", "head:8786"], "not a cluster; local:N, tcp://HOST:PORT"),
        ("explore", ["--cluster", "local:2", "--jobs", "2"], "--cluster and --jobs: give one"),
        ("explore", ["--cluster", "local:2", "--algorithm", "states"], "--algorithm states keeps its table"),
        (
            "explore",
            ["--cluster", "local:2", "--target", "aarch64", "--via", "qemu-aarch64 {}"],
            "--target does not go",
        ),
        ("explore", ["--cluster", "local:2", "--client", "nc"], "--client does not go with --cluster"),
        ("check", ["--cluster", "local:2", "--jobs", "2"], "--cluster and --jobs: give one"),
        ("check", ["--cluster", "bogus"], "not a cluster"),
        ("run", ["--cluster", "local:2"], "this command runs on this machine only"),
        ("petri", ["--cluster", "local:2"], "this command runs on this machine only"),
        ("bench", ["--cluster", "local:2"], "this command runs on this machine only"),
        ("explore", ["--checkpoint", "state", "--algorithm", "states"], "--algorithm states has no checkpoints"),
        ("explore", ["--checkpoint", "/nowhere/state"], "there is no directory /nowhere"),
        ("explore", ["--checkpoint", "s", "--property", "deadlock", "--property", "data-race"], "give one --property"),
    ],
)
def test_what_does_not_go_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, arguments: list[str], why: str
) -> None:
    file = tmp_path / "program.c"
    file.write_text(PROGRAM, encoding="utf-8")
    try:
        status = main([command, *arguments, str(file)])
    except SystemExit as exit_:  # of argparse
        status = exit_.code
    assert status == 2
    assert why in capsys.readouterr().err
