"""Where programs are run: the machine that they are compiled for, and how its runtime is reached ([DHTC] Fig. 10).

A target is a machine and one or more ways to it (`--via`): a command that starts the runtime there, in which `{}`
stands for the runtime's file and `{upload}` for a line of shell that receives that file first; or `tcp://HOST:PORT`,
where `raceproof target --listen` waits. A way that fails three times is not taken again.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

from raceproof.core import InputError
from raceproof.explore.stream import Stream
from raceproof.frontend import MACHINES

SECRET: Final = "RACEPROOF_SECRET"
SHORTEST_SECRET: Final = 16
PATIENCE: Final = 20.0
"""Seconds in which a target says something, if only that it is there."""
FIRST_PATIENCE: Final = 90.0
"""The same before its first word: the command starts, perhaps the runtime has to get there."""
MOST_FAILURES: Final = 3
RECEIVED: Final = b"received\n"
"""What the shell says once it has the runtime: some `head -c` (busybox) read more than they are to give."""
_CONNECTING: Final = 15.0
_TRIPLE: Final = re.compile(r"(?P<machine>[a-z0-9_]+)(?:-linux(?:-(?:gnu|musl)(?:eabi(?:hf)?)?)?)?")
_OTHER_NAMES: Final = {
    "amd64": "x86_64", "x86-64": "x86_64", "i386": "x86", "i486": "x86", "i586": "x86", "i686": "x86",
    "arm64": "aarch64", "armv7": "arm", "armv7a": "arm", "armhf": "arm", "armv7l": "arm",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Target:
    """`machine` names one of `frontend.MACHINES`; `vias` are the ways to it, the first one first."""

    machine: str
    vias: tuple[str, ...]
    secret_file: Path | None = None

    @property
    def triple(self) -> str:
        return MACHINES[self.machine].runtime


def machine_of(triple: str) -> str:
    """`aarch64`, `aarch64-linux-musl`, `arm64`: the name under which raceproof knows the machine."""
    found = _TRIPLE.fullmatch(triple.lower())
    name = found["machine"] if found is not None else triple
    name = _OTHER_NAMES.get(name, name)
    if found is None or name not in MACHINES:
        raise InputError(f"no such target: {triple}; there are: {', '.join(m.runtime for m in MACHINES.values())}")
    return name


def this_machine() -> str:
    """The machine that raceproof runs on."""
    return machine_of(platform.machine())


def target_of(triple: str | None, vias: Sequence[str], secret_file: Path | None = None) -> Target:
    """From what the user wrote; every mistake that can be seen here is one in the input."""
    machine = machine_of(triple) if triple is not None else this_machine()
    if not vias:
        raise InputError(
            f"--target {triple} needs --via COMMAND: how programs are started there, as `qemu-{machine} {{}}`"
        )
    for via in vias:
        if _is_address(via):
            _address(via)
        elif not _words(via):
            raise InputError("--via: an empty command")
    target = Target(machine, tuple(vias), secret_file)
    if any(map(_is_address, vias)):
        secret_given(secret_file)
    return target


def secret_given(file: Path | None) -> bytes:
    """What host and target both know: from the file, or the environment."""
    if file is not None:
        try:
            secret = file.read_bytes().rstrip(b"\r\n")
        except OSError as error:
            raise InputError(f"{file}: {error.strerror}") from None
    else:
        secret = os.fsencode(os.environ.get(SECRET, "")).rstrip(b"\r\n")
    if len(secret) < SHORTEST_SECRET:
        raise InputError(
            f"a target that is reached by a network needs a secret of at least {SHORTEST_SECRET} characters, which both"
            f" sides know: give it with --secret-file, or in {SECRET}"
        )
    return secret


def _is_address(via: str) -> bool:
    return via.startswith("tcp://")


def _address(via: str) -> tuple[str, int]:
    try:
        parts = urlsplit(via)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or not port:
        raise InputError(f"--via {via}: not an address; tcp://HOST:PORT")
    return host, port


def _words(via: str) -> list[str]:
    try:
        return shlex.split(via)
    except ValueError as error:
        raise InputError(f"--via {via}: {error}") from None


# -- ways to it


class Unreachable(Exception):
    """This way leads nowhere, at least now."""


@dataclass(slots=True)
class Link:
    """A way that was taken: the stream, and the command behind it, if there is one. `needs_secret`: the other side must
    show that it knows it, before it is told anything."""

    stream: Stream
    process: subprocess.Popen[bytes] | None
    needs_secret: bool = False


def connect(via: str, runtime: Path, stderr: IO[bytes]) -> Link:
    """Take the way; the runtime for the target is on this machine in the file `runtime`."""
    return _dial(via) if _is_address(via) else _start(via, runtime, stderr)


def _dial(via: str) -> Link:
    try:
        connection = socket.create_connection(_address(via), timeout=_CONNECTING)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        raise Unreachable(f"{via}: {error.strerror or error}") from None
    descriptor = connection.detach()
    return Link(Stream(descriptor, descriptor), None, needs_secret=True)


def _start(via: str, runtime: Path, stderr: IO[bytes]) -> Link:
    words = _words(via)
    content = runtime.read_bytes() if any("{upload}" in word for word in words) else b""
    command = [word.replace("{upload}", _receiving(len(content))).replace("{}", str(runtime)) for word in words]
    process = start(command, stderr)
    link = Link(stream_of(process), process)
    if content:
        link.stream.put_first(content, RECEIVED)
    return link


def _receiving(size: int) -> str:
    """A line of shell that makes a program of the next bytes of its input, says so, and runs it with what follows."""
    told = f"echo {RECEIVED.decode('ascii').strip()}"
    return f'f=$(mktemp) && head -c {size} >"$f" && chmod 700 "$f" && {told} && "$f"; s=$?; rm -f "$f"; exit $s'


def start(command: Sequence[str | Path], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    """A session of its own: Ctrl-C reaches it only through us, and what it starts can be ended with it. The program
    that runs there is not to know the secret."""
    environment = {name: value for name, value in os.environ.items() if name != SECRET}
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment,
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise Unreachable(f"{command[0]}: {error.strerror}") from None


def stream_of(process: subprocess.Popen[bytes]) -> Stream:
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        return Stream(os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno()))


@dataclass(eq=False, slots=True)
class Remote:
    """A target and what has become of the ways to it. `runtime`: its program; `secret`: for those by a network."""

    target: Target
    runtime: Path
    secret: bytes = b""
    patience: float = PATIENCE
    first_patience: float = FIRST_PATIENCE
    failures: dict[str, list[str]] = field(default_factory=dict)
    _turn: int = 0

    def next_via(self) -> str | None:
        """The ways in turn, but for those that have failed too often; None: there is none."""
        vias = self.target.vias
        for number in range(len(vias)):
            via = vias[(self._turn + number) % len(vias)]
            if len(self.failures.get(via, ())) < MOST_FAILURES:
                self._turn = (self._turn + number + 1) % len(vias)
                return via
        return None

    def has_via(self) -> bool:
        return any(len(self.failures.get(via, ())) < MOST_FAILURES for via in self.target.vias)

    def failed(self, via: str, reason: str, for_good: bool = False) -> None:
        self.failures.setdefault(via, []).extend([reason] * (MOST_FAILURES if for_good else 1))

    def worked(self, via: str) -> None:
        """What went wrong earlier does not count for ever."""
        self.failures.pop(via, None)

    def why(self) -> str:
        """Why there is no way left."""
        return "; ".join(f"{via}: {reasons[-1]}" for via, reasons in self.failures.items() if reasons)


def reached(target: Target, runtime: Path) -> Remote:
    """The target as it is at first: every way to it may work."""
    secret = secret_given(target.secret_file) if any(map(_is_address, target.vias)) else b""
    return Remote(target, runtime, secret)
