"""Processes that the program makes itself, and objects that processes share by name."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from exploring import PREAMBLE, host_run, load_text, output_of, search

from raceproof.explore.protocol import LIMITS, BoundedRecord, of_kind

HEAD = "".join(
    f"#include <{name}.h>\n"
    for name in (
        *("fcntl", "mqueue", "signal", "sys/ipc", "sys/mman", "sys/msg"),
        *("sys/resource", "sys/sem", "sys/shm", "sys/wait"),
    )
)
WORKER = """
int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return arg; }
"""
# A child that does CHILD, beside two threads of the parent.
PARENT = (
    WORKER
    + """
int main(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) { CHILD }
    if (child > 0) waitpid(child, &status, 0);
    RUN(worker, worker);
    printf("%d %d %d\\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : -1, x);
    return 0;
}
"""
)


@pytest.mark.parametrize(
    ("child", "seen"),
    [
        ("_exit(3);", "3 -1 2"),
        ("exit(4);", "4 -1 2"),
        ("return 5;", "5 -1 2"),
        ("x = 7; worker(0); exit(x);", "8 -1 2"),
        ("pthread_exit(0);", "0 -1 2"),
        ("struct rlimit none = {0}; setrlimit(RLIMIT_CORE, &none); abort();", f"-1 {int(signal.SIGABRT)} 2"),
        ("*(volatile int *)0 = 1; _exit(0);", f"-1 {int(signal.SIGSEGV)} 2"),
        ("raise(SIGTERM); _exit(0);", f"-1 {int(signal.SIGTERM)} 2"),
        ('execl("/bin/sh", "sh", "-c", "exit 9", (char *)0); _exit(1);', "9 -1 2"),
    ],
)
def test_the_parent_sees_how_its_child_ends(child: str, seen: str, tmp_path: Path) -> None:
    subject = load_text(HEAD + PARENT.replace("CHILD", child), tmp_path)
    run = host_run(subject, "dfs")
    assert (run.problem, run.end) == (None, "complete")
    assert output_of(run).split("\n")[0] == seen
    assert not of_kind(run.records, BoundedRecord)


def test_a_child_takes_no_part_in_the_search(tmp_path: Path) -> None:
    """As many executions as without it, whatever it locks and writes; what the parent does is searched."""
    plain = search(load_text(HEAD + PARENT.replace("CHILD", "_exit(0);"), tmp_path), "dfs", find_all=True)
    busy = "for (int i = 0; i < 20; i++) worker(0); exit(0);"
    other = search(load_text(HEAD + PARENT.replace("CHILD", busy), tmp_path), "dfs", find_all=True)
    assert other.executions == plain.executions
    assert other.races == plain.races == []


def test_races_of_the_parent_are_found(tmp_path: Path) -> None:
    racy = PARENT.replace("CHILD", "x = 1; _exit(0);").replace(
        "pthread_mutex_lock(&m); x++;", "x++; pthread_mutex_lock(&m);"
    )
    assert search(load_text(HEAD + racy, tmp_path), "race").verdict == "race"


def test_a_write_of_the_child_is_no_race(tmp_path: Path) -> None:
    text = PARENT.replace("if (child > 0) waitpid(child, &status, 0);", "").replace(
        "CHILD", "x = 1; worker(0); _exit(0);"
    )
    assert search(load_text(HEAD + text, tmp_path), "race", find_all=True).races == []


@pytest.mark.parametrize("algorithm", ["race", "dfs", "optimal"])
def test_threads_of_a_child_bound_the_result(algorithm: str, tmp_path: Path) -> None:
    text = HEAD + PARENT.replace("CHILD", "RUN(worker, worker); exit(x);")
    run = host_run(load_text(text, tmp_path), algorithm)
    assert output_of(run).startswith("2 -1 2")
    assert LIMITS["PROCESSES"] in {record.reason for record in of_kind(run.records, BoundedRecord)}


def test_a_daemon_goes_on(tmp_path: Path) -> None:
    text = (
        WORKER.replace("pthread_mutex_lock(&m);", "")
        + "int main(void) { if (daemon(1, 0)) return 1; RUN(worker, worker); }"
    )
    assert search(load_text(HEAD + text, tmp_path), "race").verdict == "race"


# -- names

NAMED = {
    "semaphores": "id = semget(7, 1, IPC_CREAT | IPC_EXCL | 0600);",
    "private semaphores": "id = semget(IPC_PRIVATE, 1, 0600);",
    "queues": "id = msgget(7, IPC_CREAT | IPC_EXCL | 0600);",
    "segments": "id = shmget(7, 4096, IPC_CREAT | IPC_EXCL | 0600);",
    "shared memory": 'id = shm_open("/raceproof-names", O_CREAT | O_EXCL | O_RDWR, 0600);',
    "message queues": 'id = mq_open("/raceproof-names", O_CREAT | O_EXCL | O_RDWR, 0600, (struct mq_attr *)0);',
}
NAMER = WORKER + 'int main(void) { int id; MAKE RUN(worker, worker); printf("%d\\n", id >= 0); return 0; }'


def _named_objects() -> list[str]:
    found = [
        line for kind in ("sem", "msg", "shm") for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
    ]
    return sorted([*found, *(path.name for path in Path("/dev/shm").glob("raceproof-names*"))])


@pytest.mark.parametrize("what", NAMED)
def test_every_execution_has_names_of_its_own(what: str, tmp_path: Path) -> None:
    before = _named_objects()
    subject = load_text(HEAD + NAMER.replace("MAKE", NAMED[what]), tmp_path)
    run = host_run(subject, "dfs")
    assert (run.problem, run.end) == (None, "complete")
    assert int(run.stats()["executions"]) > 1
    assert set(output_of(run).split()) == {"1"}
    assert not of_kind(run.records, BoundedRecord)
    assert _named_objects() == before


def _command(tmp_path: Path, text: str) -> list[str]:
    source = tmp_path / "named.c"
    source.write_text(PREAMBLE + HEAD + text, encoding="utf-8")
    return [sys.executable, "-m", "raceproof", "explore", str(source), "--algorithm", "dfs", "--pairs", "all"]


def test_nothing_is_left_when_all_are_killed(tmp_path: Path) -> None:
    """Raceproof, its host and the program, at once."""
    before = _named_objects()
    ready = Path.home() / f"raceproof-test-{os.getpid()}"  # what a program writes in /tmp, nobody else sees
    waits = f'fclose(fopen("{ready}", "w")); for (volatile int i = 0; ; i++) pause();'
    command = _command(tmp_path, NAMER.replace("MAKE", NAMED["semaphores"] + waits))
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    for _ in range(2400):
        if ready.exists():
            break
        time.sleep(0.05)
    assert ready.exists()
    ready.unlink()
    hosts = _descendants(process.pid)
    assert len(hosts) >= 2
    for pid in (process.pid, *hosts):
        with contextlib.suppress(ProcessLookupError):  # it may have ended with its parent already
            os.kill(pid, signal.SIGKILL)
    process.wait()
    for _ in range(100):
        if not any(Path(f"/proc/{pid}/exe").exists() for pid in hosts) and _named_objects() == before:
            return
        time.sleep(0.05)
    pytest.fail(f"left: {_named_objects()}")


def _descendants(pid: int) -> list[int]:
    children = [int(c) for task in Path(f"/proc/{pid}/task").iterdir() for c in (task / "children").read_text().split()]
    return [d for child in children for d in (child, *_descendants(child))]


# So many user namespaces within one another that the system gives no more.
NESTED = """
import ctypes, os, runpy, sys
libc = ctypes.CDLL(None, use_errno=True)
while libc.unshare(0x10000000) == 0:
    pass
sys.argv = sys.argv[1:]
runpy.run_module("raceproof", run_name="__main__")
"""


def test_without_namespaces_the_result_is_bounded(tmp_path: Path) -> None:
    before = _named_objects()
    command = _command(tmp_path, NAMER.replace("MAKE", NAMED["semaphores"]))
    command[1:3] = ["-c", NESTED, "raceproof"]
    command.append("-v")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert LIMITS["NAMESPACES"] in " ".join(done.stdout.split())
    assert _named_objects() == before
