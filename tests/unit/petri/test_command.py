"""`raceproof petri`: what it writes is what the schema says, and C is read with its configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from unit.cli.commands import run_command
from unit.petri.c_programs import PREAMBLE
from unit.petri.test_sml_syntax import FIGURE_2

from raceproof.cli import petri as command
from raceproof.cli.status import Exit
from raceproof.core import InputError
from raceproof.report.schema import petri_schema

SCHEMA: dict[str, Any] = petri_schema()
SML = "shared x; lock L;\njob W { acquire L; write x; release L; }\nstart W *;\n"
SPEC = "vars a b\nrules\n    a >= 1 -> a' = a-1, b' = b+1;\ninit a >= 1, b = 0\ntarget b >= 2\n"
COUNTED = """int x; pthread_mutex_t m = MUTEX;
void *f(void *p) { lock(&m); x++; unlock(&m); return 0; }
int main(void) { MANY(f) return 0; }
"""
OWN_LOCK = """static int word, x;
void enter(int *w) { while (*w) {} *w = 1; }
void leave(int *w) { *w = 0; }
void *f(void *p) { enter(&word); x++; leave(&word); return 0; }
int main(void) { pthread_t a, b; create(a, f); create(b, f); return 0; }
"""
MODEL = """[[lock]]
acquire = "enter"
release = "leave"
"""


def written(tmp_path: Path, name: str, text: str, *options: str) -> tuple[Exit, dict[str, Any]]:
    path, out = tmp_path / name, tmp_path / "result.json"
    path.write_text(text, encoding="utf-8")
    status = run_command(command.add_parser, "petri", str(path), "--json", str(out), *options)
    return status, json.loads(out.read_text(encoding="utf-8"))


RESULTS = {
    "safe": ("p.sml", SML, ()),
    "unsafe": ("p.sml", SML.replace("acquire L;", "").replace("release L;", ""), ()),
    "unsafe net": ("p.spec", SPEC, ()),
    "safe net": ("p.spec", SPEC.replace("a >= 1, b", "a = 1, b"), ()),
    "safe C": ("p.c", PREAMBLE + COUNTED, ("--pairs", "all")),
    "unsafe C": ("p.c", PREAMBLE + COUNTED.replace(" lock(&m);", "").replace("unlock(&m);", ""), ()),
    "no time": ("p.c", PREAMBLE + COUNTED, ("--time-limit", "0.000001")),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_as_the_schema_says(name: str, tmp_path: Path) -> None:
    _, result = written(tmp_path, *RESULTS[name][:2], *RESULTS[name][2])
    jsonschema.validate(result, SCHEMA)
    verdict = {"s": "safe", "u": "unsafe", "n": "unknown"}[name[0]]
    assert result["verdict"] == verdict
    assert not list(unknown_words(result, SCHEMA))


def unknown_words(value: object, schema: dict[str, Any], where: str = "result") -> Iterator[str]:
    """Words that the schema does not describe."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    for choice in schema.get("anyOf", ()):
        if value is not None and choice.get("type") != "null":
            yield from unknown_words(value, choice, where)
    if isinstance(value, dict) and "properties" in schema:
        for name, inner in value.items():
            if name in schema["properties"]:
                yield from unknown_words(inner, schema["properties"][name], f"{where}.{name}")
            else:
                yield f"{where}.{name}"
    if isinstance(value, list) and "items" in schema:
        for inner in value:
            yield from unknown_words(inner, schema["items"], where)


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        (("verdict",), "race-free"),
        (("verdict",), "unsafe"),
        (("verdict",), "unknown"),
        (("certificate",), None),
        (("certificate", "basis"), [[[0, 0]]]),
        (("certificate", "invariants"), [{"weights": [[0, 1]]}]),
        (("net",), None),
        (("kept",), -1),
        (("files",), "p.sml"),
    ],
)
def test_the_schema_refuses_others(where: tuple[str, ...], wrong: object, tmp_path: Path) -> None:
    _, result = written(tmp_path, *RESULTS["safe"][:2])
    forged = deepcopy(result)
    inner = forged
    for name in where[:-1]:
        inner = inner[name]
    inner[where[-1]] = wrong
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(forged, SCHEMA)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_models_of_the_configuration_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raceproof.toml").write_text(MODEL, encoding="utf-8")
    assert written(tmp_path, "p.c", PREAMBLE + OWN_LOCK)[0] is Exit.RACE_FREE
    assert written(tmp_path, "p.c", PREAMBLE + OWN_LOCK, "--no-config")[0] is Exit.RACE


def test_models_that_nothing_uses_are_refused(tmp_path: Path) -> None:
    config = tmp_path / "other.toml"
    config.write_text(MODEL, encoding="utf-8")
    with pytest.raises(InputError, match="`enter`"):
        written(tmp_path, "p.c", PREAMBLE + COUNTED, "--config", str(config))


def test_programs_may_be_named_by_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.c").write_text(PREAMBLE + COUNTED, encoding="utf-8")
    (tmp_path / "raceproof.toml").write_text('sources = ["p.c"]\narguments = ["-x"]\n', encoding="utf-8")
    assert run_command(command.add_parser, "petri", "--pairs", "all") is Exit.RACE_FREE


def test_nets_need_no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raceproof.toml").write_text("this is no configuration", encoding="utf-8")
    assert written(tmp_path, "p.sml", SML)[0] is Exit.RACE_FREE


def test_figure_2_as_printed_says_how_it_was_read(tmp_path: Path) -> None:
    status, result = written(tmp_path, "p.sml", FIGURE_2, "--no-spurious-wakeups")
    assert status is Exit.RACE_FREE
    assert result["notes"] == [
        "statements outside of jobs are read as job types, any number of threads of each: Producers, Consumers"
    ]
