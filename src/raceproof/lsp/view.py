"""A report as an editor shows it: findings at their places, what is known of variables, threads and locks, by file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]
_CREATED = re.compile(r"`(?P<function>[^`]+)`, created at (?P<file>.*):(?P<line>\d+)(?P<many> \(several at once\))?")
_MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Place:
    """Lines and columns count from 1; `file` is absolute."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A race or an open location, at one of its two accesses. `race`: its number in the report, if it was executed;
    `others`: the other access, and the calls that led to both, each with what it is."""

    place: Place
    name: str
    message: str
    race: int | None
    others: tuple[tuple[Place, str], ...]
    is_suppressed: bool


@dataclass
class FileView:
    """Everything about one file. `hovers`: texts by line and last word of the location's name; `named`: those of the
    word alone. `lenses`: by line. `guards`: what each lock protects, by its last name."""

    findings: list[Finding] = field(default_factory=list)
    hovers: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)
    lenses: dict[int, list[str]] = field(default_factory=dict)
    guards: dict[str, list[str]] = field(default_factory=dict)


def views(report: Json) -> dict[str, FileView]:
    """By absolute name of the file."""
    found: dict[str, FileView] = {}
    root = str(report.get("root") or (report.get("sources") or {}).get("root") or os.getcwd())
    pairs = {int(pair["id"]): pair for pair in report["pairs"]}
    guards: dict[str, list[str]] = {}
    for location in report["locations"]:
        summary = _summary(report, location, root)
        word = _word(location["name"])
        for site in (site for each in location["classes"] for site in each["sites"] if site["line"]):
            place = _place(site, root)
            view = found.setdefault(place.file, FileView())
            _add(view.hovers.setdefault((place.line, word), []), summary)
            _add(view.named.setdefault(word, []), summary)
        for lock, held, total in _locks(location):
            _add(guards.setdefault(_word(lock), []), f"{_plain(location['name'])} ({held} of {total})")
        for finding in _findings(location, pairs, root):
            found.setdefault(finding.place.file, FileView()).findings.append(finding)
    for file, line, text in _threads(report, root):
        _add(found.setdefault(file, FileView()).lenses.setdefault(line, []), text)
    for view in found.values():
        view.guards = guards
    return found


def _add(texts: list[str], text: str) -> None:
    if text not in texts:
        texts.append(text)


def _place(site: Json, root: str) -> Place:
    file = os.path.normpath(os.path.join(root, site["file"]))
    return Place(file, int(site["line"]), max(int(site["column"]), 1))


def _word(name: str) -> str:
    """The name that stands in the source at an access."""
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", _plain(name)))
    return words[-1] if words else ""


def _plain(name: str) -> str:
    return str(name).partition(" (")[0]


def _locks(location: Json) -> list[tuple[str, int, int]]:
    """Locks, at how many of the places each is held, and how many there are."""
    held: dict[str, set[tuple[str, int, int]]] = {}
    places: dict[tuple[str, int, int], set[str]] = {}
    for each in location["classes"]:
        locks = {str(lock).removesuffix(" (shared)") for lock in each["locks"]}
        for site in each["sites"]:
            key = (site["file"], site["line"], site["column"])
            places[key] = places.get(key, locks) & locks
    for key, locks in places.items():
        for lock in locks:
            held.setdefault(lock, set()).add(key)
    counted = [(lock, len(keys), len(places)) for lock, keys in held.items()]
    return sorted(counted, key=lambda found: (-found[1], found[0]))


def _summary(report: Json, location: Json, root: str) -> str:
    """One sentence or two about a location."""
    name, verdict = _plain(location["name"]), location["verdict"]
    locks = _locks(location)
    atomic = all(each["atomic"] for each in location["classes"])
    if locks and 2 * locks[0][1] >= locks[0][2]:
        lock, held, total = locks[0]
        by = f"guarded by {_plain(lock)} at {held} of {total} accesses"
    else:
        by = "atomic" if atomic else "no lock is held at most of its accesses"
    if verdict == "race":
        lines = sorted({site["line"] for c in location["classes"] if c["open"] for site in c["sites"]})
        state = f"**race**, executed: lines {', '.join(map(str, lines))}"
    elif verdict == "race-free":
        scopes = {p["scope"] for p in report["pairs"] if p["target"] == location["name"]} - {None}
        known = {"all-inputs": "for all inputs", "any-threads": "for all inputs and any number of threads"}
        state = "proved race-free " + (known.get(scopes.pop(), "for this input") if len(scopes) == 1 else "")
    else:
        state = f"not proved: {location['cause'] or 'open'}"
    return f"`{name}`: {by}; {state.strip()}"


def _findings(location: Json, pairs: Mapping[int, Json], root: str) -> Iterator[Finding]:
    if location["verdict"] == "race-free":
        return
    shown = [pairs[number] for number in location["races"] if number in pairs]
    if not shown:
        names = (p for p in pairs.values() if p["target"] == location["name"] and p["verdict"] == "unknown")
        shown = [p for p in names if p["scope"] != "this-input"][:1]
    for pair in shown:
        first, second = sorted(pair["accesses"], key=lambda a: (not a["line"], len(a["locks"])))
        race = int(pair["id"]) if pair["verdict"] == "race" else None
        for here, other in ((first, second), (second, first)):
            if here["line"]:
                yield _finding(location, pair, here, other, race, root)
            if (first["file"], first["line"], first["column"]) == (second["file"], second["line"], second["column"]):
                break


def _finding(location: Json, pair: Json, here: Json, other: Json, race: int | None, root: str) -> Finding:
    kind = "data race" if race is not None else "possible data race"
    held = ", ".join(map(_plain, here["locks"])) or "no lock"
    message = f"{kind} on {_plain(location['name'])}: {here['kind']} holding {held}"
    remedy = location.get("fix") or (location["advice"] or [location["cause"] or ""])[0]
    if remedy:
        message += f"; {remedy}"
    others = []
    if other["line"]:
        locks = ", ".join(map(_plain, other["locks"])) or "no lock"
        others.append((_place(other, root), f"{other['kind']} by {other['thread']}, holding {locks}"))
    for text, access in (("called here", here), ("the other one is called here", other)):
        for call in access["calls"][-1:]:
            file, line, column = str(call).rsplit(":", 2)
            others.append((_place({"file": file, "line": line, "column": column}, root), text))
    return Finding(
        _place(here, root),
        location["name"],
        message,
        race,
        tuple(others),
        pair["suppressed"] is not None or pair["known"],
    )


def _threads(report: Json, root: str) -> Iterator[tuple[str, int, str]]:
    """Where threads are created, and which functions they run."""
    for location in report["locations"]:
        for each in location["classes"]:
            for thread in each["threads"]:
                found = _CREATED.search(thread)
                if found is not None:
                    file = os.path.normpath(os.path.join(root, found["file"]))
                    yield file, int(found["line"]), f"creates a thread that runs {found['function']}"


def guarded(view: FileView, lock: str) -> str | None:
    """What a lock protects, for the line that declares it."""
    found = view.guards.get(lock)
    if not found:
        return None
    more = f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return f"protects {', '.join(found[:_MOST_NAMES])}{more}"
