"""Programs that misbehave and surroundings that fail, through the command as a user types it.

Each time: the right status, a clear message, what was found so far in the report, and nothing left behind: no
process, no file.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

RACE_FREE, RACE, BAD_INPUT, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130
SECONDS = 60
HEAD = """
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int x;
"""
MAIN = "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 2; END pthread_join(t, 0); return 0; }\n"


@dataclass
class Command:
    """`raceproof` in an empty directory, with a mark in the environment of all its processes."""

    directory: Path
    mark: str

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "raceproof", *arguments],
            cwd=self.directory,
            env=os.environ | {"RACEPROOF_TEST_MARK": self.mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=SECONDS)
        return process.returncode, output + errors

    def program(self, text: str) -> str:
        (self.directory / "program.c").write_text(HEAD + text)
        return "program.c"

    def processes(self) -> list[int]:
        """Those of this command that are still there."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    environment = (entry / "environ").read_bytes()
                    state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                except OSError:
                    continue
                if f"RACEPROOF_TEST_MARK={self.mark}".encode() in environment.split(b"\0") and state != "Z":
                    found.append(int(entry.name))
        return found


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    made = Command(tmp_path, f"{os.getpid()}-{tmp_path.name}")
    yield made
    for _ in range(50):
        if not made.processes():
            break
        time.sleep(0.1)
    left_behind = made.processes()
    for pid in left_behind:
        os.kill(pid, signal.SIGKILL)
    assert left_behind == []
    left = {path.name for path in tmp_path.iterdir()}
    assert left <= {"program.c", "report.json", "report.html"}


