"""Small C programs from a seed whose threads own objects, share what nobody writes, and hand objects over: `python -m
exploration.owners SEED`. To be started in `tests`.

One loop allocates the boxes, another one the numbers behind a global table, so that static names merge what a run keeps
apart. A thread is given a box, sometimes that of another thread, and has steps that touch it, what the table points to,
or an element of an array by the thread's number, in helpers that others use for other objects. Some steps are not as
they should be: they touch what another thread owns, change the table while threads run, or come before the join that
would have handed an object back.
"""

from __future__ import annotations

import random
import sys
from typing import Final

MODE: Final = "owners"
_HEAD: Final = """\
struct box { int v, w; int *p; struct box *next; };
static struct box *boxes[3], *spare;
static int *table[3], *config, cells[6], told, x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void put(int *p, int v) { *p = v; }
static int get(const int *p) { return *p; }
static void bump(struct box *b) { b->v++; }
"""
# What a thread does with its box `b`; `@` is a number, `#` that of the thread. Those behind the first tuple are wrong.
_STEPS: Final = (
    "b->v += @;",
    "bump(b);",
    "put(&b->w, get(&b->v));",
    "b->v = get(table[0]);",
    "b->w += *config;",
    "put(&cells[#], @);",
    "pthread_mutex_lock(&m); *table[1] += *table[0]; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); x += get(b->p); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); told = @; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); int seen# = told; pthread_mutex_unlock(&m); if (seen# == 1) b->v++;",
)
_WRONG: Final = (
    "put(table[0], @);",
    "bump(boxes[@]);",
    "b->next->v++;",
    "put(b->p, @);",
    "put(&cells[@], @);",
    "table[0] = table[1];",
    "config = &b->w;",
    "pthread_mutex_lock(&m); spare = b; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); struct box *s# = spare; pthread_mutex_unlock(&m); if (s#) s#->v++;",
    "pthread_mutex_lock(&m); int saw# = told; pthread_mutex_unlock(&m); if (saw# == 2) bump(boxes[@]);",
    "pthread_mutex_lock(&m); b = boxes[@]; pthread_mutex_unlock(&m);",
    "(*table[1])++;",
)
_MAIN: Final = ("boxes[@]->v++;", "put(table[0], @);", "x += cells[@];", "config = table[1];", "bump(boxes[0]);")


def generate(seed: int) -> str:
    """The program of a seed."""
    rng = random.Random(f"{MODE} {seed}")
    spoiled = rng.choice((0.0, 0.15, 0.35))
    threads = rng.choice((2, 2, 2, 3))
    kinds = rng.choice((1, 2))

    def filled(step: str, number: str) -> str:
        while "@" in step:
            step = step.replace("@", str(rng.randint(0, 2)), 1)
        return step.replace("#", number)

    lines = [_HEAD]
    for kind in range(kinds):
        lines += [f"static void *t{kind}(void *arg) {{", "  struct box *b = arg;"]
        for _ in range(rng.randint(1, 3 if threads == 2 else 2)):
            step = rng.choice(_WRONG if rng.random() < spoiled else _STEPS)
            lines.append(f"  {{ {filled(step, str(kind))} }}")
        lines += ["  return 0;", "}"]
    count = rng.choice(("3", "3", "2 + 1"))
    lines += ["int main(void) {", "  pthread_t id[3];"]
    lines.append("  for (int i = 0; i < 3; i++) { table[i] = malloc(sizeof(int)); *table[i] = i; }")
    lines.append(f"  for (int i = 0; i < {count}; i++) {{ boxes[i] = malloc(sizeof *boxes[i]); boxes[i]->v = i;")
    lines.append("    boxes[i]->w = 0; boxes[i]->p = table[i]; boxes[i]->next = boxes[0]; }")
    lines.append(f"  config = table[{rng.randint(0, 2)}];")
    for number in range(threads):
        given = number if rng.random() > spoiled else rng.randint(0, 2)
        lines.append(f"  pthread_create(&id[{number}], 0, t{number % kinds}, boxes[{given}]);")
        if rng.random() < spoiled:
            lines.append(f"  {filled(rng.choice(_MAIN), '0')}")
    for number in range(threads):
        if rng.random() > spoiled / 2:
            lines.append(f"  pthread_join(id[{number}], 0);")
            if rng.random() < 0.4:
                lines.append(f"  boxes[{number}]->v++;")
    if rng.random() < 0.4:
        lines.append(f"  {filled(rng.choice(_MAIN), '0')}")
    return "\n".join([*lines, "  return 0;", "}", ""])


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
