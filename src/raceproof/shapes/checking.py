"""Confirms what is claimed of locks and the heap: no step leads out of it, and the accesses are the owners'.

The steps are those of `execution`; how the pieces were found has no part in this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raceproof.core import Budget
from raceproof.model import AccessId, ConcurrentProgram, HeapMap, ObjectId
from raceproof.shapes.certificates import decoded
from raceproof.shapes.execution import Execution, Observed
from raceproof.shapes.surroundings import Protected, Surroundings, overlaps
from raceproof.shapes.symbolic_heap import Place


def problem_with(cp: ConcurrentProgram, found: HeapMap, budget: Budget) -> str | None:
    """What is wrong with it; None if it is confirmed.

    Raises `InputError` if it makes no sense, `LimitReached` if there is too much to follow, `Unsupported` if the
    program cannot be followed.
    """
    around = Surroundings(cp)
    layout = replace(around.layout, link=found.link)
    read = [decoded(around, layout, lock) for lock in found.locks]
    protected = [Protected(lock, roots) for lock, roots, _ in read]
    places = [place for group in protected for place in (group.lock, *group.roots)]
    if len(set(places)) != len(places):
        return "a place is protected twice"
    if not all(around.may_protect(group) for group in protected):
        return "a lock, or a place that it protects, is none that can be followed"
    hosts = frozenset(map(ObjectId, found.hosts))
    if not all(number in cp.objects and around.may_host(number) for number in hosts):
        return "an object that may exist more than once is told as one"
    execution = Execution(around, layout, protected, hosts, budget, [pieces for _, _, pieces in read])
    execution.run()
    if execution.surprise is not None:
        return "a lock is given back with something else on the heap"
    if execution.seen.spoilt:
        return "a place is written by a thread that does not own it"
    is_owned = ownership(execution.seen, around.program.pointer_size)
    if not all(is_owned(*pair) for pair in found.pairs):
        return "an access may go to an object that its thread does not own"
    return None


def ownership(seen: Observed, width: int) -> Callable[[AccessId, AccessId], bool]:
    """Whether two accesses never meet: each goes to nodes of its thread or to variables, and only one to variables."""
    for access in seen.blind.values():
        for target in access.targets:
            if any(overlaps(target, Place(number, offset), width) for number, offset in seen.relied_on):
                return lambda first, second: False  # what is known of nodes may have been overwritten
    known = (seen.owned | seen.placed) - seen.others

    def is_owned(first: AccessId, second: AccessId) -> bool:
        return first in known and second in known and not (first in seen.placed and second in seen.placed)

    return is_owned
