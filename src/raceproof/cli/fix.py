"""`raceproof fix`: repair races, and print the patch. Each repair was applied to a copy and checked."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from raceproof import repair, report
from raceproof.cli.check import CheckOptions, engine_names
from raceproof.cli.configured import add_config_arguments, configured
from raceproof.cli.given import add_given_arguments, add_link_argument
from raceproof.cli.options import (
    Commands,
    add_input_arguments,
    add_result_arguments,
    add_run_arguments,
    add_target_arguments,
    positive,
)
from raceproof.cli.output import ResultFile, is_interactive
from raceproof.cli.progress import Progress
from raceproof.cli.report_file import read_claims
from raceproof.cli.results import FORMATS, rendered
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError
from raceproof.explore import ExploreOptions
from raceproof.model import CheckResult, Scope, Surroundings, Verdict
from raceproof.portfolio import Settings


@dataclass(frozen=True, slots=True)
class FixOptions:
    """`race`: the pair whose location is to be repaired; None for all. `files`: where to write the result of the check,
    with the repairs, by the name of the format."""

    program: repair.Program
    race: int | None
    write: bool
    as_json: bool
    time_limit: float
    verbose: bool
    files: dict[str, str]

    @staticmethod
    def of(args: argparse.Namespace) -> FixOptions:
        named = [Path(file) for file in args.files]
        if len(named) == 1 and named[0].suffix == ".json" and args.compile_commands is None:
            program, time_limit = _of_report(named[0], args), args.time_limit or _TIME_LIMIT
        else:
            found = configured(args)
            settings = Settings(search=ExploreOptions(find_all=True), accepted=Scope.ALL_INPUTS)
            asked = CheckOptions.made(args, found, engine_names(args.engines), settings)
            if asked.inputs.task is not None:
                raise InputError("fix wants C files, -p compile_commands.json or a report, not --task")
            program = repair.Program(asked.inputs.request(), asked.settings, asked.engines, {})
            time_limit = asked.time_limit
        files = {name: getattr(args, name) for name in FORMATS if getattr(args, name) is not None}
        return FixOptions(program, args.race, args.write, args.format == "json", time_limit, args.verbose > 0, files)


_TIME_LIMIT = 300.0


def _of_report(path: Path, args: argparse.Namespace) -> repair.Program:
    if args.arguments:
        raise InputError("the arguments of the program are in the report: leave them out")
    claims = read_claims(path)
    arguments = claims.setup.arguments if claims.setup is not None else ()
    around = claims.setup.surroundings if claims.setup is not None else Surroundings()
    search = ExploreOptions(find_all=True, surroundings=around)
    settings = Settings(search=search, arguments=arguments, models=claims.models, accepted=Scope.ALL_INPUTS)
    return repair.Program(claims.request, settings, engine_names(None), {})


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "fix",
        help="repair races: a patch that was checked",
        description="Look for races, and print a patch that repairs them, for `patch -p1` and `git apply`. Each repair "
        "was applied to a copy, compiled and checked again: the race is gone, and no new race or deadlock was found. "
        "Exit status: 0 everything that raced has a repair, or the program is race-free; 1 a race is left; 2 bad "
        "input; 3 unknown.",
        usage="%(prog)s [options] REPORT.json | FILE... | -p compile_commands.json  [-- ARGS of the program]",
    )
    add_input_arguments(parser)
    add_target_arguments(parser)
    add_given_arguments(parser)
    add_link_argument(parser)
    parser.add_argument(
        "--race", type=positive(int), metavar="ID", help="only the location of this pair (see the report)"
    )
    parser.add_argument("--diff", action="store_true", help="print the patch (the default)")
    parser.add_argument("--write", action="store_true", help="change the files as well")
    parser.add_argument("--engines", metavar="NAMES", help="engines to check with (default: all)")
    add_run_arguments(parser, time_limit=None)
    add_result_arguments(parser)
    add_config_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    options = FixOptions.of(args)
    names = [str(unit.file) for unit in options.program.request.units]
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(ResultFile(f"--{name}", target, names)) for name, target in options.files.items()
        }
        return _fix(options, files)


def _fix(options: FixOptions, files: Mapping[str, ResultFile]) -> Exit:
    budget = Budget.seconds(options.time_limit)
    show = is_interactive(sys.stderr, os.environ) and not options.verbose
    with Progress(sys.stderr, show) as progress:
        progress.stage("checking")
        result = options.program.check(budget)
        wanted = _wanted(result, options.race)
        on_try = lambda candidate: progress.stage(f"trying: {candidate.title}")  # noqa: E731
        steps = list(repair.repair_all(options.program, result, wanted, budget, on_try))
    texts = next((step.repair.texts for step in reversed(steps) if step.repair is not None), {})
    old = {file: Path(file).read_bytes() for file in texts}
    result = replace(result, repairs=repair.results_of(steps, result, old, os.getcwd()))
    for name, target in files.items():
        content = rendered(name, result, Exit.of(result.verdict), with_baseline=False)
        if content is not None:
            target.write(content)
    if not wanted and not options.as_json:
        print("# no race was found, so there is nothing to repair" + _why(result))
        return Exit.of(result.verdict) if result.verdict is not Verdict.RACE else Exit.RACE
    if options.as_json:
        print(json.dumps(_to_json(steps), indent=2))
        return Exit.RACE if any(step.is_left for step in steps) else Exit.RACE_FREE
    _tell(steps, options.verbose)
    sys.stdout.write(repair.as_patch(old, texts, os.getcwd()))
    if options.write:
        for file, text in texts.items():
            Path(file).write_bytes(text)
    return Exit.RACE if any(step.is_left for step in steps) else Exit.RACE_FREE


def _why(result: CheckResult) -> str:
    return f" ({result.reason})" if result.verdict is Verdict.UNKNOWN else ""


def _wanted(result: CheckResult, race: int | None) -> tuple[report.Location, ...]:
    racing = tuple(found for found in report.locations_of(result) if found.verdict is Verdict.RACE)
    if race is None:
        return racing
    chosen = tuple(found for found in racing if any(p.id == race and p.race is not None for p in found.pairs))
    if not chosen:
        ids = [str(p.id) for found in racing for p in found.pairs if p.race is not None]
        raise InputError(f"there is no race {race}; there are: {', '.join(ids) or 'none'}")
    return chosen


def _to_json(steps: Sequence[repair.Step]) -> dict[str, object]:
    """The whole new texts of the files, by absolute name."""
    made = [step.repair for step in steps if step.repair is not None]
    return {
        "repairs": [each.candidate.title for each in made],
        "left": [name for step in steps if step.is_left for name in step.names],
        "files": {file: text.decode("utf-8", "replace") for file, text in (made[-1].texts if made else {}).items()},
    }


def _tell(steps: Iterable[repair.Step], verbose: bool) -> None:
    """Each location with what became of it, as remarks that `patch` skips."""
    for step in steps:
        names = ", ".join(step.names)
        if step.repair is not None:
            print(f"# {names}: {step.repair.candidate.title}; {_meaning(step.repair)}")
        elif step.is_gone:
            print(f"# {names}: repaired together with the one before")
        else:
            print(f"# {names}: no repair found that passes the check ({len(step.tried)} tried)")
        if verbose:
            for each in step.tried:
                print(f"#   tried: {each.candidate.title}: {each.outcome.value}")


def _meaning(made: repair.Repair) -> str:
    """What the check has said."""
    if made.outcome is repair.Outcome.PROVED:
        found = "proved race-free, no new race"
    else:
        found = "the race is gone, and there is no new one; not all of the location is proved"
    stuck = made.after is not None and bool(made.after.deadlocks)
    left = "the program can deadlock, as before: raceproof check --property deadlock" if stuck else "no deadlock found"
    return f"checked: {found}, {left}"
