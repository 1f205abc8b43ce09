"""Where threads are cancelled, only some searches prove anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import load_text, search

PROGRAM = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *f(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    CANCEL
    pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);
    return 0;
}
"""


@pytest.mark.parametrize("algorithm", ["race", "dfs", "optimal", "dpor"])
@pytest.mark.parametrize("cancels", [False, True])
def test_which_searches_prove(algorithm: str, cancels: bool, tmp_path: Path) -> None:
    text = PROGRAM.replace("CANCEL", "pthread_cancel(t);" if cancels else "")
    found = search(load_text(text, tmp_path), algorithm)
    assert not found.races
    assert found.is_proved is (not cancels or algorithm in ("race", "dfs"))
