"""Put small faults into raceproof, one at a time, and see whether the tests notice.

To be started in `tests`:

    python -m mutation.run                                       a sample of every module of the table
    python -m mutation.run --modules lockset/ evidence/order.py  of these
    python -m mutation.run --sample 10 --seed 2                  another sample; --sample 0: every mutant
    python -m mutation.run --write                               and put the table into docs/results.md
    python -m mutation.run --list --modules bmc/trust.py         only say what would be tried

What was tried is kept in build/mutation: the same command goes on where it was ended, also by Ctrl-C. Ends with status
1 if a mutant survives of which `harmless.toml` does not say why.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

from mutation.mutants import Mutant, mutants_of, sampled
from mutation.sandbox import ROOT, Sandbox
from mutation.subjects import Subject, subjects_of
from mutation.table import Row, as_text, read_harmless, unexplained, write
from mutation.trial import Trials

SAMPLE = 25
SEED = 1


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell lets what it runs in the background ignore Ctrl-C
        signal.signal(number, signal.default_int_handler)
    subjects = subjects_of(options.modules)
    if not subjects:
        print(f"there is no such module in the table: {' '.join(options.modules)}", file=sys.stderr)
        return 2
    trials = Trials(options.out / "results.jsonl")
    is_ended = False
    with Sandbox(options.out) as sandbox:
        every = {m: mutants_of(m, sandbox.read(m)) for subject in subjects for m in subject.modules}
        chosen = {m: sampled(found, options.sample or len(found), options.seed) for m, found in every.items()}
        if options.list:
            print("\n".join(f"{m}:{mutant.line}: {mutant.name}" for m, found in chosen.items() for mutant in found))
            return 0
        try:
            for subject in [] if options.known else subjects:
                _try(trials, sandbox, subject, [mutant for module in subject.modules for mutant in chosen[module]])
        except KeyboardInterrupt:
            is_ended = True
            print("ended; the same command goes on from here", file=sys.stderr)
    rows = [_row(module, every[module], mutants, trials) for module, mutants in chosen.items()]
    harmless = read_harmless()
    print(as_text(rows, harmless))
    if is_ended:
        return 130
    if options.write:
        size = f"--sample {options.sample} --seed {options.seed}"
        command = f"`cd tests && PYTHONPATH=. ../.venv/bin/python -m mutation.run {size} --write`"
        write(rows, harmless, f"{command}; `make mutation` is the same.")
    return 1 if unexplained(rows, harmless) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mutation.run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--modules", nargs="+", default=[], metavar="M", help="below src/raceproof; a prefix will do")
    parser.add_argument("--sample", type=int, default=SAMPLE, metavar="N", help="mutants of each module; 0 for all")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "mutation", help="what was tried, and a cache")
    parser.add_argument("--write", action="store_true", help="put the table into docs/results.md")
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    parser.add_argument("--known", action="store_true", help="only the table of what was tried before")
    return parser


def _try(trials: Trials, sandbox: Sandbox, subject: Subject, mutants: list[Mutant]) -> None:
    before = time.monotonic()
    for result in trials.run(sandbox, subject, mutants):
        said = f"noticed ({result.how})" if result.how is not None else f"SURVIVES {result.ran} tests"
        now, before = time.monotonic() - before, time.monotonic()
        print(f"{result.module}:{result.line}: {result.name}: {said}, {now:.1f} s", flush=True)


def _row(module: str, all_mutants: list[Mutant], mutants: list[Mutant], trials: Trials) -> Row:
    found = [result for mutant in mutants if (result := trials.result(mutant)) is not None and result.is_mutant]
    return Row(module, len(all_mutants), tuple(found))


if __name__ == "__main__":
    sys.exit(main())
