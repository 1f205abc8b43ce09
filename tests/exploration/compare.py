"""One program before all algorithms of the explorer: do they agree, and do their counts keep to the bounds?

What is compared (see DESIGN.md, section 4, and [PDP], [DHTC]):

- the verdict of every algorithm is that of `dfs`, and a program without a race is explored completely;
- `dfs` and `optimal` find the same racing pairs, every other algorithm only pairs that `dfs` finds, at least one;
- `pdp` and `dhtc` need no more executions than `dpor`, and `optimal` never blocks;
- nothing that the lockset engine has proved races.

Programs with weaker atomics go to the algorithms that detect by happens-before, the others to all six.
"""

from __future__ import annotations

import contextlib
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from differential.memory import NotSupported
from differential.preamble import as_preprocessed
from differential.search import explore as interpret

from exploration.generator import batch
from exploration.syntax import Source, render
from raceproof import explore
from raceproof.core import Budget, InputError, InternalError, LimitReached, Unsupported
from raceproof.facts import analyse, race_pairs
from raceproof.frontend import Cache, LinkedModule, from_files, link_program, parse_module
from raceproof.ir import Program, check_program
from raceproof.lockset import LocksetOptions
from raceproof.lockset import run as run_lockset
from raceproof.model import ConcurrentProgram, Finding, RacePair, Scope, Verdict
from raceproof.portfolio import ordered_pairs

ORACLE: Final = "dfs"
PRUNING: Final = ("pdp", "dhtc", "race")
REPEATED: Final = ("dfs", "race")  # whose races are run again from their schedules
BY_HAPPENS_BEFORE: Final = ("dfs", "optimal", "race")
ALL: Final = ("dfs", "dpor", "pdp", "dhtc", "optimal", "race")
ALGORITHMS: Final = {"sc": ALL, "weak": BY_HAPPENS_BEFORE}

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Compiled:
    program: Program
    module: LinkedModule


@dataclass(frozen=True, slots=True)
class Limits:
    """For one algorithm on one program; a search that `dfs` cannot finish is not compared."""

    executions: int = 200_000
    seconds: float = 30.0


LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one algorithm says. `is_complete`: the search ended by itself, and nothing was cut."""

    algorithm: str
    races: frozenset[Key]
    is_complete: bool
    is_proved: bool
    executions: int
    blocked: int
    stopped: str | None  # what ended or cut the search
    incidents: tuple[str, ...]

    reason: str  # why a pair is undecided

    @property
    def is_racy(self) -> bool:
        return bool(self.races)

    def __str__(self) -> str:
        verdict = (
            f"races {sorted(self.races)}"
            if self.races
            else "race-free"
            if self.is_proved
            else f"unknown ({self.reason})"
        )
        rest = f", blocked {self.blocked}" if self.blocked else ""
        rest += f", {self.stopped}" if self.stopped else ""
        rest += f", {', '.join(self.incidents)}" if self.incidents else ""
        return f"{self.algorithm:8} {self.executions:7} executions{rest}: {verdict}"


@dataclass(frozen=True, slots=True)
class Problem:
    """`kind` names the sort of disagreement: a smaller program must show the same."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


@dataclass(slots=True)
class Comparison:
    """`skipped` says why nothing was compared."""

    skipped: str | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    pairs: int = 0
    proved: int = 0

    @property
    def is_racy(self) -> bool:
        return ORACLE in self.outcomes and self.outcomes[ORACLE].is_racy

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(problem.kind for problem in self.problems)

    def __str__(self) -> str:
        lines = [f"skipped: {self.skipped}"] if self.skipped is not None else []
        lines += [str(problem) for problem in self.problems]
        lines += [str(outcome) for outcome in self.outcomes.values()]
        return "\n".join(lines)


# -- compiling


def compile_text(text: str, directory: Path, entries: tuple[str, ...] = ("main",)) -> list[Compiled]:
    """Compile once, and number the program of each entry function."""
    file = directory / "program.i"
    file.write_text(as_preprocessed(text), encoding="utf-8")
    request = from_files([file], entry=entries[0])
    module = link_program(request, cache=Cache(None))
    compiled = []
    for entry in entries:
        program = parse_module(module.text, module.origin, entry)
        check_program(program)
        compiled.append(Compiled(program, module))
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


def compare_source(
    source: Source, limits: Limits = LIMITS, interpreted: bool = False, directory: Path | None = None
) -> Comparison:
    """Compile and compare one program alone; with `interpreted` also with an interpreter of the IR that tries all."""
    with contextlib.ExitStack() as stack:
        if directory is None:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="exploration-")))
        try:
            compiled = compile_one(source, directory)
        except (InputError, Unsupported) as error:
            return Comparison(problems=[Problem("front end", str(error))])
        return compare(compiled, ALGORITHMS[source.mode], limits, interpreted)


