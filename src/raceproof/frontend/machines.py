"""Machines that a program can be compiled for besides the one that raceproof runs on.

A program for a target is compiled with the headers of glibc for that machine, as programs for this one are: the facts
know that library. The runtime that executes it has musl in it (native/program_types.h says where the two differ).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Machine:
    """`program`: what zig compiles programs for, `plain`: the same for clang itself; `runtime`: what the runtime is
    linked for; `bits` of an address; `flags` for clang; `abi`, `features`: what LLVM has to be told besides."""

    name: str
    bits: int
    program: str
    plain: str
    runtime: str
    flags: tuple[str, ...] = ()
    abi: str = ""
    features: str = ""


MACHINES: Final = {
    machine.name: machine
    for machine in (
        Machine("x86_64", 64, "x86_64-linux-gnu", "x86_64-linux-gnu", "x86_64-linux-musl"),
        Machine("x86", 32, "x86-linux-gnu", "i386-linux-gnu", "x86-linux-musl"),
        # Atomic updates as instructions, not as calls of functions that look which instructions there are.
        Machine(
            "aarch64", 64, "aarch64-linux-gnu", "aarch64-linux-gnu", "aarch64-linux-musl", ("-mno-outline-atomics",)
        ),
        Machine("arm", 32, "arm-linux-gnueabihf", "armv7a-linux-gnueabihf", "arm-linux-musleabihf"),
        Machine(
            "riscv64",
            64,
            "riscv64-linux-gnu",
            "riscv64-linux-gnu",
            "riscv64-linux-musl",
            abi="lp64d",
            features="+m,+a,+f,+d,+c",
        ),
    )
}
