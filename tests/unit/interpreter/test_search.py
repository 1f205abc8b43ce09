"""What the interpreter counts as all executions: waits that end without a signal, arguments, and what leaves gaps."""

from __future__ import annotations

from pathlib import Path

import pytest
from differential.preamble import compile_program

from raceproof.interpreter import Exploration, NotSupported, explore, library

HEAD = """
int x, y, ready; pthread_t t, u; sem_t s;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
"""
WAITER = """
void *waiter(void *p) { pthread_mutex_lock(&m); LOOP pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); x++; return p;
}
int main(void) {
    pthread_create(&t, NULL, waiter, NULL);
    x = 1;
    pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
}
"""


def explored(body: str, directory: Path, **options: object) -> Exploration:
    return explore(compile_program(HEAD + body, directory), 2000, **options)  # type: ignore[arg-type]


def test_a_wait_may_end_without_a_signal(tmp_path: Path) -> None:
    """Without a loop around the wait, the waiter may go on before main has written."""
    text = WAITER.replace("LOOP", "if (!ready)")
    assert not explored(text, tmp_path).races
    found = explored(text, tmp_path, spurious=True)
    assert found.races
    assert not found.gaps()


def test_a_loop_around_the_wait_ends(tmp_path: Path) -> None:
    """A wait that ends again and again, with nothing changed, is tried once."""
    found = explored(WAITER.replace("LOOP", "while (!ready)"), tmp_path, spurious=True)
    assert not found.races
    assert not found.gaps()


def test_two_loops_do_not_keep_each_other_awake(tmp_path: Path) -> None:
    text = (
        WAITER.replace("LOOP", "while (!ready)")
        .replace("x++;", "")
        .replace("x = 1;", "")
        .replace("signal", "broadcast")
    )
    text = text.replace("main(void) {", "main(void) { pthread_create(&u, NULL, waiter, NULL);")
    found = explored(text, tmp_path, spurious=True)
    assert not found.races
    assert not found.gaps()


@pytest.mark.parametrize(("arguments", "races"), [((), False), (("on",), True), (("off",), False)])
def test_arguments_of_main(arguments: tuple[str, ...], races: bool, tmp_path: Path) -> None:
    body = """
    void *f(void *p) { x++; return p; }
    int main(int argc, char **argv) {
        pthread_create(&t, NULL, f, NULL);
        if (argc > 1 && argv[1][1] == 'n') x++;
        return 0;
    }
    """
    found = explored(body, tmp_path, arguments=arguments)
    assert bool(found.races) is races
    assert not found.gaps()


@pytest.mark.parametrize(
    ("statement", "gap"),
    [
        ("if (__VERIFIER_nondet_int()) y++;", "only some values of its inputs"),
        ("int local; int *q = &local; if (*q) y++;", "a thread stopped"),
        ("*(int *)p = 1;", "a thread stopped"),
        ("for (;;) y++;", "a thread stopped"),
        ("exit(1);", None),
        ("pthread_mutex_lock(&m); pthread_mutex_lock(&m);", None),
    ],
)
def test_gaps(statement: str, gap: str | None, tmp_path: Path) -> None:
    """What the program did not choose, or was not tried, is no end."""
    body = f"void *f(void *p) {{ {statement} return p; }} int main(void) {{ pthread_create(&t, NULL, f, NULL); }}"
    gaps = explored(body, tmp_path).gaps()
    assert gaps == () if gap is None else gaps[0].startswith(gap), gaps


def test_too_few_executions_are_a_gap(tmp_path: Path) -> None:
    program = compile_program(HEAD + WAITER.replace("LOOP", "while (!ready)"), tmp_path)
    assert explore(program, 2).gaps() == ("too large for 2 executions",)


def test_what_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotSupported, match="strange"):
        explored("int strange(void); int main(void) { return strange(); }", tmp_path)


def test_the_system_gives_no_more_keys_than_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that forgets the lock when it gets no key races as soon as there are too many."""
    text = """
pthread_key_t k[3];
void *f(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return p; }
int main(void) {
    int refused = 0;
    for (int i = 0; i < 3; i++) if (pthread_key_create(&k[i], 0)) refused = 1;
    pthread_create(&t, 0, f, 0);
    if (!refused) pthread_mutex_lock(&m);
    x++;
    if (!refused) pthread_mutex_unlock(&m);
}
"""
    for most, is_racy in ((3, False), (2, True)):
        monkeypatch.setattr(library, "KEYS_MAX", most)
        found = explored(text, tmp_path)
        assert bool(found.races) is is_racy
        assert not found.gaps()


@pytest.mark.parametrize(("kind", "locks", "goes_on"), [(2, 0, True), (1, 0, True), (0, 0, False), (1, 2, True)])
def test_waits_as_the_mutex_has_it(kind: int, locks: int, goes_on: bool, tmp_path: Path) -> None:
    """Refused without the mutex if it knows its owner; one that is locked twice stays locked, and can be woken."""
    body = f"""
    void *f(void *p) {{ x = 1; pthread_cond_signal(&c); return p; }}
    int main(void) {{
        pthread_mutexattr_t a; pthread_mutex_t n; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, {kind});
        pthread_mutex_init(&n, &a);
        pthread_create(&t, NULL, f, NULL);
        {"pthread_mutex_lock(&n);" * locks} pthread_cond_wait(&c, &n); x = 2;
        return 0;
    }}
    """
    found = explored(body, tmp_path)
    assert bool(found.races) is goes_on
    assert bool(found.gaps()) is not goes_on


@pytest.mark.parametrize(
    ("call", "races"), [("calloc(1, 4)", True), ("malloc(4)", False), ("realloc(malloc(4), 4)", True)]
)
def test_what_the_library_writes_into_a_new_object_races(call: str, races: bool, tmp_path: Path) -> None:
    body = f"""
    int *_Atomic q;
    void *f(void *p) {{ atomic_store_explicit(&q, {call}, memory_order_relaxed); return p; }}
    int main(void) {{
        pthread_create(&t, NULL, f, NULL);
        int *r = atomic_load_explicit(&q, memory_order_relaxed);
        if (r) *r = 1;
        return 0;
    }}
    """
    assert bool(explored(body, tmp_path).races) is races
