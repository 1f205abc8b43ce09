"""Packs: which variables a relational domain should relate, because the cost of relating all is too high."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from raceproof.domains.expressions import Binary, Cast, Expr, Op, Unary, Variable, variables_of

_RELATING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE})


def packs_of(groups: Iterable[Iterable[Variable]], largest: int) -> tuple[tuple[Variable, ...], ...]:
    """Packs of at most `largest` variables, such that variables that come together in a group come together in a pack.

    Pairs that come together most often are put together first. A group whose variables could not all be put into
    one pack gets one of its own, cut to size; so packs may overlap. Variables keep the order in which they come first.
    """
    wanted = [tuple(dict.fromkeys(group)) for group in groups]
    order = {v: n for n, v in enumerate(dict.fromkeys(v for group in wanted for v in group))}
    together = Counter(pair for group in wanted for pair in combinations(sorted(group, key=order.__getitem__), 2))
    pack_of = {v: frozenset([v]) for v in order}
    for (first, second), _ in together.most_common():
        merged = pack_of[first] | pack_of[second]
        if len(merged) <= largest:
            for variable in merged:
                pack_of[variable] = merged
    found = [*pack_of.values()]
    for group in wanted:
        if not any(pack >= set(group) for pack in found):
            found.append(frozenset(sorted(group, key=order.__getitem__)[:largest]))
    kept = dict.fromkeys(pack for pack in found if len(pack) > 1)
    return tuple(tuple(sorted(pack, key=order.__getitem__)) for pack in kept)


def related_in(expr: Expr, assigned: Variable | None = None) -> Iterator[Sequence[Variable]]:
    """Groups of variables that an assignment or a condition relates linearly."""
    match expr:
        case Binary(op=op) if op in _RELATING:
            pass
        case Binary(left=left, right=right):
            yield from related_in(left)
            yield from related_in(right)
            return
        case Unary(operand=operand) | Cast(operand=operand) if assigned is None:
            yield from related_in(operand)
            return
        case _:
            pass
    group = tuple(dict.fromkeys([*([assigned] if assigned else []), *variables_of(expr)]))
    if len(group) > 1:
        yield group
