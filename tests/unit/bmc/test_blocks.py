"""Blocks of bytes that threads share: struct assignments, memcpy, memmove, memset, structs passed by value."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest
import z3
from unit.bmc.c_programs import analysed, proved

from raceproof.bmc.events import Instance, Kind, Point
from raceproof.bmc.memory import Memory
from raceproof.bmc.terms import Value, term

HEAD = """#include <string.h>
struct pair { int a, b; } s, t; int x; pthread_mutex_t m = MUTEX; char c[32];
"""
COUNTS = "lock(&m); x++; unlock(&m);"
TAIL = "int main(void) { BOTH(f, g) return 0; }\n"


def threads(f: str, g: str) -> str:
    return f"{HEAD}void *f(void *p) {{ {f} return 0; }}\nvoid *g(void *p) {{ {g} {COUNTS} return 0; }}\n{TAIL}"


COPIED = "lock(&m); struct pair l = s; unlock(&m); if (l.b != 0 && l.a == 0) { x++; }"


@pytest.mark.parametrize(
    ("f", "g", "variable", "expected"),
    [
        # who writes, and who looks at what was written
        ("lock(&m); s = t; unlock(&m);", "lock(&m); s = t; unlock(&m);", "s", True),
        ("lock(&m); s = t; unlock(&m);", "s = t;", "s", False),
        ("lock(&m); s = t; unlock(&m);", "s.b = 1;", "s", False),
        ("memset(&s, 0, sizeof s);", "lock(&m); s.a++; unlock(&m);", "s", False),
        ("lock(&m); memset(&s, 0, sizeof s); unlock(&m);", "lock(&m); s.a++; unlock(&m);", "s", True),
        # values go through copies, field by field
        (f"{COPIED}", "lock(&m); s.a = 1; s.b = 1; unlock(&m);", "x", True),
        (f"{COPIED}", "lock(&m); s.a = 0; s.b = 1; unlock(&m);", "x", False),
        (f"{COPIED}", "lock(&m); memset(&s, 1, sizeof s); unlock(&m);", "x", True),
        (f"{COPIED}", "lock(&m); s.b = 1; memset(&s, 1, 4); unlock(&m);", "x", True),
        (f"{COPIED}", "lock(&m); s.b = 1; memset(&s.b, 1, 4); unlock(&m);", "x", False),
        (f"{COPIED}", "lock(&m); struct pair n = {{1, 1}}; s = n; unlock(&m);", "x", True),
        # where they lie
        ("memset(c, 1, 8); x++;", "memset(c + 8, 2, 8);", "c", True),
        ("memset(c, 1, 9);", "memset(c + 8, 2, 8);", "c", False),
        ("memset(c + (ANY & 7), 1, 8);", "memset(c + 15, 2, 8);", "c", True),
        ("memset(c + (ANY & 7), 1, 9);", "memset(c + 15, 2, 8);", "c", False),
        ("memmove(c, c + 4, 8); x++;", "c[12] = 1;", "c", True),
        ("memmove(c, c + 5, 8);", "c[12] = 1;", "c", False),
    ],
)
def test_blocks_are_accesses(tmp_path: Path, f: str, g: str, variable: str, expected: bool) -> None:
    text = threads(f, g).replace("{{", "{").replace("}}", "}")
    assert proved(text, tmp_path).get(variable, True) is expected


BY_VALUE = """struct big {{ long a[6]; }} s; int x; pthread_mutex_t m = MUTEX;
long use(struct big b) {{ return b.a[1]; }}
void *f(void *p) {{ lock(&m); long n = use(s); unlock(&m); if (n == 3) x++; return 0; }}
void *g(void *p) {{ lock(&m); s.a[{0}] = 3; unlock(&m); lock(&m); x++; unlock(&m); return 0; }}
int main(void) {{ BOTH(f, g) return 0; }}
"""


def test_a_struct_passed_by_value_is_read(tmp_path: Path) -> None:
    assert proved(BY_VALUE.format(0), tmp_path) == {"s": True, "x": True}
    assert proved(BY_VALUE.format(1), tmp_path) == {"s": True, "x": False}


def test_two_arguments_that_are_the_same_are_both_read(tmp_path: Path) -> None:
    text = BY_VALUE.format(1).replace("use(struct big b) {", "use(struct big c, struct big b) {")
    assert proved(text.replace("use(s)", "use(s, s)"), tmp_path) == {"s": True, "x": False}


def test_what_lies_across_two_elements_is_not_one_of_them(tmp_path: Path) -> None:
    read = "short l; memcpy(&l, (char *)table + (ANY & 3), 2); if (l == {}) x++;"
    table = "short table[4] = {1, 2, 3, 4};"
    for value, expected in ((1, False), (0x200, False), (0x300, False)):  # bytes: 1 0 2 0 3 0
        text = table + threads(read.replace("{}", str(value)), "")
        assert proved(text.replace(table + HEAD, HEAD + table), tmp_path)["x"] is expected


def test_moves_read_all_before_they_write(tmp_path: Path) -> None:
    """A memmove to where its source begins later: what it reads is not what it writes."""
    moved = "lock(&m); c[0] = 5; memmove(c + 1, c, 2); char l = c[2]; unlock(&m); if (l == {}) x++;"
    other = "lock(&m); c[9] = 0; unlock(&m);"
    assert proved(threads(moved.format(5), other), tmp_path)["x"] is True
    assert proved(threads(moved.format(0), other), tmp_path)["x"] is False


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("memset(c, 0, ANY);", "not supported: `llvm.memset.p0.i64` of a length that is not known, or large"),
        ("memcpy(c, p, strlen(c));", None),
    ],
)
def test_a_length_that_is_not_known_is_not_supported(tmp_path: Path, body: str, what: str | None) -> None:
    program = analysed(threads(body, "c[1] = 2;"), tmp_path)
    cuts = [e.what for t in program.unwind(1).threads for e in t.events if e.kind is Kind.CUT]
    assert len(cuts) == 1
    assert what is None or cuts[0].startswith(what.split(".p0")[0])


# -- memory against bytes


def _memory() -> tuple[Memory, Instance, Point]:
    class Program:
        pointer_size = 8
        globals: dict[str, object] = {}  # noqa: RUF012  never changed

    memory = Memory(Program(), 0)  # type: ignore[arg-type]  # all that it asks for
    root = Point(True, None, Fraction(1))
    thread = Instance(0, "main", None, None, root, 1)
    memory.begin(thread, None, None)
    return memory, thread, root


@pytest.mark.parametrize("seed", range(150))
def test_blocks_and_numbers_lie_in_memory_as_bytes_do(seed: int) -> None:
    """Writes at known and unknown places, blocks and numbers; the same in an array of bytes. What numbers of different
    sizes make together may be anything, but only where a place is not known."""
    rng = random.Random(seed)
    memory, thread, root = _memory()
    made = memory.make("object", "heap", 32, fill=0)
    plain = bytearray(32)
    unknown: list[tuple[z3.BitVecRef, z3.BitVecRef]] = []

    def place(size: int, is_block: bool) -> tuple[int, Value]:
        offset = rng.randrange(0, 33 - size) if is_block else rng.randrange(0, 32 // size) * size
        if rng.random() < 0.6:
            return offset, made.base + offset
        variable = z3.BitVec(f"at{len(unknown)}", 64)
        unknown.append((variable, z3.BitVecVal(made.base + offset, 64)))
        return offset, memory.derive(variable, made.base, offset=offset)

    numbers = 0
    for _ in range(rng.randint(1, 6)):
        is_block = rng.random() < 0.5
        numbers += not is_block
        size = rng.choice((1, 2, 3, 5, 8, 12)) if is_block else rng.choice((1, 2, 4, 8))
        offset, address = place(size, is_block)
        value = rng.getrandbits(8 * size)
        plain[offset : offset + size] = value.to_bytes(size, "little")
        memory.write(thread, root, address, size, value, is_block)
    is_block = rng.random() < 0.5
    size = rng.choice((1, 3, 4, 7, 8)) if is_block else rng.choice((1, 2, 4, 8))
    offset, address = place(size, is_block)
    read = memory.read(thread, root, address, size, is_block)
    expected = int.from_bytes(plain[offset : offset + size], "little")
    found = z3.simplify(z3.substitute(term(read, 8 * size), *unknown))
    if z3.is_bv_value(found):
        assert found.as_long() == expected
    else:
        assert unknown, "what is known is not torn"
        assert numbers, "blocks are never torn"
        solver = z3.Solver()
        solver.add(found == expected)
        assert solver.check() == z3.sat, "a torn read may be anything, hence also what is there"
