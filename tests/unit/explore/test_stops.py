"""Library functions that stop to read before the end of a string: a race is executed only on what they certainly read.

`text` is "12 ab,cd"; one thread calls the function, the other one writes the byte in question.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import load_text, search

PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
char text[] = "12 ab,cd"; char *rest; int length = LENGTH;
void *look(void *arg) { char buffer[20]; (void)buffer; (void)!CALL; return arg; }
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, look, 0);
  text[BYTE] = 'z';
  pthread_join(a, 0);
}
"""
# The call, and the last byte that it certainly reads; behind it are bytes that it may read, or, if `ends`, none.
CALLS = [
    ("atoi(text)", 2, False),
    ("strtol(text, 0, 10)", 2, False),
    ("strtoul(text, 0, 2)", 1, False),
    ("strtol(text, 0, 16)", 2, False),
    ("(int)strtod(text, 0)", 2, False),
    ("strchr(text, 'a')", 3, False),
    ("strspn(text, \"12\")", 2, False),
    ("strcspn(text, \",\")", 5, False),
    ("strpbrk(text, \"ba\")", 3, False),
    ("strstr(text, \"ab\")", 4, False),
    ("strcmp(text, \"12x\")", 2, False),
    ("strcmp(\"12x\", text)", 2, False),
    ("strncmp(text, \"12x\", 7)", 2, False),
    ("strncmp(text, \"12 ab\", 4)", 3, True),
    ("strcasecmp(text, \"12x\")", 2, False),
    ("memcmp(text, \"12xxxxxx\", 8)", 2, False),
    ("memcmp(text, \"12 ab,cd\", 4)", 3, True),
    ("snprintf(buffer, 20, \"%.*s\", 3, text)", 2, True),
    ("snprintf(buffer, 20, \"%.*s\", length, text)", 3, True),
]  # fmt: skip


@pytest.mark.parametrize(("call", "last", "ends"), CALLS)
def test_races_are_executed_on_what_is_read(call: str, last: int, ends: bool, tmp_path: Path) -> None:
    text = PROGRAM.replace("CALL", call).replace("LENGTH", "4")
    racy = search(load_text(text.replace("BYTE", str(last)), tmp_path), "race", find_all=True)
    assert racy.races, racy.why()
    behind = search(load_text(text.replace("BYTE", str(last + 1)), tmp_path), "race", find_all=True)
    assert not behind.races, behind.why()
    assert behind.is_proved == ends, behind.why()
    assert ends or "may read more than it needs" in behind.why()


def test_a_negative_precision_is_none(tmp_path: Path) -> None:
    text = PROGRAM.replace("CALL", 'snprintf(buffer, 20, "%.*s", length, text)').replace("LENGTH", "-2")
    assert search(load_text(text.replace("BYTE", "7"), tmp_path), "race", find_all=True).races


@pytest.mark.parametrize("algorithm", ["dfs", "optimal", "pdp", "dhtc"])
def test_every_search_tells_the_two_apart(algorithm: str, tmp_path: Path) -> None:
    text = PROGRAM.replace("CALL", "strtol(text, 0, 10)").replace("LENGTH", "1")
    assert search(load_text(text.replace("BYTE", "0"), tmp_path), algorithm, find_all=True).races
    behind = search(load_text(text.replace("BYTE", "4"), tmp_path), algorithm, find_all=True)
    assert not behind.races
    assert not behind.is_proved
