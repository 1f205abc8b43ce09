"""Small C programs from a seed whose locks are on the heap, in what threads are given.

    python -m exploration.heap_locks SEED       to be started in `tests`

Which of the boxes a thread is given only the run knows; mostly it is the same one. Steps touch shared numbers under
the locks of the box. Some are not as they should be: they take the locks of another box, which they come to through a
pointer in the first one or by what somebody has told them, only read-lock, or give the lock back on one of two paths.
"""

from __future__ import annotations

import random
import sys
from typing import Final

MODE: Final = "heap locks"
_HEAD: Final = """\
struct box { pthread_mutex_t m; pthread_rwlock_t r; int *p; struct box *next; };
static struct box *boxes[2];
static int x, y, told;
static pthread_mutex_t global = PTHREAD_MUTEX_INITIALIZER;
static void add(struct box *b, int *p) { pthread_mutex_lock(&b->m); *p += 1; pthread_mutex_unlock(&b->m); }
static void set(struct box *b, int v) { pthread_rwlock_wrlock(&b->r); y = v; pthread_rwlock_unlock(&b->r); }
static int get(struct box *b) { pthread_rwlock_rdlock(&b->r); int v = y; pthread_rwlock_unlock(&b->r); return v; }
static int asked(int now) {
  pthread_mutex_lock(&global); int was = told; told = now; pthread_mutex_unlock(&global);
  return was;
}
static struct box *made(struct box *next) {
  struct box *b = malloc(sizeof *b);
  pthread_mutex_init(&b->m, 0), pthread_rwlock_init(&b->r, 0), b->p = &x, b->next = next;
  return b;
}
"""
# What a thread does with its box `b`; `@` is a number, `#` that of the thread. Those behind the first tuple are wrong.
_STEPS: Final = (
    "add(b, &x);",
    "add(b, b->p);",
    "set(b, @);",
    "if (get(b) == @) add(b, &x);",
    "asked(1); asked(0);",
    "int seen# = asked(@); if (seen# == 1) add(b, &x);",
    "pthread_mutex_lock(&b->m); x += @; pthread_rwlock_wrlock(&b->r); y += x; pthread_rwlock_unlock(&b->r);"
    " pthread_mutex_unlock(&b->m);",
)
_WRONG: Final = (
    "add(b->next, &x);",
    "if (asked(0) == 1) add(b->next, &x);",
    "if (asked(2) == 1) b = b->next; add(b, &x);",
    "struct box *o# = asked(@) == 1 ? b->next : b; add(o#, &x);",
    "if (asked(2) == 1) add(boxes[@ % 2], b->p);",
    "if (asked(@) == 2) { pthread_rwlock_rdlock(&b->r); y++; pthread_rwlock_unlock(&b->r); }",
    "pthread_mutex_lock(&b->m); int was# = asked(0); if (was# == 1) pthread_mutex_unlock(&b->m); x++;"
    " if (was# != 1) pthread_mutex_unlock(&b->m);",
    "if (asked(@) == 1) x++;",
    "if (asked(@) == 1) { pthread_mutex_lock(&b->m); y++; pthread_mutex_unlock(&b->m); }",
)


def generate(seed: int) -> str:
    """The program of a seed."""
    rng = random.Random(f"{MODE} {seed}")
    spoiled = rng.choice((0.0, 0.3, 0.6))
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
    lines += ["int main(void) {", "  pthread_t id[3];", "  boxes[0] = made(0), boxes[1] = made(boxes[0]);"]
    lines.append("  boxes[0]->next = boxes[1];")
    for number in range(threads):
        given = rng.randint(0, 1) if rng.random() < spoiled / 2 else 1
        lines.append(f"  pthread_create(&id[{number}], 0, t{number % kinds}, boxes[{given}]);")
    if rng.random() < 0.3:
        lines.append(f"  {rng.choice(('add(boxes[1], &x);', 'add(boxes[0], &x);', 'set(boxes[1], 1);'))}")
    lines += [f"  pthread_join(id[{number}], 0);" for number in range(threads)]
    return "\n".join([*lines, "  return 0;", "}", ""])


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
