"""What must never be proved: programs whose race only shows when something is thought of that is easily forgotten.

Each has a twin in which the race is gone, and which is proved: else the test could not fail.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.bmc.c_programs import proved

TAIL = "int main(void) { BOTH(f, g) return 0; }\n"

# -- what one thread learns of another without order (see raceproof.bmc.trust)

PLAIN_FLAG = "int x, flag; void *f(void *p) { x = 1; flag = 1; return 0; }\n"
PLAIN_FLAG += "void *g(void *p) { if (flag) x = 2; return 0; }\n" + TAIL

FLAG = (
    """int x; atomic_int flag;
void *f(void *p) { x = 1; atomic_store_explicit(&flag, 1, memory_order_WRITE); return 0; }
void *g(void *p) { if (atomic_load_explicit(&flag, memory_order_READ)) x = 2; return 0; }
"""
    + TAIL
)

FAILED_TRY = (
    """int x; pthread_mutex_t m = MUTEX;
void *f(void *p) { x = 1; lock(&m); return 0; }
void *g(void *p) { if (pthread_mutex_trylock(&m)) x = 2; else unlock(&m); return 0; }
"""
    + TAIL
)

FAILED_EXCHANGE = (
    """int x; atomic_int flag;
void *f(void *p) { x = 1; atomic_store(&flag, 1); return 0; }
void *g(void *p) {
  int zero = 0;
  if (!atomic_compare_exchange_strong_explicit(&flag, &zero, 2, memory_order_acq_rel, memory_order_READ)) x = 2;
  return 0;
}
"""
    + TAIL
)


def test_a_flag_that_races_tells_nothing(tmp_path: Path) -> None:
    assert proved(PLAIN_FLAG, tmp_path) == {"x": False, "flag": False}


@pytest.mark.parametrize(
    ("write", "read", "expected"),
    [
        ("relaxed", "relaxed", False),
        ("release", "relaxed", False),
        ("relaxed", "acquire", False),
        ("release", "acquire", True),
        ("seq_cst", "seq_cst", True),
    ],
)
def test_an_atomic_flag_tells_what_its_order_says(tmp_path: Path, write: str, read: str, expected: bool) -> None:
    text = FLAG.replace("WRITE", write).replace("READ", read)
    assert proved(text, tmp_path)["x"] is expected


BOTH_CLEAR = (
    """int x; atomic_int first, second;
void *f(void *p) { STORE(&first, 1, memory_order_WRITE); if (!LOAD(&SECOND, memory_order_READ)) x = 1; return 0; }
void *g(void *p) { STORE(&SECOND, 1, memory_order_WRITE); if (!LOAD(&first, memory_order_READ)) x = 2; return 0; }
""".replace("STORE", "atomic_store_explicit").replace("LOAD", "atomic_load_explicit")
    + TAIL
)


@pytest.mark.parametrize(
    ("write", "read", "expected"),
    [
        ("release", "acquire", False),
        ("seq_cst", "acquire", False),
        ("release", "seq_cst", False),
        ("seq_cst", "seq_cst", True),
    ],
)
def test_what_is_not_seen_tells_something_only_in_one_order_of_all(
    tmp_path: Path, write: str, read: str, expected: bool
) -> None:
    text = BOTH_CLEAR.replace("WRITE", write).replace("READ", read).replace("SECOND", "second")
    assert proved(text, tmp_path)["x"] is expected


def test_one_of_two_flags_may_be_weaker_no_more_than_both(tmp_path: Path) -> None:
    text = BOTH_CLEAR.replace("WRITE", "seq_cst").replace("READ", "seq_cst").replace("SECOND", "second")
    text = text.replace("&second, 1, memory_order_seq_cst", "&second, 1, memory_order_release")
    assert proved(text, tmp_path)["x"] is False


ONE_WORD = (
    """int x; atomic_int flags;
