"""What one function looks like, apart from any context: block order, loops, definitions, counted loops.

A *counted loop* is `for (i = first; i < bound; i++)`: one latch, the header decides alone whether to go on,
and a phi of the header grows by a constant. Threads that are created in one such loop and joined in another
over the same ids are all joined behind the second; see `flow`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from raceproof.core import dominators, natural_loops, reverse_postorder, strongly_connected
from raceproof.ir import (
    Address,
    Binary,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Fence,
    Function,
    Gep,
    Instr,
    IntConst,
    IntType,
    Load,
    Operand,
    Phi,
    Reg,
    Rmw,
    Select,
    SiteId,
    Store,
    Terminator,
    Unreachable,
    operands,
    successors,
)

MAX_WEIGHT = 2_000
UPWARDS = ("slt", "ult", "sle", "ule", "ne")
DOWNWARDS = ("sgt", "sge")


@dataclass(frozen=True, slots=True)
class CountedLoop:
    """`counter` starts at `first` and moves by `step`; the loop goes on while `counter predicate bound`.

    `exit` is the label that the header goes to when the condition fails. `moving`: by how much each round moves the
    counter and others that move along with it (numbers or pointers).
    """

    header: str
    counter: Reg
    first: Operand
    step: int
    predicate: str
    bound: Operand
    exit: str
    moving: Mapping[str, int]

    def numbers(self, definitions: Mapping[str, Instr]) -> range | None:
        """What the counter may be where the condition holds; None if that is not constant."""
        if not isinstance(self.first, IntConst) or not isinstance(self.bound, IntConst):
            return None
        return self.numbers_between(self.first.value, self.bound.value, definitions)

    def numbers_between(self, first: int, bound: int, definitions: Mapping[str, Instr]) -> range | None:
        """The same, if these are what it starts with and is compared with; None if it may wrap around."""
        phi, step = definitions[self.counter.name], self.step
        if not isinstance(phi, Phi) or not isinstance(phi.type, IntType):
            return None
        if max(abs(first), abs(bound)) + abs(step) >= 1 << (phi.type.bits - 1):
            return None
        if min(first, bound) < 0 and (self.predicate in ("ult", "ule") or self.is_zero_extended(definitions)):
            return None  # signed and unsigned do not agree
        if self.predicate == "ne" and ((bound - first) % step or (bound < first) == (step > 0)):
            return None
        beyond = {"sle": bound + 1, "ule": bound + 1, "sge": bound - 1}
        return range(first, beyond.get(self.predicate, bound), step)

    def wraps_at(self, register: str, definitions: Mapping[str, Instr]) -> int | None:
        """In how many bits one of `moving` may wrap around; None: it never does, being signed or a pointer."""
        phi = definitions[register]
        if not isinstance(phi, Phi) or not isinstance(phi.type, IntType):
            return None
        steps = (definitions.get(value.name) for value, _ in phi.incoming if isinstance(value, Reg))
        if all(step.nsw for step in steps if isinstance(step, Binary) and phi.result in (step.left, step.right)):
            return None
        return phi.type.bits

    def is_zero_extended(self, definitions: Mapping[str, Instr]) -> bool:
        """The counter is compared as an unsigned number, in more bits than it has."""
        casts = (i for i in definitions.values() if isinstance(i, Cast) and i.value == self.counter)
        return any(cast.op == "zext" for cast in casts)


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    """`order` is the reverse postorder of the reachable blocks; `loop_of` the innermost loop's header, if any.

    `cyclic`: blocks that may run more than once per call. `block_of` gives the block of every site. `used`:
    registers that some instruction reads. `heavy`: registers whose value, written out, would be very long. `phis`: of
    the blocks that have any.
    """

    function: Function
    blocks: Mapping[str, Block]
    order: tuple[str, ...]
    predecessors: Mapping[str, tuple[str, ...]]
    idom: Mapping[str, str]
    loops: Mapping[str, frozenset[str]]
    counted: Mapping[str, CountedLoop]
    definitions: Mapping[str, Instr]
    cyclic: frozenset[str]
    block_of: Mapping[SiteId, str]
    used: frozenset[str]
    heavy: frozenset[str]
    phis: Mapping[str, tuple[Phi, ...]]

    def dominates(self, above: str, below: str) -> bool:
        node = below
        while True:
            if node == above:
                return True
            if self.idom[node] == node:
                return False
            node = self.idom[node]

    def runs_once_per_round(self, header: str, label: str) -> bool:
        """No way leads from `label` back to it other than through the header, nor out of the loop and back to that.

        Natural loops inside and around show themselves, but `goto` into the middle of one makes cycles that are none.
        """
        body = self.loops[header]
        leaving = [s for inner in body for s in successors(self.blocks[inner].terminator) if s not in body]
        if header in self._reached_from(leaving, frozenset()):
            return False
        inside = [s for s in successors(self.blocks[label].terminator) if s in body]
        return label == header or label not in self._reached_from(inside, frozenset({header}))

    def may_lead(self, label: str, target: str) -> bool:
        """Some way goes from the one block to the other, or they are the same."""
        return target in self._reached_from([label], frozenset())

    def _reached_from(self, starts: list[str], but: frozenset[str]) -> set[str]:
        work = [label for label in starts if label not in but]
        reached = set(work)
        while work:
            for succ in successors(self.blocks[work.pop()].terminator):
                if succ not in reached and succ not in but:
                    reached.add(succ)
                    work.append(succ)
        return reached

    def must_just_read(self, load: Load, site: Instr, silent: frozenset[str]) -> bool:
        """Whichever way leads to `site`, the load was executed on it and nothing was written, called or fenced since,
        so that no lock was taken or given back, either. Calls of `silent` functions do not count."""
        return all(load in loads for loads, is_end in self._backwards(site, load, silent) if is_end)

    def may_just_read(self, site: Instr, silent: frozenset[str]) -> list[Load]:
        """Loads that may come before `site` with nothing written, called or fenced in between."""
        return list(dict.fromkeys(load for loads, _ in self._backwards(site, None, silent) for load in loads))

    def must_just_have_stored(self, load: Load, silent: frozenset[str]) -> Store | None:
        """The store that comes before the load in its block, nothing else having been written, called or fenced."""
        body = self.blocks[self.block_of[load.id]].body
        before = body[: body.index(load)]
        last = next((instr for instr in reversed(before) if _may_write_or_lock(instr, silent)), None)
        return last if isinstance(last, Store) else None

    def _backwards(self, site: Instr, until: Load | None, silent: frozenset[str]) -> Iterator[tuple[list[Load], bool]]:
        """The loads before `site`, block by block, back to `until` or to what writes, calls or fences; and whether the
        way ends in this block."""
        label = self.block_of[site.id]
        body = self.blocks[label].body
        work = [(label, body[: body.index(site)])]
        seen: set[str] = set()
        while work:
            label, body = work.pop()
            loads: list[Load] = []
            is_end = not self.predecessors[label] or label == self.order[0]
            for instr in reversed(body):
                if isinstance(instr, Load):
                    loads.append(instr)
                if instr is until or _may_write_or_lock(instr, silent):
                    is_end = True
                    break
            yield loads, is_end
            for before in () if is_end else self.predecessors[label]:
                if before not in seen:
                    seen.add(before)
                    work.append((before, self.blocks[before].body))

    def index_range(self, operand: Operand, label: str) -> range | None:
        """The numbers that an operand may be in block `label`, if it is a constant, or counts with constant bounds."""
        operand = look_through_extensions(operand, self.definitions)
        if isinstance(operand, IntConst):
            return range(operand.value, operand.value + 1)
        loop = next((each for each in self.counted.values() if each.counter == operand), None)
        inside = loop is not None and label != loop.header and label in self.loops[loop.header]
        return loop.numbers(self.definitions) if loop is not None and inside else None

    def innermost_loop(self, label: str) -> str | None:
        """Header of the smallest natural loop around `label`."""
        around = [h for h, body in self.loops.items() if label in body]
        return min(around, key=lambda h: len(self.loops[h])) if around else None


def _may_write_or_lock(instr: Instr, silent: frozenset[str]) -> bool:
    if isinstance(instr, Call):
        return not (isinstance(instr.callee, Address) and instr.callee.symbol in silent)
    return isinstance(instr, Store | Rmw | CompareExchange | Fence)


def function_info(function: Function) -> FunctionInfo:
    """Compute the shape of `function`; linear in its size but for the nesting depth of loops."""
    blocks = {b.label: b for b in function.blocks}
    order = reverse_postorder(function.blocks[0].label, lambda label: successors(blocks[label].terminator))
    predecessors: dict[str, list[str]] = {label: [] for label in order}
    for label in order:
        for succ in successors(blocks[label].terminator):
            predecessors[succ].append(label)
    frozen_predecessors = {label: tuple(p) for label, p in predecessors.items()}
    idom = dominators(order, frozen_predecessors)
    loops = natural_loops(order, frozen_predecessors, idom)
    definitions: dict[str, Instr] = {}
    block_of: dict[SiteId, str] = {}
    for label in order:
        for instr in blocks[label].body:
            block_of[instr.id] = label
            result = getattr(instr, "result", None)
            if result is not None:
                definitions[result.name] = instr
        block_of[blocks[label].terminator.id] = label
    counted = {
        header: loop
        for header, body in loops.items()
        if (loop := _counted_loop(header, body, blocks, frozen_predecessors, definitions)) is not None
    }
    return FunctionInfo(
        function=function,
        blocks=blocks,
        order=tuple(order),
        predecessors=frozen_predecessors,
        idom=idom,
        loops=loops,
        counted=counted,
        definitions=definitions,
        cyclic=_cyclic_blocks(order, blocks),
        block_of=block_of,
        used=frozenset(o.name for i in function.instructions() for o in operands(i) if isinstance(o, Reg)),
        heavy=_heavy(definitions),
        phis={b.label: found for b in blocks.values() if (found := tuple(i for i in b.body if isinstance(i, Phi)))},
    )


def _heavy(definitions: Mapping[str, Instr]) -> frozenset[str]:
    """Registers that depend on others by more than `MAX_WEIGHT` ways (`s = s * 3 + (s >> 2)`, again and again).

    Definitions come in an order in which those that one depends on, phis apart, are before it.
    """
    weights: dict[str, int] = {}
    for name, instr in definitions.items():
        parts = operands(instr) if isinstance(instr, Binary | Cast | Compare | Gep | Select) else ()
        weight = 1 + sum(weights.get(part.name, 1) for part in parts if isinstance(part, Reg))
        weights[name] = min(weight, MAX_WEIGHT + 1)
    return frozenset(name for name, weight in weights.items() if weight > MAX_WEIGHT)


def _cyclic_blocks(order: list[str], blocks: Mapping[str, Block]) -> frozenset[str]:
    """Blocks on some cycle, natural loop or not."""
    cyclic: set[str] = set()
    for component in strongly_connected(order, lambda label: successors(blocks[label].terminator)):
        first = component[0]
        if len(component) > 1 or first in successors(blocks[first].terminator):
            cyclic.update(component)
    return frozenset(cyclic)


def _counted_loop(
    header: str,
    body: frozenset[str],
    blocks: Mapping[str, Block],
    predecessors: Mapping[str, tuple[str, ...]],
    definitions: Mapping[str, Instr],
) -> CountedLoop | None:
    terminator = blocks[header].terminator
    latches = [p for p in predecessors[header] if p in body]
    if not isinstance(terminator, Branch) or len(latches) != 1:
        return None
    stay, leave = terminator.if_true, terminator.if_false
    if stay not in body or leave in body:
        return None
    if not _leaves_only_through_header(header, body, blocks):
        return None
    condition = definitions.get(terminator.condition.name) if isinstance(terminator.condition, Reg) else None
    if not isinstance(condition, Compare) or condition.predicate not in UPWARDS + DOWNWARDS:
        return None
    counter = look_through_extensions(condition.left, definitions)
    if not isinstance(counter, Reg):
        return None
    phi = definitions.get(counter.name)
    if not isinstance(phi, Phi) or phi not in blocks[header].body:
        return None
    first: Operand | None = None
    step: int | None = None
    for value, label in phi.incoming:
        if label in body:
            step = _growth(value, counter, definitions)
        elif first is None:
            first = value
        else:
            return None
    if first is None or step is None or step == 0 or (step > 0) != (condition.predicate in UPWARDS):
        return None
    moving = _moving(blocks[header], latches[0], definitions)
    return CountedLoop(header, counter, first, step, condition.predicate, condition.right, leave, moving)


def _moving(header: Block, latch: str, definitions: Mapping[str, Instr]) -> Mapping[str, int]:
    """Registers of the header that change by the same constant in every round."""
    found = {}
    for phi in header.body:
        if isinstance(phi, Phi):
            after = [value for value, label in phi.incoming if label == latch]
            growth = _growth(after[0], phi.result, definitions) if len(after) == 1 else None
            if growth:
                found[phi.result.name] = growth
    return found


def look_through_extensions(operand: Operand, definitions: Mapping[str, Instr]) -> Operand:
    while isinstance(operand, Reg):
        instr = definitions.get(operand.name)
        if not isinstance(instr, Cast) or instr.op not in ("sext", "zext"):
            break
        operand = instr.value
    return operand


def _growth(value: Operand, counter: Reg, definitions: Mapping[str, Instr]) -> int | None:
    """k if `value` is `counter + k`, else None."""
    instr = definitions.get(value.name) if isinstance(value, Reg) else None
    if isinstance(instr, Binary) and instr.op == "add":
        for left, right in ((instr.left, instr.right), (instr.right, instr.left)):
            if left == counter and isinstance(right, IntConst):
                return right.value
    if isinstance(instr, Gep) and instr.base == counter and not instr.terms:
        return instr.offset
    return None


def _leaves_only_through_header(header: str, body: frozenset[str], blocks: Mapping[str, Block]) -> bool:
    """True if every other block of the loop stays in it or ends the program."""
    for label in body:
        if label == header:
            continue
        terminator: Terminator = blocks[label].terminator
        for succ in successors(terminator):
            if succ not in body and not _ends_program(succ, blocks):
                return False
        if not successors(terminator) and not isinstance(terminator, Unreachable):
            return False
    return True


def _ends_program(label: str, blocks: Mapping[str, Block]) -> bool:
    return isinstance(blocks[label].terminator, Unreachable)
