"""Races and open locations at a terminal, the most suspicious first: one finding per location.

race: account.balance
  fix: hold account.lock at bank.c:37, as 3 of the 4 accesses do
  bank.c:37:38: read in print_report by the main thread
     37 |     printf("%ld", account.balance);
        |                   ^ holding no lock
  bank.c:22:17: write in deposit by thread 2 `teller`, created at bank.c:44
     22 |     to->balance += amount;
        |                 ^ holding account.lock
  how: main thread: pthread_create (line 44); thread 2: pthread_mutex_lock account.lock (line 21); then both at once
  replay: raceproof replay REPORT.json --race 2

Of the first open locations one pair with its lines, of the others the accesses with equal facts, a line each.
Pairs that differ only within the same two lines are one.
"""

from __future__ import annotations

from collections.abc import Sequence

from raceproof.model import AccessResult, CheckResult, PairResult, Verdict, number_of
from raceproof.report.advice import advice, fix, usual_lock
from raceproof.report.executions import explain_race, race_in_brief
from raceproof.report.locations import AccessClass, Location
from raceproof.report.terminal import WIDTH, Terminal, count, place

MAX_EXCERPTS = 3
MAX_LOCATIONS_SHOWN = 20
MAX_LOCATIONS_LISTED = 30
MAX_CLASSES = 6
MAX_SITES = 4
MAX_OTHER_RACES = 3
MAX_LINES_HOW = 3


class Findings:
    """Writes them to a terminal. `saved_as`: where the report is as JSON, for the commands that need it."""

    def __init__(self, terminal: Terminal, result: CheckResult, saved_as: str | None) -> None:
        self._out = terminal
        self._result = result
        self._saved_as = saved_as

    def races(self, locations: Sequence[Location]) -> None:
        for location in locations:
            self._out.line()
            self._headline("race", Verdict.RACE, location.name)
            self._race(location)

    def open(self, locations: Sequence[Location]) -> None:
        shown = locations if self._out.verbose else locations[:MAX_LOCATIONS_SHOWN]
        for number, location in enumerate(shown):
            self._out.line()
            self._headline("possible race", Verdict.UNKNOWN, location.name)
            if number < MAX_EXCERPTS or self._out.verbose:
                self._open(location)
            else:
                self._classes([c for c in location.classes if c.is_open], "  ")
                self._why(location.undecided[0], location)
        if len(locations) > len(shown):
            self._list("Possible races also at", [found.undecided for found in locations[len(shown) :]])

    def for_this_input(self, groups: Sequence[Sequence[PairResult]]) -> None:
        """What other inputs may change, in brief."""
        if groups:
            self._list("No race with this input at", groups)

    def _list(self, title: str, groups: Sequence[Sequence[PairResult]]) -> None:
        """In brief: the first pair of each location."""
        self._out.line()
        self._out.line(f"{title} {count(len(groups), 'location')}:")
        for pairs in groups[:MAX_LOCATIONS_LISTED]:
            shown = merge_same_lines(pairs)[0][0]
            first, second = (
                f"{a.kind.value} at {place(a.pos)}" if a.pos is not None else f"{a.kind.value} in `{a.function}`"
                for a in shown.accesses
            )
            more = f", {count(number_of(pairs) - 1, 'more pair')}" if number_of(pairs) > 1 else ""
            self._out.wrapped(f"{shown.target}: {first}, {second}{more}", "  ", "    ")
        if len(groups) > MAX_LOCATIONS_LISTED:
            self._out.line(f"  … and {count(len(groups) - MAX_LOCATIONS_LISTED, 'more location')}, see --json")

    def _headline(self, problem: str, verdict: Verdict, name: str) -> None:
        """The name has a line of its own if it is long."""
        separator = " " if len(problem) + len(name) + 2 <= WIDTH else "\n  "
        self._out.line(f"{self._out.paint.verdict(verdict, problem)}:{separator}{self._out.paint.bold(name)}")

    def _race(self, location: Location) -> None:
        entries = merge_same_lines(location.undecided)
        shown = entries[0][0]
        self._out.wrapped(f"fix: {fix(location, shown)}", "  ", "    ")
        self._pair(shown, location)
        if shown.race is not None:
            if self._out.verbose:
                for number, text in enumerate(explain_race(shown.race)):
                    self._out.wrapped(text, "    " if number else "  ", "      " if number else "    ")
            else:
                self._out.wrapped(f"how: {race_in_brief(shown.race)}", "  ", "    ", most=MAX_LINES_HOW)
            self.replay(f"--race {shown.id}")
        self._marks(shown)
        self._other_races(entries)

    def _other_races(self, entries: Sequence[Sequence[PairResult]]) -> None:
        """The other pairs of the location: races in a line each, open ones counted."""
        races = [entry[0] for entry in entries[1:] if entry[0].verdict is Verdict.RACE]
        for pair in races if self._out.verbose else races[:MAX_OTHER_RACES]:
            first, second = (f"{a.kind.value} at {place(a.pos) if a.pos else a.function}" for a in pair.accesses)
            self._out.wrapped(f"also: {first}, {second} (--race {pair.id})", "  ", "    ")
        more = 0 if self._out.verbose else len(races) - MAX_OTHER_RACES
        if more > 0:
            self._out.line(f"  … and {count(more, 'more race')} here, see -v")
        undecided = sum(number_of(entry) for entry in entries if entry[0].verdict is not Verdict.RACE)
        if undecided:
            self._out.line(f"  {count(undecided, 'more pair')} of accesses here not decided")

    def _open(self, location: Location) -> None:
        """The pair that looks most like a race, and how else the location is accessed."""
        shown = merge_same_lines(location.undecided)[0][0]
        self._pair(shown, location)
        self._why(shown, location)
        self._marks(shown)
        others = [c for c in location.classes if c.is_open and not _is_shown(c, shown)]
        if others:
            self._out.line("  Other accesses:")
            self._classes(others, "    ")

    def _pair(self, shown: PairResult, location: Location) -> None:
        first, second = shown.accesses
        self._access(first, location)
        if first.pos is None or first.pos != second.pos or first.kind != second.kind:
            self._access(second, location)
        elif first.thread == second.thread and first.held == second.held:
            is_call = first.thread.startswith("`")  # of a function from outside, not a thread of its own
            self._out.line(f"  and the same in another {'call of it' if is_call else 'instance of the thread'}")
        else:
            self._out.wrapped(f"and the same by {_who(second)}, {_holding(second, location)}", "  ", "    ")

    def _access(self, access: AccessResult, location: Location) -> None:
        kind = f"{'atomic ' if access.is_atomic else ''}{access.kind.value}"
        where = "code without a line" if access.pos is None else str(access.pos)
        paint = self._out.paint
        what = f"{kind} in `{access.function}` by {_who(access)}"
        if len(f"  {where}: {what}") <= WIDTH:
            self._out.line(f"  {paint.bold(where)}: {what}")
        else:
            self._out.line(f"  {paint.bold(where)}:")
            self._out.wrapped(what, "    ", "      ")
        if access.call_stack:
            # Innermost call last; the outermost ones say least.
            calls = ", ".join(place(pos) for pos in access.call_stack[-3:])
            self._out.wrapped(f"called from {calls}", "    ", "      ")
        if access.pos is not None and self._out.source.excerpt(access.pos, WIDTH):
            self._out.excerpt(access.pos, _holding(access, location))
        else:
            self._out.wrapped(_holding(access, location), "    ", "      ")
        if access.note:
            self._out.wrapped(access.note, "    ", "      ")

    def _classes(self, classes: Sequence[AccessClass], indent: str) -> None:
        shown = classes if self._out.verbose else classes[:MAX_CLASSES]
        for found in shown:
            places = [place(pos) if pos is not None else f"`{function}`" for pos, function in found.sites]
            more = f" and {len(places) - MAX_SITES} more" if len(places) > MAX_SITES else ""
            kind = f"{'atomic ' if found.is_atomic else ''}{found.kind.value}"
            article = "the " if found.thread.startswith("main") else ""
            held = ", ".join(found.locks) if found.locks else "no lock"
            text = f"{kind} at {', '.join(places[:MAX_SITES])}{more}, by {article}{found.thread}, holding {held}"
            self._out.wrapped(text, indent, indent + "  ")
        if len(classes) > len(shown):
            self._out.line(f"{indent}… and {len(classes) - len(shown)} other ways, see -v")

    def _why(self, shown: PairResult, location: Location) -> None:
        if location.cause is not None:
            self._out.wrapped(f"not proved: {location.cause}", "  ", "    ")
        if location.bound is not None:
            self._out.wrapped(f"so far: {location.bound}", "  ", "    ")
        texts = [usual_lock(location), *advice(self._result, shown)]
        for text in [text for text in texts if text is not None][:1]:
            self._out.wrapped(f"what would help: {text[0].lower()}{text[1:]}", "  ", "    ")

    def _marks(self, pair: PairResult) -> None:
        """What the user has said about it before."""
        if pair.suppressed is not None:
            self._out.wrapped(f"suppressed: {pair.suppressed}", "  ", "    ")
        if pair.is_known:
            self._out.line("  known: it is in the baseline")

    def replay(self, which: str) -> None:
        report = self._saved_as or "REPORT.json"
        missing = "" if self._saved_as else " (write it by --json REPORT.json)"
        self._out.wrapped(f"replay: raceproof replay {report} {which}{missing}", "  ", "    ")


