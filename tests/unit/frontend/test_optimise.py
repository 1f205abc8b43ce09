"""Locals become registers, and no access of the source gets lost, merged or split."""

from __future__ import annotations

import re
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from raceproof.core import Budget
from raceproof.frontend import from_files, link_program
from raceproof.frontend.cache import Cache
from raceproof.frontend.compile import compile_units
from raceproof.frontend.optimise import OPAQUE_PREFIX, PLAIN_MARKER, promote, protect, restore

PRELUDE = """
struct P { int a, b; };
struct L { int a[40]; };
struct P *gp; struct L *gl;
int g; volatile int v; long wide;
union U { long l; int i[2]; };
void use(int);
int pure(const int *) __attribute__((pure));
"""


def body_of(name: str, text: str) -> list[str]:
    """The instructions of a function, without debug locations."""
    found = re.search(rf"^define [^\n]*@{name}\(.*?^\}}", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    lines = [re.sub(r", !dbg !\d+", "", line.strip()) for line in found.group().split("\n")[1:-1]]
    return [line for line in lines if line and not line.startswith("#dbg")]


def compiled(tmp_path: Path, function: str) -> list[str]:
    """The instructions of `f` in a program made of `function`, as the rest of raceproof sees them."""
    source = tmp_path / "p.c"
    source.write_text(f"{PRELUDE}\n{function}\nint main(void) {{ return 0; }}\n")
    text = link_program(from_files([source]), cache=Cache(None)).text
    assert "raceproof." not in text
    return body_of("f", text)


def having(part: str, lines: list[str]) -> list[str]:
    return [line for line in lines if part in line]


def test_an_ordinary_local_becomes_a_register(tmp_path: Path) -> None:
    lines = compiled(tmp_path, "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }")
    assert not having("alloca", lines)
    assert not having("load", lines)
    assert len(having("phi", lines)) == 2


def test_a_local_array_that_is_initialised_and_read_is_no_access(tmp_path: Path) -> None:
    lines = compiled(tmp_path, "int f(void) { struct P p = {1, 2}; p.b = 3; return p.a + p.b; }")
    assert not having("alloca", lines)


@pytest.mark.parametrize(
    "function",
    ["void f(int *p) { int i = *p; }", "void f(int *p) { *p; }", "void f(int *p) { (void)(*p + 1); }"],
)
def test_a_read_whose_value_is_not_used_stays(tmp_path: Path, function: str) -> None:
    assert len(having("load i32", compiled(tmp_path, function))) == 1


def test_two_reads_stay_two(tmp_path: Path) -> None:
    lines = compiled(tmp_path, "int f(void) { int a = g; int b = g; return a + b; }")
    assert having("load i32, ptr @g", lines) == having("load", lines)
    assert len(having("load", lines)) == 2


def test_two_writes_stay_two(tmp_path: Path) -> None:
    lines = compiled(tmp_path, "void f(void) { g = 1; g = 2; }")
    assert [line.split(",")[0] for line in having("store", lines)] == ["store i32 1", "store i32 2"]


@pytest.mark.parametrize(
    ("function", "size"),
    [
        ("void f(void) { struct P l = *gp; use(l.a); }", 8),
        ("void f(void) { struct L l = *gl; use(l.a[3]); }", 160),
        ("void f(void) { struct P l = *gp; }", 8),
        ("void f(void) { struct P l; l.a = 1; l.b = 2; *gp = l; }", 8),
    ],
)
def test_a_struct_is_copied_whole(tmp_path: Path, function: str, size: int) -> None:
    lines = compiled(tmp_path, function)
    copies = having("@llvm.memcpy", lines)
    assert len(copies) == 1
    assert f"i64 {size}, i1 false" in copies[0]
    # What it is copied from is not read in parts as well.
    shared = having("load ptr, ptr @g", lines)[0].split(" ")[0]
    assert not having(f", ptr {shared},", having("load", lines) + having("store", lines))


def test_a_wide_store_of_a_local_written_in_halves_stays_one(tmp_path: Path) -> None:
    lines = compiled(tmp_path, "void f(void) { union U u; u.i[0] = 1; u.i[1] = 2; wide = u.l; }")
    assert [line[:9] for line in having("ptr @wide", lines)] == ["store i64"]


def test_a_pure_call_whose_result_is_not_used_stays(tmp_path: Path) -> None:
    assert having("@pure", compiled(tmp_path, "void f(void) { int n = pure(&g); }"))


def test_volatile_is_where_the_source_has_it(tmp_path: Path) -> None:
    lines = compiled(tmp_path, "int f(void) { volatile int x = g; g = v; v = x; return x; }")
    assert len(having("store volatile i32", having("@v", lines))) == 1
    assert len(having("load volatile i32", having("@v", lines))) == 1
    assert having("@g", lines)
    assert not having("volatile", having("@g", lines))
    assert len(having("alloca", lines)) == 1  # a volatile local stays in memory (setjmp relies on it)


def test_a_local_whose_address_gets_away_keeps_its_accesses(tmp_path: Path) -> None:
    lines = compiled(tmp_path, "int *where; int f(void) { int x = 0; where = &x; int y = x; int z = x; return 0; }")
    slot = having("alloca", lines)[0].split(" ")[0]
    assert len(having(f"load i32, ptr {slot}", lines)) == 2


MIXED = """
long f(long n, struct P *p, union U *u, char *s) {
    struct P a = *p, b = a, c[4] = {a, b}; union U w = *u, x; volatile struct P vp = *p;
    x.l = w.l; x.i[n & 1] = g; u->l = x.l; *p = c[n & 3]; gp[n] = n ? a : *p; p[1] = (struct P){1, v};
    int unused = p->a, *q = n ? &unused : &g; *q += p->b; long *t = &wide; if (n > 3) t = &w.l; *t = *t + 1;
    __builtin_memcpy(s, &a, n); __builtin_memset(p, 0, sizeof *p); __builtin_memmove(gl, gl + 1, sizeof *gl);
    for (struct L l = *gl, *e = gl + n; gl < e; gl++) *gl = l;
    _Bool *flag = (_Bool *)s; *flag; *flag = *flag && g; struct P *old = gp++; s[old->a]++;
    return (long)&x + __atomic_load_n(&g, __ATOMIC_RELAXED) + ({ struct P z = vp; z.b; }) + ((long *)p)[2];
}
"""


def test_every_shielded_access_survives_exactly_once(tmp_path: Path) -> None:
    """Counted on C that mixes copies, unions, volatile, selects of addresses and dead values."""
    (tmp_path / "p.c").write_text(f"{PRELUDE}\n{MIXED}\nint main(void) {{ return 0; }}\n")
    (unit,) = compile_units(from_files([tmp_path / "p.c"]), None, Budget.unlimited())
    shielded = protect(str(unit.text))
    module = llvm.parse_assembly(shielded)
    promote(module)

    def accesses(text: str) -> list[str]:
        marked = re.findall(rf"(load|store) volatile .*!{PLAIN_MARKER}", text)
        copies = re.findall(rf"call void @{OPAQUE_PREFIX}(mem\w+)", text)
        return sorted([*marked, *copies])

    assert len(accesses(shielded)) > 40
    assert accesses(str(module)) == accesses(shielded)


ROUND_TRIP = """
define i32 @f(ptr %p, i1 %c) {
  %x = alloca i32, align 4
  %"y z" = alloca { i32, ptr }, align 8
  %w = alloca i32, align 4
  br label %later
earlier:
  call void @use(ptr %field)
  ret i32 0
later:
  %field = getelementptr { i32, ptr }, ptr %"y z", i32 0, i32 1
  store ptr null, ptr %field, align 8
  store i32 1, ptr %x, align 4
  %1 = load i32, ptr %x, align 4
  %2 = load atomic i32, ptr %p seq_cst, align 4
  %3 = load { i32, ptr }, ptr %p, align 8
  %4 = select i1 %c, ptr %w, ptr %p
  %5 = load i32, ptr %w, align 4
  br label %earlier
}

declare void @use(ptr)
"""


def test_protect_knows_locals_from_the_rest() -> None:
    shielded = [line for line in protect(ROUND_TRIP).split("\n") if "raceproof.plain" in line]
    # %field escapes although the call stands before its definition; %w escapes through select; %x does not.
    assert [line.split(",")[0].strip() for line in shielded] == [
        "store volatile ptr null",
        "%3 = load volatile { i32",
        "%5 = load volatile i32",
    ]


def test_restore_undoes_protect() -> None:
    plain = str(llvm.parse_assembly(ROUND_TRIP))
    shielded = str(llvm.parse_assembly(protect(plain)))
    assert "raceproof" in shielded
    drop_leftover = re.compile(r"\n+!\d+ = !\{\}\n*$")
    assert drop_leftover.sub("", restore(shielded)).strip() == plain.strip()


def test_modules_for_another_word_size_do_not_abort_llvm() -> None:
    module = llvm.parse_assembly(
        'target triple = "i386-unknown-linux-gnu"\n'
        "define i32 @f() #0 {\n  %x = alloca i32\n  store i32 1, ptr %x\n  %1 = load i32, ptr %x\n  ret i32 %1\n}\n"
        'attributes #0 = { "target-cpu"="pentium4" }\n'
    )
    promote(module)
    assert "ret i32 1" in str(module)
