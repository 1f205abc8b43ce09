"""Build real programs with `raceproof cc` in their own build systems and explore them as they are used, with their
clients and servers; beside it what ThreadSanitizer reports on the same workload.

    python bench/real/fetch.py microsocks
    python bench/real/use.py microsocks                prints the table
    python bench/real/use.py microsocks pnscan --write writes it into docs/results.md

uses.toml says how. ThreadSanitizer runs three times; its races are the distinct lines `SUMMARY:`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import Run, run_measured
from bench.real.recipes import HERE, Provenance, load_recipes
from bench.results import machine, replace_block

TIME_LIMIT = 120
_GRACE = 60
_TSAN = "gcc -g -O1 -fsanitize=thread"
_TSAN_RUNS = 3
_TSAN_SECONDS = 60
_RACE = re.compile(r"^SUMMARY: ThreadSanitizer: data race .*$", re.MULTILINE)
_RACEPROOF = [sys.executable, "-m", "raceproof"]
_BUILD_SECONDS = 900
_NOTHING = subprocess.DEVNULL


@dataclass(frozen=True, slots=True)
class Use:
    """One entry of uses.toml; its head says what the fields mean."""

    name: str
    program: str
    build: tuple[str, ...]
    prepare: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    stdin: str | None = None
    clients: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    given: dict[str, str] = field(default_factory=dict)

    def options(self) -> list[str]:
        """Of `raceproof explore`."""
        words = [f"--stdin={self.stdin}"] if self.stdin is not None else []
        words += [f"--server={command}" for command in self.servers]
        return [*words, *(f"--client={command}" for command in self.clients)]


@dataclass(frozen=True, slots=True)
class Row:
    use: Use
    version: str
    run: Run
    report: dict[str, Any] | None
    tsan: int | None


def load_uses() -> dict[str, Use]:
    words = {"input": str(HERE / "input"), "python": str(Path(sys.executable).resolve())}

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return tuple(map(filled, value))
        return value.replace("{input}", words["input"]).replace("{python}", words["python"])

    with (HERE / "uses.toml").open("rb") as file:
        entries = tomllib.load(file)
    found = {}
    for name, entry in entries.items():
        fields = {key: filled(value) for key, value in entry.items()}
        if fields.pop("arguments_of", None) is not None:
            execution = load_recipes()[name].run
            fields["arguments"] = execution.arguments if execution is not None else ()
        found[name] = Use(name=name, **fields)
    return found


def build(use: Use, tree: Path, compiler: str) -> str | None:
    """What went wrong, if it did."""
    for command in (*use.build, *use.prepare):
        done = subprocess.run(
            command.replace("{cc}", compiler),
            shell=True,
            cwd=tree,
            capture_output=True,
            text=True,
            check=False,
            timeout=_BUILD_SECONDS,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode != 0:
            return done.stderr[-800:]
    return None


def explore(use: Use, tree: Path, limit: int) -> tuple[Run, dict[str, Any] | None]:
    with tempfile.TemporaryDirectory() as results:
        target = Path(results) / "report.json"
        command = [*_RACEPROOF, "explore", "--all", f"./{use.program}", "--json", str(target)]
        command += ["--time-limit", str(limit), *use.options(), "--", *use.arguments]
        run = run_measured(command, {}, limit + _GRACE, tree)
        text = target.read_text(encoding="utf-8") if target.exists() else ""
    return run, json.loads(text) if text else None


def races_of_tsan(use: Use, tree: Path) -> int | None:
    """Distinct races in three runs; None if it cannot be built or run."""
    if build(use, tree, _TSAN) is not None:
        return None
    found: set[str] = set()
    for _ in range(_TSAN_RUNS):
        with _servers(use), (Path(use.stdin) if use.stdin else Path(os.devnull)).open("rb") as given:
            process = subprocess.Popen(
                [f"./{use.program}", *use.arguments],
                cwd=tree, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
            )  # fmt: skip
            if use.clients:
                time.sleep(1)
                clients = [subprocess.Popen(command, shell=True) for command in use.clients]
                for client in clients:
                    client.wait()
                time.sleep(1)
                process.send_signal(signal.SIGTERM)
            try:
                _, text = process.communicate(timeout=_TSAN_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                _, text = process.communicate()
        found |= {re.sub(r"/\S*/", "", line) for line in _RACE.findall(text)}
    return len(found)


@contextmanager
def _servers(use: Use) -> Iterator[None]:
    running = [
        subprocess.Popen(command, shell=True, stdout=_NOTHING, stderr=_NOTHING, start_new_session=True)
        for command in use.servers
    ]
    try:
        if running:
            time.sleep(2)
        yield
    finally:
        for process in running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def measure(use: Use, limit: int, with_tsan: bool) -> Row | None:
    recipe = load_recipes()[use.name]
    provenance = Provenance.load(recipe.tree)
    if provenance is None:
        print(f"{use.name}: not fetched: bench/real/fetch.py {use.name}", file=sys.stderr)
        return None
    with tempfile.TemporaryDirectory(prefix="use-") as directory:
        ours, theirs = Path(directory) / "raceproof", Path(directory) / "tsan"
        for tree in (ours, theirs):
            shutil.copytree(recipe.tree, tree, symlinks=True)
        wrapper = Path(directory) / "cc"
        wrapper.write_text(f'#!/bin/sh\nexec {shlex.join([*_RACEPROOF, "cc"])} "$@"\n', encoding="utf-8")
        wrapper.chmod(0o755)
        if (problem := build(use, ours, str(wrapper))) is not None:
            print(f"{use.name}: not built: {problem}", file=sys.stderr)
            return None
        run, report = explore(use, ours, limit)
        tsan = races_of_tsan(use, theirs) if with_tsan else None
    return Row(use, provenance.version, run, report, tsan)


def table(rows: list[Row]) -> str:
    lines = [
        "| program | as it is used | verdict | races executed, by location | executions | CPU s | ThreadSanitizer |",
        "| --- | --- | --- | --- | ---: | ---: | ---: |",
    ]
    for row in rows:
        lines.append(f"| {' | '.join(_cells(row))} |")
    return "\n".join(lines)


def _cells(row: Row) -> list[str]:
    use, report = row.use, row.report
    how = [f"{len(use.clients)} clients"] if use.clients else []
    how += [f"{len(use.servers)} server"] if use.servers else []
    how += ["standard input"] if use.stdin else []
    shown = shlex.join(use.arguments)
    what = f"`{shown if len(shown) < 60 else shown[:57] + '...'}`" + (f", {', '.join(how)}" if how else "")
    tsan = "" if row.tsan is None else str(row.tsan)
    if report is None:
        return [f"{use.name} {row.version}", what, "none", "", "", f"{row.run.cpu:.1f}", tsan]
    ran: dict[str, Any] = next((e["stats"] for e in report["engines"] if e["name"] == "explore"), {})
    racy = sorted({pair["target"] for pair in report["pairs"] if pair["verdict"] == "race"})
    named = f"{len(racy)}: " + ", ".join(f"`{name}`" for name in racy[:4]) if racy else "0"
    verdict = str(report["verdict"])
    if not ran.get("executions"):
        verdict += f" ({_why(report)})"
    cpu = f"{row.run.cpu:.1f}"
    return [f"{use.name} {row.version}", what, verdict, named, f"{ran.get('executions', 0):,}", cpu, tsan]


def _why(report: dict[str, Any]) -> str:
    stops = [engine["stopped"] for engine in report["engines"] if engine["name"] == "explore" and engine["stopped"]]
    return str((stops or [report["reason"] or "not executed"])[0])[:160].replace("|", "/").replace("\n", " ")


def main() -> int:
    parser = argparse.ArgumentParser(description="explore real programs as they are used")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all of uses.toml that have been fetched")
    parser.add_argument("--time-limit", type=int, default=TIME_LIMIT, metavar="SECONDS", help="for each exploration")
    parser.add_argument("--no-tsan", action="store_true", help="leave ThreadSanitizer out")
    parser.add_argument("--write", action="store_true", help="write the table into docs/results.md")
    args = parser.parse_args()
    uses = load_uses()
    rows = []
    for name in args.names or uses:
        if name not in uses:
            raise SystemExit(f"uses.toml has no {name}")
        row = measure(uses[name], args.time_limit, not args.no_tsan)
        if row is not None:
            rows.append(row)
            print(f"| {' | '.join(_cells(row))} |", file=sys.stderr, flush=True)
    print(table(rows))
    if args.write:
        words = ["bench/real/use.py", *args.names, f"--time-limit {args.time_limit}", "--write"]
        replace_block("use", f"`.venv/bin/python {' '.join(words)}`; {machine()}.\n\n{table(rows)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
