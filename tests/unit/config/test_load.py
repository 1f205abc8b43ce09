"""Finding and reading the configuration file; every mistake is told with file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceproof.config import Config, load_config, source_files
from raceproof.core import InputError
from raceproof.ir import FunctionModel, Result
from raceproof.model import AccessKind, LockAction, LockModel, Models, SafeFunction, Verdict

EVERYTHING = """
sources = ["src/*.c", "lib/**/*.c"]
flags = ["-Iinclude", "-D", "X=1", "-include", "all.h", "-isystem/usr/include/x"]
link = ["-lz", "-Llib", "lib/libx.so"]
data_model = "ILP32"
entry = "start"
arguments = ["8", ""]
engines = ["lockset"]
time_limit = 12.5
jobs = 2
baseline = "known.json"

[[lock]]
acquire = "my_lock"
release = "my_unlock"
try = ["my_trylock", "my_timedlock"]
success = true

[[lock]]
acquire = "read_lock"
release = "read_unlock"
argument = 2
shared = true

[[lock]]
acquire = "enter"
release = "leave"
argument = 0

[[safe]]
function = "log_message"
reason = "statistics"

[[function]]
function = ["lib_sort", "lib_merge"]
reads = 1
writes = [2, 3]
keeps = []
calls = 4
passes = ["2[]", 5, 0]
returns = 2
shares = false
input = false
optional = true

[[function]]
function = "lib_exit"
frees = [1]
returns = "never"

[[suppress]]
target = "stats.*"
functions = ["f", "g"]
file = "src/log.c"
kind = "write"
only = ["unknown"]
reason = "counted roughly"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory to stand in; a repository, so that nothing above it is looked at."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def loaded(project: Path, text: str) -> Config:
    (project / "raceproof.toml").write_text(text, encoding="utf-8")
    config = load_config(project)
    assert config is not None
    return config


