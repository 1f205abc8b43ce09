"""Small C programs from a seed with more objects than the explorer's runtime can follow, or nearly as many:
`python -m exploration.limits SEED`. To be started in `tests`.

A program makes threads, locks, heap blocks, streams, named semaphores, exit handlers or keys, holds locks, takes and
releases one, calls a function recursively, or waits for many atomics: as many as the runtime follows, one more or less,
or many more. Sometimes it makes objects of a second kind. In front of them, behind them or among them two threads
access the same bytes, by way of one of the objects if that is possible: under its lock, in the exit handler, in the
destructor of the key, in the innermost call. They are ordered by a lock or a join, or they are not, so that the truth
is known by construction, whatever the limits. The last line says it, and whether the program stays within every limit:
then the explorer has to decide.

Left out of `RP_LIMITS` are sizes that cost more than a second or that no program exceeds alone: steps (a million hooks,
which the other searches make events), inputs (each doubles the executions), memory locations and context switches (the
limit of events comes first), and what is still to be tried. Neither do many threads wait at the same time: `dfs` would
try all their orders. Processes and namespaces are no sizes.
"""

from __future__ import annotations

import random
import re
import sys
from dataclasses import dataclass
from typing import Final

MODE: Final = "limits"
_TRUTH: Final = re.compile(r"^// truth: (racy|race-free), (within every limit|near or past a limit)$", re.MULTILINE)
_LAST: Final = re.compile(r"^// truth: .*\n", re.MULTILINE)
_FILLED: Final = re.compile(r"@(\w+)@")
_DECLARATIONS: Final = """\
typedef struct _IO_FILE FILE;
extern int atexit(void (*)(void)); extern int at_quick_exit(void (*)(void));
extern void quick_exit(int) __attribute__((noreturn));
extern FILE *fmemopen(void *, size_t, const char *); extern void flockfile(FILE *); extern void funlockfile(FILE *);
extern sem_t *sem_open(const char *, int, ...); extern int sem_unlink(const char *);
"""
_PROGRAM: Final = """\
@declarations@static int x, y@refused@;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
@globals@@functions@static void *second(void *arg) {
  @second@
  return arg;
}
int main(void) {
  pthread_t id;
@main@}
// truth: @truth@
"""
_ACCESSES: Final = (("@v@++;", "@v@++;"), ("@v@ = 1;", "y = @v@;"), ("y = @v@;", "@v@ = 2;"), ("@v@ = 3;", "@v@ = 4;"))


def filled(text: str, **values: object) -> str:
    """With `@name@` replaced, as far as there are values."""
    return _FILLED.sub(lambda match: str(values.get(match[1], match[0])), text)


@dataclass(frozen=True, slots=True)
class Kind:
    """Objects of which a program makes `@n@`, number `i` by `make`. `limit`: how many of them the runtime follows, none
    if it follows any number; `counts` are the numbers to draw. The access of the first thread may be `wrapped`, in a
    call or between statements; `functions` has what `wrapped` calls, with `@access@` in it. `enter` and `leave`: hold
    the object `@k@`. `variable`: the bytes may be in the object `@k@`. `is_event`: making them beside another thread
    costs many executions. `end`: at the end of main, for each."""

    counts: tuple[int, ...]
    limit: int | None = None
    globals: str = ""
    make: str = ""
    functions: str = ""
    wrapped: str = ""
    enter: str = ""
    leave: str = ""
    variable: str = ""
    is_event: bool = False
    end: str = ""


