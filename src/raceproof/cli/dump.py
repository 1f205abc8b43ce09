"""`raceproof dump`: print a stage of the analysis as text."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from raceproof import bmc, facts, frontend, ir, petri, transactions
from raceproof.cli.options import Commands, InputOptions, add_input_arguments, add_run_arguments
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError

STAGES = ("ir", "facts", "net", "graph", "smt")
DEFAULT_UNWINDING = 2


@dataclass(frozen=True, slots=True)
class DumpOptions:
    stage: str
    inputs: InputOptions
    time_limit: float
    dot: bool
    unwind: int

    @staticmethod
    def of(args: argparse.Namespace) -> DumpOptions:
        if args.dot and args.stage not in ("net", "graph"):
            raise InputError("--dot is for `dump net` and `dump graph`")
        if args.unwind is not None and args.stage != "smt":
            raise InputError("--unwind is for `dump smt`")
        unwind = DEFAULT_UNWINDING if args.unwind is None else args.unwind
        if unwind < 1:
            raise InputError("--unwind: a number from 1 is needed")
        return DumpOptions(args.stage, InputOptions.of(args), args.time_limit, args.dot, unwind)


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "dump", help="print a stage of the analysis", description="Print a stage of the analysis as text."
    )
    parser.add_argument("stage", choices=STAGES, metavar="STAGE", help=f"one of: {', '.join(STAGES)}")
    parser.add_argument("--dot", action="store_true", help="net, graph: for Graphviz")
    parser.add_argument(
        "--unwind", type=int, metavar="N", help=f"smt: rounds of each loop (default: {DEFAULT_UNWINDING})"
    )
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
    if options.stage == "smt":
        return bmc.format_smt(cp, pairs, options.unwind, budget)
    if options.stage == "graph":
        draw = transactions.graphs_to_dot if options.dot else transactions.format_graphs
        return draw(cp, pairs, budget)
    if options.dot:
        return petri.to_dot(petri.program_net(cp, pairs, budget).net)
    return petri.format_net(cp, pairs, budget)
