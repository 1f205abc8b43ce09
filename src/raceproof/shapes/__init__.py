"""shapes: engine that proves what lists decide, which threads take objects out of and put them into."""

from raceproof.shapes.checking import problem_with
from raceproof.shapes.engine import ShapesOptions, run

__all__ = ["ShapesOptions", "problem_with", "run"]
