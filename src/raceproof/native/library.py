"""Kernels that are called from Python, as shared libraries."""

from __future__ import annotations

import ctypes
from pathlib import Path

from raceproof.frontend import Cache, zig_program
from raceproof.native.build import NATIVE, build_native

_FLAGS = ("-std=gnu11", "-O3", "-g", "-fno-stack-protector", "-shared", "-fPIC", "-Wall", "-Wextra")


def build_library(name: str, cache: Cache | None = None) -> Path:
    """The library of the C sources in the directory of that name, built if it is not kept."""
    directory = NATIVE / name
    command = (zig_program(), "cc", "-fno-sanitize=undefined", *_FLAGS)
    return build_native(
        f"lib{name}", command, sorted(directory.glob("*.c")), sorted(directory.glob("*.h")), cache=cache
    )


def load_library(name: str) -> ctypes.CDLL:
    return ctypes.CDLL(str(build_library(name)))
