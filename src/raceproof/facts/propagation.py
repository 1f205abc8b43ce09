"""The constraint graph and its solver: sets of pointer values flowing along copy edges to a fixpoint.

Follows [And94, ch. 4] (inclusion constraints), solved as in [PB09]: differences are propagated in topological
order, and cycles of copy edges are merged, because all their nodes end up with the same set.

Paper -> here: P_cur, P_old of [PB09] -> `pts`, `done`; the complex constraints -> `loads`, `stores`, `watches`.
Differs: a priority queue in the order of the last merging takes the place of whole waves, and cycles are looked
for again only after enough new edges; field arithmetic is a watch (`arithmetic.py`). Sets are Python ints.

Invariants between two steps:
  * `parent[n]` is the representative of n (merging compresses all paths at once);
  * every constraint on n has been applied to `done[n]`, a subset of `pts[n]`; a node where they differ is queued;
  * a *fixed* node has no constraints: its set is known when it is made and never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush

from raceproof.core import Budget

Watch = Callable[[int], None]
"""Called once for each pointer value that arrives in a node (or more than once, so it must be idempotent)."""

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


class ConstraintGraph:
    """Nodes with points-to sets; `read_of` and `write_of` give the node that holds what a pointer points to."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.pts: list[int] = []
        self.done: list[int] = []
        self.succ: list[set[int]] = []
        self.loads: list[list[int] | None] = []
        self.stores: list[list[int] | None] = []
        self.watches: list[list[Watch] | None] = []
        self.flows: list[list[int] | None] = []
        self.is_fixed = bytearray()
        self.read_of: Callable[[int], int | None] = lambda _: None
        self.write_of: Callable[[int], int | None] = lambda _: None
        self._order: list[int] = []
        self._queued = bytearray()
        self._queue: list[int] = []
        self._fixed: dict[int, int] = {}
        self._edges = 0
        self._new_edges = 0

    # Making the graph.

    def new_node(self) -> int:
        node = len(self.parent)
        self.parent.append(node)
        self.pts.append(0)
        self.done.append(0)
        self.succ.append(set())
        self.loads.append(None)
        self.stores.append(None)
        self.watches.append(None)
        self.flows.append(None)
        self.is_fixed.append(0)
        self._queued.append(0)
        self._order.append(0)
        return node

    def fixed(self, bits: int) -> int:
        """The node whose set is exactly `bits`."""
        node = self._fixed.get(bits)
        if node is None:
            node = self._fixed[bits] = self.new_node()
            self.pts[node] = self.done[node] = bits
            self.is_fixed[node] = 1
        return node

    def add(self, node: int, bits: int) -> None:
        node = self.parent[node]
        if bits & ~self.pts[node]:
            self.pts[node] |= bits
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
        new = self.done[source] & ~self.pts[target]
        if new:
            self.pts[target] = self.pts[target] | new if self.pts[target] else new
            self._push(target)

    def load(self, address: int, target: int) -> None:
        """What the values in `address` point to is in `target`."""
        address = self.parent[address]
        if not self.is_fixed[address]:
            constraints = self.loads[address]
            if constraints is None:
                self.loads[address] = [target]
            elif target in constraints:
                return
            else:
                constraints.append(target)
        for value in members(self.done[address]):
            self._load_value(value, target)

    def store(self, source: int, address: int) -> None:
        """What is in `source` is stored behind every value in `address`."""
        address = self.parent[address]
        if not self.is_fixed[address]:
            constraints = self.stores[address]
            if constraints is None:
                self.stores[address] = [source]
            elif source in constraints:
                return
            else:
                constraints.append(source)
        for value in members(self.done[address]):
            self._store_value(source, value)

    def watch(self, node: int, watch: Watch, flow_to: int | None = None) -> None:
        """Call `watch` for every value in `node`; `flow_to` names the node that it feeds, for `reaches`."""
        node = self.parent[node]
        if not self.is_fixed[node]:
            watches = self.watches[node]
            if watches is None:
                watches = self.watches[node] = []
            watches.append(watch)
            if flow_to is not None:
                flows = self.flows[node]
                if flows is None:
                    flows = self.flows[node] = []
                flows.append(flow_to)
        for value in members(self.done[node]):
            watch(value)

    def _load_value(self, value: int, target: int) -> None:
        cell = self.read_of(value)
        if cell is not None:
            self.copy(cell, target)

    def _store_value(self, source: int, value: int) -> None:
        cell = self.write_of(value)
        if cell is not None:
            self.copy(source, cell)

    def _push(self, node: int) -> None:
        if not self._queued[node] and not self.is_fixed[node]:
            self._queued[node] = 1
            heappush(self._queue, self._order[node] << _NODE_BITS | node)

    # Solving.

    def solve(self, budget: Budget) -> None:
        """Propagate until nothing changes."""
        steps = 0
        self.merge_cycles()
        while self._queue:
            if self._new_edges > 1000 and self._new_edges * 4 > self._edges:
                budget.check()
                self.merge_cycles()
                continue
            steps += 1
            if not steps & 255:
                budget.check()
            self._step(heappop(self._queue) & _NODE_MASK)

    def _step(self, node: int) -> None:
        self._queued[node] = 0
        pts, parent = self.pts, self.parent
        if parent[node] != node:
            return
        new = pts[node] & ~self.done[node]
        if not new:
            return
        self.done[node] = pts[node]
        for target in self.succ[node]:
            old = pts[target]
            if not old:
                pts[target] = new
                self._push(target)
            elif new & ~old:
                pts[target] = old | new
                self._push(target)
        loads, stores, watches = self.loads[node], self.stores[node], self.watches[node]
        if loads is None and stores is None and watches is None:
            return
        for value in members(new):
            if loads is not None:
                cell = self.read_of(value)
                if cell is not None:
                    for target in loads:
                        self.copy(cell, target)
            if stores is not None:
                cell = self.write_of(value)
                if cell is not None:
                    for source in stores:
                        self.copy(source, cell)
            if watches is not None:
                for watch in list(watches):
                    watch(value)

    def merge_cycles(self) -> None:
        """Merge every cycle of copy edges into one node, and order the queue topologically."""
        self._new_edges = 0
        parent = self.parent
        order = 0
        groups: list[list[int]] = []
        for component in self._components():
            order -= 1
            if len(component) > 1:
                groups.append(component)
            for node in component:
                self._order[node] = order
        for group in groups:
            self._merge(group)
        if groups:
            for node, up in enumerate(parent):
                if parent[up] != up:
                    parent[node] = parent[up]
            for node, successors in enumerate(self.succ):
                if successors and any(parent[s] != s for s in successors):
                    renamed = {parent[s] for s in successors}
                    renamed.discard(node)
                    self.succ[node] = renamed
        low = -order
        self._order = [o + low + 1 for o in self._order]
        waiting = [n for n in range(len(parent)) if parent[n] == n and self.pts[n] != self.done[n]]
        self._queued = bytearray(len(parent))
        for node in waiting:
            self._queued[node] = 1
        self._queue = [self._order[n] << _NODE_BITS | n for n in waiting]
        heapify(self._queue)

    def _merge(self, group: list[int]) -> None:
        keep, *others = sorted(group)
        pts, done = self.pts[keep], self.done[keep]
        for node in others:
            self.parent[node] = keep
            pts |= self.pts[node]
            done &= self.done[node]
            self.succ[keep] |= self.succ[node]
            self.succ[node] = set()
            for table in (self.loads, self.stores, self.watches, self.flows):
                _move(table, node, keep)
            self.pts[node] = self.done[node] = 0
        self.succ[keep].difference_update(group)
        self.pts[keep], self.done[keep] = pts, done

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

    def reaches(self, source: int, target: int) -> bool:
        """Whether values flow from one node to the other along copy edges and watches that feed a node."""
        source, target = self.parent[source], self.parent[target]
        seen = {source}
        work = [source]
        while work:
            node = work.pop()
            if node == target:
                return True
            for next_ in (*self.succ[node], *(self.parent[f] for f in self.flows[node] or ())):
                if next_ not in seen:
                    seen.add(next_)
                    work.append(next_)
        return False


def _move(table: list[list[int] | None] | list[list[Watch] | None], source: int, target: int) -> None:
    moved = table[source]
    if moved is None:
        return
    table[source] = None
    kept = table[target]
    if kept is None:
        table[target] = moved  # type: ignore[assignment]  # both come from the same table
    else:
        kept.extend(moved)  # type: ignore[arg-type]
