"""The verdict on the program from what engines say, with facts and engines made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from unit.handmade import (
    LOCKED,
    MAIN_READ,
    PAIRS,
    RUN,
    WORKER,
    WRITE,
    concurrent_program,
    program,
    proof,
    unknown,
    witness,
)

from raceproof import facts, frontend
from raceproof.core import Budget, InternalError, LimitReached, SourcePos, ToolMissing, Unsupported
from raceproof.ir import Program, SiteId
from raceproof.model import (
    MAIN,
    CheckResult,
    ConcurrentProgram,
    EngineResult,
    Exhausted,
    Finding,
    Incident,
    InputKind,
    Linear,
    MemLoc,
    Models,
    Moment,
    ProgramInput,
    RacePair,
    Reason,
    RunSetup,
    Schedule,
    Scope,
    SourceFile,
    Sources,
    Verdict,
    View,
)
from raceproof.portfolio import ENGINES, Engine, Settings, check

Answer = Callable[[Sequence[RacePair]], list[Finding]]


@pytest.fixture(autouse=True)
def _facts(monkeypatch: pytest.MonkeyPatch) -> None:
    def describe_location(cp: ConcurrentProgram, location: MemLoc) -> str:
        return cp.objects[location.object].name

    def describe_lock(cp: ConcurrentProgram, address: Linear) -> str:
        return "mutex"

    def analyse(program: Program, budget: Budget, models: Models, with_waits: bool) -> ConcurrentProgram:
        return replace(concurrent_program(), inputs=())

    monkeypatch.setattr(facts, "analyse", analyse)
    monkeypatch.setattr(facts, "race_pairs", lambda cp, budget: PAIRS)
    monkeypatch.setattr(facts, "describe_location", describe_location)
    monkeypatch.setattr(facts, "describe_lock", describe_lock)


def run(
    monkeypatch: pytest.MonkeyPatch,
    *answers: Answer,
    budget: Budget | None = None,
    settings: Settings = Settings(),  # noqa: B008  frozen
    inputs: tuple[ProgramInput, ...] | None = (),
    obstacles: tuple[str, ...] = (),
) -> CheckResult:
    """Check with engines e0, e1, ... that answer as told, a program with these inputs, of which this was left out."""

    def analyse(program: Program, budget: Budget, models: Models, with_waits: bool) -> ConcurrentProgram:
        cp = concurrent_program()
        return replace(cp, inputs=inputs, program=replace(cp.program, obstacles=obstacles))

    if inputs != () or obstacles:
        monkeypatch.setattr(facts, "analyse", analyse)
    for i, answer in enumerate(answers):

        def engine(
            cp: ConcurrentProgram,
            pairs: Sequence[RacePair],
            settings: Settings,
            budget: Budget,
            name: str = f"e{i}",
            answer: Answer = answer,
        ) -> EngineResult:
            return EngineResult(name, tuple(answer(pairs)), 0.5, {"rounds": 1})

        monkeypatch.setitem(ENGINES, f"e{i}", Engine(engine))
    return check(program(), [f"e{i}" for i in range(len(answers))], budget or Budget.unlimited(), settings)


def prove_all(pairs: Sequence[RacePair]) -> list[Finding]:
    return [proof(pair) for pair in pairs]


def raise_(error: BaseException) -> Answer:
    def answer(pairs: Sequence[RacePair]) -> list[Finding]:
        raise error

    return answer


def test_race_free_when_all_pairs_are_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, prove_all)
    assert (result.verdict, result.scope) == (Verdict.RACE_FREE, Scope.ALL_INPUTS)
    assert [p.id for p in result.pairs] == [1, 2, 3]
    assert result.pairs[0].evidence == ("common-lock mutex",)
    engine = result.engines[0]
    assert (engine.name, engine.proved, engine.witnessed, engine.open) == ("e0", 3, 0, 0)
    assert engine.stats == {"rounds": 1}


def test_the_scope_is_that_of_the_weakest_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    scopes = [Scope.ANY_THREADS, Scope.THIS_INPUT, Scope.ALL_INPUTS]
    engine = partial(_proved_with, scopes)
    result = run(monkeypatch, engine, settings=Settings(accepted=Scope.THIS_INPUT))
    assert (result.verdict, result.scope) == (Verdict.RACE_FREE, Scope.THIS_INPUT)


GETENV = ProgramInput(InputKind.ENVIRONMENT, "getenv", SourcePos("demo.c", 12), "MODE")


def _proved_with(scopes: Sequence[Scope], pairs: Sequence[RacePair]) -> list[Finding]:
    return [proof(pair, scope) for pair, scope in zip(pairs, scopes, strict=True)]


def test_a_proof_for_one_input_is_none_for_a_program_with_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODE", "fast")
    scopes = [Scope.ALL_INPUTS, Scope.THIS_INPUT, Scope.THIS_INPUT]
    result = run(monkeypatch, partial(_proved_with, scopes), inputs=(GETENV,))
    assert (result.verdict, result.scope, result.is_for_this_input) == (Verdict.UNKNOWN, None, True)
    assert result.reason == (
        "no race with this input (arguments: none; standard input: empty; MODE=fast; the program reads"
        ' `getenv("MODE")` at demo.c:12)'
    )
    assert [(p.verdict, p.scope) for p in result.pairs] == [
        (Verdict.RACE_FREE, Scope.ALL_INPUTS),
        (Verdict.UNKNOWN, Scope.THIS_INPUT),
        (Verdict.UNKNOWN, Scope.THIS_INPUT),
    ]


def test_engines_go_on_where_a_proof_holds_for_one_input_only(monkeypatch: pytest.MonkeyPatch) -> None:
    first = partial(_proved_with, [Scope.THIS_INPUT] * 3)
    result = run(monkeypatch, first, prove_all, inputs=(GETENV,))
    assert (result.verdict, result.scope) == (Verdict.RACE_FREE, Scope.ALL_INPUTS)


@pytest.mark.parametrize(("inputs", "verdict"), [((), Verdict.RACE_FREE), (None, Verdict.UNKNOWN)])
def test_a_program_without_input_is_proved_by_its_executions(
    monkeypatch: pytest.MonkeyPatch, inputs: tuple[ProgramInput, ...] | None, verdict: Verdict
) -> None:
    result = run(monkeypatch, partial(_proved_with, [Scope.THIS_INPUT] * 3), inputs=inputs)
    assert result.verdict is verdict
    assert result.input is not None
    assert bool(result.input.reads) is (verdict is Verdict.UNKNOWN)


def test_what_was_left_out_of_the_program_leaves_nothing_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, prove_all, obstacles=("`#pragma omp parallel` at a.c:3 was ignored",))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "`#pragma omp parallel` at a.c:3 was ignored")


def test_without_pairs_the_program_is_race_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "race_pairs", lambda cp, budget: ())
    result = run(monkeypatch, raise_(AssertionError("must not run")))
    assert (result.verdict, result.scope) == (Verdict.RACE_FREE, Scope.ALL_INPUTS)
    assert "shared" in str(result.reason)
    assert result.engines == ()


def test_an_open_pair_makes_the_program_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, lambda pairs: [proof(pairs[0]), proof(pairs[1]), unknown(pairs[2])])
    assert (result.verdict, result.scope) == (Verdict.UNKNOWN, None)
    assert result.reason == "1 of 3 pairs of accesses not decided"
    assert result.pairs[2].evidence == ("no common lock",)


def test_a_pair_that_the_engine_forgets_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, lambda pairs: [proof(pairs[0])])
    assert result.verdict is Verdict.UNKNOWN
    assert result.pairs[1].evidence == ("no engine has looked at this pair",)


def test_a_bounded_search_is_unknown_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = Exhausted(3, "race", ("executions cut at 10 steps",))
    result = run(
        monkeypatch,
        lambda pairs: [unknown(p, engine="e0") for p in pairs],
        lambda pairs: [Finding(p, Verdict.RACE_FREE, proof, "e1", Scope.BOUNDED) for p in pairs],
    )
    assert (result.verdict, result.pairs[0].scope) == (Verdict.UNKNOWN, Scope.BOUNDED)
    assert result.pairs[0].evidence == (
        "no common lock",
        "proved by e1 up to a bound only: explored all schedules, 3 executions, executions cut at 10 steps",
    )


def test_a_bounded_proof_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, lambda pairs: [proof(p, Scope.BOUNDED) for p in pairs])
    assert result.verdict is Verdict.UNKNOWN
    assert {p.verdict for p in result.pairs} == {Verdict.UNKNOWN}
    assert result.engines[0].proved == 0


def test_one_witness_makes_it_a_race(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, lambda pairs: [unknown(pairs[0]), witness(pairs[1]), proof(pairs[2])])
    assert result.verdict is Verdict.RACE
    assert result.engines[0].witnessed == 1


def test_a_race_is_shown_in_the_threads_that_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule has the accesses in the order of the run: main read first."""
    evidence = Schedule(RUN, (MAIN_READ, WRITE), (0, 2), True)
    finding = Finding(PAIRS[2], Verdict.RACE, evidence, "explore")
    pair = run(monkeypatch, lambda pairs: [unknown(p) for p in pairs[:2]], lambda pairs: [finding]).pairs[2]
    assert (pair.verdict, pair.engine) == (Verdict.RACE, "explore")
    assert [(a.function, a.thread, a.held) for a in pair.accesses] == [
        ("worker", "thread 2 `worker`", ("mutex",)),
        ("main", "main thread", ()),
    ]
    assert pair.race is not None
    assert pair.race.schedule is evidence
    assert [(t.id, t.function) for t in pair.race.threads] == [(0, "main"), (1, "worker"), (2, "worker")]
    assert "both threads stood before their accesses" in pair.evidence[0]


