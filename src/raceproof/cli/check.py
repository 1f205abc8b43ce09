"""`raceproof check`: compile, collect facts, run the engines, report."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from raceproof import config, explore, frontend, ir, portfolio, report
from raceproof.cli.all_targets import check_all
from raceproof.cli.clusters import add_cluster_argument, cluster_given
from raceproof.cli.configured import add_config_arguments, configured
from raceproof.cli.given import add_given_arguments, add_link_argument, given_of
from raceproof.cli.made_harness import HarnessOptions, add_harness_arguments, made_for
from raceproof.cli.options import (
    Commands,
    InputOptions,
    Parser,
    add_input_arguments,
    add_property_argument,
    add_result_arguments,
    add_run_arguments,
    add_target_arguments,
    properties_of,
)
from raceproof.cli.output import ResultFile, discard, is_interactive, wants_color
from raceproof.cli.progress import Progress
from raceproof.cli.reproducer import save_reproducer
from raceproof.cli.results import FORMATS, rendered
from raceproof.cli.status import Exit
from raceproof.core import Budget, Contradiction, InputError, InternalError, LimitReached, NoEntry, suggestion
from raceproof.model import CheckResult, Property, Scope, Verdict

_SVCOMP = {Verdict.RACE_FREE: "true", Verdict.RACE: "false(no-data-race)", Verdict.UNKNOWN: "unknown"}


@dataclass(frozen=True, slots=True)
class Shown:
    """What standard output gets."""

    format: str
    detail: report.Detail
    color: str

    @staticmethod
    def of(args: argparse.Namespace) -> Shown:
        if args.quiet and args.verbose:
            raise InputError("give only one of: --quiet, --verbose")
        detail = report.Detail.QUIET if args.quiet else report.Detail.VERBOSE if args.verbose else report.Detail.NORMAL
        return Shown(args.format, detail, args.color)


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """`files`: where to write the result, by the name of the format; `-` for standard output."""

    inputs: InputOptions
    engines: tuple[str, ...]
    time_limit: float
    files: dict[str, str]
    shown: Shown
    with_all_pairs: bool
    settings: portfolio.Settings
    harness: HarnessOptions = HarnessOptions()  # noqa: RUF009  frozen
    suppressions: tuple[config.Suppression, ...] = ()
    baseline: Path | None = None
    new_baseline: Path | None = None

    @staticmethod
    def of(args: argparse.Namespace) -> CheckOptions:
        cluster = cluster_given(args)  # before the configuration says how many processes
        found = configured(args)
        settings = portfolio.Settings(
            search=explore.ExploreOptions(find_all=args.all, spurious=args.spurious_wakeups, cluster=cluster),
            accepted=Scope(args.accept) if args.accept is not None else Scope.ALL_INPUTS,
            properties=properties_of(args),
        )
        return CheckOptions.made(args, found, engine_names(args.engines), settings)

    @staticmethod
    def made(
        args: argparse.Namespace, found: config.Config | None, engines: tuple[str, ...], settings: portfolio.Settings
    ) -> CheckOptions:
        files = {name: getattr(args, name) for name in FORMATS if getattr(args, name) is not None}
        shown = Shown.of(args)
        if shown.format == "json":
            files.setdefault("json", "-")
        for target in files.values():
            named = [f"--{name}" for name, other in files.items() if Path(other) == Path(target)]
            if len(named) > 1:
                raise InputError(f"{' and '.join(named)} would write to the same place, {target}")
        inputs = InputOptions.of(args)
        options = CheckOptions(
            inputs=inputs,
            engines=engines,
            time_limit=args.time_limit,
            files=files,
            shown=shown,
            with_all_pairs=args.pairs_detail,
            settings=replace(
                settings,
                search=replace(settings.search, target=inputs.runs_on, surroundings=given_of(args, inputs.files)),
                jobs=int(args.jobs),
                arguments=tuple(args.arguments),
                models=found.models if found is not None else settings.models,
                pairs_detail=args.pairs_detail,
            ),
            harness=HarnessOptions.of(args),
            suppressions=found.suppressions if found is not None else (),
            baseline=args.baseline,
            new_baseline=args.write_baseline,
        )
        on_stdout = [f"--{name} -" for name, target in files.items() if target == "-"]
        if options.inputs.task is not None and on_stdout:
            raise InputError(
                f"--task and {on_stdout[0]} both write to standard output: give {on_stdout[0][:-2]} a file"
            )
        if len(on_stdout) > 1:
            raise InputError(f"{' and '.join(on_stdout)} both write to standard output: give one of them a file")
        return options


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "check",
        help="look for data races, or deadlocks",
        description="Look for data races, or deadlocks, in a C program. Exit status: 0 there are none, 1 there is one, "
        "2 bad input, 3 unknown, 4 internal error.",
        usage="%(prog)s [options] FILE... | -p compile_commands.json | --task TASK.yml  [-- ARGS of the program]",
    )
    add_arguments(parser)
    parser.add_argument(
        "--all-targets", action="store_true", help="check every program of compile_commands.json, one after the other"
    )
    parser.set_defaults(run=run)


def add_arguments(parser: Parser) -> None:
    """The options, which `watch` has as well."""
    add_input_arguments(parser)
    add_target_arguments(parser)
    add_given_arguments(parser)
    add_link_argument(parser)
    parser.add_argument(
        "--engines",
        metavar="NAMES",
        help=f"engines to run, with commas between (there are, and by default all run: {', '.join(portfolio.ENGINES)})",
    )
    parser.add_argument(
        "--accept",
        choices=[Scope.THIS_INPUT.value],
        help="call a program race-free that has no race with the given arguments, though it may have other inputs",
    )
    parser.add_argument("--all", action="store_true", help="go on after the first races, as long as there is time")
    add_property_argument(parser)
    parser.add_argument(
        "--spurious-wakeups",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="a wait at a condition variable may end without a signal, as POSIX allows; if not, the report names that "
        "as an assumption (default: yes)",
    )
    add_harness_arguments(parser)
    add_cluster_argument(parser)
    add_run_arguments(parser, time_limit=None)
    add_result_arguments(parser)
    add_config_arguments(parser)


def run(args: argparse.Namespace) -> Exit:
    if args.all_targets:
        return check_all(args)
    return analyse(CheckOptions.of(args))


Examine = Callable[[ir.Program, CheckOptions, portfolio.Settings, Budget, Progress], CheckResult]


def analyse(options: CheckOptions, examine: Examine | None = None) -> Exit:
    """Check and report as the options say; also what `explore` does, with options of its own, and `run`, with a way of
    its own to `examine` the program."""
    known = config.read_baseline(options.baseline) if options.baseline is not None else None
    with ExitStack() as stack:
        names = options.inputs.names()
        files = {
            name: stack.enter_context(ResultFile(f"--{name}", target, names)) for name, target in options.files.items()
        }
        result = _judged(_check(options, examine or _run_engines), options, known)
        status = _status(result)
        if "-" not in options.files.values():
            with _to_a_reader():
                _show(result, options)
        for name, file in files.items():
            text = rendered(name, result, status, known is not None, options.with_all_pairs)
            if text is not None:
                with _to_a_reader():
                    file.write(text)
            else:
                print(f"raceproof: no witness is written: {report.why_no_witness(result)}", file=sys.stderr)
        if options.new_baseline is not None:
            config.write_baseline(options.new_baseline, result)
        if options.inputs.task is not None and Property.DATA_RACE in result.asked:
            with _to_a_reader():
                print(_SVCOMP[result.verdict])
    return status


def _show(result: CheckResult, options: CheckOptions) -> None:
    shown = options.shown
    if shown.format in report.LINE_FORMATS:
        report.write_lines(result, sys.stdout, shown.format)
        return
    color = wants_color(sys.stdout, os.environ) if shown.color == "auto" else shown.color == "always"
    report.write_text(result, sys.stdout, color, options.files.get("json"), shown.detail)


@contextmanager
def _to_a_reader() -> Iterator[None]:
    """One who has seen enough, as in `| head`, does not keep us from going on; the verdict stands."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard()


