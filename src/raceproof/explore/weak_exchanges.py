"""Weak compare-exchanges may fail for no reason. The explorer's do not: where does that leave something out?

Nowhere, if all that follows is to try again: the thread comes back to the head of a loop with nothing changed but what
others have done meanwhile, as if it had come later. It must not leave the loop on the way, but for a success.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from raceproof.core import dominators, natural_loops, reverse_postorder
from raceproof.ir import (
    Address,
    Binary,
    Block,
    Branch,
    Call,
    Cast,
    CompareExchange,
    Extract,
    Function,
    Instr,
    IntConst,
    Load,
    Operand,
    Phi,
    Program,
    Reg,
    Rmw,
    Store,
    result,
    successors,
)

_WAITING: Final = frozenset(("sched_yield", "pthread_yield", "thrd_yield", "usleep", "nanosleep", "sleep"))


def telling_failures(program: Program) -> Iterator[CompareExchange]:
    """Weak exchanges of which a failure for no reason may lead to something else than another try."""
    for function in program.functions.values():
        exchanges = [i for i in function.instructions() if isinstance(i, CompareExchange) and i.weak]
        loops = _loops(function) if exchanges else {}
        for exchange in exchanges:
            around = [(head, body) for head, body in loops.items() if any(exchange in b.body for b in body)]
            head, body = min(around, key=lambda loop: len(loop[1]), default=(None, ()))
            if head is None or not _only_tries_again(head, body, exchange):
                yield exchange


def _loops(function: Function) -> dict[str, tuple[Block, ...]]:
    """The blocks of each loop, by the label of its head."""
    blocks = {block.label: block for block in function.blocks}
    order = reverse_postorder(function.blocks[0].label, lambda label: successors(blocks[label].terminator))
    predecessors: dict[str, list[str]] = {label: [] for label in order}
    for label in order:
        for successor in successors(blocks[label].terminator):
            predecessors[successor].append(label)
    found = natural_loops(order, predecessors, dominators(order, predecessors))
    return {head: tuple(blocks[label] for label in sorted(body)) for head, body in found.items()}


def _only_tries_again(head: str, body: tuple[Block, ...], exchange: CompareExchange) -> bool:
    """Nothing is different in the next round: no variable, no memory that the round itself reads."""
    instructions = [instr for block in body for instr in block.body]
    if any(_tells(instr) for instr in instructions if instr is not exchange):
        return False
    stores = any(isinstance(instr, Store) for instr in instructions)
    if stores and any(isinstance(instr, Load) and instr.order is None for instr in instructions):
        return False
    round_ = _Round(exchange, {block.label for block in body}, instructions)
    behind = _behind(exchange, head, body)
    if not all(round_.stays(block, behind) for block in body if block.label in behind):
        return False
    variables = next(block for block in body if block.label == head).body
    return all(round_.leaves(variable) for variable in variables if isinstance(variable, Phi))


def _behind(exchange: CompareExchange, head: str, body: tuple[Block, ...]) -> set[str]:
    """The blocks of the loop that the thread may come to from the exchange before it is at the head again."""
    blocks = {block.label: block for block in body}
    work = [block.label for block in body if exchange in block.body]
    found = set(work)
    while work:
        new = [label for label in successors(blocks[work.pop()].terminator) if label in blocks and label != head]
        work += [label for label in new if label not in found]
        found.update(new)
    return found


def _tells(instr: Instr) -> bool:
    """It does something that is not the same when it is done twice."""
    match instr:
        case Call(callee=Address(symbol=name)):
            return name not in _WAITING
        case Store(order=order):
            return order is not None
    return isinstance(instr, Call | Rmw | CompareExchange)


class _Round:
    """A round of a loop in which the exchange fails for no reason."""

    def __init__(self, exchange: CompareExchange, inside: set[str], instructions: list[Instr]) -> None:
        self._exchange = exchange
        self._inside = inside
        self._made = {made.name: instr for instr in instructions if (made := result(instr)) is not None}

    def stays(self, block: Block, behind: set[str]) -> bool:
        """Who is in the block, behind the exchange, leaves the loop only if that has succeeded."""
        end = block.terminator
        if self._inside.issuperset(successors(end)):
            return True
        return isinstance(end, Branch) and self._is_success(end.condition, behind)

    def _is_success(self, operand: Operand, behind: set[str], passed: frozenset[str] = frozenset()) -> bool:
        """It is whether the exchange has succeeded; or was decided before."""
        match self._made.get(operand.name) if isinstance(operand, Reg) else None:
            case Extract(aggregate=aggregate, indices=(1,)):
                return aggregate == self._exchange.result
            case Cast(value=value) | Binary(op="xor", left=value, right=IntConst()):
                return self._is_success(value, behind, passed)
            case Phi(result=merged, incoming=incoming) if merged.name not in passed:
                late = [one for one, source in incoming if source in behind]
                return all(self._is_success(one, behind, passed | {merged.name}) for one in late)
        return False

    def leaves(self, variable: Phi) -> bool:
        """What comes round is what was there, was read anew, or is what the exchange has found: what it expected."""
        around = [operand for operand, source in variable.incoming if source in self._inside]
        is_constant = len({operand for operand, _ in variable.incoming}) == 1
        return is_constant or all(self._is_kept(operand, variable, frozenset()) for operand in around)

    def _is_kept(self, operand: Operand, variable: Phi, passed: frozenset[str]) -> bool:
        operand = self._before_casts(operand)
        if operand == variable.result:
            return True
        match self._made.get(operand.name) if isinstance(operand, Reg) else None:
            case Load():
                return True
            case Extract(aggregate=aggregate, indices=(0,)):
                is_expected = self._before_casts(self._exchange.expected) == variable.result
                return is_expected and aggregate == self._exchange.result
            case Phi(result=merged, incoming=incoming) if merged.name not in passed:
                return all(self._is_kept(one, variable, passed | {merged.name}) for one, _ in incoming)
        return False

    def _before_casts(self, operand: Operand) -> Operand:
        while isinstance(operand, Reg) and isinstance(made := self._made.get(operand.name), Cast):
            if made.op not in ("ptrtoint", "inttoptr", "bitcast"):
                break
            operand = made.value
        return operand
