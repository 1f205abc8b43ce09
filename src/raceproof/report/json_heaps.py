"""What locks protect on the heap as JSON: what `raceproof check-evidence` needs to confirm it."""

from __future__ import annotations

from raceproof.model import CellData, HeapData, HeapMap, ListData, LockHeaps, ValueData

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def heaps_to_json(found: HeapMap) -> dict[str, Json]:
    return {
        "pairs": [list(pair) for pair in found.pairs],
        "link": found.link,
        "hosts": list(found.hosts),
        "locks": [_lock(lock) for lock in found.locks],
    }


def _lock(lock: LockHeaps) -> dict[str, Json]:
    """Places as object and offset."""
    return {
        "lock": list(lock.lock),
        "roots": [list(root) for root in lock.roots],
        "heaps": [_heap(heap) for heap in lock.heaps],
    }


def _heap(heap: HeapData) -> dict[str, Json]:
    """The values of the roots, and the nodes and lists that they lead to, which are numbered from 1."""
    return {"values": [_value(value) for value in heap.values], "parts": [_part(part) for part in heap.parts]}


def _part(part: CellData | ListData) -> dict[str, Json]:
    if isinstance(part, ListData):
        return {
            "objects": list(part.objects),
            "link": part.link,
            "end": _value(part.end),
            "owned": [[offset, list(objects)] for offset, objects in part.owned],
        }
    return {
        "objects": list(part.objects),
        "fields": [[offset, _value(value)] for offset, value in part.fields],
        "zeroed": part.is_zeroed,
        "spoilt": list(part.spoilt),
    }


def _value(value: ValueData) -> list[Json]:
    return list(value)
