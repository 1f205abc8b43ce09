"""Maps of invariants: accepted as they are, refused however they are forged."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.transactions.c_programs import PROGRAMS, Analysed, of_file

from raceproof.core import Budget
from raceproof.evidence import CHECKERS, AccessClaim, Answer, Claim, Judgement, ReportClaims, Subject
from raceproof.model import Finding, InvariantMap, Invariants, ProductInvariants, Scope, Verdict

NOBODY = AccessClaim(0, 0, "", "read", False)


@pytest.fixture(scope="module")
def program() -> Analysed:
    return of_file(PROGRAMS / "values" / "fig1_below.c")


@pytest.fixture(scope="module")
def proofs(program: Analysed) -> list[Finding]:
    return [f for f in program.run("intervals").findings if f.verdict is Verdict.RACE_FREE]


def map_of(finding: Finding) -> InvariantMap:
    assert isinstance(finding.evidence, Invariants)
    return finding.evidence.map


def judge(
    program: Analysed, finding: Finding, found: InvariantMap | None, scope: Scope = Scope.ALL_INPUTS
) -> Judgement:
    pairs = {(pair.first, pair.second): pair for pair in program.pairs}
    key = (finding.pair.first, finding.pair.second)
    claim = Claim(1, key, Verdict.RACE_FREE, scope, "transactions", (NOBODY, NOBODY), (), invariants=found)
    others = tuple(
        Claim(2 + n, (p.first, p.second), Verdict.RACE_FREE, Scope.ALL_INPUTS, "lockset", (NOBODY, NOBODY), ())
        for n, p in enumerate(pair for pair in program.pairs if pair not in program.open_pairs)
    )
    subject = Subject(program.cp, pairs, ReportClaims(Verdict.RACE_FREE, scope, (claim, *others)))
    (judgement,) = CHECKERS["transactions"](subject, [claim], Budget.seconds(60))
    return judgement


def test_what_the_engine_found_is_accepted(program: Analysed, proofs: list[Finding]) -> None:
    assert len(proofs) == 5
    assert {judge(program, finding, map_of(finding)).answer for finding in proofs} == {Answer.ACCEPTED}


def with_product(found: InvariantMap, product: ProductInvariants) -> InvariantMap:
    return replace(found, products=(product, *found.products[1:]))


def forgeries(found: InvariantMap) -> dict[str, InvariantMap | None]:
    product = found.products[0]
    constant = ("2+0:4", 1, 1, 1, 0, (1,))
    return {
        "nothing": None,
        "other pairs": replace(found, pairs=found.pairs[1:], relies_on=()),
        "no products": replace(found, products=()),
        "a node less": with_product(found, replace(product, nodes=product.nodes[:-1])),
        "no initial node": with_product(found, replace(product, nodes=product.nodes[1:])),
        "weaker": with_product(found, replace(product, states=tuple(((), ()) for _ in product.states))),
        "stronger": with_product(found, replace(product, states=tuple(((constant,), ()) for _ in product.states))),
        "another domain": replace(found, domain="wishes"),
        "a cell that is not there": replace(found, followed=("99+0:4",)),
        "a point cut out": replace(found, cuts=((1, (0,)),)),
        "a pair too few to rely on": replace(found, pairs=found.pairs[:1], relies_on=()),
        "threads that are not there": with_product(found, replace(product, threads=(0, 1, 7))),
        "states that are not there": with_product(found, replace(product, states=())),
        "accesses left out": replace(found, products=tuple(replace(p, accesses=()) for p in found.products)),
        "cells left out": replace(found, products=tuple(replace(p, cells=()) for p in found.products)),
        "locks left out": replace(found, products=tuple(replace(p, locks=()) for p in found.products)),
        "a cell of its own": with_product(found, replace(product, cells=("99+0:4",))),
    }


NAMES = (
    "nothing, other pairs, no products, a node less, no initial node, weaker, stronger, another domain, "
    "a cell that is not there, a point cut out, a pair too few to rely on, threads that are not there, "
    "states that are not there, accesses left out, cells left out, locks left out, a cell of its own"
)


@pytest.mark.parametrize("name", NAMES.split(", "))
def test_forged_maps_are_refused(name: str, program: Analysed, proofs: list[Finding]) -> None:
    judgement = judge(program, proofs[0], forgeries(map_of(proofs[0]))[name])
    assert judgement.answer is Answer.REJECTED, judgement.ruling.why


def test_a_wider_scope_is_refused(program: Analysed, proofs: list[Finding]) -> None:
    assert judge(program, proofs[0], map_of(proofs[0]), Scope.ANY_THREADS).answer is Answer.REJECTED
