"""Reads maps of invariants out of a report. Malformed ones raise what the conversion raises; `report_file` tells it."""

from __future__ import annotations

from typing import Any

from raceproof.model import AccessId, InvariantMap, NodeInvariant, ProductInvariants, StateData

Fields = dict[str, Any]


def invariants_of(fields: Fields) -> InvariantMap:
    return InvariantMap(
        pairs=tuple(_pair(pair) for pair in fields["pairs"]),
        relies_on=tuple(_pair(pair) for pair in fields["relies_on"]),
        domain=str(fields["domain"]),
        is_wide=bool(fields["wide"]),
        spurious=bool(fields.get("spurious", True)),
        followed=tuple(map(str, fields["followed"])),
        cuts=tuple((int(cut["thread"]), tuple(map(int, cut["points"]))) for cut in fields["cuts"]),
        products=tuple(_product(product) for product in fields["products"]),
    )


def _pair(numbers: Any) -> tuple[AccessId, AccessId]:
    first, second = numbers
    return AccessId(int(first)), AccessId(int(second))


def _product(fields: Fields) -> ProductInvariants:
    nodes = tuple(
        NodeInvariant(tuple(map(int, at)), tuple(map(int, others)), tuple(map(int, states)))
        for at, others, states in fields["nodes"]
    )
    return ProductInvariants(
        threads=tuple(map(int, fields["threads"])),
        accesses=tuple(AccessId(int(access)) for access in fields["accesses"]),
        cells=tuple(map(str, fields["cells"])),
        locks=tuple((str(name), int(offset)) for name, offset in fields["locks"]),
        is_full=bool(fields["full"]),
        states=tuple(map(_state, fields["states"])),
        nodes=nodes,
    )


def _state(fields: Fields) -> StateData:
    values = tuple(
        (
            str(key),
            int(low),
            int(high),
            int(modulus),
            int(residue),
            tuple(map(int, members)) if members is not None else None,
        )
        for key, (low, high, modulus, residue, members) in fields["values"].items()
    )
    constraints = tuple(
        (tuple((str(key), int(factor)) for key, factor in terms), int(constant))
        for terms, constant in fields["constraints"]
    )
    return values, constraints
