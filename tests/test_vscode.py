"""The extension for Visual Studio Code: what it declares is what it does, and its package is whole."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from raceproof import __version__

EXTENSION = Path(__file__).parents[1] / "editors" / "vscode"
DESCRIBED: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
LOCK: dict[str, Any] = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
SCRIPT = (EXTENSION / "extension.js").read_text(encoding="utf-8")
VSCODE = """
const log = [];
const commands = new Map();
module.exports = {
  log,
  commands: {
    registerCommand: (name, run) => { commands.set(name, run); return { dispose() {} }; },
    executeCommand: async (...words) => log.push(["execute", ...words]),
    registered: commands,
  },
  window: {
    activeTextEditor: { document: { uri: "file:///a.c" } },
    showErrorMessage: async (text) => { log.push(["error", text]); return "Open the settings"; },
    showWarningMessage: (text) => log.push(["warning", text]),
  },
  workspace: {
    getConfiguration: () => ({ get: (key) => JSON.parse(process.env.SETTINGS)[key] }),
    onDidChangeConfiguration: (changed) => { module.exports.changed = changed; return { dispose() {} }; },
  },
};
"""
CLIENT = """
const { log } = require("vscode");
exports.LanguageClient = class {
  constructor(id, name, server, options) {
    log.push(["client", server, options]);
    this.outputChannel = { show: () => log.push(["show"]) };
    this.code2ProtocolConverter = { asUri: (uri) => String(uri) };
  }
  async start() { if (process.env.FAILS) throw new Error("spawn raceproof ENOENT"); this.running = true; }
  isRunning() { return this.running === true; }
  async stop() { this.running = false; log.push(["stop"]); }
  async sendRequest(...words) { log.push(["request", ...words]); }
};
"""
SESSION = """
const vscode = require("vscode");
const { activate, deactivate } = require(process.env.EXTENSION);
(async () => {
  await activate({ subscriptions: [] });
  for (const name of ["checkProgram", "showPage", "showLog", "restart"])
    await vscode.commands.registered.get(`raceproof.${name}`)();
  await deactivate();
  console.log(JSON.stringify({ log: vscode.log, commands: [...vscode.commands.registered.keys()] }));
})();
"""


@pytest.fixture
def packer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("package_vscode", EXTENSION / "package.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The extension with packages of the right names and versions, as npm would leave it."""
    directory = tmp_path / "extension"
    shutil.copytree(EXTENSION, directory)
    for name, entry in LOCK["packages"].items():
        if name:
            (directory / name / "lib").mkdir(parents=True)
            (directory / name / "package.json").write_text(json.dumps({"version": entry["version"]}))
            (directory / name / "lib" / "main.js").write_text("")
            (directory / name / "lib" / "main.d.ts").write_text("")
            (directory / name / "LICENSE").write_text("")
    return directory


