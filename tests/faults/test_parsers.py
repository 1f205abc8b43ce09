"""Damaged files: nothing but an error with a message comes of them. The long form is `python -m faults.fuzz`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from faults.fuzz import texts, try_text
from faults.readers import READERS, Reader

COUNT = 120  # texts of a reader that takes a millisecond for one


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_damaged_texts_are_refused_or_read(reader: Reader) -> None:
    for seed, data in islice(texts(reader, 0), max(10, COUNT // reader.cost)):
        failure = try_text(reader, data, seed)
        assert failure is None, failure


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_good_texts_are_read(reader: Reader, tmp_path: Path) -> None:
    for number, data in enumerate(reader.seeds()):
        directory = tmp_path / str(number)
        directory.mkdir()
        reader.read(data, directory)


# Texts that once were too much for a reader.
CRASHES = {
    "table of verdicts": [b"a" * 300 + b"\trace\n", b"\0\trace\n"],
    "set of tasks": [b"[" * 20000],
    "task definition": [
        b"no-data-race.prp\na: " + b"[" * 20000,
        b"a: 2020-99-99 #no-data-race.prp",
        b"? [a]\n: no-data-race.prp",
    ],
    "net as PNML": [b'<?xml version="1.0" encoding="UTF-0x"?><pnml/>', b'<?xml version="1.0" encoding="rot13"?><a/>'],
    "compilation database": [
        b'[{"file": "\\ud800.c", "command": "cc"}]',
        b'[{"file": "\\u0000.c", "command": "cc"}]',
        b"[" * 20000,
    ],
    "configuration": [b"time-limit = " + b"9" * 5000, b"a = " + b"[" * 20000],
    "baseline": [b"[" * 20000],
    "report": [b"[" * 20000, b'{"verdict": "race", "pairs": [{"id": 1e999, "schedule": 1}]}'],
    "run of a corpus": [b"[" * 20000, b'{"settings": {}, "results": [{"pairs": 1e999}]}'],
}


@pytest.mark.parametrize("reader", [reader for reader in READERS if reader.name in CRASHES], ids=lambda r: r.name)
def test_what_once_crashed(reader: Reader) -> None:
    for data in CRASHES[reader.name]:
        failure = try_text(reader, data, 0)
        assert failure is None, failure
