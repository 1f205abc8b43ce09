"""Algorithm `states`, with and without each reduction, beside `dfs`: programs that one program is told by arguments.

    cd tests && ../.venv/bin/python -m exploration.state_scripts FIRST COUNT [SECONDS] [--write]

One program interprets what its arguments say: how many threads run which operations (locks, conditions, semaphores, a
barrier, a heap, atomics, inputs, branches on shared data, loops) and what main does meanwhile. It is compiled once: a
generated program is a few runs of the native search, a hundredth of a second each. Where `dfs` comes to its end,
every variant must have found a race if there is one, only races and deadlocks that there are, and all deadlocks.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from exploration.compare import compile_text
from exploration.states import UNDEFINED, Seen, seen
from raceproof import explore
from raceproof.core import Budget
from raceproof.explore.engine import control
from raceproof.explore.preparation import Prepared
from raceproof.explore.process import run_host
from raceproof.facts import analyse, race_pairs

INTERPRETER: Final = r"""
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static pthread_barrier_t meet;
static int x, y, slot[4];
struct node { int value; };
static struct node *box;
static _Atomic int flag, count, go;
static pthread_t ids[8];
static int threads, joined, groups;
static char **groups_of;

static void *run(void *given);

static void create(void) {
    const char *group = groups_of[groups++];
    for (int i = 0; i < group[0] - '0'; i++) pthread_create(&ids[threads++], 0, run, (void *)(group + 1));
}

