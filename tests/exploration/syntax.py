"""Small C programs as trees: written out as C, counted, and made smaller piece by piece.

Names of globals and functions carry a mark `@` that `render` replaces by a prefix, so that many programs fit into one
file. A visible operation is an access to a shared variable or a call of the thread library; `Op` says which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from differential.preamble import as_source

Op = tuple[str, str]
"""Kind and object. Kinds: access, sync (never waits), lock, unlock, rdlock, wrlock, rwunlock, post, wait, set, await,
arrive, leave, create, join, begin and end (of an atomic block: nobody else moves in between)."""

ACCESS: Final[Op] = ("access", "")
SYNC: Final[Op] = ("sync", "")
MAX_OPS: Final = 44
"""More operations than this are too many in any case."""

_SILENT: Final = ("create", "join", "set", "await", "leave")

_LOCAL = re.compile(r"(?<![@\w])(r\d|e\d)\b")
_ID = re.compile(r"(?<![@\w])(id\d)\b")
_POINTER = re.compile(r"(?<![@\w])(p\d)\b")
_GLOBAL = re.compile(r"@(\w+)")
_DECLARED = re.compile(r"(?:^struct |(?<!struct ))@(\w+)")
_NODE = "struct @N *{0} = &@n0;"
"""How a local pointer is declared: it always points to a node, so that a program may lose any of its statements."""


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    ops: tuple[Op, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A body between two lines that belong together, such as lock and unlock."""

    head: Line
    body: tuple[Stmt, ...]
    tail: Line


@dataclass(frozen=True, slots=True)
class If:
    condition: str
    ops: tuple[Op, ...]
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class Switch:
    """The last case is the default."""

    value: str
    cases: tuple[tuple[Stmt, ...], ...]


