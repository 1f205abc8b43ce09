"""Thread states of [DHTC]: the native question against a plain form, and programs in which they decide.

The plain form follows [DHTC, Fig. 2], as far as it is right: the state of an object is that of what all threads may
still do to it, without regard to locks.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pytest
from exploring import load_text, search

from raceproof.explore.future_places import HeldPlace, Places, ThreadClass, TouchedPlace, compute_places, format_places
from raceproof.frontend import zig_program
from raceproof.model import AccessId, ObjectId

ROOT = Path(__file__).parents[3]
NATIVE = ROOT / "src" / "raceproof" / "native"
CELLS = 4


class State(Enum):
    """[DHTC, Table 1]."""

    READ_OWN = "read own"
    WRITE_OWN = "write own"
    SHARED = "shared"
    RACE = "race"


@dataclass(frozen=True)
class Touch:
    """A transition of [DHTC, Fig. 2]: what a thread may do to which bytes; None: to any of `objects`."""

    thread: int
    writes: bool
    extent: tuple[int, int] | None
    objects: frozenset[int] = frozenset()

    def may_meet(self, other: Touch) -> bool:
        if self.extent is not None and other.extent is not None:
            return self.extent[0] < other.extent[1] and other.extent[0] < self.extent[1]
        return bool(self.objects & other.objects)


def state_of(touch: Touch, others: Sequence[Touch]) -> State:
    """`others`: all that may still happen. Threads that have ended do nothing any more; those to come count."""
    met = [t for t in others if t.thread != touch.thread and touch.may_meet(t)]
    if not met:  # l.9-11, 19-22
        return State.WRITE_OWN if touch.writes else State.READ_OWN
    if touch.writes or any(t.writes for t in met):  # l.8, 16
        return State.RACE
    return State.SHARED  # l.7, 17


def test_states_of_table_1() -> None:
    """Figure 1: who is left decides."""
    main, reader, other = Touch(0, True, (0, 4)), Touch(1, False, (0, 4)), Touch(2, False, (0, 4))
    assert state_of(main, [main]) is State.WRITE_OWN
    assert state_of(reader, [reader]) is State.READ_OWN
    assert state_of(reader, [reader, other]) is State.SHARED
    assert state_of(reader, [main, reader, other]) is State.RACE
    assert state_of(main, [main, reader]) is State.RACE
    assert state_of(main, [main, Touch(1, False, (4, 8))]) is State.WRITE_OWN  # other bytes


# -- the native form


@dataclass(frozen=True)
class Stood:
    """A thread of the test: its class, and what it was created with; `site` None: one to come."""

    number: int
    threads: ThreadClass
    argument: int
    cells: tuple[int, ...]

    def extent(self, place: TouchedPlace, bases: Sequence[int]) -> tuple[int, int] | None:
        if place.address is None or place.size is None:
            return None
        stack: list[int] = []
        has_own = self.threads.function is None and self.threads.site != 0
        for term in place.address:
            match term[0]:
                case "p":
                    stack.append(int(term[1:]))
                case "b":
                    stack.append(bases[int(term[1:])])
                case "a":
                    if not has_own:
                        return None
                    stack.append(self.argument)
                case "m":
                    stack.append(stack.pop() * int(term[1:]))
                case "l":
                    if not has_own:
                        return None
                    stack.append(self.cells[bases.index(stack.pop())])
                case _:
                    stack.append(stack.pop() + stack.pop())
        begin = stack.pop() % (1 << 64)
        return begin, begin + place.size

    def touches(self, access: int, bases: Sequence[int]) -> list[Touch] | None:
        for number, places in self.threads.places:
            if number == access:
                return [Touch(self.number, True, self.extent(p, bases), frozenset(map(int, p.objects))) for p in places]
        return None

    def held(self, access: int, bases: Sequence[int]) -> list[tuple[int, bool]]:
        """The locks of an access whose addresses are known, and whether they are shared."""
        rows = [locks for number, locks in self.threads.locks if number == access]
        found = [(self.extent(lock.place, bases), lock.is_shared) for locks in rows for lock in locks]
        return [(at[0], is_shared) for at, is_shared in found if at is not None and at[0] != 0]


def some_address(rng: random.Random) -> tuple[str, ...]:
    addresses: list[tuple[str, ...]] = [
        (f"p{rng.randint(0, 2) * 4}", f"b{rng.randrange(CELLS)}", "+"),
        (f"p{rng.randint(0, 2) * 4}", "a", "+"),
        (f"p{rng.randint(0, 2) * 4}", "a", "m4", "+"),
        ("p0", f"b{rng.randrange(CELLS)}", "p0", "+", "l8", "+"),
    ]
    return rng.choice(addresses)


def some_place(rng: random.Random) -> TouchedPlace:
    objects = tuple(ObjectId(n) for n in sorted(rng.sample(range(4), rng.randint(1, 2))))
    chosen = some_address(rng) if rng.random() < 0.8 else None
    return TouchedPlace(None if chosen is None else rng.choice((1, 4, 8)), chosen, objects)


def some_locks(rng: random.Random) -> tuple[HeldPlace, ...]:
    return tuple(HeldPlace(some_address(rng), rng.random() < 0.3) for _ in range(rng.randint(1, 3)))


def some_class(rng: random.Random, site: int | None, function: int | None) -> ThreadClass:
    accesses = sorted(rng.sample(range(5), rng.randint(0, 4)))
    rows = tuple((AccessId(a), tuple(some_place(rng) for _ in range(rng.randint(1, 2)))) for a in accesses)
    locks = tuple((AccessId(a), some_locks(rng)) for a in sorted(rng.sample(range(5), rng.randint(0, 4))))
    return ThreadClass(site, function, rows, locks)


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("states") / "test"
    sources = (ROOT / "tests" / "native" / "ownership_test.c", NATIVE / "ownership.c")
    flags = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-iquote", str(NATIVE))
    command = (zig_program(), "cc", *flags, *map(str, sources), "-o", str(program))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def answers(program: Path, lines: Sequence[str]) -> list[int]:
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run((str(program),), input=text, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


@pytest.mark.parametrize("seed", range(12))
def test_native_states_agree_with_the_plain_form(seed: int, harness: Path) -> None:
    rng = random.Random(f"thread states {seed}")
    classes = [some_class(rng, site, None) for site in (0, 10, 20)] + [some_class(rng, None, f) for f in range(2)]
    tables = [*format_places(Places(tuple("abcd"), tuple(classes))), "ready"]
    lines = list(tables)
    stood: list[Stood] = []
    cells = [0] * CELLS
    for threads in rng.choices(classes, k=8):
        argument = rng.choice((1000, 1004, 2000))
        changed = rng.randrange(CELLS)
        cells[changed] = rng.choice((1000, 1002, 3000))
        lines.append(f"set {changed} {cells[changed]}")
        is_new = threads.function is None
        lines.append(f"thread {threads.site} {argument}" if is_new else f"function {threads.function}")
        stood.append(Stood(len(stood), threads, argument, tuple(cells)))
    questions = [(i, a, j, b) for i in range(8) for j in range(8) if i != j for a in range(5) for b in range(5)]
    asked = [
        *(f"ask {i} {a} {j} {b}" for i, a, j, b in questions),
        *(f"held {i} {a}" for i in range(8) for a in range(5)),
    ]
    said = answers(harness, [*lines, *asked])
    bases, races = said[:CELLS], said[CELLS : CELLS + len(questions)]
    expected = [is_race(stood[i].touches(a, bases), stood[j].touches(b, bases)) for i, a, j, b in questions]
    assert [bool(n) for n in races] == expected
    assert len(set(expected)) == 2
    held = [stood[i].held(a, bases) for i in range(8) for a in range(5)]
    assert said[CELLS + len(questions) :] == [
        n for locks in held for n in (len(locks), *(p for lock in locks for p in lock))
    ]
    assert any(held)


def is_race(mine: list[Touch] | None, others: list[Touch] | None) -> bool:
    """What is in no table may be anywhere."""
    if mine is None or others is None:
        return True
    return any(state_of(touch, others) is State.RACE for touch in mine)


# -- programs in which states decide

SHAPE = """
struct box { int v, w; };
static struct box *boxes[3];
static int *table[2], total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void put(int *p, int v) { *p = v; }
static void *worker(void *arg) {
  struct box *mine = arg;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    total++;
    *table[1] += *table[0];
    pthread_mutex_unlock(&m);
    WORK
  }
  return 0;
}
int main(void) {
  pthread_t id[2];
  for (int i = 0; i < 2; i++) { table[i] = malloc(sizeof(int)); put(table[i], i); }
  for (int i = 0; i < 2; i++) { boxes[i] = malloc(sizeof *boxes[i]); put(&boxes[i]->v, 0); boxes[i]->w = 1; }
  for (int i = 0; i < 2; i++) pthread_create(&id[i], 0, worker, GIVEN);
  MAIN
  for (int i = 0; i < 2; i++) pthread_join(id[i], 0);
  for (int i = 0; i < 2; i++) total += boxes[i]->v;
  return 0;
}
"""
FREE = {
    "each has a box of its own on the heap": ("mine->v += mine->w;", "boxes[i]", ""),
    "what the table points to is only read": ("put(&mine->v, *table[0]);", "boxes[i]", ""),
}
RACY = {
    "a box that both were given": ("mine->v += mine->w;", "boxes[0]", ""),
    "what the table points to is written without the lock": ("put(table[1], *table[0]);", "boxes[i]", ""),
    "the creator goes on with a box": ("mine->v++;", "boxes[i]", "boxes[1]->v++;"),
    "the table is changed while threads run": (
        "put(&mine->v, *table[0]);",
        "boxes[i]",
        "pthread_mutex_lock(&m); table[0] = table[1]; pthread_mutex_unlock(&m);",
    ),
    "a box behind the own one": ("put(&mine[i].v, 2); boxes[!i]->w++;", "boxes[i]", ""),
}


def program(parts: tuple[str, str, str]) -> str:
    work, given, main = parts
    return SHAPE.replace("WORK", work).replace("GIVEN", given).replace("MAIN", main)


@pytest.mark.parametrize("name", FREE)
def test_states_decide_what_locks_cannot(name: str, tmp_path: Path) -> None:
    subject = load_text(program(FREE[name]), tmp_path)
    found = {algorithm: search(subject, algorithm) for algorithm in ("pdp", "dhtc")}
    assert {f.verdict for f in found.values()} == {"race-free"}
    assert found["dhtc"].executions == 1 < found["pdp"].executions


HANDED = """
static int *kept[3];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *first(void *arg) { int *p = arg; *p += 1; return 0; }
static void *second(void *arg) {
  int *p = arg;
  for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); *kept[1] += 1; pthread_mutex_unlock(&m); *p += 1; }
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  for (int i = 0; i < 3; i++) kept[i] = malloc(sizeof(int)), *kept[i] = i;
  pthread_create(&a, 0, first, kept[0]);
  JOIN
  pthread_create(&b, 0, second, kept[0]);
  pthread_create(&c, 0, second, kept[2]);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
