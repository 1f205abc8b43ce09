"""What the net of a C program can prove, and above all what it must not."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.petri.c_programs import analysed, proved

from raceproof.core import Budget, Unsupported
from raceproof.petri import format_net, program_net, program_reduction, program_walk
from raceproof.petri.net import Safe, Undecided
from raceproof.petri.solver import solve

WORKERS = "int main(void) { MANY(f) return 0; }\n"
TWO = "int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }\n"
LOCKED = "pthread_mutex_t m = MUTEX; int x; void *f(void *p) { lock(&m); x++; unlock(&m); return 0; }\n"

SAFE = {
    "any number of workers under one lock": LOCKED + WORKERS,
    "before the creation": LOCKED + "int main(void) { x = 1; MANY(f) return 0; }",
    "behind the join": "int x; void *f(void *p) { x++; return 0; }"
    "int main(void) { pthread_t a; create(a, f); join(a); return x; }",
    "behind the joins of two": LOCKED
    + "int main(void) { pthread_t a, b; create(a, f); create(b, f); join(a); join(b); return x; }",
    "behind the join of a thread that ends in the middle": "int x;"
    "void *f(void *p) { x++; if (ANY) pthread_exit(0); x++; return 0; }"
    "int main(void) { pthread_t a; create(a, f); join(a); return x; }",
    "one after the other, in a loop": "int x; void *f(void *p) { x++; return 0; }"
    "int main(void) { pthread_t a; while (ANY) { create(a, f); join(a); x++; } return 0; }",
    "check then act, with the lock": LOCKED
    + "void *g(void *p) { lock(&m); if (x > 0) { x = 0; } unlock(&m); return 0; }"
    + "int main(void) { MANY(f) MANY(g) return 0; }",
    "producers and consumers": "pthread_mutex_t m = MUTEX; int x;"
    "pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;"
    "void *f(void *p) { lock(&m); while (ANY) { pthread_cond_wait(&empty, &m); x = 1; pthread_cond_signal(&full); }"
    "  unlock(&m); return 0; }"
    "void *g(void *p) { lock(&m); while (ANY) { pthread_cond_wait(&full, &m); int v = x; (void)v;"
    "  pthread_cond_signal(&empty); } unlock(&m); return 0; }"
    "int main(void) { MANY(f) MANY(g) return 0; }",
    "trylock that succeeds": "pthread_mutex_t m = MUTEX; int x;"
    "void *f(void *p) { if (pthread_mutex_trylock(&m) == 0) { x++; unlock(&m); } return 0; }" + WORKERS,
    "trylock with a test the other way round": "pthread_mutex_t m = MUTEX; int x;"
    "void *f(void *p) { if (pthread_mutex_trylock(&m)) return 0; x++; unlock(&m); return 0; }" + WORKERS,
    "lock in a wrapper": "pthread_mutex_t m = MUTEX; int x; void take(pthread_mutex_t *l) { lock(l); }"
    "void *f(void *p) { take(&m); x++; unlock(&m); return 0; }" + WORKERS,
    "lock as argument of the thread": "pthread_mutex_t m = MUTEX; int x;"
    "void *f(void *p) { lock(p); x++; unlock(p); return 0; }"
    "int main(void) { while (ANY) { pthread_t t; pthread_create(&t, 0, f, &m); } return 0; }",
    "two locks of a structure": "struct { pthread_mutex_t a, b; } s = {MUTEX, MUTEX}; int x;"
    "void *f(void *p) { lock(&s.a); lock(&s.b); unlock(&s.b); x++; unlock(&s.a); return 0; }" + WORKERS,
    "recursive mutex": "pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; int x;"
    "void *f(void *p) { lock(&m); lock(&m); unlock(&m); x++; unlock(&m); return 0; }" + WORKERS,
    "readers and a writer": "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x;"
    "void *f(void *p) { pthread_rwlock_rdlock(&l); int v = x; (void)v; pthread_rwlock_unlock(&l); return 0; }"
    "void *g(void *p) { pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l); return 0; }"
    "int main(void) { MANY(f) MANY(g) return 0; }",
    "semaphore as a mutex": "sem_t s; int x; void *f(void *p) { sem_wait(&s); x++; sem_post(&s); return 0; }"
    "int main(void) { sem_init(&s, 0, 1); MANY(f) return 0; }",
    "two semaphores pass a ball": "sem_t s, t; int x;"
    "void *f(void *p) { while (ANY) { sem_wait(&s); x++; sem_post(&t); } return 0; }"
    "void *g(void *p) { while (ANY) { sem_wait(&t); x++; sem_post(&s); } return 0; }"
    "int main(void) { sem_init(&s, 0, 1); sem_init(&t, 0, 0); MANY(f) MANY(g) return 0; }",
    "atomic section": "int x; void *f(void *p) { __VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end(); return 0; }"
    + WORKERS,
    "atomic function": "int x; void __VERIFIER_atomic_add(void) { x++; }"
    "void *f(void *p) { __VERIFIER_atomic_add(); return 0; }" + WORKERS,
    "atomics": "atomic_int x; void *f(void *p) { x++; return 0; }" + WORKERS,
    "recursion under the lock": "pthread_mutex_t m = MUTEX; int x; void deep(int n) { x++; if (n) deep(n - 1); }"
    "void *f(void *p) { lock(&m); deep(ANY); unlock(&m); return 0; }" + WORKERS,
    "unknown code that cannot know the lock": "void mystery(int n); pthread_mutex_t m = MUTEX; int x;"
    "void *f(void *p) { lock(&m); mystery(1); x++; unlock(&m); return 0; }" + WORKERS,
    "a thread creates its successor": "int x; void *f(void *p) { x++; pthread_t t; create(t, f); return 0; }"
    "int main(void) { pthread_t a; create(a, f); return 0; }",
}

OPEN = {
    "no lock": "int x; void *f(void *p) { x++; return 0; }" + WORKERS,
    "two locks": "pthread_mutex_t m = MUTEX, n = MUTEX; int x;"
    "void *f(void *p) { lock(&m); x++; unlock(&m); return 0; }"
    "void *g(void *p) { lock(&n); x++; unlock(&n); return 0; }" + TWO,
    "after the creation": LOCKED + "int main(void) { MANY(f) x = 1; return 0; }",
    "no join": "int x; void *f(void *p) { x++; return 0; } int main(void) { pthread_t a; create(a, f); return x; }",
    "one of two is joined": LOCKED
    + "int main(void) { pthread_t a, b; create(a, f); create(b, f); join(a); return x; }",
    "the other one is joined": "int x; void *f(void *p) { x++; return 0; } void *g(void *p) { return 0; }"
    "int main(void) { pthread_t a, b; create(a, f); create(b, g); join(b); return x; }",
    "the id is overwritten": "int x; void *f(void *p) { x++; return 0; } void *g(void *p) { return 0; }"
    "int main(void) { pthread_t a, b; create(a, f); create(b, g); a = b; join(a); return x; }",
    "the id is overwritten elsewhere": "int x; void *f(void *p) { x++; return 0; } void *g(void *p) { return 0; }"
    "void other(pthread_t *t) { create(*t, g); }"
    "int main(void) { pthread_t a; create(a, f); other(&a); join(a); return x; }",
    "the join is of nothing": "pthread_t id; int x; void *f(void *p) { x++; return 0; }"
    "int main(void) { pthread_t a; join(id); create(a, f); x = 1; join(a); return 0; }",
    "an id that was never filled": "pthread_t id; int x; void *f(void *p) { x++; return 0; }"
    "int main(void) { pthread_t a; create(a, f); join(id); return x; }",
    "a join that may fail": "int x; void *f(void *p) { x++; return 0; }"
    "int main(void) { pthread_t a; create(a, f); pthread_tryjoin_np(a, 0); return x; }",
    "the child of the joined one": "int x; void *f(void *p) { x++; return 0; }"
    "void *g(void *p) { pthread_t t; create(t, f); return 0; }"
    "int main(void) { pthread_t a; create(a, g); join(a); return x; }",
    "check then act, without the lock": LOCKED + "void *g(void *p) { if (x > 0) { } return 0; }" + TWO,
    "between lock and wait": "pthread_mutex_t m = MUTEX; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int x;"
    "void *f(void *p) { lock(&m); pthread_cond_wait(&c, &m); unlock(&m); x++; return 0; }" + WORKERS,
    "trylock that fails": "pthread_mutex_t m = MUTEX; int x;"
    "void *f(void *p) { if (pthread_mutex_trylock(&m) != 0) { x++; } return 0; }" + WORKERS,
    "trylock without a look": "pthread_mutex_t m = MUTEX; int x;"
    "void *f(void *p) { pthread_mutex_trylock(&m); x++; unlock(&m); return 0; }" + WORKERS,
    "a lock that is chosen": "pthread_mutex_t m = MUTEX, n = MUTEX; int x;"
    "void *f(void *p) { pthread_mutex_t *l = ANY ? &m : &n; lock(l); x++; unlock(l); return 0; }" + WORKERS,
    "unlocked through a pointer": "pthread_mutex_t m = MUTEX, n = MUTEX; int x;"
    "void *f(void *p) { lock(&m); lock(&n); pthread_mutex_t *l = ANY ? &m : &n; unlock(l); x++; return 0; }" + WORKERS,
    "error-checking mutex": "pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP; int x;"
    "void *f(void *p) { lock(&m); lock(&m); unlock(&m); x++; unlock(&m); return 0; }" + WORKERS,
    "recursive mutex, given back": "pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; int x;"
    "void *f(void *p) { lock(&m); lock(&m); unlock(&m); unlock(&m); x++; return 0; }" + WORKERS,
    "readers that write": "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x;"
    "void *f(void *p) { pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l); return 0; }" + WORKERS,
    "a reader that gives it back": "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x;"
    "void *f(void *p) { pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); int v = x; (void)v; return 0; }"
    "void *g(void *p) { pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l); return 0; }" + TWO,
    "semaphore for two": "sem_t s; int x; void *f(void *p) { sem_wait(&s); x++; sem_post(&s); return 0; }"
    "int main(void) { sem_init(&s, 0, 2); MANY(f) return 0; }",
    "semaphore with a number from outside": "sem_t s; int x;"
    "void *f(void *p) { sem_wait(&s); x++; sem_post(&s); return 0; }"
    "int main(void) { sem_init(&s, 0, ANY); MANY(f) return 0; }",
    "semaphore that is posted once more": "sem_t s; int x;"
    "void *f(void *p) { sem_wait(&s); x++; sem_post(&s); return 0; }"
    "int main(void) { sem_init(&s, 0, 1); MANY(f) sem_post(&s); return 0; }",
    "semaphore that is posted through a pointer": "sem_t s, t; int x;"
    "void *f(void *p) { sem_wait(&s); x++; sem_post(&s); return 0; }"
    "int main(void) { sem_init(&s, 0, 1); sem_t *q = ANY ? &s : &t; MANY(f) sem_post(q); return 0; }",
    "atomic section that is over": "int x;"
    "void *f(void *p) { __VERIFIER_atomic_begin(); __VERIFIER_atomic_end(); x++; return 0; }" + WORKERS,
    "one access is atomic": "atomic_int x; void *f(void *p) { x++; return 0; }"
    "void *g(void *p) { *(int *)&x = 1; return 0; }" + TWO,
    "recursion that unlocks": "pthread_mutex_t m = MUTEX; int x;"
    "void deep(int n) { if (n) deep(n - 1); else unlock(&m); }"
    "void *f(void *p) { lock(&m); deep(ANY); x++; return 0; }" + WORKERS,
    "unknown code that runs a function which unlocks": "void keep(void (*h)(void)); void mystery(int n);"
    "pthread_mutex_t m = MUTEX; int x; void back(void) { unlock(&m); }"
    "void *f(void *p) { lock(&m); mystery(1); x++; unlock(&m); return 0; }"
    "int main(void) { keep(back); MANY(f) return 0; }",
    "a callback of the library that unlocks": "pthread_mutex_t m = MUTEX; int x, a[4];"
    "int cmp(const void *p, const void *q) { unlock(&m); return 0; }"
    "void *f(void *p) { lock(&m); qsort(a, 4, 4, cmp); x++; return 0; }" + WORKERS,
    "a call that gives the lock back for a while": "pthread_mutex_t m = MUTEX; pthread_cond_t c; sem_t s; int x;"
    "void wait(void) { pthread_cond_wait(&c, &m); }"
    "void *f(void *p) { lock(&m); sem_post(&s); wait(); wait(); wait(); wait(); wait(); x = 1; unlock(&m); return 0; }"
    "void *g(void *p) { sem_wait(&s); lock(&m); unlock(&m); x = 2; return 0; }"
    + TWO.replace("{ ", "{ sem_init(&s, 0, 0); "),
    "a handler at exit": "int x; void h(void) { x++; } void *f(void *p) { x++; return 0; }"
    "int main(void) { pthread_t a; atexit(h); create(a, f); return 0; }",
}


@pytest.mark.parametrize("name", SAFE)
def test_proved_for_any_number_of_threads(name: str, tmp_path: Path) -> None:
    assert proved(SAFE[name], tmp_path)["x"]


def test_a_lock_that_unknown_code_is_given_protects_nothing(tmp_path: Path) -> None:
    """It may be overwritten while threads run."""
    text = "void mystery(pthread_mutex_t *l); pthread_mutex_t m = MUTEX; int x;"
    text += "void *f(void *p) { lock(&m); mystery(&m); x++; unlock(&m); return 0; }" + WORKERS
    assert not proved(text, tmp_path)["x"]


@pytest.mark.parametrize("name", OPEN)
def test_never_proved(name: str, tmp_path: Path) -> None:
    assert not proved(OPEN[name], tmp_path)["x"]


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("limit", [0, 3])
def test_never_proved_where_calls_are_not_inlined(
    name: str, limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls that only use locks are summarised, others merged."""
    monkeypatch.setattr(program_walk, "MAX_INLINED_NODES", limit)
    assert not proved(OPEN[name], tmp_path)["x"]


