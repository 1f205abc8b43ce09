"""What a heap object was allocated for: guessed from the pointers that its address flows into.

`struct node *p = malloc(...)` is a node. In order of trust: a struct that a member access names, the type that a
variable, parameter, global or member is declared to point to, and structs before scalars before characters; of two
structs, the larger one, which may begin with the other.
The guess gives the object its layout and the report its words. It is *confirmed* if as many bytes are allocated as
some number of such values have; only then are pointers into its arrays taken to stay there (`objects.add_term`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from raceproof.facts.pointers.allocation_sizes import AllocatedSize
from raceproof.facts.pointers.layout import Part, Shape, part_of_ir_type, part_of_source_type, repeated
from raceproof.facts.pointers.objects import Context
from raceproof.ir import (
    Address,
    Call,
    Cast,
    Function,
    Gep,
    Instr,
    IrType,
    Operand,
    Phi,
    Program,
    Reg,
    Return,
    Select,
    SiteId,
    SourceKind,
    SourceType,
    Store,
    StructType,
    Terminator,
    TypeId,
)

MAX_FOLLOWED: Final = 40


@dataclass(frozen=True, slots=True)
class HeapType:
    source_type: TypeId | None
    shape: Shape | None
    is_confirmed: bool


@dataclass(frozen=True, slots=True)
class _Guess:
    rank: int  # larger is better
    type: TypeId | None
    part: Part
    size: int


class HeapTypes:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._uses: dict[str, dict[str, list[Instr | Terminator]]] = {}
        self._definitions: dict[str, dict[str, Instr]] = {}
        self._home: dict[SiteId, Function] = {}
        self._calls: dict[SiteId, Call] = {}
        for function in program.functions.values():
            for instr in function.instructions():
                if isinstance(instr, Call):
                    self._home[instr.id] = function
                    self._calls[instr.id] = instr
        self._named: dict[str, TypeId] = {}
        for id_, type_ in program.source_types.items():
            if type_.kind in (SourceKind.STRUCT, SourceKind.UNION):
                self._named.setdefault(type_.name.split()[-1] if type_.name else "", id_)

    def infer(self, function: Function, result: Reg, context: Context, size: AllocatedSize) -> HeapType:
        """The type of what is allocated into `result`; `context` are the wrappers' call sites, outermost first."""
        guesses: list[_Guess] = []
        self._follow(function, result, list(context), guesses, {(function.name, result.name)})
        return _best(guesses, size)

    def infer_stored(self, function: Function, address: Operand, size: AllocatedSize) -> HeapType:
        """The type of what an allocator stores at an address (posix_memalign)."""
        guesses: list[_Guess] = []
        self._guess_pointee(self._declared_at(function, address), guesses)
        return _best(guesses, size)

    def _follow(
        self, function: Function, reg: Reg, context: list[SiteId], guesses: list[_Guess], seen: set[tuple[str, str]]
    ) -> None:
        work = [reg]
        while work and len(seen) < MAX_FOLLOWED:
            current = work.pop(0)
            variable = function.variables.get(current.name)
            if variable is not None:
                self._guess_pointee(variable.type, guesses)
            for use in self._uses_in(function).get(current.name, ()):
                match use:
                    case Gep(base=base, source=source) if base == current:
                        self._guess_ir(source, guesses)
                        target: Operand | None = use.result if use.offset == 0 and not use.terms else None
                    case Cast(result=target) | Phi(result=target) | Select(result=target):
                        pass
                    case Store(value=value, address=address) if value == current:
                        self._guess_pointee(self._declared_at(function, address), guesses)
                        target = None
                    case Call(callee=Address(symbol=callee), args=args) if callee in self._program.functions:
                        called = self._program.functions[callee]
                        for param, arg in zip(called.params, args, strict=False):
                            declared = called.variables.get(param.name)
                            if arg == current and declared is not None:
                                self._guess_pointee(declared.type, guesses)
                        target = None
                    case Return() if context:
                        site = context.pop()
                        call, home = self._calls[site], self._home[site]
                        if call.result is not None and (home.name, call.result.name) not in seen:
                            seen.add((home.name, call.result.name))
                            self._follow(home, call.result, context, guesses, seen)
                        target = None
                    case _:
                        target = None
                if isinstance(target, Reg) and (function.name, target.name) not in seen:
                    seen.add((function.name, target.name))
                    work.append(target)

    def _uses_in(self, function: Function) -> dict[str, list[Instr | Terminator]]:
        uses = self._uses.get(function.name)
        if uses is None:
            uses = self._uses[function.name] = {}
            definitions: dict[str, Instr] = {}
            self._definitions[function.name] = definitions
            for instr in function.instructions():
                match instr:
                    case Gep(base=base):
                        operands: tuple[Operand | None, ...] = (base,)
                        definitions[instr.result.name] = instr
                    case Cast(value=value):
                        operands = (value,)
                    case Phi(incoming=incoming):
                        operands = tuple(value for value, _ in incoming)
                    case Select(if_true=a, if_false=b):
                        operands = (a, b)
                    case Store(value=value) | Return(value=value):
                        operands = (value,)
                    case Call(args=args):
                        operands = args
                    case _:
                        continue
                for operand in dict.fromkeys(operands):
                    if isinstance(operand, Reg):
                        uses.setdefault(operand.name, []).append(instr)
        return uses

    def _declared_at(self, function: Function, address: Operand) -> TypeId | None:
        """The declared type of the variable, global or member at an address."""
        types = self._program.source_types
        if isinstance(address, Address):
            variable = self._program.globals.get(address.symbol)
            return _member_at(types, variable.source_type, address.offset) if variable is not None else None
        if not isinstance(address, Reg):
            return None
        slot = function.variables.get(address.name)
        self._uses_in(function)
        definition = self._definitions[function.name].get(address.name)
        if isinstance(definition, Gep):
            source = definition.source
            if isinstance(source, StructType):
                return _member_at(types, self._by_ir_name(source), definition.offset)
            return None
        return slot.type if slot is not None else None

    def _by_ir_name(self, type_: StructType) -> TypeId | None:
        """The declared type for LLVM's `struct.node`, which may carry a number to make it unique."""
        parts = type_.name.split(".")
        return self._named.get(parts[1]) if len(parts) > 1 else None

    def _guess_pointee(self, pointer: TypeId | None, guesses: list[_Guess]) -> None:
        types = self._program.source_types
        declared = types.get(pointer) if pointer is not None else None
        if declared is None or declared.kind is not SourceKind.POINTER or declared.target is None:
            return
        target = types.get(declared.target)
        if target is None or target.size <= 0 or target.kind is SourceKind.FUNCTION:
            return
        rank = 1 if target.size == 1 else 2
        if target.kind in (SourceKind.STRUCT, SourceKind.UNION):
            rank = 4
        guesses.append(_Guess(rank, declared.target, part_of_source_type(types, declared.target), target.size))

    def _guess_ir(self, source: IrType, guesses: list[_Guess]) -> None:
        if not isinstance(source, StructType) or source.size <= 0:
            return
        declared = self._by_ir_name(source)
        if declared is not None and self._program.source_types[declared].size != source.size:
            declared = None
        guesses.append(_Guess(3, declared, part_of_ir_type(source), source.size))