"""


def test_what_an_ended_thread_had_is_owned_again(tmp_path: Path) -> None:
    """The dotted part of Figure 1."""
    subject = load_text(HANDED.replace("JOIN", "pthread_join(a, 0); *kept[0] += 1;"), tmp_path)
    found = {algorithm: search(subject, algorithm) for algorithm in ("dfs", "pdp", "dhtc")}
    assert {f.verdict for f in found.values()} == {"race-free"}
    assert found["dhtc"].executions == 1 < found["pdp"].executions
    racy = load_text(HANDED.replace("JOIN", ""), tmp_path)
    assert {search(racy, algorithm).verdict for algorithm in ("dfs", "pdp", "dhtc")} == {"race"}


@pytest.mark.parametrize("name", RACY)
def test_no_race_is_taken_for_owned(name: str, tmp_path: Path) -> None:
    subject = load_text(program(RACY[name]), tmp_path)
    oracle = search(subject, "dfs", find_all=True, max_executions=100_000)
    found = search(subject, "dhtc", find_all=True)
    assert oracle.races
    assert sorted(found.races) == sorted(oracle.races), found.why()


# -- tables


def test_a_variable_that_its_reader_writes_has_no_known_value(tmp_path: Path) -> None:
    """`config` is set by main alone; `own` by the thread that reads it, so that creation is too early to look."""
    text = """
static int *table[2], *own, x;
static void *worker(void *arg) { own = malloc(sizeof(int)); *own = *table[1]; x = *own; return arg; }
int main(void) {
  pthread_t id;
  for (int i = 0; i < 2; i++) table[i] = malloc(sizeof(int)), *table[i] = i;
  pthread_create(&id, 0, worker, 0);
  (*own)++, (*table[1])++, x++;
  pthread_join(id, 0);
  return 0;
}
"""
    subject = load_text(text, tmp_path)
    watched = {a for pair in subject.pairs for a in (pair.first, pair.second)}
    places = compute_places(subject.cp, watched, ("main", "worker"))
    thread = next(c for c in places.classes if c.function == 1)
    addresses = [place.address for _, found in thread.places for place in found]
    loads = [a for a in addresses if a is not None and any(term.startswith("l") for term in a)]
    assert {places.bases[int(a[1][1:])] for a in loads} == {"table"}
