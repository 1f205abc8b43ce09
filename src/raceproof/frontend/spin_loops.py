"""Loops that only wait: a round that found nothing new may be skipped until something it has read is written.

    while (!atomic_load(&ready)) ;
    for (;;) { pthread_mutex_lock(&m); int d = done; pthread_mutex_unlock(&m); if (d) break; usleep(10); }

A round of such a loop is a function of the memory that it reads and of the registers that it starts with: it stores
nothing, gives back every lock it takes, calls only what yields or sleeps or is itself so. The runtime is told what a
phi carries round (`carried`) and waits only if that is the same as in the round before. Atomic updates may be in it;
the runtime looks whether they have changed anything, and does not wait if so (a compare-and-swap that fails, a
test-and-set of what is set already).

Errs on the side of fewer: a loop that is not found is explored round by round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from raceproof.frontend.hook_plan import HookPlan, Role
from raceproof.ir import (
    Address,
    Alloca,
    Block,
    Call,
    Function,
    IndirectJump,
    Instr,
    IntType,
    Load,
    Operand,
    Phi,
    Program,
    PtrType,
    Return,
    SiteId,
    Store,
    operands,
    successors,
)

# Intrinsics that only compute, or are hints to the processor.
_PURE_INTRINSICS = (
    *("llvm.expect", "llvm.x86.sse2.pause", "llvm.aarch64.hint", "llvm.prefetch", "llvm.is.constant"),
    *("llvm.abs", "llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin", "llvm.ctpop", "llvm.ctlz", "llvm.cttz"),
    *("llvm.bswap", "llvm.fshl", "llvm.fshr", "llvm.sadd", "llvm.uadd", "llvm.ssub", "llvm.usub"),
)

Balance = dict[str, int]
"""How often each lock was taken, less how often it was given back, from some point on; zeros are left out."""


@dataclass(frozen=True, slots=True)
class SpinLoops:
    """`headers`: (function, label) of a header -> its loop; `latches`: (function, label) of a block -> the headers it
    leads back to, with their loops; `polled`: loads that such a loop makes; `carried`: phis of headers whose value may
    be different in each round; `left`: (function, label) of blocks that come behind such a loop. A loop's number is a
    site in its header."""

    headers: Mapping[tuple[str, str], int] = field(default_factory=dict)
    latches: Mapping[tuple[str, str], Mapping[str, int]] = field(default_factory=dict)
    polled: frozenset[SiteId] = frozenset()
    carried: frozenset[SiteId] = frozenset()
    left: frozenset[tuple[str, str]] = frozenset()


def spin_loops(program: Program, plan: HookPlan) -> SpinLoops:
    """All loops of the program that only wait."""
    return _Finder(program, plan).find()


@dataclass(frozen=True, slots=True)
class _Loop:
    function: str
    header: str
    body: Mapping[str, Block]
    back: list[str]


class _Finder:
    def __init__(self, program: Program, plan: HookPlan) -> None:
        self._program = program
        self._plan = plan
        self._summaries: dict[str, Balance | None] = {}

    def find(self) -> SpinLoops:
        found: dict[tuple[str, str], _Loop] = {}
        for function in self._program.functions.values():
            blocks = {block.label: block for block in function.blocks}
            for header, (inside, back) in natural_loops(function).items():
                body = {label: blocks[label] for label in inside}
                if self._only_waits(body, header, back):
                    found[(function.name, header)] = _Loop(function.name, header, body, back)
        loops = [loop for loop in found.values() if not self._has_another(loop, found)]
        headers: dict[tuple[str, str], int] = {}
        latches: dict[tuple[str, str], dict[str, int]] = {}
        for loop in loops:
            block = loop.body[loop.header]
            number = (block.body[0] if block.body else block.terminator).id
            headers[(loop.function, loop.header)] = number
            for latch in loop.back:
                latches.setdefault((loop.function, latch), {})[loop.header] = number
        waiting = [block for loop in loops for block in loop.body.values()]
        for name in self._callees(waiting):
            waiting += self._program.functions[name].blocks
        polled = frozenset(i.id for block in waiting for i in block.body if isinstance(i, Load) and self._varies(i))
        carried = frozenset(phi.id for loop in loops for phi in _carried(loop))
        left = frozenset(
            (loop.function, target)
            for loop in loops
            for block in loop.body.values()
            for target in successors(block.terminator)
            if target not in loop.body
        )
        return SpinLoops(headers, latches, polled, carried, left)

    def _has_another(self, loop: _Loop, found: Mapping[tuple[str, str], _Loop]) -> bool:
        """Whether a loop that waits is inside: the runtime remembers one round of one loop, and that is the inner."""
        called = self._callees(loop.body.values())
        return any(
            name in called or (name == loop.function and label in loop.body and label != loop.header)
            for name, label in found
        )

    def _varies(self, load: Load) -> bool:
        address = load.address
        variable = self._program.globals.get(address.symbol) if isinstance(address, Address) else None
        return load.order is None and (variable is None or not variable.is_constant)

    def _callees(self, blocks: Iterable[Block]) -> list[str]:
        """The functions of the program that these blocks call, directly or not."""
        found: dict[str, None] = {}
        work = list(blocks)
        while work:
            for instr in work.pop().body:
                if isinstance(instr, Call) and isinstance(instr.callee, Address):
                    function = self._program.functions.get(instr.callee.symbol)
                    if function is not None and function.name not in found:
                        found[function.name] = None
                        work += function.blocks
        return list(found)

    def _only_waits(self, body: Mapping[str, Block], header: str, back: list[str]) -> bool:
        if any(isinstance(body[label].terminator, IndirectJump) for label in back):
            return False
        phis = [phi for phi in body[header].body if isinstance(phi, Phi)]
        carried = [phi for phi in phis if not _starts_alike(phi, body)]
        if not all(isinstance(phi.type, IntType | PtrType) for phi in carried) or _is_counting(carried, body):
            return False
        balances = self._balances(body, header)
        return balances is not None and all(not balances[label] for label in back)

    def _balances(self, body: Mapping[str, Block], start: str) -> dict[str, Balance] | None:
        """The balance at the end of each block, from `start` on; None if it is not always the same, or the blocks
        do more than wait."""
        at_end: dict[str, Balance] = {}
        work: list[tuple[str, Balance]] = [(start, {})]
        at_start: dict[str, Balance] = {}
        while work:
            label, balance = work.pop()
            if label in at_start:
                if label != start and at_start[label] != balance:
                    return None
                continue
            at_start[label] = balance
            after = dict(balance)
            for instr in body[label].body:
                if not self._is_quiet(instr, after):
                    return None
            at_end[label] = after
            work += [(target, after) for target in successors(body[label].terminator) if target in body]
        return at_end

    def _is_quiet(self, instr: Instr, balance: Balance) -> bool:
        """Whether the instruction may stand in a loop that waits; updates the balance of locks."""
        if isinstance(instr, Store | Alloca):
            return False
        if not isinstance(instr, Call):
            return True
        if not isinstance(instr.callee, Address) or instr.by_value:
            return False
        symbol = instr.callee.symbol
        change: Balance | None
        if symbol in self._program.functions:
            change = self._summary(symbol)
        elif symbol in self._plan.roles:
            role = self._plan.roles[symbol]
            lock = str(instr.args[0]) if instr.args else ""
            change = {} if role is Role.QUIET else {lock: 1 if role is Role.LOCK else -1}
        else:
            change = {} if symbol.startswith(_PURE_INTRINSICS) else None
        if change is None:
            return False
        for lock, count in change.items():
            balance[lock] = balance.get(lock, 0) + count
            if balance[lock] == 0:
                del balance[lock]
        return True

    def _summary(self, name: str) -> Balance | None:
        """What a call of a function of the program does to locks, if it does no more than read otherwise."""
        if name not in self._summaries:
            self._summaries[name] = None  # a recursive call is not quiet
            function = self._program.functions[name]
            blocks = {block.label: block for block in function.blocks}
            balances = self._balances(blocks, function.blocks[0].label)
            if balances is not None:
                returning = [b.label for b in function.blocks if isinstance(b.terminator, Return)]
                ends = [balances[label] for label in returning if label in balances]
                is_known = bool(ends) and all(end == ends[0] for end in ends)
                # A lock that is named by a register is another one for the caller.
                if is_known and not any(lock.startswith("%") for lock in ends[0]):
                    self._summaries[name] = ends[0]
        return self._summaries[name]


def _is_counting(carried: Iterable[Phi], body: Mapping[str, Block]) -> bool:
    """Whether a value that is carried round is made of one: such a loop gets on by itself, and may run often."""
    made_of: dict[Operand, tuple[Operand, ...]] = {}
    for block in body.values():
        for instr in block.body:
            result = getattr(instr, "result", None)
            if result is not None and not isinstance(instr, Load | Call):
                made_of[result] = operands(instr)
    results = {phi.result for phi in carried}
    work = [value for phi in carried for value, label in phi.incoming if label in body]
    seen: set[Operand] = set()
    while work:
        value = work.pop()
        if value in results:
            return True
        if value not in seen:
            seen.add(value)
            work += made_of.get(value, ())
    return False


def _carried(loop: _Loop) -> Iterator[Phi]:
    for phi in loop.body[loop.header].body:
        if isinstance(phi, Phi) and not _starts_alike(phi, loop.body):
            yield phi


def _starts_alike(phi: Phi, body: Mapping[str, Block]) -> bool:
    """Whether a phi of the header has the same value in every round, or no round asks for it."""
    inside = {value for value, label in phi.incoming if label in body}
    outside = {value for value, label in phi.incoming if label not in body}
    if inside <= {phi.result} or (len(outside) == 1 and inside <= outside | {phi.result}):
        return True
    return not any(phi.result in uses for uses in _uses_inside(body))


def _uses_inside(body: Mapping[str, Block]) -> Iterator[tuple[Operand, ...]]:
    for block in body.values():
        for instr in (*block.body, block.terminator):
            if isinstance(instr, Phi):
                yield tuple(value for value, label in instr.incoming if value != instr.result)
            else:
                yield operands(instr)


def natural_loops(function: Function) -> dict[str, tuple[list[str], list[str]]]:
    """Header -> (blocks of the loop in order of the function, blocks that lead back), by dominators."""
    order, predecessors = _reverse_postorder(function)
    rank = {label: i for i, label in enumerate(order)}
    targets = {b.label: successors(b.terminator) for b in function.blocks}
    if not any(rank[t] <= rank[label] for label in order for t in targets[label]):
        return {}
    dominator = _dominators(order, rank, predecessors)
    found: dict[str, tuple[set[str], list[str]]] = {}
    for label in order:
        for header in targets[label]:
            if rank[header] <= rank[label] and _dominates(dominator, rank, header, label):
                inside, back = found.setdefault(header, ({header}, []))
                back.append(label)
                work = [label]
                while work:
                    current = work.pop()
                    if current not in inside:
                        inside.add(current)
                        work += predecessors[current]
    return {header: (sorted(inside, key=rank.__getitem__), back) for header, (inside, back) in found.items()}


def _reverse_postorder(function: Function) -> tuple[list[str], dict[str, list[str]]]:
    targets = {b.label: successors(b.terminator) for b in function.blocks}
    predecessors: dict[str, list[str]] = {}
    finished: list[str] = []
    entry = function.blocks[0].label
    seen = {entry}
    stack = [(entry, iter(targets[entry]))]
    while stack:
        label, remaining = stack[-1]
        for target in remaining:
            predecessors.setdefault(target, []).append(label)
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(targets[target])))
                break
        else:
            finished.append(label)
            stack.pop()
    return finished[::-1], predecessors


def _dominators(order: list[str], rank: Mapping[str, int], predecessors: Mapping[str, list[str]]) -> dict[str, str]:
    """Immediate dominators; the entry's is itself."""
    dominator = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for label in order[1:]:
            known = [p for p in predecessors[label] if p in dominator]
            new = known[0]
            for other in known[1:]:
                while new != other:
                    if rank[new] > rank[other]:
                        new = dominator[new]
                    else:
                        other = dominator[other]
            if dominator.get(label) != new:
                dominator[label] = new
                changed = True
    return dominator


def _dominates(dominator: Mapping[str, str], rank: Mapping[str, int], upper: str, lower: str) -> bool:
    while rank[lower] > rank[upper]:
        lower = dominator[lower]
    return lower == upper
