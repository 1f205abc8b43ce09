"""`raceproof check -p compile_commands.json --all-targets`: every program of the database, one after the other."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from raceproof import frontend
from raceproof.cli.configured import configured
from raceproof.cli.options import InputOptions
from raceproof.cli.results import FORMATS
from raceproof.cli.status import Exit
from raceproof.core import InputError

_ANSWERS = {
    Exit.RACE_FREE: "race-free",
    Exit.RACE: "race",
    Exit.BAD_INPUT: "could not be checked",
    Exit.UNKNOWN: "unknown",
    Exit.INTERNAL: "internal error",
    Exit.INTERRUPTED: "interrupted",
}
_WORST_FIRST = (Exit.INTERNAL, Exit.INTERRUPTED, Exit.RACE, Exit.BAD_INPUT, Exit.UNKNOWN)


def check_all(args: argparse.Namespace) -> Exit:
    """A check for each program, then a line for each; the status is the worst of all."""
    words = [word for word in args.words if word != "--all-targets"]
    configured(args)
    if args.target is not None:
        raise InputError("give only one of: --target, --all-targets")
    database = InputOptions.of(args).compile_commands
    names = frontend.programs_of(database) if database is not None else ()
    if not names:
        raise InputError("--all-targets needs a compile_commands.json (-p) with programs that have a `main`")
    found: dict[str, Exit] = {}
    for name in names:
        print(f"== {name}", flush=True)
        found[name] = _checked(_for_target(words, name, names))
        print(flush=True)
        if found[name] is Exit.INTERRUPTED:
            break
    for name in names:
        print(f"{name}: {_ANSWERS[found[name]] if name in found else 'not checked'}")
    return worst(list(found.values()))


def _checked(words: Sequence[str]) -> Exit:
    command = [sys.executable, "-m", "raceproof", "check", *words]
    try:
        code = subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:  # the check has heard it, too, and has said what it knew
        return Exit.INTERRUPTED
    return Exit(code) if code in set(Exit) else Exit.INTERNAL


def worst(statuses: Sequence[Exit]) -> Exit:
    return next((status for status in _WORST_FIRST if status in statuses), Exit.RACE_FREE)


def _for_target(words: Sequence[str], name: str, names: Sequence[str]) -> list[str]:
    """The command line for one program: what it writes to a file has the program's name in that of the file."""
    end = words.index("--") if "--" in words else len(words)
    own, is_value = [], False
    for word in words[:end]:
        option, separator, value = word.partition("=")
        if is_value:
            own.append(file_for(word, name, names))
        elif separator and option in _WRITTEN:
            own.append(f"{option}={file_for(value, name, names)}")
        else:
            own.append(word)
        is_value = not is_value and word in _WRITTEN
    return [*own, f"--target={name}", *words[end:]]


_WRITTEN = frozenset([*(f"--{name}" for name in FORMATS), "--write-baseline"])


def file_for(target: str, name: str, names: Sequence[str]) -> str:
    """`races.json` is `races-NAME.json`, NAME being short where that is still one program's."""
    if target == "-":
        return target
    short = {each: re.sub(r"[^\w.-]+", "-", Path(each).name) for each in names}
    if list(short.values()).count(short[name]) > 1:
        short[name] += f"-{list(names).index(name) + 1}"
    path = Path(target)
    return str(path.with_name(f"{path.stem}-{short[name]}{path.suffix}"))
