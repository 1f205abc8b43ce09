"""The Simple Multithreaded Language of [PN, 2]: text to syntax tree. The grammar is in docs/sml.md.

    shared counter;                 Program(shared=(counter,), locks=(L,), ...
    lock L;
    job Worker {                        jobs=(Job(Worker, body=(
        acquire L;                          Action(ACQUIRE, (L,)),
        write counter;                      Action(WRITE, (counter,)),
        release L;                          Action(RELEASE, (L,)))),),
    }
    start Worker *;                     starts=(Start(Worker, None),))

A tree that `parse_sml` returns is meaningful: every name is declared once and used as what it is, every label exists,
something starts. Everything else is an `InputError` with the position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, unique
from typing import Literal, NamedTuple, final

from raceproof.core import InputError, SourcePos

MAX_NESTING = 100
MAX_STARTED = 1_000_000


@unique
class Kind(Enum):
    """What a name can stand for."""

    SHARED = "shared variable"
    LOCK = "lock"
    COND = "condition variable"
    JOB = "job"
    LABEL = "label"


@unique
class Op(Enum):
    """Statements that do one thing; the value is the keyword."""

    READ = "read"
    WRITE = "write"
    ACQUIRE = "acquire"
    RELEASE = "release"
    WAIT = "wait"
    SIGNAL = "signal"
    BROADCAST = "broadcast"
    CREATE = "create"
    JOIN = "join"
    GOTO = "goto"
    BRANCH = "branch"
    SKIP = "skip"


OPERANDS: Mapping[Op, tuple[Kind, ...]] = {
    Op.READ: (Kind.SHARED,),
    Op.WRITE: (Kind.SHARED,),
    Op.ACQUIRE: (Kind.LOCK,),
    Op.RELEASE: (Kind.LOCK,),
    Op.WAIT: (Kind.COND, Kind.LOCK),
    Op.SIGNAL: (Kind.COND,),
    Op.BROADCAST: (Kind.COND,),
    Op.CREATE: (Kind.JOB,),
    Op.JOIN: (Kind.JOB,),
    Op.GOTO: (Kind.LABEL,),
    Op.BRANCH: (Kind.LABEL,),
    Op.SKIP: (),
}

_DECLARATIONS = {"shared": Kind.SHARED, "lock": Kind.LOCK, "cond": Kind.COND}
_STATEMENTS = {op.value: op for op in Op}
_KEYWORDS = frozenset({*_DECLARATIONS, *_STATEMENTS, "job", "start", "if", "else", "while"})


@dataclass(frozen=True, slots=True)
class Name:
    text: str
    pos: SourcePos


@final
@dataclass(frozen=True, slots=True)
class Action:
    """`operands` are as `OPERANDS` says."""

    op: Op
    operands: tuple[Name, ...]
    pos: SourcePos

    def __str__(self) -> str:
        return " ".join((self.op.value, ", ".join(name.text for name in self.operands))).rstrip()


@final
@dataclass(frozen=True, slots=True)
class Label:
    name: Name


@final
@dataclass(frozen=True, slots=True)
class If:
    then: Block
    otherwise: Block
    pos: SourcePos


@final
@dataclass(frozen=True, slots=True)
class While:
    body: Block
    pos: SourcePos


Statement = Action | Label | If | While
Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Job:
    name: Name
    body: Block


@dataclass(frozen=True, slots=True)
class Start:
    """`count` jobs of this type run from the beginning; None: any number."""

    job: Name
    count: int | None


@dataclass(frozen=True, slots=True)
class Program:
    shared: tuple[Name, ...]
    locks: tuple[Name, ...]
    conditions: tuple[Name, ...]
    jobs: tuple[Job, ...]
    starts: tuple[Start, ...]


def parse_sml(text: str, file: str) -> Program:
    """The program, with every name checked; raises `InputError`."""
    program = _Parser(text, file).program()
    _check_names(program)
    return program


class _Token(NamedTuple):
    """`kind` is "name" also for keywords; "end" is the end of the file."""

    kind: Literal["name", "number", "sign", "end"]
    text: str
    pos: SourcePos

    def __str__(self) -> str:
        short = self.text if len(self.text) <= 30 else f"{self.text[:30]}…"
        return "the end of the file" if self.kind == "end" else f"`{short}`"


_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f\v]+|//[^\n]*)|(?P<newline>\n)|(?P<comment>/\*.*?\*/)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[0-9]+)|(?P<sign>[{}();:,*])",
    re.DOTALL,
)


def _tokens(text: str, file: str) -> Iterator[_Token]:
    offset, line, line_start = 0, 1, 0
    while offset < len(text):
        found = _TOKEN.match(text, offset)
        pos = SourcePos(file, line, offset - line_start + 1)
        if found is None:
            if text.startswith("/*", offset):
                raise InputError("this comment has no end: `*/` is missing", pos)
            raise InputError(f"expected a statement or a declaration, not the character {text[offset]!r}", pos)
        matched, offset = found.group(), found.end()
        match found.lastgroup:
            case "name" | "number" | "sign" as kind:
                yield _Token(kind, matched, pos)
            case _:
                line += matched.count("\n")
                if "\n" in matched:
                    line_start = found.start() + matched.rindex("\n") + 1
    yield _Token("end", "", SourcePos(file, line, offset - line_start + 1))


class _Parser:
    """Recursive descent with one token of lookahead, and a second one for `label :`."""

    def __init__(self, text: str, file: str) -> None:
        self._tokens = list(_tokens(text, file))
        self._next = 0
        self._depth = 0

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _is(self, *texts: str) -> bool:
        return self._token.text in texts

    def _take(self) -> _Token:
        token = self._token
        if token.kind != "end":
            self._next += 1
        return token

    def _fail(self, expected: str) -> InputError:
        return InputError(f"expected {expected}, not {self._token}", self._token.pos)

    def _expect(self, text: str, after: str = "") -> _Token:
        if not self._is(text):
            raise self._fail(f"`{text}`{after}")
        return self._take()

    def _name(self, kind: Kind) -> Name:
        if self._token.kind != "name":
            raise self._fail(f"the name of a {kind.value}")
        if self._token.text in _KEYWORDS:
            raise InputError(f"expected the name of a {kind.value}, but {self._token} is a keyword", self._token.pos)
        token = self._take()
        return Name(token.text, token.pos)

    def program(self) -> Program:
        declared: dict[Kind, list[Name]] = {Kind.SHARED: [], Kind.LOCK: [], Kind.COND: []}
        jobs: list[Job] = []
        starts: list[Start] = []
        while self._token.kind != "end":
            if self._is(*_DECLARATIONS):
                kind = _DECLARATIONS[self._take().text]
                declared[kind].append(self._name(kind))
                while self._is(","):
                    self._take()
                    declared[kind].append(self._name(kind))
                self._expect(";", " or `,`")
            elif self._is("job"):
                self._take()
                jobs.append(Job(self._name(Kind.JOB), self._block()))
            elif self._is("start"):
                starts.append(self._start())
            else:
                raise self._fail("`shared`, `lock`, `cond`, `job` or `start`")
        if not starts:
            raise self._fail("`start` and the name of a job: nothing runs yet")
        shared, locks, conditions = (tuple(declared[kind]) for kind in (Kind.SHARED, Kind.LOCK, Kind.COND))
        return Program(shared, locks, conditions, tuple(jobs), tuple(starts))

    def _start(self) -> Start:
        self._take()
        job, count = self._name(Kind.JOB), 1
        if self._is("*"):
            self._take()
            self._expect(";")
            return Start(job, None)
        if self._token.kind == "number":
            # Longer than the limit: not converted, as that takes long and may be refused by Python.
            digits = self._token.text.lstrip("0")
            if not digits or len(digits) > len(str(MAX_STARTED)) or int(digits) > MAX_STARTED:
                raise self._fail(f"a number from 1 to {MAX_STARTED} (`*` is any number)")
            self._take()
            count = int(digits)
        self._expect(";", ", `*` or a number")
        return Start(job, count)

    def _block(self) -> Block:
        opened = self._expect("{")
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise InputError(f"blocks are nested more than {MAX_NESTING} deep", opened.pos)
        statements: list[Statement] = []
        while not self._is("}"):
            statements.append(self._statement())
        self._take()
        self._depth -= 1
        return tuple(statements)

    def _statement(self) -> Statement:
        pos = self._token.pos
        if self._is("while"):
            self._choice()
            return While(self._block(), pos)
        if self._is("if"):
            return self._if()
        if self._is(*_STATEMENTS):
            return self._action()
        if self._token.kind == "name" and self._token.text not in _KEYWORDS:
            label = Label(self._name(Kind.LABEL))
            self._expect(":", f" after the label `{label.name.text}`")
            return label
        raise self._fail("a statement or `}`")

    def _if(self) -> If:
        pos = self._token.pos
        self._choice()
        then = self._block()
        if not self._is("else"):
            return If(then, (), pos)
        self._take()
        if not self._is("if"):
            return If(then, self._block(), pos)
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise InputError(f"`else if` is chained more than {MAX_NESTING} times; use `branch`", self._token.pos)
        otherwise = self._if()
        self._depth -= 1
        return If(then, (otherwise,), pos)

    def _choice(self) -> None:
        """`if (*)` or `while (*)`."""
        self._take()
        self._expect("(")
        self._expect("*", " (data are not modelled: either way may be taken)")
        self._expect(")")

    def _action(self) -> Action:
        token = self._take()
        op = _STATEMENTS[token.text]
        names: list[Name] = []
        for kind in OPERANDS[op]:
            if names:
                self._expect(",")
            names.append(self._name(kind))
        self._expect(";")
        return Action(op, tuple(names), token.pos)


def _check_names(program: Program) -> None:
    declared: dict[str, tuple[Kind, SourcePos]] = {}
    groups = {
        Kind.SHARED: program.shared,
        Kind.LOCK: program.locks,
        Kind.COND: program.conditions,
        Kind.JOB: tuple(job.name for job in program.jobs),
    }
    for kind, names in groups.items():
        for name in names:
            _declare(name, kind, declared)
    for job in program.jobs:
        labels: dict[str, tuple[Kind, SourcePos]] = {}
        for statement in statements_of(job.body):
            if isinstance(statement, Label):
                _declare(statement.name, Kind.LABEL, labels)
        for statement in statements_of(job.body):
            if isinstance(statement, Action):
                for name, kind in zip(statement.operands, OPERANDS[statement.op], strict=True):
                    _look_up(name, kind, labels if kind is Kind.LABEL else declared)
    started: dict[str, int] = {}
    for name in (start.job for start in program.starts):
        _look_up(name, Kind.JOB, declared)
        if name.text in started:
            raise InputError(f"line {started[name.text]} starts `{name.text}` already: say there how many", name.pos)
        started[name.text] = name.pos.line


def statements_of(block: Block) -> Iterator[Statement]:
    """All statements, with those inside others, in the order of the text."""
    for statement in block:
        yield statement
        match statement:
            case If(then=then, otherwise=otherwise):
                yield from statements_of(then)
                yield from statements_of(otherwise)
            case While(body=body):
                yield from statements_of(body)


def _declare(name: Name, kind: Kind, known: dict[str, tuple[Kind, SourcePos]]) -> None:
    if name.text in known:
        before, pos = known[name.text]
        raise InputError(f"`{name.text}` is a {before.value} already, since line {pos.line}", name.pos)
    known[name.text] = (kind, name.pos)


def _look_up(name: Name, kind: Kind, known: Mapping[str, tuple[Kind, SourcePos]]) -> None:
    if name.text not in known:
        where = " in this job" if kind is Kind.LABEL else ""
        raise InputError(f"there is no {kind.value} `{name.text}`{where}", name.pos)
    found, pos = known[name.text]
    if found is not kind:
        raise InputError(
            f"expected a {kind.value}, but `{name.text}` is a {found.value}, see line {pos.line}", name.pos
        )
