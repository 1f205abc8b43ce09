"""`raceproof check`: compile, collect facts, run the engines, report."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from dataclasses import dataclass, replace

from raceproof import frontend, ir, portfolio, report
from raceproof.cli.options import Commands, InputOptions, add_input_arguments, add_result_arguments, add_run_arguments
from raceproof.cli.output import JsonFile, discard, is_interactive, wants_color
from raceproof.cli.progress import Progress
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError, InternalError, LimitReached
from raceproof.model import CheckResult, Verdict

_SVCOMP = {Verdict.RACE_FREE: "true", Verdict.RACE: "false(no-data-race)", Verdict.UNKNOWN: "unknown"}


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """`json` is where to write the result, `-` for standard output, None for nowhere."""

    inputs: InputOptions
    engines: tuple[str, ...]
    time_limit: float
    json: str | None
    verbose: bool
    settings: portfolio.Settings

    @staticmethod
    def of(args: argparse.Namespace) -> CheckOptions:
        settings = portfolio.Settings(jobs=int(args.jobs), arguments=tuple(args.arguments))
        return CheckOptions.made(args, _engine_names(args.engines), settings)

    @staticmethod
    def made(args: argparse.Namespace, engines: tuple[str, ...], settings: portfolio.Settings) -> CheckOptions:
        options = CheckOptions(
            inputs=InputOptions.of(args),
            engines=engines,
            time_limit=args.time_limit,
            json=args.json,
            verbose=args.verbose > 0,
            settings=settings,
        )
        if options.json == "-" and options.inputs.task is not None:
            raise InputError("--task and --json - both write to standard output: give --json a file")
        return options


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "check",
        help="look for data races",
        description="Look for data races in a C program. Exit status: 0 race-free, 1 race, 2 bad input, 3 unknown, "
        "4 internal error.",
        usage="%(prog)s [options] FILE... | -p compile_commands.json | --task TASK.yml  [-- ARGS of the program]",
    )
    add_input_arguments(parser)
    parser.add_argument(
        "--engines",
        default=",".join(portfolio.ENGINES),
        metavar="NAMES",
        help=f"engines to run, in this order, with commas between (there are: {', '.join(portfolio.ENGINES)})",
    )
    add_run_arguments(parser)
    add_result_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    return analyse(CheckOptions.of(args))


def analyse(options: CheckOptions) -> Exit:
    """Check and report as the options say; also what `explore` does, with options of its own."""
    with JsonFile(options.json, options.inputs.names()) as json_file:
        result = _check(options)
        status = Exit.INTERRUPTED if result.interrupted else Exit.of(result.verdict)
        try:
            json_file.write(result)
            if options.json != "-":
                report.write_text(result, sys.stdout, wants_color(sys.stdout, os.environ))
            if options.inputs.task is not None:
                print(_SVCOMP[result.verdict])
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has seen enough, e.g. `| head`; the verdict stands
            discard()
    return status


def _check(options: CheckOptions) -> CheckResult:
    start = time.monotonic()
    budget = Budget.seconds(options.time_limit)
    show = is_interactive(sys.stderr, os.environ) and not options.verbose
    with Progress(sys.stderr, show) as progress:
        try:
            progress.stage("compiling")
            request = options.inputs.request()
            program = frontend.load(request, budget)
            settings = replace(options.settings, request=request)
            result = _run_engines(program, options.engines, settings, budget, progress)
        except LimitReached as stop:  # of the compiler: the portfolio keeps its own
            result = portfolio.undecided(options.inputs.names(), str(stop), 0.0)
        except KeyboardInterrupt:
            reason = f"interrupted during {progress.current}: nothing decided"
            result = portfolio.undecided(options.inputs.names(), reason, 0.0, interrupted=True)
    return replace(result, seconds=time.monotonic() - start)


def _run_engines(
    program: ir.Program, engines: tuple[str, ...], settings: portfolio.Settings, budget: Budget, progress: Progress
) -> CheckResult:
    try:
        return portfolio.check(program, engines, budget, settings, progress.stage)
    except InternalError as error:
        # To be kept beside the traceback: whoever repairs this needs the program as we saw it.
        error.add_note("\n".join(shlex.join(command) for command in program.origin.commands))
        error.add_note(ir.format_program(program))
        raise


def _engine_names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in portfolio.ENGINES]
    if unknown or not names:
        what = f"there is no engine `{unknown[0]}`" if unknown else "--engines names none"
        raise InputError(f"{what}; there are: {', '.join(portfolio.ENGINES)}")
    return names
