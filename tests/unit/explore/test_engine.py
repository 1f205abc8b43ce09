"""What the engine concludes from what the host says. The host is a script; no compiler is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from unit.explore.fake_host import FakeHost
from unit.handmade import MAIN_READ, PAIRS, READ, WRITE, concurrent_program

from raceproof import facts
from raceproof.core import Budget, InternalError, LimitReached, Unsupported
from raceproof.explore import ExploreOptions, Prepared, engine, preparation, run
from raceproof.ir import ExternalFunction, VoidType
from raceproof.model import (
    AccessId,
    ConcurrentProgram,
    EngineResult,
    Exhausted,
    RacePair,
    Reason,
    Schedule,
    Scope,
    Verdict,
)

DONE = """
write("stat", "executions", 12)
write("stat", "transitions", 340)
write("end", "complete")
"""
RACE = """
write("race", 3, 0, 2, 1, "counter", 1, "0:4 1:2", "", "0:0:0 1:0:9")
write("stat", "executions", 3)
write("end", "race")
"""
AGAIN = """
write("step", 1, 2, "write", 2, "counter", "1", "", "")
write("race", 3, 0, 2, 1, "counter", 1, "0:4 1:2", "", "0:0:0 1:0:9")
write("end", "replayed")
"""


class Setting:
    """The engine with a host that says what a test chose."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._directory = directory
        self._monkeypatch = monkeypatch
        self.host: FakeHost | None = None
        self.unobserved: frozenset[AccessId] = frozenset()
        self.why: str | None = None
        monkeypatch.setattr(facts, "race_pairs", lambda cp: PAIRS)

    def run(
        self,
        search: str,
        replay: str = AGAIN,
        options: ExploreOptions = ExploreOptions(),  # noqa: B008  frozen
        pairs: Sequence[RacePair] = PAIRS,
        budget: Budget | None = None,
    ) -> EngineResult:
        host = self.host = FakeHost(self._directory, search, replay)

        def prepare(
            cp: ConcurrentProgram, pairs: Sequence[RacePair], options: ExploreOptions, budget: Budget
        ) -> Prepared:
            return Prepared(
                host=host.path,
                program=Path("program.so"),
                name="demo",
                pairs=tuple((pair.first, pair.second) for pair in pairs),
                isolation="memory" if options.isolation == "auto" else options.isolation,
                why_isolation=self.why,
                unobserved=self.unobserved,
                module="abc",
            )

        self._monkeypatch.setattr(engine, "prepare", prepare)
        return run(concurrent_program(), pairs, options, budget or Budget.unlimited())

    def asked(self) -> list[list[str]]:
        assert self.host is not None
        return self.host.asked()


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setting:
    return Setting(tmp_path, monkeypatch)


def verdicts(result: EngineResult) -> list[Verdict]:
    return [finding.verdict for finding in result.findings]


def reason(result: EngineResult, index: int = 0) -> str:
    evidence = result.findings[index].evidence
    assert isinstance(evidence, Reason)
    return evidence.text


def test_a_complete_search_proves_for_this_input(setting: Setting) -> None:
    result = setting.run(DONE)
    assert verdicts(result) == [Verdict.RACE_FREE] * 3
    assert {finding.scope for finding in result.findings} == {Scope.THIS_INPUT}
    assert result.findings[0].evidence == Exhausted(12, "race")
    assert result.stopped is None
    assert (result.stats["algorithm"], result.stats["complete"], result.stats["executions"]) == ("race", True, 12)
    assert {"blocked", "transitions", "executions_per_second", "subspace_checks"} <= set(result.stats)
    assert {"subspace_race_free", "backtracks_skipped"} <= set(result.stats)


def test_the_host_is_asked_for_what_the_user_wants(setting: Setting) -> None:
    options = ExploreOptions(
        algorithm="optimal", find_all=True, max_executions=7, max_steps=99, arguments=("a b",), spurious=True
    )
    setting.run(DONE, options=options)
    [control] = setting.asked()
    expected = ["algorithm optimal", "all 1", "max_executions 7", "max_steps 99", "spurious 1", "arg demo", "arg a%20b"]
    assert set(expected) <= set(control)
    assert [line for line in control if line.startswith("pair")] == ["pair 1 2", "pair 2 2", "pair 2 3"]
    assert "time_limit 0.000" in control