def test_engines_that_always_run_do_so(monkeypatch: pytest.MonkeyPatch) -> None:
    incident = Incident("deadlock", "all wait", 1, SiteId(0), RUN)
    setup = RunSetup("abc", "race", (), (), "memory", False, 100)

    def engine(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
        settings.on_progress("running")
        return EngineResult("e", (), 0.5, notes=("by fork",), incidents=(incident,), setup=setup)

    prover = Engine(lambda cp, pairs, settings, budget: EngineResult("p", tuple(prove_all(pairs)), 0))
    monkeypatch.setitem(ENGINES, "p", prover)
    monkeypatch.setitem(ENGINES, "e", Engine(engine))
    stages: list[str] = []
    request = frontend.CompileRequest((frontend.Unit(Path("a.c"), ("-DX",), Path("/src")),), root=Path("/work"))
    settings = Settings(always=frozenset({"e"}), request=request)
    result = check(program(), ["p", "e"], Budget.unlimited(), settings, stages.append)
    assert (result.verdict, result.scope) == (Verdict.RACE_FREE, Scope.ALL_INPUTS)
    assert stages == ["facts", "engine p", "engine e", "running", "result"]
    [other] = result.other
    assert (other.id, other.kind, other.message, other.thread) == (1, "deadlock", "all wait", 1)
    assert result.engines[1].notes == ("by fork",)
    assert result.setup is setup
    assert result.sources == Sources((SourceFile("a.c", ("-DX",), "/src"),), "LP64", "auto", None, "main", root="/work")
    assert [e.name for e in check(program(), ["p", "e"], Budget.unlimited()).engines] == ["p"]


def test_an_engine_that_was_interrupted_gives_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def engine(cp: ConcurrentProgram, pairs: Sequence[RacePair], settings: Settings, budget: Budget) -> EngineResult:
        return EngineResult("e", (witness(pairs[1]),), 0.5, stopped="interrupted", interrupted=True)

    monkeypatch.setitem(ENGINES, "e", Engine(engine, is_cheap=True))
    result = check(program(), ["e", "lockset"], Budget.unlimited())
    assert (result.interrupted, result.verdict) == (True, Verdict.RACE)
    assert [e.name for e in result.engines] == ["e"]


def test_later_engines_get_only_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sequence[RacePair]] = []

    def second(pairs: Sequence[RacePair]) -> list[Finding]:
        seen.append(pairs)
        return prove_all(pairs)

    result = run(monkeypatch, lambda pairs: [proof(pairs[0]), unknown(pairs[1]), unknown(pairs[2])], second)
    assert [tuple(pairs) for pairs in seen] == [PAIRS[1:]]
    assert result.verdict is Verdict.RACE_FREE
    assert [e.open for e in result.engines] == [2, 0]


