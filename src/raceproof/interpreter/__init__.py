"""interpreter: every schedule of a small program, by interpreting its IR. Knows neither engines nor the runtime."""

from raceproof.interpreter.clocks import Race, RaceKey
from raceproof.interpreter.memory import NotSupported
from raceproof.interpreter.search import Exploration, explore

__all__ = ["Exploration", "NotSupported", "Race", "RaceKey", "explore"]
