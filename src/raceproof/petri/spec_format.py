"""Read and write Petri nets in the `.spec` format of mist.

    vars
        idle lock inside
    rules
        idle >= 1, lock >= 1 -> idle' = idle-1, lock' = lock-1, inside' = inside+1;
    init
        idle >= 0, lock = 1
    target
        inside >= 2

A rule needs what its guard says and at least what it takes. Places that `init` does not name are empty; `>=` means any
number, at least that; `in [a, b]` means b, because fewer tokens never cover more. In `target` a condition without a
comma before it begins another target. `invariants` is left alone. What a plain net cannot do (inhibitor, reset and
transfer arcs) is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from raceproof.core import InputError, SourcePos, Unsupported
from raceproof.petri.net import Marking, Net, Transition

LARGEST = 2**63 - 2
MAX_SHOWN = 60  # characters of the text in a message
"""More tokens than this are refused: the solver counts in 64 bits."""
_SECTIONS = ("vars", "rules", "init", "target", "invariants")
_WORD = re.compile(r"[^\s,;#=<>+\-'\[\]]+")
_TOKEN = re.compile(
    rf"[ \t\r\f\v]+|#[^\n]*|(?P<newline>\n)|(?P<word>{_WORD.pattern})|(?P<sign>->|>=|<=|[,;=<>+\-'\[\]])"
)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    pos: SourcePos


def read_spec(text: str, file: str = "<net>") -> Net:
    """Raises `InputError` or `Unsupported`, with the place in the text."""
    return _Reader(text, file).net()


def _tokens(text: str, file: str) -> Iterator[_Token]:
    line, start, place = 1, 0, 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise InputError(f"unexpected character {text[place]!r}", SourcePos(file, line, place - start + 1))
        if found.lastgroup == "newline":
            line, start = line + 1, found.end()
        elif found.lastgroup is not None:
            yield _Token(found.group(), SourcePos(file, line, place - start + 1))
        place = found.end()
    yield _Token("", SourcePos(file, line, place - start + 1))


class _Reader:
    """Recursive descent over the tokens; the last one is empty and stands for the end of the file."""

    def __init__(self, text: str, file: str) -> None:
        self.tokens = list(_tokens(text, file))
        self.next = 0
        self.places: dict[str, int] = {}

    def net(self) -> Net:
        self.expect("vars")
        while self.token.text not in ("rules", ""):
            self.declaration()
        self.expect("rules")
        transitions: list[Transition] = []
        while self.token.text not in ("init", ""):
            transitions.append(self.rule(f"t{len(transitions)}"))
        self.expect("init")
        initial, unbounded = self.initial()
        self.expect("target")
        targets = []
        while self.token.text not in ("invariants", ""):
            targets.append(self.target())
        if not targets:
            self.fail("a target was expected, as in 'x >= 1'")
        # mist's invariants are hints for its own search; ours are derived and checked.
        return Net(tuple(self.places), tuple(transitions), initial, unbounded, tuple(targets))

    @property
    def token(self) -> _Token:
        return self.tokens[self.next]

    def fail(self, message: str) -> NoReturn:
        found = f"'{self.token.text[:MAX_SHOWN]}' was found" if self.token.text else "the file ends here"
        raise InputError(f"{message}; {found}", self.token.pos)

    def accept(self, text: str) -> bool:
        if self.token.text != text:
            return False
        self.next += 1
        return True

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"'{text}' was expected")

    def word(self, what: str) -> _Token:
        token = self.token
        if not _WORD.fullmatch(token.text) or token.text in _SECTIONS:
            self.fail(f"{what} was expected")
        self.next += 1
        return token

    def declaration(self) -> None:
        token = self.word("the name of a place")
        if token.text.isdigit():
            raise InputError(f"a place cannot be called {token.text[:MAX_SHOWN]}", token.pos)
        if token.text in self.places:
            raise InputError(f"place {token.text[:MAX_SHOWN]} is declared twice", token.pos)
        self.places[token.text] = len(self.places)

    def place(self) -> int:
        token = self.word("the name of a place")
        if token.text not in self.places:
            raise InputError(f"place {token.text[:MAX_SHOWN]} is not declared in vars", token.pos)
        return self.places[token.text]

    def number(self) -> int:
        token = self.word("a number")
        if not (token.text.isascii() and token.text.isdigit()):
            raise InputError(f"a number was expected; '{token.text[:MAX_SHOWN]}' was found", token.pos)
        if len(token.text) > 20 or int(token.text) > LARGEST:
            raise InputError("number too large: at most 2^63 - 2 tokens", token.pos)
        return int(token.text)

    def rule(self, name: str) -> Transition:
        needs: dict[int, int] = {}
        while not self.accept("->"):
            start = self.token.pos
            place = self.place()
            if not self.accept(">="):
                if self.token.text in ("=", "in", "<=", "<"):
                    raise Unsupported("inhibitor arcs: a guard may only say 'at least' (>=)", start)
                self.fail("'>=' was expected")
            needs[place] = max(needs.get(place, 0), self.number())
            if not self.accept(","):
                self.expect("->")
                break
        change: dict[int, int] = {}
        while not self.accept(";"):
            self.effect(change)
            if not self.accept(","):
                self.expect(";")
                break
        pre = {p: max(needs.get(p, 0), -change.get(p, 0)) for p in needs.keys() | change.keys()}
        return Transition(name, _marking(pre), _marking({p: n + change.get(p, 0) for p, n in pre.items()}))

    def effect(self, change: dict[int, int]) -> None:
        """x' = x + n or x' = x - n."""
        start = self.token.pos
        place = self.place()
        self.expect("'")
        self.expect("=")
        if self.token.text.isdigit():
            raise Unsupported("reset arcs: a rule may only add and take tokens (x' = x+1)", start)
        source = self.place()
        sign = 1 if self.accept("+") else -1 if self.accept("-") else 0
        is_number = self.token.text.isdigit()
        if source != place or (sign and not is_number and self.token.text in self.places):
            raise Unsupported("transfer arcs: a rule may only add and take tokens (x' = x+1)", start)
        if place in change:
            raise InputError(f"the rule says twice what becomes of {tuple(self.places)[place]}", start)
        change[place] = sign * self.number() if sign else 0

    def initial(self) -> tuple[Marking, frozenset[int]]:
        tokens: dict[int, int] = {}
        unbounded = set()
        while self.token.text not in ("target", ""):
            start = self.token.pos
            place = self.place()
            if place in tokens:
                raise InputError(f"init says twice what {tuple(self.places)[place]} holds", start)
            if self.accept(">="):
                unbounded.add(place)
                tokens[place] = self.number()
            elif self.accept("in"):
                tokens[place] = self.interval()
            else:
                self.expect("=")
                tokens[place] = self.number()
            if not self.accept(",") and self.token.text not in ("target", ""):
                self.fail("',' was expected: there is one initial marking")
        return _marking(tokens), frozenset(unbounded)

    def interval(self) -> int:
        self.expect("[")
        start = self.token.pos
        low = self.number()
        self.expect(",")
        high = self.number()
        self.expect("]")
        if low > high:
            raise InputError(f"nothing lies between {low} and {high}", start)
        return high

    def target(self) -> Marking:
        tokens: dict[int, int] = {}
        while True:
            start = self.token.pos
            place = self.place()
            if not self.accept(">="):
                if self.token.text in ("=", "in", "<=", "<"):
                    raise Unsupported("targets with an upper bound: a target may only say 'at least' (>=)", start)
                self.fail("'>=' was expected")
            tokens[place] = max(tokens.get(place, 0), self.number())
            if not self.accept(","):
                return _marking(tokens)


def _marking(tokens: Mapping[int, int]) -> Marking:
    return tuple(sorted((p, n) for p, n in tokens.items() if n > 0))


def write_spec(net: Net) -> str:
    """The net as mist reads it. Names that mist would not read as one word are replaced: p0, p1, ..."""
    names = _names(net.places)
    lines = ["vars", "    " + " ".join(names), "", "rules"]
    for transition in net.transitions:
        pre, post = dict(transition.pre), dict(transition.post)
        guard = ", ".join(f"{names[p]} >= {n}" for p, n in transition.pre) or f"{names[0]} >= 0"
        changes = [(p, post.get(p, 0) - pre.get(p, 0)) for p in sorted(pre.keys() | post.keys())]
        effects = [f"{names[p]}' = {names[p]}{n:+d}" for p, n in changes if n] or [f"{names[0]}' = {names[0]}+0"]
        lines += [f"    # {' '.join(transition.name.split())}", f"    {guard} ->", f"        {', '.join(effects)};"]
    tokens = dict(net.initial)
    start = (f"{name} {'>=' if p in net.unbounded else '='} {tokens.get(p, 0)}" for p, name in enumerate(names))
    lines += ["", "init", "    " + ", ".join(start), "", "target"]
    lines += ["    " + (", ".join(f"{names[p]} >= {n}" for p, n in t) or f"{names[0]} >= 0") for t in net.targets]
    return "\n".join(lines) + "\n"


def _names(places: tuple[str, ...]) -> tuple[str, ...]:
    """Names as they are if all can be written as words of the format."""
    if not places:
        raise InputError("a net without places cannot be written in this format")
    good = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
    if len(set(places)) == len(places) and all(good.fullmatch(p) and p not in (*_SECTIONS, "in") for p in places):
        return places
    return tuple(f"p{number}" for number in range(len(places)))
