"""The generator of benchmark programs: same options, same text; the header tells the truth; clang takes it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.generate import generate
from bench.measure import ZIG_CC, count_by_function, simplified_ir
from bench.synth import Options, estimate_instructions

ROOT = Path(__file__).resolve().parents[3]
_HEADER_RACE = re.compile(r"^ \* race (\d+): (\S+), ([\w-]+), at line ([\d, ]+)$", re.MULTILINE)


@pytest.mark.parametrize(("size", "races"), [(1000, 0), (1000, 3), (6000, 2)])
def test_same_options_give_the_same_text(size: int, races: int) -> None:
    first = generate(Options(size, seed=5, races=races))
    assert generate(Options(size, seed=5, races=races)) == first
    assert generate(Options(size, seed=6, races=races)).text != first.text


def test_text_does_not_depend_on_the_hash_seed() -> None:
    command = [sys.executable, str(ROOT / "bench" / "generate.py"), "--instructions", "2000", "--races", "1"]
    texts = {
        subprocess.run(command, check=True, capture_output=True, env={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("races", [0, 1, 3, 6])
def test_header_tells_the_planted_races(seed: int, races: int) -> None:
    generated = generate(Options(2000, seed, races))
    assert f" * Truth: {races} planted races." in generated.text
    lines = generated.text.splitlines()
    stated = _HEADER_RACE.findall(generated.text)
    assert len(stated) == len(generated.races) == races
    marked = {number for number, line in enumerate(lines, 1) if re.search(r"// race \d+$", line)}
    assert marked == {line for race in generated.races for line in race.lines}
    for number, target, kind, where in stated:
        race = generated.races[int(number) - 1]
        assert (race.target, race.kind) == (target, kind)
        assert tuple(map(int, where.split(", "))) == race.lines
        field = re.split(r"[.\]]+", target.replace("[*]", ""))[-1]
        assert all(field in lines[line - 1] and lines[line - 1].endswith(f"// race {number}") for line in race.lines)


@pytest.mark.parametrize("count", [2, 4, 12, 20])
def test_number_of_start_functions_can_be_set(count: int) -> None:
    text = generate(Options(3000, threads=count)).text
    assert len(re.findall(r"^static void \*\w+\(void \*argument\)$", text, re.MULTILINE)) == count
    assert f" {count} start functions" in text


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("races", [0, 3])
def test_small_program_compiles_and_has_the_size_asked_for(seed: int, races: int, tmp_path: Path) -> None:
    source, target = tmp_path / "program.c", tmp_path / "program.ll"
    generated = generate(Options(1000, seed, races))
    source.write_text(generated.text)
    flags = ["-Wall", "-Werror", "-Wno-unused-command-line-argument", "-S", "-emit-llvm", "-O0"]
    flags += ["-Xclang", "-disable-O0-optnone", "-fno-sanitize=undefined", "-fno-stack-protector"]
    subprocess.run([*ZIG_CC, *flags, str(source), "-o", str(target)], check=True, capture_output=True)
    counts = count_by_function(simplified_ir(target.read_text()))
    assert "main" in counts
    assert sum(counts.values()) == pytest.approx(1000, rel=0.15)


def test_estimate_counts_function_bodies_only() -> None:
    assert estimate_instructions("static int table[2] = {1, 2};\nstruct s {\n    int a[3];\n};\n") == 0
    assert estimate_instructions("int f(int a)\n{\n    return a + 1;\n}\n") > 0
