"""Everything that reads a file of a user's, with good files to start from.

A reader is given a text and an empty directory. It may return, or raise a `RaceproofError` that is no `InternalError`:
nothing else, whatever the text says.
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import raceproof
from faults.mutation import mutate, mutate_json
from raceproof import config, corpora, frontend, petri, report
from raceproof.cli.report_file import Choice, read_claims, read_report
from raceproof.core import Budget, InternalError, RaceproofError
from raceproof.ir import Origin, check_program

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Reader:
    """`cost` is about how many milliseconds a text takes: where time is short, slow readers get fewer texts."""

    name: str
    seeds: Callable[[], tuple[bytes, ...]]
    read: Callable[[bytes, Path], object]
    damage: Callable[[random.Random, bytes, Sequence[bytes]], bytes] = mutate
    cost: int = 1


@cache
def _modules() -> tuple[bytes, ...]:
    names = ("calls/function_pointer.c", "atomics/flag_spinlock.c", "library/sscanf_race.c", "memory/struct_whole.c")
    files = [file for name in names if (file := ROOT / "tests/programs" / name).exists()]
    return tuple(frontend.link_program(frontend.from_files([file])).text.encode() for file in files)


def _parse_module(data: bytes, _: Path) -> None:
    """LLVM has read such a text before, as a rule. What it would refuse may be called a bug, but not crash."""
    with contextlib.suppress(InternalError):
        check_program(frontend.parse_module(data.decode("utf-8", "replace"), Origin(("a.ll",), (), "LP64"), "main"))


def _load_llvm(data: bytes, directory: Path) -> None:
    file = directory / "a.ll"
    file.write_bytes(data)
    frontend.load(frontend.from_files([file]), Budget.seconds(60), frontend.Cache(None))


@cache
def _reports() -> tuple[bytes, ...]:
    """With a schedule, a certificate, invariants, and reasons for proofs."""
    names = ("examples/bank_race.c", "tests/programs/calls/qsort_in_helper.c", "tests/programs/order/barrier_phases.c")
    files = [file for name in names if (file := ROOT / name).exists()]
    results = [raceproof.check(file, engines=["lockset", "petri", "transactions", "explore"]).result for file in files]
    return tuple(json.dumps(report.to_json(result)).encode() for result in results)


def _read_report(data: bytes, directory: Path) -> None:
    file = directory / "report.json"
    file.write_bytes(data)
    for race, other in ((None, None), (1, None), (None, 1)):
        with contextlib.suppress(RaceproofError):
            read_report(file, Choice(race, other))
    read_claims(file)


def _configurations() -> tuple[bytes, ...]:
    text = """
