"""The harness for a request without main: what it calls, its text, and the request that has it."""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from raceproof import frontend, harness
from raceproof.cli.options import Parser, positive
from raceproof.core import Budget, InputError

THREADS, CALLS = 2, 0


@dataclass(frozen=True, slots=True)
class HarnessOptions:
    """`called`: functions that threads call, all public ones if empty; `calls`: of each thread, 0 for any number."""

    called: tuple[str, ...] = ()
    threads: int = THREADS
    calls: int = CALLS

    @staticmethod
    def of(args: argparse.Namespace) -> HarnessOptions:
        if "calls" not in args:  # a command that makes none
            return HarnessOptions()
        return HarnessOptions(tuple(args.call), int(args.threads), int(args.calls))


@dataclass(frozen=True, slots=True)
class MadeHarness:
    """`described`: for the verdict, what it covers."""

    text: str
    described: str
    files: tuple[Path, ...]

    @property
    def obstacle(self) -> str:
        """Why a program with it is not simply race-free."""
        return (
            f"there is no main, so the answer is for a generated harness, and not for other callers: {self.described}"
            " (to see, change and keep it: raceproof harness -o FILE)"
        )

    def request(self, request: frontend.CompileRequest) -> frontend.CompileRequest:
        """The harness in place of the files that it includes. It is kept, so that a race can be replayed."""
        root = frontend.Cache.default().root
        directory = root / "harness" if root is not None else Path(tempfile.mkdtemp(prefix="raceproof-"))
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = directory / f"{hashlib.sha256(self.text.encode()).hexdigest()[:16]}.c"
        file.write_text(self.text, encoding="utf-8")
        left_out = (*request.left_out, self.obstacle)
        return replace(request, units=(replace(request.units[0], file=file),), left_out=left_out)


def add_harness_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("code without main")
    group.add_argument("--call", action="append", default=[], metavar="NAME", help="a function that threads call "
                       "(repeatable; default: all public ones but those that make and end objects)")  # fmt: skip
    group.add_argument("--threads", type=positive(int), default=THREADS, metavar="N", help=f"(default: {THREADS})")
    group.add_argument(
        "--calls", type=int, default=CALLS, metavar="N", help="calls in each thread (default: any number)"
    )


def made_for(request: frontend.CompileRequest, options: HarnessOptions, budget: Budget) -> MadeHarness:
    """Raises `InputError` if the code has no interface that could be called."""
    trees = frontend.syntax_trees(request, budget)
    if any(function.name == "main" for tree in trees for function in tree.functions):
        raise InputError("the program has a main: it needs no harness")
    if len({unit.flags for unit in request.units}) > 1:
        raise InputError("the files have different flags: write a main for them, or give the files of one part")
    interface = harness.interface_of(trees, options.called)
    files = tuple(unit.path.resolve() for unit in request.units)
    text = harness.harness_text(interface, files, options.threads, options.calls)
    names = ", ".join(function.name for function in interface.called)
    often = f"{options.calls} times each" if options.calls else "any number of times"
    described = f"{options.threads} threads call {names} {often}, in any order"
    if interface.left_out:
        described += f"; not called: {', '.join(name for name, _ in interface.left_out)}"
    return MadeHarness(text, described, files)
