"""The specification is whole: one rule for every state that can be reached and every operation on it."""

from __future__ import annotations

from itertools import product

import pytest
from conformance.states import ME, STATES

from raceproof.core import InternalError
from raceproof.spec import (
    FUNCTIONS,
    RULES,
    Basis,
    CondState,
    MutexState,
    ObjectType,
    Operation,
    World,
    function,
    rule_for,
)

PHASES_OF_OTHERS = {"leave", "wake", "timed-wake", "finish"}  # only from inside a call


def operations(type_: ObjectType) -> list[str]:
    phases = (operation for f in FUNCTIONS.values() for phase in f.phases for operation in phase)
    return sorted({operation.name for operation in phases if operation.object is type_})


@pytest.mark.parametrize("type_", STATES, ids=lambda t: t.name)
def test_every_state_and_operation_has_one_rule(type_: ObjectType) -> None:
    cells = 0
    for state, name in product(STATES[type_], operations(type_)):
        if name in PHASES_OF_OTHERS:
            continue
        if name == "lock-after-wait" and isinstance(state, MutexState) and state.owner == ME:
            continue
        world = World()
        world.add("object", state)
        rule = world.rule(ME, Operation(type_, name), "object")
        assert rule.outcomes
        cells += 1
    assert cells > 0


def test_every_rule_is_of_an_operation_that_a_function_performs() -> None:
    used = {(operation.object, operation.name) for f in FUNCTIONS.values() for phase in f.phases for operation in phase}
    used |= {(ObjectType.MUTEX, "owner-ends"), (ObjectType.THREAD, "begin"), (ObjectType.ONCE, "leave")}
    assert {(rule.object, rule.operation) for rule in RULES} == used


def test_what_glibc_does_and_the_explorer_does_not_has_its_reason() -> None:
    missing = [
        f"{rule.operation} of a {rule.object.value}: {rule.seen.value}"
        for rule in RULES
        for outcome in rule.outcomes
        if outcome.glibc and not outcome.explored and not outcome.note
    ]
    assert missing == []


def test_every_rule_names_its_clause_and_a_required_or_undefined_outcome() -> None:
    for rule in RULES:
        assert rule.clause.startswith(("XSH ", "C11 ", "SV-COMP", "glibc "))
        assert any(outcome.basis is not Basis.ALLOWED for outcome in rule.outcomes)
        assert len({outcome.is_undefined for outcome in rule.outcomes}) == 1


def test_two_rules_for_one_cell_are_an_error() -> None:
    for rule in RULES:
        for kind in rule.kinds:
            for robust in (False, True) if rule.robust is None else (rule.robust,):
                assert rule_for(rule.object, rule.operation, rule.seen, kind, robust=robust) is rule


def test_aliases() -> None:
    assert function("__pthread_mutex_lock") is FUNCTIONS["pthread_mutex_lock"]
    assert function("pthread_mutex_consistent_np") is FUNCTIONS["pthread_mutex_consistent"]
    assert function("printf") is None


def test_a_cell_without_a_rule_is_an_error() -> None:
    world = World()
    world.add("c", CondState())
    with pytest.raises(InternalError):
        world.rule(ME, Operation(ObjectType.COND, "lock"), "c")
