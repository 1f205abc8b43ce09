"""Words that change only in atomic sections are locks; near misses are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit.transactions.c_programs import of_text

HEAD = "extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);\n"
HEAD += "extern void __VERIFIER_assume(int); static int word, x; EXTRA\n"
BEGIN, END = "__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();"
SET = f"int old; {BEGIN} old = word; word = 1; {END} if (old == 0) "
GIVE = f"{BEGIN} word = 0; {END}"
RUN = "int main(void) { START pthread_t a, b; create(a, worker); create(b, worker); ALSO join(a); join(b); return 0; }"


def is_proved(worker: str, tmp_path: Path, extra: str = "", start: str = "", also: str = "") -> bool:
    """Whether all pairs of `x`, which stands in line 4 alone, are proved by the lockset engine."""
    text = HEAD.replace("EXTRA", extra) + f"void *worker(void *p) {{ {worker} return 0; }}\n"
    program = of_text(text + RUN.replace("START", start).replace("ALSO", also), tmp_path)
    pairs = [pair for pair in program.pairs if program.lines(pair) == (4, 4)]
    assert pairs
    return not set(pairs) & set(program.open_pairs)


@pytest.mark.parametrize(
    "worker",
    [
        f"{SET} {{\nx++;\n {GIVE} }}",
        f"int old; {BEGIN} old = word; word = 1; {END} if (old != 1) {{\nx++;\n {GIVE} }}",
        f"{BEGIN} __VERIFIER_assume(word == 0); word = 1; {END}\nx++;\n{GIVE}",
        f"int done = 0; {BEGIN} if (!word) {{ word = 5; done = 1; }} {END} if (done) {{\nx++;\n {GIVE} }}",
    ],
)
def test_the_word_is_a_lock(worker: str, tmp_path: Path) -> None:
    assert is_proved(worker, tmp_path)
    assert is_proved(worker, tmp_path, start="word = 0;")


@pytest.mark.parametrize(
    ("worker", "extra", "also"),
    [
        (f"{SET} {{\nx++;\n }} {GIVE}", "", ""),
        (f"{SET} {{\nx++;\n word = 0; }}", "", ""),
        (f"{SET} {{\nx++;\n {GIVE} }}", "", GIVE),
        (f"{SET} {{\nx++;\n {GIVE} }}", "", "word = 0;"),
        (f"{SET} {{\nx++;\n {GIVE} }}", "", f"{BEGIN} word = 2; {END}"),
        (f"int old; {BEGIN} old = word; {END} {BEGIN} word = 1; {END} if (old == 0) {{\nx++;\n {GIVE} }}", "", ""),
        (f"int old; old = word; {BEGIN} word = 1; {END} if (old == 0) {{\nx++;\n {GIVE} }}", "", ""),
        (f"int old; {BEGIN} old = word; word = 1; {END} if (old == 1) {{\nx++;\n {GIVE} }}", "", ""),
        (f"{SET} {{\nx++;\n {GIVE} }}", "", "((char *)&word)[1] = 0;"),
        (f"{SET} {{\nx++;\n {GIVE} }}", "void use(int *);", "use(&word);"),
        (
            f"int old; {BEGIN} old = *at; word = 1; {END} if (old == 0) {{\nx++;\n {GIVE} }}",
            "static int no, *at = &no;",
            "",
        ),
        (f"{SET} {{\nx++;\n {GIVE} }}", "", "__atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);"),
        (f"int done = 1; {BEGIN} if (!word) word = 1; {END} if (done) {{\nx++;\n {GIVE} }}", "", ""),
    ],
)
def test_what_is_nearly_a_lock_is_none(worker: str, extra: str, also: str, tmp_path: Path) -> None:
    assert not is_proved(worker, tmp_path, extra, also=also)


def test_nobody_goes_on_where_what_is_assumed_does_not_hold(tmp_path: Path) -> None:
    text = (
        HEAD.replace("EXTRA", "") + "void *worker(void *p) { int held = 0; __VERIFIER_assume(held);\nx++; return 0; }\n"
    )
    assert not of_text(text + RUN.replace("START", "").replace("ALSO", ""), tmp_path).pairs
