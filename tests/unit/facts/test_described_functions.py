"""What the user says about functions that the program does not define: what it proves, and what it must not hide."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conformance.judging import PROVERS

from raceproof import facts, frontend, lockset
from raceproof.cli import main
from raceproof.cli.report_file import _models as models_of_report
from raceproof.core import Budget, InputError, LimitReached, Unsupported
from raceproof.ir import FunctionModel, Result
from raceproof.model import ConcurrentProgram, LockAction, LockModel, Models, Scope, Verdict
from raceproof.report.json_format import _models as models_as_json

HEADER = "#include <pthread.h>\n#include <stdlib.h>\n"
THREADS = """
int slots[2];
int main(void) {
  pthread_t a, b;
  start();
  pthread_create(&a, 0, worker, &slots[0]);
  pthread_create(&b, 0, worker, &slots[1]);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""
NO_START = "void start(void) {}\n"


def analysed(directory: Path, text: str, *models: FunctionModel) -> ConcurrentProgram:
    path = directory / "program.c"
    path.write_text(HEADER + text + THREADS, encoding="utf-8")
    said = Models(functions=models)
    program = frontend.load(replace(frontend.from_files([path]), prototypes=said.numbered()))
    return facts.analyse(program, Budget.unlimited(), said)


def open_targets(directory: Path, text: str, *models: FunctionModel) -> set[str]:
    """What the lockset engine cannot prove, by name."""
    cp = analysed(directory, text, *models)
    found = lockset.run(cp, facts.race_pairs(cp), lockset.LocksetOptions(), Budget.unlimited()).findings
    return {facts.describe_location(cp, f.pair.target) for f in found if f.verdict is not Verdict.RACE_FREE}


def describe(name: str, **said: Any) -> FunctionModel:
    return FunctionModel(name, **said)


# -- who keeps, and who touches what was kept


KEPT = """
void keep(int *); void bump(void); int x;
void start(void) { keep(&x); }
void *worker(void *arg) { bump(); return arg; }
"""


@pytest.mark.parametrize(
    ("models", "is_open"),
    [
        ((), True),
        ((describe("keep", keeps=()),), False),
        ((describe("keep"),), True),
        ((describe("keep", keeps=(1,), reads=(), writes=()),), True),
        ((describe("bump"),), False),
    ],
)
def test_givers_and_touchers(models: tuple[FunctionModel, ...], is_open: bool, tmp_path: Path) -> None:
    assert open_targets(tmp_path, KEPT, *models) == ({"x"} if is_open else set())


# -- what is touched


TABLE = """
int sum(const int *, int); int table[8];
void start(void) { table[0] = 1; }
void *worker(void *arg) { WRITE sum(table, 8); return arg; }
"""


@pytest.mark.parametrize(
    ("said", "is_open"),
    [
        ({"reads": (1,)}, False),
        ({"writes": (1,)}, True),
        ({}, True),
        ({"reads": ()}, False),
        ({"reads": (), "frees": ()}, False),
    ],
)
def test_arguments_that_are_read_written_or_left_alone(said: dict[str, Any], is_open: bool, tmp_path: Path) -> None:
    text = TABLE.replace("WRITE", "")
    assert open_targets(tmp_path, text, describe("sum", keeps=(), **said)) == ({"table"} if is_open else set())


def test_a_write_beside_a_described_read_is_a_race(tmp_path: Path) -> None:
    text = TABLE.replace("WRITE", "table[0] = 2;")
    assert "table[0]" in open_targets(tmp_path, text, describe("sum", reads=(1,), keeps=()))


def test_what_is_reached_through_pointers_counts(tmp_path: Path) -> None:
    text = """
struct node { struct node *next; int value; } first, second;
void touch(struct node *); extern int slots[2];
void start(void) { first.next = &second; }
void *worker(void *arg) { if (arg == slots) touch(&first); else second.value = 1; return arg; }
"""
    assert open_targets(tmp_path, text, describe("touch", writes=(1,), keeps=())) >= {"second.value"}
    assert open_targets(tmp_path, text, describe("touch", reads=(1,), keeps=())) >= {"second.value"}
    cp = analysed(tmp_path, text, describe("touch", reads=(), keeps=()))
    assert all(access.size == 4 for access in cp.accesses.values())  # of the assignment


DROP = """
void drop(int *); int *p;
void start(void) { p = malloc(sizeof *p); }
void *worker(void *arg) { drop(p); return arg; }
"""


def test_a_freed_argument_is_written(tmp_path: Path) -> None:
    kinds = {a.kind.value for a in analysed(tmp_path, DROP, describe("drop", frees=(1,), reads=())).accesses.values()}
    assert "free" in kinds
    assert open_targets(tmp_path, DROP, describe("drop", frees=(1,), reads=())) != set()
    assert open_targets(tmp_path, DROP, describe("drop", reads=(), keeps=())) == set()


# -- what it calls


EACH = """
void each(const int *, int (*)(const int *, int *), int *);
int table[4];
int count(const int *element, int *found) { return *found += *element; }
void *worker(void *arg) { each(table, count, WHERE); return arg; }
"""
CALLS = describe("each", reads=(1,), keeps=(), calls=(2,), passes=(-1, 3))


def test_a_callback_gets_the_argument_of_its_own_thread(tmp_path: Path) -> None:
    assert open_targets(tmp_path, NO_START + EACH.replace("WHERE", "arg"), CALLS) == set()
    assert open_targets(tmp_path, NO_START + EACH.replace("WHERE", "table"), CALLS) != set()
    unsaid = describe("each", reads=(1,), keeps=(), calls=(2,))
    assert open_targets(tmp_path, NO_START + EACH.replace("WHERE", "arg"), unsaid) != set()


def test_a_callback_that_is_kept_may_run_at_any_time(tmp_path: Path) -> None:
    text = NO_START + EACH.replace("WHERE", "arg")
    assert not any(t.is_callback for t in analysed(tmp_path, text, CALLS).threads.values())
    kept = describe("each", reads=(1,), keeps=(2,), calls=(2,), passes=(-1, 3))
    assert any(t.is_callback for t in analysed(tmp_path, text, kept).threads.values())
    assert any(t.is_callback for t in analysed(tmp_path, text).threads.values())


LOCKED = """
void run(void (*)(void)); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
void add(void) { x++; }
void *worker(void *arg) { LOCK run(add); UNLOCK return arg; }
"""


def test_a_callback_runs_with_the_locks_of_its_caller(tmp_path: Path) -> None:
    locked = LOCKED.replace("UNLOCK", "pthread_mutex_unlock(&m);").replace("LOCK", "pthread_mutex_lock(&m);")
    for said in ({"calls": (1,)}, {}):
        model = describe("run", keeps=(), **said)
        assert open_targets(tmp_path, NO_START + locked, model) == set()
        assert open_targets(tmp_path, NO_START + LOCKED.replace("UNLOCK", "").replace("LOCK", ""), model) == {"x"}
    assert open_targets(tmp_path, NO_START + locked, describe("run")) == {"x"}
    assert open_targets(tmp_path, NO_START + locked, describe("run", calls=(), keeps=())) == set()


GIVEN_BACK = """
void run(void (*)(void)); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
void give(void) { pthread_mutex_unlock(&m); }
void *worker(void *arg) { pthread_mutex_lock(&m); run(give); x++; return arg; }
"""


def test_a_callback_that_gives_the_lock_back_is_followed(tmp_path: Path) -> None:
    assert open_targets(tmp_path, NO_START + GIVEN_BACK, describe("run", keeps=(), calls=(1,))) == {"x"}


# -- what it returns and hands out


MAKE = """
struct node { int value; } shared;
struct node *make(struct node *);
void *worker(void *arg) { struct node *p = make(&shared); p->value = 1; return arg; }
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"returns": Result.FRESH, "reads": ()}, set()),
        ({"returns": 1, "reads": ()}, {"shared.value"}),
        ({"reads": ()}, {"shared.value"}),
        ({"reads": (), "shares": False}, {"shared.value"}),
    ],
)
def test_results(said: dict[str, Any], expected: set[str], tmp_path: Path) -> None:
    assert open_targets(tmp_path, NO_START + MAKE, describe("make", keeps=(), **said)) == expected


def test_a_result_that_is_said_to_be_no_pointer_and_is_used_as_one_may_be_any(tmp_path: Path) -> None:
    model = describe("make", keeps=(), reads=(), returns=Result.NOTHING)
    assert open_targets(tmp_path, NO_START + MAKE, model) >= {"shared"}


GET = "void get(int **);\nvoid *worker(void *arg) { int *p = 0; get(&p); *p = 1; return arg; }\n"


def test_memory_of_the_library_that_calls_share(tmp_path: Path) -> None:
    shared = describe("get", writes=(1,), keeps=())
    assert open_targets(tmp_path, NO_START + GET, shared) == {"memory of described functions"}
    assert open_targets(tmp_path, NO_START + GET, describe("get", writes=(1,), keeps=(), shares=False)) == set()


def test_pointers_may_be_stored_in_what_is_written(tmp_path: Path) -> None:
    text = """
struct node { struct node *next; int value; } root, item;
void attach(struct node *, struct node *);
void start(void) { attach(&root, &item); }
void *worker(void *arg) { if (arg == slots) root.next->value = 1; else item.value = 2; return arg; }
"""
    model = describe("attach", writes=(1,), keeps=())
    assert "item.value" in open_targets(tmp_path, "extern int slots[2];\n" + text, model)


def test_a_function_that_never_returns(tmp_path: Path) -> None:
    text = """
void fail(const char *); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
void *worker(void *arg) {
  pthread_mutex_lock(&m);
  if (!arg) { pthread_mutex_unlock(&m); fail("no argument"); }
  x++;
  pthread_mutex_unlock(&m);
  return arg;
}
"""
    ends = describe("fail", reads=(1,), keeps=(), returns=Result.NEVER)
    assert open_targets(tmp_path, NO_START + text, ends) == set()
    assert open_targets(tmp_path, NO_START + text, describe("fail", reads=(1,), keeps=())) == {"x"}


# -- all engines


RACY = {
    "written": (TABLE.replace("WRITE", ""), describe("sum", writes=(1,), keeps=())),
    "read": (TABLE.replace("WRITE", "table[0] = 2;"), describe("sum", reads=(1,), keeps=())),
    "freed": (DROP, describe("drop", frees=(1,), reads=())),
    "called": (NO_START + EACH.replace("WHERE", "table"), CALLS),
    "unlocked": (NO_START + GIVEN_BACK, describe("run", keeps=(), calls=(1,))),
    "returned": (NO_START + MAKE, describe("make", keeps=(), reads=(), returns=1)),
    "kept": (KEPT, describe("keep", reads=())),
}


@pytest.mark.parametrize("engine", sorted(PROVERS))
@pytest.mark.parametrize("name", sorted(RACY))
def test_no_engine_proves_the_race_away(name: str, engine: str, tmp_path: Path) -> None:
    cp = analysed(tmp_path, RACY[name][0], RACY[name][1])
    pairs = facts.race_pairs(cp)
    assert pairs
    try:
        found = PROVERS[engine](cp, pairs, Budget.seconds(10)).findings
    except (Unsupported, LimitReached) as refused:
        pytest.skip(f"{engine} refuses the program: {refused}")
    proved = {f.pair for f in found if f.verdict is Verdict.RACE_FREE and f.scope is not Scope.BOUNDED}
    left = [{cp.accesses[p.first].function, cp.accesses[p.second].function} for p in pairs if p not in proved]
    assert any(functions.isdisjoint(("main", "start")) for functions in left)


# -- the rest


def test_no_input(tmp_path: Path) -> None:
    text = NO_START + "int ask(int);\nvoid *worker(void *arg) { return ask(3) ? arg : 0; }\n"
    assert analysed(tmp_path, text).inputs
    assert analysed(tmp_path, text, describe("ask")).inputs
    assert analysed(tmp_path, text, describe("ask", gives_input=False)).inputs == ()


def test_what_one_call_is_given_another_one_may_tell(tmp_path: Path) -> None:
    text = """
#include <time.h>
void put(long); long get(void); int x;
void start(void) { put(time(0)); if (get() > 5) x = 1; }
void *worker(void *arg) { return arg; }
"""
    silent = (describe("put", gives_input=False), describe("get", gives_input=False))
    assert [given.what for given in analysed(tmp_path, text, *silent).inputs or ()] == ["time"]


def test_each_model_that_was_used_is_an_assumption(tmp_path: Path) -> None:
    cp = analysed(tmp_path, KEPT, describe("keep", reads=(1,), keeps=()), describe("bump", gives_input=False))
    texts = [assumption.text for assumption in cp.assumptions]
    nothing_else = ", and does nothing else that the program could see"
    assert "the user says that `keep` reads what argument 1 leads to, keeps no argument" + nothing_else in texts
    assert "the user says that `bump` touches what its arguments lead to, gives no input" + nothing_else in texts
    assert not any("not known" in text for text in texts)


def test_a_model_in_words() -> None:
    assert str(describe("f", writes=(1, 2), frees=(3,), calls=(4,), passes=(-1, 5, 0), returns=1, shares=False)) == (
        "`f` writes what arguments 1 and 2 lead to, frees argument 3, calls argument 4 with (1[], 5, anything) before "
        "it returns, returns argument 1, hands out no memory twice, and does nothing else that the program could see"
    )


SIGNATURES = """
struct pair { int *a, *b; };
void small(int); void *find(void *); void *nth(int); void log_it(const char *, ...); void old();
void stored(int *); void (*table)(int *) = stored;
void each(void (*)(int *, long), int *); void any(void *, int *); void pairs(void (*)(struct pair), int *);
void by_value(struct pair, int *); void two(struct pair, int *, __int128);
void *other(void) {
  struct pair p = {0, 0};
  small(3); find(0); nth(1); log_it(""); old(&p); each(0, 0); any(0, 0); pairs(0, 0); by_value(p, 0); two(p, 0, 1);
  return malloc(1);
}
"""


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (describe("kepe"), "the program has no function `kepe`; did you mean `keep`?"),
        (describe("worker"), "the program defines `worker`"),
        (describe("pthread_create"), "raceproof knows `pthread_create`"),
        (describe("malloc"), "raceproof knows `malloc`"),
        (describe("keep", reads=(2,)), "`keep` has 1 argument, and no argument 2"),
        (describe("find", returns=2), "`find` has 1 argument, and no argument 2"),
        (describe("keep", returns=1), "`keep` does not return a pointer: remove `returns = 1`"),
        (describe("keep", returns=Result.FRESH), "`keep` does not return a pointer: remove `returns = .fresh.`"),
        (describe("nth", returns=1), "argument 1 of `nth` is not a pointer"),
        (describe("small", calls=(1,)), "argument 1 of `small` is not a pointer"),
        (describe("keep", calls=(1,)), r"argument 1 of `keep` is `int \*`, which cannot be called"),
        (describe("each", calls=(1,), passes=(2,)), "which is called with 2 arguments: `passes` has 1"),
        (describe("each", calls=(1,), passes=(2, 2, 2)), "which is called with 2 arguments: `passes` has 3"),
        (describe("pairs", calls=(1,), passes=(2,)), "is passed more than pointers and numbers: remove `passes`"),
        (describe("any", calls=(1,), passes=(2,)), "whose parameters are not known: remove `passes`"),
        (describe("strlen", reads=(1,)), "raceproof knows `strlen`"),
        (describe("log_it", reads=(2,)), "`log_it` has argument 2 only in some calls"),
        (describe("old", reads=(1,)), "which of its arguments is number 1 is not known: the program has to declare"),
        (describe("stored", reads=(1,)), "which of its arguments is number 1 is not known: the program has to declare"),
        (describe("by_value", reads=(1,)), "argument 1 of `by_value` is `struct pair`, passed by value"),
        (describe("two", reads=(2,)), "where argument 2 of `two` is passed is not known, because of `struct pair` and"),
        (describe("small", reads=(1,)), "argument 1 of `small` is not a pointer"),
    ],
)
def test_models_that_cannot_be_meant(model: FunctionModel, message: str, tmp_path: Path) -> None:
    text = KEPT + SIGNATURES
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        analysed(tmp_path, text, model)


def test_optional_models_may_be_about_nothing_or_about_a_definition(tmp_path: Path) -> None:
    models = (describe("kepe", optional=True), describe("worker", optional=True), describe("keep", keeps=()))
    assert open_targets(tmp_path, KEPT, *models) == set()


def test_a_function_has_one_kind_of_model(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEADER + KEPT + THREADS, encoding="utf-8")
    program = frontend.load(frontend.from_files([path]))
    locks = (LockModel("keep", LockAction.ACQUIRE), LockModel("bump", LockAction.RELEASE, 0, "l"))
    with pytest.raises(InputError, match="`keep` is a lock function"):
        facts.analyse(program, Budget.unlimited(), Models(locks, functions=(describe("keep"),)))


def test_models_survive_the_report() -> None:
    everything = describe("f", reads=(), writes=(1,), frees=(2,), keeps=(), calls=(3,), passes=(-1, 0), returns=1)
    models = Models(functions=(everything, describe("g", returns=Result.FRESH, shares=False, gives_input=False)))
    assert models_of_report(json.loads(json.dumps({"models": models_as_json(models)}))) == models


def test_a_proof_that_rests_on_a_model_is_checked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.c").write_text(HEADER + TABLE.replace("WRITE", "") + THREADS)
    (tmp_path / "raceproof.toml").write_text("[[function]]\nfunction = 'sum'\nreads = 1\nkeeps = []\n")
    assert main(["check", "program.c", "--json", "report.json"]) == 0
    assert main(["check-evidence", "report.json"]) == 0
