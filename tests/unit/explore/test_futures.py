"""Futures of small C programs, and what the reference check makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.explore.futures_programs import HEADER, entry, marked

from raceproof.core import Budget
from raceproof.explore.future_races import StandingThread
from raceproof.explore.futures import compute_futures, format_control

LOCKS = "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;"
DATA = LOCKS + " int x, y, z; int unknown(void); volatile int v;\n"

PDP_FIGURE_1 = """
pthread_mutex_t f1 = PTHREAD_MUTEX_INITIALIZER, f2 = PTHREAD_MUTEX_INITIALIZER; int x, y, z;
void *one(void *p) {
  lock(&f1);    /*a1*/
  x++;          /*a2*/
  unlock(&f1);  /*a3*/
  lock(&f2);    /*a5*/
  y++;          /*a6*/
  unlock(&f2);  /*a7*/
  lock(&f1);    /*a9*/
  z++;          /*a10*/
  unlock(&f1);  /*a11*/
  return 0;
}
void *two(void *p) {
  int c;
  lock(&f1);    /*b1*/
  lock(&f2);    /*b2*/
  z++;          /*b3*/
  c = x;        /*b4*/
  unlock(&f2);  /*b5*/
  unlock(&f1);  /*b6*/
  lock(&f1);    /*b8*/
  if (c == 0)
    y++;        /*b10*/
  unlock(&f1);  /*b11*/
  return 0;
}
"""


def test_pdp_figure_1(tmp_path: Path) -> None:
    program = marked(PDP_FIGURE_1, tmp_path, ("one", "two"))
    assert entry("a6", "f2", "f1") in program.entries(program.at("a1"))
    assert program.entries(program.at("b8")) == {entry("b10", "f1")}
    assert program.may_race(program.at("a1"), program.at("b1"))  # a6 and b10
    assert not program.may_race(program.at("a9"), program.at("b1"))  # no need to backtrack to a8
    holding = StandingThread((program.at("b3"),), program.held("f1", "f2"))
    assert not program.may_race(program.at("a9"), holding)
    assert program.may_race(program.at("a5"), holding)


PDP_FIGURE_3 = (
    DATA
    + """
void *f(void *p) {
  lock(&b);     /*l1*/
  if (v) {
    lock(&a);   /*l6*/
    x++;        /*x7*/
    unlock(&a); /*l8*/
    y = 5;      /*y9*/
    lock(&c);   /*l10*/
  } else {
    lock(&c);   /*l17*/
    x++;        /*x18*/
  }
  z++;          /*z21*/
  unlock(&c);
  unlock(&b);
  return 0;
}
"""
)


def test_pdp_figure_3(tmp_path: Path) -> None:
    program = marked(PDP_FIGURE_3, tmp_path)
    assert program.entries(program.at("l1")) >= {
        entry("x7", "a b"),
        entry("y9", "b", "a"),
        entry("x18", "b c"),
    }
    z = {e for e in program.entries(program.at("l1")) if e[0] == "z21"}
    assert z == {entry("z21", "b c", "a")}  # protected by both b and c, whichever branch is taken
    assert program.entries(program.at("l6")) >= {entry("x7", "a"), entry("y9", "", "a"), entry("z21", "c", "a")}
    assert program.leave(program.at("l1")) == (frozenset(), frozenset("abc"))


def test_locksets_of_branches_stay_apart(tmp_path: Path) -> None:
    program = marked(
        DATA + "void *f(void *p) { if (v) /*s*/\n lock(&a); else lock(&b);\n x++; /*x*/\n unlock(&a); unlock(&b);"
        " return 0; }",
        tmp_path,
    )
    found = {e for e in program.entries(program.entry("f")) if e[0] == "x"}
    assert found == {entry("x", "a"), entry("x", "b")}
    assert program.leave(program.entry("f")) == (frozenset(), frozenset("ab"))


def test_weaker_locksets_stand_for_stronger_ones(tmp_path: Path) -> None:
    program = marked(DATA + "void *f(void *p) { if (v) lock(&a);\n x++; /*x*/\n return 0; }", tmp_path)
    assert {e for e in program.entries(program.entry("f")) if e[0] == "x"} == {entry("x")}
    assert program.leave(program.entry("f")) == (frozenset(), frozenset())


def test_too_many_locksets_are_merged(tmp_path: Path) -> None:
    locks = "".join(f"pthread_mutex_t m{i};" for i in range(6))
    cases = "".join(f"case {i}: lock(&m{i}); break;" for i in range(6))
    program = marked(
        locks + DATA + f"void *f(void *p) {{ lock(&a); switch (v) {{ {cases} default: return 0; }}\n"
        "x++; /*x*/\n return 0; }",
        tmp_path,
    )
    assert {e for e in program.entries(program.entry("f")) if e[0] == "x"} == {entry("x", "a")}


def test_nested_branches_and_switch(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
void *f(void *p) {
  lock(&a); /*l*/
  if (v) { if (v > 1) { unlock(&a); x++; /*x*/
    lock(&a); } else y++; /*y*/
  }
  switch (v) {
    case 1: z = 1; /*one*/
      /* falls through */
    case 2: lock(&b); z = 2; /*two*/
      unlock(&b); break;
    case 3: unlock(&a); return 0;
    default: z = 3; /*rest*/
  }
  unlock(&a);
  z = 4; /*last*/
  return 0;
}""",
        tmp_path,
    )
    found = program.entries(program.at("l"))
    assert found >= {
        entry("x", "", "a"),
        entry("y", "a"),
        entry("one", "a", "a"),  # the way through the inner branch, where a is taken again
        entry("two", "a b", "a"),
        entry("rest", "a", "a"),
        entry("last", "", "a b"),
    }
    assert not any(mark == "last" and "a" in acquired for mark, acquired, _ in found)


