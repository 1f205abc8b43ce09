"""What a real compiler prints: nothing is refused, nothing is lost, for both data models and before and after SROA."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from raceproof.core import RaceproofError
from raceproof.frontend.llvm_parser import parse_module
from raceproof.ir import (
    Call,
    CompareExchange,
    Fence,
    Function,
    Gep,
    Load,
    MemoryOrder,
    Origin,
    Program,
    Rmw,
    Store,
    check_program,
    format_program,
)

SOURCE = Path(__file__).with_name("every_construct.c")
ORIGIN = Origin((str(SOURCE),), (), "LP64")
FLAGS = {64: (), 32: ("-target", "x86-linux-gnu")}
VARIANTS = [(bits, promoted) for bits in (64, 32) for promoted in (False, True)]

Compile = Callable[..., str]


def text_of(compile_c: Compile, bits: int, promoted: bool) -> str:
    return compile_c(SOURCE, *FLAGS[bits], promoted=promoted)


def occurrences(text: str, opcode: str) -> int:
    return len(re.findall(rf"^  (?:%\S+ = )?(?:tail )?{opcode} ", text, re.MULTILINE))


def made(program: Program, *kinds: type) -> int:
    return sum(isinstance(i, kinds) for f in program.functions.values() for i in f.instructions())


@pytest.mark.parametrize(("bits", "promoted"), VARIANTS)
def test_no_access_is_lost(compile_c: Compile, bits: int, promoted: bool) -> None:
    text = text_of(compile_c, bits, promoted)
    program = parse_module(text, ORIGIN)
    check_program(program)
    assert program.pointer_size == bits // 8
    for kind, opcode in ((Load, "load"), (Store, "store"), (Rmw, "atomicrmw"), (CompareExchange, "cmpxchg")):
        assert made(program, kind) == occurrences(text, opcode) > 0
    assert made(program, Gep) == occurrences(text, "getelementptr")
    dropped = len(re.findall(r"call .*(?:@llvm\.(?:lifetime|threadlocal|assume)| asm )", text))
    assert made(program, Call) == occurrences(text, "call") - dropped
    signal_fences = len(re.findall(r'fence syncscope\("singlethread"\)', text))
    assert made(program, Fence) == occurrences(text, "fence") - signal_fences == 2


@pytest.mark.parametrize(("bits", "promoted"), VARIANTS)
def test_every_access_has_a_position(compile_c: Compile, bits: int, promoted: bool) -> None:
    program = parse_module(text_of(compile_c, bits, promoted), ORIGIN)
    placed = [
        i.pos is not None and i.pos.file.endswith("every_construct.c")
        for f in program.functions.values()
        for i in f.instructions()
        if isinstance(i, Load | Store | Rmw | CompareExchange)
    ]
    # Before SROA a function stores its parameters, which is the compiler's own doing.
    assert all(placed) if promoted else sum(placed) > 0.8 * len(placed)


@pytest.mark.parametrize("bits", [64, 32])
def test_every_order_is_seen(compile_c: Compile, bits: int) -> None:
    program = parse_module(text_of(compile_c, bits, True), ORIGIN)
    orders = {
        i.order
        for i in program.functions["atomics"].instructions()
        if isinstance(i, Load | Store | Rmw | CompareExchange | Fence)
    }
    assert orders == {None, *MemoryOrder} - {MemoryOrder.UNORDERED}


def test_text_is_deterministic(compile_c: Compile) -> None:
    text = text_of(compile_c, 64, True)
    first, second = (format_program(parse_module(text, ORIGIN)) for _ in range(2))
    assert first == second
    assert "%.0{i}" in first
    assert "type" in first


def test_names_of_the_source(compile_c: Compile) -> None:
    program = parse_module(text_of(compile_c, 64, True), ORIGIN)
    calls = program.globals["switches.calls"]
    assert calls.source_name == "calls"
    names = {
        name: program.source_types[variable.source_type].name
        for name, variable in program.globals.items()
        if variable.source_type is not None
    }
    assert names["mutex"] == "pthread_mutex_t"
    assert names["table"] == "int (*[4])(int)"
    assert names["bits"] == "bits_t"
    assert names["cube"] == "int[3][4][5]"
    worker: Function = program.functions["worker"]
    assert [v.name for v in worker.variables.values()] == ["argument"]


def test_structs_by_value_are_read_by_the_call(compile_c: Compile) -> None:
    program = parse_module(text_of(compile_c, 64, True), ORIGIN)
    calls = [i for i in program.functions["pass_shared"].instructions() if isinstance(i, Call) and i.by_value]
    assert [(str(c.args[index]), size) for c in calls for index, size in c.by_value] == [("@shared_big", 80)]


def test_tables_of_functions(compile_c: Compile) -> None:
    program = parse_module(text_of(compile_c, 32, True), ORIGIN)
    assert [(c.offset, str(c.value)) for c in program.globals["table"].initial] == [
        (0, "@increment"),
        (4, "@decrement"),
        (12, "@increment"),
    ]


@pytest.mark.parametrize("seed", range(6))
def test_garbled_modules_raise_only_our_errors(compile_c: Compile, seed: int) -> None:
    rng = random.Random(seed)
    lines = [line for line in text_of(compile_c, 64, True).splitlines() if len(line) < 1000]
    for _ in range(10):
        garbled = list(lines)
        for _ in range(3):
            at = rng.randrange(len(garbled))
            line = garbled[at] or " "
            cut = rng.randrange(len(line))
            garbled[at] = rng.choice([line[:cut], line[:cut] + rng.choice('()[]{},%@!" ') + line[cut + 1 :], ""])
        with contextlib.suppress(RaceproofError):
            format_program(parse_module("\n".join(garbled), ORIGIN))