def test_a_race_is_repeated_twice_and_reported(setting: Setting) -> None:
    result = setting.run(RACE)
    assert verdicts(result) == [Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.RACE]
    evidence = result.findings[2].evidence
    assert isinstance(evidence, Schedule)
    assert (evidence.accesses, evidence.racers, evidence.together) == ((MAIN_READ, WRITE), (0, 1), True)
    assert evidence.run.turns == ((0, 4), (1, 2))
    assert result.stopped is None
    assert "ended with the first race" in reason(result)
    search, *replays = setting.asked()
    assert not any(line.startswith(("schedule", "drive")) for line in search)
    assert len(replays) == 2
    for control in replays:
        assert control[-2:] == ["schedule 0:4 1:2", "drive 0:4 1:2"]
    assert result.setup is not None
    assert (result.setup.module, result.setup.isolation) == ("abc", "memory")
    assert result.setup.pairs == ((READ, WRITE), (WRITE, WRITE), (WRITE, MAIN_READ))


def test_a_race_that_is_not_met_together_is_replayed_without_driving(setting: Setting) -> None:
    result = setting.run(RACE.replace('"counter", 1', '"counter", 0'))
    assert verdicts(result)[2] is Verdict.RACE
    assert setting.asked()[1][-1] == "schedule 0:4 1:2"


def test_after_all_races_the_others_are_proved(setting: Setting) -> None:
    result = setting.run(RACE.replace('end", "race', 'end", "complete'), options=ExploreOptions(find_all=True))
    assert verdicts(result) == [Verdict.RACE_FREE, Verdict.RACE_FREE, Verdict.RACE]


@pytest.mark.parametrize(
    "replay",
    [
        'write("end", "replayed")',
        AGAIN.replace('"race", 3, 0, 2, 1', '"race", 2, 2, 2, 1'),
        AGAIN.replace('"race", 3, 0, 2, 1', '"race", 3, 0, 2, 2'),
        "sys.exit(1)",
    ],
)
def test_a_race_that_does_not_repeat_is_unknown_and_so_is_everything_else(setting: Setting, replay: str) -> None:
    result = setting.run(RACE.replace('end", "race', 'end", "complete'), replay)
    assert verdicts(result) == [Verdict.UNKNOWN] * 3
    assert reason(result, 2).startswith("possible")
    assert "does not do the same" in reason(result)


