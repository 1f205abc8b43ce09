"""Which modules are mutated, and which tests are there to notice.

What decides whether a program is called race-free comes first: locks, order, pruning, slices, trust, and the code that
checks certificates. The tests are the quick ones; a mutant gets those of them that execute its line.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """Modules below `src/raceproof` with the same tests."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


_PROGRAMS = tuple(
    f"tests/test_programs.py::{name}"
    for name in ("test_no_race_is_proved_away", "test_race_free_lines_are_proved", "test_announced_alarms_still_come")
)

SUBJECTS: tuple[Subject, ...] = (
    Subject(("lockset/order.py", "lockset/addresses.py"), ("tests/unit/lockset",)),
    Subject(("petri/checking.py",), ("tests/unit/petri/test_checking.py", "tests/unit/evidence/test_nets.py")),
    Subject(
        (
            "evidence/claims.py",
            "evidence/distances.py",
            "evidence/exhaustion.py",
            "evidence/invariants.py",
            "evidence/locks.py",
            "evidence/nets.py",
            "evidence/order.py",
            "evidence/ownership.py",
            "evidence/places.py",
            "evidence/registry.py",
            "evidence/schedules.py",
            "evidence/static_proofs.py",
            "evidence/unwindings.py",
            "bmc/checking.py",
            "bmc/trust.py",
        ),
        ("tests/unit/evidence", "tests/unit/bmc/test_trust.py"),
    ),
    Subject(
        (
            "shapes/symbolic_heap.py",
            "shapes/execution.py",
            "shapes/memory.py",
            "shapes/calls.py",
            "shapes/locks.py",
            "shapes/states.py",
            "shapes/surroundings.py",
            "shapes/checking.py",
        ),
        ("tests/unit/shapes",),
    ),
    Subject(
        ("transactions/checking.py", "transactions/trust.py"),
        (
            "tests/unit/transactions/test_trust.py",
            "tests/unit/evidence/test_invariants.py",
            "tests/unit/evidence/test_forged_states.py",
        ),
    ),
    Subject(
        ("domains/octagon.py", "native/octagon/octagon.c"),
        (
            "tests/unit/domains/test_octagon_kernel.py",
            "tests/unit/domains/test_numeric.py",
            "tests/unit/domains/test_octagons.py",
            "tests/unit/domains/test_octagon_sanitized.py",
        ),
    ),
    Subject(
        ("transactions/graph.py", "transactions/products.py", "transactions/slicing.py"),
        ("tests/unit/transactions", "tests/unit/evidence/test_invariants.py"),
    ),
    Subject(("bmc/slicing.py",), ("tests/unit/bmc/test_soundness.py", "tests/unit/bmc/test_engine.py")),
    Subject(
        ("explore/future_locks.py", "explore/future_races.py"),
        (
            "tests/unit/explore/test_futures.py",
            "tests/unit/explore/test_future_races.py",
            "tests/unit/explore/test_futures_walks.py",
        ),
    ),
    Subject(
        ("explore/future_places.py", "native/ownership.c"),
        ("tests/unit/explore/test_thread_states.py", "tests/exploration/test_owners.py"),
    ),
    Subject(("native/weaker.c",), ("tests/weaker/test_engines.py",)),
    Subject(
        ("native/futures.c",),
        (
            "tests/unit/explore/test_pruning.py",
            "tests/quality/test_counts.py::test_pruning_needs_no_more_executions",
            "tests/quality/test_counts.py::test_pruning_prunes",
            "tests/exploration/test_algorithms.py::test_algorithms_agree",
            "tests/exploration/test_algorithms.py::test_no_order_of_what_waits_is_lost",
            "tests/exploration/test_orders.py",
        ),
    ),
    Subject(
        ("native/search_race.c", "native/search_optimal.c", "native/search_dpor.c"),
        (
            "tests/exploration/test_orders.py",
            "tests/exploration/test_algorithms.py::test_no_order_of_what_waits_is_lost",
            "tests/exploration/test_algorithms.py::test_no_order_of_tries_is_lost",
            "tests/exploration/test_algorithms.py::test_atomics_of_no_open_pair_are_reversed",
            "tests/exploration/test_algorithms.py::test_algorithms_agree",
            "tests/unit/explore/test_parallel.py",
            "tests/quality/test_counts.py",
        ),
    ),
    Subject(("explore/candidates.py",), ("tests/unit/explore/test_candidates.py",)),
    Subject(("core/pruning.py",), ("tests/unit/core/test_pruning.py", "tests/unit/frontend/test_cache.py")),
    Subject(("lockset/engine.py",), ("tests/unit/lockset", *_PROGRAMS)),
    Subject(
        ("facts/flow/sync_transfer.py", "facts/flow/lending.py", "facts/flow/turns.py"),
        ("tests/unit/facts/test_analysis.py", "tests/unit/facts/test_models.py", *_PROGRAMS),
    ),
    Subject(
        ("facts/flow/regions.py", "facts/flow/membership.py", "lockset/regions.py", "evidence/regions.py"),
        (
            "tests/unit/facts/test_membership.py",
            "tests/unit/facts/test_regions.py",
            "tests/unit/lockset/test_regions.py",
            *_PROGRAMS,
        ),
    ),
)


def subjects_of(modules: list[str]) -> list[Subject]:
    """The subjects with only these modules; a name may be the beginning of one, as `lockset/`. All if there is none."""
    chosen = []
    for subject in SUBJECTS:
        mine = tuple(m for m in subject.modules if not modules or any(m.startswith(name) for name in modules))
        if mine:
            chosen.append(Subject(mine, subject.tests))
    return chosen