def refused(project: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        loaded(project, text)
    prefix = "raceproof.toml: "
    assert str(caught.value).startswith(prefix)
    return str(caught.value).removeprefix(prefix)


def test_everything(project: Path) -> None:
    config = loaded(project, EVERYTHING)
    assert config.file == Path("raceproof.toml")
    assert config.sources == ("src/*.c", "lib/**/*.c")
    assert config.link == ("-lz", "-Llib", "lib/libx.so")
    assert config.flags == ("-Iinclude", "-D", "X=1", "-include", "all.h", "-isystem/usr/include/x")
    assert (config.data_model, config.entry, config.arguments) == ("ILP32", "start", ("8", ""))
    assert (config.engines, config.time_limit, config.jobs) == (("lockset",), 12.5, 2)
    assert config.baseline == Path("known.json")
    assert config.models == Models(
        locks=(
            LockModel("my_lock", LockAction.ACQUIRE),
            LockModel("my_trylock", LockAction.TRY),
            LockModel("my_timedlock", LockAction.TRY),
            LockModel("my_unlock", LockAction.RELEASE),
            LockModel("read_lock", LockAction.ACQUIRE, 2, shared=True),
            LockModel("read_unlock", LockAction.RELEASE, 2, shared=True),
            LockModel("enter", LockAction.ACQUIRE, 0, "enter"),
            LockModel("leave", LockAction.RELEASE, 0, "enter"),
        ),
        safe=(SafeFunction("log_message", "statistics"),),
        functions=(
            *(
                FunctionModel(name, (1,), (2, 3), (), (), (4,), (-2, 5, 0), 2, False, False, True)
                for name in ("lib_sort", "lib_merge")
            ),
            FunctionModel("lib_exit", frees=(1,), returns=Result.NEVER),
        ),
    )
    (suppression,) = config.suppressions
    assert suppression.reason == "counted roughly"
    assert suppression.functions == ("f", "g")
    assert (suppression.kind, suppression.only) == (AccessKind.WRITE, (Verdict.UNKNOWN,))


def test_what_the_file_does_not_say_is_left_open(project: Path) -> None:
    assert loaded(project, "") == Config(file=Path("raceproof.toml"))


# -- where it is found ----------------------------------------------------------------------------------------------


def test_none(project: Path) -> None:
    assert load_config(project) is None


def test_the_nearest_one_up_to_the_root_of_the_repository(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = project / "repository" / "src" / "deep"
    inner.mkdir(parents=True)
    (project / "raceproof.toml").write_text("jobs = 1")
    monkeypatch.chdir(inner)
    assert load_config(inner) == Config(file=Path("../../../raceproof.toml"), jobs=1)
    (project / "repository" / ".git").write_text("gitdir: elsewhere")  # a worktree
    assert load_config(inner) is None
    (project / "repository" / "raceproof.toml").write_text("jobs = 2")
    assert load_config(inner) == Config(file=Path("../../raceproof.toml"), jobs=2)


def test_paths_are_relative_to_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("src/b.c", "src/a.c", "src/a.h", "lib/x/y.c", "build/z.c"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("")
    (project / "raceproof.toml").write_text(EVERYTHING)
    monkeypatch.chdir(project / "build")
    config = load_config(Path.cwd())
    assert config is not None
    assert config.baseline == Path("../known.json")
    assert source_files(config) == (Path("../src/a.c"), Path("../src/b.c"), Path("../lib/x/y.c"))
    assert config.flags == ("-I../include", "-D", "X=1", "-include", "../all.h", "-isystem/usr/include/x")


def test_a_source_that_two_patterns_match_counts_once(project: Path) -> None:
    for name in ("main.c", "a.c"):
        (project / name).write_text("")
    assert source_files(loaded(project, 'sources = ["main.c", "*.c"]')) == (Path("main.c"), Path("a.c"))


def test_a_pattern_without_files_is_told(project: Path) -> None:
    with pytest.raises(InputError, match=r"raceproof.toml: `sources`: no file matches `src/\*.c`"):
        source_files(loaded(project, 'sources = ["src/*.c"]'))


def test_pyproject(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.other]\nx = 1\n[tool.raceproof]\njobs = 3\n")
    assert load_config(project) == Config(file=Path("pyproject.toml"), jobs=3)


def test_a_pyproject_of_others_is_passed_over(project: Path) -> None:
    inner = project / "inner"
    inner.mkdir()
    (project / "raceproof.toml").write_text("jobs = 1")
    for text in ("[tool.other]\nx = 1\n", "this is = not = toml"):
        (inner / "pyproject.toml").write_text(text)
        found = load_config(inner)
        assert found is not None
        assert found.jobs == 1


def test_a_broken_pyproject_that_is_ours(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.raceproof]\njobs = = 3\n")
    with pytest.raises(InputError, match=r"pyproject\.toml: not TOML"):
        load_config(project)


def test_two_in_one_directory(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.raceproof]\njobs = 3\n")
    (project / "raceproof.toml").write_text("jobs = 1")
    with pytest.raises(InputError, match="keep one of them"):
        load_config(project)


def test_a_named_file(project: Path) -> None:
    (project / "raceproof.toml").write_text("jobs = 1")
    (project / "other.toml").write_text("jobs = 2")
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert load_config(project, Path("other.toml")) == Config(file=Path("other.toml"), jobs=2)
    with pytest.raises(InputError, match=r"there is no \[tool.raceproof\]"):
        load_config(project, Path("pyproject.toml"))
    with pytest.raises(InputError, match=r"missing\.toml: cannot be read: No such file"):
        load_config(project, Path("missing.toml"))


# -- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jobs = = 1", "not TOML: "),
        ("cflags = []", "there is no key `cflags`; did you mean `flags`?"),
        ("colour = 1", "there is no key `colour`; there are: accept, arguments, baseline, "),
        ("sources = 'a.c'", '`sources` must be a list of strings, not "a.c"'),
        ("flags = [1]", "`flags` must be a list of strings, not [1]"),
        ("jobs = 0", "`jobs` must be an integer of at least 1, not 0"),
        ("jobs = true", "`jobs` must be an integer of at least 1, not true"),
        ("time_limit = 'long'", '`time_limit` must be a number greater than 0, not "long"'),
        ("time_limit = inf", "`time_limit` must be a number greater than 0"),
        ("time_limit = 1979-05-27", '`time_limit` must be a number greater than 0, not "1979-05-27"'),
        ("data_model = 'LP65'", '`data_model` must be one of ILP32, LP64, not "LP65"'),
        ("entry = ''", "`entry` must be a string that is not empty"),
        ("engines = []", "`engines` names none"),
        ("sources = ['']", "`sources`: an empty pattern"),
        ("sources = ['/a/*.c']", "`sources`: `/a/*.c` must be relative to the file"),
        ("sources = ['src/**.c']", "`sources`: in `src/**.c`, ** must stand alone between slashes"),
        ("sources = ['src/[ab.c']", "`sources`: in `src/[ab.c`, a [ is not closed"),
        ("sources = ['a.c']\ncompile_commands = 'x.json'", "give only one of `sources` and `compile_commands`"),
        ("target = 'x'", "`target` chooses a target of compile_commands.json"),
        ("data_model = 'LP64'\ncompile_commands = 'x.json'", "the data model comes with the compilation database"),
        (
            "[[function]]\nname = 'f'",
            "[[function]] number 1: there is no key `name`; the name of the function is `function`",
        ),
        (
            "[[function]]\nfunction = 'f'\n[[function]]\nfunction = 'f'",
            "[[function]] number 2: `f` is described already",
        ),
        (
            "[[function]]\nfunction = 'f'\nreads = 0",
            "[[function]] number 1: `reads` must be a number or a list of numbers, from 1, not 0",
        ),
        (
            "[[function]]\nfunction = 'f'\nkeeps = false",
            "[[function]] number 1: `keeps` must be a number or a list of numbers, from 1",
        ),
        (
            "[[function]]\nfunction = 'f'\ncalls = 1\npasses = ['2']",
            "[[function]] number 1: `passes` must be the number of an argument",
        ),
        (
            "[[function]]\nfunction = 'f'\nreturns = 'new'",
            "[[function]] number 1: `returns` must be one of fresh, nothing, never",
        ),
        (
            "[[function]]\nfunction = 'f'\nreturns = 0",
            "[[function]] number 1: `returns` must be an integer of at least 1, not 0",
        ),
        ("[lock]\nacquire = 'f'", "`lock` must be tables: write [[lock]]"),
        ("[[lock]]\naquire = 'f'", "[[lock]] number 1: there is no key `aquire`; did you mean `acquire`?"),
        ("[[lock]]", "[[lock]] number 1: give at least one of `acquire`, `try` and `release`"),
        ("[[lock]]\nacquire = []", "[[lock]] number 1: `acquire` must be a name or a list of names, not []"),
        ("[[lock]]\nacquire = 'f'", "[[lock]]: nothing releases what `f` acquires: add `release`"),
        ("[[lock]]\nacquire = 'f'\nrelease = 'f'", "[[lock]] number 1: `f` has a model already"),
        ("[[lock]]\nrelease = 'f'\nargument = -1", "[[lock]] number 1: `argument` must be an integer of at least 0"),
        ("[[lock]]\nrelease = 'f'\nargument = 0", "[[lock]] number 1: with argument = 0, give"),
        ("[[lock]]\nrelease = 'f'\nname = 'x'", "[[lock]] number 1: `name` is for a lock that is no argument"),
        ("[[lock]]\nrelease = 'f'\nsuccess = 1", "[[lock]] number 1: `success` goes with `try`"),
        ("[[lock]]\ntry = 'f'\nrelease = 'g'", "[[lock]] number 1: `try` needs `success`"),
        ("[[lock]]\ntry = 'f'\nrelease = 'g'\nsuccess = 1\nfailure = 1", "[[lock]] number 1: `success` and `failure`"),
        ("[[lock]]\nrelease = 'f'\nshared = 1", "[[lock]] number 1: `shared` must be true or false, not 1"),
        ("[[safe]]\nfunction = 'f'", "[[safe]] number 1: `function` and `reason` are needed"),
        ("[[safe]]\nfunction = 'f'\nreason = 'x'\n" * 2, "[[safe]] number 2: `f` is called safe already"),
        ("[[suppress]]\ntarget = 'x'", "[[suppress]] number 1: `reason` is needed"),
        ("[[suppress]]\nreason = 'x'", "[[suppress]] number 1: say where"),
        ("[[suppress]]\nreason = 'x'\nkind = 'read'", "[[suppress]] number 1: say where"),
        ("[[suppress]]\nreason = 'x'\nline = 3", "[[suppress]] number 1: there is no key `line`; lines move: "),
        (
            "[[suppress]]\nreason = 'x'\ntarget = 'y'\nkind = 'reed'",
            "[[suppress]] number 1: `kind` must be one of read,",
        ),
        ("[[suppress]]\nreason = 'x'\nfunctions = ['f']", "[[suppress]] number 1: `functions` must be two names"),
        ("[[suppress]]\nreason = 'x'\nfunctions = 'f'", "[[suppress]] number 1: `functions` must be a list of strings"),
        ("[[suppress]]\nreason = 'x'\nfingerprint = '12'", "[[suppress]] number 1: `fingerprint` must be 16 hexa"),
        ("[[suppress]]\nreason = 'x'\ntarget = 'y'\nonly = ['race-free']", "[[suppress]] number 1: `only` must be a"),
    ],
)
def test_mistakes_are_told_with_their_key(project: Path, text: str, message: str) -> None:
    assert refused(project, text).startswith(message)


def test_the_second_table_is_named(project: Path) -> None:
    text = "[[lock]]\nacquire = 'f'\nrelease = 'g'\n[[lock]]\nacquire = 'h'\nrelease = 'g'"
    assert refused(project, text) == "[[lock]] number 2: `g` has a model already"


def test_acquire_and_release_may_stand_in_two_tables(project: Path) -> None:
    text = "[[lock]]\nacquire = 'f'\nargument = 2\n[[lock]]\nrelease = 'g'\nargument = 1"
    assert [m.argument for m in loaded(project, text).models.locks] == [2, 1]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("", "`function` is needed"),
        ("name = 'f'", "there is no key `name`; the name of the function is `function`"),
        ("function = 'f'\nreads = 0", "`reads` must be a number or a list of numbers, from 1, not 0"),
        ("function = 'f'\nkeeps = false", "`keeps` must be a number or a list of numbers, from 1"),
        ("function = 'f'\npasses = 1", "`passes` goes with `calls`"),
        ("function = 'f'\ncalls = 1\npasses = ['2']", "`passes` must be the number of an argument"),
        ("function = 'f'\nreturns = 'new'", "`returns` must be one of fresh, nothing, never"),
        ("function = 'f'\nreturns = 0", "`returns` must be an integer of at least 1, not 0"),
        ("function = 'f'\ninput = 'no'", "`input` must be true or false"),
        ("function = 'f'\nfrees = 1\nkeeps = [2, 1]", "`f` frees argument 1 and keeps it: remove it from `keeps`"),
        ("function = 'f'\nfrees = [2, 1]\nreturns = 1", "`f` frees argument 1 and returns it: remove `returns`"),
        ("function = 'f'\nreturns = 'never'\nkeeps = 1", '`f` returns "never", and `keeps` is about'),
        ("function = 'f'\nreturns = 'fresh'\nshares = true", '`f` returns "fresh" memory, which nobody else has'),
    ],
)
def test_mistakes_in_what_is_said_about_a_function(project: Path, text: str, mistake: str) -> None:
    assert refused(project, f"[[function]]\n{text}").startswith(f"[[function]] number 1: {mistake}")


