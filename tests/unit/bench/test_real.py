"""Sources of real programs: the lists of apt are read in both formats, and files are checked."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bench.real.apt import FetchError, Source, Tarball, attempts, read_sources
from bench.real.recipes import Provenance, load_recipes

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


def test_version_comes_from_the_tarball() -> None:
    assert Provenance("pigz", "stable", {"pigz_2.8.orig.tar.xz": "SHA256:0"}).version == "2.8"
