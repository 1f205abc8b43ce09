"""Petri nets as Graphviz: `dot -Tsvg`."""

from __future__ import annotations

from raceproof.petri.net import Marking, Net


def to_dot(net: Net) -> str:
    """Places are ellipses with their initial tokens (ω: any number), transitions are boxes.

    A place that is only looked at has an edge with two heads; a number on an edge is its weight. Places of targets have
    a double line.
    """
    lines = ["digraph net {", "  rankdir=LR;", "  node [fontname=Helvetica, fontsize=10];"]
    tokens, wanted = dict(net.initial), {place for target in net.targets for place, _ in target}
    for place, name in enumerate(net.places):
        label = name + _tokens(tokens.get(place, 0), place in net.unbounded)
        more = ", peripheries=2" if place in wanted else ""
        lines.append(f"  p{place} [shape=ellipse, label={_quoted(label)}{more}];")
    for number, transition in enumerate(net.transitions):
        lines.append(f"  t{number} [shape=box, label={_quoted(transition.name)}];")
        lines += _edges(number, transition.pre, transition.post)
    return "\n".join([*lines, "}"]) + "\n"


def _tokens(count: int, is_unbounded: bool) -> str:
    if is_unbounded:
        return f"\n{count} + ω" if count else "\nω"
    return f"\n{count}" if count else ""


def _edges(number: int, pre: Marking, post: Marking) -> list[str]:
    lines = []
    taken, given = dict(pre), dict(post)
    for place in sorted(taken.keys() | given.keys()):
        n, m = taken.get(place, 0), given.get(place, 0)
        if n == m:
            lines.append(f"  p{place} -> t{number} [dir=both{_weight(n)}];")
            continue
        if n:
            lines.append(f"  p{place} -> t{number} [{_weight(n).removeprefix(', ')}];")
        if m:
            lines.append(f"  t{number} -> p{place} [{_weight(m).removeprefix(', ')}];")
    return lines


def _weight(count: int) -> str:
    return f", label={count}" if count > 1 else ""


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
