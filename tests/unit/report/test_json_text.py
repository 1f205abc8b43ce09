"""JSON one element a line: the same value, in lines."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from raceproof.report import json_text

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(_VALUES, st.integers(0, 4))
def test_the_value_is_kept(value: object, levels: int) -> None:
    assert json.loads(json_text(value, levels)) == value


def test_outer_levels_are_broken_into_lines() -> None:
    document = {"verdict": "race", "pairs": [{"id": 1, "locks": ["m"]}, {"id": 2, "locks": []}], "notes": []}
    assert json_text(document).splitlines() == [
        "{",
        '  "verdict": "race",',
        '  "pairs": [',
        '    {"id": 1, "locks": ["m"]},',
        '    {"id": 2, "locks": []}',
        "  ],",
        '  "notes": []',
        "}",
    ]
