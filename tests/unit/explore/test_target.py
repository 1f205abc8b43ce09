"""Targets that are slow, die, hang, lie: it is noticed, the search goes on elsewhere or ends with what it has."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from exploring import load_text, search
from unit.explore.fake_host import FakeHost

from raceproof.core import InputError, Unsupported
from raceproof.explore.build import build_host, why_not_32_bits
from raceproof.explore.parallel import run_hosts
from raceproof.explore.process import HostRun, run_host
from raceproof.explore.protocol import Control, RaceRecord
from raceproof.explore.target import MOST_FAILURES, Remote, Target, machine_of, target_of

CONTROL = Control("race", False, 0, 0, 100, "memory", False, ("demo",), ())
SECRET = b"a secret of the tests"
RIGHT = 'write("stat", "executions", 2); write("end", "complete"); frame(b"L", b"status 0\\n")'
A_RACE = 'write("race", 4, 1, 9, 2, "counter", 1, "0:3 1:2 2:4", "", "0:-1:4294967295 1:0:14 2:0:14")'


def remote(directory: Path, *searches: str, patience: float = 20.0) -> Remote:
    """Ways to a target, each to a host that does as its statements say; `{}` is where the runtime is."""
    vias = tuple(str(FakeHost(directory, text, name=f"host{n}").path) for n, text in enumerate(searches))
    runtime = directory / "runtime"
    runtime.write_bytes(b"")
    (directory / "program.so").write_bytes(b"the program")
    return Remote(Target("x86_64", vias), runtime, patience=patience, first_patience=patience)


def run(directory: Path, *searches: str, control: Control = CONTROL, patience: float = 20.0) -> HostRun:
    return run_host(remote(directory, *searches, patience=patience), directory / "program.so", control, grace=1.0)


def test_a_target_that_does_as_it_is_told(tmp_path: Path) -> None:
    result = run(tmp_path, RIGHT)
    assert (result.end, result.problem, result.is_lost, result.notes) == ("complete", None, False, ())
    assert result.stats() == {"executions": 2}


FAULTS = {
    "dies": ("os.kill(os.getpid(), 9)", "before it had said all"),
    "is cut off": ('sys.stdout.buffer.write(b"\\x20\\0\\0\\0R\\0"); sys.stdout.flush()', "ended within a frame"),
    "sends garbage": (
        'sys.stdout.buffer.write(b"kernel panic: " + bytes(99)); sys.stdout.flush()',
        "no frame of the pro",
    ),
    "sends a changed frame": (
        'sys.stdout.buffer.write(b"\\1\\0\\0\\0Rxabcd"); sys.stdout.flush()',
        "changed on its way",
    ),
    "sends an unknown frame": ('frame(b"?", b"x")', "unknown kind"),
    "sends what hosts send": ('frame(b"q")', "only a host sends"),
    "sends a senseless record": ('write("hello")', "makes no sense"),
    "says nothing": ("time.sleep(60)", "said nothing for 0.8 s"),
    "refuses": ('frame(b"X", b"the disk is full")', "the disk is full"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_search_goes_on_elsewhere(fault: str, tmp_path: Path) -> None:
    text, why = FAULTS[fault]
    result = run(tmp_path, f"{A_RACE}; {text}", RIGHT, patience=0.8)
    assert (result.end, result.problem, result.is_lost) == ("complete", None, False)
    assert result.stats() == {"executions": 2}
    assert [record.address for record in result.records if isinstance(record, RaceRecord)] == ["counter"]
    assert len(result.notes) == 1
    assert why in result.notes[0]


@pytest.mark.parametrize("fault", FAULTS)
def test_without_another_way_it_ends_with_what_it_has(fault: str, tmp_path: Path) -> None:
    text, why = FAULTS[fault]
    result = run(tmp_path, f'{A_RACE}; write("stat", "executions", 7); {text}', patience=0.8)
    assert (result.end, result.is_lost) == (None, True)
    assert why in str(result.problem)
    assert "the target was lost" in str(result.problem)
    assert {record.address for record in result.records if isinstance(record, RaceRecord)} == {"counter"}
    assert not result.stats()  # of a search that was begun anew nothing else counts
    assert len(result.notes) == MOST_FAILURES - 1


def test_a_target_that_cannot_be_reached(tmp_path: Path) -> None:
    there = remote(tmp_path, RIGHT)
    nowhere = replace(there.target, vias=("/nowhere/qemu {}", "tcp://127.0.0.1:1", *there.target.vias))
    result = run_host(Remote(nowhere, there.runtime, SECRET), tmp_path / "program.so", CONTROL)
    assert result.end == "complete"
    result = run_host(Remote(replace(nowhere, vias=nowhere.vias[:2]), there.runtime), tmp_path / "program.so", CONTROL)
    assert (result.end, result.is_lost) == (None, True)
    assert "/nowhere/qemu: No such file" in str(result.problem)
    assert "tcp://127.0.0.1:1: Connection refused" in str(result.problem)


def test_a_file_of_this_machine_is_not_on_another_one(tmp_path: Path) -> None:
    there = remote(tmp_path, RIGHT)
    target = replace(there.target, vias=("sh -c 'exit 127' {}",))
    result = run_host(Remote(target, there.runtime), tmp_path / "program.so", CONTROL)
    assert "write {upload} in its place" in str(result.problem)


def test_what_the_command_says_is_told(tmp_path: Path) -> None:
    there = remote(tmp_path, RIGHT)
    target = replace(there.target, vias=("sh -c 'echo no route to board >&2; exit 255'",))
    result = run_host(Remote(target, there.runtime), tmp_path / "program.so", CONTROL)
    assert "no route to board" in str(result.problem)


@pytest.mark.parametrize(
    ("greeting", "why"),
    [
        ("protocol 9\\nbuild x", "version 9 of the protocol"),
        ("protocol 1\\nbuild x\\nmachine arm", "for arm, not for x86_64"),
        ("protocol 1\\nbuild x\\nmachine x86_64", "another version of raceproof"),
    ],
)
def test_another_version_is_refused(greeting: str, why: str, tmp_path: Path) -> None:
    there = remote(tmp_path, RIGHT)
    path = Path(there.target.vias[0])
    body = path.read_text(encoding="utf-8")
    path.write_text(body.replace("payload + b", f'b"\\n{greeting}\\n" + b"" and b'.replace(' + b"" and b', " or b")))
    result = run_host(there, tmp_path / "program.so", CONTROL)
    assert why in str(result.problem)


def test_a_death_of_the_runtime_is_its_last_word(tmp_path: Path) -> None:
    """It has not run out of targets, but of memory: elsewhere it would be the same."""
    result = run(tmp_path, 'frame(b"L", b"status 4\\nnot enough memory for the search")', RIGHT)
    assert (result.end, result.is_lost) == (None, False)
    assert result.problem == "it ended with status 4 and without a result: not enough memory for the search"
    with pytest.raises(Unsupported, match="`helper`, which is defined nowhere"):
        run(tmp_path, 'frame(b"L", b"status 3\\nundefined symbol: helper")')


def test_a_slow_target_is_waited_for(tmp_path: Path) -> None:
    slowly = """
        class Slow:
            def write(self, content):
                for byte in content:
                    os.write(1, bytes([byte]))
                    time.sleep(0.01)
            def flush(self):
                pass
        sys.stdout = type("Output", (), {"buffer": Slow(), "flush": lambda self: None})()
        write("stat", "executions", 2); frame(b"l"); write("end", "complete"); frame(b"L", b"status 0\\n")
    """
    assert run(tmp_path, slowly, patience=0.8).end == "complete"


def test_one_that_never_ends_is_ended(tmp_path: Path) -> None:
    """It says that it is there, again and again, and no more."""
    search = 'write("stat", "me", os.getpid())\nwhile True: frame(b"l"); time.sleep(0.1)'
    begin = time.monotonic()
    result = run(tmp_path, search, control=replace(CONTROL, time_limit=0.3))
    assert time.monotonic() - begin < 10
    assert "did not end in time" in str(result.problem)
    with pytest.raises(ProcessLookupError):
        os.kill(int(result.stats()["me"]), 0)


def test_what_a_command_leaves_behind_is_ended(tmp_path: Path) -> None:
    """A shell that has ended has children, which have not."""
    there = remote(tmp_path, 'write("stat", "me", os.getpid()); sys.stdout.flush(); time.sleep(60)', patience=1.0)
    target = replace(there.target, vias=(f"sh -c {shlex.quote(there.target.vias[0] + ' & wait')}",))
    result = run_host(
        replace(there, target=target), tmp_path / "program.so", replace(CONTROL, time_limit=0.2), grace=0.3
    )
    assert result.end is None


def test_several_hosts_do_again_what_is_lost(tmp_path: Path) -> None:
    """One way gives away a part of its work and is gone before it has said all that belongs to it."""
    broken = f"""
        if not os.path.exists({str(tmp_path / "once")!r}):
            open({str(tmp_path / "once")!r}, "w").close()
            write("path", "0:0 1:0")
            os.kill(os.getpid(), 9)
        assert not any(line.startswith("item") for line in text.splitlines())
        {RIGHT}
    """
    result = run_hosts(remote(tmp_path, broken), tmp_path / "program.so", CONTROL, 2)
    assert (result.end, result.problem) == ("complete", None)
    assert result.stats()["executions"] == 2
    assert "begun anew" in result.notes[0]
    result = run_hosts(remote(tmp_path, "os.kill(os.getpid(), 9)"), tmp_path / "program.so", CONTROL, 2)
    assert (result.end, result.is_lost) == (None, True)


# --- what the user says


@pytest.mark.parametrize(
    ("triple", "machine"),
    [
        ("aarch64", "aarch64"), ("arm64", "aarch64"), ("aarch64-linux-musl", "aarch64"), ("x86-linux-musl", "x86"),
        ("arm-linux-musleabihf", "arm"), ("armv7l", "arm"), ("riscv64-linux-gnu", "riscv64"), ("X86_64", "x86_64"),
        ("i686-linux-gnu", "x86"),
    ],
)  # fmt: skip
def test_names_of_machines(triple: str, machine: str) -> None:
    assert machine_of(triple) == machine


def test_mistakes_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RACEPROOF_SECRET", raising=False)
    short = tmp_path / "short"
    short.write_text("short\n")
    for triple, vias, secret, why in (
        ("sparc", ["x"], None, "no such target: sparc"),
        ("aarch64-apple-darwin", ["x"], None, "no such target"),
        ("arm", [], None, "needs --via"),
        ("arm", ["'x"], None, "No closing quotation"),
        ("arm", [" "], None, "an empty command"),
        ("arm", ["tcp://board"], None, "tcp://HOST:PORT"),
        ("arm", ["tcp://board:99999"], None, "tcp://HOST:PORT"),
        ("arm", ["tcp://board:1"], None, "needs a secret"),
        ("arm", ["tcp://board:1"], short, "at least 16"),
        ("arm", ["tcp://board:1"], tmp_path / "none", "No such file"),
    ):
        with pytest.raises(InputError, match=why):
            target_of(triple, vias, secret)


# --- the real runtime, as a program for 32-bit x86 with its own C library

needs_32_bits = pytest.mark.skipif(why_not_32_bits() is not None, reason=str(why_not_32_bits()))
TWO_RACES = "static int x; static void *w(void *p) { x++; return p; } int main(void) { RUN(w, w); return 0; }"


@pytest.fixture
def runtime() -> Path:
    return build_host(machine="x86")


@pytest.fixture
def agent(runtime: Path, tmp_path: Path) -> Iterator[int]:
    """The port of one that waits for hosts."""
    environment = {**os.environ, "RACEPROOF_SECRET": SECRET.decode()}
    command = [runtime, "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline().rsplit(" ", 1)[1])
        process.kill()


def explored(directory: Path, *vias: str, text: str = TWO_RACES, **options: Any) -> str:
    """The verdict with that target, and what there is to say about it."""
    subject = load_text(text, directory, machine="x86")
    return search(subject, target=Target("x86", vias), trust=False, **options).why()


class Meddler:
    """Somebody in the middle of a network, who changes the byte at `at` of what the host or the target sends."""

    def __init__(self, port: int, at: int | None, of_host: bool) -> None:
        self.at, self.of_host, self.port = at, of_host, port
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.via = f"tcp://127.0.0.1:{self.listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                host = self.listening.accept()[0]
            except OSError:
                return
            target = socket.create_connection(("127.0.0.1", self.port))
            for source, sink, changes in ((host, target, self.of_host), (target, host, not self.of_host)):
                threading.Thread(target=self._pass, args=[source, sink, changes], daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, changes: bool) -> None:
        passed = 0
        with contextlib.suppress(OSError):
            while chunk := bytearray(source.recv(65536)):
                if changes and self.at is not None and passed <= self.at < passed + len(chunk):
                    chunk[self.at - passed] ^= 1
                passed += len(chunk)
                sink.sendall(chunk)
        for each in (source, sink):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@needs_32_bits
def test_a_race_by_a_network(agent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEPROOF_SECRET", SECRET.decode())
    via = f"tcp://127.0.0.1:{agent}"
    assert explored(tmp_path, via).startswith("race;")
    assert explored(tmp_path, via, jobs=2, find_all=True).startswith("race;")
    assert explored(tmp_path, Meddler(agent, None, of_host=True).via).startswith("race;")


@needs_32_bits
def test_who_does_not_know_the_secret_gets_nothing(agent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEPROOF_SECRET", "another secret, as long")
    found = explored(tmp_path, f"tcp://127.0.0.1:{agent}")
    assert found.startswith("unknown;")
    assert "the secret is not the one of this target" in found


@needs_32_bits
@pytest.mark.parametrize("of_host", [True, False])
@pytest.mark.parametrize("at", [60, 300, 420])
def test_what_is_changed_on_the_way_is_not_believed(
    at: int, of_host: bool, agent: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte of a greeting, of a proof, of what follows."""
    monkeypatch.setenv("RACEPROOF_SECRET", SECRET.decode())
    found = explored(tmp_path, Meddler(agent, at, of_host).via)
    assert found.startswith("unknown;")
    assert "target" in found