def test_one_table_for_each_function(project: Path) -> None:
    twice = "[[function]]\nfunction = 'f'\n" * 2
    assert refused(project, twice) == "[[function]] number 2: `f` is described already"
    both = "[[lock]]\nrelease = 'f'\n[[function]]\nfunction = 'f'"
    assert refused(project, both).startswith("[[function]] number 1: `f` is a lock function")


def test_one_lock_in_two_tables_needs_its_name(project: Path) -> None:
    text = "[[lock]]\nacquire = 'f'\nargument = 0\nname = '{}'\n[[lock]]\nrelease = 'g'\nargument = 0\nname = 'big'"
    assert [m.lock for m in loaded(project, text.format("big")).models.locks] == ["big", "big"]
    assert "nothing releases what `f` acquires" in refused(project, text.format("bigger"))


@pytest.mark.parametrize(
    ("results", "success", "failure"),
    [
        ("success = 1", 1, 0),
        ("success = 0", 0, None),
        ("success = 0\nfailure = 16", 0, 16),
        ("success = false", 0, None),
    ],
)
def test_results_of_a_try(project: Path, results: str, success: int, failure: int | None) -> None:
    model = loaded(project, f"[[lock]]\ntry = 'f'\nrelease = 'g'\n{results}").models.locks[0]
    assert (model.success, model.failure) == (success, failure)
