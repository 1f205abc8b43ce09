"""`raceproof watch`: check again whenever a file of the program changes. What was found stays until there is more."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from raceproof import frontend
from raceproof.cli.check import CheckOptions, add_arguments
from raceproof.cli.options import Commands
from raceproof.cli.status import Exit
from raceproof.core import InputError, RaceproofError

_LOOK = 0.3  # seconds between two looks at the files
_CONFIGURATIONS = ("raceproof.toml", "pyproject.toml")

Stamps = Mapping[Path, tuple[int, int] | None]
"""When files were written, and how large they are; None for those that are not there."""


@dataclass(frozen=True, slots=True)
class Results:
    """The verdict on each location, by name; empty if there was no result."""

    verdicts: Mapping[str, str]

    def since(self, old: Results) -> str:
        """What has changed, in a line; empty if nothing has."""
        gone = [name for name in old.verdicts if old.verdicts[name] == "race" and self.verdicts.get(name) != "race"]
        new = [name for name in self.verdicts if self.verdicts[name] == "race" and old.verdicts.get(name) != "race"]
        proved = [
            name
            for name, verdict in self.verdicts.items()
            if verdict == "race-free" and old.verdicts.get(name) == "unknown"
        ]
        said = [("new race: ", new), ("no race any more: ", gone), ("proved now: ", proved)]
        return "; ".join(what + ", ".join(names) for what, names in said if names)


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "watch",
        help="check again whenever a source file changes",
        description="Check the program, and check it again whenever one of its files changes: sources, the headers that"
        " they include, compile_commands.json, raceproof.toml. A check of an older text ends when a file changes."
        " Ctrl-C ends it, with the exit status of the last check. Takes the options of `raceproof check`.",
        usage="%(prog)s [options] FILE... | -p compile_commands.json  [-- ARGS of the program]",
    )
    add_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    words = tuple(args.words)
    named = _files(args)  # what is wrong with the command line is said at once
    with tempfile.TemporaryDirectory(prefix="raceproof-watch-") as directory:
        watch = _Watch(words, args, named, Path(args.json if _is_file(args.json) else f"{directory}/report.json"))
        with suppress(KeyboardInterrupt):
            watch.go_on()
        return watch.status


def _is_file(target: str | None) -> bool:
    return target is not None and target != "-"


def _files(args: argparse.Namespace) -> tuple[Path, ...]:
    """What a change of is a reason to check again."""
    options = CheckOptions.of(argparse.Namespace(**vars(args)))  # which it fills in from the configuration
    request = replace(options.inputs.request(), prototypes=options.settings.models.numbered())
    found = [*frontend.files_read(request), *(Path(name) for name in options.inputs.names())]
    if args.config is not None:
        found.append(args.config)
    elif not args.no_config:
        here = Path.cwd()
        found += [directory / name for directory in (here, *here.parents) for name in _CONFIGURATIONS]
    return tuple(dict.fromkeys(found))


def stamps(files: Iterable[Path]) -> Stamps:
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def changed(old: Stamps, new: Stamps) -> list[Path]:
    """Files that differ; those that are not in both are not compared."""
    return [file for file, stamp in new.items() if file in old and old[file] != stamp]


class _Watch:
    def __init__(self, words: Sequence[str], args: argparse.Namespace, files: tuple[Path, ...], report: Path) -> None:
        self.status = Exit.INTERRUPTED
        self._args = args
        self._files = files
        self._report = report
        end = words.index("--") if "--" in words else len(words)
        own = words[:end] if args.json is not None else [*words[:end], "--json", str(report)]
        self._command = [sys.executable, "-m", "raceproof", "check", *own, *words[end:]]
        self._results = Results({})

    def go_on(self) -> None:
        """Until Ctrl-C."""
        seen = stamps(self._files)
        while True:
            status, seen = self._check(seen)
            if status is not None:
                self.status = status
                self._tell()
                self._look_for_files()
                seen = {**stamps(self._files), **seen}
                names = ", ".join(file.name for file in self._wait(seen))
                print(f"\n{time.strftime('%H:%M:%S')} changed: {names}", flush=True)
            seen = self._settled()

    def _check(self, seen: Stamps) -> tuple[Exit | None, Stamps]:
        """One check; no status if a file changed meanwhile, which ends it."""
        process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    code = process.wait(_LOOK)
                    return (Exit(code) if code in set(Exit) else Exit.INTERNAL), seen
                if found := changed(seen, stamps(self._files)):
                    names = ", ".join(file.name for file in found)
                    print(f"\n{time.strftime('%H:%M:%S')} changed during the check: {names}", flush=True)
                    return None, seen
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait()

    def _wait(self, seen: Stamps) -> list[Path]:
        print("waiting for a change (Ctrl-C ends)", file=sys.stderr, flush=True)
        while not (found := changed(seen, stamps(self._files))):
            time.sleep(_LOOK)
        return found

    def _settled(self) -> Stamps:
        """When nothing has changed from one look to the next: editors and builds write several files."""
        last = stamps(self._files)
        while True:
            time.sleep(_LOOK)
            now = stamps(self._files)
            if now == last:
                return now
            last = now

    def _look_for_files(self) -> None:
        """Which files belong to it may have changed with them; while that cannot be told, those from before count."""
        with suppress(RaceproofError, InputError):
            self._files = tuple(dict.fromkeys([*_files(self._args), *self._files]))

    def _tell(self) -> None:
        """What is different from the results before, if there are both."""
        try:
            locations = json.loads(self._report.read_text(encoding="utf-8"))["locations"]
            new = Results({location["name"]: location["verdict"] for location in locations})
        except (OSError, ValueError, KeyError, TypeError):
            return
        difference = new.since(self._results) if self._results.verdicts else ""
        self._results = new
        if difference:
            print(f"since the check before: {difference}", flush=True)
