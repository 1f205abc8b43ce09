"""Fetch upstream tarballs of Debian source packages, without touching the machine's own configuration of apt.

A private list of sources is derived from the machine's: the same archives and keys, with `deb-src` for
`deb`. apt checks the signature of the index; each tarball is checked here against the index's checksum.
An archive does not keep old versions, so where the machine's own suites have become stale, the suites
stable, testing and unstable of the same archive are tried after them.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

_URI_LINE = re.compile(r"^'(?P<uri>[^']+)' (?P<file>\S+) (?P<size>\d+) (?P<algorithm>SHA256|SHA512):(?P<digest>\w+)$")
_ONE_LINE = re.compile(r"^deb(?:-src)?\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<rest>.*)$")
_UPSTREAM = re.compile(r"(?<!\.debian)\.tar\.\w+$")
_LATER_SUITES = ("stable", "testing", "unstable")


class FetchError(Exception):
    """What could not be fetched and why, for the user."""


@dataclass(frozen=True, slots=True)
class Source:
    """One archive, as in sources.list."""

    uris: str
    suites: str
    components: str
    signed_by: str

    def stanza(self) -> str:
        signed = f"Signed-By: {self.signed_by}\n" if self.signed_by else ""
        lines = f"Types: deb-src\nURIs: {self.uris}\nSuites: {self.suites}\nComponents: {self.components}\n"
        return lines + signed


@dataclass(frozen=True, slots=True)
class Tarball:
    """A file that the index of an archive lists."""

    file: str
    size: int
    algorithm: str
    digest: str

    def check(self, path: Path) -> None:
        content = path.read_bytes()
        found = hashlib.new(self.algorithm.lower(), content).hexdigest()
        if len(content) != self.size or found != self.digest:
            raise FetchError(f"{self.file} is not what Debian's index says: {self.algorithm} is {found}")


def read_sources(etc: Path = Path("/etc/apt")) -> list[Source]:
    """The machine's archives, from sources.list and sources.list.d in either format."""
    parts = etc / "sources.list.d"
    found: list[Source] = []
    for path in (etc / "sources.list", *sorted(parts.glob("*.list"))):
        if path.is_file():
            found += _parse_one_line(path.read_text(encoding="utf-8"))
    for path in sorted(parts.glob("*.sources")):
        found += _parse_stanzas(path.read_text(encoding="utf-8"))
    return found


def _parse_one_line(text: str) -> Iterator[Source]:
    for line in text.splitlines():
        match = _ONE_LINE.match(line.strip())
        if match is not None:
            options = dict(option.split("=", 1) for option in (match["options"] or "").split() if "=" in option)
            yield Source(match["uri"], match["suite"], match["rest"].strip(), options.get("signed-by", ""))


def _parse_stanzas(text: str) -> Iterator[Source]:
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", plain):
        fields: dict[str, str] = {}
        key = ""
        for line in stanza.splitlines():
            if line[:1].isspace() and key:
                fields[key] += "\n" + line  # a key in the stanza itself goes over several lines
            elif ":" in line:
                key, value = line.split(":", 1)
                key = key.strip().lower()
                fields[key] = value.strip()
        if "uris" in fields and fields.get("enabled", "yes").lower() != "no":
            yield Source(
                fields["uris"], fields.get("suites", ""), fields.get("components", ""), fields.get("signed-by", "")
            )


def attempts(sources: Sequence[Source]) -> list[list[Source]]:
    """What to try, in order: the machine's suites, then each later suite of its Debian archive."""
    if not sources:
        raise FetchError("apt knows no archive on this machine: /etc/apt has no sources")
    tries = [list(sources)]
    main = next((source for source in sources if re.search(r"/debian/?(\s|$)", source.uris)), None)
    if main is not None:
        tries += [[replace(main, suites=suite)] for suite in _LATER_SUITES]
    return tries


def fetch_tarballs(package: str, sources: Sequence[Source], directory: Path) -> list[tuple[Tarball, Path]]:
    """Download the upstream tarballs of a package into an empty directory, and check them."""
    if shutil.which("apt-get") is None:
        raise FetchError("apt-get is not on this machine: the sources come from Debian's archive")
    options = _private_configuration(sources, directory)
    _apt(options, ["update"], directory, may_fail=True)
    work = directory / "tarballs"
    work.mkdir()
    listing = _apt(options, ["--only-source", "--print-uris", "source", package], work)
    tarballs = [
        Tarball(match["file"], int(match["size"]), match["algorithm"], match["digest"])
        for match in map(_URI_LINE.match, listing.splitlines())
        if match is not None and _UPSTREAM.search(match["file"])
    ]
    if not tarballs:
        raise FetchError(f"the index lists no tarball with a checksum for {package}")
    _apt(options, ["--only-source", "--download-only", "--tar-only", "source", package], work)
    fetched = []
    for tarball in tarballs:
        path = work / tarball.file
        if not path.is_file():
            raise FetchError(f"apt did not fetch {tarball.file}")
        tarball.check(path)
        fetched.append((tarball, path))
    return fetched


def _private_configuration(sources: Sequence[Source], directory: Path) -> list[str]:
    for folder in ("parts", "lists/partial", "cache/archives/partial"):
        (directory / folder).mkdir(parents=True)
    (directory / "list.sources").write_text("\n".join(source.stanza() for source in sources), encoding="utf-8")
    settings = {
        "Dir::Etc::sourcelist": directory / "list.sources",
        "Dir::Etc::sourceparts": directory / "parts",
        "Dir::State::lists": directory / "lists",
        "Dir::Cache": directory / "cache",
    }
    return [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]


def _apt(options: Sequence[str], command: Sequence[str], directory: Path, *, may_fail: bool = False) -> str:
    run = subprocess.run(["apt-get", *options, *command], cwd=directory, capture_output=True, text=True, check=False)
    if run.returncode != 0 and not may_fail:
        errors = [line[3:] for line in run.stderr.splitlines() if line.startswith("E: ")]
        raise FetchError("; ".join(errors) or run.stderr.strip() or "apt-get failed")
    return run.stdout
