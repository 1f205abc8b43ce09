"""Tiny C programs with threads, from a seed: idioms put together, then perhaps spoiled a little.

The aim is programs that are almost right, so that a proof that overlooks something meets a race.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Final

from differential.chaos import chaos
from differential.idioms import IDIOMS

PARTS: Final = ("setup", "create", "middle", "join", "end")
CHAOS: Final = "chaos"
CHAOS_SHARE: Final = 0.3
_SLOT = re.compile(r"[«‹]([^«»‹›]*)[»›]")
_NAMED = re.compile(r"^(\w+):(.*)$", re.DOTALL)
_SHORT: Final = (
    (re.compile(r"\bLOCK\("), "pthread_mutex_lock("),
    (re.compile(r"\bUNLOCK\("), "pthread_mutex_unlock("),
    (re.compile(r"\bSPAWN\(([^,]*(?:\[[^\]]*\])?[^,]*),"), r"pthread_create(\1, NULL,"),
    (re.compile(r"\bJOIN\(((?:[^()]|\([^()]*\))*)\)"), r"pthread_join(\1, NULL)"),
    (re.compile(r"\bALOAD\("), "atomic_load_explicit("),
    (re.compile(r"\bASTORE\("), "atomic_store_explicit("),
    (re.compile(r"\bRLX\b"), "memory_order_relaxed"),
    (re.compile(r"\bACQ\b"), "memory_order_acquire"),
    (re.compile(r"\bREL\b"), "memory_order_release"),
    (re.compile(r"\bAR\b"), "memory_order_acq_rel"),
    (re.compile(r"\bSEQ\b"), "memory_order_seq_cst"),
)


@dataclass(frozen=True, slots=True)
class Generated:
    """`idioms` and `spoiled` say how it was made; `text` is C without headers."""

    seed: int
    text: str
    idioms: tuple[str, ...]
    spoiled: tuple[str, ...]


def generate(seed: int, only: str | None = None) -> Generated:
    """The program of a seed; `only` names the one idiom to use."""
    rng = random.Random(seed)
    if only == CHAOS or (only is None and rng.random() < CHAOS_SHARE):
        lines = chaos(rng).splitlines()
        return Generated(seed, expand("\n".join(lines)), (CHAOS,), ())
    count = 1 if only is not None or rng.random() < 0.75 else 2
    names = [only or rng.choice(sorted(IDIOMS)) for _ in range(count)]
    error_rate = rng.choice((0.0, 0.1, 0.25, 0.5))
    top: list[str] = []
    parts: dict[str, list[str]] = {part: [] for part in PARTS}
    for number, name in enumerate(names):
        text = _fill(IDIOMS[name], rng, error_rate).replace("@", str(number) if number else "")
        sections = re.split(r"^-- (\w+)\n", text, flags=re.MULTILINE)
        top.append(sections[0].strip("\n"))
        for part, content in zip(sections[1::2], sections[2::2], strict=True):
            parts[part] += content.strip("\n").splitlines()
    lines = "\n".join(top).splitlines()
    lines += ["int main(void) {", *(f"  {line}" for part in PARTS for line in parts[part]), "  return 0;", "}"]
    spoiled: list[str] = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        spoiled.append(_spoil(lines, rng))
    return Generated(seed, expand("\n".join(lines)), tuple(names), tuple(spoiled))


def expand(text: str) -> str:
    """Spell out the short names, and drop statements that do nothing."""
    for pattern, replacement in _SHORT:
        text = pattern.sub(replacement, text)
    kept = [line.rstrip() for line in text.splitlines() if line.strip() not in ("", ";")]
    return "\n".join(kept) + "\n"


def _fill(text: str, rng: random.Random, error_rate: float) -> str:
    """Decide all slots, the innermost first."""
    names: dict[str, str] = {}

    def decide(match: re.Match[str]) -> str:
        content = match.group(1)
        if re.fullmatch(r"=\w+", content):
            return names.get(content[1:], "")
        named = _NAMED.match(content) if match.group()[0] == "‹" else None
        options = (named.group(2) if named else content).split("¦")
        if match.group()[0] == "«" and (len(options) == 1 or rng.random() >= error_rate):
            chosen = options[0]
        else:
            chosen = rng.choice(options)
        if named:
            names[named.group(1)] = chosen
        return chosen

    while True:
        filled = _SLOT.sub(decide, text)
        if filled == text:
            return text
        text = filled


# -- mutations --------------------------------------------------------------------------------------

_LOCKING = re.compile(
    r"\b(?:LOCK|UNLOCK|pthread_\w+_(?:rdlock|wrlock|unlock|wait)|sem_wait|sem_post|take\w*|give\w*)\([^;]*;"
)
_ACCESS = re.compile(r"\+\+|--|[^=!<>]=[^=]")
_CONSTANT = re.compile(r"(?<![\w.])[0-3](?![\w.])")
_ORDER = re.compile(r"\b(?:ACQ|REL|AR|SEQ|RLX)\b")
_DECLARATION = re.compile(r"(?:unsigned|int|long|char|void|struct \w+|pthread_\w*_?t) \**\w+ *[=;,]")


def _is_statement(line: str) -> bool:
    text = line.strip()
    is_whole = text.endswith(";") and "{" not in text and "}" not in text and line.startswith(" ")
    return is_whole and _DECLARATION.match(text) is None


def _spoil(lines: list[str], rng: random.Random) -> str:
    """Change one thing, and say which."""
    kind = rng.choice(
        (
            "drop-sync",
            "drop",
            "move",
            "move",
            "copy",
            "copy",
            "copy",
            "swap-names",
            "constant",
            "order",
            "repeat",
            "condition",
        )
    )
    return {
        "drop-sync": _drop_sync,
        "drop": _drop,
        "move": _move,
        "copy": _copy,
        "swap-names": _swap_names,
        "constant": _change_constant,
        "order": _change_order,
        "repeat": _repeat,
        "condition": _make_conditional,
    }[kind](lines, rng)


def _pick(lines: list[str], rng: random.Random, pattern: re.Pattern[str]) -> tuple[int, re.Match[str]] | None:
    found = [(at, match) for at, line in enumerate(lines) for match in pattern.finditer(line) if line.startswith(" ")]
    return rng.choice(found) if found else None


def _replace(lines: list[str], at: int, match: re.Match[str], text: str) -> None:
    lines[at] = lines[at][: match.start()] + text + lines[at][match.end() :]


def _drop_sync(lines: list[str], rng: random.Random) -> str:
    found = _pick(lines, rng, _LOCKING)
    if found is None:
        return "nothing"
    at, match = found
    _replace(lines, at, match, ";")
    return f"dropped {match.group()}"


def _drop(lines: list[str], rng: random.Random) -> str:
    found = [at for at, line in enumerate(lines) if _is_statement(line) and "return" not in line]
    if not found:
        return "nothing"
    return f"dropped {lines.pop(rng.choice(found)).strip()}"


def _move(lines: list[str], rng: random.Random) -> str:
    found = [at for at, line in enumerate(lines) if _is_statement(line)]
    if not found:
        return "nothing"
    at = rng.choice(found)
    to = at + rng.choice((-3, -2, -1, 1, 2, 3))
    if not 0 < to < len(lines) or not (_is_statement(lines[to]) or to == at + 1):
        return "nothing"
    line = lines.pop(at)
    lines.insert(to, line)
    return f"moved {line.strip()}"


def _copy(lines: list[str], rng: random.Random) -> str:
    """Do something once more elsewhere in the same function."""
    found = [at for at, line in enumerate(lines) if _is_statement(line) and _ACCESS.search(line)]
    if not found:
        return "nothing"
    at = rng.choice(found)
    first = max(i for i in range(at) if not lines[i].startswith(" ")) + 1
    last = min((i for i in range(at, len(lines)) if not lines[i].startswith(" ")), default=len(lines))
    places = [i for i in range(first, last + 1) if i == last or _is_statement(lines[i])]
    to = rng.choice(places)
    lines.insert(to, lines[at])
    return f"copied {lines[to].strip()} to line {to + 1}"


def _swap_names(lines: list[str], rng: random.Random) -> str:
    """Replace one use of a variable by another variable of a similar name or declaration."""
    declared = re.findall(
        r"\b(int|pthread_mutex_t|pthread_t|sem_t|atomic_int|struct \w+ \*?)\s*(\w+)", "\n".join(lines)
    )
    by_type: dict[str, list[str]] = {}
    for type_, name in declared:
        by_type.setdefault(type_, []).append(name)
    groups = [sorted(set(names)) for names in by_type.values() if len(set(names)) > 1]
    if not groups:
        return "nothing"
    group = rng.choice(groups)
    old, new = rng.sample(group, 2)
    found = _pick(lines, rng, re.compile(rf"\b{old}\b"))
    if found is None:
        return "nothing"
    _replace(lines, *found, new)
    return f"{old} became {new} in {lines[found[0]].strip()}"


def _change_constant(lines: list[str], rng: random.Random) -> str:
    found = _pick(lines, rng, _CONSTANT)
    if found is None:
        return "nothing"
    at, match = found
    value = int(match.group()) + rng.choice((-1, 1))
    _replace(lines, at, match, str(max(value, 0)))
    return f"constant in {lines[at].strip()}"


def _change_order(lines: list[str], rng: random.Random) -> str:
    found = _pick(lines, rng, _ORDER)
    if found is None:
        return "nothing"
    _replace(lines, *found, "RLX")
    return f"order in {lines[found[0]].strip()}"


def _repeat(lines: list[str], rng: random.Random) -> str:
    found = [at for at, line in enumerate(lines) if _is_statement(line) and "return" not in line]
    if not found:
        return "nothing"
    at = rng.choice(found)
    lines.insert(at, lines[at])
    return f"repeated {lines[at].strip()}"


def _make_conditional(lines: list[str], rng: random.Random) -> str:
    found = [at for at, line in enumerate(lines) if _is_statement(line) and "return" not in line]
    if not found:
        return "nothing"
    at = rng.choice(found)
    condition = rng.choice(("__VERIFIER_nondet_int()", "__VERIFIER_nondet_int() > 0"))
    lines[at] = f"  if ({condition}) {{ {lines[at].strip()} }}"
    return f"perhaps {lines[at].strip()}"
