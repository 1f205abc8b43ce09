"""`raceproof doctor`: does everything that raceproof needs work on this machine, and if not, what to do."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from importlib import metadata
from pathlib import Path

from raceproof import __version__, explore, facts, frontend
from raceproof.cli.options import Commands
from raceproof.cli.output import is_interactive, json_file, wants_color
from raceproof.cli.status import Exit
from raceproof.core import Budget, RaceproofError
from raceproof.model import EngineResult, Verdict

WIDTH = 80
_OLDEST_PYTHON = (3, 11)
_LITTLE_SPACE = 200_000_000  # bytes; the explorer's builds alone may take as many
_LITTLE_MEMORY = 4_000_000_000  # bytes of addresses; the search reserves more than it uses
_SECONDS = 60.0
_NO_RANDOMIZE = 0x0040000
_ASK = 0xFFFFFFFF
_PROGRAM = """#include <pthread.h>
static int counter;
static void *worker(void *arg) { counter++; return arg; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter;
}
"""


@unique
class Status(Enum):
    OK = "ok"
    NOTE = "note"  # worth knowing; everything works
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Line:
    """What was looked at, how it is, and for a problem what to do."""

    name: str
    status: Status
    text: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A small program with a race, compiled: what the explorer is tried with."""

    request: frontend.CompileRequest

    def search(self, isolation: str) -> EngineResult:
        budget = Budget.seconds(_SECONDS)
        cp = facts.analyse(frontend.load(self.request, budget), budget)
        module = frontend.link_program(self.request, budget)
        options = explore.ExploreOptions(module=module, isolation=isolation)
        return explore.run(cp, facts.race_pairs(cp), options, budget)


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "doctor",
        help="say whether everything that raceproof needs works here",
        description="Say whether everything that raceproof needs works on this machine, and if not, what to do. "
        "Exit status: 0 all is well, 4 something does not work.",
    )
    parser.add_argument("--json", metavar="F", help="also write the lines to this file as JSON; - for standard output")
    parser.set_defaults(run=run, verbose=0)


def run(args: argparse.Namespace) -> Exit:
    with json_file(args.json, []) as file, tempfile.TemporaryDirectory(prefix="raceproof-") as directory:
        trial = Path(directory, "trial.c")
        trial.write_text(_PROGRAM, encoding="utf-8")
        lines = tuple(examine(Trial(frontend.from_files([trial]))))
        if file is not None:
            shown = [{"name": x.name, "status": x.status.value, "text": x.text, "advice": x.advice} for x in lines]
            file.write(json.dumps(shown, indent=2) + "\n")
    if args.json != "-":
        print(format_lines(lines), end="")
    return Exit.INTERNAL if any(line.status is Status.PROBLEM for line in lines) else Exit.RACE_FREE


def examine(trial: Trial) -> Iterator[Line]:
    """One line after the other; what fails becomes a problem, and the rest is looked at all the same."""
    checks: list[tuple[str, str, Callable[[], Line]]] = [
        ("python", f"install Python {_version(_OLDEST_PYTHON)} or newer", _python),
        ("raceproof", "install it again: pip install --force-reinstall raceproof", _raceproof),
        ("compiler", "install it again: pip install --force-reinstall ziglang llvmlite", lambda: _compiler(trial)),
        ("headers", "", _headers),
        ("cache", "set RACEPROOF_CACHE to a directory that can be written", _cache),
        ("explorer", _EXPLORER_ADVICE, lambda: _explorer(trial, "memory")),
        ("fork mode", _EXPLORER_ADVICE, lambda: _explorer(trial, "fork")),
        ("32 bits", "", _narrow),
        ("layout", "", _layout),
        ("namespaces", "", _namespaces),
        ("memory", "", _memory),
        ("terminal", "", _terminal),
        ("extras", "", _extras),
    ]
    for name, advice, check in checks:
        try:
            yield check()
        except (RaceproofError, OSError, metadata.PackageNotFoundError, subprocess.SubprocessError) as error:
            yield Line(name, Status.PROBLEM, str(error), advice)


_EXPLORER_ADVICE = "see the lines above; without the explorer use: raceproof check --engines lockset"


def _version(numbers: Sequence[int]) -> str:
    return ".".join(map(str, numbers))


def _python() -> Line:
    is_new = sys.version_info[:2] >= _OLDEST_PYTHON
    text = f"{platform.python_version()} ({sys.executable})"
    advice = "" if is_new else f"install Python {_version(_OLDEST_PYTHON)} or newer"
    return Line("python", Status.OK if is_new else Status.PROBLEM, text, advice)


def _raceproof() -> Line:
    return Line("raceproof", Status.OK, f"{__version__} ({Path(__file__).parents[1]})")


def _compiler(trial: Trial) -> Line:
    """The versions, and that a program with two threads becomes one that raceproof can read."""
    told = subprocess.run([frontend.zig_program(), "version"], capture_output=True, text=True, check=True, timeout=30)
    program = frontend.load(trial.request, Budget.seconds(_SECONDS))
    versions = f"zig {told.stdout.strip()}, llvmlite {metadata.version('llvmlite')}"
    return Line("compiler", Status.OK, f"{versions}; a program of {len(program.functions)} functions compiles")


def _headers() -> Line:
    if sys.platform == "darwin" or Path("/usr/include/stdio.h").exists():
        return Line("headers", Status.OK, "the system's; those that come with raceproof with --headers bundled")
    return Line("headers", Status.NOTE, "those that come with raceproof: the system has no /usr/include/stdio.h")