def test_of_a_large_program_only_likely_locks_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what only takes and gives back others needs not be inlined."""
    monkeypatch.setattr(program_walk, "MAX_INLINED_NODES", 3)
    other = "pthread_mutex_t n = MUTEX; int y; void deep(void) { lock(&n); y++; unlock(&n); }"
    assert proved(other + LOCKED.replace("x++;", "deep(); x++; deep();") + WORKERS, tmp_path)["x"]


BEHIND_A_JUMP = (
    "pthread_mutex_t m = MUTEX; int x; void *f(void *p) { jmp_buf b; lock(&m); if (%s) { %s } x++; return 0; }"
)


@pytest.mark.parametrize(
    ("test", "body", "is_proved"),
    [
        ("!setjmp(b)", "x++; unlock(&m); longjmp(b, 1);", False),
        ("!setjmp(b)", "x++; unlock(&m); return 0;", False),  # a cleanup handler would go on there
        ("setjmp(b)", "lock(&m); x++; unlock(&m); return 0;", True),
        ("!p", "x++; unlock(&m); pthread_cancel(pthread_self()); return 0;", True),
    ],
)
def test_behind_a_second_return_nothing_is_held(test: str, body: str, is_proved: bool, tmp_path: Path) -> None:
    text = BEHIND_A_JUMP % (test, body) + WORKERS
    assert proved(text.replace("x++; return 0; }int", "x++; longjmp(b, 1); return 0; }int"), tmp_path)["x"] is is_proved


def test_contexts_are_refused(tmp_path: Path) -> None:
    program = analysed(
        "#include <ucontext.h>\nint x; void *f(void *p) { ucontext_t c; getcontext(&c); x++; return 0; }" + WORKERS,
        tmp_path,
    )
    with pytest.raises(Unsupported, match="contexts"):
        program_net(program.cp, program.pairs, Budget.unlimited())


@pytest.mark.parametrize("name", [*SAFE, *OPEN])
def test_reduction_changes_no_answer(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pair alone, in the net as drawn and in the reduced one."""
    program = analysed((SAFE | OPEN)[name], tmp_path)
    small = [program_net(program.cp, [pair], Budget.unlimited()).net for pair in program.pairs]
    for step in ("_without_useless", "_without_circles", "_without_passages", "_without_twins"):
        monkeypatch.setattr(program_reduction, step, lambda edges, *rest: edges)
    large = [program_net(program.cp, [pair], Budget.unlimited()).net for pair in program.pairs]
    for before, after in zip(large, small, strict=True):
        assert len(after.places) <= len(before.places)
        answers = [solve(net, Budget.seconds(20)) for net in (before, after)]
        assert not any(isinstance(answer, Undecided) for answer in answers)
        assert isinstance(answers[0], Safe) == isinstance(answers[1], Safe)


def test_calls_that_are_not_inlined_are_noted(tmp_path: Path) -> None:
    program = analysed(SAFE["recursion under the lock"], tmp_path)
    assert program.run().notes == ("calls of deep are over-approximated",)


def test_only_what_matters_is_in_the_net(tmp_path: Path) -> None:
    text = "pthread_mutex_t other = MUTEX; int y;" + LOCKED.replace(
        "lock(&m)", "lock(&other); y++; unlock(&other); lock(&m)", 1
    )
    program = analysed(text + WORKERS, tmp_path)
    pairs = [pair for pair in program.pairs if program.variable(pair) == "x"]
    places = program_net(program.cp, pairs, Budget.unlimited()).net.places
    assert "free_m" in places
    assert not any("other" in place for place in places)


def test_format_is_that_of_mist(tmp_path: Path) -> None:
    program = analysed(LOCKED + WORKERS, tmp_path)
    text = format_net(program.cp, program.pairs, Budget.unlimited())
    assert "f_1, free_m >= 1" in text.replace(" >= 1, free", ", free")
    assert text.startswith("vars\n")
