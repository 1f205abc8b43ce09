"""The page of one result: each race step by step, each pair with its reason."""

from __future__ import annotations

from raceproof.model import CheckResult
from raceproof.report.html.document import Commands, document
from raceproof.report.html.page import assemble

_SCRIPTS = (
    "dom.js",
    "theme.js",
    "data.js",
    "terms.js",
    "source.js",
    "overview.js",
    "pairs.js",
    "drawing.js",
    "stepper.js",
    "race.js",
    "page.js",
)


def to_html(result: CheckResult, commands: Commands = Commands()) -> str:  # noqa: B008  frozen
    """The whole report; the source lines that it shows are read now, and a file that is gone is left out."""
    title = f"raceproof: {result.verdict.value}: {', '.join(result.files[:3])}"
    return assemble(title, result.version, document(result, commands), _SCRIPTS, ("page.css",))
