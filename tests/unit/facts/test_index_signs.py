"""Where two arrays of a struct meet: which of them an index leads to."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.transactions.c_programs import of_text

TEXT = "static struct { int before, left[4], right[4]; } s;\n"
TEXT += "void *f(void *p) { int *at = s.right; int n = *(int *)p; INDEX\n return 0; }\n"
TEXT += "void *g(void *p) { s.left[3] = 2; return 0; }\n"
TEXT += "int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }"


@pytest.mark.parametrize(
    ("index", "may_lead_back"),
    [
        ("for (int i = 0; i < n; i++) at[i] = 1;", False),
        ("for (unsigned long i = 0; i < 4; i += 2) at[i] = n;", False),
        ("at[n] = 1;", True),
        ("at[-n] = 1;", True),
        ("at[(unsigned)n] = 1;", False),
        ("at[n & 3] = 1;", False),
        ("at[n % 4] = 1;", True),
        ("for (int i = 0; i < n; i++) at[i - 4] = 1;", True),
        ("for (unsigned i = n; i < 4; i++) at[(int)(i * 3)] = 1;", True),
        ("while (n--) *at++ = 1;", False),
        ("while (n--) *--at = 1;", True),
        ("at[-1] = 1;", True),
        ("at[1] = 1;", False),
    ],
)
def test_which_array_an_index_leads_to(index: str, may_lead_back: bool, tmp_path: Path) -> None:
    assert bool(of_text(TEXT.replace("INDEX", index), tmp_path).pairs) is may_lead_back
