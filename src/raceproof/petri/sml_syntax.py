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

Fragments as [PN, Fig. 1 and 2] prints them are read as they are: `shared` declares locks and condition variables too,
statements need no job, and a comment `//Many Producers` on its own line begins the next job type. A condition that
names shared variables becomes reads of them and a choice, "a cascade" [PN, 3.2].
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
    LOCAL = "local variable"
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

_DECLARATIONS = {"shared": Kind.SHARED, "lock": Kind.LOCK, "cond": Kind.COND, "local": Kind.LOCAL}
_STATEMENTS = {op.value: op for op in Op}
_VALUES = ("true", "false")
KEYWORDS = frozenset({*_DECLARATIONS, *_STATEMENTS, *_VALUES, "job", "start", "if", "else", "while"})
_CHANGING = ("++", "--")
UNNAMED = "Thread"
"""The job type of statements that belong to no job and stand under no heading."""


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
    """`is_fragment`: its statements stand in no jobs, as in the paper's figures."""

    shared: tuple[Name, ...]
    locks: tuple[Name, ...]
    conditions: tuple[Name, ...]
    jobs: tuple[Job, ...]
    starts: tuple[Start, ...]
    is_fragment: bool = False


def parse_sml(text: str, file: str) -> Program:
    """The program, with every name checked; raises `InputError`."""
    parser = _Parser(text, file)
    program = parser.program()
    _check_names(program, parser.locals)
    return program


class _Token(NamedTuple):
    """`kind` is "name" also for keywords; "heading": the name in a comment that may begin a job; "end": of the file."""

    kind: Literal["name", "number", "sign", "heading", "end"]
    text: str
    pos: SourcePos

    def __str__(self) -> str:
        short = self.text if len(self.text) <= 30 else f"{self.text[:30]}…"
        return "the end of the file" if self.kind == "end" else f"`{short}`"


