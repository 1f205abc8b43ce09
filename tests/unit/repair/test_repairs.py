"""Repairs of small programs: what is advised, that it passes the check, and that wrong ones do not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from raceproof import frontend, portfolio, repair, report
from raceproof.cli import Exit, main
from raceproof.core import Budget
from raceproof.explore import ExploreOptions
from raceproof.model import Verdict

THREADS = """
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
"""
HEAD = "#include <pthread.h>\n"
MEMBER = """
struct pool { pthread_mutex_t mu; int pending, done; };
static struct pool pool = { .mu = PTHREAD_MUTEX_INITIALIZER };
static int look(struct pool *p) {
    return p->pending;
}
static void *worker(void *arg) {
    pthread_mutex_lock(&pool.mu);
    pool.pending++;
    pthread_mutex_unlock(&pool.mu);
    if (look(&pool) > 1)
        return NULL;
    return arg;
}
"""
COUNTER = "static int hits;\nstatic void *worker(void *arg) {\n    hits++;\n    return arg;\n}\n"
LOST = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static void add(int n) {
    balance = balance * 2 + n;
}
static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    add(1);
    pthread_mutex_unlock(&m);
    add(2);
    return arg;
}
"""
WALK = """
static int x, y;
static void *worker(void *arg) {
    while (x < 3)
        x = x + y + 1;
    if (y == 0)
        y = x;
    return arg;
}
"""
LATE = """
static int result;
static void *worker(void *arg) {
    result = 42;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int found = result;
    pthread_join(t, NULL);
    return found;
}
"""


def repaired(tmp_path: Path, text: str) -> tuple[list[repair.Step], dict[str, bytes]]:
    file = tmp_path / "program.c"
    file.write_text(HEAD + text, encoding="utf-8")
    settings = portfolio.Settings(search=ExploreOptions(find_all=True))
    program = repair.Program(frontend.from_files([file]), settings, ("lockset", "explore"), {})
    result = program.check(Budget.seconds(60))
    racing = [found for found in report.locations_of(result) if found.verdict is Verdict.RACE]
    assert racing
    steps = list(repair.repair_all(program, result, racing, Budget.seconds(120)))
    texts = next((step.repair.texts for step in reversed(steps) if step.repair is not None), {})
    return steps, dict(texts)


@pytest.mark.parametrize(
    ("text", "words", "lines"),
    [
        (MEMBER + THREADS, "hold pool.mu", ["pthread_mutex_lock(&p->mu);", "int result = p->pending;"]),
        (COUNTER + THREADS, "make hits _Atomic", ["static _Atomic int hits;"]),
        (LATE, "join the thread", ["    pthread_join(t, NULL);\n    int found = result;\n    return found;"]),
        (LOST + THREADS, "hold m around the call", ["    pthread_mutex_lock(&m);\n    add(2);"]),
    ],
    ids=["member", "counter", "join", "callee"],
)
def test_the_repair_that_the_program_suggests(tmp_path: Path, text: str, words: str, lines: list[str]) -> None:
    steps, texts = repaired(tmp_path, text)
    assert [step.is_left for step in steps if not step.is_gone] == [False]
    assert words in next(step.repair.candidate.title for step in steps if step.repair is not None)
    assert all(line in "".join(t.decode() for t in texts.values()) for line in lines)


def test_conditions_of_loops_and_branches(tmp_path: Path) -> None:
    steps, texts = repaired(tmp_path, WALK + THREADS)
    assert not any(step.is_left for step in steps)
    again = repair.Program(
        frontend.from_files([tmp_path / "program.c"]), portfolio.Settings(), ("lockset", "explore"), texts
    )
    assert again.check(Budget.seconds(60)).verdict is not Verdict.RACE


@pytest.mark.slow
def test_what_makes_a_deadlock_or_leaves_the_race_is_not_accepted(tmp_path: Path) -> None:
    steps, _ = repaired(tmp_path, LOST + THREADS)
    tried = [each for step in steps for each in step.tried]
    assert repair.Outcome.DEADLOCK in [each.outcome for each in tried]  # the lock inside `add`, which is called with it


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nx\ny\nc\n"),
        ("a\nb\nc\n", "0\na\nb\n"),
        ("a\nb", "a\nb\nc"),
        ("a\nb", "a"),
        ("\U0001f600\r\nb\n", "b\n"),
        ("", "a\n"),
    ],
)
def test_changes_make_of_the_old_text_the_new_one(old: str, new: str) -> None:
    lines = old.splitlines(keepends=True)
    starts = [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]

    def offset(line: int, column: int) -> int:
        ahead = old[starts[line - 1] :].encode("utf-16-le")[: 2 * (column - 1)]
        return starts[line - 1] + len(ahead.decode("utf-16-le"))

    text = old
    for change in reversed(repair.as_changes({"/f.c": old.encode()}, {"/f.c": new.encode()})):
        begin, end = offset(change.line, change.column), offset(change.end_line, change.end_column)
        text = text[:begin] + change.text + text[end:]
    assert text == new


SIGNALLED = """
struct logger { pthread_mutex_t mutex; pthread_cond_t more; int stopping, written; };
static struct logger l = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static void *worker(void *arg) {
    pthread_mutex_lock(&l.mutex);
    while (!l.stopping)
        pthread_cond_wait(&l.more, &l.mutex);
    pthread_mutex_unlock(&l.mutex);
    l.written++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int found = l.written;
    l.stopping = 1;
    pthread_cond_signal(&l.more);
    pthread_join(t, NULL);
    return found;
}
"""


@pytest.mark.slow
def test_a_join_before_what_the_thread_waits_for_is_no_repair(tmp_path: Path) -> None:
    """The signal can be missed as it is, so there was a deadlock before; with the join moved there is nothing else."""
    file = tmp_path / "program.c"
    file.write_text(HEAD + SIGNALLED, encoding="utf-8")
    settings = portfolio.Settings(search=ExploreOptions(find_all=True))
    program = repair.Program(frontend.from_files([file]), settings, ("lockset", "explore"), {})
    result = program.check(Budget.seconds(60))
    location = next(found for found in report.locations_of(result) if found.name == "l.written")
    tried = repair.repairs(program, result, location, Budget.seconds(300))
    refused = (repair.Outcome.DEADLOCK, repair.Outcome.UNKNOWN)
    assert next(each.outcome for each in tried if each.candidate.waits) in refused


def test_edits_that_meet_are_refused() -> None:
    one, other = repair.Edit("f", 0, 3, 0, "x"), repair.Edit("f", 2, 4, 0, "y")
    assert repair.apply({"f": b"abcdef"}, [one, other]) is None
    assert repair.apply({"f": b"abcdef"}, [one, repair.Edit("f", 3, 3, 1, "+")]) == {"f": b"x+def"}


def test_the_command_prints_a_patch_that_applies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "counter.c"
    file.write_text(HEAD + COUNTER + THREADS, encoding="utf-8")
    assert main(["fix", "counter.c", "--engines", "lockset,explore"]) == Exit.RACE_FREE
    patch = capsys.readouterr().out
    assert patch.startswith("# hits: make hits _Atomic; checked: proved race-free")
    assert "_Atomic" not in file.read_text()
    subprocess.run(["git", "apply", "-"], input=patch, text=True, check=True, cwd=tmp_path, env=dict(os.environ))
    assert "_Atomic int hits" in file.read_text()
    assert main(["fix", "counter.c", "--engines", "lockset,explore"]) == Exit.RACE_FREE
    assert "no race was found" in capsys.readouterr().out
    assert main(["fix", "counter.c", "--race", "7", "--engines", "lockset"]) == Exit.BAD_INPUT
