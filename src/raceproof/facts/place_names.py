"""What an access calls the place that it goes to, by the expression in its code: `pool->count`, `*done`, `results`.

For places that have no other name: variables of functions, and memory of the library.
"""

from __future__ import annotations

from raceproof.facts.flow.touches import touches_of
from raceproof.facts.naming import path_in
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
    Program,
    Reg,
    SiteId,
    SourceKind,
    StructType,
    Terminator,
    TypeId,
)

_MAX_STEPS = 20


def place_name(program: Program, site: SiteId, touch: int) -> str | None:
    """The expression of an access; None if the code has none that a programmer knows."""
    found = program.instructions_by_site().get(site)
    if found is None:
        return None
    function, instr = found
    names = (instr.callee.symbol,) if isinstance(instr, Call) and isinstance(instr.callee, Address) else ()
    touches = touches_of(program, instr, names)
    if touch >= len(touches):
        return None
    return _Spelling(program, function).place(touches[touch].address)


class _Spelling:
    def __init__(self, program: Program, function: Function) -> None:
        self._program = program
        self._function = function
        self._definitions: dict[str, Instr | Terminator] = {}
        for instr in function.instructions():
            result = getattr(instr, "result", None)
            if isinstance(result, Reg):
                self._definitions[result.name] = instr

    def place(self, address: Operand) -> str | None:
        """What is at the address."""
        offset, indexed, structure = 0, False, None
        for _ in range(_MAX_STEPS):
            if isinstance(address, Address):
                variable = self._program.globals.get(address.symbol)
                return variable.source_name if variable is not None else None
            if not isinstance(address, Reg):
                return None
            definition = self._definitions.get(address.name)
            variable_here = self._function.variables.get(address.name)
            match definition:
                case Gep(base=base, offset=more, terms=terms, source=source):
                    if isinstance(source, StructType) and structure is None:
                        structure = source
                    offset += more
                    indexed = indexed or bool(terms)
                    address = base
                    continue
                case Cast(value=value) if variable_here is None:
                    address = value
                    continue
                case Alloca() if variable_here is not None:
                    return variable_here.name + path_in(self._program, variable_here.type, offset, indexed)
                case Load(address=from_) if variable_here is None:
                    inner = self.place(from_)
                    return None if inner is None else self._through(inner, None, offset, indexed)
            if variable_here is None:
                return None
            return self._through(variable_here.name, variable_here.type, offset, indexed)
        return None

    def _through(self, pointer: str, type_id: TypeId | None, offset: int, indexed: bool) -> str:
        types = self._program.source_types
        declared = types.get(type_id) if type_id is not None else None
        target = declared.target if declared is not None and declared.kind is SourceKind.POINTER else None
        path = path_in(self._program, target, offset, indexed) if target is not None else ""
        if path.startswith("."):
            return f"{pointer}[*]{path}" if indexed else f"{pointer}->{path[1:]}"
        return f"{pointer}[*]" if indexed else f"*{pointer}"
