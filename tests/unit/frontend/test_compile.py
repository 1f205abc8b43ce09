"""C of many kinds compiles; what does not is one message at the right place."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.core import Budget, InputError, LimitReached, RaceproofError, SourcePos, ToolMissing
from raceproof.frontend import Cache, LinkedModule
from raceproof.frontend.compile import command_for
from raceproof.ir import Load, Program, Rmw

GOOD = "int main(void) { return 0; }\n"
NO_CACHE = Cache(None)


@pytest.fixture(autouse=True)
def _in_own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, content: str) -> str:
    Path(name).write_text(content)
    return name


def linked(*files: str, flags: tuple[str, ...] = (), data_model: frontend.DataModel | None = None) -> LinkedModule:
    return frontend.link_program(frontend.from_files(files, flags, data_model=data_model), cache=NO_CACHE)


def loaded(*files: str) -> Program:
    return frontend.load(frontend.from_files(files), cache=NO_CACHE)


def error_of(*files: str, flags: tuple[str, ...] = ()) -> RaceproofError:
    with pytest.raises(RaceproofError) as caught:
        linked(*files, flags=flags)
    assert isinstance(caught.value, InputError)
    return caught.value


def test_load_gives_a_whole_program_with_positions() -> None:
    program = loaded(write("a.c", "int g;\nint main(void) {\n  return g;\n}\n"))
    loads = [i for i in program.functions["main"].instructions() if isinstance(i, Load)]
    assert [i.pos for i in loads] == [SourcePos("a.c", 3, 10)]
    assert program.pointer_size == 8
    assert program.origin.files == ("a.c",)
    assert program.origin.commands[0][-1] == "a.c"


def test_positions_do_not_come_from_another_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    """zig's own cache takes a file in two directories for the same compilation."""
    Path("one").mkdir()
    write("one/a.c", GOOD)
    cache = Cache(Path("cache").absolute())
    for directory in (".", "one"):
        monkeypatch.chdir(directory)
        text = frontend.link_program(frontend.from_files(["one/a.c" if directory == "." else "a.c"]), cache=cache).text
        assert f'directory: "{Path.cwd()}"' in text


def test_several_files_link() -> None:
    write("a.c", "static int hidden; int f(void); int main(void) { return f() + hidden; }\n")
    program = loaded("a.c", write("b.c", "static int hidden = 2; int f(void) { return hidden; }\n"))
    assert {"main", "f"} <= set(program.functions)
    assert len([name for name in program.globals if name.startswith("hidden")]) == 2


def test_old_c_compiles() -> None:
    old = """
    extern int __VERIFIER_nondet_int();
    typedef int *pointer;
    static counter;
    add(a, b) int a; char *b; { return a + *b; }
    void *nothing(void *x) { return; }
    pointer convert(char *c) { return c; }
    void (*handler)(int) = add;
    int main() { int l = undeclared(3); pointer p = l; l = p; char *s = malloc(3); p = s; return add(1); }
    """
    assert "@undeclared" in linked(write("old.c", old)).text


def test_warnings_asked_for_as_errors_are_none() -> None:
    assert linked(write("a.c", "int main(void) { int unused; }\n"), flags=("-Wall", "-Werror")).text


def test_user_flags_reach_the_compiler() -> None:
    write("a.c", "#ifndef WANTED\n#error not set\n#endif\n#include <part.h>\n" + GOOD)
    Path("inc").mkdir()
    write("inc/part.h", "int part;\n")
    assert "@part" in linked("a.c", flags=("-DWANTED", "-I", "inc", "-O3")).text
    assert error_of("a.c").pos == SourcePos("a.c", 2, 2)


def test_no_optimisation_whatever_the_user_asks() -> None:
    text = linked(write("a.c", "int g; int main(void) { int dead = g; return 0; }\n"), flags=("-O3",)).text
    assert "load i32, ptr @g" in text


