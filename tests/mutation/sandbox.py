"""A copy of the project, in which the tests run on mutants: the tree itself is never touched.

It is always at the same place, since what is compiled there has the names of files in it; so is its cache, which is
kept from one run of the tool to the next.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from mutation.mutants import Mutant

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "src/raceproof"
_COPIED = ("src", "tests", "bench", "examples", "docs", "pyproject.toml")
_MEMORY = 8_000_000_000  # a fault may make a loop that never stops to collect
_OPTIONS = ("-q", "-p", "mutation.plugin", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow", "--tb=short")


class Sandbox:
    """To be used with `with`: the copy is deleted at the end. `out` has it beside the cache; one at a time."""

    def __init__(self, out: Path, project: Path = ROOT) -> None:
        self.root, self._cache = out.absolute() / "sandbox", out.absolute() / "cache"
        out.mkdir(parents=True, exist_ok=True)
        self._lock = (out / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"another run is at work in {out}") from None
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir()
        for name in _COPIED:
            source, target = project / name, self.root / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            elif source.exists():
                shutil.copy2(source, target)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        self._lock.close()

    def read(self, module: str) -> str:
        return self._path(module).read_text(encoding="utf-8")

    def _path(self, module: str) -> Path:
        return self.root / PACKAGE / module

    def run(self, tests: Sequence[str], mutants: Sequence[Mutant]) -> Iterator[dict[str, Any]]:
        """What the plugin answers: first about the tests without a mutant, then about each mutant in turn."""
        plan, pipe, log = (self.root / name for name in ("plan.json", "pipe", "log.txt"))
        modules = dict.fromkeys(mutant.module for mutant in mutants if mutant.lines is not None)
        tried = [{"file": str(self._path(m.module)), "text": m.source, "lines": m.lines} for m in mutants]
        files = [str(self._path(module)) for module in modules]
        is_cold = not self._cache.exists()
        plan.write_text(json.dumps({"files": files, "mutants": tried, "pipe": str(pipe), "is_cold": is_cold}))
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        command = [
            sys.executable,
            "-m",
            "pytest",
            *_OPTIONS,
            f"--basetemp={self.root / 'scratch'}",
            "--hypothesis-seed=0",
        ]
        with log.open("w", encoding="utf-8") as out:
            process = subprocess.Popen(
                [*command, *tests],
                cwd=self.root,
                env=self._environment(plan),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_limit_memory,
            )
        # Not blocking: nobody may ever open the other end.
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            answered = 0
            for line in _lines(reader, process):
                answered += 1
                yield json.loads(line)
            if answered <= len(mutants):
                raise SystemExit(f"the tests do not run: {' '.join(tests)}\n{log.read_text(encoding='utf-8')[-3000:]}")
        finally:
            os.close(reader)
            _end(process)

    def _environment(self, plan: Path) -> dict[str, str]:
        paths = [self.root / "src", self.root / "tests"]
        return os.environ | {
            "MUTATION_PLAN": str(plan),
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTHONDONTWRITEBYTECODE": "1",  # two texts of one length and second would pass for one
            "RACEPROOF_CACHE": str(self._cache),
        }


def _lines(reader: int, process: subprocess.Popen[bytes]) -> Iterator[str]:
    """Until the process has ended and nothing more comes."""
    rest = b""
    while True:
        has_ended = process.poll() is not None
        try:
            data = os.read(reader, 1 << 16)
        except BlockingIOError:
            data = b""
        rest += data
        *lines, rest = rest.split(b"\n")
        for line in lines:
            yield line.decode()
        if not data:
            if has_ended:
                return
            time.sleep(0.05)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process ends the copies that it has made when it is asked to."""
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _limit_memory() -> None:
    """A test may lift it: an address sanitizer reserves more than there is."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
