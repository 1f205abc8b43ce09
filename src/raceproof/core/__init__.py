"""core: errors, source positions, budgets, graph algorithms, the size of caches. Knows no C and no races."""

from raceproof.core.budget import Budget
from raceproof.core.errors import (
    Contradiction,
    InputError,
    InternalError,
    LimitReached,
    NoEntry,
    RaceproofError,
    ToolMissing,
    Unsupported,
)
from raceproof.core.graph import dominators, natural_loops, reverse_postorder, strongly_connected, targets_of_back_edges
from raceproof.core.memory import rare_collections
from raceproof.core.names import suggestion
from raceproof.core.numbers import about
from raceproof.core.pruning import PRUNE_INTERVAL, prune
from raceproof.core.source import SourcePos

__all__ = [
    "PRUNE_INTERVAL",
    "Budget",
    "Contradiction",
    "InputError",
    "InternalError",
    "LimitReached",
    "NoEntry",
    "RaceproofError",
    "SourcePos",
    "ToolMissing",
    "Unsupported",
    "about",
    "dominators",
    "natural_loops",
    "prune",
    "rare_collections",
    "reverse_postorder",
    "strongly_connected",
    "suggestion",
    "targets_of_back_edges",
]