def _judged(result: CheckResult, options: CheckOptions, known: tuple[config.Known, ...] | None) -> CheckResult:
    """The result with what the user has said about findings before; entries that nothing fits are named."""
    notes = list(result.notes)
    result, unused = config.apply_suppressions(result, options.suppressions)
    notes += [f"a suppression is not used: {suppression}" for suppression in unused]
    if known is not None:
        result, gone = config.apply_baseline(result, known)
        notes += [f"in the baseline, but not found: {entry}" for entry in gone]
    return replace(result, notes=tuple(notes))


def _loaded(options: CheckOptions, budget: Budget) -> tuple[frontend.CompileRequest, ir.Program, Path | None]:
    """The program; of C files without main, with one that is made for them, and the file with that: then no verdict is
    plain race-free."""
    request = replace(options.inputs.request(), prototypes=options.settings.models.numbered())
    try:
        return request, frontend.load(request, budget), None
    except NoEntry as error:
        if not options.inputs.files or options.inputs.entry is not None:
            raise
        try:
            made = made_for(request, options.harness, budget)
        except NoEntry:
            raise error from None
    request = made.request(request)
    return request, frontend.load(request, budget), request.units[0].file


def _with_remarks(result: CheckResult, remarks: tuple[config.Intended, ...], program: ir.Program) -> CheckResult:
    """The result with what the source says is intended. A run that was cut short does not say what is gone."""
    result, unused = config.apply_intended(result, remarks, program)
    if result.interrupted or not result.engines:
        unused = ()
    return replace(result, notes=(*result.notes, *(f"nothing races there any more: {remark}" for remark in unused)))


