"""Repairs of racy programs of tests/programs: is the race gone, with no new one, and is the output the same?

    python bench/fixes.py [--count 50] [--seed 1] [--only FILE...] [--write]

The programs are the first of a fixed random order in which a race is executed on memory of the program (no lock, no
end of an object) between two places that have a line: for these a lock, an atomic or a join is the answer. The output
is that of compiled programs, run several times: each that the repaired one shows must be one that the racy one shows,
if that one always shows the same.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from raceproof import frontend, portfolio, repair, report
from raceproof.core import Budget, RaceproofError
from raceproof.explore import ExploreOptions
from raceproof.model import AccessKind, Verdict

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "programs"
SECONDS = 60.0
RUNS = 5
# Inputs of SV-COMP's programs, always the same.
STUBS = """
__attribute__((weak)) int __VERIFIER_nondet_int(void) { return 1; }
__attribute__((weak)) unsigned __VERIFIER_nondet_uint(void) { return 1; }
__attribute__((weak)) long __VERIFIER_nondet_long(void) { return 1; }
__attribute__((weak)) unsigned long __VERIFIER_nondet_ulong(void) { return 1; }
__attribute__((weak)) _Bool __VERIFIER_nondet_bool(void) { return 1; }
__attribute__((weak)) char __VERIFIER_nondet_char(void) { return 1; }
__attribute__((weak)) void __VERIFIER_atomic_begin(void) { }
__attribute__((weak)) void __VERIFIER_atomic_end(void) { }
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", type=Path)
    parser.add_argument("--diff", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    files = args.only or _order(args.seed)
    rows: list[tuple[str, str, str, str]] = []
    for file in files:
        if len(rows) == args.count:
            break
        started = time.process_time()
        row = _row(file, args.diff)
        if row is not None:
            rows.append((file.relative_to(PROGRAMS).as_posix() if file.is_relative_to(PROGRAMS) else str(file), *row))
            print(*rows[-1], f"{time.process_time() - started:.1f}", sep=" | ", flush=True)
    right = sum(row[2] in ("proved", "gone") and row[3] == "same" for row in rows)
    print(f"{right} of {len(rows)} right")
    if args.write:
        _write(rows, right)


def _order(seed: int) -> list[Path]:
    files = sorted(PROGRAMS.glob("*/*_race.c"))
    random.Random(seed).shuffle(files)
    return files


def _row(file: Path, with_diff: bool) -> tuple[str, str, str] | None:
    """What was advised, how the check ended, and what became of the output; None for a program of another kind."""
    request = frontend.from_files([file])
    settings = portfolio.Settings(search=ExploreOptions(find_all=True))
    program = repair.Program(request, settings, ("lockset", "explore"), {})
    try:
        before = program.check(Budget.seconds(10))
    except RaceproofError:
        return None
    racing = [found for found in report.locations_of(before) if found.verdict is Verdict.RACE]
    if not racing or not all(map(_is_of_kind, racing)):
        return None
    steps = list(repair.repair_all(program, before, racing, Budget.seconds(SECONDS)))
    left = [step for step in steps if step.is_left]
    if left:
        why = Counter(each.outcome.value for step in left for each in step.tried)
        return "-", "no repair: " + (", ".join(f"{n} {o}" for o, n in why.items()) or "no candidate"), "-"
    made = [step.repair for step in steps if step.repair is not None]
    titles = [each.candidate.title.replace(str(ROOT) + "/", "").replace("tests/programs/", "") for each in made]
    outcomes = [each.outcome.value for each in made]
    program = repair.Program(request, settings, program.engines, made[-1].texts)
    if with_diff:
        old = {name: Path(name).read_bytes() for name in program.texts}
        print(repair.as_patch(old, program.texts, str(ROOT)))
    outcome = "gone" if "gone" in outcomes else "proved"
    return "; ".join(titles), outcome, _output(program)


def _is_of_kind(location: report.Location) -> bool:
    accesses = [a for p in location.pairs if p.verdict is Verdict.RACE for a in p.accesses]
    return all(a.pos is not None and not a.of_object and a.kind is not AccessKind.FREE for a in accesses)


def _output(program: repair.Program) -> str:
    old = _shown(program.request, {})
    new = _shown(program.request, program.texts)
    if old is None or new is None:
        return "not compiled"
    return "same" if new <= old or len(old) > 1 else "changed"


def _shown(request: frontend.CompileRequest, texts: dict[str, bytes]) -> set[tuple[int, bytes]] | None:
    with tempfile.TemporaryDirectory() as directory:
        changed = frontend.with_changes(request, texts, Path(directory))
        flags = [flag for unit in changed.units for flag in unit.flags]
        stubs = Path(directory, "stubs.c")
        stubs.write_text(STUBS, encoding="utf-8")
        files = [*(str(unit.path) for unit in changed.units), str(stubs)]
        command = [frontend.zig_program(), "cc", "-w", *flags, *files, "-o", f"{directory}/program", "-pthread", "-lm"]
        if subprocess.run(command, capture_output=True, check=False, timeout=120).returncode:
            return None
        found = set()
        for _ in range(RUNS):
            try:
                done = subprocess.run([f"{directory}/program"], capture_output=True, timeout=10, check=False,
                                      stdin=subprocess.DEVNULL)  # fmt: skip
                found.add((done.returncode, done.stdout))
            except subprocess.TimeoutExpired:
                found.add((-1, b"time-out"))
        return found


def _write(rows: list[tuple[str, str, str, str]], right: int) -> None:
    from bench.results import replace_block

    lines = [f"{right} of {len(rows)} repairs are right: the race gone, no new one, no deadlock, the same output.", ""]
    lines += ["| program | repair | check | output |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    replace_block("fixes", "\n".join(lines))


if __name__ == "__main__":
    main()
