"""The paper's algorithm and net as printed: Figure 4 against its fast form, and what Table 1 counts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from unit.petri.figure_4 import figure_4
from unit.petri.random_nets import random_net
from unit.petri.test_command import written
from unit.petri.test_sml_net import EXAMPLES, arcs

from raceproof.core import Budget
from raceproof.petri.checking import check_certificate, check_firing
from raceproof.petri.net import Net, Safe, Transition, Unsafe
from raceproof.petri.plain import solve_plainly
from raceproof.petri.sml_net import SmlNet, net_of_sml
from raceproof.petri.sml_syntax import parse_sml
from raceproof.petri.sml_trace import tell_sml


def printed(text: str, spurious: bool = False) -> SmlNet:
    return net_of_sml(parse_sml(text, "a.sml"), spurious, as_printed=True)


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.sml").read_text(encoding="utf-8")


def compare(net: Net) -> bool:
    """Is it safe? The fast form keeps what the printed one keeps, after as many rounds."""
    fast, slow = solve_plainly(net, Budget.seconds(60)), figure_4(net)
    assert isinstance(fast, Unsafe) == slow.is_reachable
    assert fast.stats["iterations"] == slow.rounds
    assert fast.stats["kept"] == len(slow.explored) + slow.is_reachable
    if isinstance(fast, Safe):
        assert frozenset(fast.certificate.basis) == slow.explored
        assert fast.stats["subsumed"] + fast.stats["skipped"] == slow.discarded + slow.replaced
        assert check_certificate(net, fast.certificate) is None
        return True
    assert isinstance(fast, Unsafe)
    assert check_firing(net, fast) is None
    return False


def test_figure_4_on_random_nets() -> None:
    safe = several = 0
    for seed in range(400):
        net = random_net(random.Random(seed))
        if isinstance(solve_plainly(net, Budget.seconds(0.05)), Safe | Unsafe):
            safe += compare(net)
            several += any(count > 2 for target in net.targets for _, count in target)
    assert safe > 50
    assert several > 50


@pytest.mark.parametrize("as_printed", [True, False])
@pytest.mark.parametrize(
    "name", ["counter", "counter_with_lock", "check_then_act", "check_then_act_lock", "lock_read_write_only"]
)
def test_figure_4_on_table_1(name: str, as_printed: bool) -> None:
    compare(net_of_sml(parse_sml(example(name), name), False, as_printed=as_printed).net)


@pytest.mark.parametrize(
    "net",
    [
        Net(("a",), (), (), frozenset(), ()),
        Net(("a",), (), (), frozenset(), (((0, 1),),)),
        Net(("a",), (Transition("t", (), ()),), (), frozenset(), (((0, 1),),)),
        Net(("a",), (Transition("t", (), ((0, 1),)),), (), frozenset(), (((0, 1),), ((0, 2),))),
        Net(("a",), (), (), frozenset(), ((),)),
    ],
)
def test_figure_4_at_its_limits(net: Net) -> None:
    compare(net)


def test_section_3_2_an_access_as_printed() -> None:
    """The thread's token itself stands in Read_x, and leaves to any place behind a read of x."""
    found = arcs(printed("shared x; job A {\nread x;\nwrite x;\n} job B {\nread x;\n} start A; start B;").net)
    assert found == {
        "A_2_begin": ({"A_2"}, {"Read_x"}),
        "A_2_end": ({"Read_x"}, {"A_3"}),
        "A_3_begin": ({"A_3"}, {"Write_x"}),
        "A_3_end": ({"Write_x"}, {"A_end"}),
        "B_5_begin": ({"B_5"}, {"Read_x"}),
        "B_5_end": ({"Read_x"}, {"B_end"}),
    }


@pytest.mark.parametrize(
    ("name", "kept", "iterations"),
    [("counter", 10, 5), ("check_then_act", 20, 5), ("counter_with_lock", 21, 10), ("lock_read_write_only", 44, 12)],
)
def test_table_1_counts_as_printed(name: str, kept: int, iterations: int) -> None:
    """Counter's 10 configurations and CheckThenAct's 20 configurations and 5 rounds are the paper's."""
    stats = solve_plainly(printed(example(name)).net, Budget.seconds(30)).stats
    assert (stats["kept"], stats["iterations"]) == (kept, iterations)


@pytest.mark.parametrize("spurious", [True, False])
@pytest.mark.parametrize("name", ["prods_cons", "prods_cons_2"])
def test_table_1_within_seconds(name: str, spurious: bool) -> None:
    """Before configurations were filed by place, Prods/Cons took 40 s."""
    net = printed(example(name), spurious).net
    solution = solve_plainly(net, Budget.seconds(10))
    assert isinstance(solution, Safe)
    assert check_certificate(net, solution.certificate) is None


def test_a_run_of_the_printed_net_that_mixes_threads_up_is_not_told() -> None:
    """CheckThenAct: a Checker that has read goes on as a Changer and writes, without the lock."""
    subject = printed(example("check_then_act"))
    solution = solve_plainly(subject.net, Budget.seconds(30))
    assert isinstance(solution, Unsafe)
    assert len(solution.firing) == 4
    assert tell_sml(subject, solution) is None


def test_threads_keep_apart_where_they_can() -> None:
    """Both stand in Read_x; the one that goes on to write is the one whose next statement that is."""
    subject = printed("shared x; job A {\nread x;\nread x;\n} job B {\nread x;\nwrite x;\n} start A; start B;")
    names = {transition.name: number for number, transition in enumerate(subject.net.transitions)}
    firing = tuple(names[name] for name in ("A_2_begin", "B_5_begin", "B_5_end", "B_6_begin"))
    trace = tell_sml(subject, Unsafe(subject.net.initial, firing))
    assert trace is not None
    assert [(step.thread, step.text) for step in trace.steps] == [
        ("A", "read x"), ("B", "read x"), ("B", "read x"), ("B", "write x"),
    ]  # fmt: skip
    assert {(racing.thread, str(racing.action)) for racing in trace.race} == {("A", "read x"), ("B", "write x")}


def test_the_command_counts_as_the_paper_and_tells_a_run_of_the_program(tmp_path: Path) -> None:
    _, result = written(tmp_path, "p.sml", example("check_then_act"), "--plain")
    assert (result["verdict"], result["kept"], result["iterations"]) == ("unsafe", 20, 5)
    assert len(result["trace"]["firing"]) == 5
    assert "goes on behind another one's access" in result["notes"][0]


def test_the_command_does_not_believe_the_printed_net_alone(tmp_path: Path) -> None:
    """In the net as printed B may read without the lock and go on as A, who writes."""
    text = """shared x, y; lock L;
        job A { acquire L; read y; write x; release L; } job B { read y; } start A *; start B *;"""
    subject = printed(text)
    solution = solve_plainly(subject.net, Budget.seconds(30))
    assert isinstance(solution, Unsafe)
    assert tell_sml(subject, solution) is None
    _, result = written(tmp_path, "p.sml", text, "--plain")
    assert result["verdict"] == "safe"
    assert "goes on behind another one's access" in result["notes"][0]
