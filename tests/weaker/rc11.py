"""Which races a small program has in all executions that C11 allows, weaker than sequentially consistent ones too.

The plain form: executions are graphs (who reads from which write, the order of each object's writes), made event by
event in every way, and judged by the axioms of RC11 [LVKHD17]: coherence, atomicity of updates, no cycle among what is
sequentially consistent, and nobody reads from his own future.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from weaker.litmus import Atomic, Litmus, Plain, Step

MAX_GRAPHS = 6_000

_ACQUIRES = ("acquire", "acq_rel", "seq_cst")
_RELEASES = ("release", "acq_rel", "seq_cst")

Name = tuple[int, int]
"""Thread and position; -1 and the number of the place for what is there at first."""
Relation = list[int]
"""For each event, the set of those that it is related to, as bits."""


class TooManyGraphs(Exception):
    """The program has more executions than are looked at."""


@dataclass(frozen=True, slots=True)
class _Graph:
    """`done`: of each thread, its steps with what they have read, None if nothing; `source`: by reader, the write that
    it reads from; `orders`: the writes of each place."""

    done: tuple[tuple[int | None, ...], ...]
    source: frozenset[tuple[Name, Name]]
    orders: tuple[tuple[str, tuple[Name, ...]], ...]


class _Program:
    def __init__(self, program: Litmus):
        self.program = program
        steps = [step for thread in program for step in thread if isinstance(step, Atomic)]
        self.places = sorted({step.place for step in steps if step.place})

    def step(self, name: Name) -> Step:
        thread, position = name
        if thread < 0:
            return Atomic("store", "relaxed", self.places[position])
        return self.program[thread][position]

    def done(self, graph: _Graph, name: Name) -> Step:
        """The step as what it turned out."""
        step = self.step(name)
        return step.having_read(graph.done[name[0]][name[1]]) if isinstance(step, Atomic) and step.reads else step

    def written(self, graph: _Graph, name: Name) -> int:
        step = self.step(name)
        assert isinstance(step, Atomic)
        if name[0] < 0:
            return 0
        read = graph.done[name[0]][name[1]] or 0
        return read + step.value if step.kind == "add" else step.value

    def first(self) -> _Graph:
        orders = tuple((place, ((-1, number),)) for number, place in enumerate(self.places))
        return _Graph(((),) * len(self.program), frozenset(), orders)

    def longer(self, graph: _Graph) -> Iterator[_Graph]:
        """Graphs with one event more."""
        for thread, done in enumerate(graph.done):
            if len(done) < len(self.program[thread]):
                yield from self._next(graph, thread)

    def _next(self, graph: _Graph, thread: int) -> Iterator[_Graph]:
        name = (thread, len(graph.done[thread]))
        step = self.step(name)
        if isinstance(step, Plain) or step.kind == "fence":
            yield _with(graph, thread, None)
            return
        writes = dict(graph.orders)[step.place]
        for write in writes if step.reads else ():
            value = self.written(graph, write)
            if (step.kind == "wait" and value != step.value) or (step.kind == "lock" and value != 0):
                continue
            read = _with(graph, thread, value)
            read = _Graph(read.done, read.source | {(name, write)}, read.orders)
            if step.having_read(value).writes:  # right behind what it reads
                yield _placed(read, step.place, name, writes.index(write) + 1)
            else:
                yield read
        if not step.reads:
            for position in range(1, len(writes) + 1):
                yield _placed(_with(graph, thread, None), step.place, name, position)


def _with(graph: _Graph, thread: int, read: int | None) -> _Graph:
    done = list(graph.done)
    done[thread] += (read,)
    return _Graph(tuple(done), graph.source, graph.orders)


def _placed(graph: _Graph, place: str, name: Name, position: int) -> _Graph:
    orders = dict(graph.orders)
    orders[place] = (*orders[place][:position], name, *orders[place][position:])
    return _Graph(graph.done, graph.source, tuple(sorted(orders.items())))


def allowed_races(litmus: Litmus) -> frozenset[tuple[int, int]]:
    """The threads whose accesses to the plain variable race in some execution."""
    program = _Program(litmus)
    seen = {program.first()}
    work = [program.first()]
    found: set[tuple[int, int]] = set()
    while work:
        graph = work.pop()
        for longer in program.longer(graph):
            if longer in seen:
                continue
            seen.add(longer)
            if len(seen) > MAX_GRAPHS:
                raise TooManyGraphs
            judged = _Axioms(program, longer)
            if not judged.hold():
                continue
            found.update(judged.races())
            work.append(longer)
    return frozenset(found)


class _Axioms:
    """The relations of one graph, under the names of [LVKHD17]."""

    def __init__(self, program: _Program, graph: _Graph):
        self.names = [(-1, number) for number in range(len(program.places))]
        self.names += [(t, n) for t, done in enumerate(graph.done) for n in range(len(done))]
        self.steps = [program.done(graph, name) for name in self.names]
        self.graph = graph
        number = {name: i for i, name in enumerate(self.names)}
        size = len(self.names)
        self.sb = [sum(1 << j for j in range(size) if _is_before(self.names[i], self.names[j])) for i in range(size)]
        self.rf = [0] * size
        for reader, write in graph.source:
            self.rf[number[write]] |= 1 << number[reader]
        self.mo = [0] * size
        for _, writes in graph.orders:
            for position, write in enumerate(writes):
                self.mo[number[write]] = sum(1 << number[later] for later in writes[position + 1 :])
        self.rb = _compose(_inverse(self.rf), self.mo)
        for i in range(size):
            self.rb[i] &= ~(1 << i)  # an update that comes behind the write that it reads
        self.hb = _closure(_union(self.sb, self._synchronises()))
        self.eco = _closure(_union(self.rf, self.mo, self.rb))

    def _set(self, holds: Callable[[Atomic], object]) -> int:
        return sum(1 << i for i, step in enumerate(self.steps) if isinstance(step, Atomic) and holds(step))

    def _synchronises(self) -> Relation:
        """sw: from who releases to who acquires."""
        atomics = self._set(lambda s: s.place)
        writes = self._set(lambda s: s.writes)
        fences = self._set(lambda s: s.kind == "fence")
        releases = self._set(lambda s: s.order in _RELEASES)
        acquires = self._set(lambda s: s.order in _ACQUIRES)
        heads = _union(_on(writes, _identity(len(self.steps))), _on(fences, _masked(self.sb, writes)))
        ends = _union(_on(atomics, _identity(len(self.steps))), _masked(self.sb, fences))
        way = _compose(_compose(_compose(heads, self._release_sequences()), self.rf), ends)
        return _on(releases, _masked(way, acquires))

    def _release_sequences(self) -> Relation:
        """By head: the writes that follow it at once, by its thread or updates (C11 5.1.2.4p10)."""
        number = {name: i for i, name in enumerate(self.names)}
        result = [0] * len(self.names)
        updates = {reader for reader, _ in self.graph.source}
        for _, writes in self.graph.orders:
            for position, head in enumerate(writes):
                for write in writes[position:]:
                    if write[0] != head[0] and write not in updates:
                        break
                    result[number[head]] |= 1 << number[write]
        return result

    def _same_place(self, relation: Relation) -> Relation:
        places = [step.place if isinstance(step, Atomic) else "g" for step in self.steps]
        return [
            row & sum(1 << j for j, place in enumerate(places) if place and place == places[i])
            for i, row in enumerate(relation)
        ]

    def hold(self) -> bool:
        return self._is_coherent() and self._is_atomic() and self._has_sequence()

    def _is_coherent(self) -> bool:
        return _is_irreflexive(self.hb) and _is_irreflexive(_compose(self.hb, self.eco))

    def _is_atomic(self) -> bool:
        for _, writes in self.graph.orders:
            for earlier, later in itertools.pairwise(writes):
                source = dict(self.graph.source).get(later)  # of an update
                if source is not None and source != earlier:
                    return False
        return True

    def _has_sequence(self) -> bool:
        size = len(self.steps)
        accesses = self._set(lambda s: s.place and s.order == "seq_cst")
        fences = self._set(lambda s: s.kind == "fence" and s.order == "seq_cst")
        elsewhere = [row & ~same for row, same in zip(self.sb, self._same_place(self.sb), strict=True)]
        hb_or_same = _union(self.hb, _identity(size))
        scb = _union(
            self.sb,
            _compose(_compose(elsewhere, self.hb), elsewhere),
            self._same_place(self.hb),
            self.mo,
            self.rb,
        )
        left = _union(_on(accesses, _identity(size)), _on(fences, hb_or_same))
        right = _union(_on(accesses, _identity(size)), _masked(hb_or_same, fences))
        base = _compose(_compose(left, scb), right)
        between = _union(self.hb, _compose(_compose(self.hb, self.eco), self.hb))
        psc = _union(base, _on(fences, _masked(between, fences)))
        return _is_irreflexive(_closure(psc))

    def races(self) -> Iterator[tuple[int, int]]:
        plain = [i for i, step in enumerate(self.steps) if isinstance(step, Plain) and self._happens(i)]
        for i in plain:
            for j in plain:
                threads = self.names[i][0], self.names[j][0]
                is_ordered = self.hb[i] >> j & 1 or self.hb[j] >> i & 1
                if threads[0] < threads[1] and not is_ordered and (self._writes(i) or self._writes(j)):
                    yield threads

    def _writes(self, event: int) -> bool:
        return self.steps[event].writes

    def _happens(self, event: int) -> bool:
        step = self.steps[event]
        assert isinstance(step, Plain)
        thread = self.names[event][0]
        own = [i for i, name in enumerate(self.names) if name[0] == thread]
        reads = [(self.steps[i], self.graph.done[thread][self.names[i][1]]) for i in own]
        values = {read.register: value for read, value in reads if isinstance(read, Atomic) and _has_register(read)}
        return all(values[register] == value for register, value in step.if_read)


def _has_register(step: Atomic) -> bool:
    return step.reads and step.kind not in ("wait", "lock")


def _is_before(first: Name, second: Name) -> bool:
    if first[0] < 0:
        return second[0] >= 0
    return first[0] == second[0] and first[1] < second[1]


def _identity(size: int) -> Relation:
    return [1 << i for i in range(size)]


def _union(*relations: Relation) -> Relation:
    result = [0] * len(relations[0])
    for relation in relations:
        for i, row in enumerate(relation):
            result[i] |= row
    return result


def _on(events: int, relation: Relation) -> Relation:
    return [row if events >> i & 1 else 0 for i, row in enumerate(relation)]


def _masked(relation: Relation, events: int) -> Relation:
    return [row & events for row in relation]


def _inverse(relation: Relation) -> Relation:
    size = len(relation)
    return [sum(1 << j for j in range(size) if relation[j] >> i & 1) for i in range(size)]


def _compose(first: Relation, second: Relation) -> Relation:
    result = []
    for row in first:
        reached = 0
        while row:
            low = row & -row
            reached |= second[low.bit_length() - 1]
            row ^= low
        result.append(reached)
    return result


def _closure(relation: Relation) -> Relation:
    rows = list(relation)
    for k in range(len(rows)):
        bit, through = 1 << k, rows[k]
        for i, row in enumerate(rows):
            if row & bit:
                rows[i] = row | through
    return rows


def _is_irreflexive(relation: Relation) -> bool:
    return not any(row >> i & 1 for i, row in enumerate(relation))
