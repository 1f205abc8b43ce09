"""Sets of race pairs by classes, against plain lists of pairs."""

from __future__ import annotations

from itertools import combinations_with_replacement
from random import Random

import pytest

from raceproof.core import InternalError
from raceproof.model import AccessId, MemLoc, ObjectId, PairClass, RacePair, RacePairs, pair_classes, representatives

X, Y = MemLoc(ObjectId(1), 0, 4), MemLoc(ObjectId(2), 0, 4)


def _drawn(seed: int) -> tuple[RacePairs, list[RacePair]]:
    """Access classes that are mixed at random, some of which make pairs; and these pairs, each by itself."""
    random = Random(seed)
    count = random.randint(1, 9)
    kinds = [random.randrange(3) for _ in range(count)]
    order = list(dict.fromkeys(kinds))
    members = [tuple(AccessId(i) for i in range(count) if kinds[i] == kind) for kind in order]
    both = list(combinations_with_replacement(range(len(members)), 2))
    meeting = {(a, b): random.choice((X, Y)) for a, b in both if random.random() < 0.7}
    plain = []
    for i, j in combinations_with_replacement(range(count), 2):
        a, b = sorted((order.index(kinds[i]), order.index(kinds[j])))
        if (a, b) in meeting:
            plain.append(RacePair(AccessId(i), AccessId(j), meeting[a, b]))
    return RacePairs(pair_classes(members, meeting.items())), plain


@pytest.mark.parametrize("seed", range(60))
def test_they_are_the_pairs_of_their_classes(seed: int) -> None:
    pairs, plain = _drawn(seed)
    assert list(pairs) == plain
    assert len(pairs) == len(plain) == sum(len(list(found)) for found in pairs.classes)
    assert [pairs.number_of(pair) for pair in plain] == list(range(1, len(plain) + 1))
    assert pairs == tuple(plain)
    assert [pairs[i] for i in range(len(plain))] == plain
    assert [pairs[-i - 1] for i in range(len(plain))] == plain[::-1]
    assert pairs[1:] == tuple(plain[1:])
    for pair in plain:
        found = pairs.class_of(pair)
        assert found is not None
        assert pair in list(found)
        assert pair in pairs
        assert pairs.named(pair.first, pair.second) == pair
    assert RacePair(AccessId(0), AccessId(99), X) not in pairs
    firsts = [next(iter(found)) for found in pairs.classes]
    assert list(representatives(pairs)) == [found.representative for found in pairs.classes] == firsts


@pytest.mark.parametrize("seed", range(60))
def test_some_are_left_out(seed: int) -> None:
    pairs, plain = _drawn(seed)
    random = Random(seed)
    gone = {pair for pair in plain if random.random() < 0.4}
    kept = [pair for pair in plain if pair not in gone]
    left = RacePairs(pairs.classes, without=gone)
    assert (list(left), len(left)) == (kept, len(kept))
    assert not any(pair in left for pair in gone)
    back = RacePairs(pairs.classes, without=gone, beside=gone)
    assert (list(back), len(back)) == (plain, len(plain))
    alone = RacePairs(beside=kept)
    assert list(alone) == kept
    assert alone == left
    for found in pairs.classes:
        inside = [pair for pair in found if pair not in gone]
        firsts, seconds = found.sides([pair for pair in gone if pair in list(found)])
        assert set(firsts) == {pair.first for pair in inside}
        assert set(seconds) == {pair.second for pair in inside}


def test_a_class_has_a_pair() -> None:
    with pytest.raises(InternalError, match="without a pair"):
        PairClass(0, (AccessId(2),), (AccessId(1),), X, is_same=False)
