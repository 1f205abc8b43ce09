"""Static proofs are confirmed by rules of the checker's own, and forged ones are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.evidence.cases import answer, claim, judge, subject, with_views
from unit.handmade import LOCKED, MAIN_READ, MUTEX, READ, WORKER, WRITE, concurrent_program

from raceproof.evidence import Answer
from raceproof.facts import describe_lock
from raceproof.ir import MemoryOrder, SiteId
from raceproof.model import (
    MAIN,
    AnyArgument,
    BarrierFact,
    Base,
    ConcurrentProgram,
    Derived,
    DistinctArgument,
    HeldLock,
    Linear,
    LockKind,
    LockMode,
    MemLoc,
    Moment,
    ObjectId,
    Opaque,
    Scope,
    Signal,
    StartArg,
    Thread,
    ThreadId,
    View,
    of_atom,
)

ALONE = "ordered before the other thread is created, or after it is joined"
COUNTER = of_atom(Base(ObjectId(1)))
P = of_atom(Opaque("p"))
SECOND = ThreadId(2)


def view(
    thread: ThreadId = WORKER,
    address: Linear | None = None,
    held: frozenset[HeldLock] = frozenset(),
    moment: Moment = Moment(),  # noqa: B008  frozen
    private: bool = False,
    objects: frozenset[ObjectId] | None = None,
) -> View:
    return View(thread, address, held, moment, private, objects)


def lock(address: Linear, mode: LockMode = LockMode.EXCLUSIVE, kind: LockKind = LockKind.MUTEX) -> frozenset[HeldLock]:
    return frozenset({HeldLock(address, mode, kind)})


def workers(a: View, b: View, **changes: object) -> ConcurrentProgram:
    """The program in which the first pair happens as these two views say."""
    return replace(with_views({READ: (a,), WRITE: (b,)}), **changes)  # type: ignore[arg-type]


# -- locks ----------------------------------------------------------------------------------------------


def test_a_lock_that_both_hold_is_accepted() -> None:
    assert answer("common-lock mutex", concurrent_program()) is Answer.ACCEPTED


@pytest.mark.parametrize("number", [1, 2])
def test_a_lock_that_is_not_there_is_refused(number: int) -> None:
    cp = with_views({WRITE: (view(),)})
    assert answer("common-lock mutex", cp, number) is Answer.REJECTED


def test_a_lock_of_another_name_is_refused() -> None:
    assert answer("common-lock other", concurrent_program()) is Answer.REJECTED


def test_one_view_without_the_lock_is_enough_to_refuse() -> None:
    cp = with_views({WRITE: (view(held=LOCKED), view())})
    assert answer("common-lock mutex", cp) is Answer.REJECTED


def test_two_readers_do_not_exclude_each_other() -> None:
    shared = lock(MUTEX, LockMode.SHARED)
    assert answer("common-lock mutex", workers(view(held=shared), view(held=shared))) is Answer.REJECTED
    assert answer("common-lock mutex", workers(view(held=shared), view(held=lock(MUTEX)))) is Answer.ACCEPTED


def test_a_semaphore_counts_only_if_it_is_a_mutex() -> None:
    held = lock(MUTEX, kind=LockKind.SEMAPHORE)
    cp = workers(view(held=held), view(held=held))
    assert answer("common-lock mutex", cp) is Answer.REJECTED
    assert answer("common-lock mutex", replace(cp, exclusive=frozenset({MUTEX}))) is Answer.ACCEPTED


def test_a_lock_in_an_object_of_which_there_are_several() -> None:
    cp = concurrent_program()
    many = {**cp.objects, ObjectId(2): replace(cp.objects[ObjectId(2)], is_single=False)}
    assert answer("common-lock mutex", replace(cp, objects=many)) is Answer.NOT_CHECKED


def name_of(address: Linear) -> str:
    return describe_lock(concurrent_program(), address)


def test_the_lock_beside_the_data() -> None:
    mine = view(address=P.shifted(40), held=lock(P))
    assert answer(f"common-lock {name_of(P)}", workers(mine, mine)) is Answer.ACCEPTED
    astray = view(address=P.shifted(40), held=lock(P.shifted(8)))
    claimed = [f"common-lock {name_of(P)}", f"common-lock {name_of(P.shifted(8))}"]
    assert answer(claimed, workers(mine, astray)) is not Answer.ACCEPTED


def test_the_lock_beside_data_that_may_overlap_without_being_equal() -> None:
    mine = view(address=P.shifted(40), held=lock(P))
    cp = workers(mine, mine)
    somewhere = {n: replace(a, targets=(MemLoc(ObjectId(1), None, 4),)) for n, a in cp.accesses.items()}
    assert answer(f"common-lock {name_of(P)}", replace(cp, accesses=somewhere)) is Answer.NOT_CHECKED


def test_the_lock_of_an_index() -> None:
    i, j = Opaque("i"), Opaque("j")

    def mine(index: Opaque, stripes: int) -> View:
        stripe = of_atom(Derived("urem", (of_atom(index), Linear(stripes))))
        return view(address=COUNTER.plus(of_atom(index), 4), held=lock(MUTEX.plus(stripe, 40)))

    claimed = [f"common-lock {name_of(next(iter(mine(x, n).held)).address)}" for x in (i, j) for n in (8, 9)]
    assert answer(claimed, workers(mine(i, 8), mine(j, 8))) is Answer.ACCEPTED
    assert answer(claimed, workers(mine(i, 8), mine(j, 9))) is not Answer.ACCEPTED


# -- order ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("running", "expected"), [((), Answer.ACCEPTED), ((WORKER,), Answer.REJECTED)])
def test_before_creation_and_after_joining(running: tuple[ThreadId, ...], expected: Answer) -> None:
    cp = with_views({MAIN_READ: (view(MAIN, moment=Moment(may_run=frozenset(running))),)})
    assert answer(ALONE, cp, 3) is expected


def test_the_creator_may_not_be_one_of_many() -> None:
    cp = concurrent_program()
    threads = {**cp.threads, SECOND: replace(cp.threads[WORKER], id=SECOND, parent=WORKER, many=False)}
    made = replace(with_views({WRITE: (view(SECOND),), READ: (view(WORKER),)}, cp), threads=threads)
    assert answer(ALONE, made) is Answer.REJECTED


def two_workers(beside_first: frozenset[ThreadId], beside_second: frozenset[ThreadId]) -> ConcurrentProgram:
    cp = concurrent_program(many=False)
    first = replace(cp.threads[WORKER], may_run_at_creation=beside_first)
    second = Thread(
        SECOND, "worker.1", MAIN, SiteId(12), None, False, None, AnyArgument(), may_run_at_creation=beside_second
    )
    cp = replace(cp, threads={**cp.threads, WORKER: first, SECOND: second})
    return with_views({READ: (view(WORKER),), WRITE: (view(SECOND),)}, cp)


def test_one_thread_after_the_other() -> None:
    text = "ordered one thread ends before the other is created"
    assert answer(text, two_workers(frozenset(), frozenset())) is Answer.ACCEPTED
    assert answer(text, two_workers(frozenset(), frozenset({WORKER}))) is Answer.REJECTED
    assert answer(text, two_workers(frozenset({SECOND}), frozenset())) is Answer.REJECTED


def test_once() -> None:
    inside, after = Moment(in_once=frozenset({MUTEX})), Moment(must_done=frozenset({MUTEX}))
    text = "ordered through pthread_once of mutex"
    assert answer(text, workers(view(moment=inside), view(moment=after))) is Answer.ACCEPTED
    assert answer(text, workers(view(moment=inside), view())) is Answer.REJECTED


def test_barriers() -> None:
    fact = BarrierFact(MUTEX, 2, (WORKER,))
    text = "ordered on different sides of barrier mutex"
    behind = view(moment=Moment(phases=((MUTEX, 1, None),)))
    assert answer(text, workers(view(), behind, barriers=(fact,))) is Answer.ACCEPTED
    assert answer(text, workers(behind, behind, barriers=(fact,))) is Answer.REJECTED
    assert answer(text, workers(view(), behind)) is Answer.REJECTED


def test_signals() -> None:
    signal = Signal(MUTEX)
    got, sent = Moment(must_received=frozenset({signal})), Moment(may_sent=frozenset({MUTEX}))
    text = "ordered signalled through mutex"

    def told(before: Moment, after: Moment, sender: ThreadId) -> Answer:
        cp = with_views({MAIN_READ: (view(MAIN, moment=before),), WRITE: (view(moment=after),)})
        return answer(text, replace(cp, senders={signal: sender}), 3)

    assert told(Moment(), got, MAIN) is Answer.ACCEPTED
    assert told(Moment(), Moment(), MAIN) is Answer.REJECTED
    assert told(sent, got, MAIN) is not Answer.ACCEPTED
    assert told(Moment(), got, SECOND) is Answer.NOT_CHECKED  # it may have come by way of another thread


def test_an_order_that_nobody_knows_is_not_checked() -> None:
    assert answer("ordered by magic", concurrent_program()) is Answer.NOT_CHECKED


# -- places ---------------------------------------------------------------------------------------------


def test_different_objects() -> None:
    here, there = frozenset({ObjectId(1)}), frozenset({ObjectId(2)})
    assert answer("disjoint different objects", workers(view(objects=here), view(objects=there))) is Answer.ACCEPTED
    assert answer("disjoint different objects", workers(view(objects=here), view(objects=here))) is Answer.REJECTED


def test_different_parts_of_one_object() -> None:
    text = "disjoint different parts of one object"
    assert answer(text, workers(view(address=COUNTER), view(address=COUNTER.shifted(4)))) is Answer.ACCEPTED
    assert answer(text, workers(view(address=COUNTER), view(address=COUNTER.shifted(3)))) is not Answer.ACCEPTED
    assert answer(text, workers(view(address=COUNTER), view(address=COUNTER))) is Answer.REJECTED
    assert answer(text, workers(view(address=COUNTER), view())) is Answer.REJECTED


def test_different_fields_of_some_element() -> None:
    elements = COUNTER.plus(P, 16)
    other = COUNTER.plus(of_atom(Opaque("q")), 16)
    text = "disjoint different fields"
    assert answer(text, workers(view(address=elements), view(address=other.shifted(8)))) is Answer.ACCEPTED
    assert answer(text, workers(view(address=elements), view(address=other.shifted(14)))) is not Answer.ACCEPTED


def given(argument: DistinctArgument, a: View, b: View) -> ConcurrentProgram:
    cp = workers(a, b)
    return replace(cp, threads={**cp.threads, WORKER: replace(cp.threads[WORKER], argument=argument)})


I = Opaque("i")  # noqa: E741  the counter of the creator's loop
ELEMENT = DistinctArgument(COUNTER.plus(of_atom(I), 8), 8, False, counter=I, values=(0, 1, 2))
ARGUMENT = of_atom(StartArg(WORKER))


def test_an_element_of_its_own() -> None:
    text = "disjoint every thread has an element of its own"
    same = given(ELEMENT, view(address=ARGUMENT), view(address=ARGUMENT.shifted(4)))
    assert answer(text, same) is Answer.ACCEPTED
    next_one = given(ELEMENT, view(address=ARGUMENT), view(address=ARGUMENT.shifted(6)))
    assert answer(text, next_one) is not Answer.ACCEPTED


def test_elements_one_by_one() -> None:
    text = "disjoint different threads were given different elements"
    assert answer(text, given(ELEMENT, view(address=ARGUMENT), view(address=ARGUMENT))) is Answer.ACCEPTED
    twice = replace(ELEMENT, values=(0, 1, 1))
    assert answer(text, given(twice, view(address=ARGUMENT), view(address=ARGUMENT))) is not Answer.ACCEPTED


def test_an_object_of_its_own() -> None:
    text = "disjoint every thread has an object of its own"
    assert answer(text, given(replace(ELEMENT, fresh=True), *[view(address=ARGUMENT)] * 2)) is Answer.ACCEPTED
    assert answer(text, given(ELEMENT, *[view(address=ARGUMENT)] * 2)) is not Answer.ACCEPTED


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("disjoint an element that no thread has been given yet", Moment()),
        (
            "disjoint an element whose thread has been joined",
            Moment(may_handed=frozenset({WORKER}), must_returned=frozenset({(WORKER, ELEMENT.pattern)})),
        ),
    ],
)
def test_elements_that_go_between_creator_and_thread(text: str, moment: Moment) -> None:
    def told(at: Linear, moment: Moment) -> Answer:
        cp = given(ELEMENT, view(), view(address=ARGUMENT))
        return answer(text, with_views({MAIN_READ: (view(MAIN, at, moment=moment),)}, cp), 3)

    assert told(ELEMENT.pattern.shifted(4), moment) is Answer.ACCEPTED
    assert told(ELEMENT.pattern.shifted(6), moment) is not Answer.ACCEPTED
    assert told(ELEMENT.pattern, Moment(may_handed=frozenset({WORKER}))) is not Answer.ACCEPTED


# -- other rules ----------------------------------------------------------------------------------------


def test_atomics() -> None:
    cp = concurrent_program()
    assert answer("both-atomic", cp) is Answer.REJECTED
    atomic = {n: replace(a, order=MemoryOrder.RELAXED) for n, a in cp.accesses.items()}
    case = subject(*(claim(n, "both-atomic", is_atomic=True) for n in (1, 2, 3)), cp=replace(cp, accesses=atomic))
    assert judge(case)[1].answer is Answer.ACCEPTED


def test_never_reached() -> None:
    assert answer("not-shared never reached together", with_views({WRITE: ()})) is Answer.ACCEPTED
    assert answer("not-shared never reached together", concurrent_program()) is Answer.REJECTED


def test_one_thread_alone_cannot_meet_itself() -> None:
    assert answer("ordered in the same thread", concurrent_program(many=False)) is Answer.ACCEPTED
    assert answer("ordered in the same thread", concurrent_program()) is Answer.REJECTED


OWNED = "owned before it is published"


def published(carrier: str) -> tuple[dict[int, Answer], ConcurrentProgram]:
    """Pair 1 is private until the pointer is stored by main's access, of pair 3."""
    cp = with_views({READ: (view(private=True),), WRITE: (view(),), MAIN_READ: (view(MAIN),)})
    cp = replace(cp, may_hold={ObjectId(1): frozenset({MAIN_READ})})
    case = subject(claim(1, OWNED), claim(3, carrier), cp=cp)
    return {number: judgement.answer for number, judgement in judge(case).items()}, cp


