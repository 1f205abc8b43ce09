"""transactions: engine: transaction graph, invariants over it, refinement. Proves or leaves open."""

from raceproof.transactions.checking import InvariantChecker
from raceproof.transactions.dump import format_graphs, graphs_to_dot
from raceproof.transactions.engine import TransactionsOptions, run

__all__ = ["InvariantChecker", "TransactionsOptions", "format_graphs", "graphs_to_dot", "run"]
