"""Nets in mist's format: what is read, what is refused and where."""

from __future__ import annotations

import random

import pytest
from unit.petri.nets import BAG, DEAD, MUTEX, TURNS
from unit.petri.random_nets import random_net

from raceproof.core import InputError, Unsupported
from raceproof.petri.net import Net, Transition
from raceproof.petri.spec_format import read_spec, write_spec

TEXT = """#expected result: safe
vars
    idle lock inside
rules
    idle >= 1, lock >= 1 ->
        idle' = idle-1, lock' = lock - 1, inside' = inside+1;
    inside>=1 -> inside'=inside-1,idle'=idle+1,lock'=lock+1;
init
    idle >= 0, lock = 1,
    inside = 0
target
    inside >= 2
    #inside >= 3
    idle >= 1, lock >= 2
invariants
    lock = 1, inside = 1
"""


def test_a_net() -> None:
    net = read_spec(TEXT)
    assert net.places == ("idle", "lock", "inside")
    assert [(t.pre, t.post) for t in net.transitions] == [(t.pre, t.post) for t in MUTEX.transitions]
    assert net.initial == ((1, 1),)
    assert net.unbounded == {0}
    assert net.targets == (((2, 2),), ((0, 1), (1, 2)))


def rule(text: str) -> Transition:
    return read_spec(f"vars a b rules {text} init a = 0 target a >= 1").transitions[0]


@pytest.mark.parametrize(
    ("text", "pre", "post"),
    [
        ("a >= 3 -> a' = a-1, b' = b+2;", ((0, 3),), ((0, 2), (1, 2))),
        ("a >= 1 -> a' = a-2;", ((0, 2),), ()),
        ("a >= 0 -> b' = b+1;", (), ((1, 1),)),
        ("a >= 1, a >= 2 -> b' = b+1;", ((0, 2),), ((0, 2), (1, 1))),
        ("-> b' = b+1;", (), ((1, 1),)),
        ("a >= 1 -> ;", ((0, 1),), ((0, 1),)),
        ("a >= 1 -> a' = a, b' = b + 1;", ((0, 1),), ((0, 1), (1, 1))),
    ],
)
def test_rules(text: str, pre: tuple[tuple[int, int], ...], post: tuple[tuple[int, int], ...]) -> None:
    found = rule(text)
    assert (found.pre, found.post) == (pre, post)


def test_an_interval_at_the_beginning_is_its_upper_end() -> None:
    assert read_spec("vars a b rules init a in [1, 4] target a >= 1").initial == ((0, 4),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 0 -> b' = b+1;", "inhibitor arcs"),
        ("a in [0, 1] -> b' = b+1;", "inhibitor arcs"),
        ("a >= 1 -> a' = 0;", "reset arcs"),
        ("a >= 1 -> a' = a+b;", "transfer arcs"),
        ("a >= 1 -> a' = b;", "transfer arcs"),
    ],
)
def test_other_arcs_are_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(Unsupported, match=message) as error:
        rule(text)
    assert error.value.pos is not None
    assert error.value.pos.line == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "net:1:1: 'vars' was expected; the file ends here"),
        ("vars a a", "net:1:8: place a is declared twice"),
        ("vars a 1", "net:1:8: a place cannot be called 1"),
        ("vars a", "net:1:7: 'rules' was expected; the file ends here"),
        ("vars a\nrules b >= 1 -> ;", "net:2:7: place b is not declared in vars"),
        ("vars a\nrules a > 1 -> ;", "net:2:9: '>=' was expected; '>' was found"),
        ("vars a\nrules a >= x -> ;", "net:2:12: a number was expected; 'x' was found"),
        ("vars a\nrules a >= 1 - > ;", "net:2:14: '->' was expected; '-' was found"),
        ("vars a\nrules a >= 1 -> a' = a+1\ninit a = 0", "net:3:1: ';' was expected; 'init' was found"),
        ("vars a\nrules -> a' = a+1, a' = a+1;", "net:2:20: the rule says twice what becomes of a"),
        ("vars a rules init a = 0, a = 1", "net:1:26: init says twice what a holds"),
        ("vars a b rules init a = 0 b = 1", "net:1:27: ',' was expected: there is one initial marking; 'b' was found"),
        ("vars a rules init a in [3, 1]", "net:1:25: nothing lies between 3 and 1"),
        ("vars a rules init a = 9223372036854775808", "net:1:23: number too large: at most 2^63 - 2 tokens"),
        ("vars a rules init a = " + "9" * 5000, "net:1:23: number too large: at most 2^63 - 2 tokens"),
        ("vars a rules init a = 0", "net:1:24: 'target' was expected; the file ends here"),
        ("vars a rules init a = 0 target", "net:1:31: a target was expected, as in 'x >= 1'; the file ends here"),
        ("vars a rules init a = 0 target b >= 1", "net:1:32: place b is not declared in vars"),
        ("vars a rules init a = 0 target a >= -1", "net:1:37: a number was expected; '-' was found"),
    ],
)
def test_errors_have_a_position(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_spec(text, "net")
    assert str(error.value) == message


def test_targets_with_an_upper_bound_are_refused() -> None:
    with pytest.raises(Unsupported, match="targets with an upper bound"):
        read_spec("vars a rules init a = 0 target a = 1")


def without_names(net: Net) -> object:
    return [(t.pre, t.post) for t in net.transitions], net.initial, net.unbounded, net.targets, len(net.places)


@pytest.mark.parametrize("net", [MUTEX, BAG, TURNS, DEAD, *(random_net(random.Random(seed)) for seed in range(40))])
def test_what_is_written_is_read_again(net: Net) -> None:
    assert without_names(read_spec(write_spec(net))) == without_names(net)


def test_names_that_the_format_cannot_have() -> None:
    net = Net(("main:12", "lock"), (), ((0, 1),), frozenset(), (((1, 1),),))
    assert read_spec(write_spec(net)).places == ("p0", "p1")
    with pytest.raises(InputError, match="without places"):
        write_spec(Net((), (), (), frozenset(), ()))
