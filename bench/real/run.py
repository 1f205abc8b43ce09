"""Check real programs whole, run them where they can be run on a small input, and write a page about each.

    python bench/real/fetch.py pigz
    python bench/real/run.py pigz             prints the table
    python bench/real/run.py pigz --write     and writes docs/real/pigz.md
    python bench/real/run.py --write          all that have been fetched; also the table in docs/results.md, as with
                                              several names

The static engines get the program as it is; the explorer gets it with the sources of the libraries that it needs, the
arguments and the input that programs.toml names. Ends with status 1 if a command failed; one that had to be killed
because it did not heed its time limit is shown as such.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.check import RACEPROOF
from bench.measure import ZIG_CC, run_measured
from bench.real.pages import Measurement, Subject, not_executed, page, table
from bench.real.recipes import Execution, Provenance, Recipe, choose, load_libraries, load_recipes
from bench.results import RESULTS, machine, replace_block

PAGES = RESULTS.parent / "real"
TIME_LIMIT = 120
_GRACE = 180  # seconds after the time limit until a run is killed: a report of many pairs takes long to write
_STATIC = "lockset,petri,transactions,bmc"
_IR_INSTRUCTION = re.compile(r"^  #\d+ ", re.MULTILINE)


def measure(recipe: Recipe, time_limit: int | None, cache: Path) -> Subject:
    """Compile every file plainly for comparison, then let the static engines and the explorer look at the program."""
    provenance = Provenance.load(recipe.tree)
    if provenance is None:
        raise SystemExit(f"{recipe.name} has not been fetched: run bench/real/fetch.py {recipe.name}")
    files = recipe.sources()
    limit = time_limit or recipe.time_limit or TIME_LIMIT
    with tempfile.TemporaryDirectory(prefix="real-") as directory:
        seconds = _compile(recipe, files, directory)
        environment = {"RACEPROOF_CACHE": str(cache)}
        static = _raceproof(
            ["check", "--engines", _STATIC, *recipe.arguments], recipe, files, recipe.cflags, (), limit, environment
        )
        executed = None
        if recipe.run is not None:
            more, cflags = _libraries(recipe.run)
            own = recipe.run.part or files
            options = ["explore", "--all", *recipe.run.options]
            executed = _raceproof(
                options, recipe, [*own, *more], (*recipe.cflags, *cflags), recipe.run.arguments, limit, environment
            )
        dump = [str(RACEPROOF), "dump", "ir", *files, *(f"--cflag={flag}" for flag in recipe.cflags)]
        instructions = len(_IR_INSTRUCTION.findall(run_measured(dump, environment, directory=recipe.tree).output))
    lines = sum(len((recipe.tree / file).read_bytes().splitlines()) for file in files)
    return Subject(recipe, provenance, len(files), lines, instructions, seconds, static, executed)


def _build_native(cache: Path) -> None:
    """Have the native kernels built in the new cache: that happens once, and is on no program's time."""
    example = Path(__file__).resolve().parents[2] / "examples" / "bank_race.c"
    for engines in ("petri", "explore"):
        run_measured([str(RACEPROOF), "check", "--engines", engines, str(example)], {"RACEPROOF_CACHE": str(cache)})


def _compile(recipe: Recipe, files: Sequence[str], directory: str) -> float:
    environment = {"ZIG_LOCAL_CACHE_DIR": directory, "ZIG_GLOBAL_CACHE_DIR": directory}
    commands = [[*ZIG_CC, "-w", "-c", "-O0", *recipe.cflags, file, "-o", f"{directory}/object.o"] for file in files]
    return sum(run_measured(command, environment, directory=recipe.tree).wall for command in commands)


def _libraries(run: Execution) -> tuple[list[str], list[str]]:
    """Further files and flags for running: of the libraries, and the recipe's own."""
    files, flags = list(run.files), list(run.cflags)
    libraries = load_libraries()
    for name in run.libraries:
        library = libraries[name]
        files += [f"../{name}/{source}" for source in library.sources()]
        flags += [f"-I../{name}", *library.cflags]
    return files, flags


def _raceproof(
    words: Sequence[str],
    recipe: Recipe,
    files: Sequence[str],
    cflags: Sequence[str],
    arguments: Sequence[str],
    limit: int,
    environment: dict[str, str],
) -> Measurement:
    """Run the command in the program's tree; what is shown to the reader leaves the lists of files and flags out."""
    given = ["--", *arguments] if arguments else []
    with tempfile.TemporaryDirectory() as results:
        target = Path(results) / "report.json"
        command = [str(RACEPROOF), *words, *files, *(f"--cflag={flag}" for flag in cflags)]
        command += ["--json", str(target), "--pairs-detail", "--time-limit", str(limit), *given]
        run = run_measured(command, environment, limit + _GRACE, recipe.tree)
        text = target.read_text(encoding="utf-8") if target.exists() else ""
    shown = " ".join(["raceproof", *words, "FILES", f"--time-limit {limit}", *given])
    return Measurement(shown, run, json.loads(text) if text else None)


def main() -> int:
    parser = argparse.ArgumentParser(description="check real programs whole")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all that have been fetched")
    limits = f"for each command (default: what programs.toml says, or {TIME_LIMIT})"
    parser.add_argument("--time-limit", type=int, metavar="SECONDS", help=limits)
    parser.add_argument("--write", action="store_true", help="write docs/real/NAME.md, and of several a table")
    args = parser.parse_args()
    names = args.names or [r.name for r in load_recipes().values() if Provenance.load(r.tree) is not None]
    if not names:
        print("nothing has been fetched, nothing measured: bench/real/fetch.py --list says what there is")
        return 0
    subjects = []
    with tempfile.TemporaryDirectory(prefix="real-cache-") as cache:
        _build_native(Path(cache))
        for recipe in choose(names):
            subject = measure(recipe, args.time_limit, Path(cache))
            subjects.append(subject)
            _show(subject)
            if args.write:
                PAGES.mkdir(exist_ok=True)
                (PAGES / f"{recipe.name}.md").write_text(page(subject), encoding="utf-8")
    print(f"\n{table(subjects)}")
    if args.write and len(subjects) > 1:
        limit = [f"--time-limit {args.time_limit}"] if args.time_limit is not None else []
        command = f"`.venv/bin/python {' '.join(['bench/real/run.py', *args.names, *limit, '--write'])}`; {machine()}."
        replace_block("real", f"{command}\n\n{table(subjects)}")
    found = [m for subject in subjects for m in (subject.static, subject.executed) if m is not None]
    return 1 if any(m.report is None and m.run.status >= 0 for m in found) else 0


def _show(subject: Subject) -> None:
    executed = subject.executed
    run = f"; run: {executed.verdict}, {executed.run.wall:.0f} s" if executed is not None else ""
    static = subject.static
    print(f"{subject.recipe.name}: {static.verdict}, {static.run.wall:.0f} s{run}", file=sys.stderr, flush=True)
    for target in not_executed(subject):
        print(f"{subject.recipe.name}: judged, but no race was executed: {target}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
