"""Programs compiled for the explorer, and the searches of one of them side by side: do they agree, within the bounds?

What is compared (see DESIGN.md, section 4, and [PDP], [DHTC]), if `dfs` came to its end:

- the verdict of every search is that of `dfs`, and one without a race came to its end, too;
- `dfs`, `optimal` and `race` find the same racing pairs, every other search only pairs that `dfs` finds, at least one;
- `pdp`, and `dhtc` without hunts, need no more executions than `dfs`: as a rule fewer than `dpor`, but what an
  execution does not show and could come all the same has to be tried as well;
- `optimal` never blocks, and needs as many executions as there are classes of equivalent ones.

Programs with weaker atomics go to the searches that detect by happens-before, the others to all six.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from differential.preamble import as_preprocessed

from exploration.generator import batch
from exploration.searches import ALL, BY_HAPPENS_BEFORE, CLASSES, OPEN, ORACLE, SWEEP, UNHUNTED, Key, Lines, Outcome
from exploration.syntax import Source, render
from raceproof.frontend import Cache, CompileRequest, LinkedModule, from_files, link_program, parse_module
from raceproof.ir import Program, check_program
from raceproof.model import ConcurrentProgram

_WAITS: Final = re.compile(r"\b(?:sem_\w*wait|pthread_barrier_wait|pthread_cond_\w*wait|while|tryjoin)|for \(;;\)")
ALGORITHMS: Final = {"sc": ALL, "weak": BY_HAPPENS_BEFORE}


@dataclass(frozen=True, slots=True)
class Compiled:
    program: Program
    module: LinkedModule
    request: CompileRequest


@dataclass(frozen=True, slots=True)
class Problem:
    """`kind` names the sort of disagreement: a smaller program must show the same."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


# -- compiling


def compile_text(text: str, directory: Path, entries: tuple[str, ...] = ("main",)) -> list[Compiled]:
    """Compile once, and number the program of each entry function. A text without headers of its own gets some."""
    has_headers = "#include" in text
    file = directory / ("program.c" if has_headers else "program.i")
    file.write_text(text if has_headers else as_preprocessed(text), encoding="utf-8")
    request = from_files([file], entry=entries[0])
    module = link_program(request, cache=Cache(None))
    compiled = []
    for entry in entries:
        start = module.entry if entry == entries[0] else entry  # with what runs before main
        program = parse_module(module.text, module.origin, start)
        check_program(program)
        compiled.append(Compiled(program, module, request))
    return compiled


def compile_one(source: Source, directory: Path) -> Compiled:
    return compile_text(render(source), directory)[0]


def compile_batch(sources: list[Source], directory: Path) -> list[Compiled]:
    """Many programs by one run of the compiler. Each is then a part of the same module, with its own entry."""
    text, entries = batch(sources)
    return compile_text(text, directory, tuple(entries))


def forget_programs(directory: Path) -> None:
    """Delete the programs that were built in a cache, but not the runtime."""
    for path in directory.glob("builds/program-*"):
        path.unlink(missing_ok=True)


# -- comparing


def lines_of(cp: ConcurrentProgram, key: Key) -> Lines:
    positions = [cp.accesses[number].pos for number in key]  # type: ignore[index]
    first, second = sorted(pos.line if pos is not None else 0 for pos in positions)
    return first, second


def places(cp: ConcurrentProgram, key: Key) -> str:
    accesses = [cp.accesses[number] for number in key]  # type: ignore[index]
    return " and ".join(f"line {access.pos.line if access.pos else '?'} ({access.kind.value})" for access in accesses)


def never_waits(text: str) -> bool:
    """Whether no thread of the program waits but for locks and for the end of others."""
    return _WAITS.search(text) is None


def disagreements(
    cp: ConcurrentProgram, outcomes: Mapping[str, Outcome], *, is_exact: bool = True
) -> Iterator[Problem]:
    """What is not as it should be, beside an oracle that came to its end. `is_exact`: `optimal` needs no execution more
    than there are classes; behind waits it may."""
    oracle = outcomes[ORACLE]
    for name, outcome in outcomes.items():
        if outcome.is_racy != oracle.is_racy and (outcome.is_racy or outcome.is_complete):
            what = "misses every race" if oracle.is_racy else "reports a race that is none"
            which = "; ".join(places(cp, key) for key in sorted(oracle.races | outcome.races))
            yield Problem(f"verdict of {name}", f"{name} {what}: {which}")
        for key in sorted(outcome.races - oracle.races):
            yield Problem(f"pair of {name} alone", f"{name} has, but dfs has not, {places(cp, key)}")
        if not outcome.is_complete:
            yield Problem(f"no end of {name}", str(outcome))
    for name in ("optimal", "race", SWEEP, OPEN):
        if name in outcomes and outcomes[name].is_complete:
            for key in sorted(oracle.races - outcomes[name].races):
                yield Problem(f"race lost by {name}", f"{name} does not find {places(cp, key)}")
    optimal = outcomes.get("optimal")
    if optimal is not None and CLASSES in outcomes:
        classes = outcomes[CLASSES].classes
        if is_exact and optimal.blocked:
            yield Problem("optimal blocked", str(optimal))
        if is_exact and optimal.executions > oracle.executions:
            yield Problem("optimal has more than dfs", f"{optimal.executions} > {oracle.executions}")
        tries_all = not cp.overwriting_late  # else the result is bounded, and says why
        if (tries_all and optimal.executions < classes) or (is_exact and optimal.executions > classes):
            yield Problem("optimal is not optimal", f"{optimal.executions} executions for {classes} classes")
    has_inputs = any(name.startswith("__VERIFIER_nondet_") for name in cp.program.externals)
    looks = oracle.executions if has_inputs else 1  # one for each value of the inputs
    for name in ("pdp", UNHUNTED):
        if name in outcomes and outcomes[name].executions > oracle.executions + looks:
            yield Problem(f"executions of {name}", f"{outcomes[name].executions} > {oracle.executions} of dfs")
