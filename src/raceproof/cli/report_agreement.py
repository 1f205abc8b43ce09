"""Whether what a report says about the program, its input and itself agrees with the program analysed anew.

What was executed is compared elsewhere (`report_wording`): that takes a run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from raceproof import lockset, portfolio, report
from raceproof.cli.report_file import Fields, ReportedClaims
from raceproof.core import InputError
from raceproof.model import (
    ConcurrentProgram,
    DeadlockVerdict,
    GivenInput,
    Property,
    RacePair,
    RunSetup,
    Scope,
    Verdict,
)

_VOUCHED = "the user says that"
_ANSWER = ("verdict", "scope", "reason")


def disagreements(
    reported: ReportedClaims, cp: ConcurrentProgram, pairs: tuple[RacePair, ...], namer: portfolio.Namer
) -> tuple[str, ...]:
    """What in the report is not so. Fields that reports of earlier versions do not have are not asked for."""
    fields = reported.fields
    try:
        return (
            *_about_sources(fields),
            *_about_properties(fields),
            *_about_input(reported, cp),
            *_about_obstacles(fields, cp),
            *_about_assumptions(reported, cp),
            *_about_pairs(reported, pairs, namer),
            *_about_locations(fields),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"not a report of raceproof that can be checked ({error!r})") from None


def trusted(reported: ReportedClaims, cp: ConcurrentProgram) -> tuple[str, ...]:
    """What was believed because the user says so, and nobody can check."""
    found = [a.text for a in cp.assumptions if a.text.startswith(_VOUCHED)]
    claims = reported.claims
    scopes = (claims.scope, claims.deadlock.scope if claims.deadlock is not None else None)
    if claims.is_accepted and Scope.THIS_INPUT in scopes and cp.inputs != ():
        found.append("the user says that a proof for the given input is enough")
    return tuple(dict.fromkeys(found))


def _about_sources(fields: Fields) -> Iterator[str]:
    """What was compiled is told in several places."""
    sources, replay = fields.get("sources"), fields.get("replay")
    if sources is None:
        return
    for name, value in sources.items():
        if replay is not None and replay.get(name) != value:
            yield f"`sources` and `replay` do not have the same {name}"
    files = [file["file"] for file in sources["files"]]
    if "program" in fields and fields["program"]["files"] != files:
        yield f"it is about {_texts(fields['program']['files'])}, and {_texts(files)} was compiled"
    if fields.get("root", sources.get("root")) != sources.get("root"):
        yield "its root is not that of what was compiled"


def _about_properties(fields: Fields) -> Iterator[str]:
    """The headline is the answer on races, if they were asked about; that names no engine."""
    entries = fields.get("properties")
    if entries is None:
        return
    races = [entry for entry in entries if entry["property"] == Property.DATA_RACE.value]
    first = (races or entries)[0]
    for name in _ANSWER:
        if first[name] != fields[name]:
            yield f"its {name} is not that on {first['property']}"
    if any(entry["engine"] is not None or entry["evidence"] for entry in races):
        yield "the answer on races is that on all pairs, not of one engine"


def _about_input(reported: ReportedClaims, cp: ConcurrentProgram) -> Iterator[str]:
    given = reported.fields.get("input")
    if given is None:
        return
    if reported.setup is not None:
        yield from _about_execution(reported.setup, given)
    derived = report.given_to_json(GivenInput((), "", (), reads=cp.inputs or (), is_accepted=False))
    if cp.inputs is not None and given["reads"] != _plain(derived["reads"]):
        yield "the program asks for its input elsewhere"


def _about_execution(setup: RunSetup, given: Fields) -> Iterator[str]:
    """What the program was executed with; without any execution it may be said to be given whatever it was."""
    around = setup.surroundings
    if tuple(given["arguments"]) != setup.arguments:
        yield "the program was executed with other arguments than it is said to be given"
    if given["stdin"] != around.stdin.decode("utf-8", "backslashreplace"):
        yield "the program was executed with another standard input than it is said to be given"
    if tuple(given["clients"]) != around.clients or tuple(given.get("servers", ())) != around.servers:
        yield "the program was executed with other clients or servers than it is said to have"
    if any(given["environment"].get(name) != value for name, value in around.environment):
        yield "the program was executed in another environment than it is said to have"


def _about_obstacles(fields: Fields, cp: ConcurrentProgram) -> Iterator[str]:
    derived = list(cp.program.obstacles)
    if fields.get("obstacles", derived) != derived:
        yield f"it names other obstacles than the program has: {_texts(derived) or 'none'}"


def _about_assumptions(reported: ReportedClaims, cp: ConcurrentProgram) -> Iterator[str]:
    """Everything that had to be assumed is told."""
    spurious = reported.setup is None or reported.setup.spurious
    assumed = [*cp.assumptions, *portfolio.taken_for_granted(cp, lockset.may_be_outlived(cp), spurious)]
    texts = [assumption.text for assumption in assumed]
    claims = reported.claims
    left = sum(pair.verdict is not Verdict.RACE_FREE for pair in claims.pairs)
    if claims.left_out:
        left = 0  # how many of those that are not listed are proved cannot be told
    if claims.deadlock is not None and claims.deadlock.verdict is DeadlockVerdict.DEADLOCK_FREE and left:
        texts.append(portfolio.without_races(left))
    for text in dict.fromkeys(texts):
        if text not in claims.assumptions:
            yield f"it does not say that it assumes: {text}"


def _about_pairs(reported: ReportedClaims, pairs: tuple[RacePair, ...], namer: portfolio.Namer) -> Iterator[str]:
    """What each pair is about, and who accesses it how; what a race shows takes its run."""
    by_key = {(pair.first, pair.second): pair for pair in pairs}
    ways: dict[int, list[Any]] = {}
    for claim, told in zip(reported.claims.pairs, reported.fields["pairs"], strict=True):
        pair = by_key.get(claim.key)
        if pair is None:
            continue  # of another program, which is found out elsewhere
        place = namer.location(namer.raced(pair, claim.schedule) if claim.schedule is not None else pair.target)
        if told["target"] != place:
            yield f"pair {claim.id} is about {place}, not {told['target']}"
        for number, access in zip(claim.key, told["accesses"], strict=True):
            if claim.verdict is Verdict.RACE:
                continue
            if number not in ways:
                ways[number] = [_plain(report.access_to_json(way)) for way in namer.ways(number)]
            if access not in ways[number]:
                yield f"pair {claim.id} has an access that no thread makes in this way, at line {access['line']}"


def _about_locations(fields: Fields) -> Iterator[str]:
    """Each has the pairs of its name, and the verdict that follows; of pairs that are not listed only their number is
    known, and that none of them is a race."""
    if "locations" not in fields:
        return
    told: Counter[tuple[str, str]] = Counter()
    for location in fields["locations"]:
        counts = {str(verdict): int(count) for verdict, count in location["pairs"].items()}
        worst = next((v.value for v in (Verdict.RACE, Verdict.UNKNOWN, Verdict.RACE_FREE) if counts.get(v.value)), None)
        if location["verdict"] != worst:
            yield f"the verdict on location {location['name']} is not that of its worst pair"
        told.update({(location["name"], verdict): count for verdict, count in counts.items() if count})
    listed = Counter((pair["target"], pair["verdict"]) for pair in fields["pairs"])
    left_out = int(fields.get("pairs_left_out", 0))
    if left_out:
        races = {key: count for key, count in told.items() if key[1] == Verdict.RACE.value}
        agrees = races == dict(listed) and sum(told.values()) == sum(listed.values()) + left_out
    else:
        agrees = +told == listed
    if not agrees:
        yield "its locations are not those of its pairs"


def _plain(value: Any) -> Any:
    """As JSON has it: there are no tuples."""
    return json.loads(json.dumps(value))


def _texts(words: Any) -> str:
    return ", ".join(map(str, words))
