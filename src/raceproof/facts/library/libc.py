"""What functions of C11, POSIX and glibc do to memory that the program can see.

`effect_of` knows a function by its name, also by the names that headers, fortification and LLVM give it. A function
in no table is unknown, which means anything: see `effects.py`.

All tables err on the side of more: accesses too wide, results that may point to more, callbacks that may not run.
They say nothing of the order between threads (`sync_api.py`), nor of what goes through files and sockets but pointers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from raceproof.core import InternalError
from raceproof.facts.library.described import described_effect
from raceproof.facts.library.effects import Effect
from raceproof.facts.library.libc_atomic import ATOMIC, AtomicCall, atomic_call
from raceproof.facts.library.libc_compiler import COMPILER, compiler_effect, is_assumption, is_pure_intrinsic
from raceproof.facts.library.libc_compression import COMPRESSION
from raceproof.facts.library.libc_event import EVENT
from raceproof.facts.library.libc_memory import MEMORY
from raceproof.facts.library.libc_net import NET
from raceproof.facts.library.libc_openssl import OPENSSL
from raceproof.facts.library.libc_pcap import PCAP
from raceproof.facts.library.libc_pcre import PCRE
from raceproof.facts.library.libc_posix import POSIX
from raceproof.facts.library.libc_stdio import STDIO
from raceproof.facts.library.libc_stdlib import PROGRAM
from raceproof.facts.library.libc_string import STRINGS
from raceproof.facts.library.libc_threads import THREADS
from raceproof.facts.library.libc_time import TIMES
from raceproof.facts.library.libc_zlib import ZLIB
from raceproof.facts.library.symbol_names import names_of
from raceproof.ir import Program

__all__ = ["EFFECTS", "AtomicCall", "atomic_call", "effect_of", "is_assumption", "is_pure_intrinsic", "known_effect"]


def _joined(*tables: Mapping[str, Effect]) -> dict[str, Effect]:
    joined: dict[str, Effect] = {}
    for table in tables:
        if twice := joined.keys() & table.keys():
            raise InternalError(f"in two tables: {', '.join(sorted(twice))}")
        joined.update(table)
    return joined


EFFECTS: Final[Mapping[str, Effect]] = _joined(
    MEMORY,
    STRINGS,
    STDIO,
    PROGRAM,
    TIMES,
    POSIX,
    NET,
    THREADS,
    ATOMIC,
    COMPILER,
    ZLIB,
    PCAP,
    OPENSSL,
    EVENT,
    COMPRESSION,
    PCRE,
)


def effect_of(name: str, program: Program) -> Effect | None:
    """Say what the library function `name` does, by the tables or by what the user says; None if it is not known.

    Only for functions that the program does not define itself.
    """
    return known_effect(name) or described_effect(program.externals.get(name))


def known_effect(name: str) -> Effect | None:
    """What the tables say."""
    for known in names_of(name):
        if (effect := EFFECTS.get(known)) is not None:
            return effect
    return compiler_effect(name)
