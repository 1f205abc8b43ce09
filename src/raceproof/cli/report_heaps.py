"""Reads what locks protect on the heap out of a report. Malformed data raises what the conversion raises."""

from __future__ import annotations

from typing import Any

from raceproof.model import AccessId, CellData, HeapData, HeapMap, ListData, LockHeaps, ValueData

Fields = dict[str, Any]


def heaps_of(fields: Fields) -> HeapMap:
    pairs = tuple((AccessId(int(first)), AccessId(int(second))) for first, second in fields["pairs"])
    link = None if fields["link"] is None else int(fields["link"])
    hosts = tuple(map(int, fields["hosts"]))
    return HeapMap(pairs, link, hosts, tuple(_lock(lock) for lock in fields["locks"]))


def _lock(fields: Fields) -> LockHeaps:
    return LockHeaps(
        _place(fields["lock"]),
        tuple(_place(root) for root in fields["roots"]),
        tuple(_heap(heap) for heap in fields["heaps"]),
    )


def _place(numbers: Any) -> tuple[int, int]:
    number, offset = numbers
    return int(number), int(offset)


def _heap(fields: Fields) -> HeapData:
    return HeapData(tuple(map(_value, fields["values"])), tuple(map(_part, fields["parts"])))


def _part(fields: Fields) -> CellData | ListData:
    objects = tuple(map(int, fields["objects"]))
    if "link" in fields:
        owned = tuple((int(offset), tuple(map(int, made))) for offset, made in fields["owned"])
        return ListData(objects, int(fields["link"]), _value(fields["end"]), owned)
    known = tuple((int(offset), _value(value)) for offset, value in fields["fields"])
    return CellData(objects, known, bool(fields["zeroed"]), tuple(map(int, fields["spoilt"])))


def _value(told: Any) -> ValueData:
    kind, first, second = told
    return str(kind), None if first is None else int(first), None if second is None else int(second)
