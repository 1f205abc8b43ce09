"""What the user types becomes a request, or one clear message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceproof.core import InputError
from raceproof.frontend import CompileRequest, from_compile_commands, from_files, from_task

GOOD = "int main(void) { return 0; }\n"


@pytest.fixture(autouse=True)
def _in_own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, content: str | bytes = GOOD) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def message_of(path: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        from_files([path])
    return str(caught.value)


def test_files_keep_the_name_the_user_typed() -> None:
    request = from_files([write("src/a.c"), write("b.c")], ["-DX=1"])
    assert [str(unit.file) for unit in request.units] == ["src/a.c", "b.c"]
    assert request.units[0].flags == ("-DX=1",)
    assert (request.data_model, request.entry) == ("LP64", "main")


def test_a_file_named_twice_is_compiled_once() -> None:
    write("a.c")
    assert len(from_files(["a.c", "./a.c"]).units) == 1


def test_flags_about_outputs_are_dropped_and_the_rest_kept() -> None:
    flags = ["-O2", "-Wall", "-Werror", "-c", "-o", "x.o", "-MMD", "-MF", "x.d", "-fsanitize=thread", "-lm"]
    request = from_files([write("a.c")], [*flags, "-I", "inc", "-std=c99", "-UY", "-funsigned-char", "-g3"])
    assert request.units[0].flags == ("-I", "inc", "-std=c99", "-UY", "-funsigned-char")


@pytest.mark.parametrize(("given", "flags", "model"), [(None, ["-m32"], "ILP32"), ("LP64", ["-m32"], "LP64")])
def test_m32_is_a_data_model(given: str | None, flags: list[str], model: str) -> None:
    request = from_files([write("a.c")], flags, data_model=given)  # type: ignore[arg-type]
    assert request.data_model == model
    assert request.units[0].flags == ()


def test_bad_files_are_told_apart() -> None:
    Path("d.c").mkdir()
    assert message_of("none.c") == "none.c: no such file"
    assert message_of("d.c") == "d.c: is a directory, not a file"
    assert message_of(write("e.c", "")) == "e.c: the file is empty"
    assert message_of(write("w.c", " \n\t\n")) == "w.c: the file is empty"
    assert message_of(write("b.c", b"int x;\0\1")) == "b.c: a binary file, not C source"
    assert "--task" in message_of(write("t.yml"))
    assert "-p" in message_of(write("t.json"))
    assert "not a kind of file" in message_of(write("t.rs"))


def test_an_unreadable_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    write("a.c")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert message_of("a.c") == "a.c: cannot be read: Permission denied"


def test_no_file_at_all() -> None:
    with pytest.raises(InputError, match="no input file"):
        from_files([])


TASK = """
format_version: '2.0'
input_files: 'a.c'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: true
  - property_file: ../properties/no-data-race.prp
    expected_verdict: false
options:
  language: C
  data_model: ILP32
