"""Barriers, once and flags in the net of a C program: what they order, and above all what they do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.petri.c_programs import analysed

from raceproof.core import Budget
from raceproof.model import Verdict
from raceproof.petri import Detail, PetriOptions, program_net, program_reduction, program_walk, run
from raceproof.petri.net import Safe, Undecided
from raceproof.petri.solver import solve

TWO = "int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }\n"
WORKERS = "int main(void) { MANY(f) return 0; }\n"
BARRIER = "pthread_barrier_t b; int x;"
MEET = "pthread_barrier_wait(&b);"
AT_BARRIER = "int main(void) { pthread_t s, t; pthread_barrier_init(&b, 0, 2); create(s, f); create(t, g); return 0; }"
FLAG = "atomic_int flag; int x;"
LOCKED_FLAG = "pthread_mutex_t m = MUTEX; int flag, x;"
SENDS = "void *f(void *p) { x = 1; %s return 0; }"
HEARS = "void *g(void *p) { while (!%s) {} x = 2; return 0; }"
HANDSHAKE = SENDS + HEARS + TWO
SET_LOCKED = "lock(&m); flag = 1; unlock(&m);"
GET_LOCKED = "int get(void) { lock(&m); int v = flag; unlock(&m); return v; }"
ONCE = "pthread_once_t o = PTHREAD_ONCE_INIT; int x; void init(void) { x = 1; }"
TOKEN = """atomic_int token; int x;
void *f(void *p) { while (ANY) { while (atomic_load_explicit(&token, %s) != 0) {}
  x++; atomic_store_explicit(&token, 1, memory_order_release); } return 0; }
