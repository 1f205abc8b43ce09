"""A page for each real program: how large it is, what was proved and how, which races were executed and whether they
matter, what is unknown and why, and what it took. Written from the reports alone; judgements come from programs.toml.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.measure import Run
from bench.real.recipes import Judgement, Provenance, Recipe
from bench.results import machine, markdown_table

Json = dict[str, Any]
_FIRST_WORD = re.compile(r"\w[\w-]*")
_LIMIT = re.compile(r"time limit of [\d.]+ s reached|its share of the time, [\d.]+ s, was up")
_IN_BRACKETS = re.compile(r" \([^()]*\)$")
_EXECUTIONS = re.compile(r"\b[\d,]+ executions?\b")
_THREADS = re.compile(r"`[^`]+` \((?:created|handed out) at [^)]*\)")
_PLACES = re.compile(r"\bat [\w./-]+:\d+(?:, [\w./-]+:\d+)*")
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Measurement:
    """One command on the program, its report (None if it wrote none), and the command as a user would type it."""

    command: str
    run: Run
    report: Json | None

    @property
    def verdict(self) -> str:
        if self.report is not None:
            return str(self.report["verdict"])
        return "killed" if self.run.status < 0 else f"failed ({self.run.status})"

    @property
    def pairs(self) -> list[Json]:
        return list(self.report["pairs"]) if self.report is not None else []

    def count(self, verdict: str) -> int:
        return sum(pair["verdict"] == verdict for pair in self.pairs)

    @property
    def races(self) -> list[Json]:
        return [pair for pair in self.pairs if pair["verdict"] == "race"]

    @property
    def problem(self) -> str:
        """Why there is no report, or none worth reading; empty if there is."""
        if self.report is None:
            lines = self.run.errors.strip().splitlines()
            return f"exit status {self.run.status}" + (f": {lines[-1]}" if lines else "")
        return "" if self.report["engines"] else str(self.report["reason"])


@dataclass(frozen=True, slots=True)
class Subject:
    """One program with all that was measured. `executed` is None if it is not run; the recipe says why."""

    recipe: Recipe
    provenance: Provenance
    files: int
    lines: int
    instructions: int
    compile_seconds: float
    static: Measurement
    executed: Measurement | None


def proofs(pairs: Iterable[Json]) -> list[tuple[str, str, int]]:
    """How many pairs were proved by which engine, and by which rule if it has several; most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        if pair["verdict"] == "race-free":
            word = _FIRST_WORD.match(str(pair["evidence"][0])) if pair["evidence"] else None
            rule = word.group() if word is not None and pair["engine"] == "lockset" else ""
            counts[str(pair["engine"]), rule] += 1
    return [(engine, rule, count) for (engine, rule), count in counts.most_common()]


def reasons(pairs: Iterable[Json]) -> list[tuple[str, int]]:
    """Why pairs are unknown: each sentence of the report without its particulars, and of how many pairs it is said."""
    counts: Counter[str] = Counter()
    for pair in pairs:
        if pair["verdict"] == "unknown":
            counts.update({reason_kind(str(text)) for text in pair["evidence"]})
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def reason_kind(text: str) -> str:
    """A reason without names of locks, lines, seconds and numbers of executions."""
    if text.startswith("possible: "):
        return "possible: there is a run of the net, or of the model, to both accesses, which was not executed"
    text = _LIMIT.sub("time limit reached", text)
    text = _THREADS.sub("threads", text)
    text = _PLACES.sub("there", _EXECUTIONS.sub("the executions", text))
    return _IN_BRACKETS.sub("", text)


def judgement_of(recipe: Recipe, target: str) -> Judgement | None:
    return next((judgement for judgement in recipe.races if judgement.target in target), None)


def not_executed(subject: Subject) -> list[str]:
    """Judgements about variables of which no race was executed this time: they stay unsaid."""
    seen = {str(pair["target"]) for m in (subject.static, subject.executed) if m is not None for pair in m.races}
    return [j.target for j in subject.recipe.races if not any(j.target in target for target in seen)]


