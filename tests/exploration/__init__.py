"""exploration: the six algorithms of the explorer against one another, on generated programs."""