void set(int flag) { atomic_fetch_or_explicit(&flags, flag, memory_order_acq_rel); }
int is_set(int flag) { return atomic_load_explicit(&flags, memory_order_acquire) & flag; }
void *f(void *p) { set(1); if (!is_set(2)) x = 1; return 0; }
void *g(void *p) { set(2); if (!is_set(1)) x = 2; return 0; }
"""
    + TAIL
)


def test_the_order_of_one_word_is_enough(tmp_path: Path) -> None:
    assert proved(ONE_WORD, tmp_path)["x"] is True


SEEN_TWICE = (
    """int x; atomic_int word, other;
int look(void) { return atomic_load_explicit(&word, memory_order_acquire); }
void *f(void *p) {
  atomic_store_explicit(&word, 1, memory_order_release);
  atomic_store_explicit(&other, 1, memory_order_release);
  atomic_store_explicit(&word, 2, memory_order_release);
  x = 1;
  return 0;
}
void *g(void *p) {
  int first = look(), then = look();
  if (CONDITION) x = 2;
  return atomic_load_explicit(&other, memory_order_acquire) ? p : 0;
}
"""
    + TAIL
)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("first == 1 && then == 0", True),
        ("first == 2 && then == 1", True),
        ("first == 2 && then == 0", True),
        ("first == 0 && then == 1", False),
        ("first == 1 && then == 1", False),
        ("first == 2 && then == 2", False),
    ],
)
def test_nothing_older_is_seen_afterwards(tmp_path: Path, condition: str, expected: bool) -> None:
    assert proved(SEEN_TWICE.replace("CONDITION", condition), tmp_path)["x"] is expected


CLAIMED = """int x; atomic_int lock_, other;
void *f(void *p) {
  int zero = 0;
  atomic_store_explicit(&other, 1, memory_order_release);
  if (CLAIM) { x++; GIVE_BACK }
  return atomic_load_explicit(&other, memory_order_acquire) ? p : 0;
}
int main(void) { BOTH(f, f) return 0; }
"""
EXCHANGE = "atomic_compare_exchange_strong_explicit(&lock_, &zero, 1, memory_order_acq_rel, memory_order_acquire)"


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (EXCHANGE, True),
        (EXCHANGE.replace("zero, 1", "zero, 0"), False),
        ("!atomic_fetch_add_explicit(&lock_, 1, memory_order_acq_rel)", True),
        ("!atomic_load_explicit(&lock_, memory_order_acquire)", False),
    ],
)
@pytest.mark.parametrize("give_back", ["", "atomic_store_explicit(&lock_, 0, memory_order_release);"])
def test_one_update_comes_next_to_each_write(tmp_path: Path, claim: str, give_back: str, expected: bool) -> None:
    """Though there are other atomics, and the orders are weak."""
    if "fetch_add" in claim and give_back:
        pytest.skip("the one that counts on may be set back in between")
    assert proved(CLAIMED.replace("CLAIM", claim).replace("GIVE_BACK", give_back), tmp_path)["x"] is expected


def test_a_failed_try_tells_nothing(tmp_path: Path) -> None:
    assert proved(FAILED_TRY, tmp_path) == {"x": False}


@pytest.mark.parametrize(("order", "expected"), [("relaxed", False), ("acquire", True)])
def test_a_failed_exchange_tells_what_its_order_says(tmp_path: Path, order: str, expected: bool) -> None:
    assert proved(FAILED_EXCHANGE.replace("READ", order), tmp_path)["x"] is expected


# -- what may fail

FAILS = """int x; pthread_mutex_t m = MUTEX, n;
void *f(void *p) { if (WORKS) { lock(&m); x++; unlock(&m); } else x++; return 0; }
int main(void) { BOTH(f, f) return 0; }
"""


@pytest.mark.parametrize(
    ("works", "expected"),
    [("malloc(4)", False), ("calloc(1, 4)", False), ("!pthread_mutex_init(&n, 0)", False), ("1", True)],
)
def test_what_may_fail_may_fail(tmp_path: Path, works: str, expected: bool) -> None:
    assert proved(FAILS.replace("WORKS", works), tmp_path)["x"] is expected


CREATION = """int x; pthread_mutex_t m = MUTEX; int alone;
void *f(void *p) { if (alone) x++; else { lock(&m); x++; unlock(&m); } return 0; }
int main(void) {
  pthread_t a, b;
  alone = pthread_create(&a, 0, f, 0) != 0;
  create(b, f);
  return 0;
}
"""


def test_a_creation_may_fail(tmp_path: Path) -> None:
    """Then `alone` is set while nobody else runs; but also the other way round it races with what the thread reads."""
    assert proved(CREATION, tmp_path)["alone"] is False


# -- what is private to all threads of a kind is handed on from one to the next

HOW_IT_FAILS = """int x; void *f(void *p) { x++; return 0; } void *g(void *p) { return 0; } int h(void *p) { return 0; }
int main(void) {
  pthread_t a, b; thrd_t c; struct timespec now = { 0 };
  if (create(a, f)) return 1;
  int result = CALL;
  if (result CODE) x = 1;
  return 0;
}
"""


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("pthread_create(&b, 0, g, 0)", "== ENOMEM"),
        ("thrd_create(&c, h, 0)", "== thrd_error"),
        ("pthread_tryjoin_np(a, 0)", "== EBUSY"),
        ("pthread_timedjoin_np(a, 0, &now)", "== ETIMEDOUT"),
    ],
)
def test_what_fails_may_fail_in_its_own_way(tmp_path: Path, call: str, code: str) -> None:
    text = HOW_IT_FAILS.replace("CALL", call)
    assert proved(text.replace("CODE", code), tmp_path) == {"x": False}
    assert proved(text.replace("result CODE", "(result & 6) == 4 && (result & 12) == 8"), tmp_path) == {"x": True}


REFUSED = """int x; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; pthread_rwlock_t *lent;
void *f(void *p) {
  pthread_rwlock_wrlock(FIRST);
  int refused = pthread_rwlock_AGAIN(&l);
  BEFORE
  pthread_rwlock_unlock(&l);
  BEHIND
  return 0;
}
int main(void) { lent = &l; BOTH(f, f) return 0; }
"""


@pytest.mark.parametrize("first", ["&l", "lent"])
@pytest.mark.parametrize("again", ["wrlock", "rdlock"])
def test_a_rwlock_refuses_the_thread_that_writes_it(tmp_path: Path, first: str, again: str) -> None:
    text, access = REFUSED.replace("FIRST", first).replace("AGAIN", again), "if (refused) x++;"
    assert not proved(text.replace("BEFORE", "").replace("BEHIND", access), tmp_path)["x"]
    assert proved(text.replace("BEFORE", access).replace("BEHIND", ""), tmp_path)["x"]


def test_a_rwlock_refuses_nobody_else(tmp_path: Path) -> None:
    text = REFUSED.replace("FIRST", "&l").replace("pthread_rwlock_AGAIN(&l)", "0").replace("BEFORE", "")
    again = "refused = pthread_rwlock_wrlock(lent); if (refused & 1) x++; x--; pthread_rwlock_unlock(lent);"
    again += "if (refused) x++;"
    assert proved(text.replace("BEHIND", again), tmp_path)["x"]


HANDED_ON = """int step, x; pthread_mutex_t m = MUTEX;
void *other(void *p) { lock(&m); x++; unlock(&m); return 0; }
void *f(void *p) { step++; if (step == LAST) x = 1; return 0; }
int main(void) {
  pthread_t t, o;
  create(o, other);
  for (int i = 0; i < 3; i++) { create(t, f); join(t); }
  join(o);
  return RESULT;
}
"""


@pytest.mark.parametrize("result", ["0", "step"])
@pytest.mark.parametrize(("last", "expected"), [("3", False), ("4", True)])
def test_threads_that_follow_one_another_see_what_was_written(
    tmp_path: Path, last: str, result: str, expected: bool
) -> None:
    assert proved(HANDED_ON.replace("LAST", last).replace("RESULT", result), tmp_path)["x"] is expected


# -- what library calls touch

BY_VALUE = (
    """struct big { long a[6]; } s;
