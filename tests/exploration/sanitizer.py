"""What the sanitizers say about a generated program: the second opinion of tools that others have written.

The program is compiled by gcc and run a few times on the real machine, with random inputs; the lines of the two
accesses of each report are told. ThreadSanitizer does not know fences, locks of streams nor `__VERIFIER_atomic_begin`,
and a run that does not end is given up: then there is no opinion.
"""

from __future__ import annotations

import functools
import os
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from differential.preamble import HEADERS

from exploration.searches import Lines
from raceproof.core import ToolMissing

RUNS: Final = 3
SECONDS: Final = 3.0
_NOT_KNOWN: Final = re.compile(r"atomic_thread_fence|__VERIFIER_atomic|flockfile")
_INPUTS: Final = """\
#include <stdbool.h>
#include <unistd.h>
#include <time.h>
static unsigned tsan_input(void) {
  static _Thread_local unsigned state;
  struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now);
  state = state * 1103515245u + (unsigned)now.tv_nsec; return state >> 16;
}
int __VERIFIER_nondet_int(void) { return (int)(tsan_input() % 6) - 1; }
_Bool __VERIFIER_nondet_bool(void) { return tsan_input() & 1; }
unsigned char __VERIFIER_nondet_uchar(void) { return tsan_input() % 6; }
void __VERIFIER_assume(int holds) { if (!holds) _exit(0); }
"""
_REPORT = re.compile(r"WARNING: ThreadSanitizer: (.+?) \(pid=\d+\)\n(.*?)\n={18}", re.DOTALL)
_STACK = re.compile(
    r"^  (?:Previous )?(?:atomic )?(?:read|write) of size[^\n]*\n((?:    #\d[^\n]*\n)+)", re.MULTILINE | re.IGNORECASE
)
_OWN = re.compile(r"program\.c:(\d+)")
_ALLOCATES = re.compile(r"\A    #0 (?:malloc|calloc|realloc)\b")


@functools.cache
def is_available() -> bool:
    """Whether gcc is there and a program that it makes with ThreadSanitizer runs."""
    if shutil.which("gcc") is None:
        return False
    with tempfile.TemporaryDirectory(prefix="sanitizer-") as name:
        try:
            return races("static int x;\nint main(void) { return x; }\n", Path(name)) == frozenset()
        except ToolMissing:
            return False


def races(text: str, directory: Path) -> frozenset[Lines] | None:
    """The lines of the races that some runs show, the smaller one first; None if there is no opinion."""
    if _NOT_KNOWN.search(text):
        return None
    found: set[Lines] = set()
    for output in _outputs(text, directory, "thread"):
        if output is None:
            return None
        if "FATAL: ThreadSanitizer" in output:
            raise ToolMissing(output[:500])
        found.update(_races(output))
    return frozenset(found)


def leads_out(text: str, directory: Path) -> bool:
    """Whether some run leaves an object, uses one that is gone, or overflows, or pointers are taken for others: such a
    program has no meaning."""
    if _mixes_pointers(text, directory):
        return True
    said = (output for output in _outputs(text, directory, "address,undefined") if output is not None)
    return any("runtime error:" in output or "ERROR: AddressSanitizer: " in output for output in said)


def _mixes_pointers(text: str, directory: Path) -> bool:
    """Whether a pointer is passed for one of another type, or a number for a pointer."""
    strict = ("-Werror=incompatible-pointer-types", "-Werror=int-conversion")
    return _gcc(text, directory, "-fsyntax-only", *strict).returncode != 0


def _gcc(text: str, directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    file = directory / "sanitized.c"
    file.write_text(f'{HEADERS}{_INPUTS}#line 1 "program.c"\n{text}', encoding="utf-8")
    command = ["gcc", str(file), *options]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise ToolMissing(f"cannot run gcc: {error.strerror}") from None


def _outputs(text: str, directory: Path, sanitizers: str) -> Iterator[str | None]:
    """What each of some runs reports; None for one that does not end."""
    program = directory / "sanitized"
    made = _gcc(text, directory, "-g", "-O0", "-w", f"-fsanitize={sanitizers}", "-o", str(program), "-pthread")
    if made.returncode != 0:
        raise ToolMissing(f"gcc does not compile with -fsanitize={sanitizers}: {made.stderr[:500]}")
    for _ in range(RUNS):
        try:
            run = subprocess.run(
                [str(program)],
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=SECONDS,
                env={**os.environ, "ASAN_OPTIONS": "detect_stack_use_after_return=1"},
                preexec_fn=_lift_memory,
            )
        except subprocess.TimeoutExpired:
            yield None
        else:
            yield run.stderr


def _lift_memory() -> None:
    """The sanitizers reserve more than there is."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _races(output: str) -> list[Lines]:
    """Each stack has the line of the program itself that is innermost: library functions are on top of it.

    To ThreadSanitizer an allocation is a write, to C it is none.
    """
    found = []
    for kind, body in _REPORT.findall(output):
        if not kind.startswith(("data race", "heap-use-after-free", "race on")):
            continue
        stacks = [stack for stack in _STACK.findall(body) if _ALLOCATES.match(stack) is None]
        lines = [int(own[1]) for stack in stacks if (own := _OWN.search(stack)) is not None]
        if len(lines) == 2:
            found.append((min(lines), max(lines)))
    return found
