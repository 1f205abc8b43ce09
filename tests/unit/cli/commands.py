"""Run one command as the command line would, with errors as exceptions."""

from __future__ import annotations

from collections.abc import Callable

from raceproof.cli.options import Commands, Parser
from raceproof.cli.status import Exit


def run_command(add_parser: Callable[[Commands], None], *arguments: str) -> Exit:
    parser = Parser(prog="raceproof")
    add_parser(parser.add_subparsers(dest="command", required=True))
    args = parser.parse_args(arguments)
    args.arguments = []
    args.words = list(arguments[1:])
    status: Exit = args.run(args)
    return status
