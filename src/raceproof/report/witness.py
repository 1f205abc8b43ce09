"""A race as an SV-COMP violation witness: YAML format 2.2, which has threads (`thread_id`, main is 0).

The segments say in which order the threads come by some lines; the last one has the two accesses that race, each in its
thread, with nothing said about their order.

What the format cannot say, or we do not know, is left out, which makes a witness weaker but never wrong:
- Columns: a waypoint stands at the beginning of a statement, debug information has the column of an operator. Without a
  column the format means the leftmost statement of the line. Lines that begin in the middle of a statement, and lines
  of headers, are left out.
- How often: each thread comes by each line once, even if the run has it in a loop. A line is also left out if the
  thread was already within its statement, in a call from it.
- Values of inputs: the run has them in order, but not at which call; they are in the description of the producer.
- Spurious wake-ups, weak behaviour of compare-and-exchange, and what threads hold.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import yaml

from raceproof.core import SourcePos
from raceproof.model import CheckResult, PairResult, Sources
from raceproof.report.json_format import Json
from raceproof.report.races import race_of, racing, steps_of

FORMAT_VERSION = "2.2"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "raceproof:witness")
_NO_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.DOTALL)


def to_witness(result: CheckResult, *, specification: str, command: Sequence[str], created: datetime) -> str | None:
    """The witness of the first race that the user wants to hear of; None if there is none with lines in the sources.

    `specification` is the text of the property, as in `CHECK( init(main()), LTL(G ! data-race) )`; `created` has a
    time zone.
    """
    if result.sources is None:
        return None
    try:
        files = _InputFiles(result.files)
    except OSError:  # its hash belongs into the witness
        return None
    for pair in sorted(result.pairs, key=lambda p: (p.suppressed is not None, p.id)):
        if pair.race is not None and all(files.name(access.pos) for _, access in racing(pair)):
            content = [{"segment": list(segment)} for segment in _segments(pair, files)]
            metadata = _metadata(result, pair, result.sources, files, specification, command, created)
            metadata["uuid"] = str(uuid.uuid5(_NAMESPACE, repr((metadata, content))))
            entry = {"entry_type": "violation_sequence", "metadata": metadata, "content": content}
            return yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=120)
    return None


def why_no_witness(result: CheckResult) -> str:
    """In a sentence, where `to_witness` has none."""
    if any(pair.race is not None for pair in result.pairs):
        return "no race was executed in lines of the files that were given"
    if result.deadlocks:
        return "the format has no property for deadlocks; --json has the run, and `raceproof replay` repeats it"
    return "no race was executed"


class _InputFiles:
    """The sources under the names that they were given with."""

    def __init__(self, files: Sequence[str]) -> None:
        self._names = {Path(file).resolve(): file for file in files}
        self.contents = {file: Path(file).read_bytes() for file in files}
        self._beginnings = {file: _beginnings(content) for file, content in self.contents.items()}

    def name(self, pos: SourcePos | None) -> str | None:
        return self._names.get(Path(pos.file).resolve()) if pos is not None else None

    def begins_statement(self, file: str, line: int) -> bool:
        return line in self._beginnings[file]


def _beginnings(source: bytes) -> frozenset[int]:
    """Lines at whose beginning a statement or block has just ended: what comes there is the beginning of another one.

    Errs on the side of leaving lines out.
    """
    text = _NO_CODE.sub(lambda match: "\n" * match[0].count("\n"), source.decode("utf-8", errors="replace"))
    found = set()
    ended, depth = False, 0  # depth: within parentheses, as the semicolons of a `for` are
    for number, line in enumerate(text.split("\n"), start=1):
        code = line.strip()
        if not code or code.startswith("#"):
            continue
        if ended and depth == 0:
            found.add(number)
        ended = code.endswith((";", "{", "}"))
        depth += code.count("(") - code.count(")")
    return frozenset(found)


def _segments(pair: PairResult, files: _InputFiles) -> Iterator[list[Json]]:
    targets = {(thread, _key(access.pos)) for thread, access in racing(pair)}
    seen = set(targets)
    for step in steps_of(race_of(pair)):
        seen |= {(step.thread, _key(call)) for call in step.calls}
        file = files.name(step.pos)
        if step.pos is None or file is None or (step.thread, _key(step.pos)) in seen:
            continue
        seen.add((step.thread, _key(step.pos)))
        if files.begins_statement(file, step.pos.line):
            passed: dict[str, Json] = {"constraint": {"value": "1", "format": "c_expression"}}
            yield [_waypoint("assumption", step.thread, file, step.pos.line, step.function, passed)]
    yield [
        _waypoint("target", thread, files.name(access.pos) or "", access.pos.line, access.function, {})
        for thread, access in racing(pair)
        if access.pos is not None
    ]


def _key(pos: SourcePos | None) -> tuple[str, int]:
    return (pos.file, pos.line) if pos is not None else ("", 0)


def _waypoint(kind: str, thread: int, file: str, line: int, function: str, more: dict[str, Json]) -> dict[str, Json]:
    location: dict[str, Json] = {"file_name": file, "line": line, "function": function}
    return {
        "waypoint": {"type": kind, "action": "follow", "thread_id": thread, "location": location, **more},
    }


def _metadata(
    result: CheckResult,
    pair: PairResult,
    sources: Sources,
    files: _InputFiles,
    specification: str,
    command: Sequence[str],
    created: datetime,
) -> dict[str, Json]:
    producer: dict[str, Json] = {"name": "raceproof", "version": result.version, "command_line": shlex.join(command)}
    inputs = race_of(pair).schedule.run.inputs
    if inputs:
        producer["description"] = f"values of the inputs, in the order of the run: {', '.join(map(str, inputs))}"
    hashes: dict[str, Json] = {file: hashlib.sha256(content).hexdigest() for file, content in files.contents.items()}
    return {
        "format_version": FORMAT_VERSION,
        "uuid": "",
        "creation_time": created.isoformat(timespec="seconds"),
        "producer": producer,
        "task": {
            "input_files": list(result.files),
            "input_file_hashes": hashes,
            "specification": specification,
            "data_model": sources.data_model,
            "language": "C",
        },
    }
