"""The program: functions, globals, source types. Made by the front end, read by everybody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from raceproof.core import SourcePos
from raceproof.ir.function_models import FunctionModel
from raceproof.ir.instructions import Instr, SiteId, Terminator
from raceproof.ir.prototypes import Prototype
from raceproof.ir.types import IrType, SourceType, TypeId, Variable
from raceproof.ir.values import Address, IntConst

OPAQUE_ASSEMBLY: Final = "inline assembly that is not understood"
"""The function of which nothing is known that stands for such assembly, with what its text leads to as arguments."""
SYSTEM_CALL_ASSEMBLY: Final = "inline assembly with a system call"
"""The same, with the number of the system call as the first argument."""
START: Final = "raceproof.start"
MOST_NUMBERS: Final = 4096  # of the non-zero scalars of a global's initial value
"""The entry of a program in which functions run before main: it calls them, and then main."""


@dataclass(frozen=True, slots=True)
class Block:
    label: str
    body: tuple[Instr, ...]
    terminator: Terminator


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter; `by_value` is the struct whose private copy it points to, for a struct passed in memory."""

    name: str
    type: IrType
    by_value: IrType | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body; `blocks[0]` is the entry.

    `source_name` is the name the programmer wrote (`name` may carry a suffix after linking);
    `variables` maps registers and stack slots to the source variable whose value or storage they are.
    """

    name: str
    source_name: str
    params: tuple[Param, ...]
    returns: IrType
    is_variadic: bool
    blocks: tuple[Block, ...]
    variables: Mapping[str, Variable]
    pos: SourcePos | None

    def instructions(self) -> Iterator[Instr | Terminator]:
        for block in self.blocks:
            yield from block.body
            yield block.terminator


@dataclass(frozen=True, slots=True)
class ExternalFunction:
    """A function that is declared and called but not defined in the program.

    `model`: what the user says about it. `most`: then, how many arguments any call in the program has at most.
    `prototype`: then, if the model numbers arguments, which of a call's arguments it means.
    """

    name: str
    params: tuple[IrType, ...]
    returns: IrType
    is_variadic: bool
    model: FunctionModel | None = None
    most: int = 0
    prototype: Prototype | None = None


@dataclass(frozen=True, slots=True)
class InitialCell:
    """A non-zero scalar or an address at `offset` in a global's initial value.

    Not `is_exact`: the value is computed from the address, and may point anywhere in its object; there may be several
    such cells for one value.
    """

    offset: int
    size: int
    value: IntConst | Address
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class GlobalVariable:
    """`initial` lists addresses and non-zero scalars; `initial_complete` is False where scalars were left out
    (long tables, floats), then a missing cell may be non-zero. `is_external`: defined outside the program.
    Of the scalars at most `MOST_NUMBERS` are listed. `text` is the content of a constant string without its final NUL;
    bytes that are no UTF-8 are lone surrogates."""

    name: str
    source_name: str
    type: IrType
    source_type: TypeId | None
    is_constant: bool
    is_thread_local: bool
    is_external: bool
    initial: tuple[InitialCell, ...]
    initial_complete: bool
    pos: SourcePos | None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the program came from, enough to compile it again.

    `root`: the directory that relative positions are seen from; empty for the current one. `digest` tells whether two
    programs are the same, wherever their root is; empty if nobody has compared.
    """

    files: tuple[str, ...]
    commands: tuple[tuple[str, ...], ...]
    data_model: str
    root: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """A whole, linked program. `entry` is the name of a function in `functions`. `obstacles`: what of the source is not
    in it though it concerns threads, one phrase each: nothing that is proved of this program holds for the source.
    `prototypes`: by linked name, of the functions that the request asks for, as far as they are known."""

    functions: Mapping[str, Function]
    externals: Mapping[str, ExternalFunction]
    globals: Mapping[str, GlobalVariable]
    source_types: Mapping[TypeId, SourceType]
    entry: str
    pointer_size: int
    origin: Origin
    obstacles: tuple[str, ...] = ()
    prototypes: Mapping[str, Prototype] = field(default_factory=dict)

    def listed_functions(self, table: str) -> tuple[str, ...]:
        """Functions of the program in a table that the system runs, as `llvm.global_dtors`; by their priorities, the
        lowest first."""
        cells = self.globals[table].initial if table in self.globals else ()
        found = []
        entry = 3 * self.pointer_size  # a number, the function, what it is about
        numbers = {c.offset // entry: c.value.value for c in cells if isinstance(c.value, IntConst)}
        for cell in cells:
            if isinstance(cell.value, Address) and cell.value.symbol in self.functions:
                found.append((numbers.get(cell.offset // entry, 0), cell.offset, cell.value.symbol))
        return tuple(dict.fromkeys(symbol for _, _, symbol in sorted(found)))

    def instructions_by_site(self) -> dict[SiteId, tuple[Function, Instr | Terminator]]:
        return {i.id: (f, i) for f in self.functions.values() for i in f.instructions()}
