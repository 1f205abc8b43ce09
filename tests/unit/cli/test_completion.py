"""`raceproof completion`: the scripts know what the parser knows; bash runs its own, other shells read theirs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from raceproof.cli import check, completion, dump, explore, replay
from raceproof.cli.options import Parser

SHELLS = {"bash": completion.bash_script, "fish": completion.fish_script, "zsh": completion.zsh_script}


def commands() -> tuple[completion.Command, ...]:
    made = Parser(prog="raceproof").add_subparsers(dest="command")
    for module in (check, explore, replay, dump, completion):
        module.add_parser(made)
    return completion.describe(made)


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "raceproof.bash"
    path.write_text(completion.bash_script(commands()), encoding="utf-8")
    return path


def complete(script: Path, *words: str) -> list[str]:
    """What bash offers for the last of the words."""
    code = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _raceproof; printf "%s\\n" "${COMPREPLY[@]}"'
    told = subprocess.run(
        ["bash", "-c", code, "bash", str(script), "raceproof", *words], capture_output=True, text=True, check=True
    )
    assert told.stderr == ""
    return [line for line in told.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ch"], ["check"]),
        (["re"], ["replay"]),
        (["--v"], ["--version"]),
        (["check", "--en"], ["--engines"]),
        (["check", "file.c", "--he"], ["--help", "--headers"]),
        (["check", "--headers", "s"], ["system"]),
        (["check", "--headers", "="], ["auto", "system", "bundled"]),
        (["check", "--headers", "=", "b"], ["bundled"]),
        (["explore", "--algorithm", "d"], ["dfs", "dpor", "dhtc"]),
        (["explore", "--no-s"], ["--no-spurious-wakeups"]),
        (["replay", "--en"], []),
        (["dump", ""], ["ir", "facts"]),
        (["dump", "ir", "fa"], []),  # a file from here on
        (["check", "--json", "r"], []),  # a file: left to the shell
        (["completion", "z"], ["zsh"]),
    ],
)
def test_what_bash_offers(script: Path, words: list[str], expected: list[str]) -> None:
    offered = complete(script, *words)
    assert set(expected) <= set(offered)  # commands may get more options
    assert all(word.startswith(words[-1].removeprefix("=")) for word in offered)
    assert bool(offered) == bool(expected)


def test_the_script_is_registered_with_files_as_what_is_left(script: Path) -> None:
    code = 'source "$1"; complete -p raceproof'
    told = subprocess.run(["bash", "-c", code, "bash", str(script)], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "complete -o default -F _raceproof raceproof"


def test_every_option_of_every_command_is_there() -> None:
    known = commands()
    assert [command.name for command in known] == ["check", "explore", "replay", "dump", "completion"]
    for make in SHELLS.values():
        text = make(known)
        for command in known:
            assert command.name in text
            for option in command.options:
                for flag in option.flags:
                    assert flag.lstrip("-") in text


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_can_read_theirs(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    path = tmp_path / "script"
    path.write_text(SHELLS[shell](commands()), encoding="utf-8")
    subprocess.run([program, "-n", str(path)], check=True)


def test_text_with_quotes_stays_text() -> None:
    odd = completion.Option(("--odd",), "it's [a: test] \\ $HOME", True, ())
    command = completion.Command("run", "don't", (odd,), ())
    assert "'*--odd=[it'\\''s \\[a\\: test\\] \\\\ $HOME]:value:_files'" in completion.zsh_script([command])
    assert "-d 'it\\'s [a: test] \\\\ $HOME'" in completion.fish_script([command])
