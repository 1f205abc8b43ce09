"""`raceproof petri`: is a net safe? For nets, for programs in the paper's language, and for C."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from raceproof import facts, frontend, lockset, petri
from raceproof.cli.clusters import refuse_cluster_argument
from raceproof.cli.configured import configured
from raceproof.cli.options import DEFAULT_TIME_LIMIT, Commands, InputOptions, add_input_arguments, add_run_arguments
from raceproof.cli.output import ResultFile, discard, json_file
from raceproof.cli.petri_result import NetResult, Story, c_story, format_result, net_story, sml_story, to_json
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError, InternalError, LimitReached, ToolMissing
from raceproof.model import Models, RacePair, Verdict

_NETS: dict[str, Callable[[str, str], petri.Net]] = {".spec": petri.read_spec, ".pnml": petri.read_pnml}
_WRITERS: dict[str, Callable[[petri.Net], str]] = {
    "dot": petri.to_dot,
    "pnml": petri.write_pnml,
    "spec": petri.write_spec,
}


@dataclass(frozen=True, slots=True)
class PetriOptions:
    """`file`: a net or a program in the paper's language; None: C, from `inputs`. `writes`: files for the net, by
    format. `is_aided`: what the static analysis of C proves is left out of the net. `models`: what the configuration
    says about functions of C."""

    file: Path | None
    inputs: InputOptions
    time_limit: float
    json: str | None
    writes: dict[str, str]
    is_emitting: bool
    is_plain: bool
    spurious: bool
    is_aided: bool
    models: Models

    @staticmethod
    def of(args: argparse.Namespace) -> PetriOptions:
        if args.arguments:
            raise InputError("a net stands for all arguments of the program: leave them out")
        others = [path for path in args.files if path.suffix in (*_NETS, ".sml")]
        if others and len(args.files) > 1:
            raise InputError(f"{others[0]}: one net at a time")
        found = None if others else configured(args)
        inputs = InputOptions.of(args)
        writes = {name: getattr(args, name) for name in _WRITERS if getattr(args, name) is not None}
        on_stdout = [f"--{name} -" for name, target in (("json", args.json), *writes.items()) if target == "-"]
        on_stdout += ["--emit sml"] if args.emit else []
        if args.emit and others and others[0].suffix != ".sml":
            raise InputError(f"{others[0]} is a net, not a program: only C and .sml can be written as a program")
        if len(on_stdout) > 1:
            raise InputError(f"{' and '.join(on_stdout)} both write to standard output: give one of them a file")
        return PetriOptions(
            file=others[0] if others else None,
            inputs=inputs,
            time_limit=args.time_limit or DEFAULT_TIME_LIMIT,
            json=args.json,
            writes=writes,
            is_emitting=args.emit is not None,
            is_plain=args.plain,
            spurious=args.spurious_wakeups,
            is_aided=args.pairs == "open",
            models=found.models if found is not None else Models(),
        )

    @property
    def is_quiet(self) -> bool:
        """Standard output is taken by a file."""
        return self.is_emitting or "-" in (self.json, *self.writes.values())


@dataclass(frozen=True, slots=True)
class _Subject:
    """`gap`: why the net does not stand for the whole program, if so: then it is never safe. `finer`: the same with a
    net that knows more, to be asked if a run covers a target of this one. `story`: None if the run is certainly none of
    the program's. `is_printed`: the paper's net, of a program in its language. `text`: the program
    in that language, if it was asked for."""

    net: petri.Net
    story: Callable[[petri.Unsafe], Story | None]
    safe: str
    notes: tuple[str, ...] = ()
    gap: str | None = None
    finer: Callable[[], _Subject] | None = None
    is_printed: bool = False
    text: str = ""


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "petri",
        help="prove race-freeness for any number of threads with a Petri net",
        description="Decide whether a net can cover one of its targets: a net of mist (.spec) or PNML (.pnml), or that "
        "of a program in the Simple Multithreaded Language (.sml, see docs/sml.md) or in C, whose targets are races. "
        "Exit status: 0 safe, 1 unsafe, 2 bad input, 3 unknown, 4 internal error.",
        usage="%(prog)s [options] FILE.sml | FILE.spec | FILE.pnml | FILE.c...",
    )
    add_input_arguments(parser)
    group = parser.add_argument_group("the net")
    group.add_argument(
        "--plain", action="store_true", help="use the paper's algorithm, and of .sml its net, as printed"
    )
    group.add_argument(
        "--spurious-wakeups",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="of .sml: a wait at a condition variable may end without a signal, as POSIX allows (default: yes)",
    )
    group.add_argument(
        "--pairs",
        choices=["open", "all"],
        default="open",
        help="of C: only pairs that the static analysis leaves open, or all, unaided (default: open)",
    )
    for name, what in (("dot", "for Graphviz"), ("pnml", "as PNML"), ("spec", "as mist reads it")):
        group.add_argument(
            f"--{name}", metavar="F", help=f"also write the net to this file {what}; - for standard output"
        )
    group.add_argument(
        "--emit",
        choices=["sml"],
        help="of C and .sml: write the program in the paper's language to standard output instead of the result; all "
        "pairs of accesses that could race are in it, whatever --pairs says",
    )
    add_run_arguments(parser, time_limit=None)
    settings = parser.add_argument_group("configuration, for C")
    settings.add_argument("--config", type=Path, metavar="F", help="read this file (default: as for check)")
    settings.add_argument("--no-config", action="store_true", help="read no configuration file")
    parser.add_argument("--json", metavar="F", help="also write the result to this file as JSON; - for standard output")
    refuse_cluster_argument(parser)
    parser.set_defaults(run=run, engines=None, jobs=None, baseline=None)  # which the configuration may have


def run(args: argparse.Namespace) -> Exit:
    options = PetriOptions.of(args)
    names = options.inputs.names()
    with ExitStack() as stack:
        file = stack.enter_context(json_file(options.json, names))
        writes = {
            name: stack.enter_context(ResultFile(f"--{name}", target, names)) for name, target in options.writes.items()
        }
        result = _decide(options, writes)
        try:
            if file is not None:
                file.write(json.dumps(to_json(result), indent=2) + "\n")
            if options.is_emitting:
                sys.stdout.write(result.text)
            if not options.is_quiet:
                sys.stdout.write(format_result(result))
            sys.stdout.flush()
        except BrokenPipeError:  # the reader has seen enough; the verdict stands
            discard()
    return {"safe": Exit.RACE_FREE, "unsafe": Exit.RACE, "unknown": Exit.UNKNOWN}[result.verdict]


def _decide(options: PetriOptions, writes: dict[str, ResultFile]) -> NetResult:
    start = time.monotonic()
    budget = Budget.seconds(options.time_limit)
    files = options.inputs.names()
    try:
        subject = _subject(options, budget)
    except LimitReached as stop:
        undecided = petri.Undecided(f"{stop.message} before there was a net")
        if options.is_emitting:
            print(f"raceproof: no program is written: {stop.message}", file=sys.stderr)
        return NetResult(files, None, undecided, time.monotonic() - start)
    text = subject.text
    solution, notes = _solve(subject, options.is_plain, budget)
    if subject.is_printed and isinstance(solution, petri.Unsafe) and subject.story(solution) is None:
        subject, solution, notes = _mend(options, subject, solution, budget)
    while isinstance(solution, petri.Unsafe) and subject.finer is not None:
        try:
            subject = subject.finer()
        except LimitReached:
            break
        solution, notes = _solve(subject, options.is_plain, budget)
    for name, file in writes.items():
        file.write(_WRITERS[name](subject.net))
    seconds = time.monotonic() - start
    match solution:
        case petri.Safe(certificate=certificate):
            _insist(petri.check_certificate(subject.net, certificate))
            if subject.gap is not None:
                solution = petri.Undecided(subject.gap, solution.stats)
            return NetResult(files, subject.net, solution, seconds, says=subject.safe, notes=notes, text=text)
        case petri.Unsafe():
            _insist(petri.check_firing(subject.net, solution))
            story = subject.story(solution)
            if story is None:
                raise InternalError("the run that covers a target is none of the program's")
            return NetResult(files, subject.net, solution, seconds, story.says, story, notes, text)
        case petri.Undecided():
            return NetResult(files, subject.net, solution, seconds, notes=notes, text=text)


def _mend(
    options: PetriOptions, printed: _Subject, covered: petri.Unsafe, budget: Budget
) -> tuple[_Subject, petri.Solution, tuple[str, ...]]:
    """The net as printed is covered, but only by a thread that goes on behind another one's access: ask the net in
    which that cannot be. What was counted stays what the paper counts, unless the answer is another one."""
    _insist(petri.check_firing(printed.net, covered))
    file = options.file
    if file is None:
        raise InternalError("only programs in the paper's language have a net as printed")
    subject = _net_of_sml(file, options.spurious, as_printed=False)
    solution = petri.solve_plainly(subject.net, budget)
    counts = ", ".join(f"{name} {covered.stats[name]}" for name in ("kept", "subsumed", "iterations"))
    why = "the run that covers the net as printed has a thread that goes on behind another one's access"
    if isinstance(solution, petri.Unsafe):
        note = f"{why}; the run here is one of the net in which each access has a place of its own"
        return subject, replace(solution, stats=covered.stats), (*printed.notes, note)
    note = f"{why} ({counts}); this is the answer of the net in which each access has a place of its own"
    return subject, solution, (*printed.notes, note)


def _solve(subject: _Subject, is_plain: bool, budget: Budget) -> tuple[petri.Solution, tuple[str, ...]]:
    """The answer, and what the user should know; without a compiler for the kernel the plain search has to do."""
    if is_plain:
        return petri.solve_plainly(subject.net, budget), subject.notes
    try:
        return petri.solve(subject.net, budget), subject.notes
    except ToolMissing as missing:
        note = f"solved without the native kernel: {missing}"
        return petri.solve_plainly(subject.net, budget), (*subject.notes, note)


def _insist(problem: str | None) -> None:
    if problem is not None:
        raise InternalError(f"the independent checker refuses the answer of the search: {problem}")


def _subject(options: PetriOptions, budget: Budget) -> _Subject:
    if options.file is None:
        return _net_of_c(options, budget)
    if options.file.suffix == ".sml":
        return _net_of_sml(options.file, options.spurious, as_printed=options.is_plain)
    text, name = _read(options.file), str(options.file)
    net = _NETS[options.file.suffix](text, name)
    return _Subject(net, lambda unsafe: net_story(net, unsafe), "no run covers a target")


def _net_of_sml(file: Path, spurious: bool, *, as_printed: bool) -> _Subject:
    program = petri.parse_sml(_read(file), str(file))
    made = petri.net_of_sml(program, spurious, as_printed=as_printed)
    jobs = ", ".join(job.name.text for job in program.jobs)
    return _Subject(
        made.net,
        lambda unsafe: sml_story(made, unsafe),
        "no run has two threads at conflicting accesses, however many threads there are",
        (f"statements outside of jobs are read as job types, any number of threads of each: {jobs}",)
        if program.is_fragment
        else (),
        is_printed=as_printed,
        text=petri.format_sml(program),
    )


def _net_of_c(options: PetriOptions, budget: Budget) -> _Subject:
    """One net for all pairs of accesses that could race."""
    request = replace(options.inputs.request(), prototypes=options.models.numbered())
    program = frontend.load(request, budget)
    cp = facts.analyse(program, budget, options.models)
    pairs: Sequence[RacePair] = facts.race_pairs(cp)
    count = len(pairs)
    text = petri.write_program_sml(cp, pairs, budget) if options.is_emitting else ""
    if options.is_aided:
        findings = lockset.run(cp, pairs, lockset.LocksetOptions(), budget).findings
        proved = {finding.pair for finding in findings if finding.verdict is Verdict.RACE_FREE}
        pairs = tuple(pair for pair in pairs if pair not in proved)

    def subject(details: tuple[petri.Detail, ...]) -> _Subject:
        made = petri.program_net(cp, pairs, budget, details[0])
        gaps = (why for pair in pairs if (why := petri.unreached(cp, made, pair)) is not None)
        return _Subject(
            made.net,
            lambda unsafe: c_story(made, unsafe),
            f"no data race; of {count} pairs of accesses that could race, {count - len(pairs)} are proved by the "
            f"static analysis, {len(pairs)} by the net, for any number of threads",
            made.notes,
            next(iter(program.obstacles), None) or next(gaps, None),
            (lambda: subject(details[1:])) if details[1:] else None,
            text=text,
        )

    return subject(tuple(petri.Detail))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file: byte {error.start} is not UTF-8") from error
