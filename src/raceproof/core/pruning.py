"""Keeps directories of things that can be made again below a size."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

PRUNE_INTERVAL: Final = 600.0
"""Seconds between two looks at a cache: it may have a hundred thousand files."""


def prune(root: Path, directories: Iterable[Path], limit: int, interval: float = PRUNE_INTERVAL) -> None:
    """Delete the files used least recently until the rest fits, unless that was looked at a short while ago.

    `root` is where it is noted when that was. Raises `OSError` if it cannot be written to.
    """
    stamp = root / ".pruned"
    if stamp.exists() and 0 <= time.time() - stamp.stat().st_mtime < interval:
        return
    stamp.touch()
    entries: list[tuple[float, int, str]] = []
    for directory in directories:
        if directory.is_dir():
            with os.scandir(directory) as found:
                entries += [_entry(e) for e in found if not e.name.startswith(".") and e.is_file(follow_symlinks=False)]
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= limit:
            break
        Path(path).unlink(missing_ok=True)
        total -= size


def _entry(entry: os.DirEntry[str]) -> tuple[float, int, str]:
    status = entry.stat(follow_symlinks=False)
    return status.st_mtime, status.st_size, entry.path
