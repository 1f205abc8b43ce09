"""What threads synchronise by is also memory: whoever writes it makes another object of it.

Each racy program has a twin that differs in where, or what, is written, and is proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.bmc.c_programs import proved

INCLUDE = "#include <string.h>\n"

ONCE = (
    INCLUDE
    + """pthread_once_t control, unused, *place = &control; int x;
void run(void) { x++; }
void *f(void *p) { pthread_once(&control, run); return 0; }
void *g(void *p) { return x ? p : 0; }
int main(void) { BEFORE pthread_once(&control, run); BEHIND BOTH(f, g) return 0; }
"""
)
SET_BACK = [
    "control = PTHREAD_ONCE_INIT;",
    "control = unused;",
    "*place = PTHREAD_ONCE_INIT;",
    "memset(&control, 0, sizeof control);",
    "memcpy(place, &unused, sizeof unused);",
    "__atomic_store_n(&control, 0, __ATOMIC_SEQ_CST);",
    "((char *)place)[0] = 0;",
    "if (ANY) __atomic_fetch_and(place, 0, __ATOMIC_SEQ_CST);",
]


@pytest.mark.parametrize("write", SET_BACK)
def test_a_once_object_that_is_set_back_is_new(tmp_path: Path, write: str) -> None:
    assert proved(ONCE.replace("BEFORE", "").replace("BEHIND", write), tmp_path)["x"] is False


@pytest.mark.parametrize("write", ["", *SET_BACK[:5]])
def test_a_once_object_may_be_made_by_a_write(tmp_path: Path, write: str) -> None:
    assert proved(ONCE.replace("BEFORE", write).replace("BEHIND", ""), tmp_path)["x"] is True


def test_a_once_object_that_does_not_start_clear_is_not_followed(tmp_path: Path) -> None:
    text = ONCE.replace("BEFORE", "").replace("BEHIND", "")
    assert proved(text.replace("control,", "control = 2,", 1), tmp_path)["x"] is False
    assert proved(text.replace("BEFORE", "control = 2;"), tmp_path)["x"] is True  # nothing was replaced
    assert proved(ONCE.replace("BEFORE", "control = 2;").replace("BEHIND", ""), tmp_path)["x"] is False


def test_a_once_object_is_set_back_by_another_thread(tmp_path: Path) -> None:
    text = """pthread_once_t control; pthread_mutex_t m = MUTEX; int x;
void run(void) { x++; }
void *f(void *p) { lock(&m); pthread_once(&control, run); unlock(&m); x++; return 0; }
void *g(void *p) { lock(&m); pthread_once(&control, run); WRITE unlock(&m); return 0; }
int main(void) { BOTH(f, g) return 0; }
"""
    assert proved(text.replace("WRITE", ""), tmp_path)["x"] is True
    assert proved(text.replace("WRITE", "control = PTHREAD_ONCE_INIT;"), tmp_path)["x"] is False


KINDS = (
    INCLUDE
    + """int x; pthread_mutex_t m = FIRST; const pthread_mutex_t other = OTHER;
void *f(void *p) { lock(&m); int error = lock(&m); unlock(&m); x++; if (!error) unlock(&m); return 0; }
int main(void) { WRITE BOTH(f, f) return 0; }
"""
)
RECURSIVE = "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP"
CHECKING = "PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP"
PLAIN = "PTHREAD_MUTEX_INITIALIZER"


@pytest.mark.parametrize(
    "write", ["m = other;", "memcpy(&m, &other, sizeof m);", "((int *)&m)[4] = ((int *)&other)[4];"]
)
@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [(RECURSIVE, RECURSIVE, True), (RECURSIVE, CHECKING, False), (PLAIN, CHECKING, False)],
)
def test_a_mutex_is_of_the_kind_that_is_written(
    tmp_path: Path, write: str, first: str, other: str, expected: bool
) -> None:
    text = KINDS.replace("FIRST", first).replace("OTHER", other).replace("WRITE", write)
    assert proved(text, tmp_path)["x"] is expected


REFUSED = (
    INCLUDE
    + """struct shared { int data; pthread_mutex_t m; } *s; const pthread_mutex_t other = OTHER; int x;
