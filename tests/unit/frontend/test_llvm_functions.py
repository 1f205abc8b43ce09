"""Headers, blocks, labels, sites, source variables, and refusal of broken text."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from raceproof.core import RaceproofError, SourcePos, Unsupported
from raceproof.frontend.llvm_parser import parse_module
from raceproof.ir import (
    Branch,
    ExternalFunction,
    IndirectJump,
    IntConst,
    Jump,
    Load,
    Origin,
    Phi,
    Program,
    Reg,
    Return,
    Switch,
    Unreachable,
)

Parse = Callable[..., Program]

LOOP = """
declare void @use(i32)

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @main(i32 noundef %0, ptr noundef %1) #0 !dbg !10 {
    #dbg_value(i32 %0, !12, !DIExpression(), !20)
    #dbg_value(ptr %1, !13, !DIExpression(), !20)
  %3 = alloca i32, align 4
    #dbg_declare(ptr %3, !14, !DIExpression(), !21)
  br label %4, !dbg !22

4:                                                ; preds = %6, %2
  %.0 = phi i32 [ 0, %2 ], [ %7, %6 ], !dbg !23
    #dbg_value(i32 %.0, !15, !DIExpression(), !24)
    #dbg_value(i32 %.0, !12, !DIExpression(DW_OP_LLVM_fragment, 0, 16), !24)
  %5 = icmp slt i32 %.0, %0, !dbg !25
  br i1 %5, label %6, label %8, !dbg !25, !prof !30

6:                                                ; preds = %4
  call void @use(i32 noundef %.0), !dbg !25
  %7 = add nsw i32 %.0, 1, !dbg !26
  br label %4, !dbg !26, !llvm.loop !31

8:                                                ; preds = %4
  ret i32 0, !dbg !27
}

!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "clang")
!3 = !DIFile(filename: "/src/loop.c", directory: "/src")
!4 = !DIFile(filename: "/src/macro.h", directory: "/src")
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!10 = distinct !DISubprogram(name: "main", scope: !3, file: !3, line: 2, type: !11, unit: !2)
!12 = !DILocalVariable(name: "argc", arg: 1, scope: !10, file: !3, line: 2, type: !9)
!13 = !DILocalVariable(name: "argv", arg: 2, scope: !10, file: !3, line: 2, type: !99)
!14 = !DILocalVariable(name: "slot", scope: !10, file: !3, line: 3, type: !9)
!15 = !DILocalVariable(name: "i", scope: !16, file: !3, line: 4, type: !9)
!16 = distinct !DILexicalBlock(scope: !10, file: !3, line: 4, column: 3)
!17 = !DILexicalBlockFile(scope: !16, file: !4, discriminator: 0)
!18 = distinct !DILexicalBlock(scope: !16, line: 4)
!20 = !DILocation(line: 0, scope: !10)
!21 = !DILocation(line: 3, column: 7, scope: !10)
!22 = !DILocation(line: 4, column: 8, scope: !16)
!23 = !DILocation(line: 0, scope: !16)
!24 = !DILocation(line: 0, scope: !16)
!25 = !DILocation(line: 4, column: 21, scope: !18)
!26 = !DILocation(line: 9, column: 1, scope: !17)
!27 = !DILocation(line: 6, column: 3, scope: !10)
"""


def test_blocks_and_labels(parse: Parse) -> None:
    main = parse(LOOP).functions["main"]
    assert [block.label for block in main.blocks] == ["2", "4", "6", "8"]
    entry, head, body, end = main.blocks
    assert isinstance(entry.terminator, Jump)
    assert isinstance(head.terminator, Branch)
    assert (head.terminator.condition, head.terminator.if_true, head.terminator.if_false) == (Reg("5"), "6", "8")
    assert isinstance(body.terminator, Jump)
    assert isinstance(end.terminator, Return)
    phi = head.body[0]
    assert isinstance(phi, Phi)
    assert phi.incoming == ((IntConst(0, 32), "2"), (Reg("7"), "6"))


def test_header(parse: Parse) -> None:
    main = parse(LOOP).functions["main"]
    assert [(p.name, str(p.type)) for p in main.params] == [("0", "i32"), ("1", "ptr")]
    assert (main.source_name, str(main.returns), main.is_variadic) == ("main", "i32", False)
    assert main.pos == SourcePos("/src/loop.c", 2)


def test_source_variables(parse: Parse) -> None:
    program = parse(LOOP)
    variables = program.functions["main"].variables
    assert {register: v.name for register, v in variables.items()} == {"0": "argc", "1": "argv", "3": "slot", ".0": "i"}
    assert variables["1"].type is None, "its type is not described"
    assert variables[".0"].type is not None
    assert program.source_types[variables[".0"].type].name == "int"


def test_source_positions(parse: Parse) -> None:
    main = parse(LOOP).functions["main"]
    assert [str(i.pos) for i in main.instructions()] == [
        *("None", "/src/loop.c:4:8", "None", "/src/loop.c:4:21", "/src/loop.c:4:21", "/src/loop.c:4:21"),
        *("/src/macro.h:9:1", "/src/macro.h:9:1", "/src/loop.c:6:3"),
    ]


def test_sites_count_through_the_module(parse: Parse) -> None:
    program = parse(
        """