long use(struct big b) { return b.a[1]; }
void *f(void *p) { return (void *)use(s); }
void *g(void *p) { s.a[1] = 3; return 0; }
"""
    + TAIL
)

TIMEOUT = """struct timespec ts; sem_t s;
void *f(void *p) { sem_timedwait(&s, &ts); return 0; }
void *g(void *p) { ts.tv_sec = 3; return 0; }
int main(void) { sem_init(&s, 0, 0); BOTH(f, g) return 0; }
"""

IDS = (
    """pthread_t id;
void *h(void *p) { return 0; }
void *f(void *p) { create(id, h); return 0; }
void *g(void *p) { return (void *)id; }
"""
    + TAIL
)


MESSAGE = (
    """#include <assert.h>
#include <err.h>
char text[8];
void *f(void *p) { END; return 0; }
void *g(void *p) { text[0] = 1; return 0; }
"""
    + TAIL
)


@pytest.mark.parametrize("end", ['errx(1, "%s", text)', "__assert_fail(text, text, 1, text)"])
def test_what_ends_the_program_still_reads(tmp_path: Path, end: str) -> None:
    assert proved(MESSAGE.replace("END", end), tmp_path)["text"] is False


@pytest.mark.parametrize(("text", "variable"), [(BY_VALUE, "s"), (TIMEOUT, "ts"), (IDS, "id")])
def test_what_calls_touch_is_not_forgotten(tmp_path: Path, text: str, variable: str) -> None:
    assert proved(text, tmp_path)[variable] is False


# -- locks that are none, and values that are not ours to know

ODD_LOCK = """struct { long pad[9]; pthread_mutex_t m; } s = { .m = INITIALISER }; int x;
void *f(void *p) { lock(&s.m); x++; unlock(&s.m); return 0; }
int main(void) { BOTH(f, f) return 0; }
"""

ADDRESSES = """int x, y, z; pthread_mutex_t m = MUTEX;
void *f(void *p) { if (CONDITION) { lock(&m); x++; unlock(&m); } else x++; return 0; }
int main(void) { BOTH(f, f) return y + z; }
"""

KEYS = """int x, y[2], z; int *key = y; struct { int *where; int number; } *keys; pthread_mutex_t m = MUTEX;
void *f(void *p) { if (CONDITION) { lock(&m); x++; unlock(&m); } else x++; return 0; }
int main(void) { keys = calloc(2, sizeof *keys); if (!keys) return 1; keys[1].where = &z; BOTH(f, f) return z; }
"""


@pytest.mark.parametrize(
    ("initialiser", "expected"),
    [
        ("PTHREAD_MUTEX_INITIALIZER", True),
        ("PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP", True),
        ("PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP", True),
        ("{{.__kind = 16}}", False),  # robust
        ("{{.__lock = 1}}", False),  # nobody knows
    ],
)
def test_a_lock_whose_kind_is_not_known_proves_nothing(tmp_path: Path, initialiser: str, expected: bool) -> None:
    assert proved(ODD_LOCK.replace("INITIALISER", initialiser), tmp_path)["x"] is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("&y < &z", False),
        ("&y > &z", False),
        ("(long)&y % 3 == 1", False),
        ("&y != &z", True),
        ("&y + 1 != &z", False),
        ("&y != &z + 1", False),
        ("&y + 1 != &z + 1", True),
        ("&y + 1 != &y", True),
        ('({ const char *s = "text", *t = "ext"; s + 1 != t; })', False),
    ],
)
def test_where_objects_lie_is_not_known(tmp_path: Path, condition: str, expected: bool) -> None:
    assert proved(ADDRESSES.replace("CONDITION", condition), tmp_path)["x"] is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("key == y", True),
        ("*(char *)&key == 0", False),
        ("((short *)&key)[1] == 0", False),
        ("((int *)&key)[0] == 0", False),
        ("*(long *)&key / 3 != 1", False),
        ("*(long *)&key != 1", True),
        ("keys[1].number == 0", True),
        ("((int *)&keys[1])[0] == 0", False),
        ("*(int *)((char *)&keys[1] + 2) == 0", False),
        ("__atomic_fetch_or((int *)&key, 0, 5) == 0", False),
    ],
)
def test_a_part_of_an_address_is_no_number_that_is_known(tmp_path: Path, condition: str, expected: bool) -> None:
    assert proved(KEYS.replace("CONDITION", condition), tmp_path)["x"] is expected


IDS_AS_NUMBERS = """int x; pthread_t own; pthread_mutex_t m = MUTEX;
void *f(void *p) { pthread_t self = pthread_self(); if (CONDITION) { lock(&m); x++; unlock(&m); } else x++; return 0; }
int main(void) { own = pthread_self(); BOTH(f, f) return 0; }
"""


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("self != own", True),
        ("!pthread_equal(self, own)", True),
        ("self", True),
        ("self % 8", False),
        ("self < 1000", False),
        ("self > own", False),
        ("*(char *)&self", False),
        ("((char *)&own)[0]", False),
    ],
)
def test_ids_of_threads_are_not_ours_to_know(tmp_path: Path, condition: str, expected: bool) -> None:
    assert proved(IDS_AS_NUMBERS.replace("CONDITION", condition), tmp_path)["x"] is expected


# -- loops

SPIN = (
    """int x; atomic_int flag;
