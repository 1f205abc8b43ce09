"""Changes of a program, and what each may do to its races.

Changes of trees (generated programs) know what they change; those of texts serve any C program. Each draws where it
changes something, and gives None where there is nothing to change.

Why the claims hold, for sequentially consistent executions and C11's happens-before:

- *names*, *dead code*, *idle thread*: nothing that is executed, or nothing that concerns anybody else.
- *order*: two neighbouring plain accesses of one thread to different variables, without a local that one sets and
  the other uses. Nothing but a race can tell; what is changed twice is as it was, so it neither makes nor mends one.
- *thread order*: creations that stand side by side order nothing among themselves, nor do the joins of all of them.
- *split*: a statement in a function of its own.
- *wider*: an access moves into the critical section before or behind it. Executions of the wider program are executions
  of the first one, with an unlock that comes later or a lock that comes earlier, so with more order, not less: what was
  race-free stays so. Not where a lock is tried, which would fail more often.
- *unlocked*: one critical section is none any more. Anything may come of it; what does must be found.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, unique
from typing import Final

from exploration.families import Specimen
from exploration.syntax import ACCESS, If, Line, Loop, Section, Source, Stmt, render

from raceproof.facts import is_atomic_function
from raceproof.ir import Program


@unique
class Claim(Enum):
    """What is claimed of the changed program: the same lines race, and the same are proved by engines that do not run
    out of time; it races if and only if the first one does; it is race-free if the first one is; nothing but that the
    engines agree on it."""

    SAME_LINES = "the same lines"
    SAME_VERDICT = "the same verdict"
    STAYS_RACE_FREE = "stays race-free"
    ANYTHING = "anything"


Changed = Callable[[Specimen, Program, random.Random], "Specimen | None"]


@dataclass(frozen=True, slots=True)
class Change:
    claim: Claim
    apply: Changed


# -- of texts

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//[^\n]*|^[ \t]*#[^\n]*|\b[A-Za-z_]\w*\b', re.MULTILINE)
_MAIN = re.compile(r"^(?:static |extern )*(?:int|void)\s+main\s*\([^)]*\)\s*\{", re.MULTILINE)
_LOCK = re.compile(r"pthread_mutex_(?:un)?lock\(&(\w+)\);")
_IDLE = "static void *idle_thread(void *arg) { return arg; } "
_JOINED = " { pthread_t idle; if (pthread_create(&idle, 0, idle_thread, 0) == 0) pthread_join(idle, 0); }"


def _names(whole: Specimen, program: Program, rng: random.Random) -> Specimen | None:
    """Other names for all functions and global variables, but those whose names mean something."""
    functions = [f.source_name for f in program.functions.values()]
    own = {name for name in (*functions, *(g.source_name for g in program.globals.values())) if name.isidentifier()}
    own = {name for name in own if name != "main" and not is_atomic_function(name)}

    def other(match: re.Match[str]) -> str:
        return f"other_{match.group()}" if match.group() in own else match.group()

    return replace(whole, text=_TOKEN.sub(other, whole.text), source=None) if own else None


def _dead_code(whole: Specimen, program: Program, rng: random.Random) -> Specimen | None:
    dead = "static int unused_data;\nvoid unused_function(void) { unused_data++; }\n"
    return replace(whole, text=f"{whole.text}{dead}", source=None)


def _idle_thread(whole: Specimen, program: Program, rng: random.Random) -> Specimen | None:
    """A thread that does nothing and is joined, before anything else; no line is moved."""
    main = _MAIN.search(whole.text)
    if main is None:
        return None
    text = f"{whole.text[: main.start()]}{_IDLE}{main.group()}{_JOINED}{whole.text[main.end() :]}"
    return replace(whole, text=text, source=None)


def _without_mutex(whole: Specimen, program: Program, rng: random.Random) -> Specimen | None:
    """One mutex is never taken. Only one that nobody waits with, tries, or has a pointer to."""
    taken = sorted(set(_LOCK.findall(whole.text)))
    fitting = [name for name in taken if len(re.findall(rf"&{name}\b", whole.text)) == _uses(whole.text, name)]
    if not fitting:
        return None
    gone = rng.choice(fitting)
    return replace(whole, text=re.sub(rf"pthread_mutex_(?:un)?lock\(&{gone}\);", ";", whole.text), source=None)


def _uses(text: str, name: str) -> int:
    return len(re.findall(rf"pthread_mutex_(?:lock|unlock|init|destroy)\(&{name}\b", text))


# -- of trees

_LOCAL = re.compile(r"(?<![@\w])(?:[repq]\d|k)\b")
_SHARED = re.compile(r"@\w+")
Body = tuple[Stmt, ...]


def _bodies(body: Body) -> Iterator[tuple[Body, Callable[[Body], Body]]]:
    """The body and all bodies in it, each with what puts another one in its place."""
    yield body, lambda other: other
    for at, stmt in enumerate(body):

        def put(new: Stmt, at: int = at) -> Body:
            return (*body[:at], new, *body[at + 1 :])

        match stmt:
            case Section():
                for inner, place in _bodies(stmt.body):
                    yield inner, lambda o, s=stmt, p=place, put=put: put(replace(s, body=p(o)))  # type: ignore[misc]
            case Loop():
                for inner, place in _bodies(stmt.body):
                    yield inner, lambda o, s=stmt, p=place, put=put: put(replace(s, body=p(o)))  # type: ignore[misc]
            case If():
                for inner, place in _bodies(stmt.then):
                    yield inner, lambda o, s=stmt, p=place, put=put: put(replace(s, then=p(o)))  # type: ignore[misc]
                for inner, place in _bodies(stmt.otherwise):
                    yield inner, lambda o, s=stmt, p=place, put=put: put(replace(s, otherwise=p(o)))  # type: ignore[misc]
            case _:
                pass


Candidate = tuple[int, Body]
"""A thread, and its body after the change."""


def _candidates(source: Source, change: Callable[[Body, int], Body | None]) -> list[Candidate]:
    """Every way to change a body of a thread at some position."""
    found: list[Candidate] = []
    for thread, whole in enumerate(source.threads):
        for body, place in _bodies(whole):
            for at in range(len(body)):
                changed = change(body, at)
                if changed is not None:
                    found.append((thread, place(changed)))
    return found


def _somewhere(change: Callable[[Body, int], Body | None], unless: str = "") -> Changed:
    """At one of all places where it can be done; not in a program with the word `unless`."""

    def apply(whole: Specimen, program: Program, rng: random.Random) -> Specimen | None:
        if whole.source is None or (unless and unless in whole.text):
            return None
        found = _candidates(whole.source, change)
        if not found:
            return None
        thread, body = rng.choice(found)
        threads = (*whole.source.threads[:thread], body, *whole.source.threads[thread + 1 :])
        return _rendered(whole, replace(whole.source, threads=threads))

    return apply


def _rendered(whole: Specimen, source: Source) -> Specimen:
    return replace(whole, text=render(source), source=source)


def _is_access(stmt: Stmt) -> bool:
    """A plain access of a variable, and nothing else."""
    return isinstance(stmt, Line) and bool(stmt.ops) and set(stmt.ops) == {ACCESS} and "while" not in stmt.text


def _swapped(body: Body, at: int) -> Body | None:
    """Two neighbours that have no variable and no local in common."""
    if at + 1 == len(body):
        return None
    first, second = body[at], body[at + 1]
    if not (isinstance(first, Line) and isinstance(second, Line) and _is_access(first) and _is_access(second)):
        return None
    for words in (_LOCAL, _SHARED):
        if set(words.findall(first.text)) & set(words.findall(second.text)):
            return None
    if "->" in first.text or "->" in second.text:  # two pointers may be the same
        return None
    return (*body[:at], second, first, *body[at + 2 :])


def _is_locked(stmt: Stmt) -> bool:
    return isinstance(stmt, Section) and stmt.head.text.startswith("pthread_mutex_lock(&@")


def _widened(body: Body, at: int) -> Body | None:
    """The access behind a critical section, or before it, moves in."""
    section = body[at]
    if not (isinstance(section, Section) and _is_locked(section)):
        return None
    if at + 1 < len(body) and _is_access(body[at + 1]):
        return (*body[:at], replace(section, body=(*section.body, body[at + 1])), *body[at + 2 :])
    if at > 0 and _is_access(body[at - 1]):
        return (*body[: at - 1], replace(section, body=(body[at - 1], *section.body)), *body[at + 1 :])
    return None


def _unlocked(body: Body, at: int) -> Body | None:
    section = body[at]
    if not (isinstance(section, Section) and _is_locked(section)) or "cond_wait" in str(section):
        return None
    return (*body[:at], *section.body, *body[at + 1 :])


def _split(whole: Specimen, program: Program, rng: random.Random) -> Specimen | None:
    """An access without locals becomes the call of a function that makes it."""
    if whole.source is None:
        return None

    def change(body: Body, at: int) -> Body | None:
        stmt = body[at]
        if not (isinstance(stmt, Line) and _is_access(stmt)) or _LOCAL.search(stmt.text) or " i" in stmt.text:
            return None
        return (*body[:at], replace(stmt, text=f"@apart(); // {stmt.text}"), *body[at + 1 :])

    found = _candidates(whole.source, change)
    if not found:
        return None
    thread, body = rng.choice(found)
    threads = (*whole.source.threads[:thread], body, *whole.source.threads[thread + 1 :])
    source = replace(whole.source, threads=threads)
    text = re.search(r"@apart\(\); // (.*)", "\n".join(_texts(body)))
    if text is None:
        raise AssertionError("the call is not where it was put")
    source = replace(source, globals=(*source.globals, f"static void @apart(void) {{ {text[1]} }}"))
    return _rendered(whole, source)


def _texts(body: Body) -> Iterator[str]:
    for inner, _ in _bodies(body):
        yield from (stmt.text for stmt in inner if isinstance(stmt, Line))


def _thread_order(whole: Specimen, program: Program, rng: random.Random) -> Specimen | None:
    """Neighbouring creations in main change places; all joins, if they stand side by side, too."""
    if whole.source is None:
        return None
    body = list(whole.source.threads[0])
    changed = False
    for kind in ("create", "join"):
        at = [n for n, stmt in enumerate(body) if isinstance(stmt, Line) and any(k == kind for k, _ in stmt.ops)]
        if len(at) > 1 and at == list(range(at[0], at[0] + len(at))):
            body[at[0] : at[0] + len(at)] = body[at[0] : at[0] + len(at)][::-1]
            changed = True
    if not changed:
        return None
    return _rendered(whole, replace(whole.source, threads=(tuple(body), *whole.source.threads[1:])))


CHANGES: Final[dict[str, Change]] = {
    "names": Change(Claim.SAME_LINES, _names),
    "dead code": Change(Claim.SAME_LINES, _dead_code),
    "idle thread": Change(Claim.SAME_LINES, _idle_thread),
    "order": Change(Claim.SAME_VERDICT, _somewhere(_swapped)),
    "thread order": Change(Claim.SAME_LINES, _thread_order),
    "split": Change(Claim.SAME_VERDICT, _split),
    "wider": Change(Claim.STAYS_RACE_FREE, _somewhere(_widened, unless="try")),
    "unlocked": Change(Claim.ANYTHING, _somewhere(_unlocked)),
    "without mutex": Change(Claim.ANYTHING, _without_mutex),
}
