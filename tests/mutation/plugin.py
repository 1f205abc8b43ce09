"""A pytest plugin that runs in the sandbox: collects tests once, and then runs them on one mutant after the other.

Each mutant gets a copy of the process (`fork`) in which the code of the functions of its module is exchanged; what was
imported and collected is there already, so that a mutant costs little more than the tests that it needs. Its text is
also written to the file, for tests that start other processes and for C, which is compiled when it is first used.

$MUTATION_PLAN names a JSON file: `files`, the Python modules whose lines are noted; `mutants`, each with `file`, `text`
and `lines`; `pipe`, where the answers go, a JSON line for each mutant.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import ctypes
import gc
import json
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from hypothesis import Phase, settings

_BASE_SECONDS = 900.0
_LEAST_SECONDS = 60.0  # C has to be compiled, perhaps beside other work
_SLOWER = 5.0  # a mutant that takes so many times as long as the module itself does not end
_TESTS_SECONDS = 120.0
_SEEN = "__mutation_seen__"
_PR_SET_CHILD_SUBREAPER = 36

Lines = set[tuple[str, int]]
FixtureKey = tuple[str, int, str]


class Recorder:
    """Notes which tests execute which lines. What a fixture executes counts for every test that uses it."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = frozenset(files)
        self._lines: Lines = set()
        self._of_fixtures: dict[FixtureKey, Lines] = defaultdict(set)
        self._fixtures: dict[str, list[FixtureKey]] = {}
        self._of_tests: dict[str, Lines] = {}
        self._seconds: dict[str, float] = defaultdict(float)
        self._failed: set[str] = set()

    def probe(self) -> None:
        """Let every function of the modules tell which of its statements it executes."""
        setattr(builtins, _SEEN, self._seen)
        for file in map(Path, self._files):
            exchange_code(file, Probes(str(file)).visit(ast.parse(file.read_text(encoding="utf-8"))))

    def _seen(self, file: str, line: int) -> None:
        self._lines.add((file, line))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        outside, self._lines = self._lines, set()
        yield
        path = "" if fixturedef.scope == "session" else str(request._pyfuncitem.path)
        self._of_fixtures[fixturedef.argname, getattr(request, "param_index", 0), path] |= self._lines
        self._lines = outside

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._lines = set()
        yield
        indices = item.callspec.indices if hasattr(item, "callspec") else {}
        names = getattr(item, "fixturenames", ())
        self._fixtures[item.nodeid] = [(n, indices.get(n, 0), place) for n in names for place in ("", str(item.path))]
        self._of_tests[item.nodeid] = self._lines

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if report.failed:
            self._failed.add(report.nodeid)

    def answer(self) -> dict[str, Any]:
        lines = {}
        for name, own in self._of_tests.items():
            used = (self._of_fixtures.get(key, set()) for key in self._fixtures[name])
            lines[name] = sorted(own.union(*used))
        return {"seconds": self._seconds, "failed": sorted(self._failed), "lines": lines}


class Probes(ast.NodeTransformer):
    """Puts a call before each statement of a function. (A trace function would slow down all else, too.)"""

    def __init__(self, file: str) -> None:
        self._file = file
        self._depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if self._depth and isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
                setattr(node, field, [each for s in statements for each in (self._probe(s), s)])
        return node

    def _probe(self, statement: ast.stmt) -> ast.stmt:
        arguments: list[ast.expr] = [ast.Constant(self._file), ast.Constant(statement.lineno)]
        call = ast.Expr(ast.Call(ast.Name(_SEEN, ast.Load()), arguments, []))
        return ast.fix_missing_locations(ast.copy_location(call, statement))


