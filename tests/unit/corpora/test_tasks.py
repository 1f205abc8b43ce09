from __future__ import annotations

import os
from pathlib import Path

import pytest

from raceproof.core import InputError
from raceproof.corpora.tasks import read_corpus
from raceproof.model import Verdict

PROGRAM = "int main(void) { return 0; }\n"
TASK = """format_version: '2.0'
input_files: '{file}'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: true
  - property_file: ../properties/{property}.prp
    expected_verdict: {verdict}
options:
  language: C
  data_model: ILP32
"""


def write(path: Path, text: str = PROGRAM) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return path


def task(path: Path, verdict: str = "true", about: str = "no-data-race") -> Path:
    write(path.with_suffix(".i"))
    return write(path, TASK.format(file=path.with_suffix(".i").name, property=about, verdict=verdict))


def found(path: Path) -> list[tuple[str, str, Verdict]]:
    return [(task.name, task.category, task.expected) for task in read_corpus(path).tasks]


def test_a_table_with_programs_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "demo" / "b.c")
    write(tmp_path / "demo" / "sub" / "a.c")
    table = write(tmp_path / "demo" / "expected.tsv", "sub/a.c\trace\r\n\nb.c\trace-free\n")
    expected = [("sub/a.c", "sub", Verdict.RACE), ("b.c", "demo", Verdict.RACE_FREE)]
    assert found(tmp_path / "demo") == expected
    assert found(table) == expected
    assert read_corpus(table).name == "demo"
    assert not read_corpus(table).tasks[0].is_definition


def test_tables_and_definitions_at_any_depth(tmp_path: Path) -> None:
    write(tmp_path / "a" / "x.c")
    write(tmp_path / "a" / "expected.tsv", "x.c\trace\n")
    task(tmp_path / "a" / "below" / "not-seen.yml")  # the table speaks for all that is below it
    task(tmp_path / "b" / "c" / "free.yml")
    task(tmp_path / "b" / "racy.yml", "false")
    task(tmp_path / "b" / "other.yml", about="termination")
    assert found(tmp_path) == [
        ("a/x.c", "a", Verdict.RACE),
        ("b/racy.yml", "b", Verdict.RACE),
        ("b/c/free.yml", "b/c", Verdict.RACE_FREE),
    ]
    corpus = read_corpus(tmp_path)
    assert corpus.notes == ("task definitions that say nothing about data races, left out: 1",)
    assert corpus.tasks[1].is_definition


def test_one_definition(tmp_path: Path) -> None:
    file = task(tmp_path / "one.yml", "false")
    assert found(file) == [("one.yml", "one", Verdict.RACE)]


def test_a_set_has_patterns_and_takes_each_program_once(tmp_path: Path) -> None:
    task(tmp_path / "c" / "a" / "x.yml")
    task(tmp_path / "c" / "b" / "y.yml", "false")
    chosen = write(tmp_path / "c" / "Races.set", "# comment\n\na/*.yml\n*/*.yml\nnone/*.yml\n")
    assert found(chosen) == [("a/x.yml", "a", Verdict.RACE_FREE), ("b/y.yml", "b", Verdict.RACE)]
    assert read_corpus(chosen).name == "Races"
    assert read_corpus(chosen).notes == (f"{chosen}:5: nothing fits none/*.yml",)


def test_a_definition_whose_verdict_is_not_known_is_left_out(tmp_path: Path) -> None:
    file = task(tmp_path / "one.yml")
    file.write_text(file.read_text().replace("    expected_verdict: true\noptions", "options"))
    task(tmp_path / "two.yml")
    assert found(tmp_path) == [("two.yml", tmp_path.name, Verdict.RACE_FREE)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.c race", "each line is a file"),
        ("a.c\tno-race", "each line is a file"),
        ("\trace", "each line is a file"),
        ("gone.c\trace", "no such file"),
        ("a.c\trace\nb.c\trace\na.c\trace-free", "listed twice"),
    ],
)
def test_mistakes_in_a_table(tmp_path: Path, line: str, message: str) -> None:
    write(tmp_path / "a.c")
    write(tmp_path / "b.c")
    write(tmp_path / "expected.tsv", f"\n{line}\n")
    with pytest.raises(InputError, match=message) as error:
        read_corpus(tmp_path)
    if message != "listed twice":
        assert str(error.value).startswith(f"{tmp_path / 'expected.tsv'}:2")


def test_mistakes_in_what_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or directory"):
        read_corpus(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no programs with a known verdict"):
        read_corpus(tmp_path)
    with pytest.raises(InputError, match="no corpus"):
        read_corpus(write(tmp_path / "a.c"))
    with pytest.raises(InputError, match="not a task definition"):
        read_corpus(write(tmp_path / "odd.set", "*.c\n"))


def test_a_definition_with_a_mistake_is_not_left_out(tmp_path: Path) -> None:
    task(tmp_path / "good.yml")
    task(tmp_path / "bad.yml", "maybe")
    with pytest.raises(InputError, match="expected_verdict"):
        read_corpus(tmp_path)
    task(tmp_path / "bad.yml")
    (tmp_path / "bad.i").unlink()
    with pytest.raises(InputError, match=r"bad\.i"):
        read_corpus(tmp_path)


def test_the_digest_is_that_of_programs_and_truth(tmp_path: Path) -> None:
    definition = task(tmp_path / "a.yml")
    before = read_corpus(tmp_path).digest
    assert read_corpus(tmp_path).digest == before
    write(tmp_path / "a.i", PROGRAM + "\n")
    changed = read_corpus(tmp_path).digest
    assert changed != before
    write(tmp_path / "a.i")
    definition.write_text(definition.read_text().replace("verdict: true\nopt", "verdict: false\nopt"))
    assert read_corpus(tmp_path).digest not in (before, changed)


def test_names_of_any_bytes(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff <b>.c")
    try:
        write(tmp_path / name)
    except OSError:
        pytest.skip("this file system wants UTF-8")
    write(tmp_path / "expected.tsv", f"{name}\trace\n")
    assert found(tmp_path) == [(name, tmp_path.name, Verdict.RACE)]
