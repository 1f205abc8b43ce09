"""bench.synth: parts of the program generator. Whole programs come from `bench.generate`."""

from bench.synth.program import Options, Program, build
from bench.synth.size import estimate_instructions
from bench.synth.writing import PlantedRace

__all__ = ["Options", "PlantedRace", "Program", "build", "estimate_instructions"]
