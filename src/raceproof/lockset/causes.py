"""What would have to be known first for two accesses to be proved, in a sentence: the rules of `order` and `addresses`
have not shown it. Says nothing about whether there is a race.
"""

from __future__ import annotations

from raceproof.lockset.order import ancestry, runner
from raceproof.model import MAIN, Access, ConcurrentProgram, ObjectKind, ThreadId, View


def missing(cp: ConcurrentProgram, first: Access, view_1: View, second: Access, view_2: View) -> str:
    """The first thing that is not known of these two views."""
    for view in (view_1, view_2):
        thread = cp.threads[runner(cp, view.thread)]
        if thread.id != MAIN and (thread.is_callback or thread.created_at is None):
            return f"when `{_function(cp, thread.id)}` is called is not known"
    for view, other in ((view_1, view_2), (view_2, view_1)):
        if view.thread != other.thread and view.thread in ancestry(cp, other.thread):
            return _not_ended(cp, view, other.thread)
    if view_1.thread == view_2.thread:
        return f"several {_created(cp, view_1.thread)} may run at once{_same_place(cp, first, second)}"
    return f"{_created(cp, view_1.thread)} and {_created(cp, view_2.thread)} may run at once"


def _not_ended(cp: ConcurrentProgram, view: View, other: ThreadId) -> str:
    """`other` is below the thread of the view, which may do its access while that runs."""
    below = ancestry(cp, other)
    child = below[below.index(view.thread) - 1]
    left = next((t for t in below if t in view.moment.may_run), child)
    return f"no join that can be followed shows that {_created(cp, left)} has ended by then"


def _same_place(cp: ConcurrentProgram, first: Access, second: Access) -> str:
    """Why it matters to instances of one thread what they are given."""
    objects = {t.object for t in first.targets} & {t.object for t in second.targets}
    if any(cp.objects[number].kind is ObjectKind.HEAP for number in objects):
        return ", and that each has an object or element of its own is not known"
    if any(target.stride is not None for target in (*first.targets, *second.targets)):
        return ", and that each has elements of its own is not known"
    return ""


def _created(cp: ConcurrentProgram, thread: ThreadId) -> str:
    if thread == MAIN:
        return "the main thread"
    pos = cp.threads[thread].pos
    how = "handed out" if cp.threads[thread].is_callback else "created"
    where = f" ({how} at {pos.file}:{pos.line})" if pos is not None else ""
    return f"`{_function(cp, thread)}`{where}"


def _function(cp: ConcurrentProgram, thread: ThreadId) -> str:
    start = cp.threads[thread].start
    function = cp.program.functions.get(start)
    return function.source_name if function is not None else start
