"""Count CPU seconds instead of the clock on the wall, so that other work on the machine changes no figure.

    python bench/cpu_clock.py check FILE ...     `raceproof check` with such a clock

Times that are told and limits alike: of this process and of the processes that it has waited for. A process that is
still running keeps a limit of its own, which is the clock on the wall.
"""

from __future__ import annotations

import resource
import time


def cpu_seconds() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in spent)


def use_cpu_clock() -> None:
    """For the rest of this process, in all that reads `time.monotonic`; call it once modules are loaded that wait."""
    time.monotonic = cpu_seconds


if __name__ == "__main__":
    from raceproof.__main__ import entry_point

    use_cpu_clock()
    entry_point()
