"""frontend: C files to an `ir.Program`, by clang and LLVM IR. The only room that knows LLVM's syntax."""

from raceproof.frontend.cache import Cache
from raceproof.frontend.compile_database import from_compile_commands
from raceproof.frontend.flags import DataModel
from raceproof.frontend.inputs import CompileRequest, Headers, Unit, from_files, from_task
from raceproof.frontend.llvm_parser import parse_module
from raceproof.frontend.pipeline import LinkedModule, link_program, load

__all__ = [
    "Cache",
    "CompileRequest",
    "DataModel",
    "Headers",
    "LinkedModule",
    "Unit",
    "from_compile_commands",
    "from_files",
    "from_task",
    "link_program",
    "load",
    "parse_module",
]