void *f(void *p) { x = 1; atomic_store_explicit(&flag, 1, memory_order_WRITE); return 0; }
void *g(void *p) { while (!atomic_load_explicit(&flag, memory_order_acquire)) ; x = 2; return 0; }
"""
    + TAIL
)

COUNTED = """int x; pthread_mutex_t m = MUTEX;
void *f(void *p) { for (int i = 0; i < ANY; i++) { lock(&m); x++; unlock(&m); } return 0; }
int main(void) { BOTH(f, f) return 0; }
"""

SPIN_LOCK = """int x; atomic_int l;
void *f(void *p) {
  int zero = 0;
  while (!atomic_compare_exchange_strong(&l, &zero, 1)) zero = 0;
  x++;
  atomic_store(&l, 0);
  return 0;
}
int main(void) { BOTH(f, f) return 0; }
"""


@pytest.mark.parametrize(("order", "expected"), [("relaxed", False), ("release", True)])
def test_a_loop_that_only_waits_is_unwound_completely(tmp_path: Path, order: str, expected: bool) -> None:
    assert proved(SPIN.replace("WRITE", order), tmp_path)["x"] is expected


def test_a_loop_of_exchanges_that_fail_only_waits(tmp_path: Path) -> None:
    assert proved(SPIN_LOCK, tmp_path)["x"] is True
    assert proved(SPIN_LOCK.replace("(&l, &zero, 1)", "(&l, &zero, 0)"), tmp_path)["x"] is False


def test_a_loop_that_cannot_be_unwound_is_bounded(tmp_path: Path) -> None:
    assert proved(COUNTED, tmp_path, seconds=3)["x"] is False


REFUSED_BEHIND = (
    """int x; atomic_int flag; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
