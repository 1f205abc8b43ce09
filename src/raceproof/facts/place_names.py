"""What an access calls the place that it goes to, by the expression in its code: `pool->count`, `*done`, `results`.

For places that have no other name: variables of functions, and memory of the library.
"""

from __future__ import annotations

from raceproof.facts.flow.touches import touches_of
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
    SourceType,
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


def pointer_name(program: Program, function: str, register: str) -> str | None:
    """The expression that a function has loaded a pointer from: `ctlconn`, `pool->mu`."""
    known = program.functions.get(function)
    return _Spelling(program, known).loaded(register) if known is not None else None


def path_in(
    program: Program, type_id: TypeId | None, offset: int, any_element: bool = False, size: int | None = None
) -> str:
    """Member names and indices from the start of a type down to `offset`; any_element prints `[*]`."""
    types = program.source_types
    path = ""
    while type_id is not None and type_id in types:
        type_ = types[type_id]
        match type_.kind:
            case SourceKind.ARRAY if type_.target is not None and type_.target in types:
                element = types[type_.target].size
                if not element or (size is not None and size > element) or (size is None and offset == 0):
                    break
                path += "[*]" if any_element else f"[{offset // element}]"
                offset %= element
                type_id = type_.target
            case SourceKind.STRUCT | SourceKind.UNION:
                member = _member_at(type_, offset)
                if member is None or (size is not None and size > types[member[1]].size > 0):
                    break
                if member[0]:
                    path += f".{member[0]}"
                offset -= member[2]
                type_id = member[1]
            case _:
                break
    return path + (f"+{offset}" if offset and not any_element else "")


def _member_at(type_: SourceType, offset: int) -> tuple[str, TypeId, int] | None:
    candidates = [m for m in type_.members if m.offset <= offset]
    if not candidates or (type_.kind is SourceKind.UNION and len(candidates) > 1):
        return None
    best = max(candidates, key=lambda m: m.offset)
    return best.name, best.type, best.offset


class _Spelling:
    def __init__(self, program: Program, function: Function) -> None:
        self._program = program
        self._function = function
        self._definitions: dict[str, Instr | Terminator] = {}
        for instr in function.instructions():
            result = getattr(instr, "result", None)
            if isinstance(result, Reg):
                self._definitions[result.name] = instr

    def loaded(self, register: str) -> str | None:
        """What the register was loaded from."""
        definition = self._definitions.get(register)
        return self.place(definition.address) if isinstance(definition, Load) else None

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
