"""C programs before the transaction graphs: text or file in, what is proved of which lines out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unit.petri.c_programs import PREAMBLE

from raceproof import facts, frontend, lockset
from raceproof.core import Budget
from raceproof.model import ConcurrentProgram, EngineResult, Finding, RacePair, ThreadId, Verdict
from raceproof.transactions.engine import TransactionsOptions, run
from raceproof.transactions.products import Product, Workshop
from raceproof.transactions.slicing import Slice

PROGRAMS = Path(__file__).resolve().parents[2] / "programs"


@dataclass(frozen=True, slots=True)
class Analysed:
    """`open_pairs`: those that the lockset engine leaves open."""

    cp: ConcurrentProgram
    pairs: tuple[RacePair, ...]
    open_pairs: tuple[RacePair, ...]

    def run(self, *domains: str, spurious: bool = True) -> EngineResult:
        harmless = frozenset(self.pairs) - frozenset(self.open_pairs)
        options = TransactionsOptions(harmless, domains or ("intervals", "octagons", "polyhedra"), spurious)
        return run(self.cp, self.open_pairs, options, Budget.seconds(60))

    def line(self, number: int) -> int:
        pos = self.cp.accesses[number].pos  # type: ignore[index]
        assert pos is not None
        return pos.line

    def lines(self, pair: RacePair) -> tuple[int, int]:
        first, second = sorted((self.line(pair.first), self.line(pair.second)))
        return first, second

    def proved(self, *domains: str, spurious: bool = True) -> set[tuple[int, int]]:
        findings = self.run(*domains, spurious=spurious).findings
        return {self.lines(f.pair) for f in findings if f.verdict is Verdict.RACE_FREE}

    def finding(self, lines: tuple[int, int]) -> Finding:
        return next(f for f in self.run("intervals").findings if self.lines(f.pair) == lines)


def everything(workshop: Workshop, *threads: int) -> Product:
    """A product with all that the code of the threads does."""
    around = workshop.around
    ids = tuple(map(ThreadId, threads))
    nodes = [node for thread in ids for node in workshop.graph(thread).nodes]
    taken = {edge.takes.lock for node in nodes for edge in node.edges if edge.takes is not None}
    accesses = frozenset(around.cp.accesses)
    return Product(ids, Slice(accesses, frozenset(around.cells.variables.values()), frozenset(taken), is_full=True))


def of_file(path: Path) -> Analysed:
    cp = facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited())
    pairs = facts.race_pairs(cp)
    found = lockset.run(cp, pairs, lockset.LocksetOptions(), Budget.unlimited()).findings
    still_open = tuple(finding.pair for finding in found if finding.verdict is Verdict.UNKNOWN)
    return Analysed(cp, pairs, still_open)


def of_text(text: str, directory: Path) -> Analysed:
    path = directory / "program.c"
    path.write_text(PREAMBLE + text, encoding="utf-8")
    return of_file(path)
