"""Globals, their initial values, aliases."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from raceproof.core import Unsupported
from raceproof.ir import Address, Call, GlobalVariable, InitialCell, IntConst, Load, Program, Return

Parse = Callable[..., Program]

OTHERS = """
@other = global [10 x i32] zeroinitializer
declare i32 @inc(i32)
declare i32 @dec(i32)
"""


def variable(parse: Parse, definition: str, bits: int = 64) -> GlobalVariable:
    return parse(f"%struct.ops = type {{ ptr, i32, ptr }}\n@x = {definition}\n{OTHERS}", bits).globals["x"]


def cells(made: GlobalVariable) -> list[tuple[int, int, int | str]]:
    return [(c.offset, c.size, c.value.value if isinstance(c.value, IntConst) else str(c.value)) for c in made.initial]


@pytest.mark.parametrize(
    "definition",
    [
        "global i32 0, align 4",
        "internal global i32 0",
        "common dso_local local_unnamed_addr global i32 0, align 4",
        'hidden global i32 0, section ".data", comdat, align 4, !dbg !9',
        "weak addrspace(1) externally_initialized global i32 0",
        "global i32 0, align 4 #3",
    ],
)
def test_plain_globals(parse: Parse, definition: str) -> None:
    made = variable(parse, definition)
    assert (str(made.type), made.is_constant, made.is_thread_local, made.is_external) == ("i32", False, False, False)
    assert made.initial == ()
    assert made.initial_complete


def test_constants_thread_locals_and_externals(parse: Parse) -> None:
    assert variable(parse, "private unnamed_addr constant i32 7, align 4").is_constant
    assert variable(parse, "internal thread_local(localexec) global i32 0").is_thread_local
    external = variable(parse, "external thread_local global i32, align 4")
    assert external.is_external
    assert external.is_thread_local
    assert not external.initial_complete, "somebody else decides the value"
    assert variable(parse, "extern_weak global ptr #2").is_external


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("global i32 -3", [(0, 4, -3)]),
        ("global ptr @other", [(0, 8, "@other")]),
        ("global ptr null", []),
        ("global [4 x i32] [i32 1, i32 0, i32 0, i32 4]", [(0, 4, 1), (12, 4, 4)]),
        ("global [2 x ptr] [ptr @inc, ptr @dec]", [(0, 8, "@inc"), (8, 8, "@dec")]),
        (
            "global [2 x %struct.ops] [%struct.ops { ptr @inc, i32 1, ptr @x }, %struct.ops { ptr @dec, i32 2, "
            "ptr getelementptr (i8, ptr @other, i64 12) }]",
            [(0, 8, "@inc"), (8, 4, 1), (16, 8, "@x"), (24, 8, "@dec"), (32, 4, 2), (40, 8, "@other+12")],
        ),
        ("global <{ i8, i32, i16 }> <{ i8 1, i32 2, i16 3 }>", [(0, 1, 1), (1, 4, 2), (5, 2, 3)]),
        ("global i64 ptrtoint (ptr getelementptr (i8, ptr @other, i64 8) to i64)", [(0, 8, "@other+8")]),
        ("global <2 x i32> <i32 5, i32 6>", [(0, 4, 5), (4, 4, 6)]),
        ('global { i32, [4 x i8] } { i32 1, [4 x i8] c"a\\00\\FF\\00" }', [(0, 4, 1), (4, 1, 97), (6, 1, -1)]),
        ("global { i32, float, double } { i32 1, float 0.000000e+00, double 0.000000e+00 }", [(0, 4, 1)]),
    ],
)
def test_initial_values(parse: Parse, definition: str, expected: list[tuple[int, int, int | str]]) -> None:
    made = variable(parse, definition)
    assert cells(made) == expected
    assert made.initial_complete


def test_pointers_of_32_bits(parse: Parse) -> None:
    made = variable(parse, "global { i8, ptr } { i8 1, ptr @inc }", bits=32)
    assert cells(made) == [(0, 1, 1), (4, 4, "@inc")]


@pytest.mark.parametrize(
    "definition",
    [
        "global double 2.500000e+00",
        "global x86_fp80 0xK3FFFC000000000000000",
        "global { i32, float } { i32 0, float 1.0 }",
        "global i32 undef",
        "global [2 x i32] poison",
        "global <2 x i32> splat (i32 3)",
        "global ptr blockaddress(@inc, %5)",
    ],
)
def test_values_that_are_left_out(parse: Parse, definition: str) -> None:
    made = variable(parse, definition)
    assert not made.initial_complete
    assert made.initial == ()


def test_long_tables_are_cut_but_keep_their_addresses(parse: Parse) -> None:
    numbers = ", ".join(["i64 7"] * 5000)
    pointer = "i64 ptrtoint (ptr @inc to i64)"
    made = variable(parse, f"global [5001 x i64] [{numbers}, {pointer}]")
    assert len(made.initial) == 4097
    assert made.initial[-1] == InitialCell(40000, 8, Address("inc"))
    assert not made.initial_complete
    assert not variable(parse, "global [1000000 x i32] zeroinitializer").initial


def test_differences_of_addresses_are_named(parse: Parse) -> None:
    made = variable(
        parse,
        "global i32 trunc (i64 sub (i64 ptrtoint (ptr @inc to i64), i64 ptrtoint (ptr @other to i64)) to i32)",
    )
    assert [c.value for c in made.initial] == [Address("inc"), Address("other")]
    assert not made.initial_complete


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (r'c"hello\0A\22x\22\\ \01\00"', 'hello\n"x"\\ \x01'),
        (r'c"\C3\A9\00"', "é"),
        (r'c"\FF\00"', b"\xff".decode("utf-8", "surrogateescape")),
    ],
)
def test_text_of_constant_strings(parse: Parse, literal: str, text: str) -> None:
    made = variable(parse, f"private unnamed_addr constant [13 x i8] {literal}, align 1")
    assert made.text == text


def test_a_string_that_may_change_has_cells_instead(parse: Parse) -> None:
    made = variable(parse, r'global [4 x i8] c"ab\00\00"')
    assert made.text is None
    assert cells(made) == [(0, 1, 97), (1, 1, 98)]


def test_debug_information(parse: Parse) -> None:
    program = parse(
        """
