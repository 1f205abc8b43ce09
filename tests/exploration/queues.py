"""Small C programs from a seed whose threads take nodes out of lists and put them into others: `python -m
exploration.queues SEED`. To be started in `tests`.

There are two lists with a lock each: one with a head, one with a head and a tail. A thread has two nodes in hand, and
makes, takes, puts, moves, uses and frees them. Most steps are as they should be: under the lock of the list, a node
taken out before it is used without the lock, out of hand once it was put into a list. Some are not: the lock is
another one or given back too early, the node stays in the list or in hand, is put into two lists, kept in a variable
or a table, the tail is not cleared, a pointer is followed that leads back into the list.
"""

from __future__ import annotations

import random
import sys
from typing import Final

MODE: Final = "queues"
_HEAD: Final = """\
struct node { struct node *next; int v; struct node *side; int *own; };
static struct node *head, *first, *last, *kept, *table[2];
static pthread_mutex_t ma = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mb = PTHREAD_MUTEX_INITIALIZER;
static struct node *make(int v) { struct node *n = {alloc}; n->v = v; n->next = 0; n->side = 0; n->own = 0; return n; }
static struct node *pop(struct node **l) { struct node *n = *l; if (n) *l = n->next; return n; }
static void push(struct node **l, struct node *n) { n->next = *l; *l = n; }
"""
# What is done to a node `N` in hand (`M` is the other one), the lock that it takes, and how it may be done wrongly.
_Step = tuple[str, str, tuple[str, ...]]
_NEW: Final[tuple[_Step, ...]] = (
    ("", "N = make(@);", ()),
    ("", "N = make(@); N->own = malloc(sizeof(int)); *N->own = @;", ()),
    ("", "N = make(@); N->side = make(@);", ()),
)
_USE: Final[tuple[_Step, ...]] = (
    ("", "if (N) N->v += @;", ()),
    ("", "if (N) N->v += @;", ()),
    ("", "if (N && N->own) ++*N->own;", ()),
    ("", "if (N && N->side) N->side->v += @;", ()),
    ("", "if (N && !M) { M = N->side; N->side = 0; }", ("if (N) M = N->side;",)),
    ("", "{ struct node *p = N; N = M; M = p; }", ("M = N;",)),
)
_END: Final[tuple[_Step, ...]] = (
    ("", "if (N) { free(N); N = 0; }", ()),
    ("", "while (N) { struct node *p = N->next; N->v += @; N = p; }", ()),
)
_PUT: Final[tuple[_Step, ...]] = (
    ("ma", "if (N) { push(&head, N); N = 0; }", ("if (N) push(&head, N);", "if (N) { push(&head, N); first = N; }")),
    ("ma", "if (head && N) { N->next = head->next; head->next = N; N = 0; }", ("if (head && N) head->side = N;",)),
    (
        "mb",
        "if (N) { N->next = 0; if (last) last->next = N; else first = N; last = N; N = 0; }",
        (
            "if (N) { N->next = 0; if (first) last->next = N; else first = N; last = N; N = 0; }",
            "if (N) { N->next = 0; if (last) last->next = N; else first = N; last = N; }",
        ),
    ),
)
_TAKE: Final[tuple[_Step, ...]] = (
    ("ma", "N = pop(&head);", ("N = head;", "if (head) N = head->next;", "N = pop(&head); M = head;")),
    ("ma", "N = head; if (N) { head = N->next; N->next = 0; }", ("N = head; if (N && N->next) head = N->next;",)),
    (
        "ma",
        "struct node **l = &head; while (*l && (*l)->v != @) l = &(*l)->next; N = pop(l);",
        ("struct node **l = &head; while (*l && (*l)->v != @) l = &(*l)->next; N = *l;",),
    ),
    ("ma", "N = head; head = 0;", ("N = head; if (N) head = N->side;",)),
    (
        "mb",
        "N = first; if (N) { first = N->next; if (!first) last = 0; }",
        ("N = first; if (N) first = N->next;", "N = last;"),
    ),
    ("mb", "N = first; first = last = 0;", ("N = first; first = 0;",)),
)
_LOOK: Final[tuple[_Step, ...]] = (
    ("ma", "if (head) head->v += @;", ()),
    ("ma", "for (struct node *p = head; p; p = p->next) p->v += @;", ()),
    ("mb", "if (last) last->v += @;", ()),
    ("ma mb", "struct node *p = pop(&head); if (p) { p->next = first; first = p; if (!last) last = p; }", ()),
)
_BREACHES: Final[tuple[_Step, ...]] = (
    ("", "kept = N;", ()),
    ("ma", "kept = N;", ()),
    ("ma", "if (kept) kept->v++;", ()),
    ("ma", "N = kept;", ()),
    ("mb", "table[0] = N;", ()),
    ("mb", "if (table[0]) table[0]->next = N;", ()),
)
_WAYS: Final = (
    (_TAKE, _USE, _PUT),
    (_TAKE, _USE, _END),
    (_TAKE, _USE, _USE, _PUT),
    (_NEW, _PUT),
    (_NEW, _USE, _PUT),
    (_NEW, _PUT, _TAKE, _USE),
    (_LOOK,),
    (_TAKE, _END),
)
_FILLING: Final = (
    "push(&head, make(@));",
    "{ struct node *n = make(@); if (last) last->next = n; else first = n; last = n; }",
)


