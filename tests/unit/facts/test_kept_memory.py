"""What unknown functions do with pointers that they, or other unknown functions, have kept."""

from __future__ import annotations

from pathlib import Path

from raceproof.core import Budget
from raceproof.facts import analyse, describe_location, race_pairs
from raceproof.frontend import Cache, from_files, load
from raceproof.ir import Call
from raceproof.model import ConcurrentProgram

THREADS = """
void *worker(void *arg) { bump(); return arg; }
int main(void) {
  pthread_t a, b;
  start();
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  work();
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


def facts_of(tmp_path: Path, text: str) -> ConcurrentProgram:
    file = tmp_path / "program.c"
    file.write_text("#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\nvoid bump(void);\n" + text)
    return analyse(load(from_files([file]), cache=Cache(None)), Budget.unlimited())


def places(cp: ConcurrentProgram) -> set[str]:
    return {describe_location(cp, pair.target) for pair in race_pairs(cp)}


def functions_of_pairs(cp: ConcurrentProgram) -> list[set[str]]:
    return [{cp.accesses[pair.first].function, cp.accesses[pair.second].function} for pair in race_pairs(cp)]


def notes(cp: ConcurrentProgram) -> set[str]:
    return {str(access.unknown) for access in cp.accesses.values() if access.unknown is not None}


def test_what_one_unknown_function_keeps_another_one_touches(tmp_path: Path) -> None:
    text = "void keep(int *); int x, y; void start(void) { keep(&x); } void work(void) { y = 1; }" + THREADS
    cp = facts_of(tmp_path, text)
    assert places(cp) == {"x"}
    assert "`bump` is not known, and may touch what `keep` may have kept" in notes(cp)


def test_what_can_be_reached_from_it_is_touched_also_if_it_was_stored_later(tmp_path: Path) -> None:
    text = """
struct node { struct node *next; int value; } root, other, alone;
void keep(struct node *);
void start(void) { keep(&root); root.next = &other; }
void work(void) { other.value = 1; alone.value = 1; }
"""
    assert places(facts_of(tmp_path, text + THREADS)) >= {"root", "other.value"}
    assert not any("alone" in place for place in places(facts_of(tmp_path, text + THREADS)))


def test_nothing_is_touched_if_nothing_was_given_or_nobody_unknown_is_called(tmp_path: Path) -> None:
    alone = "int x; void start(void) { x = 1; } void work(void) { x = 2; }" + THREADS
    assert places(facts_of(tmp_path, alone)) == set()
    defined = "void bump(void) {} void keep(int *); int x; void start(void) { keep(&x); } void work(void) { x = 2; }"
    assert places(facts_of(tmp_path, defined + THREADS)) == set()


def test_a_buffer_in_a_struct_does_not_open_the_struct(tmp_path: Path) -> None:
    text = """
struct record { long number; char text[16]; long after; } record;
void keep(char *);
void start(void) { keep(record.text); }
void work(void) { record.number = 1; record.after = 1; WRITE }
"""
    assert {"work", "worker"} not in functions_of_pairs(facts_of(tmp_path, text.replace("WRITE", "") + THREADS))
    written = text.replace("WRITE", "record.text[3] = 1;")
    assert {"work", "worker"} in functions_of_pairs(facts_of(tmp_path, written + THREADS))


def test_memory_of_the_library_counts_where_the_program_uses_it(tmp_path: Path) -> None:
    used = "int *get(void); int *p; void start(void) { p = get(); } void work(void) { *p = 1; }" + THREADS
    assert places(facts_of(tmp_path, used)) == {"memory outside the program"}
    unused = "int *get(void); int *p; void start(void) { p = get(); } void work(void) { p = 0; }" + THREADS
    assert places(facts_of(tmp_path, unused)) == set()


def test_a_declared_variable_belongs_to_unknown_code(tmp_path: Path) -> None:
    text = "extern int theirs; void start(void) {} void work(void) { theirs = 1; }" + THREADS
    assert places(facts_of(tmp_path, text)) == {"theirs"}


def test_a_kept_object_is_not_private_to_its_maker(tmp_path: Path) -> None:
    text = """
struct node { int value; };
void put(struct node *);
void start(void) {}
void work(void) { struct node *p = malloc(sizeof *p); if (p) { p->value = 1; put(p); } }
"""
    cp = facts_of(tmp_path, text + THREADS)
    [write] = [a for a in cp.accesses.values() if a.function == "work" and a.kind.writes and a.unknown is None]
    assert not any(view.private for view in write.views)
    assert any(write.id in (pair.first, pair.second) for pair in race_pairs(cp))


def test_a_lock_that_was_given_away_may_be_given_back_by_any_unknown_function(tmp_path: Path) -> None:
    text = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void keep(void *);
int x;
void start(void) { GIVEN }
void work(void) { pthread_mutex_lock(&m); bump(); x++; pthread_mutex_unlock(&m); }
"""
    for given, held, released in (("", 1, False), ("keep(&m);", 0, True)):
        cp = facts_of(tmp_path, text.replace("GIVEN", given) + THREADS.replace("bump();", "work();"))
        [write] = [a for a in cp.accesses.values() if a.function == "work" and a.kind.writes and not a.unknown]
        assert {len(view.held) for view in write.views} == {held}
        assert cp.calls is not None
        calls = [i for f in cp.program.functions.values() for i in f.instructions() if isinstance(i, Call)]
        unknown = [c for c in calls if cp.calls.targets[c.id].externals == ("bump",)]
        assert [cp.calls.targets[c.id].may_release_any for c in unknown] == [released]


def test_a_function_that_is_called_back_may_give_back_the_lock(tmp_path: Path) -> None:
    text = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void keep(void (*)(void));
int x;
void callback(void) { BODY }
void start(void) { keep(callback); }
void inner(void) { bump(); }
void work(void) { pthread_mutex_lock(&m); inner(); x++; pthread_mutex_unlock(&m); }
"""
    for body, held in (("", 1), ("pthread_mutex_unlock(&m);", 0)):
        cp = facts_of(tmp_path, text.replace("BODY", body) + THREADS.replace("bump();", "work();"))
        [write] = [a for a in cp.accesses.values() if a.function == "work" and a.kind.writes]
        assert {len(view.held) for view in write.views} == {held}


def test_an_unknown_handler_touches_what_was_kept(tmp_path: Path) -> None:
    text = (
        "void handler(int); void keep(int *); int x; void work(void) {} void start(void) { signal(2, handler); KEEP }"
    )
    places = [
        {cp.objects[pair.target.object].name for pair in race_pairs(cp)}
        for cp in (facts_of(tmp_path, text.replace("KEEP", keep) + THREADS) for keep in ("", "keep(&x);"))
    ]
    assert "x" not in places[0]
    assert "x" in places[1]
