"""Searches on a Dask cluster: workers of this process, and, where workers end, processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from unit.explore.test_items import prepared_of, with_checkpoint
from unit.explore.test_parallel import LATE_THREADS, SECTIONS, load, outcome, sections

from raceproof.cluster import Greeting, Workers, cluster_of, connected
from raceproof.core import InputError
from raceproof.explore import cluster_crew as crews
from raceproof.explore.cluster_crew import ClusterCrew, cluster_crew
from raceproof.explore.cluster_item import Done, Search, digest_of_search, greet, run_items, who_we_are
from raceproof.explore.crew import Order
from raceproof.explore.options import Sharing
from raceproof.explore.parallel import run_crew
from raceproof.explore.preparation import Prepared
from raceproof.explore.process import HostRun
from raceproof.explore.protocol import GIVEN_UP, Control, NodeRecord, Part, RaceRecord

distributed = pytest.importorskip("distributed")
FEW = Sharing(first=0.0, executions=9)
HERE = cluster_of("local:2")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers in this process: cheap, and what they do is real."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def is_connected(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crews, "connected", lambda *given: contextlib.nullcontext(client))


def search_of(prepared: Prepared, asked: Control) -> tuple[str, bytes]:
    content = Search(prepared.program.read_bytes(), prepared.program.name, asked, prepared.machine).content()
    return digest_of_search(content), content


def crew_of(client: Any, prepared: Prepared, asked: Control, patience: float = 30.0, **given: Any) -> ClusterCrew:
    digest, content = search_of(prepared, asked)
    crew = ClusterCrew(Workers(client, Greeting(greet, (who_we_are(), digest, content)), patience), digest, **given)
    until = time.monotonic() + 60
    while crew.workers.count < 2:
        crew.workers.wait(0.05)
        assert time.monotonic() < until
    return crew


def counts(result: HostRun) -> tuple[float, float]:
    return result.stats()["executions"], result.stats()["blocked"]


@pytest.mark.usefixtures("is_connected")
def test_the_same_executions_as_on_one_machine(tmp_path: Path) -> None:
    prepared, asked = prepared_of(sections(tmp_path, 3, 2))
    with cluster_crew(HERE, prepared.program, asked, None) as crew:
        result = run_crew(crew, asked, sharing=FEW)
    assert result.end == "complete"
    assert counts(result) == (90, 0)
    assert result.stats()["items"] > 5
    assert "items_lost" not in result.stats()


@pytest.mark.slow
@pytest.mark.usefixtures("is_connected")
def test_races_are_found_and_repeated_here(tmp_path: Path) -> None:
    program = load(tmp_path, LATE_THREADS)
    there = with_checkpoint(program, "race", tmp_path / "state", jobs=1, cluster=HERE)
    assert outcome(there) == outcome(program.explore("race", 1))


@pytest.mark.usefixtures("is_connected")
def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared, asked = prepared_of(sections(tmp_path, 2, 1))
    version, runtime, machine = who_we_are()
    for ours, why in (
        (("9.9", runtime, machine), f"it has raceproof {version}, not 9.9"),
        ((version, "0" * 64, machine), "other sources of the runtime"),
        ((version, runtime, "pdp11"), f"its processor is {machine}, not pdp11"),
    ):
        monkeypatch.setattr(crews, "who_we_are", lambda ours=ours: ours)
        with (
            pytest.raises(InputError, match=f"no worker of the cluster can take part.*{why}"),
            cluster_crew(HERE, prepared.program, asked, None),
        ):
            pass


def test_what_was_changed_on_its_way_is_refused(tmp_path: Path) -> None:
    digest, content = search_of(*prepared_of(sections(tmp_path, 2, 1)))
    assert greet(who_we_are(), digest, content + b" ") == "the search was changed on its way to it"


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest, content = search_of(*prepared_of(sections(tmp_path, 2, 1)))

    def full(*given: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr("raceproof.explore.cluster_item._SEARCHES", {})
    assert "No space left on device" in greet(who_we_are(), digest, content)


_FORGETS: list[int] = []


def forgetful(digest: str, orders: Sequence[Order]) -> list[Done | None] | None:
    """As a worker whose process was started again."""
    _FORGETS.append(1)
    return None if len(_FORGETS) % 5 == 2 else run_items(digest, orders)


def test_workers_that_were_started_again_are_greeted_again(tmp_path: Path, client: Any) -> None:
    prepared, asked = prepared_of(sections(tmp_path, 3, 2))
    _FORGETS.clear()
    result = run_crew(crew_of(client, prepared, asked, function=forgetful), asked, sharing=FEW)
    assert result.end == "complete"
    assert counts(result) == (90, 0)
    assert result.stats()["items_lost"] >= 1


def broken(digest: str, orders: Sequence[Order]) -> list[Done | None] | None:
    raise OSError(28, "No space left on device")


def test_a_search_without_workers_ends_without_a_proof(
    tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crews, "_REFUSED", 0.2)
    prepared, asked = prepared_of(sections(tmp_path, 2, 1))
    result = run_crew(crew_of(client, prepared, asked, function=broken), asked)
    assert result.end is None
    assert result.is_lost
    assert "no worker is left" in str(result.problem)
    assert "No space left on device" in str(result.problem)


# -- processes


@contextlib.contextmanager
def processes(prepared: Prepared, asked: Control, **given: Any) -> Iterator[ClusterCrew]:
    with connected(HERE) as client:
        yield crew_of(client, prepared, asked, **given)


def when_under_way(crew: ClusterCrew, act: Callable[[int], None]) -> threading.Thread:
    """Do something to the process of a worker that has something to do."""
    pids = list(crew.workers.client.run(os.getpid).values())

    def wait() -> None:
        while not crew._tasks:
            time.sleep(0.01)
        time.sleep(0.2)
        act(pids[0])

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_ends_or_stops(tmp_path: Path, number: signal.Signals) -> None:
    prepared, asked = prepared_of(sections(tmp_path, 3, 5))
    with processes(prepared, asked, patience=5.0) as crew:
        thread = when_under_way(crew, lambda pid: os.kill(pid, number))
        result = run_crew(crew, asked, sharing=Sharing(first=0.1, briefly=1.0, longest=1.0))
        thread.join()
    assert result.end == "complete"
    assert counts(result) == (756_756, 0)
    assert result.stats()["items_lost"] >= 1


_CHOSEN = "RACEPROOF_TEST_CHOSEN"


def ends_its_worker(digest: str, orders: Sequence[Order]) -> list[Done | None] | None:
    """At one prefix, the first that is seen: as a program does that needs more memory than there is."""
    chosen = Path(os.environ[_CHOSEN])
    for order in orders:
        if order.part is not None and order.part.item is not None:
            if not chosen.exists():
                chosen.write_text(repr(order.part.item), encoding="utf-8")
            if chosen.read_text(encoding="utf-8") == repr(order.part.item):
                os.kill(os.getpid(), signal.SIGKILL)
    return run_items(digest, orders)


@pytest.mark.slow
def test_a_program_that_ends_its_worker_three_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import cloudpickle

    monkeypatch.setenv(_CHOSEN, str(tmp_path / "chosen"))
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    prepared, asked = prepared_of(sections(tmp_path, 3, 2))
    try:
        with processes(prepared, asked, function=ends_its_worker) as crew:
            result = run_crew(crew, asked, sharing=FEW)
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    assert result.end == GIVEN_UP
    assert 4 < result.stats()["executions"] < 90
    assert any("given up: the worker tcp://" in note and "3 times" in note for note in result.notes)


def command(tmp_path: Path, text: str, *more: str) -> list[str]:
    file = tmp_path / "program.c"
    file.write_text(text, encoding="utf-8")
    given = ["--pairs", "all", "--algorithm", "optimal", "--time-limit", "500", "--no-config", *more]
    return [sys.executable, "-m", "raceproof", "explore", str(file), *given]


@pytest.mark.slow
def test_ctrl_c_and_then_on_without_the_cluster(tmp_path: Path) -> None:
    state = tmp_path / "state"
    asked = command(tmp_path, SECTIONS % {"threads": 3, "sections": 5}, "--checkpoint", str(state))
    running = subprocess.Popen(
        [*asked, "--cluster", "local:2"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    while not any("rp_host" in line for line in _below(running.pid)) and running.poll() is None:
        time.sleep(0.02)
    time.sleep(0.4)
    os.killpg(running.pid, signal.SIGINT)  # as the terminal does: everybody gets it
    told = running.communicate(timeout=120)[0].decode()
    assert running.returncode == 130, told
    assert "Traceback" not in told
    assert f"goes on from {state}" in " ".join(told.split())
    done = subprocess.run([*asked, "-v"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "756,756 executions by optimal, all schedules" in done.stdout


def _below(pid: int) -> list[str]:
    listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    known, found = {str(pid)}, list[str]()
    for number, above, arguments in sorted(rows, key=lambda row: int(row[0])):
        if above in known:
            known.add(number)
            found.append(arguments)
    return found


@contextlib.contextmanager
def scheduler(directory: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], Path]]:
    """A scheduler and a worker, started as the user does it."""
    file = directory / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_"]
    head = [*dask[:2], dask[2] + "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    worker = [*dask[:2], dask[2] + "worker", "--scheduler-file", str(file), "--nworkers", "1", "--nthreads", "1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    first = subprocess.Popen([*head, "--scheduler-file", str(file)], **quiet)  # type: ignore[call-overload]
    second = subprocess.Popen([*worker, "--no-dashboard", "--host", "127.0.0.1"], **quiet)  # type: ignore[call-overload]
    try:
        while not file.exists():
            time.sleep(0.05)
        yield json.loads(file.read_text(encoding="utf-8"))["address"], first, file
    finally:
        for process in (second, first):
            process.terminate()
            process.wait(20)


@pytest.mark.slow
def test_a_scheduler_by_its_address_and_by_its_file(tmp_path: Path) -> None:
    text = SECTIONS % {"threads": 3, "sections": 2}
    with scheduler(tmp_path) as (address, _, file):
        for where in (address, f"file:{file}"):
            asked = command(tmp_path, text, "--cluster", where, "-v")
            done = subprocess.run(asked, capture_output=True, text=True, timeout=200, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            assert "90 executions by optimal, all schedules" in done.stdout


@pytest.mark.slow
def test_a_scheduler_that_ends(tmp_path: Path) -> None:
    text, state = SECTIONS % {"threads": 4, "sections": 4}, tmp_path / "state"  # 63,063,000 executions
    asked = command(tmp_path, text, "--checkpoint", str(state))
    with scheduler(tmp_path) as (address, head, _):
        running = subprocess.Popen([*asked, "--cluster", address], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while not state.exists() and running.poll() is None:
            time.sleep(0.1)
        head.kill()
        told = running.communicate(timeout=200)[0].decode()
    assert running.returncode == 3, told
    assert "possible race: counter" in told
    assert "the scheduler" in " ".join(told.split())
    assert "Traceback" not in told
    made = json.loads(state.read_text(encoding="utf-8").partition("\n")[2])["state"]["ledger"]["totals"]["executions"]
    assert made > 0
    more = [*asked, "--max-executions", str(made + 50_000)]
    done = subprocess.run(more, capture_output=True, text=True, timeout=300, check=False)
    assert f"{made + 50_000:,} executions" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_workers_by_ssh(tmp_path: Path) -> None:
    """What stands for ssh runs the command here: both ends of each port that it would forward are this machine."""
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(
        f'#!/bin/sh\necho "$@" >>{tmp_path}/log\nfor last; do :; done\nexec sh -c "$last"\n', encoding="utf-8"
    )
    ssh.chmod(0o755)
    asked = command(tmp_path, SECTIONS % {"threads": 3, "sections": 2}, "--cluster", "ssh:one,two", "-v")
    environment = {**os.environ, "PATH": f"{ssh.parent}:{os.environ['PATH']}"}
    done = subprocess.run(asked, capture_output=True, text=True, timeout=200, check=False, env=environment)
    assert "90 executions by optimal, all schedules" in done.stdout, done.stdout + done.stderr
    assert len((tmp_path / "log").read_text(encoding="utf-8").splitlines()) == 2


def test_nothing_is_left_of_the_records_that_others_need(tmp_path: Path) -> None:
    """An item that ends because it was asked gives away all that it has left."""
    prepared, asked = prepared_of(sections(tmp_path, 3, 5))
    digest, content = search_of(prepared, asked)
    assert greet(who_we_are(), digest, content) == ""
    order = Order(Part(ends=True), seconds=0.05)
    done = run_items(digest, [order, order])
    assert done is not None
    first, second = done
    assert first is not None
    assert second is None  # there was no time for it
    assert [r for r in first.records if isinstance(r, NodeRecord) and r.left]
    assert not [r for r in first.records if isinstance(r, RaceRecord)]
