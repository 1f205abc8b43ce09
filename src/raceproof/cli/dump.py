"""`raceproof dump`: print a stage of the analysis as text."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from raceproof import facts, frontend, ir, petri
from raceproof.cli.options import Commands, InputOptions, add_input_arguments, add_run_arguments
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError

STAGES = ("ir", "facts", "net")


@dataclass(frozen=True, slots=True)
class DumpOptions:
    stage: str
    inputs: InputOptions
    time_limit: float
    dot: bool

    @staticmethod
    def of(args: argparse.Namespace) -> DumpOptions:
        if args.dot and args.stage != "net":
            raise InputError("--dot is for `dump net`")
        return DumpOptions(args.stage, InputOptions.of(args), args.time_limit, args.dot)


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "dump", help="print a stage of the analysis", description="Print a stage of the analysis as text."
    )
    parser.add_argument("stage", choices=STAGES, metavar="STAGE", help=f"one of: {', '.join(STAGES)}")
    parser.add_argument("--dot", action="store_true", help="net: as a graph for Graphviz")
    add_input_arguments(parser)
    add_run_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    options = DumpOptions.of(args)
    budget = Budget.seconds(options.time_limit)
    program = frontend.load(options.inputs.request(), budget)
    text = ir.format_program(program) if options.stage == "ir" else _analysed(program, options, budget)
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return Exit.RACE_FREE


def _analysed(program: ir.Program, options: DumpOptions, budget: Budget) -> str:
    cp = facts.analyse(program, budget)
    if options.stage == "facts":
        return facts.format_facts(cp)
    pairs = facts.race_pairs(cp)
    if options.dot:
        return petri.to_dot(petri.program_net(cp, pairs, budget).net)
    return petri.format_net(cp, pairs, budget)
