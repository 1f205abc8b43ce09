"""repair: patches for data races, each tried on a copy before it is offered."""

from raceproof.repair.annotations import Guard, guards, variable_types, with_guard
from raceproof.repair.candidates import Candidate, Scene, candidates
from raceproof.repair.course import Step, repair_all, results_of
from raceproof.repair.edits import Edit, apply, as_changes, as_patch
from raceproof.repair.trial import Outcome, Program, Repair, best, repairs

__all__ = [
    "Candidate",
    "Edit",
    "Guard",
    "Outcome",
    "Program",
    "Repair",
    "Scene",
    "Step",
    "apply",
    "as_changes",
    "as_patch",
    "best",
    "candidates",
    "guards",
    "repair_all",
    "repairs",
    "results_of",
    "variable_types",
    "with_guard",
]
