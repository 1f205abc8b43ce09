"""Pieces of the heap: telling a node apart loses nothing, folding only forgets."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from raceproof.model import ObjectId
from raceproof.shapes.symbolic_heap import ANYTHING, NULL, At, Cell, Heap, Layout, Place, Segment, Value

NODE, TEXT = ObjectId(1), ObjectId(2)
LAYOUT = Layout(8, {NODE: "node", TEXT: "text"})
ORIGIN = frozenset({NODE})
OWN = frozenset({TEXT})


def heap_of(**parts: Cell | Segment) -> Heap:
    """Parts by names `n1`, `n2`, ..."""
    return Heap(LAYOUT, {int(name[1:]): part for name, part in parts.items()}, len(parts))


def node(**fields: Value) -> Cell:
    """Fields by names `f0`, `f8`, ..."""
    return Cell(ORIGIN, {int(name[1:]): value for name, value in fields.items()})


def test_two_nodes_in_a_row_are_a_list() -> None:
    heap = heap_of(n1=node(f0=At(2)), n2=node(f0=NULL))
    heap.fold([At(1)])
    assert heap.parts == {1: Segment(ORIGIN, 0, NULL)}


def test_a_node_that_somebody_else_knows_stays_apart() -> None:
    heap = heap_of(n1=node(f0=At(2)), n2=node(f0=NULL))
    heap.fold([At(1), At(2)])
    assert heap.parts == {1: node(f0=At(2)), 2: node(f0=NULL)}


def test_a_list_ends_where_somebody_points() -> None:
    heap = heap_of(n1=node(f0=At(2)), n2=node(f0=At(3)), n3=node(f0=NULL))
    heap.fold([At(1), At(3)])
    assert heap.parts == {1: Segment(ORIGIN, 0, At(3)), 3: node(f0=NULL)}


def test_a_ring_is_no_list() -> None:
    heap = heap_of(n1=node(f0=At(2)), n2=node(f0=At(1)))
    heap.fold([At(1)])
    assert all(isinstance(part, Cell) for part in heap.parts.values())


def test_what_nodes_own_goes_with_them() -> None:
    heap = heap_of(n1=node(f0=At(2), f8=At(3)), n2=node(f0=NULL, f8=At(4)), n3=Cell(OWN), n4=Cell(OWN))
    heap.fold([At(1)])
    assert heap.parts == {1: Segment(ORIGIN, 0, NULL, ((8, OWN),))}


def test_what_two_nodes_share_belongs_to_neither() -> None:
    heap = heap_of(n1=node(f0=At(2), f8=At(3)), n2=node(f0=NULL, f8=At(3)), n3=Cell(OWN))
    heap.fold([At(1)])
    assert heap.parts == {1: Segment(ORIGIN, 0, NULL)}


def test_what_only_one_node_has_is_not_told() -> None:
    heap = heap_of(n1=node(f0=At(2), f8=At(3)), n2=node(f0=NULL), n3=Cell(OWN))
    heap.fold([At(1)])
    assert heap.parts == {1: Segment(ORIGIN, 0, NULL)}
    heap = heap_of(n1=node(f0=At(2)), n2=node(f0=NULL, f8=At(3)), n3=Cell(OWN))
    heap.fold([At(1)])
    assert heap.parts == {1: Segment(ORIGIN, 0, NULL)}


def test_what_leads_on_is_not_owned_alone() -> None:
    rest = Cell(OWN, {0: At(5)})
    heap = heap_of(n1=node(f0=At(2), f8=At(3)), n2=node(f0=NULL, f8=At(4)), n3=Cell(OWN), n4=rest, n5=Cell(OWN))
    heap.fold([At(1)])
    assert heap.parts == {1: Segment(ORIGIN, 0, NULL)}


def test_what_is_written_anywhere_leaves_nothing_known() -> None:
    for offset, size in ((None, 8), (0, None)):
        heap = Heap(LAYOUT, {1: Cell(ORIGIN, {0: NULL, 8: At(1)}, is_zeroed=True)}, 1)
        heap.store(1, offset, size)
        assert heap.parts == {1: Cell(ORIGIN)}


def test_a_list_is_one_node_or_more() -> None:
    alone, longer = heap_of(n1=Segment(ORIGIN, 0, NULL, ((8, OWN),))).exposed(1)
    assert alone.parts == {1: node(f0=NULL, f8=At(2)), 2: Cell(OWN)}
    assert longer.parts == {1: node(f0=At(2), f8=At(3)), 2: Segment(ORIGIN, 0, NULL, ((8, OWN),)), 3: Cell(OWN)}


def test_what_is_given_away_is_not_known_any_more() -> None:
    heap = heap_of(n1=node(f0=At(2), f8=NULL), n2=node(f0=NULL))
    heap.without([2])
    assert heap.parts == {1: node(f8=NULL)}


def test_a_part_of_a_pointer_is_overwritten() -> None:
    heap = heap_of(n1=node(f0=At(1), f8=At(1), f16=At(1)))
    heap.store(1, 12, 4)
    assert heap.parts == {1: node(f0=At(1), f16=At(1))}


@pytest.mark.parametrize("width", [4, 8])
def test_what_was_zero_is_zero_but_for_what_was_written(width: int) -> None:
    heap = Heap(Layout(width, LAYOUT.families), {1: Cell(ORIGIN, is_zeroed=True)}, 1)
    heap.store(1, 8, 4)
    (cell,) = heap.parts.values()
    assert isinstance(cell, Cell)
    assert cell.value(0, width) == NULL
    assert cell.value(8, width) == ANYTHING
    assert cell.value(4, width) == (NULL if width == 4 else ANYTHING)
    assert cell.value(16, width) == NULL


def test_a_pointer_into_zeroed_memory_is_lost_and_not_zero_again() -> None:
    heap = Heap(LAYOUT, {1: Cell(ORIGIN, is_zeroed=True), 2: Cell(ORIGIN)}, 2)
    heap.store(1, 0, 8, At(2))
    heap.without([2])
    (cell,) = heap.parts.values()
    assert isinstance(cell, Cell)
    assert cell.value(0, 8) == ANYTHING


def test_nothing_is_followed_in_objects_whose_accesses_are_not_known() -> None:
    heap = Heap(LAYOUT, {1: Cell(frozenset(), is_zeroed=True)}, 1)
    heap.store(1, 0, 8, At(1))
    (cell,) = heap.parts.values()
    assert isinstance(cell, Cell)
    assert cell.value(0, 8) == cell.value(8, 8) == ANYTHING


def test_pieces_are_put_together_with_new_names() -> None:
    heap = heap_of(n1=node(f0=NULL))
    piece, values = heap_of(n1=node(f0=At(2)), n2=node(f0=Place(TEXT, 4))).extracted([At(1), NULL])
    assert heap.join_in(piece, values) == [At(2), NULL]
    assert heap.parts == {1: node(f0=NULL), 2: node(f0=At(3)), 3: node(f0=Place(TEXT, 4))}


# -- folding only forgets: what was there before is one of those that the result stands for

MOST = 6


def random_heap(seed: int) -> tuple[Heap, list[Value]]:
    """Some nodes with two fields each, and some values that point to them."""
    draw = random.Random(seed)
    count = draw.randint(1, 5)
    targets: list[Value] = [NULL, ANYTHING, *(At(n) for n in range(1, count + 1))]
    parts: dict[int, Cell | Segment] = {}
    for number in range(1, count + 1):
        following: Value = At(number + 1) if number < count and draw.random() < 0.6 else draw.choice(targets)
        fields = {0: following}
        if draw.random() < 0.4:
            fields[8] = draw.choice(targets)
        parts[number] = Cell(ORIGIN if draw.random() < 0.9 else OWN, {o: v for o, v in fields.items() if v != ANYTHING})
    named = [At(1), *(draw.choice(targets) for _ in range(draw.randint(0, 2)))]
    return Heap(LAYOUT, parts, count), named


def spelled_out(heap: Heap) -> Iterator[Heap]:
    """All that the piece stands for, with few nodes."""
    if len(heap.parts) > MOST:
        return
    lists = [number for number, part in heap.parts.items() if isinstance(part, Segment)]
    if not lists:
        yield heap
        return
    for told in heap.exposed(lists[0]):
        yield from spelled_out(told)


def stands_for(heap: Heap, values: list[Value], other: Heap, others: list[Value]) -> bool:
    """Whether what is known in the first piece, without lists, is so in the other one."""
    same: dict[int, int] = {}
    work = list(zip(values, others, strict=True))
    while work:
        known, real = work.pop()
        if known == ANYTHING:
            continue
        if not isinstance(known, At):
            if known != real:
                return False
            continue
        if not isinstance(real, At) or real.offset != known.offset:
            return False
        if known.node in same or real.node in same.values():
            if same.get(known.node) != real.node:
                return False
            continue
        same[known.node] = real.node
        cell, there = heap.parts[known.node], other.parts[real.node]
        assert isinstance(cell, Cell)
        assert isinstance(there, Cell)
        if not there.origin <= cell.origin:
            return False
        work += [(value, there.value(offset, 8)) for offset, value in cell.fields.items()]
    return True


@pytest.mark.parametrize("seed", range(400))
def test_folding_only_forgets(seed: int) -> None:
    before, named = random_heap(seed)
    after = before.copy()
    after.fold(named)
    assert any(stands_for(told, named, before, named) for told in spelled_out(after)), (before.parts, after.parts)


@pytest.mark.parametrize("seed", range(100))
def test_what_is_written_does_not_depend_on_numbers(seed: int) -> None:
    heap, named = random_heap(seed)
    heap.fold(named)
    other = Heap(LAYOUT)
    other.add(Cell(OWN))
    values = other.join_in(heap, named)
    assert other.written(values) == heap.written(named)
