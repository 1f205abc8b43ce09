"""What is deleted when a cache grows too large, and what never is."""

from __future__ import annotations

import os
from pathlib import Path

from raceproof.core import prune


def test_only_plain_files_go_and_only_as_many_as_must(tmp_path: Path) -> None:
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    (cache / "directory").mkdir(parents=True)
    elsewhere.write_bytes(bytes(1000))
    (cache / "link").symlink_to(elsewhere)
    (cache / ".hidden").write_bytes(bytes(1000))
    for age, name in enumerate(("new", "older", "oldest")):
        (cache / name).write_bytes(bytes(10))
        os.utime(cache / name, (1_000_000 - age, 1_000_000 - age))
    for limit, left in ((30, {"new", "older", "oldest"}), (29, {"new", "older"}), (10, {"new"})):
        prune(cache, [cache, tmp_path / "missing"], limit, interval=0.0)
        assert {path.name for path in cache.iterdir()} == {*left, "directory", "link", ".hidden", ".pruned"}
    assert elsewhere.exists()
