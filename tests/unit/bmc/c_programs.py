"""C programs before the engine `bmc`: text in, verdicts by variable out. Nothing is executed unless asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from raceproof import bmc, facts, frontend
from raceproof.bmc import BmcOptions
from raceproof.bmc.conflicts import Conflicts
from raceproof.bmc.interrupts import Watch
from raceproof.bmc.library import call_library
from raceproof.bmc.unwinding import Unwinder
from raceproof.bmc.unwound import Mode, Unwound
from raceproof.core import Budget
from raceproof.model import ConcurrentProgram, EngineResult, Finding, RacePair, Verdict

PREAMBLE = """
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
#define MUTEX PTHREAD_MUTEX_INITIALIZER
#define lock pthread_mutex_lock
#define unlock pthread_mutex_unlock
#define create(id, f) pthread_create(&id, 0, f, 0)
#define join(id) pthread_join(id, 0)
#define ANY __VERIFIER_nondet_int()
#define BOTH(f, g) pthread_t a, b; create(a, f); create(b, g); join(a); join(b);
#line 1 "program.c"
"""


@dataclass(frozen=True, slots=True)
class Analysed:
    cp: ConcurrentProgram
    pairs: tuple[RacePair, ...]

    def run(self, options: BmcOptions = BmcOptions(), seconds: float = 60.0) -> EngineResult:  # noqa: B008  frozen
        return bmc.run(self.cp, self.pairs, options, Budget.seconds(seconds))

    def unwind(self, bound: int, is_proof: bool = False) -> Unwound:
        return Unwinder(
            Conflicts(self.cp), bound, Mode(is_proof), call_library, Watch(Budget.seconds(60)), 20_000
        ).run()

    def variable(self, pair: RacePair) -> str:
        return self.cp.objects[pair.target.object].name

    def findings(self, variable: str, options: BmcOptions = BmcOptions()) -> list[Finding]:  # noqa: B008  frozen
        return [f for f in self.run(options).findings if self.variable(f.pair) == variable]


def analysed(text: str, directory: Path, data_model: frontend.DataModel | None = None) -> Analysed:
    path = directory / "program.c"
    path.write_text(PREAMBLE + text, encoding="utf-8")
    request = frontend.from_files([path], data_model=data_model)
    cp = facts.analyse(frontend.load(request), Budget.unlimited())
    return Analysed(cp, facts.race_pairs(cp))


def proved(
    text: str, directory: Path, seconds: float = 60, data_model: frontend.DataModel | None = None
) -> dict[str, bool]:
    """Variables with race pairs: are all of them proved for all inputs?"""
    program = analysed(text, directory, data_model)
    assert program.pairs, "nothing is shared: the program tests nothing"
    found: dict[str, bool] = {}
    for finding in program.run(seconds=seconds).findings:
        name = program.variable(finding.pair)
        is_proved = (
            finding.verdict is Verdict.RACE_FREE and finding.scope is not None and finding.scope.value != "bounded"
        )
        found[name] = found.get(name, True) and is_proved
    return found
