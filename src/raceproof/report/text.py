"""The result for a C programmer at a terminal, 80 columns wide: the verdict, then what to act on, then a summary.

What is shown by default is what the reader can do something about: races with a fix and the command that replays them,
open locations, deadlocks, what was taken for granted. `verbose` adds the runs in full, what was proved and why, and
what each engine did; `quiet` leaves only violations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import TextIO

from raceproof.core import about
from raceproof.model import (
    Assumption,
    CheckResult,
    DeadlockResult,
    DeadlockVerdict,
    IncidentResult,
    Property,
    Scope,
    Strength,
    Verdict,
    number_of,
)
from raceproof.report.colors import Paint
from raceproof.report.deadlocks import explain_blocked, headline
from raceproof.report.executions import explain_deadlock, explain_run, explain_search
from raceproof.report.findings import Findings
from raceproof.report.locations import Location, locations_of
from raceproof.report.proofs import by_location, write_rules, write_table
from raceproof.report.summary import summary_table
from raceproof.report.terminal import Terminal, count, place

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


class Detail(Enum):
    """How much of a result a reader wants to see."""

    QUIET = "only violations"
    NORMAL = "what to act on"
    VERBOSE = "everything"


def write_text(
    result: CheckResult,
    stream: TextIO,
    color: bool,
    saved_as: str | None = None,
    detail: Detail = Detail.NORMAL,
) -> None:
    """Write the report; `color` only for a terminal that wants it. `saved_as`: where it is as JSON."""
    terminal = Terminal(stream, Paint(color), detail is Detail.VERBOSE)
    writer = _Writer(terminal, Findings(terminal, result, saved_as))
    about_races = Property.DATA_RACE in result.asked
    locations = locations_of(result) if about_races else ()
    if detail is Detail.QUIET:
        writer.findings.races([found for found in locations if found.verdict is Verdict.RACE])
        writer.deadlocks(result.deadlocks)
        return
    if about_races:
        writer.verdict(result, locations)
    writer.deadlock_verdict(result)
    writer.findings.races([found for found in locations if found.verdict is Verdict.RACE])
    writer.deadlocks(result.deadlocks)
    writer.findings.open([f for f in locations if f.undecided and f.verdict is not Verdict.RACE])
    # A deadlock has been shown above, unless it did not happen again.
    writer.incidents([i for i in result.other if i.kind != "deadlock" or not result.deadlocks])
    if about_races:
        if terminal.verbose:
            write_table(terminal, [p for p in result.pairs if p.verdict is Verdict.RACE_FREE])
        groups = by_location([p for p in result.pairs if p.is_for_this_input])
        writer.findings.for_this_input(list(groups.values()))
    writer.assumptions(result.assumptions)
    writer.strength(result)
    writer.notes(result.notes)
    if about_races and terminal.verbose:
        writer.engines(result)
    writer.summary(result, locations)


class _Writer:
    """Everything but the findings about locations."""

    def __init__(self, terminal: Terminal, findings: Findings) -> None:
        self._out = terminal
        self.findings = findings

    def verdict(self, result: CheckResult, locations: Sequence[Location]) -> None:
        word = self._out.paint.verdict(result.verdict, result.verdict.value)
        match result.verdict:
            case Verdict.RACE:
                about = f"at {count(sum(found.verdict is Verdict.RACE for found in locations), 'location')}"
            case Verdict.RACE_FREE:
                about = _SCOPES[result.scope] if result.scope is not None else ""
                if result.scope is Scope.THIS_INPUT and result.input is not None and not result.input.reads:
                    about = "for its only input"
            case Verdict.UNKNOWN:
                about = ""
        first, _, rest = (result.reason or "").partition(" (") if result.is_for_this_input else ("", "", result.reason)
        self._out.line(f"verdict: {word}{f': {first}' if first else f' {about}'.rstrip()}")
        if rest:
            self._out.wrapped(f"({rest}" if first else rest, "  ", "  ")
        if result.is_for_this_input:
            self._out.wrapped(ACCEPTING, "  ", "  ")
        if result.verdict is Verdict.RACE_FREE:
            write_rules(self._out, [p for p in result.pairs if p.verdict is Verdict.RACE_FREE])

    def deadlock_verdict(self, result: CheckResult) -> None:
        """The answer on deadlocks; or, where nobody asked, that some were met."""
        answer = result.deadlock
        if answer is None:
            if result.deadlocks:
                first = result.deadlocks[0]
                where = f" at {place(first.pos)}" if first.pos is not None else ""
                self._out.wrapped(
                    f"deadlock: an execution ended in one{where}; to look for deadlocks: --property deadlock", "", "  "
                )
            return
        text = headline(answer, len(result.deadlocks))
        if answer.scope is Scope.THIS_INPUT and result.input is not None and not result.input.reads:
            text = "deadlock-free for its only input"
        self._out.line(f"verdict: {self._out.paint.verdict(_COLORS[answer.verdict], text)}")
        if answer.reason:
            self._out.wrapped(answer.reason, "  ", "  ")
        if answer.verdict is DeadlockVerdict.DEADLOCK_FREE:
            for text in answer.evidence:
                self._out.wrapped(f"{answer.engine}: {text}", "  ", "    ")

    def deadlocks(self, deadlocks: Sequence[DeadlockResult]) -> None:
        """Who holds what and waits for what, and the run that leads there."""
        for deadlock in deadlocks[:MAX_INCIDENTS]:
            self._out.line()
            self._out.line(f"{self._out.paint.bold(f'deadlock {deadlock.id}')}: no thread can go on")
            for text in explain_blocked(deadlock):
                self._out.wrapped(text, "  ", "    ")
            if deadlock.pos is not None:
                self._out.excerpt(deadlock.pos)
            self._lines(explain_deadlock(deadlock))
            self.findings.replay(f"--deadlock {deadlock.id}")
        if len(deadlocks) > MAX_INCIDENTS:
            self._out.line(f"  … and {len(deadlocks) - MAX_INCIDENTS} more, see --json")

    def _lines(self, texts: Sequence[str]) -> None:
        """A first line and what belongs to it."""
        for i, text in enumerate(texts):
            self._out.wrapped(text, "    " if i else "  ", "      " if i else "    ")

    def incidents(self, incidents: Sequence[IncidentResult]) -> None:
        """What else the executions ran into; no verdict on races rests on it."""
        for incident in incidents[:MAX_INCIDENTS]:
            where = f" in `{incident.function}`, {incident.pos}" if incident.pos is not None else ""
            self._out.line()
            self._out.wrapped(f"Also found: {incident.kind}{where}", "", "  ")
            if incident.pos is not None:
                self._out.excerpt(incident.pos)
            if incident.message:
                self._out.wrapped(incident.message, "  ", "    ")
            self._lines(explain_run(incident.run, incident.threads, incident.thread, incident.inputs))
        if len(incidents) > MAX_INCIDENTS:
            self._out.line(f"  … and {len(incidents) - MAX_INCIDENTS} more, see --json")

    def strength(self, result: CheckResult) -> None:
        """Why there may be proofs that were missed for want of time."""
        if result.verdict is Verdict.UNKNOWN and result.facts not in (None, Strength.FULL):
            self._out.line()
            text = f"Facts cut short by the time limit: {result.facts.meaning}. More time may prove more."
            self._out.wrapped(text, "", "")

    def assumptions(self, assumptions: Sequence[Assumption]) -> None:
        if not assumptions:
            return
        self._out.line()
        self._out.line(self._out.paint.bold("Assumptions"))
        for assumption in assumptions[:MAX_ASSUMPTIONS]:
            where = f" ({place(assumption.pos)})" if assumption.pos is not None else ""
            self._out.wrapped(assumption.text + where, "  - ", "    ")
        if len(assumptions) > MAX_ASSUMPTIONS:
            self._out.line(f"  … and {len(assumptions) - MAX_ASSUMPTIONS} more, see --json")

    def notes(self, notes: Sequence[str]) -> None:
        if notes:
            self._out.line()
            self._out.line(self._out.paint.bold("Notes"))
        for note in notes[:MAX_NOTES]:
            self._out.wrapped(note, "  - ", "    ")
        if len(notes) > MAX_NOTES:
            self._out.line(f"  … and {len(notes) - MAX_NOTES} more, see --json")

    def engines(self, result: CheckResult) -> None:
        """Who decided how much, how long it took, what was executed."""
        table = summary_table(result)
        if table:
            self._out.line()
            self._out.line(self._out.paint.dim(table[0]))
            for row in table[1:]:
                self._out.line(row)
        self._out.line()
        counts: Counter[Verdict] = Counter()
        for pair in result.pairs:
            counts[pair.verdict] += pair.alike
        here = number_of(pair for pair in result.pairs if pair.is_for_this_input)
        parts = [
            f"{counts[Verdict.RACE_FREE]:,} proved",
            *([f"{here} for this input only"] if here else []),
            count(counts[Verdict.RACE], "race"),
            f"{counts[Verdict.UNKNOWN] - here:,} open",
        ]
        if result.pairs:
            self._out.wrapped(f"{count(number_of(result.pairs), 'pair')} of accesses: {', '.join(parts)}", "", "  ")
        if result.engines:
            self._out.wrapped(", ".join(f"{e.name} {e.seconds:.2f} s" for e in result.engines), "", "  ")
        for engine in result.engines:
            for text in explain_search(engine):
                self._out.wrapped(text, "", "  ")

    def summary(self, result: CheckResult, locations: Sequence[Location]) -> None:
        """The last line: how many locations ended how, and how long it took."""
        self._out.line()
        parts = []
        if locations:
            verdicts = Counter(found.verdict for found in locations)
            here = sum(found.is_for_this_input for found in locations)
            still_open = verdicts[Verdict.UNKNOWN] - here
            parts = [
                *([f"{count(verdicts[Verdict.RACE], 'location')} with a race"] if verdicts[Verdict.RACE] else []),
                *([f"{still_open:,} open"] if still_open else []),
                *([f"{here:,} for this input only"] if here else []),
                f"{verdicts[Verdict.RACE_FREE]:,} of {count(len(locations), 'location')} proved",
            ]
        executed = [int(e.stats["executions"]) for e in result.engines if "executions" in e.stats]
        if executed:
            parts.append(f"{count(sum(executed), 'execution')}{_left(result)}")
        self._out.wrapped(
            "; ".join([", ".join(parts), f"{result.seconds:.2f} s"] if parts else [f"{result.seconds:.2f} s"]), "", "  "
        )


def _left(result: CheckResult) -> str:
    """What a search that did not end would still have to execute, if it could tell."""
    stats = next((engine.stats for engine in result.engines if "left_executions" in engine.stats), None)
    if stats is None:
        return ""
    number, least, most = (about(int(stats[name])) for name in ("left_executions", "left_least", "left_most"))
    more = " or more" if stats.get("left_grows") else ""
    return f" and some {number} left ({least} to {most}{more})"