@pytest.mark.parametrize("headers", ["auto", "system", "bundled"])
def test_threads_and_standard_headers(headers: frontend.Headers) -> None:
    if headers == "system" and not Path("/usr/include/stdio.h").exists():
        pytest.skip("no system headers")
    source = (
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <semaphore.h>\npthread_mutex_t m;\n"
    )
    request = frontend.from_files([write("a.c", source + GOOD)], headers=headers)
    assert "@m = " in frontend.link_program(request, cache=NO_CACHE).text


SIZES = "char as_expected[sizeof(long) == %d && sizeof(void *) == %d ? 1 : -1];\n"


@pytest.mark.parametrize(("model", "size"), [("LP64", 8), ("ILP32", 4)])
@pytest.mark.parametrize("name", ["a.c", "a.i"])
def test_data_models(model: frontend.DataModel, size: int, name: str) -> None:
    include = "#include <stdlib.h>\n" if name == "a.c" else ""
    module = linked(write(name, include + SIZES % (size, size) + GOOD), data_model=model)
    assert module.origin.data_model == model


def test_preprocessed_files_as_gcc_leaves_them() -> None:
    text = """# 1 "orig.c"
# 1 "/usr/include/stdlib.h" 1 3 4
extern _Float32 strtof32 (const char *__restrict p, char **__restrict q) __attribute__ ((__nothrow__ , __leaf__));
extern _Float128 strtof128 (const char *p); extern _Float64x strtof64x (const char *p);
# 7 "orig.c" 2
int linux = 3;
int main() { return linux; }
"""
    program = loaded(write("a.i", text))
    loads = [i for i in program.functions["main"].instructions() if isinstance(i, Load)]
    assert loads[0].pos is not None
    assert (Path(loads[0].pos.file).name, loads[0].pos.line) == ("orig.c", 8)


@pytest.mark.parametrize("name", ["a.c", "a.i"])
def test_preprocessed_atomics_of_gcc(name: str) -> None:
    text = """# 3 "orig.c"
_Atomic int word;
int main(void) { __extension__ ({ __auto_type __atomic_store_ptr = (&word);
__typeof__ ((void)0, *__atomic_store_ptr) __atomic_store_tmp = (1);
__atomic_store (__atomic_store_ptr, &__atomic_store_tmp, (3)); });
return __atomic_fetch_add ((&word), (1), (5)); }
"""
    program = loaded(write(name, text))
    (update,) = [i for i in program.functions["main"].instructions() if isinstance(i, Rmw)]
    assert update.pos is not None
    assert (Path(update.pos.file).name, update.pos.line) == ("orig.c", 7)


def test_preprocessed_and_plain_files_link() -> None:
    write("a.c", "int f(void); int main(void) { return f(); }\n")
    assert "define" in linked("a.c", write("b.i", "int f(void) { return 1; }\n")).text


def test_cpp_compiles() -> None:
    assert (
        "@main" in linked(write("a.cpp", "struct A { int x; A() : x(1) {} }; int main() { A a; return a.x; }\n")).text
    )


def test_llvm_text_is_taken_as_it_is() -> None:
    program = loaded(
        write("a.ll", "@g = global i32 0\ndefine i32 @main() {\n  %1 = load i32, ptr @g\n  ret i32 0\n}\n")
    )
    assert any(isinstance(i, Load) for i in program.functions["main"].instructions())
    assert "not valid LLVM IR" in str(error_of(write("b.ll", "nonsense\n")))
    assert "another machine" in str(error_of(write("c.c", GOOD), write("d.ll", 'target datalayout = "e-p:32:32"\n')))


def test_a_syntax_error_keeps_clangs_place_and_line() -> None:
    error = error_of(write("a.c", "int f(void) { return x; }\nint main(void) { return y }\n"))
    assert error.pos == SourcePos("a.c", 1, 22)
    assert str(error).split("\n") == [
        "a.c:1:22: use of undeclared identifier 'x'",
        "    1 | int f(void) { return x; }",
        "      |                      ^",
        "    (and 1 more error)",
    ]


def test_an_error_in_a_header_says_who_includes_it() -> None:
    write("bad.h", "int y = ;\n")
    error = error_of(write("a.c", f'#include "bad.h"\n{GOOD}'))
    assert error.pos is not None
    assert Path(error.pos.file).name == "bad.h"
    assert "included from a.c:1" in str(error)