@pytest.mark.parametrize(
    ("stop", "text"),
    [
        (LimitReached("time limit of 5 s reached"), "time limit of 5 s reached"),
        (Unsupported("setjmp", SourcePos("demo.c", 4)), "demo.c:4: not supported: setjmp"),
        (ToolMissing("no compiler for the runtime"), "no compiler for the runtime"),
    ],
)
def test_an_engine_that_stops_proves_nothing(monkeypatch: pytest.MonkeyPatch, stop: Exception, text: str) -> None:
    result = run(monkeypatch, raise_(stop))
    assert result.verdict is Verdict.UNKNOWN
    assert text in str(result.reason)
    assert all(text in p.evidence[0] for p in result.pairs)
    assert result.engines[0].stopped == text


def test_after_an_engine_that_stops_the_next_may_prove(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, raise_(Unsupported("setjmp")), prove_all).verdict is Verdict.RACE_FREE


def test_no_engine_starts_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, prove_all, budget=Budget.seconds(-1))
    assert result.verdict is Verdict.UNKNOWN
    assert "time limit" in str(result.reason)


@pytest.mark.parametrize("stop", [LimitReached("time limit of 5 s reached"), Unsupported("setjmp")])
def test_facts_that_stop_prove_nothing(monkeypatch: pytest.MonkeyPatch, stop: Exception) -> None:
    def analyse(program: Program, budget: Budget, models: Models, with_waits: bool) -> ConcurrentProgram:
        raise stop

    monkeypatch.setattr(facts, "analyse", analyse)
    result = run(monkeypatch, prove_all)
    assert (result.verdict, result.pairs) == (Verdict.UNKNOWN, ())
    assert str(stop) in str(result.reason)