class Notice:
    """Ends the process with the first test that fails or does not end. `seconds`: what each test usually takes."""

    def __init__(self, out: Path, seconds: dict[str, float]) -> None:
        self._out = out
        self._seconds = seconds

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        signal.setitimer(signal.ITIMER_REAL, max(_LEAST_SECONDS, _SLOWER * self._seconds[nodeid]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._out.write_text(f"{report.nodeid}\n{report.longrepr}", encoding="utf-8", errors="replace")
            os._exit(1)


class Trials:
    """The plugin: takes the place of pytest's loop over the tests."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._out = Path(os.environ["MUTATION_PLAN"]).with_name("answer")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        with Path(self._plan["pipe"]).open("w", encoding="utf-8", buffering=1) as answers:
            base = self._baseline(session)
            order = {item.nodeid: number for number, item in enumerate(session.items)}
            costs: dict[str, float] = defaultdict(float)
            for name, seconds in base["seconds"].items():
                costs[name.partition("::")[0]] += seconds
            answers.write(json.dumps({"tests": len(order), "failed": base["failed"]}) + "\n")
            for mutant in self._plan["mutants"]:
                # Cheap files first; within a file in its order, as tests may share what is made for them.
                tests = sorted(self._able(base, mutant), key=lambda name: (costs[name.partition("::")[0]], order[name]))
                items = [session.items[order[name]] for name in tests]
                answers.write(json.dumps(self._try(session, mutant, items, base["seconds"])) + "\n")
        return True

    def _baseline(self, session: pytest.Session) -> dict[str, Any]:
        """Run all tests without a mutant; twice if the first time everything had to be compiled."""

        def record() -> None:
            recorder = Recorder(self._plan["files"])
            session.config.pluginmanager.register(recorder)
            recorder.probe()
            run_items(session.items)
            self._out.write_text(json.dumps(recorder.answer()), encoding="utf-8")

        for _ in range(2 if self._plan["is_cold"] else 1):
            if in_copy(record, _BASE_SECONDS) != 0:
                raise SystemExit("the tests do not come to their end without a mutant")
        base: dict[str, Any] = json.loads(self._out.read_text(encoding="utf-8"))
        executed = defaultdict(set)
        for name, lines in base["lines"].items():
            for file, line in lines:
                executed[file, line].add(name)
        return {**base, "executed": executed}

    def _able(self, base: dict[str, Any], mutant: dict[str, Any]) -> list[str]:
        """The tests that can notice it, the quickest first, as many as the time allows."""
        if mutant["lines"] is None:
            able = set(base["seconds"])
        else:
            first, last = mutant["lines"]
            able = {t for line in range(first, last + 1) for t in base["executed"].get((mutant["file"], line), ())}
        chosen: list[str] = []
        total = 0.0
        for test in sorted(able - set(base["failed"]), key=lambda test: (base["seconds"][test], test)):
            total += base["seconds"][test]
            if chosen and total > _TESTS_SECONDS:
                break
            chosen.append(test)
        return chosen

    def _try(
        self, session: pytest.Session, mutant: dict[str, Any], items: list[Any], seconds: dict[str, float]
    ) -> dict[str, Any]:
        if not items:
            return {"how": None, "tests": 0}
        file = Path(mutant["file"])
        original = file.read_text(encoding="utf-8")
        self._out.unlink(missing_ok=True)

        def attempt() -> None:
            session.config.pluginmanager.register(Notice(self._out, seconds))
            forget_results()
            if file.suffix == ".py":
                exchange_code(file, mutant["text"])
            run_items(items)

        file.write_text(mutant["text"], encoding="utf-8")
        try:
            status = in_copy(attempt, max(_LEAST_SECONDS, _SLOWER * sum(seconds[item.nodeid] for item in items)))
        finally:
            file.write_text(original, encoding="utf-8")
        if status == 0:
            return {"how": None, "tests": len(items)}
        said = self._out.read_text(encoding="utf-8") if self._out.exists() else ""
        if "does not compile" in said:
            return {"how": "does not compile", "tests": len(items)}
        is_endless = status is None or status == -signal.SIGALRM
        how = "does not end" if is_endless else said.partition("\n")[0] or "ends the process"
        return {"how": how, "tests": len(items)}


def exchange_code(file: Path, text: str | ast.Module) -> None:
    """Give every function of the module the code that it has in `text`, wherever the function was imported to."""
    codes: dict[str, CodeType] = {}
    work = [compile(text, str(file), "exec", dont_inherit=True)]
    while work:
        for code in work.pop().co_consts:
            if isinstance(code, CodeType):
                codes[code.co_qualname] = code
                if not code.co_flags & 1:  # the body of a class, not of a function
                    work.append(code)
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(file):
            code = codes.get(function.__code__.co_qualname)
            if code is not None and code.co_freevars == function.__code__.co_freevars:
                function.__code__ = code


def forget_results() -> None:
    """What functions of raceproof remember from the time before the fork, such as the libraries that are loaded."""
    for name, module in list(sys.modules.items()):
        if name.startswith("raceproof."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def run_items(items: Sequence[pytest.Item]) -> None:
    for number, item in enumerate(items):
        following = items[number + 1] if number + 1 < len(items) else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def in_copy(action: Any, seconds: float) -> int | None:
    """Do it in a copy of this process, of which nothing is left: its exit status, None if the time was over."""
    child = os.fork()
    if child == 0:
        status = 2
        try:
            os.setsid()
            action()
            status = 0
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    try:
        pause = 0.001
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(pause)
            pause = min(0.05, 1.5 * pause)
        return None
    finally:
        _end_group(child)


def compile_quickly() -> None:
    """Let a mutant in C cost one file: objects of the others are kept, and files are not optimised together."""
    from raceproof.native import build as native

    run_compiler, kept = native.run_compiler, Path(os.environ["RACEPROOF_CACHE"], "objects")

    def run(command: tuple[str, ...], scratch: Path, cache: Any = None) -> None:
        run_compiler(tuple(word for word in command if word != "-flto"), kept, cache)

    native.run_compiler = run


def _end_group(child: int) -> None:
    """And what it has started in groups of their own, which become our children when it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    left = [child]
    while left:
        for process in left:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
        left = [int(number) for number in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def adopt_orphans() -> None:
    """Let what a copy of this process has started become its child when the copy has ended."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def pytest_configure(config: pytest.Config) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    adopt_orphans()
    # That an example fails is enough: to make it smaller takes longer than to find it.
    settings.register_profile("mutation", deadline=None, database=None, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutation")
    plan = json.loads(Path(os.environ["MUTATION_PLAN"]).read_text(encoding="utf-8"))
    if any(mutant["lines"] is None for mutant in plan["mutants"]):
        compile_quickly()
    config.pluginmanager.register(Trials(plan))