def test_a_missing_header_says_what_to_do() -> None:
    error = error_of(write("a.c", f"#include <nowhere/nothing.h>\n{GOOD}"))
    assert error.message.startswith("header nowhere/nothing.h not found; add its directory with --cflag=-I")
    assert error.pos == SourcePos("a.c", 1, 10)


def test_a_flag_that_does_not_exist() -> None:
    message = str(error_of(write("a.c", GOOD), flags=("-fno-such-flag",)))
    assert "no-such-flag" in message
    assert "\n" not in message


def test_two_definitions_name_symbol_and_files() -> None:
    write("a.c", "int shared = 1;" + GOOD)
    error = error_of("a.c", write("b.c", "int shared = 2;\n"), write("c.c", "extern int shared; int *p = &shared;\n"))
    assert str(error) == "`shared` is defined more than once: in a.c, b.c"


def test_tentative_definitions_name_the_flag() -> None:
    write("a.c", "int shared;" + GOOD)
    error = error_of("a.c", write("b.c", "int shared;\n"))
    assert str(error).startswith("`shared` is defined more than once: in a.c, b.c; if the program is built with")
    assert "@shared = " in linked("a.c", "b.c", flags=("-fcommon",)).text


def test_no_main_names_the_files() -> None:
    error = error_of(write("a.c", "int f(void) { return 0; }\n"), write("b.c", "int main_loop;\n"))
    assert str(error).startswith("no function `main` in a.c, b.c: raceproof needs a whole program; name the function")
    assert "raceproof harness" in str(error)


def test_the_compiler_is_stopped_when_time_is_up() -> None:
    request = frontend.from_files([write("a.c", GOOD)], compiler=Path(script("clang", "sleep 30")))
    start = time.monotonic()
    with pytest.raises(LimitReached, match=r"a\.c"):
        frontend.link_program(request, Budget.seconds(0.3), NO_CACHE)
    assert time.monotonic() - start < 20


def script(name: str, body: str) -> str:
    """A program that says it is clang 14 and otherwise does `body`."""
    Path(name).write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo clang version 14.0.0; exit; fi\n{body}\n')
    os.chmod(name, stat.S_IRWXU)
    return str(Path(name).absolute())


def failure_with(compiler: str) -> RaceproofError:
    request = frontend.from_files([write("a.c", GOOD)], compiler=Path(compiler))
    with pytest.raises(RaceproofError) as caught:
        frontend.link_program(request, cache=NO_CACHE)
    return caught.value


def test_a_system_clang_is_used() -> None:
    zig = command_for(frontend.from_files([write("a.c", GOOD)]).units[0], frontend.from_files(["a.c"]))[0]
    clang = script("clang", f'exec "{zig}" clang --target=x86_64-linux-gnu "$@"')
    module = frontend.link_program(frontend.from_files(["a.c"], compiler=Path(clang)), cache=NO_CACHE)
    assert module.origin.commands[0][0] == clang
    assert "define" in module.text


def test_unusable_compilers() -> None:
    assert isinstance(failure_with("/nowhere/clang"), ToolMissing)
    write_last = 'for last; do :; done; echo "define i32 @main() { ret i32* null }" > "$last"'
    old = failure_with(script("old-clang", write_last))
    assert isinstance(old, InputError)
    assert "writes IR that raceproof's LLVM" in str(old)
    Path("not-clang").write_text("#!/bin/sh\necho something else\n")
    os.chmod("not-clang", stat.S_IRWXU)
    assert "is not clang" in str(failure_with("./not-clang"))
    assert "crashed" in str(failure_with(script("crashing", "kill -SEGV $$")))


def test_a_missing_ziglang_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ToolMissing, match="pip install ziglang"):
        linked(write("a.c", GOOD))


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    linked(write("a.c", "int main(void) { int *p = 3; }\n"))
    error_of(write("b.c", "int main(void) { return x; }\n"))
    assert capfd.readouterr() == ("", "")


def test_no_file_is_left_behind() -> None:
    before = set(os.listdir())
    linked(write("a.c", GOOD))
    assert set(os.listdir()) - before == {"a.c"}