@f.counter = internal global i32 0, align 4, !dbg !0
@.str = private constant [2 x i8] c"x\\00", align 1, !dbg !5
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "counter", scope: !2, file: !3, line: 71, type: !4, isLocal: true)
!2 = distinct !DISubprogram(name: "f", scope: !3, file: !3, line: 70)
!3 = !DIFile(filename: "/src/a.c", directory: "/src")
!4 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
!6 = distinct !DIGlobalVariable(scope: null, file: !3, line: 31, type: !4, isLocal: true)
"""
    )
    counter = program.globals["f.counter"]
    assert (counter.source_name, str(counter.pos)) == ("counter", "/src/a.c:71")
    assert counter.source_type is not None
    assert program.source_types[counter.source_type].name == "int"
    assert program.globals[".str"].source_name == ".str"


# --- aliases


ALIASES = """
@base = global { i32, i32 } { i32 1, i32 2 }
@pointer = global ptr @second

@second = dso_local unnamed_addr alias i32, ptr getelementptr ({ i32, i32 }, ptr @base, i32 0, i32 1)
@again = alias i32, ptr @second
@entry = alias i32 (), ptr @real

define i32 @real() {
  %1 = load i32, ptr @again, align 4
  %2 = call i32 @entry()
  ret i32 %1
}
"""


def test_an_alias_is_its_aliasee(parse: Parse) -> None:
    program = parse(ALIASES, entry="entry")
    load, call, ending = program.functions["real"].instructions()
    assert isinstance(load, Load)
    assert isinstance(call, Call)
    assert isinstance(ending, Return)
    assert load.address == Address("base", 4)
    assert call.callee == Address("real")
    assert program.globals["pointer"].initial[0].value == Address("base", 4)
    assert program.entry == "real"
    assert "again" not in program.globals


def test_an_alias_of_itself_is_refused(parse: Parse) -> None:
    with pytest.raises(Unsupported):
        parse("@a = alias i32, ptr @b\n@b = alias i32, ptr @a\n@c = global ptr @a\n")


def test_indirect_functions_are_refused(parse: Parse) -> None:
    with pytest.raises(Unsupported, match="ifunc"):
        parse("@f = ifunc i32 (i32), ptr @resolve\n")


@pytest.mark.parametrize(
    "definition",
    ["global", "global [2 x i32] [i32 1", "global i32 1 2", "global i32 five", "global { i32 } [i32 1, i32 2]"],
)
def test_malformed_globals_are_refused(parse: Parse, definition: str) -> None:
    with pytest.raises(Unsupported):
        variable(parse, definition)