def test_interrupted_in_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    def analyse(program: Program, budget: Budget, models: Models, with_waits: bool) -> ConcurrentProgram:
        raise KeyboardInterrupt

    monkeypatch.setattr(facts, "analyse", analyse)
    result = run(monkeypatch, prove_all)
    assert result.interrupted
    assert result.reason == "interrupted during facts: nothing decided"


def test_interrupted_in_an_engine_keeps_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(
        monkeypatch,
        lambda pairs: [proof(pairs[0]), unknown(pairs[1]), unknown(pairs[2])],
        raise_(KeyboardInterrupt()),
        prove_all,
    )
    assert result.interrupted
    assert result.verdict is Verdict.UNKNOWN
    assert result.pairs[0].verdict is Verdict.RACE_FREE
    assert "interrupted during engine e1: 1 pair decided" in str(result.reason)
    assert [e.name for e in result.engines] == ["e0", "e1"]


def test_a_finding_that_nobody_asked_for_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InternalError, match="not asked"):
        run(monkeypatch, lambda pairs: [proof(pairs[0])], lambda pairs: [proof(PAIRS[0])])


def test_accesses_are_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = run(monkeypatch, lambda pairs: [unknown(p) for p in pairs]).pairs[2]
    first, second = pair.accesses
    assert pair.target == "counter"
    assert (first.function, first.held) == ("worker", ("mutex",))
    assert first.thread == "thread `worker`, created at demo.c:20 (several at once)"
    assert (second.function, second.thread, second.held) == ("main", "main thread", ())


def test_the_views_that_the_evidence_names_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    cp = concurrent_program()
    plain = View(WORKER, None, frozenset(), Moment(), False)
    read = cp.accesses[MAIN_READ]
    accesses = {**cp.accesses, MAIN_READ: replace(read, views=(*read.views, plain))}
    monkeypatch.setattr(facts, "analyse", lambda program, budget, models, with_waits: replace(cp, accesses=accesses))
    views = (cp.accesses[WRITE].views[0], plain)
    finding = Finding(PAIRS[2], Verdict.UNKNOWN, Reason("no common lock", views=views), "lockset")
    others = [replace(unknown(pair), engine="other") for pair in PAIRS]
    shown = run(monkeypatch, lambda pairs: [finding], lambda pairs: others).pairs[2].accesses
    assert (shown[1].thread, shown[1].held) == (shown[0].thread, ())


def test_views_that_cannot_race_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """An access in main and in a worker: main does not race with itself."""
    cp = concurrent_program()
    both = (View(MAIN, None, frozenset(), Moment(), False), View(WORKER, None, LOCKED, Moment(), False))
    accesses = {**cp.accesses, WRITE: replace(cp.accesses[WRITE], views=both)}
    monkeypatch.setattr(facts, "analyse", lambda program, budget, models, with_waits: replace(cp, accesses=accesses))
    shown = run(monkeypatch, lambda pairs: [unknown(p) for p in pairs]).pairs[1].accesses
    assert [a.thread.split(",")[0] for a in shown] == ["main thread", "thread `worker`"]
