"""Programs of `library_pairs` before every engine: `python -m exploration.library_judging --seed S --count N`.

A race that the standards promise must be a race pair that no engine proves, each engine alone and all of them in
`check`; a program that they call safe must not be reported as a race.
"""

from __future__ import annotations

import argparse
import collections
import sys
import tempfile
import traceback
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from exploration.library_pairs import Pair, Truth, generate
from raceproof import facts, frontend, lockset, petri, portfolio, shapes, transactions
from raceproof.core import Budget, InputError, LimitReached, ToolMissing, Unsupported
from raceproof.model import ConcurrentProgram, RacePair, Verdict

_GIVES_UP: Final = (Unsupported, LimitReached, ToolMissing)
_PROVERS: Final = {
    "lockset": lambda cp, pairs, budget: lockset.run(cp, pairs, lockset.LocksetOptions(), budget),
    "shapes": lambda cp, pairs, budget: shapes.run(cp, pairs, shapes.ShapesOptions(), budget),
    "petri": lambda cp, pairs, budget: petri.run(cp, pairs, petri.PetriOptions(), budget),
    "transactions": lambda cp, pairs, budget: transactions.run(cp, pairs, transactions.TransactionsOptions(), budget),
}


@dataclass(slots=True)
class JudgedPair:
    problems: list[str] = field(default_factory=list)
    counts: collections.Counter[str] = field(default_factory=collections.Counter)


def judge_pair(
    pair: Pair, directory: Path, seconds: float = 5.0, provers: Collection[str] = tuple(_PROVERS), checked: bool = True
) -> JudgedPair:
    """Hold what everybody says about the program against the standards."""
    found = JudgedPair()
    found.counts[f"truth: {pair.truth.value}"] += 1
    try:
        _judge(pair, directory, seconds, provers, checked, found)
    except InputError as error:
        found.problems.append(f"does not compile: {error}")
    except _GIVES_UP:
        found.counts["given up"] += 1
    except Exception:
        found.problems.append(f"crash: {traceback.format_exc()}")
    return found


def _judge(
    pair: Pair, directory: Path, seconds: float, provers: Collection[str], checked: bool, found: JudgedPair
) -> None:
    path = directory / f"pair{pair.seed}.c"
    path.write_text(pair.text, encoding="utf-8")
    request = frontend.from_files([path])
    program = frontend.load(request)
    cp = facts.analyse(program, Budget.seconds(seconds))
    pairs = facts.race_pairs(cp)
    across = [each for each in pairs if _lines(cp, each) == frozenset(pair.lines)]
    if pair.truth is Truth.RACE:
        if not across:
            found.problems.append("facts: no pair of the two lines")
        for engine in provers:
            proved = _proved(engine, cp, across, seconds)
            if across and proved >= set(across):
                found.problems.append(f"{engine}: proves the two lines")
    if not checked:
        return
    result = portfolio.check(
        program, tuple(portfolio.ENGINES), Budget.seconds(2 * seconds), portfolio.Settings(request=request)
    )
    found.counts[f"{pair.truth.value}: {result.verdict.value}"] += 1
    if pair.truth is Truth.RACE and result.verdict is Verdict.RACE_FREE:
        found.problems.append("check: race-free")
    if pair.truth is Truth.SAFE and result.verdict is Verdict.RACE:
        found.problems.append("check: race")


def _proved(engine: str, cp: ConcurrentProgram, pairs: Sequence[RacePair], seconds: float) -> set[RacePair]:
    try:
        findings = _PROVERS[engine](cp, pairs, Budget.seconds(seconds)).findings
    except _GIVES_UP:
        return set()
    return {finding.pair for finding in findings if finding.verdict is Verdict.RACE_FREE}


def _lines(cp: ConcurrentProgram, pair: RacePair) -> frozenset[int]:
    positions = [cp.accesses[number].pos for number in (pair.first, pair.second)]
    return frozenset(pos.line for pos in positions if pos is not None)


def main() -> int:
    parser = argparse.ArgumentParser(description="two calls of the library in two threads, before every engine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--static", action="store_true", help="the engines that prove only, without `check`")
    args = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="pairs-") as name:
        for seed in range(args.seed, args.seed + args.count):
            pair = generate(seed)
            judged = judge_pair(pair, Path(name), checked=not args.static)
            counts.update(judged.counts)
            for problem in judged.problems:
                failed += 1
                said = " / ".join(rule.text for rule in pair.rules)
                print(f"seed {seed} ({pair.order.value}, {pair.truth.value}): {problem}: {said}", flush=True)
    print("\n".join(f"{number:8}  {name}" for name, number in sorted(counts.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
