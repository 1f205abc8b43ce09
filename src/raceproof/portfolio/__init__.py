"""portfolio: runs engines in order under one Budget, merges their findings. No analysis of its own."""

from raceproof.portfolio.check import check, undecided
from raceproof.portfolio.engines import ENGINES, EngineFunction, Settings
from raceproof.portfolio.ledger import Decision, Ledger

__all__ = ["ENGINES", "Decision", "EngineFunction", "Ledger", "Settings", "check", "undecided"]
