"""report: results -> text and JSON. Reads core, ir and model; never an engine."""

from raceproof.report.json_format import Json, to_json
from raceproof.report.text import write_text

__all__ = ["Json", "to_json", "write_text"]
