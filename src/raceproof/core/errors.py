"""Everything raceproof raises on purpose.

`cli.main` turns `InputError`, `Unsupported` and `ToolMissing` into exit status 2 while nothing was analysed;
`portfolio` turns `Unsupported` and `LimitReached` of an engine into UNKNOWN with a reason.
"""

from __future__ import annotations

from raceproof.core.source import SourcePos


class RaceproofError(Exception):
    """Base of all; `pos` is the place in the user's source, if there is one."""

    def __init__(self, message: str, pos: SourcePos | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.pos = pos

    def __str__(self) -> str:
        return f"{self.pos}: {self.message}" if self.pos is not None else self.message


class InputError(RaceproofError):
    """The user's input cannot be used: bad file, syntax error, no main."""


class NoEntry(InputError):
    """The function that is to begin the program is not in it."""


class Unsupported(RaceproofError):
    """The program uses a construct that raceproof does not understand."""

    def __init__(self, construct: str, pos: SourcePos | None = None) -> None:
        super().__init__(f"not supported: {construct}", pos)


class LimitReached(RaceproofError):
    """Time, memory or another budget ran out."""


class ToolMissing(RaceproofError):
    """A program that raceproof needs is not there; the message says how to get it."""


class InternalError(RaceproofError):
    """An invariant of raceproof is broken: a bug in raceproof, never in the input."""


class Contradiction(InternalError):
    """A pair with a proof and a witness: the worst that can happen. `evidence`: both, in full."""

    def __init__(self, message: str, evidence: tuple[str, str]) -> None:
        super().__init__(message)
        self.evidence = evidence
