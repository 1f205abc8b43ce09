"""The switch between threads on other machines: built by zig for them, run by qemu."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from raceproof.frontend import Cache, zig_program
from raceproof.native import NATIVE, run_compiler

MACHINES = {"aarch64": "aarch64-linux-musl", "arm": "arm-linux-musleabihf", "riscv64": "riscv64-linux-musl"}

# Two fibers take turns with values in every register that a callee keeps, and with rounding modes of their own.
DRIVER = r"""
#include <fenv.h>
#include <stdio.h>
#include "fiber.h"

struct options options;
static struct fiber main_fiber, fibers[2];
static double results[2];
static int modes[2], turns;

static void work(int me, int mode) {
    if (fegetround() != (me == 0 ? FE_TONEAREST : FE_DOWNWARD)) modes[me] = -100;
    fesetround(mode);
    double d[16];
    long n[16];
    volatile double half = 0.5;
    volatile long one = 1;
    for (int i = 0; i < 16; i++) d[i] = half * (i + me), n[i] = one * (i + 3 * me);
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 16; i++) d[i] += half, n[i] += one;
        turns++;
        fiber_switch(&fibers[me], &fibers[1 - me]);
        if (fegetround() != mode) modes[me]++;
    }
    for (int i = 0; i < 16; i++) results[me] += d[i] + (double)n[i];
}

static void first(void) {
    work(0, FE_UPWARD);
    fiber_switch(&fibers[0], &fibers[1]);
}
static void second(void) {
    work(1, FE_TOWARDZERO);
    fiber_switch(&fibers[1], &main_fiber);
}

int main(void) {
    fiber_stack(&fibers[0]);
    fiber_stack(&fibers[1]);
    fesetround(FE_DOWNWARD);
    fiber_make(&fibers[0], first, true);
    fiber_make(&fibers[1], second, false);
    fiber_switch(&main_fiber, &fibers[0]);
    printf("%d %d %d %.1f %.1f %d\n", turns, modes[0], modes[1], results[0], results[1], fegetround() == FE_DOWNWARD);
    return 0;
}
"""


@pytest.mark.slow  # zig first builds musl for the machine: a minute each
@pytest.mark.parametrize("machine", MACHINES)
def test_registers_and_rounding_survive_a_switch(machine: str, tmp_path: Path) -> None:
    qemu = shutil.which(f"qemu-{machine}")
    if qemu is None:
        if os.environ.get("RACEPROOF_REQUIRE_QEMU"):
            pytest.fail(f"qemu-{machine} is not installed")
        pytest.skip(f"qemu-{machine} is not installed")
    driver, program = tmp_path / "driver.c", tmp_path / "driver"
    driver.write_text(DRIVER, encoding="utf-8")
    flags = ("-static", "-std=gnu11", "-O2", "-fno-sanitize=undefined", "-Wall", "-Werror")
    sources = (str(driver), str(NATIVE / "fiber.c"), f"-I{NATIVE}")
    command = (zig_program(), "cc", "-target", MACHINES[machine], *flags, *sources, "-o", str(program))
    run_compiler(command, tmp_path, Cache.default())
    done = subprocess.run([qemu, program], capture_output=True, text=True, check=False, timeout=60)
    # Each: 16 * (1000 / 2 + 1000) of the rounds, and what it began with: 60 and 120; 8 more and 48 more for the second.
    assert done.stdout == "2000 0 0 24180.0 24236.0 1\n", (done.returncode, done.stderr)
