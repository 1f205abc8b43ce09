"""How the blocks of a function are laid out when its loops are unwound.

Loops are the components of a weak topological order: in it every edge that leads back leads to the head of a
component that it is in, whatever the graph. A copy of a block is the block with one counter for each component around
it. `key` orders all copies so that each stands behind its predecessors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from raceproof.bmc.instructions import width_of
from raceproof.core import reverse_postorder, strongly_connected
from raceproof.facts import Sync, sync_op
from raceproof.ir import (
    Address,
    Alloca,
    Binary,
    Call,
    Cast,
    Compare,
    Extract,
    Function,
    Gep,
    IntConst,
    Load,
    Operand,
    Phi,
    Reg,
    Rmw,
    Select,
    Store,
    operands,
    successors,
)

Counters = tuple[int, ...]
_WAITING: Final = frozenset({Sync.WAIT, Sync.LOCK, Sync.UNLOCK, Sync.YIELD})


@dataclass(frozen=True, slots=True)
class Copy:
    label: str
    counters: Counters


class Layout:
    """Of one function. `heads` of the components around a block, outermost first; `live`: registers that are read
    in the block or behind it, and set before; `widths` of registers that hold numbers. `may_nest`: a round of a loop
    may end with a mutex held once more than before."""

    def __init__(self, function: Function, pointer_bits: int, may_nest: bool = False) -> None:
        self.function = function
        self._pointer_bits = pointer_bits
        self._waiting = _WAITING - {Sync.LOCK, Sync.UNLOCK} if may_nest else _WAITING
        self.blocks = {block.label: block for block in function.blocks}
        self.entry = function.blocks[0].label
        self.heads: dict[str, tuple[str, ...]] = {}
        self._rank: dict[str, tuple[int, ...]] = {}
        order = reverse_postorder(self.entry, self._successors)
        self._place(order, (), ())
        self.live = self._liveness(order)
        self.widths = self._widths()
        self._order = order

    def _successors(self, label: str) -> tuple[str, ...]:
        return successors(self.blocks[label].terminator)

    def _place(self, labels: Sequence[str], heads: tuple[str, ...], rank: tuple[int, ...]) -> None:
        inside = set(labels) - set(heads)
        followers = {label: [s for s in self._successors(label) if s in inside] for label in labels}
        components = strongly_connected([label for label in labels if label in inside], lambda n: followers[n])
        first = {label: i for i, label in enumerate(labels)}
        for number, component in enumerate(reversed(components), start=1):
            if len(component) == 1 and component[0] not in followers[component[0]]:
                self.heads[component[0]], self._rank[component[0]] = heads, (*rank, number)
                continue
            members = sorted(component, key=lambda n: first[n])
            head = members[0]
            self.heads[head], self._rank[head] = (*heads, head), (*rank, number, 0)
            self._place(members[1:], (*heads, head), (*rank, number))

    def key(self, copy: Copy) -> tuple[int, ...]:
        rank, key = self._rank[copy.label], []
        for place, counter in zip(rank, copy.counters, strict=False):
            key += [place, counter]
        return (*key, rank[-1])

    def is_endless(self, head: str) -> bool:
        """A loop that nothing leaves."""
        members = {label for label, heads in self.heads.items() if head in heads}
        return all(self._successors(label) and set(self._successors(label)) <= members for label in members)

    def only_waits(self, head: str) -> bool:
        """A loop whose rounds may leave nothing behind: they read, wait, take and give back locks, update atomically.

        A round that ends as it began, with the same registers and every atomic as it was, need not be there: the thread
        just waits longer. An execution that goes round for ever so long can do without all such rounds.
        """
        members = [label for label, heads in self.heads.items() if head in heads]
        for label in members:
            if self.heads[label][-1] != head:
                return False  # an inner loop
            for instr in self.blocks[label].body:
                match instr:
                    case Call():
                        operation = sync_op(instr.callee.symbol) if isinstance(instr.callee, Address) else None
                        if operation is None or operation.shared or operation.kind not in self._waiting:
                            return False
                        if operation.refuses_owner:
                            return False  # a rwlock: who has it is told so
                    case Alloca() | Store():
                        return False
        return True

    def sleeps(self, head: str) -> bool:
        """A loop that waits for signals, or gives back for a while what was taken before the round: what others do
        meanwhile makes a round different from none."""
        members = frozenset(label for label, heads in self.heads.items() if head in heads)
        taken: dict[str, frozenset[Operand]] = {head: frozenset()}  # in this round, on every way to the block
        work = [head]
        while work:
            label = work.pop()
            mine = taken[label]
            for call in (i for i in self.blocks[label].body if isinstance(i, Call)):
                operation = sync_op(call.callee.symbol) if isinstance(call.callee, Address) else None
                if operation is None or operation.arg is None or operation.arg >= len(call.args):
                    continue
                lock = call.args[operation.arg]
                if operation.kind is Sync.WAIT or (operation.kind is Sync.UNLOCK and lock not in mine):
                    return True
                if operation.kind in (Sync.LOCK, Sync.UNLOCK):
                    mine = mine | {lock} if operation.kind is Sync.LOCK else mine - {lock}
            for following in members.intersection(self._successors(label)) - {head}:
                known = taken.get(following)
                if known is None or not known <= mine:
                    taken[following] = mine if known is None else known & mine
                    work.append(following)
        return False

    def step(self, copy: Copy, label: str) -> tuple[Copy, int, bool]:
        """The copy that an edge leads to, how many components it stays in, and whether it goes round the last."""
        around, inside = self.heads[label], self.heads[copy.label]
        common = 0
        while common < min(len(around), len(inside)) and around[common] == inside[common]:
            common += 1
        counters = [*copy.counters[:common], *(0 for _ in around[common:])]
        if around and around[-1] == label and common == len(around):
            counters[-1] += 1
            return Copy(label, tuple(counters)), common, True
        return Copy(label, tuple(counters)), common, False

    def _liveness(self, order: Sequence[str]) -> dict[str, frozenset[str]]:
        uses: dict[str, set[str]] = {}
        sets: dict[str, set[str]] = {}
        at_edge: dict[tuple[str, str], set[str]] = {}
        for label in order:
            block = self.blocks[label]
            uses[label], sets[label] = set(), set()
            for instr in (*block.body, block.terminator):
                if isinstance(instr, Phi):
                    for value, source in instr.incoming:
                        if isinstance(value, Reg):
                            at_edge.setdefault((source, label), set()).add(value.name)
                else:
                    named = {o.name for o in operands(instr) if isinstance(o, Reg)}
                    uses[label] |= named - sets[label]
                made: Reg | None = getattr(instr, "result", None)
                if made is not None:
                    sets[label].add(made.name)
        live = {label: set(uses[label]) for label in order}
        changed = True
        while changed:
            changed = False
            for label in reversed(order):
                out: set[str] = set()
                for follower in self._successors(label):
                    out |= live[follower] | at_edge.get((label, follower), set())
                new = uses[label] | (out - sets[label])
                if new != live[label]:
                    live[label], changed = new, True
        # What phis read belongs to the edge: it must be there at the end of the source.
        return {label: frozenset(names) for label, names in live.items()}

    def _widths(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for parameter in self.function.params:
            width = width_of(parameter.type)
            if width is not None:
                found[parameter.name] = width
        waiting: list[Select] = []
        for block in self.function.blocks:
            for instr in block.body:
                match instr:
                    case Compare():
                        found[instr.result.name] = 1
                    case Gep() | Alloca():
                        found[instr.result.name] = self._pointer_bits
                    case (
                        Cast(to_type=type_) | Load(type=type_) | Binary(type=type_) | Phi(type=type_) | Rmw(type=type_)
                    ):
                        width = width_of(type_)
                        if width is not None:
                            found[instr.result.name] = width
                    case Call(result=Reg(name), type=type_):
                        width = width_of(type_)
                        if width is not None:
                            found[name] = width
                    case Extract():
                        pass
                    case Select():
                        waiting.append(instr)
        for _ in range(len(waiting) + 1):
            for select in waiting:
                for operand in (select.if_true, select.if_false):
                    match operand:
                        case Reg(name) if name in found:
                            found[select.result.name] = found[name]
                        case IntConst(bits=bits):
                            found[select.result.name] = bits
                        case Address():
                            found[select.result.name] = self._pointer_bits
        return found