def session(tmp_path: Path, settings: Mapping[str, object], **variables: str) -> dict[str, Any]:
    """What the extension does in an editor that only takes down what it is asked for."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    modules = tmp_path / "modules"
    (modules / "vscode").mkdir(parents=True)
    (modules / "vscode" / "index.js").write_text(VSCODE)
    (modules / "vscode-languageclient").mkdir()
    (modules / "vscode-languageclient" / "node.js").write_text(CLIENT)
    environment = {**os.environ, "NODE_PATH": str(modules), "SETTINGS": json.dumps(settings), **variables}
    environment["EXTENSION"] = str(EXTENSION / "extension.js")
    done = subprocess.run([node, "-e", SESSION], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_the_description_is_complete() -> None:
    for key in ("name", "displayName", "description", "version", "publisher", "license", "engines", "categories"):
        assert DESCRIBED[key]
    assert DESCRIBED["version"] == __version__
    assert (EXTENSION / DESCRIBED["main"]).is_file()
    assert DESCRIBED["capabilities"]["untrustedWorkspaces"]["supported"] is False


def test_all_that_is_declared_is_there_and_all_that_is_used_is_declared() -> None:
    declared = {entry["command"] for entry in DESCRIBED["contributes"]["commands"]}
    assert declared == set(re.findall(r'^ {4}"(raceproof\.\w+)":', SCRIPT, re.MULTILINE))
    assert {entry["command"] for entry in DESCRIBED["contributes"]["menus"]["commandPalette"]} <= declared
    settings = {name.removeprefix("raceproof.") for name in DESCRIBED["contributes"]["configuration"]["properties"]}
    assert settings == set(re.findall(r'\.get\("(\w+)"\)', SCRIPT))


def test_commands_of_the_server_are_those_that_it_has() -> None:
    pytest.importorskip("pygls")
    from raceproof.lsp import server

    assert set(re.findall(r'ask\("([\w.]+)"\)', SCRIPT)) <= {server.CHECK, server.PAGE, server.FIX}
    ours = {entry["command"] for entry in DESCRIBED["contributes"]["commands"]}
    assert not ours & {server.CHECK, server.PAGE, server.FIX}  # the client registers these by itself


def test_everything_is_pinned() -> None:
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in DESCRIBED["dependencies"].values())
    packages = {name: entry for name, entry in LOCK["packages"].items() if name}
    assert {f"node_modules/{name}" for name in DESCRIBED["dependencies"]} <= set(packages)
    assert all(entry["integrity"].startswith("sha512-") for entry in packages.values())
    assert LOCK["packages"][""]["dependencies"] == DESCRIBED["dependencies"]


def test_it_starts_the_server_and_asks_it(tmp_path: Path) -> None:
    found = session(tmp_path, {"command": ["/opt/raceproof", "-m"], "timeLimit": 7})
    assert set(found["commands"]) == {entry["command"] for entry in DESCRIBED["contributes"]["commands"]}
    server = {"command": "/opt/raceproof", "args": ["-m", "lsp", "--time-limit", "7"]}
    started = ["client", server, {"documentSelector": [{"scheme": "file", "language": "c"}]}]
    asked = [["request", "workspace/executeCommand", {"command": f"raceproof.{name}", "arguments": ["file:///a.c"]}]
             for name in ("check", "page")]  # fmt: skip
    assert found["log"] == [started, *asked, ["show"], ["stop"], started, ["stop"]]


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    found = session(tmp_path, {"command": ["raceproof"], "timeLimit": 60}, FAILS="1")
    kinds = [entry[0] for entry in found["log"]]
    assert kinds == ["client", "error", "execute", "warning", "warning", "show", "client", "error", "execute"]
    assert "pip install 'raceproof[lsp]'" in found["log"][1][1]
    assert found["log"][2][1:] == ["workbench.action.openSettings", "raceproof.command"]


def test_the_package_has_what_it_needs(packer: ModuleType, installed: Path, tmp_path: Path) -> None:
    target = packer.pack(installed, tmp_path / "out")
    assert target.name == f"raceproof-{__version__}.vsix"
    with zipfile.ZipFile(target) as archive:
        names = archive.namelist()
        manifest = ElementTree.fromstring(archive.read("extension.vsixmanifest"))
        types = ElementTree.fromstring(archive.read("[Content_Types].xml"))
    assert {f"extension/{name}" for name in packer.SOURCES} <= set(names)
    assert {f"extension/{name}/lib/main.js" for name in LOCK["packages"] if name} <= set(names)
    assert not [name for name in names if name.endswith((".ts", ".map"))]
    described = {element.attrib["Path"] for element in manifest.iter() if "Path" in element.attrib}
    assert described <= set(names)
    known = {element.attrib["Extension"] for element in types if "Extension" in element.attrib}
    named = {element.attrib["PartName"] for element in types if "PartName" in element.attrib}
    inside = [name for name in names if name != "[Content_Types].xml"]
    assert all(Path(name).suffix in known or f"/{name}" in named for name in inside)
    assert packer.pack(installed, tmp_path / "again").read_bytes() == target.read_bytes()


def test_a_package_that_lacks_something_is_not_made(packer: ModuleType, installed: Path, tmp_path: Path) -> None:
    shutil.rmtree(installed / "node_modules" / "semver")
    (installed / "node_modules" / "minimatch" / "package.json").write_text('{"version": "0.0.1"}')
    with pytest.raises(SystemExit, match=r"not complete: node_modules/minimatch, node_modules/semver"):
        packer.pack(installed, tmp_path / "out")
