"""The formats in which a result is written to files, by the name of the option."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from raceproof import report
from raceproof.cli.status import Exit
from raceproof.model import CheckResult, number_of
from raceproof.portfolio import MAX_PAIRS

SPECIFICATION = "CHECK( init(main()), LTL(G ! data-race) )"

_SARIF_LEVELS = 4  # each result a line


@dataclass(frozen=True, slots=True)
class _Wanted:
    result: CheckResult
    status: Exit
    with_baseline: bool
    with_all_pairs: bool


def _json(wanted: _Wanted) -> str:
    return report.json_text(report.to_json(wanted.result, wanted.with_all_pairs))


def _html(wanted: _Wanted) -> str:
    return report.to_html(wanted.result, _commands(sys.argv[1:]))


def _commands(arguments: Sequence[str]) -> report.Commands:
    """How to repeat the runs of the result that this command line has made: from its report, if it writes one."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own, rest = arguments[:end], arguments[end:]
    for number, argument in enumerate(own):
        name, separator, value = argument.partition("=")
        target = value if separator else "".join(own[number + 1 : number + 2])
        if name == "--json" and target not in ("", "-"):
            return report.Commands(shlex.quote(target))
    made = report.Commands()
    return replace(made, check=shlex.join(["raceproof", *own, "--json", made.report, *rest]))


def _sarif(wanted: _Wanted) -> str:
    log = report.to_sarif(
        wanted.result, root=Path.cwd(), with_baseline=wanted.with_baseline, exit_code=int(wanted.status)
    )
    return report.json_text(log, _SARIF_LEVELS)


def _witness(wanted: _Wanted) -> str | None:
    """None if no race was executed: then there is no violation to witness."""
    command = ["raceproof", *sys.argv[1:]]
    now = datetime.now(UTC).replace(microsecond=0)
    return report.to_witness(wanted.result, specification=SPECIFICATION, command=command, created=now)


def _trace(wanted: _Wanted) -> str:
    return json.dumps(report.to_trace_events(wanted.result)) + "\n"


FORMATS: Mapping[str, Callable[[_Wanted], str | None]] = {
    "json": _json,
    "html": _html,
    "sarif": _sarif,
    "witness": _witness,
    "trace": _trace,
}


def rendered(
    name: str, result: CheckResult, status: Exit, with_baseline: bool, with_all_pairs: bool = False
) -> str | None:
    """The content of the file; None if there is nothing to write, as is so of witnesses only."""
    is_small = number_of(result.pairs) <= MAX_PAIRS
    return FORMATS[name](_Wanted(result, status, with_baseline, with_all_pairs or is_small))
