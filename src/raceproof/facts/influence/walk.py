"""Which plain values from outside may decide what the threads of the program do?

A value decides something if it may reach a branch, an address, a size, or a call that may do one thing or another with
it. A value that is only computed with, stored, and printed decides nothing: whatever it is, the same accesses happen in
the same order. Values are followed through registers, calls, and memory as points-to sees it; all paths at once. Since
a branch on such a value decides something, values need not be followed through control.

    start = clock(); work(); printf("%f s\\n", (clock() - start) / 1e6);         decides nothing
    deadline = time(NULL) + 5; while (time(NULL) < deadline) work();              decides

Addresses are such values as well: where objects lie is for the system to choose. A pointer as such is none, because it
leads to the same object wherever that lies; but a pointer that was made a number, or compared by < with a pointer into
another object, is one. So is the id of a thread as a number. Such a value is *raw* as long as nothing was computed from
it: it may be stored, passed on, made a pointer again, and compared for equality with another one, or with null.

Everything is over-approximated: what is not understood decides something.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from raceproof.facts.flow.world import World
from raceproof.facts.influence.address_bytes import AddressBytes
from raceproof.facts.influence.comparators import chooses_comparisons, comparators, only_compares
from raceproof.facts.influence.library import LibraryCalls
from raceproof.facts.influence.marks import Mark, Marks, union
from raceproof.facts.influence.observed import Observed, observed_by
from raceproof.facts.library.effects import Sync
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import (
    START,
    Address,
    Alloca,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Compute,
    Extract,
    FloatType,
    Function,
    Gep,
    IndirectJump,
    Instr,
    IntConst,
    IrType,
    Load,
    Operand,
    OtherConst,
    Phi,
    PtrType,
    Reg,
    Return,
    Rmw,
    Select,
    SiteId,
    Store,
    Switch,
    Terminator,
    VectorType,
    operands,
    result,
)
from raceproof.model import CallGraph, InputKind, ProgramInput

MAX_ROUNDS: Final = 100
MAX_DEFINITIONS: Final = 20_000
"""In a larger program values are not followed: all of them may decide something."""
TOO_LARGE: Final = "addresses, which are not followed in a program of this size"
_EQUALITY: Final = ("eq", "ne")
AS_NUMBER: Final = "an address as a number"
UNWRITTEN: Final = "bytes that nothing has written"
_NO_SITE: Final = SiteId(-1)
_UNDEFINED: Final = ("undef", "poison")
_FLAG: Final = (1,)  # in the result of a compare and exchange: whether it succeeded


@dataclass(frozen=True, slots=True)
class Source:
    """A place where a plain value comes in: `given` says which, `site` is the instruction."""

    given: ProgramInput
    site: SiteId


class Influence:
    """Follows values through `functions`, all of those that may run."""

    def __init__(self, world: World, calls: CallGraph, functions: Sequence[Function]) -> None:
        self._world = world
        self._calls = calls
        self._observed = observed_by(world, calls, functions)
        self._bytes = AddressBytes(world, calls, functions, self._observed.output)
        compared = comparators(world, calls, functions)
        self._functions = [function for function in functions if function.name not in compared]
        self._defined = {
            (function.name, register.name): instr
            for function in functions
            for instr in function.instructions()
            if (register := result(instr)) is not None
        }

    def deciding(self, values: Sequence[Source]) -> tuple[ProgramInput, ...]:
        """Those of `values`, and of the addresses that the program makes numbers of, which may decide something."""
        if len(self._defined) > MAX_DEFINITIONS:
            return (*(value.given for value in values), ProgramInput(InputKind.ADDRESSES, TOO_LARGE, None))
        unwritten = list(self._unwritten())
        given = [*values, *unwritten]
        sources = [*given, *self._addresses(), *self._constants()]
        if not sources:
            return ()
        marks = Marks(self._world.points_to, len(sources))
        born: dict[SiteId, Mark] = {}
        for number, source in enumerate(sources):
            born[source.site] = born.get(source.site, 0) | marks.of(number, is_raw=number >= len(given))
        constant = marks.of(len(sources) - 1, is_raw=True)  # used only if there are some
        padding = marks.of(len(values), is_raw=False) if unwritten else 0
        walk = _Walk(self._world, self._calls, marks, born, self._defined, constant, padding, self._observed)
        for _ in range(MAX_ROUNDS):
            marks.has_grown = False
            for function in self._functions:
                for instr in function.instructions():
                    walk.step(function, instr)
            if not marks.has_grown:
                return tuple(s.given for number, s in enumerate(sources) if marks.is_deciding(number))
        return tuple(source.given for source in sources)

    def _unwritten(self) -> Iterator[Source]:
        """Padding that is read, such as bytes 10 to 15 of a long double: LLVM calls it undefined, all one source. (Of
        variables that were never written, front end and explorer take care.)"""
        for function in self._functions:
            for instr in function.instructions() if function.name != START else ():
                if not isinstance(instr, Compute) and any(_is_undefined(o) for o, _ in numbers(function, instr)):
                    yield Source(ProgramInput(InputKind.SYSTEM, UNWRITTEN, instr.pos), _NO_SITE)
                    return

    def _addresses(self) -> Iterator[Source]:
        for function in self._functions:
            for instr in function.instructions():
                what = self._address_as_number(function, instr)
                if what is not None:
                    yield Source(ProgramInput(InputKind.ADDRESSES, what, instr.pos), instr.id)

    def _constants(self) -> Iterator[Source]:
        """The addresses of variables and functions as numbers, all of them one source."""
        for function in self._functions:
            for instr in function.instructions():
                if any(_is_address(operand, kind) for operand, kind in numbers(function, instr)):
                    yield Source(ProgramInput(InputKind.ADDRESSES, AS_NUMBER, instr.pos), _NO_SITE)
                    return

    def _address_as_number(self, function: Function, instr: Instr | Terminator) -> str | None:
        if self._bytes.may_be_read(function, instr):
            return AS_NUMBER
        match instr:
            case Cast(op="ptrtoint", value=value) if self._world.points_to.targets(function.name, value):
                return AS_NUMBER
            case Compare(predicate=predicate, type=PtrType(), left=left, right=right) if predicate not in _EQUALITY:
                is_within = is_one_object(self._world, self._defined, function, left, right)
                return None if is_within else "the order of two addresses"
            case Call():
                operations = [sync_op(name) for name in self._calls.targets[instr.id].externals]
                if any(op is not None and op.kind in (Sync.SELF, Sync.CREATE) for op in operations):
                    return "the id of a thread as a number"
                if self._bytes.may_be_told(function, instr):
                    return AS_NUMBER
        return None


Definitions = Mapping[tuple[str, str], Instr | Terminator]


def numbers(function: Function, instr: Instr | Terminator) -> Iterator[tuple[Operand, IrType | None]]:
    """The operands that are computed with or passed on, each with its type, None if that is not told."""
    match instr:
        case Store(value=value, type=kind):
            yield value, kind
        case Rmw(value=value, type=kind):
            yield value, kind
        case CompareExchange(expected=expected, new=new, type=kind):
            yield from ((expected, kind), (new, kind))
        case Binary(left=left, right=right, type=kind) | Compare(left=left, right=right, type=kind):
            yield from ((left, kind), (right, kind))
        case Cast(value=value, from_type=kind):
            yield value, kind
        case Phi(type=kind):
            yield from ((value, kind) for value in operands(instr))
        case Call(args=args, arg_types=kinds):
            yield from zip(args, kinds, strict=False)
        case Return(value=value) if value is not None:
            yield value, function.returns
        case Gep(terms=terms):
            yield from ((term.index, None) for term in terms)
        case Select() | Extract() | Compute() | Switch() | Branch():
            yield from ((operand, None) for operand in operands(instr))


def _computes_with_floats(instr: Instr | Terminator) -> bool:
    """Whether it may raise a floating-point exception."""
    match instr:
        case Binary(type=kind) | Compare(type=kind):
            return _has_floats(kind)
        case Cast(from_type=kind, to_type=other):
            return _has_floats(kind) or _has_floats(other)
    return isinstance(instr, Compute)


def _has_floats(kind: IrType) -> bool:
    return isinstance(kind, FloatType) or (isinstance(kind, VectorType) and isinstance(kind.element, FloatType))


def _is_undefined(operand: Operand) -> bool:
    return isinstance(operand, OtherConst) and operand.text in _UNDEFINED


def _is_address(operand: Operand, kind: IrType | None) -> bool:
    """Whether it is the address of something, as a number."""
    return not isinstance(kind, PtrType) and (
        isinstance(operand, Address) or (isinstance(operand, OtherConst) and bool(operand.addresses))
    )


def is_one_object(world: World, defined: Definitions, function: Function, left: Operand, right: Operand) -> bool:
    """Whether two pointers lead into the same object: computed from the same one, or there is but one object."""
    roots = _roots(defined, function, left) | _roots(defined, function, right)
    if len(roots) == 1:
        return True
    found = {location.object for side in (left, right) for location in world.points_to.targets(function.name, side)}
    return len(found) == 1 and all(world.points_to.objects[target].is_single for target in found)


def _roots(defined: Definitions, function: Function, operand: Operand) -> frozenset[Operand | str]:
    """What a pointer was computed from, within the function."""
    found: set[Operand | str] = set()
    seen: set[Operand] = set()
    work = [operand]
    while work:
        each = work.pop()
        if each in seen:
            continue
        seen.add(each)
        match defined.get((function.name, each.name)) if isinstance(each, Reg) else None:
            case Gep(base=base):
                work.append(base)
            case Phi() | Select() as choice:
                work += operands(choice)[1:] if isinstance(choice, Select) else operands(choice)
            case Cast(op="bitcast" | "ptrtoint", value=value):
                work.append(value)
            case _:
                found.add(each.symbol if isinstance(each, Address) else each)
    return frozenset(found)


class _Walk:
    """One instruction after the other, wherever it stands."""

    def __init__(
        self,
        world: World,
        calls: CallGraph,
        marks: Marks,
        born: Mapping[SiteId, Mark],
        defined: Definitions,
        constant: Mark,
        padding: Mark,
        observed: Observed,
    ) -> None:
        self._world = world
        self._calls = calls
        self._marks = marks
        self._born = born
        self._defined = defined
        self._constant = constant
        self._padding = padding
        self._observed = observed
        self._flags: dict[tuple[str, str], Mark] = {}
        self._library = LibraryCalls(world, calls, marks, born, observed)

    def step(self, function: Function, instr: Instr | Terminator) -> None:
        marks = self._marks
        if self._observed.float_flags and _computes_with_floats(instr):
            marks.decide(union(self._value(function, operand) for operand in operands(instr)))
        match instr:
            case Load(address=address, type=kind):
                self._use(function, address)
                self._define(function, instr, marks.read(function, address, kind.size))
            case Store(value=value, address=address, type=kind):
                self._use(function, address)
                marks.write(function, address, kind.size, self._value(function, value, kind))
            case Rmw(op=op, address=address, value=value, type=kind):
                self._use(function, address)
                old, new = marks.read(function, address, kind.size), self._value(function, value, kind)
                marks.write(function, address, kind.size, new if op == "xchg" else marks.cooked(old | new))
                self._define(function, instr, old)
            case CompareExchange():
                self._exchange(function, instr)
            case Branch(condition=value) | Switch(value=value) | Alloca(count=value):
                marks.decide(self._value(function, value))
            case IndirectJump(address=value):
                self._use(function, value)
            case Return(value=value):
                if value is not None:
                    found = self._value(function, value, function.returns)
                    marks.returns(function.name, found)
                    if self._observed.status and function.name == self._world.program.entry:
                        marks.decide(found)
            case Call():
                self._call(function, instr)
            case Compare():
                self._compare(function, instr)
            case Cast(op=op, value=value, from_type=kind):
                found = self._value(function, value, kind)
                found = marks.but_raw(found) if op == "inttoptr" else found  # the pointer that it was
                self._define(function, instr, found if op in ("ptrtoint", "bitcast") else marks.cooked(found))
            case Gep(base=base, terms=terms):
                indices = marks.cooked(union(self._value(function, term.index) for term in terms))
                self._define(function, instr, marks.value(function, base) | indices)
            case Select(condition=condition, if_true=a, if_false=b):
                chosen = marks.cooked(self._value(function, condition))
                self._define(function, instr, chosen | self._value(function, a) | self._value(function, b))
            case Phi(type=kind):
                self._define(function, instr, union(self._value(function, each, kind) for each in operands(instr)))
            case Extract(aggregate=Reg(name=name), indices=indices) if (function.name, name) in self._flags:
                found = self._flags[function.name, name] if indices == _FLAG else marks.value(function, Reg(name))
                self._define(function, instr, found)
            case _:
                if not self._is_distance(function, instr):
                    used = numbers(function, instr)
                    if isinstance(instr, Compute):  # a structure that is put together begins with nothing
                        used = ((each, kind) for each, kind in used if not _is_undefined(each))
                    found = union(self._value(function, each, kind) for each, kind in used)
                    self._define(function, instr, marks.cooked(found))

    def _value(self, function: Function, operand: Operand, kind: IrType | None = None) -> Mark:
        if _is_undefined(operand):
            return self._padding
        return self._constant if _is_address(operand, kind) else self._marks.value(function, operand)

    def _define(self, function: Function, instr: Instr | Terminator, mark: Mark) -> None:
        register = result(instr)
        if register is not None:
            here = 0 if isinstance(instr, Call) else self._born.get(instr.id, 0)
            self._marks.put(function.name, register.name, mark | here)

    def _use(self, function: Function, address: Operand) -> None:
        """As an address: which object it leads to may be decided."""
        self._marks.decide(self._marks.but_raw(self._marks.value(function, address)))

    def _exchange(self, function: Function, instr: CompareExchange) -> None:
        marks = self._marks
        self._use(function, instr.address)
        old = marks.read(function, instr.address, instr.type.size)
        expected = self._value(function, instr.expected, instr.type)
        marks.write(function, instr.address, instr.type.size, self._value(function, instr.new, instr.type))
        self._flags[function.name, instr.result.name] = self._told(old, expected, instr.expected)
        self._define(function, instr, old)

    def _compare(self, function: Function, instr: Compare) -> None:
        a, b = self._value(function, instr.left, instr.type), self._value(function, instr.right, instr.type)
        if instr.predicate not in _EQUALITY:
            told = self._marks.cooked(a | b)
        elif isinstance(instr.type, PtrType):
            told = self._marks.but_raw(a | b)
        else:
            told = self._told(a, b, instr.right) | self._told(b, a, instr.left)
        self._define(function, instr, told)

    def _told(self, value: Mark, other: Mark, operand: Operand) -> Mark:
        """What it tells whether a value is the same as `operand`, whose mark is `other`. Two raw ones, or one and null,
        tell only whether two objects are one, which is not for the system to choose."""
        marks = self._marks
        is_null = isinstance(operand, IntConst) and operand.value == 0
        told = marks.but_raw(value | other)
        return told if is_null or marks.has_raw(other) else told | marks.cooked(value)

    def _is_distance(self, function: Function, instr: Instr | Terminator) -> bool:
        """The difference of two pointers into one object."""
        if not isinstance(instr, Binary) or instr.op != "sub":
            return False
        pointers = [
            made.value
            for side in (instr.left, instr.right)
            if isinstance(side, Reg)
            and isinstance(made := self._defined.get((function.name, side.name)), Cast)
            and made.op == "ptrtoint"
        ]
        return len(pointers) == 2 and is_one_object(self._world, self._defined, function, *pointers)

    def _call(self, function: Function, call: Call) -> None:
        marks, targets = self._marks, self._calls.targets[call.id]
        values = [self._value(function, a, kind) for a, kind in zip(call.args, call.arg_types, strict=True)]
        self._use(function, call.callee)
        found = 0
        for name in targets.functions:
            self._library.enter(name, values)
            found |= marks.returned(name)
        if any(marks.read(function, call.args[index], size) for index, size in call.by_value):
            marks.decide(self._library.behind(function, call))
        for name in targets.externals:
            found |= self._library.call(function, call, name, values)
        is_sort = chooses_comparisons(self._calls, call) and only_compares(self._world, self._calls, function, call)
        if (targets.callbacks and not is_sort) or targets.at_end or targets.any_time:
            marks.decide(union(values) | self._library.behind(function, call))
        if targets.is_unknown:
            marks.decide(union(values) | self._library.behind(function, call))
        self._define(function, call, found)
