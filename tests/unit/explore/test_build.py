"""Instrumented programs that are compiled, linked, loaded and run by a host that prints the hooks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from raceproof import facts, frontend
from raceproof.core import Budget, InternalError
from raceproof.explore import build
from raceproof.explore.build import build_program, replaced_functions
from raceproof.explore.hooks import Hooks, hooks_for
from raceproof.frontend import Cache
from raceproof.ir import Program
from raceproof.model import ConcurrentProgram

PROGRAMS = Path(__file__).parents[2] / "programs"
SAMPLE = (
    "atomics/cas_spinlock.c",
    "atomics/gcc_builtins_all.c",
    "calls/longjmp_held.c",
    "calls/qsort_callback.c",
    "calls/variadic.c",
    "library/fread_race.c",
    "library/printf_race.c",
    "library/memcpy_locked.c",
    "memory/thread_local_initial.c",
    "order/barrier_serial_once.c",
)

Run = Callable[[str], list[str]]


@pytest.fixture(scope="session")
def stub_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("host")
    source = Path(__file__).with_name("stub_host.c")
    environment = os.environ | {"ZIG_LOCAL_CACHE_DIR": str(directory / "zig")}
    command = [frontend.zig_program(), "cc", "-w", "-fno-sanitize=undefined", "-rdynamic", str(source), "-ldl"]
    subprocess.run([*command, "-o", str(directory / "host")], check=True, env=environment)
    return directory / "host"


def load(source: Path) -> tuple[str, Program, ConcurrentProgram]:
    request = frontend.from_files([source])
    program = frontend.load(request)
    return frontend.link_program(request).text, program, facts.analyse(program, Budget.unlimited())


@pytest.fixture
def run(stub_host: Path, tmp_path: Path) -> Run:
    """C text -> what the hooks say, every access watched; `pthread_create` is there but threads are not."""

    def run_text(text: str) -> list[str]:
        source = tmp_path / "program.c"
        source.write_text(text)
        module, program, cp = load(source)
        hooks = hooks_for(cp, None, {"stub_replaced"}, [("token", 0)] if "token" in program.globals else [])
        shared = build_program(module, program, hooks.plan, Cache(tmp_path / "cache"))
        done = subprocess.run([stub_host, shared, "argument"], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    return run_text


THREADS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>
static void *other(void *p);
static void start(void) { if (getenv("never set")) { pthread_t t; pthread_create(&t, 0, other, 0); } }
"""


def test_a_program_runs_with_its_hooks(run: Run) -> None:
    lines = run(
        THREADS
        + """
        int x; int token; static char big[1 << 20];
        int stub_replaced(int);
        __attribute__((constructor)) static void set(void) { token = 5; }
        static void *other(void *p) { x = 1; return 0; }
        int main(int argc, char **argv) { start(); big[x]++; x = stub_replaced(argc + token); return x; }
        """
    )
    assert lines[:2] == ["tls 0", "tokens 1"]
    assert "global x 4" in lines
    assert "global big 1048576" in lines
    assert [line.split(" ")[0] for line in lines[-5:]] == ["replaced", "write", "read", "leave", "status"]
    assert lines[-1] == "status 8"


def test_thread_local_variables(run: Run) -> None:
    lines = run("_Thread_local int a = 3; static __thread char b[12]; int main(void) { b[a] = 2; return a + b[3]; }")
    assert lines[0] == "tls 16"
    assert lines[-1] == "status 5"


def test_atomics(run: Run) -> None:
    lines = run(
        THREADS
        + """
        atomic_int flag;
        static void *other(void *p) { flag = 2; return 0; }
        int main(void) {
            start();
            int expected = 0;
            atomic_compare_exchange_strong_explicit(&flag, &expected, 4, memory_order_acq_rel, memory_order_acquire);
            atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
            atomic_thread_fence(memory_order_release);
            return flag;
        }
        """
    )
    assert lines[-6] == "cas 0 4 4 2"
    assert lines[-5] == "cas_done 1"
    assert lines[-4].startswith("rp_atomic_rmw 1 4 1 at ")
    assert lines[-3] == "fence 3"
    assert lines[-2].startswith("rp_atomic_load 2 4 5 at ")
    assert lines[-1] == "status 5"


