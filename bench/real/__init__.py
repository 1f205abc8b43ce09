"""bench.real: real programs from Debian's sources, fetched and analysed whole."""