sources = ["*.c"]
flags = ["-Iinclude", "-D", "X=1"]
data_model = "LP64"
entry = "start"
arguments = ["8", ""]
engines = ["lockset"]
time_limit = 12.5
jobs = 2
baseline = "known.json"
[[lock]]
acquire = "my_lock"
release = "my_unlock"
try = ["my_trylock", "my_timedlock"]
success = true
[[safe]]
function = "log_message"
reason = "statistics"
[[suppress]]
target = "stats.*"
functions = ["f", "g"]
file = "src/log.c"
kind = "write"
only = ["unknown"]
reason = "counted roughly"
"""
    return (text.encode(), b"")


def _read_configuration(data: bytes, directory: Path) -> None:
    _program(directory)
    file = directory / "raceproof.toml"
    file.write_bytes(data)
    found = config.load_config(directory, file)
    if found is not None:
        config.source_files(found)


def _baselines() -> tuple[bytes, ...]:
    finding = {"fingerprint": "0" * 16, "verdict": "race", "target": "x", "accesses": ["read in f", "write in g"]}
    return (json.dumps({"version": 1, "findings": [finding, {**finding, "fingerprint": "1" * 16}]}).encode(),)


def _read_baseline(data: bytes, directory: Path) -> None:
    file = directory / "baseline.json"
    file.write_bytes(data)
    config.read_baseline(file)


def _tasks() -> tuple[bytes, ...]:
    text = b"format_version: '2.0'\ninput_files: 'a.c'\nproperties:\n  - property_file: ../no-data-race.prp\n"
    text += b"    expected_verdict: true\n"
    return (text, text + b"options:\n  language: C\n  data_model: ILP32\n")


def _program(directory: Path) -> None:
    (directory / "a.c").write_text("int main(void) { return 0; }\n")
    (directory / "a.h").write_text("int f(void);\n")


def _read_task(data: bytes, directory: Path) -> None:
    _program(directory)
    file = directory / "a.yml"
    file.write_bytes(data)
    with contextlib.suppress(RaceproofError):
        frontend.from_task(file)
    corpora.read_corpus(file)


def _read_table(data: bytes, directory: Path) -> None:
    _program(directory)
    file = directory / "expected.tsv"
    file.write_bytes(data)
    corpora.read_corpus(directory)


def _read_set(data: bytes, directory: Path) -> None:
    _program(directory)
    (directory / "a.yml").write_bytes(_tasks()[0])
    file = directory / "all.set"
    file.write_bytes(data)
    corpora.read_corpus(file)


def _databases() -> tuple[bytes, ...]:
    entry = {"directory": ".", "file": "a.c", "command": "cc -DX='a b' -Iinclude -c a.c -o a.o"}
    other = {"directory": ".", "file": "a.h", "arguments": ["cc", "-o", "b.o", "a.h"], "output": "b.o"}
    return (json.dumps([entry, other]).encode(), json.dumps([entry]).encode())


def _read_database(data: bytes, directory: Path) -> None:
    _program(directory)
    file = directory / "compile_commands.json"
    file.write_bytes(data)
    frontend.from_compile_commands(file)


def _runs() -> tuple[bytes, ...]:
    line = {
        "name": "a.c", "category": "x", "expected": "race", "verdict": "race", "scope": None, "detail": "", "cpu": 1.0,
        "wall": 1.0, "pairs": 3, "shares": [{"engine": "lockset", "proved": 1, "witnessed": 0}], "report": None,
    }  # fmt: skip
    settings = {
        "corpus": "x", "path": "x", "programs": 1, "digest": "d", "version": "v", "code": "c", "engines": ["lockset"],
        "time_limit": 3.0, "cflags": [], "data_model": None, "headers": "auto", "jobs": 1,
    }  # fmt: skip
    return (json.dumps({"settings": settings, "results": [line]}).encode(),)


def _read_run(data: bytes, directory: Path) -> None:
    """Two files at once: the settings of a run and its results."""
    try:
        fields = json.loads(data)
        settings, results = fields["settings"], fields["results"]
        lines = "\n".join(map(json.dumps, results)) + "\n"
    except (ValueError, TypeError, KeyError, RecursionError):
        settings, lines = None, data.decode("utf-8", "replace")
    (directory / "run.json").write_text(json.dumps(settings) if settings is not None else lines, encoding="utf-8")
    (directory / "results.jsonl").write_text(lines, encoding="utf-8")
    run = corpora.read_run(directory)
    corpora.summary_lines(run)


def _specs() -> tuple[bytes, ...]:
    text = b"""#expected result: safe
vars
    idle busy free
rules
    idle >= 1, free >= 1 -> idle' = idle - 1, busy' = busy + 1, free' = free - 1;
    busy >= 1 -> busy' = busy - 1, idle' = idle + 1, free' = free + 1;
init
    idle >= 1, busy = 0, free = 1
target
    busy >= 2
invariants
    busy = 1, free = 1
"""
    return (text,)


def _nets() -> tuple[bytes, ...]:
    return tuple(petri.write_pnml(petri.read_spec(text.decode())).encode() for text in _specs())


def _sml() -> tuple[bytes, ...]:
    return tuple(file.read_bytes() for file in sorted((ROOT / "examples/sml").glob("*.sml")))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _read_sml(data: bytes, _: Path) -> None:
    petri.net_of_sml(petri.parse_sml(_text(data), "a.sml"))


READERS = (
    Reader("LLVM's text, parsed", _modules, _parse_module, cost=10),
    Reader("LLVM's text, loaded", _modules, _load_llvm, cost=20),
    Reader("report", _reports, _read_report, mutate_json, cost=3),
    Reader("configuration", _configurations, _read_configuration),
    Reader("baseline", _baselines, _read_baseline, mutate_json),
    Reader("task definition", _tasks, _read_task, cost=2),
    Reader("table of verdicts", lambda: (b"a.c\trace\n", b"a.c\trace-free\r\n\n"), _read_table),
    Reader("set of tasks", lambda: (b"*.yml\n", b"# all\n**/*.yml\na.yml\n"), _read_set),
    Reader("compilation database", _databases, _read_database, mutate_json),
    Reader("run of a corpus", _runs, _read_run, mutate_json),
    Reader("net as specification", _specs, lambda data, _: petri.read_spec(_text(data))),
    Reader("net as PNML", _nets, lambda data, _: petri.read_pnml(data)),
    Reader("SML", _sml, _read_sml),
)
