"""The result as SARIF 2.1.0, as GitHub code scanning takes it.

Races are errors, pairs that nobody could decide are warnings, pairs that are race-free are not in it. Pairs on the same
two lines are one result. A result keeps its fingerprint when lines move, so that a finding is not a new one then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from raceproof.core import SourcePos
from raceproof.model import AccessResult, CheckResult, IncidentResult, PairResult, RepairResult, Scope, Verdict
from raceproof.report.advice import fix
from raceproof.report.json_format import Json
from raceproof.report.locations import locations_of
from raceproof.report.races import threads_of
from raceproof.report.sarif_flows import FlowBudget, code_flow
from raceproof.report.sarif_locations import Artifacts
from raceproof.report.sarif_rules import DATA_RACE, POSSIBLE_DATA_RACE, Rule, driver, incident_rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_RESULTS = 5_000  # GitHub shows no more
MAX_RELATED = 1_000  # that GitHub takes for one result


@dataclass(frozen=True, slots=True)
class _Entry:
    """One result of the file: pairs on the same two lines, the first one to be shown, or an incident."""

    rule: Rule
    pairs: tuple[PairResult, ...] = ()
    incident: IncidentResult | None = None

    @property
    def suppressed(self) -> str | None:
        return self.pairs[0].suppressed if self.pairs else None

    @property
    def is_known(self) -> bool:
        return bool(self.pairs) and all(pair.is_known for pair in self.pairs)

    def rank(self) -> tuple[bool, bool, int]:
        """What must not be left out first: findings that are new and wanted, then races, then incidents."""
        kind = 1 if self.incident is not None else 0 if self.pairs[0].verdict is Verdict.RACE else 2
        return self.suppressed is not None, self.is_known, kind


def to_sarif(
    result: CheckResult, *, root: Path = Path(), exit_code: int, with_baseline: bool = False
) -> dict[str, Json]:
    """The whole log: paths are relative to `root`; `with_baseline` says for each result whether it is new."""
    artifacts = Artifacts(root)
    for file in result.files:
        artifacts.add_target(file)
    entries = _entries(result)
    shown = entries[:MAX_RESULTS]
    rules = list(dict.fromkeys([DATA_RACE, POSSIBLE_DATA_RACE, *(entry.rule for entry in entries)]))
    writer = _Results(result, artifacts, rules, with_baseline)
    run: dict[str, Json] = {
        "tool": {"driver": driver(result.version, rules)},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": artifacts.base(),
        "results": [writer.result(entry) for entry in shown],
        "invocations": [_invocation(result, artifacts, exit_code, len(entries) - len(shown))],
    }
    run["artifacts"] = artifacts.as_list()
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _entries(result: CheckResult) -> list[_Entry]:
    """The most important first, else in the order of the program."""
    groups: dict[object, list[PairResult]] = {}
    for pair in result.pairs:
        if pair.verdict is not Verdict.RACE_FREE:
            places = frozenset(f"{a.pos.file}:{a.pos.line}" if a.pos else f"pair {pair.id}" for a in pair.accesses)
            groups.setdefault((pair.verdict, pair.suppressed, places), []).append(pair)
    entries = [
        _Entry(DATA_RACE if pairs[0].verdict is Verdict.RACE else POSSIBLE_DATA_RACE, tuple(sorted(pairs, key=_detail)))
        for pairs in groups.values()
    ]
    entries += [_Entry(incident_rule(incident.kind), incident=incident) for incident in result.other]
    return sorted(entries, key=_Entry.rank)


def _detail(pair: PairResult) -> tuple[bool, int, int]:
    """Pairs that have most to show first: with a trace, with two writes."""
    has_trace = pair.race is not None and pair.race.trace is not None
    return not has_trace, -sum(access.kind.writes for access in pair.accesses), pair.id


class _Results:
    def __init__(self, result: CheckResult, artifacts: Artifacts, rules: Sequence[Rule], with_baseline: bool) -> None:
        self._artifacts = artifacts
        self._rule_numbers = {rule.id: i for i, rule in enumerate(rules)}
        # GitHub refuses a file in which a result has no place.
        self._somewhere = SourcePos(result.files[0] if result.files else "unknown.c", 1)
        self._with_baseline = with_baseline
        self._budget = FlowBudget()
        self._repairs = result.repairs
        self._advised: dict[int, str] = {}
        for location in locations_of(result):
            if location.verdict is Verdict.RACE:
                self._advised |= {pair.id: fix(location, pair) for pair in location.undecided}

    def result(self, entry: _Entry) -> dict[str, Json]:
        reason = entry.suppressed
        written: dict[str, Json] = {
            "ruleId": entry.rule.id,
            "ruleIndex": self._rule_numbers[entry.rule.id],
            "suppressions": [] if reason is None else [{"kind": "external", "justification": reason}],
        }
        if self._with_baseline:
            written["baselineState"] = "unchanged" if entry.is_known else "new"
        if entry.incident is not None:
            return written | self._incident(entry.incident, entry.rule)
        return written | self._pairs(entry.pairs, entry.rule)

    def _pairs(self, pairs: Sequence[PairResult], rule: Rule) -> dict[str, Json]:
        shown = pairs[0]
        first, second = _primary_first(shown.accesses)
        related = self._related(shown, second)
        written: dict[str, Json] = {
            "level": "note" if shown.scope in (Scope.BOUNDED, Scope.THIS_INPUT) else rule.level,
            "message": {"text": _message(pairs, first, second) + self._advice(shown)},
            "locations": [self._location(first.pos, _describe(first, shown.target), first.function)],
            "relatedLocations": related,
            "properties": {
                "target": shown.target,
                "pairs": list[Json](sorted(pair.id for pair in pairs)),
                "engine": shown.engine,
            },
        }
        fingerprints = [pair.fingerprint for pair in pairs if pair.fingerprint]
        if fingerprints:
            # GitHub looks at no other key than this one.
            written["partialFingerprints"] = {"primaryLocationLineHash": min(fingerprints)}
        flow = code_flow(shown, self._artifacts, self._budget) if shown.race is not None else None
        if flow is not None:
            written["codeFlows"] = [flow]
        numbers = {pair.id for pair in pairs}
        fixes = [self._fix(each) for each in self._repairs if each.pairs & numbers]
        if fixes:
            written["fixes"] = list[Json](fixes)
        return written

    def _advice(self, pair: PairResult) -> str:
        advised = self._advised.get(pair.id) if pair.verdict is Verdict.RACE else None
        return f" To repair it, {_plain(advised)}." if advised is not None else ""

    def _fix(self, repair: RepairResult) -> dict[str, Json]:
        """A repair that has passed its check; those that it was checked with are in it."""
        checked = "proved race-free then" if repair.is_proved else "the race is gone, not all of the location is proved"
        together = f"; together with: {'; '.join(repair.with_titles)}" if repair.with_titles else ""
        changes: dict[str, list[Json]] = {}
        for change in repair.changes:
            changes.setdefault(change.file, []).append(self._artifacts.change(change))
        return {
            "description": {"text": f"{repair.title} (checked: {checked}){together}"},
            "artifactChanges": [
                {"artifactLocation": self._artifacts.artifact(file), "replacements": replacements}
                for file, replacements in changes.items()
            ],
        }

    def _incident(self, incident: IncidentResult, rule: Rule) -> dict[str, Json]:
        where = f" in `{incident.function}`" if incident.function else ""
        detail = f": {incident.message}" if incident.message else ""
        text = f"{rule.title}{where}{detail}"
        return {
            "level": rule.level,
            "message": {"text": text},
            "locations": [self._location(incident.pos, text, incident.function)],
            "properties": {"thread": incident.thread},
        }

    def _location(self, pos: SourcePos | None, text: str, function: str) -> dict[str, Json]:
        if pos is None:
            return self._artifacts.location(self._somewhere, f"{text}; its line is not known", function)
        return self._artifacts.location(pos, text, function)

    def _related(self, pair: PairResult, second: AccessResult) -> list[Json]:
        """The other access, with the number that the message links to, then where the threads were created."""
        found: list[dict[str, Json]] = []
        if second.pos is not None:
            found.append(self._artifacts.location(second.pos, _describe(second, pair.target), second.function))
        for thread in threads_of(pair.race) if pair.race is not None else ():
            if thread.created is not None:
                found.append(self._artifacts.location(thread.created, f"{thread} by thread {thread.parent}"))
        return [{"id": i, **location} for i, location in enumerate(found[:MAX_RELATED], start=1)]


def _primary_first(accesses: tuple[AccessResult, AccessResult]) -> list[AccessResult]:
    """The access with fewer locks first: that is more often the one to change."""
    return sorted(accesses, key=lambda access: (access.pos is None, len(access.held)))


def _message(pairs: Sequence[PairResult], first: AccessResult, second: AccessResult) -> str:
    shown = pairs[0]
    problem = "Data race" if shown.verdict is Verdict.RACE else "Possible data race"
    if shown.is_for_this_input:
        problem = "No data race with this input, but other inputs were not tried,"
    targets = ", ".join(dict.fromkeys(pair.target for pair in pairs))
    other = _describe(second, shown.target)
    text = (
        f"{problem} on {targets}: {_describe(first, shown.target)} by {first.thread}, holding {_held(first)}, and "
        f"{f'[{_plain(other)}](1)' if second.pos is not None else other} by {second.thread}, holding {_held(second)}."
    )
    if shown.verdict is Verdict.UNKNOWN and shown.evidence:
        text += f" Known: {'; '.join(shown.evidence)}."
    return text


def _plain(text: str) -> str:
    """Fit to stand between the brackets of a link."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _describe(access: AccessResult, target: str) -> str:
    return f"{'atomic ' if access.is_atomic else ''}{access.kind.value} of {target} in `{access.function}`"


