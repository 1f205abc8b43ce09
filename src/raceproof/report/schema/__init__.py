"""The JSON schemas (draft 2020-12) of what `--json` writes, for programs that read it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import cast

from raceproof.report.json_format import Json


def report_schema() -> dict[str, Json]:
    """Of `check` and `explore`."""
    return _schema("report")


def petri_schema() -> dict[str, Json]:
    """Of `petri`."""
    return _schema("petri")


def _schema(name: str) -> dict[str, Json]:
    text = files(__name__).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    return cast(dict[str, Json], json.loads(text))  # an object, as the files are ours