def test_a_loop_goes_round(tmp_path: Path) -> None:
    program = marked(
        DATA + "void *f(void *p) { for (int i = 0; i < v; i++) {\n lock(&a); /*l*/\n x++; /*x*/\n unlock(&a); /*u*/\n }"
        " return 0; }",
        tmp_path,
    )
    assert entry("x", "a", "a") in program.entries(program.at("u"))
    assert not any(mark == "x" and not acquired for mark, acquired, _ in program.entries(program.at("u")))
    assert entry("x") in program.entries(program.at("x"))  # it stands before it
    assert program.operations(program.at("u")) == {"l", "u"}


def test_an_endless_loop_does_not_return(tmp_path: Path) -> None:
    program = marked(
        DATA + "void *f(void *p) { for (;;) {\n lock(&a); /*l*/\n x++; /*x*/\n unlock(&a); }\n y = 1; }", tmp_path
    )
    assert program.leave(program.at("l")) is None
    assert {mark for mark, _, _ in program.entries(program.at("l"))} == {"x"}


def test_a_call_with_early_return(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
static int g(void) {
  lock(&a); /*gl*/
  if (v) { unlock(&a); return 1; }
  x++; /*x*/
  return 0;
}
void *f(void *p) {
  g(); /*call*/
  y++; /*y*/
  unlock(&a);
  return 0;
}""",
        tmp_path,
    )
    assert program.entries(program.entry("f")) >= {entry("x", "a"), entry("y", "", "a")}
    assert program.leave(program.at("gl")) == (frozenset(), frozenset("a"))
    assert program.entries(program.after("call")) == {entry("y")}
    # standing in g, called from f: y is reached through the return of g
    in_callee = StandingThread((program.at("gl"), program.after("call")))
    assert program.may_race(in_callee, in_callee)


def test_unlock_in_a_callee_and_lock_in_a_callee(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
static void take(void) { lock(&a); }
static void give(void) { unlock(&a); }
void *f(void *p) {
  take(); /*take*/
  x++; /*x*/
  give(); /*give*/
  y++; /*y*/
  return 0;
}""",
        tmp_path,
    )
    assert program.entries(program.entry("f")) == {entry("x", "a"), entry("y", "", "a")}
    assert program.entries(program.after("take")) == {entry("x"), entry("y", "", "a")}


