"""Indices that count with constant bounds: which bytes they lead to, and which not."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.transactions.c_programs import of_text

from raceproof.facts.flow.locations import overlap
from raceproof.model import MemLoc, ObjectId

TEXT = "static struct { int before, cells[8], after; } s;\n"
TEXT += "void *f(void *p) { LOOP\n s.cells[i] = 1; return 0; }\nvoid *g(void *p) { s.USED = 2; return 0; }\n"
TEXT += "int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }"


@pytest.mark.parametrize(
    ("loop", "used", "may_meet"),
    [
        ("for (int i = 0; i < 8; i++)", "before", False),
        ("for (int i = 0; i < 8; i++)", "after", False),
        ("for (int i = 0; i <= 8; i++)", "after", True),
        ("for (int i = 0; i <= 8; i++)", "before", False),
        ("for (int i = 7; i >= 0; i--)", "before", False),
        ("for (int i = 7; i > 0; i--)", "cells[0]", False),
        ("for (int i = 7; i >= 0; i--)", "cells[0]", True),
        ("for (int i = 0; i < 8; i += 2)", "cells[1]", False),
        ("for (int i = 0; i != 4; i++)", "cells[4]", False),
        ("for (int i = 0; i != 5; i++)", "cells[4]", True),
        ("for (int i = 0; i != 7; i += 2)", "cells[1]", True),
        ("for (unsigned i = 2; i < 4; i++)", "cells[1]", False),
        ("for (int i = -1; i < 4; i++)", "before", True),
        ("for (int i = 3; i >= -1; i--)", "before", True),
        ("for (int i = 0; i < *(int *)p; i++)", "cells[7]", True),
        ("for (int i = 0; i < *(int *)p; i++)", "after", False),  # an index stays within its array
        ("int i; for (i = 0; i < 4; i++);", "cells[4]", True),
        ("for (signed char i = 0; i < 127; i += 4)", "cells[7]", True),
        ("int i = 5;", "cells[4]", False),
    ],
)
def test_what_a_loop_may_touch(loop: str, used: str, may_meet: bool, tmp_path: Path) -> None:
    assert bool(of_text(TEXT.replace("LOOP", loop).replace("USED", used), tmp_path).pairs) is may_meet


def test_elements_that_are_counted_overlap_as_their_bytes_do() -> None:
    """Against the bytes one by one."""
    places = [
        MemLoc(ObjectId(1), offset, size, stride, count)
        for offset in (0, 3, 8)
        for size in (1, 4)
        for stride, count in ((None, None), (4, 1), (4, 3), (6, 2))
    ]
    for a in places:
        for b in places:
            assert overlap(a, b) or not _bytes(a) & _bytes(b)


def _bytes(place: MemLoc) -> set[int]:
    assert place.offset is not None
    assert place.size is not None
    starts = [place.offset + k * (place.stride or 0) for k in range(place.count or 1)]
    return {start + k for start in starts for k in range(place.size)}
