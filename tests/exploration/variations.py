"""Variations of the programs of `tests/programs`: their idioms, each spoiled in one to three places.

A statement is left out, done twice, moved, or taken over from another function; a name, a number, an operator, a
memory order, a type or a function of the thread API is replaced by another one of its kind; a condition is turned
round or dropped. Most variations are C, many race, and some are race-free for another reason than before. Which program
a seed spoils depends on how many there are: a seed means the same only for the same set of programs.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from programs_truth import all_programs

TRIALS: Final = 30
_COMMENTS: Final = re.compile(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TOKENS: Final = re.compile(
    r'(?P<other>\s+|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|(?P<name>[A-Za-z_]\w*)'
    r"|(?P<number>\d\w*)|(?P<sign>->|<<=|>>=|\+\+|--|&&|\|\||<<|>>|[<>=!+\-*/%&|^]=|.)",
    re.MULTILINE,
)
_KEYWORDS: Final = frozenset(
    (
        *("if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return", "goto"),
        *("sizeof", "struct", "union", "enum", "typedef", "static", "extern", "const", "volatile", "register", "void"),
        *("inline", "_Atomic", "_Thread_local", "_Noreturn", "NULL", "main"),
    )
)
_KINDS: Final = (  # replaced by one another
    (
        "memory_order_relaxed",
        "memory_order_acquire",
        "memory_order_release",
        "memory_order_acq_rel",
        "memory_order_seq_cst",
    ),
    ("__ATOMIC_RELAXED", "__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST"),
    ("char", "short", "int", "long", "unsigned"),
    ("uint8_t", "uint16_t", "uint32_t", "uint64_t", "int32_t", "size_t", "int8_t"),
    ("pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock"),
    ("pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock"),
    ("pthread_spin_lock", "pthread_spin_trylock"),
    ("pthread_cond_signal", "pthread_cond_broadcast"),
    ("sem_wait", "sem_trywait", "sem_post"),
    ("atomic_fetch_add", "atomic_fetch_sub", "atomic_exchange", "atomic_fetch_or", "atomic_fetch_and"),
    ("malloc", "alloca"),
    ("<", "<=", ">", ">=", "==", "!="),
    ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"),
    ("++", "--"),
    ("+=", "-=", "=", "|=", "&=", "^="),
    ("&&", "||"),
)
_KIN: Final = {word: kind for kind in _KINDS for word in kind}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class _Statement:
    """A simple statement, from its first token to the semicolon, and the number of the function around it."""

    start: int
    end: int
    function: int


Tokens = list[_Token]


def generate(seed: int) -> str:
    """The text of the seed's variation."""
    rng = random.Random(f"variation {seed}")
    tokens = _read(rng.choice(programs()))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        tokens = _spoiled(tokens, rng)
    return "".join(token.text for token in tokens)


@cache
def programs() -> tuple[str, ...]:
    texts = (path.read_text(encoding="utf-8") for path in all_programs())
    return tuple(_COMMENTS.sub(lambda match: match.group(1) or " ", text) for text in texts)


def _read(text: str) -> Tokens:
    return [_Token(match.lastgroup or "other", match.group()) for match in _TOKENS.finditer(text)]


def _spoiled(tokens: Tokens, rng: random.Random) -> Tokens:
    """With one change; as it was, if none is found that fits."""
    for _ in range(TRIALS):
        change = rng.choices(tuple(_CHANGES), tuple(_CHANGES.values()))[0]
        changed = change(tokens, rng)
        if changed is not None and changed != tokens:
            return changed
    return tokens


# -- statements


def _statements(tokens: Tokens) -> list[_Statement]:
    return list(_scan(tokens))


def _scan(tokens: Tokens) -> Iterator[_Statement]:
    depth = parentheses = function = 0
    last = start = -1  # the last token that is no space; where a statement may begin
    for at, token in enumerate(tokens):
        if token.kind == "other":
            continue
        if token.text == "{":
            if depth == 0 and last >= 0 and tokens[last].text != ")":
                depth = -1  # a structure, or initial values
            function += depth == 0
            depth += 1 if depth >= 0 else -1
        elif token.text == "}":
            depth += -1 if depth > 0 else 1
            depth = 0 if depth == -1 else depth
        parentheses += (token.text == "(") - (token.text == ")")
        last = at
        if depth <= 0 or token.text in ("{", "}"):
            start = -1
        elif token.text == ";" and parentheses == 0:
            if start >= 0:
                yield _Statement(start, at + 1, function)
            start = -1
        elif start < 0 and parentheses == 0 and token.text not in ("else", "do", ")", ":"):
            start = at


def _is_declaration(tokens: Tokens, statement: _Statement) -> bool:
    first = tokens[statement.start].text
    words = [t for t in tokens[statement.start : statement.end] if t.kind != "other"]
    return first in ("struct", "static", "const", "extern", "volatile") or (
        len(words) > 1 and words[0].kind == "name" and first not in _KEYWORDS and words[1].kind == "name"
    )


def _movable(tokens: Tokens) -> list[_Statement]:
    return [s for s in _statements(tokens) if not _is_declaration(tokens, s)]


def _text(tokens: Tokens, statement: _Statement) -> Tokens:
    return [*tokens[statement.start : statement.end], _Token("other", " ")]


