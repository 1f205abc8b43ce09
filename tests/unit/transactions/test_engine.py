"""The engine on small programs: what values decide is proved, what they do not is left open."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from unit.transactions.c_programs import PROGRAMS, of_file, of_text

from raceproof.core import Budget, LimitReached
from raceproof.model import Scope, Verdict
from raceproof.transactions import refinement, threads
from raceproof.transactions.engine import TransactionsOptions, run
from raceproof.transactions.invariants import Solution
from raceproof.transactions.products import DOMAINS

FLAG = """atomic_int flag; int x;
void *f(void *p) { x = 1; atomic_store_explicit(&flag, 1, STORE); return 0; }
int main(void) { pthread_t t; create(t, f); if (atomic_load_explicit(&flag, LOAD)) x = 2; join(t); return 0; }
"""
BOTH_CLEAR = """atomic_int first, second; int x;
void *f(void *p) { atomic_store_explicit(&first, 1, STORE); if (!atomic_load_explicit(&second, LOAD)) x = 1; return 0; }
void *g(void *p) { atomic_store_explicit(&second, 1, STORE); if (!atomic_load_explicit(&first, LOAD)) x = 2; return 0; }
int main(void) { pthread_t s, t; create(s, f); create(t, g); join(s); join(t); return 0; }
"""
COUNTED = """atomic_int next; int x;
void *f(void *p) { if (atomic_fetch_add(&next, 1) == 1) x++; return 0; }
int main(void) { %s return 0; }
"""


@pytest.mark.parametrize(
    ("store", "load", "is_proved"),
    [
        ("memory_order_seq_cst", "memory_order_seq_cst", True),
        ("memory_order_release", "memory_order_acquire", True),
        ("memory_order_relaxed", "memory_order_acquire", False),
        ("memory_order_release", "memory_order_relaxed", False),
    ],
)
def test_a_flag_orders_as_far_as_its_memory_orders_do(store: str, load: str, is_proved: bool, tmp_path: Path) -> None:
    """Never both at x in any order; but only who acquires what was released comes after it."""
    text = FLAG.replace("STORE", store).replace("LOAD", load)
    program = of_text(text, tmp_path)
    alone = replace(program, open_pairs=program.pairs)  # the lockset engine knows such flags, too
    assert ((2, 3) in alone.proved("intervals")) is is_proved


def test_a_plain_flag_orders_nothing(tmp_path: Path) -> None:
    text = "int flag; int x; void *f(void *p) { x = 1;\nflag = 1; return 0; }\n"
    text += "int main(void) { pthread_t t; create(t, f); if (flag)\nx = 2; join(t); return 0; }\n"
    assert of_text(text, tmp_path).proved("intervals") == set()


def test_who_is_still_to_be_joined_may_write_before_main_goes_on(tmp_path: Path) -> None:
    """Main's first access behind the join concerns nobody, but ends what `e` may do: `t` must move before it, too."""
    text = """atomic_int c; int x, y;
    void *e(void *p) { c = 1 + 0 * x; return 0; }
    void *t(void *p) { c = 0; if (c == 1)
    y = 1; return 0; }
    int main(void) { pthread_t a, b; create(a, e); create(b, t); join(a); x = ANY; if (x)
    y = 2; join(b); return 0; }"""
    assert (4, 6) not in of_text(text, tmp_path).proved()


@pytest.mark.parametrize(
    ("store", "load", "is_proved"),
    [
        ("memory_order_seq_cst", "memory_order_seq_cst", True),
        ("memory_order_release", "memory_order_acquire", False),
        ("memory_order_seq_cst", "memory_order_acquire", False),
        ("memory_order_release", "memory_order_seq_cst", False),
    ],
)
def test_what_is_not_found_tells_something_only_in_one_order_of_all(
    store: str, load: str, is_proved: bool, tmp_path: Path
) -> None:
    text = BOTH_CLEAR.replace("STORE", store).replace("LOAD", load)
    assert ((2, 3) in of_text(text, tmp_path).proved("intervals")) is is_proved


def test_instances_of_one_function_are_counted(tmp_path: Path) -> None:
    two = "pthread_t a, b; create(a, f); create(b, f); join(a); join(b);"
    program = of_text(COUNTED % two, tmp_path)
    alone = replace(program, open_pairs=program.pairs)  # the lockset engine knows numbers that were drawn, too
    assert (2, 2) in alone.proved("intervals")


