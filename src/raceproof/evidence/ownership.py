"""Private until published: one of the two happens before anybody else can know the object.

That orders the two if finding the pointer is ordered after storing it. So every pair of accesses through which the
pointer may travel must itself be confirmed, and must synchronise where it is made of atomics.
"""

from __future__ import annotations

from collections.abc import Collection

from raceproof.evidence.claims import Key, Ruling, Subject, accepted, not_checked, rejected
from raceproof.model import Access, AccessId, AccessKind, Verdict, View


def check_owned(
    subject: Subject, first: tuple[Access, View], second: tuple[Access, View], assumed: Collection[Key]
) -> Ruling:
    """`assumed` are the pairs that are taken to be race-free here: see `static_proofs`."""
    private = [access for access, view in (first, second) if view.private]
    if not private:
        return rejected("neither access is to an object that only its thread can reach")
    claims = subject.report.by_key()
    wrong: str | None = None
    for access in private:
        objects = {target.object for target in access.targets}
        holders = {number for o in objects for number in subject.cp.may_hold.get(o, ())}
        carriers = [key for key in subject.pairs if holders.intersection(key)]
        open_pairs = [key for key in carriers if claims[key].verdict is not Verdict.RACE_FREE]
        if open_pairs:
            wrong = f"a pointer to the object may be found through pair {claims[open_pairs[0]].id}, which is not proved"
            continue
        if all(key in assumed and _synchronises(subject, key) for key in carriers):
            return accepted("one access is to an object that is not published yet")
    if wrong is not None:
        return rejected(wrong)
    return not_checked("it rests on pairs, through which a pointer is published, that are not confirmed")


def _synchronises(subject: Subject, key: Key) -> bool:
    """Not both atomic, so that what confirmed the pair orders it; or stores that release and loads that acquire."""
    accesses = [subject.cp.accesses[AccessId(number)] for number in key]
    if not all(access.is_atomic for access in accesses):
        return True
    return all(_is_strong(access) for access in accesses)


def _is_strong(access: Access) -> bool:
    order = access.order
    if order is None or (access.kind.writes and not order.releases):
        return False
    return order.acquires or access.kind not in (AccessKind.READ, AccessKind.UPDATE)
