"""What a flow found, put together from the contexts that were run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from raceproof.facts.flow.contexts import AccessKey, Context, ThreadRecord
from raceproof.facts.flow.observations import Uses
from raceproof.ir import SiteId
from raceproof.model import Assumption, CountDown, Linear, ObjectId, Signal, ThreadId, Tie, View

ThreadKey = tuple[ThreadId, tuple[SiteId, ...], SiteId, str]  # creator, call sites, creation, start function


@dataclass(frozen=True, slots=True)
class FlowResult:
    """What a flow found: threads, the views of every access, and how locks, semaphores, barriers and flags are used.

    `returns`: of functions that may create threads, views without an address of the moments at which they return.
    `waits`: the views of operations at which a thread may have to wait.
    """

    records: tuple[ThreadRecord, ...]
    threads: tuple[ThreadKey, ...]
    views: Mapping[AccessKey, tuple[View, ...]]
    candidates: frozenset[Signal]
    counters: Mapping[Linear, CountDown]
    token_objects: frozenset[ObjectId]
    turn_words: frozenset[Linear]
    assumptions: tuple[Assumption, ...]
    contexts: int
    uses: Uses
    ties: tuple[Tie, ...] = ()
    returns: Mapping[str, tuple[View, ...]] = field(default_factory=dict)
    waits: Mapping[SiteId, tuple[View, ...]] = field(default_factory=dict)


def reached_contexts(entries: Iterable[tuple[Context, ThreadId]]) -> list[tuple[Context, ThreadId]]:
    """Contexts that the last runs of their callers really use, starting with the threads' entries; by thread."""
    seen = dict.fromkeys(entries)
    work = list(seen)
    while work:
        context, thread = work.pop()
        for called in context.calls:
            if (called, thread) not in seen:
                seen[(called, thread)] = None
                work.append((called, thread))
    return list(seen)


def views_in(reached: Iterable[tuple[Context, ThreadId]]) -> dict[AccessKey, tuple[View, ...]]:
    """The views of every access, each as one of the thread that comes there."""
    views: dict[AccessKey, dict[View, None]] = {}
    for context, thread in reached:
        for key, found in context.views.items():
            for view in found:
                views.setdefault(key, {})[view if view.thread == thread else replace(view, thread=thread)] = None
    return {key: tuple(found) for key, found in sorted(views.items())}


def waits_in(reached: Iterable[tuple[Context, ThreadId]]) -> dict[SiteId, tuple[View, ...]]:
    """The same for operations at which a thread may have to wait."""
    views: dict[SiteId, dict[View, None]] = {}
    for context, thread in reached:
        for site, found in context.waits.items():
            for view in found:
                views.setdefault(site, {})[view if view.thread == thread else replace(view, thread=thread)] = None
    return {site: tuple(found) for site, found in sorted(views.items())}


def returns_of(functions: Collection[str], reached: Iterable[tuple[Context, ThreadId]]) -> dict[str, tuple[View, ...]]:
    """The moments at which the functions return."""
    found: dict[str, dict[View, None]] = {}
    for context, thread in reached:
        if context.function in functions:
            for leave in context.exits:
                view = View(thread, None, frozenset(), leave.state.moment(), private=False)
                found.setdefault(context.function, {})[view] = None
    return {name: tuple(views) for name, views in found.items()}