WRAPPERS = (
    DATA
    + """
struct s { int pad; pthread_mutex_t m; } s1, s2;
static void take(pthread_mutex_t *m) {
  lock(m); /*inner*/
}
static void give(pthread_mutex_t *m) { unlock(m); }
static void take_in(struct s *p) { take(&p->m); }
static void give_in(struct s *p) { give(&p->m); }
void *f(void *p) {
  take_in(&s1);
  take(&a); /*call*/
  x++; /*x*/
  give_in(&s1);
  y++; /*y*/
  give(&a);
  take_in(&s2);
  z++; /*z*/
  give_in(&s2);
  return 0;
}"""
)


def test_lock_wrappers(tmp_path: Path) -> None:
    program = marked(WRAPPERS, tmp_path)
    assert program.entries(program.entry("f")) == {
        entry("x", "s1+8 a"),
        entry("y", "a", "s1+8"),
        entry("z", "s2+8", "s1+8 a"),
    }
    inner = program.at("inner")
    assert program.leave(inner) == (frozenset(), frozenset())  # which one depends on the caller
    assert program.leave(program.after("inner")) == (frozenset(), frozenset())
    # a thread that is about to lock `a` in there is after it with `a` in its hands
    other = program.entry("f")
    before = StandingThread((inner, program.after("call")), program.held("s1+8"))
    after = StandingThread((program.after("inner"), program.after("call")), program.held("s1+8", "a"))
    assert program.may_race(before, other)
    assert not program.may_race(after, other)


def test_a_parameter_that_is_always_the_same(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
static void guarded(pthread_mutex_t *m, int n) {
  lock(m); /*l*/
  x++; /*x*/
  unlock(m); /*u*/
  if (n) guarded(m, n - 1);
}
void *f(void *p) { guarded(&a, 3); return 0; }""",
        tmp_path,
    )
    assert program.entries(program.at("l")) == {entry("x", "a", "a")}  # also in the next round
    assert not program.may_race(program.at("l"), program.at("l"))
    assert program.futures.objects[min(program._sites("l"))]


def test_parameters_may_be_one_lock(tmp_path: Path) -> None:
    """lock(m); unlock(n): with n == m nothing is held."""
    program = marked(
        DATA
        + """
static void swap(pthread_mutex_t *m, pthread_mutex_t *n) { lock(m); lock(n); unlock(n); x++; /*x*/
 unlock(m); }
void *f(void *p) { swap(&a, v ? &a : &b); swap(&b, &c); return 0; }""",
        tmp_path,
    )
    assert program.may_race(program.entry("f"), program.entry("f"))
    assert any(mark == "x" and not acquired for mark, acquired, _ in program.entries(program.entry("f")))


def test_an_unknown_unlock_releases_what_it_may_point_to(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
void *f(void *p) {
  pthread_mutex_t *heap = malloc(sizeof *heap);
  pthread_mutex_init(heap, 0);
  lock(&a); lock(&c); /*l*/
  lock(heap);
  unlock(heap);
  x++; /*x*/
  unlock(v ? &a : &b);
  y++; /*y*/
  return 0;
}""",
        tmp_path,
    )
    found = program.entries(program.entry("f"))
    assert entry("x", "a c") in found
    assert entry("y", "c", "a") in found  # b is nowhere taken by name, so that it has no token


