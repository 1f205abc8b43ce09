"""The mirror of the runtime's header, the control file, and the records."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

import pytest
from unit.handmade import RUN

from raceproof.core import InternalError
from raceproof.explore.protocol import (
    ALGORITHMS,
    ENDS,
    ISOLATIONS,
    NO_ACCESS,
    REFUSED,
    BoundedRecord,
    Control,
    EndRecord,
    Kind,
    Order,
    OtherRecord,
    OutputRecord,
    ProgressRecord,
    RaceRecord,
    StatRecord,
    parse,
)
from raceproof.ir import SiteId
from raceproof.model import AccessId, Role, Run, RunStep, RunThread

HEADER = (Path(__file__).parents[3] / "src/raceproof/native/raceproof_rt.h").read_text(encoding="utf-8")
CONTROL = Control(
    algorithm="race",
    find_all=True,
    max_executions=0,
    time_limit=1.5,
    max_steps=1000,
    isolation="memory",
    spurious=False,
    arguments=("demo", "-n", "two words\n", "50%"),
    pairs=((AccessId(1), AccessId(2)),),
)


@pytest.mark.parametrize(("name", "mirror"), [("rp_kind", Kind), ("rp_order", Order)])
def test_the_enums_are_those_of_the_header(name: str, mirror: type[IntEnum]) -> None:
    found = re.search(rf"enum {name} {{(.*?)}}", HEADER, re.DOTALL)
    assert found is not None
    members = dict(re.findall(r"RP_(\w+) = (\d+)", found[1]))
    assert {member.name: str(member.value) for member in mirror} == members


def test_the_constants_are_those_of_the_header() -> None:
    assert re.search(rf"#define RP_NO_ACCESS {NO_ACCESS:#x}u", HEADER)
    assert f"#define RP_REFUSED {REFUSED}\n" in HEADER
    assert f"algorithm {'|'.join(ALGORITHMS)}\n" in HEADER
    assert f"isolation {'|'.join(ISOLATIONS)}\n" in HEADER
    assert f"end REASON              {' | '.join(ENDS)}\n" in HEADER


def test_every_directive_that_is_written_is_in_the_header() -> None:
    full = Control(
        **{name: getattr(CONTROL, name) for name in ("algorithm", "find_all", "max_executions", "time_limit")},
        max_steps=5,
        isolation="fork",
        spurious=True,
        arguments=("a",),
        pairs=CONTROL.pairs,
        candidates=((1, 0), (32, -5)),
        replay=RUN,
        drive=((1, 2), (2, 1)),
    )
    for line in full.text().splitlines():
        assert re.search(rf"^   {line.split()[0]} ", HEADER, re.MULTILINE), line


def test_the_control_file() -> None:
    assert CONTROL.text().splitlines() == [
        "algorithm race",
        "all 1",
        "max_executions 0",
        "time_limit 1.500",
        "max_steps 1000",
        "isolation memory",
        "spurious 0",
        "pruning repaired",
        "deadlocks 0",
        "arg demo",
        "arg -n",
        "arg two%20words%0A",
        "arg 50%25",
        "pair 1 2",
    ]


def test_a_replay_in_the_control_file() -> None:
    control = Control("race", True, 1, 0, 9, "memory", False, (), (), replay=Run(((0, 3), (2, 1)), (7, -1), ()))
    assert control.text().splitlines()[-3:] == ["input 7", "input -1", "schedule 0:3 2:1"]


RECORDS = {
    "progress\t12\t1\t345\t7\t2": ProgressRecord(12, 1, 345, 7, 2),
    "race\t2\t1\t3\t0\theap 1.3%2B8\t1\t0:4 1:2\t5 -1\t0:0:4294967295 1:0:9": RaceRecord(
        (AccessId(2), AccessId(3)),
        (1, 0),
        "heap 1.3+8",
        True,
        Run(((0, 4), (1, 2)), (5, -1), (RunThread(0, 0, None), RunThread(1, 0, SiteId(9)))),
    ),
    "race\t2\t1\t2\t2\tx\t0\t\t\t": RaceRecord((AccessId(2), AccessId(2)), (1, 2), "x", False, Run((), (), ())),
    "other\tdeadlock\tall%20wait\t1\t4294967295\t0:4\t\t0:0:0": OtherRecord(
        "deadlock", "all wait", 1, None, Run(((0, 4),), (), (RunThread(0, 0, None),))
    ),
    "step\t1\t3\twrite\t2\tcounter\t5\tm n%2B8\t4 9": RunStep(
        1, 4, "write", AccessId(2), None, "counter", "5", ("m", "n+8"), (SiteId(4), SiteId(9))
    ),
    "bounded\tcut at 10 steps": BoundedRecord("cut at 10 steps"),
    "bounded\tnot%20tried\t7": BoundedRecord("not tried", SiteId(7)),
    "stat\texecutions\t12": StatRecord("executions", 12),
    "stat\trate\t0.5": StatRecord("rate", 0.5),
    "output\tline%0A%FF": OutputRecord("line\n�"),
    "end\tcomplete": EndRecord("complete"),
}


@pytest.mark.parametrize("line", RECORDS)
def test_records_are_read(line: str) -> None:
    assert parse(line + "\n") == RECORDS[line]


def test_a_step_with_its_outcome() -> None:
    step = parse("step\t1\t3\tsem_trywait\t9\ts\t\t\t\t0\t0\t11\t2\t0\t-1")
    assert isinstance(step, RunStep)
    assert (step.role, step.site, step.result, step.object, step.access) == (Role.STEP, 9, 11, 2, None)
    access = parse("next\t1\t3\tatomic store\t9\tx\t\t\t\t4\t3\t\t-1\t0\t7")
    assert isinstance(access, RunStep)
    assert (access.role, access.size, access.order, access.result, access.access) == (Role.NEXT, 4, 3, None, 7)
    event = parse("event\t0\t3\tjoin\t\t-1\t2")
    assert isinstance(event, RunStep)
    assert (event.role, event.operation, event.result, event.object) == (Role.EVENT, "join", 2, None)


def test_a_step_is_at_an_access_or_at_a_site() -> None:
    access = parse("step\t1\t3\tread\t2\tx\t5\t\t")
    call = parse("step\t1\t3\tpthread_mutex_lock\t2\tm\t\t\t")
    nowhere = parse(f"step\t1\t3\tstart\t{NO_ACCESS}\t\t\t\t")
    assert isinstance(access, RunStep)
    assert isinstance(call, RunStep)
    assert isinstance(nowhere, RunStep)
    assert (access.access, access.site) == (2, None)
    assert (call.access, call.site) == (None, 2)
    assert (nowhere.access, nowhere.site) == (None, None)


@pytest.mark.parametrize(
    "line", ["", "hello", "progress\t1", "end\tsomehow", "race\tx\t1\t2\t2\tx\t0\t\t\t", "stat\tn\tmany", "race\t1"]
)
def test_what_makes_no_sense_is_a_bug(line: str) -> None:
    with pytest.raises(InternalError, match="no sense"):
        parse(line)
