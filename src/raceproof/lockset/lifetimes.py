"""Local variables that a thread may still use when their function has returned.

Such a use has no meaning in C (6.2.4), and none that a proof could rest on: two calls of the function, or of another
one, may have their variables in the same place. Nothing is said of threads that were there before the call: whether
they have done with the variable is mostly a matter of what the program waits for, beyond what is seen here.
"""

from __future__ import annotations

from raceproof.lockset.order import ancestry, why_ordered
from raceproof.model import ConcurrentProgram, ObjectId


def may_be_outlived(cp: ConcurrentProgram) -> dict[ObjectId, str]:
    """Variable -> its function, where a thread that was created in a call may use the variable behind its return."""
    found: dict[ObjectId, str] = {}
    for access in cp.accesses.values() if cp.lifetimes else ():
        for view in access.views:
            for target in access.targets:
                lifetime = cp.lifetimes.get(target.object)
                if lifetime is None or target.object in found:
                    continue
                if view.objects is not None and target.object not in view.objects:
                    continue
                is_created_in_it = not lifetime.threads.isdisjoint(ancestry(cp, view.thread))
                if is_created_in_it and any(
                    end.thread != view.thread and why_ordered(cp, view, end) is None for end in lifetime.ends
                ):
                    found[target.object] = lifetime.function
    return found
