"""Memory that may be read before anything was written there, as an executed program is asked about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from raceproof.ir import SiteId


@dataclass(frozen=True, slots=True)
class UninitialisedMemory:
    """Errs on the side of more: what is not listed never reads a byte that was not written.

    `variables`: local variables, by the instruction that makes them, with their size (None where it is not constant).
    `reads`, `writes`: by instruction, the numbers of those of its touches that may go to such memory. `copies`:
    instructions whose first read is moved to their first write as it is, initialised or not.
    """

    variables: Mapping[SiteId, int | None] = field(default_factory=dict)
    reads: Mapping[SiteId, frozenset[int]] = field(default_factory=dict)
    writes: Mapping[SiteId, frozenset[int]] = field(default_factory=dict)
    copies: frozenset[SiteId] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.reads)


NOTHING_UNINITIALISED = UninitialisedMemory()
