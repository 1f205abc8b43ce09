"""Maps of invariants as JSON: what `raceproof check-evidence` needs to confirm them."""

from __future__ import annotations

from raceproof.model import InvariantMap, ProductInvariants, StateData

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def invariants_to_json(found: InvariantMap) -> dict[str, Json]:
    return {
        "pairs": [list(pair) for pair in found.pairs],
        "relies_on": [list(pair) for pair in found.relies_on],
        "domain": found.domain,
        "wide": found.is_wide,
        "spurious": found.spurious,
        "followed": list(found.followed),
        "cuts": [{"thread": thread, "points": list(points)} for thread, points in found.cuts],
        "products": [_product(product) for product in found.products],
    }


def _product(product: ProductInvariants) -> dict[str, Json]:
    """`nodes`: where each thread is, which other threads may run, and the number of what holds for each thread."""
    return {
        "threads": list(product.threads),
        "accesses": list(product.accesses),
        "cells": list(product.cells),
        "locks": [list(lock) for lock in product.locks],
        "full": product.is_full,
        "states": [_state(state) for state in product.states],
        "nodes": [[list(node.at), list(node.others), list(node.states)] for node in product.nodes],
    }


def _state(state: StateData) -> dict[str, Json]:
    """Sets as low, high, modulus, residue and the members if there are few; sums that are at most 0."""
    values, constraints = state
    return {
        "values": {
            key: [low, high, modulus, residue, list(members) if members is not None else None]
            for key, low, high, modulus, residue, members in values
        },
        "constraints": [[[[key, factor] for key, factor in terms], constant] for terms, constant in constraints],
    }
