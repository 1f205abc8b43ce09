"""Which functions give the same number for the same arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.facts.flow.purity import is_pure

TEXT = """extern int outside(int); int global; _Thread_local int mine; static const int table[] = {3, 1, 2};
static int other(int k) { return k + 1; }
RETURNS f(int k) { BODY }
int main(void) { return (int)f(1) + other(2); }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return k % 16;", True),
        ("return k < 0 ? 0 : k * 3;", True),
        ("int h = 0; while (k > 0) { h ^= k; k >>= 2; } return h;", True),
        ("return other(k) & 3;", True),
        ("switch (k) { case 1: return 4; default: return k / 2; }", True),
        ("return k + global;", False),
        ("global = k; return k;", False),
        ("return k + mine;", False),
        ("return table[k];", False),
        ("return outside(k);", False),
        ("int h; return k > 3 ? h : k;", False),
        ("int h[2] = {k, 1}; int *volatile p = h; return *p;", False),
    ],
)
def test_what_decides_the_result(body: str, expected: bool, tmp_path: Path) -> None:
    assert _is_pure(TEXT.replace("BODY", body).replace("RETURNS", "int"), tmp_path) is expected


def test_the_address_of_a_thread_local_variable_is_no_constant(tmp_path: Path) -> None:
    text = TEXT.replace("BODY", "return k + (long)&mine;").replace("RETURNS", "long")
    assert not _is_pure(text, tmp_path)


def _is_pure(text: str, tmp_path: Path) -> bool:
    path = tmp_path / "program.c"
    path.write_text(text)
    program = frontend.load(frontend.from_files([path]))
    return is_pure(program.functions["f"], program)
