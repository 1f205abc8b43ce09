"""What the user says about functions: locks made at home, safe functions; used, listed, checked against the program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raceproof import facts, frontend, lockset
from raceproof.core import Budget, InputError
from raceproof.ir import Program
from raceproof.model import ConcurrentProgram, LockAction, LockModel, Models, SafeFunction, Verdict

HEADER = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
"""
# A ticket lock that serves every other number: it is not found out that it excludes.
TICKET = """
typedef struct { atomic_uint next, serving; long owner; } ticket;
void take(ticket *t) {
  unsigned mine = atomic_fetch_add(&t->next, 1);
  while (atomic_load(&t->serving) != 2 * mine) {}
  t->owner = (long)pthread_self();
}
void give(ticket *t) { atomic_fetch_add(&t->serving, 2); }
"""
COUNT = """
ticket lock;
long count;
void *worker(void *p) { take(&lock); count++; give(&lock); return 0; }
"""
TWO_WORKERS = """
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""
TAKE = LockModel("take", LockAction.ACQUIRE)
GIVE = LockModel("give", LockAction.RELEASE)
LOCKS = Models((TAKE, GIVE))


def compiled(directory: Path, models: Models, *parts: str) -> Program:
    path = directory / "program.c"
    path.write_text("".join((HEADER, *parts)), encoding="utf-8")
    return frontend.load(replace(frontend.from_files([path]), prototypes=models.numbered()))


def analysed(directory: Path, models: Models, *parts: str) -> ConcurrentProgram:
    return facts.analyse(compiled(directory, models, *parts), Budget.unlimited(), models)


def open_targets(cp: ConcurrentProgram) -> set[str]:
    """What the lockset engine cannot prove, by name."""
    found = lockset.run(cp, facts.race_pairs(cp), lockset.LocksetOptions(), Budget.unlimited()).findings
    return {facts.describe_location(cp, f.pair.target) for f in found if f.verdict is not Verdict.RACE_FREE}


def assumed(cp: ConcurrentProgram) -> list[str]:
    return [a.text.removeprefix("the user says that ") for a in cp.assumptions if a.text.startswith("the user says")]


def test_without_a_model_the_lock_is_not_known(tmp_path: Path) -> None:
    assert open_targets(analysed(tmp_path, Models(), TICKET, COUNT, TWO_WORKERS)) == {"count", "lock.owner"}


def test_a_modelled_lock_protects_and_is_listed_with_its_place(tmp_path: Path) -> None:
    cp = analysed(tmp_path, LOCKS, TICKET, COUNT, TWO_WORKERS)
    assert open_targets(cp) == set()
    assert facts.race_pairs(cp)
    assert assumed(cp) == ["`take` acquires its argument 1", "`give` releases its argument 1"]
    place = cp.assumptions[0].pos
    assert place is not None
    assert "take(&lock); count++" in Path(place.file).read_text(encoding="utf-8").splitlines()[place.line - 1]


def test_accesses_in_a_modelled_function_are_its_own_business(tmp_path: Path) -> None:
    cp = analysed(tmp_path, LOCKS, TICKET, COUNT, TWO_WORKERS)
    assert {access.function for access in cp.accesses.values()} == {"worker"}


def test_another_lock_does_not_protect(tmp_path: Path) -> None:
    program = """
ticket one, two;
long count;
void *worker(void *p) { ticket *t = p; take(t); count++; give(t); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, &one);
  pthread_create(&b, 0, worker, &two);
}
"""
    assert open_targets(analysed(tmp_path, LOCKS, TICKET, program)) == {"count"}


def test_it_is_held_until_it_is_released(tmp_path: Path) -> None:
    program = """
ticket lock;
long before, inside, after;
static void leave(ticket *t) { give(t); }
void *worker(void *p) { before++; take(&lock); inside++; leave(&lock); after++; return 0; }
"""
    assert open_targets(analysed(tmp_path, LOCKS, TICKET, program, TWO_WORKERS)) == {"before", "after"}


def test_what_it_gave_back_before_says_nothing_about_the_next_time(tmp_path: Path) -> None:
    """`outer` may be given back in the first round, and the loop be left in the second one."""
    text = TICKET.replace("void take", "int take").replace("pthread_self();", "pthread_self(); return mine & 1;")
    program = """
