"""Blocks of local work: what a function does besides the accesses that its pattern is about.

A block works on a record of its own, reached through a pointer and passed to other functions of the
module, with loops, branches, string functions, constant tables and tunables. It writes nothing that is
shared, but for atomic counters. The mix of loads, stores, calls and arithmetic is that of pigz.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

_FIELDS = ("size", "offset", "level", "flags", "count", "next_in", "avail", "state", "total", "depth")
_STEPS = ("advance", "settle", "refill", "inspect", "merge", "rotate", "trim", "absorb")


@dataclass(slots=True)
class Step:
    """A function over a record that exists; blocks call it from `places_left` more places."""

    name: str
    places_left: int


@dataclass(slots=True)
class Surroundings:
    """What the blocks of one module have around them, and what has been written for them so far.

    `definitions` (variables) come first in the module, `functions` (over the record) next; `inits` are
    statements of its init function. Without `may_init` all variables are constants.
    """

    prefix: str
    may_init: bool
    rng: Random
    statements: tuple[int, int]
    definitions: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    inits: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def record(self) -> str:
        """The type of the records, defined when it is first wanted."""
        name = f"struct {self.prefix}_state"
        if not self.fields:
            self.fields = self.rng.sample(_FIELDS, self.rng.randint(3, 6))
            members = "".join(f"    unsigned long {entry};\n" for entry in self.fields)
            self.functions.append(
                f"{name} {{\n{members}    unsigned short ring[8];\n    {name} *base;\n    const char *label;\n}};\n"
                f"static void {self.prefix}_open({name} *s, unsigned long n)\n{{\n"
                f"    memset(s, 0, sizeof *s);\n    s->{self.fields[0]} = n;\n"
                f"    s->{self.fields[1]} = n % {self.rng.randint(10, 90)}u;\n"
                f'    s->base = s;\n    s->label = "{self.prefix}";\n}}'
            )
        return name

    def name(self, noun: str) -> str:
        return f"{self.prefix}_{noun}{len(self.definitions) + 1}"

    def lvalue(self, index: str) -> str:
        """A place in the record `s`."""
        entry = self.rng.choice(self.fields)
        return self.rng.choice((f"s->{entry}", f"s->{entry}", f"s->base->{entry}", f"s->ring[{index} % 8u]"))


@dataclass(slots=True)
class BlockWriter:
    """Writes statements over the variable `w`, the record `s` and read-only operands."""

    rng: Random
    operands: list[str]
    around: Surroundings
    expression: Callable[[list[str], bool], str]
    variables: int = 0

    def block(self) -> list[str]:
        """A block that leaves its result in `w`."""
        record = self.around.record
        lines = [
            f"{record} here, *s = &here;",
            f"unsigned long w = {self._expr()};",
            f"{self.around.prefix}_open(s, w);",
        ]
        return [
            *lines,
            *self._statements(self.rng.randint(*self.around.statements)),
            f"w += s->{self.rng.choice(self.around.fields)};",
        ]

    def step(self) -> str:
        """A call of a function over the record; writes the function if none is free."""
        free = [step for step in self.around.steps if step.places_left > 0]
        if free and self.rng.random() < 0.7:
            chosen = self.rng.choice(free)
        else:
            name = f"{self.around.prefix}_{self.rng.choice(_STEPS)}{len(self.around.steps) + 1}"
            chosen = Step(name, 0)
            self.around.steps.append(chosen)
            inner = BlockWriter(self.rng, ["n"], self.around, self.expression)
            body = inner._statements(self.rng.randint(*self.around.statements), may_step=False)
            lines = ("unsigned long w = n;", *body, f"return w + s->{self.rng.choice(self.around.fields)};")
            text = "\n".join(f"    {line}" for line in lines)
            self.around.functions.append(
                f"static unsigned long {name}({self.around.record} *s, unsigned long n)\n{{\n{text}\n}}"
            )
            chosen.places_left = self.rng.choice((1, 2, 2, 3, 4))
        chosen.places_left -= 1
        return f"{chosen.name}(s, {self.rng.choice(['w', *self.operands])})"

    def _statements(self, count: int, *, may_step: bool = True) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += [f"w += {self.step()};"] if may_step and self.rng.random() < 0.3 else self._statement(2)
        return lines

    def _expr(self, extra: tuple[str, ...] = (), *, calls: bool = False) -> str:
        return self.expression([*self.operands, *extra], calls)

    def _place(self) -> str:
        return self.around.lvalue(self.rng.choice(("w", *self.operands)))

    def _simple(self) -> list[str]:
        place, other = self._place(), self._place()
        return self.rng.choice(
            (
                [f"{place} = {other} + {self.rng.choice(self.operands)};"],
                [f"{place} += {other};"],
                [f"{place}++;"],
                [f"w = {self._expr((place,))};"],
                [f"w += {place} & {self.rng.randint(3, 99)}u;"],
                [f"{place} = {self._expr(('w', other))};"],
            )
        )

    def _statement(self, depth: int) -> list[str]:
        if depth == 0:
            return self._simple()
        kinds: list[tuple[Callable[[int], list[str]], int]] = [
            (lambda _: self._simple(), 5),
            (lambda _: [f"w += {self._expr(('w',), calls=True)};"], 1),
            (self._if, 6),
            (lambda _: self._switch(), 1),
            (lambda _: self._loop(), 2),
            (lambda _: self._text(), 1),
            (lambda _: self._copy(), 1),
            (lambda _: self._table(), 2),
            (lambda _: self._tunable(), 4),
            (lambda _: self._counter(), 1),
        ]
        write = self.rng.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        return write(depth)

    def _nested(self, depth: int, count: int) -> list[str]:
        return ["    " + line for _ in range(count) for line in self._statement(depth - 1)]

    def _if(self, depth: int) -> list[str]:
        place = self._place()
        condition = self.rng.choice(
            (
                f"{place} & {self.rng.choice((1, 3, 7, 12))}",
                f"{place} > {self.rng.choice(self.operands)}",
                f"w > {self.rng.randint(10, 5000)}",
                f"{place} != 0 && {self._place()} < {self.rng.randint(50, 500)}",
            )
        )
        lines = [f"if ({condition}) {{", *self._nested(depth, self.rng.randint(1, 2))]
        if self.rng.random() < 0.4:
            lines += ["} else {", *self._nested(depth, 1)]
        return [*lines, "}"]

    def _switch(self) -> list[str]:
        cases = self.rng.randint(3, 5)
        lines = [f"switch ({self._place()} % {cases}u) {{"]
        for case in range(cases - 1):
            lines += [f"case {case}:", *self._nested(1, 1), "    break;"]
        return [*lines, "default:", *self._nested(1, 1), "    break;", "}"]

    def _loop(self) -> list[str]:
        self.variables += 1
        k = f"k{self.variables}"
        head = ["{", f"    unsigned {k};", f"    for ({k} = 0; {k} < {self.rng.choice((3, 4, 8))}; {k}++)"]
        body = self.rng.choice(
            (
                [f"s->ring[{k}] = (unsigned short)(w >> ({k} & 3));"],
                [f"if (s->ring[{k}] > {self.rng.randint(5, 90)})", f"    {self._place()} += {k};"],
                [f"w += s->ring[{k}] + {self._place()};"],
                [f"s->ring[{k} % 8u] ^= s->ring[({k} + 1) % 8u];"],
            )
        )
        return [*head, *(f"        {line}" for line in body), "}"]

    def _text(self) -> list[str]:
        return [
            "{",
            "    char text[32];",
            f'    snprintf(text, sizeof text, "%s-%lu", s->label, w % {self.rng.randint(50, 999)}u);',
            f"    if (strchr(text, '{self.rng.randint(0, 9)}') != NULL)",
            "        w += strlen(text);",
            "}",
        ]

    def _copy(self) -> list[str]:
        record = self.around.record
        entry = self.rng.choice(self.around.fields)
        return [
            "{",
            f"    {record} *copy = malloc(sizeof *copy);",
            "    if (copy == NULL)",
            "        abort();",
            "    memcpy(copy, s, sizeof *copy);",
            "    copy->base = s;",
            f"    copy->{entry} += copy->base->{self.rng.choice(self.around.fields)};",
            f"    w ^= copy->{entry};",
            "    free(copy);",
            "}",
        ]

    def _table(self) -> list[str]:
        name = self.around.name("table")
        size = self.rng.choice((4, 6, 8))
        numbers = ", ".join(str(self.rng.randint(1, 250)) for _ in range(size))
        self.around.definitions.append(f"static const unsigned char {name}[{size}] = {{{numbers}}};")
        return [f"w += {name}[{self._place()} % {size}u];"]

    def _tunable(self) -> list[str]:
        name = self.around.name("limit")
        value = self.rng.randint(1, 90)
        if self.around.may_init:
            self.around.definitions.append(f"static unsigned long {name};")
            self.around.inits.append(f"{name} = {value};")
        else:
            self.around.definitions.append(f"static const unsigned long {name} = {value};")
        place = self._place()
        return self.rng.choice(
            (
                [f"if ({place} > {name})", f"    {place} = {name};"],
                [f"w += {name} * {self._place()};"],
                [f"if (w > {name})", f"    {place} -= {name} / 2;"],
            )
        )

    def _counter(self) -> list[str]:
        if not self.around.may_init:
            return self._simple()
        name = self.around.name("seen")
        self.around.definitions.append(f"static atomic_ulong {name};")
        return [f"if (atomic_fetch_add(&{name}, 1) % {self.rng.randint(5, 50)}u == 0)", "    w++;"]
