"""A run and a comparison as lines of text, for a terminal.

category         programs  proved  races  unknown  wrong  error  score    CPU s   wall s
race-challenges        32       7     19        6      0      0  33/45     41.0     43.2
"""

from __future__ import annotations

from collections.abc import Sequence

from raceproof.corpora.comparison import Comparison, Kind
from raceproof.corpora.results import Run, TaskResult
from raceproof.corpora.scoring import Outcome
from raceproof.corpora.tallies import Tally, by_category, tally

MAX_LISTED = 20
_MAX_NAME = 40
_HEAD = ("category", "programs", "proved", "races", "unknown", "wrong", "error", "score", "CPU s", "wall s")
_WRONG = {
    Outcome.WRONG_TRUE: "PROVED RACE-FREE, BUT IT HAS A RACE",
    Outcome.WRONG_FALSE: "A RACE WAS REPORTED, BUT IT HAS NONE",
}


def printable(text: str) -> str:
    """The text on one line, without anything that could steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def result_line(result: TaskResult, done: int, programs: int) -> str:
    """What is said when one program is done."""
    counter = f"{done:>{len(str(programs))}}/{programs}"
    said = result.verdict.value if result.verdict is not None else "error"
    line = f"{counter}  {said:9}  {result.outcome.value:13}  {result.cpu:7.2f} s  {printable(result.name)}"
    return line + (f": {printable(result.detail)}" if result.outcome is Outcome.ERROR else "")


def summary_lines(run: Run) -> list[str]:
    """The table of the run, one line for each category and one for all."""
    rows = list(by_category(run.results))
    rows += [("all", tally(run.results))] if len(rows) != 1 else []
    return aligned([_HEAD, *(_row(name, entry) for name, entry in rows)])


def _row(name: str, entry: Tally) -> tuple[str, ...]:
    return (
        _short(name), str(entry.programs), str(entry.correct_true), str(entry.correct_false), str(entry.unknown),
        str(entry.wrong), str(entry.error), f"{entry.score}/{entry.best}", f"{entry.cpu:.1f}", f"{entry.wall:.1f}",
    )  # fmt: skip


def wrong_lines(run: Run) -> list[str]:
    """All that is wrong; nothing of it is left out."""
    wrong = [result for result in run.results if result.outcome.is_wrong]
    if not wrong:
        return []
    lines = [f"WRONG: {len(wrong)} of {_counted(len(run.results), 'verdict')}"]
    for result in sorted(wrong, key=lambda result: result.name):
        lines.append(f"  {printable(result.name)}: {_WRONG[result.outcome]} ({result.points} points)")
        if result.report is not None:
            lines.append(f"    report: {result.report}")
    return lines


def error_lines(run: Run) -> list[str]:
    errors = [result for result in run.results if result.outcome is Outcome.ERROR]
    if not errors:
        return []
    named = sorted(f"  {printable(result.name)}: {printable(result.detail)}" for result in errors)
    return [f"No verdict because of an error: {_counted(len(errors), 'program')}", *_limited(named)]


def comparison_lines(comparison: Comparison) -> list[str]:
    """What has changed from the first run to the second."""
    lines = [f"{_counted(len(comparison.common), 'program')} in both runs"]
    for label, names in (("first", comparison.only_first), ("second", comparison.only_second)):
        if names:
            lines.append(f"{_counted(len(names), 'program')} only in the {label} run, not compared")
    lines += [f"different settings: {difference}" for difference in _differences(comparison)]
    lines += ["", *aligned([("run", *_HEAD[1:]), *_both(comparison)]), ""]
    lines.append(f"score: {comparison.score:+d}")
    lines += _times(comparison)
    for kind in Kind:
        changed = [change for change in comparison.changes if change.kind is kind]
        if changed:
            word = kind.value.upper() if kind is Kind.WRONG else kind.value
            lines += ["", f"{word}: {_counted(len(changed), 'program')}"]
            told = [f"  {printable(c.name)}: {c.before.outcome.value} -> {c.after.outcome.value}" for c in changed]
            lines += told if kind is Kind.WRONG else _limited(told)
    return lines


def _both(comparison: Comparison) -> list[tuple[str, ...]]:
    first = tally(before for before, _ in comparison.common)
    second = tally(after for _, after in comparison.common)
    return [_row("first", first), _row("second", second)]


def _differences(comparison: Comparison) -> tuple[str, ...]:
    before, after = comparison.first.settings, comparison.second.settings
    jobs = (f"--jobs ({before.jobs}, now {after.jobs})",) if before.jobs != after.jobs else ()
    return (*before.differences(after), *jobs)


def _times(comparison: Comparison) -> list[str]:
    solved, ratio = comparison.solved, comparison.ratio
    if ratio is None:
        return ["no program was answered rightly by both"]
    before, after = sum(one.cpu for one, _ in solved), sum(other.cpu for _, other in solved)
    return [
        f"CPU time of the {_counted(len(solved), 'program')} that both answered rightly: "
        f"{before:.1f} s, now {after:.1f} s; {ratio:.2f} times as long on average (geometric mean)"
    ]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first column to the left, all others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]


def _limited(lines: Sequence[str]) -> list[str]:
    more = len(lines) - MAX_LISTED
    return [*lines[:MAX_LISTED], *([f"  and {more} more"] if more > 0 else [])]


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _MAX_NAME else "…" + text[1 - _MAX_NAME :]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