FAULTS = {
    "crashes": ("void *f(void *p) { *(volatile int *)8 = x; return p; }\n" + MAIN, RACE),
    "exits early": ("void *f(void *p) { x = 1; exit(3); return p; }\n" + MAIN, RACE),
    "aborts": ("void *f(void *p) { x = 1; abort(); return p; }\n" + MAIN, RACE),
    "forks": (
        "void *f(void *p) { x = 1; return p; }\n" + MAIN.replace("END", "if (fork() == 0) { for (;;) pause(); }"),
        RACE,
    ),
    "reads standard input": ("void *f(void *p) { if (getchar() == EOF) x = 1; return p; }\n" + MAIN, RACE),
    "allocates until memory ends": (
        "void *f(void *p) { char *b; while ((b = malloc(1 << 26))) memset(b, 1, 1); x = 1; return p; }\n" + MAIN,
        RACE,
    ),
    "never stops": ("volatile int y; void *f(void *p) { x = 1; for (;;) y++; return p; }\n" + MAIN, RACE),
    "writes over everything": (
        "void *f(void *p) { x = 1; memset((char *)&p - 4096, 0x41, 1 << 24); return p; }\n" + MAIN,
        RACE,
    ),
    "kills itself": ("void *f(void *p) { x = 1; kill(getpid(), SIGKILL); return p; }\n" + MAIN, RACE),
    "overflows its stack": (
        "int deep(int n) { volatile char a[4096]; a[0] = (char)n; return deep(n + 1) + a[0]; }\n"
        "void *f(void *p) { x = 1; return deep(1) ? p : 0; }\n" + MAIN,
        RACE,
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_program_that_misbehaves_is_judged_all_the_same(fault: str, command: Command) -> None:
    text, expected = FAULTS[fault]
    name = command.program(text.replace("END", ""))
    status, output = command.run("check", name, "--time-limit", "20", "--json", "report.json")
    assert status == expected, output
    report = json.loads((command.directory / "report.json").read_text())
    assert report["verdict"] == "race"


# Each order of the threads at each lock is another state: no search comes to its end.
LONG = """
pthread_mutex_t m[6]; int y[6], total; unsigned order[6];
void *f(void *p) { for (int i = 0; i < 6; i++) { pthread_mutex_lock(&m[i]); y[i] += total; if (y[i] > 9) total++;
    order[i] = order[i] * 7 + (unsigned)(long)p; pthread_mutex_unlock(&m[i]); } return 0; }
int main(void) { pthread_t t[6]; for (int i = 0; i < 6; i++) pthread_mutex_init(&m[i], 0);
    for (long i = 0; i < 6; i++) pthread_create(&t[i], 0, f, (void *)(i + 1));
    for (int i = 0; i < 6; i++) pthread_join(t[i], 0); return 0; }
"""


def hosts(command: Command) -> list[int]:
    """Processes of the explorer's runtime."""
    return [pid for pid in command.processes() if "rp_host" in executable(pid)]


def executable(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:  # it has ended
        return ""


def wait_for_search(command: Command) -> None:
    for _ in range(300):
        if hosts(command):
            return
        time.sleep(0.1)
    pytest.fail("the search has not begun")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_in_the_search_keeps_what_is_known(jobs: str, command: Command) -> None:
    name = command.program(LONG)
    process = command.start("check", name, "--time-limit", "50", "--jobs", jobs, "--json", "report.json")
    wait_for_search(command)
    time.sleep(1.5)  # past the first look
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == INTERRUPTED, output + errors
    assert "interrupted" in output
    report = json.loads((command.directory / "report.json").read_text())
    assert report["interrupted"]
    assert any(pair["verdict"] == "race-free" for pair in report["pairs"])


@pytest.mark.parametrize("delay", [0.0, 0.2, 0.6])
def test_ctrl_c_at_the_beginning(delay: float, command: Command) -> None:
    name = command.program(LONG)
    process = command.start("check", name, "--time-limit", "50")
    time.sleep(0.1 + delay)  # the interpreter itself needs a moment to listen
    process.send_signal(signal.SIGINT)
    try:
        output, errors = process.communicate(timeout=5)
    except subprocess.TimeoutExpired:  # lost within the interpreter, which cannot be interrupted everywhere
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=SECONDS)
    assert process.returncode in (INTERRUPTED, -signal.SIGINT), output + errors
    assert "Traceback" not in errors or process.returncode == -signal.SIGINT


def test_a_killed_host_decides_nothing_and_is_said(command: Command) -> None:
    name = command.program(LONG)
    process = command.start("explore", name, "--time-limit", "50", "--isolation", "memory")
    wait_for_search(command)
    for pid in hosts(command):
        os.kill(pid, signal.SIGKILL)
    output, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == UNKNOWN, output + errors
    assert "SIGKILL" in output


def test_a_command_that_is_killed_leaves_no_host(command: Command) -> None:
    name = command.program(LONG)
    process = command.start("check", name, "--time-limit", "50")
    wait_for_search(command)
    process.kill()
    process.communicate(timeout=SECONDS)


# In the middle of an execution, each in its own way: blocked for good, with processes that have left its group.
STUBBORN = {
    "blocks all signals": "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); for (;;) y++;",
    "waits for a signal": "sigset_t all; int n; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); sigwait(&all, &n);",
    "leaves its session": "setsid(); for (;;) sigsuspend(&(sigset_t){0});",
    "has a child": "if (fork() == 0) for (;;) pause(); for (;;) y++;",
    "has a daemon": "if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); _exit(0); } for (;;) y++;",
}


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("how", STUBBORN)
def test_a_command_that_is_killed_leaves_nothing_of_an_execution(how: str, jobs: str, command: Command) -> None:
    text = "int y; void *f(void *p) { x = 1; DO return p; }\n".replace("DO", STUBBORN[how]) + MAIN.replace(
        "END", "x = 2;"
    )
    name = command.program(text)
    process = command.start("explore", name, "--isolation", "fork", "--all", "--time-limit", "50", "--jobs", jobs)
    wait_for_search(command)
    time.sleep(1.0)  # it has come to where it stays
    process.kill()
    process.communicate(timeout=SECONDS)


def test_the_time_limit_is_kept(command: Command) -> None:
    name = command.program(LONG)
    command.run("check", name, "--engines", "lockset")  # compiled and cached
    begin = time.monotonic()
    status, output = command.run("check", name, "--time-limit", "5")
    assert status == UNKNOWN, output
    assert "time" in output
    assert time.monotonic() - begin < 5 * 1.1 + 5  # and what a busy machine needs to start Python


def test_a_full_disk_does_not_hide_the_result(command: Command) -> None:
    name = command.program(FAULTS["exits early"][0].replace("END", ""))
    status, output = command.run("check", name, "--json", "/dev/full")
    assert status == BAD_INPUT
    assert "verdict: race" in output
    assert "No space left on device" in output


def test_the_network_is_not_reached(command: Command) -> None:
    text = """
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
void *f(void *p) { x = 1; return p; }
int main(void) {
    pthread_t t; pthread_create(&t, 0, f, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(80)};
    inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&to, sizeof to) == 0 || errno != ENETUNREACH) x = 2; /* only then a race */
    pthread_join(t, 0); return 0;
}
"""
    if subprocess.run(["unshare", "-U", "-n", "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this system does not let a user have a network of their own")
    status, output = command.run("explore", command.program(text), "--pairs", "all")
    assert status == RACE_FREE, output
