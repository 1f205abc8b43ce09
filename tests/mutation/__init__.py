"""mutation: small faults put into raceproof on purpose, to see whether the tests notice."""
