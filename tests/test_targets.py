"""Programs on targets ([DHTC, Fig. 10]): what a search finds there is what it finds here, execution by execution.

The quick suite has some programs on 32-bit x86, whose runtime is built anyway, and a few on aarch64 under qemu; all
programs on all machines are in `make soak` (marked slow). Without qemu those tests are skipped, unless
RACEPROOF_REQUIRE_QEMU says that it must be there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from exploring import Searched, Subject, host_run, load, load_text, output_of, search
from programs_truth import Truth, all_programs, program_name, read_truth, sample

from raceproof import frontend
from raceproof.cli import Exit, main
from raceproof.core import InputError, Unsupported
from raceproof.explore.build import why_not_32_bits
from raceproof.explore.target import Target, machine_of
from raceproof.frontend import MACHINES

EXAMPLES = Path(__file__).parent.parent / "examples"
QEMU = {"aarch64": "qemu-aarch64 {}", "arm": "qemu-arm {}", "riscv64": "qemu-riscv64 {}"}
HERE = {"x86": "{}", "x86_64": "{}"}
NARROW = ("arm", "x86")
MAX_EXECUTIONS = 300
MAX_STEPS = 5_000
SECONDS = 60.0


def target(machine: str) -> Target:
    """One that can be used here; else the test is skipped, or fails."""
    if machine == "x86" and why_not_32_bits() is not None:
        pytest.skip(str(why_not_32_bits()))
    via = (QEMU | HERE)[machine]
    if machine in QEMU and shutil.which(via.split()[0]) is None:
        if os.environ.get("RACEPROOF_REQUIRE_QEMU"):
            pytest.fail(f"{via.split()[0]} is not installed")
        pytest.skip(f"{via.split()[0]} is not installed")
    return Target(machine, (via,))


@dataclass(frozen=True, slots=True)
class Seen:
    """What must be the same wherever the program runs."""

    verdict: str
    races: frozenset[tuple[int, int]]
    executions: int
    blocked: int
    transitions: int
    others: tuple[tuple[str, int | None], ...]


def seen(subject: Subject, where: Target | None, algorithm: str = "race") -> tuple[Seen, Searched]:
    found = search(
        subject,
        algorithm,
        seconds=SECONDS,
        find_all=True,
        max_executions=MAX_EXECUTIONS,
        max_steps=MAX_STEPS,
        target=where,
    )
    stats = found.result.stats
    told = Seen(
        verdict=found.verdict,
        races=frozenset((min(pair), max(pair)) for pair in found.races),
        executions=found.executions,
        blocked=found.blocked,
        transitions=int(stats["transitions"]),
        others=tuple(sorted(found.others, key=str)),
    )
    return told, found


def check_same(path: Path, machine: str) -> None:
    """The truth on the lines of the program, and the same search as here, where there is a machine of that kind."""
    where, truth = target(machine), read_truth(path)
    try:
        there, found = seen(load(path, machine=machine), where)
    except (Unsupported, InputError) as reason:
        pytest.skip(f"not on {machine}: {reason}")
    check_truth(truth, found)
    if machine in NARROW and why_not_32_bits() is not None:
        return
    try:
        here, _ = seen(load(path, *(["-m32"] if machine in NARROW else [])), None)
    except (Unsupported, InputError) as reason:
        pytest.skip(f"not here: {reason}")
    assert there == here, found.why()


def check_truth(truth: Truth, found: Searched) -> None:
    false = [lines for lines in found.races if not set(lines) <= truth.race_lines]
    assert not false, f"{truth.path}: no races: {false}"
    assert not (truth.is_racy and found.verdict == "race-free"), f"{truth.path}: {found.why()}"


@pytest.mark.parametrize("path", sample(all_programs(), 128), ids=program_name)
def test_programs_on_x86(path: Path) -> None:
    check_same(path, "x86")


@pytest.mark.parametrize("path", sample(all_programs(), 256), ids=program_name)
def test_programs_on_aarch64(path: Path) -> None:
    check_same(path, "aarch64")


@pytest.mark.slow  # hours, one after the other
@pytest.mark.parametrize("machine", [*QEMU, *HERE])
@pytest.mark.parametrize("path", all_programs(), ids=program_name)
def test_all_programs(path: Path, machine: str) -> None:
    check_same(path, machine)


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
    for via in (str(agent), "sh -c {upload}"):  # it is there already, or gets there first
        assert main(["explore", str(EXAMPLES / "bank_race.c"), "--target", "x86", "--via", via]) == Exit.RACE
    for arguments in (["--build", "x86"], ["-o", "x"], [], ["--listen", "--build", "x86", "-o", "x"]):
        assert main(["target", *arguments]) == Exit.BAD_INPUT
    capsys.readouterr()
