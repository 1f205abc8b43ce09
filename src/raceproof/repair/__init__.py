"""repair: patches for data races, each tried on a copy before it is offered."""

from raceproof.repair.candidates import Candidate, Scene, candidates
from raceproof.repair.course import Step, repair_all
from raceproof.repair.edits import Edit, apply, as_patch
from raceproof.repair.trial import Outcome, Program, Repair, best, repairs

__all__ = [
    "Candidate",
    "Edit",
    "Outcome",
    "Program",
    "Repair",
    "Scene",
    "Step",
    "apply",
    "as_patch",
    "best",
    "candidates",
    "repair_all",
    "repairs",
]