_NAME: Final = 'char name[] = "/rp00"; name[3] += i / 10; name[4] += i % 10;'
KINDS: Final[dict[str, Kind]] = {
    "threads": Kind(
        (10, 61, 62, 63, 64, 80),
        62,  # and main, and the second one
        functions="static void *nothing(void *arg) { return arg; }\n",
        make="pthread_t t; pthread_create(&t, 0, nothing, 0); pthread_join(t, 0);",
        is_event=True,
    ),
    "objects": Kind(
        (100, 65_530, 65_535, 65_536, 65_537, 66_000),
        65_530,  # others may be needed
        "static pthread_mutex_t many[@n@];\n",
        "pthread_mutex_init(&many[i], 0);",
        enter="pthread_mutex_lock(&many[@k@]);",
        leave="pthread_mutex_unlock(&many[@k@]);",
    ),
    "unnamed semaphores": Kind(
        (100, 65_530, 65_535, 65_536, 65_537, 66_000),
        65_530,
        "static sem_t unnamed[@n@];\n",
        "sem_init(&unnamed[i], 0, 1);",
        enter="sem_wait(&unnamed[@k@]);",
        leave="sem_post(&unnamed[@k@]);",
    ),
    "events": Kind(
        (100, 1_000, 65_530, 65_536, 70_000),
        1_000,
        make="pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
        is_event=True,
    ),
    "streams": Kind(
        (100, 255, 256, 257, 300),
        256,
        "static FILE *streams[@n@];\n",
        'streams[i] = fmemopen(0, 8, "w"); flockfile(streams[i]); funlockfile(streams[i]);',
        enter="flockfile(streams[@k@]);",
        leave="funlockfile(streams[@k@]);",
        is_event=True,
    ),
    "semaphores": Kind(
        (10, 63, 64, 65, 90),
        64,
        "static sem_t *named[@n@];\n",
        f"{_NAME} named[i] = sem_open(name, 64, 0600, 1);",
        enter="sem_wait(named[@k@]);",
        leave="sem_post(named[@k@]);",
        end=f"{_NAME} sem_unlink(name);",
    ),
    "handlers": Kind(
        (100, 254, 255, 256, 257, 400),
        255,  # and the one with the access
        functions="static void nothing(void) {}\nstatic void late(void) {\n  @access@\n}\n",
        make="atexit(nothing);",
        wrapped="atexit(late);",
    ),
    "quick handlers": Kind(
        (100, 254, 255, 256, 257, 400),
        255,
        functions="static void nothing(void) {}\nstatic void late(void) {\n  @access@\n}\n",
        make="at_quick_exit(nothing);",
        wrapped="at_quick_exit(late);",
    ),
    "keys": Kind(
        (100, 1_023, 1_024),
        None,
        "static pthread_key_t keys[@n@];\n",
        "pthread_key_create(&keys[i], late);",
        "static void late(void *arg) {\n  (void)arg;\n  @access@\n}\n",
        "pthread_setspecific(keys[@k@], &y);",
    ),
    "refused keys": Kind(  # PTHREAD_KEYS_MAX: the system gives no more, and the program looks at that
        (100, 1_023, 1_024, 1_025, 1_100),
        None,
        "static pthread_key_t keys[@n@];\n",
        "if (pthread_key_create(&keys[i], 0)) refused = 1;",
    ),
    "blocks": Kind(
        (10, 64, 300, 3_000),
        None,
        "static int *blocks[@n@];\n",
        "blocks[i] = malloc(sizeof(int)); *blocks[i] = i;",
        variable="*blocks[@k@]",
    ),
    "calls": Kind(
        (100, 255, 256, 257, 600),
        None,
        functions="static void call(int n) {\n  if (n > 0) { call(n - 1); return; }\n  @access@\n}\n",
        wrapped="call(@n@);",
    ),
    "held": Kind(
        (10, 63, 64, 65, 130),
        None,
        "static pthread_mutex_t many[@n@];\n",
        "pthread_mutex_init(&many[i], 0);",
        wrapped="for (int i = 0; i < @n@; i++) pthread_mutex_lock(&many[i]);\n  @access@\n"
        "  for (int i = @n@ - 1; i >= 0; i--) pthread_mutex_unlock(&many[i]);",
        enter="pthread_mutex_lock(&many[@k@]);",
        leave="pthread_mutex_unlock(&many[@k@]);",
    ),
    "held again": Kind(
        (10, 63, 64, 65, 130, 300),
        None,
        "static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\n",
        wrapped="for (int i = 0; i < @n@; i++) pthread_mutex_lock(&again);\n"
        "  for (int i = 1; i < @n@; i++) pthread_mutex_unlock(&again);\n  @access@\n  pthread_mutex_unlock(&again);",
        enter="pthread_mutex_lock(&again);",
        leave="pthread_mutex_unlock(&again);",
    ),
    "readers": Kind(
        (10, 63, 64, 65, 130),
        None,
        "static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;\n",
        wrapped="for (int i = 0; i < @n@; i++) pthread_rwlock_rdlock(&rw);\n"
        "  for (int i = 1; i < @n@; i++) pthread_rwlock_unlock(&rw);\n  @access@\n  pthread_rwlock_unlock(&rw);",
        enter="pthread_rwlock_wrlock(&rw);",
        leave="pthread_rwlock_unlock(&rw);",
    ),
    "locks": Kind(  # each a variable of its own
        (10, 63, 64, 65, 130),
        None,
        "@named@",
        enter="pthread_mutex_lock(&m@k@);",
        leave="pthread_mutex_unlock(&m@k@);",
    ),
    "waits": Kind((10, 63, 64, 65, 100), 64, "static atomic_int flags[@n@];\n"),
}
_SECOND_KINDS: Final = ("threads", "objects", "streams", "semaphores", "handlers", "refused keys", "blocks")
_HANDLERS: Final = ("handlers", "quick handlers")
_HELD: Final = ("held", "held again", "readers")


