"""Every paper that the source cites has an entry in docs/papers.md, and what its tables name exists."""

from __future__ import annotations

import ast
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


# -- the tables of docs/papers.md, figure by figure

SPAN = re.compile(r"`([^`]+)`")
PATH = re.compile(r"(?<![\w./-])(?:[\w-]+/)+[\w-]+\.(?:py|cpp|c|h|md|sml)\b")
NAMED = re.compile(r"([\w./-]+/[\w.-]+\.\w+)(?:: ([\w.]+(?:, [\w.]+)*)|::(\w+))")
SECTIONS = ("PDP", "DHTC", "PN", "TX")


def table_rows(text: str) -> dict[str, list[str]]:
    """Rows of the table of each paper, without its head."""
    found: dict[str, list[str]] = {}
    for part in text.split("\n### ")[1:]:
        heading, _, body = part.partition("\n")
        if (key := re.search(r": \[(\w+)\]$", heading)) is not None:
            found[key.group(1)] = [line for line in body.splitlines() if line.startswith("|")][2:]
    return found


def located(path: str) -> Path:
    """Paths in the tables are from the root, or from the package."""
    return next((p for p in (ROOT / path, ROOT / "src" / "raceproof" / path) if p.is_file()), ROOT / path)


def defines(file: Path, name: str) -> bool:
    """Whether the file defines `name`, which is `Class.method` for a method."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        # At the beginning of a line: the type, and then a body or an initialiser instead of a semicolon.
        made = rf"(?:\w+::)?{re.escape(name)}(?:\([^;{{]*\)\s*\{{| = )"
        return re.search(rf"^(?:[A-Za-z_][^;{{}}()\n]*[\s*])?{made}", text, re.MULTILINE) is not None
    body = ast.parse(text).body
    *outer, last = name.split(".")
    for part in outer:
        body = next((n.body for n in body if isinstance(n, ast.ClassDef) and n.name == part), [])
    names = {n.name for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    names |= {t.id for n in body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    return last in names


def wrong_in(row: str) -> list[str]:
    """Paths and names in a row that do not exist."""
    wrong = []
    for span in SPAN.findall(row):
        wrong += [path for path in PATH.findall(span) if not located(path).is_file()]
        if (named := NAMED.fullmatch(span)) is None or not located(named.group(1)).is_file():
            continue
        names = (named.group(2) or named.group(3)).split(", ")
        wrong += [f"{named.group(1)}: {name}" for name in names if not defines(located(named.group(1)), name)]
    return wrong


def test_tables_name_what_exists() -> None:
    rows = table_rows((ROOT / "docs" / "papers.md").read_text(encoding="utf-8"))
    assert tuple(rows) == SECTIONS
    assert [wrong for key in SECTIONS for row in rows[key] for wrong in wrong_in(row)] == []


def test_rows_are_complete() -> None:
    """What, where, how it differs, shown by; each row names a file, and a command or test."""
    for key, rows in table_rows((ROOT / "docs" / "papers.md").read_text(encoding="utf-8")).items():
        assert len(rows) > 10, key
        for row in rows:
            cells = [cell.strip() for cell in row.strip("|").split(" | ")]
            assert len(cells) == 4, row
            assert all(cells), row
            assert PATH.search(cells[1]), row
            assert all(re.match(r"raceproof |python |tests/\S+::\w+$", span) for span in SPAN.findall(cells[3])), row
            assert SPAN.search(cells[3]), row


def test_what_is_wrong_in_a_row_is_found() -> None:
    assert wrong_in("| `native/sleep.h: sleep_pass, sleep_past` |") == ["native/sleep.h: sleep_past"]
    assert wrong_in("| `native/sched.c: futures_stand` |") == ["native/sched.c: futures_stand"]  # only called there
    assert wrong_in("| `domains/numeric.py: NumericDomain.meld, meld` |") == ["domains/numeric.py: meld"]
    assert wrong_in("| `raceproof explore bench/tables/nothing.c` |") == ["bench/tables/nothing.c"]
    assert wrong_in("| `tests/test_papers.py::test_nothing` |") == ["tests/test_papers.py: test_nothing"]
    assert wrong_in("| `native/petri/backward.cpp: expand`; `native/search_dhtc.c: algorithm_dhtc` |") == []
