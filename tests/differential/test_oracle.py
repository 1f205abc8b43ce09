"""The interpreter itself: races that are there, races that are not, and reductions that lose nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.generator import generate
from differential.idioms import IDIOMS
from differential.preamble import compile_program
from raceproof.core import InputError
from raceproof.interpreter import NotSupported, explore

HEAD = "int x, y; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; sem_t s; atomic_int flag; pthread_t t, u;\n"


def races(body: str, directory: Path) -> set[tuple[int, int]]:
    """The lines of all races, the declarations being line 1."""
    program = compile_program(HEAD + body, directory)
    found = explore(program)
    assert found.is_complete
    at = program.instructions_by_site()
    lines = set()
    for (a, _), (b, _) in found.races:
        first, second = (pos.line for pos in (at[a][1].pos, at[b][1].pos) if pos is not None)  # type: ignore[index]
        lines.add((min(first, second), max(first, second)))
    return lines


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "void *f(void *p) {\nx = 1;\nreturn p; }\nint main(void) { pthread_create(&t, NULL, f, NULL);\nx = 2; }",
            {(3, 6)},
        ),
        (
            "char *name = \"five\"; void *f(void *p) { if (name[0] == 'f')\nx = 1;\nreturn p; }\n"
            "int main(void) { pthread_create(&t, NULL, f, NULL);\nx = 2; }",
            {(3, 6)},
        ),
        (
            "void *f(void *p) {\nx = 1;\nreturn p; }\nint main(void) { x = 2; pthread_create(&t, NULL, f, NULL);\n}",
            set(),
        ),
        (
            "void *f(void *p) {\nx = 1; atomic_store_explicit(&flag, 1, memory_order_release);\nreturn p; }\n"
            "int main(void) { pthread_create(&t, NULL, f, NULL);\n"
            "if (atomic_load_explicit(&flag, memory_order_acquire)) x = 2; }",
            set(),
        ),
        (
            "void *f(void *p) {\nx = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed);\nreturn p; }\n"
            "int main(void) { pthread_create(&t, NULL, f, NULL);\n"
            "if (atomic_load_explicit(&flag, memory_order_acquire)) x = 2; }",
            {(3, 6)},
        ),
        (
            "void *f(void *p) {\nx = 1; atomic_thread_fence(memory_order_release);"
            " atomic_store_explicit(&flag, 1, memory_order_relaxed);\nreturn p; }\n"
            "int main(void) { pthread_create(&t, NULL, f, NULL);\n"
            "if (atomic_load_explicit(&flag, memory_order_relaxed)) { atomic_thread_fence(memory_order_acquire); x = 2; } }",
            set(),
        ),
        (
            "void *f(void *p) {\nx = 1; sem_post(&s);\nreturn p; }\n"
            "int main(void) { sem_init(&s, 0, 1); pthread_create(&t, NULL, f, NULL);\nsem_wait(&s); x = 2; }",
            {(3, 6)},
        ),
        (
            "void *f(void *p) {\npthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);\nreturn p; }\n"
            "int main(void) { pthread_create(&t, NULL, f, NULL);\n"
            "if (pthread_mutex_trylock(&m)) y = x; else pthread_mutex_unlock(&m); }",
            {(3, 6)},
        ),
        (
            "void *f(void *p) {\nwhile (!y) ;\nx = 1; return p; }\n"
            "int main(void) { pthread_create(&t, NULL, f, NULL);\nx = 2;\ny = 1; }",
            {(3, 7), (4, 6)},
        ),
        (
            "void *f(void *p) {\nx = 1; __atomic_store_n(&y, 1, 5);\nreturn p; }\n"
            "void *g(void *p) { __atomic_store_n((char *)&y + 1, 1, 5); return p; }\n"
            "int main(void) { pthread_create(&t, NULL, f, NULL); pthread_create(&u, NULL, g, NULL);\n"
            "if (!__atomic_load_n(&y, 5)) x = 2; }",
            {(3, 7)},
        ),
        (
            "pthread_once_t o; void init(void) {\nx++;\n}\nvoid *f(void *p) { pthread_once(&o, init); return p; }\n"
            "int main(void) { pthread_once(&o, init); o = 0; pthread_create(&t, NULL, f, NULL);\ny = x; }",
            {(3, 7)},
        ),
        (
            "pthread_once_t o; void init(void) {\nx++;\n}\nvoid *f(void *p) { pthread_once(&o, init); return p; }\n"
            "int main(void) { o = 0; pthread_once(&o, init); pthread_create(&t, NULL, f, NULL);\ny = x; }",
            set(),
        ),
        (
            "pthread_mutex_t c; void *f(void *p) { pthread_mutex_lock(&m);\n"
            "if (pthread_mutex_lock(&m)) { pthread_mutex_unlock(&m); x++; } return p; }\n"
            "int main(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); ((int *)&c)[4] = 2; m = c;\n"
            "pthread_create(&t, NULL, f, NULL); pthread_create(&u, NULL, f, NULL); }",
            {(3, 3)},
        ),
    ],
    ids=[
        *("plain", "a literal", "created", "release-acquire", "relaxed", "fences", "semaphore", "trylock", "spin"),
        *("a part of an atomic", "once set back", "once made", "mutex made anew"),
    ],
)
def test_known_races(body: str, expected: set[tuple[int, int]], tmp_path: Path) -> None:
    assert races(body, tmp_path) == expected


def test_locked_sections_are_tried_in_every_order(tmp_path: Path) -> None:
    """Two threads with two sections each: 4! / (2! 2!) orders."""
    section = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"
    body = (
        f"void *f(void *p) {{ {section} {section} return p; }}\n"
        "int main(void) { pthread_create(&t, NULL, f, NULL); pthread_create(&u, NULL, f, NULL); }"
    )
    found = explore(compile_program(HEAD + body, tmp_path))
    assert found.is_complete
    assert not found.races
    assert found.executions - found.rounds == 6


@pytest.mark.parametrize("idiom", sorted(IDIOMS))
def test_reductions_lose_no_race(idiom: str, tmp_path: Path) -> None:
    """The same races as by trying every order of every step, where that can be done."""
    try:
        program = compile_program(generate(0, idiom).text, tmp_path)
        reduced = explore(program, 300)
    except (InputError, NotSupported) as refused:
        pytest.skip(str(refused))
    full = explore(program, 600, 0.6, reduced=False)
    assert set(full.races) <= set(reduced.races) or not reduced.is_complete
    if full.is_complete and reduced.is_complete:
        assert set(full.races) == set(reduced.races)