ticket lock;
pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
long count;
void *other(void *p) { pthread_mutex_lock(&outer); count++; pthread_mutex_unlock(&outer); return 0; }
void *worker(void *p) {
  pthread_mutex_lock(&outer);
  while (take(&lock)) { pthread_mutex_unlock(&outer); give(&lock); }
  count++;
  give(&lock);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, other, 0);
}
"""
    assert open_targets(analysed(tmp_path, LOCKS, text, program)) == {"count"}


def test_releasing_what_may_be_the_same_lock_counts(tmp_path: Path) -> None:
    program = """
ticket locks[2];
long count;
void *worker(void *p) {
  ticket *t = &locks[rand() % 2];
  take(&locks[0]);
  give(t);
  count++;
  return 0;
}
"""
    assert open_targets(analysed(tmp_path, LOCKS, TICKET, program, TWO_WORKERS)) == {"count"}


def test_a_lock_in_a_structure_protects_that_structure(tmp_path: Path) -> None:
    program = """
struct account { long balance; ticket lock; } accounts[8];
void *worker(void *p) {
  for (int i = 0; i < 8; i++) {
    struct account *a = &accounts[i];
    take(&a->lock); a->balance++; give(&a->lock);
  }
  return 0;
}
"""
    assert open_targets(analysed(tmp_path, LOCKS, TICKET, program, TWO_WORKERS)) == set()


@pytest.mark.parametrize(
    ("result", "success", "failure", "test"),
    [("bool", 1, 0, ""), ("int", 1, 0, ""), ("int", 0, None, "!"), ("bool", 0, None, "!"), ("int", -7, None, "-7 == ")],
)
def test_a_lock_that_is_tried_is_held_if_the_result_says_so(
    tmp_path: Path, result: str, success: int, failure: int | None, test: str
) -> None:
    program = f"""
ticket lock;
long yes, no;
{result} try_take(ticket *t);
void *worker(void *p) {{ if ({test}try_take(&lock)) {{ yes++; give(&lock); }} else no++; return 0; }}
"""
    models = Models((LockModel("try_take", LockAction.TRY, success=success, failure=failure), GIVE))
    cp = analysed(tmp_path, models, TICKET, program, TWO_WORKERS)
    assert open_targets(cp) == {"no"}
    otherwise = "" if failure is None else f", and else returns {failure}"
    assert f"`try_take` acquires its argument 1 if it returns {success}{otherwise}" in assumed(cp)


def test_readers_exclude_writers_only(tmp_path: Path) -> None:
    program = """
typedef struct { int state; } rw;
void read_begin(rw *l); void write_begin(rw *l); void end(rw *l);
rw lock;
long data, reads;
void *reader(void *p) { read_begin(&lock); reads += data; end(&lock); return 0; }
void *worker(void *p) {
  pthread_t r, s;
  pthread_create(&r, 0, reader, 0);
  pthread_create(&s, 0, reader, 0);
  write_begin(&lock); data++; end(&lock);
  return 0;
}
"""
    models = Models(
        (
            LockModel("read_begin", LockAction.ACQUIRE, shared=True),
            LockModel("write_begin", LockAction.ACQUIRE),
            LockModel("end", LockAction.RELEASE),
        )
    )
    cp = analysed(tmp_path, models, program, TWO_WORKERS)
    assert open_targets(cp) == {"reads"}
    assert "`read_begin` acquires its argument 1 for reading" in assumed(cp)


def test_functions_that_are_not_defined_do_nothing_but_lock(tmp_path: Path) -> None:
    program = """
