"""Calls of functions that come from outside the program: they return, and nothing is known of what they do."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.transactions.c_programs import of_text

from raceproof import petri
from raceproof.core import Budget, Unsupported
from raceproof.model import Verdict

RUN = "int main(int argc, char **argv) { flag = argc > 1; PREPARE pthread_t a, b;\n"
RUN += "create(a, worker); create(b, worker); join(a); join(b); return 0; }"
COMMON = "static pthread_mutex_t m = MUTEX; static int shared; static int flag; static void enter(void) { lock(&m); }\n"
PROGRAMS = {
    "a variable of a library": (
        "extern void (*release)(void *);\nvoid *worker(void *p) { release(0);\nshared++; return 0; }\n",
        "",
    ),
    "the result of a function": (
        "typedef void (*action)(void); action get(void);\nvoid *worker(void *p) { get()();\nshared++; return 0; }\n",
        "",
    ),
    "a field of a structure of a library": (
        "struct hooks { void (*release)(void); }; struct hooks *get(void);\n"
        "void *worker(void *p) { get()->release();\nshared++; return 0; }\n",
        "",
    ),
    "one of two": (
        "extern void (*other)(void);\nvoid *worker(void *p) { void (*f)(void) = flag ? enter : other; f();\n"
        "shared++; if (flag) unlock(&m); return 0; }\n",
        "",
    ),
    "a pointer that a library may change": (
        "static void (*f)(void) = enter; void configure(void *);\nvoid *worker(void *p) { f();\n"
        "shared++; return 0; }\n",
        "configure(&f);",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_comes_behind_is_reached(name: str, tmp_path: Path) -> None:
    worker, prepare = PROGRAMS[name]
    program = of_text(COMMON + worker + RUN.replace("PREPARE", prepare), tmp_path)
    racy = [pair for pair in program.pairs if program.lines(pair) == (4, 4)]
    assert racy
    assert set(racy) <= set(program.open_pairs)
    of_nets = petri.run(program.cp, racy, petri.PetriOptions(), Budget.seconds(20))
    of_values = program.run("intervals")
    verdicts = {f.verdict for f in (*of_nets.findings, *of_values.findings) if f.pair in racy}
    assert verdicts == {Verdict.UNKNOWN}
    assert any("a function from outside" in assumption.text for assumption in program.cp.assumptions)


@pytest.mark.parametrize(
    ("declaration", "start"),
    [("extern void *(*start)(void *);", "start"), ("", "arg ? worker : arg")],
)
def test_a_thread_in_a_function_from_outside_is_not_followed(declaration: str, start: str, tmp_path: Path) -> None:
    """It may touch what it is given at any time."""
    text = f"{declaration} static int y; void *worker(void *p) {{ return p; }}\n"
    text += f"void begin(void *(*arg)(void *)) {{ pthread_t a; pthread_create(&a, 0, {start}, &y); y++; }}\n"
    text += "void *(*given(void))(void *); int main(void) { begin(given()); return y; }"
    with pytest.raises(Unsupported, match=r"a thread that runs"):
        of_text(text, tmp_path)


def test_a_thread_in_a_function_without_definition_touches_what_it_is_given(tmp_path: Path) -> None:
    text = "void *start(void *); static int y, z;\nint main(void) { pthread_t a; pthread_create(&a, 0, start, &y);"
    program = of_text(text + " y++; z++; return y; }", tmp_path)
    assert program.pairs
    assert {program.cp.objects[pair.target.object].name for pair in program.pairs} == {"y"}
    assert set(program.open_pairs) == set(program.pairs)
