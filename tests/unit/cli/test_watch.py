"""`raceproof watch`: what is a change, what it says about it, and a session."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from raceproof.cli import Exit
from raceproof.cli.watch import Results, changed, stamps

PROGRAM = """#include <pthread.h>
#include "shared.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) { LOCK; x++; UNLOCK; return arg; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    return pthread_join(u, NULL);
}
"""
BARE = "static int x;\n#define LOCK\n#define UNLOCK\n"
LOCKED = "static int x;\n#define LOCK pthread_mutex_lock(&m)\n#define UNLOCK pthread_mutex_unlock(&m)\n"


def test_what_is_a_change(tmp_path: Path) -> None:
    kept, written, made = (tmp_path / name for name in ("kept", "written", "made"))
    kept.write_text("")
    written.write_text("")
    old = stamps([kept, written, made])
    written.write_text("more")
    made.write_text("")
    assert changed(old, stamps([kept, written, made])) == [written, made]
    assert changed(old, stamps([kept, tmp_path / "new"])) == []
    made.unlink()
    assert changed(old, stamps([made])) == []


def test_what_has_changed_is_said() -> None:
    old = Results({"a": "race", "b": "unknown", "c": "race-free", "d": "race"})
    new = Results({"a": "race-free", "b": "race-free", "c": "race", "d": "race"})
    assert new.since(old) == "new race: c; no race any more: a; proved now: b"
    assert old.since(old) == ""


class Session:
    def __init__(self, directory: Path, *words: str) -> None:
        self.lines: list[str] = []
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "raceproof", "watch", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=directory,
            env=environment,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.lines.extend(iter(self.process.stdout.readline, ""))

    def wait_for(self, words: str, times: int = 1, patience: float = 120) -> None:
        end = time.monotonic() + patience
        while sum(words in line for line in self.lines) < times:
            assert time.monotonic() < end, "".join(self.lines)
            assert self.process.poll() is None, "".join(self.lines)
            time.sleep(0.05)


def test_a_change_of_a_header_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    header = tmp_path / "shared.h"
    header.write_text(BARE)
    session = Session(tmp_path, "a.c", "--engines", "lockset", "-q")
    session.wait_for("waiting for a change")
    header.write_text(LOCKED)
    session.wait_for("changed: shared.h")
    session.wait_for("waiting for a change", times=2)
    session.process.send_signal(signal.SIGINT)
    assert session.process.wait(60) == Exit.RACE_FREE
    assert "since the check before: proved now: x\n" in session.lines


@pytest.mark.parametrize("words", [["missing.c"], []])
def test_a_wrong_command_line_is_an_error_at_once(tmp_path: Path, words: list[str]) -> None:
    session = Session(tmp_path, *words)
    assert session.process.wait(60) == Exit.BAD_INPUT
