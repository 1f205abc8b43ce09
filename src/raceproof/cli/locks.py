"""`raceproof locks`: which lock protects each variable and field, where it is not held, and what the sources say."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace

from raceproof import frontend, portfolio, repair, report
from raceproof.cli.check import CheckOptions, engine_names
from raceproof.cli.configured import add_config_arguments, configured
from raceproof.cli.options import (
    Commands,
    add_input_arguments,
    add_result_arguments,
    add_run_arguments,
    add_target_arguments,
)
from raceproof.cli.output import is_interactive
from raceproof.cli.progress import Progress
from raceproof.cli.status import Exit
from raceproof.core import Budget
from raceproof.model import CheckResult
from raceproof.portfolio import Settings


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "locks",
        help="which lock protects what",
        description="Print which lock protects each variable and field, at how many of its accesses it is held, and "
        "where it is not; `guarded_by` attributes in the sources are held against that. Nothing is executed. Exit "
        "status: 0 what the attributes say is kept, 1 it is not, 2 bad input, 3 nothing is known.",
        usage="%(prog)s [options] FILE... | -p compile_commands.json",
    )
    add_input_arguments(parser)
    add_target_arguments(parser)
    parser.add_argument("--guarded-by", action="store_true", help="print clang's guarded_by attributes, as a patch")
    parser.add_argument(
        "--engines", metavar="NAMES", default="lockset", help="engines to prove with (default: lockset)"
    )
    add_run_arguments(parser, time_limit=None)
    add_result_arguments(parser)
    add_config_arguments(parser)
    parser.set_defaults(run=run)


@dataclass(frozen=True, slots=True)
class _Breach:
    """An attribute that is not kept: by whom, and where."""

    guard: repair.Guard
    location: str
    places: tuple[report.Place, ...]


def run(args: argparse.Namespace) -> Exit:
    found = configured(args)
    options = CheckOptions.made(args, found, engine_names(args.engines), Settings())
    budget = Budget.seconds(options.time_limit)
    show = is_interactive(sys.stderr, os.environ) and not args.verbose
    with Progress(sys.stderr, show) as progress:
        progress.stage("checking")
        request = replace(options.inputs.request(), prototypes=options.settings.models.numbered())
        program = frontend.load(request, budget)
        settings = replace(options.settings, request=request)
        result = portfolio.check(program, options.engines, budget, settings, progress.stage)
        progress.stage("reading the sources")
        trees = frontend.syntax_trees(request, budget)
    if not result.pairs and result.reason and result.sources is None:
        print(f"unknown: {result.reason}")
        return Exit.UNKNOWN
    disciplines = report.disciplines(result)
    breaches = tuple(_breaches(disciplines, trees))
    if args.guarded_by:
        _write_attributes(disciplines, trees)
    elif options.shown.format == "json":
        print(json.dumps(_to_json(disciplines, breaches), indent=2))
    else:
        _write(result, disciplines, breaches)
    return Exit.RACE if breaches else Exit.RACE_FREE


def _write(result: CheckResult, disciplines: tuple[report.Discipline, ...], breaches: tuple[_Breach, ...]) -> None:
    if not disciplines:
        print("no location is shared between threads while one writes")
    else:
        print("\n".join(report.discipline_table(disciplines)))
    for breach in breaches:
        where = f"{os.path.relpath(breach.guard.pos.file)}:{breach.guard.pos.line}"
        places = ", ".join(map(str, breach.places))
        print(f"{where}: {breach.location} is guarded_by({breach.guard.lock}), which is not held at {places}")


def _breaches(disciplines: Iterable[report.Discipline], trees: tuple[frontend.SyntaxTree, ...]) -> Iterable[_Breach]:
    guards, types = tuple(repair.guards(trees)), repair.variable_types(trees)
    for each in disciplines:
        for guard in guards:
            if guard.is_of(each.name, types.get(each.name.partition(".")[0].partition("[")[0], frozenset())):
                bare = tuple(p for p in each.places if p.is_open and not any(map(guard.is_lock, p.locks)))
                if bare:
                    yield _Breach(guard, each.name, bare)


def _write_attributes(disciplines: Iterable[report.Discipline], trees: tuple[frontend.SyntaxTree, ...]) -> None:
    edits = [
        edit
        for each in disciplines
        if each.is_kept and each.lock is not None and each.lock != report.ATOMIC
        for edit in repair.with_guard(each.name, each.lock, trees)
    ]
    texts = {file: text for tree in trees for file, text in tree.texts.items()}
    changed = repair.apply(texts, edits) or {}
    sys.stdout.write(repair.as_patch({file: texts[file] for file in changed}, changed, os.getcwd()))


def _to_json(disciplines: Iterable[report.Discipline], breaches: Iterable[_Breach]) -> dict[str, object]:
    return {
        "locations": [
            {
                "name": each.name,
                "protected_by": each.lock,
                "accesses": len(each.places),
                "need_no_lock": len(each.alone),
                "missing": [_place(place) for place in each.missing],
                "verdict": each.verdict.value,
            }
            for each in disciplines
        ],
        "guarded_by_not_kept": [
            {
                "location": each.location,
                "lock": each.guard.lock,
                "file": each.guard.pos.file,
                "line": each.guard.pos.line,
                "places": [_place(place) for place in each.places],
            }
            for each in breaches
        ],
    }


def _place(place: report.Place) -> dict[str, object]:
    where = {"file": place.pos.file, "line": place.pos.line} if place.pos is not None else {}
    return {**where, "function": place.function, "proved_without": not place.is_open}
