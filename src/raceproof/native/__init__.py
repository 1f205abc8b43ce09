"""native: all compiled code, shipped as source, and the one way to build it."""

from raceproof.native.build import NATIVE, build_cxx, build_native, digest, kept, run_compiler, sanitizing_compiler
from raceproof.native.library import load_library

__all__ = [
    "NATIVE",
    "build_cxx",
    "build_native",
    "digest",
    "kept",
    "load_library",
    "run_compiler",
    "sanitizing_compiler",
]
