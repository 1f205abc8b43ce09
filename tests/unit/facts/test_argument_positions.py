"""Models count arguments as C does: which argument of a call in the IR that is, for every kind of signature.

Each function is called with `&target` as the argument in question and other pointers everywhere else; the position is
right if the call in the IR has `target` there.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from raceproof import facts, frontend, lockset
from raceproof.core import Budget, InputError
from raceproof.frontend.flags import DataModel
from raceproof.ir import Address, Call, FunctionModel, Program, Result
from raceproof.model import LockAction, LockModel, Models, Verdict

TYPES = """
struct pair { int *a, *b; } pair; struct big { long a[9]; } big; struct none { } none; struct one { int *p; } one;
union either { int *p; double d; } either; struct mixed { double d; int *p; char c; } mixed;
typedef float four __attribute__((vector_size(16))); four vector; typedef struct pair alias; enum colour { RED } red;
_Complex double complex_; long double wide; _Bool flag; int target, other; int *spare = &other;
typedef int (*function)(struct pair, int *);
"""
# C declaration of `f`, the values of its arguments; `&target` stands at the argument in question.
SIGNATURES = [
    ("void f(int *)", "&target"),
    ("void f(int, int *)", "1, &target"),
    ("void f(struct pair, int *)", "pair, &target"),
    ("void f(const alias, int *)", "pair, &target"),
    ("void f(int *, struct pair)", "&target, pair"),
    ("void f(struct big, int *)", "big, &target"),
    ("void f(struct none, int *)", "none, &target"),
    ("void f(struct one, int *)", "one, &target"),
    ("void f(union either, int *)", "either, &target"),
    ("void f(struct mixed, int *, int *)", "mixed, &other, &target"),
    ("void f(four, int *)", "vector, &target"),
    ("void f(_Complex double, int *)", "complex_, &target"),
    ("void f(long double, _Bool, enum colour, int *)", "wide, flag, red, &target"),
    ("void f(double, float, long long, char, int *)", "1, 2, 3, 4, &target"),
    ("struct big f(int *, int *)", "&other, &target"),
    ("struct pair f(int *, int *)", "&other, &target"),
    ("struct none f(int *, int *)", "&other, &target"),
    ("struct big f(struct pair, int *, int *)", "pair, &other, &target"),
    ("_Complex double f(struct big, int *)", "big, &target"),
    ("void f(int *, struct pair, struct pair)", "&target, pair, pair"),
    ("void f(struct pair, struct big, int *)", "pair, big, &target"),
    ("void f(int [2][3], function, int *)", "0, 0, &target"),
    ("void f(int *, ...)", "&target, pair, &other"),
]


def loaded(directory: Path, text: str, names: tuple[str, ...] = ("f",), data_model: DataModel = "LP64") -> Program:
    path = directory / "program.c"
    path.write_text(text, encoding="utf-8")
    return frontend.load(replace(frontend.from_files([path], data_model=data_model), prototypes=names))


def number_of_target(values: str) -> int:
    return [value.strip() for value in values.split(",")].index("&target")


def called_with(program: Program) -> list[int]:
    """Where calls of `f` have the address of `target`."""
    calls = (i for f in program.functions.values() for i in f.instructions() if isinstance(i, Call))
    named = [call for call in calls if call.callee == Address("f", 0)]
    return [n for call in named for n, arg in enumerate(call.args) if arg == Address("target", 0)]


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("is_defined", [False, True])
@pytest.mark.parametrize(("declaration", "values"), SIGNATURES)
def test_positions_are_those_of_calls(
    declaration: str, values: str, is_defined: bool, data_model: DataModel, tmp_path: Path
) -> None:
    body = ""
    if is_defined:
        body = f"{named(declaration)} {{ {'return' if 'void f' in declaration else 'for (;;)'}; }}"
    program = loaded(
        tmp_path, f"{TYPES}{declaration};\nint main(void) {{ f({values}); }}\n{body}", data_model=data_model
    )
    assert [program.prototypes["f"].positions[number_of_target(values)]] == called_with(program)


def named(declaration: str) -> str:
    """The declaration with names for its parameters, which a definition needs."""
    head, inner = declaration[:-1].split("(", 1)
    params = [param.strip() for param in inner.split(",")]
    names = [
        param if param == "..." else param.replace(" [", f" p{n}[", 1) if "[" in param else f"{param} p{n}"
        for n, param in enumerate(params)
    ]
    return f"{head}({', '.join(names)})"


def test_between_two_structs_the_position_is_not_known(tmp_path: Path) -> None:
    program = loaded(tmp_path, TYPES + "void f(struct pair, int *, struct pair); int main(void) { f(pair, 0, pair); }")
    assert program.prototypes["f"].positions == (None, None, None)


def test_128_bits_are_two_arguments(tmp_path: Path) -> None:
    program = loaded(tmp_path, TYPES + "void f(__int128, int *); int main(void) { f(1, &target); }")
    assert [program.prototypes["f"].positions[1]] == called_with(program)


@pytest.mark.parametrize(
    "text",
    [
        "void f(); int main(void) { f(&target); }",
        "int main(void) { f(&target); }",
        "void f(int *); void (*p)(int *) = f; int main(void) { p(&target); }",
        "void f(p) int *p; { } int main(void) { f(&target); }",
    ],
)
def test_without_a_prototype_nothing_is_known(text: str, tmp_path: Path) -> None:
    assert loaded(tmp_path, TYPES + text).prototypes == {}


def test_several_files_have_to_agree(tmp_path: Path) -> None:
    first, second = tmp_path / "a.c", tmp_path / "b.c"
    first.write_text(TYPES + "void f(struct pair); void g(void); int main(void) { f(pair); g(); }")
    second.write_text("void f(int *, int *); void g(void) { f(0, 0); }")
    request = replace(frontend.from_files([first, second]), prototypes=("f",))
    assert frontend.load(request).prototypes == {}
    second.write_text("void g(void) { }")
    assert frontend.load(request).prototypes.keys() == {"f"}


def test_preprocessed_files_and_names_given_with_asm(tmp_path: Path) -> None:
    path = tmp_path / "program.i"
    path.write_text('void g(double, int *) __asm__("f"); int main(void) { g(1, 0); }')
    program = frontend.load(replace(frontend.from_files([path]), prototypes=("f",)))
    assert [prototype.positions for prototype in program.prototypes.values()] == [(0, 1)]


def test_the_digest_and_the_text_do_not_depend_on_what_is_asked(tmp_path: Path) -> None:
    text = "void f(int *); int main(void) { f(0); }"
    asked, plain = loaded(tmp_path, text), loaded(tmp_path, text, ())
    assert asked.prototypes
    assert not plain.prototypes
    assert asked.origin.digest == plain.origin.digest
    request = replace(frontend.from_files([tmp_path / "program.c"]), prototypes=("f",))
    assert frontend.link_program(request).text == frontend.link_program(replace(request, prototypes=())).text


# -- programs that were wrongly proved, and their twins


PROGRAM = """
#include <pthread.h>
struct pair { int *a, *b; }; struct big { long a[9]; };
int x, y, z;
DECLARATION;
void *worker(void *p) { struct pair s = {&x, &x}; CALL; return p; }
int main(void) { pthread_t a; pthread_create(&a, 0, worker, 0); y = 2; pthread_join(a, 0); }
"""


@pytest.mark.parametrize(
    ("declaration", "call"),
    [
        ("void f(struct pair, int *, int *)", "f(s, &y, &z)"),
        ("struct big f(int *, int *, int *)", "f(&x, &y, &z)"),
        ("void f(__int128, int *, int *)", "f(1, &y, &z)"),
        ("void f(struct big, int *, int *)", "f((struct big){0}, &y, &z)"),
    ],
)
@pytest.mark.parametrize(("number", "is_open"), [(2, True), (3, False)])
def test_the_argument_that_is_written(declaration: str, call: str, number: int, is_open: bool, tmp_path: Path) -> None:
    model = FunctionModel("f", writes=(number,), keeps=(), calls=(), returns=Result.NOTHING)
    program = loaded(tmp_path, PROGRAM.replace("DECLARATION", declaration).replace("CALL", call))
    assert ("y" in open_targets(program, Models(functions=(model,)))) == is_open


def test_a_returned_struct_is_written(tmp_path: Path) -> None:
    text = PROGRAM.replace("DECLARATION", "struct big shared; struct big f(int *)").replace("CALL", "shared = f(&z)")
    model = FunctionModel("f", reads=(1,), keeps=(), calls=(), returns=Result.NOTHING)
    program = loaded(tmp_path, text.replace("y = 2", "shared.a[1] = 2"))
    assert any("shared" in target for target in open_targets(program, Models(functions=(model,))))


LOCKED = """
#include <pthread.h>
struct pair { int *a, *b; };
int first, second, y;
void lock(struct pair, int *); void unlock(struct pair, int *);
void *worker(void *p) { struct pair s = {&first, &first}; lock(s, p); y++; unlock(s, p); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, &first);
  pthread_create(&b, 0, worker, &OTHER);
}
"""


@pytest.mark.parametrize(("other", "is_open"), [("first", False), ("second", True)])
def test_the_argument_that_is_a_lock(other: str, is_open: bool, tmp_path: Path) -> None:
    models = Models((LockModel("lock", LockAction.ACQUIRE, 2), LockModel("unlock", LockAction.RELEASE, 2)))
    program = loaded(tmp_path, LOCKED.replace("OTHER", other), ("lock", "unlock"))
    assert ("y" in open_targets(program, models)) == is_open


def test_a_lock_that_is_passed_by_value_is_refused(tmp_path: Path) -> None:
    models = Models((LockModel("lock", LockAction.ACQUIRE, 1), LockModel("unlock", LockAction.RELEASE, 1)))
    program = loaded(tmp_path, LOCKED.replace("OTHER", "first"), ("lock", "unlock"))
    with pytest.raises(InputError, match="argument 1 of `lock` is `struct pair`, passed by value"):
        open_targets(program, models)


def open_targets(program: Program, models: Models) -> set[str]:
    cp = facts.analyse(program, Budget.unlimited(), models)
    found = lockset.run(cp, facts.race_pairs(cp), lockset.LocksetOptions(), Budget.unlimited()).findings
    return {facts.describe_location(cp, f.pair.target) for f in found if f.verdict is not Verdict.RACE_FREE}
