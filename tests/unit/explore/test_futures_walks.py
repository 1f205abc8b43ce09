"""The tables against random walks: whatever a walk forward through the program meets, every point that it passed before
must have announced, with no lock that the walk does not hold.

A walk takes branches at random, whatever their conditions say, follows calls and callbacks, and keeps the locks it
holds by their address; pointers that it cannot follow are decided at random among what points-to allows.
"""

from __future__ import annotations

import contextlib
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from programs_truth import all_programs, program_name

from raceproof.core import Budget
from raceproof.explore.future_races import Held, StandingThread, _may_reach
from raceproof.explore.futures import Futures, compute_futures
from raceproof.facts import Sync, analyse, is_atomic_function, race_pairs, sync_op
from raceproof.frontend import from_files, load
from raceproof.ir import Address, Call, Cast, Function, Gep, Instr, Operand, Reg, Return, SiteId, successors
from raceproof.model import AccessId, ConcurrentProgram

STEPS, LOOK_BACK = 400, 12


class _End(Exception):
    pass


@dataclass
class Walk:
    """One walk of one thread. A frame's arguments are addresses (global, offset) or None."""

    cp: ConcurrentProgram
    futures: Futures
    accesses: dict[SiteId, list[AccessId]]
    random: random.Random
    held: dict[int, bool] = field(default_factory=dict)
    stack: list[int] = field(default_factory=list)  # points behind the calls, innermost last
    past: list[StandingThread] = field(default_factory=list)
    steps: int = 0
    checked: int = 0

    def thread(self, function: str, point: int) -> None:
        self.past.append(StandingThread((point,)))
        arguments = [(a.symbol, a.offset) if isinstance(a, Address) else None for a in self.started_with(function)]
        with contextlib.suppress(_End):
            self.run(self.cp.program.functions[function], [self.random.choice(arguments)] if arguments else [])

    def started_with(self, function: str) -> list[Operand]:
        """The arguments of the threads that run a function."""
        assert self.cp.calls is not None
        found = []
        for caller in self.cp.program.functions.values():
            for instr in caller.instructions():
                if isinstance(instr, Call) and function in (self.cp.calls.targets[instr.id].starts or ()):
                    (op,) = (sync_op(name) for name in self.cp.calls.targets[instr.id].externals)
                    assert op is not None
                    assert op.start_arg is not None
                    found.append(instr.args[op.start_arg])
        return found

    def run(self, function: Function, args: list[tuple[str, int] | None]) -> None:
        if is_atomic_function(function.name):
            self.past.append(self.standing(self.futures.before[next(function.instructions()).id]))
            self.held[0] = False
        blocks = {b.label: b for b in function.blocks}
        definitions = {i.result.name: i for b in function.blocks for i in b.body if getattr(i, "result", None)}
        params = {p.name: args[i] if i < len(args) else None for i, p in enumerate(function.params)}

        def place(operand: Operand) -> tuple[str, int] | None:
            if isinstance(operand, Address):
                return operand.symbol, operand.offset
            instr = definitions.get(operand.name) if isinstance(operand, Reg) else None
            if isinstance(instr, Gep) and not instr.terms:
                base = place(instr.base)
                return None if base is None else (base[0], base[1] + instr.offset)
            if isinstance(instr, Cast):
                return place(instr.value)
            return params.get(operand.name) if isinstance(operand, Reg) else None

        block = function.blocks[0]
        while True:
            for instr in block.body:
                self.step(instr)
                if isinstance(instr, Call):
                    self.call(instr, place)
            if isinstance(block.terminator, Return):
                break
            following = successors(block.terminator)
            if not following:
                raise _End
            block = blocks[self.random.choice(following)]
        if is_atomic_function(function.name):
            self.past.append(self.standing(self.futures.before[block.terminator.id]))
            self.held.pop(0, None)

    def step(self, instr: Instr) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise _End
        if instr.id in self.futures.before:
            self.past.append(self.standing(self.futures.before[instr.id]))
        for access in self.accesses.get(instr.id, ()):
            self.check(access)

    def standing(self, point: int) -> StandingThread:
        return StandingThread((point, *reversed(self.stack)), frozenset(self.held.items()))

    def check(self, access: AccessId) -> None:
        recent = self.past[-2:] + self.random.sample(self.past, min(LOOK_BACK, len(self.past)))
        for thread in recent:
            locksets = _may_reach(self.futures, thread).get(access, set())
            assert any(self.holds(lockset) for lockset in locksets), (access, thread, self.held, locksets)
            self.checked += 1

    def holds(self, lockset: Held) -> bool:
        return all(t in self.held and (shared or not self.held[t]) for t, shared in lockset)

    def call(self, call: Call, place) -> None:  # type: ignore[no-untyped-def]
        assert self.cp.calls is not None
        targets = self.cp.calls.targets[call.id]
        if targets.callbacks:
            self.stack.append(self.futures.after[call.id])
            for _ in range(self.random.randrange(3)):
                self.run(self.cp.program.functions[self.random.choice(targets.callbacks)], [])
                for access in self.accesses.get(call.id, ()):
                    self.check(access)
            self.stack.pop()
        choices = [*targets.functions, *targets.externals]
        if not choices:
            return
        name = self.random.choice(choices)
        if name in self.cp.program.functions:
            self.stack.append(self.futures.after[call.id])
            self.run(self.cp.program.functions[name], [place(a) for a in call.args])
            self.stack.pop()
            return
        if call.noreturn:
            raise _End
        op = sync_op(name)
        if op is not None:
            self.operate(op.kind, op.shared, None if op.arg is None else place(call.args[op.arg]), targets.may_lock_in)
            if call.id in self.futures.after and op.kind in (Sync.LOCK, Sync.UNLOCK):
                self.past.append(self.standing(self.futures.after[call.id]))

    def operate(self, kind: Sync, shared: bool, where: tuple[str, int] | None, may: frozenset[str] | None) -> None:
        tokens = self.futures.tokens
        if kind in (Sync.ATOMIC_BEGIN, Sync.ATOMIC_END):
            number: int | None = 0
        elif where is not None:
            number = tokens.index(where) if where in tokens else None
        else:
            possible = [i for i, t in enumerate(tokens) if t is not None and (may is None or t[0] in may)]
            number = self.random.choice(possible) if possible and kind is Sync.UNLOCK else None
        if number is None:
            return
        if kind in (Sync.LOCK, Sync.ATOMIC_BEGIN):
            self.held[number] = shared
        elif kind in (Sync.UNLOCK, Sync.ATOMIC_END):
            self.held.pop(number, None)
        elif kind is Sync.EXIT:
            raise _End


