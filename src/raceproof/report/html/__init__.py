"""The report as one HTML file that opens offline, for a person who wants to understand a race or a proof."""

from raceproof.report.html.page import to_html

__all__ = ["to_html"]