"""


def test_a_task() -> None:
    write("tasks/a.c")
    request = from_task(write("tasks/t.yml", TASK))
    assert [str(unit.file) for unit in request.units] == ["tasks/a.c"]
    assert request.data_model == "ILP32"
    assert request.expected is False


def test_a_task_with_several_files_and_no_verdict() -> None:
    write("a.c"), write("b.c")
    request = from_task(write("t.yml", "format_version: '2.0'\ninput_files: [a.c, b.c]\nother_field: 3\n"))
    assert len(request.units) == 2
    assert request.expected is None


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("format_version: '2.0'\n", "field input_files must name"),
        (TASK.replace("'2.0'", "'9'"), "format_version is 9"),
        (TASK.replace("ILP32", "LLP64"), "options.data_model is LLP64"),
        (TASK.replace("language: C", "language: Java"), "options.language is Java"),
        (TASK.replace("verdict: false", "verdict: maybe"), "must be true or false"),
        ("a: [1,\n", "t.yml:2:1: not valid YAML"),
        ("just words", "it has no fields"),
        (TASK.replace("a.c", "gone.c"), "gone.c: no such file"),
    ],
)
def test_bad_tasks(task: str, message: str) -> None:
    write("a.c")
    with pytest.raises(InputError) as caught:
        from_task(write("t.yml", task))
    assert message in str(caught.value)


LIBRARY = "int f(void) { return 0; }\n"


def database(*entries: dict[str, object]) -> Path:
    return write("build/compile_commands.json", json.dumps(list(entries)))


def entry(file: str, target: str | None = None, flags: str = "", text: str = LIBRARY) -> dict[str, object]:
    """An entry as CMake writes it."""
    write(file, text)
    name = Path(file).name
    output = f"CMakeFiles/{target}.dir/{name}.o" if target else f"{name}.o"
    return {"directory": ".", "file": f"../{file}", "command": f"/usr/bin/cc {flags} -o {output} -c ../{file}"}


def files_of(request: CompileRequest) -> list[str]:
    return [unit.path.resolve().name for unit in request.units]


def test_flags_of_a_database_are_each_files_own() -> None:
    first = entry(
        "a.c", flags="-Iinc -DA='x y' -O2 -Werror -MD -MT a.o -MF a.d -fno-tree-vectorize -std=gnu99", text=GOOD
    )
    second = entry("b.c")
    second["arguments"] = ["cc", "-isystem", "sys", "-include", "c.h", "-funsigned-char", "-c", "../b.c", "-ob.o"]
    del second["command"]
    request = from_compile_commands(database(first, second), cflags=["-DZ"])
    assert request.units[0].flags == ("-Iinc", "-DA=x y", "-std=gnu99", "-DZ")
    assert request.units[1].flags == ("-isystem", "sys", "-include", "c.h", "-funsigned-char", "-DZ")
    assert request.units[0].directory == Path("build").resolve()


def test_a_database_may_be_named_by_its_directory() -> None:
    database(entry("a.c", text=GOOD, flags="-m32"))
    request = from_compile_commands("build")
    assert files_of(request) == ["a.c"]
    assert request.data_model == "ILP32"


def test_one_program_is_taken_whole() -> None:
    path = database(entry("a.c", "app", text=GOOD), entry("b.c", "lib"))
    assert files_of(from_compile_commands(path)) == ["a.c", "b.c"]


def test_several_programs_have_to_be_chosen_from() -> None:
    path = database(entry("a.c", "app", text=GOOD), entry("t.c", "tests", text=GOOD), entry("b.c", "lib"))
    with pytest.raises(InputError) as caught:
        from_compile_commands(path)
    assert "app (main in " in caught.value.message
    assert "tests (main in " in caught.value.message
    assert "lib" not in caught.value.message
    assert files_of(from_compile_commands(path, "app")) == ["a.c", "b.c"]
    assert files_of(from_compile_commands(path, "CMakeFiles/tests.dir/")) == ["t.c", "b.c"]
    assert files_of(from_compile_commands(path, "t.c")) == ["t.c", "b.c"]
    with pytest.raises(InputError, match="no target `nope`"):
        from_compile_commands(path, "nope")


def test_programs_without_build_targets_are_told_apart_by_their_main() -> None:
    path = database(entry("a.c", text=GOOD), entry("b.c", text=GOOD), entry("c.c"))
    with pytest.raises(InputError, match="several programs"):
        from_compile_commands(path)
    assert files_of(from_compile_commands(path, "b.c")) == ["b.c", "c.c"]


def test_a_main_in_a_comment_or_a_call_is_none() -> None:
    text = "// int main(void) {}\n/* int main(void) {\n} */\nint maintain(void) { return 0; }\n"
    path = database(entry("a.c", "app", text=GOOD), entry("b.c", "lib", text=text))
    assert files_of(from_compile_commands(path)) == ["a.c", "b.c"]


def test_one_file_with_two_sets_of_flags() -> None:
    same = [entry("a.c", "app", "-DX", GOOD), entry("b.c", "one", "-DX"), entry("b.c", "two", "-DX")]
    assert files_of(from_compile_commands(database(*same))) == ["a.c", "b.c"]
    other = database(*same[:2], entry("b.c", "two", "-DY"))
    with pytest.raises(InputError, match=r"(?s)b\.c is compiled 2 times with different flags.*one\n  two"):
        from_compile_commands(other)
    assert from_compile_commands(other, "app,two").units[1].flags == ("-DY",)


def compiled(file: str, flags: str, output: str | None = None, text: str | None = None) -> dict[str, str]:
    """An entry as build systems without directories of targets write it."""
    if text is not None:
        write(file, text)
    command = f"cc {flags} -c {file}" + (f" -o {output}" if output is not None else "")
    return {"directory": str(Path.cwd()), "file": file, "command": command}


def test_shared_and_static_objects_of_one_file_are_one() -> None:
    main = compiled("a.c", "-DX", "src/a.o", GOOD)
    path = database(
        main, compiled("b.c", "-DX -fPIC -DPIC", "lib/.libs/b.o", "int b;\n"), compiled("b.c", "-DX", "lib/b.o")
    )
    assert [unit.flags for unit in from_compile_commands(path).units] == [("-DX",), ("-DX",)]


def test_the_object_beside_the_programs_counts() -> None:
    main = compiled("a.c", "", "src/one/a.o", GOOD)
    path = database(
        main, compiled("b.c", "-DONE", "src/one/one-b.o", "int b;\n"), compiled("b.c", "-DTWO", "src/two/two-b.o")
    )
    assert from_compile_commands(path).units[1].flags == ("-DONE",)


def test_objects_are_names_to_choose_by() -> None:
    main = compiled("a.c", "", "src/a.o", GOOD)
    path = database(main, compiled("b.c", "-DONE", "x/b.o", "int b;\n"), compiled("b.c", "-DTWO", "y/b.o"))
    with pytest.raises(InputError, match=r"(?s)/x/b\.o\n.*/y/b\.o") as refused:
        from_compile_commands(path)
    for line, flag in zip(str(refused.value).splitlines()[1:], ("-DONE", "-DTWO"), strict=True):
        assert from_compile_commands(path, f"src/,{line.strip()}").units[1].flags == (flag,)


def test_without_objects_the_last_compilation_counts() -> None:
    path = database(
        compiled("a.c", "", None, GOOD), compiled("b.c", "-DONE", None, "int b;\n"), compiled("b.c", "-DTWO")
    )
    assert from_compile_commands(path).units[1].flags == ("-DTWO",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[{]", "compile_commands.json:1:3: not valid JSON"),
        ("{}", "is a list of objects"),
        ("[]", "names no C file"),
        ('[{"directory": "."}]', "entry 1: `file` and `directory`"),
        ('[{"directory": ".", "file": "../a.c"}]', "entry 1: neither `arguments`"),
        ('[{"directory": ".", "file": "../a.c", "command": "cc \'"}]', "cannot be split"),
        ('[{"directory": "gone", "file": "a.c", "command": "cc"}]', "no such directory: gone"),
        ('[{"directory": ".", "file": "gone.c", "command": "cc"}]', "gone.c: no such file"),
    ],
)
def test_bad_databases(text: str, message: str) -> None:
    write("a.c")
    with pytest.raises(InputError) as caught:
        from_compile_commands(write("build/compile_commands.json", text))
    assert message in str(caught.value)


def test_a_missing_database() -> None:
    with pytest.raises(InputError, match="no such file"):
        from_compile_commands("nowhere.json")
