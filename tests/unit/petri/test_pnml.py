"""Nets as PNML and as Graphviz."""

from __future__ import annotations

import random

import pytest
from unit.petri.nets import BAG, DEAD, MUTEX, TURNS
from unit.petri.random_nets import random_net

from raceproof.core import InputError, Unsupported
from raceproof.petri.graphviz import to_dot
from raceproof.petri.net import Net, Transition
from raceproof.petri.pnml import read_pnml, write_pnml

TYPE = "http://www.pnml.org/version-2009/grammar/ptnet"


def document(content: str, kind: str = TYPE) -> str:
    return f'<pnml>\n<net id="n" type="{kind}"><page id="g">\n{content}\n</page></net>\n</pnml>'


PLACE = '<place id="a"/><transition id="t"/>'


@pytest.mark.parametrize("net", [MUTEX, BAG, TURNS, DEAD, *(random_net(random.Random(seed)) for seed in range(40))])
def test_what_is_written_is_read_again(net: Net) -> None:
    assert read_pnml(write_pnml(net)) == net


def test_names_with_marks_of_xml() -> None:
    net = Net(("a<b&c", "ω"), (Transition('x "->" y', ((0, 1),), ()),), (), frozenset(), ())
    assert read_pnml(write_pnml(net)) == net
    assert read_pnml(write_pnml(net).encode("utf-8")) == net


def test_a_net_of_another_tool() -> None:
    net = read_pnml(
        document(
            """<place id="a"><name><text> first </text></name><initialMarking><text>2</text></initialMarking>
               <toolspecific tool="other" version="1"><unbounded/></toolspecific></place>
               <page id="inner"><place id="b"/></page>
               <transition id="t"/>
               <arc id="1" source="a" target="t"><inscription><text>2</text></inscription></arc>
               <arc id="2" source="t" target="b"/><arc id="3" source="t" target="b"/>"""
        )
    )
    assert net == Net(("first", "b"), (Transition("t", ((0, 2),), ((1, 2),)),), ((0, 2),), frozenset(), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "net:1:1: no element found"),
        ("<pnml>\n  <net></pnml>", "net:2:10: mismatched tag"),
        ("<html/>", "net:1:1: this is no PNML: the outermost element is <html>"),
        ("<pnml/>", "net:1:1: there is no <net>"),
        (document("<place/>"), "net:3:1: <place> has no attribute 'id'"),
        (document('<place id="a"/><place id="a"/>'), "net:3:16: two elements have the id 'a'"),
        (document('<arc id="x" source="a" target="t"/>'), "net:3:1: there is no place or transition with the id 'a'"),
        (document(PLACE + '\n<arc source="a"/>'), "net:4:1: <arc> has no attribute 'target'"),
        (
            document(PLACE + '\n<arc source="a" target="a"/>'),
            "net:4:1: an arc leads from a place to a transition or back",
        ),
        (document('<place id="a"><initialMarking/></place>'), "net:3:15: <initialMarking> has no <text>"),
        (
            document('<place id="a"><initialMarking><text>x</text></initialMarking></place>'),
            "net:3:31: a number was expected; 'x' was found",
        ),
        (
            document(f'<place id="a"><initialMarking><text>{2**63}</text></initialMarking></place>'),
            "net:3:31: number too large: at most 2^63 - 2 tokens",
        ),
    ],
)
def test_errors_have_a_position(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_pnml(text, "net")
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (document("", "http://www.pnml.org/version-2009/grammar/symmetricnet"), "symmetricnet"),
        (document(PLACE + '<arc source="a" target="t"><type value="inhibitor"/></arc>'), "inhibitor arcs"),
        (document(PLACE + '<arc source="a" target="t" type="reset"/>'), "reset arcs"),
        (document('<referencePlace id="r" ref="a"/>'), "referencePlace"),
        ('<!DOCTYPE pnml [<!ENTITY e "x">]><pnml>&e;</pnml>', "XML entities"),
    ],
)
def test_what_is_not_supported_is_named(text: str, message: str) -> None:
    with pytest.raises(Unsupported, match=message) as error:
        read_pnml(text)
    assert error.value.pos is not None


def test_graphviz() -> None:
    dot = to_dot(BAG)
    assert 'p0 [shape=ellipse, label="lock\\n1"];' in dot
    assert 'p1 [shape=ellipse, label="item", peripheries=2];' in dot
    assert "p0 -> t0 [dir=both];" in dot
    assert "p1 -> t1 [label=3];" in dot
    assert 'label="idle\\nω"' in to_dot(MUTEX)
    assert 'label="say \\"hi\\""' in to_dot(Net(('say "hi"',), (), (), frozenset(), ()))
