"""Which atomics tell by what is *not* found in them: only those on whose order all threads agree.

Two threads that release one flag each and then acquire the other's may both find it clear: C11 promises one order of
all accesses to one word, and of all that are sequentially consistent, but not of several words that are weaker. What is
found there is ordered behind its writing all the same.
"""

from __future__ import annotations

from raceproof.model import ConcurrentProgram


def is_one_atomic_word(cp: ConcurrentProgram) -> bool:
    """All atomics that threads share are one, in an object that exists once."""
    atomic = [access for access in cp.accesses.values() if access.order is not None]
    places = {(place.object, place.offset, place.stride, access.size) for access in atomic for place in access.targets}
    if len(places) != 1 or any(access.has_others for access in atomic):
        return False
    [(found, offset, stride, _)] = places
    return cp.objects[found].is_single and offset is not None and stride is None
