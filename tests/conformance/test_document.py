from __future__ import annotations

from conformance.document import DOCUMENT, as_markdown


def test_the_document_is_printed_from_the_specification() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == as_markdown()
