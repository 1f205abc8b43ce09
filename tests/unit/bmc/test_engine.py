"""The engine: findings with their evidence, bounds, limits, what is executed and what is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import z3
from unit.bmc.c_programs import analysed

from raceproof import bmc
from raceproof.bmc import BmcOptions, Executor, Refuted, check_unwinding, solving
from raceproof.bmc import engine as engine_module
from raceproof.bmc.events import Kind
from raceproof.bmc.solving import Answer, Solved, Solver
from raceproof.core import Budget
from raceproof.model import Guide, Reason, Run, RunSetup, RunThread, Schedule, Scope, Unwinding, Verdict

NEEDS_SEVEN = """int x, n; pthread_mutex_t m = MUTEX;
void *f(void *p) { if (n == 7) x = 1; return 0; }
void *g(void *p) { lock(&m); x = 2; unlock(&m); return 0; }
int main(void) { n = ANY; BOTH(f, g) return 0; }
"""
NEVER = NEEDS_SEVEN.replace("n == 7", "n * 2 == 7")
SETUP = RunSetup("", "race", (), (), "memory", True, 1)


def test_a_model_is_only_possible_until_it_was_executed(tmp_path: Path) -> None:
    [finding] = analysed(NEEDS_SEVEN, tmp_path).findings("x")
    assert finding.verdict is Verdict.UNKNOWN
    assert isinstance(finding.evidence, Reason)
    assert finding.evidence.text.startswith("possible: int input at line 4 is 7; ")


def test_a_model_that_runs_is_a_race(tmp_path: Path) -> None:
    program = analysed(NEEDS_SEVEN, tmp_path)
    guides: list[Guide] = []

    def execute(guide: Guide, budget: Budget) -> Schedule | str:
        guides.append(guide)
        run = Run(((0, 3), (2, 1)), (7,), guide.threads)
        return Schedule(run, guide.accesses, (1, 2), True)

    options = BmcOptions(executor=lambda budget: Executor(execute, SETUP))
    result = program.run(options)
    [race] = [f for f in result.findings if f.verdict is Verdict.RACE]
    assert program.variable(race.pair) == "x"
    assert result.setup is SETUP
    assert (result.stats["executed"], result.stats["not_executed"]) == (1, 0)
    [guide] = guides
    assert result.stats["depth"] == len(guide.steps) + 2  # and the two accesses
    assert result.stats["depths"] == str(result.stats["depth"])
    assert guide.threads[0] == RunThread(0, -1, None)
    assert [(t.id, t.parent) for t in guide.threads] == [(0, -1), (1, 0), (2, 0)]
    assert [value for step in guide.steps for value in step.inputs] == [7]


def test_a_thread_takes_its_inputs_behind_its_last_step(tmp_path: Path) -> None:
    """It is held where it does something next: what it takes on its way there is in the list of inputs."""
    text = """int x; sem_t s, never;
    void *f(void *p) { sem_post(&s); int n = ANY; __VERIFIER_assume(n == 5); sem_wait(&never); return 0; }
    void *g(void *p) { sem_wait(&s); if (ANY == 7) x = 1; return 0; }
    void *h(void *p) { x = 2; return 0; }
    int main(void) { pthread_t c; sem_init(&s, 0, 0); sem_init(&never, 0, 0); create(c, h); BOTH(f, g) return 0; }"""
    guides: list[Guide] = []

    def execute(guide: Guide, budget: Budget) -> Schedule | str:
        guides.append(guide)
        return "not executed"

    analysed(text, tmp_path).run(BmcOptions(executor=lambda budget: Executor(execute, SETUP), proves=False))
    [guide] = guides
    assert sorted(value for step in guide.steps for value in step.inputs) == [5, 7]


def test_a_model_that_does_not_run_is_counted_and_told(tmp_path: Path) -> None:
    program = analysed(NEEDS_SEVEN, tmp_path)
    options = BmcOptions(executor=lambda budget: Executor(lambda guide, limit: "it went elsewhere", SETUP))
    result = program.run(options)
    assert result.stats["not_executed"] == 1
    assert result.setup is None
    [finding] = [f for f in result.findings if program.variable(f.pair) == "x"]
    assert finding.verdict is Verdict.UNKNOWN
    assert "possible: " in str(finding.evidence)
    assert "it went elsewhere" in str(finding.evidence)


def test_a_complete_unwinding_proves_for_all_inputs(tmp_path: Path) -> None:
    program = analysed(NEVER, tmp_path)
    result = program.run()
    assert {(f.verdict, f.scope) for f in result.findings} == {(Verdict.RACE_FREE, Scope.ALL_INPUTS)}
    evidence = result.findings[0].evidence
    assert isinstance(evidence, Unwinding)
    assert evidence.is_complete
    assert set(evidence.pairs) == {(p.first, p.second) for p in program.pairs}
    assert check_unwinding(program.cp, program.pairs, evidence, Budget.seconds(60)) is None


@pytest.mark.parametrize(
    "text", [NEEDS_SEVEN, "int x; void *f(void *p) { x++; return 0; } int main(void) { BOTH(f, f) return 0; }"]
)
def test_a_forged_proof_is_refused(tmp_path: Path, text: str) -> None:
    program = analysed(text, tmp_path)
    keys = tuple((p.first, p.second) for p in program.pairs)
    forged = Unwinding(keys, 1, 10, True)
    assert isinstance(check_unwinding(program.cp, program.pairs, forged, Budget.seconds(60)), Refuted)


LOOP = """int x; pthread_mutex_t m = MUTEX;
void *f(void *p) { for (int i = 0; i != ANY; i++) { lock(&m); x++; unlock(&m); } return 0; }
int main(void) { BOTH(f, f) return 0; }
"""


def test_a_loop_without_a_bound_is_proved_up_to_one(tmp_path: Path) -> None:
    program = analysed(LOOP, tmp_path)
    options = BmcOptions(bounds=(1, 2))
    found = program.findings("x", options)
    assert {(f.verdict, f.scope) for f in found} == {(Verdict.RACE_FREE, Scope.BOUNDED)}
    evidence = found[0].evidence
    assert isinstance(evidence, Unwinding)
    assert (evidence.bound, evidence.is_complete) == (2, False)
    claimed = replace(evidence, is_complete=True)
    answer = check_unwinding(program.cp, program.pairs, claimed, Budget.seconds(60))
    assert answer == Refuted("an execution goes further than it was unwound")


def test_a_recursion_is_cut(tmp_path: Path) -> None:
    text = """int x; pthread_mutex_t m = MUTEX;
    void deep(int n) { if (n == ANY) return; lock(&m); x++; unlock(&m); deep(n + 1); }
    void *f(void *p) { deep(0); return 0; } int main(void) { BOTH(f, f) return 0; }"""
    program = analysed(text, tmp_path)
    cuts = [e.what for t in program.unwind(2).threads for e in t.events if e.kind is Kind.CUT]
    assert cuts == ["a recursion of more than 2 calls"] * 2
    assert {f.scope for f in program.findings("x", BmcOptions(bounds=(1,)))} == {Scope.BOUNDED}


def test_what_is_not_supported_is_named_and_never_proved(tmp_path: Path) -> None:
    text = """int x; extern void strange(int *);
    void *f(void *p) { int y; strange(&y); x++; return 0; } int main(void) { BOTH(f, f) return 0; }"""
    program = analysed(text, tmp_path)
    for finding in program.findings("x"):
        assert finding.scope is Scope.BOUNDED
        assert "not supported: a call of `strange` (line 2)" in str(finding.evidence)


def test_no_pair_no_work(tmp_path: Path) -> None:
    program = analysed("int main(void) { return 0; }", tmp_path)
    result = program.run()
    assert (result.findings, result.stopped, result.stats["encodings"]) == ((), None, 0)


def test_a_solver_without_time_or_memory_leaves_pairs_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = analysed(NEVER, tmp_path)

    def no_answer(*args: object, **kwargs: object) -> Solved:
        return Solved(Answer.UNKNOWN, reason="the solver has run out of memory")

    monkeypatch.setattr(Solver, "ask", no_answer)
    [finding] = program.findings("x")
    assert finding.verdict is Verdict.UNKNOWN
    assert str(finding.evidence) == "not decided: the solver has run out of memory"


def test_the_time_of_the_engine_ends(tmp_path: Path) -> None:
    result = analysed(LOOP, tmp_path).run(seconds=0.0)
    assert result.stopped == "time limit of 0 s reached"
    assert {f.verdict for f in result.findings} == {Verdict.UNKNOWN}


def test_ctrl_c_keeps_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = analysed(LOOP, tmp_path)
    unwind = engine_module.unwind

    def interrupted(cp, bound, mode, options, budget):  # type: ignore[no-untyped-def]
        if bound > 1:
            raise KeyboardInterrupt
        return unwind(cp, bound, mode, options, budget)

    monkeypatch.setattr(engine_module, "unwind", interrupted)
    result = program.run()
    assert (result.stopped, result.interrupted) == ("interrupted", True)
    assert {f.scope for f in result.findings if program.variable(f.pair) == "x"} == {Scope.BOUNDED}


def test_slices_and_facts_change_the_work_and_not_the_answers(tmp_path: Path) -> None:
    text = NEVER.replace("int x, n;", "int x, n, other;").replace("lock(&m);", "lock(&m); other++; other++;")
    program = analysed(text, tmp_path)
    answers, events = set(), []
    for slices in (True, False):
        for uses_facts in (True, False):
            options = BmcOptions(slices=slices, uses_facts=uses_facts)
            result = program.run(
                replace(
                    options, proved=frozenset(program.pairs) - {p for p in program.pairs if program.variable(p) == "x"}
                )
            )
            answers.add(tuple((f.verdict, f.scope) for f in result.findings if program.variable(f.pair) == "x"))
            events.append(result.stats["events"])
    assert answers == {((Verdict.RACE_FREE, Scope.ALL_INPUTS),)}
    assert events[0] < events[2]


def test_proofs_say_what_they_rest_on(tmp_path: Path) -> None:
    text = """int x, flag; pthread_mutex_t m = MUTEX;
    void *f(void *p) { x = 1; lock(&m); flag = 1; unlock(&m); return 0; }
    void *g(void *p) { lock(&m); int seen = flag; unlock(&m); if (seen) x = 2; return 0; }
    int main(void) { BOTH(f, g) return 0; }"""
    program = analysed(text, tmp_path)
    of_flag = frozenset(p for p in program.pairs if program.variable(p) == "flag")
    of_x = [p for p in program.pairs if program.variable(p) == "x"]
    helped = bmc.run(program.cp, of_x, BmcOptions(proved=of_flag), Budget.seconds(60))
    [finding] = helped.findings
    assert isinstance(finding.evidence, Unwinding)
    assert set(finding.evidence.relies_on) == {(p.first, p.second) for p in of_flag}
    alone = bmc.run(program.cp, of_x, BmcOptions(), Budget.seconds(60))
    assert alone.findings[0].verdict is Verdict.UNKNOWN  # nobody says that the flag does not race


def test_memory_is_limited_and_an_answer_is_never_made_up() -> None:
    """In a process of its own: the limit is the whole library's."""
    script = """
import z3
from raceproof.bmc.interrupts import Watch
from raceproof.bmc.solving import Solver
from raceproof.core import Budget
x = [z3.BitVec(f"x{i}", 64) for i in range(60)]
hard = [x[i] * x[i + 1] * x[i + 2] == x[i + 3] * x[(i * 7) % 60] + i for i in range(57)]
solver = Solver([*hard, z3.Distinct(*x)], 60, Watch(Budget.unlimited()))
for question in (x[0] > 5, z3.BoolVal(False)):
    solved = solver.ask([question], (), 30)
    print(solved.answer.value, "-", solved.reason)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert ran.stdout == "unknown - the solver has run out of memory\n" * 2


# -- when the time is up, or the user has had enough

LONG = f"""int x, y, z; pthread_mutex_t m = MUTEX;
void *f(void *p) {{ {"lock(&m); x++; y += x; unlock(&m); z = y; " * 60} return 0; }}
int main(void) {{ BOTH(f, f) return 0; }}
"""


@pytest.mark.parametrize("slices", [True, False])
@pytest.mark.parametrize("seconds", [0.3, 1.5])
def test_a_long_formula_does_not_outlast_its_time(tmp_path: Path, slices: bool, seconds: float) -> None:
    program = analysed(LONG, tmp_path)
    start = time.monotonic()
    result = program.run(BmcOptions(slices=slices, seconds=1.0), seconds=seconds)
    assert time.monotonic() - start < seconds + 15
    assert result.stopped == f"time limit of {seconds:g} s reached"


INTERRUPTED = """
import sys, time
from pathlib import Path
from unit.bmc.c_programs import analysed
from raceproof.bmc import BmcOptions
program = analysed(Path(sys.argv[1]).read_text(), Path(sys.argv[1]).parent)
print("ready", flush=True)
result = program.run(BmcOptions(slices=False), seconds=100)
print(result.stopped, result.interrupted, len(result.findings) == len(program.pairs))
"""


@pytest.mark.parametrize("seconds", [0.2, 1.0, 2.5])
def test_ctrl_c_is_heard_wherever_it_comes(tmp_path: Path, seconds: float) -> None:
    """z3's interface would turn it into an error of its own, or lose it."""
    (tmp_path / "text.c").write_text(LONG, encoding="utf-8")
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "text.c")]
    tests = str(Path(__file__).parents[2])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": tests}) as ran:
        assert ran.stdout is not None
        assert ran.stdout.readline() == "ready\n"
        time.sleep(seconds)
        start = time.monotonic()
        ran.send_signal(signal.SIGINT)
        assert ran.stdout.read() == "interrupted True True\n"
    assert time.monotonic() - start < 30
    assert ran.returncode == 0


def test_an_interrupted_solver_answers_rightly_afterwards() -> None:
    """An interruption of an idle z3 makes its next answer wrong."""
    z3.main_ctx().interrupt()
    over = threading.Event()
    over.set()
    solving.stop(over)
    solver = z3.Solver()
    number = z3.Int("n")
    solver.add(number > 3)
    assert solver.check() == z3.sat
    solver.push()
    solver.add(number < 2)
    assert solver.check() == z3.unsat
