"""What `raceproof tsan-ignorelist` saves: CPU seconds of programs under ThreadSanitizer, with the list and without.

    python bench/tsan.py [--write]

Of each program in bench/tsan, the best of three runs; a race that is planted (`// race`) must be reported in both. The
first build makes ThreadSanitizer's runtime, which takes minutes.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.results import markdown_table, replace_block
from raceproof import frontend

PROGRAMS = Path(__file__).resolve().parent / "tsan"
FLAGS = ("cc", "-w", "-O1", "-g", "-fno-sanitize=undefined")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = [_row(file) for file in sorted(PROGRAMS.glob("*.c"))]
    head = ["program", "functions listed", "plain s", "TSan s", "TSan with the list s", "race reported with the list"]
    table = markdown_table(head, rows)
    print(table)
    if args.write:
        replace_block("tsan", table)


def _row(file: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "raceproof", "tsan-ignorelist", str(file)]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        ignorelist = Path(directory, "ignore.txt")
        ignorelist.write_text(found, encoding="utf-8")
        plain, _ = _run(file, (), directory)
        whole, reports = _run(file, ("-fsanitize=thread",), directory)
        less, still = _run(file, ("-fsanitize=thread", f"-fsanitize-ignorelist={ignorelist}"), directory)
        has_race = "// race" in file.read_text(encoding="utf-8")
        if has_race and not (reports and still):
            raise SystemExit(f"{file}: the planted race is not reported")
        return [
            file.stem,
            str(found.count("fun:")),
            f"{plain:.2f}",
            f"{whole:.2f}",
            f"{less:.2f}",
            "yes" if still else "-",
        ]


def _run(file: Path, flags: tuple[str, ...], directory: str) -> tuple[float, bool]:
    """CPU seconds, and whether a race was reported."""
    program = f"{directory}/program"
    subprocess.run([frontend.zig_program(), *FLAGS, *flags, str(file), "-o", program], check=True, capture_output=True)
    best, reported = float("inf"), False
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        reported = reported or "data race" in done.stderr
    return best, reported


if __name__ == "__main__":
    main()
