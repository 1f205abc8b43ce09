"""The cache saves work, never changes a result, and never fails."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raceproof import frontend
from raceproof.core import InputError
from raceproof.frontend import Cache, CompileRequest, Unit, cache, pipeline
from raceproof.frontend import compile as compile_
from raceproof.ir import Program

SOURCE = '#include "part.h"\nint g;\nint main(void) { return g + PART; }\n'


@pytest.fixture(autouse=True)
def _in_own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text(SOURCE)
    Path("part.h").write_text("#define PART 1\n")


@pytest.fixture
def store(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the stages that really ran."""
    done: list[str] = []

    def record(name: str) -> None:
        stage: Callable[..., object] = getattr(pipeline, name)

        def run(*args: object, **kwargs: object) -> object:
            done.append(name)
            return stage(*args, **kwargs)

        monkeypatch.setattr(pipeline, name, run)

    record("compile_units")
    record("parse_module")
    return done


def request(*flags: str) -> CompileRequest:
    return frontend.from_files(["a.c"], flags)


def entries(store: Cache, kind: str) -> list[Path]:
    assert store.root is not None
    return sorted((store.root / kind).iterdir())


def test_the_second_load_does_nothing_and_gives_the_same(store: Cache, work: list[str]) -> None:
    first = frontend.load(request(), cache=store)
    assert work == ["compile_units", "parse_module"]
    second = frontend.load(request(), cache=store)
    assert work == ["compile_units", "parse_module"]
    assert isinstance(second, Program)
    assert second == first


def test_the_text_comes_from_the_cache_too(store: Cache, work: list[str]) -> None:
    first = frontend.link_program(request(), cache=store)
    assert frontend.link_program(request(), cache=store) == first
    assert work == ["compile_units"]


@pytest.mark.parametrize("changed", ["a.c", "part.h"])
def test_a_changed_file_is_compiled_again(store: Cache, work: list[str], changed: str) -> None:
    before = frontend.link_program(request(), cache=store).text
    old = Path(changed).stat()
    Path(changed).write_text(Path(changed).read_text().replace("1", "7").replace("g +", "7 +"))
    os.utime(changed, ns=(old.st_atime_ns, old.st_mtime_ns))  # content counts, not the time
    assert frontend.link_program(request(), cache=store).text != before
    assert work == ["compile_units"] * 2


def test_a_header_that_is_gone_is_noticed(store: Cache) -> None:
    frontend.load(request(), cache=store)
    Path("part.h").unlink()
    with pytest.raises(InputError, match=r"part\.h not found"):
        frontend.load(request(), cache=store)


def test_other_flags_are_another_program(store: Cache, work: list[str]) -> None:
    frontend.load(request(), cache=store)
    frontend.load(request("-DX"), cache=store)
    assert work.count("compile_units") == 2


