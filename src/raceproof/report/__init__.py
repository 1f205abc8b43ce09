"""report: results -> text, JSON, traces. Reads core, ir and model; never an engine."""

from raceproof.report.json_format import Json, to_json
from raceproof.report.text import write_text
from raceproof.report.trace import write_trace

__all__ = ["Json", "to_json", "write_text", "write_trace"]
