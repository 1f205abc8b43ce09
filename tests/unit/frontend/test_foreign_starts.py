"""Threads, handlers and destructors that are functions outside the program become functions that call those."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof.frontend import Cache, from_files, load
from raceproof.ir import Address, Call, Program

HEADERS = "#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <threads.h>\n"


def program(tmp_path: Path, text: str) -> Program:
    file = tmp_path / "program.c"
    file.write_text(HEADERS + text)
    return load(from_files([file], ("-w",)), cache=Cache(None))


def called_in(loaded: Program, name: str) -> list[Call]:
    return [instr for instr in loaded.functions[name].instructions() if isinstance(instr, Call)]


@pytest.mark.parametrize(
    ("declaration", "call", "name", "arguments"),
    [
        ("void *run(void *);", "pthread_t t; pthread_create(&t, 0, run, 0)", "raceproof.run.ptr.run", 1),
        ("int run(void *);", "thrd_t t; thrd_create(&t, run, 0)", "raceproof.run.i32.run", 1),
        ("void run(void *);", "pthread_key_t k; pthread_key_create(&k, run)", "raceproof.run.void.run", 1),
        ("void run(int);", "signal(SIGINT, run)", "raceproof.run.void.run", 1),
        ("void run(void);", "atexit(run)", "raceproof.run.void.run", 0),
    ],
)
def test_functions_outside_get_a_caller(tmp_path: Path, declaration: str, call: str, name: str, arguments: int) -> None:
    loaded = program(tmp_path, f"{declaration}\nint main(void) {{ {call}; return 0; }}\n")
    (made,) = called_in(loaded, name)
    assert made.callee == Address("run")
    assert len(made.args) == arguments
    assert made.pos is not None
    assert made.pos.line == HEADERS.count("\n") + 2
    registering = next(c for c in called_in(loaded, "main") if Address(name) in c.args)
    assert Address("run") not in registering.args


def test_functions_of_the_program_stay(tmp_path: Path) -> None:
    text = (
        "static void *run(void *p) { return p; } int main(void) { pthread_t t; return pthread_create(&t, 0, run, 0); }"
    )
    loaded = program(tmp_path, text)
    assert not [name for name in loaded.functions if name.startswith("raceproof.run")]


def test_a_handler_that_is_ignored_stays(tmp_path: Path) -> None:
    loaded = program(tmp_path, "int main(void) { signal(SIGINT, SIG_IGN); return 0; }")
    assert list(loaded.functions) == ["main"]


def test_two_names_of_a_variable_become_one(tmp_path: Path) -> None:
    text = "extern char **environ, **__environ; int main(void) { return environ != __environ; }"
    assert list(program(tmp_path, text).globals) == ["environ"]