_TOKEN = re.compile(
    r"^[ \t]*//[ \t]*(?:Many|Thread)[ \t]+(?P<heading>[A-Za-z_][A-Za-z0-9_]*)[ \t\r]*$"
    r"|(?P<space>[ \t\r\f\v]+|//[^\n]*)|(?P<newline>\n)|(?P<comment>/\*.*?\*/)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[0-9]+)"
    r"|(?P<sign>[{}();:,]|\+\+|--|==|!=|<=|>=|&&|\|\||<<|>>|[-+*%<>!&|^~]|/(?!\*))",
    re.DOTALL | re.MULTILINE,
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
            case "heading":
                column = found.start("heading") - line_start + 1
                yield _Token("heading", found["heading"], SourcePos(file, line, column))
            case _:
                line += matched.count("\n")
                if "\n" in matched:
                    line_start = found.start() + matched.rindex("\n") + 1
    yield _Token("end", "", SourcePos(file, line, offset - line_start + 1))


class _Parser:
    """Recursive descent with one token of lookahead, and a second one for `label :`.

    `locals`: names that are declared local; Headings are kept by the number of the token that follows.
    """

    def __init__(self, text: str, file: str) -> None:
        self.locals: list[Name] = []
        self._tokens: list[_Token] = []
        self._headings: dict[int, Name] = {}
        for token in _tokens(text, file):
            if token.kind == "heading":
                self._headings[len(self._tokens)] = Name(token.text, token.pos)
            else:
                self._tokens.append(token)
        self._local_names = self._find_locals()
        self._next = 0
        self._depth = 0

    def _find_locals(self) -> frozenset[str]:
        """Declarations may follow the conditions that use them, which are read in one pass."""
        found: set[str] = set()
        is_local = False
        for token in self._tokens:
            is_local = token.text == "local" or (is_local and token.text != ";")
            if is_local and token.kind == "name":
                found.add(token.text)
        return frozenset(found)

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
        if self._token.text in KEYWORDS:
            raise InputError(f"expected the name of a {kind.value}, but {self._token} is a keyword", self._token.pos)
        token = self._take()
        return Name(token.text, token.pos)

    def program(self) -> Program:
        declared: dict[Kind, list[Name]] = {kind: [] for kind in _DECLARATIONS.values()}
        jobs: list[Job] = []
        starts: list[Start] = []
        fragments: dict[Name, list[Statement]] = {}
        heading: Name | None = None
        while self._token.kind != "end":
            heading = self._headings.get(self._next, heading)
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
                self._fragment(heading, fragments)
        self.locals = declared[Kind.LOCAL]
        if fragments and (jobs or starts):
            where = next(iter(fragments)).pos
            raise InputError("this statement is in no job, others are: put all of them into jobs, or none", where)
        jobs += [Job(name, tuple(body)) for name, body in fragments.items()]
        starts += [Start(name, None) for name in fragments]
        if not starts:
            raise self._fail("`start` and the name of a job: nothing runs yet")
        return _by_use(declared, tuple(jobs), tuple(starts), is_fragment=bool(fragments))

    def _fragment(self, heading: Name | None, fragments: dict[Name, list[Statement]]) -> None:
        """A statement outside of any job: it belongs to the last heading before it."""
        is_label = self._token.kind == "name" and self._tokens[self._next + 1].text == ":"
        if not is_label and not self._is(*_STATEMENTS, "if", "while"):
            raise self._fail("`shared`, `lock`, `cond`, `local`, `job`, `start` or a statement")
        unnamed = next((name for name in fragments if name.text == UNNAMED), Name(UNNAMED, self._token.pos))
        fragments.setdefault(heading or unnamed, []).extend(self._statement())

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
            statements += self._statement()
        self._take()
        self._depth -= 1
        return tuple(statements)

    def _statement(self) -> list[Statement]:
        """With the reads that its condition is made of, if it has one."""
        pos = self._token.pos
        if self._is("while"):
            reads = self._condition()
            return [*reads, While((*self._block(), *reads), pos)]
        if self._is("if"):
            return self._if()
        if self._is(*_STATEMENTS):
            return [self._action()]
        if self._token.kind == "name" and self._token.text not in KEYWORDS:
            label = Label(self._name(Kind.LABEL))
            self._expect(":", f" after the label `{label.name.text}`")
            return [label]
        raise self._fail("a statement or `}`")

    def _if(self) -> list[Statement]:
        pos = self._token.pos
        reads = self._condition()
        then = self._block()
        if not self._is("else"):
            return [*reads, If(then, (), pos)]
        self._take()
        if not self._is("if"):
            return [*reads, If(then, self._block(), pos)]
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise InputError(f"`else if` is chained more than {MAX_NESTING} times; use `branch`", self._token.pos)
        otherwise = self._if()
        self._depth -= 1
        return [*reads, If(then, tuple(otherwise), pos)]

    def _condition(self) -> list[Action]:
        """What `if` or `while` reads, in the order of the text; `(*)`: nothing."""
        self._take()
        self._expect("(")
        reads: list[Action] = []
        depth, is_empty = 1, True
        while depth:
            token = self._token
            is_end = self._is(")") and depth == 1
            if token.kind == "end" or self._is("{", "}", ";", ":", ",") or (is_end and is_empty):
                raise self._fail("a condition and `)`")
            if self._is(*_CHANGING):
                raise InputError(f"a condition changes nothing: write {token} as a statement", token.pos)
            if token.kind == "name" and token.text not in (*_VALUES, *self._local_names):
                name = self._name(Kind.SHARED)
                reads.append(Action(Op.READ, (name,), name.pos))
                is_empty = False
                continue
            depth += self._is("(") - self._is(")")
            is_empty = False
            self._take()
        return reads

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


def _by_use(
    declared: Mapping[Kind, list[Name]], jobs: tuple[Job, ...], starts: tuple[Start, ...], *, is_fragment: bool
) -> Program:
    """What is declared `shared` may be a lock or a condition variable: its first use says what it is."""
    first: dict[str, Kind] = {}
    for job in jobs:
        for statement in statements_of(job.body):
            if isinstance(statement, Action):
                for name, kind in zip(statement.operands, OPERANDS[statement.op], strict=True):
                    first.setdefault(name.text, kind)

    def names(kind: Kind) -> tuple[Name, ...]:
        of_kind = [name for name in declared[Kind.SHARED] if first.get(name.text) is kind]
        return (*declared[kind], *of_kind)

    locks, conditions = names(Kind.LOCK), names(Kind.COND)
    moved = {*locks, *conditions}
    shared = tuple(name for name in declared[Kind.SHARED] if name not in moved)
    return Program(shared, locks, conditions, jobs, starts, is_fragment)


def _check_names(program: Program, local: Sequence[Name]) -> None:
    declared: dict[str, tuple[Kind, SourcePos]] = {}
    groups = {
        Kind.SHARED: program.shared,
        Kind.LOCK: program.locks,
        Kind.COND: program.conditions,
        Kind.LOCAL: tuple(local),
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
