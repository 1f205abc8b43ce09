"""`raceproof lsp`: findings in the editor, over standard input and output."""

from __future__ import annotations

import argparse
import os
import sys

from raceproof import __version__
from raceproof.cli.options import Commands, positive
from raceproof.cli.status import Exit
from raceproof.core import ToolMissing
from raceproof.lsp import serve


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "lsp",
        help="a language server: findings in the editor",
        description="Speak the language server protocol on standard input and output: see docs/editors.md.",
    )
    parser.add_argument("--time-limit", type=positive(float), metavar="SECONDS", help="for each check")
    parser.add_argument("--stdio", action="store_true", help="the default, and the only way; editors pass it")
    parser.add_argument("-v", "--verbose", action="count", default=0, help="tell what is done, on standard error")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    options = ("--time-limit", f"{args.time_limit:g}") if args.time_limit is not None else ()
    try:
        serve(__version__, options)
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise ToolMissing("the language server needs pygls: pip install 'raceproof[lsp]'") from None
    finally:
        if sys.stdout.closed:  # by the server, when the editor said goodbye
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  for the interpreter to flush
    return Exit.RACE_FREE