def test_trylock_and_conditions(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
void *f(void *p) {
  lock(&a); /*l*/
  while (v) pthread_cond_wait(&cond, &a); /*w*/
  x++; /*x*/
  if (pthread_mutex_trylock(&b) == 0) y++; /*y*/
  pthread_cond_signal(&cond); /*s*/
  unlock(&a);
  return 0;
}""",
        tmp_path,
    )
    assert program.entries(program.at("l")) >= {entry("x", "a"), entry("y", "a")}
    assert {"l", "w", "s", "y"} <= program.operations(program.at("l"))


def test_read_write_locks(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
void *reader(void *p) {
  pthread_rwlock_rdlock(&r);
  z = x; /*rx*/
  pthread_rwlock_unlock(&r);
  return 0;
}
void *writer(void *p) {
  pthread_rwlock_wrlock(&r);
  x++; /*wx*/
  pthread_rwlock_unlock(&r);
  return 0;
}""",
        tmp_path,
        ("reader", "writer"),
    )
    reader, writer = program.entry("reader"), program.entry("writer")
    assert entry("rx", "r/shared") in program.entries(reader)
    assert entry("wx", "r") in program.entries(writer)
    assert not program.may_race(reader, writer)
    both = marked(
        DATA + "pthread_rwlock_t r; void *f(void *p) { pthread_rwlock_rdlock(&r); x++; /*x*/\n return 0; }", tmp_path
    )
    assert both.may_race(both.entry("f"), both.entry("f"))


def test_indirect_calls(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
static void one(void) { lock(&a); x++; /*x1*/
  unlock(&a); }
static void two(void) { y++; /*y2*/
}
static void three(void) { z++; /*z3*/
}
void (*table[2])(void) = {one, two};
void *f(void *p) { table[v](); /*call*/
  x = 2; /*x*/
  return 0; }
void *unused(void *p) { three(); return 0; }""",
        tmp_path,
    )
    assert program.entries(program.entry("f")) == {entry("x1", "a"), entry("y2"), entry("x", "", "a")}


def test_recursion(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
static void odd(int n);
static void even(int n) { if (n) { lock(&a); odd(n - 1); unlock(&a); } x++; /*x*/
}
static void odd(int n) { if (n > 0) even(n - 1); y++; /*y*/
}
void *f(void *p) { even(v); return 0; }""",
        tmp_path,
    )
    found = program.entries(program.entry("f"))
    assert {mark for mark, _, _ in found} == {"x", "y"}
    assert any(mark == "x" and not acquired for mark, acquired, _ in found)
    assert program.leave(program.entry("f")) == (frozenset(), frozenset("a"))


def test_threads_that_create_threads(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
void *leaf(void *p) { x++; /*x*/
  return 0; }
void *f(void *p) { pthread_t t;
  pthread_create(&t, 0, leaf, 0); /*c*/
  y = 1; /*y*/
  return 0; }""",
        tmp_path,
    )
    assert program.creates(program.entry("main")) == {"f"}
    assert program.creates(program.entry("f")) == {"leaf"}
    assert program.creates(program.at("y")) == set()
    assert program.may_race(program.entry("main"))  # two leaves, which do not exist yet
    assert program.may_race(program.at("c"))
    assert not program.may_race(program.at("y"))


def test_callbacks_of_the_library_go_round(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
int array[4];
static int compare(const void *p, const void *q) {
  x++; /*x*/
  lock(&a); /*l*/
  unlock(&a);
  return 0;
}
void *f(void *p) {
  lock(&a);
  qsort(array, 4, 4, compare); /*sort*/
  y++; /*y*/
  return 0;
}""",
        tmp_path,
    )
    assert program.entries(program.entry("f")) >= {entry("x", "", "a"), entry("y", "", "a")}
    within = program.entries(program.after("sort"))
    assert {"x", "y"} <= {mark for mark, _, _ in within}  # a frame of compare may be followed by another
    without_frames = compute_futures(program.cp, program.pairs, Budget.unlimited())
    assert without_frames.reason is not None
    assert without_frames.reason.startswith("compare is run by a library call")


