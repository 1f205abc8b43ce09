"""Why a pair is open: the first thing that would have to be known, in words about the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import lockset
from raceproof.core import Budget
from raceproof.facts import analyse, describe_location, race_pairs
from raceproof.frontend import Cache, from_files, load
from raceproof.model import Verdict

PROGRAM = """#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
static int x; static int *p; static pthread_t ids[4], t, u;
static void h(int n) {{ x = n; }}
static void *f(void *a) {{ {f}; return a; }}
static void *g(void *a) {{ {g}; return a; }}
int main(int argc, char **argv) {{
    {main};
    return 0;
}}
"""
EITHER = "pthread_create(ids, 0, f, 0); pthread_create(ids + 1, 0, g, 0); pthread_join(ids[argc & 1], 0); x = 2"
TWICE = "for (int i = 0; i < 4; i++) pthread_create(&ids[i], 0, f, malloc(4))"


@pytest.mark.parametrize(
    ("f", "g", "main", "cause"),
    [
        ("x = 1", "", EITHER, "no join that can be followed shows that `f` (created at program.c:9) has ended"),
        ("x = 1", "x = 2", "pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0)", "`g` (created at"),
        ("x = 1", "", TWICE, "several `f` (created at program.c:"),
        ("p = a; *p = 1; p = 0", "", TWICE, "an object or element of its own"),
        ("x = 1", "", "signal(SIGINT, h); pthread_create(&t, 0, f, 0)", "when `h` is called is not known"),
    ],
)
def test_the_first_thing_that_is_not_known(
    f: str, g: str, main: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.c").write_text(PROGRAM.format(f=f, g=g, main=main), encoding="utf-8")
    cp = analyse(load(from_files([Path("program.c")], ("-w",)), cache=Cache(None)), Budget.unlimited())
    found = lockset.run(cp, race_pairs(cp), lockset.LocksetOptions(), Budget.unlimited()).findings
    names = [describe_location(cp, finding.pair.target) for finding in found]
    still_open = [str(finding.evidence) for finding in found if finding.verdict is Verdict.UNKNOWN]
    assert any(cause in text for text in still_open), (names, still_open)
