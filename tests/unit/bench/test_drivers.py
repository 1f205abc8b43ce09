"""The drivers of the table: the files are what the script writes, and a part has a race if and only if it says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import load, search

from bench.drivers import parts
from bench.drivers.parts import Part
from bench.drivers.write import DRIVERS, HERE, Driver, driver_text

PARTS = {name: part for name, part in vars(parts).items() if isinstance(part, Part)}


@pytest.mark.parametrize("driver", DRIVERS, ids=lambda driver: driver.name)
def test_files_are_what_the_script_writes(driver: Driver) -> None:
    assert (HERE / f"{driver.name}.c").read_text(encoding="utf-8") == driver_text(driver)
    assert 500 <= len(driver_text(driver).splitlines()) <= 1500


@pytest.mark.parametrize("name", PARTS)
def test_a_part_alone_has_the_race_that_it_announces(name: str, tmp_path: Path) -> None:
    path = tmp_path / "unit.c"
    path.write_text(driver_text(Driver("unit", "one part", 2, (("unit", PARTS[name]),))), encoding="utf-8")
    found = search(load(path), find_all=True, max_executions=20_000)
    assert bool(found.races) == PARTS[name].racy, found.why()
    assert PARTS[name].racy or found.is_proved, found.why()
