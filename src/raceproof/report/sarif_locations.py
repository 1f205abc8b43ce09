"""Places in SARIF: files relative to the root of the sources, so that they mean the same on every machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote

from raceproof.core import SourcePos
from raceproof.model import TextChange
from raceproof.report.json_format import Json
from raceproof.report.source_lines import read_lines

ROOT = "%SRCROOT%"
_TOKEN = re.compile(rb"[A-Za-z_0-9\x80-\xff]+|->|\+\+|--|<<=|>>=|[-+*/%&|^<>=!]=|.")
"""What a position points at: a name, or the operator that makes the access."""


class Artifacts:
    """The files that results point to, numbered as they come up."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._locations: dict[str, dict[str, Json]] = {}
        self._targets: set[str] = set()
        self._keys: dict[str, str] = {}
        self._lines: dict[str, list[bytes]] = {}

    def add_target(self, file: str) -> None:
        """A file that was analysed, whether or not anything was found in it."""
        self._file(file)
        self._targets.add(self._key(file))

    def base(self) -> dict[str, Json]:
        return {ROOT: {"uri": self._root.as_uri().rstrip("/") + "/"}}

    def as_list(self) -> list[Json]:
        return [
            {
                "location": {key: value for key, value in location.items() if key != "index"},
                "sourceLanguage": "c",
                "roles": ["analysisTarget"] if file in self._targets else ["uncontrolledFile"],
            }
            for file, location in self._locations.items()
        ]

    def physical(self, pos: SourcePos) -> dict[str, Json]:
        """A line of 0 means that only the file is known."""
        place: dict[str, Json] = {"artifactLocation": dict(self._file(pos.file))}
        if pos.line > 0:
            place["region"] = {"startLine": pos.line, **self._columns(pos)}
        return place

    def _columns(self, pos: SourcePos) -> dict[str, Json]:
        """Those of the word there. clang counts bytes, SARIF UTF-16 units; of a file that is gone no end is known."""
        if pos.column <= 0:
            return {}
        if pos.file not in self._lines:
            self._lines[pos.file] = read_lines(pos.file)
        lines = self._lines[pos.file]
        line = lines[pos.line - 1] if pos.line <= len(lines) else b""
        token = _TOKEN.match(line, pos.column - 1)
        if token is None:
            return {"startColumn": pos.column}
        return {"startColumn": _units(line[: token.start()]) + 1, "endColumn": _units(line[: token.end()]) + 1}

    def change(self, change: TextChange) -> dict[str, Json]:
        """A replacement, for `fixes`."""
        region: dict[str, Json] = {
            "startLine": change.line,
            "startColumn": change.column,
            "endLine": change.end_line,
            "endColumn": change.end_column,
        }
        return {"deletedRegion": region, "insertedContent": {"text": change.text}}

    def artifact(self, file: str) -> dict[str, Json]:
        return dict(self._file(file))

    def location(self, pos: SourcePos, text: str, function: str = "") -> dict[str, Json]:
        result: dict[str, Json] = {"physicalLocation": self.physical(pos), "message": {"text": text}}
        if function:
            result["logicalLocations"] = [{"name": function, "kind": "function"}]
        return result

    def _file(self, file: str) -> dict[str, Json]:
        key = self._key(file)
        if key not in self._locations:
            self._locations[key] = {**self._uri(file), "index": len(self._locations)}
        return self._locations[key]

    def _key(self, file: str) -> str:
        """The same for all names of a file."""
        if file not in self._keys:
            self._keys[file] = str(Path(file).resolve())
        return self._keys[file]

    def _uri(self, file: str) -> dict[str, Json]:
        path = Path(file).resolve()
        if path.is_relative_to(self._root):
            return {"uri": quote(os.fsencode(path.relative_to(self._root))), "uriBaseId": ROOT}
        return {"uri": path.as_uri()}


def _units(text: bytes) -> int:
    return len(text.decode("utf-8", "replace").encode("utf-16-le")) // 2
