"""A script before every engine: nobody may prove a race of the specification, or execute one that it does not have.

The explorer is exact: where its search is complete, the races that it executes are those of the specification, so that
every result and every happens-before edge of the runtime that an access depends on is compared. The other engines may
leave pairs open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from exploring import load, search

from conformance import oracle
from conformance.c_text import access_lines, as_c
from conformance.scripts import Script
from raceproof import bmc, facts, lockset, petri, shapes, transactions
from raceproof.core import Budget, LimitReached, ToolMissing, Unsupported
from raceproof.model import AccessId, ConcurrentProgram, EngineResult, RacePair, Verdict

Prover = Callable[[ConcurrentProgram, Sequence[RacePair], Budget], EngineResult]
PROVERS: Final[dict[str, Prover]] = {
    "lockset": lambda cp, pairs, budget: lockset.run(cp, pairs, lockset.LocksetOptions(), budget),
    "shapes": lambda cp, pairs, budget: shapes.run(cp, pairs, shapes.ShapesOptions(), budget),
    "petri": lambda cp, pairs, budget: petri.run(cp, pairs, petri.PetriOptions(), budget),
    "transactions": lambda cp, pairs, budget: transactions.run(cp, pairs, transactions.TransactionsOptions(), budget),
    "bmc": lambda cp, pairs, budget: bmc.run(cp, pairs, bmc.BmcOptions(), budget),
}
SECONDS: Final = 10.0
Lines = tuple[int, int]


def problems(
    script: Script, directory: Path, provers: Sequence[str] = tuple(PROVERS), algorithms: Sequence[str] = ("race",)
) -> list[str]:
    """What is wrong, in words; the script must be defined (`oracle.Verdict.undefined`)."""
    expected = oracle.judge(script)
    text = as_c(script)
    path = directory / "script.c"
    path.write_text(text, encoding="utf-8")
    accesses = access_lines(text)
    subject = load(path)
    cp = subject.cp

    def number(access: AccessId) -> int:
        pos = cp.accesses[access].pos
        return accesses.get(pos.line, 0) if pos is not None else 0

    def lines(pair: RacePair) -> Lines:
        first, second = sorted((number(pair.first), number(pair.second)))
        return first, second

    found: list[str] = []
    missing = expected.races - {lines(pair) for pair in subject.pairs}
    if missing:
        found.append(f"facts: no pair for the races {sorted(missing)}")
    for algorithm in algorithms:
        run = search(subject, algorithm, find_all=True)
        races = {lines(f.pair) for f in run.result.findings if f.verdict is Verdict.RACE}
        proved = {lines(f.pair) for f in run.result.findings if f.verdict is Verdict.RACE_FREE}
        exact = expected.is_whole and run.is_complete and not run.is_cut
        if expected.is_whole and races - expected.races:
            found.append(f"{algorithm}: races {sorted(races - expected.races)} that there are not")
        if exact and expected.races - races:
            found.append(f"{algorithm}: misses the races {sorted(expected.races - races)}: {run.why()}")
        if proved & expected.races:
            found.append(f"{algorithm}: proves {sorted(proved & expected.races)}")
    for name in provers:
        try:
            result = PROVERS[name](cp, subject.pairs, Budget.seconds(SECONDS))
        except (Unsupported, LimitReached, ToolMissing):
            continue
        claimed = {lines(f.pair) for f in result.findings if f.verdict is Verdict.RACE_FREE}
        if claimed & expected.races:
            found.append(f"{name}: proves the races {sorted(claimed & expected.races)}")
    return found


def decided(script: Script, cp: ConcurrentProgram) -> int:
    """How many pairs the script has."""
    return len(facts.race_pairs(cp))
