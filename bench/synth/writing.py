"""Templates of C text: what a module of the generated program is made of.

A template is C with these marks, all resolved by `Writer.render`:

    @            prefix of the module, `route3`
    $name        a part given by the pattern, often empty
    $E(a, b)     a random unsigned expression of these operands; may call a pure function
    $e(a, b)     the same without a call (for loop bodies: keeps the run short)
    $N(3, 9)     a random constant of that range
    $X(n)        a call into another module that is safe under a held lock, or an expression
    $lock(p)     take the lock of object p; $lock() the lock of the module; $unlock likewise
    $lockinit(p) initialise it
    $work(a, b)  a block of local work (`fragments`); it ends in a rare early return, or alters its first operand
    $race        behind an access that is a planted race

A line that is empty after that is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from bench.synth.fragments import BlockWriter, Surroundings

RACE_MARK = "//!race"
WORDS = (
    "alpha", "branch", "cargo", "delta", "engine", "figure", "gate", "harbor", "index", "joint", "kernel", "ledger",
    "matrix", "node", "orbit", "parcel", "query", "relay", "signal", "token", "unit", "vector", "window", "xray",
)  # fmt: skip
_MARK = re.compile(r"\$(\w+)(?:\(([^()]*)\))?")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_BEFORE_FUNCTION = re.compile(r"(?<=[;}]\n)(?=\w[^;={}]*\)\n\{)")


@dataclass(frozen=True, slots=True)
class PlantedRace:
    """One location on which the generated program has a race by construction.

    `lines` are the accesses that lack what would order them (filled in when the program is laid out).
    """

    kind: str
    target: str
    lines: tuple[int, ...] = ()


@dataclass(slots=True)
class Callable_:
    """A function that services may call: `call` has `{self}` and `{n}` for the operands, and is a long."""

    call: str
    work: int
    places_left: int
    under_lock: bool = False


@dataclass(slots=True)
class Module:
    """A module that has been written: how the rest of the program uses it."""

    name: str
    apis: list[Callable_]
    init: str | None
    report: str | None
    race: PlantedRace | None = None
    racy_calls: tuple[str, ...] = ()
    confined: bool = False


@dataclass(frozen=True, slots=True)
class LockStyle:
    """How a module names and takes its locks."""

    type: str
    static_init: str
    init: str
    lock: str
    unlock: str
    wrapped: bool

    @property
    def needs_init(self) -> bool:
        return not self.static_init


_LOCKS = (
    (16, "pthread_mutex_t", " = PTHREAD_MUTEX_INITIALIZER", "pthread_mutex_init({}, NULL)", "pthread_mutex_{}lock"),
    (2, "pthread_spinlock_t", "", "pthread_spin_init({}, PTHREAD_PROCESS_PRIVATE)", "pthread_spin_{}lock"),
    (2, "pthread_mutex_t", "", "pthread_mutex_init({}, NULL)", "pthread_mutex_{}lock"),
)


def choose_lock_style(rng: Random) -> LockStyle:
    """Mostly mutexes, now and then a spin lock; half of the modules hide them behind wrappers."""
    _, kind, static, init, verb = rng.choices(_LOCKS, [entry[0] for entry in _LOCKS])[0]
    return LockStyle(kind, static, init, verb.format(""), verb.format("un"), rng.random() < 0.5)


@dataclass(slots=True)
class Writer:
    """Renders the templates of one module. `call_helper` and `call_api` write a call and count it."""

    rng: Random
    prefix: str
    call_helper: Callable[[str, str], str]
    call_api: Callable[[str], str | None]
    locks: LockStyle
    around: Surroundings
    calls_rate: float = 0.22
    keeps_operands: bool = False

    def render(self, template: str, parts: Mapping[str, str] | None = None) -> str:
        known = parts or {}

        def resolve(match: re.Match[str]) -> str:
            word, argument = match.group(1), match.group(2)
            if argument is None:
                return self.render(known[word], known) if word in known else self._word(word)
            operands = [operand.strip() for operand in argument.split(",")]
            match word:
                case "E":
                    return self.expression(operands, calls=True)
                case "e":
                    return self.expression(operands, calls=False)
                case "N":
                    return str(self.rng.randint(int(operands[0]), int(operands[1])))
                case "X":
                    call = self.call_api(operands[0])
                    return call if call is not None else f"(long)({self.expression(operands, calls=True)} & 7)"
                case "lock" | "unlock" | "lockinit":
                    return self._lock_statement(word, operands[0])
                case "work":
                    return self._work(operands)
                case "wrappers":
                    return self._wrappers(operands[0])
                case _:
                    return self.render(known[word], known) + f"({argument})"

        text = _MARK.sub(resolve, template).replace("@", self.prefix)
        return _BLANK_LINES.sub("\n", text)

    def expression(self, operands: list[str], *, calls: bool) -> str:
        """A random unsigned expression; never divides by zero, never overflows a signed type."""
        a = self.rng.choice(operands)
        b = self.rng.choice(operands) if len(operands) > 1 else str(self.rng.randint(3, 97))
        if calls and self.rng.random() < self.calls_rate:
            return self.call_helper(a, b)
        k = self.rng.randint(3, 61)
        s = self.rng.randint(1, 7)
        return self.rng.choice(
            (
                f"({a} + {k}u)",
                f"({a} - {b})",
                f"({a} * {k}u + {b})",
                f"({a} ^ ({b} >> {s}))",
                f"(({a} << {s}) + ({b} & {k}u))",
                f"({a} + {b} % {k}u)",
                f"(({a} & {k}u) | ({b} & ~{k}ul))",
                f"({a} / {k}u + {b})",
                f"({a} + {b})",
            )
        )

    def _work(self, operands: list[str]) -> str:
        """A block of local work, indented for the top level of a function that returns an integer."""

        def expression(names: list[str], calls: bool) -> str:
            return self.expression(names, calls=calls)

        lines = BlockWriter(self.rng, operands, self.around, expression).block()
        if self.keeps_operands or self.rng.random() < 0.3:
            lines += [f"if (w % {self.rng.randint(90, 999)}07u == 1)", "    return 0;"]
        else:
            lines.append(f"{operands[0]} += w % {self.rng.randint(5, 60)}u;")
        return "\n".join(("    {", *(f"        {line}" for line in lines), "    }"))

    def _word(self, word: str) -> str:
        match word:
            case "locktype":
                return self.locks.type
            case "lockstatic":
                return self.locks.static_init
            case "word":
                return self.rng.choice(WORDS)
            case _:
                raise KeyError(word)

    def _lock_statement(self, word: str, obj: str) -> str:
        style = self.locks
        place = self._member(obj) if obj else "&@_guard"
        if word == "lockinit":
            if not obj and not style.needs_init:
                return ""
            return style.init.format(place) + ";"
        if style.wrapped:
            return f"@_{'enter' if word == 'lock' else 'leave'}({obj});"
        return f"{style.lock if word == 'lock' else style.unlock}({place});"

    @staticmethod
    def _member(obj: str) -> str:
        return f"&{obj[1:]}.lock" if obj.startswith("&") else f"&{obj}->lock"

    def _wrappers(self, struct: str) -> str:
        """Definitions of the lock wrappers, for the objects of `struct` or for the lock of the module."""
        style = self.locks
        if not style.wrapped:
            return ""
        params, place = (f"struct {struct} *p", "&p->lock") if struct else ("void", "&@_guard")
        return "\n\n".join(
            f"static void @_{name}({params})\n{{\n    {verb}({place});\n}}"
            for name, verb in (("enter", style.lock), ("leave", style.unlock))
        )


def space_functions(text: str) -> str:
    """Put a blank line before each function, as a person would."""
    return _BEFORE_FUNCTION.sub("\n", text)