def merge_same_lines(pairs: Sequence[PairResult]) -> list[list[PairResult]]:
    """Pairs of the same two lines, threads and locks together, races first, then two writes first."""
    entries: dict[object, list[PairResult]] = {}
    for pair in pairs:
        key = frozenset(
            (place(a.pos) if a.pos is not None else f"{a.function}, {pair.id}", a.thread, a.held) for a in pair.accesses
        )
        entries.setdefault((pair.verdict, key), []).append(pair)

    def rank(pair: PairResult) -> tuple[bool, int, int]:
        return (pair.verdict is not Verdict.RACE, -sum(a.kind.writes for a in pair.accesses), pair.id)

    groups = [sorted(entry, key=rank) for entry in entries.values()]
    return sorted(groups, key=lambda entry: rank(entry[0]))


def _who(access: AccessResult) -> str:
    return f"{'the ' if access.thread.startswith('main') else ''}{access.thread}"


def _holding(access: AccessResult, location: Location) -> str:
    return "holding " + (", ".join(map(location.short, access.held)) if access.held else "no lock")


def _is_shown(found: AccessClass, pair: PairResult) -> bool:
    """Whether one of the pair's accesses says as much."""
    return any(
        (a.kind, a.is_atomic, a.thread, a.held) == (found.kind, found.is_atomic, found.thread, found.locks)
        and found.sites == ((a.pos, a.function),)
        for a in pair.accesses
    )