static void *run(void *given) {
    const char *start = given, *loop = 0;
    int rounds = 0, number = 0;
    struct node *mine = 0;
    for (const char *at = start; *at; at++) {
        switch (*at) {
        case 'a': pthread_mutex_lock(&a); break;
        case 'A': pthread_mutex_unlock(&a); break;
        case 'b': pthread_mutex_lock(&b); break;
        case 'B': pthread_mutex_unlock(&b); break;
        case 'x': x = 1; break;
        case 'X': number += x; break;
        case 'y': y = 1; break;
        case 'Y': number += y; break;
        case 't': number = count++; break;
        case 'T': slot[number & 3] = 1; break;
        case 'f': flag = 1; break;
        case 'g': flag = 0; break;
        case 'w': while (!flag) pthread_cond_wait(&c, &a); break;
        case 'v': if (!flag) pthread_cond_wait(&c, &a); break;
        case 's': pthread_cond_signal(&c); break;
        case 'S': pthread_cond_broadcast(&c); break;
        case 'p': sem_post(&sem); break;
        case 'q': sem_wait(&sem); break;
        case '=': pthread_barrier_wait(&meet); break;
        case 'n': mine = malloc(sizeof *mine); if (!mine) abort(); mine->value = 1; break;
        case 'm': { struct node *old = box; box = mine; mine = old; break; }
        case 'k': if (mine) mine->value = 2; break;
        case 'K': free(mine); mine = 0; break;
        case '+': count++; break;
        case '-': while (!go) ; break;
        case '>': go = 1; break;
        case '?': if (__VERIFIER_nondet_bool() && at[1]) at++; break;
        case 'i': if ((count & 1) && at[1]) at++; break;
        case 'I': if (flag && at[1]) at++; break;
        case 'h': if (pthread_equal(pthread_self(), ids[0]) && at[1]) at++; break;
        case '(': loop = at; rounds = 0; break;
        case ')': if (loop && ++rounds < 2) at = loop; break;
        case 'r': return mine;
        case 'C': create(); break;
        case 'J': pthread_join(ids[joined++], 0); break;
        case 'R': { void *result; pthread_join(ids[joined++], &result); if (result && at[1]) at++; break; }
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    sem_init(&sem, 0, 0);
    pthread_barrier_init(&meet, 0, 2);
    groups_of = argv + 2;
    run(argv[1]);
    return 0;
}
"""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SECTIONS: Final = _words("""
    axA aXA bxB atA btTB afsA afSA awA avA abxBA aIxA asA baIYAB agA awgA nbmBkK bmBk aixA btBT afsgA asSA
""")
SINGLE: Final = _words("x y X Y s S p q = k + > ?x ix T hx f n K Iy ?q")
BETWEEN: Final = ("x", "X", "T", "y", "Y", "axA", "f", "afSA", ">", "p")
COST: Final = dict.fromkeys("abxXyYtTfgsSpq=kK+->iImh", 1) | {"w": 3, "v": 3}


@dataclass(frozen=True, slots=True)
class Script:
    main: str
    groups: tuple[str, ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        return (self.main, *self.groups)

    def __str__(self) -> str:
        return " ".join(self.arguments)


def generate(seed: int) -> Script:
    """Two to four threads, in one or two groups whose threads are alike; main creates, joins, and does other things."""
    rng = random.Random(seed)
    alike = rng.random() < 0.7
    counts = rng.choice([(2,), (3,), (2, 1), (1, 1), (2, 2), (4,)] if alike else [(1, 1), (1, 2), (1, 1, 1)])
    most = {2: 9, 3: 6, 4: 4}[sum(counts)]
    groups = tuple(f"{count}{_body(rng, most)}" for count in counts)
    created = "".join("C" + (_piece(rng) if rng.random() < 0.15 else "") for _ in groups)
    between = _piece(rng) if rng.random() < 0.4 else ""
    ends = rng.random()
    if ends < 0.1:
        joins = ""
    elif ends < 0.55:
        joins = "J" * sum(counts)
    else:
        joins = "".join(
            rng.choice("JJR") + (rng.choice(BETWEEN) if rng.random() < 0.6 else "") for _ in range(sum(counts))
        )
    behind = rng.choice(["", "", "X", "y", "T"])
    return Script(created + between + joins + behind, groups)


def _piece(rng: random.Random) -> str:
    return rng.choice(SECTIONS) if rng.random() < 0.75 else rng.choice(SINGLE)


def _body(rng: random.Random, most: int) -> str:
    pieces: list[str] = []
    while sum(COST.get(c, 0) for piece in pieces for c in piece) < most and len(pieces) < 4:
        pieces.append(_piece(rng))
    while len(pieces) > 1 and sum(COST.get(c, 0) for piece in pieces for c in piece) > most:
        pieces.pop(rng.randrange(len(pieces)))
    text = "".join(pieces)
    if rng.random() < 0.2 and most > 5:
        text = f"({text[: len(text)]})" if len(text) < 5 else text
    return text + ("r" if rng.random() < 0.1 else "")


@dataclass(frozen=True, slots=True)
class Variant:
    symmetry: bool = True
    monitors: bool = True
    persistent: int = 0
    exact: bool = False
    max_states: int = 0

    def __str__(self) -> str:
        reductions = (("symmetry", self.symmetry), ("monitors", self.monitors), ("persistent", self.persistent))
        return ", ".join(name for name, on in reductions if on) or "plain"


PLAIN: Final = Variant(False, False)
VARIANTS: Final = (
    Variant(),
    Variant(True, False),
    Variant(False, True),
    Variant(False, False, 4),
    Variant(True, False, 12),
    Variant(False, True, 40),
    Variant(True, True, 20),
)
"""With few states to learn from, so that much has to be learnt when sets are in use already."""


class Comparison:
    """The interpreter, built for both searches."""

    def __init__(self, directory: Path) -> None:
        compiled = compile_text(INTERPRETER, directory)[0]
        cp = analyse(compiled.program, Budget.seconds(600))
        self.options = explore.ExploreOptions(module=compiled.module, algorithm="states", find_all=True)
        self.oracle = replace(self.options, algorithm="dfs")
        pairs = race_pairs(cp)
        names = cp.accesses
        self.lines = {n: (p.line if (p := names[n].pos) else 0) for n in names}
        kept = [pair for pair in pairs if not {self._text(pair.first), self._text(pair.second)} & {"own"}]
        self.states: Prepared = explore.prepare(cp, kept, self.options, Budget.seconds(600))
        self.dfs: Prepared = explore.prepare(cp, kept, self.oracle, Budget.seconds(600))

    def _text(self, number: int) -> str:
        """Whether an access is the interpreter's own business, ordered by creation: ids, what runs next."""
        rows = INTERPRETER.splitlines()
        line = self.lines[number] - self._offset()
        text = rows[line] if 0 <= line < len(rows) else ""
        return "own" if "ids[" in text or "groups" in text else "shared"

    @staticmethod
    def _offset() -> int:
        return 1

    def run(self, script: Script, variant: Variant | None, seconds: float, deadlocks: bool) -> Seen:
        if variant is None:
            options, prepared = replace(self.oracle, max_executions=4_000), self.dfs
        else:
            prepared = self.states
            options = replace(
                self.options,
                symmetry=variant.symmetry,
                monitors=variant.monitors,
                persistent=variant.persistent,
                exact_states=variant.exact,
                max_states=variant.max_states,
            )
        options = replace(options, arguments=script.arguments, deadlocks=deadlocks)
        return seen(run_host(prepared.host, prepared.program, control(prepared, options, seconds)))


def problems(oracle: Seen, found: Seen, whole: Seen | None, forgets: bool) -> Iterator[str]:
    """`whole`: the search without reductions; `forgets`: this one, or that."""
    if found.problem is not None and oracle.problem is None:
        yield f"fails: {found.problem}"
    if found.clashes:
        yield "two states have the same hash"
    if (found.incidents | oracle.incidents) & UNDEFINED:
        return
    if oracle.is_complete:
        if found.races - oracle.races:
            yield f"invents {sorted(found.races - oracle.races)}"
        if found.incidents - oracle.incidents:
            yield f"invents {sorted(found.incidents - oracle.incidents)}"
        if found.is_complete and not found.races and oracle.races:
            yield f"misses {sorted(oracle.races)}"
        if found.is_complete and oracle.incidents - found.incidents:
            yield f"misses {sorted(oracle.incidents - found.incidents)}"
    elif found.is_complete and not found.races and oracle.races:
        yield f"misses {sorted(oracle.races)}"
    if whole is not None and whole.races and found.is_complete and not found.races:
        yield f"misses {sorted(whole.races)}"
    if whole is not None and whole.is_complete and not whole.races and (found.is_complete or not forgets):
        if not found.is_complete:
            yield f"is not complete: {found.bounds}"
        if found.races or found.incidents != whole.incidents:
            yield f"differs from the plain search: {found}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("seconds", type=float, nargs="?", default=1e9)
    parser.add_argument("--write", action="store_true", help="put the table into docs/results.md")
    args = parser.parse_args()
    tally: collections.Counter[str] = collections.Counter()
    until = time.monotonic() + args.seconds
    with tempfile.TemporaryDirectory() as place:
        comparison = Comparison(Path(place))
        for seed in range(args.first, args.first + args.count):
            if time.monotonic() > until:
                break
            script = generate(seed)
            deadlocks = seed % 4 == 0
            oracle = comparison.run(script, None, 1.0, deadlocks)
            tally["programs"] += 1
            tally["dfs complete"] += oracle.is_complete
            tally["racy"] += bool(oracle.races)
            tally["deadlock"] += "deadlock" in oracle.incidents
            whole = None
            for variant in (PLAIN, *VARIANTS):
                if seed % 5 == 0:
                    variant = replace(variant, exact=True)
                if seed % 50 == 3:
                    variant = replace(variant, max_states=60)  # it forgets, and need not end
                found = comparison.run(script, variant, 0.5 if variant.max_states else 5.0, deadlocks)
                tally[f"states, {variant}"] += found.states
                tally[f"complete, {variant}"] += found.is_complete
                for text in problems(oracle, found, whole, variant.max_states != 0):
                    tally["PROBLEMS"] += 1
                    print(f"seed {seed} ({script}; {variant}): {text}\n  dfs {oracle}\n  {found}", flush=True)
                if str(variant) == "plain":
                    whole = found
    for name, number in tally.items():
        print(f"{number:9,} {name}")
    if args.write:
        from bench.results import markdown_table, replace_block  # not there unless it is on the path

        rows = [[name, f"{number:,}"] for name, number in {"PROBLEMS": 0, **tally}.items()]
        command = (
            f"cd tests && PYTHONPATH=.:.. ../.venv/bin/python -m exploration.state_scripts {args.first} {args.count}"
        )
        replace_block("state_scripts", f"`{command} --write`\n\n{markdown_table(['', 'number'], rows)}")
    return 1 if tally["PROBLEMS"] else 0


if __name__ == "__main__":
    sys.exit(main())
