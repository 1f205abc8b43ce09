"""A connection to a cluster, and what has to be started for it.

Workers of `ssh:` are reached through the connections of ssh alone: the scheduler listens on the loopback address of
this machine, each worker on that of its own, and ssh forwards both ports under the same numbers. So nothing listens on
a network, and whoever wants to take part has to log in.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from raceproof.cluster.address import Cluster, Way
from raceproof.core import InputError, ToolMissing

log = logging.getLogger(__name__)

REMOTE_PYTHON = "RACEPROOF_REMOTE_PYTHON"
_NO_CREDENTIALS = (
    "tls needs the certificates of Dask's configuration, as DASK_DISTRIBUTED__COMM__TLS__CA_FILE,"
    " DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
)
_CONNECTING = 15.0  # seconds
_LOOPBACK = "127.0.0.1"
_TALKATIVE = (
    "distributed", "distributed.batched", "distributed.client", "distributed.core", "distributed.nanny",
    "distributed.scheduler", "distributed.worker",
)  # fmt: skip
_NO_FAILURES = 0  # what a death means for an item is not for Dask to decide
_CONFIG = {
    "distributed.scheduler.allowed-failures": _NO_FAILURES,
    "distributed.worker.daemon": False,
    "distributed.worker.memory.target": False,  # a worker keeps nothing that could be moved to a disk
    "distributed.worker.memory.spill": False,
    "distributed.admin.log-format": "%(name)s: %(message)s",
    "distributed.comm.retry.count": 0,
}


class ClusterLost(Exception):
    """The scheduler does not answer any more."""


@contextlib.contextmanager
def connected(cluster: Cluster, on_progress: Callable[[str], None] = lambda text: None) -> Iterator[Any]:
    """A Dask client; what was started for it ends with the context."""
    try:
        import dask
        import distributed
    except ImportError as error:
        raise ToolMissing(
            f"--cluster needs Dask, and `{error.name}` is not installed: pip install 'raceproof[cluster]'"
        ) from None
    for name in _TALKATIVE:  # a lost worker is reported by us
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Its page of the state listens on the loopback address, too; by which port does not matter.
    warnings.filterwarnings("ignore", message=r"\s*Port \d+ is already in use")
    on_progress(f"connecting to the cluster {cluster.text}")
    with dask.config.set(_CONFIG if cluster.way in (Way.LOCAL, Way.SSH) else {}), contextlib.ExitStack() as stack:
        target: dict[str, Any]
        match cluster.way:
            case Way.LOCAL | Way.SSH:
                started = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=cluster.processes,
                        threads_per_worker=1,
                        host=_LOOPBACK,
                        dashboard_address=None,
                        worker_dashboard_address=None,
                        silence_logs=logging.CRITICAL,
                        memory_limit=0,
                        preload=["raceproof.cluster.local_worker"],
                    )
                )
                target = {"address": started.scheduler_address}
                if cluster.way is Way.SSH:
                    stack.enter_context(_ssh_workers(cluster, started.scheduler_address))
            case Way.FILE:
                if not cluster.file.is_file():
                    raise InputError(f"--cluster {cluster.text}: there is no such file; has the scheduler started?")
                target = {"scheduler_file": str(cluster.file)}
            case Way.ADDRESS:
                target = {"address": cluster.text}
        if cluster.text.startswith("tls://") and not _has_credentials(distributed.Security()):
            raise InputError(f"--cluster {cluster.text}: {_NO_CREDENTIALS}")
        try:
            client = distributed.Client(**target, timeout=_CONNECTING, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(
                f"--cluster {cluster.text}: no Dask scheduler answers there within {_CONNECTING:g} s ({error})"
            ) from None
        stack.callback(_close, client)
        yield client


def _has_credentials(security: Any) -> bool:
    """Whether Dask's configuration names those of a client; a file that it names and that is not there is an error."""
    try:
        return security.get_connection_args("client")["ssl_context"] is not None
    except OSError as error:
        raise InputError(f"the credentials of Dask's configuration cannot be read: {error}") from None


def _close(client: Any) -> None:
    with contextlib.suppress(OSError, TimeoutError, RuntimeError):
        client.close(timeout=2)


@contextlib.contextmanager
def _ssh_workers(cluster: Cluster, scheduler: str) -> Iterator[None]:
    port = int(scheduler.rpartition(":")[2])
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for host in cluster.hosts:
            processes.append(_ssh_worker(host, port))
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _ssh_worker(host: str, scheduler: int) -> subprocess.Popen[bytes]:
    worker, nanny = _free_ports(2)
    python = os.environ.get(REMOTE_PYTHON, sys.executable)
    there = [
        *(python, "-m", "distributed.cli.dask_worker", f"tcp://{_LOOPBACK}:{scheduler}", "--name", host),
        *("--host", _LOOPBACK, "--worker-port", str(worker), "--nanny-port", str(nanny)),
        *("--no-dashboard", "--memory-limit", "0", "--death-timeout", "30"),
    ]
    command = ["ssh", "-T", "-o", "BatchMode=yes", "-o", "ExitOnForwardFailure=yes", "-o", "ServerAliveInterval=15"]
    command += ["-R", f"{_LOOPBACK}:{scheduler}:{_LOOPBACK}:{scheduler}"]
    for port in (worker, nanny):
        command += ["-L", f"{_LOOPBACK}:{port}:{_LOOPBACK}:{port}"]
    command += [host, shlex.join(there)]
    log.info("starting a worker: %s", shlex.join(command))
    try:
        # A session of its own: Ctrl-C is for us. What it says goes to our standard error: it asks for what is missing.
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        raise ToolMissing(f"--cluster ssh: needs ssh ({error.strerror})") from None


def _free_ports(count: int) -> list[int]:
    """Ports that nothing listens on here, and so probably not there either."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((_LOOPBACK, 0))
        return [int(one.getsockname()[1]) for one in sockets]
