"""Every program of `tests/programs` through the engines, against the truth on its lines.

The lockset engine: a race line that is proved is a soundness bug. An alarm on a `no-race` line is a precision
failure, unless the line says that it is known; a known alarm that no longer comes is stale and must be removed.

The explorer runs without help of other engines: it finds a race in every racy program and proves every other one,
but for what the programs announce (`missed(explore)`, `alarm(explore)`), which again must not be stale. All programs
go to its default algorithm and every fifth one to another way to search; with RACEPROOF_EXPLORE_ALL=1 to all of them.
So do all racy programs, or every sixteenth, go to each of the other engines that prove.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from exploration.judging import PROVERS, Prover
from exploring import SECONDS, Searched, Subject, load, open_after_lockset, search
from programs_truth import (
    MalformedTruth,
    Truth,
    all_programs,
    number_of,
    parse_truth,
    program_name,
    read_truth,
    sample,
)

from raceproof import bmc
from raceproof.core import Budget, LimitReached, Unsupported
from raceproof.model import Scope, Verdict

EXIT_STATUS = {"race-free": 0, "race": 1, "unknown": 3}
ENGINE = "lockset"


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair of the report. `lines` has a zero for an access that is not in the program's own file."""

    verdict: str
    target: str
    lines: tuple[int, int]
    evidence: str

    @property
    def is_open(self) -> bool:
        return self.verdict != "race-free"

    def __str__(self) -> str:
        return f"{self.target}: lines {self.lines[0]} and {self.lines[1]}: {self.verdict} ({self.evidence})"


@dataclass(frozen=True, slots=True)
class Outcome:
    truth: Truth
    status: int
    verdict: str
    reason: str
    pairs: tuple[Pair, ...]


def _read_pairs(report: dict[str, object], path: Path) -> Iterator[Pair]:
    pairs = report["pairs"]
    assert isinstance(pairs, list)
    for pair in pairs:
        first, second = (access["line"] if Path(access["file"]).name == path.name else 0 for access in pair["accesses"])
        yield Pair(pair["verdict"], str(pair["target"]), (first, second), json.dumps(pair["evidence"]))


def _check(path: Path, out: Path) -> Outcome:
    from raceproof.cli import main

    try:
        status = main(["check", "--engines", ENGINE, "--json", str(out), str(path)])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 2
    report = json.loads(out.read_text(encoding="utf-8"))
    return Outcome(
        truth=read_truth(path),
        status=status,
        verdict=report["verdict"],
        reason=str(report.get("reason")),
        pairs=tuple(_read_pairs(report, path)),
    )