def _renamed(text: str) -> str:
    """Of objects that nobody uses: under names of their own."""
    text = text.replace("nothing", "idle").replace("many", "more").replace("late(", "never(")
    return re.sub(r"if \((.*)\) refused = 1;", r"\1;", text)


def _ending(kind: Kind, count: int) -> str:
    return f"  for (int i = 0; i < {count}; i++) {{ {kind.end} }}\n" if kind.end else ""


class _Program:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"{MODE} {seed}")
        self.name = self.random.choice(tuple(KINDS))
        self.kind = KINDS[self.name]
        self.count = self.random.choice(self.kind.counts)
        self.number = self.random.choice((0, self.count - 1, self.random.randrange(self.count)))  # of the object to use
        self.is_within = self.kind.limit is None or self.count <= self.kind.limit
        self.is_racy = self.random.random() < 0.5
        self.how = self.random.choice(("join", "lock", "object"))  # they are ordered, if they are
        self.place = self.random.choice(("before", "behind", "among", "around"))
        if self.how == "object" or self.kind.variable or self.name in ("keys", "refused keys", "held"):
            self.place = "behind"  # what they use is there
        elif self.kind.is_event and self.count > 100:
            self.place = self.random.choice(("before", "behind"))
        self.extra_globals = ""
        self.extra = self._second_kind()

    def _second_kind(self) -> str:
        """Statements that make other objects, which nobody uses."""
        if self.random.random() < 0.75 or KINDS[self.name].limit == 65_530:
            return ""
        name = self.random.choice([n for n in _SECOND_KINDS if n.split()[-1] != self.name.split()[-1]])
        kind = KINDS[name]
        count = self.random.choice(kind.counts)
        if kind.limit is not None:  # those of the first kind may be locks, too
            self.is_within &= count <= kind.limit - (1_000 if name == "objects" else 0)
        self.extra_globals = _renamed(filled(f"{kind.globals}{kind.functions}", n=count, access=";"))
        return f"  for (int i = 0; i < {count}; i++) {{ {_renamed(kind.make)} }}\n{_ending(kind, count)}"

    # -- the accesses

    def accesses(self) -> tuple[str, str]:
        variable = filled(self.kind.variable, k=self.number) or "x"
        first, second = (filled(text, v=variable) for text in self.random.choice(_ACCESSES))
        locked = "pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);"
        enter, leave = (filled(text, k=self.number) for text in (self.kind.enter, self.kind.leave))
        held = f"{enter} {{}} {leave}"
        if self.name == "refused keys":
            unless = "if (!refused) pthread_mutex_lock(&m); {} if (!refused) pthread_mutex_unlock(&m);"
            self.is_racy, self.how = self.count > 1_024, "lock"
            return unless.format(first), locked.format(second)
        if self.how == "object" and not enter:
            self.how = "lock"
        if self.name in _HELD and self.how == "object":  # the first one holds them all
            if not self.is_racy:
                return first, held.format(second)
            wrong_lock = held.replace("wrlock", "rdlock") if self.name == "readers" else locked
            return first, self.random.choice(("{}", wrong_lock)).format(second)
        if self.is_racy:
            wrong = [("{}", "{}"), (locked, "{}"), ("{}", locked)]
            if enter and self.place == "behind" and self.name not in _HELD:
                wrong += [(held, "{}"), (held, locked)]
            one, other = self.random.choice(wrong)
            return one.format(first), other.format(second)
        if self.how == "join":
            return first, second
        around = held if self.how == "object" else locked
        return around.format(first), around.format(second)

    # -- the program

    def making(self, begin: int, end: int) -> str:
        if begin >= end:
            return ""
        if self.name == "locks":
            return "".join(f"  pthread_mutex_lock(&m{i}); pthread_mutex_unlock(&m{i});\n" for i in range(begin, end))
        if not self.kind.make:
            return ""
        return f"  for (int i = {begin}; i < {end}; i++) {{ {self.kind.make} }}\n"

    def text(self) -> str:
        first, second = self.accesses()
        kind, count = self.kind, self.count
        is_joined_first = not self.is_racy and self.how == "join"
        own = filled(kind.wrapped, n=count, k=self.number, access=first) or first
        functions = kind.functions
        if self.name == "waits":
            loads = "".join(
                f"    n += atomic_load_explicit(&flags[{i}], memory_order_seq_cst);\n" for i in range(count)
            )
            functions = (
                f"static void await(void) {{\n  for (;;) {{\n    int n = 0;\n{loads}    if (n) break;\n  }}\n}}\n"
            )
            signal = f"atomic_store_explicit(&flags[{self.number}], 1, memory_order_seq_cst);"
            own = f"{first} await();" if self.is_racy else f"await(); {first}"
            second = f"{second} {signal}"
            is_joined_first = False
        if self.name == "keys":  # the second thread ends with the access of the destructor
            own, first, second = first, second, filled(kind.wrapped, k=self.number)
        cuts = {
            "before": (0, 0),
            "behind": (count, count),
            "among": (count // 2, 3 * count // 4),
            "around": (0, count),
        }[self.place]
        create, join = "  pthread_create(&id, 0, second, 0);\n", "  pthread_join(id, 0);\n"
        is_late = self.name in _HANDLERS
        middle = f"{join if is_joined_first else ''}  {own}\n"
        parts = [self.making(0, cuts[0]), create, self.making(*cuts), middle]
        if not is_joined_first and not is_late:
            rest = self.making(cuts[1], count)
            parts += [join, rest] if self.place == "before" else [rest, join]
        else:
            parts.append(self.making(cuts[1], count))
        parts.insert(self.random.choice((0, len(parts))), self.extra)
        parts.append(_ending(kind, count))
        parts.append("  quick_exit(0);\n" if self.name == "quick handlers" else "  return 0;\n")
        named = "".join(f"static pthread_mutex_t m{i} = PTHREAD_MUTEX_INITIALIZER;\n" for i in range(count))
        truth = (
            f"{'racy' if self.is_racy else 'race-free'}, {'within every' if self.is_within else 'near or past a'} limit"
        )
        return filled(
            _PROGRAM,
            declarations=_DECLARATIONS,
            refused=", refused" if self.name == "refused keys" else "",
            globals=filled(kind.globals, n=count, named=named if self.name == "locks" else "") + self.extra_globals,
            functions=filled(functions, access=first),
            second=second,
            main="".join(parts),
            truth=truth,
        )


def generate(seed: int) -> str:
    """The program of a seed."""
    return _Program(seed).text()


@dataclass(frozen=True, slots=True)
class Truth:
    """What the last line says."""

    is_racy: bool
    is_within: bool


def truth_of(text: str) -> Truth | None:
    match = _TRUTH.search(text)
    return Truth(match[1] == "racy", match[2].startswith("within")) if match else None


def without_truth(text: str) -> str:
    """For a program that was changed: the line may not hold any more."""
    return _LAST.sub("", text)


if __name__ == "__main__":
    sys.stdout.write(generate(int(sys.argv[1])))