def test_many_races_are_repeated_in_the_time_of_the_search_only(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = 'write("race", 2, 1, 2, 2, "counter", 1, "0:4 1:2", "", "0:0:0 1:0:9")'
    monkeypatch.setattr(engine, "_REPEATED", 1)
    monkeypatch.setattr(engine, "_time_for_many", lambda options, budget: Budget.seconds(-1))
    result = setting.run(f"{RACE.splitlines()[1]}\n{other}\n{RACE.splitlines()[2]}\nwrite('end', 'complete')\n")
    assert verdicts(result)[1:] == [Verdict.UNKNOWN, Verdict.RACE]
    assert "no time to repeat it" in reason(result, 1)


def test_the_run_that_meets_both_threads_is_shown(setting: Setting) -> None:
    late = RACE.splitlines()[1].replace('"counter", 1, "0:4 1:2"', '"counter", 0, "0:1"')
    evidence = setting.run(f"{late}\n{RACE}").findings[2].evidence
    assert isinstance(evidence, Schedule)
    assert evidence.together


@pytest.mark.parametrize("unknown", [False, True])
def test_a_race_on_a_pair_that_was_proved_is_a_contradiction(setting: Setting, unknown: bool) -> None:
    search = RACE.replace('"race", 3, 0, 2, 1', '"race", 1, 0, 3, 1') if unknown else RACE
    with pytest.raises(InternalError, match="contradiction") as caught:
        setting.run(search, pairs=PAIRS[:2])
    assert ("cannot touch" if unknown else "proved race-free") in str(caught.value)


def test_without_trust_all_pairs_are_watched(setting: Setting) -> None:
    result = setting.run(DONE, pairs=PAIRS[:1], options=ExploreOptions(trust=False))
    assert len(result.findings) == 1
    assert [line for line in setting.asked()[0] if line.startswith("pair")] == ["pair 1 2", "pair 2 2", "pair 2 3"]


def test_with_no_pair_open_the_program_runs_all_the_same(setting: Setting) -> None:
    result = setting.run(DONE, pairs=())
    assert (result.findings, result.stats["executions"]) == ((), 12)


def test_what_was_cut_bounds_the_proof(setting: Setting) -> None:
    result = setting.run('write("bounded", "executions cut at 100 steps")' + DONE)
    assert {finding.scope for finding in result.findings} == {Scope.BOUNDED}
    assert verdicts(result) == [Verdict.RACE_FREE] * 3
    assert result.notes == ("bounded: executions cut at 100 steps",)


@pytest.mark.parametrize(
    ("end", "words", "stopped"),
    [
        ("time", "its time was up", "time limit of 20 s reached"),
        ("executions", "as many as were allowed", "limit of 9 executions reached"),
        ("interrupted", "interrupted", "interrupted"),
    ],
)
def test_a_search_that_was_stopped_proves_nothing(setting: Setting, end: str, words: str, stopped: str) -> None:
    options = ExploreOptions(max_executions=9)
    result = setting.run(DONE.replace("complete", end), options=options, budget=Budget.seconds(20))
    assert verdicts(result) == [Verdict.UNKNOWN] * 3
    assert words in reason(result)
    assert (result.stopped, result.stats["complete"]) == (stopped, False)


def test_no_execution_is_no_proof(setting: Setting) -> None:
    assert verdicts(setting.run('write("end", "complete")')) == [Verdict.UNKNOWN] * 3


def test_an_access_that_cannot_be_observed_takes_all_proofs_away(setting: Setting) -> None:
    setting.unobserved = frozenset({MAIN_READ})
    result = setting.run(DONE)
    assert verdicts(result) == [Verdict.UNKNOWN] * 3
    assert "demo.c:22" in reason(result)


def test_an_unobserved_access_that_is_not_watched_does_not_matter(setting: Setting) -> None:
    setting.unobserved = frozenset({MAIN_READ})
    assert verdicts(setting.run(DONE, pairs=PAIRS[:2])) == [Verdict.RACE_FREE] * 2


def test_more_races_than_can_be_kept_prove_nothing(setting: Setting) -> None:
    result = setting.run(RACE.replace('"race")', '"pairs")'))
    assert verdicts(result) == [Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.RACE]
    assert "more races than it can keep" in reason(result)


CRASH_IN_MEMORY = (
    """
if ["isolation", "memory"] in control:
    os.kill(os.getpid(), signal.SIGSEGV)
"""
    + DONE
)


def test_a_host_that_dies_is_tried_again_in_fork_mode(setting: Setting) -> None:
    result = setting.run(CRASH_IN_MEMORY)
    assert verdicts(result) == [Verdict.RACE_FREE] * 3
    assert result.setup is not None
    assert result.setup.isolation == "fork"
    assert "SIGSEGV" in result.notes[0]


def test_the_memory_mode_stays_if_the_user_asked_for_it(setting: Setting) -> None:
    result = setting.run(CRASH_IN_MEMORY, options=ExploreOptions(isolation="memory"))
    assert verdicts(result) == [Verdict.UNKNOWN] * 3
    assert "SIGSEGV" in reason(result)
    assert "SIGSEGV" in str(result.stopped)


def test_the_choice_of_the_fork_mode_is_said(setting: Setting) -> None:
    setting.why = "it calls `fopen`"
    assert setting.run(DONE).notes == ("a child process for each execution: it calls `fopen`",)


@pytest.mark.parametrize("spurious", [False, True])
def test_wakeups_that_were_not_tried_are_named(setting: Setting, spurious: bool) -> None:
    cp = concurrent_program()
    waits = {"pthread_cond_wait": ExternalFunction("pthread_cond_wait", (), VoidType(), False)}
    options = ExploreOptions(spurious=spurious)
    setting.run(DONE)
    result = run(replace(cp, program=replace(cp.program, externals=waits)), PAIRS, options, Budget.unlimited())
    assert {f.scope for f in result.findings} == {Scope.THIS_INPUT if spurious else Scope.BOUNDED}


def test_other_findings_are_kept(setting: Setting) -> None:
    other = 'write("other", "deadlock", "all%20threads%20wait", 1, 9, "0:3 1:1", "", "0:0:0 1:0:9")'
    [incident] = setting.run(other + DONE).incidents
    assert (incident.kind, incident.message, incident.thread, incident.site) == ("deadlock", "all threads wait", 1, 9)
    assert incident.run.turns == ((0, 3), (1, 1))


def test_the_time_limit_is_passed_on(setting: Setting) -> None:
    setting.run(DONE, budget=Budget.seconds(30))
    [limit] = [float(line.split()[1]) for line in setting.asked()[0] if line.startswith("time_limit")]
    assert 25 < limit < 30


def test_nothing_runs_when_the_time_is_up(setting: Setting) -> None:
    with pytest.raises(LimitReached):
        setting.run(DONE, budget=Budget.seconds(-1))


def test_progress_is_shown(setting: Setting) -> None:
    seen: list[str] = []
    setting.run('write("progress", 1200, 0, 5, 3, 1)' + DONE, options=ExploreOptions(on_progress=seen.append))
    assert any("1,200 executions" in text and "depth 3, 1 pairs open" in text for text in seen)


def test_a_32_bit_program_is_not_run_where_the_system_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    cp = concurrent_program()
    monkeypatch.setattr(preparation, "why_not_32_bits", lambda: "it is Sunday")
    with pytest.raises(Unsupported, match="32-bit program: it is Sunday"):
        run(replace(cp, program=replace(cp.program, pointer_size=4)), PAIRS, ExploreOptions(), Budget.unlimited())
