"""frontend: C files to an `ir.Program`, by clang and LLVM IR. The only package that knows LLVM's syntax."""

from raceproof.frontend.cache import Cache
from raceproof.frontend.compile import zig_program
from raceproof.frontend.compile_database import from_compile_commands, programs_of
from raceproof.frontend.emit import build_shared_object
from raceproof.frontend.executables import from_executable, is_executable
from raceproof.frontend.flags import DataModel
from raceproof.frontend.hook_calls import HOOKS
from raceproof.frontend.hook_plan import (
    NO_ACCESS,
    RESULT,
    AccessHook,
    Appended,
    Block,
    Extent,
    Fixed,
    Guard,
    HookKind,
    HookPlan,
    Moved,
    Product,
    Result,
    Role,
    Stop,
    Stopped,
    String,
    StringAt,
    StringUpTo,
    StringWithin,
)
from raceproof.frontend.inputs import CompileRequest, Headers, Unit, check_words, from_files, from_task
from raceproof.frontend.instrument import instrument
from raceproof.frontend.libraries import linked_libraries, needed_libraries
from raceproof.frontend.llvm_parser import parse_module
from raceproof.frontend.machines import MACHINES, Machine
from raceproof.frontend.pipeline import LinkedModule, files_read, link_program, load
from raceproof.frontend.syntax import Node, SyntaxTree, body_of, syntax_trees, with_changes

__all__ = [
    "HOOKS",
    "MACHINES",
    "NO_ACCESS",
    "RESULT",
    "AccessHook",
    "Appended",
    "Block",
    "Cache",
    "CompileRequest",
    "DataModel",
    "Extent",
    "Fixed",
    "Guard",
    "Headers",
    "HookKind",
    "HookPlan",
    "LinkedModule",
    "Machine",
    "Moved",
    "Node",
    "Product",
    "Result",
    "Role",
    "Stop",
    "Stopped",
    "String",
    "StringAt",
    "StringUpTo",
    "StringWithin",
    "SyntaxTree",
    "Unit",
    "body_of",
    "build_shared_object",
    "check_words",
    "files_read",
    "from_compile_commands",
    "from_executable",
    "from_files",
    "from_task",
    "instrument",
    "is_executable",
    "link_program",
    "linked_libraries",
    "load",
    "needed_libraries",
    "parse_module",
    "programs_of",
    "syntax_trees",
    "with_changes",
    "zig_program",
]