def test_private_until_published() -> None:
    answers, cp = published(ALONE)
    assert (answers[1], answers[3]) == (Answer.ACCEPTED, Answer.ACCEPTED)
    assert answer(OWNED, with_views({READ: (view(),)}, cp)) is Answer.REJECTED


def test_privacy_rests_on_how_the_pointer_travels() -> None:
    assert published("ordered by magic")[0][1] is Answer.NOT_CHECKED
    assert published("")[0][1] is Answer.REJECTED  # the report itself leaves that pair open


def test_claims_that_rest_on_one_another() -> None:
    cp = with_views({WRITE: (view(private=True),)})
    cp = replace(cp, may_hold={ObjectId(1): frozenset({WRITE})})
    case = subject(*(claim(number, OWNED) for number in (1, 2, 3)), cp=cp)
    assert {judge(case)[number].answer for number in (1, 2, 3)} == {Answer.ACCEPTED}
    one_wrong = subject(claim(1, OWNED), claim(2, OWNED), claim(3, "common-lock mutex"), cp=cp)
    assert {judge(one_wrong)[number].answer for number in (1, 2)} == {Answer.NOT_CHECKED}


@pytest.mark.parametrize("evidence", [["because"], ["common-lock mutex", "because"], ["explored all schedules"]])
def test_rules_that_do_not_exist_are_refused(evidence: list[str]) -> None:
    assert answer(evidence, concurrent_program()) is Answer.REJECTED


def test_a_proof_does_not_reach_further_than_its_rules() -> None:
    case = subject(claim(1, "common-lock mutex", scope=Scope.ANY_THREADS))
    assert judge(case)[1].answer is Answer.REJECTED