def _cache() -> Line:
    root = frontend.Cache.default().root
    if root is None:
        text = "none: every program is compiled again, and the explorer is built again in every run"
        return Line("cache", Status.NOTE, text, "set RACEPROOF_CACHE to a directory to have one")
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=root):
        pass
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
    free = shutil.disk_usage(root).free
    text = f"{root}, {_size(size)}, {_size(free)} free"
    if free < _LITTLE_SPACE:
        return Line("cache", Status.PROBLEM, text, "make room, or set RACEPROOF_CACHE to a directory on another disk")
    return Line("cache", Status.OK, text)


def _explorer(trial: Trial, isolation: str) -> Line:
    """The runtime builds, loads the program, finds its race, and repeats it."""
    name = "explorer" if isolation == "memory" else "fork mode"
    result = trial.search(isolation)
    if not any(finding.verdict is Verdict.RACE for finding in result.findings):
        why = result.stopped or "it did not find, or not repeat, the race in a small program"
        return Line(name, Status.PROBLEM, why, _EXPLORER_ADVICE)
    fibers = "its own fibers" if platform.machine() in ("x86_64", "AMD64") else "fibers of ucontext"
    how = f"{fibers}; needs neither root nor ptrace" if isolation == "memory" else "a process for each execution"
    return Line(name, Status.OK, f"finds and repeats a race, with {how}")


def _narrow() -> Line:
    """Only whether they run: building what they run with takes minutes, and most users never need it."""
    if (reason := explore.why_not_32_bits()) is not None:
        return Line("32 bits", Status.NOTE, f"32-bit programs are analysed, not executed: {reason}")
    return Line("32 bits", Status.OK, "32-bit programs can be executed; the first one takes some two minutes to set up")


def _layout() -> Line:
    """The explorer's runtime asks for addresses that do not change; runs are only repeated with them."""
    if sys.platform != "linux":
        return Line("layout", Status.NOTE, f"addresses cannot be fixed on {sys.platform}")
    library = ctypes.CDLL(None, use_errno=True)
    now = library.personality(ctypes.c_ulong(_ASK))
    is_allowed = now != -1 and library.personality(ctypes.c_ulong(now | _NO_RANDOMIZE)) != -1
    if not is_allowed:
        advice = "allow the system call `personality` (for docker: --security-opt seccomp=unconfined)"
        return Line("layout", Status.PROBLEM, "addresses cannot be fixed: runs may not repeat", advice)
    library.personality(ctypes.c_ulong(now))
    return Line("layout", Status.OK, "addresses are the same in every run")


_OWN = 0x10000000 | 0x40000000 | 0x08000000 | 0x00020000  # of users, network, System V objects, mounts


def _namespaces() -> Line:
    """They give a program a network and files of its own; a process tries to get some."""
    code = f"import ctypes; raise SystemExit(ctypes.CDLL(None).unshare({_OWN}) != 0)"
    if sys.platform == "linux" and subprocess.run([sys.executable, "-ISc", code], check=False).returncode == 0:
        return Line("namespaces", Status.OK, "programs get a network and files of their own")
    return Line("namespaces", Status.NOTE, "programs share network, files and System V objects with others")


def _memory() -> Line:
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return Line("memory", Status.OK, f"no limit on addresses; the machine has {_size(_physical())}")
    status = Status.OK if limit >= _LITTLE_MEMORY else Status.PROBLEM
    advice = "" if status is Status.OK else "raise it: ulimit -v unlimited"
    return Line("memory", status, f"limited to {_size(limit)} of addresses", advice)


def _physical() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _terminal() -> Line:
    kind = "interactive" if is_interactive(sys.stdout, os.environ) else "not a terminal"
    colors = "colours" if wants_color(sys.stdout, os.environ) else "no colours"
    encoding = sys.stdout.encoding or "?"
    text = f"{kind}, {colors}, {encoding}"
    if encoding.lower().replace("-", "") != "utf8":
        return Line("terminal", Status.NOTE, text, "set PYTHONUTF8=1 for names with other characters")
    return Line("terminal", Status.OK, text)


def _extras() -> Line:
    """Nothing here is needed; it says what could be used."""
    clang = shutil.which("clang")
    found = [f"clang ({clang}), with --clang"] if clang is not None else []
    for package, use in (("pytest", "the tests"), ("hypothesis", "the tests")):
        try:
            found.append(f"{package} {metadata.version(package)}, for {use}")
        except metadata.PackageNotFoundError:
            continue
    return Line("extras", Status.OK, "; ".join(found) or "none, and none is needed")


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def format_lines(lines: Sequence[Line]) -> str:
    """A line each, what to do below it, and how many problems there are."""
    width = max(len(line.name) for line in lines)
    shown = []
    for line in lines:
        start = f"{line.name:<{width}}  {line.status.value:<7}  "
        shown += textwrap.wrap(line.text, WIDTH, initial_indent=start, subsequent_indent=" " * len(start)) or [start]
        if line.advice:
            shown += textwrap.wrap(f"-> {line.advice}", WIDTH, initial_indent="    ", subsequent_indent="       ")
    problems = sum(line.status is Status.PROBLEM for line in lines)
    verdict = "all is well" if not problems else f"{problems} problem{'s' * (problems != 1)}"
    return "\n".join([*shown, verdict]) + "\n"
