"""C programs before the nets: text in, what can be proved of each shared variable out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from raceproof import facts, frontend
from raceproof.core import Budget
from raceproof.model import ConcurrentProgram, EngineResult, Finding, RacePair, Verdict
from raceproof.petri.engine import PetriOptions, run
from raceproof.petri.plain import solve_plainly

PREAMBLE = """
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);
#define MUTEX PTHREAD_MUTEX_INITIALIZER
#define lock pthread_mutex_lock
#define unlock pthread_mutex_unlock
#define create(id, f) pthread_create(&id, 0, f, 0)
#define join(id) pthread_join(id, 0)
#define ANY __VERIFIER_nondet_int()
#define MANY(f) while (ANY) { pthread_t id; create(id, f); }
#line 1 "program.c"
"""


@dataclass(frozen=True, slots=True)
class Analysed:
    cp: ConcurrentProgram
    pairs: tuple[RacePair, ...]

    def run(self) -> EngineResult:
        return run(self.cp, self.pairs, PetriOptions(solver=solve_plainly), Budget.seconds(60))

    def variable(self, pair: RacePair) -> str:
        return self.cp.objects[pair.target.object].name

    def lines(self, finding: Finding) -> tuple[int, int]:
        first, second = (self.cp.accesses[n].pos for n in (finding.pair.first, finding.pair.second))
        assert first is not None
        assert second is not None
        return first.line, second.line


def analysed(text: str, directory: Path) -> Analysed:
    path = directory / "program.c"
    path.write_text(PREAMBLE + text, encoding="utf-8")
    cp = facts.analyse(frontend.load(frontend.from_files([path])), Budget.unlimited())
    return Analysed(cp, facts.race_pairs(cp))


def proved(text: str, directory: Path) -> dict[str, bool]:
    """Variables with race pairs: are all of them proved?"""
    program = analysed(text, directory)
    assert program.pairs, "nothing is shared: the program tests nothing"
    found: dict[str, bool] = {}
    for finding in program.run().findings:
        name = program.variable(finding.pair)
        found[name] = found.get(name, True) and finding.verdict is Verdict.RACE_FREE
    return found
