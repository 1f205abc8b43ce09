"""report: results -> text, JSON, HTML, SARIF, witnesses, traces. Reads core, ir and model; never an engine."""

from raceproof.report.discipline import ATOMIC, Discipline, Place, discipline_table, disciplines, plain_name
from raceproof.report.html import Commands, to_corpus_html, to_html
from raceproof.report.json_format import (
    Json,
    access_to_json,
    deadlock_to_json,
    given_to_json,
    incident_to_json,
    race_to_json,
    to_json,
)
from raceproof.report.json_text import json_text
from raceproof.report.line_formats import LINE_FORMATS, write_lines
from raceproof.report.locations import AccessClass, Location, locations_of
from raceproof.report.sarif import to_sarif
from raceproof.report.schema import report_schema
from raceproof.report.text import Detail, write_text
from raceproof.report.trace import write_trace
from raceproof.report.trace_events import to_trace_events
from raceproof.report.witness import to_witness, why_no_witness

__all__ = [
    "ATOMIC",
    "LINE_FORMATS",
    "AccessClass",
    "Commands",
    "Detail",
    "Discipline",
    "Json",
    "Location",
    "Place",
    "access_to_json",
    "deadlock_to_json",
    "discipline_table",
    "disciplines",
    "given_to_json",
    "incident_to_json",
    "json_text",
    "locations_of",
    "plain_name",
    "race_to_json",
    "report_schema",
    "to_corpus_html",
    "to_html",
    "to_json",
    "to_sarif",
    "to_trace_events",
    "to_witness",
    "why_no_witness",
    "write_lines",
    "write_text",
    "write_trace",
]
