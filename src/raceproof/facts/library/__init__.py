"""library: what functions outside the program do to memory and threads, as tables."""
