"""Programs in LLVM's syntax, solved, with answers by name: `solved(text).at("main", "p")` is {"table+8/24", ...}."""

from __future__ import annotations

from raceproof.core import Budget
from raceproof.facts.pointers.points_to import PointsTo, solve
from raceproof.frontend import parse_module
from raceproof.ir import Address, Call, Instr, Operand, Origin, Program, Reg, SiteId, Terminator
from raceproof.model import MemLoc, MemObject, ObjectKind

DECLARATIONS = """
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @realloc(ptr, i64)
declare i32 @posix_memalign(ptr, i64, i64)
declare ptr @strdup(ptr)
declare ptr @strchr(ptr, i32)
declare i64 @strtol(ptr, ptr, i32)
declare ptr @localtime(ptr)
declare void @qsort(ptr, i64, i64, ptr)
declare ptr @bsearch(ptr, ptr, i64, i64, ptr)
declare i32 @atexit(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare void @pthread_exit(ptr)
declare i64 @pthread_self()
declare i32 @pthread_once(ptr, ptr)
declare i32 @pthread_key_create(ptr, ptr)
declare i32 @pthread_setspecific(i32, ptr)
declare ptr @pthread_getspecific(i32)
declare i32 @_setjmp(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.va_start.p0(ptr)
declare ptr @mystery(ptr)
declare void @keep(ptr)
declare ptr @give()
"""


class Solved:
    def __init__(self, program: Program, result: PointsTo) -> None:
        self.program = program
        self.result = result

    def show(self, loc: MemLoc) -> str:
        offset = "?" if loc.offset is None else loc.offset
        return f"{self.result.objects[loc.object].name}+{offset}" + (f"/{loc.stride}" if loc.stride else "")

    def at(self, function: str, register: str) -> set[str]:
        return {self.show(loc) for loc in self.result.targets(function, Reg(register))}

    def of(self, function: str, operand: Operand) -> set[str]:
        return {self.show(loc) for loc in self.result.targets(function, operand)}

    def stored(self, symbol: str, offset: int | None = 0, size: int | None = 1) -> set[str]:
        loc = MemLoc(self.result.object_of_symbol(symbol), offset, size)
        return {self.show(target) for target in self.result.contents(loc)}

    def objects_at(self, function: str, register: str) -> list[MemObject]:
        """Objects that a register points to."""
        targets = self.result.targets(function, Reg(register))
        return [self.result.objects[o] for o in dict.fromkeys(t.object for t in targets)]

    def heap(self) -> list[MemObject]:
        return [o for o in self.result.objects.values() if o.kind is ObjectKind.HEAP]

    def instr(self, function: str, register: str) -> Instr | Terminator:
        for instr in self.program.functions[function].instructions():
            if getattr(instr, "result", None) == Reg(register):
                return instr
        raise KeyError(register)

    def call(self, function: str, callee: str, index: int = 0) -> SiteId:
        """The site of a direct call."""
        calls = [
            instr.id
            for instr in self.program.functions[function].instructions()
            if isinstance(instr, Call) and instr.callee == Address(callee)
        ]
        return calls[index]


def solved(text: str) -> Solved:
    declared = [line for line in DECLARATIONS.splitlines() if _declared(line) and f"@{_declared(line)}(" in text]
    program = parse_module(text + "\n".join(declared), Origin((), (), "LP64"))
    return Solved(program, solve(program, Budget.unlimited()))


def _declared(line: str) -> str:
    return line.partition("@")[2].partition("(")[0]
