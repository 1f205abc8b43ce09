"""cli: one module per command; argument parsing and exit status only."""

from raceproof.cli.command_line import main
from raceproof.cli.status import Exit

__all__ = ["Exit", "main"]