def page(subject: Subject) -> str:
    """The whole page, as Markdown."""
    recipe, provenance = subject.recipe, subject.provenance
    parts = [
        f"# {recipe.name} {provenance.version}",
        f"{_sentence(recipe.notes)} Debian source package `{provenance.package}`:",
        "\n".join(f"- `{file}`, {digest}" for file, digest in provenance.tarballs.items()),
        f"{subject.files} C files, {subject.lines:,} lines, {subject.instructions:,} instructions; compiling takes "
        f"{subject.compile_seconds:.1f} s. Written by `bench/real/run.py {recipe.name} --write`; {machine()}.",
        *_static(subject.static),
        *_execution(subject),
        *_races(subject),
        *_unknown(subject),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _static(found: Measurement) -> list[str]:
    parts = ["## The static engines", f"`{found.command}`", _took(found)]
    if found.problem:
        return [*parts, f"No pairs of accesses: {found.problem}."]
    assert found.report is not None  # otherwise there would be a problem
    head = ("engine", "seconds", "proved", "open after it", "ended early")
    rows = [
        (str(e["name"]), f"{e['seconds']:.1f}", f"{e['proved']:,}", f"{e['open']:,}", str(e["stopped"] or ""))
        for e in found.report["engines"]
    ]
    parts.append(
        f"{len(found.pairs):,} pairs of accesses that could race: {found.count('race-free'):,} proved, "
        f"{found.count('race'):,} executed races, {found.count('unknown'):,} unknown."
    )
    parts.append(markdown_table(head, rows))
    proved = [(engine, rule, f"{count:,}") for engine, rule, count in proofs(found.pairs)]
    if proved:
        parts += ["Proved:", markdown_table(("engine", "rule", "pairs"), proved, left=2)]
    return parts


def _execution(subject: Subject) -> list[str]:
    found = subject.executed
    if found is None:
        return ["## Executed", f"Not run: {_sentence(subject.recipe.not_run or 'nobody has said how')}"]
    how = f", {subject.recipe.run}" if subject.recipe.run is not None and str(subject.recipe.run) else ""
    parts = ["## Executed", f"`{found.command}`{how}", _took(found)]
    if found.problem:
        return [*parts, f"Not run: {found.problem}."]
    assert found.report is not None  # otherwise there would be a problem
    stats = found.report["stats"]
    explorer = next((e for e in found.report["engines"] if e["name"] == "explore"), None)
    if explorer is None or not stats.get("executions"):
        why = explorer["stopped"] if explorer is not None else "every pair was proved before"
        return [*parts, f"Not run: {why}."]
    complete = "all schedules that matter" if stats.get("complete") else "not all schedules"
    parts.append(
        f"{stats['executions']:,} executions, {complete}; verdict {found.verdict}: {len(found.races):,} pairs raced, "
        f"{found.count('race-free'):,} proved, {found.count('unknown'):,} unknown."
    )
    said = [*explorer["notes"], *([f"ended early: {explorer['stopped']}"] if explorer["stopped"] else [])]
    parts += ["\n".join(f"- {text}" for text in said)] if said else []
    others = Counter(f"{event['kind']} in `{event['function']}`: {event['message']}" for event in found.report["other"])
    return [*parts, *(["\n".join(f"- {text}" for text in others)] if others else [])]


def _races(subject: Subject) -> list[str]:
    """Each variable with an executed race: where, and whether it matters."""
    parts = ["## Races that were executed"]
    by_target: dict[str, list[Json]] = {}
    for found in (subject.static, subject.executed):
        for pair in found.races if found is not None else ():
            by_target.setdefault(str(pair["target"]), []).append(pair)
    for target, pairs in by_target.items():
        judgement = judgement_of(subject.recipe, target)
        said = f"**{judgement.matters}.** {judgement.why}" if judgement is not None else "Nobody has judged it yet."
        places = dict.fromkeys(_place(pair) for pair in pairs)
        shown = [f"- {place}" for place in list(places)[:_SHOWN]]
        more = [f"- and {len(places) - _SHOWN} more"] if len(places) > _SHOWN else []
        parts += [f"### `{target}`", "\n".join([*shown, *more]), said]
    return parts if by_target else [*parts, "None."]


def _place(pair: Json) -> str:
    first, second = (
        f"{access['kind']} in `{access['function']}`, {access['file']}:{access['line']}" for access in pair["accesses"]
    )
    return f"{first}, and {second}"


def _unknown(subject: Subject) -> list[str]:
    """What is open after the static engines, and after the run if there was one."""
    parts = ["## Unknown, and why"]
    if subject.static.problem:
        parts.append(f"Everything, for the static engines: {subject.static.problem}.")
    for title, found in (("After the static engines", subject.static), ("After the run", subject.executed)):
        if found is not None and found.count("unknown"):
            rows = [(text, f"{count:,}") for text, count in reasons(found.pairs)]
            parts += [f"{title}; a pair has a sentence from each engine that looked at it:"]
            parts += [markdown_table(("reason", "pairs"), rows)]
    targets = Counter(str(p["target"]) for p in subject.static.pairs if p["verdict"] == "unknown").most_common()
    if targets:
        rows = [(f"`{name}`", f"{count:,}") for name, count in targets[:_SHOWN]]
        more = [f"and {len(targets) - _SHOWN:,} more variables."] if len(targets) > _SHOWN else []
        parts += ["Where they are:", markdown_table(("variable", "pairs"), rows), *more]
    if subject.recipe.remarks:
        parts += ["Read by hand, nothing of it executed:", subject.recipe.remarks.strip()]
    return parts if len(parts) > 1 else [*parts, "Nothing."]


def table(subjects: Sequence[Subject]) -> str:
    """All programs at a glance, each with a link to its page."""
    head = (
        "program", "lines", "instructions", "s", "MB", "pairs", "proved", "unknown", "verdict", "executions", "s", "MB",
        "races executed", "verdict when run",
    )  # fmt: skip
    rows = []
    for subject in subjects:
        static, executed = subject.static, subject.executed
        targets = {str(pair["target"]) for m in (static, executed) if m is not None for pair in m.races}
        run = ["", "", "", "", "not run"]
        if executed is not None:
            executions = int((executed.report or {}).get("stats", {}).get("executions", 0))
            took = [f"{executed.run.wall:.1f}", f"{executed.run.peak_mb:.0f}"]
            run = [f"{executions:,}", *took, f"{len(targets)}", executed.verdict]
        name = f"[{subject.recipe.name} {subject.provenance.version}](real/{subject.recipe.name}.md)"
        size = [f"{subject.lines:,}", f"{subject.instructions:,}"]
        pairs = [f"{n:,}" for n in (len(static.pairs), static.count("race-free"), static.count("unknown"))]
        took = [f"{static.run.wall:.1f}", f"{static.run.peak_mb:.0f}"]
        verdict = f"no pairs: {static.problem}" if static.problem else static.verdict
        rows.append((name, *size, *took, *pairs, verdict, *run))
    return markdown_table(head, rows)


def _took(found: Measurement) -> str:
    run = found.run
    return f"{run.wall:.1f} s ({run.cpu:.1f} s CPU), {run.peak_mb:.0f} MB, verdict {found.verdict}."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
