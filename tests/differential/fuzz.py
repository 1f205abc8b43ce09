"""Run many seeds: `python -m differential.fuzz FIRST COUNT [--idiom NAME] [--out DIRECTORY]` (from `tests`)."""

from __future__ import annotations

import argparse
import collections
import tempfile
import time
from pathlib import Path

from differential.generator import generate
from differential.judge import Judgement, judge


class Statistics:
    """Counts over many programs, by idiom."""

    def __init__(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.skips: collections.Counter[str] = collections.Counter()
        self.by_idiom: dict[str, collections.Counter[str]] = {}

    def add(self, idioms: tuple[str, ...], result: Judgement) -> None:
        words = ["programs"]
        if result.crash is not None:
            words.append("crashed")
        if result.skipped is not None:
            words.append("skipped")
            self.skips[result.skipped.split(":")[0]] += 1
        elif result.crash is None:
            words.append("complete" if result.is_complete else "incomplete")
            words.append("racy" if result.is_racy else "race-free")
            if result.unsound:
                words.append("unsound")
            if not result.is_racy and result.is_complete:
                words.append("proved" if result.is_proved else "not proved")
        self.counts.update(words)
        for name in idioms:
            self.by_idiom.setdefault(name, collections.Counter()).update(words)

    def __str__(self) -> str:
        lines = [_shown(self.counts), f"skipped: {dict(self.skips)}"]
        lines += [f"  {name:20} {_shown(counts)}" for name, counts in sorted(self.by_idiom.items())]
        return "\n".join(lines)


def _shown(counts: collections.Counter[str]) -> str:
    return ", ".join(f"{word} {counts[word]}" for word in sorted(counts))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--idiom")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--executions", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--show-open", action="store_true", help="print race-free programs that are not proved")
    args = parser.parse_args()
    statistics = Statistics()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="differential-") as directory:
        for seed in range(args.first, args.first + args.count):
            if seed % 500 == 0:
                print(f"# seed {seed}, {time.monotonic() - started:.0f} s", flush=True)
            made = generate(seed, args.idiom)
            result = judge(made.text, Path(directory), args.executions, args.seconds)
            statistics.add(made.idioms, result)
            is_bad = bool(result.unsound) or result.crash is not None
            is_open = not result.is_racy and result.is_complete and not result.is_proved and result.skipped is None
            if is_bad or (args.show_open and is_open):
                what = "CRASH" if result.crash else "UNSOUND" if result.unsound else "OPEN"
                report = [f"==== {what} seed {seed} {made.idioms} {made.spoiled}"]
                report += [str(item) for item in result.unsound]
                report += result.open_lines if is_open else []
                report += [result.crash] if result.crash is not None else []
                report.append("\n".join(f"{n:3} {line}" for n, line in enumerate(made.text.splitlines(), 1)))
                text = "\n".join(report)
                print(text, flush=True)
                if args.out is not None and is_bad:
                    args.out.mkdir(parents=True, exist_ok=True)
                    (args.out / f"{what.lower()}-{args.idiom or 'any'}-{seed}.txt").write_text(text + "\n")
                    (args.out / f"{what.lower()}-{args.idiom or 'any'}-{seed}.body.c").write_text(made.text)
    print(f"{time.monotonic() - started:.0f} s")
    print(statistics)


if __name__ == "__main__":
    main()
