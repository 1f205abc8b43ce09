"""Large programs: work that grows with the size of the program, and limits that err on the safe side."""

from __future__ import annotations

import time

import pytest

from raceproof.core import Budget
from raceproof.facts import analyse
from raceproof.facts.flow import flow
from raceproof.facts.flow.contexts import Context
from raceproof.facts.flow.flow import Flow
from raceproof.facts.flow.world import World
from raceproof.facts.pointers import workspace
from raceproof.facts.pointers.points_to import solve
from raceproof.frontend import parse_module
from raceproof.ir import Origin, Program
from tests.unit.facts.points_to_programs import solved

THREADS = """
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
@x = global i32 0
@lock = global [40 x i8] zeroinitializer
define ptr @work(ptr %arg) {
  %1 = call i32 @pthread_mutex_lock(ptr @lock)
  store i32 1, ptr @x
  %2 = call i32 @pthread_mutex_unlock(ptr @lock)
  ret ptr null
}
"""


def program(text: str) -> Program:
    return parse_module(text, Origin(("growth.c",), (), ""))


def chain(length: int) -> str:
    """Functions that call one another, each twice; the last one creates a thread."""
    parts = [THREADS, "define void @f0() {\n  %t = alloca i64"]
    parts += ["  %1 = call i32 @pthread_create(ptr %t, ptr null, ptr @work, ptr null)\n  ret void\n}"]
    for n in range(1, length):
        parts += [f"define void @f{n}() {{\n  call void @f{n - 1}()\n  call void @f{n - 1}()\n  ret void\n}}"]
    parts += [f"define i32 @main() {{\n  call void @f{length - 1}()\n  store i32 2, ptr @x\n  ret i32 0\n}}"]
    return "\n".join(parts)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions that the flow has walked, once for each run of one of their contexts."""
    found: list[str] = []
    run = Flow._run

    def note(self: Flow, context: Context) -> None:
        if not context.running:
            found.append(context.function)
        run(self, context)

    monkeypatch.setattr(Flow, "_run", note)
    return found


def flow_of(text: str) -> Flow:
    whole = program(text)
    world = World(whole, solve(whole, Budget.unlimited()), Budget.unlimited())
    return Flow(world, Budget.unlimited())


def test_a_function_is_walked_once_where_nothing_changes(runs: list[str]) -> None:
    calls = [
        f"define void @f{n}() {{\n  store i32 {n}, ptr @x\n  call void @f{n - 1}()\n  ret void\n}}"
        for n in range(1, 30)
    ]
    last = "define void @f0() {\n  store i32 0, ptr @x\n  ret void\n}"
    flow_of("\n".join([THREADS, last, *calls, "define i32 @main() {\n  call void @f29()\n  ret i32 0\n}"])).run()
    assert len(runs) == 31


def test_only_callers_near_a_creation_are_told_apart_by_call_sites() -> None:
    counts = [flow_of(chain(length)).run().contexts for length in (6, 12, 18)]
    assert counts[2] - counts[1] == counts[1] - counts[0]  # linear


def test_merged_contexts_know_less() -> None:
    """Beyond the limit on work all states of a function are one: the lock that some callers hold is not held there."""
    text = f"""{THREADS}
define void @set() {{
  store i32 3, ptr @x
  ret void
}}
define i32 @main() {{
  %t = alloca i64
  %1 = call i32 @pthread_create(ptr %t, ptr null, ptr @work, ptr null)
  %2 = call i32 @pthread_mutex_lock(ptr @lock)
  call void @set()
  %3 = call i32 @pthread_mutex_unlock(ptr @lock)
  call void @set()
  ret i32 0
}}"""

    def held() -> list[bool]:
        flow = flow_of(text)
        result = flow.run()
        stores = [views for key, views in result.views.items() if flow.world.touch(*key).touch.kind.writes]
        return sorted(bool(view.held) for views in stores for view in views if view.thread == 0)

    assert held() == [False, True]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow, "MAX_WORK", 0)
        assert held() == [False]


def test_without_time_for_the_second_flow_there_are_the_facts_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Flow.run
    flows: list[Flow] = []

    def late(self: Flow) -> object:
        flows.append(self)
        if len(flows) == 2:
            self.budget = Budget(time.monotonic() - 1, 1)
        return run(self)

    monkeypatch.setattr(Flow, "run", late)
    facts = analyse(program(chain(3)), Budget.seconds(600))
    assert len(flows) == 2
    assert len(facts.accesses) == 2


def test_pointers_from_outside_point_anywhere_once_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
@table = global [4 x ptr] zeroinitializer
define i32 @main() {
  %p = getelementptr i8, ptr @table, i64 8
  call void @keep(ptr %p)
  %q = call ptr @give()
  ret i32 0
}"""
    assert "table+8" in solved(text).at("main", "q")
    monkeypatch.setattr(workspace, "MAX_ESCAPING", 1)
    assert "table+?" in solved(text).at("main", "q")