def _best(guesses: list[_Guess], size: AllocatedSize) -> HeapType:
    fitting = [g for g in guesses if size.total is None or g.size <= size.total]
    if not fitting:
        return HeapType(None, None, False)

    def is_confirmed(guess: _Guess) -> bool:
        return size.known > 0 and size.known % guess.size == 0

    best = max(fitting, key=lambda g: (g.rank, is_confirmed(g), g.size))
    return HeapType(best.type, Shape(repeated(best.part, best.size, size.total)), is_confirmed(best))


def _member_at(types: Mapping[TypeId, SourceType], type_: TypeId | None, offset: int) -> TypeId | None:
    """The type of the innermost declared thing at `offset` that is not a struct or array."""
    if type_ is None:
        return None
    while True:
        declared = types.get(type_)
        if declared is None:
            return None
        if declared.kind is SourceKind.ARRAY and declared.target is not None:
            element = types.get(declared.target)
            if element is None or element.size <= 0:
                return None
            offset %= element.size
            type_ = declared.target
        elif declared.kind is SourceKind.STRUCT:
            inside = [m for m in declared.members if m.offset <= offset and m.bit_size is None]
            if not inside:
                return None
            member = max(inside, key=lambda m: m.offset)
            offset -= member.offset
            type_ = member.type
        else:
            return type_ if offset == 0 else None
