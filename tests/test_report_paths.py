"""A report means the same wherever it is read: files are named relative to its root, wherever that is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from unit.cli.commands import run_command

from raceproof.cli import Exit, check, check_evidence, replay
from raceproof.core import InputError

# The name of a heap object, in the evidence and in targets, has the place where it was allocated.
NODES = """
#include <pthread.h>
#include <stdlib.h>
struct node { pthread_mutex_t lock; int value; int racy; };
static void *work(void *p) {
    struct node *n = p;
    pthread_mutex_lock(&n->lock);
    n->value++;
    pthread_mutex_unlock(&n->lock);
    RACY;
    return 0;
}
int main(void) {
    struct node *n = malloc(sizeof *n);
    pthread_mutex_init(&n->lock, 0);
    n->value = n->racy = 0;
    pthread_t a, b;
    pthread_create(&a, 0, work, n);
    pthread_create(&b, 0, work, n);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return n->value;
}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """`project` with two programs below `src`, a link to it, and a compilation database in `build`."""
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "build").mkdir()
    (project / "src" / "safe.c").write_text(NODES.replace("RACY", ""), encoding="utf-8")
    (project / "src" / "racy.c").write_text(NODES.replace("RACY", "n->racy++"), encoding="utf-8")
    (tmp_path / "link").symlink_to(project, target_is_directory=True)
    entry = {"directory": str(project / "build"), "file": "../src/safe.c", "command": "cc -c ../src/safe.c"}
    (project / "build" / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    return tmp_path


def run_check(*arguments: str) -> Exit:
    return run_command(check.add_parser, "check", *arguments, "--json", "report.json")


@pytest.mark.parametrize(
    ("start", "arguments"),
    [
        ("project", ("src/safe.c",)),
        ("project", ("{tree}/project/src/safe.c",)),
        ("project/build", ("../src/safe.c",)),
        ("project", ("{tree}/link/src/safe.c",)),
        ("link", ("src/safe.c",)),
        ("project", ("-p", "build")),
        ("project/build", ("-p", "compile_commands.json")),
    ],
    ids=["relative", "absolute", "parent", "linked file", "linked directory", "database", "database in place"],
)
def test_evidence_is_checked_from_anywhere(
    start: str, arguments: tuple[str, ...], tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree / start)
    assert run_check(*(argument.format(tree=tree) for argument in arguments)) is Exit.RACE_FREE
    report = tree / "elsewhere.json"
    shutil.move("report.json", report)
    root = json.loads(report.read_text(encoding="utf-8"))["root"]
    assert root == str((tree / start).resolve())
    for directory in (tree, tree / "project" / "src", Path("/")):
        monkeypatch.chdir(directory)
        assert run_command(check_evidence.add_parser, "check-evidence", str(report)) is Exit.RACE_FREE


def test_files_below_the_root_are_relative_to_it(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / "project")
    run_check(str(tree / "project" / "src" / "safe.c"))
    fields = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert {access["file"] for pair in fields["pairs"] for access in pair["accesses"]} == {"src/safe.c"}
    assert all("allocated at src/safe.c:14" in pair["target"] for pair in fields["pairs"])


def test_fingerprints_do_not_depend_on_the_directory(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for directory, name in (("project", "src/safe.c"), ("project/build", "../src/safe.c")):
        monkeypatch.chdir(tree / directory)
        run_check(name)
        fields = json.loads(Path("report.json").read_text(encoding="utf-8"))
        found.append([pair["fingerprint"] for pair in fields["pairs"]])
    assert found[0] == found[1] != []


def test_a_replay_elsewhere_shows_the_source(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tree / "project")
    assert run_check("src/racy.c") is Exit.RACE
    monkeypatch.chdir("/")
    assert run_command(replay.add_parser, "replay", str(tree / "project" / "report.json")) is Exit.RACE
    assert "n->racy++;" in capsys.readouterr().out.split("data race on")[1]


def test_a_program_that_has_moved(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its root is where the user says it is; a file that has changed there is noticed."""
    monkeypatch.chdir(tree / "project")
    run_check("src/safe.c")
    report = tree / "report.json"
    shutil.move("report.json", report)
    monkeypatch.chdir(tree)
    shutil.move("project", "moved")
    with pytest.raises(InputError, match=r"src/safe\.c: no such file; .*--root"):
        run_command(check_evidence.add_parser, "check-evidence", str(report))
    there = ("check-evidence", str(report), "--root", "moved")
    assert run_command(check_evidence.add_parser, *there) is Exit.RACE_FREE
    file = tree / "moved" / "src" / "safe.c"
    file.write_text(file.read_text(encoding="utf-8").replace("n->value++", "n->value--"), encoding="utf-8")
    with pytest.raises(InputError, match="changed"):
        run_command(check_evidence.add_parser, *there)
