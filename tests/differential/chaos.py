"""Programs without a plan: statements put together at random, most accesses under the lock that belongs to them.

Every program has the same globals. `a`, `b` and `next` of a structure belong to the lock inside it, `g0` and the
pointers `p0`, `p1` to `m0`, `g1` and `arr` to `m1`. A statement keeps to that most of the time.
"""

from __future__ import annotations

import random

GLOBALS = """\
struct S { int a; pthread_mutex_t lock; int b; struct S *next; };
struct S s0 = {0, PTHREAD_MUTEX_INITIALIZER, 0, NULL}; struct S s1 = {0, PTHREAD_MUTEX_INITIALIZER, 0, &s0};
struct S *p0 = &s0; struct S *p1 = &s1; struct S *const fixed = &s1; struct S *stable;
int g0; int g1; int arr[4]; int mode; _Thread_local int own; _Thread_local struct S *mine;
pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER; int shared;
atomic_int f0; atomic_int f1; struct S *_Atomic ap; sem_t q0; pthread_t ids[4]; pthread_barrier_t bar;
"""
LOCALS = "  struct S *p = {first}; struct S *q = {second}; int c = {number}; int k = 0; pthread_mutex_t *lp = &m0; int *ip = &g0;"


class Chaos:
    """Writes one program."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.error_rate = rng.choice((0.04, 0.1, 0.2))
        self.functions: list[str] = []
        self.helpers = 0
        self.loops = 0
        self.can_create = False

    def program(self) -> str:
        rng = self.rng
        lines = [GLOBALS.rstrip("\n")]
        for number in range(rng.choice((0, 1, 2, 2))):
            lines += self._helper(number)
            self.helpers = number + 1
        starts = rng.choice((1, 2, 2, 3))
        for number in range(starts):
            lines += self._thread(number)
        lines += self._main(starts)
        return "\n".join(lines) + "\n"

    def _wrong(self) -> bool:
        return self.rng.random() < self.error_rate

    def _locals(self, first: str, second: str, number: str) -> str:
        return LOCALS.format(first=first, second=second, number=number)

    def _helper(self, number: int) -> list[str]:
        kind = self.rng.choice(("void", "int", "struct S *"))
        result = {
            "void": "",
            "int": self.rng.choice(("c", "0", "k")),
            "struct S *": self.rng.choice(("p", "q", "p->next")),
        }
        body = self._block(2, self.rng.randint(1, 3), "  ")
        returned = ["out:", f"  return {result[kind]};"]
        self.functions.append(kind)
        head = f"{kind} h{number}(struct S *x, int n) {{"
        return [head, self._locals("x", self.rng.choice(("x", "&s0", "fixed")), "n"), *body, *returned, "}"]

    def _thread(self, number: int) -> list[str]:
        first = self.rng.choice(("arg", "arg", "&s0", "fixed", "stable"))
        second = self.rng.choice(("&s0", "&s1", "fixed", "calloc(1, sizeof(struct S))", "stable"))
        self.can_create = self.rng.random() < 0.1
        body = self._block(2, self.rng.randint(1, 3), "  ")
        self.can_create = False
        head = f"void *t{number}(void *arg) {{"
        return [
            head,
            self._locals(first, second, self.rng.choice(("0", "1", "mode"))),
            *body,
            "out:",
            "  return NULL;",
            "}",
        ]

    def _main(self, starts: int) -> list[str]:
        rng = self.rng
        lines = ["int main(void) {", self._locals("&s0", "&s1", rng.choice(("0", "1", "__VERIFIER_nondet_int()")))]
        lines.append(f"  sem_init(&q0, 0, {rng.choice((0, 1, 1, 2))});")
        lines.append(f"  stable = {rng.choice(('&s0', '&s1', 'calloc(1, sizeof(struct S))'))};")
        lines.append("  pthread_barrier_init(&bar, NULL, 2);")
        lines += [f"  mode = {rng.choice((0, 1, 2))};"] if rng.random() < 0.5 else []
        lines += self._block(1, 1, "  ") if rng.random() < 0.3 else []
        count = rng.choice((2, 2, 2, 3))
        order = list(range(count))
        for number in order:
            argument = rng.choice(("&s0", "&s1", "p", "stable", "p0"))
            start = rng.randrange(starts)
            lines.append(f"  pthread_create(&ids[{number}], NULL, t{start}, {argument});")
            lines += self._block(1, 1, "  ") if rng.random() < 0.25 else []
            if rng.random() < 0.15:
                lines.append(f"  pthread_join(ids[{number}], NULL);")
                order = [n for n in order if n != number]
        lines += self._block(2, 1, "  ") if rng.random() < 0.5 else []
        rng.shuffle(order)
        for number in order:
            if not self._wrong():
                lines.append(f"  pthread_join(ids[{number}], NULL);")
            lines += self._block(1, 1, "  ") if rng.random() < 0.2 else []
        return [*lines, "out:", "  return 0;", "}"]

    # -- statements

    def _block(self, depth: int, count: int, indent: str) -> list[str]:
        return [line for _ in range(count) for line in self._statement(depth, indent)]

    def _statement(self, depth: int, indent: str) -> list[str]:
        rng = self.rng
        choices = ["guarded"] * 6 + ["pointer"] * 3 + ["call"] * 2 + ["number", "own", "atomic", "publish", "rw"]
        if depth > 0:
            choices += ["if"] * 2 + ["loop", "try", "section", "semaphore", "switch"]
        if self._wrong():
            choices = ["bare", "return", "unlock", "barrier", "lock"]
        kind = rng.choice(choices)
        method = getattr(self, f"_{kind}")
        lines: list[str] = method(depth, indent)
        return lines

    def _place(self) -> tuple[str, str]:
        """A location and its lock."""
        pointer = self.rng.choice(("p", "q", "p", "(&s0)", "(&s1)", "fixed", "stable"))
        return self.rng.choice(
            (
                ("g0", "&m0"),
                ("g1", "&m1"),
                (f"arr[{self.rng.choice(('0', '1', 'c & 3', 'k', 'k + 1'))}]", "&m1"),
                (f"{pointer}->a", f"&{pointer}->lock"),
                (f"{pointer}->{self.rng.choice('ab')}", f"&{pointer}->lock"),
                ("(*ip)", "lp"),
            )
        )

    def _access(self, place: str) -> str:
        return self.rng.choice(
            (f"{place}++;", f"{place} = {self.rng.randint(1, 4)};", f"c = {place};", f"{place} += c;")
        )

    def _guarded(self, depth: int, indent: str) -> list[str]:
        place, lock = self._place()
        if self._wrong():
            lock = self._place()[1]
        unlock = lock if not self._wrong() else self._place()[1]
        inside = self._block(depth - 1, 1, indent) if depth > 0 and self.rng.random() < 0.5 else []
        before = self._quiet(indent) if self.rng.random() < 0.2 else []
        after = self._quiet(indent) if self.rng.random() < 0.2 else []
        body = [f"{indent}{self._access(place)}", *inside]
        self.rng.shuffle(body)
        lines = [
            f"{indent}pthread_mutex_lock({lock});",
            *before,
            *body,
            *after,
            f"{indent}pthread_mutex_unlock({unlock});",
        ]
        if self._wrong():
            lines.append(f"{indent}{self._access(place)}")
        return lines

    def _quiet(self, indent: str) -> list[str]:
        return self.rng.choice((self._pointer, self._number, self._own))(0, indent)

    def _bare(self, depth: int, indent: str) -> list[str]:
        return [indent + self._access(self._place()[0])]

    def _return(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}if ({self._condition()}) goto out;"]

    def _unlock(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}pthread_mutex_unlock({self._place()[1]});"]

    def _lock(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}pthread_mutex_lock({self._place()[1]});"]

    def _barrier(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}pthread_barrier_wait(&bar);"]

    def _condition(self) -> str:
        return self.rng.choice(
            (
                "c",
                "!c",
                "c == 1",
                "k < 1",
                "p == q",
                "mode",
                "mode == 1",
                "own",
                "p != &s0",
                "__VERIFIER_nondet_int()",
                "q != NULL",
                "p == stable",
            )
        )

    def _if(self, depth: int, indent: str) -> list[str]:
        lines = [f"{indent}if ({self._condition()}) {{", *self._block(depth - 1, 1, indent + "  ")]
        if self.rng.random() < 0.4:
            lines += [f"{indent}}} else {{", *self._block(depth - 1, 1, indent + "  ")]
        return [*lines, f"{indent}}}"]

    def _switch(self, depth: int, indent: str) -> list[str]:
        inner = indent + "    "
        first, second = self._block(depth - 1, 1, inner), self._block(depth - 1, 1, inner)
        end = [f"{inner}break;"] if self.rng.random() < 0.8 else []
        head = f"{indent}switch ({self.rng.choice(('c', 'mode', 'k', 'own'))}) {{"
        return [head, f"{indent}  case 0:", *first, *end, f"{indent}  default:", *second, f"{indent}}}"]

    def _loop(self, depth: int, indent: str) -> list[str]:
        self.loops += 1
        counter = f"i{self.loops}"
        body = self._block(depth - 1, 1, indent + "  ")
        step = [
            f"{indent}  {self.rng.choice(('p = q;', 'q = p;', 'k++;', 'if (p->next) p = p->next;', 'lp = &m1;', 'c = !c;'))}"
        ]
        body = body + step if self.rng.random() < 0.5 else step + body
        leave = [f"{indent}  if ({self._condition()}) break;"] if self.rng.random() < 0.3 else []
        return [f"{indent}for (int {counter} = 0; {counter} < 2; {counter}++) {{", *body, *leave, f"{indent}}}"]

    def _try(self, depth: int, indent: str) -> list[str]:
        place, lock = self._place()
        test = self.rng.choice(("== 0", "== 0", "== 0", "!= 0")) if self._wrong() else "== 0"
        body = [f"{indent}  {self._access(place)}", *self._block(depth - 1, 1, indent + "  ")]
        return [
            f"{indent}if (pthread_mutex_trylock({lock}) {test}) {{",
            *body,
            f"{indent}  pthread_mutex_unlock({lock});",
            f"{indent}}}",
        ]

    def _section(self, depth: int, indent: str) -> list[str]:
        """A lock that is taken on a condition, and given back on the same one, one hopes."""
        place, lock = self._place()
        condition = self.rng.choice(("c", "mode", "own", "p == q", "mode == 1"))
        inside = self._quiet(indent) if self.rng.random() < 0.3 else []
        access = f"{indent}if ({condition}) {self._access(place)}"
        return [
            f"{indent}if ({condition}) pthread_mutex_lock({lock});",
            *inside,
            access,
            f"{indent}if ({condition}) pthread_mutex_unlock({lock});",
        ]

    def _semaphore(self, depth: int, indent: str) -> list[str]:
        body = self._block(depth - 1, 1, indent)
        before = [] if self._wrong() else [f"{indent}sem_wait(&q0);"]
        return [*before, *body, f"{indent}sem_post(&q0);"]

    def _rw(self, depth: int, indent: str) -> list[str]:
        if self.rng.random() < 0.5:
            kind = "rdlock" if self._wrong() else "wrlock"
            return [
                f"{indent}pthread_rwlock_{kind}(&rw);",
                f"{indent}shared++;",
                f"{indent}pthread_rwlock_unlock(&rw);",
            ]
        return [f"{indent}pthread_rwlock_rdlock(&rw);", f"{indent}c = shared;", f"{indent}pthread_rwlock_unlock(&rw);"]

    def _pointer(self, depth: int, indent: str) -> list[str]:
        rng = self.rng
        choices = [
            "p = q;",
            "q = p;",
            "p = &s0;",
            "p = &s1;",
            "q = fixed;",
            "p = stable;",
            "lp = &m1; ip = &g1;",
            "lp = &m0; ip = &g0;",
        ]
        choices += [
            "if (p->next) p = p->next;",
            "lp = &p->lock; ip = &p->a;",
            "lp = &q->lock; ip = &q->b;",
            "mine = p;",
            "if (mine) q = mine;",
        ]
        choices += [
            "q = calloc(1, sizeof *q);",
            "p = c ? p : q;",
            "lp = &p->lock;",
            "ip = &arr[k & 3]; lp = &m1;",
            "{ struct S *t = p; p = q; q = t; }",
        ]
        if self._wrong():
            choices = ["ip = &g1;", "lp = &m1;", "p0 = p;", "stable = p;", "q = p0;", "p->next = q;", "p = p1;"]
        return [indent + rng.choice(choices)]

    def _publish(self, depth: int, indent: str) -> list[str]:
        rng = self.rng
        pointer, place = rng.choice("pq"), rng.choice(("p0", "p1"))
        move = rng.choice((f"{place} = {pointer};", f"{pointer} = {place};"))
        lines = [f"{indent}pthread_mutex_lock(&m0);", f"{indent}{move}", f"{indent}pthread_mutex_unlock(&m0);"]
        if rng.random() < 0.3:
            order = "relaxed" if self._wrong() else "release"
            lines = [f"{indent}atomic_store_explicit(&ap, {pointer}, memory_order_{order});"]
        elif rng.random() < 0.3:
            order = "relaxed" if self._wrong() else "acquire"
            lines = [
                f"{indent}{{ struct S *t = atomic_load_explicit(&ap, memory_order_{order}); if (t) {pointer} = t; }}"
            ]
        return lines

    def _atomic(self, depth: int, indent: str) -> list[str]:
        flag = self.rng.choice(("f0", "f1"))
        weak = self._wrong()
        if self.rng.random() < 0.5:
            order = "relaxed" if weak else "release"
            return [
                f"{indent}{self._access(self._place()[0])}" if self._wrong() else "",
                f"{indent}atomic_store_explicit(&{flag}, 1, memory_order_{order});",
            ]
        order = "relaxed" if weak else "acquire"
        body = self._block(max(depth - 1, 0), 1, indent + "  ")
        return [f"{indent}if (atomic_load_explicit(&{flag}, memory_order_{order}) == 1) {{", *body, f"{indent}}}"]

    def _number(self, depth: int, indent: str) -> list[str]:
        choices = ["c = !c;", "c = 0;", "c = 1;", "k = 1 - k;", "c = mode;", "k = c & 1;", "c = p == q;"]
        if self._wrong():
            choices = ["mode = 1;", "mode = c;"]
        return [indent + self.rng.choice(choices)]

    def _own(self, depth: int, indent: str) -> list[str]:
        return [indent + self.rng.choice(("own = 1;", "own = !own;", "own = c;", "c = own;"))]

    def _call(self, depth: int, indent: str) -> list[str]:
        if not self.helpers:
            return self._guarded(0, indent)
        number = self.rng.randrange(self.helpers)
        pointer = self.rng.choice(("p", "q", "&s0", "&s1", "fixed", "stable"))
        call = f"h{number}({pointer}, {self.rng.choice(('c', '0', '1', 'k', '!c'))});"
        kind = self.functions[number]
        if kind == "int" and self.rng.random() < 0.6:
            call = f"c = {call}"
        if kind == "struct S *" and self.rng.random() < 0.6:
            call = f"{{ struct S *t = {call} if (t) {self.rng.choice('pq')} = t; }}"
        lines = [indent + call]
        if self.rng.random() < 0.25:
            lock = self._place()[1]
            lines = [f"{indent}pthread_mutex_lock({lock});", *lines, f"{indent}pthread_mutex_unlock({lock});"]
        return lines


def chaos(rng: random.Random) -> str:
    """A random program."""
    return Chaos(rng).program()
