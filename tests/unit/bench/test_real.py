"""Sources of real programs: the lists of apt are read in both formats, and files are checked."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from bench.real.apt import FetchError, Source, Tarball, attempts, read_sources
from bench.real.fetch import install_headers
from bench.real.recipes import Provenance, Recipe, load_recipes

_STANZAS = """Types: deb
# a comment
URIs: http://archive.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/key.gpg

Types: deb
Enabled: no
URIs: http://other.example/debian
Suites: sid
Components: main
"""
_LINES = """# deb http://unused.example/debian sid main
deb [arch=amd64 signed-by=/k.gpg] http://archive.example/debian trixie main contrib
"""


def test_both_formats_of_lists_are_read(tmp_path: Path) -> None:
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(_LINES)
    (tmp_path / "sources.list.d" / "debian.sources").write_text(_STANZAS)
    assert read_sources(tmp_path) == [
        Source("http://archive.example/debian", "trixie", "main contrib", "/k.gpg"),
        Source("http://archive.example/debian", "bookworm bookworm-updates", "main", "/usr/share/keyrings/key.gpg"),
    ]


def test_later_suites_of_the_same_archive_are_tried_with_the_same_key() -> None:
    source = Source("http://archive.example/debian", "bookworm", "main", "/k.gpg")
    tries = attempts([source])
    assert tries[0] == [source]
    assert [entry.suites for tried in tries[1:] for entry in tried] == ["stable", "testing", "unstable"]
    assert all(entry.signed_by == "/k.gpg" for tried in tries for entry in tried)
    assert "Types: deb-src\n" in source.stanza()


def test_no_archive_is_said_clearly() -> None:
    with pytest.raises(FetchError, match="no archive"):
        attempts([])


def test_forged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.xz"
    path.write_bytes(b"content")
    good = Tarball("a.tar.xz", 7, "SHA256", hashlib.sha256(b"content").hexdigest())
    good.check(path)
    path.write_bytes(b"c0ntent")
    with pytest.raises(FetchError, match=r"a\.tar\.xz"):
        good.check(path)


def test_recipes_are_complete() -> None:
    recipes = load_recipes()
    assert "pigz" in recipes
    assert all(recipe.files and recipe.notes for recipe in recipes.values())


def test_sources_are_in_order_and_without_those_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("bench.real.recipes.WORK", tmp_path)
    recipe = Recipe("program", "package", files=("main.c", "*.c"), without=("example.c",))
    recipe.tree.mkdir()
    for name in ("b.c", "a.c", "main.c", "example.c", "a.h"):
        (recipe.tree / name).touch()
    assert recipe.sources() == ["main.c", "a.c", "b.c"]
    (recipe.tree / "main.c").unlink()
    with pytest.raises(SystemExit, match=r"no file main\.c"):
        recipe.sources()


def test_headers_are_looked_for_with_the_flags_of_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("bench.real.recipes.WORK", tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    plain = Recipe("program", "package", files=("*.c",), headers={"in_a_folder.h": "folder-dev"})
    (plain.tree / "folder").mkdir(parents=True)
    (plain.tree / "folder" / "in_a_folder.h").touch()
    install_headers(replace(plain, cflags=("-Ifolder",)))
    with pytest.raises(FetchError, match="install folder-dev"):
        install_headers(plain)


def test_version_comes_from_the_tarball() -> None:
    assert Provenance("pigz", "stable", {"pigz_2.8.orig.tar.xz": "SHA256:0"}).version == "2.8"
