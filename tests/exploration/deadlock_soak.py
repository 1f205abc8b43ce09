"""Generated programs, and who says what about deadlocks: `python -m exploration.deadlock_soak --count N --out DIR`.

To be started in `tests`. The oracle is `dfs`, which executes every schedule. Where it executes a deadlock, nobody may
prove that there is none, and `optimal`, if it comes to its end, has one as well; where it comes to its end without one,
nobody may have one. The interpreter of the IR, which shares no code with the explorer, must agree on a share of the
programs; `check --property deadlock` and `check-evidence` look at some. What a seed showed is a line of
`DIR/deadlocks.jsonl`; seeds that are there without a problem are not run again. `--write` puts the table into
docs/results.md.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import itertools
import json
import multiprocessing
import os
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from differential.preamble import as_source
from unit.cli.commands import run_command

from bench.results import machine, markdown_table, replace_block
from exploration import blocking
from exploration.compare import Compiled, compile_text, forget_programs
from exploration.families import Specimen
from exploration.judging import UNDEFINED
from exploration.syntax import render
from raceproof import explore, facts, lockset, portfolio, report
from raceproof.cli import check_evidence
from raceproof.core import Budget, LimitReached, ToolMissing, Unsupported
from raceproof.explore.build import build_host
from raceproof.interpreter import NotSupported
from raceproof.interpreter import explore as interpret
from raceproof.model import ConcurrentProgram, DeadlockVerdict, EngineResult, Property, RacePair, Scope

CHUNK: Final = 20
PROGRAMS: Final = "deadlocks.jsonl"
EXECUTIONS: Final = 20_000
SECONDS: Final = 5.0
FREE, DEADLOCK, OPEN, SKIPPED = "no deadlock", "deadlock", "not finished", "skipped"
Prove = Callable[[ConcurrentProgram, Budget], EngineResult]


@dataclass(slots=True)
class Judged:
    """What one program showed. `truth`: by `dfs`; `answers`: of the others, by name."""

    truth: str = OPEN
    answers: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def specimen(seed: int) -> Specimen:
    source = blocking.generate(seed)
    return Specimen(blocking.MODE, seed, render(source), source)


def judge(program: Specimen, directory: Path, prove: Prove = lockset.prove_deadlock_free) -> Judged:
    """Let everybody look at one program. `prove`: the static engine."""
    found = Judged()
    try:
        _judge(program, compile_text(program.text, directory)[0], directory, prove, found)
    except (Unsupported, LimitReached, ToolMissing):
        found.truth = SKIPPED
    except Exception:
        found.problems.append(f"crash\n{traceback.format_exc()}")
    return found


def _judge(program: Specimen, compiled: Compiled, directory: Path, prove: Prove, found: Judged) -> None:
    cp = facts.analyse(compiled.program, Budget.seconds(SECONDS), with_waits=True)
    pairs = facts.race_pairs(cp)
    oracle = _searched(cp, pairs, compiled, "dfs")
    if UNDEFINED & {incident.kind for incident in oracle.incidents}:
        found.truth = SKIPPED
        return
    found.truth = _answer(oracle)
    found.answers["lockset"] = _answer(prove(cp, Budget.seconds(SECONDS)))
    found.answers["optimal"] = _answer(_searched(cp, pairs, compiled, "optimal"))
    if program.seed % 4 == 0:
        _interpret(compiled, found)
    if program.seed % 10 == 0:
        _check(compiled, directory, found)
    for name, answer in found.answers.items():
        if {answer, found.truth} == {FREE, DEADLOCK}:
            found.problems.append(f"{name} {'misses a deadlock' if answer == FREE else 'invents a deadlock'}")
    if found.truth == DEADLOCK and found.answers["optimal"] == OPEN and oracle.stats.get("complete"):
        found.problems.append("optimal does not come to its end")


def _searched(
    cp: ConcurrentProgram, pairs: tuple[RacePair, ...] | list[RacePair], compiled: Compiled, algorithm: str
) -> EngineResult:
    options = explore.ExploreOptions(
        module=compiled.module,
        algorithm=algorithm,
        find_all=True,
        deadlocks=True,
        max_executions=EXECUTIONS,
        confirmations=1,
    )
    return explore.run(cp, pairs, options, Budget.seconds(SECONDS))


def _answer(result: EngineResult) -> str:
    if result.deadlocks:
        return DEADLOCK
    finding = result.deadlock
    is_proof = finding is not None and finding.verdict is DeadlockVerdict.DEADLOCK_FREE
    return FREE if is_proof and finding is not None and finding.scope is not Scope.BOUNDED else OPEN


def _interpret(compiled: Compiled, found: Judged) -> None:
    try:
        seen = interpret(compiled.program, EXECUTIONS // 4, SECONDS)
    except NotSupported:
        return
    if seen.deadlocks:
        found.answers["interpreter"] = DEADLOCK
    else:
        found.answers["interpreter"] = FREE if not seen.gaps() and not seen.is_doubtful else OPEN
    if {found.answers["lockset"], found.answers["interpreter"]} == {FREE, DEADLOCK}:
        found.problems.append("lockset proves what the interpreter refutes")


def _check(compiled: Compiled, directory: Path, found: Judged) -> None:
    """What a user gets, and whether its evidence is accepted."""
    settings = portfolio.Settings(request=compiled.request, properties=(Property.DEADLOCK,))
    checked = portfolio.check(compiled.program, ("lockset", "explore"), Budget.seconds(2 * SECONDS), settings)
    verdict = checked.deadlock.verdict if checked.deadlock is not None else None
    names = {DeadlockVerdict.DEADLOCK: DEADLOCK, DeadlockVerdict.DEADLOCK_FREE: FREE}
    found.answers["check"] = names.get(verdict, OPEN) if verdict is not None else OPEN
    path, answers = directory / "report.json", directory / "answers.json"
    path.write_text(json.dumps(report.to_json(checked)), encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        run_command(check_evidence.add_parser, "check-evidence", str(path), "--json", str(answers))
    for claim in json.loads(answers.read_text(encoding="utf-8"))["claims"]:
        if claim["answer"] == "rejected":
            found.problems.append(f"evidence is rejected: {claim['kind']}: {claim['why']}")


# -- many programs


def _run_chunk(task: tuple[tuple[int, ...], Path]) -> list[dict[str, object]]:
    seeds, out = task
    entries: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="deadlocks-") as name:
        for seed in seeds:
            program = specimen(seed)
            found = judge(program, Path(name))
            kinds = [problem.splitlines()[0] for problem in found.problems]
            entries.append({"seed": seed, "truth": found.truth, "answers": found.answers, "problems": kinds})
            if found.problems:
                said = "".join(f"// {line}\n" for problem in found.problems for line in problem.splitlines())
                text = f"{as_source(program.text)}// seed {seed}; dfs: {found.truth}; {found.answers}\n{said}"
                (out / f"blocking-{seed}.c").write_text(text, encoding="utf-8")
    forget_programs(Path(os.environ["RACEPROOF_CACHE"]))
    return entries


def _start_worker(out: Path) -> None:
    os.environ["RACEPROOF_CACHE"] = str(out / "cache" / multiprocessing.current_process().name)
    build_host()


def _read(out: Path) -> dict[int, dict[str, object]]:
    path = out / PROGRAMS
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {entry["seed"]: entry for entry in map(json.loads, lines)}


def _tasks(seeds: Iterator[int], out: Path, end: float) -> Iterator[tuple[tuple[int, ...], Path]]:
    while time.monotonic() < end and (part := tuple(itertools.islice(seeds, CHUNK))):
        yield part, out


def table(entries: dict[int, dict[str, object]]) -> str:
    """For docs/results.md."""
    truths = collections.Counter(str(entry["truth"]) for entry in entries.values())
    counts: dict[str, collections.Counter[str]] = {}
    for entry in entries.values():
        answers = entry["answers"]
        assert isinstance(answers, dict)
        for name, answer in answers.items():
            counts.setdefault(name, collections.Counter())[answer] += 1
    rows = [("`dfs`, the oracle", f"{len(entries):,}", *(f"{truths[t]:,}" for t in (DEADLOCK, FREE, OPEN, SKIPPED)))]
    for name in ("lockset", "optimal", "interpreter", "check"):
        seen = counts.get(name, collections.Counter())
        rows.append((f"`{name}`", f"{seen.total():,}", *(f"{seen[t]:,}" for t in (DEADLOCK, FREE, OPEN)), ""))
    failed = sorted(seed for seed, entry in entries.items() if entry["problems"])
    said = f" (seeds {', '.join(map(str, failed))})" if failed else ""
    first, last = (min(entries), max(entries)) if entries else (0, 0)
    head = ("who", "programs", "deadlock", "no deadlock", "open", "skipped")
    text = f"Seeds {first:,} to {last:,}: {len(failed)} programs with a contradiction{said}, on {machine()}."
    return f"{markdown_table(head, rows)}\n\n{text}"


def main() -> int:
    parser = argparse.ArgumentParser(description="what is said about deadlocks of generated programs")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=60.0, help="no new programs after this time")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("deadlock-soak"))
    parser.add_argument("--write", action="store_true", help="put the table into docs/results.md")
    args = parser.parse_args()
    out: Path = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    done = {seed for seed, entry in _read(out).items() if not entry["problems"]}
    seeds = (seed for seed in range(args.seed, args.seed + args.count) if seed not in done)
    tasks = _tasks(seeds, out, time.monotonic() + 60.0 * args.minutes)
    context = multiprocessing.get_context("spawn")
    with (
        context.Pool(args.jobs, _start_worker, (out,), maxtasksperchild=50) as pool,
        (out / PROGRAMS).open("a", encoding="utf-8") as notes,
    ):
        waiting = [pool.apply_async(_run_chunk, (task,)) for task in itertools.islice(tasks, 2 * args.jobs)]
        while waiting:
            entries = waiting.pop(0).get()
            waiting += [pool.apply_async(_run_chunk, (task,)) for task in itertools.islice(tasks, 1)]
            notes.writelines(json.dumps(entry) + "\n" for entry in entries)
            notes.flush()
            for entry in entries:
                if entry["problems"]:
                    print(f"seed {entry['seed']}: {entry['problems']}: see {out}", flush=True)
    total = _read(out)
    print(table(total))
    if args.write:
        replace_block("deadlock-soak", f"`python -m exploration.deadlock_soak`\n\n{table(total)}")
    return 1 if any(entry["problems"] for entry in total.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
