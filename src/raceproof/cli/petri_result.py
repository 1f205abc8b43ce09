"""What `raceproof petri` has found out, as text and as JSON."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Literal

from raceproof import __version__, petri, report

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Story:
    """A run that covers a target. `says`: what happens; `lines`: for people; `steps`: for programs, one a firing."""

    says: str
    lines: tuple[str, ...]
    steps: tuple[dict[str, report.Json], ...]
    race: report.Json = None


@dataclass(frozen=True, slots=True)
class NetResult:
    """`net`: None if the time was up before there was one. `says`: the verdict in words; `text`: the
    program in the paper's language. Unless it is undecided, the
    independent checker has accepted the answer."""

    files: tuple[str, ...]
    net: petri.Net | None
    solution: petri.Solution
    seconds: float
    says: str = ""
    story: Story | None = None
    notes: tuple[str, ...] = ()
    text: str = ""

    @property
    def verdict(self) -> Literal["safe", "unsafe", "unknown"]:
        match self.solution:
            case petri.Safe():
                return "safe"
            case petri.Unsafe():
                return "unsafe"
            case petri.Undecided():
                return "unknown"


def sml_story(made: petri.SmlNet, unsafe: petri.Unsafe) -> Story | None:
    """Threads and source lines; None if a thread goes on where another one was."""
    trace = petri.tell_sml(made, unsafe)
    if trace is None:
        return None
    shown = [(str(step.pos), step.thread or "", step.text) for step in trace.steps if not step.is_silent]
    widths = [max((len(row[column]) for row in shown), default=0) for column in (0, 1)]
    lines = [f"{pos:<{widths[0]}}  {thread:<{widths[1]}}  {text}" for pos, thread, text in shown]
    first, second = trace.race
    return Story(
        says=f"{first.thread} is at `{first.action}`, line {first.action.pos.line}, "
        f"while {second.thread} is at `{second.action}`, line {second.action.pos.line}",
        lines=tuple(lines),
        steps=tuple(
            {
                "transition": step.transition,
                "thread": step.thread,
                "text": step.text,
                "file": step.pos.file,
                "line": step.pos.line,
                "column": step.pos.column,
            }
            for step in trace.steps
        ),
        race=[
            {
                "thread": racing.thread,
                "kind": racing.action.op.value,
                "target": racing.action.operands[0].text,
                "file": racing.action.pos.file,
                "line": racing.action.pos.line,
                "column": racing.action.pos.column,
            }
            for racing in trace.race
        ],
    )


def c_story(made: petri.ProgramNet, unsafe: petri.Unsafe) -> Story:
    """Threads and source lines. The net knows no data: the race is possible, not shown."""
    return Story(
        says="two threads may stand before accesses that race. The net knows no data, so this is a possible race; "
        "`raceproof check` looks for a run of the program that has it",
        lines=tuple(petri.describe_run(made, unsafe).split("; ")),
        steps=tuple(
            {
                "transition": made.net.transitions[number].name,
                "text": edge.what,
                "file": edge.pos.file if edge.pos is not None else None,
                "line": edge.pos.line if edge.pos is not None else None,
                "column": edge.pos.column if edge.pos is not None else None,
            }
            for number in unsafe.firing
            for edge in (made.steps[number],)
        ),
    )


def net_story(net: petri.Net, unsafe: petri.Unsafe) -> Story:
    """Transitions by name; repeated ones once, with how often."""
    names = [net.transitions[number].name for number in unsafe.firing]
    lines = [f"at first: {_spelled(net, unsafe.start)}"]
    for index, name in enumerate(names):
        if index and names[index - 1] == name:
            continue
        times = next((n for n, other in enumerate(names[index:]) if other != name), len(names) - index)
        lines.append(f"fire {name}" + (f", {times} times" if times > 1 else ""))
    last = _after(net, unsafe)
    lines.append(f"in the end: {_spelled(net, last)}")
    target = next(t for t in net.targets if all(dict(last).get(p, 0) >= n for p, n in t))
    return Story(
        says=f"a run covers the target {_spelled(net, target)}",
        lines=tuple(lines),
        steps=tuple({"transition": name} for name in names),
    )


def _after(net: petri.Net, unsafe: petri.Unsafe) -> petri.Marking:
    tokens = dict(unsafe.start)
    for number in unsafe.firing:
        for sign, side in ((-1, net.transitions[number].pre), (1, net.transitions[number].post)):
            for place, count in side:
                tokens[place] = tokens.get(place, 0) + sign * count
    return tuple(sorted((place, count) for place, count in tokens.items() if count))


def _spelled(net: petri.Net, marking: petri.Marking) -> str:
    return ", ".join(f"{net.places[place]} {count}" for place, count in marking) or "no tokens"


def format_result(result: NetResult) -> str:
    """For people: the verdict, the net, the run or what the proof consists of."""
    solution, net = result.solution, result.net
    says = solution.reason if isinstance(solution, petri.Undecided) else result.says
    lines = textwrap.wrap(f"{result.verdict}: {says}", WIDTH, subsequent_indent="  ")
    if net is not None:
        lines.append(
            f"net: {_count(len(net.places), 'place')}, {_count(len(net.transitions), 'transition')}, "
            f"{_count(len(net.targets), 'target')}"
        )
    if isinstance(solution, petri.Safe):
        certificate = solution.certificate
        lines.append(
            f"certificate: {_count(len(certificate.basis), 'minimal marking')}, "
            f"{_count(len(certificate.invariants), 'invariant')}; accepted by the independent checker"
        )
    if result.story is not None:
        lines.append(f"run: {_count(len(result.story.steps), 'step')}; repeated by the independent checker")
        lines += [f"  {line}" for line in result.story.lines]
    learned = [
        f"{name} {solution.stats[name]}" for name in ("kept", "subsumed", "iterations") if name in solution.stats
    ]
    lines.append(", ".join([*learned, f"{result.seconds:.2f} s"]))
    for note in result.notes:
        lines += textwrap.wrap(f"note: {note}", WIDTH, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def to_json(result: NetResult) -> dict[str, report.Json]:
    """As DESIGN says: `verdict`, `kept`, `subsumed`, `iterations`, `seconds`, and `certificate` or `trace`."""
    solution, net = result.solution, result.net
    fields: dict[str, report.Json] = {
        "version": __version__,
        "files": list(result.files),
        "verdict": result.verdict,
        "reason": solution.reason if isinstance(solution, petri.Undecided) else None,
        "says": result.says or None,
        **{name: solution.stats.get(name) for name in ("kept", "subsumed", "iterations")},
        "seconds": round(result.seconds, 3),
        "net": None
        if net is None
        else {"places": len(net.places), "transitions": len(net.transitions), "targets": len(net.targets)},
        "notes": list(result.notes),
    }
    match solution:
        case petri.Safe(certificate=certificate) if net is not None:
            fields["certificate"] = {
                "places": list(net.places),
                "basis": [_pairs(marking) for marking in certificate.basis],
                "invariants": [{"weights": _pairs(w), "bound": bound} for w, bound in certificate.invariants],
            }
        case petri.Unsafe() if net is not None and result.story is not None:
            fields["trace"] = {
                "places": list(net.places),
                "start": _pairs(solution.start),
                "firing": list(solution.firing),
                "steps": list(result.story.steps),
                "end": _pairs(_after(net, solution)),
                "race": result.story.race,
            }
    return fields


def _pairs(marking: petri.Marking) -> report.Json:
    """Places as numbers into `places`: names in a net that was read need not be unique."""
    return [[place, count] for place, count in marking]
