"""Count CPU seconds instead of the clock on the wall, so that other work on the machine changes no figure.

    python bench/cpu_clock.py check FILE ...     `raceproof check` with such a clock

Times that are told and limits alike: of this process and of the processes that it has waited for. A process that is
still running keeps a limit of its own, which is the clock on the wall.
"""

from __future__ import annotations

import resource
import time

_GRAIN = 0.005
"""Seconds on the wall for which an answer is good: to ask the system costs more than much of what is measured."""
_wall = time.monotonic
_last = (-1.0, 0.0)


def cpu_seconds() -> float:
    global _last
    now = _wall()
    if now - _last[0] >= _GRAIN:
        spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        _last = now, sum(each.ru_utime + each.ru_stime for each in spent)
    return _last[1]


def use_cpu_clock() -> None:
    """For the rest of this process, in all that reads `time.monotonic`; call it once modules are loaded that wait."""
    time.monotonic = cpu_seconds


if __name__ == "__main__":
    from raceproof.__main__ import entry_point

    use_cpu_clock()
    entry_point()
