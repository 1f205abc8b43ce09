"""`raceproof petri`: verdicts, exit status, what it prints and writes, what it refuses."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from unit.cli.commands import run_command

from raceproof import petri
from raceproof.cli import petri as command
from raceproof.cli.status import Exit
from raceproof.core import Budget, InputError, InternalError, ToolMissing

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "sml"
RACY = "shared x;\njob W {\n    read x;\n    write x;\n}\nstart W *;\n"
LOCKED = "shared x; lock L;\njob W { acquire L; write x; release L; }\nstart W *;\n"
SAFE_SPEC = """vars idle lock inside
rules
    idle >= 1, lock >= 1 -> idle' = idle-1, lock' = lock-1, inside' = inside+1;
    inside >= 1 -> inside' = inside-1, lock' = lock+1, idle' = idle+1;
init idle >= 0, lock = 1, inside = 0
target inside >= 2
"""
UNSAFE_SPEC = SAFE_SPEC.replace("lock = 1", "lock = 2")
LOCKED_C = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *worker(void *unused) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(int argc, char **argv) {
    pthread_t thread;
    (void)argv;
    for (int i = 0; i < argc; i++)
        pthread_create(&thread, 0, worker, 0);
    return 0;
}
"""

File = Callable[[str, str], Path]


@pytest.fixture
def file(tmp_path: Path) -> File:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def run(*arguments: str | Path) -> Exit:
    return run_command(command.add_parser, "petri", *map(str, arguments))


def result_of(path: Path, *options: str) -> dict[str, Any]:
    target = path.with_suffix(".json")
    run(path, "--json", target, *options)
    result: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return result


def test_an_unsafe_program_is_told_over_source_lines(file: File, capsys: pytest.CaptureFixture[str]) -> None:
    path = file("a.sml", RACY)
    assert run(path, "--plain") is Exit.RACE
    told = capsys.readouterr().out
    assert told.startswith("unsafe: ")
    assert "net: 5 places, 4 transitions, 2 targets\n" in told
    assert "repeated by the independent checker" in told
    assert f"  {path}:3:5  W 1  read x\n" in told
    assert f"  {path}:4:5  W 1  write x\n" in told


@pytest.mark.parametrize("options", [(), ("--plain",), ("--no-spurious-wakeups",)])
def test_a_safe_program(file: File, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]) -> None:
    assert run(file("a.sml", LOCKED), *options) is Exit.RACE_FREE
    told = capsys.readouterr().out
    assert told.startswith("safe: no run has two threads at conflicting accesses")
    assert "accepted by the independent checker" in told


def test_spurious_wakeups_can_be_left_out(file: File) -> None:
    text = """shared x; lock L; cond c; job A { acquire L; wait c, L; release L; write x; } job B { write x; signal c; }
        start A; start B;"""
    assert run(file("a.sml", text)) is Exit.RACE
    assert run(file("a.sml", text), "--no-spurious-wakeups") is Exit.RACE_FREE


@pytest.mark.parametrize("options", [(), ("--plain",)])
def test_nets(file: File, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]) -> None:
    assert run(file("safe.spec", SAFE_SPEC), *options) is Exit.RACE_FREE
    assert capsys.readouterr().out.startswith("safe: no run covers a target\n")
    assert run(file("unsafe.spec", UNSAFE_SPEC), *options) is Exit.RACE
    told = capsys.readouterr().out
    assert told.startswith("unsafe: a run covers the target inside 2\n")
    assert "  at first: idle 2, lock 2\n" in told
    assert ", 2 times\n" in told
    assert "  in the end: inside 2\n" in told


def test_json_of_a_proof_can_be_checked(file: File) -> None:
    path = file("a.sml", LOCKED)
    result = result_of(path)
    assert result["verdict"] == "safe"
    assert result["files"] == [str(path)]
    assert "trace" not in result
    for name in ("kept", "subsumed", "iterations"):
        assert isinstance(result[name], int)
    assert 0 <= result["seconds"] < 60
    net = petri.net_of_sml(petri.parse_sml(LOCKED, "a.sml")).net
    found = result["certificate"]
    assert found["places"] == list(net.places)
    certificate = petri.NetCertificate(
        tuple(tuple((p, n) for p, n in marking) for marking in found["basis"]),
        tuple((tuple((p, n) for p, n in entry["weights"]), entry["bound"]) for entry in found["invariants"]),
    )
    assert petri.check_certificate(net, certificate) is None


def test_json_of_a_run_can_be_repeated(file: File) -> None:
    path = file("a.sml", RACY)
    result = result_of(path)
    assert result["verdict"] == "unsafe"
    assert "certificate" not in result
    trace = result["trace"]
    net = petri.net_of_sml(petri.parse_sml(RACY, "a.sml")).net
    unsafe = petri.Unsafe(tuple((p, n) for p, n in trace["start"]), tuple(trace["firing"]))
    assert petri.check_firing(net, unsafe) is None
    assert [step["transition"] for step in trace["steps"]] == [net.transitions[t].name for t in unsafe.firing]
    assert {step["line"] for step in trace["steps"]} == {3, 4}
    assert {racing["target"] for racing in trace["race"]} == {"x"}
    assert "write" in {racing["kind"] for racing in trace["race"]}


