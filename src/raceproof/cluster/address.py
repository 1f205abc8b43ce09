"""How a cluster is named on the command line.

local:4                 four worker processes on this machine
tcp://head:8786         a scheduler that is running; tls://... with the credentials of Dask's configuration
ssh:host1,host2         workers that are started there by ssh, and end with the command
file:scheduler.json     a scheduler that has written down where it is, as those of dask-jobqueue do
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from pathlib import Path
from urllib.parse import urlsplit

from raceproof.core import InputError

_FORMS = "local:N, tcp://HOST:PORT, tls://HOST:PORT, ssh:HOST,HOST or file:SCHEDULER.json"


@unique
class Way(Enum):
    LOCAL = "local"
    ADDRESS = "address"
    SSH = "ssh"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Cluster:
    """`text`: as the user wrote it; `processes`: of `local`; `hosts`: of `ssh`."""

    text: str
    way: Way
    processes: int = 0
    hosts: tuple[str, ...] = ()

    @property
    def is_here(self) -> bool:
        """Whether all workers are known to be on this machine: then they see the same files and the same variables."""
        return self.way is Way.LOCAL

    @property
    def file(self) -> Path:
        return Path(self.text.removeprefix("file:"))


def cluster_of(text: str) -> Cluster:
    """From what the user wrote; every mistake that can be seen without the cluster is an `InputError`."""
    kind, _, rest = text.partition(":")
    if kind == "local":
        if not rest.isdecimal() or not 0 < int(rest) <= 1024:
            raise InputError(f"--cluster {text}: local:N with a number of processes from 1 to 1024")
        return Cluster(text, Way.LOCAL, processes=int(rest))
    if kind == "ssh":
        hosts = tuple(rest.split(","))
        if any(not host or host.startswith("-") or any(c.isspace() for c in host) for host in hosts):
            raise InputError(f"--cluster {text}: ssh:HOST,HOST with names as ssh takes them")
        return Cluster(text, Way.SSH, hosts=hosts)
    if kind == "file":
        if not rest:
            raise InputError(f"--cluster {text}: file:SCHEDULER.json with the file that the scheduler has written")
        return Cluster(text, Way.FILE)
    if kind in ("tcp", "tls"):
        try:
            parts = urlsplit(text)
            is_address = bool(parts.hostname and parts.port) and not parts.path
        except ValueError:
            is_address = False
        if is_address:
            return Cluster(text, Way.ADDRESS)
    raise InputError(f"--cluster {text}: not a cluster; {_FORMS}")
