"""Colours for terminals, or none."""

from __future__ import annotations

from dataclasses import dataclass

from raceproof.model import Verdict


@dataclass(frozen=True, slots=True)
class Paint:
    """Marks text up when `enabled`; the text keeps its width on the screen."""

    enabled: bool

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        return self._wrap("2", text)

    def verdict(self, verdict: Verdict, text: str) -> str:
        match verdict:
            case Verdict.RACE:
                return self._wrap("1;31", text)
            case Verdict.RACE_FREE:
                return self._wrap("1;32", text)
            case Verdict.UNKNOWN:
                return self._wrap("1;33", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.enabled else text
