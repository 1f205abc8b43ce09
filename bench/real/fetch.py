"""Fetch the sources of a real program from Debian's archive into bench/real/work/NAME.

    python bench/real/fetch.py pigz
    python bench/real/fetch.py --list

The upstream tarball as Debian has it, checked against the signed index; no patch is applied. Headers of
libraries that the program needs are installed with apt-get when run as root, otherwise named. Libraries that
the program is run with are fetched as sources too.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import ZIG_CC
from bench.real.apt import FetchError, Source, Tarball, attempts, fetch_tarballs, read_sources
from bench.real.recipes import Provenance, Recipe, choose, load_libraries, load_recipes


def fetch(recipe: Recipe) -> Provenance:
    """Fetch, unpack and prepare one program; what is already there is replaced only when all went well."""
    failures = []
    for sources in attempts(read_sources()):
        suites = " ".join(source.suites for source in sources)
        try:
            return _fetch_from(recipe, sources, suites)
        except FetchError as error:
            failures.append(f"  {suites}: {error}")
            print(f"{recipe.name}: not to be had from {suites}", file=sys.stderr)
    raise FetchError(f"{recipe.package} could not be fetched:\n" + "\n".join(failures))


def _fetch_from(recipe: Recipe, sources: list[Source], suites: str) -> Provenance:
    with tempfile.TemporaryDirectory() as directory:
        fetched = fetch_tarballs(recipe.package, sources, Path(directory))
        tree = Path(directory) / "tree"
        for tarball, path in fetched:
            _unpack(tarball, path, tree)
        recipe.tree.parent.mkdir(exist_ok=True)
        if recipe.tree.exists():
            shutil.rmtree(recipe.tree)
        shutil.move(tree, recipe.tree)
    found = Provenance(recipe.package, suites, {t.file: f"{t.algorithm}:{t.digest}" for t, _ in fetched})
    found.save(recipe.tree)
    return found


def _unpack(tarball: Tarball, path: Path, tree: Path) -> None:
    """Unpack the content of the tarball's one directory; a component (`.orig-NAME.tar`) goes into a folder."""
    component = tarball.file.split(".orig-")[1].split(".tar")[0] if ".orig-" in tarball.file else ""
    target = tree / component
    target.mkdir(parents=True, exist_ok=True)
    try:
        archive = tarfile.open(path)  # noqa: SIM115 - closed by the next line
    except tarfile.ReadError as error:
        raise FetchError(f"{tarball.file} has a compression that Python cannot read") from error
    with archive, tempfile.TemporaryDirectory() as directory:
        archive.extractall(directory, filter="data")
        content = list(Path(directory).iterdir())
        top = content[0] if len(content) == 1 and content[0].is_dir() else Path(directory)
        for entry in top.iterdir():
            shutil.move(entry, target / entry.name)


def install_headers(recipe: Recipe) -> None:
    """See that the headers of the libraries are there; install their packages if this is root."""
    missing = {header: package for header, package in recipe.headers.items() if not _has_header(recipe, header)}
    if not missing:
        return
    packages = sorted(set(missing.values()))
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise FetchError(f"{recipe.name} needs {', '.join(missing)}: install {' '.join(packages)}")
    print(f"{recipe.name} needs {', '.join(missing)}: {' '.join(command)}", file=sys.stderr)
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise FetchError(f"could not install {' '.join(packages)}")


def _has_header(recipe: Recipe, header: str) -> bool:
    """Whether the compiler finds it with the recipe's own flags: some packages have a directory of headers."""
    command = [*ZIG_CC, "-E", *recipe.cflags, "-x", "c", "-include", header, "/dev/null"]
    return subprocess.run(command, cwd=recipe.tree, capture_output=True, check=False).returncode == 0


def prepare(recipe: Recipe) -> None:
    """Run the recipe's commands in the tree."""
    for command in recipe.prepare:
        environment = {**os.environ, "CC": " ".join(ZIG_CC)}
        run = subprocess.run(command, cwd=recipe.tree, capture_output=True, text=True, check=False, env=environment)
        if run.returncode != 0:
            raise FetchError(f"{recipe.name}: {' '.join(command)} failed:\n{run.stderr.strip()[-1000:]}")


def compile_all(recipe: Recipe) -> list[str]:
    """Compile every file; return the messages of those that do not compile."""
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        for source in recipe.sources():
            command = [*ZIG_CC, "-w", "-c", "-O0", *recipe.cflags, source, "-o", f"{directory}/object.o"]
            run = subprocess.run(command, cwd=recipe.tree, capture_output=True, text=True, check=False)
            if run.returncode != 0:
                failures.append(f"{source}: {run.stderr.strip()}")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description="fetch the sources of a real program from Debian's archive")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="list the programs that there are recipes for")
    args = parser.parse_args()
    if args.list or not args.names:
        for recipe in load_recipes().values():
            print(f"{recipe.name:10} {recipe.notes}")
        return 0 if args.list else 2
    for recipe in choose(args.names):
        try:
            provenance = fetch(recipe)
            for library in recipe.run.libraries if recipe.run is not None else ():
                if Provenance.load(load_libraries()[library].tree) is None:
                    fetch(load_libraries()[library])
            install_headers(recipe)
            prepare(recipe)
        except FetchError as error:
            print(f"{recipe.name}: {error}", file=sys.stderr)
            return 1
        failures = compile_all(recipe)
        for failure in failures:
            print(f"{recipe.name}: does not compile: {failure}", file=sys.stderr)
        if failures:
            return 1
        count = len(recipe.sources())
        print(f"{recipe.name} {provenance.version} from {provenance.suites}: {count} C files, all compile")
        for file, digest in provenance.tarballs.items():
            print(f"  {file} {digest}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
