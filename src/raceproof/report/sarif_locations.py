"""Places in SARIF: files relative to the root of the sources, so that they mean the same on every machine."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from raceproof.core import SourcePos
from raceproof.report.json_format import Json

ROOT = "%SRCROOT%"


class Artifacts:
    """The files that results point to, numbered as they come up."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._locations: dict[str, dict[str, Json]] = {}
        self._targets: set[str] = set()

    def add_target(self, file: str) -> None:
        """A file that was analysed, whether or not anything was found in it."""
        self._file(file)
        self._targets.add(file)

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
            region: dict[str, Json] = {"startLine": pos.line}
            if pos.column > 0:
                region["startColumn"] = pos.column
            place["region"] = region
        return place

    def location(self, pos: SourcePos, text: str, function: str = "") -> dict[str, Json]:
        result: dict[str, Json] = {"physicalLocation": self.physical(pos), "message": {"text": text}}
        if function:
            result["logicalLocations"] = [{"name": function, "kind": "function"}]
        return result

    def _file(self, file: str) -> dict[str, Json]:
        if file not in self._locations:
            self._locations[file] = {**self._uri(file), "index": len(self._locations)}
        return self._locations[file]

    def _uri(self, file: str) -> dict[str, Json]:
        path = Path(file).resolve()
        if path.is_relative_to(self._root):
            return {"uri": quote(os.fsencode(path.relative_to(self._root))), "uriBaseId": ROOT}
        return {"uri": path.as_uri()}
