"""points_to against executions: whatever a random run of a random program computes must be in the points-to sets.

The programs use structs, arrays with unknown indices, heap objects, memcpy, wrappers and function pointers. The
interpreter keeps C's rules: a pointer has bounds, those of the array or member it was made from, and an instruction
that would leave them is skipped, as if the program had asked before. All that is computed is defined behaviour.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from random import Random

import pytest

from raceproof.core import Budget
from raceproof.facts.pointers.points_to import PointsTo, solve
from raceproof.ir import (
    Address,
    Alloca,
    ArrayType,
    Block,
    Branch,
    Call,
    Function,
    Gep,
    GlobalVariable,
    IndexTerm,
    Instr,
    IntConst,
    IntType,
    IrType,
    Load,
    Operand,
    Origin,
    Param,
    Program,
    PtrType,
    Reg,
    Return,
    Select,
    SiteId,
    Store,
    StructType,
    VoidType,
)

PTR, LONG = PtrType(8), IntType(64, 8)
NODE = StructType("struct.node", (PTR, PTR, LONG), (0, 8, 16), 24)
TABLE = StructType("struct.table", (LONG, ArrayType(4, PTR, 32), PTR), (0, 8, 40), 48)
TEXT = StructType("struct.text", (LONG, ArrayType(24, IntType(8, 1), 24), PTR), (0, 8, 32), 40)
SMALL, LARGE = ArrayType(3, NODE, 72), ArrayType(20, NODE, 480)
NESTED = ArrayType(18, TABLE, 864)
MATRIX = ArrayType(5, ArrayType(6, PTR, 48), 240)
GLOBALS: dict[str, IrType] = {
    "node": NODE,
    "table": TABLE,
    "small": SMALL,
    "large": LARGE,
    "nested": NESTED,
    "matrix": MATRIX,
    "text": TEXT,
    "texts": ArrayType(20, TEXT, 800),
    "p": PTR,
}
FUNCTIONS = ("main", "make", "next", "work")
UNKNOWN = Reg("n")
"""An integer that the analysis knows nothing of; each use gets another value."""


# Programs.


# What a pointer is meant to point to; operations mostly get what they are meant for.
NODES: list[Operand] = [Address("node"), Address("small"), Address("small", 24), Address("large", 48)]
TABLES: list[Operand] = [Address("table"), Address("nested"), Address("nested", 96)]
CELLS: list[Operand] = [
    Address("p"),
    Address("matrix"),
    Address("matrix", 64),
    Address("table", 8),
    Address("table", 24),
    Address("nested", 56),
    Reg("v0"),
]
TEXTS: list[Operand] = [Address("text"), Address("texts"), Address("texts", 120)]
CHARS: list[Operand] = [Address("text", 8), Address("texts", 48), Address("texts", 53)]
SIZES = {"node": 24, "table": 48, "cell": 8, "text": 40, "char": 1}
MEMBERS = {
    "node": [(NODE, 0, "cell"), (NODE, 8, "cell")],
    "table": [(TABLE, 40, "cell"), (TABLE, 8, "cell")],
    "text": [(TEXT, 8, "char"), (TEXT, 8, "char"), (TEXT, 32, "cell")],
}
CODE: list[Operand] = [Address(f) for f in FUNCTIONS[1:]]
BYTE = IntType(8, 1)


class Writer:
    """Writes one function at random."""

    def __init__(self, random: Random, sites: Iterator[int], params: tuple[Param, ...]) -> None:
        self.random = random
        self.sites = sites
        self.params = params
        self.begin()

    def begin(self) -> None:
        """Start a block: registers of other blocks are not known in it."""
        arguments: list[Operand] = [Reg(p.name) for p in self.params]
        self.known = {
            "node": [*self.random.sample(NODES, 2), *arguments, Reg("v2")],
            "table": [*self.random.sample(TABLES, 2), *arguments],
            "cell": [*self.random.sample(CELLS, 3)],
            "text": [*self.random.sample(TEXTS, 2), *arguments],
            "char": [*self.random.sample(CHARS, 2)],
            "code": [*CODE],
        }

    def pick(self, kind: str) -> Operand:
        if self.random.random() < 0.1:
            kind = self.random.choice(list(self.known))
        recent = self.known[kind][-6:]
        return self.random.choice(recent)

    def write(self, result: Reg) -> Instr:
        random, site = self.random, SiteId(next(self.sites))
        of = random.choice(["node", "node", "table", "text"])
        to = of
        made: Instr
        match random.choice(
            ["load", "load", "store", "store", "field", "index", "step", "owner", "new", "copy", "call"]
        ):
            case "load":
                made = Load(site, None, result, PTR, self.pick(random.choice(["cell", "cell", "node"])), None, False)
            case "store":
                address = self.pick(random.choice(["cell", "cell", "node"]))
                return Store(site, None, PTR, self.pick(random.choice([of, of, "code"])), address, None, False)
            case "field":
                type_, offset, to = random.choice(MEMBERS[of])
                made = Gep(site, None, result, self.pick(of), offset, (), type_)
            case "index":
                if random.random() < 0.4:
                    terms = (IndexTerm(UNKNOWN, 8, 4),)
                    made, to = Gep(site, None, result, self.pick("table"), 8, terms, TABLE), "cell"
                else:
                    to = random.choice(list(SIZES))
                    terms = (IndexTerm(UNKNOWN, SIZES[to], None),)
                    made = Gep(site, None, result, self.pick(to), 0, terms, BYTE)
            case "step":
                to = random.choice(list(SIZES))
                size = SIZES[to]
                made = Gep(site, None, result, self.pick(to), random.choice([size, -size]), (), BYTE)
            case "owner":
                made = Gep(site, None, result, self.pick(random.choice(["cell", "char"])), -8, (), BYTE)
            case "new":
                sizes = {"table": [TABLE_SIZE], "text": [TEXT_SIZE], "node": [NODE_SIZE, SMALL_SIZE, UNKNOWN]}
                size_arg = random.choice(sizes[of])
                made = Call(site, None, result, PTR, Address("malloc"), (size_arg,), (LONG,), False)
            case "copy":
                length = random.choice([IntConst(SIZES[of], 64), UNKNOWN])
                args = (self.pick(of), self.pick(of), length)
                return Call(site, None, None, VoidType(), Address("llvm.memcpy"), args, (PTR, PTR, LONG), False)
            case _:
                callee = random.choice([*CODE, self.pick("code"), self.pick("node")])
                made = Call(site, None, result, PTR, callee, (self.pick(of), self.pick(of)), (PTR, PTR), False)
        self.known[to].append(result)
        return made


NODE_SIZE, SMALL_SIZE, TABLE_SIZE, TEXT_SIZE = (IntConst(size, 64) for size in (24, 72, 48, 40))


def random_program(random: Random) -> Program:
    functions = {}
    sites = count(1)
    for name in FUNCTIONS:
        params = () if name == "main" else (Param("a", PTR), Param("b", PTR))
        writer = Writer(random, sites, params)
        types = (PTR, PTR, NODE)
        slots = [Alloca(SiteId(next(sites)), None, Reg(f"v{i}"), t, IntConst(1, 64)) for i, t in enumerate(types)]
        blocks = [Block("b", tuple(slots), Branch(SiteId(next(sites)), None, UNKNOWN, "b0", "b0"))]
        length = random.randint(1, 3) if name == "main" else random.randint(1, 2)
        for number in range(length):
            writer.begin()
            body = [writer.write(Reg(f"r{number}_{i}")) for i in range(random.randint(4, 12))]
            if number == length - 1:
                result = Reg("s")
                site = SiteId(next(sites))
                body.append(Select(site, None, result, UNKNOWN, writer.pick("node"), writer.pick("node")))
                end: Return | Branch = Return(SiteId(next(sites)), None, result)
            else:
                end = Branch(SiteId(next(sites)), None, UNKNOWN, f"b{random.randint(0, number)}", f"b{number + 1}")
            blocks.append(Block(f"b{number}", tuple(body), end))
        functions[name] = Function(name, name, params, PTR, False, tuple(blocks), {}, None)
    globals_ = {n: GlobalVariable(n, n, t, None, False, False, False, (), True, None) for n, t in GLOBALS.items()}
    return Program(functions, {}, globals_, {}, "main", 8, Origin((), (), "LP64"))


# Running them.


@dataclass(eq=False)
class Thing:
    """A concrete object: where it comes from, its type, the pointers stored in it."""

    origin: str | SiteId
    type: IrType
    cells: dict[int, Pointer | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Pointer:
    """`low` and `high` are the bounds of the array that it points into, `unit` the size of an element."""

    thing: Thing
    offset: int
    low: int
    high: int
    unit: int


class Undefined(Exception):
    """The instruction has no defined behaviour here."""


class Over(Exception):
    """The run has taken long enough."""


def inner_array(type_: IrType, offset: int) -> tuple[int, int, int]:
    """Bounds and unit of what `&global.member` or `&global[i]` points into."""
    if isinstance(type_, ArrayType):
        if offset % type_.element.size == 0:
            return 0, type_.size, type_.element.size
        base = offset // type_.element.size * type_.element.size
        low, high, unit = inner_array(type_.element, offset - base)
        return base + low, base + high, unit
    if isinstance(type_, StructType) and offset:
        at = max(o for o in type_.offsets if o <= offset)
        field_type = type_.fields[type_.offsets.index(at)]
        unit = field_type.element.size if isinstance(field_type, ArrayType) else field_type.size
        return at, at + field_type.size, unit
    return 0, type_.size, type_.size


class Machine:
    def __init__(self, program: Program, result: PointsTo, random: Random) -> None:
        self.program = program
        self.result = result
        self.random = random
        self.globals = {name: Thing(name, type_) for name, type_ in GLOBALS.items()}
        self.functions = {name: Thing(name, VoidType()) for name in FUNCTIONS}
        self.steps = 0

    def value(self, frame: dict[str, Pointer | None], operand: Operand) -> Pointer | None:
        if isinstance(operand, Reg):
            return frame.get(operand.name)
        if isinstance(operand, Address):
            if operand.symbol in self.functions:
                return Pointer(self.functions[operand.symbol], 0, 0, 0, 1)
            thing = self.globals[operand.symbol]
            return Pointer(thing, operand.offset, *inner_array(thing.type, operand.offset))
        return None

    def run(self, name: str, args: list[Pointer | None], depth: int = 0) -> Pointer | None:
        function = self.program.functions[name]
        frame: dict[str, Pointer | None] = {p.name: a for p, a in zip(function.params, args, strict=False)}
        for param in function.params:
            self.check(name, Reg(param.name), frame[param.name])
        blocks = {b.label: b for b in function.blocks}
        block = function.blocks[0]
        while True:
            for instr in block.body:
                self.steps += 1
                if self.steps > 400:
                    raise Over
                try:
                    made = self.step(name, frame, instr, depth)
                except Undefined:
                    made = None
                target = getattr(instr, "result", None)
                if isinstance(target, Reg):
                    frame[target.name] = made
                    self.check(name, target, made)
            end = block.terminator
            if isinstance(end, Return):
                assert end.value is not None
                return self.value(frame, end.value)
            assert isinstance(end, Branch)
            block = blocks[self.random.choice([end.if_true, end.if_false])]

    def step(self, name: str, frame: dict[str, Pointer | None], instr: Instr, depth: int) -> Pointer | None:
        match instr:
            case Alloca(id=site, type=type_):
                known = frame.get(instr.result.name)
                return known or Pointer(Thing(site, type_), 0, *inner_array(type_, 0))
            case Load(address=address):
                at = self.access(self.value(frame, address))
                return at.thing.cells.get(at.offset)
            case Store(value=value, address=address):
                at = self.access(self.value(frame, address))
                at.thing.cells[at.offset] = self.value(frame, value)
                return None
            case Gep(base=base):
                return self.moved(self.value(frame, base), instr)
            case Select(if_true=a, if_false=b):
                return self.value(frame, self.random.choice([a, b]))
            case Call(callee=Address(symbol="malloc"), args=(size,)):
                length = size.value if isinstance(size, IntConst) else 24 * self.random.randint(1, 4)
                made: IrType = ArrayType(length // 24, NODE, length)
                made = {TABLE.size: TABLE, TEXT.size: TEXT}.get(length, made)
                return Pointer(Thing(instr.id, made), 0, *inner_array(made, 0))
            case Call(callee=Address(symbol="llvm.memcpy"), args=(to, source, size)):
                length = size.value if isinstance(size, IntConst) else 8 * self.random.randint(1, 9)
                self.copy(self.value(frame, to), self.value(frame, source), length)
                return None
            case Call(callee=callee, args=args):
                called = self.value(frame, callee)
                if called is None or called.thing.origin not in FUNCTIONS or depth > 6:
                    raise Undefined
                return self.run(str(called.thing.origin), [self.value(frame, a) for a in args], depth + 1)
        raise AssertionError(instr)

    def access(self, pointer: Pointer | None, size: int = 8) -> Pointer:
        if pointer is None or not pointer.low <= pointer.offset <= pointer.high - size:
            raise Undefined
        return pointer

    def copy(self, to: Pointer | None, source: Pointer | None, size: int) -> None:
        to, source = self.access(to, size), self.access(source, size)
        moved = {o - source.offset: p for o, p in source.thing.cells.items() if 0 <= o - source.offset <= size - 8}
        for distance in range(0, size, 8):
            to.thing.cells.pop(to.offset + distance, None)
        to.thing.cells.update({to.offset + d: p for d, p in moved.items()})

    def moved(self, base: Pointer | None, instr: Gep) -> Pointer:
        if base is None or base.thing.origin in FUNCTIONS:
            raise Undefined
        offset, low, high, unit = base.offset + instr.offset, base.low, base.high, base.unit
        if isinstance(instr.source, StructType):  # a member: the result stays in it
            member = instr.source.fields[instr.source.offsets.index(instr.offset)]
            if not low <= base.offset <= high - instr.source.size or unit != instr.source.size:
                raise Undefined
            unit = member.element.size if isinstance(member, ArrayType) else member.size
            low, high = offset, offset + member.size
        elif instr.offset == -8:  # back to the owner of a member
            if not 0 <= offset < base.thing.type.size:
                raise Undefined
            if not low <= offset <= high:
                low, high, unit = inner_array(base.thing.type, offset)
                if unit <= 8 or (offset - low) % unit:
                    raise Undefined
        elif instr.offset % unit or any(term.scale % unit for term in instr.terms):
            raise Undefined
        for term in instr.terms:
            offset += term.scale * self.random.randint(0 if term.count else -3, (term.count or 8) - 1)
        if not low <= offset <= high:
            raise Undefined
        return Pointer(base.thing, offset, low, high, unit)

    def check(self, function: str, reg: Reg, pointer: Pointer | None) -> None:
        if pointer is None or pointer.offset == pointer.high > 0:  # one past the end: nothing is there
            return
        origin, offset = pointer.thing.origin, pointer.offset
        objects = (
            (self.result.object_of_symbol(origin),) if isinstance(origin, str) else self.result.object_of_site(origin)
        )
        for target in self.result.targets(function, reg):
            if target.object in objects:
                if target.offset is None or target.offset == offset:
                    return
                number, rest = divmod(offset - target.offset, target.stride or 1)
                if target.stride is not None and rest == 0 and (target.count is None or 0 <= number < target.count):
                    return
        raise AssertionError(f"{function}: {reg} is {origin}+{offset}, not in {self.result.targets(function, reg)}")


@pytest.mark.parametrize("seed", range(25))
def test_what_a_run_computes_is_known(seed: int) -> None:
    random = Random(seed)
    for _ in range(10):
        program = random_program(random)
        result = solve(program, Budget.unlimited())
        for _ in range(10):
            with suppress(Over):
                Machine(program, result, random).run("main", [])