def test_library_calls_tell_what_they_touched(run: Run) -> None:
    lines = run(
        THREADS
        + """
        char a[40], b[40]; int n;
        static void *other(void *p) { memset(a, 1, 40); memset(b, 1, 40); n = 3; return 0; }
        int main(void) {
            start();
            strcpy(a, "hello");
            snprintf(b, 3, "%s!", a);
            strcat(a, "ab");
            strncpy(a, b, 8);
            memcpy(b, a, strlen(a));
            sscanf("17", "%d %4s", &n, a);
            return n;
        }
        """
    )
    words = [line.split(" ") for line in lines]
    assert [f"{w[0]} {w[2]}" for w in words if w[0].endswith(("_range", "_string"))] == [
        "write_string hello",
        "read_string hello",
        "write_range 3",
        "read_string hello",
        "write_string ab",
        "read_range 3",
        "write_range 8",
        "read_string he",
        "read_range 2",
        "write_range 2",
        "write_range 4",
    ]
    assert lines[-1] == "status 17"


def test_a_loop_that_waits(run: Run) -> None:
    lines = run(
        "extern int stub_flag; static int done(void) { return stub_flag; }"
        "int main(void) { while (!done()) ; return 6; }"
    )
    assert lines[-7:] == ["loop", "poll 4", "spin", "loop", "poll 4", "left", "status 6"]


def test_what_cannot_be_told_is_named(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(
        THREADS
        + """
        char a[40]; void unknown(char *);
        static void *other(void *p) { a[1] = 2; return 0; }
        int main(void) { start(); strtok(a, " "); unknown(a); return a[0]; }
        """
    )
    _, _, cp = load(source)
    hooks = hooks_for(cp, None, ())
    kinds = sorted(cp.accesses[number].kind.value for number in hooks.unobserved)
    assert "write" in kinds
    watched = frozenset(cp.accesses) - hooks.unobserved
    assert {h.access for found in hooks.plan.accesses.values() for h in found} == watched


def test_only_what_is_watched_gets_hooks(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(
        THREADS + "int x; static void *other(void *p) { x = 1; return 0; } int main(void) { start(); x++; }"
    )
    _, _, cp = load(source)
    one = min(cp.accesses)
    hooks = hooks_for(cp, {one}, ())
    assert [h.access for found in hooks.plan.accesses.values() for h in found] == [one]


def test_a_program_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "program.c"
    source.write_text("int main(void) { return 0; }")
    text, program, cp = load(source)
    hooks = hooks_for(cp, None, ())
    first = build_program(text, program, hooks.plan, Cache(tmp_path / "cache"))

    def fail(*_: object) -> None:
        raise InternalError("built twice")

    monkeypatch.setattr(build, "build_shared_object", fail)
    assert build_program(text, program, hooks.plan, Cache(tmp_path / "cache")) == first


def test_a_program_without_a_cache(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text("int main(void) { return 0; }")
    text, program, cp = load(source)
    assert build_program(text, program, hooks_for(cp, None, ()).plan, Cache(None)).exists()


def test_the_runtime_says_what_it_replaces() -> None:
    assert {"pthread_create", "pthread_mutex_lock", "malloc", "free", "__VERIFIER_atomic_begin"} <= replaced_functions()


@pytest.mark.parametrize("name", SAMPLE)
def test_programs_of_the_suite_are_built(name: str, tmp_path: Path) -> None:
    text, program, cp = load(PROGRAMS / name)
    hooks = hooks_for(cp, None, replaced_functions())
    assert isinstance(hooks, Hooks)
    assert build_program(text, program, hooks.plan, Cache(tmp_path)).stat().st_size > 1000
