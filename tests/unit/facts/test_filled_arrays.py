"""An array that a loop fills before anything else uses it needs no asking whether it was written."""

from pathlib import Path

import pytest
from exploring import load_text

PROGRAM = """
int g;
void take(int *p) { g = *p; }
int work(int n) {
    int table[64];
    %s
    return table[n %% 64];
}
int main(int argc, char **argv) { return work(argc); }
"""


def is_asked(tmp_path: Path, statements: str) -> bool:
    return bool(load_text(PROGRAM % statements, tmp_path).cp.uninitialised.variables)


@pytest.mark.parametrize(
    "statements",
    [
        "for (int i = 0; i < 64; i++) table[i] = n;",
        "for (unsigned i = 0; i < 64; i++) table[i] = n + i;",
        "for (int i = 0; i <= 63; i++) { if (n) g = 2; table[i] = i; }",
        "for (int i = 0; i < 64; i++) table[i] = n; take(table); table[3]++;",
        "for (int j = 0; j < n; j++) g = j; for (int i = 0; i < 64; i++) table[i] = n;",
    ],
)
def test_filled(tmp_path: Path, statements: str) -> None:
    assert not is_asked(tmp_path, statements)


@pytest.mark.parametrize(
    "statements",
    [
        "",
        "for (int i = 0; i < 63; i++) table[i] = n;",
        "for (int i = 1; i < 64; i++) table[i] = n;",
        "for (int i = 0; i < 64; i += 2) table[i] = n;",
        "for (int i = 0; i < n; i++) table[i] = n;",
        "for (int i = 0; i < 64; i++) if (i != n) table[i] = n;",
        "for (int i = 0; i < 64; i++) { if (i == n) continue; table[i] = n; }",
        "for (int i = 0; i < 64; i++) { if (i == n) break; table[i] = n; }",
        "if (n) for (int i = 0; i < 64; i++) table[i] = n;",
        "take(table); for (int i = 0; i < 64; i++) table[i] = n;",
        "for (int i = 0; i < 64; i++) table[i] = i ? table[i - 1] : table[5];",
        "if (n == 7) goto out; for (int i = 0; i < 64; i++) table[i] = n; out: g = 1;",
        "for (int i = 0; i < 64; i++) ((char *)table)[i] = n;",
        "for (int i = 0; i < 64; i++) *(char *)&table[i] = n;",
    ],
)
def test_not_filled(tmp_path: Path, statements: str) -> None:
    assert is_asked(tmp_path, statements)