struct node { long value; struct { int word; } lock; };
void my_lock(int how, void *l); void my_unlock(int how, void *l);
struct node shared;
void *worker(void *p) { my_lock(0, &shared.lock); shared.value++; my_unlock(0, &shared.lock); return 0; }
"""
    unknown = analysed(tmp_path, Models(), program, TWO_WORKERS)
    assert open_targets(unknown) != set()
    assert any("`my_lock` is not known" in a.text for a in unknown.assumptions)
    models = Models((LockModel("my_lock", LockAction.ACQUIRE, 2), LockModel("my_unlock", LockAction.RELEASE, 2)))
    cp = analysed(tmp_path, models, program, TWO_WORKERS)
    assert open_targets(cp) == set()
    assert [a.text for a in cp.assumptions] == [
        "the user says that `my_lock` acquires its argument 2",
        "the user says that `my_unlock` releases its argument 2",
    ]


def test_one_lock_for_the_whole_program(tmp_path: Path) -> None:
    program = """
void enter(void); void leave(void);
long count, other;
static void step(void) { count++; }
void *worker(void *p) { enter(); step(); leave(); other++; return 0; }
"""
    models = Models(
        (LockModel("enter", LockAction.ACQUIRE, 0, "big"), LockModel("leave", LockAction.RELEASE, 0, "big"))
    )
    cp = analysed(tmp_path, models, program, TWO_WORKERS)
    assert open_targets(cp) == {"other"}
    assert "`enter` acquires the lock `big`" in assumed(cp)
    held = {facts.describe_lock(cp, h.address) for a in cp.accesses.values() for v in a.views for h in v.held}
    assert held == {"big"}


def test_locks_with_different_names_are_different(tmp_path: Path) -> None:
    program = """
void enter(void); void leave(void); void other_enter(void); void other_leave(void);
long count;
void *one(void *p) { enter(); count++; leave(); return 0; }
void *two(void *p) { other_enter(); count++; other_leave(); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); }
"""
    names = {"enter": "x", "leave": "x", "other_enter": "y", "other_leave": "y"}
    models = Models(
        tuple(
            LockModel(name, LockAction.ACQUIRE if "enter" in name else LockAction.RELEASE, 0, lock)
            for name, lock in names.items()
        )
    )
    assert open_targets(analysed(tmp_path, models, program)) == {"count"}


def test_static_functions_of_several_files(tmp_path: Path) -> None:
    header = tmp_path / "lock.h"
    header.write_text(
        "typedef struct { int word; } lock_t; extern lock_t lock; extern long count; void raw(lock_t *);\n"
        "static void take(lock_t *l) { raw(l); }\nstatic void give(lock_t *l) { raw(l); }\n",
        encoding="utf-8",
    )
    first, second = tmp_path / "first.c", tmp_path / "second.c"
    first.write_text(
        HEADER + '#include "lock.h"\nlock_t lock; long count; void *other(void *p);'
        "void *worker(void *p) { take(&lock); count++; give(&lock); return 0; }"
        "int main(void) { pthread_t a, b; pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, other, 0); }",
        encoding="utf-8",
    )
    second.write_text(
        '#include "lock.h"\nvoid *other(void *p) { take(&lock); count++; give(&lock); return 0; }', encoding="utf-8"
    )
    request = replace(frontend.from_files([first, second]), prototypes=LOCKS.numbered())
    program = frontend.load(request)
    assert open_targets(facts.analyse(program, Budget.unlimited(), LOCKS)) == set()


def test_what_a_modelled_function_writes_is_not_taken_for_constant(tmp_path: Path) -> None:
    # If `turn` seemed never to be written, both threads would seem to use different elements, or the same.
    program = """
long turn, slots[2];
typedef struct { int word; } spin;
spin lock;
void take(spin *s) { turn = !turn; }
void give(spin *s) { }
void *worker(void *p) { take(&lock); give(&lock); slots[turn]++; return 0; }
"""
    assert "slots[*]" in open_targets(analysed(tmp_path, LOCKS, program, TWO_WORKERS))
    quiet = program.replace("turn = !turn;", "")
    seen = analysed(tmp_path, LOCKS, quiet, TWO_WORKERS)
    loads = [v.address for a in seen.accesses.values() if a.kind.writes for v in a.views]
    assert all(address is not None and address.is_absolute for address in loads)  # here it is constant


def test_a_semaphore_that_a_modelled_function_posts_is_no_mutex(tmp_path: Path) -> None:
    program = """