def walk(path: Path, seed: int, walks: int = 6) -> int:
    cp = analyse(load(from_files([path])), Budget.unlimited())
    pairs = race_pairs(cp)
    futures = compute_futures(cp, pairs, Budget.unlimited(), has_frames_of_callbacks=True)
    accesses: dict[SiteId, list[AccessId]] = {}
    for access in sorted({a for p in pairs for a in (p.first, p.second)}):
        accesses.setdefault(cp.accesses[access].site, []).append(access)
    checked = 0
    for start, point in zip(futures.functions, futures.entries, strict=True) if futures.is_usable else ():
        for number in range(walks):
            one = Walk(cp, futures, accesses, random.Random(seed * 1000 + number))
            one.thread(start, point)
            checked += one.checked
    return checked


EVERYTHING = """
#include <pthread.h>
#include <stdlib.h>
#define lock pthread_mutex_lock
#define unlock pthread_mutex_unlock
struct box { int n; pthread_mutex_t m; } p, q;
pthread_mutex_t a, b; pthread_rwlock_t r; pthread_once_t once; int x, y, z, array[9]; volatile int v;
void __VERIFIER_atomic_add(void) { z++; }
static void take(pthread_mutex_t *m) { if (v) x++; lock(m); }
static void give(pthread_mutex_t *m) { unlock(m); if (v) y++; }
static int maybe(struct box *o) { take(&o->m); if (v) { give(&o->m); return 0; } o->n++; return 1; }
static void optional(void) { if (v) lock(&b); x = 2; }
static void two(pthread_mutex_t *m, pthread_mutex_t *n) { lock(m); lock(n); z = 1; unlock(n); z = 2; unlock(m); z = 3; }
static void down(pthread_mutex_t *m, int n) { lock(m); x++; if (n) down(&a, n - 1); y++; unlock(m); if (v) down(m, 0); }
static int compare(const void *s, const void *t) { x++; if (v) unlock(&a); else take(&a); return y; }
static void init(void) { y = 7; lock(&a); z = 8; unlock(&a); }
static void (*table[3])(void) = {optional, init, __VERIFIER_atomic_add};
void *f(void *arg) {
  take(&a); x = 1; optional(); y = 1; give(&a); z = 4; unlock(&b);
  if (maybe(&p)) { y = 2; unlock(&p.m); }
  take(&q.m); qsort(array, 9, sizeof *array, compare); z = 5; give(&q.m);
  for (int i = 0; i < v; i++) { two(&a, v ? &a : &b); two(&b, &q.m); pthread_rwlock_rdlock(&r); x = y; }
  pthread_rwlock_unlock(&r); z = 6; table[v](); down(&b, 3); pthread_rwlock_wrlock(&r);
  switch (v) { case 1: lock(&a); case 2: y++; break; case 3: unlock(&a); return 0; default: pthread_once(&once, init); }
  __VERIFIER_atomic_add(); x++; pthread_rwlock_unlock(&r); y = x; if (v) pthread_exit(0); give(v ? &p.m : &a); z = 9;
  return 0;
}
int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, f, 0); return 0; }
"""


def test_walks_through_everything(tmp_path: Path) -> None:
    path = tmp_path / "everything.c"
    path.write_text(EVERYTHING, encoding="utf-8")
    assert walk(path, seed=1, walks=50) > 10_000


@pytest.mark.slow
@pytest.mark.parametrize("path", all_programs(), ids=program_name)
def test_walks_meet_only_what_was_announced(path: Path) -> None:
    walk(path, seed=1)


def test_walks_through_a_generated_program(tmp_path: Path) -> None:
    from bench.generate import generate
    from bench.synth import Options

    path = tmp_path / "generated.c"
    path.write_text(generate(Options(instructions=1500, seed=3)).text, encoding="utf-8")
    assert walk(path, seed=2) > 1000
