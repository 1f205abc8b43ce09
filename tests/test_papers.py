"""Every paper that the source cites has an entry in docs/papers.md."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENTRY = re.compile(r"^### \[(\w+)\]$", re.MULTILINE)
# [FG05], [FG05, Fig. 3], [DHTC, Table 1]: a name with a year, or one of the names without. The second bracket of
# an index (`table[And94]`) or of a type (`list[T32]`) stands right behind a word and is no citation.
CITATION = re.compile(r"(?<![\w\])])\[((?:[A-Z][A-Za-z]*[0-9]{2})|PDP|DHTC|PN|TX|Locksmith)(?:, [^\]\n]+)?\]")


def citations(text: str) -> list[str]:
    return CITATION.findall(text)


def test_every_citation_has_an_entry() -> None:
    entries = set(ENTRY.findall((ROOT / "docs" / "papers.md").read_text(encoding="utf-8")))
    missing = [
        f"{path.relative_to(ROOT)}: [{key}]"
        for pattern in ("*.py", "*.c", "*.cc", "*.cpp", "*.h")
        for path in sorted((ROOT / "src").rglob(pattern))
        for key in citations(path.read_text(encoding="utf-8"))
        if key not in entries
    ]
    assert missing == []


def test_entries_are_unique_and_say_where_the_paper_is_from() -> None:
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    keys = ENTRY.findall(text)
    assert len(keys) == len(set(keys))
    bodies = ENTRY.split(text)[2::2]
    for key, body in zip(keys, bodies, strict=True):
        assert re.search(r": \*.+?\*\.\s.*(19|20)\d\d", body, re.DOTALL), f"[{key}] lacks title, venue or year"


def test_citation_pattern() -> None:
    assert citations("Follows [CHK01, Fig. 3]; see [DHTC] and [TX, section 4].") == ["CHK01", "DHTC", "TX"]
    assert citations("x[And94] list[T32] [1, 2] [a] [b, 10] [int32]") == []
