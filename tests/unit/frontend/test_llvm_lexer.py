"""Cutting lines of LLVM IR into tokens."""

from __future__ import annotations

import pytest

from raceproof.frontend.llvm_lexer import split_attachments, tokenize, unescape, unquote


def test_a_line_is_cut_into_tokens() -> None:
    line = '%"a b" = call i32 (ptr, ...) @f.1(ptr @g, float -1.0e+00, x86_fp80 0xK3FFF) #7'
    assert tokenize(line) == [
        *('%"a b"', "=", "call", "i32", "(", "ptr", ",", "...", ")", "@f.1", "("),
        *("ptr", "@g", ",", "float", "-1.0e+00", ",", "x86_fp80", "0xK3FFF", ")", "#7", ""),
    ]


def test_strings_are_one_token() -> None:
    assert tokenize(r'@s = constant [4 x i8] c"a, \22", align 1')[8:10] == [r'c"a, \22"', ","]


@pytest.mark.parametrize(
    ("line", "attachments"),
    [
        ("%1 = load i32, ptr %p, align 4, !dbg !31", ", !dbg !31"),
        ("br label %5, !dbg !360, !llvm.loop !361", ", !dbg !360, !llvm.loop !361"),
        ("store i32 1, ptr %p, align 4", ""),
        ('call void asm sideeffect "x, !dbg !3", ""(), !dbg !4', ", !dbg !4"),
        ('@s = global [9 x i8] c", !dbg !3\\00", align 1', ""),
        (
            '%x = load volatile i32, ptr %"a b", align 4, !dbg !7, !raceproof.plain !{}',
            ", !dbg !7, !raceproof.plain !{}",
        ),
    ],
)
def test_attachments_are_split_off(line: str, attachments: str) -> None:
    assert split_attachments(line) == (line.removesuffix(attachments), attachments)


def test_escapes_are_decoded() -> None:
    assert unescape(r"a\0A\22\\b\FF") == b'a\n"\\b\xff'


def test_quoted_names() -> None:
    assert unquote("x.1") == "x.1"
    assert unquote(r'"a\20b"') == "a b"
    assert unquote('"5"') == '"5"', "a named value called 5 is not the unnamed value 5"
