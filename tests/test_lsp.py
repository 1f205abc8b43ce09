"""The language server as an editor sees it: the real process, spoken to over its standard input and output."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SESSION = Path(__file__).resolve().parent / "neovim_session.lua"
SECONDS = 120


class Client:
    """Sends requests and waits for what answers them; keeps what the server says of itself."""

    def __init__(self, directory: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "raceproof", "lsp", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=directory,
        )
        self._number = 0
        self._messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self.seen: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            length = 0
            while line.strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
                line = stream.readline()
            self._messages.put(json.loads(stream.read(length)))

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": params})
        found = self.wait(lambda message: message.get("id") == number and "method" not in message)
        assert "error" not in found, found
        return found["result"]

    def wait(self, is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            message = self._messages.get(timeout=SECONDS)
            self.seen.append(message)
            if "method" in message and "id" in message:  # a request of the server
                self._send({"id": message["id"], "result": {"applied": True}})
            if is_it(message):
                return message

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        def is_it(message: dict[str, Any]) -> bool:
            is_published = message.get("method") == "textDocument/publishDiagnostics"
            return is_published and message["params"]["uri"] == uri

        found: list[dict[str, Any]] = self.wait(is_it)["params"]["diagnostics"]
        return found

    def end(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        self._process.wait(timeout=SECONDS)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    file = tmp_path / "bank.c"
    shutil.copy(EXAMPLES / "bank_race.c", file)
    return file


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    found = Client(tmp_path)
    found.request("initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
    found.notify("initialized", {})
    yield found
    found.end()


def test_a_session(client: Client, bank: Path) -> None:
    """Open, look, repair, save: the race is shown at both places, explained, repaired, and gone."""
    uri = bank.as_uri()
    text = bank.read_text()
    client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": text}})
    shown = client.diagnostics(uri)
    assert [(d["range"]["start"]["line"], d["severity"]) for d in shown] == [(36, 1), (21, 1)]
    assert shown[0]["message"].startswith("data race on account.balance: read holding no lock; hold account.lock")
    related = shown[0]["relatedInformation"]
    assert related[0]["location"]["range"]["start"]["line"] == 21
    assert "holding account.lock" in related[0]["message"]

    document = {"textDocument": {"uri": uri}}
    at = {**document, "position": {"line": 36, "character": text.splitlines()[36].index("balance)") + 2}}
    hover = client.request("textDocument/hover", at)["contents"]["value"]
    assert "guarded by account.lock at 1 of 2 accesses" in hover
    assert "**race**, executed: lines 22, 37" in hover

    lenses = client.request("textDocument/codeLens", document)
    titles = {lens["command"]["title"] for lens in lenses}
    assert "creates a thread that runs teller" in titles
    assert any(title.startswith("protects account.balance (1 of 2)") for title in titles)

    context = {"diagnostics": [shown[0]]}
    actions = client.request("textDocument/codeAction", {**document, "range": shown[0]["range"], "context": context})
    by_title = {action["title"]: action for action in actions}
    remark = by_title["raceproof: this is intended"]["edit"]["changes"][uri][0]
    assert remark["newText"].endswith('// raceproof: intended "REASON"')
    command = by_title["raceproof: repair this race (checked)"]["command"]
    client.request("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})
    edit = next(m for m in client.seen if m.get("method") == "workspace/applyEdit")["params"]["edit"]
    repaired = edit["changes"][uri][0]["newText"]
    assert "pthread_mutex_lock(&account.lock);\n    printf(" in repaired

    bank.write_text(repaired)
    client.notify("textDocument/didSave", document)
    assert client.diagnostics(uri) == []


def test_what_does_not_compile_leaves_the_last_results(client: Client, bank: Path) -> None:
    uri = bank.as_uri()
    text = bank.read_text()
    client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": text}})
    assert client.diagnostics(uri)
    published = len([m for m in client.seen if m.get("method") == "textDocument/publishDiagnostics"])
    bank.write_text(text + "int broken(\n")
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    told = client.wait(lambda message: message.get("method") == "window/logMessage")
    assert "error" in told["params"]["message"]
    assert len([m for m in client.seen if m.get("method") == "textDocument/publishDiagnostics"]) == published


def test_a_session_of_neovim(bank: Path, tmp_path: Path) -> None:
    """A real editor without a screen: it shows the race, explains, has it repaired, and shows that it is gone."""
    nvim = shutil.which("nvim")
    if nvim is None:
        if os.environ.get("RACEPROOF_REQUIRE_NEOVIM"):
            pytest.fail("Neovim is not installed")
        pytest.skip("Neovim is not installed")
    settings = {
        "SERVER": f"{sys.executable} -m raceproof lsp",
        "FILE": bank.name,
        "LINE": "36",
        "COLUMN": str(bank.read_text().splitlines()[36].index("balance)")),
    }
    done = subprocess.run(
        [nvim, "--clean", "--headless", "-S", str(SESSION)],
        cwd=tmp_path,
        env=os.environ | settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=3 * SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "found 37: data race on account.balance: read holding no lock" in done.stdout
    assert "hover `account.balance`: guarded by account.lock at 1 of 2 accesses; **race**, executed" in done.stdout
    assert "action raceproof: repair this race (checked)" in done.stdout
    assert "nothing is found any more" in done.stdout
    assert bank.read_text().count("pthread_mutex_lock(&account.lock)") == 1  # deposit() takes it by another name


@pytest.mark.slow
def test_a_session_of_emacs(bank: Path, tmp_path: Path) -> None:
    """Another real editor: eglot shows what is found, and what is known of a variable."""
    emacs = shutil.which("emacs")
    if emacs is None:
        pytest.skip("Emacs is not installed")
    settings = {"SERVER": f"{sys.executable} -m raceproof lsp", "FILE": bank.name, "WORD": "account.balance"}
    done = subprocess.run(
        [emacs, "-Q", "--batch", "-l", str(SESSION.with_name("emacs_session.el"))],
        cwd=tmp_path,
        env=os.environ | settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=3 * SECONDS,
        check=False,
    )
    if "Cannot open load file" in done.stderr and "eglot" in done.stderr:
        pytest.skip("Emacs before 29, without the package eglot")
    assert done.returncode == 0, done.stderr
    assert "found 37: raceproof [data-race]: data race on account.balance: read holding no lock" in done.stderr
    assert "hover `account.balance`: guarded by account.lock at 1 of 2 accesses; **race**, executed" in done.stderr
