"""How large a C text is in IR instructions, without a compiler.

Each kind of token counts with a weight. The weights come from least squares over the 2,400 functions
of six generated programs, compiled as the front end does; `bench/calibrate.py` shows how well they
still fit. A function is off by three instructions on average, a program by a few per cent.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'|\w+|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^=!<>]=|\S", re.S
)
_BODY = re.compile(r"^\{$.*?^\}$", re.M | re.S)
_TYPES = frozenset(("long", "unsigned", "int", "char", "size_t"))
_WEIGHTS = {
    "&&": 1.85,
    "||": 4.17,
    "++": 1.61,
    "--": 2.84,
    "->": 1.96,
    ".": 1.11,
    "?": 2.43,
    "[": 2.6,
    ",": 0.08,
    "=": 0.39,
    "case": 1.6,
    "default": 1.1,
    "else": 0.7,
    "for": 4.78,
    "if": 3.27,
    "while": 4.42,
    "return": 0.43,
    **dict.fromkeys(("+", "-", "*", "/", "%", "^", "|", "&", "<<", ">>"), 0.64),
    **dict.fromkeys(("+=", "-=", "*=", "/=", "%=", "^=", "|=", "&="), 2.04),
}
_CALL = 0.15
_CAST = 0.77
_GLOBAL = 0.2
_GLOBAL_NAME = re.compile(r"[a-z]+\d+_\w+")
_FUNCTION = 1.0
_SCALE = 0.98  # the fit errs upwards on small functions


def estimate_instructions(text: str) -> int:
    """IR instructions of the functions in `text`, after SROA; errs on either side."""
    return round(_SCALE * sum(_estimate_body(body.group()) for body in _BODY.finditer(text)))


def _estimate_body(body: str) -> float:
    tokens = _TOKEN.findall(body)
    total = _FUNCTION
    for index, token in enumerate(tokens):
        if token in _WEIGHTS:
            total += _WEIGHTS[token]
        elif token == "(":
            total += _CAST if tokens[index + 1] in _TYPES else _CALL if tokens[index - 1].isidentifier() else 0
        elif _GLOBAL_NAME.fullmatch(token):
            total += _GLOBAL
    return total