def test_any_number_of_instances_may_draw_the_number_again(tmp_path: Path) -> None:
    """After 2^32 draws: nothing says that there are fewer threads; the lockset engine assumes that there are."""
    program = of_text(COUNTED % "MANY(f)", tmp_path)
    assert replace(program, open_pairs=program.pairs).proved("intervals") == set()


def test_any_number_of_threads_of_which_none_gets_there(tmp_path: Path) -> None:
    text = """pthread_mutex_t m = MUTEX; int turn = 5, x;
    void *f(void *p) { lock(&m); int now = turn; turn = 4; unlock(&m); if (now > 5) x++; return 0; }
    int main(void) { MANY(f) return 0; }
    """
    program = of_text(text, tmp_path)
    found = [f for f in program.run("intervals").findings if f.verdict is Verdict.RACE_FREE]
    assert found
    assert all(finding.scope is Scope.ANY_THREADS for finding in found)


def test_what_runs_at_the_end_is_not_followed() -> None:
    assert of_file(PROGRAMS / "calls" / "atexit_handler_race.c").proved("intervals") == set()


def test_an_argument_is_what_it_was_at_the_creation(tmp_path: Path) -> None:
    """The counter of the loop goes on in the same step; the threads have 0 and 1, not 1 and 2."""
    text = """int part[3]; atomic_int done;
    void *f(void *p) { part[(long)p] = 1;
    atomic_fetch_add(&done, 1); return 0; }
    int main(void) { pthread_t t[2]; for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, f, (void *)i);
    if (done < 1) part[0] = 2;
    for (int i = 0; i < 2; i++) join(t[i]); return 0; }
    """
    assert (2, 5) not in of_text(text, tmp_path).proved("intervals")


def test_a_thread_that_starts_later_may_be_first(tmp_path: Path) -> None:
    """The first thread's step may wait for the third one, which main has yet to create."""
    text = """atomic_int a; int x;
    void *f(void *p) { if (atomic_fetch_add(&a, 1) == 1)
    x = 1; return 0; }
    void *g(void *p) { atomic_fetch_add(&a, 1);
    x = 2; return 0; }
    int main(void) { pthread_t s, t; create(s, f); create(t, g); join(s); join(t); return 0; }
    """
    assert (3, 5) not in of_text(text, tmp_path).proved("intervals")


def test_who_waits_for_ever_keeps_nobody_from_moving(tmp_path: Path) -> None:
    """The second thread never gives the lock back; the first one waits for it, and nothing else is about it."""
    text = """pthread_mutex_t m = MUTEX; atomic_int a; int x;
    void *f(void *p) { lock(&m); return 0; }
    void *g(void *p) { lock(&m); a++;
    x = 1; return 0; }
    int main(void) { pthread_t s, t; create(s, f); create(t, g); if (a == 1)
    x = 2; join(t); return 0; }
    """
    assert (4, 6) not in of_text(text, tmp_path).proved("intervals")


def test_what_a_function_that_is_not_followed_writes_is_not_known(tmp_path: Path) -> None:
    """`where` is main's alone, and `work` too long to be worth following."""
    long = " ".join(f"s = s * {n} + (s >> {n % 7 + 1});" for n in range(3, 40))
    text = f"""int a[4], where;
    int work(int s) {{ {long} where = 1; return s; }}
    void *f(void *p) {{ a[1] = 1; return 0; }}
    int main(void) {{ pthread_t t; where = 2; int s = work(ANY); create(t, f);
    a[where] = 2; join(t); return s; }}
    """
    assert (3, 5) not in of_text(text, tmp_path).proved("intervals")


def test_a_join_that_is_still_to_come_orders_nothing(tmp_path: Path) -> None:
    """Main reads behind the join; before that it may wait, and the second thread may be first."""
    text = """atomic_int a; int v;
    void *f(void *p) { if (atomic_fetch_add(&a, 1) == 1)
    v = 2; return 0; }
    void *g(void *p) { atomic_fetch_add(&a, 1);
    v++; return 0; }
    int main(void) { pthread_t s, t; create(s, f); create(t, g); join(t); join(s); return v; }
    """
    assert (3, 5) not in of_text(text, tmp_path).proved("intervals")


