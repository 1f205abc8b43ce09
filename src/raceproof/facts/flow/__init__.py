"""flow: the flow- and context-sensitive analysis of all threads: locks, order, ownership, values."""
