"""The command line around an analysis made by hand: exit status, output, errors. No compiler is needed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from unit.handmade import check_result, pair_result, program

from raceproof import explore, frontend, portfolio
from raceproof.cli import Exit, main
from raceproof.core import Budget, InputError, InternalError, LimitReached, SourcePos, ToolMissing, Unsupported
from raceproof.ir import Program
from raceproof.model import CheckResult, Verdict

PROVED = check_result(pair_result(1, Verdict.RACE_FREE, evidence=("common-lock mutex",)))
OPEN = check_result(pair_result(1))
COMMANDS = ("check", "explore", "replay", "dump")
RACE = check_result(pair_result(1, Verdict.RACE))


class Analysis:
    """What `frontend.load` and `portfolio.check` do in a test; remembers what it was asked."""

    def __init__(self) -> None:
        self.result: CheckResult | BaseException = PROVED
        self.load_error: BaseException | None = None
        self.engines: tuple[str, ...] = ()
        self.settings = portfolio.Settings()
        self.budget = Budget.unlimited()

    def load(self, request: frontend.CompileRequest, budget: Budget) -> Program:
        if self.load_error is not None:
            raise self.load_error
        return program()

    def check(
        self,
        program: Program,
        engines: tuple[str, ...],
        budget: Budget,
        settings: portfolio.Settings,
        on_stage: object,
    ) -> CheckResult:
        self.engines, self.settings, self.budget = engines, settings, budget
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


@pytest.fixture
def analysis(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Analysis:
    fake = Analysis()
    monkeypatch.setattr(frontend, "load", fake.load)
    monkeypatch.setattr(portfolio, "check", fake.check)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    return fake


@pytest.mark.parametrize(("result", "status"), [(PROVED, 0), (RACE, 1), (OPEN, 3)])
def test_exit_status_follows_the_verdict(
    analysis: Analysis, capsys: pytest.CaptureFixture[str], result: CheckResult, status: int
) -> None:
    analysis.result = result
    assert main(["check", "demo.c"]) == status
    output = capsys.readouterr()
    assert output.out.startswith(f"verdict: {result.verdict.value}")
    assert output.err == ""


def test_json_to_a_file(analysis: Analysis, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "demo.c", "--json", "out.json"]) == 0
    assert json.loads(Path("out.json").read_text(encoding="utf-8"))["verdict"] == "race-free"
    assert capsys.readouterr().out.startswith("verdict: race-free")


def test_json_to_standard_output_is_all_there_is(analysis: Analysis, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", "-", "demo.c"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "race-free"


def test_options_reach_the_portfolio(analysis: Analysis) -> None:
    assert main(["check", "demo.c", "--jobs=3", "--time-limit=7", "--engines=lockset", "--", "-v", "x"]) == 0
    request = frontend.from_files([Path("demo.c")])
    assert analysis.settings == portfolio.Settings(jobs=3, arguments=("-v", "x"), request=request)
    assert analysis.engines == ("lockset",)
    assert analysis.budget.total == 7


def test_explore_runs_the_search_after_the_static_engine(analysis: Analysis) -> None:
    assert main(["explore", "demo.c", "--", "-n", "3"]) == 0
    assert analysis.engines == ("lockset", "explore")
    assert analysis.settings.always == {"explore"}
    assert analysis.settings.arguments == ("-n", "3")
    assert analysis.settings.search == explore.ExploreOptions()


def test_options_of_the_search(analysis: Analysis) -> None:
    options = "--pairs all --algorithm dpor --all --max-executions 9 --max-steps 50 --isolation fork --jobs 2"
    assert main(["explore", "demo.c", *options.split(), "--spurious-wakeups", "--time-limit", "7"]) == 0
    assert analysis.engines == ("explore",)
    assert analysis.settings.jobs == 2
    assert analysis.budget.total == 7
    assert analysis.settings.search == explore.ExploreOptions(
        algorithm="dpor", find_all=True, max_executions=9, max_steps=50, isolation="fork", spurious=True
    )


@pytest.mark.parametrize(("result", "status"), [(PROVED, 0), (RACE, 1), (OPEN, 3)])
def test_exit_status_of_explore(analysis: Analysis, result: CheckResult, status: int) -> None:
    analysis.result = result
    assert main(["explore", "demo.c"]) == status


def test_files_may_stand_between_and_after_options(analysis: Analysis, tmp_path: Path) -> None:
    (tmp_path / "more.c").write_text("int x;\n", encoding="utf-8")
    assert main(["check", "demo.c", "--jobs", "2", "more.c", "--cflag=-DX"]) == 0


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InputError("expected ';'", SourcePos("demo.c", 1, 2)), Exit.BAD_INPUT),
        (Unsupported("inline assembly", SourcePos("demo.c", 1, 2)), Exit.BAD_INPUT),
        (ToolMissing("clang is not there: pip install ziglang"), Exit.BAD_INPUT),
        (MemoryError(), Exit.UNKNOWN),
    ],
)
def test_errors_of_the_front_end(
    analysis: Analysis, capsys: pytest.CaptureFixture[str], error: Exception, status: Exit
) -> None:
    analysis.load_error = error
    assert main(["check", "demo.c", "--json", "out.json"]) == status
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("raceproof: error: ")
    assert "Traceback" not in output.err
    assert not Path("out.json").exists()


def test_verbose_shows_the_traceback(analysis: Analysis, capsys: pytest.CaptureFixture[str]) -> None:
    analysis.load_error = InputError("no main")
    assert main(["check", "-v", "demo.c"]) == Exit.BAD_INPUT
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("error", [InternalError("contradiction"), KeyError("surprise")])
def test_a_bug_in_raceproof(
    analysis: Analysis,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    error: Exception,
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    analysis.result = error
    assert main(["check", "demo.c", "--json", "out.json"]) == Exit.INTERNAL
    message = capsys.readouterr().err
    assert "bug in raceproof" in message
    assert "Traceback" not in message
    found = re.search(r"\S+/raceproof-\S+\.txt", message)
    assert found is not None
    kept = Path(found[0]).read_text(encoding="utf-8")
    assert "Traceback" in kept
    assert "$ raceproof check demo.c" in kept
    if isinstance(error, InternalError):
        assert "worker" in kept, "the program as raceproof saw it is not kept"
    assert not Path("out.json").exists()


def test_ctrl_c_while_compiling(analysis: Analysis, capsys: pytest.CaptureFixture[str]) -> None:
    analysis.load_error = KeyboardInterrupt()
    assert main(["check", "demo.c", "--json", "out.json"]) == Exit.INTERRUPTED
    assert "interrupted during compiling: nothing decided" in capsys.readouterr().out
    data = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert (data["verdict"], data["interrupted"]) == ("unknown", True)


def test_time_limit_while_compiling(analysis: Analysis, capsys: pytest.CaptureFixture[str]) -> None:
    analysis.load_error = LimitReached("time limit of 1 s reached while compiling demo.c")
    assert main(["check", "demo.c", "--json", "out.json"]) == Exit.UNKNOWN
    assert "while compiling demo.c" in capsys.readouterr().out
    assert json.loads(Path("out.json").read_text(encoding="utf-8"))["verdict"] == "unknown"


def test_ctrl_c_while_dumping(analysis: Analysis, capsys: pytest.CaptureFixture[str]) -> None:
    analysis.load_error = KeyboardInterrupt()
    assert main(["dump", "ir", "demo.c"]) == Exit.INTERRUPTED
    assert capsys.readouterr().err == "raceproof: error: interrupted: nothing decided\n"


def test_a_stale_result_does_not_survive_a_failure(analysis: Analysis) -> None:
    Path("out.json").write_text('{"verdict": "race-free"}', encoding="utf-8")
    analysis.load_error = InputError("no main")
    assert main(["check", "demo.c", "--json", "out.json"]) == Exit.BAD_INPUT
    assert not Path("out.json").exists()


def test_json_never_overwrites_the_input(analysis: Analysis, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "demo.c", "--json", "./demo.c"]) == Exit.BAD_INPUT
    assert "overwrite" in capsys.readouterr().err
    assert "int main" in Path("demo.c").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("result", "last"), [(PROVED, "true"), (RACE, "false(no-data-race)"), (OPEN, "unknown"), (KeyError("x"), "unknown")]
)
def test_a_task_ends_with_its_verdict(
    analysis: Analysis,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    result: CheckResult | Exception,
    last: str,
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    request = frontend.from_files([Path("demo.c")])
    monkeypatch.setattr(frontend, "from_task", lambda path, cflags, **options: request)
    analysis.result = result
    main(["check", "--task", "demo.yml"])
    assert capsys.readouterr().out.splitlines()[-1] == last


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND"),
        (["verify", "demo.c"], "verify"),
        (["check"], "nothing to analyse"),
        (["check", "demo.c", "--bogus"], "--bogus"),
        (["check", "demo.c", "--jsno", "-"], "there is no option --jsno; did you mean `--json`?"),
        (["check", "demo.c", "--pdf", "out.pdf"], "--pdf"),
        (["check", "demo.c", "--format", "gc"], "there is no --format `gc`; did you mean `gcc`?"),
        (["chekc", "demo.c"], "there is no command `chekc`; did you mean `check`?"),
        (["check", "demo.c", "--engines", "locset"], "there is no engine `locset`; did you mean `lockset`?"),
        (["check", "-"], "standard input"),
        (["check", "demo.c", "--js", "out.json"], "--js"),
        (["check", "demo.c", "--jobs", "0"], "--jobs"),
        (["check", "demo.c", "--time-limit", "soon"], "--time-limit"),
        (["check", "demo.c", "--time-limit", "nan"], "--time-limit"),
        (["check", "demo.c", "--data-model", "LP128"], "--data-model"),
        (["check", "demo.c", "--engines", "lockset,magic"], "magic"),
        (["check", "demo.c", "--engines", ","], "--engines"),
        (["check", "demo.c", "--task", "x.yml"], "only one"),
        (["check", "demo.c", "--target", "x"], "-p"),
        (["check", "--task", "x.yml", "--data-model", "LP64"], "--data-model"),
        (["check", "--task", "x.yml", "--json", "-"], "standard output"),
        (["explore"], "nothing to analyse"),
        (["explore", "demo.c", "--algorithm", "magic"], "--algorithm"),
        (["explore", "demo.c", "--max-executions", "0"], "--max-executions"),
        (["explore", "demo.c", "--isolation", "none"], "--isolation"),
        (["explore", "demo.c", "--engines", "lockset"], "--engines"),
        (["replay"], "REPORT.json"),
        (["replay", "a.json", "b.json"], "unexpected argument b.json"),
        (["replay", "a.json", "--race", "first"], "--race"),
        (["replay", "a.json", "--race", "1", "--other", "1"], "only one"),
        (["replay", "a.json", "--", "x"], "arguments"),
        (["dump", "clouds", "demo.c"], "clouds"),
        (["dump", "ir"], "nothing to analyse"),
    ],
)
def test_wrong_usage(analysis: Analysis, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    assert main(arguments) == Exit.BAD_INPUT
    error = capsys.readouterr().err
    assert error.startswith("raceproof: error: ")
    assert words in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["-V"], ["--help"], ["help"], ["help", "check"], *([name, "--help"] for name in COMMANDS)],
)
def test_help_and_version(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(arguments) == 0
    assert "raceproof" in capsys.readouterr().out


def test_help_on_a_command_is_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "replay"]) == 0
    assert "raceproof replay" in capsys.readouterr().out


def test_a_directory_stands_for_its_compilation_database(
    analysis: Analysis, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("project/build").mkdir(parents=True)
    assert main(["check", "project"]) == Exit.BAD_INPUT
    assert "a directory without compile_commands.json: give the C files" in capsys.readouterr().err
    unit = {"directory": str(Path.cwd()), "file": "demo.c", "arguments": ["cc", "-c", "demo.c"]}
    Path("project/build/compile_commands.json").write_text(json.dumps([unit]))
    assert main(["check", "project"]) == Exit.RACE_FREE


@pytest.mark.parametrize(
    ("form", "first"),
    [
        ("text", "verdict: race at 1 location"),
        ("gcc", "demo.c:10:5: warning: data race: counter: write here, read at demo.c:22 in another thread; hold"),
        ("github", "::error file=demo.c,line=10,col=5,title=data race::counter: write here, read at demo.c:22 in"),
        ("json", "{"),
    ],
)
def test_formats_of_standard_output(
    analysis: Analysis, capsys: pytest.CaptureFixture[str], form: str, first: str
) -> None:
    analysis.result = RACE
    assert main(["check", "demo.c", "--format", form]) == Exit.RACE
    assert capsys.readouterr().out.startswith(first)


def test_quiet_and_colour(analysis: Analysis, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "demo.c", "-q"]) == Exit.RACE_FREE
    assert capsys.readouterr().out == ""
    assert main(["check", "demo.c", "--color", "always"]) == Exit.RACE_FREE
    assert "\x1b[" in capsys.readouterr().out


def test_a_closed_pipe_is_no_error() -> None:
    """`raceproof check --help | head -0`: the reader is gone before anything is written."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "raceproof", "check", "--help"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, env=environment, check=False)
    os.close(write_end)
    assert done.stderr == b""


def test_a_command_does_not_load_engines_that_it_may_not_need() -> None:
    code = "import sys, raceproof.cli.check; print(*sorted(name for name in sys.modules if name.count('.') == 1))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "raceproof.lockset" in told
    assert not {"raceproof.bmc", "raceproof.petri", "raceproof.transactions", "raceproof.corpora"} & set(told)
