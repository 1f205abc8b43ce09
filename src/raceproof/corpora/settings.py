"""What do the results of a run depend on, and so: may two of them be put together?"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """What the results of a run depend on. `digest` stands for the programs, `code` for raceproof itself.

    `path` and `jobs` are here for the reader; a run may go on from elsewhere or with more processes.
    """

    corpus: str
    path: str
    programs: int
    digest: str
    version: str
    code: str
    engines: tuple[str, ...]
    time_limit: float
    cflags: tuple[str, ...]
    data_model: str | None
    headers: str
    jobs: int

    def differences(self, other: Settings) -> tuple[str, ...]:
        """How a run with `other` would be another one, in words."""
        words = {
            "digest": "the programs or their expected verdicts",
            "version": "the version of raceproof",
            "code": "the code of raceproof",
            "engines": "--engines",
            "time_limit": "--time-limit",
            "cflags": "--cflag",
            "data_model": "--data-model",
            "headers": "--headers",
        }
        told = []
        for field, name in words.items():
            before, now = getattr(self, field), getattr(other, field)
            if before != now:
                shown = "" if field in ("digest", "code") else f" ({_said(before)}, now {_said(now)})"
                told.append(name + shown)
        return tuple(told)


def _said(value: object) -> str:
    return (" ".join(map(str, value)) if isinstance(value, tuple) else str(value)) or "none"


def code_digest() -> str:
    """A hash of raceproof itself: a run that goes on with other code would be two halves that do not fit."""
    package = Path(__file__).parents[1]
    hashed = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".c", ".cpp", ".h"):
            hashed.update(f"{path.relative_to(package)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()
