"""What can influence whether two accesses meet: the cone of influence over the events of the unwound program.

Everything at which a thread may have to wait stays. Of the memory, what is left are the accesses themselves, and the
reads whose values decide about one of these (whether it is reached, and what it is about), with the writes that they
may see.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import z3

from raceproof.bmc.events import MEMORY, READING, WRITING, Event, Kind
from raceproof.bmc.interrupts import Watch
from raceproof.bmc.terms import Value
from raceproof.bmc.unwound import Unwound
from raceproof.model import AccessId

_BLOCKING = frozenset(Kind) - MEMORY - {Kind.CUT}


@dataclass(frozen=True, slots=True)
class Slice:
    """`kept`: events that take part; `bound`: the reads among them whose values matter."""

    kept: frozenset[Event]
    bound: frozenset[Event]


class Slicer:
    """Of one unwound program; slices for different accesses share what was found out about terms."""

    def __init__(self, unwound: Unwound, watch: Watch) -> None:
        self._unwound = unwound
        self._watch = watch
        self._variables: dict[int, tuple[object, frozenset[str]]] = {}
        self._events = [event for thread in unwound.threads for event in thread.events]
        self._reads: dict[str, Event] = {}
        for event in self._events:
            if event.kind in READING and not event.is_resolved:
                for name in self.variables(event.result):
                    self._reads.setdefault(name, event)
        self._writes = [event for event in self._events if event.kind in WRITING and not event.is_free]

    def variables(self, value: Value) -> frozenset[str]:
        """Names of the variables in a term."""
        if isinstance(value, int):
            return frozenset()
        work = [(value, False)]
        while work:
            self._watch.check()
            at, is_ready = work.pop()
            key = at.get_id()
            if key in self._variables:
                continue
            children = at.children()
            if not children:
                is_variable = z3.is_const(at) and at.decl().kind() == z3.Z3_OP_UNINTERPRETED
                self._variables[key] = (at, frozenset({at.decl().name()}) if is_variable else frozenset())
            elif is_ready:
                found = frozenset().union(*(self._variables[child.get_id()][1] for child in children))
                self._variables[key] = (at, found)
            else:
                work.append((at, True))
                work += [(child, False) for child in children if child.get_id() not in self._variables]
        return self._variables[value.get_id()][1]

    def slice(self, accesses: Iterable[AccessId], with_cuts: bool = False) -> Slice:
        """What matters for these accesses; `with_cuts`: and for whether anything was cut."""
        wanted = set(accesses)
        kinds = _BLOCKING | ({Kind.CUT} if with_cuts else set())
        work = [e for e in self._events if e.kind in kinds or (e.kind in MEMORY and not wanted.isdisjoint(e.accesses))]
        if with_cuts:
            work += [event for event, _ in self._unwound.overwriting]
        kept, bound = set(work), set()
        while work:
            self._watch.check()
            for name in sorted(self._decided_by(work.pop())):
                read = self._reads.get(name)
                if read is None or read in bound:
                    continue
                bound.add(read)
                for event in (read, *self._seen_by(read)):
                    if event not in kept:
                        kept.add(event)
                        work.append(event)
        return Slice(frozenset(kept), frozenset(bound))

    def _decided_by(self, event: Event) -> set[str]:
        """Variables in what decides about the event, and in what it writes."""
        terms = [event.guard, event.address, event.value, event.condition]
        if event.kind is Kind.JOIN and not isinstance(event.result, int):
            terms += [thread.result for thread in self._unwound.threads]
        return {name for value in terms for name in self.variables(value)}

    def _seen_by(self, read: Event) -> list[Event]:
        memory = self._unwound.memory
        return [
            w for w in self._writes if w is not read and memory.may_overlap(w.address, w.size, read.address, read.size)
        ]

    def everything(self) -> Slice:
        """No slice at all."""
        return Slice(frozenset(self._events), frozenset(e for e in self._events if e.kind in READING))
