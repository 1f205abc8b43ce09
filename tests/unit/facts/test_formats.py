"""formats: what printf and scanf touch, against C11 7.21.6.1 and 7.21.6.2."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raceproof import frontend
from raceproof.facts.library.effects import ArgBytes, Bytes, CString, Extent, WholeObject
from raceproof.facts.library.formats import (
    FormatText,
    FormatTouch,
    counts_characters,
    format_text,
    printf_touches,
    scanf_fresh,
    scanf_touches,
)
from raceproof.ir import Call

STRING = CString()


@pytest.mark.parametrize(
    ("fmt", "expected"),
    [
        ("no conversion, 100%%", []),
        ("%d %u %5.2f %c %p %zu %#llx %m", []),
        ("%s", [(1, True, STRING)]),
        ("%d %-20s", [(2, True, STRING)]),
        ("%*d %s", [(3, True, STRING)]),  # the width is an argument
        ("%*.*f %s", [(4, True, STRING)]),
        ("%.3s", [(1, True, Bytes(3))]),
        ("%.s", [(1, True, Bytes(0))]),  # a lone point is precision 0
        ("%.3ls %.3S", [(1, True, Bytes(12)), (2, True, Bytes(12))]),
        ("%.*s", [(2, True, ArgBytes(1))]),
        ("%*.*s", [(3, True, ArgBytes(2))]),
        ("%*.3s", [(2, True, Bytes(3))]),
        ("%.*ls", [(2, True, ArgBytes(1, unit=4))]),
        ("%3$.*1$s", [(3, True, ArgBytes(1))]),
        ("%n %hhn %hn %ln %lln", [(i, False, Bytes(size)) for i, size in enumerate((4, 1, 2, 8, 8), start=1)]),
        ("%2$s %1$d", [(2, True, STRING)]),
        ("%1$s %1$s", [(1, True, STRING), (1, True, STRING)]),
        ("%3$*1$s", [(3, True, STRING)]),
        ("%m %s", [(1, True, STRING)]),  # errno, not an argument
        ("%w32d %wf64d %w16n", [(3, False, Bytes(2))]),
        ("%y %s", [(1, True, WholeObject()), (1, False, WholeObject()), (2, True, STRING)]),
        ("%s %", [(1, True, STRING)]),
    ],
)
def test_printf(fmt: str, expected: list[tuple[int, bool, Extent]]) -> None:
    assert list(printf_touches(fmt, 1)) == expected


@pytest.mark.parametrize(
    ("fmt", "expected"),
    [
        ("%d,%hd,%hhd", [Bytes(4), Bytes(2), Bytes(1)]),
        ("%ld %lld %zu %jd %td", [Bytes(8)] * 5),
        ("%f %lf %Lf", [Bytes(4), Bytes(8), Bytes(16)]),
        ("%s %9s", [STRING, Bytes(10)]),
        ("%c %3c", [Bytes(1), Bytes(3)]),
        ("%[a-z] %5[^]x]", [STRING, Bytes(6)]),
        ("%ls %4lc", [STRING, Bytes(16)]),
        ("%*d %d", [Bytes(4)]),  # suppressed: no argument
        ("%*[^\n]%s", [STRING]),
        ("%% %n %p", [Bytes(4), Bytes(8)]),
        ("%[]abc%]%d", [STRING, Bytes(4)]),  # a percent sign in the set starts nothing
    ],
)
def test_scanf(fmt: str, expected: list[Extent]) -> None:
    assert list(scanf_touches(fmt, 2)) == [FormatTouch(2 + i, False, extent) for i, extent in enumerate(expected)]


def test_in_wide_formats_widths_count_wide_characters() -> None:
    assert [t.extent for t in printf_touches("%s %.3s %.3ls %n", 1, wide=True)] == [STRING, STRING, Bytes(12), Bytes(4)]
    scanned = scanf_touches("%9s %3c %5[a] %9ls %3lc %d", 1, wide=True)
    assert [t.extent for t in scanned] == [STRING, STRING, STRING, Bytes(40), Bytes(12), Bytes(4)]


def test_sizes_of_the_32_bit_model() -> None:
    assert scanf_touches("%ld %zu %p %lld %Lf %d", 0, pointer_size=4) == tuple(
        FormatTouch(i, False, Bytes(size)) for i, size in enumerate((4, 4, 4, 8, 12, 4))
    )
    assert printf_touches("%ln", 0, pointer_size=4) == (FormatTouch(0, False, Bytes(4)),)


def test_allocated_strings() -> None:
    assert scanf_touches("%d %ms %m[a-z]", 1) == (
        FormatTouch(1, False, Bytes(4)),
        FormatTouch(2, False, Bytes(8)),
        FormatTouch(3, False, Bytes(8)),
    )
    assert scanf_fresh("%d %ms %*ms %m[a-z]", 1) == (2, 3)


# (conversion, arguments that it takes, what its last argument has touched)
PRINTF_PARTS: list[tuple[str, int, tuple[bool, Extent] | None]] = [
    ("%d", 1, None),
    ("%-8.3lf", 1, None),
    ("%+*d", 2, None),
    ("%0*.*g", 3, None),
    ("%%", 0, None),
    ("%m", 0, None),
    ("%s", 1, (True, STRING)),
    ("%*s", 2, (True, STRING)),
    ("%-10.7s", 1, (True, Bytes(7))),
    ("%n", 1, (False, Bytes(4))),
]
SCANF_PARTS: list[tuple[str, int, tuple[bool, Extent] | None]] = [
    ("%d", 1, (False, Bytes(4))),
    ("%*d", 0, None),
    ("%%", 0, None),
    ("%lf", 1, (False, Bytes(8))),
    ("%7[^%]", 1, (False, Bytes(8))),
    ("%s", 1, (False, STRING)),
    ("%hu", 1, (False, Bytes(2))),
]
literal_text = st.text(alphabet=st.characters(exclude_characters="%", codec="utf-8"), max_size=5)


@given(st.data(), st.sampled_from([0, 1, 2, 4]), st.booleans())
def test_each_conversion_takes_its_own_arguments(data: st.DataObject, first: int, scans: bool) -> None:
    parts = data.draw(st.lists(st.sampled_from(SCANF_PARTS if scans else PRINTF_PARTS), max_size=8))
    fmt = data.draw(literal_text)
    expected: list[FormatTouch] = []
    at = first
    for conversion, arguments, touch in parts:
        fmt += conversion + data.draw(literal_text)
        at += arguments
        if touch is not None:
            expected.append(FormatTouch(at - 1, *touch))
    assert list((scanf_touches if scans else printf_touches)(fmt, first)) == expected


@given(st.permutations(["%{}$d", "%{}$s", "%{}$.4s", "%{}$n"]))
def test_positions_say_the_same_in_any_order(parts: list[str]) -> None:
    numbered = {"%{}$d": 1, "%{}$s": 2, "%{}$.4s": 3, "%{}$n": 4}
    fmt = " ".join(part.format(numbered[part]) for part in parts)
    assert sorted(printf_touches(fmt, 1), key=lambda t: t.arg) == [
        FormatTouch(2, True, STRING),
        FormatTouch(3, True, Bytes(4)),
        FormatTouch(4, False, Bytes(4)),
    ]


@given(st.text(alphabet="%$*.0123456789-+ #'hlLjztqwfmdiouxXeEgGaAcCsSpnyI[]^"), st.integers(0, 5))
def test_any_text_is_a_format(fmt: str, first: int) -> None:
    for touches in (printf_touches(fmt, first), scanf_touches(fmt, first)):
        for touch in touches:
            assert touch.arg >= first
            assert not isinstance(touch.extent, Bytes) or touch.extent.count >= 0
    assert set(scanf_fresh(fmt, first)) <= {touch.arg for touch in scanf_touches(fmt, first)}


# -- formats in programs


@pytest.mark.parametrize(
    ("declaration", "counts"),
    [
        ('const char *f = "a%d";', False),
        ('const char *f = "a%n";', True),
        ('char f[] = "a%n";', True),
        ('char f[9] = "a%d n";', False),
        ('struct { int id; char f[8]; } table[] = {{1, "a%hhn"}};', True),
        ('const wchar_t *f = L"a%n";', True),
        ('const wchar_t *f = L"a%d";', False),
        ('wchar_t f[] = L"\\u00e4%-3ln";', True),
        (f"int table[5000] = {{{'1, ' * 5000}}};", True),  # not all of it is known
    ],
)
def test_whether_some_format_may_count(declaration: str, counts: bool, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"#include <wchar.h>\n{declaration}\nint main(void) {{ }}\n", encoding="utf-8")
    assert counts_characters(frontend.load(frontend.from_files([path]))) == counts


def test_wide_literals_are_formats(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text('#include <wchar.h>\nint main(void) { wprintf(L"\\u00e4 %d\\n", 1); }\n', encoding="utf-8")
    program = frontend.load(frontend.from_files([path]))
    calls = [i for i in program.functions["main"].instructions() if isinstance(i, Call)]
    assert [format_text(program, call.args[0]) for call in calls] == [FormatText("? %d\n", wide=True)]
