"""A run step by step, for a person at a terminal:

thread 1 `teller`, created at bank.c:44
  1.3  write account.balance = 5, holding account+40
       bank.c:22  to->balance += amount;
"""

from __future__ import annotations

from typing import TextIO

from raceproof.core import SourcePos
from raceproof.model import Trace, TraceStep, Verdict
from raceproof.report.colors import Paint
from raceproof.report.source_lines import SourceLines

WIDTH = 100


def write_trace(trace: Trace, stream: TextIO, color: bool, root: str = "") -> None:
    """Write the steps in the order in which they happened; the end says what they led to."""
    paint, source = Paint(color), SourceLines(root)
    names = {thread.id: str(thread) for thread in trace.threads}
    current: int | None = None
    for step in trace.steps:
        if step.thread != current:
            current = step.thread
            stream.write(f"\n{paint.bold(names.get(current, f'thread {current}'))}\n")
        _write_step(step, stream, paint, source)
    stream.write("\n")
    _write_end(trace, stream, paint, source, names)
    stream.write(f"{len(trace.steps)} steps, trace {trace.digest}\n")


def _write_step(step: TraceStep, stream: TextIO, paint: Paint, source: SourceLines) -> None:
    number = f"{step.thread}.{step.number}"
    what = " ".join(word for word in (step.operation, step.address) if word)
    if step.value:
        what += f" = {step.value}"
    if step.held:
        what += f", holding {', '.join(step.held)}"
    stream.write(f"{number:>7}  {what}\n")
    _write_line(step.pos, stream, paint, source)


def _write_line(pos: SourcePos | None, stream: TextIO, paint: Paint, source: SourceLines) -> None:
    if pos is None:
        return
    place = f"{pos.file}:{pos.line}"
    text = source.text(pos, WIDTH - 11 - len(place))
    stream.write(" " * 9 + paint.dim(place) + (f"  {text}" if text else "") + "\n")


def _write_end(trace: Trace, stream: TextIO, paint: Paint, source: SourceLines, names: dict[int, str]) -> None:
    if trace.racing:
        how = "both threads stand before their accesses" if trace.together else "nothing orders these two accesses"
        stream.write(f"{paint.verdict(Verdict.RACE, 'data race')} on {paint.bold(trace.target)}: {how}\n")
        for thread, access in trace.racing:
            atomic = "atomic " if access.is_atomic else ""
            stream.write(f"  {atomic}{access.kind.value} in `{access.function}` by {names.get(thread, thread)}\n")
            _write_line(access.pos, stream, paint, source)
    for step in trace.waiting:
        what = " ".join(word for word in (step.operation, step.address) if word)
        held = f", holding {', '.join(step.held)}" if step.held else ""
        stream.write(f"{names.get(step.thread, f'thread {step.thread}')} waits in {what}{held}\n")
        _write_line(step.pos, stream, paint, source)
    for text in trace.ended:
        stream.write(f"{paint.bold(text)}\n")
    if not trace.repeated:
        stream.write(paint.verdict(Verdict.UNKNOWN, "This run did not show again what was reported.") + "\n")
