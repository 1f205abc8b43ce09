"""Small C programs from a seed with lists that hang on several roots, each with its lock: `python -m exploration.lists
SEED`. To be started in `tests`.

The roots are two variables, the elements of an array whose locks stand in another one, or the elements of an array of
structures with a head, a tail and a lock; the index is a constant, or a number that another thread may change before it
is read again. Nodes come from one allocator. Most steps keep to one root and its lock: insert, walk, take out, find.
Some do not: another lock, another index, a pointer that is kept, a node in two lists, lists that are joined, moved or
copied, by an assignment, a function, a local variable whose address is passed, or memory that is copied.
"""

from __future__ import annotations

import itertools
import random
import re
import sys
from typing import Final

from exploration.syntax import ACCESS, SYNC, Line, Section, Source, Stmt, estimate, show

MODE: Final = "lists"
MAX_SCHEDULES: Final = 3_000
MIN_SCHEDULES: Final = 2
_LOCK: Final = "= PTHREAD_MUTEX_INITIALIZER;"
_LOCKS: Final = "= {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};"
_GLOBALS: Final = (
    "struct @L { int v; struct @L *next, *side; };",
    "struct @B { struct @L *head, *tail; pthread_mutex_t m; };",
    "static struct @L *@a, *@b, *@h[2];",
    f"static pthread_mutex_t @ma {_LOCK}",
    f"static pthread_mutex_t @mb {_LOCK}",
    f"static pthread_mutex_t @mh[2] {_LOCKS}",
    "static struct @B @t[2] = {{0, 0, PTHREAD_MUTEX_INITIALIZER}, {0, 0, PTHREAD_MUTEX_INITIALIZER}};",
    "static struct @B *@o[2] = {&@t[0], &@t[1]};",
    "static atomic_int @i;",
    "static struct @L *@mk(int v) { struct @L *n = calloc(1, sizeof *n); n->v = v; return n; }",
    "static struct @L *(*@new)(int) = @mk;",
    "static void @push(struct @L **r, struct @L *n) { if (n) { n->next = *r; *r = n; } }",
    "static struct @L *@pop(struct @L **r) { struct @L *n = *r; if (n) *r = n->next; return n; }",
    "static struct @L *@put(struct @L *l, struct @L *n) { if (!l) return n; l->side = n; return l; }",
    "static struct @L *@pick(struct @L *p, struct @L *q, int c) { return c && p ? p : q; }",
    "static void @get(struct @L **p, struct @L **r) { *p = *r; }",
    "static void @tie(struct @L *p, struct @L *q) { if (p) p->side = q; }",
    "static void @add(struct @L **r, int v) { struct @L *n = @mk(v); while (*r && (*r)->v < v) r = &(*r)->next;"
    " if (!*r) *r = n; }",
    "static void @del(struct @L **r, int v) { while (*r && (*r)->v != v) r = &(*r)->next;"
    " if (*r) { struct @L *d = *r; *r = d->next; d->v = 9; } }",
)


def generate(seed: int) -> Source:
    """The program of a seed: drawn again until its schedules can all be tried."""
    rng = random.Random(f"{MODE} {seed}")
    for tries in itertools.count():
        source = _Draft(rng, seed, spoiled=rng.choice((0.0, 0.0, 0.08, 0.2)), steps=3 if tries < 20 else 2).source()
        if MIN_SCHEDULES <= estimate(source, limit=MAX_SCHEDULES + 1).schedules <= MAX_SCHEDULES:
            return source
    raise AssertionError("unreachable")


