"""The command `raceproof`: choose the command, and turn every error into one message and an exit status."""

from __future__ import annotations

import logging
import os
import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from raceproof import __version__
from raceproof.cli import output
from raceproof.cli.options import Commands, Parser
from raceproof.cli.status import Exit
from raceproof.core import InputError, InternalError, LimitReached, ToolMissing, Unsupported

LONGEST_MESSAGE = 10_000
COMMANDS = (
    "check", "watch", "fix", "locks", "harness", "explore", "run", "replay", "check-evidence", "tsan-ignorelist", "lsp",
    "cc", "petri", "target", "init", "bench", "dump", "doctor", "completion",
)  # fmt: skip
"""Each is a module of this package, in the order in which they are listed."""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status; every error has become a message by then."""
    arguments = _with_separator(list(sys.argv[1:] if argv is None else argv))
    output.make_robust()
    try:
        status = _dispatch(arguments)
        sys.stdout.flush()
        return status
    except SystemExit as stop:  # argparse after --help and --version
        return stop.code if isinstance(stop.code, int) else Exit.BAD_INPUT
    except BrokenPipeError:  # the reader of our output has gone, e.g. `| head`
        output.discard()
        return Exit.UNKNOWN
    except (InputError, Unsupported, ToolMissing) as error:
        return _fail(str(error), Exit.BAD_INPUT, arguments)
    except LimitReached as error:
        return _fail(f"{error}; raise it with --time-limit", Exit.UNKNOWN, arguments)
    except MemoryError:
        return _fail("not enough memory, nothing decided", Exit.UNKNOWN, arguments)
    except KeyboardInterrupt:
        return _fail("interrupted: nothing decided", Exit.INTERRUPTED, arguments)
    except InternalError as error:
        return _crash(str(error), error, arguments)
    except Exception as error:  # a bug of ours must not look like a result
        return _crash(f"{type(error).__name__}: {error}", error, arguments)


def _dispatch(arguments: list[str]) -> int:
    own = _without_help(_own(arguments))
    parser = Parser(prog="raceproof", description="A verifier for data races in C programs with threads.")
    parser.add_argument("-V", "--version", action="version", version=f"raceproof {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for name in _needed(own):
        _add_parser(name, commands)
    # argparse takes positional arguments from one place only: files between and after options come back as rest.
    args, rest = parser.parse_known_args(own)
    options = [argument for argument in rest if argument.startswith("-")]
    if options:
        raise commands.choices[args.command].unknown_option(options[0])
    if rest and "files" not in args:
        raise InputError(f"unexpected argument {rest[0]}")
    if rest:
        args.files += [Path(argument) for argument in rest]
    args.arguments = arguments[len(_own(arguments)) + 1 :]
    args.words = arguments[1:]
    _set_up_logging(args.verbose)
    return int(args.run(args))


def _needed(own: Sequence[str]) -> Sequence[str]:
    """The commands to load: the one that is called, or all, for help, errors and completion.

    They import engines, and to load all of these takes longer than to check a small program.
    """
    return own[:1] if own and own[0] in COMMANDS and own[0] != "completion" else COMMANDS


def _add_parser(command: str, commands: Commands) -> None:
    import_module(f"raceproof.cli.{command.replace('-', '_')}").add_parser(commands)


def _without_help(own: list[str]) -> list[str]:
    """`raceproof help check` is `raceproof check --help`."""
    return [*own[1:2], "--help"] if own[:1] == ["help"] else own


def _with_separator(arguments: list[str]) -> list[str]:
    """`raceproof run ./program -v` is `raceproof run ./program -- -v`: behind an executable all belongs to it."""
    if arguments[:1] != ["run"] or "--" in arguments:
        return arguments
    for number, argument in enumerate(arguments[1:], start=2):
        if not argument.startswith("-") and os.access(argument, os.X_OK) and os.path.isfile(argument):
            return [*arguments[:number], "--", *arguments[number:]]
    return arguments


def _own(arguments: Sequence[str]) -> list[str]:
    """What stands before `--`; the rest belongs to the checked program."""
    return list(arguments[: arguments.index("--")] if "--" in arguments else arguments)


def _set_up_logging(verbose: int) -> None:
    logger = logging.getLogger("raceproof")
    logger.handlers.clear()
    if verbose:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)


def _is_verbose(arguments: Sequence[str]) -> bool:
    return any(re.fullmatch("-v+", argument) for argument in _own(arguments))


def _fail(message: str, status: Exit, arguments: Sequence[str]) -> Exit:
    if _is_verbose(arguments):
        traceback.print_exc()
    if len(message) > LONGEST_MESSAGE:  # it quotes a name or a line without end
        message = f"{message[: LONGEST_MESSAGE // 2]} ... {message[-LONGEST_MESSAGE // 2 :]}"
    print(f"raceproof: error: {message}", file=sys.stderr)
    if any(argument.partition("=")[0] == "--task" for argument in _own(arguments)):
        print("unknown")  # tools that read the verdict from the last line find it there in any case
    return status


def _crash(message: str, error: Exception, arguments: Sequence[str]) -> Exit:
    """A bug in raceproof: keep what is needed to repeat it, and say where."""
    details = "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="raceproof-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.write(f"raceproof {__version__}, in {os.getcwd()}\n$ raceproof {shlex.join(arguments)}\n\n{details}")
        kept = f"Please report it with {file.name}, which has the details."
    except OSError:
        kept = "Run again with -v for the details."
    return _fail(f"this is a bug in raceproof, nothing is decided: {message}\n{kept}", Exit.INTERNAL, arguments)
