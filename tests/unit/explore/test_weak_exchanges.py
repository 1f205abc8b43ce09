"""Weak compare-exchanges whose failure for no reason leads to nothing but another try, and others."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.explore.weak_exchanges import telling_failures

AROUND = """\
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
struct node {{ struct node *next; }};
static _Atomic(struct node *) top;
static atomic_int word, other;
static int plain;
int main(int argc, char **argv) {{
    int seen = 0;
    {statements}
    return seen;
}}
"""
TRY = "atomic_compare_exchange_weak(&word, &seen, 1)"
AGAIN = {
    "at once": f"while (!{TRY}) ;",
    "from the same value": f"while (!{TRY}) seen = 0;",
    "after a while": f"while (!{TRY}) sched_yield();",
    "with what is there now": "do seen = word; while (!atomic_compare_exchange_weak(&word, &seen, seen + 1));",
    "unless it is greater": f"seen = word; while (seen < argc && !{TRY}) ;",
    "unless somebody says so before": f"for (;;) {{ seen = 0; if (other || {TRY}) break; }}",
    "unless there is none left": f"for (;;) {{ seen = word; if (!seen || {TRY}) break; }}",
    "if there is one": "struct node *old = top; while (old && !atomic_compare_exchange_weak(&top, &old, old->next)) ;",
    "with a link": "struct node n, *old = top; do n.next = old; while (!atomic_compare_exchange_weak(&top, &old, &n));",
    "never, if it is strong": "if (atomic_compare_exchange_strong(&word, &seen, 1)) plain++;",
}
TELLING = {
    "once": f"if (!{TRY}) plain++;",
    "some times": f"for (int i = 0; i < 3; i++) if ({TRY}) return 1;",
    "with a count": f"int n = 0; while (!{TRY}) n++; seen = n;",
    "with a count in memory": f"while (!{TRY}) plain++;",
    "unless somebody says so": f"while (!{TRY}) if (other) {{ plain++; break; }}",
    "if it was told to": f"while (!{TRY}) if (argc) {{ plain++; break; }}",
    "unless it finds another value": f"while (!{TRY}) if (seen == 0) return 2;",
    "with an atomic count": f"while (!{TRY}) other++;",
    "with a flag for others": f"while (!{TRY}) atomic_store(&other, argc);",
    "with another one": f"while (!{TRY}) {{ int two = 0; atomic_compare_exchange_strong(&other, &two, 1); }}",
    "with a message": f'while (!{TRY}) puts("again");',
    "with another value": f"while (!{TRY}) seen = argc;",
    "or another one": f"while (!{TRY}) if (argc) seen = 2;",
    "with what it found": "int two = 0; while (!atomic_compare_exchange_weak(&word, &two, 1)) seen = two + 1;",
}


def count(statements: str, tmp_path: Path) -> int:
    file = tmp_path / "program.c"
    file.write_text(AROUND.format(statements=statements), encoding="utf-8")
    return len(list(telling_failures(frontend.load(frontend.from_files([file])))))


@pytest.mark.parametrize("how", AGAIN)
def test_another_try_is_all(how: str, tmp_path: Path) -> None:
    assert count(AGAIN[how], tmp_path) == 0


@pytest.mark.parametrize("how", TELLING)
def test_a_failure_tells(how: str, tmp_path: Path) -> None:
    assert count(TELLING[how], tmp_path) == 1
