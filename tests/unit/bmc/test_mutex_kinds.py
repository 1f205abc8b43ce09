"""Mutexes that their holder may lock again, or is refused: what is proved of them, and what is never.

The racy programs and their twins differ in one token.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.bmc.c_programs import analysed, proved

from raceproof.bmc import BmcOptions, Executor
from raceproof.bmc.events import Kind
from raceproof.core import Budget
from raceproof.model import Guide, RunSetup, Schedule, Verdict

RECURSIVE = "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP"
CHECKING = "PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP"
PLAIN = "PTHREAD_MUTEX_INITIALIZER"


def program(kind: str, body: str, before: str = "") -> str:
    return f"""int x; pthread_mutex_t m = {kind};
void *f(void *p) {{ {body} return 0; }}
void *g(void *p) {{ lock(&m); x++; unlock(&m); return 0; }}
int main(void) {{ {before} BOTH(f, g) return 0; }}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("lock(&m); lock(&m); unlock(&m); x++; unlock(&m);", True),
        ("lock(&m); lock(&m); unlock(&m); unlock(&m); x++;", False),
        ("lock(&m); if (ANY) { lock(&m); unlock(&m); } x++; unlock(&m);", True),
        ("int n = ANY; lock(&m); if (n) lock(&m); unlock(&m); if (n) { x++; unlock(&m); }", True),
        ("int n = ANY; lock(&m); if (n) lock(&m); unlock(&m); if (!n) x++; else unlock(&m);", False),
        ("lock(&m); if (!pthread_mutex_trylock(&m)) unlock(&m); x++; unlock(&m);", True),
        ("if (!pthread_mutex_trylock(&m)) { lock(&m); unlock(&m); x++; unlock(&m); }", True),
        ("lock(&m); pthread_mutex_trylock(&m); unlock(&m); unlock(&m); x++;", False),
        ("if (pthread_mutex_trylock(&m)) x++; else unlock(&m);", False),
    ],
)
def test_a_recursive_mutex_is_given_back_as_often_as_it_was_taken(tmp_path: Path, body: str, expected: bool) -> None:
    assert proved(program(RECURSIVE, body), tmp_path)["x"] is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("lock(&m); int e = lock(&m); if (!e) unlock(&m); x++; unlock(&m);", True),
        ("lock(&m); int e = lock(&m); if (e) unlock(&m); x++; if (!e) unlock(&m);", False),
        ("lock(&m); if (lock(&m) == EDEADLK) x++; unlock(&m);", True),
        ("if (unlock(&m) == 0) x++;", True),  # refused: it is not its own
        ("if (unlock(&m) == EPERM) x++;", False),
        ("lock(&m); unlock(&m); if (unlock(&m)) x++;", False),
        ("lock(&m); if (pthread_mutex_trylock(&m) == 0) unlock(&m); x++; unlock(&m);", True),
    ],
)
def test_an_error_checking_mutex_refuses(tmp_path: Path, body: str, expected: bool) -> None:
    assert proved(program(CHECKING, body), tmp_path)["x"] is expected


ATTRIBUTES = "pthread_mutexattr_t k; pthread_mutexattr_init(&k); {} pthread_mutex_init(&m, &k);"
NESTED = "lock(&m); int e = lock(&m); unlock(&m); x++; if (!e) unlock(&m);"


@pytest.mark.parametrize(
    ("set_type", "expected"),
    [
        ("pthread_mutexattr_settype(&k, PTHREAD_MUTEX_RECURSIVE);", True),
        ("pthread_mutexattr_settype(&k, PTHREAD_MUTEX_ERRORCHECK);", False),  # the one unlock has ended it
        ("pthread_mutexattr_settype(&k, ANY);", False),
        ("pthread_mutexattr_settype(&k, PTHREAD_MUTEX_ERRORCHECK); pthread_mutexattr_init(&k); k = k;", False),
        ("pthread_mutexattr_setrobust(&k, PTHREAD_MUTEX_ROBUST);", False),
    ],
)
def test_attributes_say_which_kind_it_is(tmp_path: Path, set_type: str, expected: bool) -> None:
    text = program(PLAIN, NESTED, ATTRIBUTES.format(set_type))
    assert proved(text, tmp_path)["x"] is expected