@dataclass(frozen=True, slots=True)
class Loop:
    count: int
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A helper by its number."""

    helper: int


Stmt = Line | Section | If | Switch | Loop | Call


@dataclass(frozen=True, slots=True)
class Source:
    """A whole program. `threads[0]` is main; a thread is started by a `create` with its number as object."""

    seed: int
    mode: str
    globals: tuple[str, ...]
    helpers: tuple[tuple[Stmt, ...], ...]
    threads: tuple[tuple[Stmt, ...], ...]


# -- writing


def render(source: Source, prefix: str = "", entry: str = "main") -> str:
    """C without headers (`differential.preamble` has them)."""
    used = _used(source)
    lines = _needed(source.globals, used)
    for number, body in enumerate(source.helpers):
        if re.search(rf"@h{number}\b", used):
            lines += [f"static int @h{number}(int r0) {{", *_function(body, "r0", parameters=("r0",))]
    created = [number for number in range(1, len(source.threads)) if re.search(rf"@t{number}\b", used)]
    lines += [f"static void *@t{number}(void *arg);" for number in created]
    for number in created:
        lines += [f"static void *@t{number}(void *arg) {{", *_function(source.threads[number], "arg")]
    lines += [f"int {entry}(void) {{", *_function(source.threads[0], "0")]
    return "\n".join(lines).replace("@", prefix) + "\n"


def _needed(declarations: tuple[str, ...], used: str) -> list[str]:
    """Those with a name that the program or one of them uses; naming a structure is no declaration of it."""
    names = set(_GLOBAL.findall(used))
    kept = []
    for text in reversed(declarations):  # what is used stands before what uses it
        if not names.isdisjoint(_DECLARED.findall(text)):
            names.update(_GLOBAL.findall(text))
            kept.append(text)
    return kept[::-1]


def _used(source: Source) -> str:
    bodies = [*source.threads, *source.helpers]
    text = "\n".join(line for body in bodies for line in _lines(body, ""))
    return f"{text}\n{_NODE}" if _POINTER.search(text) else text


def _function(body: tuple[Stmt, ...], result: str, parameters: tuple[str, ...] = ()) -> list[str]:
    lines = list(_lines(body, "  "))
    text = "\n".join(lines)
    names = [name for name in sorted(set(_LOCAL.findall(text))) if name not in parameters]
    declared = [f"  int {', '.join(f'{name} = 0' for name in names)};"] if names else []
    declared += [f"  {_NODE.format(name)}" for name in sorted(set(_POINTER.findall(text)))]
    ids = sorted(set(_ID.findall(text)))
    declared += [f"  pthread_t {', '.join(ids)};"] if ids else []
    return [*declared, *(line.replace("RESULT", result) for line in lines), f"  return {result};", "}"]


def _lines(body: tuple[Stmt, ...], indent: str) -> Iterator[str]:
    inner = indent + "  "
    for stmt in body:
        match stmt:
            case Line(text):
                yield indent + text
            case Section(head, inside, tail):
                yield indent + head.text
                yield from _lines(inside, indent)
                yield indent + tail.text
            case If(condition, _, then, otherwise):
                yield f"{indent}if ({condition}) {{"
                yield from _lines(then, inner)
                if otherwise:
                    yield f"{indent}}} else {{"
                    yield from _lines(otherwise, inner)
                yield indent + "}"
            case Switch(value, cases):
                yield f"{indent}switch ({value}) {{"
                for number, case in enumerate(cases):
                    yield f"{indent}{'default' if number == len(cases) - 1 else f'case {number}'}:"
                    yield from _lines(case, inner)
                    yield inner + "break;"
                yield indent + "}"
            case Loop(count, inside):
                yield f"{indent}for (int i = 0; i < {count}; i++) {{"
                yield from _lines(inside, inner)
                yield indent + "}"
            case Call(helper):
                yield f"{indent}r0 = @h{helper}(r0);"


# -- counting


@dataclass(frozen=True, slots=True)
class Estimate:
    """About how many interleavings of visible operations there are, and whether one of them is stuck before the end.

    Of two branches the longer one is taken to happen. Locks, joins and waits are respected. Creating and joining
    threads are no points at which the search has a choice.
    """

    schedules: int
    may_block: bool


def estimate(source: Source, limit: int = 100_000, max_states: int = 10_000) -> Estimate:
    """`schedules` is `limit` if there are that many or more, or if counting them takes too long."""
    threads = [_flatten(body, source.helpers) for body in source.threads]
    counter = _Counter(threads, max_states)
    if sum(map(len, threads)) > MAX_OPS:
        return Estimate(limit, may_block=False)
    try:
        return Estimate(min(counter.count((0,) * len(threads)), limit), counter.may_block)
    except OverflowError:
        return Estimate(limit, counter.may_block)


def _flatten(body: tuple[Stmt, ...], helpers: tuple[tuple[Stmt, ...], ...]) -> tuple[Op, ...]:
    ops: list[Op] = []
    for stmt in body:
        match stmt:
            case Line():
                ops += stmt.ops
            case Section(head, inside, tail):
                ops += (*head.ops, *_flatten(inside, helpers), *tail.ops)
            case If(_, own, then, otherwise):
                ops += (*own, *max(_flatten(then, helpers), _flatten(otherwise, helpers), key=len))
            case Switch(_, cases):
                longest: tuple[Op, ...] = max((_flatten(case, helpers) for case in cases), key=len)
                ops += longest
            case Loop(count, inside):
                ops += _flatten(inside, helpers) * count
            case Call(helper):
                ops += _flatten(helpers[helper], helpers)
    return tuple(ops)


class _Counter:
    """Counts paths to the end through the positions of all threads."""

    def __init__(self, threads: list[tuple[Op, ...]], max_states: int) -> None:
        self.threads = threads
        self.max_states = max_states
        self.known: dict[tuple[int, ...], int] = {}
        self.may_block = False
        self.history = [[self._balance(ops[:position]) for position in range(len(ops) + 1)] for ops in threads]
        posts = [(kind, name) for ops in threads for kind, name in ops if kind == "arrive"]
        self.parties = {name: posts.count(("arrive", name)) for _, name in posts}

    @staticmethod
    def _balance(ops: tuple[Op, ...]) -> dict[Op, int]:
        """What a thread has done so far, by kind and object; a lock counts as long as it is held."""
        done: dict[Op, int] = {}
        undo = {"unlock": "lock", "end": "begin"}
        for kind, name in ops:
            if kind == "rwunlock":
                kind = "rdlock" if done.get(("rdlock", name)) else "wrlock"
                done[kind, name] = done.get((kind, name), 0) - 1
            elif kind in undo:
                done[undo[kind], name] = done.get((undo[kind], name), 0) - 1
            else:
                done[kind, name] = done.get((kind, name), 0) + 1
        return done

    def count(self, at: tuple[int, ...]) -> int:
        at = self._advance(at)
        found = self.known.get(at)
        if found is not None:
            return found
        if len(self.known) > self.max_states:
            raise OverflowError
        total = 0
        for thread, position in enumerate(at):
            if position < len(self.threads[thread]) and self._may_move(thread, at):
                total += self.count((*at[:thread], position + 1, *at[thread + 1 :]))
        if total == 0:
            self.may_block |= any(position < len(self.threads[thread]) for thread, position in enumerate(at))
            total = 1
        self.known[at] = total
        return total

    def _advance(self, at: tuple[int, ...]) -> tuple[int, ...]:
        """Do at once what commutes with everything: create, join, and what only notes or awaits something."""
        moved = True
        while moved:
            moved = False
            for thread, ops in enumerate(self.threads):
                while at[thread] < len(ops) and ops[at[thread]][0] in _SILENT and self._may_move(thread, at):
                    at = (*at[:thread], at[thread] + 1, *at[thread + 1 :])
                    moved = True
        return at

    def _sum(self, at: tuple[int, ...], kind: str, name: str, without: int = -1) -> int:
        return sum(
            self.history[thread][position].get((kind, name), 0)
            for thread, position in enumerate(at)
            if thread != without
        )

    def _may_move(self, thread: int, at: tuple[int, ...]) -> bool:
        if thread and not self._sum(at, "create", str(thread)):
            return False
        if self._sum(at, "begin", "", without=thread) > 0:
            return False
        kind, name = self.threads[thread][at[thread]]
        match kind:
            case "lock":
                return self._sum(at, "lock", name, thread) <= 0
            case "rdlock":
                return self._sum(at, "wrlock", name, thread) <= 0
            case "wrlock":
                return self._sum(at, "wrlock", name, thread) <= 0 and self._sum(at, "rdlock", name, thread) <= 0
            case "join":
                return at[int(name)] == len(self.threads[int(name)])
            case "wait":
                return self._sum(at, "post", name) > self._sum(at, "wait", name)
            case "await":
                return self._sum(at, "set", name) > 0
            case "leave":
                return self._sum(at, "arrive", name) >= self.parties.get(name, 0)
        return True


# -- making smaller


def show(source: Source) -> None:
    """Print it, for people."""
    schedules = estimate(source).schedules
    print(f"{as_source(render(source))}// seed {source.seed}, mode {source.mode}, about {schedules:,} schedules")


def smaller(source: Source) -> Iterator[Source]:
    """Programs with one piece less, the largest pieces first. Each is valid C; it may block for ever, never loop."""
    for number in range(len(source.threads) - 1, 0, -1):
        yield _without_thread(source, number)
    for number, body in enumerate(source.threads):
        for shorter in _smaller_bodies(body):
            threads = (*source.threads[:number], shorter, *source.threads[number + 1 :])
            yield replace(source, threads=threads)
    for number, body in enumerate(source.helpers):
        for shorter in _smaller_bodies(body):
            yield replace(source, helpers=(*source.helpers[:number], shorter, *source.helpers[number + 1 :]))


def _without_thread(source: Source, number: int) -> Source:
    """Nobody creates the thread any more, nor joins it."""
    gone = {("create", str(number)), ("join", str(number))}
    return replace(source, threads=tuple(_without(body, gone) for body in source.threads))


def _without(body: tuple[Stmt, ...], gone: set[Op]) -> tuple[Stmt, ...]:
    kept: list[Stmt] = []
    for stmt in body:
        match stmt:
            case Line() if gone.intersection(stmt.ops):
                continue
            case Section():
                kept.append(replace(stmt, body=_without(stmt.body, gone)))
            case If():
                kept.append(replace(stmt, then=_without(stmt.then, gone), otherwise=_without(stmt.otherwise, gone)))
            case Switch():
                kept.append(replace(stmt, cases=tuple(_without(case, gone) for case in stmt.cases)))
            case Loop():
                kept.append(replace(stmt, body=_without(stmt.body, gone)))
            case _:
                kept.append(stmt)
    return tuple(kept)


def _smaller_bodies(body: tuple[Stmt, ...]) -> Iterator[tuple[Stmt, ...]]:
    for at in range(len(body) - 1, -1, -1):
        before, behind = body[:at], body[at + 1 :]
        if not _is_about_threads(body[at]):
            yield (*before, *behind)
    for at, stmt in enumerate(body):
        before, behind = body[:at], body[at + 1 :]
        for instead in _simpler(stmt):
            yield (*before, *instead, *behind)


def _is_about_threads(stmt: Stmt) -> bool:
    """Create and join are left out together, by `_without_thread`: an early end of main is a case of its own."""
    return isinstance(stmt, Line) and any(kind in ("create", "join") for kind, _ in stmt.ops)


def _simpler(stmt: Stmt) -> Iterator[tuple[Stmt, ...]]:
    match stmt:
        case Section():
            yield stmt.body
            for shorter in _smaller_bodies(stmt.body):
                yield (replace(stmt, body=shorter),)
        case If():
            yield stmt.then
            if stmt.otherwise:
                yield stmt.otherwise
                yield (replace(stmt, otherwise=()),)
            for shorter in _smaller_bodies(stmt.then):
                yield (replace(stmt, then=shorter),)
            for shorter in _smaller_bodies(stmt.otherwise):
                yield (replace(stmt, otherwise=shorter),)
        case Switch():
            yield from stmt.cases
            for at, case in enumerate(stmt.cases):
                for shorter in _smaller_bodies(case):
                    yield (replace(stmt, cases=(*stmt.cases[:at], shorter, *stmt.cases[at + 1 :])),)
        case Loop():
            yield stmt.body
            if stmt.count > 1:
                yield (replace(stmt, count=stmt.count - 1),)
            for shorter in _smaller_bodies(stmt.body):
                yield (replace(stmt, body=shorter),)
