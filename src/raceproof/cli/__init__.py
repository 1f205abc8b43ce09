"""cli: one module per command; argument parsing and exit status only."""

from raceproof.cli.command_line import entry_point, main
from raceproof.cli.status import Exit

__all__ = ["Exit", "entry_point", "main"]
