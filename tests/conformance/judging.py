"""A script before every engine: nobody may prove a race of the specification, or execute one that it does not have.

The explorer is exact: where its search is complete, the races that it executes are those of the specification, so that
every result and every happens-before edge of the runtime that an access depends on is compared. The other engines may
leave pairs open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from exploring import load, search

from conformance import oracle
from conformance.c_text import access_lines, as_c
from conformance.scripts import Script
from raceproof import bmc, interpreter, lockset, petri, shapes, transactions
from raceproof.core import Budget, LimitReached, ToolMissing, Unsupported
from raceproof.ir import SiteId
from raceproof.model import AccessId, ConcurrentProgram, EngineResult, RacePair, Scope, Verdict

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
    return disagreements(as_c(script), expected.races, directory, provers, algorithms, is_whole=expected.is_whole)


def disagreements(
    text: str,
    expected: Collection[Lines],
    directory: Path,
    provers: Sequence[str] = tuple(PROVERS),
    algorithms: Sequence[str] = ("race",),
    *,
    is_whole: bool = True,
) -> list[str]:
    """Where anybody's answer about a program contradicts its races; they are all that it has if that `is_whole`."""
    path = directory / "script.c"
    path.write_text(text, encoding="utf-8")
    subject = load(path)
    lines = _Lines(subject.cp, access_lines(text))
    expected = frozenset(expected)
    found: list[str] = []
    missing = expected - {lines.of(pair) for pair in subject.pairs}
    if missing:
        found.append(f"facts: no pair for the races {sorted(missing)}")
    for algorithm in algorithms:
        run = search(subject, algorithm, find_all=True)
        races = {lines.of(f.pair) for f in run.result.findings if f.verdict is Verdict.RACE}
        exact = is_whole and run.is_complete and not run.is_cut
        if is_whole and races - expected:
            found.append(f"{algorithm}: races {sorted(races - expected)} that there are not")
        if exact and expected - races:
            found.append(f"{algorithm}: misses the races {sorted(expected - races)}: {run.why()}")
        if wrong := _proved(run.result, lines) & expected:
            found.append(f"{algorithm}: proves {sorted(wrong)}")
    for name in provers:
        try:
            result = PROVERS[name](subject.cp, subject.pairs, Budget.seconds(SECONDS))
        except (Unsupported, LimitReached, ToolMissing):
            continue
        if wrong := _proved(result, lines) & expected:
            found.append(f"{name}: proves the races {sorted(wrong)}")
    return found


def interpreted(text: str, expected: Collection[Lines], directory: Path) -> list[str]:
    """The same for the interpreter, which is exact where it has no gaps; what it does not know is a counted skip."""
    path = directory / "script.c"
    path.write_text(text, encoding="utf-8")
    cp = load(path).cp
    try:
        run = interpreter.explore(cp.program, 20_000, SECONDS, spurious=True)
    except interpreter.NotSupported as unknown:
        pytest.skip(f"not interpreted: {unknown}")
    numbers = access_lines(text)
    places = {site: instr.pos for site, (_, instr) in cp.program.instructions_by_site().items()}

    def number(site: int) -> int:
        pos = places[SiteId(site)]
        return numbers.get(pos.line, 0) if pos is not None else 0

    races = {tuple(sorted((number(first[0]), number(second[0])))) for first, second in run.races}
    found = []
    if races - set(expected):
        found.append(f"interpreter: races {sorted(races - set(expected))} that there are not")
    found += [f"interpreter: {gap}" for gap in run.gaps() if gap.startswith("a thread stopped")]  # scripts are defined
    if not run.gaps() and set(expected) - races:
        found.append(f"interpreter: misses the races {sorted(set(expected) - races)}")
    return found


@dataclass(frozen=True)
class _Lines:
    """Pairs by the numbers of their accesses."""

    cp: ConcurrentProgram
    numbers: Mapping[int, int]

    def of(self, pair: RacePair) -> Lines:
        first, second = sorted((self._number(pair.first), self._number(pair.second)))
        return first, second

    def _number(self, access: AccessId) -> int:
        pos = self.cp.accesses[access].pos
        return self.numbers.get(pos.line, 0) if pos is not None else 0


def _proved(result: EngineResult, lines: _Lines) -> frozenset[Lines]:
    """What is claimed to be race-free; a bounded proof leaves its pair open."""
    proofs = (f for f in result.findings if f.verdict is Verdict.RACE_FREE and f.scope is not Scope.BOUNDED)
    return frozenset(lines.of(f.pair) for f in proofs)
