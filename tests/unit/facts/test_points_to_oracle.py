"""points_to against a slow, obviously right fixpoint over Python sets, on random programs.

The programs have no control flow worth the name (the analysis does not look at it): every register may be used
everywhere, so that cycles of copies, loads, stores, additions and calls arise of themselves.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from raceproof.core import Budget
from raceproof.facts.pointers import cloning
from raceproof.facts.pointers.points_to import PointsTo, solve
from raceproof.ir import (
    Address,
    Block,
    Call,
    Cast,
    Function,
    Gep,
    GlobalVariable,
    InitialCell,
    Instr,
    IntConst,
    IntType,
    Load,
    Operand,
    Origin,
    Param,
    Phi,
    Program,
    PtrType,
    Reg,
    Return,
    Select,
    SiteId,
    Store,
    StructType,
)

PTR = PtrType(8)
RECORD = StructType("struct.r", (PTR, PTR, PTR), (0, 8, 16), 24)
GLOBALS = ("a", "b", "c")
FUNCTIONS = ("main", "f", "g")
REGISTERS = tuple(f"r{i}" for i in range(6))
Value = tuple[str, int | None]
Frame = tuple[str, tuple[SiteId, ...]]
FAR = 80


# The oracle.


@dataclass
class Oracle:
    """Sets of (symbol, offset) per register and cell; None is anywhere in the symbol's 24 bytes.

    Registers and results belong to a function in a context, the last `depth` call sites: 0 for none at all.
    """

    program: Program
    depth: int
    registers: defaultdict[tuple[Frame, str], set[Value]]
    cells: defaultdict[Value, set[Value]]
    returned: defaultdict[Frame, set[Value]]
    reached: set[Frame]

    def in_any_context(self, function: str, register: str) -> set[Value]:
        return set().union(*(self.registers[frame, register] for frame in self.reached if frame[0] == function))

    def of(self, frame: Frame, operand: Operand) -> set[Value]:
        if isinstance(operand, Reg):
            return self.registers[frame, operand.name]
        if isinstance(operand, Address):
            return {self.moved((operand.symbol, 0), operand.offset)}
        return set()

    def moved(self, value: Value, distance: int) -> Value:
        symbol, offset = value
        if symbol in self.program.functions:
            return symbol, 0
        if offset is None or abs(offset + distance) > FAR:  # an addition that feeds itself
            return symbol, None
        return symbol, offset + distance

    def read(self, value: Value) -> set[Value]:
        symbol, offset = value
        if symbol in self.program.functions or (offset is not None and not 0 <= offset < RECORD.size):
            return set()
        if offset is None:
            return set().union(*(content for (s, _), content in list(self.cells.items()) if s == symbol))
        return self.cells[symbol, offset] | self.cells[symbol, None]

    def write(self, value: Value, new: set[Value]) -> bool:
        symbol, offset = value
        if symbol in self.program.functions or (offset is not None and not 0 <= offset < RECORD.size):
            return False
        return grow(self.cells[value], new)


def grow(target: set[Value], new: set[Value]) -> bool:
    before = len(target)
    target |= new
    return len(target) > before


def oracle(program: Program, depth: int) -> Oracle:
    start: Frame = (program.entry, ())
    o = Oracle(program, depth, defaultdict(set), defaultdict(set), defaultdict(set), {start})
    for variable in program.globals.values():
        for cell in variable.initial:
            assert isinstance(cell.value, Address)
            o.cells[variable.name, cell.offset] |= o.of(start, cell.value)
    changed = True
    while changed:
        changed = False
        for frame in sorted(o.reached):
            for instr in program.functions[frame[0]].instructions():
                changed |= step(o, frame, instr)
    return o


def step(o: Oracle, frame: Frame, instr: object) -> bool:
    match instr:
        case Load(result=result, address=address):
            new = set().union(*(o.read(v) for v in list(o.of(frame, address))))
        case Store(value=value, address=address):
            return sum(o.write(v, o.of(frame, value)) for v in list(o.of(frame, address))) > 0
        case Gep(result=result, base=base, offset=offset):
            new = {o.moved(v, offset) for v in o.of(frame, base)}
        case Cast(result=result, value=value):
            new = o.of(frame, value)
        case Phi(result=result, incoming=incoming):
            new = set().union(*(o.of(frame, v) for v, _ in incoming))
        case Select(result=result, if_true=a, if_false=b):
            new = o.of(frame, a) | o.of(frame, b)
        case Return(value=value) if value is not None:
            return grow(o.returned[frame], o.of(frame, value))
        case Call(callee=callee):
            return sum(call(o, frame, f, instr) for f, _ in list(o.of(frame, callee)) if f in FUNCTIONS) > 0
        case _:
            return False
    return grow(o.registers[frame, result.name], new)


def call(o: Oracle, caller: Frame, name: str, instr: Call) -> bool:
    sites = (*caller[1], instr.id)
    callee: Frame = (name, sites[len(sites) - min(len(sites), o.depth) :])
    changed = callee not in o.reached
    o.reached.add(callee)
    for param, arg in zip(o.program.functions[name].params, instr.args, strict=False):
        changed |= grow(o.registers[callee, param.name], o.of(caller, arg))
    assert instr.result is not None
    return changed | grow(o.registers[caller, instr.result.name], o.returned[callee])


# Random programs.

operands = st.one_of(
    st.sampled_from([Reg(r) for r in REGISTERS]),
    st.sampled_from([Reg("p"), Reg("q")]),
    st.builds(Address, st.sampled_from(GLOBALS), st.sampled_from([0, 8, 16])),
    st.sampled_from([Address(f) for f in FUNCTIONS[1:]]),
    st.just(IntConst(0, 64)),
)
HERE = (SiteId(0), None)


def instructions(distances: list[int]) -> st.SearchStrategy[tuple[str, tuple[object, ...]]]:
    """(kind, arguments) of an instruction; sites and results are given when the function is put together."""
    return st.one_of(
        st.tuples(st.just("load"), st.tuples(operands)),
        st.tuples(st.just("store"), st.tuples(operands, operands)),
        st.tuples(st.just("gep"), st.tuples(operands, st.sampled_from(distances))),
        st.tuples(st.just("cast"), st.tuples(operands)),
        st.tuples(st.just("phi"), st.tuples(operands, operands)),
        st.tuples(st.just("select"), st.tuples(operands, operands)),
        st.tuples(st.just("call"), st.tuples(operands, operands, operands)),
    )


def instr(kind: str, args: tuple[Operand, ...], result: Reg, site: SiteId) -> Instr:
    match kind, args:
        case "load", (address,):
            return Load(site, None, result, PTR, address, None, False)
        case "store", (value, address):
            return Store(site, None, PTR, value, address, None, False)
        case "gep", (base, distance):
            assert isinstance(distance, int)
            return Gep(site, None, result, base, distance, (), IntType(8, 1))
        case "cast", (value,):
            return Cast(site, None, result, "ptrtoint", value, PTR, IntType(64, 8))
        case "phi", (a, b):
            return Phi(site, None, result, PTR, ((a, "entry"), (b, "entry")))
        case "select", (a, b):
            return Select(site, None, result, IntConst(0, 1), a, b)
        case _, (callee, a, b):
            return Call(site, None, result, PTR, callee, (a, b), (PTR, PTR), False)
    raise AssertionError(kind)


@st.composite
def programs(draw: st.DrawFn, distances: list[int]) -> Program:
    functions = {}
    site = 0
    for name in FUNCTIONS:
        body = []
        for register, (kind, args) in zip(
            REGISTERS, draw(st.lists(instructions(distances), min_size=3, max_size=6)), strict=False
        ):
            site += 1
            body.append(instr(kind, args, Reg(register), SiteId(site)))  # type: ignore[arg-type]
        site += 1
        end = Return(SiteId(site), None, draw(operands))
        block = Block("entry", tuple(body), end)
        params = () if name == "main" else (Param("p", PTR), Param("q", PTR))
        functions[name] = Function(name, name, params, PTR, False, (block,), {}, None)
    cells = st.lists(
        st.builds(InitialCell, st.sampled_from([0, 8, 16]), st.just(8), st.builds(Address, st.sampled_from(GLOBALS))),
        max_size=2,
    )
    globals_ = {
        name: GlobalVariable(name, name, RECORD, None, False, False, False, tuple(draw(cells)), True, None)
        for name in GLOBALS
    }
    return Program(functions, {}, globals_, {}, "main", 8, Origin((), (), "LP64"))


def found(result: PointsTo, function: str, operand: Operand) -> set[tuple[str, int | None, int | None]]:
    names = {result.object_of_symbol(n): n for n in (*GLOBALS, *FUNCTIONS)}
    return {(names[t.object], t.offset, t.stride) for t in result.targets(function, operand)}


def covers(fast: set[tuple[str, int | None, int | None]], value: Value) -> bool:
    """Outside the object, where nothing can be, it is enough that the object is known."""
    symbol, offset = value
    is_outside = offset is None or not 0 <= offset < RECORD.size
    return any(s == symbol and (is_outside or at is None or at == offset) for s, at, _ in fast)


@settings(max_examples=150)
@given(programs([0, 8]))
def test_no_value_of_the_oracle_is_missing(program: Program) -> None:
    """The oracle keeps at least the call sites apart that the solver may: whatever it finds can happen."""
    check(program, depth=cloning.DEPTH)


@settings(max_examples=150)
@given(programs([0, 8, -8]))
def test_without_clones_the_oracle_is_met_exactly(program: Program) -> None:
    """Unless an addition feeds itself, which the solver turns into a step over the whole object."""
    with patch.object(cloning, "MAX_WRAPPER", 0), patch.object(cloning, "MAX_LEAF", 0):
        check(program, depth=0, exactly=True)


def check(program: Program, depth: int, exactly: bool = False) -> None:
    result, slow = solve(program, Budget.unlimited()), oracle(program, depth)
    pairs = [
        (found(result, name, Reg(register)), slow.in_any_context(name, register))
        for name in sorted({name for name, _ in slow.reached})
        for register in (*REGISTERS, "p", "q")
    ]
    for fast, expected in pairs:
        assert all(covers(fast, value) for value in expected)
    if exactly and not any(offset is None for _, expected in pairs for _, offset in expected):
        for fast, expected in pairs:
            inside = {(s, at) for s, at in expected if at is not None and 0 <= at < RECORD.size}
            assert {(s, at) for s, at, _ in fast if at is not None and 0 <= at < RECORD.size} == inside
