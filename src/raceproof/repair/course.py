"""One racy location after the other, each on top of the repairs before; what is left then, together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from raceproof.core import Budget
from raceproof.model import CheckResult, RepairResult, Verdict
from raceproof.repair.candidates import Candidate
from raceproof.repair.edits import as_changes, as_patch
from raceproof.repair.trial import Outcome, Program, Repair, best, repairs
from raceproof.report import Location, locations_of


@dataclass(frozen=True, slots=True)
class Step:
    """What became of some locations: `repair` has the whole program with it. `is_gone`: by a repair before."""

    names: tuple[str, ...]
    repair: Repair | None
    tried: tuple[Repair, ...]
    is_gone: bool = False

    @property
    def is_left(self) -> bool:
        return self.repair is None and not self.is_gone


def repair_all(
    program: Program,
    result: CheckResult,
    wanted: Sequence[Location],
    budget: Budget,
    on_try: Callable[[Candidate], None] = lambda candidate: None,
) -> Iterator[Step]:
    """Repair the wanted locations, which race in `result`."""
    for group in _groups(wanted):
        racing = _racing(result, group)
        if not racing:
            yield Step(tuple(found.name for found in group), None, (), is_gone=True)
            continue
        names = tuple(found.name for found in racing)
        tried: tuple[Repair, ...] = ()
        if len(racing) > 1:
            # One lock for all, as they are used together; what has another reason is tried on its own.
            joined = Location(racing[0].name, tuple(pair for found in racing for pair in found.pairs))
            found, tried = best(repairs(program, result, joined, budget, on_try))
            if found is not None and found.after is not None:
                yield Step(names, found, tried)
                program, result = replace(program, texts=found.texts), found.after
                continue
        for location in racing:
            current = next(iter(_racing(result, [location])), None)
            if current is None:
                yield Step((location.name,), None, (), is_gone=True)
                continue
            found, more = best(repairs(program, result, current, budget, on_try))
            yield Step((location.name,), found, (*tried, *more))
            if found is not None and found.after is not None:
                program, result = replace(program, texts=found.texts), found.after


def results_of(
    steps: Sequence[Step], result: CheckResult, old: Mapping[str, bytes], root: str
) -> tuple[RepairResult, ...]:
    """The repairs as part of the result that they are for. `old`: the files as they were, by absolute name."""
    found: list[RepairResult] = []
    for step in steps:
        if step.repair is None:
            continue
        names = {_plain(name) for name in step.names}
        pairs = [p.id for p in result.pairs if p.verdict is Verdict.RACE and _plain(p.target) in names]
        texts = {file: text for file, text in step.repair.texts.items() if text != old[file]}
        try:
            changes = as_changes(old, texts)
        except ValueError:
            continue  # not UTF-8: such a file has a patch, but no positions that others could use
        is_proved = step.repair.outcome is Outcome.PROVED
        earlier = tuple(each.title for each in found)
        title = step.repair.candidate.title
        found.append(
            RepairResult(title, frozenset(pairs), is_proved, changes, as_patch(old, texts, root), with_titles=earlier)
        )
    return tuple(found)


def _plain(name: str) -> str:
    """Without its place, which moves when lines do."""
    return name.partition(" (")[0]


def _groups(wanted: Sequence[Location]) -> list[list[Location]]:
    """Members of one structure, and what is accessed in the same lines: they race for one reason."""
    groups: list[tuple[set[object], list[Location]]] = []
    for location in wanted:
        signs: set[object] = {_plain(location.name).partition(".")[0]}
        signs |= {(a.pos.file, a.pos.line) for p in location.undecided for a in p.accesses if a.pos is not None}
        related = [group for group in groups if group[0] & signs]
        groups = [group for group in groups if not group[0] & signs]
        groups.append((
            signs.union(*(group[0] for group in related)),
            [*(found for group in related for found in group[1]), location],
        ))  # fmt: skip
    return [locations for _, locations in groups]


def _racing(result: CheckResult, wanted: Sequence[Location]) -> list[Location]:
    """Those of the wanted that still race, as the result has them."""
    names = {_plain(location.name) for location in wanted}
    return [f for f in locations_of(result) if f.verdict is Verdict.RACE and _plain(f.name) in names]
