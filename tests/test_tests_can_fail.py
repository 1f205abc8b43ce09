"""No test ends early without a word: what cannot be tried is a counted skip, not a return.

A return is allowed right behind an assertion, and in a test that ends by failing: it looks for something, and has found
it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def _own(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes, but for those in functions inside."""
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            work += ast.iter_child_nodes(node)


def _ends_by_failing(test: ast.FunctionDef) -> bool:
    last = test.body[-1]
    is_call = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
    return isinstance(last, ast.Raise) or (is_call and ast.unparse(last).startswith("pytest.fail("))


def _behind_assertions(test: ast.FunctionDef) -> set[ast.AST]:
    """Statements that come right behind an assertion in the same block."""
    blocks = [
        block
        for node in ast.walk(test)
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(node, name, None), list)
    ]
    return {after for block in blocks for before, after in pairwise(block) if isinstance(before, ast.Assert)}


def silent_ends(source: str) -> list[str]:
    """Where tests return, or let an exception pass as if they had succeeded."""
    found = []
    for test in ast.walk(ast.parse(source)):
        if not isinstance(test, ast.FunctionDef) or not test.name.startswith("test_") or _ends_by_failing(test):
            continue
        allowed = _behind_assertions(test)
        for node in _own(test.body):
            if isinstance(node, ast.Return) and node not in allowed:
                found.append(f"{test.name}: return in line {node.lineno}")
            elif isinstance(node, ast.ExceptHandler) and all(isinstance(s, ast.Pass) for s in node.body):
                found.append(f"{test.name}: exception ignored in line {node.lineno}")
    return found


def test_no_test_ends_early_without_a_word() -> None:
    files = sorted(TESTS.rglob("test_*.py"))
    assert len(files) > 100
    found = [f"{file.relative_to(TESTS)}: {what}" for file in files for what in silent_ends(file.read_text("utf-8"))]
    assert not found, "use pytest.skip, hypothesis.assume or an assertion:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if x:\n        return\n    assert x", 1),
        ("try:\n        assert f()\n    except ValueError:\n        pass", 1),
        ("for y in x:\n        if y:\n            return\n    pytest.fail('none')", 0),
        ("if x:\n        assert y\n        return\n    assert x", 0),
        ("def inner():\n        return 1\n    assert inner()", 0),
        ("assert x", 0),
    ],
)
def test_what_counts_as_silent(body: str, count: int) -> None:
    assert len(silent_ends(f"def test_it(x):\n    {body}\n")) == count
