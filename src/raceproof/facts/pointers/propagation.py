"""The constraint graph and its solver: sets of pointer values flowing along copy edges to a fixpoint.

Follows [And94, ch. 4] (inclusion constraints), solved in waves as in [PB09, Alg. 1]: merge the cycles of copy edges,
whose nodes all end up with one set; propagate differences in topological order; then apply the constraints that
look at the values themselves, which add edges for the next wave.

Paper -> here: P_cur, P_old -> `pts`, `done`; P_cache of the complex constraints -> `seen`.
Differs:
  * cycles are looked for again only after enough new edges;
  * a node has at most one node for what its values point to (`load`), one for what is stored behind them (`store`)
    and one per operation (`shift`), so that pointers found to be equal have these merged too;
  * of a large set that has all of an object, values that point into that object go no further: see `covered`;
  * field arithmetic and calls found while solving are constraints like the others. Sets are Python ints.

Invariants between two steps:
  * `parent[n]` is the representative of n (merging compresses all paths at once);
  * `done[n]` has reached all successors, `seen[n]` all other constraints, but for what is covered; where `pts[n]` has
    more, n is queued;
  * a *fixed* node has no constraints: its set is known when it is made and never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from typing import Protocol

from raceproof.core import Budget, InternalError

Watch = Callable[[int], None]
"""Called for each pointer value that arrives in a node; perhaps more than once, so it must be idempotent."""

NONE = -1
LARGE_SET = 16
_NODE_BITS = 32
_NODE_MASK = (1 << _NODE_BITS) - 1
_BYTE_BITS = [tuple(b for b in range(8) if byte >> b & 1) for byte in range(256)]


def members(bits: int) -> list[int]:
    """The elements of a set, in rising order."""
    result: list[int] = []
    if bits.bit_count() <= 24:
        while bits:
            low = bits & -bits
            result.append(low.bit_length() - 1)
            bits ^= low
        return result
    for at, byte in enumerate(bits.to_bytes((bits.bit_length() + 7) // 8, "little")):
        if byte:
            start = at * 8
            result.extend([start + b for b in _BYTE_BITS[byte]])
    return result


class Shift(Protocol):
    """Pointer arithmetic from the values of one node to those of `target`; `distance` if it adds a constant."""

    target: int

    @property
    def distance(self) -> int | None: ...

    def apply(self, bits: int) -> int: ...


class Cells(Protocol):
    """What pointer values point to: the node to read from, and the node to write to; None if there is none."""

    def read_of(self, value: int) -> int | None: ...

    def write_of(self, value: int) -> int | None: ...


class ConstraintGraph:
    """Nodes with points-to sets. `cells` must be set before constraints are made.

    `covered`: the part of a set that says nothing which the rest does not say as well.
    """

    cells: Cells
    covered: Callable[[int], int]

    def __init__(self) -> None:
        self.covered = lambda bits: 0
        self.parent: list[int] = []
        self.pts: list[int] = []
        self.done: list[int] = []
        self.seen: list[int] = []
        self.succ: list[set[int]] = []
        self.is_fixed = bytearray()
        self._load: list[int] = []
        self._store: list[int] = []
        self._shifts: list[dict[object, Shift] | None] = []
        self._watches: list[list[Watch] | None] = []
        self._order: list[int] = []
        self._is_queued = bytearray()
        self._queue: list[int] = []
        self._complex: dict[int, None] = {}
        self._fixed: dict[int, int] = {}
        self._edges = 0
        self._new_edges = 0

    # Making the graph.

    def new_node(self) -> int:
        node = len(self.parent)
        self.parent.append(node)
        self.pts.append(0)
        self.done.append(0)
        self.seen.append(0)
        self.succ.append(set())
        self.is_fixed.append(0)
        self._load.append(NONE)
        self._store.append(NONE)
        self._shifts.append(None)
        self._watches.append(None)
        self._order.append(0)
        self._is_queued.append(0)
        return node

    def fixed(self, bits: int) -> int:
        """The node whose set is exactly `bits`."""
        node = self._fixed.get(bits)
        if node is None:
            node = self._fixed[bits] = self.new_node()
            self.pts[node] = self.done[node] = self.seen[node] = bits
            self.is_fixed[node] = 1
        return node

    def add(self, node: int, bits: int) -> None:
        node = self.parent[node]
        old = self.pts[node]
        if bits & ~old:
            if self.is_fixed[node]:
                raise InternalError("a fixed node never changes")
            self.pts[node] = old | bits if old else bits
            self._push(node)

    def copy(self, source: int, target: int) -> None:
        """Everything in `source` is also in `target`."""
        source, target = self.parent[source], self.parent[target]
        if source == target:
            return
        if not self.is_fixed[source]:
            successors = self.succ[source]
            if target in successors:
                return
            successors.add(target)
            self._edges += 1
            self._new_edges += 1
        new = self.done[source]
        if new:
            self.add(target, new)

    def load(self, address: int) -> int:
        """The node for what the values in `address` point to."""
        address = self.parent[address]
        node = self._load[address]
        if node != NONE:
            return node
        if self.is_fixed[address] and self.pts[address].bit_count() == 1:
            cell = self.cells.read_of(self.pts[address].bit_length() - 1)
            node = self._load[address] = self.fixed(0) if cell is None else cell
            return node
        node = self._load[address] = self.new_node()
        self._apply_load(node, members(self.seen[address]))
        self._note(address)
        return node

    def store(self, source: int, address: int) -> None:
        """What is in `source` is stored behind every value in `address`."""
        address = self.parent[address]
        node = self._store[address]
        if node == NONE:
            if self.is_fixed[address] and self.pts[address].bit_count() == 1:
                cell = self.cells.write_of(self.pts[address].bit_length() - 1)
                if cell is None:
                    return
                node = self._store[address] = cell
            else:
                node = self._store[address] = self.new_node()
                self._apply_store(node, members(self.seen[address]))
                self._note(address)
        self.copy(source, node)

    def shift(self, source: int, key: object, make: Callable[[int], Shift]) -> int:
        """The node for what an operation makes of the values in `source`; `make` is given that node."""
        source = self.parent[source]
        shifts = self._shifts[source]
        if shifts is None:
            shifts = self._shifts[source] = {}
        known = shifts.get(key)
        if known is None:
            known = shifts[key] = make(self.new_node())
            bits = known.apply(self.seen[source])
            if bits:
                self.add(known.target, bits)
            self._note(source)
        return known.target

    def watch(self, node: int, watch: Watch) -> None:
        """Call `watch` for every value in `node`, now and later."""
        node = self.parent[node]
        watches = self._watches[node]
        if watches is None:
            watches = self._watches[node] = []
        watches.append(watch)
        for value in members(self.seen[node]):
            watch(value)
        self._note(node)

    def _note(self, node: int) -> None:
        node = self.parent[node]
        if self.pts[node] != self.seen[node]:
            self._complex[node] = None

    def _push(self, node: int) -> None:
        if not self._is_queued[node]:
            self._is_queued[node] = 1
            heappush(self._queue, self._order[node] << _NODE_BITS | node)

    # Solving.

    def solve(self, budget: Budget) -> None:
        """Propagate until nothing changes."""
        self.merge_cycles()
        while self._queue or self._complex:
            budget.check()
            if self._new_edges * 8 > self._edges:
                self.merge_cycles()
            self._propagate(budget)
            waiting, self._complex = self._complex, {}
            for count, node in enumerate(waiting):
                if not count & 63:
                    budget.check()
                if self.parent[node] == node:
                    self._apply(node)

    def _propagate(self, budget: Budget) -> None:
        pts, done, queue = self.pts, self.done, self._queue
        steps = 0
        while queue:
            steps += 1
            if not steps & 1023:
                budget.check()
            node = heappop(queue) & _NODE_MASK
            self._is_queued[node] = 0
            new = self._worth_telling(pts[node] & ~done[node], pts[node])
            done[node] = pts[node]
            for target in self.succ[node]:
                old = pts[target]
                if not old:
                    pts[target] = new
                elif new & ~old:
                    pts[target] = old | new
                else:
                    continue
                self._push(target)
            if (
                self._load[node] != NONE
                or self._store[node] != NONE
                or self._shifts[node] is not None
                or self._watches[node] is not None
            ):
                self._complex[node] = None

    def _worth_telling(self, new: int, all_values: int) -> int:
        return new & ~self.covered(all_values) if new.bit_count() > LARGE_SET else new

    def _apply(self, node: int) -> None:
        """Apply the constraints of a node that look at its values."""
        new = self.pts[node] & ~self.seen[node]
        if not new:
            return
        self.seen[node] = self.pts[node]
        new = self._worth_telling(new, self.pts[node])
        shifts = self._shifts[node]
        if shifts is not None:
            for shift in list(shifts.values()):
                bits = shift.apply(new)
                if bits:
                    self.add(shift.target, bits)
        load, store, watches = self._load[node], self._store[node], self._watches[node]
        if load == NONE and store == NONE and watches is None:
            return
        values = members(new)
        if load != NONE:
            self._apply_load(load, values)
        if store != NONE:
            self._apply_store(store, values)
        if watches is not None:
            for watch in list(watches):
                for value in values:
                    watch(value)

    def _apply_load(self, target: int, values: list[int]) -> None:
        for value in values:
            cell = self.cells.read_of(value)
            if cell is not None:
                self.copy(cell, target)

    def _apply_store(self, source: int, values: list[int]) -> None:
        for value in values:
            cell = self.cells.write_of(value)
            if cell is not None:
                self.copy(source, cell)

    # Merging.

    def merge_cycles(self) -> None:
        """Merge every cycle of copy edges into one node, and order the queue topologically."""
        self._new_edges = 0
        order = 0
        groups: list[list[int]] = []
        for component in self._components():
            order += 1
            for node in component:
                self._order[node] = -order
            if len(component) > 1:
                groups.append(component)
        if groups:
            self._merge(groups)
        self._order = [o + order + 1 for o in self._order]
        parent = self.parent
        waiting = [n for n, up in enumerate(parent) if up == n and self.pts[n] != self.done[n]]
        self._is_queued = bytearray(len(parent))
        for node in waiting:
            self._is_queued[node] = 1
        self._queue = [self._order[n] << _NODE_BITS | n for n in waiting]
        heapify(self._queue)

    def _merge(self, groups: list[list[int]]) -> None:
        """Merge nodes, and the nodes for their loads, stores and shifts, which are then equal too."""
        parent = self.parent
        work = [(group[0], other) for group in groups for other in group[1:]]
        while work:
            a, b = work.pop()
            while parent[a] != a:
                a = parent[a]
            while parent[b] != b:
                b = parent[b]
            if a != b:
                self._merge_pair(a, b, work)
        for node in range(len(parent)):
            up = parent[node]
            while parent[up] != up:
                up = parent[up]
            parent[node] = up
        self._edges = 0
        for node, successors in enumerate(self.succ):
            if successors:
                renamed = {parent[s] for s in successors}
                renamed.discard(node)
                self.succ[node] = renamed
                self._edges += len(renamed)

    def _merge_pair(self, keep: int, gone: int, work: list[tuple[int, int]]) -> None:
        if self.is_fixed[gone]:
            keep, gone = gone, keep
        self.parent[gone] = keep
        self.pts[keep] |= self.pts[gone]
        self.done[keep] &= self.done[gone]
        self.seen[keep] &= self.seen[gone]
        if len(self.succ[keep]) < len(self.succ[gone]):
            self.succ[keep], self.succ[gone] = self.succ[gone], self.succ[keep]
        self.succ[keep] |= self.succ[gone]
        self.succ[gone] = set()
        for table in (self._load, self._store):
            if table[keep] == NONE:
                table[keep] = table[gone]
            elif table[gone] != NONE:
                work.append((table[keep], table[gone]))
        shifts = self._shifts[gone]
        if shifts is not None:
            kept = self._shifts[keep]
            if kept is None:
                self._shifts[keep] = shifts
            else:
                for key, shift in shifts.items():
                    if key in kept:
                        work.append((kept[key].target, shift.target))
                    else:
                        kept[key] = shift
        watches = self._watches[gone]
        if watches is not None:
            self._watches[keep] = (self._watches[keep] or []) + watches
        self._shifts[gone] = self._watches[gone] = None
        self.pts[gone] = self.done[gone] = self.seen[gone] = 0
        if self._load[keep] != NONE or self._store[keep] != NONE or self._shifts[keep] or self._watches[keep]:
            self._complex[keep] = None

    def _components(self) -> Iterator[list[int]]:
        """Tarjan's algorithm over the copy edges of representatives; components in reverse topological order."""
        succ = self.succ
        index = [0] * len(self.parent)
        low = [0] * len(self.parent)
        on_stack = bytearray(len(self.parent))
        stack: list[int] = []
        count = 0
        for root in range(len(self.parent)):
            if index[root] or not succ[root]:
                continue
            count += 1
            index[root] = low[root] = count
            stack.append(root)
            on_stack[root] = 1
            work: list[tuple[int, Iterator[int]]] = [(root, iter(succ[root]))]
            while work:
                node, rest = work[-1]
                for next_ in rest:
                    if not index[next_]:
                        count += 1
                        index[next_] = low[next_] = count
                        if succ[next_]:
                            stack.append(next_)
                            on_stack[next_] = 1
                            work.append((next_, iter(succ[next_])))
                            break
                        yield [next_]
                    elif on_stack[next_] and index[next_] < low[node]:
                        low[node] = index[next_]
                else:
                    work.pop()
                    if work and low[node] < low[work[-1][0]]:
                        low[work[-1][0]] = low[node]
                    if low[node] == index[node]:
                        component = []
                        while True:
                            member = stack.pop()
                            on_stack[member] = 0
                            component.append(member)
                            if member == node:
                                break
                        yield component

    def way(self, source: int, target: int, limit: int) -> int | None:
        """The distance that is added on some way from one node to the other; None if there is none.

        Of several ways one is taken, and at most `limit` nodes are looked at.
        """
        source, target = self.parent[source], self.parent[target]
        distances = {source: 0}
        work = [source]
        while work and len(distances) < limit:
            node = work.pop()
            here = distances[node]
            if node == target:
                return here
            for next_ in self.succ[node]:
                if next_ not in distances:
                    distances[next_] = here
                    work.append(next_)
            for shift in (self._shifts[node] or {}).values():
                next_ = self.parent[shift.target]
                if next_ not in distances and shift.distance is not None:
                    distances[next_] = here + shift.distance
                    work.append(next_)
        return None
