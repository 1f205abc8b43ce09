"""The result for a C programmer at a terminal, 80 columns wide.

First the verdict, then the locations that race or may race, the most suspicious first: races as they were executed; of
the first open locations one pair each with its lines; of the others the accesses with equal facts, a line each. Then
what was proved and why, then what was taken for granted. Pairs that differ only within the same two lines are one.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TextIO

from raceproof.core import SourcePos
from raceproof.model import (
    AccessResult,
    Assumption,
    CheckResult,
    DeadlockResult,
    DeadlockVerdict,
    IncidentResult,
    ObjectId,
    PairResult,
    Property,
    Scope,
    Strength,
    Verdict,
)
from raceproof.report.advice import advice
from raceproof.report.colors import Paint
from raceproof.report.deadlocks import explain_blocked, headline
from raceproof.report.executions import explain_deadlock, explain_race, explain_run, explain_search
from raceproof.report.locations import AccessClass, Location, locations_of
from raceproof.report.source_lines import SourceLines
from raceproof.report.summary import summary_table

WIDTH = 80
MAX_SHOWN_PER_LOCATION = 3
MAX_LOCATIONS_SHOWN = 20
MAX_EXCERPTS = 3
MAX_CLASSES = 6
MAX_SITES = 4
MAX_LOCATIONS_LISTED = 30
MAX_TABLE_ROWS = 15
MAX_REASONS = 3
MAX_ASSUMPTIONS = 10
MAX_INCIDENTS = 5
MAX_NOTES = 10

ACCEPTING = (
    "Every schedule was tried with this input; with another one there may be a race. If this input is all that matters:"
    " --accept this-input."
)

_SCOPES = {
    Scope.ANY_THREADS: "for all inputs and any number of threads",
    Scope.ALL_INPUTS: "for all inputs",
    Scope.THIS_INPUT: "for the given input",
    Scope.BOUNDED: "up to a bound",
}

_COLORS = {
    DeadlockVerdict.DEADLOCK: Verdict.RACE,
    DeadlockVerdict.DEADLOCK_FREE: Verdict.RACE_FREE,
    DeadlockVerdict.UNKNOWN: Verdict.UNKNOWN,
}


def write_text(result: CheckResult, stream: TextIO, color: bool, saved_as: str | None = None) -> None:
    """Write the whole report; `color` only for a terminal that wants it. `saved_as`: where it is as JSON."""
    writer = _Writer(stream, Paint(color), SourceLines(), partial(advice, result), saved_as)
    if Property.DATA_RACE in result.asked:
        writer.verdict(result)
    writer.deadlock_verdict(result)
    writer.deadlocks(result.deadlocks)
    if Property.DATA_RACE in result.asked:
        writer.undecided([location for location in locations_of(result) if location.undecided])
    # A deadlock has been shown above, unless it did not happen again.
    writer.incidents([i for i in result.other if i.kind != "deadlock" or not result.deadlocks])
    if Property.DATA_RACE in result.asked:
        writer.proofs([p for p in result.pairs if p.verdict is Verdict.RACE_FREE])
        writer.for_this_input([p for p in result.pairs if p.is_for_this_input])
    writer.assumptions(result.assumptions)
    writer.strength(result)
    writer.notes(result.notes)
    if Property.DATA_RACE in result.asked:
        writer.summary(result)
    writer.statistics(result)


class _Writer:
    def __init__(
        self,
        stream: TextIO,
        paint: Paint,
        source: SourceLines,
        advice: Callable[[PairResult], list[str]],
        saved_as: str | None,
    ) -> None:
        self._stream = stream
        self._paint = paint
        self._source = source
        self._advice = advice
        self._saved_as = saved_as

    def line(self, text: str = "") -> None:
        self._stream.write(text + "\n")

    def wrapped(self, text: str, first: str, rest: str, break_words: bool = False) -> None:
        """Fold at 80 columns; a path stays whole even if it is longer."""
        for line in textwrap.wrap(
            text,
            WIDTH,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=break_words,
            break_on_hyphens=False,
        ):
            self.line(line)

    def verdict(self, result: CheckResult) -> None:
        word = self._paint.verdict(result.verdict, result.verdict.value)
        match result.verdict:
            case Verdict.RACE:
                races = sum(p.verdict is Verdict.RACE for p in result.pairs)
                about = f"at {_count(races, 'pair')} of accesses"
            case Verdict.RACE_FREE:
                about = _SCOPES[result.scope] if result.scope is not None else ""
                if result.scope is Scope.THIS_INPUT and result.input is not None and not result.input.reads:
                    about = "for its only input"
            case Verdict.UNKNOWN:
                about = ""
        first, _, rest = (result.reason or "").partition(" (") if result.is_for_this_input else ("", "", result.reason)
        self.line(f"verdict: {word}{f': {first}' if first else f' {about}'.rstrip()}")
        if rest:
            self.wrapped(f"({rest}" if first else rest, "  ", "  ")
        if result.is_for_this_input:
            self.wrapped(ACCEPTING, "  ", "  ")

    def deadlock_verdict(self, result: CheckResult) -> None:
        """The answer on deadlocks; or, where nobody asked, that some were met."""
        answer = result.deadlock
        if answer is None:
            if result.deadlocks:
                first = result.deadlocks[0]
                place = f" at {_place(first.pos)}" if first.pos is not None else ""
                self.wrapped(
                    f"deadlock: an execution ended in one{place}; to look for deadlocks: --property deadlock", "", "  "
                )
            return
        text = headline(answer, len(result.deadlocks))
        if answer.scope is Scope.THIS_INPUT and result.input is not None and not result.input.reads:
            text = "deadlock-free for its only input"
        self.line(f"verdict: {self._paint.verdict(_COLORS[answer.verdict], text)}")
        if answer.reason:
            self.wrapped(answer.reason, "  ", "  ")
        if answer.verdict is DeadlockVerdict.DEADLOCK_FREE:
            for text in answer.evidence:
                self.wrapped(f"{answer.engine}: {text}", "  ", "    ")

    def deadlocks(self, deadlocks: Sequence[DeadlockResult]) -> None:
        """Who holds what and waits for what, and the run that leads there."""
        for deadlock in deadlocks[:MAX_INCIDENTS]:
            self.line()
            self.line(f"{self._paint.bold(f'deadlock {deadlock.id}')}: no thread can go on")
            for text in explain_blocked(deadlock):
                self.wrapped(text, "  ", "    ")
            if deadlock.pos is not None:
                self._excerpt(deadlock.pos)
            self._lines(explain_deadlock(deadlock))
            self._replay(f"--deadlock {deadlock.id}")
        if len(deadlocks) > MAX_INCIDENTS:
            self.line(f"  … and {len(deadlocks) - MAX_INCIDENTS} more, see --json")

    def _replay(self, which: str) -> None:
        report = self._saved_as or "REPORT.json"
        missing = "" if self._saved_as else ", with a report written by --json REPORT.json"
        self.wrapped(f"See it step by step: raceproof replay {report} {which}{missing}", "  ", "    ")

    def undecided(self, locations: Sequence[Location]) -> None:
        """Races and open locations, in the order of their ranks."""
        excerpts = MAX_EXCERPTS
        for location in locations[:MAX_LOCATIONS_SHOWN]:
            self._headline(location)
            if location.verdict is Verdict.RACE:
                self._race(location)
            elif excerpts:
                excerpts -= 1
                self._open(location)
            else:
                self._open_in_brief(location)
        if len(locations) > MAX_LOCATIONS_SHOWN:
            rest = [location.undecided for location in locations[MAX_LOCATIONS_SHOWN:]]
            self._list_locations("The same at", rest, "more location")

    def _list_locations(self, title: str, groups: Sequence[Sequence[PairResult]], noun: str) -> None:
        """In brief: the first pair of each."""
        self.line()
        self.line(f"{title} {_count(len(groups), noun)}:")
        for pairs in groups[:MAX_LOCATIONS_LISTED]:
            shown = _merge_same_lines(pairs)[0][0]
            first, second = (
                f"{a.kind.value} at {_place(a.pos)}" if a.pos is not None else f"{a.kind.value} in `{a.function}`"
                for a in shown.accesses
            )
            more = f", {_count(len(pairs) - 1, 'more pair')}" if len(pairs) > 1 else ""
            self.wrapped(f"{shown.target}: {first}, {second}{more}", "  ", "    ")
        if len(groups) > MAX_LOCATIONS_LISTED:
            self.line(f"  … and {_count(len(groups) - MAX_LOCATIONS_LISTED, 'more location')}, see --json")

    def _headline(self, location: Location) -> None:
        pairs = location.undecided
        races = sum(p.verdict is Verdict.RACE for p in pairs)
        verdict, problem = (Verdict.RACE, "data race") if races else (Verdict.UNKNOWN, "possible data race")
        kinds = [f"{_count(races, 'pair')} of accesses"] if races else []
        if races < len(pairs):
            kinds.append(f"{_count(len(pairs) - races, 'pair')} {'' if races else 'of accesses '}not decided")
        target, details = location.name, ", ".join(kinds)
        fits = len(f"{target}: {problem} ({details})") <= WIDTH
        self.line()
        self.line(
            f"{self._paint.bold(target)}: {self._paint.verdict(verdict, problem)}"
            + (f" ({details})" if fits else f"\n  {details}")
        )

    def _race(self, location: Location) -> None:
        entries = _merge_same_lines(location.undecided)
        for entry in entries[:MAX_SHOWN_PER_LOCATION]:
            self._entry(entry, location)
        more = sum(len(entry) for entry in entries[MAX_SHOWN_PER_LOCATION:])
        if more:
            self.line()
            self.line(f"  … and {_count(more, 'more pair')}, see --json")

    def _open(self, location: Location) -> None:
        """The pair that looks most like a race, and how else the location is accessed."""
        self._entry(_merge_same_lines(location.undecided)[0], location)
        others = [c for c in location.classes if c.is_open and not _is_shown(c, location.undecided[0])]
        if others:
            self.line()
            self.line("  Other accesses:")
            self._classes(others, "    ")

    def _open_in_brief(self, location: Location) -> None:
        self._classes([c for c in location.classes if c.is_open], "  ")
        self._why(location.undecided[0], location)

    def _classes(self, classes: Sequence[AccessClass], indent: str) -> None:
        for found in classes[:MAX_CLASSES]:
            places = [_place(pos) if pos is not None else f"`{function}`" for pos, function in found.sites]
            more = f" and {len(places) - MAX_SITES} more" if len(places) > MAX_SITES else ""
            kind = f"{'atomic ' if found.is_atomic else ''}{found.kind.value}"
            article = "the " if found.thread.startswith("main") else ""
            held = ", ".join(found.locks) if found.locks else "no lock"
            text = f"{kind} at {', '.join(places[:MAX_SITES])}{more}, by {article}{found.thread}, holding {held}"
            self.wrapped(text, indent, indent + "  ")
        if len(classes) > MAX_CLASSES:
            self.line(f"{indent}… and {len(classes) - MAX_CLASSES} other ways, see --json")

    def _why(self, shown: PairResult, location: Location) -> None:
        if location.cause is not None:
            self.wrapped(f"Not proved: {location.cause}", "  ", "    ")
        for text in [*_about_the_usual_lock(location), *self._advice(shown)][:1]:
            self.wrapped(f"What would help: {text[0].lower()}{text[1:]}", "  ", "    ")

    def _entry(self, pairs: Sequence[PairResult], location: Location) -> None:
        shown = pairs[0]
        first, second = shown.accesses
        self.line()
        self._access(f"pair {shown.id}: ", first)
        if first.pos is not None and first.pos == second.pos and first.kind == second.kind:
            self._same_access(first, second)
        else:
            self.line()
            self._access("and ", second)
        self.line()
        if shown.race is not None:
            self._lines(explain_race(shown.race))
            self._replay(f"--race {shown.id}")
        else:
            self._why(shown, location)
        for mark in _marks(shown):
            self.wrapped(mark, "  ", "    ")
        if len(pairs) > 1:
            self.line(self._paint.dim(f"  ({_count(len(pairs), 'pair')} of accesses on these lines)"))

    def _lines(self, texts: Sequence[str]) -> None:
        """A first line and what belongs to it."""
        for i, text in enumerate(texts):
            self.wrapped(text, "    " if i else "  ", "      " if i else "    ")

    def incidents(self, incidents: Sequence[IncidentResult]) -> None:
        """What else the executions ran into; no verdict on races rests on it."""
        for incident in incidents[:MAX_INCIDENTS]:
            place = f" in `{incident.function}`, {incident.pos}" if incident.pos is not None else ""
            self.line()
            self.wrapped(f"Also found: {incident.kind}{place}", "", "  ")
            if incident.pos is not None:
                self._excerpt(incident.pos)
            if incident.message:
                self.wrapped(incident.message, "  ", "    ")
            self._lines(explain_run(incident.run, incident.threads, incident.thread, incident.inputs))
        if len(incidents) > MAX_INCIDENTS:
            self.line(f"  … and {len(incidents) - MAX_INCIDENTS} more, see --json")

    def _access(self, prefix: str, access: AccessResult) -> None:
        kind = f"{'atomic ' if access.is_atomic else ''}{access.kind.value}"
        place = "code without a line" if access.pos is None else str(access.pos)
        fits = len(f"  {prefix}{kind} in `{access.function}`, {place}") <= WIDTH
        separator = " " if fits else "\n    "
        self.line(f"  {prefix}{self._paint.bold(kind)} in `{access.function}`,{separator}{place}")
        if access.pos is not None:
            self._excerpt(access.pos)
        self._situation(access)
        if access.note:
            self.wrapped(access.note, "    ", "      ")

    def _same_access(self, first: AccessResult, second: AccessResult) -> None:
        if first.thread == second.thread and first.held == second.held:
            is_call = first.thread.startswith("`")  # of a function from outside, not a thread of its own
            self.line(f"  and the same in another {'call of it' if is_call else 'instance of the thread'}")
        else:
            self.line("  and the same")
            self._situation(second)

    def _excerpt(self, pos: SourcePos) -> None:
        for line in self._source.excerpt(pos, WIDTH):
            self.line(self._paint.dim(line[:9]) + line[9:])

    def _situation(self, access: AccessResult) -> None:
        article = "the " if access.thread.startswith("main") else ""
        self.wrapped(f"by {article}{access.thread}", "    ", "      ")
        if access.call_stack:
            # Innermost call last; the outermost ones say least.
            calls = ", ".join(_place(pos) for pos in access.call_stack[-3:])
            self.wrapped(f"called from {calls}", "    ", "      ")
        self.wrapped("holding " + (", ".join(access.held) if access.held else "no lock"), "    ", "      ")

    def for_this_input(self, pairs: Sequence[PairResult]) -> None:
        """What other inputs may change, in brief."""
        groups: dict[tuple[str, ObjectId], list[PairResult]] = {}
        for pair in pairs:
            groups.setdefault((pair.target, pair.pair.target.object), []).append(pair)
        if groups:
            self._list_locations("No race with this input at", list(groups.values()), "location")

    def proofs(self, pairs: Sequence[PairResult]) -> None:
        if not pairs:
            return
        tables: dict[tuple[str, ObjectId], list[PairResult]] = {}
        for pair in pairs:
            tables.setdefault((pair.target, pair.pair.target.object), []).append(pair)
        rules = Counter(rule for p in pairs for rule in dict.fromkeys(_rule(text) for text in p.evidence))
        self.line()
        self.line(
            self._paint.bold("Proved race-free")
            + f": {_count(len(pairs), 'pair')} of accesses at {_count(len(tables), 'location')}"
        )
        self.wrapped("by " + ", ".join(f"{rule} ({n})" for rule, n in rules.most_common()), "  ", "    ")
        self._table(tables)

    def _table(self, tables: dict[tuple[str, ObjectId], list[PairResult]]) -> None:
        rows = sorted(tables.items(), key=lambda item: -len(item[1]))
        shown = rows[:MAX_TABLE_ROWS]
        width = min(24, max(len("location"), *(len(target) for (target, _), _ in shown)))
        self.line(self._paint.dim(f"  {'location':<{width}}  pairs  why"))
        for (target, _), pairs in shown:
            reasons = Counter(text for p in pairs for text in p.evidence)
            if len(target) > width:
                self.line(f"  {target}")
                target = ""
            start = f"  {target:<{width}}  {len(pairs):>5}  "
            why = _first_few([_phrase(text) for text, _ in reasons.most_common()])
            self.wrapped(why, start, " " * len(start), break_words=True)
        if len(rows) > len(shown):
            self.line(f"  … and {_count(len(rows) - len(shown), 'more location')}, see --json")

    def strength(self, result: CheckResult) -> None:
        """Why there may be proofs that were missed for want of time."""
        if result.verdict is Verdict.UNKNOWN and result.facts not in (None, Strength.FULL):
            self.line()
            text = f"Facts cut short by the time limit: {result.facts.meaning}. More time may prove more."
            self.wrapped(text, "", "")

    def assumptions(self, assumptions: Sequence[Assumption]) -> None:
        if not assumptions:
            return
        self.line()
        self.line(self._paint.bold("Assumptions"))
        for assumption in assumptions[:MAX_ASSUMPTIONS]:
            place = f" ({_place(assumption.pos)})" if assumption.pos is not None else ""
            self.wrapped(assumption.text + place, "  - ", "    ")
        if len(assumptions) > MAX_ASSUMPTIONS:
            self.line(f"  … and {len(assumptions) - MAX_ASSUMPTIONS} more, see --json")

    def notes(self, notes: Sequence[str]) -> None:
        if notes:
            self.line()
            self.line(self._paint.bold("Notes"))
        for note in notes[:MAX_NOTES]:
            self.wrapped(note, "  - ", "    ")
        if len(notes) > MAX_NOTES:
            self.line(f"  … and {len(notes) - MAX_NOTES} more, see --json")

    def summary(self, result: CheckResult) -> None:
        table = summary_table(result)
        if table:
            self.line()
            self.line(self._paint.dim(table[0]))
            for row in table[1:]:
                self.line(row)

    def statistics(self, result: CheckResult) -> None:
        counts = Counter(pair.verdict for pair in result.pairs)
        here = sum(pair.is_for_this_input for pair in result.pairs)
        parts = [
            f"{counts[Verdict.RACE_FREE]} proved",
            *([f"{here} for this input only"] if here else []),
            _count(counts[Verdict.RACE], "race"),
            f"{counts[Verdict.UNKNOWN] - here} open",
        ]
        summary = f"{_count(len(result.pairs), 'pair')} of accesses: {', '.join(parts)}; " if result.pairs else ""
        engines = ", ".join(f"{e.name} {e.seconds:.2f} s" for e in result.engines)
        self.line()
        self.wrapped(f"{summary}{result.seconds:.2f} s" + (f" ({engines})" if engines else ""), "", "  ")
        for engine in result.engines:
            for text in explain_search(engine):
                self.wrapped(text, "", "  ")


def _merge_same_lines(pairs: Sequence[PairResult]) -> list[list[PairResult]]:
    """Pairs of the same two lines, threads and locks together, races first, then two writes first."""
    entries: dict[object, list[PairResult]] = {}
    for pair in pairs:
        key = frozenset(
            (_place(a.pos) if a.pos is not None else f"{a.function}, {pair.id}", a.thread, a.held)
            for a in pair.accesses
        )
        entries.setdefault((pair.verdict, key), []).append(pair)

    def rank(pair: PairResult) -> tuple[bool, int, int]:
        return (pair.verdict is not Verdict.RACE, -sum(a.kind.writes for a in pair.accesses), pair.id)

    groups = [sorted(entry, key=rank) for entry in entries.values()]
    return sorted(groups, key=lambda entry: rank(entry[0]))


def _is_shown(found: AccessClass, pair: PairResult) -> bool:
    """Whether one of the pair's accesses says as much."""
    return any(
        (a.kind, a.is_atomic, a.thread, a.held) == (found.kind, found.is_atomic, found.thread, found.locks)
        and found.sites == ((a.pos, a.function),)
        for a in pair.accesses
    )


