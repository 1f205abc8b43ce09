"""Options that several commands share: what to compile, and how."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from raceproof import frontend
from raceproof.core import InputError, suggestion
from raceproof.model import Property

if TYPE_CHECKING:  # an engine, which most commands do not need
    from raceproof import explore

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"

DEFAULT_TIME_LIMIT = 300.0
FORMATS_ON_STDOUT = ("text", "gcc", "github", "json")
_DATABASES = ("compile_commands.json", "build/compile_commands.json")


class Parser(argparse.ArgumentParser):
    """Reports a wrong option like every other error; abbreviations of options are not taken."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs["allow_abbrev"] = False
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # argparse's own signature, passed through

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}\nTry `{self.prog} --help`.")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Raise for a value that is none of the choices, with the nearest one."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        what = f"{'/'.join(action.option_strings)} " if action.option_strings else f"{action.dest} "
        raise InputError(
            f"there is no {what}`{value}`{suggestion(str(value), choices)}\nThere are: {', '.join(choices)}."
        )

    def unknown_option(self, given: str) -> InputError:
        """The error for an option that this command does not have."""
        name = given.partition("=")[0]
        known = [flag for action in self._actions for flag in action.option_strings if len(flag) > 2]
        return InputError(f"there is no option {name}{suggestion(name, known)}\nTry `{self.prog} --help`.")


@dataclass(frozen=True, slots=True)
class InputOptions:
    """Exactly one of `files`, `compile_commands` and `task` is given; `target` goes with `compile_commands`. `runs_on`:
    where the program runs, if that is not this machine."""

    files: tuple[Path, ...]
    compile_commands: Path | None
    target: str | None
    task: Path | None
    cflags: tuple[str, ...]
    data_model: frontend.DataModel | None
    headers: frontend.Headers
    clang: Path | None
    entry: str | None
    runs_on: explore.Target | None = None

    @staticmethod
    def of(args: argparse.Namespace) -> InputOptions:
        runs_on = target_given(args)
        files, compile_commands = _of_directory(tuple(args.files), args.compile_commands)
        options = InputOptions(
            files=files,
            compile_commands=compile_commands,
            target=args.target if runs_on is None else None,
            task=args.task,
            cflags=tuple(args.cflag),
            data_model=args.data_model,
            headers=args.headers,
            clang=args.clang,
            entry=args.entry,
            runs_on=runs_on,
        )
        given = [bool(options.files), options.compile_commands is not None, options.task is not None]
        if sum(given) == 0:
            raise InputError(
                "nothing to analyse: give C files, or -p compile_commands.json, or --task TASK.yml, or list `sources`"
                " in raceproof.toml"
            )
        if sum(given) > 1:
            raise InputError("give only one of: C files, -p compile_commands.json, --task TASK.yml")
        if options.target is not None and options.compile_commands is None:
            raise InputError(
                "--target chooses a target of compile_commands.json: it needs -p; or the machine that the program runs"
                " on: then it needs --via COMMAND"
            )
        if runs_on is not None and options.data_model is not None:
            raise InputError("the data model is that of the target: leave --data-model out")
        if runs_on is not None and options.clang is not None:
            raise InputError("programs for a target are compiled with raceproof's own clang: leave --clang out")
        if options.data_model is not None and not options.files:
            raise InputError("the data model comes with the task or the compilation database: leave --data-model out")
        return options

    def names(self) -> tuple[str, ...]:
        """What the user named, for a result that ends before the program is known."""
        named = [*self.files, self.compile_commands, self.task]
        return tuple(str(path) for path in named if path is not None)

    def request(self) -> frontend.CompileRequest:
        request = self._request()
        if self.runs_on is not None:
            request = request.for_machine(self.runs_on.machine)
        return request if self.entry is None else replace(request, entry=self.entry)

    def _request(self) -> frontend.CompileRequest:
        if self.task is not None:
            return frontend.from_task(self.task, self.cflags, headers=self.headers, compiler=self.clang)
        if self.compile_commands is not None:
            return frontend.from_compile_commands(
                self.compile_commands, self.target, self.cflags, headers=self.headers, compiler=self.clang
            )
        if any(map(frontend.is_executable, self.files)):
            if len(self.files) > 1:
                raise InputError("give one executable, or C files: an executable says what it was made of")
            return frontend.from_executable(self.files[0], self.cflags, headers=self.headers, compiler=self.clang)
        return frontend.from_files(
            self.files, self.cflags, data_model=self.data_model, headers=self.headers, compiler=self.clang
        )


def _of_directory(files: tuple[Path, ...], database: Path | None) -> tuple[tuple[Path, ...], Path | None]:
    """A directory stands for the compilation database in it; C files alone do not say which of them are one program."""
    if len(files) != 1 or not files[0].is_dir() or files[0].suffix == ".c" or database is not None:
        return files, database
    found = [path for name in _DATABASES if (path := files[0] / name).is_file()]
    if found:
        return (), found[0]
    raise InputError(
        f"{files[0]}: a directory without compile_commands.json: give the C files of one program, or an executable that"
        " `raceproof cc` has built, or have the build write compile_commands.json (cmake:"
        " -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; others: `bear -- make`)"
    )