#include <semaphore.h>
sem_t sem;
long count;
typedef struct { int word; } spin;
spin lock;
void take(spin *s) { }
void give(spin *s) { GIVE; }
void *worker(void *p) {
  take(&lock); give(&lock);
  sem_wait(&sem); count++; sem_post(&sem);
  return 0;
}
int main(void) {
  pthread_t a, b;
  sem_init(&sem, 0, 1);
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
}
"""
    assert open_targets(analysed(tmp_path, LOCKS, program.replace("GIVE", ""))) == set()
    assert "count" in open_targets(analysed(tmp_path, LOCKS, program.replace("GIVE", "sem_post(&sem)")))


# -- safe functions -------------------------------------------------------------------------------------------------

LOGGING = """
long lines, bytes, count;
static void add(long n) { bytes += n; }
static void shared_step(void) { count++; }
void log_line(void) { lines++; add(80); shared_step(); }
void *worker(void *p) { log_line(); shared_step(); return 0; }
"""
SAFE = Models(safe=(SafeFunction("log_line", "statistics may be wrong"),))


def test_accesses_of_a_safe_function_and_of_what_only_it_calls_are_in_no_pair(tmp_path: Path) -> None:
    assert open_targets(analysed(tmp_path, Models(), LOGGING, TWO_WORKERS)) == {"lines", "bytes", "count"}
    cp = analysed(tmp_path, SAFE, LOGGING, TWO_WORKERS)
    assert open_targets(cp) == {"count"}
    assert assumed(cp) == ["accesses in `log_line` are no races: statistics may be wrong"]
    assert cp.assumptions[-1].pos is not None


def test_a_safe_function_counts_for_locks_and_order(tmp_path: Path) -> None:
    program = """
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long count, after;
void enter(void) { pthread_mutex_lock(&mutex); }
void leave(void) { pthread_mutex_unlock(&mutex); }
void *worker(void *p) { enter(); count++; leave(); after++; return 0; }
"""
    models = Models(safe=(SafeFunction("enter", "a lock"), SafeFunction("leave", "a lock")))
    cp = analysed(tmp_path, models, program, TWO_WORKERS)
    assert open_targets(cp) == {"after"}
    assert assumed(cp) == []  # nothing was left out for their sake


def test_a_function_that_also_runs_as_a_thread_is_not_safe(tmp_path: Path) -> None:
    program = """
long count;
void *step(void *p) { count++; return 0; }
void log_line(void) { step(0); }
void *worker(void *p) { log_line(); pthread_t t; pthread_create(&t, 0, step, 0); return 0; }
"""
    assert open_targets(analysed(tmp_path, SAFE, program, TWO_WORKERS)) == {"count"}


def test_what_a_safe_function_publishes_is_not_private(tmp_path: Path) -> None:
    program = """
struct node { long value; };
struct node *found;
void log_line(struct node *n) { found = n; }
struct node *look(void) { return found; }
void *worker(void *p) {
  struct node *n = malloc(sizeof *n);
  n->value = 1;
  log_line(n);
  struct node *m = look();
  return m ? (void *)m->value : 0;
}
"""
    models = Models(safe=(SafeFunction("log_line", "x"), SafeFunction("look", "x")))
    targets = open_targets(analysed(tmp_path, models, program, TWO_WORKERS))
    assert any("node.value" in target for target in targets)


# -- models that do not fit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LockModel("take", LockAction.ACQUIRE, 2), "acquires its argument 2, but `take` has 1 argument"),
        (LockModel("worker", LockAction.ACQUIRE, 3), "but `worker` has 1 argument"),
        (LockModel("numbered", LockAction.ACQUIRE), "not a pointer"),
        (LockModel("spawn", LockAction.ACQUIRE), "`spawn`, but it starts or ends threads"),
        (LockModel("pthread_create", LockAction.ACQUIRE), "raceproof knows `pthread_create`"),
    ],
)
def test_models_that_do_not_fit_are_refused(tmp_path: Path, model: LockModel, message: str) -> None:
    more = """
