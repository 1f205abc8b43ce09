"""Memory that a program may have under more than one address: mapped files, attached segments."""

from __future__ import annotations

from typing import Final

from raceproof.ir import Call, IntConst

MAPPED: Final = "memory that is mapped twice"
SEGMENTS: Final = "segments of shared memory"
UNDER_MANY_ADDRESSES: Final = frozenset({MAPPED, SEGMENTS})
"""Objects, by their names, that a run may show at several addresses. Nobody who compares addresses can tell."""

_SHARED, _FIXED, _ANONYMOUS = 0x01, 0x10, 0x20  # MAP_SHARED and so on, as Linux has them


def leaves_its_memory(call: Call) -> bool:
    """Whether a call of mremap may leave the old address valid for the same memory: if the old size is 0."""
    size = call.args[1] if len(call.args) > 1 else None
    return not isinstance(size, IntConst) or size.value == 0


def may_be_mapped_twice(call: Call, flags: int) -> bool:
    """Whether a mapping may be the same memory as another one: that of a file, or at an address of the program's
    choice. `flags`: which argument says so."""
    value = call.args[flags] if flags < len(call.args) else None
    if not isinstance(value, IntConst):
        return True
    is_of_file = value.value & _SHARED and not value.value & _ANONYMOUS
    return bool(is_of_file or value.value & _FIXED)
