"""lockset: engine. Proves race freedom from locks, order and ownership, or leaves pairs open."""

from raceproof.lockset.deadlocks import prove_deadlock_free
from raceproof.lockset.engine import LocksetOptions, run
from raceproof.lockset.lifetimes import may_be_outlived

__all__ = ["LocksetOptions", "may_be_outlived", "prove_deadlock_free", "run"]
