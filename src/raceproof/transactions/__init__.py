"""transactions: engine: transaction graph, invariants over it, refinement. Proves or leaves open."""

from raceproof.transactions.checking import InvariantChecker
from raceproof.transactions.dump import format_graphs, graphs_to_dot
from raceproof.transactions.engine import TransactionsOptions, run
from raceproof.transactions.independence import Reduction

__all__ = ["InvariantChecker", "Reduction", "TransactionsOptions", "format_graphs", "graphs_to_dot", "run"]
