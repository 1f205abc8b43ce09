"""Changed programs show what their change claims: generated ones, and those of `tests/programs`.

A few of them here; all of `tests/programs` are slow, and `make soak` changes every tenth program that it makes.
"""

from __future__ import annotations

import collections
import itertools
import random
from dataclasses import replace
from pathlib import Path

import pytest
from exploration.compare import compile_text
from exploration.families import Specimen, specimen
from exploration.judging import Judged, Plan, difference, judge
from exploration.searches import ORACLE, Limits, Outcome
from programs_truth import all_programs, program_name, read_truth, sample

from metamorphic.changes import CHANGES, Claim

LIMITS = Limits(executions=20_000, seconds=20.0)
QUICK = Limits(executions=1_000, seconds=5.0)
OF_TEXTS = ("names", "dead code", "idle thread", "without mutex")
GENERATED = 2
EVERY = 180
"""So many programs of `tests/programs` are passed over for one that is changed."""


@pytest.mark.parametrize("name", CHANGES)
def test_generated_programs(name: str, tmp_path: Path) -> None:
    families = itertools.cycle(("sc", "api", "values"))
    nothing = compile_text("int main(void) { return 0; }", tmp_path)[0].program  # what changes of trees do not look at
    counts: collections.Counter[str] = collections.Counter()
    for seed in itertools.count(30_000):
        whole = specimen(seed, next(families))
        if name not in OF_TEXTS and CHANGES[name].apply(whole, nothing, random.Random(0)) is None:
            continue
        found = judge(whole, Plan(("race",), change=name), tmp_path, LIMITS)
        assert not found.problems, f"seed {whole.seed}\n{found}\n{whole.text}"
        counts += found.counts
        if counts[f"changed, {name}"] >= GENERATED:
            break
    assert counts[f"changed, {name}"] >= GENERATED


def _program(path: Path) -> Specimen:
    return Specimen("program", 0, path.read_text(encoding="utf-8"))


def _check(path: Path, name: str, directory: Path) -> None:
    found = judge(_program(path), Plan(("race",), change=name), directory, QUICK)
    assert not found.problems, f"{path}, {name}\n{found}"


@pytest.mark.parametrize("path", sample(all_programs(), EVERY), ids=program_name)
def test_some_programs(path: Path, tmp_path: Path) -> None:
    for name in OF_TEXTS:
        _check(path, name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_TEXTS)
@pytest.mark.parametrize("path", all_programs(), ids=program_name)
def test_all_programs(path: Path, name: str, tmp_path: Path) -> None:
    _check(path, name, tmp_path)


def test_a_lock_that_is_taken_away_is_missed(tmp_path: Path) -> None:
    """A program becomes racy, and the race is found."""
    path = next(p for p in all_programs() if program_name(p) == "locks/mutex_counter")
    assert not read_truth(path).is_racy
    found = judge(_program(path), Plan(("race",), change="without mutex"), tmp_path, LIMITS)
    assert not found.problems, str(found)
    assert found.counts["changed, without mutex: from race-free to racy"] == 1


# -- what must be noticed


def _judged(
    races: frozenset[tuple[int, int]] = frozenset(), proved: frozenset[tuple[int, int]] = frozenset()
) -> Judged:
    outcome = Outcome(ORACLE, races, races, "complete", (), 2, 0, (), None)
    return Judged(outcomes={ORACLE: outcome}, racing_lines=races, proved_lines={"lockset": proved})


RACE = frozenset({(3, 4)})
OTHER = frozenset({(3, 5)})


@pytest.mark.parametrize(
    ("claim", "before", "after", "is_noticed"),
    [
        (Claim.SAME_LINES, _judged(RACE), _judged(RACE), False),
        (Claim.SAME_LINES, _judged(RACE), _judged(OTHER), True),
        (Claim.SAME_LINES, _judged(proved=RACE), _judged(proved=OTHER), True),
        (Claim.SAME_VERDICT, _judged(RACE), _judged(OTHER), False),
        (Claim.SAME_VERDICT, _judged(RACE), _judged(), True),
        (Claim.SAME_VERDICT, _judged(), _judged(RACE), True),
        (Claim.STAYS_RACE_FREE, _judged(RACE), _judged(), False),
        (Claim.STAYS_RACE_FREE, _judged(), _judged(RACE), True),
        (Claim.ANYTHING, _judged(), _judged(RACE), False),
    ],
)
def test_a_difference_is_noticed(claim: Claim, before: Judged, after: Judged, is_noticed: bool) -> None:
    assert bool(list(difference(claim, before, after))) == is_noticed
    cut = replace(after.outcomes[ORACLE], end="time")
    unfinished = replace(after, outcomes={ORACLE: cut}, proved_lines=before.proved_lines)
    assert not list(difference(claim, before, unfinished))


def test_changes_of_trees_do_what_they_say(tmp_path: Path) -> None:
    """Each moves statements, and nothing else but for the lock that goes and the call that comes."""
    nothing = compile_text("int main(void) { return 0; }", tmp_path)[0].program
    different = {"unlocked": (2, 0), "split": (1, 1)}
    seen = set()
    for seed in range(40_000, 40_040):
        whole = specimen(seed, "sc")
        for name in ("order", "wider", "unlocked", "thread order", "split"):
            changed = CHANGES[name].apply(whole, nothing, random.Random(seed))
            if changed is None:
                continue
            seen.add(name)
            old, new = (
                collections.Counter(line.strip() for line in text.splitlines() if line.startswith(" "))
                for text in (whole.text, changed.text)
            )
            assert ((old - new).total(), (new - old).total()) == different.get(name, (0, 0)), (name, changed.text)
    assert seen == {"order", "wider", "unlocked", "thread order", "split"}
