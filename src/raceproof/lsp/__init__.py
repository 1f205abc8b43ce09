"""lsp: findings in the editor, over the language server protocol. Each check is a `raceproof check` process."""

from raceproof.lsp.project import Project, project_of
from raceproof.lsp.view import FileView, Finding, views

__all__ = ["FileView", "Finding", "Project", "project_of", "serve", "views"]


def serve(version: str, options: tuple[str, ...]) -> None:
    """Answer an editor on standard input and output. Raises `ModuleNotFoundError` if pygls is not installed."""
    from raceproof.lsp.server import make_server

    make_server(version, options).start_io()
