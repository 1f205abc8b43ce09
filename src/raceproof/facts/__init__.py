"""facts: whole-program facts from the IR: points-to, threads, order, locks -> ConcurrentProgram."""

from raceproof.facts.analysis import analyse
from raceproof.facts.atomic_words import is_one_atomic_word
from raceproof.facts.blocks import BlockNames
from raceproof.facts.call_targets import installs_handlers, may_end_thread
from raceproof.facts.flow.touches import FILLED, MemoryTouch, SyncUse, touches_of
from raceproof.facts.leaps import Leaps, leaps_of
from raceproof.facts.library.effects import (
    RELEASING,
    ArgBytes,
    Bytes,
    CString,
    Format,
    Reach,
    Returns,
    Sync,
    SyncOp,
    WholeObject,
)
from raceproof.facts.library.formats import format_text, scanf_fresh
from raceproof.facts.library.libc import atomic_call, effect_of, is_assumption, known_effect
from raceproof.facts.library.mappings import UNDER_MANY_ADDRESSES
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import is_atomic_function, sync_object_size, sync_op, thread_operations
from raceproof.facts.models import unwatched_sites
from raceproof.facts.mutex_kinds import has_fallible_locks, recursion_counts
from raceproof.facts.naming import describe_location, describe_lock, format_facts, objects_of_symbols
from raceproof.facts.place_names import place_name
from raceproof.facts.race_pairs import race_pairs
from raceproof.facts.surface import surface

__all__ = [
    "FILLED",
    "RELEASING",
    "UNDER_MANY_ADDRESSES",
    "ArgBytes",
    "BlockNames",
    "Bytes",
    "CString",
    "Format",
    "Leaps",
    "MemoryTouch",
    "Reach",
    "Returns",
    "Sync",
    "SyncOp",
    "SyncUse",
    "WholeObject",
    "analyse",
    "atomic_call",
    "describe_location",
    "describe_lock",
    "effect_of",
    "format_facts",
    "format_text",
    "has_fallible_locks",
    "installs_handlers",
    "is_assumption",
    "is_atomic_function",
    "is_one_atomic_word",
    "known_effect",
    "leaps_of",
    "may_end_thread",
    "names_of",
    "objects_of_symbols",
    "place_name",
    "race_pairs",
    "recursion_counts",
    "scanf_fresh",
    "surface",
    "sync_object_size",
    "sync_op",
    "thread_operations",
    "touches_of",
    "unwatched_sites",
]
