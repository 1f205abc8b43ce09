"""Time budgets: the only way to stop a long computation."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from raceproof.core.errors import LimitReached


@dataclass(frozen=True, slots=True)
class Budget:
    """A point in time after which `check` raises `LimitReached`."""

    deadline: float
    total: float

    @staticmethod
    def seconds(limit: float) -> Budget:
        return Budget(time.monotonic() + limit, limit)

    @staticmethod
    def unlimited() -> Budget:
        return Budget(math.inf, math.inf)

    def remaining(self) -> float:
        return self.deadline - time.monotonic()

    def part(self, seconds: float) -> Budget:
        """At most so much of what is left."""
        return self if self.remaining() <= seconds else Budget.seconds(seconds)

    def check(self) -> None:
        """Raise `LimitReached` once the time is up; call it once per loop round."""
        if time.monotonic() > self.deadline:
            raise LimitReached(f"time limit of {self.total:g} s reached")
