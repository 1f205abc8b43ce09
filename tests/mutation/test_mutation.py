"""The tool itself: which faults it makes, and that it tells those that a test notices from those that none does."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from mutation.mutants import mutants_of, sampled
from mutation.sandbox import PACKAGE, ROOT, Sandbox
from mutation.subjects import SUBJECTS, Subject, subjects_of
from mutation.table import Row, as_markdown, as_text, read_harmless
from mutation.trial import Result, Trials

SMALL = '''"""Doc."""

LIMIT = 1


def is_between(a: int | None, b: int) -> bool:
    """Doc: 1 < 2 and 3."""
    if a is None:
        return False
    return 0 < a and a <= b


def unused(a: int = 1) -> int:
    return a - 1
'''
TESTS = """import pytest
from raceproof.small import is_between

@pytest.fixture(scope="module", params=[(None, 1), (0, 1), (1, 1), (2, 1)], ids=str)
def answer(request):
    return request.param, is_between(*request.param)

def test_answer(answer):
    assert answer[1] is (answer[0] == (1, 1))
"""
EXPECTED = {
    "is_between: -> return True at once",
    "is_between: -> return False at once",
    "is_between: a is None -> a is not None",
    "is_between: if a is None: return False -> (left out)",
    "is_between: return False -> return True",
    "is_between: return 0 < a and a <= b -> return not (0 < a and a <= b)",
    "is_between: 0 < a and a <= b -> 0 < a or a <= b",
    "is_between: ... and 0 < a -> (left out)",
    "is_between: ... and a <= b -> (left out)",
    "is_between: 0 < a -> 0 <= a",
    "is_between: 0 < a -> 1 < a",
    "is_between: a <= b -> a < b",
    "unused: ... - 1 -> (left out)",
    "unused: a - 1 -> a - 2",
}
SMALL_C = """/* a < b && c */
#define LESS(a, b) ((a) < (b))
static int less(int a, int b) {
    if (a < b && b > 0) return 1;
    a += 1; /* a < b */
    return 0;
}
"""


def test_the_faults_of_python() -> None:
    mutants = mutants_of("small.py", SMALL)
    assert {mutant.name for mutant in mutants} == EXPECTED
    assert len({mutant.source for mutant in mutants}) == len(EXPECTED)
    for mutant in mutants:
        changed = ast.unparse(ast.parse(mutant.source))
        assert changed != ast.unparse(ast.parse(SMALL)), mutant.name
        assert "1 < 2 and 3" in changed


def test_the_faults_of_c() -> None:
    names = {mutant.name for mutant in mutants_of("small.c", SMALL_C)}
    line = "if (a < b && b > 0) return 1;"
    assert names == {
        f"less: {line} -> if (a <= b && b > 0) return 1;",
        f"less: {line} -> if (a < b || b > 0) return 1;",
        f"less: {line} -> if (a < b && b >= 0) return 1;",
        f"less: {line} -> if (a < b && b > 0) return 0;",
        "less: if (a < b && b > 0) -> if (!(a < b && b > 0))",
        "less: if (a < b && b > 0) -> if (0)",
        "less: a += 1; -> (left out)",
        "less: return 0; -> return 1;",
    }


def test_every_fault_of_raceproof_is_a_program() -> None:
    for subject in SUBJECTS:
        for module in subject.modules:
            mutants = mutants_of(module, (ROOT / PACKAGE / module).read_text(encoding="utf-8"))
            assert mutants, module
            names = [mutant.name for mutant in mutants]
            assert len(set(names)) == len(names), module
            if module.endswith(".py"):
                for mutant in sampled(mutants, 5, 1):
                    ast.parse(mutant.source)


def test_what_the_table_names_exists() -> None:
    for subject in SUBJECTS:
        for path in subject.tests:
            assert (ROOT / path.partition("::")[0]).exists(), path
    assert [subject.modules for subject in subjects_of(["bmc/trust.py"])] == [("bmc/trust.py",)]
    assert subjects_of(["nothing"]) == []


def test_what_is_called_harmless_exists() -> None:
    named = {module for subject in SUBJECTS for module in subject.modules}
    for module, changes in _by_module().items():
        assert module in named, module
        names = {mutant.name for mutant in mutants_of(module, (ROOT / PACKAGE / module).read_text(encoding="utf-8"))}
        assert not changes - names, f"{module}: remove what is no mutant any more"


def _by_module() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for module, change in read_harmless():
        found.setdefault(module, set()).add(change)
    return found


def test_samples_depend_on_the_seed_only() -> None:
    mutants = mutants_of("small.py", SMALL)
    assert sampled(mutants, 5, 1) == sampled(mutants, 5, 1) != sampled(mutants, 5, 2)
    assert sampled(mutants, 100, 1) == mutants


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in (
        ("src/raceproof/__init__.py", ""),
        ("src/raceproof/small.py", SMALL),
        ("tests/test_small.py", TESTS),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "tests" / "mutation").mkdir()
    for name in ("__init__.py", "plugin.py"):
        shutil.copy2(Path(__file__).with_name(name), root / "tests" / "mutation" / name)
    options = '[tool.pytest.ini_options]\npythonpath = ["src", "tests"]\nmarkers = ["slow"]\n'
    (root / "pyproject.toml").write_text(options, encoding="utf-8")
    return root


def test_survivors_are_those_that_no_test_notices(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    subject = Subject(("small.py",), ("tests/test_small.py",))
    with Sandbox(out, project) as sandbox:
        mutants = mutants_of("small.py", sandbox.read("small.py"))
        results = list(Trials(out / "results.jsonl").run(sandbox, subject, mutants))
        assert sandbox.read("small.py") == SMALL
        assert list(Trials(out / "results.jsonl").run(sandbox, subject, mutants)) == []  # all are known
    assert not sandbox.root.exists()
    assert (project / PACKAGE / "small.py").read_text(encoding="utf-8") == SMALL
    survivors = {result.name for result in results if result.how is None}
    assert survivors == {"unused: ... - 1 -> (left out)", "unused: a - 1 -> a - 2"}
    assert {result.how for result in results if result.name == "is_between: a <= b -> a < b"} == {
        "tests/test_small.py::test_answer[(1, 1)]"
    }


def test_the_table_names_what_is_open_and_why_the_rest_is_not() -> None:
    module = SUBJECTS[0].modules[0]
    results = tuple(Result(str(n), module, f"f: change {n}", n, "", how, 1) for n, how in enumerate(["t", None, None]))
    rows = [Row(module, 9, results)]
    harmless = {(module, "f: change 1"): "it is the same."}
    assert as_text(rows, harmless).splitlines()[-1] == f"SURVIVES src/raceproof/{module}:2: f: change 2"
    text = as_markdown(rows, harmless, "command")
    assert f"| `{module}` | 9 | 3 | 1 | 1 | 1 |" in text
    assert f"- `{module}`, `f: change 1`: it is the same." in text


def test_other_modules_keep_their_lines() -> None:
    first, second = SUBJECTS[0].modules[:2]
    rows = [Row(m, 5, (Result("1", m, "f: change", 1, "", None, 1),)) for m in (first, second)]
    before = as_markdown(rows, {(m, "f: change"): "it is the same." for m in (first, second)}, "command")
    again = [Row(second, 7, (Result("2", second, "g: change", 1, "", "t", 1),))]
    text = as_markdown(again, {}, "command", before)
    assert [line for line in text.splitlines() if line.startswith(("| `", "| all", "- `"))] == [
        f"| `{first}` | 5 | 1 | 0 | 1 | 0 |",
        f"| `{second}` | 7 | 1 | 1 | 0 | 0 |",
        "| all | 12 | 2 | 1 | 1 | 0 |",
        f"- `{first}`, `f: change`: it is the same.",
    ]
