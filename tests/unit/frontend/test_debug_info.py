"""Positions, paths and source types from metadata."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof.core import SourcePos
from raceproof.frontend.debug_info import Metadata, reference, string
from raceproof.frontend.debug_types import SourceTypes
from raceproof.ir import Member, SourceKind, SourceType

TYPES = """
!1 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!2 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!3 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "node", file: !90, line: 12, size: 192, elements: !4)
!4 = !{!5, !6, !8}
!5 = !DIDerivedType(tag: DW_TAG_member, name: "v", baseType: !1, size: 32)
!6 = !DIDerivedType(tag: DW_TAG_member, name: "next", baseType: !7, size: 64, offset: 64)
!7 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !9, size: 64)
!8 = !DIDerivedType(tag: DW_TAG_member, name: "tag", baseType: !10, size: 56, offset: 128)
!9 = !DIDerivedType(tag: DW_TAG_typedef, name: "node_t", file: !90, line: 12, baseType: !3)
!10 = !DICompositeType(tag: DW_TAG_array_type, baseType: !2, size: 56, elements: !11)
!11 = !{!12}
!12 = !DISubrange(count: 7)
!13 = !DIDerivedType(tag: DW_TAG_typedef, name: "bits_t", file: !90, line: 13, baseType: !14)
!14 = distinct !DICompositeType(tag: DW_TAG_structure_type, file: !90, line: 13, size: 128, elements: !15)
!15 = !{!16, !17}
!16 = !DIDerivedType(tag: DW_TAG_member, name: "a", baseType: !1, size: 3, flags: DIFlagBitField, extraData: i64 0)
!17 = !DIDerivedType(tag: DW_TAG_member, name: "d", baseType: !1, size: 5, offset: 67, flags: DIFlagBitField | DIFlagX)
!18 = distinct !DICompositeType(tag: DW_TAG_union_type, name: "u", size: 64, elements: !19)
!19 = !{!20, !21}
!20 = !DIDerivedType(tag: DW_TAG_member, name: "i", baseType: !1, size: 32)
!21 = !DIDerivedType(tag: DW_TAG_member, name: "p", baseType: !22, size: 64)
!22 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!23 = !DICompositeType(tag: DW_TAG_array_type, baseType: !1, size: 1920, elements: !24)
!24 = !{!25, !26}
!25 = !DISubrange(count: 3)
!26 = !DISubrange(count: 4)
!27 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "color", baseType: !1, size: 32, elements: !28)
!28 = !{!29}
!29 = !DIEnumerator(name: "RED", value: 0)
!30 = !DISubroutineType(types: !31)
!31 = !{!1, !32, null}
!32 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !33, size: 64)
!33 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !2)
!34 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !30, size: 64)
!35 = !DICompositeType(tag: DW_TAG_array_type, baseType: !34, size: 128, elements: !36)
!36 = !{!37}
!37 = !DISubrange(count: 2)
!38 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !10, size: 64)
!39 = !DIDerivedType(tag: DW_TAG_atomic_type, baseType: !40)
!40 = !DIDerivedType(tag: DW_TAG_volatile_type, baseType: !1)
!41 = !DICompositeType(tag: DW_TAG_array_type, baseType: !1, elements: !42)
!42 = !{!43}
!43 = !DISubrange(count: !44)
!44 = !DILocalVariable(name: "n", scope: !90)
!45 = !DICompositeType(tag: DW_TAG_array_type, baseType: !1, elements: !46)
!46 = !{!47}
!47 = !DISubrange(count: -1)
!48 = !DIDerivedType(tag: DW_TAG_typedef, name: "a", baseType: !49)
!49 = !DIDerivedType(tag: DW_TAG_typedef, name: "b", baseType: !48)
!50 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !2, size: 64)
!51 = !DISubroutineType(types: !52)
!52 = !{null}
!53 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !32, size: 64)
!54 = distinct !DICompositeType(tag: DW_TAG_structure_type, size: 8)
"""


def metadata(text: str) -> Metadata:
    lines = [line.partition(" = ") for line in text.strip().splitlines()]
    return Metadata({int(number[1:]): rest for number, _, rest in lines})


def build(number: int) -> tuple[SourceType, SourceTypes]:
    types = SourceTypes(metadata(TYPES), 8)
    found = types.type_of({"type": f"!{number}"})
    assert found is not None
    return types.types[found], types


@pytest.mark.parametrize(
    ("number", "kind", "name", "size"),
    [
        (1, SourceKind.BASE, "int", 4),
        (3, SourceKind.STRUCT, "struct node", 24),
        (9, SourceKind.STRUCT, "struct node", 24),
        (7, SourceKind.POINTER, "struct node *", 8),
        (13, SourceKind.STRUCT, "bits_t", 16),
        (14, SourceKind.STRUCT, "bits_t", 16),
        (18, SourceKind.UNION, "union u", 8),
        (22, SourceKind.POINTER, "void *", 8),
        (23, SourceKind.ARRAY, "int[3][4]", 48),
        (27, SourceKind.BASE, "enum color", 4),
        (30, SourceKind.FUNCTION, "int (char *, ...)", 0),
        (34, SourceKind.POINTER, "int (*)(char *, ...)", 8),
        (35, SourceKind.ARRAY, "int (*[2])(char *, ...)", 16),
        (38, SourceKind.POINTER, "char (*)[7]", 8),
        (39, SourceKind.BASE, "int", 4),
        (41, SourceKind.ARRAY, "int[]", 0),
        (45, SourceKind.ARRAY, "int[]", 0),
        (51, SourceKind.FUNCTION, "void (void)", 0),
        (53, SourceKind.POINTER, "char **", 8),
        (54, SourceKind.STRUCT, "struct <anonymous>", 1),
    ],
)
def test_kind_name_and_size(number: int, kind: SourceKind, name: str, size: int) -> None:
    made, _ = build(number)
    assert (made.kind, made.name, made.size) == (kind, name, size)


def test_members_and_recursion() -> None:
    node, types = build(3)
    assert [(m.name, m.offset, types.types[m.type].name) for m in node.members] == [
        ("v", 0, "int"),
        ("next", 8, "struct node *"),
        ("tag", 16, "char[7]"),
    ]
    target = types.types[node.members[1].type].target
    assert target is not None
    assert types.types[target] is node


def test_bit_fields() -> None:
    bits, _ = build(13)
    first, second = bits.members
    assert first == Member("a", 0, first.type, 3, 0)
    assert second == Member("d", 8, second.type, 5, 67)


def test_dimensions_become_nested_arrays() -> None:
    outer, types = build(23)
    assert outer.count == 3
    assert outer.target is not None
    inner = types.types[outer.target]
    assert (inner.kind, inner.name, inner.count, inner.size) == (SourceKind.ARRAY, "int[4]", 4, 16)
    assert inner.target is not None
    assert types.types[inner.target].name == "int"


def test_open_and_variable_arrays_have_no_count() -> None:
    assert build(41)[0].count is None
    assert build(45)[0].count is None


def test_equal_types_have_one_number() -> None:
    types = SourceTypes(metadata(TYPES), 8)
    assert types.type_of({"type": "!32"}) == types.type_of({"type": "!50"}), "const char * and char *"
    assert types.type_of({"type": "!9"}) == types.type_of({"type": "!3"})


def test_only_what_is_reached_is_kept() -> None:
    _, types = build(7)
    assert sorted(t.name for t in types.types.values()) == ["char", "char[7]", "int", "struct node", "struct node *"]


@pytest.mark.parametrize("text", ["null", "!99", "!48", "", "!43"])
def test_unknown_types_are_none(text: str) -> None:
    types = SourceTypes(metadata(TYPES), 8)
    found = types.type_of({"type": text})
    assert found is None or types.types[found].kind is SourceKind.BASE


# --- positions


def position(file: str, location: str = "line: 5, column: 2, scope: !2") -> SourcePos | None:
    return metadata(
        f"!1 = {file}\n!2 = distinct !DISubprogram(file: !1, line: 1)\n!3 = !DILocation({location})"
    ).position(3)


def test_line_zero_has_no_position() -> None:
    assert position('!DIFile(filename: "/a.c", directory: "")', "line: 0, scope: !2") is None
    assert position('!DIFile(filename: "/a.c", directory: "")', "line: 4, scope: !2") == SourcePos("/a.c", 4)


def test_absolute_path() -> None:
    found = position(
        '!DIFile(filename: "/usr/a\\20b.c", directory: "/somewhere", checksumkind: CSK_MD5, checksum: "0")'
    )
    assert found == SourcePos("/usr/a b.c", 5, 2)


def test_relative_path_reads_as_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.c").write_text("")
    monkeypatch.chdir(tmp_path)
    assert position(f'!DIFile(filename: "sub/a.c", directory: "{tmp_path}")') == SourcePos("sub/a.c", 5, 2)


def test_relative_path_elsewhere_gets_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.c").write_text("")
    monkeypatch.chdir(tmp_path / "here")
    there = f'!DIFile(filename: "a.c", directory: "{tmp_path}/there")'
    assert position(there) == SourcePos(f"{tmp_path}/there/a.c", 5, 2)
    (tmp_path / "here" / "a.c").write_text("another file of that name")
    assert position(there) == SourcePos(f"{tmp_path}/there/a.c", 5, 2)


def test_unknown_file() -> None:
    assert position("!DIExpression()") is None


def test_scopes_in_a_circle_end() -> None:
    looped = metadata("!1 = !DILexicalBlock(scope: !2)\n!2 = !DILexicalBlock(scope: !1)")
    assert looped.file_of(1) is None


def test_fields() -> None:
    data = metadata('!1 = distinct !DIThing(name: "a, b: (c)", flags: A | B, expr: !DIExpression(DW_OP_x, 1), line: 3)')
    node = data.node(1)
    assert string(node, "name") == "a, b: (c)"
    assert (node["flags"], node["line"], node["expr"]) == ("A | B", "3", "!DIExpression(DW_OP_x, 1)")
    assert data.kind(1) == "DIThing"
    assert reference("!12") == 12
    assert reference("null") is None