def _left_out(tokens: Tokens, rng: random.Random) -> Tokens | None:
    found = _movable(tokens)
    if not found:
        return None
    gone = rng.choice(found)
    return [*tokens[: gone.start], _Token("sign", ";"), *tokens[gone.end :]]


def _copied(tokens: Tokens, rng: random.Random) -> Tokens | None:
    """A statement once more, before another one, of any function."""
    found = _movable(tokens)
    if len(found) < 2:
        return None
    copy, place = rng.choice(found), rng.choice(found)
    return [*tokens[: place.start], *_block(_text(tokens, copy), tokens, place), *tokens[place.end :]]


def _block(first: Tokens, tokens: Tokens, place: _Statement) -> Tokens:
    """In braces, because the second one may be all that a condition or a loop is about."""
    return [_Token("sign", "{"), *first, *_text(tokens, place), _Token("sign", "}")]


def _moved(tokens: Tokens, rng: random.Random) -> Tokens | None:
    found = _movable(tokens)
    if not found:
        return None
    moved = rng.choice(found)
    others = [s for s in found if s.function == moved.function and s != moved]
    if not others:
        return None
    place = rng.choice(others)
    there = _block(_text(tokens, moved), tokens, place)
    empty = [_Token("sign", ";")]
    if place.start < moved.start:
        return [*tokens[: place.start], *there, *tokens[place.end : moved.start], *empty, *tokens[moved.end :]]
    return [*tokens[: moved.start], *empty, *tokens[moved.end : place.start], *there, *tokens[place.end :]]


def _swapped(tokens: Tokens, rng: random.Random) -> Tokens | None:
    found = _movable(tokens)
    neighbours = [(a, b) for a, b in itertools.pairwise(found) if a.function == b.function]
    if not neighbours:
        return None
    a, b = rng.choice(neighbours)
    second, first = tokens[b.start : b.end], tokens[a.start : a.end]
    return [*tokens[: a.start], *second, *tokens[a.end : b.start], *first, *tokens[b.end :]]


# -- words


def _other_word(tokens: Tokens, rng: random.Random) -> Tokens | None:
    """Another one of its kind: of an order, a type, an operator, a call."""
    simple = {at for statement in _movable(tokens) for at in range(statement.start, statement.end)}
    places = [
        at
        for at, token in enumerate(tokens)
        if token.kind != "other" and token.text in _KIN
        if token.text != "=" or at in simple
        if token.text not in ("*", "&") or "number" in (_next(tokens, at).kind, _next(tokens, at, -1).kind)
    ]
    if not places:
        return None
    at = rng.choice(places)
    return _with(tokens, at, rng.choice(_KIN[tokens[at].text]))


def _other_name(tokens: Tokens, rng: random.Random) -> Tokens | None:
    """A name of the program in place of another one: a called function for a called one, a variable for a variable."""
    calls: dict[bool, list[int]] = {False: [], True: []}
    for statement in _statements(tokens):
        for at in range(statement.start, statement.end):
            token = tokens[at]
            if token.kind == "name" and not (
                token.text in _KEYWORDS or token.text in _KIN or token.text.endswith("_t")
            ):
                calls[_next(tokens, at).text == "("].append(at)
    places = calls[rng.random() < 0.2]
    if not places:
        return None
    return _with(tokens, rng.choice(places), tokens[rng.choice(places)].text)


def _next(tokens: Tokens, at: int, step: int = 1) -> _Token:
    """The next one that is no space, or the last one before."""
    at += step
    while 0 <= at < len(tokens) and tokens[at].kind == "other":
        at += step
    return tokens[at] if 0 <= at < len(tokens) else _Token("other", "")


def _other_number(tokens: Tokens, rng: random.Random) -> Tokens | None:
    places = [at for at, token in enumerate(tokens) if token.kind == "number"]
    if not places:
        return None
    at = rng.choice(places)
    value = int(tokens[at].text) if tokens[at].text.isdecimal() else 1
    others = (str(value + 1), str(max(value - 1, 0)), "0", "1", "2", tokens[rng.choice(places)].text)
    return _with(tokens, at, rng.choice(others))


def _with(tokens: Tokens, at: int, text: str) -> Tokens:
    return [*tokens[:at], _Token(tokens[at].kind, text), *tokens[at + 1 :]]


def _other_condition(tokens: Tokens, rng: random.Random) -> Tokens | None:
    """Turned round, or always so."""
    places = [n for n, t in enumerate(tokens) if t.text in ("if", "while") and _next(tokens, n).text == "("]
    if not places:
        return None
    start = rng.choice(places) + 1
    while tokens[start].text != "(":
        start += 1
    depth, end = 0, start
    while True:
        depth += (tokens[end].text == "(") - (tokens[end].text == ")")
        if depth == 0:
            break
        end += 1
    before, condition, after = tokens[: start + 1], tokens[start + 1 : end], tokens[end:]
    if rng.random() < 0.5:
        return [*before, _Token("sign", "!"), _Token("sign", "("), *condition, _Token("sign", ")"), *after]
    return [*before, *condition, _Token("sign", rng.choice(("|| 1", "&& 0"))), *after]


_CHANGES: Final[dict[Callable[[Tokens, random.Random], Tokens | None], int]] = {
    _left_out: 4,
    _copied: 4,
    _moved: 4,
    _swapped: 2,
    _other_word: 5,
    _other_name: 5,
    _other_number: 4,
    _other_condition: 2,
}
"""How often each is drawn."""
