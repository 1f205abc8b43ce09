"""Results and runs made by hand, and a check that says what the program tells it to."""

from __future__ import annotations

import sys
from pathlib import Path

from raceproof.corpora.results import EngineShare, Run, TaskResult
from raceproof.corpora.settings import Settings
from raceproof.model import Verdict

SETTINGS = Settings(
    corpus="demo",
    path="/corpora/demo",
    programs=3,
    digest="d",
    version="1",
    code="c",
    engines=("lockset", "explore"),
    time_limit=60.0,
    cflags=(),
    data_model=None,
    headers="auto",
    jobs=1,
)

# In place of `raceproof check`: the first words of the program say what to do.
#   // VERDICT STATUS    write a report with this verdict and end with this status
#   // sleep             do nothing for long, and do not hear SIGTERM
#   // crash             end by a signal
FAKE = """
import json, os, signal, sys, time
arguments = sys.argv[1:]
report, file = arguments[arguments.index("--json") + 1], arguments[-1]
word, *rest = open(file).readline().removeprefix("//").split()
if word == "sleep":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    open(file + ".started", "w").close()
    time.sleep(60)
if word == "crash":
    print("the last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
if word == "silent":
    sys.exit(int(rest[0]))
verdict, pairs = word, []
if word != "unknown":
    pairs = [{"engine": "lockset", "verdict": "race-free"}, {"engine": "explore", "verdict": word}]
fields = {"verdict": verdict, "scope": None, "reason": "not decided" if word == "unknown" else None,
          "pairs": pairs, "engines": [{"name": "lockset"}, {"name": "explore"}], "interrupted": False}
with open(report, "w") as out:
    json.dump(fields, out)
sys.exit(int(rest[0]))
"""


def fake_check(directory: Path) -> tuple[str, ...]:
    """The command; the fake lies in the directory."""
    script = directory / "fake_check.py"
    script.write_text(FAKE, encoding="utf-8")
    return (sys.executable, "-S", str(script))


def corpus(directory: Path, *programs: tuple[str, str, str]) -> Path:
    """A corpus of (name, truth, what the fake is told)."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, _, told in programs:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(f"// {told}\n", encoding="utf-8")
    lines = [f"{name}\t{truth}\n" for name, truth, _ in programs]
    (directory / "expected.tsv").write_text("".join(lines), encoding="utf-8")
    return directory


def result(
    name: str,
    expected: Verdict = Verdict.RACE_FREE,
    verdict: Verdict | None = Verdict.RACE_FREE,
    cpu: float = 1.0,
    shares: tuple[EngineShare, ...] = (),
    category: str = "demo",
    detail: str = "",
) -> TaskResult:
    return TaskResult(name, category, expected, verdict, None, detail, cpu, 2 * cpu, 1, shares)


def run(*results: TaskResult, settings: Settings = SETTINGS) -> Run:
    return Run(settings, results)
