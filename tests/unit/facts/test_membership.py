"""What a state knows of regions, where paths meet."""

from __future__ import annotations

from raceproof.facts.flow.membership import Loose, Member, drop_stale, join_members, meet, move_group
from raceproof.model import NO_NODE, Atom, Base, Family, Linear, ObjectId, Opaque, Region, of_atom

P, Q, R = Opaque("f:%p"), Opaque("f:%q"), Opaque("f:%r")
HEAD, TAIL = frozenset({Family(ObjectId(1), 0)}), frozenset({Family(ObjectId(1), 8)})
HERE, THERE = of_atom(Base(ObjectId(1))), of_atom(Opaque("f:^0"))
AT_REGISTER = of_atom(Opaque("f:%i"))


def test_two_regions_meet_in_any_element_of_both() -> None:
    assert meet(Region(HEAD, HERE), Region(TAIL, HERE)) == Region(HEAD | TAIL, HERE)
    assert meet(Region(HEAD, HERE), Region(HEAD, THERE)) == Region(HEAD, None)
    assert meet(NO_NODE, Region(HEAD, HERE)) == Region(HEAD, HERE)
    assert meet(Loose(P), NO_NODE) == Loose(P)
    assert meet(Loose(P), Loose(P)) == Loose(P)


def test_what_one_path_does_not_know_is_not_known() -> None:
    assert join_members({P: Region(HEAD, HERE), Q: NO_NODE}, {Q: NO_NODE}) == {Q: NO_NODE}


def test_loose_groups_are_united_where_one_path_has_linked_them() -> None:
    linked: dict[Atom, Member] = {P: Loose(P), Q: Loose(P)}
    apart: dict[Atom, Member] = {P: Loose(P), Q: Loose(Q)}
    for joined in (join_members(linked, apart), join_members(apart, linked)):
        assert joined[P] == joined[Q]


def test_a_node_that_one_path_has_linked_is_taken_to_be_linked_on_the_other() -> None:
    """With all that it is linked with there: on the path on which it is loose nobody could tell."""
    loose: dict[Atom, Member] = {P: Loose(P), Q: Loose(P)}
    joined = join_members(loose, {P: Region(HEAD, THERE), Q: Region(HEAD, THERE)})
    assert joined == {P: Region(HEAD, THERE), Q: Region(HEAD, THERE)}


def test_a_node_that_the_other_path_does_not_have_stays_loose() -> None:
    assert join_members({P: Loose(P)}, {P: NO_NODE}) == {P: Loose(P)}


def test_not_if_the_element_may_have_no_meaning_there() -> None:
    assert join_members({P: Loose(P)}, {P: Region(HEAD, AT_REGISTER)}) == {}


def test_not_if_the_other_path_has_it_in_two_regions() -> None:
    loose: dict[Atom, Member] = {P: Loose(P), Q: Loose(P)}
    assert join_members(loose, {P: Region(HEAD, HERE), Q: Region(TAIL, HERE)}) == {}


def test_a_group_moves_as_a_whole() -> None:
    members: dict[Atom, Member] = {P: Loose(P), Q: Loose(P), R: Loose(R)}
    move_group(members, P, Region(HEAD, HERE))
    assert members == {P: Region(HEAD, HERE), Q: Region(HEAD, HERE), R: Loose(R)}
    move_group(members, R, None)
    assert R not in members


def test_a_member_stays_one_when_its_element_has_no_name_any_more() -> None:
    members: dict[Atom, Member] = {P: Region(HEAD, AT_REGISTER), Q: Region(HEAD, HERE)}

    def is_stale(value: Linear) -> bool:
        return Opaque("f:%i") in value.leaves() or Q in value.leaves()

    drop_stale(members, is_stale)
    assert members == {P: Region(HEAD, None)}
