"""The motivating example of [DHTC], as C."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import load_text, search

FIGURE_3 = """
static pthread_mutex_t l1 = PTHREAD_MUTEX_INITIALIZER, l2 = PTHREAD_MUTEX_INITIALIZER;
static int v1, v2;
static void *thread_a(void *arg) {
  pthread_mutex_lock(&l1);
  v1++;
  pthread_mutex_unlock(&l1);
  pthread_mutex_lock(&l2);
  v2++;
  pthread_mutex_unlock(&l2);
  return arg;
}
static void *thread_b(void *arg) {
  pthread_mutex_lock(&l1);
  int v3 = v1;
  pthread_mutex_unlock(&l1);
  if (v3 == 0) {
    v2++;
  } else {
    pthread_mutex_lock(&l2);
    v2 = 0;
    pthread_mutex_unlock(&l2);
  }
  return arg;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, thread_a, 0);
  pthread_create(&b, 0, thread_b, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""


@pytest.mark.parametrize("algorithm", ["dfs", "dpor", "pdp", "dhtc", "race"])
def test_figure_3_is_a_race(algorithm: str, tmp_path: Path) -> None:
    """The paper calls the warning about line 6 false; but thread B may read v1 before thread A counts."""
    assert search(load_text(FIGURE_3, tmp_path), algorithm).verdict == "race"
