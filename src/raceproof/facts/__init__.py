"""facts: whole-program facts from the IR: points-to, threads, order, locks -> ConcurrentProgram."""

from raceproof.facts.analysis import analyse, race_pairs
from raceproof.facts.naming import describe_location, describe_lock, format_facts

__all__ = ["analyse", "describe_location", "describe_lock", "format_facts", "race_pairs"]
