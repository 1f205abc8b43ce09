"""harness: a main for code without one: threads that call its public functions in any order on shared objects."""

from raceproof.harness.interface import Interface, interface_of
from raceproof.harness.text import harness_text

__all__ = ["Interface", "harness_text", "interface_of"]
