"""The rules of a SARIF file: what kinds of findings there are, how bad each is, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raceproof.report.json_format import Json


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding. `severity` is GitHub's number from 0.1 to 10 (from 7 high, from 4 medium)."""

    id: str
    title: str
    description: str
    advice: str
    level: str
    severity: str
    precision: str
    tags: tuple[str, ...]

    def descriptor(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "name": "".join(word.capitalize() for word in self.id.split("-")),
            "shortDescription": {"text": self.title},
            "fullDescription": {"text": self.description},
            "help": {
                "text": f"{self.description}\n\n{self.advice}",
                "markdown": f"# {self.title}\n\n{self.description}\n\n## What to do\n\n{self.advice}\n",
            },
            "defaultConfiguration": {"level": self.level},
            "properties": {
                "tags": list(self.tags),
                "precision": self.precision,
                "problem.severity": "error" if self.level == "error" else "warning",
                "security-severity": self.severity,
            },
        }


DATA_RACE = Rule(
    id="data-race",
    title="Data race",
    description="Two threads access the same memory at the same time, at least one of them writes, and nothing orders "
    "the two. In C this is undefined behaviour (C11 5.1.2.4). raceproof has executed it on the compiled program and "
    "repeated it.",
    advice="Let both accesses hold the same lock, order them (create, join, a condition), or make both atomic. "
    "`raceproof replay` shows the run step by step.",
    level="error",
    severity="7.5",
    precision="very-high",
    tags=("security", "correctness", "concurrency", "external/cwe/cwe-362"),
)

POSSIBLE_DATA_RACE = Rule(
    id="possible-data-race",
    title="Possible data race",
    description="Two threads may access the same memory at the same time, and at least one of them writes. raceproof "
    "could neither prove that this does not happen nor make it happen.",
    advice="Look whether something protects both accesses. If nothing does, add a lock. If something does that "
    "raceproof does not see, suppress the finding and say why. More time may decide it: `--time-limit`.",
    level="warning",
    severity="4.5",
    precision="medium",
    tags=("security", "correctness", "concurrency", "external/cwe/cwe-362"),
)

_DEADLOCK = Rule(
    id="deadlock",
    title="Deadlock",
    description="In an executed schedule every thread waits for another one: the program does not go on.",
    advice="Take locks in the same order everywhere, and let every wait have somebody who ends it.",
    level="warning",
    severity="5.0",
    precision="very-high",
    tags=("correctness", "concurrency", "external/cwe/cwe-833"),
)

_ASSERTION = Rule(
    id="assertion",
    title="Failed assertion",
    description="In an executed schedule an assertion of the program does not hold.",
    advice="The assertion may hold in other schedules: look at what the other threads did before.",
    level="warning",
    severity="4.0",
    precision="very-high",
    tags=("correctness", "concurrency", "external/cwe/cwe-617"),
)

_CRASH = Rule(
    id="crash",
    title="Crash",
    description="In an executed schedule the program ends with a signal.",
    advice="Look at the access at this place: the memory may be gone, or not be there yet, in this schedule.",
    level="warning",
    severity="6.0",
    precision="very-high",
    tags=("correctness", "concurrency"),
)

_KNOWN_INCIDENTS = {rule.id: rule for rule in (_DEADLOCK, _ASSERTION, _CRASH)}


def incident_rule(kind: str) -> Rule:
    """The rule for something else that an execution ran into: `stack overflow` is `stack-overflow`."""
    name = "-".join(kind.lower().split())
    return _KNOWN_INCIDENTS.get(name) or Rule(
        id=name,
        title=kind.capitalize(),
        description=f"In an executed schedule the program ran into this: {kind}.",
        advice="Look at this place and at what the other threads did before.",
        level="warning",
        severity="4.0",
        precision="very-high",
        tags=("correctness", "concurrency"),
    )


_NOTICES = {
    "assumption": ("note", "Assumption", "The verdict rests on this assumption."),
    "note": ("note", "Remark", "What the user should know about the settings of the run."),
    "not-decided": ("warning", "Not decided", "Why the program as a whole is not decided."),
    "engine-stopped": ("warning", "Engine stopped", "An engine ended before it was done."),
    "results-left-out": ("warning", "Results left out", "There are more results than this file has."),
}
"""Of what a run says beside its findings: level, title, description."""


def driver(version: str, rules: Sequence[Rule]) -> dict[str, Json]:
    """What the file says about raceproof itself."""
    return {
        "name": "raceproof",
        "fullName": f"raceproof {version}",
        "version": version,
        "semanticVersion": version,
        "shortDescription": {"text": "A verifier for data races in C programs with threads."},
        "fullDescription": {
            "text": "raceproof proves accesses race-free, executes and replays races, or says what is not known."
        },
        "rules": [rule.descriptor() for rule in rules],
        "notifications": [
            {
                "id": name,
                "name": "".join(word.capitalize() for word in name.split("-")),
                "shortDescription": {"text": title},
                "fullDescription": {"text": description},
                "defaultConfiguration": {"level": level},
            }
            for name, (level, title, description) in _NOTICES.items()
        ],
    }