def _about_the_usual_lock(location: Location) -> list[str]:
    """The lock that most accesses hold, and where it is missing."""
    if location.usual_lock is None:
        return []
    lock, holding, all_places = location.usual_lock
    missing = [
        pos for c in location.classes if c.is_open and lock not in c.locks for pos, _ in c.sites if pos is not None
    ]
    where = f" at {_place(missing[0])}" if missing else ""
    return [f"Hold {lock}{where}, as {holding} of the {all_places} accesses do."]


def _marks(pair: PairResult) -> list[str]:
    """What the user has said about it before."""
    marks = [f"Suppressed: {pair.suppressed}"] if pair.suppressed is not None else []
    return [*marks, "Known: it is in the baseline"] if pair.is_known else marks


def _rule(evidence: str) -> str:
    """`common-lock m` is an application of the rule `common-lock`."""
    return evidence.partition(" ")[0]


def _phrase(evidence: str) -> str:
    """`common-lock m`, but `owned: an element of its own`."""
    rule, _, detail = evidence.partition(" ")
    return f"{rule}: {detail}" if " " in detail else evidence


def _place(pos: SourcePos) -> str:
    return f"{pos.file}:{pos.line}"


def _first_few(texts: Sequence[str]) -> str:
    more = len(texts) - MAX_REASONS
    return "; ".join([*texts[:MAX_REASONS], f"{more} more"] if more > 0 else texts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
