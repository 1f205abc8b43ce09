"""The few values that a thread of the net knows: results of lock calls, of reads of flags, and what follows from them.

    %4 = load seq_cst i32, @ready        known: %4 is 0
    %5 = icmp ne i32 %4, 0
    branch %5, done, again               only `again` is next

A value is known of a register; a condition is computed from its definitions. Registers are assigned once, so what is
known of one holds until its block is entered again; it is dropped where nothing that is decided later depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from raceproof.ir import (
    Binary,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Extract,
    Function,
    Instr,
    IntConst,
    IntType,
    Operand,
    Phi,
    Reg,
    Return,
    Rmw,
    Select,
    Store,
    Switch,
    Terminator,
    successors,
)

MAX_COUNT: Final = 8
_NO_LIMIT: Final = 1 << 64
_DEPTH: Final = 16


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """The register is `value`, of so many bits without sign; or, if not `equal`, anything else."""

    register: str
    value: int
    equal: bool = True


Knowledge = tuple[Known, ...]
"""In the order of registers, at most one of each."""


def with_known(knowledge: Knowledge, *new: Known) -> Knowledge:
    names = {known.register for known in new}
    return tuple(sorted((*(known for known in knowledge if known.register not in names), *new)))


def unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


class Values:
    """Conditions of one function.

    `deciding`: registers on which a branch, a result or an argument that decides something depends; `wanted`: also a
    value that is stored. `passed`: the arguments of a call on which something depends there. `has_all_phis`: values of
    all types are followed where branches meet, not only truth values. One that counts is followed only in the blocks
    `counting`, and only up to a limit.
    """

    def __init__(
        self,
        function: Function,
        passed: Callable[[Call], Sequence[Operand]],
        has_all_phis: bool = False,
        counting: frozenset[str] = frozenset(),
    ) -> None:
        self._function = function
        self._passed = passed
        self._parameters = {parameter.name for parameter in function.params}
        self._is_main = function.name == "main"
        self._has_all_phis = has_all_phis
        self._counting = counting
        self._definitions: dict[str, Instr] = {}
        for block in function.blocks:
            for instr in block.body:
                defined = getattr(instr, "result", None)  # stores and fences have none
                if isinstance(defined, Reg):
                    self._definitions[defined.name] = instr
        self._limits: dict[str, int] = {}
        self._read_in = [self._find_read(block) for block in function.blocks]
        self._number = {block.label: index for index, block in enumerate(function.blocks)}
        self._live: list[set[str]] = [set() for _ in function.blocks]
        self._find_live()
        passed_on = [leaf for block in function.blocks for leaf in self._passed_on(block)]
        self.wanted = frozenset(passed_on).union(*self._read_in)
        self.deciding = frozenset(passed_on).union(*map(self._decided, function.blocks))

    def definition(self, operand: Operand) -> Instr | None:
        return self._definitions.get(operand.name) if isinstance(operand, Reg) else None

    def value(self, operand: Operand, knowledge: Knowledge, depth: int = _DEPTH) -> int | None:
        """Without sign; None if it is not known."""
        if isinstance(operand, IntConst):
            return unsigned(operand.value, operand.bits)
        if not isinstance(operand, Reg) or not depth or not knowledge:
            return None
        for known in knowledge:
            if known.register == operand.name:
                return known.value if known.equal else None
        definition = self._definitions.get(operand.name)
        match definition:
            case Compare(left=left, right=right, type=IntType(bits=bits)):
                return self._compared(definition, knowledge, bits, depth)
            case Cast(op="zext" | "sext" | "trunc", from_type=IntType(bits=before), to_type=IntType(bits=bits)):
                value = self.value(definition.value, knowledge, depth - 1)
                if value is None:
                    return None
                return unsigned(_signed(value, before) if definition.op == "sext" else value, bits)
            case Binary(left=left, right=right, type=IntType(bits=bits)):
                first = self.value(left, knowledge, depth - 1)
                second = self.value(right, knowledge, depth - 1)
                return None if first is None or second is None else computed(definition.op, first, second, bits)
            case Select(condition=condition, if_true=yes, if_false=no):
                truth = self.value(condition, knowledge, depth - 1)
                return None if truth is None else self.value(yes if truth else no, knowledge, depth - 1)
            case Extract(aggregate=Reg(name=pair), indices=(index,)):
                part = next((known for known in knowledge if known.register == part_of(pair, index)), None)
                return part.value if part is not None and part.equal else None
        return None

    def _compared(self, compare: Compare, knowledge: Knowledge, bits: int, depth: int) -> int | None:
        first = self.value(compare.left, knowledge, depth - 1)
        second = self.value(compare.right, knowledge, depth - 1)
        if first is not None and second is not None:
            return _holds(compare.predicate, first, second, bits)
        if not isinstance(compare.left, Reg) or second is None or compare.predicate not in ("eq", "ne"):
            return None
        is_other = Known(compare.left.name, second, equal=False) in knowledge
        return int(compare.predicate == "ne") if is_other else None

    def next_labels(self, terminator: Terminator, knowledge: Knowledge) -> tuple[str, ...]:
        """The blocks that may come next."""
        match terminator:
            case Branch(condition=condition, if_true=yes, if_false=no):
                truth = self.value(condition, knowledge)
                return successors(terminator) if truth is None else (yes if truth else no,)
            case Switch(value=operand, cases=cases, default=default):
                value = self.value(operand, knowledge)
                if value is None or any(case < 0 for case, _ in cases):
                    return successors(terminator)
                return (next((label for case, label in cases if case == value), default),)
        return successors(terminator)

    def entering(self, before: Block, number: int, knowledge: Knowledge) -> Knowledge:
        """What is known at the beginning of block `number`, coming from `before`."""
        live, block = self._live[number], self._function.blocks[number]
        phis = [instr for instr in block.body if isinstance(instr, Phi)]
        renewed = {phi.result.name for phi in phis}
        found = [known for known in knowledge if known.register in live and known.register not in renewed]
        for phi in phis:
            if phi.result.name in live:
                incoming = next(operand for operand, label in phi.incoming if label == before.label)
                value = self.value(incoming, knowledge)
                if value is not None and value <= self._limit(phi, block.label):
                    found.append(Known(phi.result.name, value))
        return tuple(sorted(found))

    def _limit(self, phi: Phi, label: str) -> int:
        """Up to which number its values are followed; -1: not at all."""
        known = self._limits.get(phi.result.name)
        if known is None:
            is_truth = isinstance(phi.type, IntType) and phi.type.bits == 1
            known = _NO_LIMIT if is_truth or self._has_all_phis else -1
            if self._may_count(phi, set()):
                known = MAX_COUNT if label in self._counting else -1
            self._limits[phi.result.name] = known
        return known

    def _may_count(self, operand: Operand | Phi, seen: set[str]) -> bool:
        """Whether it may get ever new values from its own."""
        match operand if isinstance(operand, Phi) else self.definition(operand):
            case Phi(result=Reg(name=name), incoming=incoming):
                if name in seen:
                    return False
                seen.add(name)
                return any(self._may_count(value, seen) for value, _ in incoming)
            case Binary(op="add" | "sub"):
                return True
            case Binary(left=left, right=right):
                return self._may_count(left, seen) or self._may_count(right, seen)
            case Cast(value=value):
                return self._may_count(value, seen)
            case Select(if_true=yes, if_false=no):
                return self._may_count(yes, seen) or self._may_count(no, seen)
        return False

    # -- which registers matter where

    def leaves(self, operand: Operand, depth: int = _DEPTH) -> Iterator[str]:
        """Registers from which the operand is computed."""
        if not isinstance(operand, Reg) or not depth:
            return
        match self._definitions.get(operand.name):
            case Compare(left=left, right=right) | Binary(left=left, right=right):
                inner: tuple[Operand, ...] = (left, right)
            case Cast(op="zext" | "sext" | "trunc", value=value):
                inner = (value,)
            case Select(condition=condition, if_true=yes, if_false=no):
                inner = (condition, yes, no)
            case Extract(aggregate=Reg(name=pair), indices=(index,)):
                yield part_of(pair, index)
                return
            case _:
                yield operand.name
                return
        for each in inner:
            yield from self.leaves(each, depth - 1)

    def _find_read(self, block: Block) -> set[str]:
        used: list[Operand] = []
        for instr in block.body:
            match instr:
                case Store(value=value) | Rmw(value=value):
                    used.append(value)
                case CompareExchange(expected=expected, new=new):
                    used += [expected, new]
        return {leaf for operand in used for leaf in self.leaves(operand)} | self._decided(block)

    def _decided(self, block: Block) -> set[str]:
        passed = [operand for instr in block.body if isinstance(instr, Call) for operand in self._passed(instr)]
        found = {leaf for operand in passed for leaf in self.leaves(operand)} - self._parameters  # not handed through
        used: list[Operand] = []
        match block.terminator:
            case Branch(condition=operand) | Switch(value=operand):
                used.append(operand)
            case Return(value=returned) if returned is not None and not self._is_main:
                used.append(returned)
        return found.union(leaf for operand in used for leaf in self.leaves(operand))

    def _passed_on(self, block: Block) -> Iterable[str]:
        """To phis of later blocks that matter there."""
        for label in successors(block.terminator):
            number = self._number[label]
            for instr in self._function.blocks[number].body:
                if isinstance(instr, Phi) and instr.result.name in self._live[number]:
                    for operand, origin in instr.incoming:
                        if origin == block.label:
                            yield from self.leaves(operand)

    def _find_live(self) -> None:
        """For each block the registers that matter in it or behind it; its phis count as there before it."""
        blocks = self._function.blocks
        defined = [
            {
                name
                for instr in block.body
                if not isinstance(instr, Phi) and isinstance(register := getattr(instr, "result", None), Reg)
                for name in (register.name, part_of(register.name, 0), part_of(register.name, 1))
            }
            for block in blocks
        ]
        phis = [{instr.result.name for instr in block.body if isinstance(instr, Phi)} for block in blocks]
        changed = True
        while changed:
            changed = False
            for index in reversed(range(len(blocks))):
                block = blocks[index]
                found = self._read_in[index] | set(self._passed_on(block))
                for label in successors(block.terminator):
                    following = self._number[label]
                    found |= self._live[following] - phis[following]
                found -= defined[index]
                if not found <= self._live[index]:
                    self._live[index] |= found
                    changed = True


def part_of(register: str, index: int) -> str:
    """The name of a part of the pair that a compare-exchange gives."""
    return f"{register}#{index}"


def computed(op: str, first: int, second: int, bits: int) -> int | None:
    match op:
        case "add":
            return unsigned(first + second, bits)
        case "sub":
            return unsigned(first - second, bits)
        case "and":
            return first & second
        case "or":
            return first | second
        case "xor":
            return first ^ second
    return None


def _holds(predicate: str, first: int, second: int, bits: int) -> int | None:
    if predicate.startswith("s"):
        first, second = _signed(first, bits), _signed(second, bits)
    match predicate:
        case "eq":
            return int(first == second)
        case "ne":
            return int(first != second)
        case "ugt" | "sgt":
            return int(first > second)
        case "uge" | "sge":
            return int(first >= second)
        case "ult" | "slt":
            return int(first < second)
        case "ule" | "sle":
            return int(first <= second)
    return None
