"""Symbolic values of operands: what a register is, in terms of things that two threads could compare.

Follows no paper. A value is linear where C guarantees it (pointer arithmetic; `nsw` arithmetic; sums at pointer
width, where wrapping is wrapping of addresses; products there that do not wrap) and a `Derived` atom otherwise, so that
equal computations have equal names. Results err on no side: they are exact, or opaque.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from raceproof.facts.flow.function_info import FunctionInfo
from raceproof.facts.flow.state import Condition, State
from raceproof.ir import (
    Address,
    Binary,
    Call,
    Cast,
    Compare,
    Extract,
    Gep,
    IntConst,
    IntType,
    Load,
    Operand,
    OtherConst,
    Phi,
    Reg,
    Rmw,
    Select,
)
from raceproof.model import (
    Argument,
    Atom,
    Base,
    Derived,
    DistinctArgument,
    Linear,
    MemObject,
    ObjectId,
    ObjectKind,
    Opaque,
    Stable,
    StartArg,
    ThreadId,
    number,
    of_atom,
)

MAX_DEPTH = 6
TRUTH = {"eq": ("eq", True), "ne": ("eq", False), "slt": ("slt", True), "sge": ("slt", False)}
TRUTH |= {"ult": ("ult", True), "uge": ("ult", False)}
SWAPPED = {"sgt": "slt", "sle": "sge", "ugt": "ult", "ule": "uge"}


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Evaluates operands of one function, in one thread.

    `symbols` maps names to objects; `arguments` tells what is known of start arguments. `named` collects the
    registers that stand for themselves in some value: only those have to be forgotten when they change.
    """

    info: FunctionInfo
    pointer_bits: int
    symbols: Mapping[str, ObjectId]
    objects: Mapping[ObjectId, MemObject]
    arguments: Mapping[ThreadId, Argument]
    named: set[str] = field(default_factory=set)
    _itself: dict[str, Linear] = field(default_factory=dict)
    _opaque: dict[str, Opaque] = field(default_factory=dict)
    _addresses: dict[Address, Linear] = field(default_factory=dict)

    def opaque_name(self, register: str) -> Opaque:
        known = self._opaque.get(register)
        if known is None:
            known = self._opaque[register] = Opaque(f"{self.info.function.name}:%{register}")
        return known

    def opaque(self, register: str) -> Opaque:
        self.named.add(register)
        return self.opaque_name(register)

    def value(self, operand: Operand, state: State) -> Linear:
        if isinstance(operand, Reg):  # by far the most frequent
            known = state.values.get(operand.name)
            return known if known is not None else self._defined(operand.name, state)
        match operand:
            case IntConst(value=value):
                return number(value)
            case Address():
                known = self._addresses.get(operand)
                if known is None:
                    known = self._addresses[operand] = self.address(operand.symbol).shifted(operand.offset)
                return known
            case OtherConst(text=text):
                return of_atom(Opaque(f"const:{text}"))

    def address(self, symbol: str) -> Linear:
        identity = self.symbols.get(symbol)
        if identity is None:
            return of_atom(Opaque(f"@{symbol}"))
        if self.objects[identity].kind is ObjectKind.THREAD_LOCAL:
            return of_atom(Opaque(f"tls:{symbol}"))
        return of_atom(Base(identity))

    def _defined(self, name: str, state: State) -> Linear:
        """The value of a register from its definition, if that only computes."""
        if name in self.info.heavy:
            return self.itself(name)
        instr = self.info.definitions.get(name)
        result: Linear | None = None
        match instr:
            case Gep(base=base, offset=offset, terms=terms):
                result = self.value(base, state).shifted(offset)
                for term in terms:
                    result = result.plus(self.value(term.index, state), term.scale)
            case Cast():
                result = self._cast(instr, state)
            case Binary():
                result = self._binary(instr, state)
            case Compare():
                truth = self.truth(Reg(name), state)
                if isinstance(truth, bool):
                    result = Linear(int(truth))
                else:
                    condition, positive = truth
                    op = condition.kind if positive else f"not-{condition.kind}"
                    result = of_atom(Derived(op, (condition.difference,)))
            case Extract(aggregate=Reg(name=whole), indices=(index,)):
                result = state.values.get(f"{whole}.{index}")
            case Select(condition=condition_operand, if_true=if_true, if_false=if_false):
                chosen = self.truth(condition_operand, state)
                if isinstance(chosen, bool):
                    result = self.value(if_true if chosen else if_false, state)
        if result is None or result.depth > MAX_DEPTH:
            return self.itself(name)
        return result

    def itself(self, register: str) -> Linear:
        """The register as a value of its own."""
        known = self._itself.get(register)
        if known is None:
            known = self._itself[register] = of_atom(self.opaque(register))
        return known

    def _cast(self, instr: Cast, state: State) -> Linear | None:
        inner = self.value(instr.value, state)
        from_bits = instr.from_type.bits if isinstance(instr.from_type, IntType) else self.pointer_bits
        to_bits = instr.to_type.bits if isinstance(instr.to_type, IntType) else self.pointer_bits
        match instr.op:
            case "sext" if to_bits > from_bits == self.pointer_bits and not is_simple(inner):
                return of_atom(Derived(f"sext{from_bits}", (inner,)))  # the sum may have wrapped around
            case "threadlocal" | "bitcast" | "ptrtoint" | "inttoptr" | "sext" if to_bits >= from_bits > 1:
                return inner
            case "zext":
                if from_bits == 1:
                    return inner
                if inner.is_constant:
                    return Linear(inner.constant % (1 << from_bits))
                return of_atom(Derived(f"zext{from_bits}", (inner,)))
            case "trunc" | "ptrtoint":
                return self._truncate(inner, to_bits)
            case _:
                return None

    def _truncate(self, inner: Linear, bits: int) -> Linear:
        if inner.is_constant:
            wrapped = inner.constant % (1 << bits)
            return Linear(wrapped - (1 << bits) if bits > 1 and wrapped >= 1 << (bits - 1) else wrapped)
        match inner.terms:
            case ((StartArg(thread=thread), 1),) if inner.constant == 0:
                argument = self.arguments.get(thread)
                if isinstance(argument, DistinctArgument) and argument.bits is not None and argument.bits <= bits:
                    return inner
            case ((Derived(op=op, args=(only,)), 1),) if op == f"zext{bits}" and inner.constant == 0:
                return only
        if self._is_below(inner, bits - 1):
            return inner
        return of_atom(Derived(f"trunc{bits}", (inner,)))

    def _binary(self, instr: Binary, state: State) -> Linear | None:
        left, right = self.value(instr.left, state), self.value(instr.right, state)
        bits = instr.type.bits if isinstance(instr.type, IntType) else 0
        if instr.nsw or bits == self.pointer_bits:
            result: Linear | None = None
            match instr.op:
                case "add":
                    result = left.plus(right)
                case "sub":
                    result = left.plus(right, -1)
                case "mul" if right.is_constant and (instr.nsw or self._is_exact_product(left, right.constant)):
                    result = left.scaled(right.constant)
                case "mul" if left.is_constant and (instr.nsw or self._is_exact_product(right, left.constant)):
                    result = right.scaled(left.constant)
                case "shl" if right.is_constant and 0 <= right.constant < bits:
                    if instr.nsw or self._is_exact_product(left, 1 << right.constant):
                        result = left.scaled(1 << right.constant)
            if result is not None:
                return result if instr.nsw else _wrapped(result, bits)
        if bits == 0:
            return None
        if left.is_constant and right.is_constant:
            folded = _of_small_numbers(instr.op, left.constant, right.constant, bits)
            if folded is not None:
                return Linear(folded)
        return of_atom(Derived(f"{instr.op}{bits}", (left, right)))

    def _is_exact_product(self, value: Linear, factor: int) -> bool:
        """`factor` times the value does not wrap around: other numbers give other products, multiples of `factor`."""
        if abs(factor) <= 1 or value.is_constant:
            return True
        return self._is_below(value.scaled(factor), self.pointer_bits - 1)

    def _is_below(self, value: Linear, bits: int) -> bool:
        """The number fits in so many bits, apart from its sign."""
        most = abs(value.constant)
        for atom, times in value.terms:
            width = self._bits(atom)
            if width is None:
                return False
            most += abs(times) << width
        return most.bit_length() <= bits

    def _bits(self, atom: Atom) -> int | None:
        """In how many bits the number fits, apart from its sign."""
        match atom:
            case Stable(size=size):
                return 8 * size
            case StartArg(thread=thread):
                argument = self.arguments.get(thread)
                return argument.bits if isinstance(argument, DistinctArgument) else None
            case Derived(op=op) if op.startswith(("zext", "trunc")):
                return int(op.removeprefix("zext").removeprefix("trunc"))
            case Opaque(key=key):
                function, _, register = key.rpartition(":%")
                definition = self.info.definitions.get(register) if function == self.info.function.name else None
                if isinstance(definition, Binary | Call | Load | Phi | Rmw) and isinstance(definition.type, IntType):
                    return definition.type.bits
        return None

    def truth(self, operand: Operand, state: State) -> bool | tuple[Condition, bool]:
        """Whether a boolean operand is known; if not, the condition it stands for and with which sign."""
        if isinstance(operand, Reg) and operand.name not in state.values:
            instr = self.info.definitions.get(operand.name)
            if isinstance(instr, Compare):
                return self._compare(instr, state)
            if isinstance(instr, Binary) and instr.op == "xor" and instr.right == IntConst(1, 1):
                inner = self.truth(instr.left, state)
                return not inner if isinstance(inner, bool) else (inner[0], not inner[1])
            if isinstance(instr, Cast) and instr.op == "trunc" and instr.to_type == IntType(1, 1):
                return self.decide(self.value(instr.value, state), "eq", False, state)
        return self.decide(self.value(operand, state), "eq", False, state)

    def _compare(self, instr: Compare, state: State) -> bool | tuple[Condition, bool]:
        predicate, left, right = instr.predicate, instr.left, instr.right
        if predicate in SWAPPED:  # a > b is b < a; a <= b is not b < a
            predicate, left, right = SWAPPED[predicate], right, left
        if predicate not in TRUTH:
            return (Condition(predicate, of_atom(self.opaque(instr.result.name))), True)
        kind, positive = TRUTH[predicate]
        a, b = self.value(left, state), self.value(right, state)
        if kind == "ult":  # unsigned order is not a matter of the difference
            if a.is_constant and b.is_constant and min(a.constant, b.constant) >= 0:
                return (a.constant < b.constant) == positive
            return self.decide(of_atom(Derived("operands", (a, b))), kind, positive, state)
        if kind == "slt" and a != b and not self._are_exact(instr, state):
            return self.decide(of_atom(Derived("compared", (a, b))), kind, positive, state)  # below 0 if a < b
        return self.decide(a.plus(b, -1), kind, positive, state)

    def _are_exact(self, instr: Compare, state: State) -> bool:
        """The values are what is compared as signed numbers, not only up to wrapping around."""
        if isinstance(instr.type, IntType) and instr.type.bits != self.pointer_bits:
            return True
        return self._is_exact(instr.left, state) and self._is_exact(instr.right, state)

    def _is_exact(self, operand: Operand, state: State) -> bool:
        if is_simple(self.value(operand, state)):
            return True
        if not isinstance(operand, Reg) or operand.name in state.values:
            return False
        match self.info.definitions.get(operand.name):
            case Cast(op="sext", from_type=IntType(bits=bits)):
                return bits < self.pointer_bits
            case Binary(nsw=True, left=left, right=right):
                return self._is_exact(left, state) and self._is_exact(right, state)
        return False

    def decide(self, difference: Linear, kind: str, positive: bool, state: State) -> bool | tuple[Condition, bool]:
        """`difference == 0` or `< 0`, wanted `positive`; looks through `(a == b) != 0`."""
        if difference.is_constant:
            if kind == "eq":
                return (difference.constant == 0) == positive
            if kind == "slt":
                return (difference.constant < 0) == positive
        match difference.terms:
            case ((Derived(op=op, args=(inner,)), 1 | -1),) if kind == "eq" and op.removeprefix("not-") in (
                "eq",
                "slt",
                "ult",
            ):
                # the difference is a truth value t plus a constant: t == 0 or t - 1 == 0 decide t
                shifted = difference.constant * difference.terms[0][1]
                if shifted in (0, -1):
                    wants_true = (shifted == -1) == positive
                    if op.startswith("not-"):
                        wants_true = not wants_true
                    return self.decide(inner, op.removeprefix("not-"), wants_true, state)
                return not positive
        if kind == "eq" and difference.terms[0][1] < 0:
            difference = difference.scaled(-1)
        condition = Condition(kind, difference)
        known = state.facts.get(condition)
        if known is not None:
            return known == positive
        if kind == "eq" and self._is_non_null(difference):
            return not positive
        return (condition, positive)

    def _is_non_null(self, difference: Linear) -> bool:
        """The address of a variable or function is not null; a new heap object may be."""
        match difference.terms:
            case ((Base(object=target), 1 | -1),):
                return difference.constant == 0 and self.objects[target].kind is not ObjectKind.HEAP
        return False


def is_simple(value: Linear) -> bool:
    """A number, or something that is named by one atom: no arithmetic."""
    return value.is_constant or (value.constant == 0 and value.factors() == (1,))


def _wrapped(value: Linear, bits: int) -> Linear:
    """The same up to multiples of 2^bits, with signed numbers."""
    half = 1 << (bits - 1)
    if all(-half <= number < half for number in (value.constant, *value.factors())):
        return value
    terms = tuple((atom, wrapped) for atom, k in value.terms if (wrapped := _signed(k, bits)))
    return Linear(_signed(value.constant, bits), terms)


def _signed(number: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (number + half) % (2 * half) - half


def _of_small_numbers(op: str, left: int, right: int, bits: int) -> int | None:
    """The result where signed and unsigned numbers agree; None elsewhere, and for other operations."""
    if min(left, right) < 0 or max(left, right) >= 1 << (bits - 1):
        return None
    match op:
        case "and":
            return left & right
        case "or":
            return left | right
        case "xor":
            return left ^ right
        case "srem" | "urem" if right > 0:
            return left % right
        case "sdiv" | "udiv" if right > 0:
            return left // right
        case "lshr" | "ashr" if right < bits:
            return left >> right
    return None
