"""influence: which plain values from outside may decide what the threads of a program do."""

from raceproof.facts.influence.comparators import only_compares
from raceproof.facts.influence.walk import Influence, Source

__all__ = ["Influence", "Source", "only_compares"]
