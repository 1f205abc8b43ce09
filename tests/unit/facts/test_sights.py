"""What a thread knows about tokens that it finds is never more than what is true: against runs that number them all."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from raceproof.facts.flow.sights import NO_SIGHTS, Debt, Sight, Sights, join_sights
from raceproof.model import Linear, ObjectId, Opaque
from raceproof.model.symbolic import Base

OBJECT = ObjectId(1)
ALIVE = Linear(0, ((Base(ObjectId(2)), 1),))
CELLS = [Linear(4 * i, ((Base(OBJECT), 1),)) for i in range(2)]
LOCKS = [Linear(40 * i, ((Base(ObjectId(3)), 1),)) for i in range(2)]
REGISTERS = [Opaque(f"f:%{i}") for i in range(2)]
STEPS = st.tuples(
    st.sampled_from(["lock", "unlock", "read", "test", "empty", "count", "put", "take"]), st.integers(0, 1)
)


class Run:
    """One thread, and others that put tokens into cells, or take them out, whenever the lock is free."""

    def __init__(self) -> None:
        self.sights: Sights = NO_SIGHTS
        self.held: set[int] = set()
        self.cells = [0, 0]
        self.registers = [0, 0]
        self.tokens = 0
        self.paid_by: list[int] = []
        self.seen = 0
        self.late: set[Debt] = set()

    def step(self, what: str, i: int) -> None:
        match what:
            case "lock":
                self.held.add(i)
            case "unlock":
                self.held.discard(i)
                self.sights, late = self.sights.under(self.locks())
                self.late |= late
            case "read":
                self.registers[i] = self.cells[i]
                self.sights = self.sights.without_read(REGISTERS[i])
                if self.locks():
                    self.sights = self.sights.with_read(REGISTERS[i], Sight(OBJECT, CELLS[i], self.locks()))
            case "test" if self.registers[i] and REGISTERS[i] in self.sights.reads:
                self.sights = self.sights.seen(REGISTERS[i])
                self.seen = self.registers[i]
            case "empty" if i in self.held:
                self.cells[i] = 0
                self.sights = self.sights.written(OBJECT).emptied(CELLS[i])
            case "count":
                self.sights, by = self.sights.paid(ALIVE)
                if self.with_its_lock(by):
                    self.paid_by.append(self.seen)
            case "put" if i not in self.held and not self.cells[i]:
                self.tokens += 1
                self.cells[i] = self.tokens
            case "take" if i not in self.held:
                self.cells[i] = 0

    def locks(self) -> frozenset[Linear]:
        return frozenset(LOCKS[i] for i in self.held)

    def with_its_lock(self, seen: frozenset[tuple[ObjectId, Linear, Linear]]) -> bool:
        return any((OBJECT, cell, lock) in seen for cell, lock in zip(CELLS, LOCKS, strict=True))

    def is_late(self) -> bool:
        """A lock that was not the cell's may be given back."""
        return any(cell is None or LOCKS[CELLS.index(cell)] in locks for _, cell, locks in self.late)


@settings(max_examples=600)
@given(st.lists(STEPS, max_size=60))
def test_no_token_is_counted_twice(steps: list[tuple[str, int]]) -> None:
    run = Run()
    for what, i in steps:
        run.step(what, i)
        if run.is_late():
            break  # what it did up to here was compared
        assert len(set(run.paid_by)) == len(run.paid_by)
        if run.with_its_lock(run.sights.must_have()) and ALIVE not in run.sights.may_paid:
            assert run.seen not in run.paid_by


@settings(max_examples=300)
@given(st.lists(STEPS, max_size=30), st.lists(STEPS, max_size=30), st.lists(STEPS, max_size=30))
def test_what_holds_on_both_paths(
    one: list[tuple[str, int]], other: list[tuple[str, int]], rest: list[tuple[str, int]]
) -> None:
    """With the knowledge of two paths, joined, what is known on from there holds for either."""
    runs = [Run(), Run()]
    for run, steps in zip(runs, (one, other), strict=True):
        for what, i in steps:
            run.step(what, i)
    joined = join_sights(runs[0].sights, runs[1].sights)
    assert joined.key() == join_sights(runs[1].sights, runs[0].sights).key()
    assume(not any(run.is_late() for run in runs))
    for run in runs:
        before = run.sights
        assert joined.must_seen <= before.must_seen
        assert joined.may_owe >= before.may_owe
        run.sights = joined
        for what, i in rest:
            run.step(what, i)
            if run.is_late():
                break
            assert len(set(run.paid_by)) == len(run.paid_by)


def test_names_that_mean_something_else_are_forgotten_but_not_what_is_owed() -> None:
    read = NO_SIGHTS.with_read(REGISTERS[0], Sight(OBJECT, CELLS[0], frozenset(LOCKS)))
    assert not read.without(lambda value: value == CELLS[0]).reads
    seen = read.seen(REGISTERS[0])
    assert seen.without(lambda value: value == LOCKS[0]).must_have() == {(OBJECT, CELLS[0], LOCKS[1])}
    assert {lock for _, _, lock in seen.without(lambda value: value == LOCKS[0]).must_seen} == {LOCKS[1]}
    owing, by = seen.paid(ALIVE)
    assert by == seen.must_have()
    assert owing.paid(ALIVE)[1] == frozenset()
    for stale in (CELLS[0], LOCKS[0]):
        left, late = owing.without(lambda value, stale=stale: value == stale).under(frozenset(LOCKS))  # type: ignore[misc]
        assert late == {(OBJECT, None, frozenset())}
        assert not left.may_owe
    assert owing.under(frozenset(LOCKS)) == (owing, frozenset())
    assert owing.under(frozenset(LOCKS[:1]))[1] == {(OBJECT, CELLS[0], frozenset(LOCKS[1:]))}
    assert not owing.emptied(CELLS[1]).under(frozenset(LOCKS))[0].emptied(CELLS[0]).may_owe