def test_the_paper_s_algorithm_counts_as_it_does(file: File) -> None:
    result = result_of(file("a.sml", RACY), "--plain")
    assert len(result["trace"]["firing"]) == 4  # iterations in Table 1 of [PN]
    assert result["kept"] == 10  # as in Table 1


def test_json_on_standard_output_is_alone_there(file: File, capsys: pytest.CaptureFixture[str]) -> None:
    run(file("a.sml", LOCKED), "--json", "-")
    assert json.loads(capsys.readouterr().out)["verdict"] == "safe"


def test_the_net_is_written_in_every_format(file: File, tmp_path: Path) -> None:
    path = file("a.sml", RACY)
    targets = {name: tmp_path / f"net.{name}" for name in ("dot", "pnml", "spec")}
    run(path, *(word for name, target in targets.items() for word in (f"--{name}", str(target))))
    assert targets["dot"].read_text(encoding="utf-8").startswith("digraph")
    ElementTree.parse(targets["pnml"])
    for name in ("pnml", "spec"):
        assert run(targets[name]) is Exit.RACE


def test_time_that_is_up_is_no_verdict(file: File, capsys: pytest.CaptureFixture[str]) -> None:
    path = file("a.sml", LOCKED)
    assert run(path, "--plain", "--time-limit", "1e-9") is Exit.UNKNOWN
    assert capsys.readouterr().out.startswith("unknown: time limit")
    result = result_of(path, "--plain", "--time-limit", "1e-9")
    assert result["verdict"] == "unknown"
    assert "time limit" in result["reason"]


def test_answers_that_the_checker_refuses_are_not_given(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    def claims_safety(net: petri.Net, budget: Budget) -> petri.Solution:
        return petri.Safe(petri.NetCertificate(()))

    def claims_a_run(net: petri.Net, budget: Budget) -> petri.Solution:
        return petri.Unsafe(net.initial, ())

    path = file("a.sml", RACY)
    for forger in (claims_safety, claims_a_run):
        monkeypatch.setattr(petri, "solve", forger)
        with pytest.raises(InternalError, match="the independent checker refuses"):
            run(path, "--json", str(path.with_suffix(".json")))
        assert not path.with_suffix(".json").exists()


def test_without_the_kernel_the_plain_search_answers(
    file: File, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def has_no_compiler(net: petri.Net, budget: Budget) -> petri.Solution:
        raise ToolMissing("no C++ compiler")

    monkeypatch.setattr(petri, "solve", has_no_compiler)
    assert run(file("a.sml", LOCKED)) is Exit.RACE_FREE
    assert "note: solved without the native kernel: no C++ compiler\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.sml", "shared x; job T { read y; } start T;", r"a\.sml:1:24: there is no shared variable `y`"),
        ("a.spec", "vars\n  x\nrules\n  y >= 1 -> x' = x+1;", r"a\.spec:4:3"),
        ("a.pnml", "<pnml", r"a\.pnml:1"),
        ("a.sml", "", "nothing runs yet"),
    ],
)
def test_bad_input_is_refused_with_a_position(file: File, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(file(name, text))


def test_files_that_cannot_be_read(tmp_path: Path, file: File) -> None:
    with pytest.raises(InputError, match="cannot read"):
        run(tmp_path / "none.sml")
    binary = tmp_path / "binary.spec"
    binary.write_bytes(b"vars\n\xff")
    with pytest.raises(InputError, match="byte 5 is not UTF-8"):
        run(binary)
    with pytest.raises(InputError, match="one net at a time"):
        run(file("a.sml", RACY), file("b.sml", RACY))
    with pytest.raises(InputError, match="both write to standard output"):
        run(file("a.sml", RACY), "--json", "-", "--dot", "-")
    with pytest.raises(InputError, match="would overwrite the input"):
        run(file("a.spec", SAFE_SPEC), "--spec", tmp_path / "a.spec")


def test_any_number_of_workers_in_c(file: File, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file("locked.c", LOCKED_C), "--pairs", "all") is Exit.RACE_FREE
    assert "0 are proved by the static analysis" in " ".join(capsys.readouterr().out.split())
    assert run(file("locked.c", LOCKED_C)) is Exit.RACE_FREE
    racy = LOCKED_C.replace("    pthread_mutex_lock(&m);\n", "").replace("    pthread_mutex_unlock(&m);\n", "")
    assert run(file("racy.c", racy)) is Exit.RACE
    told = " ".join(capsys.readouterr().out.split())
    assert "this is a possible race" in told
    assert "worker 1 stands before line 5" in told
