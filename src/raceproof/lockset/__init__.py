"""lockset: engine. Proves race freedom from locks, order and ownership, or leaves pairs open."""

from raceproof.lockset.engine import LocksetOptions, run

__all__ = ["LocksetOptions", "run"]
