"""Pages as one HTML file each that opens offline, for a person who wants to understand a race, a proof, a run."""

from raceproof.report.html.corpus import to_corpus_html
from raceproof.report.html.document import Commands
from raceproof.report.html.report import to_html

__all__ = ["Commands", "to_corpus_html", "to_html"]
