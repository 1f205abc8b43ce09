"""Maps of invariants whose states, products or pairs are not what they should be, one change at a time.

A map is what `InvariantChecker` gets to see; so maps are also made here for programs that have a race, honestly but for
the claim that they prove it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from unit.evidence.test_invariants import judge, map_of
from unit.transactions.c_programs import Analysed, everything, of_text

from raceproof.core import Budget
from raceproof.evidence import CHECKERS, AccessClaim, Answer, Claim, ReportClaims, Subject
from raceproof.model import Finding, InvariantMap, ProductInvariants, RacePair, Scope, StateData, ThreadId, Verdict
from raceproof.transactions.certificates import encoded, key_of
from raceproof.transactions.checking import InvariantChecker
from raceproof.transactions.invariants import solve
from raceproof.transactions.products import Setting, Workshop
from raceproof.transactions.program import Surroundings

NOBODY = AccessClaim(0, 0, "", "read", False)
TURNS = """pthread_mutex_t m = MUTEX; int turn = 5, x;
int get(void) { lock(&m); int now = turn; unlock(&m); return now; }
void *f(void *p) { if (get() < 6) { x = 1; lock(&m); turn = 6; unlock(&m); } return 0; }
void *g(void *p) { if (get() CONDITION) x = 2; return 0; }
int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }
"""
SAFE, RACY = TURNS.replace("CONDITION", "> 5"), TURNS.replace("CONDITION", "> 4")
GIVEN_BACK = """atomic_int turn; int x; pthread_mutex_t m = MUTEX;
void *f(void *p) { lock(&m); x = 1; unlock(&m); return 0; }
void *g(void *p) { unlock(&m); lock(&m); x = 2; unlock(&m); return 0; }
int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }
"""
ANY_NUMBER = """pthread_mutex_t m = MUTEX; int turn = 5, x;
void *f(void *p) { lock(&m); int now = turn; turn = 4; unlock(&m); if (now > 5) x++; return 0; }
int main(void) { MANY(f) return 0; }
"""
THREE = ANY_NUMBER.replace(
    "MANY(f)", "pthread_t a, b, c; create(a, f); create(b, f); create(c, f); join(a); join(b); join(c);"
)


def proof_of(program: Analysed) -> Finding:
    return next(f for f in program.run("intervals").findings if f.verdict is Verdict.RACE_FREE)


@pytest.fixture(scope="module")
def safe(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    return of_text(SAFE, tmp_path_factory.mktemp("safe"))


@pytest.fixture(scope="module")
def proof(safe: Analysed) -> Finding:
    return proof_of(safe)


def changed_states(product: ProductInvariants, state: StateData) -> Iterator[ProductInvariants]:
    """The product with this instead of what holds for one thread at one node, for every node and thread."""
    states = (*product.states, state)
    for number, node in enumerate(product.nodes):
        for slot in range(len(node.states)):
            mine = (*node.states[:slot], len(product.states), *node.states[slot + 1 :])
            nodes = (*product.nodes[:number], replace(node, states=mine), *product.nodes[number + 1 :])
            yield replace(product, states=states, nodes=nodes)


def test_no_state_of_any_thread_can_be_one_that_does_not_come(safe: Analysed, proof: Finding) -> None:
    """Every node of the map is reached, by every thread; that `turn` is 9 there is not true anywhere."""
    found = map_of(proof)
    [product] = found.products
    [turn] = product.cells
    assert judge(safe, proof, found).answer is Answer.ACCEPTED
    for forged in changed_states(product, (((turn, 9, 9, 0, 9, (9,)),), ())):
        assert judge(safe, proof, replace(found, products=(forged,))).answer is Answer.REJECTED


def test_no_node_can_be_left_out(safe: Analysed, proof: Finding) -> None:
    found = map_of(proof)
    [product] = found.products
    for number in range(len(product.nodes)):
        fewer = replace(product, nodes=(*product.nodes[:number], *product.nodes[number + 1 :]))
        assert judge(safe, proof, replace(found, products=(fewer,))).answer is Answer.REJECTED


def honest_map(program: Analysed, pair: RacePair, cuts: tuple[int, int] | None = None) -> InvariantMap:
    """What really holds, of the product of main and two threads; whether it proves anything is another question.

    `cuts`: a thread, and a point of it that is said not to be reached.
    """
    workshop = Workshop(Surroundings(program.cp), Budget.seconds(60))
    product = everything(workshop, 0, 1, 2)
    setting = Setting("intervals", False, product.part.cells, {ThreadId(cuts[0]): frozenset({cuts[1]})} if cuts else {})
    propagation = workshop.propagation(product, setting)
    made = encoded(product, (propagation, solve(propagation, Budget.seconds(60))))
    return InvariantMap(
        pairs=((pair.first, pair.second),),
        relies_on=(),
        domain="intervals",
        is_wide=False,
        spurious=True,
        followed=tuple(sorted(map(key_of, product.part.cells))),
        cuts=((cuts[0], (cuts[1],)),) if cuts else (),
        products=(made,),
    )


def problem_with(program: Analysed, found: InvariantMap, *pairs: RacePair) -> str | None:
    others = [pair for pair in program.pairs if pair not in pairs]
    return InvariantChecker(program.cp, Budget.seconds(60)).problem_with(found, pairs, others)


def writes_of_x(program: Analysed) -> RacePair:
    def is_x(pair: RacePair) -> bool:
        return program.cp.objects[pair.target.object].name == "x" and pair.first != pair.second

    return next(pair for pair in program.pairs if is_x(pair))


def test_an_honest_map_does_not_prove_a_race_away(tmp_path: Path) -> None:
    program = of_text(RACY, tmp_path)
    pair = writes_of_x(program)
    problem = problem_with(program, honest_map(program, pair), pair)
    assert problem == "it does not exclude that two threads stand before the accesses of a pair"


def test_the_same_map_of_the_program_without_the_race_proves_it(safe: Analysed) -> None:
    pair = writes_of_x(safe)
    assert problem_with(safe, honest_map(safe, pair), pair) is None


def test_no_point_that_is_reached_can_be_cut_out(tmp_path: Path) -> None:
    """Without what is cut out, the race is gone; but every point of the two threads is reached."""
    program = of_text(RACY, tmp_path)
    pair = writes_of_x(program)
    workshop = Workshop(Surroundings(program.cp), Budget.seconds(60))
    for thread in (1, 2):
        for point in range(len(workshop.graph(ThreadId(thread)).nodes)):
            assert problem_with(program, honest_map(program, pair, (thread, point)), pair) is not None, (thread, point)


def test_what_no_thread_reaches_can_be_cut_out(tmp_path: Path) -> None:
    """The first thread never finds the turn above 100; what it would do then is at points of its code alone."""
    program = of_text(
        SAFE.replace("return 0; }", "if (get() > 100) { lock(&m); turn = 7; unlock(&m); } return 0; }", 1), tmp_path
    )
    pair = writes_of_x(program)
    points = len(Workshop(Surroundings(program.cp), Budget.seconds(60)).graph(ThreadId(1)).nodes)
    found = {p for p in range(points) if problem_with(program, honest_map(program, pair, (1, p)), pair) is None}
    assert found
    assert found != set(range(points))


def test_a_lock_that_is_given_back_by_who_does_not_hold_it(tmp_path: Path) -> None:
    program = of_text(GIVEN_BACK, tmp_path)
    pair = writes_of_x(program)
    problem = problem_with(program, honest_map(program, pair), pair)
    assert problem == "a lock may be given back by a thread that does not hold it"


def test_every_two_threads_need_a_product(tmp_path: Path) -> None:
    program = of_text(THREE, tmp_path)
    proof = proof_of(program)
    found = map_of(proof)
    assert len(found.products) == 3
    assert judge(program, proof, found).answer is Answer.ACCEPTED
    for number in range(3):
        fewer = (*found.products[:number], *found.products[number + 1 :])
        judgement = judge(program, proof, replace(found, products=fewer))
        assert judgement.answer is Answer.REJECTED
        assert "missing" in judgement.ruling.why


def test_any_number_of_threads(tmp_path: Path, safe: Analysed, proof: Finding) -> None:
    program = of_text(ANY_NUMBER, tmp_path)
    many = proof_of(program)
    assert many.scope is Scope.ANY_THREADS
    assert judge(program, many, map_of(many), Scope.ANY_THREADS).answer is Answer.ACCEPTED
    assert judge(safe, proof, map_of(proof), Scope.ANY_THREADS).answer is Answer.REJECTED


@pytest.mark.parametrize(
    ("verdict", "scope", "expected"),
    [
        (Verdict.RACE_FREE, Scope.ALL_INPUTS, Answer.ACCEPTED),
        (Verdict.RACE_FREE, Scope.ANY_THREADS, Answer.ACCEPTED),
        (Verdict.RACE_FREE, Scope.THIS_INPUT, Answer.REJECTED),
        (Verdict.RACE_FREE, Scope.BOUNDED, Answer.REJECTED),
        (Verdict.UNKNOWN, None, Answer.REJECTED),
        (Verdict.RACE, Scope.ALL_INPUTS, Answer.REJECTED),
        (None, None, Answer.REJECTED),
    ],
)
def test_what_it_relies_on_is_proved_for_every_input(
    safe: Analysed, proof: Finding, verdict: Verdict | None, scope: Scope | None, expected: Answer
) -> None:
    """`verdict`: what the report says about the pairs of `turn`; None if it says nothing."""
    found = map_of(proof)
    assert found.relies_on
    key = (proof.pair.first, proof.pair.second)
    claim = Claim(1, key, Verdict.RACE_FREE, Scope.ALL_INPUTS, "transactions", (NOBODY, NOBODY), (), invariants=found)
    others = [
        Claim(2 + number, relied, verdict, scope, "lockset", (NOBODY, NOBODY), ())
        for number, relied in enumerate(found.relies_on)
        if verdict is not None
    ]
    pairs = {(pair.first, pair.second): pair for pair in safe.pairs}
    subject = Subject(safe.cp, pairs, ReportClaims(Verdict.RACE_FREE, Scope.ALL_INPUTS, (claim, *others)))
    (judgement,) = CHECKERS["transactions"](subject, [claim], Budget.seconds(60))
    assert judgement.answer is expected, judgement.ruling.why


@pytest.mark.parametrize("field", ["pairs", "relies_on"])
def test_pairs_that_the_program_does_not_have(safe: Analysed, proof: Finding, field: str) -> None:
    found = map_of(proof)
    strange = (*getattr(found, field), (900, 901))
    assert judge(safe, proof, replace(found, **{field: strange})).answer is Answer.REJECTED  # type: ignore[arg-type]
