"""Slices: small where they may be, and never a reason for a proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.transactions.c_programs import Analysed, everything, of_text

from raceproof.core import Budget
from raceproof.transactions.forgetting import forgetful
from raceproof.transactions.invariants import solve
from raceproof.transactions.meeting import Meetings
from raceproof.transactions.products import Product, Setting, Workshop, products_of
from raceproof.transactions.program import Surroundings
from raceproof.transactions.thread_graph import Place
from raceproof.transactions.trust import trusted_cells

UNIT = """
pthread_mutex_t lock_@ = PTHREAD_MUTEX_INITIALIZER; int full_@; int letter_@;
static void put_@(void) { lock(&lock_@); int is = full_@; unlock(&lock_@);
  if (!is) { letter_@ = 1; lock(&lock_@); full_@ = 1; unlock(&lock_@); } }
static void get_@(void) { lock(&lock_@); int is = full_@; unlock(&lock_@);
  if (is) { letter_@++; lock(&lock_@); full_@ = 0; unlock(&lock_@); } }
"""


def units(names: str, around: str = "") -> str:
    """Mailboxes that have nothing to do with one another, but are served by the same two threads."""
    put, get = ("".join(f"{verb}_{name}(); " for name in names) for verb in ("put", "get"))
    threads = f"void *f(void *p) {{ for (int i = 0; i < 3; i++) {{ {put} }} return 0; }}\n"
    threads += f"void *g(void *p) {{ for (int i = 0; i < 3; i++) {{ {around} {get} }} return 0; }}\n"
    main = "int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }\n"
    return "".join(UNIT.replace("@", name) for name in names) + threads + main


class Sliced:
    """The small and the full slice for the first pair on a variable."""

    def __init__(self, program: Analysed, target: str) -> None:
        self.around = Surroundings(program.cp)
        self.workshop = Workshop(self.around, Budget.unlimited())
        trusted = trusted_cells(self.around, program.pairs, program.pairs)
        self.setting = Setting("intervals", False, trusted, {})
        name = next(number for number, found in program.cp.objects.items() if found.name == target)
        self.pair = next(pair for pair in program.open_pairs if pair.target.object == name)

    def product(self, is_full: bool = False) -> Product:
        (threads,) = products_of(self.around, self.pair, False)
        (found,) = self.workshop.products(threads, [self.pair], self.setting, is_full)
        return found

    def nodes(self, product: Product) -> int:
        return len(solve(self.workshop.propagation(product, self.setting), Budget.unlimited()).states)

    def may_meet(self, product: Product) -> bool:
        propagation = self.workshop.propagation(product, self.setting)
        states = solve(propagation, Budget.unlimited()).states
        return Meetings(propagation.graph, states, propagation.domain).may_meet(self.pair)


def test_a_slice_has_the_cells_that_decide_and_no_others(tmp_path: Path) -> None:
    part = Sliced(of_text(units("abc"), tmp_path), "letter_b").product().part
    assert {str(cell) for cell in part.cells} == {"full_b"}
    assert {lock[0] for lock in part.locks} == {"lock_b"}


def test_what_else_the_threads_do_makes_no_nodes(tmp_path: Path) -> None:
    alone, among = (Sliced(of_text(units(names), tmp_path), "letter_a") for names in ("a", "abcd"))
    assert among.nodes(among.product()) == alone.nodes(alone.product())


def test_a_way_to_the_end_does_not_count_in_a_small_slice(tmp_path: Path) -> None:
    text = "int other;\n" + units("a", "if (ANY) return 0; if (other) return 0;")
    sliced = Sliced(of_text(text, tmp_path), "letter_a")
    assert {str(cell) for cell in sliced.product().part.cells} == {"full_a"}


def test_a_loop_that_waits_is_in_the_full_slice(tmp_path: Path) -> None:
    text = """atomic_int ready; int x;
    void *f(void *p) { x = 1; ready = 1; return 0; }
    void *g(void *p) { while (!ready) {} x = 2; return 0; }
    int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }"""
    program = of_text(text, tmp_path)
    sliced = Sliced(Analysed(program.cp, program.pairs, program.pairs), "x")
    assert not sliced.product().part.cells
    assert sliced.may_meet(sliced.product())
    assert {str(cell) for cell in sliced.product(is_full=True).part.cells} == {"ready"}
    assert not sliced.may_meet(sliced.product(is_full=True))


def test_registers_that_depend_on_one_another_in_a_circle(tmp_path: Path) -> None:
    text = """int x; atomic_int c;
    void *f(void *p) { int i = ANY, j = ANY, k = ANY; while (k < 100) { k = j; j = i; i = j + k; } if (c)
    x = 1; return 0; }
    int main(void) { pthread_t t; create(t, f); c = 0;
    x = 2; join(t); return 0; }
    """
    assert (3, 5) in of_text(text, tmp_path).proved("intervals")


def test_the_slice_proves_no_more_than_the_whole(tmp_path: Path) -> None:
    """Only the writer asks: the reader takes what is there."""
    text = units("ab").replace("if (is) { letter_a++", "{ letter_a++")
    sliced = Sliced(of_text(text, tmp_path), "letter_a")
    assert sliced.may_meet(sliced.product())
    assert sliced.may_meet(everything(sliced.workshop, 0, 1, 2))


STRUCT = """struct { int state; int data[4]; } box; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int state(void) { lock(&m); int now = box.state; unlock(&m); return now; }
static void enter(int now) { lock(&m); box.state = now; unlock(&m); }
void *f(void *p) { if (state() == 0) { for (int i = FIRST; i < 4; i++)
box.data[i] = i;
enter(1); } return 0; }
void *g(void *p) { if (state() == 1) { int sum = 0; for (int i = 0; i < 4; i++)
sum += box.data[i];
enter(sum ? 2 : 2); } return 0; }
int main(void) { pthread_t a, b; create(a, f); create(b, g); join(a); join(b); return 0; }"""


@pytest.mark.parametrize(("first", "is_proved"), [("0", True), ("-1", False)])
def test_an_element_is_not_the_field_beside_the_array(first: str, is_proved: bool, tmp_path: Path) -> None:
    """Unless the index leads there."""
    program = of_text(STRUCT.replace("FIRST", first), tmp_path)
    assert ((5, 8) in program.proved("intervals", "octagons")) is is_proved


CONDITIONAL = """
pthread_mutex_t extra = PTHREAD_MUTEX_INITIALIZER; int sharers; int counted;
static void count(void) {
  if (sharers > 7) lock(&extra);
  if (sharers >= 8) counted++;
  if (sharers > 7) unlock(&extra);
}
"""


def with_a_conditional_lock(tmp_path: Path) -> Analysed:
    """The mailbox is served beside code that takes a lock under a condition."""
    text = CONDITIONAL + units("a", around="count();").replace("put_a();", "count(); put_a();")
    return of_text(text.replace("int main(void) {", "int main(int c, char **v) { sharers = c;"), tmp_path)


def test_a_lock_that_is_held_now_and_then_does_not_count_elsewhere(tmp_path: Path) -> None:
    sliced = Sliced(with_a_conditional_lock(tmp_path), "letter_a")
    product = sliced.product()
    assert {str(cell) for cell in product.part.cells} == {"full_a"}
    assert {lock for lock, _ in product.part.locks} == {"lock_a"}


def test_the_data_under_a_conditional_lock_are_proved_in_the_full_slice(tmp_path: Path) -> None:
    sliced = Sliced(with_a_conditional_lock(tmp_path), "counted")
    product = sliced.product(is_full=True)
    assert {str(cell) for cell in product.part.cells} == {"sharers"}
    assert not sliced.may_meet(product)


def test_points_that_become_one_can_do_what_each_of_them_can(tmp_path: Path) -> None:
    around = Surroundings(with_a_conditional_lock(tmp_path).cp)
    workshop = Workshop(around, Budget.unlimited())
    assert any(forgetful(workshop.graph(t), frozenset(), keeps_history=True).merged for t in around.cp.threads)
    for thread in around.cp.threads:
        whole = workshop.graph(thread, keeps_history=True)
        for keeps_history in (False, True):
            for locks in (frozenset[Place](), whole.locks[whole.entry]):
                graph = forgetful(whole, locks, keeps_history)
                stands_for = [graph.merged.get(number, number) for number in range(len(whole.nodes))]
                assert graph.entry == stands_for[whole.entry]
                for number, node in enumerate(whole.nodes):
                    mine = graph.nodes[stands_for[number]]
                    assert (mine.touch, mine.kind) == (node.touch, node.kind)
                    assert {hold.lock for hold in mine.held} == {hold.lock for hold in node.held} & locks
                    ways = {(edge.target, edge.actions, edge.creates, edge.frees) for edge in mine.edges}
                    for edge in node.edges:
                        target = None if edge.target is None else stands_for[edge.target]
                        assert (target, edge.actions, edge.creates, edge.frees) in ways
