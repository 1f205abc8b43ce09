"""The page of a run over many programs with known verdicts, or of two runs beside one another."""

from __future__ import annotations

from raceproof.report.html.page import assemble
from raceproof.report.json_format import Json

_SCRIPTS = (
    "dom.js",
    "theme.js",
    "terms.js",
    "corpus_data.js",
    "corpus_plots.js",
    "corpus_programs.js",
    "corpus_page.js",
)


def to_corpus_html(title: str, version: str, data: Json) -> str:
    """`data` is what `corpora.page` makes: runs, categories, engines, programs."""
    return assemble(title, version, data, _SCRIPTS, ("page.css", "corpus.css"))
