"""The server: checks on open and on save, in the background; shows the last results until there are new ones."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from raceproof.lsp.project import Project, project_of
from raceproof.lsp.view import FileView, Finding, guarded, views

SOURCE = "raceproof"
FIX, PAGE, CHECK = "raceproof.fix", "raceproof.page", "raceproof.check"
_LOCK = re.compile(r"\b(?:pthread_(?:mutex|rwlock|spinlock)_t|mtx_t)\s+(?P<name>[A-Za-z_]\w*)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_SUFFIXES = (".c", ".h")


@dataclass
class State:
    """Of one program: the check that runs, the last report, and what is shown of it."""

    task: asyncio.Task[None] | None = None
    page: str | None = None
    files: dict[str, FileView] = field(default_factory=dict)


class Server(LanguageServer):
    """`options`: of every `raceproof check`, such as a time limit."""

    def __init__(self, version: str, options: tuple[str, ...]) -> None:
        super().__init__("raceproof", version)
        self.options = options
        self.states: dict[Project, State] = {}
        self._directory = tempfile.TemporaryDirectory(prefix="raceproof-lsp-")

    def state(self, project: Project) -> State:
        return self.states.setdefault(project, State())

    def view(self, uri: str) -> FileView:
        """What is known of the file, by whichever program was checked with it."""
        file = _path(uri)
        return next((s.files[file] for s in self.states.values() if file in s.files), FileView())

    def schedule(self, uri: str) -> None:
        """Check the program that the file is part of; a check that runs is of an older text, and ends."""
        file = Path(_path(uri))
        if file.suffix not in _SUFFIXES:
            return
        project = project_of(file)
        state = self.state(project)
        if state.task is not None:
            state.task.cancel()
        state.task = asyncio.ensure_future(self._check(project, state))

    async def _check(self, project: Project, state: State) -> None:
        number = list(self.states).index(project)
        result, page = (f"{self._directory.name}/{number}.{suffix}" for suffix in ("json", "html"))
        words = ("check", *project.inputs, *self.options, "-q", "--pairs-detail", "--json", result, "--html", page)
        _, errors = await self.run(project, words)
        try:
            report = json.loads(Path(result).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            message = errors.strip() or "raceproof check wrote no report"
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, f"{project.name}: {message}"))
            return
        old, state.files, state.page = state.files, views(report), page
        for file in {**old, **state.files}:
            self.publish(file)
        with contextlib.suppress(Exception):  # a client that has no lenses refuses
            await self.workspace_code_lens_refresh_async(None)

    async def run(self, project: Project, words: tuple[str, ...]) -> tuple[str, str]:
        """A raceproof of its own: its output, and what it wrote to stderr. It ends when we are cancelled."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "raceproof",
            *words,
            cwd=project.directory,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            output, errors = await process.communicate()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            raise
        return output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")

    def publish(self, file: str) -> None:
        shown = [s.files[file].findings for s in self.states.values() if file in s.files]
        diagnostics = [_diagnostic(found) for findings in shown for found in findings]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(_uri(file), diagnostics))


def _path(uri: str) -> str:
    return os.path.realpath(to_fs_path(uri) or uri)


def _uri(path: str) -> str:
    return from_fs_path(path) or path


def _range(line: int, column: int, length: int = 1) -> lsp.Range:
    return lsp.Range(lsp.Position(line - 1, column - 1), lsp.Position(line - 1, column - 1 + length))


def _diagnostic(found: Finding) -> lsp.Diagnostic:
    severity = lsp.DiagnosticSeverity.Error if found.race is not None else lsp.DiagnosticSeverity.Information
    others = [
        lsp.DiagnosticRelatedInformation(lsp.Location(_uri(p.file), _range(p.line, p.column)), text)
        for p, text in found.others
    ]
    return lsp.Diagnostic(
        range=_range(found.place.line, found.place.column),
        message=found.message,
        severity=lsp.DiagnosticSeverity.Hint if found.is_suppressed else severity,
        code="data-race" if found.race is not None else "possible-data-race",
        source=SOURCE,
        related_information=others,
        data={"race": found.race, "name": found.name},
    )