def _status(result: CheckResult) -> Exit:
    """That of the properties that were asked about: a violation of one decides, then what is unknown."""
    if result.interrupted:
        return Exit.INTERRUPTED
    found = [_race_status(result)] if Property.DATA_RACE in result.asked else []
    if result.deadlock is not None:
        found.append(Exit.of_deadlock(result.deadlock.verdict))
    return next((status for status in (Exit.RACE, Exit.UNKNOWN) if status in found), Exit.RACE_FREE)


def _race_status(result: CheckResult) -> Exit:
    """That of the verdict, but for findings that are suppressed or known."""
    if not result.pairs:
        return Exit.of(result.verdict)
    verdicts = {p.verdict for p in result.pairs if p.suppressed is None and not p.is_known}
    verdicts |= {Verdict.UNKNOWN} if result.obstacles else set()
    return Exit.of(next((v for v in (Verdict.RACE, Verdict.UNKNOWN) if v in verdicts), Verdict.RACE_FREE))


def _check(options: CheckOptions, examine: Examine) -> CheckResult:
    start = time.monotonic()
    budget = Budget.seconds(options.time_limit)
    show = is_interactive(sys.stderr, os.environ) and options.shown.detail is report.Detail.NORMAL
    with Progress(sys.stderr, show) as progress:
        try:
            progress.stage("compiling")
            request, program, harness = _loaded(options, budget)
            config.check_suppressions(options.suppressions, program)
            remarks = config.intended_of(program)
            settings = replace(options.settings, request=request)
            result = examine(program, options, settings, budget, progress)
            result = _with_remarks(result, remarks, program)
            if harness is not None:
                result = replace(result, notes=(*result.notes, f"the harness is {harness}"))
        except LimitReached as stop:  # of the compiler: the portfolio keeps its own
            asked = options.settings.properties
            result = portfolio.undecided(options.inputs.names(), str(stop), 0.0, asked=asked)
        except KeyboardInterrupt:
            reason = f"interrupted during {progress.current}: nothing decided"
            asked = options.settings.properties
            result = portfolio.undecided(options.inputs.names(), reason, 0.0, interrupted=True, asked=asked)
    return replace(result, seconds=time.monotonic() - start)


def _run_engines(
    program: ir.Program, options: CheckOptions, settings: portfolio.Settings, budget: Budget, progress: Progress
) -> CheckResult:
    try:
        return portfolio.check(program, options.engines, budget, settings, progress.stage)
    except Contradiction as error:
        kept = save_reproducer(error, program, settings.request)
        error.add_note(f"program and evidence: {kept}")
        if kept is not None:
            error.message += f"; the program and both pieces of evidence are in {kept}"
        raise
    except InternalError as error:
        # To be kept beside the traceback: whoever repairs this needs the program as we saw it.
        error.add_note("\n".join(shlex.join(command) for command in program.origin.commands))
        error.add_note(ir.format_program(program))
        raise


def engine_names(text: str | None) -> tuple[str, ...]:
    """The engines that --engines names; all if it is not given."""
    if text is None:
        return tuple(portfolio.ENGINES)
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in portfolio.ENGINES]
    if unknown or not names:
        near = suggestion(unknown[0], portfolio.ENGINES) if unknown else ""
        what = f"there is no engine `{unknown[0]}`{near}" if unknown else "--engines names none"
        raise InputError(f"{what}; there are: {', '.join(portfolio.ENGINES)}")
    return names
