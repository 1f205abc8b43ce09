"""The reference check on points that tests of whole programs seldom bring together."""

from __future__ import annotations

from pathlib import Path

from unit.explore.futures_programs import entry, marked

from raceproof.explore.future_races import StandingThread

DATA = """pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER; int x, y, z; volatile int v;
"""


def test_a_lock_by_name_and_one_by_parameter(tmp_path: Path) -> None:
    """In `may`, what is given back may be `a`; in `other` it is another one."""
    program = marked(
        DATA
        + """
static void may(pthread_mutex_t *m) {
  lock(&a); unlock(m);
  x++; /*x*/
  unlock(&a);
}
static void other(pthread_mutex_t *m) {
  lock(&a); unlock(m);
  y++; /*y*/
  unlock(&a);
}
void *f(void *p) {
  may(v ? &a : &b); lock(&b); other(&b); z++; /*z*/
  return 0;
}""",
        tmp_path,
    )
    found = program.entries(program.entry("f"))
    assert {acquired for mark, acquired, _ in found if mark == "x"} == {frozenset()}
    assert {acquired for mark, acquired, _ in found if mark == "y"} == {frozenset("a")}


def test_a_lock_by_parameter_and_one_by_name(tmp_path: Path) -> None:
    """The other way round: taken by parameter, given back by name."""
    program = marked(
        DATA
        + """
static void may(pthread_mutex_t *m) {
  lock(m); unlock(&a);
  x++; /*x*/
  unlock(m);
}
static void other(pthread_mutex_t *m) {
  lock(m); unlock(&a);
  y++; /*y*/
  unlock(m);
}
void *f(void *p) {
  may(v ? &a : &b); other(&b);
  return 0;
}""",
        tmp_path,
    )
    found = program.entries(program.entry("f"))
    assert {acquired for mark, acquired, _ in found if mark == "x"} == {frozenset()}
    assert {acquired for mark, acquired, _ in found if mark == "y"} == {frozenset("b")}


def test_what_comes_behind_a_call_that_does_not_return_is_not_reached(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
void *leaf(void *p) { z++; /*z*/
  return 0; }
static void spin(void) { for (;;) {
  lock(&b); /*l*/
  unlock(&b); } }
static void pass(void) {
  lock(&b); /*p*/
  unlock(&b); }
void *f(void *p) { pthread_t t;
  if (v) spin(); /*spin*/
  else pass(); /*pass*/
  x++; /*x*/
  pthread_create(&t, 0, leaf, 0);
  return 0;
}""",
        tmp_path,
    )
    ends, goes_on = (StandingThread((program.at(a), program.after(b))) for a, b in (("l", "spin"), ("p", "pass")))
    assert program.leave(program.at("l")) is None
    assert not program.may_race(ends, ends)
    assert not program.may_race(ends)
    assert program.may_race(goes_on, goes_on)
    assert program.may_race(goes_on)  # two of those that it creates


def test_any_lock_may_be_given_back(tmp_path: Path) -> None:
    program = marked(
        DATA
        + """
pthread_mutex_t *unknown(void);
void *f(void *p) {
  lock(&a); lock(&b); /*l*/
  unlock(unknown()); /*u*/
  x++; /*x*/
  return 0;
}""",
        tmp_path,
    )
    assert {found for found in program.entries(program.at("u")) if found[0] == "x"} == {entry("x", "", "*")}
    holding = StandingThread((program.at("u"),), program.held("a", "b"))
    assert program.may_race(holding, holding)
    assert not program.may_race(*(StandingThread((program.at("x"),), program.held("a")),) * 2)


def test_readers_and_writers_in_either_order(tmp_path: Path) -> None:
    """The access with the smaller number is the first of its pair."""
    functions = {
        "reader": "void *reader(void *p) { pthread_rwlock_rdlock(&r);\n z = x; /*rx*/\n return 0; }\n",
        "writer": "void *writer(void *p) { pthread_rwlock_wrlock(&r);\n x++; /*wx*/\n return 0; }\n",
    }
    for names in (("reader", "writer"), ("writer", "reader")):
        text = DATA + "pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;\n" + "".join(functions[name] for name in names)
        program = marked(text, tmp_path, ("reader", "writer"))
        assert not program.may_race(program.entry("writer"), program.entry("reader"))
