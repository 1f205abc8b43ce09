"""Instrumented LLVM text -> object file -> shared object, by the LLVM in llvmlite and the linker in zig."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

from raceproof.core import InternalError, ToolMissing, Unsupported
from raceproof.frontend.compile import zig_program
from raceproof.frontend.instrument import TLS_SECTION
from raceproof.frontend.machines import MACHINES

_LEVEL = 1


def emit_object(text: str) -> bytes:
    """Compile a module. Its hooks are calls of unknown functions, so that optimisation cannot move or drop them."""
    import llvmlite.binding as llvm  # LLVM is loaded only where it is needed

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    _trap_at_dead_ends()
    try:
        module = llvm.parse_assembly(text)
        module.verify()
        target = llvm.Target.from_triple(module.triple or llvm.get_default_triple())
        known = next((each for each in MACHINES.values() if module.triple.startswith(f"{each.name}-")), None)
        abi, features = (known.abi, known.features) if known is not None else ("", "")
        machine = target.create_target_machine(opt=2, reloc="pic", codemodel="default", abiname=abi, features=features)
    except (RuntimeError, UnicodeDecodeError) as error:  # llvmlite decodes what LLVM says, which quotes the text
        raise InternalError(f"instrumentation made a module that LLVM refuses: {error}") from None
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=_LEVEL))
    builder.getModulePassManager().run(module, builder)
    content: bytes = machine.emit_object(module)
    return content


@functools.cache
def _trap_at_dead_ends() -> None:
    """What C calls undefined ends the program where LLVM sees it; it does not go on in the function that comes next."""
    import llvmlite.binding as llvm

    llvm.set_option("raceproof", "-trap-unreachable")


def build_shared_object(text: str, output: Path, scratch: Path) -> None:
    """Compile and link an instrumented module; what it does not define comes from the process that loads it."""
    file = scratch / "program.o"
    file.write_bytes(emit_object(text))
    # The explorer's own loader, of 32-bit programs, counts symbols by the old table.
    command = [zig_program(), "ld.lld", "-shared", "-Bsymbolic", "-z", "now", "-z", "norelro", "--hash-style=both"]
    if f'section "{TLS_SECTION}"' in text:
        command += [f"--defsym=rp_tls_begin=__start_{TLS_SECTION}", f"--defsym=rp_tls_end=__stop_{TLS_SECTION}"]
    command += [str(file), "-o", str(output)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise ToolMissing(f"cannot run the linker of the Python package ziglang: {error.strerror}") from None
    if done.returncode != 0:  # symbols with a version, or other things that only a linker script can say
        raise Unsupported(f"running a program that the linker refuses: {done.stderr.strip()[:500]}")
