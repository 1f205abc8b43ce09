"""bench: programs that grow, real programs, and the tables of docs/results.md."""
