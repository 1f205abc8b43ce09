"""points_to against executions: whatever a random run of a random program computes must be in the points-to sets.

The programs use structs, arrays with unknown indices, heap objects, memcpy, wrappers and function pointers. The
interpreter keeps C's rules: a pointer has bounds, those of the array or member it was made from, and an instruction
that would leave them is skipped, as if the program had asked before. All that is computed is defined behaviour.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from raceproof.core import Budget
from raceproof.facts.points_to import PointsTo, solve
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
SMALL, LARGE = ArrayType(3, NODE, 72), ArrayType(20, NODE, 480)
NESTED = ArrayType(18, TABLE, 864)
GLOBALS: dict[str, IrType] = {"node": NODE, "table": TABLE, "small": SMALL, "large": LARGE, "nested": NESTED, "p": PTR}
FUNCTIONS = ("main", "make", "next", "work")
UNKNOWN = Reg("n")
"""An integer that the analysis knows nothing of; each use gets another value."""


# Programs.


def operation(draw: st.DrawFn, site: SiteId, result: Reg, pointers: list[Operand]) -> Instr:
    def pointer() -> Operand:
        return draw(st.sampled_from(pointers))

    byte = IntType(8, 1)
    match draw(st.sampled_from(["load", "store", "field", "slot", "element", "step", "owner", "new", "copy", "call"])):
        case "load":
            return Load(site, None, result, PTR, pointer(), None, False)
        case "store":
            return Store(site, None, PTR, pointer(), pointer(), None, False)
        case "field":
            type_, offset = draw(st.sampled_from([(NODE, 0), (NODE, 8), (TABLE, 40), (TABLE, 8)]))
            return Gep(site, None, result, pointer(), offset, (), type_)
        case "slot":
            return Gep(site, None, result, pointer(), 8, (IndexTerm(UNKNOWN, 8, 4),), TABLE)
        case "element":
            scale = draw(st.sampled_from([8, 24, 48]))
            return Gep(site, None, result, pointer(), 0, (IndexTerm(UNKNOWN, scale, None),), byte)
        case "step":
            return Gep(site, None, result, pointer(), draw(st.sampled_from([8, 24, -24, 48])), (), byte)
        case "owner":
            return Gep(site, None, result, pointer(), -8, (), byte)
        case "new":
            size: Operand = draw(st.sampled_from([IntConst(24, 64), IntConst(48, 64), IntConst(72, 64), UNKNOWN]))
            return Call(site, None, result, PTR, Address("malloc"), (size,), (LONG,), False)
        case "copy":
            length: Operand = draw(st.sampled_from([IntConst(24, 64), IntConst(48, 64), UNKNOWN]))
            args = (pointer(), pointer(), length)
            return Call(site, None, None, VoidType(), Address("llvm.memcpy"), args, (PTR, PTR, LONG), False)
    callee = draw(st.one_of(st.sampled_from([Address(f) for f in FUNCTIONS[1:]]), st.sampled_from(pointers)))
    return Call(site, None, result, PTR, callee, (pointer(), pointer()), (PTR, PTR), False)


addresses = st.sampled_from(
    [
        *(Address(name) for name in GLOBALS),
        *(Address("table", 8), Address("table", 24), Address("small", 24), Address("large", 48), Address("nested", 56)),
        *(Address(f) for f in FUNCTIONS[1:]),
    ]
)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    functions = {}
    site = 0

    def new_site() -> SiteId:
        nonlocal site
        site += 1
        return SiteId(site)

    for name in FUNCTIONS:
        params = () if name == "main" else (Param("a", PTR), Param("b", PTR))
        slots = [Alloca(new_site(), None, Reg(f"v{i}"), t, IntConst(1, 64)) for i, t in enumerate((PTR, PTR, NODE))]
        blocks = []
        count = draw(st.integers(1, 3))
        for number in range(count):
            known: list[Operand] = [*(Reg(p.name) for p in params), *(s.result for s in slots)]
            known += draw(st.lists(addresses, min_size=2, max_size=4))
            body: list[Instr] = list(slots) if number == 0 else []
            for i in range(draw(st.integers(2, 7))):
                made = operation(draw, new_site(), Reg(f"r{number}_{i}"), known)
                body.append(made)
                if not isinstance(made, Store) and not (isinstance(made, Call) and made.result is None):
                    known.append(made.result)  # type: ignore[union-attr, arg-type]
            if number == count - 1:
                pick = Select(new_site(), None, Reg("s"), UNKNOWN, known[-1], draw(st.sampled_from(known)))
                end: Return | Branch = Return(new_site(), None, Reg("s"))
                body.append(pick)
            else:
                end = Branch(new_site(), None, UNKNOWN, f"b{draw(st.integers(0, number))}", f"b{number + 1}")
            blocks.append(Block(f"b{number}", tuple(body), end))
        entry = Block("b", (), Branch(new_site(), None, UNKNOWN, "b0", "b0"))
        functions[name] = Function(name, name, params, PTR, False, (entry, *blocks), {}, None)
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
    thing: Thing
    offset: int
    low: int
    high: int


class Undefined(Exception):
    """The instruction has no defined behaviour here."""


class Over(Exception):
    """The run has taken long enough."""


def inner_array(type_: IrType, offset: int) -> tuple[int, int]:
    """Bounds of what `&global.member` or `&global[i]` points into."""
    if isinstance(type_, ArrayType):
        if offset % type_.element.size == 0:
            return 0, type_.size
        base = offset // type_.element.size * type_.element.size
        low, high = inner_array(type_.element, offset - base)
        return base + low, base + high
    if isinstance(type_, StructType) and offset:
        at = max(o for o in type_.offsets if o <= offset)
        return at, at + type_.fields[type_.offsets.index(at)].size
    return 0, type_.size


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
                return Pointer(self.functions[operand.symbol], 0, 0, 0)
            low, high = inner_array(GLOBALS[operand.symbol], operand.offset)
            return Pointer(self.globals[operand.symbol], operand.offset, low, high)
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
                return known or Pointer(Thing(site, type_), 0, 0, type_.size)
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
                count = size.value if isinstance(size, IntConst) else 24 * self.random.randint(1, 4)
                made = TABLE if count == TABLE.size else ArrayType(count // 24, NODE, count)
                return Pointer(Thing(instr.id, made), 0, 0, count)
            case Call(callee=Address(symbol="llvm.memcpy"), args=(to, source, size)):
                count = size.value if isinstance(size, IntConst) else 8 * self.random.randint(1, 9)
                self.copy(self.value(frame, to), self.value(frame, source), count)
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
        offset, low, high = base.offset + instr.offset, base.low, base.high
        if instr.source == TABLE or instr.source == NODE:  # a member: the result stays in it
            assert isinstance(instr.source, StructType)
            size = instr.source.fields[instr.source.offsets.index(instr.offset)].size
            if not low <= base.offset <= high - instr.source.size:
                raise Undefined
            low, high = offset, offset + size
        elif instr.offset == -8:  # back to the owner of a member
            low, high = inner_array(base.thing.type, offset) if offset >= 0 else (0, 0)
        for term in instr.terms:
            offset += term.scale * self.random.randint(0 if term.count else -3, (term.count or 8) - 1)
        if not low <= offset <= high:
            raise Undefined
        return Pointer(base.thing, offset, low, high)

    def check(self, function: str, reg: Reg, pointer: Pointer | None) -> None:
        if pointer is None or pointer.offset == pointer.high > 0:  # one past the end: nothing is there
            return
        origin, offset = pointer.thing.origin, pointer.offset
        objects = (
            (self.result.object_of_symbol(origin),) if isinstance(origin, str) else self.result.object_of_site(origin)
        )
        for target in self.result.targets(function, reg):
            if target.object in objects:
                first, end = self.result.extent(target)
                in_range = first <= offset and (end is None or offset < end)
                if target.offset is None or target.offset == offset:
                    return
                if target.stride is not None and (offset - target.offset) % target.stride == 0 and in_range:
                    return
        raise AssertionError(f"{function}: {reg} is {origin}+{offset}, not in {self.result.targets(function, reg)}")


@settings(max_examples=600)
@given(programs(), st.integers(0, 2**32))
def test_what_a_run_computes_is_known(program: Program, seed: int) -> None:
    result = solve(program, Budget.unlimited())
    for number in range(6):
        machine = Machine(program, result, Random(seed + number))
        try:
            machine.run("main", [])
        except Over:
            continue
