"""What the library keeps for the whole process, and for streams: who touches it, and in which programs that counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof import frontend
from raceproof.core import Budget, Unsupported
from raceproof.facts import FILLED, analyse, race_pairs
from raceproof.facts.library.libc import EFFECTS, known_effect
from raceproof.facts.library.libc_stdio import STDIO
from raceproof.facts.library.process_state import _uses, uses_of
from raceproof.facts.library.state_touches import LibraryState
from raceproof.facts.library.streams import _USES, stream_uses
from raceproof.ir import Call, Program
from raceproof.model import ConcurrentProgram

HEADERS = (
    "stdio.h stdlib.h string.h locale.h ctype.h time.h unistd.h pthread.h stdatomic.h aio.h sys/mman.h stdio_ext.h"
)
COMMON = "#define _GNU_SOURCE\n" + "".join(f"#include <{name}>\n" for name in HEADERS.split())


def _load(text: str, directory: Path) -> Program:
    path = directory / "program.c"
    path.write_text(COMMON + text, encoding="utf-8")
    return frontend.load(frontend.from_files([path], ("-w",)))


def _touches(body: str, name: str, directory: Path) -> list[tuple[str | None, bool, bool, int]]:
    """(object, writes, guarded, level) of the calls of `name` in a program."""
    program = _load(f"FILE *f;\nint main(void) {{ {body} return 0; }}\n", directory)
    state = LibraryState(program)
    calls = [i for f in program.functions.values() for i in f.instructions() if isinstance(i, Call)]
    found = [t for call in calls if getattr(call.callee, "symbol", "") == name for t in state.touches(call, name)]
    return [(touch.state, touch.writes, touch.guarded, touch.level) for touch in found]


def test_tables_name_functions_that_have_rows() -> None:
    unknown = sorted({*_uses(), *_USES} - EFFECTS.keys() - {"addmntent", "execvpe", "getdate_r", "catopen", "fmtmsg"})
    assert [name for name in unknown if known_effect(name) is None] == []


def test_variants_are_known_by_their_names() -> None:
    assert uses_of("__isoc23_strtol") == uses_of("strtol") != ()
    assert stream_uses("__fprintf_chk") == stream_uses("fprintf") != ()
    assert uses_of("strlen") == ()


def test_every_function_with_a_stream_uses_it() -> None:
    """Rows of stdio.h that end in _unlocked touch their stream, or are listed."""
    for name in STDIO:
        if name.endswith("_unlocked") and name != "fileno_unlocked":
            assert STDIO[name].writes or stream_uses(name), name


def test_a_locale_that_nobody_sets_is_not_touched(tmp_path: Path) -> None:
    assert _touches('char b[9]; sprintf(b, "%f", 1.0);', "sprintf", tmp_path) == []
    body = 'setlocale(LC_ALL, ""); char b[9]; sprintf(b, "%f", 1.0);'
    assert _touches(body, "sprintf", tmp_path) == [("locale", False, False, 0)]


def test_a_time_zone_counts_if_the_program_names_it(tmp_path: Path) -> None:
    assert _touches("tzset();", "tzset", tmp_path) == []
    found = _touches("tzset(); return timezone;", "tzset", tmp_path)
    assert found == [("timezone", False, True, 0), ("timezone", True, True, 0)]


def test_the_environment_counts_if_somebody_changes_it(tmp_path: Path) -> None:
    assert _touches("tzset();", "tzset", tmp_path) == []
    found = _touches('setenv("TZ", "", 1); tzset();', "tzset", tmp_path)
    assert found == [("environ", False, False, 0), ("environ", False, False, 1)]


def test_streams_count_if_somebody_uses_one_without_its_lock(tmp_path: Path) -> None:
    assert _touches('fputs("x", stdout);', "fputs", tmp_path) == []
    assert _touches('fputs("x", f); fclose(f);', "fputs", tmp_path) == [(None, True, True, 0)]
    assert _touches('puts("x"); putchar_unlocked(65);', "puts", tmp_path) == [("stream of stdout", True, True, 0)]
    assert (None, True, False, 0) in _touches("__fsetlocking(f, 2); rewind(f);", "rewind", tmp_path)


def test_all_streams_are_flushed(tmp_path: Path) -> None:
    found = _touches("fclose(f); fflush(0);", "fflush", tmp_path)
    assert ("open streams", True, True, 1) in found
    assert _touches("fclose(f); fflush(f);", "fflush", tmp_path) == [(None, True, True, 0)]


THREADS = """
void *reader(void *p) { char *q = atomic_load_explicit(&shared, memory_order_relaxed); if (q) *q = 1; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, writer, 0); pthread_create(&b, 0, reader, 0); return 0; }
"""


def _facts(writer: str, directory: Path) -> ConcurrentProgram:
    declared = "_Atomic(char *) shared;\nvoid *writer(void *p) { "
    return analyse(_load(f"{declared}{writer} return 0; }}{THREADS}", directory), Budget.unlimited())


MAKES = {
    "strdup": 'shared = strdup("x");',
    "calloc": "shared = calloc(1, 1);",
    "asprintf": 'char *s = 0; asprintf(&s, "x"); shared = s;',
    "getline": "char *s = 0; size_t n = 0; getline(&s, &n, stdin); shared = s;",
    "scanf": 'char *s = 0; scanf("%ms", &s); shared = s;',
    "realloc": "char *s = malloc(1); shared = realloc(s, 9);",
    "realpath": 'shared = realpath("/", 0);',
}
BLANK = {
    "malloc": "shared = malloc(1);",
    "aligned_alloc": "shared = aligned_alloc(8, 8);",
    "posix_memalign": "void *s = 0; posix_memalign(&s, 8, 8); shared = s;",
    "mmap": "shared = mmap(0, 9, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);",
    "realloc of nothing": "shared = realloc(0, 9);",
}


@pytest.mark.parametrize("name", MAKES)
def test_the_library_writes_what_it_makes(name: str, tmp_path: Path) -> None:
    cp = _facts(MAKES[name], tmp_path)
    filling = {access.id for access in cp.accesses.values() if access.touch == FILLED}
    assert filling
    assert all(view.private for number in filling for view in cp.accesses[number].views)
    assert any({pair.first, pair.second} & filling for pair in race_pairs(cp))


@pytest.mark.parametrize("name", BLANK)
def test_memory_that_nobody_wrote_is_not_written(name: str, tmp_path: Path) -> None:
    assert not [access for access in _facts(BLANK[name], tmp_path).accesses.values() if access.touch == FILLED]


@pytest.mark.parametrize("call", ["aio_read(&c)", "aio_write(&c)", "lio_listio(1, &l, 1, 0)"])
def test_what_goes_on_in_the_background_is_refused(call: str, tmp_path: Path) -> None:
    program = _load(f"struct aiocb c, *l = &c;\nint main(void) {{ return {call}; }}\n", tmp_path)
    with pytest.raises(Unsupported, match="in the background"):
        analyse(program, Budget.unlimited())