def compare(
    compiled: Compiled, algorithms: tuple[str, ...] = ALL, limits: Limits = LIMITS, interpreted: bool = False
) -> Comparison:
    """Run the algorithms, `dfs` first, and check what they say."""
    result = Comparison()
    try:
        budget = Budget.seconds(limits.seconds)
        cp = analyse(compiled.program, budget)
        pairs = race_pairs(cp)
        proofs = run_lockset(cp, pairs, LocksetOptions(), budget)
    except (Unsupported, LimitReached) as error:
        result.skipped = f"analysis: {error}"
        return result
    result.pairs = len(pairs)
    proved = {_key(finding): finding for finding in proofs.findings if finding.verdict is Verdict.RACE_FREE}
    result.proved = len(proved)
    for algorithm in algorithms:
        try:
            outcome = _explore(cp, pairs, compiled.module, algorithm, limits)
        except (Unsupported, LimitReached) as error:
            result.skipped = f"{algorithm}: {error}"
            return result
        except InternalError as error:
            result.problems.append(Problem(f"internal error of {algorithm}", str(error)))
            return result
        except Exception:
            result.problems.append(Problem(f"crash of {algorithm}", traceback.format_exc()))
            return result
        result.outcomes[algorithm] = outcome
        if algorithm == ORACLE and not outcome.is_complete:
            if outcome.stopped is None or "failed" in outcome.stopped:  # not a limit of ours
                result.problems.append(Problem("no end of dfs", str(outcome)))
            else:
                result.skipped = f"dfs: {outcome.stopped}"
            return result
    result.problems += _check(cp, result.outcomes)
    for key in sorted(result.outcomes[ORACLE].races & proved.keys()):
        claim = f"{_places(cp, key)} races, lockset says: {proved[key].evidence}"
        result.problems.append(Problem("lockset contradicted", claim))
    if interpreted:
        result.problems += _interpret(cp, compiled.program, result.outcomes[ORACLE])
    return result


def _explore(
    cp: ConcurrentProgram, pairs: tuple[RacePair, ...], module: LinkedModule, algorithm: str, limits: Limits
) -> Outcome:
    options = explore.ExploreOptions(
        module=module,
        algorithm=algorithm,
        find_all=True,
        max_executions=limits.executions,
        ordered=ordered_pairs(cp, pairs, Budget.seconds(limits.seconds)) if algorithm in PRUNING else frozenset(),
        confirmations=1 if algorithm in REPEATED else 0,
    )
    found = explore.run(cp, pairs, options, Budget.seconds(limits.seconds))
    races = frozenset(_key(finding) for finding in found.findings if finding.verdict is Verdict.RACE)
    return Outcome(
        algorithm=algorithm,
        races=races,
        is_complete=found.stopped is None,
        is_proved=all(
            finding.verdict is Verdict.RACE_FREE and finding.scope is not Scope.BOUNDED for finding in found.findings
        ),
        executions=int(found.stats["executions"]),
        blocked=int(found.stats["blocked"]),
        stopped=found.stopped or next((note for note in found.notes if note.startswith("bounded")), None),
        incidents=tuple(sorted({incident.kind for incident in found.incidents})),
        reason=next((str(f.evidence) for f in found.findings if f.verdict is Verdict.UNKNOWN), ""),
    )


def _key(finding: Finding) -> Key:
    first, second = sorted((int(finding.pair.first), int(finding.pair.second)))
    return first, second


def _places(cp: ConcurrentProgram, key: Key) -> str:
    accesses = [cp.accesses[number] for number in key]  # type: ignore[index]
    return " and ".join(f"line {access.pos.line if access.pos else '?'} ({access.kind.value})" for access in accesses)


def _check(cp: ConcurrentProgram, outcomes: dict[str, Outcome]) -> Iterator[Problem]:
    oracle = outcomes[ORACLE]
    for name, outcome in outcomes.items():
        if name != ORACLE and outcome.is_racy != oracle.is_racy:
            what = "misses every race" if oracle.is_racy else "reports a race that is none"
            which = "; ".join(_places(cp, key) for key in sorted(oracle.races | outcome.races))
            yield Problem(f"verdict of {name}", f"{name} {what}: {which}")
        for key in sorted(outcome.races - oracle.races):
            yield Problem(f"pair of {name} alone", f"{name} has, but dfs has not, {_places(cp, key)}")
        if not oracle.is_racy and not outcome.is_racy and not (outcome.is_complete and outcome.is_proved):
            yield Problem(f"no proof by {name}", str(outcome))
    optimal = outcomes.get("optimal")
    if optimal is not None:
        for key in sorted(oracle.races - optimal.races):
            yield Problem("race lost by optimal", f"optimal does not find {_places(cp, key)}")
        if optimal.blocked:
            yield Problem("optimal blocked", str(optimal))
        if optimal.executions > oracle.executions:
            yield Problem("optimal has more than dfs", f"{optimal.executions} > {oracle.executions}")
    dpor = outcomes.get("dpor")
    for name in ("pdp", "dhtc"):
        if dpor is not None and name in outcomes and outcomes[name].executions > dpor.executions:
            yield Problem(f"executions of {name}", f"{outcomes[name].executions} > {dpor.executions} of dpor")


def _interpret(cp: ConcurrentProgram, program: Program, oracle: Outcome) -> Iterator[Problem]:
    """`dfs` itself against the interpreter of the differential tests, which shares no code with it."""
    try:
        seen = interpret(program, 20_000, 20.0)
    except NotSupported:
        return
    if not seen.is_complete:
        return
    ours = set()
    for key in oracle.races:
        ends = sorted((int(cp.accesses[n].site), cp.accesses[n].kind.value) for n in key)  # type: ignore[index]
        ours.add((ends[0], ends[1]))
    if bool(ours) != bool(seen.races):
        theirs = "; ".join(f"{race.object} {key}" for key, race in sorted(seen.races.items()))
        yield Problem("interpreter disagrees", f"dfs has {sorted(ours) or 'none'}, the interpreter {theirs or 'none'}")
    elif ours != set(seen.races):
        alone = f"dfs alone {sorted(ours - set(seen.races))}, the interpreter alone {sorted(set(seen.races) - ours)}"
        yield Problem("interpreter has other pairs", f"{alone} (sites)")
