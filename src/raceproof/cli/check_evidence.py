"""`raceproof check-evidence`: check again, by other means, what a report claims."""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from raceproof import evidence, explore, facts, frontend, portfolio, report
from raceproof.cli.options import Commands, add_root_argument, add_run_arguments
from raceproof.cli.output import is_interactive, json_file
from raceproof.cli.progress import Progress
from raceproof.cli.report_agreement import disagreements, trusted
from raceproof.cli.report_file import ReportedClaims, facts_again, load_again, read_claims
from raceproof.cli.report_wording import Wording
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError
from raceproof.evidence import About, Answer, Judgement

WIDTH = 80


@dataclass(frozen=True, slots=True)
class CheckEvidenceOptions:
    """`json` is where to write the answers, `-` for standard output, None for nowhere."""

    report: Path
    root: Path | None
    time_limit: float
    json: str | None
    verbose: bool

    @staticmethod
    def of(args: argparse.Namespace) -> CheckEvidenceOptions:
        if args.arguments:
            raise InputError("the arguments of the program are in the report: leave them out")
        return CheckEvidenceOptions(args.report, args.root, args.time_limit, args.json, args.verbose > 0)


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "check-evidence",
        help="check the evidence in a report again, by other means",
        description="Check every piece of evidence in a report with checkers that are independent of the engines: "
        "races and deadlocks are run again, proofs are checked rule by rule or searched for again with another "
        "algorithm. "
        "Searches of small programs are confirmed by an interpreter; larger ones are only repeated, and not confirmed. "
        "Exit status: 0 all is accepted, 1 something is rejected, 2 bad input, 3 something could not be checked or "
        "confirmed.",
    )
    parser.add_argument("report", type=Path, metavar="REPORT.json", help="what `check` or `explore` wrote with --json")
    add_root_argument(parser)
    add_run_arguments(parser)
    parser.add_argument(
        "--json", metavar="F", help="also write the answers to this file as JSON; - for standard output"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    options = CheckEvidenceOptions.of(args)
    reported = read_claims(options.report, options.root)
    show = is_interactive(sys.stderr, os.environ) and not options.verbose
    with json_file(options.json, [str(options.report)]) as file:
        with Progress(sys.stderr, show) as progress:
            budget = Budget.seconds(options.time_limit)
            subject = subject_of(reported, budget, progress.stage)
            judgements = evidence.check_evidence(subject, budget)
        status = exit_status(judgements)
        believed = trusted(reported, subject.cp)
        if file is not None:
            file.write(json.dumps(to_json(options.report, judgements, believed, status), indent=2) + "\n")
        if options.json != "-":
            print(format_judgements(judgements, believed), end="")
    return status


def subject_of(reported: ReportedClaims, budget: Budget, on_progress: Callable[[str], None]) -> evidence.Subject:
    """The program of the report, built again; `InputError` if it is not the same."""
    on_progress("compiling")
    program = load_again(reported.request, budget)
    if reported.digest and program.origin.digest != reported.digest:
        raise InputError("the program or the compiler has changed since the report was written: check it again")
    setup = reported.setup
    search = None
    if setup is not None and setup.algorithm == explore.SAMPLE:
        raise InputError("a report of `raceproof run` proves nothing that could be checked: run its races by `replay`")
    if setup is not None:
        module = frontend.link_program(reported.request, budget)
        if explore.module_hash(module) != setup.module:
            raise InputError("the program or the compiler has changed since the report was written: check it again")
        search = explore.ExploreOptions(
            module=module,
            algorithm=setup.algorithm,
            isolation=setup.isolation,
            arguments=setup.arguments,
            models=reported.models,
            spurious=setup.spurious,
            max_steps=setup.max_steps,
            surroundings=setup.surroundings,
        )
    on_progress("facts")
    cp = facts_again(program, budget, reported.models, reported.facts, with_waits=reported.claims.deadlock is not None)
    found = tuple(facts.race_pairs(cp))
    pairs = {(pair.first, pair.second): pair for pair in found}
    namer = portfolio.Namer(cp)
    is_vouched = bool(reported.models.locks or reported.models.safe)
    return evidence.Subject(
        cp=cp,
        pairs=pairs,
        report=reported.claims,
        setup=setup,
        search=search,
        is_vouched=is_vouched,
        problems=disagreements(reported, cp, found, namer),
        is_identified=bool(reported.digest),
        wording=Wording(reported, cp, found, namer),
        on_progress=on_progress,
    )


def exit_status(judgements: Sequence[Judgement]) -> Exit:
    answers = {judgement.answer for judgement in judgements}
    if Answer.REJECTED in answers:
        return Exit.RACE
    return Exit.RACE_FREE if answers <= {Answer.ACCEPTED} else Exit.UNKNOWN


def format_judgements(judgements: Sequence[Judgement], believed: Sequence[str] = ()) -> str:
    """A table with a line for each kind, then a line for each claim that was not accepted, and what was believed."""
    counts = Counter((judgement.kind, judgement.answer) for judgement in judgements)
    kinds = list(dict.fromkeys(judgement.kind for judgement in judgements))
    width = max(len("evidence"), *map(len, kinds))
    head = "".join(f"{answer.value:>15}" for answer in Answer)
    lines = [f"{'evidence':<{width}}{head}"]
    for kind in kinds:
        lines.append(f"{kind:<{width}}" + "".join(f"{counts[kind, answer]:>15}" for answer in Answer))
    total = Counter(judgement.answer for judgement in judgements)
    for answer in (Answer.REJECTED, Answer.NOT_CONFIRMED, Answer.NOT_CHECKED):
        for judgement in judgements:
            if judgement.answer is answer:
                lines += textwrap.wrap(
                    f"{answer.value}: {_name(judgement)}: {judgement.ruling.why}", WIDTH, subsequent_indent="  "
                )
    for text in believed:
        lines += textwrap.wrap(f"trusted: {text}", WIDTH, subsequent_indent="  ")
    lines.append(", ".join(f"{total[answer]} {answer.value}" for answer in Answer))
    return "\n".join(lines) + "\n"


def _name(judgement: Judgement) -> str:
    match judgement.about:
        case About.PAIR:
            return f"pair {judgement.id}, {judgement.kind}" if judgement.id else "the verdict"
        case About.DEADLOCK:
            return f"deadlock {judgement.id}" if judgement.id else "the verdict on deadlocks"
        case About.OTHER:
            return f"entry {judgement.id} of `other`"


def to_json(path: Path, judgements: Sequence[Judgement], believed: Sequence[str], status: Exit) -> report.Json:
    total = Counter(judgement.answer for judgement in judgements)
    return {
        "report": str(path),
        "status": int(status),
        "accepted": total[Answer.ACCEPTED],
        "rejected": total[Answer.REJECTED],
        "not_confirmed": total[Answer.NOT_CONFIRMED],
        "not_checked": total[Answer.NOT_CHECKED],
        "trusted": list(believed),
        "claims": [
            {
                "pair": j.id or None if j.about is About.PAIR else None,
                "deadlock": j.id or None if j.about is About.DEADLOCK else None,
                "other": j.id if j.about is About.OTHER else None,
                "kind": j.kind,
                "answer": j.answer.value,
                "why": j.ruling.why,
            }
            for j in judgements
        ],
    }
