"""Tries mutants, and remembers what came of it.

The file of results has one JSON line for each mutant that was tried. A mutant that was noticed is not tried again; one
that survived is tried again as soon as its tests have changed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from mutation.mutants import Mutant
from mutation.sandbox import Sandbox
from mutation.subjects import Subject

_NO_MUTANT = "does not compile"


@dataclass(frozen=True, slots=True)
class Result:
    """`how` it was noticed: the first test that failed, or that it did not end; None if it survived.

    `ran`: how many tests execute it. `tests`: which state of the tests that was.
    """

    mutant: str
    module: str
    name: str
    line: int
    tests: str
    how: str | None
    ran: int

    @property
    def is_mutant(self) -> bool:
        """C that does not compile is none."""
        return self.how != _NO_MUTANT


class Trials:
    """All that were ever tried, in `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Result] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                result = Result(**json.loads(line))
                self._known[result.mutant] = result

    def result(self, mutant: Mutant) -> Result | None:
        return self._known.get(mutant.identity)

    def run(self, sandbox: Sandbox, subject: Subject, mutants: list[Mutant]) -> Iterator[Result]:
        """Try those that are not known yet."""
        paths = [path for path in subject.tests if (sandbox.root / path.partition("::")[0]).exists()]
        tests = digest_of(sandbox.root, paths)
        left = [mutant for mutant in mutants if not self._is_done(mutant, tests)]
        if not left:
            return
        answers = sandbox.run(paths, left)
        base = next(answers)
        for name in base["failed"]:
            print(f"left out, as it fails without a mutant: {name}", file=sys.stderr)
        for mutant, answer in zip(left, answers, strict=False):
            how, ran = answer["how"], answer["tests"]
            result = Result(mutant.identity, mutant.module, mutant.name, mutant.line, tests, how, ran)
            self._note(result)
            yield result

    def _is_done(self, mutant: Mutant, tests: str) -> bool:
        result = self.result(mutant)
        return result is not None and (result.how is not None or result.tests == tests)

    def _note(self, result: Result) -> None:
        self._known[result.mutant] = result
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(result)) + "\n")


def digest_of(root: Path, paths: list[str]) -> str:
    """Of the content of the tests, and of the programs if they are among them."""
    digest = hashlib.sha256()
    for path in dict.fromkeys(path.partition("::")[0] for path in paths):
        place = root / path
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        if place.name == "test_programs.py":
            files += sorted((place.parent / "programs").rglob("*.c"))
        for file in files:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