void *f(void *p) { lock(&s->m); if (lock(&s->m)) { unlock(&s->m); x++; } return 0; }
int main(void) { s = malloc(sizeof *s); if (!s) return 1; WRITE BOTH(f, f) return 0; }
"""
)


@pytest.mark.parametrize("write", ["s->m = other;", "*s = (struct shared){.m = OTHER};"])
def test_a_mutex_on_the_heap_may_refuse_its_holder(tmp_path: Path, write: str) -> None:
    text = REFUSED.replace("WRITE", write)
    assert proved(text.replace("OTHER", CHECKING), tmp_path)["x"] is False
    assert proved(text.replace("OTHER", PLAIN), tmp_path).get("x", True)  # nobody comes there


def test_what_lies_beside_a_mutex_may_be_written(tmp_path: Path) -> None:
    text = """struct shared { int data; pthread_mutex_t m; int more[4]; } s; int x;
void *f(void *p) { lock(&s.m); x++; s.data = 1; s.more[ANY & 3] = 1; unlock(&s.m); s.WHERE; return 0; }
int main(void) { BOTH(f, f) return 0; }
"""
    assert proved(text.replace("s.WHERE", ""), tmp_path) == {"s": True, "x": True}
    assert proved(text.replace("WHERE", "m = (pthread_mutex_t)MUTEX"), tmp_path)["x"] is False


BESIDE = """struct shared { int first[4]; pthread_mutex_t m; } s; int x;
void *f(void *p) { lock(&s.m); x++; s.first[x + MORE] = 1; unlock(&s.m); return 0; }
int main(void) { BOTH(f, f) return 0; }
"""


@pytest.mark.parametrize(("more", "expected"), [("1", True), ("3", False)])
def test_an_index_that_is_not_known_may_lead_to_a_lock(tmp_path: Path, more: str, expected: bool) -> None:
    assert proved(BESIDE.replace("MORE", more), tmp_path, seconds=10)["x"] is expected


HELD = """int x; TYPE l = INITIALISER; const TYPE unused = INITIALISER;
void *f(void *p) { TAKE(&l); x++; GIVE(&l); return 0; }
int main(void) { BEFORE pthread_t a; TAKE(&l); create(a, f); BEHIND x++; return 0; }
"""


@pytest.mark.parametrize("kind", ["mutex", "rwlock"])
def test_a_lock_that_is_made_anew_is_not_held(tmp_path: Path, kind: str) -> None:
    take = "pthread_mutex_lock" if kind == "mutex" else "pthread_rwlock_wrlock"
    text = HELD.replace("TYPE", f"pthread_{kind}_t").replace("INITIALISER", f"PTHREAD_{kind.upper()}_INITIALIZER")
    text = text.replace("GIVE", f"pthread_{kind}_unlock").replace("TAKE", take)
    assert proved(text.replace("BEFORE", "l = unused;").replace("BEHIND", ""), tmp_path)["x"] is True
    assert proved(text.replace("BEFORE", "").replace("BEHIND", "l = unused;"), tmp_path)["x"] is False
    assert proved(text.replace("BEFORE", "").replace("BEHIND", f"pthread_{kind}_init(&l, 0);"), tmp_path)["x"] is False


COUNTED = """int x; OBJECT s, t;
void *f(void *p) { x++; GIVE(&s); return 0; }
void *g(void *p) { WAIT(&s); x++; return 0; }
int main(void) { INIT(&t, 0, OTHER); BEFORE INIT(&s, 0, COUNT); BEHIND BOTH(f, g) return 0; }
"""


@pytest.mark.parametrize("kind", ["semaphore", "barrier"])
def test_what_counts_is_what_was_initialised_last(tmp_path: Path, kind: str) -> None:
    words = {"OBJECT": "sem_t", "GIVE": "sem_post", "WAIT": "sem_wait", "INIT": "sem_init", "COUNT": "0", "OTHER": "1"}
    if kind == "barrier":
        words = {"OBJECT": "pthread_barrier_t", "GIVE": "pthread_barrier_wait", "WAIT": "pthread_barrier_wait"}
        words |= {"INIT": "pthread_barrier_init", "COUNT": "2", "OTHER": "1"}
    text = COUNTED
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    assert proved(text.replace("BEFORE", "s = t;").replace("BEHIND", ""), tmp_path)["x"] is True
    assert proved(text.replace("BEFORE", "").replace("BEHIND", "s = t;"), tmp_path)["x"] is False
