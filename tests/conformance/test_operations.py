"""All engines on each function of the thread API in each state: nobody proves a race that one of its outcomes makes.

The explorer and the interpreter are exact: they find these races and no others.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from programs_truth import number_of

from conformance.c_text import HEADERS, as_c
from conformance.judging import disagreements, interpreted
from conformance.oracle import judge
from conformance.probes import LEFT_OUT, Probe, probes
from raceproof.spec import FUNCTIONS, Kind, ObjectType, Result, Seen, rule_for

ALL = [probe for probe in probes() if not judge(probe.script).undefined]
SOME = [probe for probe in ALL if number_of(probe.name) % 20 == 0]
LISTS = ("h", "x0")
"""Probes that are nodes of lists, for the engine that knows who owns these."""


def test_every_function_that_waits_or_orders_is_probed() -> None:
    probed = {probe.function for probe in ALL}
    left = {name for name in FUNCTIONS if name not in probed and not name.endswith(LEFT_OUT)}
    assert {FUNCTIONS[name].object for name in left} == {ObjectType.THREAD, ObjectType.KEY}
    assert len(ALL) > 200


def test_probes_tell_outcomes_apart() -> None:
    """Some races are there and some are not, for each function with more than one outcome."""
    told = {probe.function for probe in ALL if len(judge(probe.script).races) > 1}
    assert told >= {name for name in FUNCTIONS if "lock" in name and ("try" in name or "timed" in name)}
    assert told >= {"sem_trywait", "sem_timedwait", "pthread_cond_timedwait", "cnd_timedwait", "pthread_mutex_unlock"}


def of_engines(probe: Probe, directory: Path) -> list[str]:
    expected = judge(probe.script)
    assert expected.is_whole
    without = disagreements(as_c(probe.script), expected.races, directory, ("lockset", "petri", "transactions", "bmc"))
    return without + disagreements(as_c(probe.script, LISTS), expected.races, directory, ("lockset", "shapes"), ())


@pytest.mark.parametrize("probe", SOME, ids=lambda probe: probe.name)
def test_engines_on_some_operations(probe: Probe, tmp_path: Path) -> None:
    assert of_engines(probe, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("probe", ALL, ids=lambda probe: probe.name)
def test_engines_on_all_operations(probe: Probe, tmp_path: Path) -> None:
    assert of_engines(probe, tmp_path) == []


WAITS = [p for p in ALL if p.function == "pthread_cond_wait" and "robust" not in p.name and p not in SOME]


@pytest.mark.parametrize("probe", [*SOME, *WAITS], ids=lambda probe: probe.name)
def test_the_interpreter_on_some_operations(probe: Probe, tmp_path: Path) -> None:
    assert interpreted(as_c(probe.script), judge(probe.script).races, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("probe", ALL, ids=lambda probe: probe.name)
def test_the_interpreter_on_all_operations(probe: Probe, tmp_path: Path) -> None:
    assert interpreted(as_c(probe.script), judge(probe.script).races, tmp_path) == []


# -- joins


JOINS = {
    "pthread_join": "t, 0",
    "thrd_join": "t, 0",
    "pthread_tryjoin_np": "t, 0",
    "pthread_timedjoin_np": "t, 0, &soon",
    "pthread_clockjoin_np": "t, 0, CLOCK_REALTIME, &soon",
}
JOINED = """
static const struct timespec soon = {1, 0};
static int joined, not_joined;
static RESULT worker(void *arg) {
    joined = 1; // access 1
    not_joined = 1; // access 2
    (void)arg;
    return 0;
}
int main(void) {
    ID t;
    if (CREATE != 0) return 1;
    if (JOIN == 0)
        joined = 2; // access 3
    else
        not_joined = 2; // access 4
    return 0;
}
"""


@pytest.mark.parametrize("name", JOINS)
def test_joins(name: str, tmp_path: Path) -> None:
    operation = FUNCTIONS[name].phases[0][0]
    rule = rule_for(operation.object, operation.name, Seen.RUNNING, Kind.DEFAULT, robust=False)
    assert rule is not None
    may_fail = any(outcome.result not in (None, Result.SUCCESS) for outcome in rule.outcomes)
    is_c11 = name.startswith("thrd")
    text = JOINED.replace("JOIN", f"{name}({JOINS[name]})").replace("ID", "thrd_t" if is_c11 else "pthread_t")
    text = text.replace("CREATE", "thrd_create(&t, worker, 0)" if is_c11 else "pthread_create(&t, 0, worker, 0)")
    text = HEADERS + text.replace("RESULT", "int" if is_c11 else "void *")
    assert disagreements(text, {(2, 4)} if may_fail else set(), tmp_path) == []
