"""Semaphores, barriers and conditions order threads as far as their values allow, and no further."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from unit.transactions.c_programs import PROGRAMS, Analysed, of_file, of_text

from raceproof import interpreter
from raceproof.core import Budget
from raceproof.evidence.claims import Answer, Claim, ReportClaims, Ruling, Subject
from raceproof.evidence.invariants import check_invariants
from raceproof.model import NO_SPURIOUS_WAKEUPS, Invariants, Scope, Verdict
from raceproof.transactions.engine import TransactionsOptions, run

POST_ONCE = """sem_t s; int x;
void *f(void *p) { FIRST x = 1; sem_post(&s); return 0; }
void *g(void *p) { sem_wait(&s); x = 2; return 0; }
int main(void) { pthread_t a, b; sem_init(&s, 0, START); create(a, f); create(b, g); LAST return 0; }
"""
ROUNDS = """pthread_barrier_t b; int x;
void *f(void *p) { for (int i = 0; i < 9; i++) { x = 1;
pthread_barrier_wait(&b); BETWEEN pthread_barrier_wait(&b); } return 0; }
void *g(void *p) { for (int i = 0; i < 9; i++) { pthread_barrier_wait(&b); x = 2;
pthread_barrier_wait(&b); } return 0; }
void *h(void *p) { pthread_barrier_wait(&b); return 0; }
int main(void) { pthread_t s, t, u; pthread_barrier_init(&b, 0, COUNT); create(s, f); create(t, g); LAST return 0; }
"""
NOTIFY = """pthread_mutex_t m = MUTEX; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int x; struct timespec soon;
void *f(void *p) { x = 1; SIGNAL return 0; }
void *g(void *p) { lock(&m); WAIT; unlock(&m); x = 2; return 0; }
void *h(void *p) { lock(&m); pthread_cond_signal(&c); unlock(&m); return 0; }
int main(void) { pthread_t s, t, u; create(s, f); create(t, g); LAST return 0; }
"""
GUARDED = "lock(&m); pthread_cond_signal(&c); unlock(&m);"
WAIT = "pthread_cond_wait(&c, &m)"


def alone(text: str, directory: Path, **words: str) -> Analysed:
    """Without what the lockset engine knows."""
    for name, value in words.items():
        text = text.replace(name, value)
    program = of_text(text, directory)
    return replace(program, open_pairs=program.pairs)


@pytest.mark.parametrize(
    ("words", "is_proved"),
    [
        ({}, True),
        ({"START": "1"}, False),
        ({"LAST": "sem_post(&s);"}, False),
        ({"FIRST": "sem_post(&s);"}, False),
        ({"FIRST": "if (ANY) sem_wait(&s);"}, True),
        ({"START": "ANY"}, False),
        ({"sem_wait(&s);": "sem_trywait(&s);"}, False),
        ({"sem_wait(&s);": "if (sem_trywait(&s) == 0)"}, True),
        ({"sem_wait(&s);": "while (sem_trywait(&s)) ;"}, True),
        ({"LAST": "sem_t *q = ANY ? &s : 0; if (q) sem_post(q);"}, False),
        ({"LAST": "sem_t *q = ANY ? &s : 0; if (q) sem_init(q, 0, 1);"}, False),
        ({"LAST": "MANY(f)"}, False),
        ({"sem_wait(&s);": "sem_wait(&s); sem_post(&s);"}, True),
    ],
)
def test_semaphores(words: dict[str, str], is_proved: bool, tmp_path: Path) -> None:
    words = {**words, "FIRST": words.get("FIRST", ""), "LAST": words.get("LAST", ""), "START": words.get("START", "0")}
    assert ((2, 3) in alone(POST_ONCE, tmp_path, **words).proved("intervals")) is is_proved


def test_a_wait_that_a_handler_may_interrupt_orders_only_if_its_result_is_looked_at(tmp_path: Path) -> None:
    text = "#include <signal.h>\n#line 1\n" + POST_ONCE.replace("START", "0").replace("FIRST", "")
    handler = "void stop(int n) {} "
    text = text.replace("int main(void) {", handler + "int main(void) { signal(2, stop);").replace("LAST", "")
    assert (2, 3) not in alone(text, tmp_path).proved("intervals")
    checked = text.replace("sem_wait(&s);", "if (sem_wait(&s) == 0)")
    assert (2, 3) in alone(checked, tmp_path).proved("intervals")


def test_permits_are_counted(tmp_path: Path) -> None:
    """Two posts from each of two threads: who takes three comes after the first of both, who takes two need not."""
    text = """sem_t s; int x, y;
    void *f(void *p) { x = 1; sem_post(&s); sem_post(&s); return 0; }
    void *g(void *p) { y = 1; sem_post(&s); sem_post(&s); return 0; }
    int main(void) { pthread_t a, b; sem_init(&s, 0, 0); create(a, f); create(b, g);
    TAKE
    x = 2; y = 2; return 0; }
    """
    assert alone(text, tmp_path, TAKE=3 * "sem_wait(&s); ").proved("intervals") >= {(2, 6), (3, 6)}
    assert alone(text, tmp_path, TAKE=2 * "sem_wait(&s); ").proved().isdisjoint({(2, 6), (3, 6)})


def test_a_semaphore_behind_a_parameter(tmp_path: Path) -> None:
    """In the context of each call it is known which one it is."""
    text = """sem_t s, t; int x;
    static void down(sem_t *q) { sem_wait(q); }
    static void up(sem_t *q) { sem_post(q); }
    void *f(void *p) { up(&s); down(&t); x = 3; return 0; }
    int main(void) { pthread_t a; sem_init(&s, 0, 0); sem_init(&t, 0, START); create(a, f);
    down(&s); x = 2; up(&t); return 0; }
    """
    assert alone(text, tmp_path, START="0").proved("intervals") >= {(4, 6)}
    assert (4, 6) not in alone(text, tmp_path, START="1").proved()


@pytest.mark.parametrize(
    ("words", "is_proved"),
    [
        ({}, True),
        ({"COUNT": "1"}, False),
        ({"COUNT": "ANY"}, False),
        ({"COUNT": "3"}, True),  # nobody ever leaves
        ({"LAST": "create(u, h);"}, False),
        ({"BETWEEN": "x = 3;"}, False),
        ({"LAST": "pthread_barrier_t *q = ANY ? &b : 0; if (q) pthread_barrier_wait(q);"}, False),
    ],
)
def test_barriers(words: dict[str, str], is_proved: bool, tmp_path: Path) -> None:
    words = {**words, "COUNT": words.get("COUNT", "2"), "LAST": words.get("LAST", "")}
    words["BETWEEN"] = words.get("BETWEEN", "")
    found = alone(ROUNDS, tmp_path, **words).proved("intervals")
    assert ({(2, 4), (3, 4)} & found == ({(2, 4)} if "x" not in words["BETWEEN"] else {(2, 4), (3, 4)})) is is_proved


@pytest.mark.parametrize(
    ("words", "is_proved"),
    [
        ({}, True),
        ({"SIGNAL": GUARDED.replace("signal", "broadcast")}, True),
        ({"SIGNAL": "pthread_cond_signal(&c);"}, False),
        ({"SIGNAL": "lock(&m); unlock(&m); pthread_cond_signal(&c);"}, False),
        ({"LAST": "create(u, h);"}, False),
        ({"LAST": GUARDED}, False),
        ({"WAIT": "pthread_cond_timedwait(&c, &m, &soon)"}, False),
        ({"WAIT": "if (ANY) " + WAIT}, False),
        ({"WAIT": "int r = 1; while (r) { " + WAIT + "; r = 0; }"}, True),
        ({"WAIT": "pthread_cond_t *q = ANY ? &c : 0; if (q) pthread_cond_wait(q, &m); else for (;;);"}, False),
    ],
)
def test_conditions_without_spurious_wakeups(words: dict[str, str], is_proved: bool, tmp_path: Path) -> None:
    words = {"SIGNAL": words.get("SIGNAL", GUARDED), "WAIT": words.get("WAIT", WAIT), "LAST": words.get("LAST", "")}
    text = "#include <time.h>\n#line 1\n" + NOTIFY
    program = alone(text, tmp_path, **words)
    assert ((2, 3) in program.proved("intervals", spurious=False)) is is_proved
    assert (2, 3) not in program.proved("intervals", spurious=True)


def test_section_3_a_notified_thread_comes_after_the_notifier() -> None:
    """[TX, Section 3]: b7 is executed before a5, a6, a7, so that (a7, b5), two writes of sh1, cannot race; unless the
    wait ends without a signal."""
    path = PROGRAMS / "values" / "fig1_at_limit_race.c"
    lines = path.read_text(encoding="utf-8").splitlines()
    a7, b5 = (n for n, line in enumerate(lines, start=1) if "sh1 = sh;" in line)
    program = of_file(path)
    assert (a7, b5) in program.proved("intervals", spurious=False)
    assert program.proved("intervals", spurious=True) <= program.proved("intervals", spurious=False)


def test_a_thread_that_waits_for_ever_lets_others_go_on(tmp_path: Path) -> None:
    text = """sem_t s; atomic_int c; int x;
    void *e(void *p) { c = 1; sem_wait(&s); c = 2; return 0; }
    void *f(void *p) { if (c == 1) x = 1; return 0; }
    int main(void) { pthread_t a, b; sem_init(&s, 0, 0); create(a, e); create(b, f); if (c == 1)
    x = 2; return 0; }
    """
    program = alone(text, tmp_path)
    assert (3, 5) not in program.proved()


def judged(program: Analysed, assumptions: tuple[str, ...]) -> Ruling:
    """What the checker of evidence says to a proof without spurious wakeups."""
    options = TransactionsOptions(domains=("intervals",), spurious=False)
    finding = next(f for f in run(program.cp, program.pairs, options, Budget.seconds(60)).findings)
    assert isinstance(finding.evidence, Invariants)
    assert not finding.evidence.map.spurious
    key = (finding.pair.first, finding.pair.second)
    claim = Claim(
        id=1,
        verdict=Verdict.RACE_FREE,
        scope=Scope.ALL_INPUTS,
        engine="transactions",
        accesses=(),
        key=key,
        evidence=(),
        invariants=finding.evidence.map,
    )
    report = ReportClaims(Verdict.RACE_FREE, Scope.ALL_INPUTS, (claim,), assumptions=assumptions)
    subject = Subject(program.cp, {key: finding.pair}, report)
    (judgement,) = check_invariants(subject, [claim], Budget.seconds(60))
    return judgement.ruling


def test_evidence_is_accepted_only_if_the_report_names_the_assumption(tmp_path: Path) -> None:
    text = "#include <time.h>\n#line 1\n" + NOTIFY
    program = alone(text, tmp_path, SIGNAL=GUARDED, WAIT=WAIT, LAST="")
    assert judged(program, (NO_SPURIOUS_WAKEUPS,)).answer is Answer.ACCEPTED
    assert judged(program, ()).answer is Answer.REJECTED


OPERATIONS = (
    "sem_post(&s);",
    "sem_wait(&s);",
    "sem_post(&t);",
    "sem_wait(&t);",
    "if (!sem_trywait(&s)) x = 5;",
    "pthread_barrier_wait(&b);",
    "lock(&m); pthread_cond_wait(&c, &m); unlock(&m);",
    "lock(&m); pthread_cond_signal(&c); unlock(&m);",
    "lock(&m); pthread_cond_broadcast(&c); unlock(&m);",
    "x = 1;",
    "x = 2;",
    "y = 3;",
)


def generated(seed: int) -> str:
    """Three threads with a few operations each; every statement on a line of its own."""
    draw = random.Random(seed)
    lines = ["sem_t s, t; pthread_barrier_t b; pthread_mutex_t m = MUTEX;"]
    lines.append("pthread_cond_t c = PTHREAD_COND_INITIALIZER; int x, y;")
    for name in "fg":
        lines += [f"void *{name}(void *p) {{", *draw.choices(OPERATIONS, k=4), "return 0; }"]
    lines.append("int main(void) { pthread_t q, r;")
    lines.append(f"sem_init(&s, 0, {draw.randrange(2)}); sem_init(&t, 0, 0); pthread_barrier_init(&b, 0, 2);")
    lines += ["create(q, f); create(r, g);", *draw.choices(OPERATIONS, k=draw.randrange(3)), "return 0; }"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("spurious", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_what_is_proved_never_races(seed: int, spurious: bool, tmp_path: Path) -> None:
    """Against every schedule, run by the interpreter."""
    program = of_text(generated(seed), tmp_path)
    program = replace(program, open_pairs=program.pairs)
    found = interpreter.explore(program.cp.program, seconds=20, spurious=spurious)
    sites = program.cp.program.instructions_by_site()
    racy = set()
    for (first, second), race in found.races.items():
        ends = [sites[site][1].pos for site, _ in (first, second)]  # type: ignore[index]
        if race.is_first and all(ends):
            racy.add(tuple(sorted(pos.line for pos in ends if pos is not None)))
    assert racy.isdisjoint(program.proved("intervals", spurious=spurious))
