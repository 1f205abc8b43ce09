"""Check what a solver says about a net. Shares no code with the searches, and is meant to be read.

A certificate is accepted if, for U = all markings that cover one of the basis,
  1. no initial marking is in U;
  2. every target is in U or breaks an invariant;
  3. a marking from which a transition leads into U is in U or breaks an invariant;
  4. an invariant holds in every initial marking, and no transition that can fire outside of U adds to its sum.
By induction over the steps of a run, a run then never enters U and never breaks an invariant; so it covers no target.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from raceproof.petri.net import Marking, Net, NetCertificate, Unsafe

_Tokens = Mapping[int, int]


def check_certificate(net: Net, certificate: NetCertificate) -> str | None:
    """Why the certificate does not show that no target can be covered; None if it does."""
    markings = [*certificate.basis, *(weights for weights, _ in certificate.invariants)]
    if problem := _malformed(net, markings):
        return problem
    tokens = dict(net.initial)
    for weights, bound in certificate.invariants:
        if any(p in net.unbounded for p, _ in weights):
            return "an invariant has a place with any number of tokens"
        if sum(w * tokens.get(p, 0) for p, w in weights) > bound:
            return "an invariant does not hold at the beginning"
    excluded = _Excluded(certificate)
    for weights, _ in certificate.invariants:
        weight = dict(weights)
        for number, transition in enumerate(net.transitions):
            taken, given = (sum(weight.get(p, 0) * n for p, n in side) for side in (transition.pre, transition.post))
            if given > taken and not excluded.is_in_set(dict(transition.pre)):
                return f"transition {transition.name} (number {number}) adds to an invariant"
    for marking in certificate.basis:
        if all(p in net.unbounded or tokens.get(p, 0) >= n for p, n in marking):
            return "an initial marking is in the set"
    for number, target in enumerate(net.targets):
        if not excluded.contains(dict(target)):
            return f"target number {number} is not in the set"
    return _closed(net, certificate.basis, excluded)


class _Excluded:
    """Markings that are in the set or break an invariant; each marking of the basis stands at one of its places."""

    def __init__(self, certificate: NetCertificate) -> None:
        self.invariants = certificate.invariants
        self.has_empty = () in certificate.basis
        uses: dict[int, int] = defaultdict(int)
        for marking in certificate.basis:
            for place, _ in marking:
                uses[place] += 1
        self.by_place: dict[int, list[Marking]] = defaultdict(list)
        for marking in certificate.basis:
            if marking:
                self.by_place[min(marking, key=lambda token: (uses[token[0]], token[0]))[0]].append(marking)

    def is_in_set(self, tokens: _Tokens) -> bool:
        get = tokens.get
        return self.has_empty or any(
            all(get(p, 0) >= n for p, n in marking) for place in tokens for marking in self.by_place.get(place, ())
        )

    def contains(self, tokens: _Tokens) -> bool:
        if self.is_in_set(tokens):
            return True
        return any(sum(w * tokens.get(p, 0) for p, w in weights) > bound for weights, bound in self.invariants)


def _closed(net: Net, basis: Iterable[Marking], excluded: _Excluded) -> str | None:
    """Only transitions that add to a place of the marking matter: before another one there was at least the marking."""
    effects = [(dict(t.pre), dict(t.post)) for t in net.transitions]
    adding: dict[int, list[int]] = defaultdict(list)
    for number, (pre, post) in enumerate(effects):
        for place, count in post.items():
            if count > pre.get(place, 0):
                adding[place].append(number)
    for marking in basis:
        for number in sorted({t for place, _ in marking for t in adding[place]}):
            pre, post = effects[number]
            before = dict(pre)
            for place, count in marking:
                if count > post.get(place, 0):
                    before[place] = before.get(place, 0) + count - post.get(place, 0)
            if not excluded.contains(before):
                return f"transition {net.transitions[number].name} (number {number}) leads into the set from outside"
    return None


def _malformed(net: Net, markings: Iterable[Marking]) -> str | None:
    for marking in markings:
        if any(not 0 <= place < len(net.places) for place, _ in marking):
            return "a place does not exist"
        if any(number <= 0 for _, number in marking):
            return "a number of tokens or a weight is not above zero"
        if len({place for place, _ in marking}) != len(marking):
            return "a place stands twice in a marking"
    return None


def check_firing(net: Net, unsafe: Unsafe) -> str | None:
    """Why the run does not cover a target; None if it does."""
    if problem := _malformed(net, [unsafe.start]):
        return problem
    tokens, initial = dict(unsafe.start), dict(net.initial)
    for place in range(len(net.places)):
        count, least = tokens.get(place, 0), initial.get(place, 0)
        if count < least or (count > least and place not in net.unbounded):
            return f"the run does not begin in an initial marking: {count} tokens in place {net.places[place]}"
    for step, number in enumerate(unsafe.firing):
        if not 0 <= number < len(net.transitions):
            return f"step {step}: there is no transition {number}"
        transition = net.transitions[number]
        for place, count in transition.pre:
            if tokens.get(place, 0) < count:
                return f"step {step}: {transition.name} cannot fire: too few tokens in place {net.places[place]}"
            tokens[place] -= count
        for place, count in transition.post:
            tokens[place] = tokens.get(place, 0) + count
    if any(all(tokens.get(p, 0) >= n for p, n in target) for target in net.targets):
        return None
    return "the run does not end in a marking that covers a target"
