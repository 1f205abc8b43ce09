"""Code that is not there: inline assembly, functions given to the outside world, and what they may touch."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import lockset
from raceproof.core import Budget
from raceproof.facts import analyse, race_pairs
from raceproof.frontend import Cache, from_files, load, parse_module
from raceproof.frontend.opaque_assembly import with_opaque_assembly
from raceproof.ir import Origin, Program
from raceproof.model import ConcurrentProgram, Verdict

ASSEMBLY = """
@counter = global i32 0
@other = global i32 0
define ptr @worker(ptr %0) {{
  call void asm sideeffect "{worker}", "=*m,~{{memory}}"(ptr elementtype(i32) @counter)
  store i32 1, ptr @other
  ret ptr null
}}
define void @unused() {{
  call void asm sideeffect "{unused}", ""()
  ret void
}}
define i32 @main() {{
  %1 = alloca i64
  %2 = call i32 @pthread_create(ptr %1, ptr null, ptr @worker, ptr null)
  %3 = load i32, ptr @counter
  ret i32 %3
}}
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
"""


def with_assembly(worker: str, unused: str = "nop") -> Program:
    return parse_module(
        with_opaque_assembly(ASSEMBLY.format(worker=worker, unused=unused)), Origin(("a.ll",), (), "LP64"), "main"
    )


def facts_of(tmp_path: Path, text: str) -> ConcurrentProgram:
    file = tmp_path / "program.c"
    file.write_text("#include <pthread.h>\n" + text)
    return analyse(load(from_files([file]), cache=Cache(None)), Budget.unlimited())


def places(cp: ConcurrentProgram) -> set[str]:
    return {cp.objects[pair.target.object].name for pair in race_pairs(cp)}


def test_assembly_touches_what_its_operands_lead_to() -> None:
    cp = analyse(with_assembly("lock; incl $0"), Budget.unlimited())
    assert places(cp) == {"counter"}
    assert any("inline assembly" in assumption.text for assumption in cp.assumptions)


def test_assembly_that_is_not_understood_touches_its_operands_where_it_is_reached() -> None:
    assert places(analyse(with_assembly("lock; incl $0", "frob $0"), Budget.unlimited())) == {"counter"}
    cp = analyse(with_assembly("frob $0"), Budget.unlimited())
    assert places(cp) == {"counter"}
    assert any("inline assembly that is not understood" in assumption.text for assumption in cp.assumptions)


CALLBACKS = """
void library(void *what);
struct table { void (*run[4])(struct table *); int count; };
static void a(struct table *t) { library(t); library(t); }
static void b(struct table *t) { library(t); library(t); }
static void c(struct table *t) { library(t); t->count++; }
static void d(struct table *t) { library(t); }
static struct table table = { { a, b, c, d }, 0 };
static void *worker(void *arg) { table.run[0](&table); return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    table.run[1](&table);
    return pthread_join(t, 0);
}
"""


def test_callbacks_that_register_one_another_are_one_kind_each(tmp_path: Path) -> None:
    cp = facts_of(tmp_path, CALLBACKS)
    callbacks = [(thread.parent, thread.start) for thread in cp.threads.values() if thread.is_callback]
    assert len(callbacks) == len(set(callbacks)) == 8  # by main and by worker
    assert all(cp.threads[t].many for t in cp.threads if cp.threads[t].is_callback)


GIVEN = """
void library(void (*f)(void)) __asm__("library_start_thread");
static int early, late;
static void second(void) { early = late = 1; }
static void first(void) { library(second); }
static void prepare(void) { library(first); }
int main(void) {
    early = 1;
    prepare();
    late = 1;
    return 0;
}
"""


def test_what_a_callback_gives_away_may_run_as_soon_as_the_callback_may(tmp_path: Path) -> None:
    cp = facts_of(tmp_path, GIVEN)
    main = {a.pos.line: a for a in cp.accesses.values() if a.function == "main" and a.pos is not None}
    second = next(t.id for t in cp.threads.values() if t.start == "second")
    assert [second in view.moment.may_run for view in main[9].views] == [False]
    assert [second in view.moment.may_run for view in main[11].views] == [True]


IN_HELPERS = """
void library(void (*f)(void));
static int x;
static void callback(void) { x++; }
static void helper(void) { library(callback); }
static void *worker(void *arg) { helper(); return arg; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return x;
}
"""


def test_functions_given_away_by_functions_that_do_nothing_else_count(tmp_path: Path) -> None:
    assert places(facts_of(tmp_path, IN_HELPERS)) == {"x"}


CONSTANTS = """
int library(const char *text, const int *table);
static const int table[2] = {1, 2};
static void *worker(void *arg) { return library("text", table) ? arg : 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    library("text", table);
    return pthread_join(t, 0);
}
"""


def test_nobody_writes_constants(tmp_path: Path) -> None:
    assert race_pairs(facts_of(tmp_path, CONSTANTS)) == ()
    writable = CONSTANTS.replace("static const int table", "static int table")
    assert places(facts_of(tmp_path, writable)) == {"table"}


@pytest.mark.parametrize(("call", "excludes"), [("", True), ("use(&value);", True), ("use(&lock);", False)])
def test_code_from_outside_may_post_the_semaphores_that_it_has(call: str, excludes: bool, tmp_path: Path) -> None:
    cp = facts_of(
        tmp_path,
        "#include <semaphore.h>\n"
        "void use(void *p);\n"
        "sem_t lock; int value, count;\n"
        f"void *worker(void *p) {{ {call} sem_wait(&lock); count++; sem_post(&lock); return p; }}\n"
        "int main(void) {\n"
        "  pthread_t a, b;\n"
        "  sem_init(&lock, 0, 1);\n"
        "  pthread_create(&a, 0, worker, 0);\n"
        "  pthread_create(&b, 0, worker, 0);\n"
        "}\n",
    )
    assert bool(cp.exclusive) is excludes


WITHIN = """
void library(void (*f)(int));
void other(void);
void library_thread(void (*f)(int));
static int x;
static void callback(int n) { x += n; }
static void *worker(void *arg) { %s; return arg; }
int main(void) {
    pthread_t t;
    %s;
    pthread_create(&t, 0, worker, 0);
    x = 1;
    return 0;
}
"""


@pytest.mark.parametrize(
    ("worker", "main", "is_open"),
    [
        ("0", "library(callback)", False),
        ("other()", "library(callback)", True),  # it may have been kept
        ("x = 2", "0", True),
        ("0", "library_thread(callback)", True),  # whose name says that it starts something
        ("library(callback)", "0", True),
    ],
)
def test_callbacks_of_unknown_functions_run_while_such_a_function_is_called(
    tmp_path: Path, worker: str, main: str, is_open: bool
) -> None:
    cp = facts_of(tmp_path, WITHIN % (worker, main))
    found = lockset.run(cp, race_pairs(cp), lockset.LocksetOptions(), Budget.unlimited()).findings
    assert any(f.verdict is not Verdict.RACE_FREE for f in found) == is_open
