"""Read and write place/transition nets as PNML (ISO/IEC 15909-2).

PNML says nothing about targets and places with any number of tokens: they stand in `toolspecific` elements of ours,
which other tools leave alone. A file without them is a net without targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from raceproof.core import InputError, SourcePos, Unsupported
from raceproof.petri.net import Marking, Net, Transition

LARGEST = 2**63 - 2
_GRAMMAR = "http://www.pnml.org/version-2009/grammar/"
_PLAIN_TYPES = ("ptnet", "pt-net", "PTNet", "P/T net", "basicNet", "http://www.informatik.hu-berlin.de/top/pntd/ptNetb")
_PLAIN_ARCS = ("", "normal", "basic")


@dataclass(slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    pos: SourcePos
    children: list[_Element] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> Iterator[_Element]:
        """Elements of that name, pages within pages included, but not inside what other tools have added."""
        for child in self.children:
            if child.name == name:
                yield child
            if child.name == "page":
                yield from child.all(name)

    def child(self, name: str) -> _Element | None:
        return next((child for child in self.children if child.name == name), None)

    def required(self, attribute: str) -> str:
        if attribute not in self.attributes:
            raise InputError(f"<{self.name}> has no attribute '{attribute}'", self.pos)
        return self.attributes[attribute]


def read_pnml(text: str | bytes, file: str = "<net>") -> Net:
    """The first net of the document. Raises `InputError` or `Unsupported`, with the place in the text."""
    root = _parse(text, file)
    if root.name != "pnml":
        raise InputError(f"this is no PNML: the outermost element is <{root.name}>", root.pos)
    net = root.child("net")
    if net is None:
        raise InputError("there is no <net>", root.pos)
    kind = net.attributes.get("type", "")
    if kind and kind.removeprefix(_GRAMMAR) not in _PLAIN_TYPES:
        raise Unsupported(f"nets of the type {kind}: only place/transition nets", net.pos)
    return _net(net)


def _net(net: _Element) -> Net:
    for name in ("referencePlace", "referenceTransition"):
        for element in net.all(name):
            raise Unsupported(f"<{name}>", element.pos)
    place_elements, transition_elements = list(net.all("place")), list(net.all("transition"))
    numbers: dict[str, tuple[str, int]] = {}
    for kind, elements in (("place", place_elements), ("transition", transition_elements)):
        for number, element in enumerate(elements):
            identity = element.required("id")
            if identity in numbers:
                raise InputError(f"two elements have the id '{identity}'", element.pos)
            numbers[identity] = (kind, number)
    pre: list[dict[int, int]] = [{} for _ in transition_elements]
    post: list[dict[int, int]] = [{} for _ in transition_elements]
    for arc in net.all("arc"):
        side, transition, place = _arc(arc, numbers)
        tokens = (pre if side == "pre" else post)[transition]
        tokens[place] = tokens.get(place, 0) + _label(arc, "inscription", 1)
    transitions = tuple(
        Transition(_name(element), _marking(pre[number]), _marking(post[number]))
        for number, element in enumerate(transition_elements)
    )
    initial = {number: _label(element, "initialMarking", 0) for number, element in enumerate(place_elements)}
    unbounded = frozenset(n for n, element in enumerate(place_elements) if any(_ours(element, "unbounded")))
    targets = tuple(_target(element, numbers) for element in _ours(net, "target"))
    return Net(tuple(map(_name, place_elements)), transitions, _marking(initial), unbounded, targets)


def _arc(arc: _Element, numbers: dict[str, tuple[str, int]]) -> tuple[str, int, int]:
    """(side, transition, place)"""
    kind = arc.child("type")
    kind_name = arc.attributes.get("type", "") or (
        kind.attributes.get("value", "") or kind.text.strip() if kind else ""
    )
    if kind_name not in _PLAIN_ARCS:
        raise Unsupported(f"{kind_name} arcs: a transition may only add and take tokens", arc.pos)
    ends = []
    for attribute in ("source", "target"):
        identity = arc.required(attribute)
        if identity not in numbers:
            raise InputError(f"there is no place or transition with the id '{identity}'", arc.pos)
        ends.append(numbers[identity])
    match ends:
        case [("place", place), ("transition", transition)]:
            return "pre", transition, place
        case [("transition", transition), ("place", place)]:
            return "post", transition, place
    raise InputError("an arc leads from a place to a transition or back", arc.pos)


def _target(element: _Element, numbers: dict[str, tuple[str, int]]) -> Marking:
    tokens: dict[int, int] = {}
    for child in element.all("tokens"):
        kind, place = numbers.get(child.required("place"), ("", 0))
        if kind != "place":
            raise InputError(f"there is no place with the id '{child.required('place')}'", child.pos)
        tokens[place] = max(tokens.get(place, 0), _number(child.text, child.pos))
    return _marking(tokens)


def _ours(element: _Element, name: str) -> Iterator[_Element]:
    for child in element.children:
        if child.name == "toolspecific" and child.attributes.get("tool") == "raceproof":
            yield from child.all(name)


def _name(element: _Element) -> str:
    name = element.child("name")
    text = name.child("text") if name else None
    return (text.text.strip() if text else "") or element.required("id")


def _label(element: _Element, name: str, default: int) -> int:
    label = element.child(name)
    if label is None:
        return default
    text = label.child("text") or label.child("value")
    if text is None:
        raise InputError(f"<{name}> has no <text>", label.pos)
    return _number(text.text, text.pos)


def _number(text: str, pos: SourcePos) -> int:
    word = text.strip()
    if not (word.isascii() and word.isdigit()):
        raise InputError(f"a number was expected; '{word}' was found", pos)
    if len(word) > 20 or int(word) > LARGEST:
        raise InputError("number too large: at most 2^63 - 2 tokens", pos)
    return int(word)


def _marking(tokens: dict[int, int]) -> Marking:
    return tuple(sorted((p, n) for p, n in tokens.items() if n > 0))


def _parse(text: str | bytes, file: str) -> _Element:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    root = _Element("", {}, SourcePos(file, 0))
    stack = [root]

    def start(name: str, attributes: dict[str, str]) -> None:
        pos = SourcePos(file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        element = _Element(name.rpartition(":")[2], attributes, pos)
        stack[-1].children.append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    def characters(data: str) -> None:
        stack[-1].text += data

    def entity(*_: object) -> None:
        raise Unsupported("XML entities", SourcePos(file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1))

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = characters, entity
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise InputError(expat.ErrorString(error.code), SourcePos(file, error.lineno, error.offset + 1)) from None
    except (LookupError, ValueError) as error:  # of the encoding that the text says it has
        raise InputError(f"{file}: {error}") from None
    return root.children[0]


def write_pnml(net: Net) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<pnml xmlns="{_GRAMMAR}pnml">']
    lines += [f'  <net id="net" type="{_GRAMMAR}ptnet">', '    <page id="page">']
    tokens = dict(net.initial)
    for place, name in enumerate(net.places):
        marking = f"<initialMarking><text>{tokens[place]}</text></initialMarking>" if place in tokens else ""
        more = _tool("<unbounded/>") if place in net.unbounded else ""
        lines.append(f'      <place id="p{place}">{_text(name)}{marking}{more}</place>')
    for number, transition in enumerate(net.transitions):
        lines.append(f'      <transition id="t{number}">{_text(transition.name)}</transition>')
        for place, count in transition.pre:
            lines.append(_arc_text(f"p{place}", f"t{number}", count))
        for place, count in transition.post:
            lines.append(_arc_text(f"t{number}", f"p{place}", count))
    lines.append("    </page>")
    for target in net.targets:
        wanted = "".join(f'<tokens place="p{place}">{count}</tokens>' for place, count in target)
        lines.append("    " + _tool(f"<target>{wanted}</target>"))
    return "\n".join([*lines, "  </net>", "</pnml>"]) + "\n"


def _text(name: str) -> str:
    return f"<name><text>{escape(name)}</text></name>"


def _tool(content: str) -> str:
    return f'<toolspecific tool="raceproof" version="1">{content}</toolspecific>'


def _arc_text(source: str, target: str, count: int) -> str:
    inscription = f"<inscription><text>{count}</text></inscription>" if count > 1 else ""
    return f'      <arc id={quoteattr(f"{source}-{target}")} source="{source}" target="{target}">{inscription}</arc>'
