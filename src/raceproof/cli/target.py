"""`raceproof target`: the runtime for another machine, and an agent that waits for hosts ([DHTC] Fig. 10)."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from raceproof import explore
from raceproof.cli.options import Commands
from raceproof.cli.output import is_interactive
from raceproof.cli.progress import Progress
from raceproof.cli.status import Exit
from raceproof.core import InputError

_HERE = "127.0.0.1:4711"


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """Exactly one of `listen` and `build` is given; `output` goes with `build`."""

    listen: str | None
    build: str | None
    output: Path | None
    secret_file: Path | None

    @staticmethod
    def of(args: argparse.Namespace) -> TargetOptions:
        options = TargetOptions(args.listen, args.build, args.output, args.secret_file)
        if (options.listen is None) == (options.build is None):
            raise InputError("give either --listen or --build TRIPLE -o FILE")
        if (options.build is None) != (options.output is None):
            raise InputError("--build TRIPLE and -o FILE belong together")
        if options.build is not None and options.secret_file is not None:
            raise InputError("the secret is for --listen: the file that is built knows none")
        return options


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "target",
        help="run programs for hosts elsewhere, or build what does",
        description="Wait on this machine for hosts that run programs here (`--via tcp://HOST:PORT`), or write the"
        " program that does so on another machine: it needs neither Python nor a C library. Run it there with --listen"
        " ADDRESS:PORT, or by the command of --via.",
    )
    parser.add_argument(
        "--listen",
        nargs="?",
        const=_HERE,
        metavar="ADDRESS:PORT",
        help=f"wait there for hosts; only this machine can reach the default, {_HERE}",
    )
    parser.add_argument("--build", metavar="TRIPLE", help="write the runtime for this machine, as aarch64-linux-musl")
    parser.add_argument("-o", dest="output", type=Path, metavar="FILE", help="the file to write")
    parser.add_argument(
        "--secret-file", type=Path, metavar="F", help="what hosts must know (or in the variable RACEPROOF_SECRET)"
    )
    parser.add_argument("-v", dest="verbose", action="count", default=0, help="say what is done; -vv says more")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    options = TargetOptions.of(args)
    with Progress(sys.stderr, is_interactive(sys.stderr, os.environ) and not args.verbose) as progress:
        if options.build is not None and options.output is not None:
            _write(explore.machine_of(options.build), options.output, progress.stage)
            return Exit.RACE_FREE
        explore.secret_given(options.secret_file)  # a mistake in it is said before anything is built
        agent = explore.build_host(machine=explore.this_machine(), on_progress=progress.stage)
    secret = ["--secret-file", str(options.secret_file)] if options.secret_file is not None else []
    sys.stdout.flush()
    os.execv(agent, [str(agent), "--listen", options.listen or _HERE, *secret])


def _write(machine: str, output: Path, tell: Callable[[str], None]) -> None:
    runtime = explore.build_host(machine=machine, on_progress=tell)
    try:
        shutil.copyfile(runtime, output)
        output.chmod(0o755)
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror}") from None
    print(f"{output}: the runtime for {machine}, {output.stat().st_size // 1000:,} kB")