class _Draft:
    """Writes one program; `spoiled` is the chance that a step does not keep to its root."""

    def __init__(self, rng: random.Random, seed: int, spoiled: float, steps: int) -> None:
        self.rng, self.seed, self.spoiled, self.steps = rng, seed, spoiled, steps
        self.sort = rng.choice(("variables", "array", "structures", "pointers"))
        self.is_hidden = rng.random() < 0.8
        self.is_fixed = rng.random() < 0.5  # indices are constants

    def source(self) -> Source:
        rng = self.rng
        count = rng.choice((2, 2, 2, 3))
        main: list[Stmt] = [Line("struct @L *q0 = 0, *q1 = 0;")]
        for number in (0, 1):
            main += [Line(f"@push(&{self.root(str(number))}, {self.maker(number)});")] * rng.choice((0, 1, 1, 2))
        if rng.random() < self.spoiled * 2:
            main.append(self.breach(self.root("0"), self.root("1")))
        for thread in range(1, count + 1):
            main.append(Line(f"pthread_create(&id{thread}, 0, @t{thread}, 0);", (("create", str(thread)),)))
        threads = [tuple(self.body()) for _ in range(count)]
        globals_ = tuple(text.replace("@mk(v);", self.maker("v") + ";") for text in _GLOBALS)
        return Source(self.seed, MODE, globals_, (), (tuple(main), *threads))

    def maker(self, value: object) -> str:
        """The call that makes a node: through a pointer, all nodes are one object to points-to."""
        return f"@{'new' if self.is_hidden else 'mk'}({value})"

    def root(self, index: str) -> str:
        match self.sort:
            case "array":
                return f"@h[{index}]"
            case "structures":
                return f"@t[{index}].head"
            case "pointers":
                return f"@o[{index}]->head"
        return "@a" if index == "0" else "@b"

    def lock(self, index: str) -> str:
        match self.sort:
            case "array":
                return f"@mh[{index}]"
            case "structures":
                return f"@t[{index}].m"
            case "pointers":
                return f"@o[{index}]->m"
        return "@ma" if index == "0" else "@mb"

    def is_spoiled(self) -> bool:
        return self.rng.random() < self.spoiled

    def body(self) -> list[Stmt]:
        found: list[Stmt] = [Line("struct @L *q0 = 0, *q1 = 0; int k = 0; (void)k;")]
        for _ in range(self.rng.randint(1, self.steps)):
            found += self.step()
        return found

    def step(self) -> list[Stmt]:
        """A few operations on one list, under its lock."""
        rng = self.rng
        index = rng.choice("01")
        before: list[Stmt] = []
        if self.sort != "variables" and not self.is_fixed:
            before = [Line("r0 = atomic_load_explicit(&@i, memory_order_seq_cst) & 1;", (SYNC,))]
            index = "r0"
            if rng.random() < 0.3:
                before.append(Line(f"atomic_store_explicit(&@i, {rng.randrange(2)}, memory_order_seq_cst);", (SYNC,)))
        other = {"0": "1", "1": "0", "r0": "1 - r0"}[index]
        locked = other if self.is_spoiled() else index
        name = self.lock("0" if locked == "r0" else "1")
        inside: list[Stmt] = [self.operation(self.root(index)) for _ in range(rng.choice((1, 1, 2)))]
        if self.is_spoiled():
            inside.append(self.breach(self.root(index), self.root(other)))
        lock, unlock = (Line(f"pthread_mutex_{k}(&{self.lock(locked)});", ((k, name),)) for k in ("lock", "unlock"))
        after = [Line(rng.choice(("if (q0) q0->v = 5;", "if (q1) q1->v++;")), (ACCESS,))] if self.is_spoiled() else []
        made = [Line(f"q1 = {self.maker(rng.randrange(3))};")] if rng.random() < 0.5 else []
        return [*before, *made, Section(lock, tuple(inside), unlock), *after]

    def operation(self, root: str) -> Line:
        """Keeps to the list."""
        text = self.rng.choice(
            (
                f"@push(&{root}, @mk(1));",
                f"q0 = @mk(2); q0->next = {root}; {root} = q0;",
                f"for (q0 = {root}, k = 0; q0 && k < 3; q0 = q0->next, k++) q0->v++;",
                f"q0 = {root}; if (q0) q0->v++;",
                f"q0 = {root}; if (q0) {{ q0->side = q0->next; if (q0->side) q0->side->v = 3; }}",
                f"q0 = {root}; if (q0) {root} = q0->next;",
                f"@add(&{root}, 2);",
                f"@del(&{root}, 1);",
                f"{root} = @put({root}, @mk(4));",
                f"q0 = @pick({root}, 0, 1); if (q0) q0->v++;",
                f"q1 = @mk(3); @tie({root}, q1);",
                f"if ({root}) {root}->next = @mk(0);",
            )
        )
        text = re.sub(r"@mk\((\w)\)", lambda found: self.maker(found[1]), text)
        return Line(text, (ACCESS, ACCESS))

    def breach(self, root: str, other: str) -> Line:
        """Does not keep to it, or may not."""
        text = self.rng.choice(
            (
                f"{root} = {other};",
                f"q1 = @mk(1); {root} = q1; @push(&{other}, q1);",
                f"q1 = @mk(1); @push(&{root}, q1); {other} = q1;",
                f"@push(&{other}, @pop(&{root}));",
                f"q0 = {root}; if (q0) q0->next = {other};",
                f"@tie({root}, {other});",
                f"@get(&q0, &{root}); {other} = q0;",
                f"@get(&q0, &{root}); if (q0) q0->v++;",
                f"memcpy(&{other}, &{root}, sizeof {root});",
                f"q0 = @pick({root}, {other}, 1); if (q0) q0->side = {root};",
                f"{root} = @put({root}, {other});",
                f"q0 = @mk(0); q1 = @mk(1); q0->next = q1; {root} = q0; {other} = q1;",
                f"q0 = @mk(0); q1 = @mk(1); @tie(q0, q1); @push(&{root}, q1); {other} = q0;",
                f"q0 = {other}; if (q0) q0->v++;",
                f"q1 = {root}; if (atomic_load_explicit(&@i, memory_order_seq_cst)) q1 = @mk(7); {other} = q1;",
                f"q1 = @mk(2); if (atomic_load_explicit(&@i, memory_order_seq_cst)) {root} = q1; {other} = q1;",
            )
        )
        text = re.sub(r"@mk\((\w)\)", lambda found: self.maker(found[1]), text)
        return Line(text, (ACCESS, ACCESS))


if __name__ == "__main__":
    show(generate(int(sys.argv[1])))
