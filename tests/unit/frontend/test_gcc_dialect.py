"""What only gcc takes in a preprocessed file, for clang."""

from __future__ import annotations

import pytest

from raceproof.frontend.gcc_dialect import for_clang

STORE = """typedef _Atomic int atomic_int;
atomic_int word;
void f(void) { __extension__ ({ __auto_type __atomic_store_ptr = (&word);
__typeof__ ((void)0, *__atomic_store_ptr) __atomic_store_tmp = (1);
__atomic_store (__atomic_store_ptr, &__atomic_store_tmp, (3)); }); }
"""


def test_a_pointer_to_an_atomic_object_loses_the_word() -> None:
    changed = for_clang(STORE.encode(), "a.i").decode()
    assert "__atomic_store ((__typeof__((void)0, *(__atomic_store_ptr)) *)(__atomic_store_ptr), &" in changed


@pytest.mark.parametrize(
    "text",
    [
        "int x; void f(void) { __atomic_store_n(&x, 1, 5); }",  # nothing is _Atomic
        "_Atomic int x; void f(void) { x = 1; }",
        "_Atomic int x; void f(void) { __c11_atomic_store(&x, 1, 5); }",
    ],
)
def test_what_clang_takes_stays(text: str) -> None:
    assert for_clang(text.encode(), "a.i") == text.encode()


def test_lines_keep_their_numbers() -> None:
    text = b'_Atomic int x;\nint f(void) { return __atomic_fetch_add ((\n# 2 "a.c"\n&x\n# 2 "a.c"\n), 1, 5); }\n'
    first, _, rest = for_clang(text, "a.i").partition(b"\n")
    assert first == b'# 1 "a.i"'
    assert rest == text.replace(b"((\n", b"((__typeof__((void)0, *(( &x ))) *)((\n").replace(b"\n), 1", b"\n)), 1")


def test_commas_and_calls_within_the_pointer() -> None:
    text = b"_Atomic int x[4]; int i(int, char); "
    text += b"void f(void) { __atomic_store_n(&x[i(1, ',')], __atomic_load_n(x, 5), 5); }"
    changed = for_clang(text, "a.i")
    assert b"*)(&x[i(1, ',')]), __atomic_load_n((__typeof__((void)0, *(x)) *)(x), 5)" in changed
