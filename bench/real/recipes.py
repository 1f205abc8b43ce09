"""The recipes of programs.toml, and where the sources are."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
WORK = HERE / "work"
_PROVENANCE = "fetched.json"
_LIBRARIES = "library"


@dataclass(frozen=True, slots=True)
class Execution:
    """How the explorer runs the program: with these arguments, and with the sources of what it calls.

    `part`: the files of the program that these arguments need; empty: all. Paths are relative to the tree, like those
    of the recipe.
    """

    arguments: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    part: tuple[str, ...] = ()
    cflags: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        """What is run beside or instead of the whole program, for the reader."""
        beside = [f"the sources of {name}" for name in self.libraries] + [Path(file).name for file in self.files]
        parts = [f"with {' and '.join(beside)}"] if beside else []
        return ", ".join([*parts, *([f"only {' '.join(self.part)}"] if self.part else []), *self.cflags])


@dataclass(frozen=True, slots=True)
class Judgement:
    """What somebody who read the source thinks of a race on this variable: does it matter, and why.

    `target` is the variable's name in the report, or a part of it that no other variable has.
    """

    target: str
    matters: str
    why: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """One entry of programs.toml; its head says what the fields mean."""

    name: str
    package: str
    files: tuple[str, ...]
    without: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    prepare: tuple[tuple[str, ...], ...] = ()
    cflags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    notes: str = ""
    time_limit: int | None = None
    run: Execution | None = None
    not_run: str = ""
    races: tuple[Judgement, ...] = ()
    remarks: str = ""

    @property
    def tree(self) -> Path:
        return WORK / self.name

    def sources(self) -> list[str]:
        """The C files of the program, relative to the tree, each pattern in order of name."""
        found: list[str] = []
        for pattern in self.files:
            matches = sorted(path.relative_to(self.tree).as_posix() for path in self.tree.glob(pattern))
            if not matches:
                raise SystemExit(f"{self.name}: no file {pattern} in {self.tree}: fetch it, or correct programs.toml")
            found += [match for match in matches if match not in self.without and match not in found]
        return found


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a source tree comes from: the tarballs with the checksums of Debian's signed index."""

    package: str
    suites: str
    tarballs: dict[str, str]

    @property
    def version(self) -> str:
        first = next(iter(self.tarballs))
        return first.removeprefix(f"{self.package}_").split(".orig")[0].split(".tar")[0]

    def save(self, tree: Path) -> None:
        content = {"package": self.package, "suites": self.suites, "tarballs": self.tarballs}
        (tree.parent / f"{tree.name}.{_PROVENANCE}").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    @staticmethod
    def load(tree: Path) -> Provenance | None:
        path = tree.parent / f"{tree.name}.{_PROVENANCE}"
        if not path.exists() or not tree.is_dir():
            return None
        content = json.loads(path.read_text(encoding="utf-8"))
        return Provenance(content["package"], content["suites"], content["tarballs"])


def load_recipes() -> dict[str, Recipe]:
    """All programs by name."""
    return {name: _recipe(name, entry) for name, entry in _read().items() if name != _LIBRARIES}


def load_libraries() -> dict[str, Recipe]:
    """The libraries whose sources programs are run with, by name."""
    return {name: _recipe(name, entry) for name, entry in _read().get(_LIBRARIES, {}).items()}


def choose(names: list[str]) -> list[Recipe]:
    """The recipes of these names; ends the program with a message if one does not exist."""
    recipes = load_recipes()
    unknown = [name for name in names if name not in recipes]
    if unknown:
        raise SystemExit(f"no recipe for {', '.join(unknown)}; programs.toml has {', '.join(recipes)}")
    return [recipes[name] for name in names]


def _read() -> dict[str, Any]:
    with (HERE / "programs.toml").open("rb") as file:
        return tomllib.load(file)


def _recipe(name: str, entry: Mapping[str, Any]) -> Recipe:
    run = entry.get("run")
    return Recipe(
        name=name,
        package=entry["package"],
        files=tuple(entry["files"]),
        without=tuple(entry.get("without", ())),
        headers=dict(entry.get("headers", {})),
        prepare=tuple(tuple(command) for command in entry.get("prepare", ())),
        cflags=tuple(entry.get("cflags", ())),
        arguments=tuple(entry.get("arguments", ())),
        notes=entry.get("notes", ""),
        time_limit=entry.get("time_limit"),
        run=None if run is None else Execution(**{key: tuple(value) for key, value in run.items()}),
        not_run=entry.get("not_run", ""),
        races=tuple(Judgement(**race) for race in entry.get("races", ())),
        remarks=entry.get("remarks", ""),
    )
