"""Programs on targets ([DHTC, Fig. 10]): what a search finds there is what it finds here, execution by execution.

The quick suite has some programs on 32-bit x86, whose runtime is built anyway, and a few on aarch64 under qemu; all
programs on all machines are in `make soak` (marked slow), some two CPU hours. RACEPROOF_TARGETS_EVERY=40 draws one in
40 of them by name. What is not compared is in `targets_left_out.toml`, with the reason; a test of such a program fails
once it could be compared, or is left out for another reason.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from on_targets import LEFT_OUT, MACHINES, check, left_out
from programs_truth import all_programs, program_name, sample

EVERY = int(os.environ.get("RACEPROOF_TARGETS_EVERY", "1"))


@pytest.mark.parametrize("path", sample(all_programs(), 128), ids=program_name)
def test_programs_on_x86(path: Path) -> None:
    check(path, "x86")


@pytest.mark.parametrize("path", sample(all_programs(), 256), ids=program_name)
def test_programs_on_aarch64(path: Path) -> None:
    check(path, "aarch64")


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("path", sample(all_programs(), EVERY), ids=program_name)
def test_all_programs(path: Path, machine: str) -> None:
    check(path, machine)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "machine"), left_out())
def test_what_is_left_out_cannot_be_compared(name: str, machine: str) -> None:
    check(next(path for path in all_programs() if program_name(path) == name), machine)


def test_the_list_names_programs_and_machines_that_there_are() -> None:
    names = {program_name(path) for path in all_programs()}
    assert [key for key in left_out() if key[0] not in names or key[1] not in MACHINES] == []
    assert all(reason.why.strip() and reason.says.pattern for reason in left_out().values()), LEFT_OUT