def test_another_directory_is_another_program(store: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    frontend.load(request(), cache=store)
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    program = frontend.load(frontend.from_files(["../a.c"]), cache=store)
    pos = program.functions["main"].pos
    assert pos is not None
    assert Path(pos.file).resolve() == Path("../a.c").resolve()


def test_other_parser_code_does_not_trust_old_programs(
    store: Cache, work: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frontend.load(request(), cache=store)
    monkeypatch.setattr(cache, "_code_digest", lambda: "of other code")
    frontend.load(request(), cache=store)
    assert work == ["compile_units", "parse_module"] * 2


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize("kind", ["recipes", "modules", "programs"])
@pytest.mark.parametrize("damage", [cut, flip, lambda _: b"", lambda _: b"raceproof cache"])
def test_damaged_entries_are_made_again(store: Cache, kind: str, damage: Callable[[bytes], bytes]) -> None:
    first = frontend.load(request(), cache=store)
    (victim,) = entries(store, kind)
    intact = store.read(kind, victim.name)
    victim.write_bytes(damage(victim.read_bytes()))
    assert intact is not None
    assert store.read(kind, victim.name) is None
    if kind == "modules":
        (program,) = entries(store, "programs")
        program.unlink()
    assert frontend.load(request(), cache=store) == first
    again = store.read(kind, victim.name)
    assert again is not None
    assert again == intact or kind == "programs"  # equal programs may differ as pickles


class Attack:
    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, ("attacked",))


@pytest.mark.parametrize("value", [Attack(), "not a program", [1, 2]])
def test_a_forged_program_is_not_used(store: Cache, value: object) -> None:
    first = frontend.load(request(), cache=store)
    (victim,) = entries(store, "programs")
    payload = pickle.dumps(value)
    victim.write_bytes(cache._MAGIC + hashlib.sha256(payload).digest() + payload)
    assert frontend.load(request(), cache=store) == first
    assert not Path("attacked").exists()


def test_entries_are_private(store: Cache) -> None:
    frontend.load(request(), cache=store)
    for kind in ("recipes", "modules", "programs"):
        (entry,) = entries(store, kind)
        assert stat.S_IMODE(entry.stat().st_mode) == 0o600


def test_entries_of_another_user_are_not_read(store: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write("modules", "key", b"payload")
    assert store.read("modules", "key") == b"payload"
    monkeypatch.setattr(os, "getuid", lambda: 123456)
    assert store.read("modules", "key") is None


@pytest.mark.parametrize("root", ["blocked/cache", "blocked"])
def test_a_cache_that_cannot_be_written_is_no_error(root: str, work: list[str]) -> None:
    Path("blocked").write_text("a file where the directory should be")
    store = Cache(Path(root).absolute())
    assert frontend.load(request(), cache=store) == frontend.load(request(), cache=store)
    assert work.count("compile_units") == 2


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that the compiler was run for."""
    done: list[str] = []
    stage = compile_._compile_unit

    def run(unit: Unit, *args: Any) -> object:
        done.append(unit.file.name)
        return stage(unit, *args)

    monkeypatch.setattr(compile_, "_compile_unit", run)
    return done


def two_files() -> CompileRequest:
    Path("b.c").write_text("int helper(void) { return 2; }\n")
    return frontend.from_files(["a.c", "b.c"])


def test_only_the_file_that_has_changed_is_compiled(store: Cache, compiled: list[str], tmp_path: Path) -> None:
    asked = two_files()
    frontend.load(asked, cache=store)
    assert sorted(compiled) == ["a.c", "b.c"]
    compiled.clear()
    Path("b.c").write_text("int helper(void) { return 3; }\n")
    incremental = frontend.load(asked, cache=store)
    assert compiled == ["b.c"]
    assert incremental == frontend.load(asked, cache=Cache(tmp_path / "fresh"))
    compiled.clear()
    Path("part.h").write_text("#define PART 9\n")
    changed = frontend.load(asked, cache=store)
    assert compiled == ["a.c"]
    assert changed == frontend.load(asked, cache=Cache(tmp_path / "other"))


def test_a_changed_copy_does_not_take_the_units_of_the_original(store: Cache, compiled: list[str]) -> None:
    asked = two_files()
    before = frontend.link_program(asked, cache=store)
    Path("changed").mkdir()
    texts = {str(Path("b.c").resolve()): b"int helper(void) { return 7; }\n"}
    other = frontend.with_changes(asked, texts, Path("changed").resolve())
    compiled.clear()
    assert frontend.link_program(other, cache=store).text != before.text
    assert sorted(compiled) == ["a.c", "b.c"]
    assert frontend.link_program(asked, cache=store).text == before.text


@pytest.mark.parametrize("content", [b"", b"{}", b'{"files": {}, "text": 1}', b"[]"])
def test_damaged_units_are_made_again(store: Cache, compiled: list[str], content: bytes) -> None:
    asked = two_files()
    frontend.load(asked, cache=store)
    for path in entries(store, "units"):
        store.write("units", path.name, content)
    Path("b.c").write_text("int helper(void) { return 3; }\n")
    compiled.clear()
    frontend.load(asked, cache=store)
    assert sorted(compiled) == ["a.c", "b.c"]


@pytest.mark.slow
def test_incremental_loads_are_those_from_nothing(store: Cache, tmp_path: Path) -> None:
    """Edits of sources and headers, drawn: what comes out is what a compilation of everything gives."""
    draw = random.Random(28)
    for name in "bcd":
        text = f'#include "part.h"\nint {name}_value = 0 + PART;\nint {name}(void) {{ return 0; }}\n'
        Path(f"{name}.c").write_text(text)
    asked = frontend.from_files(["a.c", "b.c", "c.c", "d.c"])
    for round in range(25):
        name = draw.choice(["b.c", "c.c", "d.c", "part.h"])
        text = re.sub(r"\b\d+\b", lambda _: str(draw.randrange(5)), Path(name).read_text())
        Path(name).write_text(text + draw.choice(["", "\n", f"/* {draw.random()} */\n"]))
        fresh = frontend.link_program(asked, cache=Cache(tmp_path / f"fresh-{round}"))
        assert frontend.link_program(asked, cache=store) == fresh


def test_the_entry_used_longest_ago_goes_first(tmp_path: Path) -> None:
    store = Cache(tmp_path / "cache", size_limit=2500, prune_interval=0)
    for age, key in enumerate(["old", "older", "oldest"]):
        store.write("modules", key, bytes(700))
        os.utime(tmp_path / "cache" / "modules" / key, (1000 - age, 1000 - age))
    assert store.read("modules", "oldest") is not None  # used: no longer the oldest
    store.write("modules", "new", bytes(700))
    assert [key for key in ("old", "older", "oldest", "new") if store.read("modules", key) is None] == ["older"]


def test_the_size_is_not_looked_at_each_time(tmp_path: Path) -> None:
    store = Cache(tmp_path / "cache", size_limit=0, prune_interval=100)
    store.write("modules", "first", bytes(10))
    store.write("modules", "second", bytes(10))
    assert store.read("modules", "first") is None
    assert store.read("modules", "second") is not None
    stamp = tmp_path / "cache" / ".pruned"
    os.utime(stamp, (stamp.stat().st_mtime - 200,) * 2)
    store.write("modules", "third", bytes(10))
    assert store.read("modules", "second") is None


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RACEPROOF_CACHE", str(tmp_path / "here"))
    assert Cache.default().root == tmp_path / "here"
    monkeypatch.setenv("RACEPROOF_CACHE", "")
    assert Cache.default().root is None
    monkeypatch.delenv("RACEPROOF_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Cache.default().root == tmp_path / "raceproof"


def test_a_file_that_changes_during_compilation_is_not_kept(store: Cache, work: list[str]) -> None:
    os.utime("part.h", (2e10, 2e10))
    frontend.load(request(), cache=store)
    frontend.load(request(), cache=store)
    assert work.count("compile_units") == 2
