"""The state of a search in a file, from which the same search goes on.

The file has the open nodes of the tree and the ledger, as JSON behind a line with its hash. Items that were at work are
open in it, and of what they did nothing counts, so that each execution counts once. It belongs to one search: program,
options, runtime and version must be the same; limits, the number of workers and the cluster need not.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from raceproof.core import InputError
from raceproof.explore.build import runtime_digest
from raceproof.explore.estimate import Estimate
from raceproof.explore.ledger import Ledger
from raceproof.explore.parallel import State
from raceproof.explore.protocol import BoundedRecord, Control, OtherRecord, OutputRecord, RaceRecord, parse
from raceproof.explore.record_text import format_record
from raceproof.explore.tree import Node, Tree
from raceproof.model import AccessId

FORMAT: Final = 1
_MAGIC: Final = "raceproof checkpoint"
_EVERY: Final = 10.0  # seconds

Json = dict[str, Any]  # read back with a check of its hash, by the code that wrote it


class Checkpoint:
    """The file of one search. `problem`: why it could not be written the last time."""

    def __init__(self, path: Path, program: Path, control: Control, isolation: str, every: float = _EVERY) -> None:
        self.path, self.isolation, self.every = path, isolation, every
        self.problem: str | None = None
        self.search = _search(program, control)
        self._written = time.monotonic()

    def load(self) -> State | None:
        """What was kept; None if nothing was. Raises `InputError` if it is of another search."""
        kept = read(self.path)
        if kept is None:
            return None
        for what, theirs, ours in (
            ("by another version of raceproof", kept["version"], _version()),
            ("by other sources of raceproof's runtime", kept["runtime"], runtime_digest()),
            ("for another program, or with other arguments or options", kept["search"], self.search),
        ):
            if theirs != ours:
                raise InputError(
                    f"--checkpoint {self.path}: it was written {what}; give the same again, or another file, or remove"
                    " it to begin anew"
                )
        return _state(kept["state"])

    def keep(self, state: State, is_end: bool) -> None:
        """Now and then, and at the end."""
        now = time.monotonic()
        if not is_end and now - self._written < self.every:
            return
        head = {"version": _version(), "runtime": runtime_digest(), "search": self.search, "isolation": self.isolation}
        try:
            _write(self.path, {**head, "state": _to_json(state)})
            self.problem = None
        except OSError as error:
            self.problem = f"the checkpoint {self.path} could not be written: {error.strerror}"
        self._written = time.monotonic()


def kept_isolation(path: Path) -> str | None:
    """How the search in the file keeps its executions apart; None if there is none."""
    kept = read(path)
    return str(kept["isolation"]) if kept is not None else None


def read(path: Path) -> Json | None:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--checkpoint {path}: {error}") from None
    head, _, body = text.partition("\n")
    words = head.split(" ")
    if words[:2] != _MAGIC.split(" ") or len(words) != 4:
        raise InputError(f"--checkpoint {path}: it is not a checkpoint; give another file")
    if words[2] != str(FORMAT):
        raise InputError(
            f"--checkpoint {path}: it was written by another version of raceproof; remove it to begin anew"
        )
    if hashlib.sha256(body.encode("utf-8")).hexdigest() != words[3]:
        raise InputError(f"--checkpoint {path}: it is damaged; remove it to begin anew")
    kept: Json = json.loads(body)
    return kept


def _write(path: Path, content: Json) -> None:
    """Whole or not at all."""
    body = json.dumps(content, separators=(",", ":"))
    head = f"{_MAGIC} {FORMAT} {hashlib.sha256(body.encode('utf-8')).hexdigest()}\n"
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(head + body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _version() -> str:
    from raceproof import __version__

    return __version__


def _search(program: Path, control: Control) -> str:
    """A hash of what is searched; the name of a program is one of its content."""
    asked = replace(control, part=None, time_limit=0.0, max_executions=0)
    whole = hashlib.sha256(f"{program.name}\n{asked.text()}".encode("utf-8", "surrogateescape"))
    whole.update(control.surroundings.stdin)
    return whole.hexdigest()


# -- the state as JSON


def _to_json(state: State) -> Json:
    nodes: dict[Node, int] = {}
    rows: list[list[object]] = []

    def number(node: Node) -> int:
        for one in node.prefix():  # those above come first
            if one not in nodes:
                nodes[one] = len(rows)
                above = nodes[one.above] if one.above is not None else -1
                rows.append([above, one.thread, one.mask, one.taken, one.mass, one.share, one.failures])
        return nodes[node]

    open_ = [number(node) for node in (*(entry[2] for entry in sorted(state.tree.open)), *state.at_work)]
    return {
        "nodes": rows,
        "open": open_,
        "whole": state.tree.whole,
        "done": state.tree.done,
        "is_alone": state.is_alone,
        "estimate": asdict(state.estimate),
        "ledger": _ledger_to_json(state.ledger),
    }


def _ledger_to_json(ledger: Ledger) -> Json:
    kept = (*ledger.others.values(), *ledger.bounds.values(), *((ledger.output,) if ledger.output else ()))
    return {
        "threads": ledger.threads,
        "known": sorted(ledger.known),
        "visible": sorted(ledger.visible),
        "races": [[*order, format_record(record)] for order, record in ledger.races.values()],
        "records": [format_record(record) for record in kept],
        "totals": dict(ledger.totals),
        "items": ledger.items,
        "seconds": ledger.seconds,
        "lost": ledger.lost,
        "given_up": ledger.given_up,
    }


def _state(kept: Json) -> State:
    tree, nodes = Tree(), list[Node]()
    for above, thread, mask, taken, mass, share, failures in kept["nodes"]:
        node = Node(nodes[above] if above >= 0 else None, thread, mask, mass)
        node.taken, node.share, node.failures = taken, share, failures
        nodes.append(node)
    for number in kept["open"]:
        tree.add(nodes[number])
    tree.whole, tree.done = kept["whole"], kept["done"]
    estimate = Estimate(**kept["estimate"])
    estimate.earlier = [(made, expected, whole) for made, expected, whole in estimate.earlier]
    return State(tree, _ledger(kept["ledger"]), estimate, kept["is_alone"])


def _ledger(kept: Json) -> Ledger:
    ledger = Ledger(
        threads=[(parent, number) for parent, number in kept["threads"]],
        known=set(kept["known"]),
        visible={AccessId(access) for access in kept["visible"]},
        totals=Counter(kept["totals"]),
        items=kept["items"],
        seconds=kept["seconds"],
        lost=kept["lost"],
        given_up=kept["given_up"],
    )
    for is_apart, threads, line in kept["races"]:
        race = parse(line)
        assert isinstance(race, RaceRecord)
        first, second = sorted(race.accesses)
        ledger.races[first, second] = ((is_apart, tuple(threads)), race)
    for line in kept["records"]:
        record = parse(line)
        assert isinstance(record, OtherRecord | BoundedRecord | OutputRecord)
        ledger.take(record, ())
    return ledger
