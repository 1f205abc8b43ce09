"""Small C programs from a seed whose race depends on an input, or that have none: `python -m exploration.given SEED`.
To be started in `tests`.

Two threads count under a lock. A value from outside (arguments, environment, standard input, clock, random numbers,
ids, addresses, a file) goes through some carriers (variables, memory, functions, arithmetic, structures) and ends where
it decides whether one of them takes the lock: such a program has a race with some input, and nobody may call it
race-free. Or it ends where it decides nothing (it is dropped, printed, stored), or there is no such value: such a
program has to be proved. The last line says which.
"""

from __future__ import annotations

import random
import sys
from typing import Final

MODE: Final = "inputs"
RACY: Final = "// truth: racy with some input"
FREE: Final = "// truth: race-free, and no input decides anything"
_DECLARATIONS: Final = """\
extern char *getenv(const char *); extern long time(long *); extern long clock(void); extern int rand(void);
extern int getpid(void); extern int getchar(void); extern int scanf(const char *, ...); extern int atoi(const char *);
extern int printf(const char *, ...); extern long strtol(const char *, char **, int); extern long sysconf(int);
extern int sscanf(const char *, const char *, ...);
"""
# A long from outside; whether it may be carried about without deciding anything (else its mere reading counts).
_SOURCES: Final[tuple[tuple[str, bool], ...]] = (
    ("argc", False),
    ("(argc > 1 ? atoi(argv[1]) : 0)", False),
    ('(getenv("RP_SOAK") ? strtol(getenv("RP_SOAK"), 0, 10) : 0)', False),
    ("getchar()", False),
    ("scanned()", False),
    ("time(0)", True),
    ("clock()", True),
    ("now()", True),
    ("rand()", True),
    ("getpid()", True),
    ("sysconf(84)", True),
    ("(long)pthread_self()", True),
    ("(long)&x", True),
    ("(long)malloc(16)", True),
    ("((char *)malloc(8) < (char *)malloc(8))", True),
)
_CARRIERS: Final = (
    "v = v * 3 + 1;",
    "v = (int)v;",
    "kept = v; v = kept;",
    "box.value = v; v = box.value;",
    "{ struct box b = {1, v}; struct box c = b; v = c.value; }",
    "{ long *p = malloc(sizeof *p); *p = v; v = *p; free(p); }",
    "{ long a[3] = {0, v, 2}; v = a[1]; }",
    "v = through(v);",
    "stored(&v);",
    "{ double d = (double)v; v = (long)(d / 2); }",
    "{ long w = 0; memcpy(&w, &v, sizeof w); v = w; }",
    "atomic_store_explicit(&word, (int)v, memory_order_seq_cst);"
    " v = atomic_load_explicit(&word, memory_order_seq_cst);",
)
_CONDITIONS: Final = ("v % 1009 == 77", "(v & 0xfff) == 0x123", "v / 3 % 1013 == 5", "v % 97 > 95")
_DECIDING: Final = (
    "hurry = {c};",
    "if ({c}) hurry = 1;",
    "switch ({c}) {{ case 1: hurry = 1; break; default: break; }}",
    "for (int i = 0; i < ({c}); i++) hurry = 1;",
    "ways[({c}) ? 1 : 0]();",
    "flags[{c}] = 1; hurry = flags[1];",
    "hurry = ({c}) ? yes() : 0;",
)
_HARMLESS: Final = (
    'printf("%ld\\n", v);',
    "kept = v;",
    "box.value = v;",
    "(void)v;",
    'printf("%5ld %s\\n", v, "text");',
)
_PROGRAM: Final = """\
{declarations}struct box {{ int other; long value; }};
static int x, hurry, flags[2]; static long kept; static struct box box; static atomic_int word;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
{functions}static void *first(void *a) {{ pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a; }}
static void *second(void *a) {{
  {second}
  return a;
}}
int main({parameters}) {{
  pthread_t t1, t2;
{body}  pthread_create(&t1, 0, first, 0); pthread_create(&t2, 0, second, 0);
  pthread_join(t1, 0); pthread_join(t2, 0);
  return 0;
}}
{truth}
"""
_FUNCTIONS: Final = {
    "scanned()": 'static long scanned(void) { long n = 0; scanf("%ld", &n); return n; }\n',
    "now()": "static long now(void) { long t; time(&t); return t; }\n",
    "through(": "static long through(long n) { return n + 5; }\n",
    "stored(": "static void stored(long *p) { kept = *p; *p = kept - 2; }\n",
    "ways[": "static void no(void) {}\nstatic void go(void) { hurry = 1; }\nstatic void (*ways[2])(void) = {no, go};\n",
    "yes()": "static int yes(void) { return 1; }\n",
}
_ALWAYS: Final = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"
_UNLESS_HURRIED: Final = "if (!hurry) pthread_mutex_lock(&m); x++; if (!hurry) pthread_mutex_unlock(&m);"


def generate(seed: int) -> str:
    """The program of a seed."""
    rng = random.Random(f"{MODE} {seed}")
    is_racy = rng.random() < 0.6
    source, is_plain = rng.choice(_SOURCES)
    lines = [f"long v = {source};" if is_racy or is_plain else "long v = 5;"]
    is_order = "<" in source  # of two addresses: 0 or 1
    lines += [rng.choice(_CARRIERS) for _ in range(0 if is_order else rng.choice((0, 1, 1, 2, 3)))]
    if is_racy:
        condition = "v == 1" if is_order else rng.choice(_CONDITIONS)
        lines.append(rng.choice(_DECIDING).format(c=condition))
    else:
        lines.append(rng.choice(_HARMLESS))
    body = "".join(f"  {line}\n" for line in lines)
    return _PROGRAM.format(
        declarations=_DECLARATIONS,
        functions="".join(text for name, text in _FUNCTIONS.items() if name in body),
        second=_UNLESS_HURRIED if is_racy or rng.random() < 0.5 else _ALWAYS,
        parameters="int argc, char **argv" if "argc" in body or rng.random() < 0.2 else "void",
        body=body,
        truth=RACY if is_racy else FREE,
    )


def is_racy(text: str) -> bool | None:
    """What the last line says; None if it says nothing."""
    return RACY in text if RACY in text or FREE in text else None


if __name__ == "__main__":
    sys.stdout.write(generate(int(sys.argv[1])))
