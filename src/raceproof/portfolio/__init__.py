"""portfolio: runs engines in order under one Budget, merges their findings. No analysis of its own."""

from raceproof.portfolio.check import check, undecided
from raceproof.portfolio.engines import ENGINES, Engine, EngineFunction, Settings, model_executor, ordered_pairs
from raceproof.portfolio.ledger import Decision, Ledger
from raceproof.portfolio.trace import trace_incident, trace_race

__all__ = [
    "ENGINES",
    "Decision",
    "Engine",
    "EngineFunction",
    "Ledger",
    "Settings",
    "check",
    "model_executor",
    "ordered_pairs",
    "trace_incident",
    "trace_race",
    "undecided",
]