def received(host: socket.socket) -> bytes:
    """The runtime, which has the same socket, may have made it one that does not wait."""
    while True:
        select.select([host], [], [])
        with contextlib.suppress(BlockingIOError):
            return host.recv(65536)


@needs_32_bits
def test_an_impostor_learns_nothing(tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who listens where the target should be, and does not know the secret: it is told neither that nor the program."""
    monkeypatch.setenv("RACEPROOF_SECRET", SECRET.decode())
    told: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        command = [runtime]  # one that asks for no secret

        def serve() -> None:
            while True:
                try:
                    host = listening.accept()[0]
                except OSError:
                    return
                with host, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=host.fileno()) as process:
                    while chunk := received(host):
                        told.append(chunk)
                    process.kill()

        threading.Thread(target=serve, daemon=True).start()
        found = explored(tmp_path, f"tcp://127.0.0.1:{listening.getsockname()[1]}")
        listening.shutdown(socket.SHUT_RDWR)
    assert "does not ask for a secret" in found
    assert told == []


ENDLESS = """
static int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *p) {
    for (int i = 0; i < 7; i++) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
    return p;
}
int main(void) { RUN(w, w, w, w); return 0; }
"""


@needs_32_bits
def test_a_runtime_that_is_killed_in_its_work(tmp_path: Path) -> None:
    """The first two times; then it is left alone, and finds nothing in its time."""
    mark = tmp_path / "killed"
    mark.write_text("")
    shell = f"""
        echo >> {mark}
        if [ $(wc -l < {mark}) -le 2 ]; then (sleep 1; kill -9 $$) & fi
        exec {{}}
    """
    found = explored(tmp_path, f"sh -c {shlex.quote(shell)}", text=ENDLESS, seconds=8, algorithm="dfs")
    assert found.startswith("unknown;")
    assert mark.read_text().count("\n") >= 3
    assert found.count("begun anew") == 2


@needs_32_bits
def test_the_agent_ends_what_it_has_started(tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEPROOF_SECRET", SECRET.decode())
    with subprocess.Popen([runtime, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        via = f"tcp://127.0.0.1:{int(process.stdout.readline().rsplit(' ', 1)[1])}"
        threading.Timer(2.0, process.send_signal, [signal.SIGKILL]).start()
        found = explored(tmp_path, via, text=ENDLESS, seconds=30, algorithm="dfs")
    assert found.startswith("unknown;")
    assert "cannot be reached" in found or "was lost" in found
