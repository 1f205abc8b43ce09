"""The native solver and the plain search on nets whose answer is known, at their limits, and on bad input."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from unit.petri.nets import BAG, DEAD, MUTEX, TURNS
from unit.petri.random_nets import hard_net, random_net
from unit.petri.test_random_nets import problem_of

from raceproof.core import Budget, InputError, InternalError, ToolMissing
from raceproof.native import NATIVE, build_cxx
from raceproof.petri import solver
from raceproof.petri.net import Net, Safe, Transition, Undecided, Unsafe
from raceproof.petri.plain import solve_plainly
from raceproof.petri.solver import solve


@pytest.mark.parametrize("net", [MUTEX, TURNS, DEAD])
def test_safe_nets(net: Net) -> None:
    for search in (solve, solve_plainly):
        solution = search(net, Budget.seconds(60))
        assert isinstance(solution, Safe)
        assert problem_of(net, solution) is None
        assert {"kept", "subsumed", "iterations", "seconds"} <= solution.stats.keys()


def test_unsafe_net() -> None:
    for search in (solve, solve_plainly):
        solution = search(BAG, Budget.seconds(60))
        assert isinstance(solution, Unsafe)
        assert problem_of(BAG, solution) is None


def test_a_lock_that_does_not_count_is_no_lock() -> None:
    two = dataclasses.replace(MUTEX, initial=((1, 2),))
    solution = solve(two, Budget.seconds(60))
    assert isinstance(solution, Unsafe)
    assert dict(solution.start)[0] >= 2
    assert problem_of(two, solution) is None


def test_places_filled_by_others_without_end() -> None:
    net = Net(
        ("source", "a", "b", "lock", "goal"),
        (
            Transition("make a", ((0, 1),), ((1, 1),)),
            Transition("make b", ((1, 2),), ((2, 1),)),
            Transition("finish", ((2, 3), (3, 1)), ((4, 1),)),
        ),
        initial=((2, 1), (3, 1)),
        unbounded=frozenset({0}),
        targets=(((1, 1), (4, 1)),),
    )
    solution = solve(net, Budget.seconds(60))
    assert isinstance(solution, Unsafe)
    assert problem_of(net, solution) is None
    assert dict(solution.start) == {0: 5, 2: 1, 3: 1}


def test_a_target_that_is_covered_at_the_beginning() -> None:
    for target in ((), ((1, 1),), ((0, 7), (1, 1))):
        net = dataclasses.replace(MUTEX, targets=(target,))
        for search in (solve, solve_plainly):
            solution = search(net, Budget.seconds(60))
            assert isinstance(solution, Unsafe)
            assert solution.firing == ()
            assert problem_of(net, solution) is None


def test_no_targets() -> None:
    net = dataclasses.replace(MUTEX, targets=())
    for search in (solve, solve_plainly):
        solution = search(net, Budget.seconds(60))
        assert isinstance(solution, Safe)
        assert solution.certificate.basis == ()


def test_empty_nets() -> None:
    nothing = Net((), (), (), frozenset(), ())
    assert isinstance(solve(nothing, Budget.seconds(60)), Safe)
    assert isinstance(solve(dataclasses.replace(nothing, targets=((),)), Budget.seconds(60)), Unsafe)
    still = Net(("p",), (), (), frozenset(), (((0, 1),),))
    solution = solve(still, Budget.seconds(60))
    assert isinstance(solution, Safe)
    assert problem_of(still, solution) is None


def test_large_numbers() -> None:
    most = 2**63 - 2
    net = dataclasses.replace(MUTEX, targets=(((2, most),),))
    solution = solve(net, Budget.seconds(60))
    assert isinstance(solution, Safe)
    assert problem_of(net, solution) is None
    grows = Net(("p", "q"), (Transition("t", ((0, most),), ((1, 1),)),), ((0, 1),), frozenset(), (((0, 2), (1, 1)),))
    assert not isinstance(solve(grows, Budget.seconds(10)), Unsafe)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"initial": ((1, 2**63),)}, "the initial marking: place lock: 9223372036854775808 is not between 1 and"),
        ({"targets": (((2, 0),),)}, "target number 0: place inside: 0 is not between 1 and 2"),
        ({"targets": (((3, 1),),)}, "target number 0: there is no place 3"),
        ({"targets": (((2, 1), (1, 1)),)}, "target number 0: places are not in order, or one stands twice"),
        ({"transitions": (Transition("odd", ((-1, 1),), ()),)}, "transition odd: there is no place -1"),
        ({"unbounded": frozenset({9})}, "places with any number of tokens: there is no place 9"),
    ],
)
def test_malformed_nets(changed: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve(dataclasses.replace(MUTEX, **changed), Budget.seconds(60))  # type: ignore[arg-type]


def test_the_time_limit() -> None:
    solver.kernel()
    solution = solve(hard_net(), Budget.seconds(1.5))
    assert isinstance(solution, Undecided)
    assert solution.reason.startswith("time limit reached; ")
    assert "markings kept" in solution.reason
    assert solution.stats["kept"] > 0
    assert solution.stats["seconds"] < 4
    plain = solve_plainly(hard_net(), Budget.seconds(0.3))
    assert isinstance(plain, Undecided)
    assert plain.reason.startswith("time limit of 0.3 s reached; ")
    assert isinstance(solve(MUTEX, Budget.seconds(-1)), Undecided)


def test_the_memory_limit() -> None:
    solution = solve(hard_net(), Budget.seconds(60), memory=40)
    assert isinstance(solution, Undecided)
    assert solution.reason.startswith("memory limit reached")
    assert solution.stats["kept"] > 0


def program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return path


def test_a_kernel_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dies = solve(MUTEX, Budget.seconds(9), program=program(tmp_path / "dies", "echo progress 1.0 5 6 7 8; kill -9 $$"))
    assert isinstance(dies, Undecided)
    assert dies.reason.startswith("the coverability kernel failed: it ended with status -9; 5 markings kept")
    monkeypatch.setattr(solver, "GRACE", 0.1)
    hangs = solve(MUTEX, Budget.seconds(0.1), program=program(tmp_path / "hangs", "exec sleep 20"))
    assert isinstance(hangs, Undecided)
    assert hangs.reason == "the coverability kernel failed: it did not end in time"
    with pytest.raises(InternalError, match="not like this"):
        solve(
            MUTEX,
            Budget.seconds(9),
            program=program(tmp_path / "refuses", "cat > /dev/null; echo not like this >&2; exit 2"),
        )
    with pytest.raises(ToolMissing):
        solve(MUTEX, Budget.seconds(9), program=tmp_path / "missing")


@pytest.mark.slow
def test_the_kernel_under_the_sanitizers() -> None:
    try:
        checked = build_cxx("rp_cover-sanitized", NATIVE / "petri", sanitized=True)
    except ToolMissing as missing:
        pytest.skip(str(missing))
    for net in (MUTEX, BAG, TURNS, DEAD, *(random_net(random.Random(seed)) for seed in range(200))):
        assert problem_of(net, solve(net, Budget.seconds(60), memory=0, program=checked)) is None
    undecided = solve(hard_net(), Budget.seconds(10), memory=0, program=checked)
    assert isinstance(undecided, Undecided)
    assert undecided.reason.startswith("time limit reached")