def test_a_mutex_that_is_made_in_two_ways_proves_nothing(tmp_path: Path) -> None:
    recursive = ATTRIBUTES.format("pthread_mutexattr_settype(&k, PTHREAD_MUTEX_RECURSIVE);")
    body = "lock(&m); x++; unlock(&m);"
    assert proved(program(PLAIN, body, recursive), tmp_path)["x"] is True
    assert proved(program(PLAIN, body, f"pthread_mutex_init(&m, 0); {recursive}"), tmp_path)["x"] is False


def test_a_mutex_found_through_memory_may_be_of_any_kind(tmp_path: Path) -> None:
    text = """int x; pthread_mutex_t m = KIND; pthread_mutex_t *_Atomic found;
    void *f(void *p) { pthread_mutex_t *l = found; lock(l); x++; unlock(l); return 0; }
    void *g(void *p) { found = &m; lock(&m); x++; unlock(&m); return 0; }
    int main(void) { found = &m; BOTH(f, g) return 0; }"""
    assert proved(text.replace("KIND", PLAIN), tmp_path)["x"] is True
    assert proved(text.replace("KIND", RECURSIVE), tmp_path)["x"] is False


def test_c11_mutexes_nest_if_they_were_made_so(tmp_path: Path) -> None:
    text = """#include <threads.h>
    int x; mtx_t m;
    void *f(void *p) { mtx_lock(&m); mtx_lock(&m); mtx_unlock(&m); x++; mtx_unlock(&m); return 0; }
    int main(void) { mtx_init(&m, TYPE); BOTH(f, f) return 0; }"""
    assert proved(text.replace("TYPE", "mtx_plain | mtx_recursive"), tmp_path)["x"] is True
    assert proved(text.replace("TYPE", "ANY"), tmp_path)["x"] is False


def test_a_wait_gives_back_what_is_held_once(tmp_path: Path) -> None:
    waits = "lock(&m); while (!x) pthread_cond_wait(&c, &m); x++; unlock(&m);"
    text = program(RECURSIVE, waits).replace("int x;", "int x; pthread_cond_t c = PTHREAD_COND_INITIALIZER;")
    text = text.replace(
        "x++; unlock(&m); return 0; }\nint", "x++; pthread_cond_signal(&c); unlock(&m); return 0; }\nint"
    )
    assert proved(text, tmp_path)["x"] is True
    twice = text.replace("lock(&m); while", "lock(&m); lock(&m); while")
    cuts = [e.what for t in analysed(twice, tmp_path).unwind(1).threads for e in t.events if e.kind is Kind.CUT]
    assert cuts == ["not supported: a recursive mutex in a wait, unless it is held once"]


def test_a_model_takes_a_plain_mutex_once(tmp_path: Path) -> None:
    """Whoever holds a plain mutex waits for ever for it, or does not get it by trying: there is nothing to execute."""
    guides: list[Guide] = []

    def execute(guide: Guide, budget: Budget) -> Schedule | str:
        guides.append(guide)
        return "not executed"

    setup = RunSetup("", "race", (), (), "memory", True, 1)
    options = BmcOptions(executor=lambda budget: Executor(execute, setup), proves=False)
    for body in (
        "lock(&m); lock(&m); unlock(&m); x++;",
        "lock(&m); if (!pthread_mutex_trylock(&m)) { unlock(&m); x++; }",
    ):
        result = analysed(program(PLAIN, body), tmp_path).run(options)
        assert {f.verdict for f in result.findings} == {Verdict.UNKNOWN}
        assert not guides
