"""`python -m raceproof`."""

from raceproof.cli import entry_point

entry_point()