@pytest.fixture(scope="module", params=all_programs(), ids=program_name)
def outcome(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    path: Path = request.param
    return _check(path, tmp_path_factory.mktemp(path.stem) / "report.json")


def _listing(pairs: list[Pair]) -> str:
    return "\n".join(f"  {pair}" for pair in pairs) or "  (none)"


def test_status_and_verdict_agree(outcome: Outcome) -> None:
    assert outcome.status == EXIT_STATUS[outcome.verdict], f"{outcome.verdict}: {outcome.reason}"
    if outcome.verdict == "race-free":
        assert not [pair for pair in outcome.pairs if pair.is_open]
    if any(pair.verdict == "race" for pair in outcome.pairs):
        assert outcome.verdict == "race"


def test_no_race_is_proved_away(outcome: Outcome) -> None:
    """Soundness: a racy program is not race-free, and every race line is in an open pair with a race line."""
    races = outcome.truth.race_lines
    among = [pair for pair in outcome.pairs if set(pair.lines) <= races]
    proved = [pair for pair in among if not pair.is_open]
    if outcome.truth.is_racy:
        assert outcome.verdict != "race-free", f"UNSOUND: {outcome.truth.path} has a race. Proved:\n{_listing(proved)}"
    covered = {line for pair in among if pair.is_open for line in pair.lines}
    lost = sorted(races - covered)
    assert not lost, f"UNSOUND: {outcome.truth.path}: no open pair for race lines {lost}. Proved:\n{_listing(proved)}"


def test_race_free_lines_are_proved(outcome: Outcome) -> None:
    """Precision: no open pair on a `no-race` line, but for the alarms that the line announces."""
    expected = {line for line, mark in outcome.truth.lines.items() if not mark.race and ENGINE not in mark.alarms}
    alarms = [pair for pair in outcome.pairs if pair.is_open and expected & set(pair.lines)]
    assert not alarms, f"{outcome.truth.path}: false alarms:\n{_listing(alarms)}"
    if not outcome.truth.is_racy and not outcome.truth.announces(ENGINE):
        assert outcome.verdict == "race-free", f"{outcome.truth.path}: {outcome.reason}"


def test_announced_alarms_still_come(outcome: Outcome) -> None:
    """A mark `alarm(lockset)` is removed when the analysis has become good enough."""
    announced = {line for line, mark in outcome.truth.lines.items() if ENGINE in mark.alarms}
    seen = {line for pair in outcome.pairs if pair.is_open for line in pair.lines}
    stale = sorted(announced - seen)
    assert not stale, f"{outcome.truth.path}: lines {stale} are proved now: remove their alarm({ENGINE})"


def test_reported_races_are_true(outcome: Outcome) -> None:
    """A pair that is reported as a race was executed, so both of its lines must be race lines."""
    reported = [pair for pair in outcome.pairs if pair.verdict == "race"]
    false = [pair for pair in reported if not set(pair.lines) <= outcome.truth.race_lines]
    assert not false, f"{outcome.truth.path}: no races:\n{_listing(false)}"


# -- the explorer

EXPLORER = "explore"
MAX_EXECUTIONS = 20_000
OTHER_EXECUTIONS = 2_000
MAX_STEPS = 5_000
SECONDS_IN_VAIN = 2.0
"""For a search that is known to prove nothing and to find no race."""
OTHER_WAYS = ("dfs", "dpor", "pdp", "dhtc", "optimal", "aided")
"""The other algorithms, and the default one on what the lockset engine leaves open, as `check` does."""
CO_ENABLED = ("dpor", "pdp", "dhtc")
"""Algorithms for which a race is two accesses that can both come next: with weaker atomics there are others."""
_WEAK = re.compile(
    r"memory_order_(?!seq_cst)\w|__ATOMIC_(?!SEQ_CST)[A-Z]|__sync_lock_(test_and_set|release)|_?try|timed|clock(wait|lock|rdlock|wrlock)|sem_getvalue"
    r"|setrobust|pthread_cancel|pthread_exit(?s:.*)pthread_once"
)
"""What may keep threads apart without ordering them: searches for threads that stand together prove nothing then."""


def _ways() -> list[tuple[Path, str]]:
    """Every fifth program with one of the other ways to search, or all with all of them."""
    every = os.environ.get("RACEPROOF_EXPLORE_ALL", "0") != "0"
    kinds = len(OTHER_WAYS)
    return [
        (p, OTHER_WAYS[k])
        for p in all_programs()
        for k in range(kinds)
        if every or number_of(program_name(p)) % (5 * kinds) == 5 * k
    ]


def _name_way(value: Path | str) -> str:
    return program_name(value) if isinstance(value, Path) else value


def _explore(truth: Truth, subject: Subject, algorithm: str, find_all: bool, executions: int) -> Searched:
    """Search; a race that is not there, or a proof of a program that has one, is a failure at once."""
    in_vain = truth.announces(EXPLORER) and all(EXPLORER in truth.lines[n].missed for n in truth.race_lines)
    found = search(
        subject,
        algorithm,
        seconds=SECONDS_IN_VAIN if in_vain else SECONDS,
        find_all=find_all,
        max_executions=executions,
        max_steps=MAX_STEPS,
    )
    false = [lines for lines in found.races if not set(lines) <= truth.race_lines]
    assert not false, f"{truth.path}: no races: {false}"
    return found


def _assert_not_proved(truth: Truth, found: Searched) -> None:
    """What is proved for one input is proved for the program only if it has no other."""
    assert not found.is_proved or found.subject.cp.inputs, (
        f"UNSOUND: {truth.path} has a race, but {found.result.stats['algorithm']}: {found.why()}"
    )


@pytest.mark.parametrize("path", all_programs(), ids=program_name)
def test_explorer_decides(path: Path) -> None:
    """Unaided, every race line is in a race that is found, or the program is proved, but for what it announces."""
    truth = read_truth(path)
    try:
        found = _explore(truth, load(path), "race", find_all=True, executions=MAX_EXECUTIONS)
    except Unsupported as refused:  # as for assembly: what the program does there could not be observed
        if not truth.announces(EXPLORER) or any(EXPLORER not in truth.lines[n].missed for n in truth.race_lines):
            pytest.fail(f"{path} is not run: {refused}")
        pytest.skip(f"not run, as announced: {refused}")
    if truth.is_racy:
        _assert_not_proved(truth, found)
        seen = {line for lines in found.races for line in lines}
        missed = {line for line, mark in truth.lines.items() if EXPLORER in mark.missed}
        assert not missed & seen, f"{path}: lines {missed & seen} are found now: remove their missed({EXPLORER})"
        lost = sorted(truth.race_lines - missed - seen)
        assert not lost, f"{path}: no race found on lines {lost}: {found.why()}"
    elif truth.announces(EXPLORER):
        assert not found.is_proved, f"{path} is proved now: remove its alarm({EXPLORER})"
    else:
        assert found.is_proved, f"{path}: {found.why()}"


@pytest.mark.parametrize(("path", "way"), _ways(), ids=_name_way)
def test_other_ways_to_search_agree(path: Path, way: str) -> None:
    """What they find is true, and a search that came to its end has decided as the truth says."""
    truth = read_truth(path)
    subject = load(path)
    if way == "aided":
        subject = open_after_lockset(subject)
    algorithm = "race" if way == "aided" else way
    try:
        found = _explore(truth, subject, algorithm, find_all=False, executions=OTHER_EXECUTIONS)
    except Unsupported as refused:
        pytest.skip(f"{way} need not decide it: {refused}")
    text = path.read_text(encoding="utf-8")
    is_weak = (way in CO_ENABLED and _WEAK.search(text) is not None) or (way == "optimal" and "pthread_cancel" in text)
    if not found.races and (not found.is_complete or found.is_cut or is_weak):
        pytest.skip(f"{way} need not decide it: {found.why()}")
    if truth.is_racy:
        _assert_not_proved(truth, found)
        assert found.races or truth.announces(EXPLORER), f"{path}: race not found: {found.why()}"
    elif not truth.announces(EXPLORER):
        assert found.is_proved, f"{path}: {found.why()}"


# -- the other engines that prove

PROVE_SECONDS = 5.0
PROVE_EVERY = 1 if os.environ.get("RACEPROOF_EXPLORE_ALL", "0") != "0" else 32


def _prover(engine: str) -> Prover:
    """Of bmc the half that proves: a race that it finds and executes would keep its proof from being tried."""
    if engine != "bmc":
        return PROVERS[engine]
    return lambda cp, pairs, budget: bmc.run(cp, pairs, bmc.BmcOptions(finds=False), budget)


@pytest.mark.parametrize("engine", ["shapes", "petri", "transactions", "bmc"])
@pytest.mark.parametrize(
    "path", sample([p for p in all_programs() if p.stem.endswith("_race")], PROVE_EVERY), ids=program_name
)
def test_no_other_engine_proves_a_race_away(path: Path, engine: str) -> None:
    """By itself: every race line is in a pair with a race line that it leaves open."""
    subject, races = load(path), read_truth(path).race_lines
    try:
        findings = _prover(engine)(subject.cp, subject.pairs, Budget.seconds(PROVE_SECONDS)).findings
    except (Unsupported, LimitReached) as refused:
        pytest.skip(str(refused))
    proved = {f.pair for f in findings if f.verdict is Verdict.RACE_FREE and f.scope is not Scope.BOUNDED}
    left = [{subject.line(p.first), subject.line(p.second)} for p in subject.pairs if p not in proved]
    covered = {line for lines in left if lines <= races for line in lines}
    assert races <= covered, f"UNSOUND: {engine} proves race lines {sorted(races - covered)} of {path}"


# -- the marks


@pytest.mark.parametrize("path", all_programs(), ids=program_name)
def test_program_is_well_formed(path: Path) -> None:
    truth = read_truth(path)
    assert truth.is_racy == path.stem.endswith("_race"), "the name of a racy program, and of no other, ends in _race"
    assert path.read_text(encoding="utf-8").startswith("// "), "the first line says the idiom"


@pytest.mark.parametrize(
    "line",
    [
        "x = 1; // race condition",
        "x = 1; // Race",
        "x = 1; //race",
        "x = 1; // norace",
        "x = 1; // no race",
        "x = 1; // no-race alarm(lockset)",
        "x = 1; // no-race alarm(lockset):",
        "x = 1; // no-race alarm(locksets): no such engine",
        "x = 1; // no-race alarm(lockset): one; alarm(lockset): two",
        "x = 1; // race alarm(lockset): a race is no false alarm",
        "x = 1; // no-race missed(explore): nothing to miss",
        "x = 1; // race missed(lockset): only proves",
        "x = 1; // race missed(explore)",
        "x = 1; // race missed(explore): one; missed(explore): two",
        "x = 1; // missed(explore): says no truth",
        "x = 1; // alarm(lockset): says no truth",
        "// race",
        "x = 1; // nothing to say",
    ],
)
def test_malformed_marks_are_refused(line: str) -> None:
    with pytest.raises(MalformedTruth):
        parse_truth(Path("p.c"), line)


def test_marks_are_read() -> None:
    text = 's = "// race";\nx = 1; // race\ny = 1; // no-race\nz = a / b; // no-race alarm(lockset): l; alarm(bmc): b\n'
    text += "w = 1; // race missed(explore): m\n"
    truth = parse_truth(Path("p.c"), text)
    assert truth.race_lines == {2, 5}
    assert sorted(truth.lines) == [2, 3, 4, 5]
    assert dict(truth.lines[4].alarms) == {"lockset": "l", "bmc": "b"}
    assert dict(truth.lines[5].missed) == {"explore": "m"}
    assert [truth.announces(engine) for engine in ("lockset", "explore", "petri")] == [True, True, False]
