"""Small C programs from a seed whose code runs before main and after it: `python -m exploration.startup SEED`. To be
started in `tests`.

Constructors with and without priorities, entries of the loader's tables, variables in a section that are found by its
bounds, destructors and functions for the end of the program; each may use shared variables, with the lock or without,
and create or join a thread.
"""

from __future__ import annotations

import random
import sys
from typing import Final

MODE: Final = "startup"
_VARIABLES: Final = ("a", "s")
_HEAD: Final = """\
static int a, b;
static int s __attribute__((section("shared"), used)) = 1;
extern int __start_shared[], __stop_shared[];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""
_EARLY: Final = ("constructor", "constructor(@)", ".init_array", ".init_array.00@", ".preinit_array")
_LATE: Final = ("destructor", "destructor(@)", ".fini_array", "atexit")


class _Program:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"startup {seed}")
        self.threads = self.random.randint(1, 2)
        self.careless = self.random.random() < 0.6  # else nobody forgets the lock
        self.created: list[int] = []  # in the order in which the functions are written, which need not be theirs

    def access(self) -> str:
        name = self.random.choice(_VARIABLES)
        text = self.random.choice((f"{name}++;", f"{name} = {self.random.randint(0, 9)};", f"if ({name} > 2) b = 1;"))
        if self.random.random() < 0.2:
            text = "for (int *p = __start_shared; p < __stop_shared; p++) (*p)++;"
        if self.careless and self.random.random() < 0.7:
            return f"  {text}\n"
        return f"  pthread_mutex_lock(&m);\n  {text}\n  pthread_mutex_unlock(&m);\n"

    def accesses(self, most: int) -> str:
        return "".join(self.access() for _ in range(self.random.randint(int(most > 1), most)))

    def placed(self, name: str, kind: str, body: str) -> str:
        kind = kind.replace("@", str(self.random.choice((200, 300, 400))))
        if not kind.startswith("."):
            return f"__attribute__(({kind})) static void {name}(void) {{\n{body}}}\n"
        entry = f'static void (*const {name}_entry)(void) __attribute__((section("{kind}"), used)) = {name};\n'
        return f"static void {name}(void) {{\n{body}}}\n{entry}"

    def creations(self, number: int) -> str:
        return f"  pthread_create(&id[{number}], 0, t{number}, 0);\n"

    def text(self) -> str:
        parts = [_HEAD, f"static pthread_t id[{self.threads}];\n"]
        parts += [
            f"static void *t{n}(void *arg) {{\n{self.accesses(2)}  return arg;\n}}\n" for n in range(self.threads)
        ]
        early = self.random.randint(1, 2)
        made_by = [self.random.choice((*range(early), None)) for _ in range(self.threads)]
        for number in range(early):
            body = self.accesses(1)
            body += "".join(self.creations(n) for n, who in enumerate(made_by) if who == number)
            parts.append(self.placed(f"early{number}", self.random.choice(_EARLY), body + self.accesses(1)))
        registered = ""
        for number in range(self.random.randint(0, 1)):
            kind = self.random.choice(_LATE)
            if kind == "atexit":
                parts.append(f"static void late{number}(void) {{\n{self.accesses(1)}}}\n")
                registered += f"  atexit(late{number});\n"
            else:
                parts.append(self.placed(f"late{number}", kind, self.accesses(1)))
        main = registered + "".join(self.creations(n) for n, who in enumerate(made_by) if who is None)
        main += self.accesses(1)
        main += "".join(f"  pthread_join(id[{n}], 0);\n" for n in range(self.threads) if self.random.random() < 0.8)
        return "".join([*parts, f"int main(void) {{\n{main}{self.accesses(1)}  return 0;\n}}\n"])


def generate(seed: int) -> str:
    return _Program(seed).text()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
