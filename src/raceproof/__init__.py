"""raceproof: a verifier for data races in C programs with threads."""

__version__ = "0.1.0"
