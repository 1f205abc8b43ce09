"""`raceproof locks`: the table, the attributes that it writes, and those that it reads."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from raceproof.cli import Exit, main

PROGRAM = """#include <pthread.h>
struct pool {
    pthread_mutex_t mu;
    int pending;
    int done;
};
static struct pool pool = {.mu = PTHREAD_MUTEX_INITIALIZER};
static _Atomic int stop;
static int total[4] = {1};
static void *worker(void *arg) {
    pthread_mutex_lock(&pool.mu);
    pool.pending--;
    pool.done++;
    total[0]++;
    pthread_mutex_unlock(&pool.mu);
    stop = 1;
    return arg;
}
int main(void) {
    pthread_t t[2];
    pool.pending = 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    if (pool.pending > 10)
        stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return pool.done + total[0];
}
"""


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "pool.c"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


def test_the_table(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["locks", "pool.c"]) == Exit.RACE_FREE
    rows = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()[1:]}
    assert rows["pool.pending"] == ["pool.mu", "1", "of", "2", "pool.c:24"]
    assert rows["pool.done"] == ["pool.mu", "1", "of", "1"]
    assert rows["stop"] == ["atomic", "2", "of", "2"]


def test_attributes_are_written_where_the_lock_is_always_held_and_checked_then(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["locks", "--guarded-by", "pool.c"]) == Exit.RACE_FREE
    patch = capsys.readouterr().out
    subprocess.run(["git", "apply", "-"], input=patch, text=True, check=True, cwd=pool.parent)
    text = pool.read_text()
    assert "int done __attribute__((guarded_by(mu)));" in text
    assert "int total[4] __attribute__((guarded_by(pool.mu))) = {1};" in text
    assert "int pending;" in text
    pool.write_text(text.replace("int pending;", "int pending __attribute__((guarded_by(mu)));"))
    assert main(["locks", "pool.c"]) == Exit.RACE
    shown = capsys.readouterr().out
    assert "pool.c:4: pool.pending is guarded_by(mu), which is not held at pool.c:24" in shown
    assert "pool.done is guarded_by" not in shown


def test_json(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["locks", "--format", "json", "pool.c"]) == Exit.RACE_FREE
    found = {each["name"]: each for each in json.loads(capsys.readouterr().out)["locations"]}
    assert found["pool.pending"]["missing"][0]["line"] == 24
    assert found["pool.done"]["need_no_lock"] == 1
