"""Exit status of the command: part of the interface."""

from __future__ import annotations

from enum import IntEnum, unique

from raceproof.model import DeadlockVerdict, Verdict


@unique
class Exit(IntEnum):
    """RACE_FREE and RACE: no property that was asked about is violated, or one is. INTERRUPTED is the shell's
    convention for a command that Ctrl-C ended."""

    RACE_FREE = 0
    RACE = 1
    BAD_INPUT = 2
    UNKNOWN = 3
    INTERNAL = 4
    INTERRUPTED = 130

    @staticmethod
    def of(verdict: Verdict) -> Exit:
        match verdict:
            case Verdict.RACE_FREE:
                return Exit.RACE_FREE
            case Verdict.RACE:
                return Exit.RACE
            case Verdict.UNKNOWN:
                return Exit.UNKNOWN

    @staticmethod
    def of_deadlock(verdict: DeadlockVerdict) -> Exit:
        match verdict:
            case DeadlockVerdict.DEADLOCK_FREE:
                return Exit.RACE_FREE
            case DeadlockVerdict.DEADLOCK:
                return Exit.RACE
            case DeadlockVerdict.UNKNOWN:
                return Exit.UNKNOWN
