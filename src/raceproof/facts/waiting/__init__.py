"""Where threads may wait, and what they may hold meanwhile."""