def _held(access: AccessResult) -> str:
    return ", ".join(access.held) or "no lock"


def _invocation(result: CheckResult, artifacts: Artifacts, exit_code: int, left_out: int) -> dict[str, Json]:
    notices: list[Json] = [_notice("assumption", "note", a.text, a.pos, artifacts) for a in result.assumptions]
    notices += [_notice("note", "note", text, None, artifacts) for text in result.notes]
    if result.reason is not None and result.verdict is Verdict.UNKNOWN:
        notices.append(_notice("not-decided", "warning", result.reason, None, artifacts))
    for engine in result.engines:
        if engine.stopped is not None:
            notices.append(_notice("engine-stopped", "warning", f"{engine.name}: {engine.stopped}", None, artifacts))
    if left_out:
        text = f"{left_out} more results are left out: only the {MAX_RESULTS} most important are here. --json has all."
        notices.append(_notice("results-left-out", "warning", text, None, artifacts))
    return {
        "executionSuccessful": not result.interrupted,
        "exitCode": exit_code,
        "toolExecutionNotifications": notices,
    }


def _notice(name: str, level: str, text: str, pos: SourcePos | None, artifacts: Artifacts) -> dict[str, Json]:
    notice: dict[str, Json] = {"descriptor": {"id": name}, "level": level, "message": {"text": text}}
    if pos is not None:
        notice["locations"] = [{"physicalLocation": artifacts.physical(pos)}]
    return notice
