"""Targets ([DHTC, Fig. 10]) from the command line; `test_programs_on_targets.py` has the programs of `tests/programs`.

Without qemu tests are skipped, unless RACEPROOF_REQUIRE_QEMU says that it must be there.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from exploring import host_run, load, load_text, output_of, search
from on_targets import target

from raceproof import frontend
from raceproof.cli import Exit, main
from raceproof.explore.target import machine_of
from raceproof.frontend import MACHINES

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("machine", ["x86", pytest.param("aarch64"), pytest.param("arm", marks=pytest.mark.slow)])
def test_a_race_is_reported_and_replayed_on_its_target(
    machine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, where = tmp_path / "report.json", target(machine)
    program = str(EXAMPLES / "bank_race.c")
    asked = ["--target", machine, "--via", where.vias[0]]
    assert main(["explore", program, *asked, "--json", str(report)]) == Exit.RACE
    fields = json.loads(report.read_text(encoding="utf-8"))
    assert fields["target"] == {"triple": where.triple, "via": list(where.vias)}
    assert fields["replay"]["target"] == fields["target"]
    assert main(["replay", str(report)]) == Exit.RACE
    assert main(["replay", str(report), "--via", "/nowhere/qemu {}"]) == Exit.UNKNOWN
    capsys.readouterr()


def test_check_runs_on_the_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The data model is the target's for every engine: here only 32 bits have the race."""
    target("x86")
    program = tmp_path / "by_size.c"
    program.write_text(
        "#include <pthread.h>\nint x;\n"
        "void *w(void *p) { if (sizeof(long) == 4) x++; return p; }\n"
        "int main(void) { pthread_t a, b; pthread_create(&a, 0, w, 0); pthread_create(&b, 0, w, 0);\n"
        "  pthread_join(a, 0); pthread_join(b, 0); return 0; }\n"
    )
    assert main(["check", str(program)]) == Exit.RACE_FREE
    assert main(["check", str(program), "--target", "x86-linux-musl", "--via", "{}"]) == Exit.RACE
    assert main(["check", str(program), "--target", "x86-linux-musl", "--via", "{}", "--jobs", "2"]) == Exit.RACE
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--target", "arm"], "needs --via"),
        (["--target", "vax", "--via", "x"], "no such target: vax"),
        (["--target", "arm", "--via", "x", "--data-model", "LP64"], "the data model is that of the target"),
        (["--target", "arm", "--via", "x", "--clang", "/usr/bin/clang"], "leave --clang out"),
        (["--secret-file", "x"], "belongs to --via"),
    ],
)
def test_mistakes(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(EXAMPLES / "bank_race.c"), *arguments]) == Exit.BAD_INPUT
    assert why in capsys.readouterr().err


def test_preprocessed_files_are_compiled_for_the_target(tmp_path: Path) -> None:
    """By clang itself, which has no headers."""
    program = tmp_path / "program.i"
    program.write_text("int x;\nint main(void) { return x; }\n")
    sizes = {}
    for machine in MACHINES:
        request = frontend.from_files([program]).for_machine(machine)
        triple = re.search(r'^target triple = "([a-z0-9_]+)-', frontend.link_program(request).text, re.MULTILINE)
        assert triple is not None
        assert machine_of(triple[1]) == machine
        sizes[machine] = frontend.load(request).pointer_size
    assert sizes == {"x86_64": 8, "x86": 4, "aarch64": 8, "arm": 4, "riscv64": 8}


def test_the_program_does_not_see_the_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEPROOF_SECRET", "not for the program")
    text = 'int main(void) { printf("%s", getenv("RACEPROOF_SECRET") ? "seen" : "hidden"); return 0; }'
    for where, machine in ((None, None), (target("x86"), "x86")):
        run = host_run(load_text(text, tmp_path, machine=machine), target=where)
        assert output_of(run) == "hidden"


PASSED = """
#include <pthread.h>
#include <string.h>
struct small { unsigned char a; short b; };
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void add(struct small s) { pthread_mutex_lock(&m); x += s.a + s.b; pthread_mutex_unlock(&m); }
static void *w(void *p) {
    struct small s = {1, 2};
    long long partly;
    memcpy(&partly, &s, sizeof s);
    for (int i = 0; i < 2; i++) add(s);
    return USES;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, w, 0);
    add((struct small){3, 4});
    pthread_join(a, 0);
    return 0;
}
"""


@pytest.mark.parametrize("machine", ["x86", "aarch64"])
def test_what_a_structure_leaves_of_its_registers_is_nobodys(machine: str, tmp_path: Path) -> None:
    """It is passed in a register of 8 bytes on aarch64; a variable of the program's own is another matter."""
    program, where = tmp_path / "passed.c", target(machine)
    program.write_text(PASSED)
    found = search(load(program, "-DUSES=p", machine=machine), target=where, find_all=True)
    assert found.verdict == "race-free", found.why()
    found = search(load(program, "-DUSES=(partly<0?p:0)", machine=machine), target=where, find_all=True)
    assert found.verdict == "unknown"
    assert "uninitialised" in found.why()


def test_agents_are_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target("x86")
    agent = tmp_path / "agent"
    assert main(["target", "--build", "x86", "-o", str(agent)]) == 0
    greedy = tmp_path / "head"  # as busybox has it: what it reads in advance is lost
    greedy.write_text(
        f"#!{sys.executable}\nimport os, sys\nwanted, found = int(sys.argv[2]), b''\n"
        "while len(found) < wanted: found += os.read(0, 65536)\n"
        "sys.stdout.buffer.write(found[:wanted])\n"
    )
    greedy.chmod(0o700)
    elsewhere = shlex.join(("env", f"PATH={tmp_path}:{os.environ['PATH']}", "sh", "-c", "{upload}"))
    for via in (str(agent), "sh -c {upload}", elsewhere):  # it is there already, or gets there first
        assert main(["explore", str(EXAMPLES / "bank_race.c"), "--target", "x86", "--via", via]) == Exit.RACE
    for arguments in (["--build", "x86"], ["-o", "x"], [], ["--listen", "--build", "x86", "-o", "x"]):
        assert main(["target", *arguments]) == Exit.BAD_INPUT
    capsys.readouterr()