def generate(seed: int) -> str:
    """The program of a seed."""
    rng = random.Random(f"{MODE} {seed}")
    return _Draft(rng, rng.choice((0.0, 0.2, 0.4))).text()


class _Draft:
    """Writes one program; `spoiled` is the chance that a step is not as it should be."""

    def __init__(self, rng: random.Random, spoiled: float) -> None:
        self.rng, self.spoiled = rng, spoiled
        self.locks = rng.choice((("ma",), ("ma",), ("mb",), ("ma", "mb")))

    def text(self) -> str:
        rng = self.rng
        alloc = rng.choice(("malloc(sizeof *n)", "calloc(1, sizeof *n)"))
        parts = [_HEAD.replace("{alloc}", alloc)]
        count = rng.choice((1, 2))
        for number in range(count):
            parts += [f"static void *t{number}(void *arg) {{", "  struct node *x = 0, *y = 0;"]
            parts += self.body(rng.choice((1, 1, 2)))
            parts += ["  return arg;", "}"]
        parts += ["int main(void) {", "  struct node *x = 0, *y = 0;", "  pthread_t id[2];"]
        for _ in range(rng.randint(1, 3)):
            parts.append("  " + rng.choice(_FILLING).replace("@", str(rng.randint(1, 2))))
        parts += [f"  pthread_create(&id[{n}], 0, t{n % count}, 0);" for n in range(2)]
        parts += self.body(rng.choice((0, 0, 1)))
        joined = [n for n in range(2) if rng.random() > self.spoiled / 2]
        parts += [f"  pthread_join(id[{n}], 0);" for n in joined]
        if len(joined) == 2:
            parts += self.body(rng.choice((0, 1)), is_alone=True)
        return "\n".join([*parts, "  return 0;", "}", ""])

    def body(self, count: int, is_alone: bool = False) -> list[str]:
        """What a thread does to so many nodes, one after the other."""
        lines = []
        for _ in range(count):
            names = self.rng.sample(("x", "y"), 2)
            for steps in self.rng.choice(_WAYS):
                lines += self.step(steps, names, is_alone)
                if self.rng.random() < self.spoiled / 2:
                    lines += self.step(self.rng.choice((_USE, _BREACHES)), names, is_alone)
        return [f"  {line}" for line in lines]

    def step(self, steps: tuple[_Step, ...], names: list[str], is_alone: bool) -> list[str]:
        rng = self.rng
        locks, code, wrong = rng.choice([step for step in steps if set(step[0].split()) <= set(self.locks)] or steps)
        held = locks.split()
        if wrong and rng.random() < self.spoiled:
            code = rng.choice(wrong)
        if rng.random() < self.spoiled / 4:
            held = rng.choice(([], ["ma"], ["mb"]))
        if is_alone and rng.random() < 0.5:
            held = []
        code = code.replace("N", names[0]).replace("M", names[1]).replace("@", str(rng.randint(1, 2)))
        taken = [f"pthread_mutex_lock(&{lock});" for lock in held]
        given = [f"pthread_mutex_unlock(&{lock});" for lock in reversed(held)]
        return [*taken, "{ " + code + " }" if code.startswith("struct") else code, *given]


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
