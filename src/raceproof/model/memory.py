"""Memory as the analyses see it: abstract objects and the locations inside them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from raceproof.core import SourcePos
from raceproof.ir import TypeId
from raceproof.model.symbolic import ObjectId


@unique
class ObjectKind(Enum):
    GLOBAL = "global"
    THREAD_LOCAL = "thread-local"  # one instance per thread
    STACK = "stack"
    HEAP = "heap"
    FUNCTION = "function"
    THREAD = "thread"  # what a pthread_t refers to
    UNKNOWN = "unknown"  # memory of the outside world


@dataclass(frozen=True, slots=True)
class MemObject:
    """An abstract object: all objects that come from one definition or allocation site (and context).

    `is_single`: at most one concrete object exists in a run. `size` is None where it is not constant.
    `pos` is the definition or allocation.
    """

    id: ObjectId
    kind: ObjectKind
    name: str
    source_type: TypeId | None
    size: int | None
    is_single: bool
    pos: SourcePos | None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, order=True)
class MemLoc:
    """Bytes of an abstract object: `offset` is None where it is not known, `size` None where it is open.

    With `stride`, the location stands for `offset + k*stride` for every k >= 0: the elements of an array, from its
    first one on. With `count`, only for k < count.
    """

    object: ObjectId
    offset: int | None
    size: int | None
    stride: int | None = None
    count: int | None = None

    def is_before(self, other: MemLoc) -> bool:
        """All of it certainly comes before all of the other, if they are in one object."""
        if self.offset is None or self.size is None or other.offset is None:
            return False
        if self.stride is not None and self.count is None:
            return False
        return self.offset + (self.stride or 0) * ((self.count or 1) - 1) + self.size <= other.offset
