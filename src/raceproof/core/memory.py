"""How often Python looks for garbage that refers to itself.

An analysis makes millions of small objects that live long, and next to none that refer to themselves: by default a
fifth of the time goes into looking for those.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_OBJECTS: Final = 50_000
_YOUNG: Final = 20
_OLD: Final = 100


@contextmanager
def rare_collections() -> Iterator[None]:
    """Until the end of the block Python looks seldom."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], _OBJECTS) if before[0] else 0, _YOUNG, _OLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)