def test_handlers_run_at_the_end(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
static void last(void) { x++; /*x*/
}
static void *g(void *p) { y++; /*y*/
  return 0; }
void *f(void *p) { atexit(last); lock(&a); if (v) exit(1); /*e*/
  return 0; }""",
        tmp_path,
        ("f", "g"),
    )
    assert entry("x", "a") in program.entries(program.entry("f"))
    assert entry("x") in program.entries(program.entry("g"))
    assert entry("x") in program.entries(program.entry("main"))


def test_atomic_sections(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
void __VERIFIER_atomic_add(void) { x++; /*x*/
}
void *f(void *p) {
  __VERIFIER_atomic_add(); /*call*/
  y++; /*y*/
  __VERIFIER_atomic_begin(); z++; /*z*/
  __VERIFIER_atomic_end();
  return 0;
}""",
        tmp_path,
    )
    assert program.entries(program.entry("f")) == {
        entry("x", "atomic"),
        entry("y", "", "atomic"),
        entry("z", "atomic", "atomic"),
    }
    assert program.leave(program.at("x")) == (frozenset(), frozenset({"atomic"}))
    section = program.cp.program.functions["__VERIFIER_atomic_add"]
    first, last = next(section.instructions()).id, section.blocks[-1].terminator.id
    assert program.entries(program.futures.before[first]) == {entry("x", "atomic")}  # also before it begins
    assert program.leave(program.futures.before[last]) == (frozenset(), frozenset({"atomic"}))
    assert program.futures.objects[first] == program.futures.objects[last] == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#include <setjmp.h>\n jmp_buf j; void *f(void *p) { if (!setjmp(j)) x++; return 0; }", "setjmp"),
        ("void *f(void *p) { x++; pthread_cancel(pthread_self()); return 0; }", "cancellation"),
        (
            "#include <signal.h>\n void h(int n) { x++; } void *f(void *p) { signal(SIGINT, h); x++; return 0; }",
            "h may be run at any time",
        ),
        ("void other(void (*)(void)); void h(void) { x++; } void *f(void *p) { other(h); x++; return 0; }", "h may be"),
    ],
)
def test_unusable(text: str, reason: str, tmp_path: Path) -> None:
    program = marked(DATA + text, tmp_path)
    assert program.futures.reason is not None
    assert reason in program.futures.reason
    assert format_control(program.futures) == [f"future unusable {program.futures.reason}"]
    assert program.may_race()


def test_directives(tmp_path: Path) -> None:
    program = marked(PDP_FIGURE_1, tmp_path, ("one", "two"))
    lines = format_control(program.futures)
    assert lines == format_control(compute_futures(program.cp, program.pairs, Budget.unlimited()))
    assert lines[:3] == ["future token 0", "future token 1", "future token 2"]
    assert program.futures.tokens == (None, ("f1", 0), ("f2", 0))
    point = program.at("b8")
    (site,) = (s for s in program._sites("b8") if s in program.futures.before)
    assert f"future point {point} {site} before" in lines
    assert f"future object {site} 1" in lines
    access = {f.access for f in program.futures.points[point].accesses}
    assert {f"future access {point} {a} 1 -" for a in access} <= set(lines)
    assert f"future exit {point} - 1" in lines
    assert all(f"future entry {p} {f}" in lines for f, p in enumerate(program.futures.entries))
    used = {int(line.split()[2]) for line in lines if line.split()[1] in ("point", "entry")}
    assert used == set(range(len(program.futures.points)))


def test_only_accesses_of_the_pairs(tmp_path: Path) -> None:
    program = marked(PDP_FIGURE_1, tmp_path, ("one", "two"))
    some = [p for p in program.pairs if program.cp.objects[p.target.object].name == "y"]
    futures = compute_futures(program.cp, some, Budget.unlimited())
    named = {a.access for p in futures.points for a in p.accesses}
    assert named == {a for p in some for a in (p.first, p.second)}


def test_extra_points(tmp_path: Path) -> None:
    program = marked(DATA + "void *f(void *p) { while (v) ; /*spin*/\n x++; /*x*/\n return 0; }", tmp_path)
    sites = program._sites("spin")
    futures = compute_futures(program.cp, program.pairs, Budget.unlimited(), sites)
    assert set(sites) <= set(futures.before)
    assert all(futures.points[futures.before[s]].accesses for s in sites)


def test_a_program_without_threads(tmp_path: Path) -> None:
    program = marked(HEADER + "int x; int main(void) { x = 1; return x; }", tmp_path, None)
    assert program.futures.is_usable
    assert program.futures.functions == ("main",)
