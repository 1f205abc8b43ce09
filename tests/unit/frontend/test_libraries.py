"""Which shared objects the loader would load for a program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from raceproof.core import InputError
from raceproof.frontend import linked_libraries, needed_libraries, zig_program


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library in `lib`, a program that finds it there, and one that does not say where it is."""
    directory = tmp_path_factory.mktemp("built")
    (directory / "lib").mkdir()
    (directory / "own.c").write_text("int own(void) { return 1; }", encoding="utf-8")
    (directory / "main.c").write_text("int own(void); int main(void) { return own(); }", encoding="utf-8")
    cc = [zig_program(), "cc", "-fno-sanitize=all"]
    commands = (
        [*cc, "-shared", "-fPIC", "own.c", "-o", "lib/libown.so"],
        [*cc, "main.c", "-Llib", "-lown", "-lpthread", "-Wl,-rpath,$ORIGIN/lib", "-o", "found"],
        [*cc, "main.c", "-Llib", "-lown", "-lm", "-o", "bare"],
    )
    for command in commands:
        subprocess.run(command, cwd=directory, check=True)
    return directory


def test_an_executable_names_its_libraries_but_for_the_c_library(built: Path) -> None:
    assert needed_libraries(built / "found") == (str(built / "lib" / "libown.so"),)
    assert [Path(name).name for name in needed_libraries(built / "bare")] == ["libown.so"]
    assert needed_libraries(built / "main.c") == ()


def test_flags_name_libraries(built: Path) -> None:
    library = built / "lib" / "libown.so"
    assert linked_libraries([f"-L{built}/lib", "-lown", "-lpthread", str(library)]) == (str(library),)
    assert linked_libraries(["-lm", "-lc"]) == ()


@pytest.mark.parametrize(("flag", "why"), [("-lno_such", "libno_such.so"), ("/no/such.so", "no such file")])
def test_a_library_that_is_not_there_is_an_error(flag: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        linked_libraries([flag])
