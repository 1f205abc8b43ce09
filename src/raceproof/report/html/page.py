"""Put a page together: the data as JSON, the scripts and the style, all in one file that asks nobody for anything.

Names in the analysed program are hostile until shown otherwise. They reach the page in two ways only: as JSON in which
nothing can end the element around it, put into the document as text by the scripts; and escaped, in the title and the
few words for a browser without scripts. The security policy admits the scripts and the style of this file by
their hashes, and no request at all.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib import resources

from raceproof.report.json_format import Json

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="raceproof {version}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<noscript><p>{title}. This page needs JavaScript; raceproof writes the same as JSON.</p></noscript>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def assemble(title: str, version: str, data: Json, scripts: Sequence[str], styles: Sequence[str]) -> str:
    """The page that these files of this folder make of the data; the scripts see one another in this order."""
    style = "".join(map(_resource, styles))
    script = "(() => {\n'use strict';\n" + "".join(map(_resource, scripts)) + "})();\n"
    policy = (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"script-src {_hash(script)}; style-src {_hash(style)}"
    )
    return _PAGE.format(
        policy=policy, version=_text(version), title=_text(title), style=style, data=_inert(data), script=script
    )


def _inert(data: Json) -> str:
    """JSON without the characters that mean something to an HTML parser; the rest of the world is ASCII."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _text(text: str) -> str:
    # A file name may have bytes that are no UTF-8; they must not keep the report from being written.
    return html.escape(text.encode("utf-8", errors="replace").decode())


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
