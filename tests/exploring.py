"""Programs before the explorer, for tests: C text or a file in, what the search says or the host's own words out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from raceproof import explore, facts, frontend, lockset
from raceproof.core import Budget
from raceproof.explore.build import build_host
from raceproof.explore.engine import control
from raceproof.explore.process import HostRun, run_host
from raceproof.explore.protocol import OutputRecord, of_kind
from raceproof.frontend import LinkedModule
from raceproof.model import AccessId, ConcurrentProgram, EngineResult, Incident, RacePair, Scope, Verdict
from raceproof.portfolio.engines import ordered_pairs

SECONDS = 60.0
"""Far more than any search here takes: limits that decide are numbers of executions and steps."""

PREAMBLE = """
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
bool __VERIFIER_nondet_bool(void);
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static inline void run_all(int n, void *(*const starts[])(void *)) {
    pthread_t ids[8];
    for (int i = 0; i < n; i++) pthread_create(&ids[i], 0, starts[i], (void *)(intptr_t)i);
    for (int i = 0; i < n; i++) pthread_join(ids[i], 0);
}
#define RUN(...) run_all(sizeof((void *[]){__VA_ARGS__}) / sizeof(void *), (void *(*const[])(void *)){__VA_ARGS__})
#line 1 "program.c"
"""


@dataclass(frozen=True, slots=True)
class Subject:
    """A program with its facts; `ordered` as the explorer gets them when no other engine runs before it."""

    cp: ConcurrentProgram
    pairs: tuple[RacePair, ...]
    ordered: frozenset[RacePair]
    module: LinkedModule

    def line(self, access: AccessId) -> int | None:
        """Where it stands in the program's own file."""
        pos = self.cp.accesses[access].pos
        own = Path(self.cp.program.origin.files[0]).name
        return pos.line if pos is not None and Path(pos.file).name in (own, "program.c") else None

    def site_line(self, incident: Incident) -> int | None:
        found = self.cp.program.instructions_by_site().get(incident.site) if incident.site is not None else None
        return found[1].pos.line if found is not None and found[1].pos is not None else None


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search said. `is_proved`: no pair is open, and nothing was cut."""

    subject: Subject
    result: EngineResult

    @property
    def races(self) -> list[tuple[int | None, int | None]]:
        """The lines of the racing pairs."""
        found = [f.pair for f in self.result.findings if f.verdict is Verdict.RACE]
        return [(self.subject.line(pair.first), self.subject.line(pair.second)) for pair in found]

    @property
    def is_proved(self) -> bool:
        return all(f.verdict is Verdict.RACE_FREE and f.scope is not Scope.BOUNDED for f in self.result.findings)

    @property
    def is_complete(self) -> bool:
        return bool(self.result.stats["complete"])

    @property
    def is_cut(self) -> bool:
        """Whether executions were cut or inputs left out."""
        return any(note.startswith("bounded: ") for note in self.result.notes)

    @property
    def executions(self) -> int:
        return int(self.result.stats["executions"])

    @property
    def blocked(self) -> int:
        return int(self.result.stats["blocked"])

    @property
    def verdict(self) -> str:
        if self.races:
            return "race"
        return "race-free" if self.is_proved else "unknown"

    @property
    def others(self) -> list[tuple[str, int | None]]:
        """What was found beside races: kind and line."""
        return [(i.kind, self.subject.site_line(i)) for i in self.result.incidents]

    def why(self) -> str:
        """For messages: everything that may explain the verdict."""
        reasons = {str(f.evidence) for f in self.result.findings if f.verdict is not Verdict.RACE}
        others = [f"{i.kind}: {i.message}" for i in self.result.incidents]
        parts = (self.verdict, f"{self.executions} executions", str(self.result.stopped), *self.result.notes, *others)
        return "; ".join((*parts, *sorted(reasons)))


def load(path: Path, *flags: str, machine: str | None = None) -> Subject:
    """`machine`: another one that it is compiled for."""
    request = frontend.from_files([path], flags)
    if machine is not None:
        request = request.for_machine(machine)
    program = frontend.load(request)
    cp = facts.analyse(program, Budget.unlimited())
    pairs = facts.race_pairs(cp)
    return Subject(cp, pairs, ordered_pairs(cp, pairs, Budget.unlimited()), frontend.link_program(request))


def load_text(text: str, directory: Path, *flags: str, machine: str | None = None) -> Subject:
    """`text` stands behind the usual headers and `RUN(function, ...)`, which runs threads and joins them."""
    path = directory / "program.c"
    path.write_text(PREAMBLE + text, encoding="utf-8")
    return load(path, *flags, machine=machine)


def open_after_lockset(subject: Subject) -> Subject:
    """With only those pairs that the lockset engine does not prove: all that `check` leaves to the explorer."""
    found = lockset.run(subject.cp, subject.pairs, lockset.LocksetOptions(), Budget.unlimited()).findings
    left = tuple(f.pair for f in found if f.verdict is not Verdict.RACE_FREE)
    return replace(subject, pairs=left, ordered=frozenset())


def search(subject: Subject, algorithm: str = "race", seconds: float = SECONDS, **options: Any) -> Searched:
    """Decide the pairs; building the program is not on the time of the search."""
    made = explore.ExploreOptions(module=subject.module, algorithm=algorithm, ordered=subject.ordered, **options)
    if seconds < SECONDS:
        explore.prepare(subject.cp, subject.pairs, made, Budget.unlimited())
    else:
        build_host()
    return Searched(subject, explore.run(subject.cp, subject.pairs, made, Budget.seconds(seconds)))


def host_run(
    subject: Subject, algorithm: str = "race", host: Path | None = None, seconds: float = SECONDS, **options: Any
) -> HostRun:
    """The records of the host, which also tell what the program wrote; `host`: another build of it."""
    made = explore.ExploreOptions(module=subject.module, algorithm=algorithm, ordered=subject.ordered, **options)
    prepared = explore.prepare(subject.cp, subject.pairs, made, Budget.unlimited())
    if host is not None:
        prepared = replace(prepared, host=host)
    return run_host(prepared.host, prepared.program, control(prepared, made, seconds))


def output_of(run: HostRun) -> str:
    return "".join(record.text for record in of_kind(run.records, OutputRecord))
