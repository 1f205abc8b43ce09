"""What invariants tell other engines of the values that reads find."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from unit.transactions.c_programs import Analysed, of_text
from unit.transactions.generated import program
from unit.transactions.test_reduction_oracle import NOTHING, TooMany, listed, propagation_of

from raceproof.core import Budget, LimitReached
from raceproof.model import AccessId, ReadRange
from raceproof.transactions import engine
from raceproof.transactions.actions import Read
from raceproof.transactions.engine import TransactionsOptions, run
from raceproof.transactions.graph import GraphNode, Move
from raceproof.transactions.invariants import States

COUNTED = """atomic_int state; int x;
void *f(void *p) { state = 1;
x = 1; return 0; }
void *g(void *p) { if (state == 3)
x = 2; return 0; }
int main(void) { pthread_t s, t; create(s, f); create(t, g); join(s); join(t); return 0; }
"""


def ranges_of(found: Analysed) -> dict[AccessId, ReadRange]:
    harmless = frozenset(found.pairs) - frozenset(found.open_pairs)
    options = TransactionsOptions(harmless, ("intervals",), ranges=True)
    return {known.access: known for known in run(found.cp, found.open_pairs, options, Budget.seconds(60)).ranges}


def test_a_state_that_is_counted_up_and_never_beyond(tmp_path: Path) -> None:
    found = of_text(COUNTED, tmp_path)
    (known,) = ranges_of(found).values()
    assert (known.low, known.high) == (0, 1)
    assert found.line(known.access) == 4


def test_findings_are_kept_when_the_time_for_ranges_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Late:
        def confirms(self, *_: object) -> bool:
            raise LimitReached("late")

    told = engine._ranges
    monkeypatch.setattr(
        engine, "_ranges", lambda around, refinement, harmless, _: told(around, refinement, harmless, Late())
    )
    found = of_text(COUNTED, tmp_path)
    harmless = frozenset(found.pairs) - frozenset(found.open_pairs)
    options = TransactionsOptions(harmless, ("intervals",), ranges=True)
    result = run(found.cp, found.open_pairs, options, Budget.seconds(60))
    assert result.findings
    assert result.ranges == ()


@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_every_value_that_is_read_is_in_its_range(seed: int, tmp_path: Path) -> None:
    """The states of the full product, one by one, are the oracle."""
    found = of_text(program(Random(seed)), tmp_path)
    ranges = ranges_of(found)
    propagation = propagation_of(found, NOTHING)
    checked: list[bool] = []

    def note(where: GraphNode, states: States, move: Move) -> None:
        node = propagation.graph.node(where, move.slot)
        assert node is not None
        for action in (action for action in move.edge.actions if isinstance(action, Read)):
            value = states[move.slot].values.get(action.cell)
            known = ranges.get(node.touch.accesses[0]) if node.touch is not None and node.touch.accesses else None
            if known is not None and value is not None:
                checked.append(known.low <= value.low and value.high <= known.high)

    try:
        states = listed(propagation)
    except TooMany:
        pytest.skip("too many states")
    for where, known in states or ():
        propagation.walk(where, known, note)
    assert all(checked)
