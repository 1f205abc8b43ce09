"""pointers: points-to for the whole program, the call graph, and what happens at most once."""
