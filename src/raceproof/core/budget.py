"""Time budgets: the only way to stop a long computation."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from raceproof.core.errors import LimitReached


@dataclass(frozen=True, slots=True)
class Budget:
    """A point in time after which `check` raises `LimitReached`. `is_share`: of a larger one, chosen by raceproof."""

    deadline: float
    total: float
    is_share: bool = False

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
        return self if self.remaining() <= seconds else Budget(time.monotonic() + seconds, seconds, is_share=True)

    @property
    def end(self) -> str:
        """What to say of one that has ended; who gave no limit of 0.69 s is not told of one."""
        if self.is_share:
            seconds = f"{self.total:.2f}".rstrip("0").rstrip(".") or "0"
            return f"its share of the time, {seconds} s, was up"
        return f"time limit of {self.total:g} s reached"

    def check(self) -> None:
        """Raise `LimitReached` once the time is up; call it once per loop round."""
        if time.monotonic() > self.deadline:
            raise LimitReached(self.end)
