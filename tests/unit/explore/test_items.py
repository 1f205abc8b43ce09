"""Items that count when they have ended: lost, given up, kept in a file, and what is left."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from exploration.compare import ALGORITHMS, compile_one
from exploration.generator import generate, mode_of
from exploration.syntax import render
from unit.explore.fake_host import FakeHost
from unit.explore.test_parallel import CONTROL, LATE_THREADS, LATE_TRY, SECTIONS, Loaded, load, outcome, races, sections

from raceproof.core import Budget, InputError
from raceproof.explore import ExploreOptions, run
from raceproof.explore.checkpoint import Checkpoint
from raceproof.explore.crew import LocalCrew, Loss, Order, Runner
from raceproof.explore.engine import control, watched_pairs
from raceproof.explore.estimate import Estimate
from raceproof.explore.options import Sharing
from raceproof.explore.parallel import State, run_crew
from raceproof.explore.preparation import Prepared, prepare
from raceproof.explore.process import Host, HostRun
from raceproof.explore.protocol import (
    GIVEN_UP,
    BoundedRecord,
    Control,
    NodeRecord,
    OtherRecord,
    OutputRecord,
    PathRecord,
    RaceRecord,
    RequestRecord,
    parse,
)
from raceproof.explore.record_text import format_record
from raceproof.explore.tree import Node, Tree
from raceproof.facts import analyse, race_pairs
from raceproof.model import EngineResult, Scope, Verdict

FEW = Sharing(first=0.0, executions=9)


class FaultyCrew(LocalCrew):
    """Some of its items are lost while they are at work."""

    def __init__(self, prepared: Prepared, asked: Control, fails: Callable[[Order], bool]) -> None:
        super().__init__(prepared.host, prepared.program, asked, 2, 5.0, is_whole=True)
        self.fails = fails
        self.doomed: set[Host] = set()

    def start(self, order: Order) -> Host:
        host = super().start(order)
        if self.fails(order):
            self.doomed.add(host)
        return host

    def wait(self, runners: Sequence[Runner], seconds: float) -> Sequence[Host]:
        ready = set(super().wait(runners, seconds))
        for host in self.doomed.intersection(ready):
            if host.read():  # after it has said something
                host.lost, host.is_closed = "the worker ended", True
        return [host for host in ready if host not in self.doomed or host.is_closed]

    def lost(self, runner: Runner, how: str) -> Loss:
        return Loss()


def prepared_of(program: Loaded, algorithm: str = "optimal") -> tuple[Prepared, Control]:
    options = ExploreOptions(module=program.module, algorithm=algorithm, find_all=True)
    pairs = race_pairs(program.cp)
    prepared = prepare(program.cp, watched_pairs(program.cp, pairs, options), options, Budget.seconds(60))
    return prepared, control(prepared, options, 60.0)


def with_checkpoint(program: Loaded, algorithm: str, path: Path, jobs: int = 2, **options: object) -> EngineResult:
    given = ExploreOptions(module=program.module, algorithm=algorithm, find_all=True, jobs=jobs, checkpoint=path)
    given = replace(given, **{"sharing": FEW, **options})  # type: ignore[arg-type]
    return run(program.cp, race_pairs(program.cp), given, Budget.seconds(60))


@pytest.mark.parametrize(
    "algorithm",
    ["optimal", "race", *(pytest.param(name, marks=pytest.mark.slow) for name in ("dfs", "dhtc", "dpor", "pdp"))],
)
def test_items_that_count_as_a_whole(tmp_path: Path, algorithm: str) -> None:
    program = sections(tmp_path, 3, 2)
    alone = program.explore(algorithm, 1)
    shared = with_checkpoint(program, algorithm, tmp_path / "state")
    assert outcome(shared) == outcome(alone)
    assert shared.stats["executions"] == alone.stats["executions"]


@pytest.mark.parametrize("text", [LATE_TRY, pytest.param(LATE_THREADS, marks=pytest.mark.slow)])
def test_what_is_found_late(tmp_path: Path, text: str) -> None:
    program = load(tmp_path, text)
    alone = program.explore("optimal", 1)
    assert outcome(with_checkpoint(program, "optimal", tmp_path / "state")) == outcome(alone)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(21, 33))
def test_generated_programs(tmp_path: Path, seed: int) -> None:
    source = generate(seed, mode_of(seed))
    compiled = compile_one(source, tmp_path)
    program = Loaded(analyse(compiled.program, Budget.seconds(30)), compiled.module)
    for algorithm in ALGORITHMS[source.mode]:
        alone = program.explore(algorithm, 1)
        few = max(2, int(alone.stats["executions"]) // 20)
        shared = with_checkpoint(program, algorithm, tmp_path / algorithm, sharing=Sharing(first=0.0, executions=few))
        assert outcome(shared) == outcome(alone), f"{algorithm}\n{render(source)}"
        if algorithm == "optimal" and "cond_wait" not in render(source):
            assert int(shared.stats["executions"]) - int(shared.stats["blocked"]) == alone.stats["executions"]


def test_lost_items_are_done_again_and_counted_apart(tmp_path: Path) -> None:
    prepared, asked = prepared_of(sections(tmp_path, 3, 2))
    lots = random.Random(29)
    lost = set[object]()

    def fails(order: Order) -> bool:
        """At most once for each prefix."""
        prefix = order.part.item if order.part is not None else None
        if prefix in lost or lots.random() < 0.6:
            return False
        lost.add(prefix)
        return True

    result = run_crew(FaultyCrew(prepared, asked, fails), asked, sharing=FEW)
    assert result.end == "complete"
    assert result.stats()["executions"] == 90
    assert result.stats()["blocked"] == 0
    assert result.stats()["items_lost"] == len(lost) > 1


def test_an_item_that_is_lost_three_times_is_given_up(tmp_path: Path) -> None:
    prepared, asked = prepared_of(sections(tmp_path, 3, 2))
    chosen: list[object] = []
    begun = []

    def fails(order: Order) -> bool:
        if order.part is None or order.part.item is None:
            return False
        chosen[:] = chosen or [order.part.item]
        begun.append(order.part.item)
        return order.part.item == chosen[0]

    result = run_crew(FaultyCrew(prepared, asked, fails), asked, sharing=FEW)
    assert begun.count(chosen[0]) == 3
    assert result.end == GIVEN_UP
    assert 4 < result.stats()["executions"] < 90  # the rest went on
    assert any("given up: the worker ended" in note for note in result.notes)


def test_what_was_given_up_is_not_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = sections(tmp_path, 3, 2)
    whole = with_checkpoint(program, "optimal", tmp_path / "state")
    assert all(f.scope is Scope.THIS_INPUT for f in whole.findings)
    monkeypatch.setattr(
        "raceproof.explore.shared.run_crew", lambda *rest: HostRun(records=[], end=GIVEN_UP, notes=("given up",))
    )
    result = with_checkpoint(program, "optimal", tmp_path / "state")
    assert {f.verdict for f in result.findings} == {Verdict.UNKNOWN}
    assert result.stopped == "a part of the search was given up"
    assert not result.stats["complete"]


# -- checkpoints


def test_a_search_goes_on_where_it_ended(tmp_path: Path) -> None:
    program, state = sections(tmp_path, 3, 2), tmp_path / "state"
    first = with_checkpoint(program, "optimal", state, max_executions=30, sharing=Sharing(first=0.0, executions=4))
    assert first.stopped == "limit of 30 executions reached"
    assert first.stats["executions"] == 30
    assert any("some" in note and "executions left" in note for note in first.notes)
    second = with_checkpoint(program, "optimal", state, jobs=1)
    assert second.stopped is None
    assert (second.stats["executions"], second.stats["blocked"]) == (90, 0)
    assert any(note.startswith("taken up from") and "30 executions made" in note for note in second.notes)
    third = with_checkpoint(program, "optimal", state)  # nothing is left
    assert outcome(third) == outcome(second)
    assert third.stats["executions"] == 90


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        (SECTIONS % {"threads": 3, "sections": 2}, (5,)),
        pytest.param(LATE_THREADS, (3, 7, 11), marks=pytest.mark.slow),
        pytest.param(LATE_TRY, (2, 3), marks=pytest.mark.slow),
    ],
)
def test_a_crash_costs_what_was_at_work_and_no_more(tmp_path: Path, text: str, limits: tuple[int, ...]) -> None:
    prepared, asked = prepared_of(load(tmp_path, text))
    alone = run_crew(FaultyCrew(prepared, asked, lambda order: False), asked, sharing=FEW)
    checkpoint = Checkpoint(tmp_path / "state", prepared.program, asked, "memory", every=0.0)

    class Crash(Exception):
        pass

    def keep(state: State, is_end: bool) -> None:
        checkpoint.keep(state, is_end)
        if state.ledger.items >= limit > 0:
            raise Crash

    for limit in limits:
        crew = LocalCrew(prepared.host, prepared.program, asked, 2, 5.0, is_whole=True)
        try:
            ended = run_crew(crew, asked, sharing=FEW, state=checkpoint.load(), on_state=keep)
        except Crash:
            continue
        pytest.fail(f"after {limit}: {ended}")
    limit = -1
    crew = LocalCrew(prepared.host, prepared.program, asked, 2, 5.0, is_whole=True)
    result = run_crew(crew, asked, sharing=FEW, state=checkpoint.load(), on_state=keep)
    assert result.end == "complete"

    def found(result: HostRun) -> set[object]:
        return {tuple(sorted(r.accesses)) for r in result.records if isinstance(r, RaceRecord)}

    assert found(result) == found(alone)
    assert result.stats()["executions"] > 10
    made = result.stats()["executions"] - result.stats()["blocked"]
    assert made == alone.stats()["executions"] - alone.stats()["blocked"]


def test_a_race_that_was_found_last_is_a_scheduling_point_when_the_search_goes_on(tmp_path: Path) -> None:
    """The search was interrupted after the race and before it could begin anew: what is open is void."""
    host = FakeHost(tmp_path, 'write("end", "complete")')
    race = parse("race\t4\t1\t9\t2\tcounter\t1\t0:3 1:2\t\t0:0:-1")
    for algorithm, is_void in (("race", True), ("optimal", False)):
        asked = replace(CONTROL, algorithm=algorithm)
        state = State()
        state.ledger.take(race, ())
        root = Node()
        state.tree.add(Node(root, 0))
        crew = LocalCrew(host.path, Path("program.so"), asked, 1, 5.0, is_whole=True)
        assert run_crew(crew, asked, state=state).end == "complete"
        told = host.asked()[-1]
        assert any(line.startswith("item 0:0") for line in told) != is_void
        assert {"visible 4", "visible 9"}.issubset(told) == is_void


def test_what_the_machine_says_may_change_between_two_commands(tmp_path: Path) -> None:
    asks = (SECTIONS % {"threads": 2, "sections": 2}).replace(
        "int main(void) {", 'extern char *getenv(const char *);\nint main(void) {\n    if (getenv("X")) counter = 3;'
    )
    program, state = load(tmp_path, asks), tmp_path / "state"
    first = with_checkpoint(program, "optimal", state)
    again = with_checkpoint(program, "optimal", state)
    assert {f.scope for f in first.findings} == {Scope.THIS_INPUT}
    assert {f.scope for f in again.findings} == {Scope.BOUNDED}


def test_checkpoints_of_other_searches_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, state = sections(tmp_path, 2, 1), tmp_path / "state"
    with_checkpoint(program, "optimal", state)
    with pytest.raises(InputError, match="for another program"):
        with_checkpoint(program, "dpor", state)
    with pytest.raises(InputError, match="for another program"):
        with_checkpoint(sections(tmp_path, 2, 2), "optimal", state)
    with_checkpoint(program, "optimal", state, jobs=1, max_executions=99)  # which may differ
    monkeypatch.setattr("raceproof.__version__", "9.9")
    with pytest.raises(InputError, match="by another version"):
        with_checkpoint(program, "optimal", state)
    text = state.read_text(encoding="utf-8")
    state.write_text(text.replace('"open":[', '"open":[0,'), encoding="utf-8")
    with pytest.raises(InputError, match="it is damaged"):
        with_checkpoint(program, "optimal", state)
    state.write_text("int main(void) {}\n", encoding="utf-8")
    with pytest.raises(InputError, match="it is not a checkpoint"):
        with_checkpoint(program, "optimal", state)
    assert state.read_text(encoding="utf-8") == "int main(void) {}\n"


def test_a_file_that_cannot_be_written_does_not_end_the_search(tmp_path: Path) -> None:
    prepared, asked = prepared_of(sections(tmp_path, 2, 1))
    checkpoint = Checkpoint(tmp_path / "gone" / "state", prepared.program, asked, "memory")
    checkpoint.keep(State(), True)
    assert "could not be written: No such file" in str(checkpoint.problem)


@pytest.mark.parametrize(
    "line",
    [
        "race\t4\t1\t9\t2\theap%201.3%2B8\t1\t0:3 1:2\t7@12 0@-1\t0:0:-1 1:0:14",
        "other\tdead%09lock\tstuck%0Ahere\t0\t-1\t0:1\t\t0:0:-1",
        "bounded\tan%20execution",
        "bounded\tan%20execution\t17",
        "output\thello%0A%C3%A9",
    ],
)
def test_records_survive(line: str) -> None:
    record = parse(line)
    assert isinstance(record, RaceRecord | OtherRecord | BoundedRecord | OutputRecord)
    again = parse(format_record(record))
    assert again == record
    if isinstance(record, RaceRecord) and isinstance(again, RaceRecord):
        assert again.run.input_sites == record.run.input_sites


# -- what is left


def test_mass_is_divided_evenly() -> None:
    tree = Tree()
    tree.begin()
    path = [tree.next()]
    tree.divide(path, PathRecord(((0, 0), (1, 0))))
    assert tree.divide(path, NodeRecord(0, 0b0001, 0b0010)) == 0.0  # one leads on, one is for others
    assert tree.divide(path, NodeRecord(1, 0b0110, 0b1000)) == pytest.approx(0.5 / 3)  # and one is done
    assert path[-1].mass == pytest.approx(0.5 / 3)
    assert sorted(node.mass for _, _, node in tree.open) == pytest.approx([0.5 / 3, 0.5])
    tree.divide(path, RequestRecord(0, 0b1000, 3))
    assert tree.whole == pytest.approx(1.5)
    tree.divide(path, RequestRecord(0, 0b1000, 3))  # it is taken care of
    assert tree.whole == pytest.approx(1.5)
    assert len(tree.open) == 3


def test_estimates_of_even_trees_are_exact() -> None:
    tree, estimate = Tree(), Estimate()
    for number in range(1, 11):
        assert estimate.left(tree) is None or number > 5
        tree.done = number / 16
        estimate.add(1 / 16, 50, tree)
    left = estimate.left(tree)
    assert left is not None
    assert (left.executions, left.least, left.most) == (300, 300, 300)
    assert str(left) == "some 300 executions left (300 to 300); 62 % of the known tree is searched"


def test_estimates_of_uneven_trees_have_a_spread() -> None:
    tree, estimate = Tree(), Estimate()
    for number in range(10):
        tree.done += 1 / 20
        estimate.add(1 / 20, 10 if number % 2 else 1000, tree)
    left = estimate.left(tree)
    assert left is not None
    assert left.least < 0.7 * left.executions
    assert left.most > 1.3 * left.executions
    tree.whole, grown = 2.0, left.most
    estimate.add(1 / 20, 505, tree)
    left = estimate.left(tree)
    assert left is not None
    assert left.most > 2 * grown
    assert left.grows
    assert "or more, as the tree still grows" in str(left)


def test_races_are_found_once_each(tmp_path: Path) -> None:
    program = load(tmp_path, LATE_THREADS)
    assert races(with_checkpoint(program, "race", tmp_path / "state")) == races(program.explore("race", 1))
