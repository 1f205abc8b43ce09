"""portfolio: runs engines in order under one Budget, merges their findings. No analysis of its own."""

from raceproof.portfolio.alike import MAX_PAIRS
from raceproof.portfolio.check import check, undecided, without_races
from raceproof.portfolio.course import taken_for_granted
from raceproof.portfolio.deadlocks import describe_deadlock
from raceproof.portfolio.engines import ENGINES, Engine, EngineFunction, Settings, model_executor, ordered_pairs
from raceproof.portfolio.ledger import Decision, Ledger
from raceproof.portfolio.naming import Namer
from raceproof.portfolio.sampling import sample
from raceproof.portfolio.trace import race_trace, trace_incident, trace_race

__all__ = [
    "ENGINES",
    "MAX_PAIRS",
    "Decision",
    "Engine",
    "EngineFunction",
    "Ledger",
    "Namer",
    "Settings",
    "check",
    "describe_deadlock",
    "model_executor",
    "ordered_pairs",
    "race_trace",
    "sample",
    "taken_for_granted",
    "trace_incident",
    "trace_race",
    "undecided",
    "without_races",
]
