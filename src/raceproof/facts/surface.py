"""What a program shows of itself without any analysis, so that it can be run at once.

Threads are calls that create some; accesses are loads, stores, atomics and what library calls do to memory, but for
those to variables which their function keeps to itself. Objects are global variables: all other memory is one object,
and a run tells what an access has really touched. Errs on the side of more accesses; nothing may be proved from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raceproof.facts.flow.touches import MemoryTouch, touches_of
from raceproof.facts.library.effects import Sync
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import (
    Address,
    Alloca,
    Call,
    Cast,
    Function,
    Gep,
    Instr,
    Load,
    Operand,
    Phi,
    Program,
    Reg,
    Select,
    SiteId,
    Store,
    Terminator,
    operands,
)
from raceproof.model import (
    MAIN,
    UNKNOWN_START,
    Access,
    AccessId,
    AnyArgument,
    CallGraph,
    CallTargets,
    ConcurrentProgram,
    MemLoc,
    MemObject,
    ObjectId,
    ObjectKind,
    Strength,
    Thread,
    ThreadId,
)

_ELSEWHERE = "memory"


def surface(program: Program) -> ConcurrentProgram:
    """The program with all accesses that another thread could possibly see; without views, as no flow was followed."""
    objects = _objects(program)
    symbols = {symbol: number for number, symbol in enumerate(program.globals)}
    accesses: dict[AccessId, Access] = {}
    private = 0
    for function in program.functions.values():
        own = _kept_variables(function)
        for instr in function.instructions():
            for index, touch in enumerate(_touches(program, instr)):
                if _is_private(program, own, touch):
                    private += 1
                    continue
                number = AccessId(len(accesses))
                accesses[number] = Access(
                    id=number,
                    site=instr.id,
                    function=function.source_name,
                    kind=touch.kind,
                    size=touch.size,
                    targets=(_target(symbols, len(symbols), touch),),
                    order=touch.order,
                    views=(),
                    pos=instr.pos or function.pos,
                    touch=index,
                )
    return ConcurrentProgram(
        program=program,
        threads=_threads(program),
        objects=objects,
        accesses=accesses,
        private_accesses=private,
        states=(),
        exclusive=frozenset(),
        barriers=(),
        senders={},
        sent_after={},
        assumptions=(),
        may_hold={},
        calls=_direct_calls(program),
        strength=Strength.COARSE,
    )


def _objects(program: Program) -> dict[ObjectId, MemObject]:
    found = {}
    for number, variable in enumerate(program.globals.values()):
        declared = program.source_types.get(variable.source_type) if variable.source_type is not None else None
        found[ObjectId(number)] = MemObject(
            id=ObjectId(number),
            kind=ObjectKind.THREAD_LOCAL if variable.is_thread_local else ObjectKind.GLOBAL,
            name=variable.source_name,
            source_type=variable.source_type,
            size=declared.size if declared is not None else None,
            is_single=not variable.is_thread_local,
            pos=variable.pos,
        )
    number = len(found)
    found[ObjectId(number)] = MemObject(ObjectId(number), ObjectKind.UNKNOWN, _ELSEWHERE, None, None, False, None)
    return found


def _target(symbols: dict[str, int], elsewhere: int, touch: MemoryTouch) -> MemLoc:
    if isinstance(touch.address, Address) and touch.address.symbol in symbols and not touch.deref:
        return MemLoc(ObjectId(symbols[touch.address.symbol]), touch.address.offset, touch.size)
    return MemLoc(ObjectId(elsewhere), None, touch.size)


def _direct_calls(program: Program) -> CallGraph:
    """Calls by name; of those through pointers nothing is known."""
    targets = {}
    for instr in (i for f in program.functions.values() for i in f.instructions()):
        if not isinstance(instr, Call):
            continue
        name = instr.callee.symbol if isinstance(instr.callee, Address) else None
        is_own = name in program.functions
        functions, externals = ((name,) if name and is_own else ()), ((name,) if name and not is_own else ())
        targets[SiteId(instr.id)] = CallTargets(functions=functions, externals=externals)
    return CallGraph(targets, frozenset())


def _touches(program: Program, instr: Instr | Terminator) -> tuple[MemoryTouch, ...]:
    if not isinstance(instr, Call):
        return touches_of(program, instr, ())
    if not isinstance(instr.callee, Address) or instr.callee.symbol in program.functions:
        return touches_of(program, instr, ())
    return touches_of(program, instr, (instr.callee.symbol,))


def _is_private(program: Program, own: frozenset[Reg], touch: MemoryTouch) -> bool:
    """Nobody else can see it, or nobody can change it."""
    if touch.reach or touch.kept or touch.deref or touch.static is not None:
        return True  # what cannot be told to the runtime
    if touch.use is not None:
        return True  # of a lock: the runtime has its own idea of that
    if isinstance(touch.address, Reg):
        return touch.address in own
    if isinstance(touch.address, Address):
        variable = program.globals.get(touch.address.symbol)
        return variable is None or variable.is_constant
    return True


def _kept_variables(function: Function) -> frozenset[Reg]:
    """Registers that point into local variables whose address goes nowhere."""
    root: dict[Reg, Reg] = {}
    escaped: set[Reg] = set()
    instructions = tuple(function.instructions())
    for instr in instructions:
        match instr:
            case Alloca(result=result):
                root[result] = result
            case Gep(result=result, base=Reg() as base) if base in root:
                root[result] = root[base]
            case Cast(result=result, value=Reg() as value) if value in root:
                root[result] = root[value]
    for instr in instructions:
        escaped.update(root[reg] for reg in _given_away(instr) if reg in root)
    return frozenset(reg for reg, variable in root.items() if variable not in escaped)


def _given_away(instr: Instr | Terminator) -> Iterator[Reg]:
    """Registers whose value may be kept by this instruction, as far as they are pointers."""
    match instr:
        case Load():
            values: tuple[Operand, ...] = ()
        case Store(value=value):
            values = (value,)
        case Gep(terms=terms):
            values = tuple(term.index for term in terms)
        case Cast(op="ptrtoint", value=value):
            values = (value,)
        case Cast():
            values = ()
        case Call(callee=Address(symbol=symbol)) if symbol.startswith(("llvm.lifetime", "llvm.mem", "llvm.dbg")):
            values = ()
        case Phi() | Select() | _:
            values = operands(instr)
    for operand in values:
        if isinstance(operand, Reg):
            yield operand


def _threads(program: Program) -> dict[ThreadId, Thread]:
    main = Thread(MAIN, program.entry, None, None, None, False, 1, AnyArgument())
    found = {MAIN: main}
    for instr in (i for f in program.functions.values() for i in f.instructions()):
        if not isinstance(instr, Call) or not isinstance(instr.callee, Address):
            continue
        operation = sync_op(instr.callee.symbol)
        if operation is None or operation.kind is not Sync.CREATE or operation.start is None:
            continue
        start = instr.args[operation.start] if operation.start < len(instr.args) else None
        number = ThreadId(len(found))
        name = start.symbol if isinstance(start, Address) else UNKNOWN_START
        found[number] = replace(
            main,
            id=number,
            start=name,
            parent=MAIN,
            created_at=SiteId(instr.id),
            pos=instr.pos,
            many=True,
            instances=None,
        )
    return found
