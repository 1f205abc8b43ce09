"""How the documentation becomes a site: `make docs`. Warnings, broken links among them, are errors there."""

from raceproof import __version__

project = "raceproof"
author = "the raceproof maintainers"
release = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]

myst_heading_anchors = 4
"""Headings that links may name, as on code hosts: `page.md#the-heading`."""

html_theme = "furo"
html_title = "raceproof"
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
highlight_language = "none"
"""Of indented blocks, which say no language: output of commands, C, patches."""