void *f(void *p) {
  while (!flag) ROUND;
  int refused = pthread_rwlock_wrlock(&l);
  pthread_rwlock_unlock(&l);
  if (refused) x = 1;
  return 0;
}
void *g(void *p) { flag = 1; x = 2; return 0; }
"""
    + TAIL
)


@pytest.mark.parametrize(("body", "expected"), [("pthread_rwlock_wrlock(&l)", False), ("sched_yield()", True)])
def test_a_loop_may_leave_a_rwlock_that_refuses_its_owner(tmp_path: Path, body: str, expected: bool) -> None:
    assert proved(REFUSED_BEHIND.replace("ROUND", body), tmp_path, seconds=5)["x"] is expected


POLL = (
    """int x, asked, told; pthread_mutex_t m = MUTEX;
void *f(void *p) {
  lock(&m); asked = 1; while (!told) { unlock(&m); lock(&m); } unlock(&m);
  x = 1;
  return 0;
}
void *g(void *p) {
  int seen = 0;
  while (!seen) { lock(&m); seen = asked; unlock(&m); }
  BEFORE
  lock(&m); told = 1; unlock(&m);
  BEHIND
  return 0;
}
"""
    + TAIL
)


@pytest.mark.parametrize(("before", "behind", "expected"), [("x = 2;", "", True), ("", "x = 2;", False)])
def test_what_a_round_gives_back_others_may_need(tmp_path: Path, before: str, behind: str, expected: bool) -> None:
    assert proved(POLL.replace("BEFORE", before).replace("BEHIND", behind), tmp_path)["x"] is expected


# -- what calls leave behind

INPUT = (
    """int x; void __VERIFIER_nondet_memory(void *, unsigned long);