def make_server(version: str, options: tuple[str, ...] = ()) -> Server:
    """The server with everything it answers."""
    server = Server(version, options)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        project = project_of(Path(_path(params.text_document.uri)))
        if project not in server.states:
            server.schedule(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.schedule(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        line = _line(server, params.text_document.uri, params.position.line)
        word = next((m[0] for m in _WORD.finditer(line) if m.start() <= params.position.character <= m.end()), "")
        view = server.view(params.text_document.uri)
        texts = view.hovers.get((params.position.line + 1, word)) or view.named.get(word) or []
        protects = guarded(view, word) if not texts else None
        texts = [f"`{word}` {protects}"] if protects is not None else texts
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(texts))) if texts else None

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        view = server.view(params.text_document.uri)
        found = [(line, text) for line, texts in sorted(view.lenses.items()) for text in texts]
        document = server.workspace.get_text_document(params.text_document.uri)
        for number, line in enumerate(document.lines, start=1):
            declared = _LOCK.search(line)
            protects = guarded(view, declared["name"]) if declared is not None else None
            if protects is not None:
                found.append((number, protects))
        return [lsp.CodeLens(_range(line, 1), lsp.Command(text, "")) for line, text in found]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        ours = [d for d in params.context.diagnostics if d.source == SOURCE]
        return [action for diagnostic in ours for action in _actions(server, uri, diagnostic)]

    @server.command(FIX)
    async def fix(uri: str, race: int) -> Any:
        return await _fix(server, uri, race)

    @server.command(PAGE)
    async def page(uri: str, race: int | None = None) -> None:
        state = server.states.get(project_of(Path(_path(uri))))
        if state is not None and state.page is not None:
            target = Path(state.page).as_uri() + (f"#race-{race}" if race is not None else "")
            await server.window_show_document_async(lsp.ShowDocumentParams(uri=target, external=True))

    @server.command(CHECK)
    def check(uri: str) -> None:
        server.schedule(uri)

    return server


def _line(server: Server, uri: str, number: int) -> str:
    lines = server.workspace.get_text_document(uri).lines
    return lines[number].rstrip("\r\n") if number < len(lines) else ""


def _actions(server: Server, uri: str, diagnostic: lsp.Diagnostic) -> list[lsp.CodeAction]:
    data = diagnostic.data if isinstance(diagnostic.data, dict) else {}
    race = data.get("race")
    line = diagnostic.range.start.line
    end = len(_line(server, uri, line))
    remark = lsp.TextEdit(
        lsp.Range(lsp.Position(line, end), lsp.Position(line, end)), '  // raceproof: intended "REASON"'
    )
    found = []
    if race is not None:
        repair = lsp.Command("Repair this race", FIX, arguments=[uri, race])
        found.append(lsp.CodeAction("raceproof: repair this race (checked)", lsp.CodeActionKind.QuickFix,
                                    diagnostics=[diagnostic], command=repair, is_preferred=True))  # fmt: skip
        shown = lsp.Command("Show the run", PAGE, arguments=[uri, race])
        found.append(lsp.CodeAction("raceproof: show the run step by step", lsp.CodeActionKind.QuickFix,
                                    diagnostics=[diagnostic], command=shown))  # fmt: skip
    found.append(lsp.CodeAction("raceproof: this is intended", lsp.CodeActionKind.QuickFix, diagnostics=[diagnostic],
                                edit=lsp.WorkspaceEdit({uri: [remark]})))  # fmt: skip
    return found


def _is_changed(server: Server, file: str) -> bool:
    document = server.workspace.text_documents.get(_uri(file))
    try:
        return document is not None and document.source != Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return True


async def _fix(server: Server, uri: str, race: int) -> str:
    """Ask `raceproof fix` for a repair that passes the check, and have the editor apply it."""
    project = project_of(Path(_path(uri)))
    output, errors = await server.run(project, ("fix", *project.inputs, "--race", str(race), "--format", "json"))
    try:
        found = json.loads(output)
    except ValueError:
        found = {"files": {}, "repairs": [errors.strip()]}
    if not found["files"]:
        text = "; ".join(found["repairs"]) or "no repair passes the check"
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, f"raceproof: {text}"))
        return text
    changes = {}
    unsaved = [file for file in found["files"] if _is_changed(server, file)]
    if unsaved:
        text = f"save {unsaved[0]} first: the repair is of what is on the disk"
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, f"raceproof: {text}"))
        return text
    for file, text in found["files"].items():
        changes[_uri(file)] = [lsp.TextEdit(lsp.Range(lsp.Position(0, 0), lsp.Position(2**31 - 1, 0)), text)]
    label = "; ".join(found["repairs"])
    await server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(lsp.WorkspaceEdit(changes), label=label))
    return label