void *g(void *p) { while (ANY) { while (atomic_load_explicit(&token, memory_order_acquire) != 1) {}
  x++; atomic_store_explicit(&token, 0, memory_order_release); } return 0; }"""
DEKKER = """atomic_int a, b; int x;
void *f(void *p) { atomic_store_explicit(&a, 1, %s); if (!atomic_load_explicit(&b, %s)) x = 1; return 0; }
void *g(void *p) { atomic_store_explicit(&b, 1, %s); if (!atomic_load_explicit(&a, %s)) x = 2; return 0; }"""
SPIN = """atomic_int word; int x;
void *f(void *p) {
  int none = 0;
  while (!atomic_compare_exchange_strong_explicit(&word, &none, 1, %s, memory_order_relaxed)) none = 0;
  x++;
  atomic_store_explicit(&word, 0, %s);
  return 0;
}"""
PETERSON = """atomic_int a, b, turn; int x;
void *f(void *p) { a = 1; turn = 1; while (b && turn == 1) {} x++; a = 0; return 0; }
void *g(void *p) { b = 1; turn = 0; while (a && turn == 0) {} x++; b = 0; return 0; }"""
CLAIM = "atomic_flag taken = ATOMIC_FLAG_INIT; int x;" + (
    "void *f(void *p) { if (!atomic_flag_test_and_set_explicit(&taken, memory_order_relaxed)) x++; %s return 0; }"
)


def orders(store: str, load: str) -> tuple[str, str]:
    return (
        f"atomic_store_explicit(&flag, 1, memory_order_{store});",
        f"atomic_load_explicit(&flag, memory_order_{load})",
    )


SAFE = {
    "barrier between two": BARRIER
    + f"void *f(void *p) {{ x = 1; {MEET} return 0; }} void *g(void *p) {{ {MEET} x = 2; return 0; }}"
    + AT_BARRIER,
    "a barrier beside other things": "struct { int n; pthread_barrier_t b; } b; int x;"
    + f"void *f(void *p) {{ x = 1; {MEET} return 0; }} void *g(void *p) {{ {MEET} x = 2; return 0; }}".replace(
        "&b", "&b.b"
    )
    + AT_BARRIER.replace("&b", "&b.b").replace("create(s", "b.n = 1; create(s"),
    "two waits in each round": BARRIER
    + f"void *f(void *p) {{ while (ANY) {{ x = 1; {MEET} {MEET} }} return 0; }}"
    + f"void *g(void *p) {{ while (ANY) {{ {MEET} x = 2; {MEET} }} return 0; }}"
    + AT_BARRIER,
    "a barrier for three": BARRIER
    + f"void *f(void *p) {{ x = 1; {MEET} {MEET} return 0; }} void *g(void *p) {{ {MEET} x = 2; {MEET} return 0; }}"
    + "int main(void) { pthread_t s, t; pthread_barrier_init(&b, 0, 3); create(s, f); create(t, g);"
    + f"{MEET} {MEET} x = 3; return 0; }}",
    "a barrier for as many as a loop creates": "pthread_barrier_t b; int x;"
    f"void *f(void *p) {{ {MEET} x = 2; {MEET} return 0; }}".replace("x = 2", "int v = x; (void)v")
    + "int main(void) { pthread_barrier_init(&b, 0, 4); x = 1;"
    + f"for (int i = 0; i < 3; i++) {{ pthread_t t; create(t, f); }} {MEET} {MEET} x = 3; return 0; }}",
    "joined by a loop": "int x; void *f(void *p) { int v = x; (void)v; return 0; }"
    "int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) create(t[i], f);"
    "for (int i = 0; i < 3; i++) join(t[i]); x = 1; return 0; }",
    "once": ONCE + "void *f(void *p) { pthread_once(&o, init); return 0; }" + WORKERS,
    "once, whatever it runs": ONCE
    + "void none(void) {} void *f(void *p) { pthread_once(&o, ANY ? init : none); return x ? p : 0; }"
    + WORKERS,
    "reads behind once": ONCE + "void *f(void *p) { pthread_once(&o, init); return x ? p : 0; }" + WORKERS,
    "flag under a lock": LOCKED_FLAG + GET_LOCKED + HANDSHAKE % (SET_LOCKED, "get()"),
    "flag with a condition": LOCKED_FLAG
    + "pthread_cond_t c = PTHREAD_COND_INITIALIZER;"
    + SENDS % (SET_LOCKED + "pthread_cond_signal(&c);")
    + "void *g(void *p) { lock(&m); while (!flag) pthread_cond_wait(&c, &m); unlock(&m); x = 2; return 0; }"
    + TWO,
    "flag in a structure with its lock": "struct { pthread_mutex_t m; int flag; } s = {MUTEX, 0}; int x;"
    "int get(void) { lock(&s.m); int v = s.flag; unlock(&s.m); return v; }"
    + HANDSHAKE
    % ("lock(&s.m); s.flag = 1; unlock(&s.m);", "get()"),
    "flag under a read-write lock": "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int flag, x;"
    "int get(void) { pthread_rwlock_rdlock(&l); int v = flag; pthread_rwlock_unlock(&l); return v; }"
    + HANDSHAKE
    % ("pthread_rwlock_wrlock(&l); flag = 1; pthread_rwlock_unlock(&l);", "get()"),
    "flag that is set in the beginning": LOCKED_FLAG
    + GET_LOCKED
    + SENDS % "lock(&m); flag = 0; unlock(&m);"
    + "void *g(void *p) { while (get()) {} x = 2; return 0; }"
    + TWO.replace("{ pthread_t", "{ flag = 1; pthread_t"),
    "value of three": LOCKED_FLAG
    + GET_LOCKED
    + SENDS % "lock(&m); flag = 2; unlock(&m);"
    + "void *g(void *p) { while (get() != 2) {} x = 2; return 0; }"
    + "void *h(void *p) { lock(&m); if (!flag) flag = 1; unlock(&m); return 0; }"
    + "int main(void) { pthread_t a, b, c; create(a, f); create(b, g); create(c, h); return 0; }",
    "value that is passed": LOCKED_FLAG
    + GET_LOCKED
    + "void set(int v) { lock(&m); flag = v; unlock(&m); }"
    + HANDSHAKE % ("set(1);", "get()"),
    "busy, under a lock": LOCKED_FLAG
    + "void *f(void *p) { lock(&m); int mine = !flag; if (mine) flag = 1; unlock(&m);"
    + "if (mine) { x++; lock(&m); flag = 0; unlock(&m); } return 0; }"
    + WORKERS,
    "atomic flag": FLAG + HANDSHAKE % ("flag = 1;", "flag"),
    "release and acquire": FLAG + HANDSHAKE % orders("release", "acquire"),
    "a word handed to and fro": TOKEN % "memory_order_acquire" + TWO,
    "spin lock": SPIN % ("memory_order_acquire", "memory_order_release") + WORKERS,
    "spin lock, sequentially consistent": SPIN % ("memory_order_seq_cst", "memory_order_seq_cst") + WORKERS,
    "Dekker, sequentially consistent": DEKKER % (("memory_order_seq_cst",) * 4) + TWO,
    "Peterson": PETERSON + TWO,
    "only one finds it clear": CLAIM % "" + WORKERS,
    "trylock in a function that tells": "pthread_mutex_t m = MUTEX; int x;"
    "int enter(void) { return pthread_mutex_trylock(&m) == 0; }"
    "void *f(void *p) { if (enter()) { x++; unlock(&m); } return 0; }" + WORKERS,
    "lock or not, as a parameter says": "pthread_mutex_t m = MUTEX; int x;"
    "void work(int locked) { if (!locked) lock(&m); x++; if (!locked) unlock(&m); }"
    "void *f(void *p) { if (ANY) work(0); else { lock(&m); work(1); unlock(&m); } return 0; }" + WORKERS,
}

OPEN = {
    "more threads than the barrier has room for": BARRIER
    + f"void *f(void *p) {{ x = 1; {MEET} x = 2; return 0; }}"
    + "int main(void) { pthread_barrier_init(&b, 0, 2); MANY(f) return 0; }",
    "a third thread at the barrier": BARRIER
    + f"void *f(void *p) {{ x = 1; {MEET} return 0; }} void *g(void *p) {{ {MEET} x = 2; return 0; }}"
    + f"void *h(void *p) {{ {MEET} return 0; }}"
    + "int main(void) { pthread_t s, t, u; pthread_barrier_init(&b, 0, 2);"
    + "create(s, f); create(t, g); create(u, h); return 0; }",
    "on one side of the barrier": BARRIER
    + f"void *f(void *p) {{ {MEET} x = 1; return 0; }} void *g(void *p) {{ {MEET} x = 2; return 0; }}"
    + AT_BARRIER,
    "one wait too few": BARRIER
    + f"void *f(void *p) {{ while (ANY) {{ x = 1; {MEET} }} return 0; }}"
    + f"void *g(void *p) {{ while (ANY) {{ {MEET} x = 2; }} return 0; }}"
    + AT_BARRIER,
    "two barriers": "pthread_barrier_t b, c; int x;"
    f"void *f(void *p) {{ x = 1; {MEET} return 0; }}"
    "void *g(void *p) { pthread_barrier_wait(&c); x = 2; return 0; }"
    + AT_BARRIER.replace("create(s", "pthread_barrier_init(&c, 0, 1); create(s"),
    "a barrier for one": BARRIER
    + f"void *f(void *p) {{ x = 1; {MEET} return 0; }} void *g(void *p) {{ {MEET} x = 2; return 0; }}"
    + AT_BARRIER.replace("0, 2", "0, 1"),
    "a barrier with a count from outside": BARRIER
    + f"void *f(void *p) {{ x = 1; {MEET} return 0; }} void *g(void *p) {{ {MEET} x = 2; return 0; }}"
    + AT_BARRIER.replace("0, 2", "0, ANY"),
    "a barrier with two counts": BARRIER
    + f"void *f(void *p) {{ x = 1; {MEET} return 0; }} void *g(void *p) {{ {MEET} x = 2; return 0; }}"
    + AT_BARRIER.replace("create(s", "if (ANY) pthread_barrier_init(&b, 0, 1); create(s"),
    "a barrier that is written as memory": BARRIER
    + f"void *f(void *p) {{ x = 1; {MEET} return 0; }} void *g(void *p) {{ {MEET} x = 2; return 0; }}"
    + AT_BARRIER.replace("create(s", "((int *)&b)[2] = 1; create(s"),
    "a barrier that others have a pointer to": BARRIER
    + f"pthread_barrier_t *q = &b; void *f(void *p) {{ x = 1; {MEET} return 0; }}"
    + f"void *g(void *p) {{ {MEET} x = 2; return 0; }}"
    + "void *h(void *p) { pthread_barrier_wait(q); return 0; }"
    + AT_BARRIER.replace("create(s", "pthread_t u; create(u, h); create(s"),
    "once, done by a call that runs something else": ONCE
    + "sem_t s; void none(void) {} void waits(void) { sem_wait(&s); }"
    + "void *f(void *p) { pthread_once(&o, waits); x++; return 0; }"
    + "int main(void) { sem_init(&s, 0, 0); pthread_once(&o, none); MANY(f) return 0; }",
    "once, with a function of the library": ONCE
    + "sem_t s; void waits(void) { sem_wait(&s); }"
    + "void *f(void *p) { pthread_once(&o, ANY ? waits : (void (*)(void))rand); x++; return 0; }"
    + "int main(void) { sem_init(&s, 0, 0); MANY(f) return 0; }",
    "once, and then a write": ONCE + "void *f(void *p) { pthread_once(&o, init); x++; return 0; }" + WORKERS,
    "reads before once": ONCE + "void *f(void *p) { int v = x; (void)v; pthread_once(&o, init); return 0; }" + WORKERS,
    "two once-objects": ONCE
    + "pthread_once_t q = PTHREAD_ONCE_INIT;"
    + "void *f(void *p) { if (ANY) pthread_once(&o, init); else pthread_once(&q, init); return 0; }"
    + WORKERS,
    "once that is set back": ONCE
    + "void *f(void *p) { pthread_once(&o, init); o = (pthread_once_t)PTHREAD_ONCE_INIT; return 0; }"
    + WORKERS,
    "once through a pointer": ONCE
    + "pthread_once_t *q = &o; void *f(void *p) { pthread_once(q, init); return x ? p : 0; }"
    + WORKERS,
    "once that ends its thread": ONCE.replace("x = 1;", "x = 1; pthread_exit(0);")
    + "void *f(void *p) { pthread_once(&o, init); return 0; }"
    + WORKERS,
    "a flag without anything": "int flag, x;" + HANDSHAKE % ("flag = 1;", "flag"),
    "a volatile flag": "volatile int flag; int x;" + HANDSHAKE % ("flag = 1;", "flag"),
    "relaxed": FLAG + HANDSHAKE % orders("relaxed", "relaxed"),
    "relaxed store": FLAG + HANDSHAKE % orders("relaxed", "acquire"),
    "relaxed load": FLAG + HANDSHAKE % orders("release", "relaxed"),
    "relaxed store beside": FLAG
    + HANDSHAKE % ("if (ANY) flag = 1; else atomic_store_explicit(&flag, 1, memory_order_relaxed);", "flag"),
    "set too early": FLAG + "void *f(void *p) { flag = 1; x = 1; return 0; }" + HEARS % "flag" + TWO,
    "set by another": FLAG
    + SENDS % "flag = 1;"
    + HEARS % "flag"
    + "void *h(void *p) { flag = 1; return 0; }"
    + "int main(void) { pthread_t a, b, c; create(a, f); create(b, g); create(c, h); return 0; }",
    "wrong value": FLAG + SENDS % "flag = 1;" + "void *g(void *p) { while (flag == 1) {} x = 2; return 0; }" + TWO,
    "set in the beginning": "atomic_int flag = 1; int x;" + HANDSHAKE % ("flag = 1;", "flag"),
    "flag under two locks": LOCKED_FLAG
    + "pthread_mutex_t n = MUTEX; int get(void) { lock(&n); int v = flag; unlock(&n); return v; }"
    + HANDSHAKE % (SET_LOCKED, "get()"),
    "flag read without the lock": LOCKED_FLAG + HANDSHAKE % (SET_LOCKED, "flag"),
    "flag set without the lock": LOCKED_FLAG + GET_LOCKED + HANDSHAKE % ("flag = 1;", "get()"),
    "flag under a lock that may not be held": LOCKED_FLAG
    + "int get(void) { int rc = pthread_mutex_trylock(&m); int v = flag; if (!rc) unlock(&m); return v; }"
    + HANDSHAKE % (SET_LOCKED, "get()"),
    "flag written under a read lock": "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int flag, x;"
    "int get(void) { pthread_rwlock_rdlock(&l); int v = flag; pthread_rwlock_unlock(&l); return v; }"
    + HANDSHAKE
    % ("pthread_rwlock_rdlock(&l); flag = 1; pthread_rwlock_unlock(&l);", "get()"),
    "flag that others have a pointer to": LOCKED_FLAG
    + "int *q = &flag; void *h(void *p) { *q = 1; return 0; }"
    + GET_LOCKED
    + SENDS % SET_LOCKED
    + HEARS % "get()"
    + "int main(void) { pthread_t a, b, c; create(a, f); create(b, g); create(c, h); return 0; }",
    "a failed trylock tells nothing": "pthread_mutex_t m = MUTEX; int x;"
    "void *f(void *p) { x = 1; lock(&m); return 0; }"
    "void *g(void *p) { if (pthread_mutex_trylock(&m)) x = 2; return 0; }" + TWO,
    "a word handed on without a care": TOKEN % "memory_order_relaxed" + TWO,
    "three with one word": TOKEN % "memory_order_acquire" + TWO.replace("create(b, g);", "create(b, g); MANY(g)"),
    "spin lock that does not acquire": SPIN % ("memory_order_relaxed", "memory_order_release") + WORKERS,
    "spin lock that does not release": SPIN % ("memory_order_acquire", "memory_order_relaxed") + WORKERS,
    "Dekker, release and acquire": DEKKER
    % ("memory_order_release", "memory_order_acquire", "memory_order_release", "memory_order_acquire")
    + TWO,
    "Dekker, half of it": DEKKER
    % ("memory_order_seq_cst", "memory_order_seq_cst", "memory_order_release", "memory_order_acquire")
    + TWO,
    "more than two in Peterson": PETERSON + TWO.replace("create(b, g);", "create(b, g); MANY(g)"),
    "one finds it clear, and then again": CLAIM % "atomic_flag_clear_explicit(&taken, memory_order_relaxed);" + WORKERS,
    "the one who finds it clear and the others": CLAIM % "x++;" + WORKERS,
    "one more than the loop joins": "int x; void *f(void *p) { int v = x; (void)v; return 0; }"
    "int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) create(t[i], f);"
    "for (int i = 0; i < 2; i++) join(t[i]); x = 1; return 0; }",
    "lock or not, as a parameter says wrongly": "pthread_mutex_t m = MUTEX; int x;"
    "void work(int locked) { if (!locked) lock(&m); x++; if (!locked) unlock(&m); }"
    "void *f(void *p) { if (ANY) work(0); else work(1); return 0; }" + WORKERS,
}


def left_open(text: str, directory: Path) -> list[str]:
    """Why pairs on x are open. By the native kernel: with values the nets are too large for the plain search."""
    program = analysed(text, directory)
    pairs = [pair for pair in program.pairs if program.variable(pair) == "x"]
    assert pairs, "nothing is shared: the program tests nothing"
    found = run(program.cp, pairs, PetriOptions(), Budget.seconds(60)).findings
    return [str(finding.evidence) for finding in found if finding.verdict is not Verdict.RACE_FREE]


@pytest.mark.parametrize("name", SAFE)
def test_proved_for_any_number_of_threads(name: str, tmp_path: Path) -> None:
    assert not left_open(SAFE[name], tmp_path)


@pytest.mark.parametrize("name", OPEN)
def test_never_proved(name: str, tmp_path: Path) -> None:
    assert left_open(OPEN[name], tmp_path)


@pytest.mark.parametrize("name", OPEN)
def test_never_proved_where_calls_are_not_inlined(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_walk, "MAX_INLINED_NODES", 0)
    assert left_open(OPEN[name], tmp_path)


@pytest.mark.parametrize("name", [*SAFE, *OPEN])
def test_reduction_changes_no_answer(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pair alone, in the net as drawn and in the reduced one."""
    program = analysed((SAFE | OPEN)[name], tmp_path)
    small = [program_net(program.cp, [pair], Budget.unlimited(), Detail.VALUES).net for pair in program.pairs]
    for step in ("_without_useless", "_without_circles", "_without_passages", "_without_twins"):
        monkeypatch.setattr(program_reduction, step, lambda edges, *rest: edges)
    large = [program_net(program.cp, [pair], Budget.unlimited(), Detail.VALUES).net for pair in program.pairs]
    for before, after in zip(large, small, strict=True):
        answers = [solve(net, Budget.seconds(20)) for net in (before, after)]
        assert not any(isinstance(answer, Undecided) for answer in answers)
        assert isinstance(answers[0], Safe) == isinstance(answers[1], Safe)


def test_what_orders_nothing_is_noted(tmp_path: Path) -> None:
    program = analysed(OPEN["a barrier with a count from outside"], tmp_path)
    assert any(note.startswith("barriers that are not certain") for note in program.run().notes)