void numbered(int n) { }
void spawn(ticket *t) { pthread_t a; pthread_create(&a, 0, worker, 0); }
int main(void) { spawn(&lock); numbered(1); }
"""
    program = compiled(tmp_path, Models((model,)), TICKET, COUNT, more)
    with pytest.raises(InputError, match=message):
        facts.analyse(program, Budget.unlimited(), Models((model,)))


def test_a_model_of_a_library_function_that_says_the_same_is_no_harm(tmp_path: Path) -> None:
    program = """
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long count;
void *worker(void *p) { pthread_mutex_lock(&mutex); count++; pthread_mutex_unlock(&mutex); return 0; }
"""
    cp = analysed(tmp_path, Models((LockModel("pthread_mutex_unlock", LockAction.RELEASE),)), program, TWO_WORKERS)
    assert open_targets(cp) == set()
    assert assumed(cp) == []


@pytest.mark.parametrize(
    ("models", "message"),
    [
        (Models((TAKE, LockModel("giev", LockAction.RELEASE))), r"has no function `giev`; did you mean `give`\?"),
        (
            Models((TAKE, GIVE), (SafeFunction("pthread_join", "x"),)),
            "does not define the safe function `pthread_join`",
        ),
        (Models((TAKE, GIVE), (SafeFunction("workr", "x"),)), r"safe function `workr`; did you mean `worker`\?"),
        (Models((TAKE, GIVE), (SafeFunction("f", "x", where="a.toml: y"),)), "^a.toml: y: the program"),
        (Models((TAKE, LockModel("giev", LockAction.RELEASE, optional=True))), "`take`, .*, but not `giev`, .*`give`"),
    ],
)
def test_models_of_functions_that_are_not_there_are_refused(tmp_path: Path, models: Models, message: str) -> None:
    program = compiled(tmp_path, models, TICKET, COUNT, TWO_WORKERS)
    with pytest.raises(InputError, match=message):
        facts.analyse(program, Budget.unlimited(), models)


def test_optional_models_may_be_of_functions_that_are_not_there(tmp_path: Path) -> None:
    absent = (
        LockModel("enter", LockAction.ACQUIRE, optional=True, where="other"),
        LockModel("leave", LockAction.RELEASE, optional=True, where="other"),
        LockModel("try_take", LockAction.TRY, optional=True),
    )
    models = Models((TAKE, GIVE, *absent), (SafeFunction("log", "x", optional=True),))
    cp = analysed(tmp_path, models, TICKET, COUNT, TWO_WORKERS)
    assert open_targets(cp) == set()


@pytest.mark.parametrize(
    ("take", "give", "expected"),
    [
        ("while (atomic_flag_test_and_set(&s->flag)) {}", "atomic_flag_clear(&s->flag);", set()),
        ("int i = 0; atomic_flag_test_and_set(&s->flag); i++;", "atomic_flag_clear(&s->flag);", set()),
        ("while (s->word) {} s->word = 1;", "s->word = 0;", {"take", "give"}),
        ("step(s);", "atomic_flag_clear(&s->flag);", {"step"}),
    ],
)
def test_plain_accesses_that_no_engine_watches_are_known(
    tmp_path: Path, take: str, give: str, expected: set[str]
) -> None:
    program = f"""
typedef struct {{ atomic_flag flag; volatile int word; }} spin;
spin lock;
long count;
static void step(spin *s) {{ s->word++; }}
void take(spin *s) {{ {take} }}
void give(spin *s) {{ {give} }}
void *worker(void *p) {{ take(&lock); count++; give(&lock); return 0; }}
"""
    cp = analysed(tmp_path, LOCKS, program, TWO_WORKERS)
    by_site = cp.program.instructions_by_site()
    assert {by_site[site][0].source_name for site in facts.unwatched_sites(cp, LOCKS)} == expected
    assert facts.unwatched_sites(cp, Models()) == frozenset()


def test_accesses_of_safe_functions_are_not_watched(tmp_path: Path) -> None:
    cp = analysed(tmp_path, SAFE, LOGGING, TWO_WORKERS)
    by_site = cp.program.instructions_by_site()
    found = {by_site[site][0].source_name for site in facts.unwatched_sites(cp, SAFE)}
    assert found == {"log_line", "add"}  # `shared_step` is called by others, too
