"""Where threads may wait for what others hold: the facts from which the order of locks is made.

A *resource* is what a thread may have and another one may wait for: a lock, the right to run an initialiser, an atomic
section, or the end of a thread, which that thread itself holds back as long as it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, unique

from raceproof.core import SourcePos
from raceproof.ir import SiteId
from raceproof.model.concurrency import View
from raceproof.model.symbolic import ObjectId, ThreadId


@unique
class ResourceKind(Enum):
    LOCK = "lock"
    THREAD_END = "end of a thread"
    ATOMIC_SECTION = "atomic section"
    MODEL = "lock of a model"


@dataclass(frozen=True, slots=True)
class Resource:
    """All concrete resources that one name stands for: a lock by its abstract object and offset (None: anywhere in it),
    a thread by its number, a lock without an object by the name that the user gave it."""

    kind: ResourceKind
    object: ObjectId | None = None
    offset: int | None = None
    thread: ThreadId | None = None
    name: str = ""

    def __str__(self) -> str:
        parts = (self.object, self.offset, self.thread, self.name or None)
        return f"{self.kind.value} {' '.join(str(part) for part in parts if part is not None)}".strip()


@dataclass(frozen=True, slots=True)
class Wait:
    """A thread waits at a call until it gets one of `may_want`, and may hold all of `may_hold` meanwhile (which
    includes its own end). Errs on the side of more."""

    thread: ThreadId
    site: SiteId
    may_want: frozenset[Resource]
    may_hold: frozenset[Resource]


@dataclass(frozen=True, slots=True)
class Unaccounted:
    """A place at which a thread may wait for something that is no resource, or that is not understood."""

    text: str
    pos: SourcePos | None

    def __str__(self) -> str:
        return f"{self.text} ({self.pos.file}:{self.pos.line})" if self.pos is not None else self.text


@dataclass(frozen=True, slots=True)
class Waiting:
    """All waits of the program, each once; `unaccounted`: other places at which threads may wait, if there are any:
    then nothing follows from the waits. `views`: the ways in which threads come to a wait, by its site."""

    waits: tuple[Wait, ...]
    unaccounted: tuple[Unaccounted, ...]
    views: Mapping[SiteId, tuple[View, ...]] = field(default_factory=dict)