define void @a() {
  call void @llvm.assume(i1 true)
  fence syncscope("singlethread") seq_cst
  fence seq_cst
  ret void
}
define void @b() {
  unreachable
}
"""
    )
    assert [(f, i.id) for f, fn in program.functions.items() for i in fn.instructions()] == [
        ("a", 1),
        ("a", 2),
        ("b", 3),
    ]


def test_declarations(parse: Parse) -> None:
    program = parse(
        """
declare i32 @printf(ptr noundef, ...) #1
declare !dbg !7 extern_weak noalias ptr @weak(i64 noundef, i32) #2
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #3
"""
    )
    pointer = program.externals["printf"].params[0]
    assert str(pointer) == "ptr"
    assert program.externals["printf"] == ExternalFunction(
        "printf", (pointer,), program.externals["printf"].returns, True
    )
    assert [str(p) for p in program.externals["weak"].params] == ["i64", "i32"]
    assert list(program.externals) == ["printf", "weak"]


def test_parameters_without_a_name_are_counted(parse: Parse) -> None:
    program = parse("define i32 @f(i32, i8 %named, ptr) {\n  br label %3\n3:\n  ret i32 %0\n}\n")
    function = program.functions["f"]
    assert [p.name for p in function.params] == ["0", "named", "1"]
    assert [b.label for b in function.blocks] == ["2", "3"]


def test_named_values_and_labels(parse: Parse) -> None:
    program = parse(
        """
define i32 @"odd name"(i32 %x) {
entry:
  br label %"for cond"

"for cond":                                       ; preds = %entry
  %"a b" = add i32 %x, 1
  ret i32 %"a b"
}
"""
    )
    function = program.functions["odd name"]
    assert [b.label for b in function.blocks] == ["entry", "for cond"]
    assert function.blocks[1].body[0].result == Reg("a b")  # type: ignore[union-attr]


def test_switch_over_several_lines(parse: Parse) -> None:
    program = parse(
        """
define i32 @f(i64 %x) {
  switch i64 %x, label %3 [
    i64 -1, label %1
    i64 9223372036854775807, label %2
  ], !dbg !5

1:                                                ; preds = %0
  ret i32 1

2:                                                ; preds = %0
  ret i32 2

3:                                                ; preds = %0
  switch i64 %x, label %4 [
  ]

4:
  unreachable
}
"""
    )
    first, *_, last = [i for i in program.functions["f"].instructions() if isinstance(i, Switch)]
    assert (first.default, first.cases) == ("3", ((-1, "1"), (2**63 - 1, "2")))
    assert last.cases == ()


def test_computed_goto_and_unreachable(parse: Parse) -> None:
    program = parse(
        """
define void @f(ptr %p) {
  indirectbr ptr %p, [label %1, label %2]
1:
  unreachable
2:
  ret void
}
"""
    )
    jump, trap, _ = program.functions["f"].instructions()
    assert isinstance(jump, IndirectJump)
    assert jump.targets == ("1", "2")
    assert isinstance(trap, Unreachable)


def test_blocks_that_nothing_reaches_are_kept(parse: Parse) -> None:
    program = parse("define i32 @f(i32 %x) {\n  ret i32 %x\n\n1:  ; No predecessors!\n  br label %1\n}\n")
    assert [b.label for b in program.functions["f"].blocks] == ["0", "1"]


def test_old_debug_intrinsics(parse: Parse) -> None:
    program = parse(
        """
