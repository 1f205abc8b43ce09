"""BenchExec's module for raceproof. From the root of this repository: `PYTHONPATH=. benchexec bench.xml`, where
bench.xml says `<benchmark tool="contrib.benchexec.raceproof" ...>`; or copy the file into BenchExec's `tools` folder.

Columns of result tables: `pairs`, `proved`, `races`, `open`, `seconds`, `executions`, and `NAME seconds` for an engine.
"""

from __future__ import annotations

import re
from pathlib import Path

import benchexec.result as result
import benchexec.tools.template as template

_DATA_MODELS = ("ILP32", "LP64")

_ANSWERS = {
    "true": result.RESULT_TRUE_PROP,
    "false(no-data-race)": result.RESULT_FALSE_DATARACE,
    "unknown": result.RESULT_UNKNOWN,
    "verdict: race-free": result.RESULT_TRUE_PROP,
    "verdict: race": result.RESULT_FALSE_DATARACE,
    "verdict: unknown": result.RESULT_UNKNOWN,
}
_ANSWER = re.compile(r"true|false\(no-data-race\)|unknown|verdict: (?:race-free|race|unknown)(?= |$)")
_STATUS = {result.RESULT_TRUE_PROP: 0, result.RESULT_FALSE_DATARACE: 1, result.RESULT_UNKNOWN: 3}
_FAILURES = {2: "ERROR (bad input)", 4: "ERROR (internal)"}

_VALUES = {
    "pairs": r"(\d+) pairs? of accesses: \d+ proved",
    "proved": r"pairs? of accesses: (\d+) proved",
    "races": r"\d+ proved, (\d+) races?",
    "open": r"races?, (\d+) open",
    "seconds": r"\d+ open; ([\d.]+) s\b",
    "executions": r": ([\d,]+) executions? by ",
}


class Tool(template.BaseTool2):
    """raceproof: data races in C programs (https://sv-comp.sosy-lab.org: no-data-race)."""

    def executable(self, tool_locator):
        try:
            return tool_locator.find_executable("raceproof")
        except template.ToolNotFoundException:
            return tool_locator.find_executable("raceproof", subdir="bin")

    def name(self):
        return "raceproof"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="raceproof ")

    def cmdline(self, executable, options, task, rlimits):
        task.require_input_files()
        _require_no_data_race(task.property_file)
        return [
            executable,
            "check",
            *options,
            *_data_model(task.options),
            *_time_limit(options, rlimits),
            *task.input_files,
        ]

    def determine_result(self, run):
        """The last line that is an answer; the exit status must agree, as a crash of Python also ends with 1."""
        status = run.exit_code.value
        answers = [match[0] for line in run.output if (match := _ANSWER.match(line.strip())) and _is_answer(match)]
        if answers and _STATUS[_ANSWERS[answers[-1]]] == status:
            return _ANSWERS[answers[-1]]
        return _FAILURES.get(status, result.RESULT_ERROR)

    def get_value_from_output(self, output, identifier):
        engine = identifier.removesuffix(" seconds")
        pattern = _VALUES.get(identifier) or rf"[(,] ?{re.escape(engine)} ([\d.]+) s\b"
        found = re.search(pattern, " ".join(str(output).split()))  # lines are folded at 80 columns
        return found[1].replace(",", "") if found else None


def _is_answer(match):
    """An answer of SV-COMP is a whole line; a verdict has something behind it."""
    return match[0].startswith("verdict: ") or match.end() == len(match.string)


def _require_no_data_race(property_file):
    if property_file and "data-race" not in Path(property_file).read_text(encoding="utf-8"):
        raise template.UnsupportedFeatureException(f"raceproof checks no-data-race only, not {property_file}")


def _data_model(options):
    model = (options or {}).get("data_model")
    if model is None:
        return []
    if model not in _DATA_MODELS:
        raise template.UnsupportedFeatureException(f"unknown data model {model}")
    return ["--data-model", model]


def _time_limit(options, rlimits):
    """A little less than there is, so that raceproof can still say what it knows."""
    limits = [limit for limit in (rlimits.cputime, rlimits.walltime) if limit is not None]
    if not limits or any(option.split("=")[0] == "--time-limit" for option in options):
        return []
    limit = min(limits)
    return ["--time-limit", str(max(1, round(limit - min(10, limit * 0.1))))]
