"""The host as a child process: it may die, hang, be interrupted; what it said by then is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from unit.explore.fake_host import FakeHost

from raceproof.core import InternalError, ToolMissing, Unsupported
from raceproof.explore.process import HostRun, run_host
from raceproof.explore.protocol import Control, ProgressRecord, StatRecord

CONTROL = Control("race", False, 0, 0, 100, "memory", False, ("demo",), ())


def run(directory: Path, search: str, control: Control = CONTROL, grace: float = 5.0) -> HostRun:
    return run_host(FakeHost(directory, search).path, directory / "program.so", control, grace=grace)


def test_records_and_the_end(tmp_path: Path) -> None:
    seen: list[ProgressRecord] = []
    host = FakeHost(
        tmp_path, 'write("progress", 1, 0, 5, 3, 1); write("stat", "executions", 2); write("end", "complete")'
    )
    result = run_host(host.path, tmp_path / "program.so", CONTROL, seen.append)
    assert (result.end, result.problem, result.interrupted) == ("complete", None, False)
    assert result.records == [StatRecord("executions", 2)]
    assert result.stats() == {"executions": 2}
    assert seen == [ProgressRecord(1, 0, 5, 3, 1)]
    assert host.asked() == [CONTROL.text().splitlines()]


def test_a_host_that_dies(tmp_path: Path) -> None:
    search = (
        'write("stat", "executions", 2); print("bad pointer", file=sys.stderr, flush=True); os.kill(os.getpid(), 11)'
    )
    result = run(tmp_path, search)
    assert result.end is None
    assert result.problem == "it was ended by SIGSEGV: bad pointer"
    assert result.stats() == {"executions": 2}


def test_a_host_that_ends_without_a_result(tmp_path: Path) -> None:
    assert run(tmp_path, "sys.exit(7)").problem == "it ended with status 7 and without a result"


def test_a_program_that_cannot_be_loaded(tmp_path: Path) -> None:
    search = 'print("program.so: undefined symbol: helper", file=sys.stderr, flush=True); sys.exit(3)'
    with pytest.raises(Unsupported, match="`helper`, which is defined nowhere"):
        run(tmp_path, search)


def test_a_record_that_is_cut_off_is_no_result(tmp_path: Path) -> None:
    assert run(tmp_path, 'frame(b"R", b"end\\tcomplete")').end is None


def test_nonsense_is_a_bug(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="no sense"):
        run(tmp_path, 'write("hello")')


def test_a_host_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    search = """
        child = os.fork()
        if child: write("stat", "child", child)
        time.sleep(60)
    """
    start = time.monotonic()
    result = run(tmp_path, search, replace(CONTROL, time_limit=0.2), grace=0.8)
    assert time.monotonic() - start < 10
    assert result.end is None
    assert "did not end in time" in str(result.problem)
    child = int(result.stats()["child"])
    for _ in range(50):
        if not _is_running(child):
            return
        time.sleep(0.05)
    pytest.fail("a child of the host is still running")


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _interrupt_when(path: Path) -> None:
    while not path.exists():
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_is_passed_on_once(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    search = f"""
        def finish(number, frame):
            write("end", "interrupted")
            sys.exit(0)
        signal.signal(signal.SIGINT, finish)
        open({str(ready)!r}, "w").close()
        time.sleep(60)
    """
    threading.Thread(target=_interrupt_when, args=[ready], daemon=True).start()
    result = run(tmp_path, search)
    assert (result.end, result.interrupted) == ("interrupted", True)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_host_that_does_not_hear_ctrl_c(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    search = f"""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        open({str(ready)!r}, "w").close()
        time.sleep(60)
    """
    threading.Thread(target=_interrupt_when, args=[ready], daemon=True).start()
    result = run(tmp_path, search, grace=0.5)
    assert (result.end, result.interrupted) == (None, True)


def test_the_host_ends_with_raceproof(tmp_path: Path) -> None:
    """`timeout 5 raceproof explore ...`: nothing is left running."""
    ready = tmp_path / "ready"
    host = FakeHost(tmp_path, f'open({str(ready)!r}, "w").write(str(os.getpid())); time.sleep(60)')
    script = f"""
from pathlib import Path
from raceproof.explore.process import run_host
from raceproof.explore.protocol import Control
control = Control("race", False, 0, 0, 100, "memory", False, ("demo",), ())
run_host(Path({str(host.path)!r}), Path("program.so"), control)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment) as caller:
        while not ready.exists() or not ready.read_text(encoding="utf-8"):
            time.sleep(0.02)
        caller.terminate()
        assert caller.wait(10) == 128 + signal.SIGTERM
    assert not _is_running(int(ready.read_text(encoding="utf-8")))


def test_a_missing_host(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="nowhere"):
        run_host(tmp_path / "nowhere", tmp_path / "program.so", CONTROL)
