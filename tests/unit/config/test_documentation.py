"""The examples of docs/configuration.md are read by the code, and every key is in it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from raceproof.config.load import parse_config

PAGE = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_read(example: str) -> None:
    parse_config(Path("raceproof.toml"), tomllib.loads(example))


def test_every_key_has_an_example() -> None:
    used: set[str] = set()
    for example in EXAMPLES:
        for key, value in tomllib.loads(example).items():
            used.add(key)
            for table in value if key in ("lock", "safe", "suppress", "function") else ():
                used.update(f"{key}.{inner}" for inner in table)
    assert used == {
        *("sources", "flags", "compile_commands", "target", "data_model", "entry", "arguments", "engines"),
        *("time_limit", "jobs", "baseline", "lock", "safe", "suppress", "function"),
        *(f"lock.{k}" for k in ("acquire", "release", "try", "success", "failure", "argument", "shared", "name")),
        *("safe.function", "safe.reason"),
        *(f"function.{k}" for k in ("function", "reads", "writes", "frees", "keeps", "calls", "passes", "returns")),
        *("function.shares", "function.input"),
        *(
            f"suppress.{k}"
            for k in ("reason", "target", "function", "functions", "file", "fingerprint", "kind", "only")
        ),
    }
