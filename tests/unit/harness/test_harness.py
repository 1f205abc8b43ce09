"""A library without main: what is called with what, that it compiles, and what the verdict says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceproof.cli import Exit, main

RING = """#include <pthread.h>
#include <stdlib.h>
typedef struct {
    pthread_mutex_t mu;
    int items[8];
    int head, count;
} ring_t;
ring_t *ring_new(void) {
    ring_t *r = calloc(1, sizeof *r);
    if (r != NULL)
        pthread_mutex_init(&r->mu, NULL);
    return r;
}
int ring_put(ring_t *r, int item) {
    pthread_mutex_lock(&r->mu);
    int fits = r->count < 8;
    if (fits)
        r->items[(r->head + r->count++) % 8] = item;
    pthread_mutex_unlock(&r->mu);
    return fits;
}
#ifdef PEEK
int ring_count(const ring_t *r) { return r->count; }
#endif
int ring_each(ring_t *r, int (*visit)(int)) { return visit(r->head); }
static int hidden(ring_t *r) { return r->count++; }
void ring_free(ring_t *r) {
    pthread_mutex_destroy(&r->mu);
    free(r);
}
"""
TABLE = """
struct table { int size; long sum; };
void table_init(struct table *t, int size) { t->size = size; }
void table_add(struct table *t, const char *name, unsigned char *out, unsigned long n) {
    if (n && name[0]) { out[n - 1] = 1; t->sum++; }
}
"""


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "ring.c"
    file.write_text(RING, encoding="utf-8")
    return file


def test_threads_call_what_is_public(ring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harness", "ring.c"]) == Exit.RACE_FREE
    text = capsys.readouterr().out
    assert "// Threads that call, in any order: ring_put." in text
    assert "// Not called: ring_each, because `visit` is a function." in text
    assert "shared_ring_t = ring_new();" in text
    assert "ring_free(shared_ring_t);" in text
    assert "hidden" not in text.partition("#include")[2].partition("raceproof_caller")[2]


def test_the_verdict_is_for_the_harness(ring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every pair is proved, but not for every caller: never plain race-free."""
    words = ["--engines", "lockset", "--json", "r.json"]
    assert main(["check", "ring.c", *words]) == Exit.UNKNOWN
    shown = " ".join(capsys.readouterr().out.split())
    assert "verdict: unknown" in shown
    assert "for a generated harness, and not for other callers: 2 threads call ring_put any number of times" in shown
    assert {pair["verdict"] for pair in json.loads(Path("r.json").read_text())["pairs"]} == {"race-free"}
    assert main(["check-evidence", "r.json"]) == Exit.RACE_FREE


def test_what_is_kept_is_the_users_program(ring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harness", "ring.c", "-o", "kept.c"]) == Exit.RACE_FREE
    assert main(["check", "kept.c", "--engines", "lockset"]) == Exit.RACE_FREE
    assert main(["harness", "ring.c", "-o", "kept.c"]) == Exit.BAD_INPUT
    assert "not overwritten" in capsys.readouterr().err


def test_a_race_is_found_and_repeated(ring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ring.write_text("struct stats { int hits; };\nvoid hit(struct stats *s) { s->hits++; }\n")
    assert main(["check", "ring.c", "--calls", "1", "--engines", "lockset,explore", "--json", "r.json"]) == Exit.RACE
    assert "the harness is " in " ".join(capsys.readouterr().out.split())
    assert main(["replay", "r.json"]) == Exit.RACE


def test_arguments_by_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.c"
    file.write_text(TABLE, encoding="utf-8")
    assert main(["harness", str(file)]) == Exit.RACE_FREE
    text = capsys.readouterr().out
    assert "table_init(&shared_table, __VERIFIER_nondet_int());" in text
    assert 'table_add(&shared_table, "text", argument_2, 64);' in text
    assert main(["check", str(file), "--engines", "lockset,explore", "--calls", "1"]) == Exit.RACE


def test_without_anything_public_the_message_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "none.c"
    file.write_text("static int x; static void f(void) { x++; }", encoding="utf-8")
    assert main(["check", str(file)]) == Exit.BAD_INPUT
    assert "--entry" in capsys.readouterr().err