void *f(void *p) { int n = 0; CALL if (n == 7) x = 1; return 0; }
void *g(void *p) { x = 2; return 0; }
"""
    + TAIL
)

TIMED = (
    """int x; pthread_mutex_t m = MUTEX; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *f(void *p) {
  struct timespec t = {0, 0};
  lock(&m);
  int error = pthread_cond_timedwait(&c, &m, &t);
  unlock(&m);
  if (CONDITION) x = 1;
  return 0;
}
void *g(void *p) { x = 2; return 0; }
"""
    + TAIL
)

RESULT = (
    """int x;
int h(void *p) { return 3; }
void *f(void *p) {
  thrd_t t;
  int told[2] = {0, 7};
  if (thrd_create(&t, h, 0) != thrd_success) return 0;
  thrd_join(t, told);
  if (CONDITION) x = 1;
  return 0;
}
void *g(void *p) { x = 2; return 0; }
"""
    + TAIL
)

TEXT = (
    """int x;
void *f(void *p) { const char *text = "\\x61\\xc3\\xa9\\xff"; if (CONDITION) x = 1; return 0; }
void *g(void *p) { x = 2; return 0; }
"""
    + TAIL
)

LARGE = (
    """int x, large[100000], behind = 5;
void *f(void *p) { large[65536] = 9; if (CONDITION) x = 1; return 0; }
void *g(void *p) { x = 2; return 0; }
"""
    + TAIL
)

FREED = """int *p;
void *f(void *q) { p[20000] = 1; return 0; }
int main(void) {
  unsigned n = ANY;
  if (n < 20001 || n > 200000 || !(p = malloc(4 * n))) return 0;
  pthread_t a; create(a, f); FIRST free(p); SECOND return 0;
}
"""


@pytest.mark.parametrize(
    ("call", "expected"), [("n = 2 * ANY;", True), ("__VERIFIER_nondet_memory(&n, sizeof n);", False)]
)
def test_an_input_may_be_written_through_a_pointer(tmp_path: Path, call: str, expected: bool) -> None:
    assert proved(INPUT.replace("CALL", call), tmp_path)["x"] is expected


@pytest.mark.parametrize(("condition", "expected"), [("error == EINVAL", False), ("2 * error == 7", True)])
def test_a_timed_wait_may_fail_otherwise(tmp_path: Path, condition: str, expected: bool) -> None:
    assert proved(TIMED.replace("CONDITION", condition), tmp_path)["x"] is expected


@pytest.mark.parametrize(("condition", "expected"), [("told[1] == 7", False), ("told[1] != 7", True)])
def test_the_result_of_a_c11_thread_is_an_int(tmp_path: Path, condition: str, expected: bool) -> None:
    assert proved(RESULT.replace("CONDITION", condition), tmp_path)["x"] is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [("text[1] == -61 && text[3] < 0 && !text[4]", False), ("text[1] != -61", True), ("text[3] > 0", True)],
)
def test_texts_may_have_any_bytes(tmp_path: Path, condition: str, expected: bool) -> None:
    assert proved(TEXT.replace("CONDITION", condition), tmp_path)["x"] is expected


@pytest.mark.parametrize(("condition", "expected"), [("behind == 5", False), ("behind != 5", True)])
def test_large_objects_have_room_in_a_small_memory(tmp_path: Path, condition: str, expected: bool) -> None:
    assert proved(LARGE.replace("CONDITION", condition), tmp_path, data_model="ILP32")["x"] is expected


@pytest.mark.parametrize(("first", "second", "expected"), [("join(a);", "", True), ("", "join(a);", False)])
def test_all_of_an_object_is_freed(tmp_path: Path, first: str, second: str, expected: bool) -> None:
    text = FREED.replace("FIRST", first).replace("SECOND", second)
    assert all(proved(text, tmp_path, data_model="ILP32").values()) is expected