def add_input_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("the program")
    group.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="C source (.c) or preprocessed (.i) files, or an executable that `raceproof cc` has built",
    )
    group.add_argument(
        "-p", dest="compile_commands", type=Path, metavar="JSON", help="take files and flags from compile_commands.json"
    )
    group.add_argument(
        "--target",
        metavar="NAME",
        help="with -p: which program, if the file builds several; with --via: the machine, as aarch64-linux-musl",
    )
    group.add_argument("--task", type=Path, metavar="YML", help="an SV-COMP task definition; last line is the verdict")
    group.add_argument(
        "--cflag",
        action="append",
        default=[],
        metavar="FLAG",
        help="flag for the compiler, as --cflag=-DX (repeatable)",
    )
    group.add_argument("--data-model", choices=["ILP32", "LP64"], help="32-bit or 64-bit program (default: LP64)")
    group.add_argument(
        "--headers",
        choices=["auto", "system", "bundled"],
        default="auto",
        help="headers of this machine or those that come with raceproof (default: auto)",
    )
    group.add_argument("--entry", metavar="NAME", help="the function that begins the program (default: main)")
    group.add_argument(
        "--clang", type=Path, metavar="PATH", help="use this clang instead of the one that comes with raceproof"
    )


def add_target_arguments(parser: Parser) -> None:
    add_via_arguments(
        parser,
        "run the program on --target by this command, as `qemu-aarch64 {}` or `ssh board {upload}`, or by"
        " tcp://HOST:PORT; repeated: other ways, if one fails (see docs/target.md)",
    )


def add_via_arguments(parser: Parser, what: str) -> None:
    group = parser.add_argument_group("another machine")
    group.add_argument("--via", action="append", default=[], metavar="COMMAND", help=what)
    group.add_argument(
        "--secret-file",
        type=Path,
        metavar="F",
        help="with tcp: what we and `raceproof target --listen` know (or in RACEPROOF_SECRET)",
    )


def target_given(args: argparse.Namespace) -> explore.Target | None:
    """What --target and --via say about the machine; None: this one."""
    vias, secret = getattr(args, "via", ()), getattr(args, "secret_file", None)
    if not vias:
        if secret is not None:
            raise InputError("--secret-file belongs to --via tcp://HOST:PORT")
        return None
    from raceproof import explore

    return explore.target_of(args.target, vias, secret)


def add_run_arguments(parser: Parser, time_limit: float | None = DEFAULT_TIME_LIMIT) -> None:
    """`time_limit`: None if a configuration file may set it."""
    parser.add_argument(
        "-v", "--verbose", action="count", default=0, help="tell everything, and what is done; -vv says more"
    )
    parser.add_argument(
        "--time-limit",
        type=positive(float),
        default=time_limit,
        metavar="SECONDS",
        help=f"stop then and say what is known (default: {DEFAULT_TIME_LIMIT:g})",
    )


def add_property_argument(parser: Parser) -> None:
    parser.add_argument(
        "--property",
        dest="properties",
        action="append",
        choices=[each.value for each in Property],
        metavar="NAME",
        help=f"what to look for: {' or '.join(each.value for each in Property)} (repeatable; default: data-race)",
    )


def properties_of(args: argparse.Namespace) -> tuple[Property, ...]:
    """What --property names, in the order of the properties; data races if it is not given."""
    named = {Property(name) for name in args.properties or [Property.DATA_RACE.value]}
    return tuple(each for each in Property if each in named)


def add_root_argument(parser: Parser) -> None:
    parser.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        help="where the program is now, if it was moved since the report was written",
    )


def add_result_arguments(parser: Parser) -> None:
    parser.add_argument("--jobs", type=positive(int), metavar="N", help="processes to use (default: 1)")
    group = parser.add_argument_group("results")
    group.add_argument("--json", metavar="F", help="also write the result to this file as JSON; - for standard output")
    group.add_argument(
        "--pairs-detail",
        action="store_true",
        help="list every pair of accesses in the files, however many there are (check-evidence needs them)",
    )
    group.add_argument(
        "--format",
        choices=FORMATS_ON_STDOUT,
        default="text",
        help="of standard output: text, a line for each finding as gcc or GitHub has it, or json (default: text)",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="tell violations only")
    group.add_argument(
        "--color", choices=["auto", "always", "never"], default="auto", help="colour the text (default: on a terminal)"
    )
    group.add_argument("--html", metavar="F", help="also write a page to look at in a browser")
    group.add_argument("--sarif", metavar="F", help="also write SARIF 2.1.0, for code scanning")
    group.add_argument("--witness", metavar="F", help="also write a witness of a data race as SV-COMP wants it")
    group.add_argument("--trace", metavar="F", help="also write the runs of races as trace events, for Perfetto")


def positive(convert: Callable[[str], float]) -> Callable[[str], float]:
    """A type for argparse: a number greater than zero."""

    def parse(text: str) -> float:
        number = convert(text)
        if not number > 0:
            raise ValueError(text)
        return number

    parse.__name__ = "positive number"
    return parse
