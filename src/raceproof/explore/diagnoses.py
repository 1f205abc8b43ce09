"""Executions that show little because the program was not run as it is used: what happened, and what to give it.

Each text says what the program did, and behind a colon what the user can do about it.
"""

from __future__ import annotations

from typing import Final

from raceproof import facts
from raceproof.explore.options import ExploreOptions
from raceproof.explore.process import HostRun
from raceproof.explore.protocol import LIMITS, BoundedRecord, of_kind
from raceproof.model import ConcurrentProgram

WAITS_FOR_CLIENT: Final = "it waits in accept() for a client that never came: give --client COMMAND"
"""As the runtime says it (native/outside.c)."""
ENDED_ALONE: Final = "the program ended before it created a thread"
FAILS_ALIKE: Final = "every execution ended with the same failure, so that it was given up: see what else was found"

_CUT_SHORT: Final = frozenset(LIMITS.values()) - {LIMITS["INPUTS"], LIMITS["OTHERS"]}


def is_diagnosis(text: str) -> bool:
    """Whether a search says that it could not show more, and why."""
    return text.startswith((WAITS_FOR_CLIENT, ENDED_ALONE))


def why_it_shows_little(cp: ConcurrentProgram, host_run: HostRun, options: ExploreOptions) -> str | None:
    """Why nothing follows from a search in which no thread was created, or the program waited for somebody who was not
    there; None if that is not so."""
    reasons = [record.reason for record in of_kind(host_run.records, BoundedRecord)]
    if WAITS_FOR_CLIENT in reasons:
        return WAITS_FOR_CLIENT
    may_create = any(_creates(name) for name in cp.program.externals)
    if host_run.end != "complete" or not may_create or host_run.stats().get("threads", 0) > 1:
        return None
    if any(reason in _CUT_SHORT for reason in reasons):
        return None  # it did not end: that limit is the reason
    if host_run.stats().get("input_was_empty"):
        return f"{ENDED_ALONE}, and read its standard input, which was empty: give --stdin FILE"
    if not options.arguments:
        return f"{ENDED_ALONE}, and ran without arguments: give some after `--`"
    return f"{ENDED_ALONE}: give other arguments after `--`"


def _creates(name: str) -> bool:
    operation = facts.sync_op(name)
    return operation is not None and operation.kind is facts.Sync.CREATE
