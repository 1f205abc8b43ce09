"""What may import what: downwards only, and through a package's `__init__`, never from a module inside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src" / "raceproof"

ENGINES = {"lockset", "shapes", "transactions", "petri", "bmc", "explore"}
BELOW_ENGINES = {"core", "ir", "model", "spec", "facts", "domains"}
ABOVE_ENGINES = {"harness", "lsp", "portfolio", "repair", "report"}
MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "ir": {"core"},
    "model": {"core", "ir"},
    "builds": {"core"},
    "frontend": {"core", "ir", "builds"},
    "config": {"core", "ir", "model"},
    "spec": {"core"},
    "facts": {"core", "ir", "model", "spec"},
    "interpreter": {"core", "ir", "spec"},  # a second opinion: no fact, no engine, no runtime has a part in it
    "domains": {"core", "ir", "model", "native"},
    "native": {"core", "frontend"},  # the compiler is the front end's
    **dict.fromkeys(ENGINES, BELOW_ENGINES),
    "cluster": {"core"},
    "explore": BELOW_ENGINES | {"cluster", "frontend", "native"},  # it asks the front end to instrument the IR
    "petri": BELOW_ENGINES | {"native"},
    # it replays, draws nets and graphs, unwinds; it never asks for a proof
    "evidence": BELOW_ENGINES | {"spec", "interpreter", "explore", "petri", "shapes", "transactions", "bmc"},
    "report": {"core", "ir", "model"},
    # each program is checked by a process of its own: no engine is needed here
    "corpora": {"core", "frontend", "model", "report"},
    # patches are proposed from the sources and a result, and tried by checking again
    "repair": {"core", "frontend", "model", "portfolio", "report"},
    "harness": {"core", "frontend"},
    "lsp": {"core"},  # each check is a process of its own
    "portfolio": BELOW_ENGINES | ENGINES | {"config", "frontend"},
    "cli": BELOW_ENGINES | ENGINES | ABOVE_ENGINES | {"builds", "cluster", "config", "corpora", "evidence", "frontend"},
    "api": BELOW_ENGINES | {"frontend", "portfolio", "report"},
    "__main__": {"cli", "builds"},
    "__init__": {"api"},  # when it is first used
}
NAMES_OF_THE_PACKAGE = {"__version__"}


def imported_modules(source: str, package: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(line, dotted name) of everything of raceproof's that the source imports, at any depth of nesting.

    For `from a.b import c` the name is a.b, except for `from raceproof import c`, where c is a package.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    parts = tuple(alias.name.split("."))
                    if parts[0] == "raceproof":
                        yield node.lineno, parts
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package[: len(package) - level + 1] if level else ()
                parts = base + tuple((module or "").split(".") if module else ())
                if parts == ("raceproof",):
                    for alias in names:
                        if alias.name not in NAMES_OF_THE_PACKAGE:
                            yield node.lineno, (*parts, alias.name)
                elif parts[:1] == ("raceproof",):
                    yield node.lineno, parts


def breaches(source: str, package: str, where: str) -> list[str]:
    result = []
    prefix = ("raceproof",) if package in ("__main__", "__init__", "api") else ("raceproof", package)
    for line, parts in imported_modules(source, prefix):
        if len(parts) == 1:
            result.append(f"{where}:{line}: imports raceproof as a whole; name the package")
        elif parts[1] == package:
            continue
        elif parts[1] not in MAY_IMPORT[package]:
            result.append(f"{where}:{line}: {package} must not import {parts[1]}")
        elif len(parts) > 2:
            result.append(f"{where}:{line}: import from raceproof.{parts[1]}, not from {'.'.join(parts)}")
    return result


def package_of(path: Path) -> str:
    parts = path.relative_to(SRC).parts
    return parts[0] if len(parts) > 1 else path.stem


def test_packages_import_downwards_and_through_init() -> None:
    found = []
    for path in sorted(SRC.rglob("*.py")):
        found += breaches(path.read_text(encoding="utf-8"), package_of(path), str(path.relative_to(SRC)))
    assert found == []


def test_every_package_is_in_the_table() -> None:
    packages = {package_of(path) for path in SRC.rglob("*.py")}
    assert packages <= set(MAY_IMPORT)


@pytest.mark.parametrize("package", sorted(p.parent.name for p in SRC.glob("*/__init__.py")))
def test_every_package_says_what_it_is_for(package: str) -> None:
    tree = ast.parse((SRC / package / "__init__.py").read_text(encoding="utf-8"))
    docstring = ast.get_docstring(tree)
    assert docstring is not None
    assert docstring.startswith(f"{package}: ")
    names = {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    assert "__all__" in names


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("core", "from raceproof.ir import Program"),
        ("report", "from raceproof.portfolio import check"),
        ("report", "import raceproof.facts"),
        ("lockset", "from raceproof import petri"),
        ("facts", "def f():\n    from raceproof.frontend import load"),
        ("facts", "from raceproof.model.memory import MemLoc"),
        ("facts", "from ..frontend import load"),
        ("petri", "import raceproof"),
        ("evidence", "from raceproof import lockset"),
        ("corpora", "from raceproof import portfolio"),
    ],
)
def test_breaches_are_found(package: str, source: str) -> None:
    assert len(breaches(source, package, "x.py")) == 1


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("ir", "from raceproof.core import SourcePos"),
        ("facts", "from raceproof.facts.pointers.points_to import solve"),
        ("facts", "from .points_to import solve"),
        ("portfolio", "from raceproof import __version__, facts, lockset"),
        ("cli", "import json, llvmlite"),
        ("explore", "from raceproof import frontend"),
    ],
)
def test_allowed_imports_pass(package: str, source: str) -> None:
    assert breaches(source, package, "x.py") == []