REFUSED = """pthread_LOCK_t l, *lent[1]; int x;
void *f(void *p) {
  TAKE(lent[0]);
  int refused = TAKE(&l);
  pthread_LOCK_unlock(lent[0]);
  if (refused) x++;
  return 0;
}
int main(void) { pthread_t a, b; INIT lent[0] = &l; create(a, f); create(b, f); return 0; }
"""
CHECKING = "pthread_mutexattr_t kind; pthread_mutexattr_init(&kind);"
CHECKING += "pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_init(&l, &kind);"


@pytest.mark.parametrize(
    ("lock", "take", "init"),
    [("rwlock", "pthread_rwlock_wrlock", ""), ("mutex", "pthread_mutex_lock", CHECKING)],
)
def test_who_may_hold_a_lock_already_may_be_refused(lock: str, take: str, init: str, tmp_path: Path) -> None:
    text = REFUSED.replace("LOCK", lock).replace("TAKE", take).replace("INIT", init)
    assert (6, 6) not in of_text(text, tmp_path).proved("intervals")


JUMP = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;\nvoid *f(void *p) { jmp_buf j; int n = 0; "
JUMP += "if (setjmp(j)) { x++; return 0; }\n pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); longjmp(j, 1); }"


def test_behind_a_second_return_nothing_is_held(tmp_path: Path) -> None:
    text = JUMP + "int main(void) { MANY(f) return 0; }"
    for part, is_proved in (("x++;", False), ("pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);", True)):
        program = of_text(text.replace("x++;", part), tmp_path)
        assert bool(replace(program, open_pairs=program.pairs).proved("intervals")) is is_proved


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("interval_done_bits", "intervals"),
        ("interval_peterson_calls", "intervals"),
        ("octagon_published", "octagons"),
        ("octagon_window", "octagons"),
        ("polyhedron_half", "polyhedra"),
        ("polyhedron_third", "polyhedra"),
    ],
)
def test_the_cheapest_domain_that_suffices(name: str, domain: str) -> None:
    stats = of_file(PROGRAMS / "values" / f"{name}.c").run().stats
    assert stats[f"open_after_{domain}"] == 0
    for cheaper in DOMAINS[: DOMAINS.index(domain)]:
        assert stats[f"open_after_{cheaper}"] != 0


def test_a_proof_in_packs_that_overlap_is_not_refused() -> None:
    """What is written down says in all packs what the state said in one."""
    assert (12, 18) in of_file(PROGRAMS / "values" / "octagon_split_end.c").proved("intervals", "octagons")


def test_what_was_ended_early_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if there was time left for other parts: with more of it there may be more to find."""

    def too_slow(_: object, budget: Budget) -> Solution:
        while budget.remaining() > 0:
            time.sleep(0.01)
        raise LimitReached("too slow")

    monkeypatch.setattr(refinement, "solve", too_slow)
    program = of_file(PROGRAMS / "values" / "octagon_split.c")
    options = TransactionsOptions(frozenset(program.pairs) - frozenset(program.open_pairs), ("intervals",))
    assert run(program.cp, program.open_pairs, options, Budget.seconds(0.5)).stopped is not None


def test_an_array_that_a_pointer_leads_to(tmp_path: Path) -> None:
    """Both count from one address; with another pointer, which may lead anywhere in the array, nothing is known."""
    assert (13, 19) in of_file(PROGRAMS / "values" / "octagon_split_heap.c").proved("intervals", "octagons")
    assert not of_file(PROGRAMS / "values" / "octagon_split_heap_race.c").proved("intervals", "octagons")


LARGE = """pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; int x, y;
void *f(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
void *g(void *p) { STEPS return 0; }
int main(void) { pthread_t a, b, c; create(a, f); create(b, f); create(c, g); return 0; }"""


@pytest.mark.parametrize(("used", "is_proved"), [("n", True), ("m", False)])
def test_a_thread_that_is_too_large_takes_only_its_own_locks(
    used: str, is_proved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it gives back counts as given back at any time, whether it holds it or not."""
    monkeypatch.setattr(threads, "MAX_NODES", 40)
    step = f"pthread_mutex_lock(&{used}); y++; pthread_mutex_unlock(&{used});"
    program = of_text(LARGE.replace("STEPS", 30 * step), tmp_path)
    lines = {
        program.lines(pair) for pair in program.pairs if program.line(pair.first) == program.line(pair.second) == 2
    }
    found = replace(program, open_pairs=program.pairs).proved("intervals")
    assert lines
    assert (lines <= found) is is_proved