define void @f(i32 %x) {
  %1 = alloca i32
  call void @llvm.dbg.declare(metadata ptr %1, metadata !5, metadata !DIExpression()), !dbg !7
  call void @llvm.dbg.value(metadata i32 %x, metadata !6, metadata !DIExpression()), !dbg !7
  ret void
}
!5 = !DILocalVariable(name: "slot", scope: !9)
!6 = !DILocalVariable(name: "x", arg: 1, scope: !9)
"""
    )
    assert {r: v.name for r, v in program.functions["f"].variables.items()} == {"1": "slot", "x": "x"}


def test_a_function_keeps_its_source_name_after_linking(parse: Parse) -> None:
    program = parse(
        'define void @inc.3() !dbg !1 {\n  ret void\n}\n!1 = distinct !DISubprogram(name: "inc", file: !2, line: 4)\n'
        '!2 = !DIFile(filename: "/a.c", directory: "/")\n'
    )
    function = program.functions["inc.3"]
    assert (function.source_name, function.pos) == ("inc", SourcePos("/a.c", 4))


def test_entry_and_origin_are_passed_through() -> None:
    origin = Origin(("a.c",), (("clang", "a.c"),), "LP64")
    program = parse_module("define void @start() {\n  ret void\n}\n", origin, "start")
    assert (program.entry, program.origin, program.pointer_size) == ("start", origin, 8)


# --- refusal


@pytest.mark.parametrize(
    "text",
    [
        "define void @f() {\n  ret void\n",  # no closing brace
        "define void @f() {\n}\n",  # no block
        "define void @f() {\n  fence seq_cst\n}\n",  # no terminator
        "define void @f() {\n  ret void\n  fence seq_cst\n}\n",  # behind the terminator
        "define void @f() {\n  fence seq_cst\n1:\n  ret void\n}\n",  # a block without its end
        "define void @f() {\nnonsense\n  ret void\n}\n",
        "define void @f( {\n  ret void\n}\n",
        "define @f() {\n  ret void\n}\n",
        "declare void f()\n",
        "something else\n",
        "define i32 @f(i32 %x) {\n  switch i32 %x, label %1 [\n    i32 1, label %1\n\n1:\n  ret i32 0\n}\n",
    ],
)
def test_broken_text_is_refused(parse: Parse, text: str) -> None:
    with pytest.raises(Unsupported):
        parse(text)


def test_a_refusal_quotes_the_line_and_its_position(parse: Parse) -> None:
    broken = LOOP.replace("%7 = add nsw i32 %.0, 1", "%7 = add nsw i32 %.0 1")
    with pytest.raises(Unsupported, match="add nsw") as error:
        parse(broken)
    assert error.value.pos == SourcePos("/src/macro.h", 9, 1)


@pytest.mark.parametrize("seed", range(20))
def test_garbled_text_raises_only_our_errors(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        lines = LOOP.splitlines()
        for _ in range(rng.choice([1, 1, 2, 5])):
            _garble(lines, rng)
        text = "\n".join(lines)
        if rng.random() < 0.2:
            text = text[: rng.randrange(len(text))]
        try:
            program = parse_module(text, Origin((), (), "LP64"))
        except RaceproofError:
            continue
        assert all(isinstance(f.blocks, tuple) for f in program.functions.values())


def _garble(lines: list[str], rng: random.Random) -> None:
    at = rng.randrange(len(lines))
    line = lines[at] or " "
    words = line.split(" ")
    match rng.randrange(5):
        case 0:
            lines[at] = line[: rng.randrange(len(line))]
        case 1:
            cut = rng.randrange(len(line))
            lines[at] = line[:cut] + rng.choice('()[]{}<>,%@!"#x0 -') + line[cut + 1 :]
        case 2:
            del words[rng.randrange(len(words))]
            lines[at] = " ".join(words)
        case 3:
            rng.shuffle(words)
            lines[at] = " ".join(words)
        case _:
            lines[at : at + 1] = []


def test_no_access_is_lost(parse: Parse) -> None:
    body = "".join(f"  %{k} = load i32, ptr %p, align 4\n  store i32 %{k}, ptr %p, align 4\n" for k in range(1, 500))
    program = parse(f"define void @f(ptr %p) {{\n{body}  ret void\n}}\n")
    loads = [i for i in program.functions["f"].instructions() if isinstance(i, Load)]
    assert len(loads) == 499
