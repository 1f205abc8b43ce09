"""docs/thread_api.md, printed from the specification: `python -m conformance.document`, to be started in `tests`."""

from __future__ import annotations

from pathlib import Path

from raceproof.spec import FUNCTIONS, RULES, Basis, Effect, ObjectType, Outcome, Rule

DOCUMENT = Path(__file__).parents[2] / "docs" / "thread_api.md"
_HEAD = """# The thread API

Printed from `src/raceproof/spec` by `tests/conformance/document.py`; a test compares the two. One row for each state of
an object, as the calling thread sees it, and operation. *required*: the standard demands it; *allowed*: it permits it;
*undefined*: it says nothing any more, and this is what glibc does. Outcomes that glibc does not have, or that the
explorer does not try, say so. Clauses: XSH and XBD are POSIX.1-2017, C11 is ISO/IEC 9899:2011.
"""


def _outcome(outcome: Outcome) -> str:
    what = "waits" if outcome.result is None else outcome.result.name
    if outcome.effect is not Effect.NONE:
        what += f", {outcome.effect.value}"
    edges = [f"{'releases to' if e.releases else 'acquires from'} {e.clock.value}" for e in outcome.edges]
    marks = [] if outcome.basis is Basis.REQUIRED else [outcome.basis.value]
    marks += [] if outcome.glibc else ["not glibc"]
    marks += [] if outcome.explored else ["not explored"]
    marks += [outcome.note] if outcome.note else []
    return "; ".join([what, *edges]) + (f" ({', '.join(marks)})" if marks else "")


def _object(rule: Rule) -> str:
    kinds = "" if len(rule.kinds) == 5 else ", ".join(sorted(kind.value for kind in rule.kinds))
    robust = "" if rule.robust is None else "robust" if rule.robust else "not robust"
    return ", ".join(part for part in (kinds, robust) if part)


def as_markdown() -> str:
    lines = [_HEAD]
    for type_ in ObjectType:
        lines += [f"## {type_.value[0].upper()}{type_.value[1:]}", ""]
        named = {name: f for name, f in FUNCTIONS.items() if any(op.object is type_ for p in f.phases for op in p)}
        for name, function in named.items():
            phases = [" and ".join(op.name for op in phase if op.object is type_) for phase in function.phases]
            point = "; a cancellation point" if function.is_cancellation_point else ""
            lines.append(f"- `{name}`: {', then '.join(phase for phase in phases if phase)}{point}")
        lines += ["", "| operation | state | outcomes | clause |", "|---|---|---|---|"]
        for rule in (rule for rule in RULES if rule.object is type_):
            of = _object(rule)
            state = f"{rule.seen.value} ({of})" if of else rule.seen.value
            outcomes = "<br>".join(_outcome(outcome) for outcome in rule.outcomes)
            lines.append(f"| {rule.operation} | {state} | {outcomes} | {rule.clause} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    DOCUMENT.write_text(as_markdown(), encoding="utf-8")
