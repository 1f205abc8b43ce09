"""Options that say what is around the program when it is executed: input, environment, clients, libraries."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from raceproof import frontend
from raceproof.cli.options import Parser
from raceproof.core import InputError
from raceproof.model import Surroundings


def add_given_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("when the program runs")
    group.add_argument(
        "--stdin", metavar="FILE", help="what it reads from its standard input; - for ours (default: empty)"
    )
    group.add_argument(
        "--env",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a variable of its environment (repeatable)",
    )
    group.add_argument(
        "--client",
        action="append",
        default=[],
        metavar="COMMAND",
        help="run this when the program listens, in its network; when all clients have ended, the program is ended"
        " (repeatable)",
    )
    group.add_argument(
        "--server",
        action="append",
        default=[],
        metavar="COMMAND",
        help="run this before the program, in its network, for it to talk to (repeatable)",
    )
    group.add_argument(
        "--directory", type=Path, metavar="DIR", help="run it there; what it changes there is gone afterwards"
    )


def add_link_argument(parser: Parser) -> None:
    parser.add_argument(
        "--link",
        action="append",
        default=[],
        metavar="FLAG",
        help="a library without sources, as --link=-lz, --link=-L/DIR or --link=/PATH/libx.so (repeatable; those of an"
        " executable are known)",
    )


def given_of(args: argparse.Namespace, files: tuple[Path, ...]) -> Surroundings:
    """What the options say, as far as the command has them; `files`: of the program, which may be an executable that
    names libraries."""
    given = vars(args)
    directory: Path | None = given.get("directory")
    clients, servers = tuple(given.get("client", ())), tuple(given.get("server", ()))
    if directory is not None and not directory.is_dir():
        raise InputError(f"--directory {directory}: there is no such directory")
    if (clients or servers or directory is not None) and given.get("via"):
        raise InputError("--client, --server and --directory are for programs that run on this machine")
    executables = [file for file in files if frontend.is_executable(file)]
    needed = [name for file in executables for name in frontend.needed_libraries(file)]
    return Surroundings(
        stdin=_stdin(given.get("stdin")),
        environment=tuple(map(_variable, given.get("env", ()))),
        clients=clients,
        servers=servers,
        directory=str(directory.resolve()) if directory is not None else None,
        libraries=tuple(dict.fromkeys([*needed, *frontend.linked_libraries(given.get("link", ()))])),
    )


def _stdin(name: str | None) -> bytes:
    if name is None:
        return b""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"--stdin {name}: cannot be read: {error.strerror}") from None


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InputError(f"--env {text}: give NAME=VALUE")
    return name, value
